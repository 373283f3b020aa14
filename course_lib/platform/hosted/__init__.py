"""The hosted tools, each in a file of its own: `tool.py` says what one is."""

from ..errors import Json
from ..state import State
from .code_interpreter import CODE_INTERPRETER
from .file_search import FILE_SEARCH
from .image_generation import IMAGE_GENERATION
from .tool import HostedTool
from .web_search import WEB_SEARCH

# The types by which a request may name each tool; a dated one is the same tool.
HOSTED: dict[str, HostedTool] = {
    "code_interpreter": CODE_INTERPRETER,
    "file_search": FILE_SEARCH,
    "image_generation": IMAGE_GENERATION,
    "web_search": WEB_SEARCH,
    "web_search_2025_08_26": WEB_SEARCH,
    "web_search_preview": WEB_SEARCH,
    "web_search_preview_2025_03_11": WEB_SEARCH,
}
BY_ITEM = {tool.item: tool for tool in HOSTED.values()}


def name_of(tool: Json) -> str:
    """The name by which the model calls what an entry of `tools`, or a `tool_choice`, means."""
    hosted = HOSTED.get(tool["type"])
    return hosted.name if hosted else str(tool["name"])


def as_the_model_sees(tool: Json) -> Json:
    """An entry of `tools` as it stands in the prompt."""
    hosted = HOSTED.get(tool["type"])
    return hosted.declaration if hosted else tool


def check_hosted(tools: list[Json], state: State) -> None:
    """Refuse an entry that names a container or a store which is not there."""
    for tool in tools:
        if hosted := HOSTED.get(tool["type"]):
            hosted.check(tool, state)
