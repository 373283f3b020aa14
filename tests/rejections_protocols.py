"""The rejection table for the other protocols: rows like those of `rejections.py`."""

import json
from typing import Any

from course_lib.platform.app import Platform
from course_lib.platform.http import Request
from tests.rejections import (
    CLOSE_IT,
    INFERRED,
    OPEN,
    RECORDED,
    REPORTED,
    UNVERIFIED,
    Body,
    Json,
    Row,
    reported,
    schema,
    user,
)

CHAT = "/v1/chat/completions"
PLAIN, THINKS = "gpt-4o", "gpt-5-mini"
NESTED: Json = {"type": "function", "function": {"name": "f", "parameters": schema()}}
CALL: Json = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CALLED: Json = {"role": "assistant", "content": None, "tool_calls": [CALL]}


def said(*messages: Any, **fields: Any) -> Json:
    return {"model": PLAIN, "messages": list(messages) or [user()], **fields}


def result(call_id: str) -> Json:
    return {"role": "tool", "tool_call_id": call_id, "content": "ok"}


def chat(name: str, source: str, body: Body, text: str, param: str | None = None,
         code: str | None = None, **more: Any) -> Row:  # fmt: skip
    return Row(f"chat: {name}", "issue 6", source, body, text, param, code, **{"path": CHAT} | more)


def missing(name: str, source: str, body: Json, case: str = "") -> Row:
    text = f"Missing required parameter: '{name}'."
    return chat(f"missing {name} {case}", source, body, text, name, "missing_required_parameter")


def mistyped(name: str, expected: str, got: str, body: Json) -> Row:
    text = f"Invalid type for '{name}': expected {expected}, but got {got} instead."
    return chat(f"type of {name}", INFERRED, body, text, name, "invalid_type")


def not_among(name: str, value: str, supported: str, body: Json, source: str = INFERRED) -> Row:
    text = f"Invalid value: '{value}'. Supported values are: {supported}."
    return chat(f"value of {name}", source, body, text, name, "invalid_value")


def empty(name: str, source: str, body: Json) -> Row:
    text = (
        f"Invalid '{name}': empty array. Expected an array with minimum length 1, but got an "
        "empty array instead."
    )
    return chat(f"empty {name}", source, body, text, name, "empty_array")


def too_long(name: str, longest: int, length: int, body: Json) -> Row:
    text = (
        f"Invalid '{name}': array too long. Expected an array with maximum length {longest}, but "
        f"got an array with length {length} instead."
    )
    return chat(f"too long {name}", INFERRED, body, text, name, "array_above_max_length")


def unsupported(name: str, body: Json, source: str, tail: str = "") -> Row:
    text = f"Unsupported parameter: '{name}' is not supported with this model.{tail}"
    return chat(f"{name} with reasoning", source, body, text, name, "unsupported_parameter")


def absent(what: str, param: str, body: Json) -> Row:
    return chat(f"no {what}", UNVERIFIED, body, f"The offline platform has no '{param}'.", param,
                UNVERIFIED)  # fmt: skip


def made(platform: Platform, path: str, body: Json) -> Json:
    """Make a request that must succeed, and return its reply."""
    reply = platform.handle(Request("POST", path, json.dumps(body).encode()))
    content = b"".join(reply.chunks)
    assert reply.status == 200, content.decode()
    answer: Json = json.loads(content)
    return answer


def kept(platform: Platform) -> Json:
    """Make the completion chatcmpl-1, and a body that says nothing of it."""
    made(platform, CHAT, said(store=True))
    return {}


def parts(*given: Any) -> Json:
    return said({"role": "user", "content": list(given)})


def only_default(name: str, value: float, default: int, source: str) -> Row:
    return chat(
        f"{name} with reasoning",
        source,
        said(model=THINKS, **{name: value}),
        f"Unsupported value: '{name}' does not support {value} with this model. Only the default "
        f"({default}) value is supported.",
        name,
        "unsupported_value",
    )


def json_schema(wanted: Json, **more: Any) -> Json:
    form = {"name": "a", "schema": wanted, **more}
    return said(response_format={"type": "json_schema", "json_schema": form})


UNANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
    "'tool_call_id'. The following tool_call_ids did not have response messages: call_1"
)
NOT_A_FORMAT = "'png', 'jpeg', 'gif', 'webp'"

CHAT_ROWS = [
    missing("model", INFERRED, {"messages": [user()]}),
    missing("messages", INFERRED, {"model": PLAIN}),
    missing("messages", INFERRED, {"model": PLAIN, "input": "ping"}, "in the words of Responses"),
    missing("messages[0].role", INFERRED, said({"content": "x"})),
    missing("messages[0].content", INFERRED, said({"role": "user"})),
    missing("messages[0].content[0].type", INFERRED, parts({})),
    missing("messages[0].content[0].text", INFERRED, parts({"type": "text"})),
    missing("messages[0].content[0].image_url.url", INFERRED,
            parts({"type": "image_url", "image_url": {}})),
    missing("messages[0].tool_call_id", INFERRED, said({"role": "tool", "content": "x"})),
    missing("messages[1].tool_calls[0].id", INFERRED,
            said(user(), {"role": "assistant", "tool_calls": [{"type": "function"}]})),
    missing("tools[0].type", reported("openai/openai-cookbook#1248"), said(tools=[{"name": "f"}])),
    missing("tools[0].function", reported("microsoft/semantic-kernel#6825"),
            said(tools=[{"type": "function", "name": "f", "parameters": schema()}])),
    missing("tools[0].function.name", INFERRED, said(tools=[{"type": "function", "function": {}}])),
    missing("tool_choice.type", INFERRED, said(tools=[NESTED], tool_choice={})),
    missing("tool_choice.function", INFERRED,
            said(tools=[NESTED], tool_choice={"type": "function", "name": "f"})),
    missing("response_format.type", INFERRED, said(response_format={})),
    missing("response_format.json_schema", INFERRED, said(response_format={"type": "json_schema"})),
    mistyped("messages", "an array of objects", "a string", {"model": PLAIN, "messages": "ping"}),
    mistyped("messages[0].content", "one of a string or array of objects", "an integer",
             said({"role": "user", "content": 1})),
    mistyped("tools", "an array of objects", "an object", said(tools=NESTED)),
    mistyped("stop", "one of a string or array of strings", "an integer", said(stop=1)),
    empty("messages", reported("CopilotKit/CopilotKit#529"), {"model": PLAIN, "messages": []}),
    empty("messages[0].tool_calls", reported("home-assistant/core#118577"),
          said({"role": "assistant", "tool_calls": []})),
    empty("tools", INFERRED, said(tools=[])),
    too_long("tools", 128, 132, said(tools=132 * [NESTED])),
    too_long("stop", 4, 5, said(stop=["a", "b", "c", "d", "e"])),
    not_among("messages[0].role", "bogus",
              "'system', 'assistant', 'user', 'function', 'tool', and 'developer'",
              said({"role": "bogus", "content": "x"})),
    not_among("messages[0].content[0].type", "input_text",
              "'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'",
              parts({"type": "input_text", "text": "x"}), REPORTED),
    not_among("tools[0].type", "web_search", "'function' and 'custom'",
              said(tools=[{"type": "web_search"}])),
    not_among("tool_choice", "any", "'none', 'auto', and 'required'",
              said(tools=[NESTED], tool_choice="any")),
    not_among("response_format.type", "xml", "'json_object', 'json_schema', and 'text'",
              said(response_format={"type": "xml"})),
    chat("content null", REPORTED, said({"role": "user", "content": None}),
         "Invalid value for 'content': expected a string, got null.", "messages.[0].content"),
    chat("an assistant who says nothing", REPORTED, said(user(), {"role": "assistant"}),
         "Invalid value for 'content': expected a string, got null.", "messages.[1].content"),
    chat("audio", RECORDED, parts({"type": "input_audio", "input_audio": {}}),
         "Invalid 'messages[0]'. Content blocks are expected to be either text or image_url type.",
         "messages[0]", "invalid_value"),
    chat("no image", RECORDED,
         parts({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}),
         "You uploaded an unsupported image. Please make sure your image has of one the following "
         f"formats: [{NOT_A_FORMAT}].", None, "invalid_image_format"),
    chat("result without a call", reported("miurla/morphic#136"), said(user(), result("call_1")),
         "Invalid parameter: messages with role 'tool' must be a response to a preceeding message "
         "with 'tool_calls'.", "messages.[1].role"),
    chat("result of another call", REPORTED, said(user(), CALLED, result("call_2")),
         "Invalid parameter: 'tool_call_id' of 'call_2' not found in 'tool_calls' of previous "
         "message.", "messages.[2].tool_call_id"),
    chat("call without a result", reported("farhan0167/otto-m8#30"),
         said(user(), user(), CALLED, user()), UNANSWERED, "messages.[3].role"),
    chat("call without a result, last", INFERRED, said(user(), CALLED), UNANSWERED,
         "messages.[1].role"),
    chat("name of a tool", reported("RageAgainstThePixel/OpenAI-DotNet#441"),
         said(tools=[{"type": "function", "function": {"name": "get order"}}]),
         "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that "
         "matches the pattern '^[a-zA-Z0-9_-]+$'.", "tools[0].function.name", "invalid_value"),
    chat("schema of a tool", reported("lastmile-ai/openai-agents-mcp#2"),
         said(tools=[{"type": "function",
                      "function": {"name": "f", "parameters": OPEN, "strict": True}}]),
         f"Invalid schema for function 'f': In context=(), {CLOSE_IT}",
         "tools[0].function.parameters", "invalid_function_parameters"),
    chat("schema of the answer", REPORTED, json_schema(OPEN, strict=True),
         f"Invalid schema for response_format 'a': In context=(), {CLOSE_IT}", "response_format"),
    chat("choice of an absent tool", INFERRED,
         said(tools=[NESTED], tool_choice={"type": "function", "function": {"name": "g"}}),
         "Tool choice 'g' not found in 'tools' parameter.", "tool_choice"),
    chat("choice without tools", REPORTED, said(tool_choice="auto"),
         "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are "
         "specified.", "tool_choice"),
    chat("parallel calls without tools", REPORTED, said(parallel_tool_calls=True),
         "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when "
         "'tools' are specified.", "parallel_tool_calls"),
    chat("stream_options without a stream", reported("BerriAI/litellm#5803"),
         said(stream_options={"include_usage": True}),
         "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
         "stream_options"),
    chat("json mode without the word", REPORTED, said(response_format={"type": "json_object"}),
         "'messages' must contain the word 'json' in some form, to use 'response_format' of type "
         "'json_object'.", "messages"),
    chat("unknown field", reported("nashsu/llm_wiki#336"), said(thinking={}),
         "Unrecognized request argument supplied: thinking"),
    chat("unknown fields", INFERRED, said(input="ping", instructions="x"),
         "Unrecognized request arguments supplied: input, instructions"),
    chat("unknown model", RECORDED, said(model="gpt-9"),
         "The model `gpt-9` does not exist or you do not have access to it.", None,
         "model_not_found", status=404),
    chat("effort without reasoning", reported("davidmigloz/langchain_dart#712"),
         said(reasoning_effort="low"), "Unrecognized request argument supplied: reasoning_effort"),
    chat("effort of another model", INFERRED, said(model="o3", reasoning_effort="xhigh"),
         "Unsupported value: 'reasoning_effort' does not support 'xhigh' with this model. "
         "Supported values are: 'low', 'medium', and 'high'.", "reasoning_effort",
         "unsupported_value"),
    only_default("temperature", 0.2, 1, reported("microsoft/vscode#260783")),
    only_default("presence_penalty", 1, 0, INFERRED),
    unsupported("max_tokens", said(model="gpt-5.4", max_tokens=9), REPORTED,
                " Use 'max_completion_tokens' instead."),
    unsupported("stop", said(model=THINKS, stop="."), REPORTED),
    unsupported("logprobs", said(model=THINKS, logprobs=True), INFERRED),
    chat("context window", reported("AsyncFuncAI/deepwiki-open#144"),
         said(user("word " * 9_000), model="gpt-4"),
         "This model's maximum context length is 8192 tokens. However, your messages resulted in "
         "9008 tokens. Please reduce the length of the messages.", "messages",
         "context_length_exceeded"),
    absent("functions", "functions", said(functions=[])),
    absent("role 'function'", "messages[0].name",
           said({"role": "function", "name": "f", "content": "x"})),
    absent("custom tools on Chat Completions", "tools[0].custom",
           said(tools=[{"type": "custom", "custom": {"name": "f"}}])),
    chat("GET of no completion", UNVERIFIED, {}, "Chat completion with id 'x' not found.", None,
         UNVERIFIED, status=404, method="GET", path=f"{CHAT}/x"),
    chat("update without metadata", INFERRED, kept,
         "Missing required parameter: 'metadata'.", "metadata", "missing_required_parameter",
         path=f"{CHAT}/chatcmpl-1"),
]  # fmt: skip

