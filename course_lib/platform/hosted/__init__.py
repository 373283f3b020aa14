"""The tools, hosted ones and the client's own: `tool.py` says what one is, `desk.py` runs them."""

from .code_interpreter import CODE_INTERPRETER
from .file_search import FILE_SEARCH
from .function import CUSTOM, FUNCTION, NAMESPACE, TOOL_SEARCH
from .image_generation import IMAGE_GENERATION
from .mcp import MCP
from .programs import PROGRAMS
from .shell import APPLY_PATCH, LOCAL_SHELL, SHELL
from .tool import ITEM_KINDS, KINDS
from .web_search import WEB_SEARCH

for _tool in (
    FUNCTION, CUSTOM, NAMESPACE, TOOL_SEARCH,
    CODE_INTERPRETER, FILE_SEARCH, IMAGE_GENERATION, MCP, WEB_SEARCH,
    SHELL, LOCAL_SHELL, APPLY_PATCH,
    PROGRAMS,  # a program goes on when all else is done that is due
):  # fmt: skip
    KINDS[_tool.name] = _tool
    ITEM_KINDS.update((kind.type, kind) for kind in _tool.items)
for _dated in ("2025_08_26", "preview", "preview_2025_03_11"):
    KINDS[f"web_search_{_dated}"] = WEB_SEARCH
