"""What the stand-in does with a shell and with patches, step by step.

    a skill     one whose description fits: its SKILL.md is read, then the first block of commands
                in it is run, as it stands
    commands    those that the request quotes
    files       a listing of a folder; a file that is named is read
    patches     `replace "x" by "y" in F`, once the text of F was seen; F created with what is
                quoted or stands after a colon; F deleted

It composes no command of its own, fills nothing into a skill's commands, and does not look at
what a command printed, but for the two steps above.
"""

import re
import shlex

from .catalogue import compile_tools
from .choose import rank
from .history import Made, texts
from .lexicon import pattern
from .prompt import Json
from .request import Request, read_request

FITS = 0.5  # how likely a skill must be, to be read
_BLOCK = re.compile(r"```(?:\w*sh|console)?\n(.+?)```", re.DOTALL)


def commands(tool: Json, text: str, made: list[Made]) -> list[str] | None:
    """The commands of the next step; None if none is left."""
    mine = [each for each in made if each.name == tool["name"]]
    run = [line for each in mine for line in _run_by(each)]
    request = read_request(text)
    if skill := _fitting(tool.get("skills") or [], request):
        book = f"{skill['path'].rstrip('/')}/SKILL.md"
        steps = [[f"cat {shlex.quote(book)}"]]
        for each in mine:
            block = _BLOCK.search(printed(each))
            if _run_by(each) == steps[0] and block:
                steps.append([line for line in block[1].splitlines() if line.strip()])
    else:
        steps = [_named(text, request)]
    return next((step for step in steps if step and not {*step} <= {*run}), None)


def patch(text: str, made: list[Made]) -> Json | None:
    """The operation on a file; None if there is none, or if what it changes was not seen."""
    request = read_request(text)
    quoted = [value.data for value in request.values if value.kind == "quoted"]
    path = _path(request)
    if path is None or any(each.name == "apply_patch" and not each.failed for each in made):
        return None
    if request.act == "delete":
        return {"type": "delete_file", "path": path}
    if request.act == "create":
        written = pattern("marked off").search(text.replace(path, "", 1))
        if written is None:
            return None
        lines = next(filter(None, written.groups())).strip().splitlines()
        return {"type": "create_file", "path": path, "diff": "".join(f"+{x}\n" for x in lines)}
    if request.act != "change" or len(quoted) != 2:
        return None
    old, new = quoted
    seen = [line for each in made for said in texts(each.output) for line in said.splitlines()]
    lines = [line for line in seen if old in line]
    diff = "".join(f"@@\n-{line}\n+{line.replace(old, new)}\n" for line in lines)
    return {"type": "update_file", "path": path, "diff": diff} if diff else None


def printed(made: Made) -> str:
    """What the commands of a call printed."""
    told = made.output.get("output") if isinstance(made.output, dict) else None
    if not isinstance(told, list):
        return made.text.strip()
    parts = [each.get(name) for each in told for name in ("stdout", "stderr")]
    return "\n".join(str(part).strip() for part in parts if part)


def _run_by(made: Made) -> list[str]:
    told = made.arguments if isinstance(made.arguments, dict) else {}
    return [str(line) for line in told.get("commands") or [shlex.join(told.get("command") or [])]]


def _fitting(skills: list[Json], request: Request) -> Json | None:
    """The skill whose name and description the request is likeliest for, if it is likely."""
    ranked = rank(request, compile_tools(skills))
    if not ranked or ranked[0].score < FITS or not ranked[0].reasons(request):
        return None
    return next(skill for skill in skills if skill["name"] == ranked[0].call.tool.name)


def _named(text: str, request: Request) -> list[str]:
    """The commands that a request says, or that do what it says of files."""
    path = _path(request)
    quoted = [str(value.data) for value in request.values if value.kind == "quoted"]
    if path and request.act in ("read", "change"):
        return [f"cat {shlex.quote(path)}"]
    if listed := pattern("folder listed").search(text):
        folder = listed[1] or listed[2]
        return [f"ls {shlex.quote(folder)}" if folder else "ls"]
    return [] if path else [line for said in quoted for line in said.strip().splitlines()]


def _path(request: Request) -> str | None:
    """The file that a request names, outside of what it quotes."""
    text = request.text
    for value in request.values:
        if value.kind in ("quoted", "url", "email"):
            text = text.replace(value.text, " " * len(value.text))
    found = pattern("file named").search(text)
    return found.group() if found else None