CONVERSATION = "/v1/conversations/conv_1"


def conversation(platform: Platform) -> Json:
    """Make the conversation conv_1, and a body that says nothing of it."""
    made(platform, "/v1/conversations", {})
    return {}


def not_found(name: str, source: str, text: str, method: str, path: str, **more: Any) -> Row:
    return Row(name, "issue 6", source, {}, text, status=404, method=method, path=path, **more)


def running(platform: Platform) -> Json:
    """Make the response resp_00000001 in the background, without a stream."""
    made(platform, "/v1/responses", {"model": PLAIN, "input": "ping", "background": True})
    return {}


STATE_ROWS = [
    Row("more than 20 items at once", "issue 6", INFERRED, {"items": 21 * [user()]},
        "Invalid 'items': array too long. Expected an array with maximum length 20, but got an "
        "array with length 21 instead.", "items", "array_above_max_length",
        path="/v1/conversations"),
    Row("item without a role", "issue 6", INFERRED, {"items": [{"content": "x"}]},
        "Invalid value: ''. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
        "items[0]", "invalid_value", path="/v1/conversations"),
    Row("unknown field of a conversation", "issue 6", INFERRED, {"item": []},
        "Unknown parameter: 'item'. Did you mean 'items'?", "item", "unknown_parameter",
        path="/v1/conversations"),
    Row("no items to add", "issue 6", INFERRED, conversation,
        "Missing required parameter: 'items'.", "items", "missing_required_parameter",
        path=f"{CONVERSATION}/items"),
    Row("no metadata to change", "issue 6", INFERRED, conversation,
        "Missing required parameter: 'metadata'.", "metadata", "missing_required_parameter",
        path=CONVERSATION),
    not_found("GET of no conversation", INFERRED, "Conversation with id 'conv_1' not found.",
              "GET", CONVERSATION),
    Row("GET of no item", "issue 6", UNVERIFIED, conversation,
        "Item with id 'msg_9' not found in this conversation.", None, UNVERIFIED, 404,
        method="GET", path=f"{CONVERSATION}/items/msg_9"),
    Row("response in no conversation", "A2", "direct observation",
        {"model": PLAIN, "input": "ping", "conversation": "conv_x"},
        "Conversation with id 'conv_x' not found.", status=404),
    not_found("GET of no model", REPORTED, "The model 'gpt-9' does not exist", "GET",
              "/v1/models/gpt-9", param="model", code="model_not_found"),
    Row("tools in a compaction", "issue 6", INFERRED,
        {"model": PLAIN, "input": "ping", "tools": []}, "Unknown parameter: 'tools'.", "tools",
        "unknown_parameter", path="/v1/responses/compact"),
    Row("stream of a response that had none", "issue 6", UNVERIFIED, running,
        "Only a response that was made with background and stream can be streamed again.",
        "stream", UNVERIFIED, method="GET", path="/v1/responses/resp_00000001?stream=true"),
    Row("compaction that was altered", "A3", INFERRED,
        {"model": PLAIN, "input": [{"type": "compaction", "encrypted_content": "not a token!"}]},
        "The encrypted content not ...ken! could not be verified. Reason: Encrypted content could "
        "not be decrypted or parsed.", "input", "invalid_encrypted_content"),
]  # fmt: skip

PROTOCOLS = [*CHAT_ROWS, *STATE_ROWS]
