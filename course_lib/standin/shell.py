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
from .task import Task, marked_off

FITS = 0.5  # how likely a skill must be, to be read
_BLOCK = re.compile(r"```(?:\w*sh|console)?\n(.+?)```", re.DOTALL)


def commands(task: Task) -> list[str] | None:
    """The commands of the next step; None if none is left."""
    mine = [each for each in task.situation.made if each.name == task.tool["name"]]
    run = [line for each in mine for line in _run_by(each)]
    steps = [_named(task)]
    if skill := _fitting(task):
        read = f"cat {shlex.quote(skill['path'].rstrip('/') + '/SKILL.md')}"
        books = [_BLOCK.search(printed(each)) for each in mine if _run_by(each) == [read]]
        steps = [[read], *(block[1].strip().splitlines() for block in books if block)]
    return next((step for step in steps if step and not {*step} <= {*run}), None)


def patch(task: Task) -> Json | None:
    """The operation on a file; None if there is none, or if what it changes was not seen."""
    made, path, act = task.situation.made, task.path, task.request.act
    if path is None or any(each.name == "apply_patch" and not each.failed for each in made):
        return None
    if act == "delete":
        return {"type": "delete_file", "path": path}
    if act == "create":
        lines = marked_off(task.text.replace(path, "", 1)).splitlines()
        diff = "".join(f"+{line}\n" for line in lines)
        return {"type": "create_file", "path": path, "diff": diff} if diff else None
    if act != "change" or len(task.said("quoted")) != 2:
        return None
    old, new = task.said("quoted")
    seen = [line for each in made for said in texts(each.output) for line in said.splitlines()]
    changed = [f"@@\n-{line}\n+{line.replace(old, new)}\n" for line in seen if old in line]
    return {"type": "update_file", "path": path, "diff": "".join(changed)} if changed else None


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


def _fitting(task: Task) -> Json | None:
    """The skill whose name and description the request is likeliest for, if it is likely."""
    skills = {skill["name"]: skill for skill in task.tool.get("skills") or ()}
    ranked = rank(task.request, compile_tools([*skills.values()]))
    fits = ranked and ranked[0].score >= FITS and ranked[0].reasons(task.request)
    return skills[ranked[0].call.tool.name] if fits else None


def _named(task: Task) -> list[str]:
    """The commands that a request says, or that do what it says of files."""
    if task.path:
        return [f"cat {shlex.quote(task.path)}"] if task.request.act in ("read", "change") else []
    if listed := pattern("folder listed").search(task.text):
        folder = listed[1] or listed[2]
        return [f"ls {shlex.quote(folder)}" if folder else "ls"]
    return [line for said in task.said("quoted") for line in said.strip().splitlines()]
