"""What an input item may look like (contract A2 "Input", A3 "ids").

Messages, function calls, their outputs and reasoning are checked to the last field. Items that a
hosted tool produced are taken back as they were given out.
"""

import re
from typing import Any

from .attachments import check_file
from .errors import ApiError, Json, kind, missing, wrong_type, wrong_value
from .rules import Rule, anything, nullable, reject_unknown, require, text, up_to
from .tools import check_tools

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
            got = "null" if item is None else kind(item)
            raise ApiError(
                f"Invalid type for '{place}': expected an input item, but got {got} instead.",
                param=place,
                code="invalid_type",
            )
        _check_item(item, place)


def _check_item(item: Json, path: str) -> None:
    item_type = item.get("type")
    if item_type is None:
        item_type = "message"
    if item_type not in ITEM_TYPES:
        raise wrong_value(path, item_type, ITEM_TYPES)
    if item_type == "message":
        _check_message(item, path)
    elif item_type == "function_call_output" and not item.get("call_id"):
        raise ApiError(
            "Invalid Value: 'input.call_id'. Function call output requires call_id.",
            param="input",
            hint="Copy call_id from the function_call item that this output answers.",
        )
    elif item_type in _SHAPES:
        required, optional = _SHAPES[item_type]
        known = {"type": anything, "id": anything} | required | optional
        reject_unknown(item, path, tuple(known))
        require(item, path, required)
        for name, value in item.items():
            known[name](value, f"{path}.{name}")
    else:
        nullable(text)(item.get("call_id"), f"{path}.call_id")
    if item.get("id") is not None:
        _check_id(item["id"], f"{path}.id", ID_PREFIXES.get(item_type))


def _check_id(value: Any, path: str, prefix: str | None) -> None:
    up_to(64)(value, path)
    if not re.fullmatch(r"\w+", value, re.ASCII):
        expected = "contains letters, numbers, underscores, or dashes"
        tail = ", but this value contained additional characters."
    elif prefix and not value.startswith(prefix):
        expected, tail = f"begins with '{prefix}'", "."
    else:
        return
    raise ApiError(
        f"Invalid '{path}': '{value}'. Expected an ID that {expected}{tail}",
        param=path,
        code="invalid_value",
        hint="An item's id comes from the API. For an item of your own, leave id out.",
    )


def _check_message(item: Json, path: str) -> None:
    role = item.get("role")
    if role not in ROLES:
        if "role" not in item:
            raise missing(f"{path}.role")
        raise wrong_value(path, role, ROLES, hint=_TOOL_ROLE if role == "tool" else None)
    reject_unknown(item, path, ("type", "role", "content", "id", "status", "phase"))
    if "content" not in item:
        raise missing(f"{path}.content")
    supported = ASSISTANT_CONTENT if role == "assistant" else USER_CONTENT
    _check_content(item["content"], f"{path}.content", supported)


_TOOL_ROLE = (
    "role 'tool' belongs to Chat Completions. Here a result is an item: "
    '{"type": "function_call_output", "call_id": "...", "output": "..."}.'
)


def _check_content(value: Any, path: str, supported: tuple[str, ...]) -> None:
    if isinstance(value, str):
        return
    if not isinstance(value, list):
        raise wrong_type(path, "one of a string or array of objects", value, hint=_AS_TEXT)
    for index, part in enumerate(value):
        _check_part(part, f"{path}[{index}]", supported)


def _check_part(part: Any, path: str, supported: tuple[str, ...]) -> None:
    if not isinstance(part, dict):
        raise wrong_type(path, "an object", part)
    part_type = part.get("type")
    if part_type not in CONTENT_TYPES and part_type not in supported:
        raise wrong_value(f"{path}.type", part_type, CONTENT_TYPES)
    if part_type not in supported:
        raise wrong_value(path, part_type, supported)
    if part_type == "input_file":
        check_file(part, path)
    if part_type in PART_FIELDS:
        reject_unknown(part, path, PART_FIELDS[part_type])
        said = "refusal" if part_type == "refusal" else "text"
        if said not in part:
            raise missing(f"{path}.{said}")
        text(part[said], f"{path}.{said}")


_AS_TEXT = "Send text: json.dumps(result) turns data into a string the model can read."


def _function_output(value: Any, path: str) -> None:
    _check_content(value, path, OUTPUT_CONTENT)


def _no_content(value: Any, path: str) -> None:
    """Reasoning itself is never sent back, only its summary or its sealed form."""
    if value:
        raise ApiError(
            f"Invalid '{path}': array too long. Expected an array with maximum length 0, "
            f"but got an array with length {len(value)} instead.",
            param=path,
            code="array_above_max_length",
        )


# type → (required fields, optional fields)
_SHAPES: dict[str, tuple[dict[str, Rule], dict[str, Rule]]] = {
    "function_call": (
        {"call_id": text, "name": text, "arguments": text},
        {"status": anything, "namespace": nullable(text), "caller": anything},
    ),
    "function_call_output": (
        {"call_id": text, "output": _function_output},
        {"status": anything, "caller": anything, "name": anything, "namespace": anything},
    ),
    "reasoning": (
        {"summary": anything},
        {"status": anything, "encrypted_content": nullable(text), "content": _no_content},
    ),
    "item_reference": ({"id": text}, {}),
    "additional_tools": ({"role": text, "tools": check_tools}, {}),
}
