"""Tools that a model knows by their type, and what it sends them.

A function says with its description and parameters what it is for. What these are for is known
beforehand, so a few words stand beside the description (`known_for` in `data/lexicon.json`), and
with them they are weighed like any other tool. What they are sent is not an argument that a
request names: it is written here, and a tool for which nothing can be written is no candidate.
"""

import re
import shlex
from collections.abc import Callable

from . import python, shell
from .lexicon import pattern, table
from .prompt import Json
from .task import Task, marked_off
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
    return tool.get("type") in _WRITERS


def write(task: Task) -> Json | None:
    """What a tool is sent; None if there is nothing for it, unless its call is forced."""
    return _WRITERS[task.tool["type"]](task)


def _web_search(task: Task) -> Json | None:
    if urls := task.said("url"):
        return {"url": urls[0]} | (
            {"pattern": task.said("quoted")[0]} if task.said("quoted") else {}
        )
    return {"query": query(task.text)} if task.forced or _asks(task) else None


def _file_search(task: Task) -> Json | None:
    asked = query(task.text)
    words = " ".join(word for word in plain_words(asked) if not is_stop_word(word))
    queries = list(dict.fromkeys([asked, words or asked]))
    return {"queries": queries} if task.forced or _asks(task) else None


def _asks(task: Task) -> bool:
    """Whether a request wants to know something: else it is nothing to search for."""
    return task.request.act == "read" or "?" in task.text


def query(request: str) -> str:
    """A request without what it says of searching."""
    asked = pattern("aside").sub("", pattern("address").sub("", request)).strip() or request
    return " ".join(pattern("search lead").sub("", asked, count=1).split()).rstrip("?.! ") or asked


def _tool_search(task: Task) -> Json | None:
    """The client's own: it is told the task, in each text that it requires, and once."""
    required = (
        task.tool["parameters"].get("required") or [*task.tool["parameters"]["properties"]][:1]
    )
    return None if task.situation.searched else dict.fromkeys(required, task.text)


def _code_interpreter(task: Task) -> Json | None:
    code = python.write(task.text) or (python.NOTHING if task.forced else None)
    return {"code": code} if code else None


def _image_generation(task: Task) -> Json:
    read = [made.text for made in task.situation.made if made.name != task.tool["name"]]
    return {"prompt": " ".join([task.text, *read])}  # a result may be the subject of the picture


def _shell(task: Task) -> Json | None:
    lines = shell.commands(task) or (["ls"] if task.forced else None)
    return {"commands": lines} if lines else None


def _local_shell(task: Task) -> Json | None:
    return {"command": shlex.split(sent["commands"][0])} if (sent := _shell(task)) else None


def _apply_patch(task: Task) -> Json | None:
    operation = shell.patch(task)
    if task.forced and not operation:
        operation = {"type": "create_file", "path": "notes.txt", "diff": f"+{task.text}\n"}
    return {"operation": operation} if operation else None


def _custom(task: Task) -> Json | None:
    """A text: the piece that fits a regular grammar, or what is quoted, or what is said."""
    form = task.tool.get("format") or {}
    if form.get("syntax") != "regex":
        return {"input": marked_off(task.text) or task.text}
    try:
        found = [m.group() for m in re.finditer(form["definition"], task.text[:MOST_MATCHED])]
    except re.error:  # it is written in another dialect
        found = []
    piece = max(found, key=len, default="") or (task.text if task.forced else "")
    return {"input": piece} if piece else None


_WRITERS: dict[str, Callable[[Task], Json | None]] = {
    "apply_patch": _apply_patch, "code_interpreter": _code_interpreter, "custom": _custom,
    "file_search": _file_search, "image_generation": _image_generation,
    "local_shell": _local_shell, "shell": _shell, "tool_search": _tool_search,
    "web_search": _web_search,
}  # fmt: skip
