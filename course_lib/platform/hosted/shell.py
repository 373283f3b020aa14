"""`shell`, the older `local_shell`, and `apply_patch`: work on files and folders (contract D).

In a container the platform runs the commands of `shell`, as `container_run.py` says, and call and
output are two items of one response. With a `local` environment, and for the two other tools, the
turn ends at the call, and the client answers. The container of `container_auto` is there before the
model is asked, and the reply names it.

Not as in a real container: commands run on Linux alone, reach no network whatever the policy says,
and `chmod` does nothing: `sh script` runs what a call has just written, `./script` from the next.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .. import container_run, containers, skills
from ..container_run import Ended
from ..errors import Json
from ..http import written
from ..rules import shape
from ..state import Reading, State
from ..tokens import sayable
from .tool import (
    Call,
    ItemKind,
    Offer,
    Outcome,
    Told,
    Tool,
    alone,
    call_item,
    reads_call,
    reads_output,
    seen,
    tell,
)

if TYPE_CHECKING:
    from .desk import Desk


def _where(entry: Json) -> Json:
    return entry.get("environment") or {"type": "local"}


def _check(entry: Json, state: State) -> None:
    where = _where(entry)
    if where["type"] != "local":
        containers.check(state, where.get("container_id") or where)


def _due(desk: "Desk") -> Iterator[Outcome]:
    """Give `container_auto` its container."""
    for entry in desk.entries:
        if entry["type"] == "shell" and _where(entry)["type"] == "container_auto":
            chosen = containers.choose(desk.state, entry["environment"], desk.items)
            named = {"type": "container_reference", "container_id": chosen.id}
            entry["environment"] = named
    yield from ()


def _offers(entry: Json, desk: "Desk") -> Iterator[Offer]:
    where = _where(entry)
    known = where.get("skills") or []
    if where["type"] == "local":
        yield Offer(seen("shell") | {"skills": known}, entry, _ask, client=True)
        return
    if where["type"] == "container_reference":
        held = containers.find(desk.state, where["container_id"]).skills
    else:
        held = [skills.resolve(desk.state, skill) for skill in known]
    known = [{"name": s.name, "description": s.description, "path": s.path} for s in held]
    yield Offer(seen("shell") | {"skills": known}, entry, _run)


def _texts(given: Any) -> list[str]:
    """A list of texts, whatever the model wrote."""
    return [sayable(str(each)) for each in (given if isinstance(given, list) else [given or ""])]


def _call(call: Call) -> Json:
    """The item of a call. A limit that is no number above 0 is left out."""
    action: Json = {"commands": _texts(call.arguments.get("commands"))}
    for name in ("max_output_length", "timeout_ms"):
        value = call.arguments.get(name)
        action[name] = value if isinstance(value, int) and value > 0 else None
    where = {name: value for name, value in _where(call.declared).items() if name != "skills"}
    return call_item(call, "sh", {"type": "shell_call", "action": action, "environment": where})


def _ask(call: Call) -> Outcome:
    return Outcome([_call(call)], waits=True)


def _run(call: Call) -> Outcome:
    item = _call(call)
    action, state = item["action"], call.state
    container = containers.find(state, item["environment"]["container_id"])
    seconds = (action["timeout_ms"] or 0) / 1000 or None
    ended, made = container_run.run(state, container, "shell", action["commands"], seconds)
    longest = action["max_output_length"]
    output = {
        "id": state.new_id("sho"),
        "type": "shell_call_output",
        "status": "completed",
        "call_id": item["call_id"],
        "max_output_length": longest,
        "output": [_shown(each, longest) for each in ended],
    }
    reads = [*_CALL.read(item, state), *_OUTPUT.read(output, state)]
    sources = containers.citations(container, made)
    call.desk.readings[output["id"]] = Reading("", "", sources)  # later turns may cite them too
    return Outcome([item, output], reads, sources=sources)


def _shown(ended: Ended, longest: int | None) -> Json:
    """How a command ended. The limit counts what it printed on both ways out together."""
    late = ended.exit_code is None
    stderr = "\n".join(filter(None, [ended.stderr, "" if late else ended.stopped]))
    stdout = ended.stdout[:longest]
    stderr = stderr if longest is None else stderr[: longest - len(stdout)]
    outcome: Json = {"type": "exit", "exit_code": ended.exit_code}
    return {"stdout": stdout, "stderr": stderr, "outcome": {"type": "timeout"} if late else outcome}


def _tell_commands(item: Json, response: Json) -> Told:
    for index, command in enumerate(item["action"]["commands"]):
        yield "shell_call_command.added", {"command_index": index, "command": ""}
        yield from tell("shell_call_command", command, {"command": command}, command_index=index)


def _tell_output(item: Json, response: Json) -> Told:
    for index, each in enumerate(item["output"]):
        place = {"command_index": index}
        for name in ("stdout", "stderr"):
            if each[name]:
                yield "shell_call_output_content.delta", place | {"delta": {name: each[name]}}
        yield "shell_call_output_content.done", place | {"output": [each]}


def _said(item: Json) -> Json:
    """The arguments of a call, as its item has them."""
    return {name: value for name, value in item["action"].items() if value and name != "type"}


_ACTION: Json = {"commands": [], "max_output_length": None, "timeout_ms": None}
_CALL = ItemKind(
    "shell_call",
    (_tell_commands,),
    begun={"action": _ACTION},
    read=reads_call("shell", _said),
    unnamed=True,
)
_OUTPUT = ItemKind(
    "shell_call_output",
    (_tell_output,),
    begun={"status": "completed", "output": []},
    read=reads_output(lambda item: written({"output": item["output"]})),
)
SHELL = Tool(
    name="shell",
    entry=shape("Shell"),
    offers=_offers,
    items=(_CALL, _OUTPUT),
    check=_check,
    due=_due,
)


# --- local_shell: one command, by its words, always for the client --------------------------------


def _ask_local(call: Call) -> Outcome:
    action: Json = {"type": "exec", "command": _texts(call.arguments.get("command")), "env": {}}
    action["working_directory"] = call.arguments.get("working_directory")
    item = {"type": "local_shell_call", "action": action}
    return Outcome([call_item(call, "lsh", item)], waits=True)


LOCAL_SHELL = Tool(
    name="local_shell",
    entry=shape("TypeAlone"),
    offers=alone("local_shell", _ask_local, client=True),
    items=(
        ItemKind("local_shell_call", read=reads_call("local_shell", _said)),
        ItemKind("local_shell_call_output", read=reads_output(lambda item: str(item["output"]))),
    ),
)


# --- apply_patch: a file is to be created, changed or deleted, always by the client ---------------

# A change is a diff in the V4A form, which `agents.apply_diff` applies.
OPERATIONS = ("create_file", "update_file", "delete_file")


def _ask_patch(call: Call) -> Outcome:
    given = call.arguments.get("operation")
    asked = given if isinstance(given, dict) else {}
    kind = asked["type"] if asked.get("type") in OPERATIONS else "update_file"
    names = ("path",) if kind == "delete_file" else ("path", "diff")
    said = {name: sayable(str(asked.get(name) or "")) for name in names}
    item = {"type": "apply_patch_call", "operation": {"type": kind} | said}
    return Outcome([call_item(call, "apc", item)], waits=True)


def _begun_patch(item: Json) -> Json:
    emptied = {name: "" for name in item["operation"] if name == "diff"}
    return {"operation": item["operation"] | emptied}


def _tell_diff(item: Json, response: Json) -> Told:
    if (diff := item["operation"].get("diff")) is not None:
        yield from tell("apply_patch_call_operation_diff", diff, {"diff": diff})


APPLY_PATCH = Tool(
    name="apply_patch",
    entry=shape("ApplyPatch"),
    offers=alone("apply_patch", _ask_patch, client=True),
    items=(
        ItemKind(
            "apply_patch_call",
            (_tell_diff,),
            begun=_begun_patch,
            read=reads_call("apply_patch", lambda item: {"operation": item["operation"]}),
        ),
        ItemKind(
            "apply_patch_call_output",
            read=reads_output(
                lambda item: written({name: item.get(name) for name in ("status", "output")})
            ),
        ),
    ),
)
