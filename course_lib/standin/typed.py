"""Tools that a model knows by their type, and what it sends them.

A function says with its description and parameters what it is for. What these are for is known
beforehand, so a few words stand beside the description (`known_for` in `data/lexicon.json`), and
with them they are weighed like any other tool. What they are sent is not an argument that a
request names: it is written here, and a tool for which nothing can be written is no candidate.
"""

import re
import shlex

from . import python, shell
from .history import Made
from .lexicon import pattern, table
from .prompt import Json
from .request import Request, read_request
from .text import is_stop_word, plain_words

STEPWISE = ("apply_patch", "shell", "local_shell")  # they may be called again for one request
# Those that a request is left to that no other tool fits, first come first.
LEFT_FOR = ("code_interpreter", *STEPWISE, "tool_search", "file_search", "web_search")
MOST_MATCHED = 2_000  # characters that a grammar is looked for in


def as_weighed(tool: Json) -> Json:
    """The declaration by which a tool of a known type is weighed."""
    skills = (f"{skill['name']} {skill['description']}" for skill in tool.get("skills") or ())
    said = [tool.get("description") or "", table("known_for").get(tool["type"], ""), *skills]
    return {"name": tool["name"], "description": " ".join(said)}


def is_typed(tool: Json) -> bool:
    return tool.get("type") in WRITERS


def write(tool: Json, text: str, made: list[Made], forced: bool = False) -> Json | None:
    """What a tool is sent for a text; None if the text holds nothing for it.

    `made` is what was called for it so far. A forced call is always written.
    """
    return WRITERS[tool["type"]](tool, text, made, forced)


def _web_search(tool: Json, text: str, made: list[Made], forced: bool) -> Json | None:
    request = read_request(text)
    url = next((value.text for value in request.values if value.kind == "url"), None)
    if url is None:
        return {"query": query(text)} if forced or _asks(request) else None
    quoted = [value.text for value in request.values if value.kind == "quoted"]
    return {"url": url} | ({"pattern": quoted[0]} if quoted else {})


def _file_search(tool: Json, text: str, made: list[Made], forced: bool) -> Json | None:
    asked = query(text)
    words = " ".join(word for word in plain_words(asked) if not is_stop_word(word))
    queries = list(dict.fromkeys([asked, words or asked]))
    return {"queries": queries} if forced or _asks(read_request(text)) else None


def _code_interpreter(tool: Json, text: str, made: list[Made], forced: bool) -> Json | None:
    code = python.write(text)
    return {"code": code or python.NOTHING} if code or forced else None


def _image_generation(tool: Json, text: str, made: list[Made], forced: bool) -> Json:
    read = [each.text for each in made if each.name != tool["name"]]
    return {"prompt": " ".join([text, *read])}  # a result may be the subject of the picture


def _shell(tool: Json, text: str, made: list[Made], forced: bool) -> Json | None:
    lines = shell.commands(tool, text, made) or (["ls"] if forced else None)
    if lines and tool["type"] == "local_shell":
        return {"command": shlex.split(lines[0])}
    return {"commands": lines} if lines else None


def _apply_patch(tool: Json, text: str, made: list[Made], forced: bool) -> Json | None:
    operation = shell.patch(text, made)
    if forced and not operation:
        operation = {"type": "create_file", "path": "notes.txt", "diff": f"+{text}\n"}
    return {"operation": operation} if operation else None


def _custom(tool: Json, text: str, made: list[Made], forced: bool) -> Json | None:
    """A text: the piece that fits a regular grammar, or what is quoted, or what is said."""
    form = tool.get("format") or {}
    if form.get("syntax") == "regex":
        try:
            found = [each.group() for each in re.finditer(form["definition"], text[:MOST_MATCHED])]
        except re.error:  # it is written in another dialect
            found = []
        piece = max(found, key=len, default="")
        return {"input": piece or text} if piece or forced else None
    marked = pattern("marked off").search(text)
    return {"input": next(filter(None, marked.groups())).strip() if marked else text}


WRITERS = {
    "apply_patch": _apply_patch,
    "code_interpreter": _code_interpreter,
    "custom": _custom,
    "file_search": _file_search,
    "image_generation": _image_generation,
    "local_shell": _shell,
    "shell": _shell,
    "web_search": _web_search,
}


def _asks(request: Request) -> bool:
    """Whether a request wants to know something: else it is nothing to search for."""
    return request.act == "read" or "?" in request.text


def query(request: str) -> str:
    """A request without what it says of searching."""
    asked = pattern("aside").sub("", pattern("address").sub("", request)).strip() or request
    return " ".join(pattern("search lead").sub("", asked, count=1).split()).rstrip("?.! ") or asked
