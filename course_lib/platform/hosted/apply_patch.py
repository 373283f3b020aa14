"""`apply_patch`: the model asks the client to create, change or delete a file (contract D).

A change is a diff in the V4A form, which `agents.apply_diff` applies. The turn ends at the call,
and the client says in an `apply_patch_call_output` what became of it.
"""

from ..errors import Json
from ..http import written
from ..rules import shape
from ..tokens import sayable
from .tool import (
    Call,
    ItemKind,
    Outcome,
    Told,
    Tool,
    alone,
    call_item,
    reads_call,
    reads_output,
    tell,
)

OPERATIONS = {
    "create_file": ("path", "diff"),
    "update_file": ("path", "diff"),
    "delete_file": ("path",),
}


def _ask(call: Call) -> Outcome:
    given = call.arguments.get("operation")
    asked = given if isinstance(given, dict) else {}
    kind = str(asked.get("type"))
    kind = kind if kind in OPERATIONS else "update_file"
    said = {name: sayable(str(asked.get(name) or "")) for name in OPERATIONS[kind]}
    item = {"type": "apply_patch_call", "operation": {"type": kind} | said}
    return Outcome([call_item(call, "apc", item)], waits=True)


def _begun(item: Json) -> Json:
    diff = {"diff": ""} if "diff" in item["operation"] else {}
    return {"operation": item["operation"] | diff}


def _tell_diff(item: Json, response: Json) -> Told:
    diff = item["operation"].get("diff")
    if diff is not None:
        yield from tell("apply_patch_call_operation_diff", diff, {"diff": diff})


APPLY_PATCH = Tool(
    name="apply_patch",
    entry=shape("ApplyPatch"),
    offers=alone("apply_patch", _ask, client=True),
    items=(
        ItemKind(
            "apply_patch_call",
            (_tell_diff,),
            begun=_begun,
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
