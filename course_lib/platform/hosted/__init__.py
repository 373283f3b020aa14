"""The tools, each in its own file: `tool.py` says what one is, `desk.py` runs those of a turn."""

from ..errors import Json
from ..state import State
from .apply_patch import APPLY_PATCH
from .code_interpreter import CODE_INTERPRETER
from .file_search import FILE_SEARCH
from .function import CUSTOM, FUNCTION
from .image_generation import IMAGE_GENERATION
from .mcp import MCP
from .programs import PROGRAMS
from .shell import LOCAL_SHELL, SHELL
from .tool import Tool
from .tool_search import NAMESPACE, TOOL_SEARCH
from .web_search import WEB_SEARCH

TOOLS = (
    FUNCTION, CUSTOM, NAMESPACE, TOOL_SEARCH,
    CODE_INTERPRETER, FILE_SEARCH, IMAGE_GENERATION, MCP, WEB_SEARCH,
    SHELL, LOCAL_SHELL, APPLY_PATCH,
    PROGRAMS,  # a program goes on when all else is done that is due
)  # fmt: skip
# By the type that an entry names; a dated one is the same tool.
KINDS: dict[str, Tool] = {tool.name: tool for tool in TOOLS} | {
    "web_search_2025_08_26": WEB_SEARCH,
    "web_search_preview": WEB_SEARCH,
    "web_search_preview_2025_03_11": WEB_SEARCH,
}
BY_ITEM = {item.type: item for tool in TOOLS for item in tool.items}


def name_of(entry: Json) -> str:
    """What tells an entry from the others: a name that the client gave it, or else its type."""
    tool = KINDS[entry["type"]]
    return str(entry[tool.label]) if tool.label else tool.name


def check_references(entries: list[Json], state: State) -> None:
    """Refuse an entry that names what is not there: a container, a store, a skill, a server."""
    for entry in entries:
        KINDS[entry["type"]].check(entry, state)
