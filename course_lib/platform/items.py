"""What an input item may look like (contract A2 "Input", A3 "ids").

The shapes of items, and of the parts of what is said, stand in `data/requests.txt` under their
types. Of any other item, which a hosted tool made, no more is asked than that it can be read.
"""

import re
from functools import cache
from typing import Any

from .attachments import check_file
from .errors import Json, refusal, wrong_type, wrong_value
from .rules import (
    Rule,
    anything,
    mapping,
    reject_unknown,
    require,
    shape_fields,
    shapes,
    up_to,
    words,
)
from .tools import check_each

ROLES = ("assistant", "system", "developer", "user")
ITEM_TYPES, CONTENT_TYPES = words("ItemType"), words("ContentType")
ASSISTANT_CONTENT = ("output_text", "refusal")
USER_CONTENT = ("input_text", "input_image", "input_file", "scoped_content", "input_audio")
OUTPUT_CONTENT = ("input_text", "input_image", "input_file")
ID_PREFIXES = {
    "message": "msg", "function_call": "fc", "reasoning": "rs", "custom_tool_call": "ctc",
}  # fmt: skip
_PARSED = (
    "responses.parse() added this field for you; the API does not take it back. Send the item "
    "without it: item.model_dump(exclude={...})."
)
_HINTS = {
    "parsed_arguments": _PARSED,
    "parsed": _PARSED,
    "tool_calls": "Chat Completions puts calls inside a message; here each is an item of its own, "
    '{"type": "function_call", ...}: send the items of response.output.',
    "async_": "model_dump() writes the SDK's own names. Send the item itself, or item.to_dict().",
    "tool_call_id": "Chat Completions says tool_call_id; here it is call_id.",
}
_TOOL_ROLE = (
    "role 'tool' belongs to Chat Completions. Here a result is an item: "
    '{"type": "function_call_output", "call_id": "...", "output": "..."}.'
)
_AS_TEXT = "Send text: json.dumps(result) turns data into a string the model can read."


def check_items(value: list[Any], path: str = "input") -> None:
    """Check every item; the first bad one is named by its place, `input[2]`."""
    for index, item in enumerate(value):
        place = f"{path}[{index}]"
        if not isinstance(item, dict):
            raise wrong_type(place, "an input item", item, null="null")
        _check_item(item, place)


def _check_item(item: Json, path: str) -> None:
    kind = item_type = item.get("type", "message")
    if item_type not in ITEM_TYPES:
        raise wrong_value(path, item_type, ITEM_TYPES)
    if item_type == "message":
        role = item.get("role")
        if role not in ROLES:
            raise wrong_value(path, role, ROLES, hint=_TOOL_ROLE if role == "tool" else None)
        kind = "assistant_message" if role == "assistant" else "message"
    elif item_type == "function_call_output" and not item.get("call_id"):
        raise refusal("output_without_call_id")
    _check_fields(item, path, kind if kind in shapes() else "AnyItem")
    if item.get("id") is not None:
        _check_id(item["id"], f"{path}.id", ID_PREFIXES.get(item_type))


def _check_fields(value: Json, path: str, name: str) -> None:
    """By a shape of the table, but the API names first what is unknown, then what is missing."""
    required, known, more = _shape(name)
    if not more:
        reject_unknown(value, path, tuple(known), _HINTS)
    require(value, path, required)
    for field, member in value.items():
        known.get(field, anything)(member, f"{path}.{field}")


@cache
def _shape(name: str) -> tuple[dict[str, Rule], dict[str, Rule], bool]:
    """The fields that must be there, all fields, and whether there may be others."""
    required, optional = shape_fields(
        name,
        AssistantContent=_content("one of an array of objects or string", ASSISTANT_CONTENT),
        UserContent=_content("one of an array of objects or string", USER_CONTENT),
        FunctionOutput=_content("one of a string or array of objects", OUTPUT_CONTENT),
        Tools=check_each,
    )
    known = {"type": anything, "id": anything} | required | optional
    return required, known, "\n  ..." in shapes()[name]


def _check_id(value: Any, path: str, prefix: str | None) -> None:
    """An id tells what it is the id of. An empty one fails for its characters, as recorded."""
    up_to(64)(value, path)
    if prefix and value and not value.startswith(prefix):
        expected = f"begins with '{prefix}'."
    elif not re.fullmatch(r"\w+", value, re.ASCII):  # the words say dashes; they fail all the same
        expected = (
            "contains letters, numbers, underscores, or dashes, but this value contained "
            "additional characters."
        )
    else:
        return
    raise refusal("wrong_id", path, value=value, expected=expected)


def _content(expected: str, supported: tuple[str, ...]) -> Rule:
    """A text, or a list of parts of the kinds that belong there."""

    def check(value: Any, path: str) -> None:
        if isinstance(value, str):
            return
        if not isinstance(value, list):
            raise wrong_type(path, expected, value, hint=_AS_TEXT, null="null")
        for index, part in enumerate(value):
            _check_part(part, f"{path}[{index}]", supported)

    return check


def _check_part(part: Any, path: str, supported: tuple[str, ...]) -> None:
    mapping(part, path)
    require(part, path, ("type",))
    part_type, in_output = part["type"], supported == OUTPUT_CONTENT
    if part_type not in supported and (in_output or part_type in CONTENT_TYPES):
        raise wrong_value(path, part_type, supported, hint=_AS_TEXT if in_output else None)
    if part_type not in supported:
        raise wrong_value(f"{path}.type", part_type, CONTENT_TYPES)
    if part_type == "input_file":
        check_file(part, path)
    _check_fields(part, path, part_type if part_type in shapes() else "AnyPart")
