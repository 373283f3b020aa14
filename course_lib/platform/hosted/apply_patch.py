"""`apply_patch`: the model asks the client to create, change or delete a file (contract D).

A change is a diff in the V4A form, which `agents.apply_diff` applies. The turn ends at the call,
and the client says in an `apply_patch_call_output` what became of it.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..errors import Json
from ..rules import fields, text
from ..state import State
from ..tokens import pieces, sayable
from .hosted_tool import written
from .tool import ALLOWED_CALLERS, Call, ItemKind, Offer, Outcome, Tool, call_item

if TYPE_CHECKING:
    from .desk import Desk

OPERATIONS = {
    "create_file": ("path", "diff"),
    "update_file": ("path", "diff"),
    "delete_file": ("path",),
}
_OPERATION: Json = {
    "type": "object",
    "properties": {
        "type": {"type": "string", "enum": list(OPERATIONS)},
        "path": {"type": "string", "description": "The file, below the working folder."},
        "diff": {"type": "string", "description": "Lines to add (+) and take out (-), with some "
                 "around them; of a new file all, with a +. Not for delete_file."},
    },
    "required": ["type", "path"],
}  # fmt: skip


def _offers(entry: Json, desk: "Desk") -> Iterator[Offer]:
    tool = {"type": "apply_patch", "name": "apply_patch"}
    tool |= {"description": "Create, change or delete a file with a patch."}
    parameters = {"type": "object", "properties": {"operation": _OPERATION}}
    own = {name: entry[name] for name in ("allowed_callers",) if name in entry}
    yield Offer(tool | own | {"parameters": parameters | {"required": ["operation"]}}, entry, _ask)


def _ask(call: Call) -> Outcome:
    asked = call.arguments.get("operation") or {}
    kind = str(asked.get("type"))
    kind = kind if kind in OPERATIONS else "update_file"
    said = {name: sayable(str(asked.get(name) or "")) for name in OPERATIONS[kind]}
    operation = {"type": kind} | said
    item = {"type": "apply_patch_call", "operation": operation}
    return Outcome([call_item(call, "apc", item)], waits=True)


def _read_call(item: Json, state: State) -> list[Json]:
    read = {"type": "function_call", "call_id": item["call_id"], "name": "apply_patch"}
    return [read | {"arguments": written({"operation": item["operation"]})}]


def _read_output(item: Json, state: State) -> list[Json]:
    told = {name: item[name] for name in ("status", "output") if item.get(name)}
    read = {"type": "function_call_output", "call_id": item["call_id"]}
    return [read | {"output": written(told)}]


def _begun(item: Json) -> Json:
    diff = {"diff": ""} if "diff" in item["operation"] else {}
    return {"operation": item["operation"] | diff}


def _tell_diff(item: Json, response: Json) -> Iterator[tuple[str, Json]]:
    diff = item["operation"].get("diff")
    if diff is not None:
        for piece in pieces(diff):
            yield "_operation_diff.delta", {"delta": piece}
        yield "_operation_diff.done", {"diff": diff}


APPLY_PATCH = Tool(
    name="apply_patch",
    entry=fields({"type": text}, {"allowed_callers": ALLOWED_CALLERS}),
    offers=_offers,
    items=(
        ItemKind("apply_patch_call", (_tell_diff,), _begun, read=_read_call),
        ItemKind("apply_patch_call_output", read=_read_output),
    ),
)
