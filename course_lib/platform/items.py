"""What an input item may look like (contract A2 "Input", A3 "ids").

Messages, and the items that have a shape in `data/requests.txt`, are checked to the last field. Of
the others, which a hosted tool made, no more is asked than that they can be read.
"""

import re
from typing import Any

from .attachments import check_file
from .errors import Json, refusal, wrong_type, wrong_value
from .rules import (
    Rule,
    anything,
    array,
    mapping,
    nullable,
    one_of,
    reject_unknown,
    require,
    shape,
    shape_fields,
    shapes,
    text,
    up_to,
)
from .tools import check_each

ROLES = ("assistant", "system", "developer", "user")
ITEM_TYPES = (
    "additional_tools", "agent_message", "apply_patch_call", "apply_patch_call_output",
    "code_interpreter_call", "compaction", "compaction_trigger", "computer_call",
    "computer_call_output", "custom_tool_call", "custom_tool_call_output", "file_search_call",
    "function_call", "function_call_output", "image_generation_call", "item_reference",
    "local_shell_call", "local_shell_call_output", "mcp_approval_request",
    "mcp_approval_response", "mcp_call", "mcp_list_tools", "message", "multi_agent_call",
    "multi_agent_call_output", "program", "program_output", "reasoning", "shell_call",
    "shell_call_output", "tool_search_call", "tool_search_output", "web_search_call",
)  # fmt: skip
CONTENT_TYPES = (
    "input_text", "input_image", "input_audio", "output_text", "refusal", "input_file",
    "computer_screenshot", "summary_text", "encrypted_content",
)  # fmt: skip
ASSISTANT_CONTENT = ("output_text", "refusal")
USER_CONTENT = ("input_text", "input_image", "input_file", "scoped_content", "input_audio")
OUTPUT_CONTENT = ("input_text", "input_image", "input_file")
ID_PREFIXES = {
    "message": "msg",
    "function_call": "fc",
    "reasoning": "rs",
    "custom_tool_call": "ctc",
}
PART_FIELDS = {
    "input_text": ("type", "text"),
    "output_text": ("type", "text", "annotations", "logprobs"),
    "refusal": ("type", "refusal"),
}


def check_items(value: list[Any], path: str = "input") -> None:
    """Check every item; the first bad one is named by its place, `input[2]`."""
    for index, item in enumerate(value):
        place = f"{path}[{index}]"
        if not isinstance(item, dict):
            raise wrong_type(place, "an input item", item, null="null")
        _check_item(item, place)


def _check_item(item: Json, path: str) -> None:
    item_type = item.get("type", "message")
    if item_type not in ITEM_TYPES:
        raise wrong_value(path, item_type, ITEM_TYPES)
    if item_type == "message":
        _check_message(item, path)
    elif item_type == "function_call_output" and not item.get("call_id"):
        raise refusal("output_without_call_id")
    elif item_type in _SHAPES:
        required, optional = _SHAPES[item_type]
        known = {"type": anything, "id": anything} | required | optional
        reject_unknown(item, path, tuple(known), _HINTS)
        require(item, path, required)
        for name, value in item.items():
            known[name](value, f"{path}.{name}")
    else:
        for name, rule in _COMMON.items():
            nullable(rule)(item.get(name), f"{path}.{name}")
    nullable(_caller)(item.get("caller"), f"{path}.caller")
    if item.get("id") is not None:
        _check_id(item["id"], f"{path}.id", ID_PREFIXES.get(item_type))


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


def _check_message(item: Json, path: str) -> None:
    role = item.get("role")
    if role not in ROLES:
        raise wrong_value(path, role, ROLES, hint=_TOOL_ROLE if role == "tool" else None)
    own = ("phase",) if role == "assistant" else ()
    reject_unknown(item, path, ("type", "role", "content", "id", "status", *own), _HINTS)
    require(item, path, ("content",))
    supported = ASSISTANT_CONTENT if role == "assistant" else USER_CONTENT
    expected = "one of an array of objects or string"
    _check_content(item["content"], f"{path}.content", supported, expected)
    nullable(one_of("commentary", "final_answer"))(item.get("phase"), f"{path}.phase")


_TOOL_ROLE = (
    "role 'tool' belongs to Chat Completions. Here a result is an item: "
    '{"type": "function_call_output", "call_id": "...", "output": "..."}.'
)


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


def _check_content(value: Any, path: str, supported: tuple[str, ...], expected: str) -> None:
    """A text, or a list of parts of the kinds that belong there."""
    if isinstance(value, str):
        return
    if not isinstance(value, list):
        raise wrong_type(path, expected, value, hint=_AS_TEXT, null="null")
    for index, part in enumerate(value):
        _check_part(part, f"{path}[{index}]", supported)


def _check_part(part: Any, path: str, supported: tuple[str, ...]) -> None:
    mapping(part, path)
    require(part, path, ("type",))
    part_type = part["type"]
    if part_type not in CONTENT_TYPES and part_type not in supported:
        raise wrong_value(f"{path}.type", part_type, CONTENT_TYPES)
    if part_type not in supported:
        raise wrong_value(path, part_type, supported)
    if part_type == "input_file":
        check_file(part, path)
    if part_type in PART_FIELDS:
        reject_unknown(part, path, PART_FIELDS[part_type], _HINTS)
        require(part, path, ("refusal" if part_type == "refusal" else "text",))
    _check_said(part, path)


def _check_said(part: Json, path: str) -> None:
    for said in ("text", "refusal"):
        if said in part:
            text(part[said], f"{path}.{said}")


_AS_TEXT = "Send text: json.dumps(result) turns data into a string the model can read."


def _function_output(value: Any, path: str) -> None:
    """A text or parts. Of a wrong part the API names the place, and lists what may stand there."""
    for index, part in enumerate(value if isinstance(value, list) else ()):
        if isinstance(part, dict) and "type" in part and part["type"] not in OUTPUT_CONTENT:
            raise wrong_value(f"{path}[{index}]", part["type"], OUTPUT_CONTENT, hint=_AS_TEXT)
    _check_content(value, path, OUTPUT_CONTENT, "one of a string or array of objects")


def _as_given(value: Any, path: str) -> None:
    """Content of an item that a hosted tool made: no more is asked than that it can be read."""
    if not isinstance(value, str):
        array(mapping)(value, path)
        for index, part in enumerate(value):
            _check_said(part, f"{path}[{index}]")


_caller = shape("Caller")
# What is looked at in an item of any other type.
_COMMON: dict[str, Rule] = {
    "call_id": text,
    "approval_request_id": text,
    "content": _as_given,
}
_OWN: dict[str, Rule] = {
    "FunctionOutput": _function_output,
    "Tools": check_each,
}
# type → (required fields, optional fields), as far as the table has them
_SHAPES: dict[str, tuple[dict[str, Rule], dict[str, Rule]]] = {
    name: shape_fields(name, **_OWN) for name in ITEM_TYPES if name in shapes()
}
