"""What an input item may look like (contract A2, "Input").

Messages, function calls and their outputs are checked to the last field. Items that a hosted
tool produced are taken back as they were given out.
"""

from typing import Any

from .errors import ApiError, Json, kind, missing, wrong_type, wrong_value
from .rules import Rule, anything, nullable, reject_unknown, require, text

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


def check_items(value: list[Any]) -> None:
    """Check every item of `input`; the first bad one is named by its place, `input[2]`."""
    for index, item in enumerate(value):
        path = f"input[{index}]"
        if not isinstance(item, dict):
            got = "null" if item is None else kind(item)
            raise ApiError(
                f"Invalid type for '{path}': expected an input item, but got {got} instead.",
                param=path,
                code="invalid_type",
            )
        check_item(item, path)


def check_item(item: Json, path: str) -> None:
    item_type = item.get("type", "message")
    if item_type not in ITEM_TYPES:
        raise wrong_value(path, item_type, ITEM_TYPES)
    if item_type == "message":
        _check_message(item, path)
    elif item_type in _SHAPES:
        if item_type == "function_call_output" and not item.get("call_id"):
            raise ApiError(
                "Invalid Value: 'input.call_id'. Function call output requires call_id.",
                param="input",
                hint="Copy call_id from the function_call item this output answers.",
            )
        required, optional = _SHAPES[item_type]
        known = {"type": anything} | required | optional
        reject_unknown(item, path, tuple(known))
        require(item, path, required)
        for name, value in item.items():
            known[name](value, f"{path}.{name}")


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
    '{"type": "function_call_output", "call_id": …, "output": "…"}.'
)


def _check_content(value: Any, path: str, supported: tuple[str, ...]) -> None:
    if isinstance(value, str):
        return
    if not isinstance(value, list):
        raise wrong_type(path, "one of a string or array of objects", value, hint=_AS_TEXT)
    for index, part in enumerate(value):
        place = f"{path}[{index}]"
        if not isinstance(part, dict):
            raise wrong_type(place, "an object", part)
        part_type = part.get("type")
        if part_type not in CONTENT_TYPES and part_type not in supported:
            raise wrong_value(f"{place}.type", part_type, CONTENT_TYPES)
        if part_type not in supported:
            raise wrong_value(place, part_type, supported)
        if part_type in ("input_text", "output_text") and "text" not in part:
            raise missing(f"{place}.text")


_AS_TEXT = "Send text: json.dumps(result) turns data into a string the model can read."


def _function_output(value: Any, path: str) -> None:
    _check_content(value, path, OUTPUT_CONTENT)


# type → (required fields, optional fields)
_SHAPES: dict[str, tuple[dict[str, Rule], dict[str, Rule]]] = {
    "function_call": (
        {"call_id": text, "name": text, "arguments": text},
        {"id": nullable(text), "status": anything, "namespace": nullable(text), "caller": anything},
    ),
    "function_call_output": (
        {"call_id": text, "output": _function_output},
        {"id": nullable(text), "status": anything, "caller": anything},
    ),
    "reasoning": (
        {"summary": anything},
        {
            "id": nullable(text),
            "status": anything,
            "encrypted_content": anything,
            "content": anything,
        },
    ),
}
