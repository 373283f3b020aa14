"""The rejection table: what the API refuses, in its own words, and where the words come from.

Copied by hand from the contract of the API (sections A2 to A6), not from the platform;
`test_rejections.py` runs it. Every row says how its body is known:

    direct observation   rows of a public parity test against the live API, [KM] in the contract
                         (kangminlee-maker/local-OAuth-CLI-API-adapter)
    recorded             a reply of the live API that public projects keep
    reported: THREAD     quoted in that public thread ("reported" alone: seen without a thread)
    SDK, docs            the vendor's own package or pages
    inferred             a sentence known from another field, or a reading of the contract
    offline_unverified   nobody has seen the live wording; the code says so to the learner too

Hosted tools, MCP, protocols and storage have tables of their own beside this one.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from openai.types.responses import Response, ResponseFunctionToolCall

from course_lib.platform.app import Platform
from course_lib.platform.faults import Fault
from course_lib.platform.http import Request
from course_lib.standin import Scripted, call
from course_lib.standin.prompt import Answer, Prompt, message

Json = dict[str, Any]
Body = Json | bytes | Callable[[Platform], Json]

OBSERVED, RECORDED, SDK, DOCS = "direct observation", "recorded", "SDK", "docs"
INFERRED, REPORTED, UNVERIFIED = "inferred", "reported", "offline_unverified"


def reported(thread: str) -> str:
    return f"{REPORTED}: {thread}"


@dataclass(frozen=True)
class Row:
    """One refused request and the reply, word for word."""

    name: str
    section: str  # of the contract
    source: str
    request: Body  # a body, raw bytes, or a function that makes what the body builds on
    message: str
    param: str | None = None
    code: str | None = None
    status: int = 400
    type: str = "invalid_request_error"
    method: str = "POST"
    path: str = "/v1/responses"
    form: str = "application/json"  # the content type of the request

    def body(self) -> Json:
        error = {"message": self.message, "type": self.type, "param": self.param, "code": self.code}
        return {"error": error}


MODEL = "gpt-5.6-terra"  # the model of the direct observations: it reasons


def ask(**fields: Any) -> Json:
    return {"model": MODEL, "input": "ping", **fields}


def items(*given: Any, **fields: Any) -> Json:
    return ask(input=list(given), **fields)


def user(text: str = "ping") -> Json:
    return {"role": "user", "content": text}


def a_call(call_id: str, name: str = "f", **more: Any) -> Json:
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": "{}", **more}


def an_output(call_id: str, output: Any = "ok") -> Json:
    return {"type": "function_call_output", "call_id": call_id, "output": output}


CLOSED: Json = {"additionalProperties": False}


def schema(properties: Json | None = None, **more: Any) -> Json:
    """A strict-clean object schema, unless `more` says otherwise."""
    properties = properties or {}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        **CLOSED,
        **more,
    }


def function(parameters: Any = None, name: str = "x", strict: Any = True, **more: Any) -> Json:
    parameters = schema() if parameters is None else parameters
    return {"type": "function", "name": name, "parameters": parameters, "strict": strict, **more}


def tools(*given: Json, **fields: Any) -> Json:
    return ask(tools=list(given), **fields)


def unknown(name: str, body: Json, tail: str = "", source: str = OBSERVED) -> Row:
    text = f"Unknown parameter: '{name}'.{tail}"
    return Row(f"unknown {name}{tail}", "A2", source, body, text, name, "unknown_parameter")


def missing(name: str, body: Json, source: str = OBSERVED, case: str = "") -> Row:
    text = f"Missing required parameter: '{name}'."
    code = "missing_required_parameter"
    return Row(f"missing {name} {case}".strip(), "A2", source, body, text, name, code)


def moved(old: str, new: str, body: Json, source: str, case: str = "") -> Row:
    text = (
        f"Unsupported parameter: '{old}'. In the Responses API, this parameter has moved to "
        f"'{new}'. Try again with the new parameter. See the API documentation for more "
        "information: https://platform.openai.com/docs/api-reference/responses/create."
    )
    return Row(
        f"moved {old} {case}".strip(), "A2", source, body, text, None, "unsupported_parameter"
    )


def mistyped(
    name: str, value: Any, expected: str, got: str, source: str = OBSERVED, case: str = ""
) -> Row:
    """A top-level field of the wrong type."""
    text = f"Invalid type for '{name}': expected {expected}, but got {got} instead."
    return Row(
        f"{name} as {case or got}", "A2", source, ask(**{name: value}), text, name, "invalid_type"
    )


def not_among(
    param: str, value: str, supported: str, body: Json, source: str = OBSERVED, case: str = ""
) -> Row:
    text = f"Invalid value: '{value}'. Supported values are: {supported}."
    return Row(f"{param} {case or value}", "A2", source, body, text, param, "invalid_value")


ROLES = "'assistant', 'system', 'developer', and 'user'"
ITEM_TYPES = (
    "'additional_tools', 'agent_message', 'apply_patch_call', 'apply_patch_call_output', "
    "'code_interpreter_call', 'compaction', 'compaction_trigger', 'computer_call', "
    "'computer_call_output', 'custom_tool_call', 'custom_tool_call_output', 'file_search_call', "
    "'function_call', 'function_call_output', 'image_generation_call', 'item_reference', "
    "'local_shell_call', 'local_shell_call_output', 'mcp_approval_request', "
    "'mcp_approval_response', 'mcp_call', 'mcp_list_tools', 'message', 'multi_agent_call', "
    "'multi_agent_call_output', 'program', 'program_output', 'reasoning', 'shell_call', "
    "'shell_call_output', 'tool_search_call', 'tool_search_output', and 'web_search_call'"
)
INCLUDABLE = (
    "'file_search_call.results', 'web_search_call.results', 'web_search_call.action.sources', "
    "'message.input_image.image_url', 'computer_call_output.output.image_url', "
    "'code_interpreter_call.outputs', 'reasoning.encrypted_content', and "
    "'message.output_text.logprobs'"
)
EFFORTS = "'none', 'minimal', 'low', 'medium', 'high', 'xhigh'"
EMPTY = (
    "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided."
)
TOO_MANY_PAIRS = (
    "Invalid 'metadata': too many properties. Expected an object with at most 16 properties, "
    "but got an object with 17 properties instead."
)

FIELDS = [
    # Names the API does not know, and how it helps with the spelling.
    unknown("zzz_unknown", ask(zzz_unknown=1)),
    unknown("n", ask(n=2)),
    unknown("seed", ask(seed=1)),
    unknown("logprobs", ask(logprobs=True)),
    unknown("max_tokens", ask(max_tokens=16)),
    unknown("stop", ask(stop=["ZZ"]), " Did you mean 'store'?"),
    unknown("sto", ask(sto=1), " Did you mean 'store'?"),
    unknown("st", ask(st=1)),
    unknown("stre", ask(stre=1), " Did you mean 'store' or 'stream'?"),
    unknown("strem", ask(strem=1), " Did you mean 'stream' or 'store'?"),
    unknown("inpu", ask(inpu=1)),
    unknown("modell", ask(modell=1)),
    unknown("input[0].bogus", items({**user(), "bogus": 1})),
    unknown("input[0].phase", items({**user(), "phase": "final_answer"})),
    unknown("text.zzz", ask(text={"zzz": 1})),
    unknown("reasoning.bogus", ask(reasoning={"bogus": 1})),
    unknown("stream_options.include_usage", ask(stream_options={"include_usage": True})),
    unknown("prompt_cache_options.bogus", ask(prompt_cache_options={"bogus": 1})),
    unknown(
        "input[1].parsed_arguments",
        items(user(), a_call("call_1", parsed_arguments={}), an_output("call_1")),
        source=reported("openai/openai-python#3146"),
    ),
    unknown(
        "input[1].tool_calls",
        items(user(), {"role": "assistant", "content": None, "tool_calls": []}),
        source=DOCS,
    ),
    moved("messages", "input", ask(messages=[user()]), OBSERVED),
    moved("messages", "input", {"model": MODEL, "messages": [user()]}, INFERRED, "without input"),
    moved("reasoning_effort", "reasoning.effort", ask(reasoning_effort="low"),
          reported("OpenHands/software-agent-sdk#755")),
    moved("response_format", "text.format", ask(response_format={"type": "json_object"}), REPORTED),
    # What must be there.
    missing("model", {"input": "ping"}),
    missing("input", {"model": MODEL}),
    missing("input[0].content", items({"role": "user"})),
    missing("input[0].content[0].text",
            items({"role": "user", "content": [{"type": "input_text"}]})),
    missing("input[0].content[0].type", items({"role": "user", "content": [{}]}), INFERRED),
    unknown("input[0].content[0].id",
            items({"role": "user", "content": [{"type": "input_text", "text": "x", "id": "y"}]}),
            source=INFERRED),
    missing("input[1].output",
            items(a_call("call_1"), {"type": "function_call_output", "call_id": "call_1"}),
            INFERRED),
    missing("input[0].summary", items({"type": "reasoning"}), INFERRED),
    missing("text.format.name", ask(text={"format": {"type": "json_schema"}})),
    missing("text.format.schema",
            ask(text={"format": {"type": "json_schema", "name": "a"}}), INFERRED),
    missing("text.format.type", ask(text={"format": {}}), INFERRED),
    missing("prompt.id", ask(prompt={}), INFERRED),
    missing("tools[0].type", tools({})),
    missing("tools[0].name", tools({"type": "function"})),
    missing("tools[0].name",
            tools({"type": "function", "function": {"name": "f", "parameters": schema()}}),
            case="in the shape of Chat Completions"),
    missing("tool_choice.name", tools(function(), tool_choice={"type": "function"})),
    missing("tool_choice.name",
            tools(function(), tool_choice={"type": "function", "function": {"name": "x"}}),
            case="in the shape of Chat Completions"),
    missing("tool_choice.type", tools(function(), tool_choice={}), INFERRED),
    # The model.
    mistyped("model", None, "a string", "an object", case="null"),
    mistyped("model", 7, "a string", "an integer"),
    Row("unknown model", "A2", RECORDED, ask(model="gpt-5.2-proo"),
        "The requested model 'gpt-5.2-proo' does not exist.", "model", "model_not_found"),
    Row("empty model", "A2", OBSERVED, ask(model=""),
        "The requested model '' does not exist.", "model", "model_not_found"),
    # The input and its items.
    Row("input []", "A2", OBSERVED, ask(input=[]), EMPTY, None, "missing_required_parameter"),
    Row("input ''", "A2", OBSERVED, ask(input=""), EMPTY, None, "missing_required_parameter"),
    mistyped("input", None, "a string", "an object", case="null"),
    mistyped("input", 7, "one of a string or array of input items", "an integer"),
    mistyped("input", {"a": 1}, "one of a string or array of input items", "an object"),
    Row("item 7", "A2", OBSERVED, items(7),
        "Invalid type for 'input[0]': expected an input item, but got an integer instead.",
        "input[0]", "invalid_type"),
    Row("item null", "A2", OBSERVED, items(None),
        "Invalid type for 'input[0]': expected an input item, but got null instead.",
        "input[0]", "invalid_type"),
    not_among("input[0]", "bogus", ROLES, items({"role": "bogus", "content": "x"}), case="role"),
    not_among("input[0]", "tool", ROLES, items({"role": "tool", "content": "x"}), case="tool role"),
    not_among("input[0]", "", ROLES, items({}), case="empty item"),
    not_among("input[0]", "bogus_item", ITEM_TYPES, items({"type": "bogus_item"})),
    not_among("input[0]", "", ITEM_TYPES, items({"type": 7, **user()}), case="type 7"),
    not_among("input[0].phase", "bogus", "'commentary' and 'final_answer'",
              items({"role": "assistant", "content": "x", "phase": "bogus"})),
    not_among(
        "input[0].content[0].type", "bogus",
        "'input_text', 'input_image', 'input_audio', 'output_text', 'refusal', 'input_file', "
        "'computer_screenshot', 'summary_text', and 'encrypted_content'",
        items({"role": "user", "content": [{"type": "bogus", "text": "x"}]}),
    ),
    not_among(
        "input[0].content[0]", "output_text",
        "'input_text', 'input_image', 'input_file', 'scoped_content', and 'input_audio'",
        items({"role": "user", "content": [{"type": "output_text", "text": "x"}]}),
    ),
    not_among(
        "input[0].content[0]", "input_text", "'output_text' and 'refusal'",
        items({"role": "assistant", "content": [{"type": "input_text", "text": "x"}]}),
    ),
    not_among(
        "input[2].output[0]", "output_text", "'input_text', 'input_image', and 'input_file'",
        items(user(), a_call("call_1"),
              an_output("call_1", [{"type": "output_text", "text": "x"}])),
        reported("BerriAI/litellm#18212"),
    ),
    not_among(
        "input[2].output[0]", "text", "'input_text', 'input_image', and 'input_file'",
        items(user(), a_call("call_1"), an_output("call_1", [{"type": "text", "text": "x"}])),
        reported("BerriAI/litellm#18212"), "an unknown part",
    ),
    Row("content null", "A2", reported("QuantumNous/new-api#4776"),
        items({"role": "assistant", "content": None}),
        "Invalid type for 'input[0].content': expected one of an array of objects or string, "
        "but got null instead.", "input[0].content", "invalid_type"),
    Row("output an object", "A2", REPORTED, items(a_call("call_1"), an_output("call_1", {"ok": 1})),
        "Invalid type for 'input[1].output': expected one of a string or array of objects, "
        "but got an object instead.", "input[1].output", "invalid_type"),
    # Enumerations and ranges.
    not_among("tool_choice", "any", "'none', 'auto', and 'required'",
              tools(function(), tool_choice="any")),
    mistyped("tool_choice", 7, "one of an object or 'none', 'auto', or 'required'", "an integer"),
    Row("named tool absent", "A2", reported("raine/claude-code-proxy#26"),
        tools(function(), tool_choice={"type": "function", "name": "get_order"}),
        "Tool choice 'get_order' not found in 'tools' parameter.", "tool_choice"),
    Row("allowed tool absent", "A2", INFERRED,
        tools(function(), tool_choice={
            "type": "allowed_tools", "mode": "auto",
            "tools": [{"type": "function", "name": "get_order"}]}),
        "Tool choice 'get_order' not found in 'tools' parameter.", "tool_choice"),
    Row("required without tools", "A2", REPORTED, ask(tool_choice="required"),
        "Tool choice 'required' must be specified with 'tools' parameter.", "tool_choice"),
    Row("max_output_tokens 15", "A2", OBSERVED, ask(max_output_tokens=15),
        "Invalid 'max_output_tokens': integer below minimum value. "
        "Expected a value >= 16, but got 15 instead.",
        "max_output_tokens", "integer_below_min_value"),
    Row("max_tool_calls 0", "A2", OBSERVED, ask(max_tool_calls=0),
        "Invalid 'max_tool_calls': integer below minimum value. "
        "Expected a value >= 1, but got 0 instead.",
        "max_tool_calls", "integer_below_min_value"),
    Row("temperature -1", "A2", RECORDED, ask(model="gpt-4o", temperature=-1),
        "Invalid 'temperature': decimal below minimum value. "
        "Expected a value >= 0, but got -1 instead.",
        "temperature", "decimal_below_min_value"),
    Row("temperature 3", "A2", INFERRED, ask(model="gpt-4o", temperature=3),
        "Invalid 'temperature': decimal above maximum value. "
        "Expected a value <= 2, but got 3 instead.",
        "temperature", "decimal_above_max_value"),
    Row("top_logprobs 21", "A2", INFERRED, ask(model="gpt-4o", top_logprobs=21),
        "Invalid 'top_logprobs': integer above maximum value. "
        "Expected a value <= 20, but got 21 instead.",
        "top_logprobs", "integer_above_max_value"),
    Row("metadata of 17", "A2", OBSERVED, ask(metadata={f"k{i}": "v" for i in range(17)}),
        TOO_MANY_PAIRS, "metadata", "object_above_max_properties"),
    Row("metadata value of 513", "A2", INFERRED, ask(metadata={"k": "v" * 513}),
        "Invalid 'metadata.k': string too long. Expected a string with maximum length 512, "
        "but got a string with length 513 instead.", "metadata.k", "string_above_max_length"),
    Row("safety_identifier of 129", "A2", INFERRED, ask(safety_identifier="s" * 129),
        "Invalid 'safety_identifier': string too long. Expected a string with maximum length "
        "128, but got a string with length 129 instead.",
        "safety_identifier", "string_above_max_length"),
    not_among("service_tier", "bogus", "'auto', 'default', 'fast', 'flex', and 'priority'",
              ask(service_tier="bogus")),
    not_among("truncation", "bogus", "'auto' and 'disabled'", ask(truncation="bogus")),
    not_among("text.format.type", "bogus", "'json_object', 'text', and 'json_schema'",
              ask(text={"format": {"type": "bogus"}})),
    not_among("text.verbosity", "bogus", "'low', 'medium', and 'high'",
              ask(text={"verbosity": "bogus"})),
    not_among("include[0]", "bogus.thing", INCLUDABLE, ask(include=["bogus.thing"])),
    not_among("reasoning.effort", "bogus", f"{EFFORTS}, and 'max'",
              ask(reasoning={"effort": "bogus"})),
    not_among("reasoning.summary", "bogus", "'concise', 'detailed', and 'auto'",
              ask(reasoning={"summary": "bogus"})),
    not_among("prompt_cache_retention", "x", "'in_memory' and '24h'",
              ask(prompt_cache_retention="x")),
    Row("json_object without the word", "A2", REPORTED,
        ask(text={"format": {"type": "json_object"}}),
        "Response input messages must contain the word 'json' in some form to use 'text.format' "
        "of type 'json_object'.", "text.format"),
    # Types.
    mistyped("temperature", "hot", "a decimal", "a string"),
    mistyped("top_p", "wide", "a decimal", "a string"),
    mistyped("presence_penalty", "x", "a decimal", "a string"),
    mistyped("frequency_penalty", True, "a decimal", "a boolean", INFERRED),
    mistyped("top_logprobs", "x", "an integer", "a string"),
    mistyped("max_output_tokens", "x", "an integer", "a string"),
    mistyped("max_tool_calls", 1.5, "an integer", "a decimal", INFERRED),
    mistyped("stream", "yes", "a boolean", "a string"),
    mistyped("store", "yes", "a boolean", "a string"),
    mistyped("background", "yes", "a boolean", "a string"),
    mistyped("parallel_tool_calls", "yes", "a boolean", "a string"),
    mistyped("previous_response_id", {"a": 1}, "a string", "an object"),
    mistyped("instructions", {"a": 1}, "a string", "an object"),
    mistyped("user", {"a": 1}, "a string", "an object"),
    mistyped("safety_identifier", {"a": 1}, "a string", "an object"),
    mistyped("prompt_cache_key", {"a": 1}, "a string", "an object"),
    mistyped("prompt_cache_options", "x", "an object", "a string"),
    mistyped("prompt", "x", "an object", "a string"),
    mistyped("moderation", "x", "an object", "a string"),
    mistyped("text", "x", "an object", "a string"),
    mistyped("reasoning", "low", "an object", "a string"),
    mistyped("stream_options", "x", "an object", "a string"),
    mistyped("conversation", 7, "one of a string or object", "an integer", INFERRED),
    mistyped("metadata", "x", "a metadata object", "a string"),
    mistyped("tools", "x", "an array of tools", "a string"),
    mistyped("context_management", "x", "an array of objects", "a string"),
    mistyped("truncation", {"a": 1}, "one of 'auto' or 'disabled'", "an object"),
    mistyped("service_tier", {"a": 1},
             "one of 'auto', 'default', 'fast', 'flex', or 'priority'", "an object"),
    mistyped("prompt_cache_retention", {"a": 1}, "one of 'in_memory' or '24h'", "an object"),
    mistyped("include", "x", "an array of one of 'fil...lts', 'web...lts', 'web...ces', "
             "'mes...url', 'com...url', 'cod...uts', 'rea...ent', or 'mes...obs'", "a string"),
    Row("effort an object", "A2", OBSERVED, ask(reasoning={"effort": {"a": 1}}),
        f"Invalid type for 'reasoning.effort': expected one of one of {EFFORTS}, or 'max' or "
        "integer, but got an object instead.", "reasoning.effort", "invalid_type"),
    Row("effort 5", "A2", OBSERVED, ask(reasoning={"effort": 5}),
        "Invalid type for 'reasoning.effort': expected one of 'minimal', 'low', 'medium', or "
        "'high', but got an integer instead.", "reasoning.effort", "invalid_type"),
    Row("text.format a string", "A2", REPORTED, ask(text={"format": "json"}),
        "Invalid type for 'text.format': expected a text format, but got a string instead.",
        "text.format", "invalid_type"),
]  # fmt: skip


def unsupported(name: str, body: Json, code: str | None = None, source: str = OBSERVED) -> Row:
    text = f"Unsupported parameter: '{name}' is not supported with this model."
    return Row(f"unsupported {name}", "A2", source, body, text, name, code)


LOGPROBS = "logprobs are not supported with reasoning models."

CAPABILITY = [
    unsupported("temperature", ask(temperature=0.5)),
    unsupported("top_p", ask(top_p=0.5)),
    unsupported("presence_penalty", ask(presence_penalty=0.5)),
    unsupported("frequency_penalty", ask(frequency_penalty=0.5)),
    unsupported("reasoning.effort", ask(model="gpt-4.1", reasoning={"effort": "low"}),
                "unsupported_parameter", reported("Laisky/one-api#120")),
    Row("effort minimal", "A2", OBSERVED, ask(reasoning={"effort": "minimal"}),
        "Unsupported value: 'minimal' is not supported with the 'gpt-5.6-terra' model. "
        "Supported values are: 'none', 'low', 'medium', 'high', 'xhigh', and 'max'.",
        "reasoning.effort", "unsupported_value"),
    Row("logprobs by top_logprobs", "A2", OBSERVED, ask(top_logprobs=1), LOGPROBS,
        "top_logprobs", "unsupported_parameter"),
    Row("logprobs by include", "A2", OBSERVED, ask(include=["message.output_text.logprobs"]),
        LOGPROBS, "include", "unsupported_parameter"),
    Row("cache in memory", "A2", OBSERVED, ask(prompt_cache_retention="in_memory"),
        "This model is compatible only with 24h extended prompt caching",
        "prompt_cache_retention", "invalid_parameter"),
]  # fmt: skip


def no_conversation(case: str, body: Json) -> Row:
    text = "Conversation with id 'conv_x' not found."
    return Row(f"no conversation {case}".strip(), "A2", OBSERVED, body, text, status=404)


def no_prompt(case: str, body: Json) -> Row:
    text = "Prompt with id 'pmpt_x' not found."
    return Row(f"no prompt {case}".strip(), "A2", OBSERVED, body, text, status=404)


def no_response(case: str, body: Json) -> Row:
    text = "Previous response with id 'resp_x' not found."
    param, code = "previous_response_id", "previous_response_not_found"
    return Row(f"no response {case}".strip(), "A2", OBSERVED, body, text, param, code)


SERVER_STATE = [
    no_conversation("", ask(conversation="conv_x")),
    no_conversation("as an object", ask(conversation={"id": "conv_x"})),
    no_prompt("", ask(prompt={"id": "pmpt_x"})),
    no_response("", ask(previous_response_id="resp_x")),
    Row("response id of another kind", "A2", REPORTED, ask(previous_response_id="gen-123"),
        "Invalid 'previous_response_id': 'gen-123'. Expected an ID that begins with 'resp'.",
        "previous_response_id", "invalid_id_prefix"),
    Row("response id with strange characters", "A2",
        reported("ProjectTech4DevAI/kaapi-backend#317"), ask(previous_response_id="@x.y"),
        "Invalid 'previous_response_id': '@x.y'. Expected an ID that contains letters, numbers, "
        "underscores, or dashes, but this value contained additional characters.",
        "previous_response_id", "invalid_value"),
    Row("both conversation and response", "A2", OBSERVED,
        ask(conversation="conv_x", previous_response_id="resp_x"),
        "Mutually exclusive parameters: ''. Ensure you are only providing one of: "
        "'previous_response_id' or 'conversation'.", None, "mutually_exclusive_parameters"),
]  # fmt: skip

# The order of the checks: each of these fields, given a wrong type, and who is told of.
ORDER: list[tuple[str, Any, str]] = [
    ("previous_response_id", 7, "expected a string, but got an integer"),
    ("prompt", "x", "expected an object, but got a string"),
    ("moderation", "x", "expected an object, but got a string"),
    ("include", 7, "expected an array of one of 'fil...lts', 'web...lts', 'web...ces', "
     "'mes...url', 'com...url', 'cod...uts', 'rea...ent', or 'mes...obs', but got an integer"),
    ("tools", "x", "expected an array of tools, but got a string"),
    ("tool_choice", 7,
     "expected one of an object or 'none', 'auto', or 'required', but got an integer"),
    ("metadata", "x", "expected a metadata object, but got a string"),
    ("text", "x", "expected an object, but got a string"),
    ("temperature", "x", "expected a decimal, but got a string"),
    ("top_p", "x", "expected a decimal, but got a string"),
    ("presence_penalty", "x", "expected a decimal, but got a string"),
    ("frequency_penalty", "x", "expected a decimal, but got a string"),
    ("parallel_tool_calls", "x", "expected a boolean, but got a string"),
    ("stream", "x", "expected a boolean, but got a string"),
    ("stream_options", "x", "expected an object, but got a string"),
    ("background", "x", "expected a boolean, but got a string"),
    ("max_output_tokens", "x", "expected an integer, but got a string"),
    ("max_tool_calls", "x", "expected an integer, but got a string"),
    ("reasoning", "x", "expected an object, but got a string"),
    ("user", 7, "expected a string, but got an integer"),
    ("safety_identifier", 7, "expected a string, but got an integer"),
    ("prompt_cache_options", "x", "expected an object, but got a string"),
    ("prompt_cache_key", 7, "expected a string, but got an integer"),
    ("prompt_cache_retention", 7, "expected one of 'in_memory' or '24h', but got an integer"),
    ("truncation", 7, "expected one of 'auto' or 'disabled', but got an integer"),
    ("instructions", 7, "expected a string, but got an integer"),
    ("store", "x", "expected a boolean, but got a string"),
    ("service_tier", 7,
     "expected one of 'auto', 'default', 'fast', 'flex', or 'priority', but got an integer"),
    ("top_logprobs", "x", "expected an integer, but got a string"),
    ("context_management", "x", "expected an array of objects, but got a string"),
]  # fmt: skip

WRONG_TWICE = [
    Row(f"{name} before {later}", "A2", OBSERVED, ask(**{later: wrong, name: value}),
        f"Invalid type for '{name}': {words} instead.", name, "invalid_type")
    for (name, value, words), (later, wrong, _) in pairwise(ORDER)
]  # fmt: skip


def earlier(case: str, row: Row, source: str = OBSERVED, **changed: Any) -> Row:
    """`row`, of a request that is wrong in a second way too."""
    assert isinstance(row.request, dict)
    body = {name: value for name, value in {**row.request, **changed}.items() if value is not ...}
    return replace(row, name=f"order: {case}", source=source, request=body)


def row(name: str) -> Row:
    return next(each for each in [*FIELDS, *CAPABILITY, *SERVER_STATE] if each.name == name)


PHASES = [
    earlier("model before input", row("missing model"), input=...),
    earlier("input before an unknown name", row("missing input"), zzz_unknown=1),
    # The contract puts the items of `input` here. The observations know only this of it: an
    # unknown name in an item comes after an unknown name beside it.
    earlier("a bad item before an unknown name", row("input[0] empty item"), INFERRED,
            zzz_unknown=1),
    earlier("a bad item before a later field", row("input[0] empty item"), truncation="bogus"),
    earlier("an unknown name before a bad field", row("unknown zzz_unknown"), truncation="bogus"),
    earlier("moderation before include", row("moderation as a string"), include=["bogus.thing"]),
    earlier("tools before an absent choice", row("missing tools[0].name"), INFERRED,
            tool_choice={"type": "function", "name": "get_order"}),
    earlier("an absent choice before metadata", row("named tool absent"), INFERRED,
            metadata="x"),
    earlier("a field before server state", row("truncation bogus"), previous_response_id="resp_x"),
    earlier("conversation before prompt", row("no conversation"), prompt={"id": "pmpt_x"}),
    earlier("prompt before response", row("no prompt"), previous_response_id="resp_x"),
    earlier("server state before the empty input", row("no response"), input=[]),
    earlier("server state before the model", row("no response"), temperature=0.5),
    earlier("the empty input before the model", row("input []"), temperature=0.5),
    earlier("a late field before the model", row("truncation bogus"), temperature=0.5),
    earlier("temperature before include", row("unsupported temperature"),
            include=["message.output_text.logprobs"]),
    earlier("include before top_logprobs", row("logprobs by include"), top_logprobs=1),
]  # fmt: skip


# --- A3: the history. What a request builds on is made first where it must be.


def paired(name: str, source: str, request: Body, text: str, **more: Any) -> Row:
    return Row(name, "A3", source, request, text, "input", **more)


def answer(platform: Platform, body: Json, path: str = "/v1/responses") -> Json:
    """Make a request that must succeed, and return its response."""
    sent = Request("POST", path, json.dumps(body).encode())
    reply = platform.handle(sent)
    content = b"".join(reply.chunks)
    assert reply.status == 200, content.decode()
    response: Json = json.loads(content)
    return response


def asked_two(**fields: Any) -> Json:
    return tools(function(name="f"), model="gpt-5.4", **fields)


def two_calls(platform: Platform, **fields: Any) -> Json:
    """A response with the calls call_1 and call_2, made by a model that does not reason."""
    platform.model = Scripted([[call("f", {}), call("f", {})], message("done")])
    return answer(platform, asked_two(**fields))


def unanswered_in_state(platform: Platform) -> Json:
    return asked_two(previous_response_id=two_calls(platform)["id"])


def one_of_two_answered(platform: Platform) -> Json:
    made = two_calls(platform)
    return asked_two(previous_response_id=made["id"], input=[an_output("call_1")])


def reasoned(platform: Platform, said: Json, **fields: Any) -> list[Json]:
    """The output of a model that reasons: rs_1 and what follows it."""
    platform.model = Scripted([said, message("done")])
    output: list[Json] = answer(platform, tools(function(name="f"), **fields))["output"]
    return output


def call_without_reasoning(platform: Platform) -> Json:
    _, made = reasoned(platform, call("f", {}))
    return items(user(), made, an_output("call_1"))


def message_without_reasoning(platform: Platform) -> Json:
    _, made = reasoned(platform, message("hello"))
    return items(user(), made, user("again"))


def sent_twice(platform: Platform) -> Json:
    output = reasoned(platform, message("hello"))
    return items(*output, user(), *output)


def sent_although_stored(platform: Platform) -> Json:
    platform.model = Scripted([message("hello"), message("done")])
    first = answer(platform, ask())
    return items(*first["output"], user(), previous_response_id=first["id"])


def not_stored(platform: Platform) -> Json:
    output = reasoned(platform, message("hello"), store=False)
    bare = {name: output[0][name] for name in ("id", "type", "summary")}
    return items(user(), bare, output[1])


def sealed_and_altered(platform: Platform) -> Json:
    output = reasoned(platform, message("hello"), store=False)
    token = output[0]["encrypted_content"]
    changed = token[:50] + ("A" if token[50] != "A" else "B") + token[51:]
    return items(user(), output[0] | {"encrypted_content": changed}, output[1])


def nothing_to_drop(platform: Platform) -> Json:
    conversation = answer(platform, {}, "/v1/conversations")["id"]
    long = "word " * 130_000
    return ask(
        model="gpt-4o", input=[], conversation=conversation, instructions=long, truncation="auto"
    )


def loaded_call_without_namespace(platform: Platform) -> Json:
    brought = {"type": "additional_tools", "role": "developer", "tools": [function(name="f")]}
    return items(user(), brought, a_call("call_1"), an_output("call_1"))


def wrong_id(name: str, item: Json, item_id: str, expected: str, source: str) -> Row:
    if expected == "characters":
        expected = (
            "contains letters, numbers, underscores, or dashes, but this value contained "
            "additional characters"
        )
    else:
        expected = f"begins with '{expected}'"
    text = f"Invalid 'input[1].id': '{item_id}'. Expected an ID that {expected}."
    body = items(user(), item | {"id": item_id}, user())
    return Row(name, "A3", source, body, text, "input[1].id", "invalid_value")


REASONING: Json = {"type": "reasoning", "summary": []}
SAID: Json = {"type": "message", "role": "assistant", "content": "hello"}
CUSTOM: Json = {"type": "custom_tool_call", "call_id": "call_1", "name": "f", "input": ""}
SEARCH: Json = {"type": "tool_search_call", "execution": "client", "arguments": {}}
PATCH: Json = {
    "type": "apply_patch_call",
    "operation": {"type": "delete_file", "path": "a"},
}
NO_OUTPUT, NO_CALL = "No tool output found for", "No tool call found for"

HISTORY = [
    paired("call without output", reported("Gitlawb/openclaude#187"),
           items(user(), a_call("call_X")), f"{NO_OUTPUT} function call call_X."),
    paired("call without output, in state", INFERRED, unanswered_in_state,
           f"{NO_OUTPUT} function call call_1."),
    paired("parallel call without output", INFERRED, one_of_two_answered,
           f"{NO_OUTPUT} function call call_2."),
    paired("output without call", reported("continuedev/continue#10092"),
           items(user(), an_output("call_X")),
           f"{NO_CALL} function call output with call_id call_X."),
    paired("custom call without output", REPORTED, items(user(), CUSTOM),
           f"{NO_OUTPUT} custom tool call call_1."),
    paired("custom output without call", REPORTED,
           items(user(), {"type": "custom_tool_call_output", "call_id": "call_1", "output": ""}),
           f"{NO_CALL} custom tool call output with call_id call_1."),
    paired("patch without output", REPORTED, items(user(), PATCH | {"call_id": "call_1"}),
           f"{NO_OUTPUT} apply patch call call_1."),
    paired("tool search without output", REPORTED, items(user(), SEARCH | {"call_id": "call_1"}),
           f"{NO_OUTPUT} tool search call call_1."),
    paired("output without call_id", reported("openai/codex#43296"),
           items(user(), a_call("call_1"), {"type": "function_call_output", "output": "ok"}),
           "Invalid Value: 'input.call_id'. Function call output requires call_id."),
    paired("reasoning without follower", RECORDED, items(user(), REASONING | {"id": "rs_X"}),
           "Item 'rs_X' of type 'reasoning' was provided without its required following item."),
    paired("call without its reasoning", REPORTED, call_without_reasoning,
           "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' "
           "item: 'rs_1'."),
    paired("message without its reasoning", REPORTED, message_without_reasoning,
           "Item 'msg_1' of type 'message' was provided without its required 'reasoning' "
           "item: 'rs_1'."),
    paired("item twice", reported("continuedev/continue#10723"), sent_twice,
           "Duplicate item found with id rs_1. Remove duplicate items from your input and try "
           "again."),
    paired("item that is in state already", INFERRED, sent_although_stored,
           "Duplicate item found with id rs_1. Remove duplicate items from your input and try "
           "again."),
    paired("reasoning that was not stored", REPORTED, not_stored,
           "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. "
           "Try again with `store` set to true, or remove this item from your input.", status=404),
    paired("reference to nothing", INFERRED,
           items(user(), {"type": "item_reference", "id": "msg_X"}),
           "Item with id 'msg_X' not found. Items are not persisted when `store` is set to false. "
           "Try again with `store` set to true, or remove this item from your input.", status=404),
    paired("altered encrypted content", reported("openai/codex#8132"), sealed_and_altered,
           "The encrypted content gAAA...cw== could not be verified. Reason: Encrypted content "
           "could not be decrypted or parsed.", code="invalid_encrypted_content"),
    paired("no encrypted content at all", reported("openai/codex#8132"),
           items(user(), REASONING | {"encrypted_content": "not a token, abcd"}, SAID),
           "The encrypted content not ...abcd could not be verified. Reason: Encrypted content "
           "could not be decrypted or parsed.", code="invalid_encrypted_content"),
    paired("loaded call without namespace", reported("github/copilot-cli#4519"),
           loaded_call_without_namespace,
           "Missing namespace for function_call 'f'. It does not exist in the default namespace. "
           "Round-trip the model's function_call item with its namespace field included."),
    Row("content of reasoning", "A3", REPORTED,
        items(user(), REASONING | {"content": [{"type": "reasoning_text", "text": "x"}]}),
        "Invalid 'input[1].content': array too long. Expected an array with maximum length 0, "
        "but got an array with length 1 instead.", "input[1].content", "array_above_max_length"),
    wrong_id("call_id as id", a_call("call_X"), "call_X", "fc", REPORTED),
    wrong_id("id of reasoning", REASONING, "fc_1", "rs", REPORTED),
    wrong_id("id of a message", SAID, "chatcmpl-x1", "msg", reported("BerriAI/litellm#27426")),
    wrong_id("id of a custom call", CUSTOM, "fc_1", "ctc", REPORTED),
    wrong_id("empty id", SAID, "", "characters", reported("CopilotKit/CopilotKit#6117")),
    wrong_id("id with a dash", SAID, "msg-abc", "characters",
             reported("langchain-ai/langchainjs#11044")),
    Row("id too long", "A3", REPORTED, items(user(), SAID | {"id": "msg_" + 63 * "x"}),
        "Invalid 'input[1].id': string too long. Expected a string with maximum length 64, but "
        "got a string with length 67 instead.", "input[1].id", "string_above_max_length"),
]  # fmt: skip


# --- A4: schemas. `x` is the function's name; without `strict=False` the tool is strict.


def bad(name: str, source: str, parameters: Any, text: str, **more: Any) -> Row:
    code = UNVERIFIED if source == UNVERIFIED else "invalid_function_parameters"
    return Row(name, "A4", source, tools(function(parameters, **more)),
               f"Invalid schema for function 'x': {text}", "tools[0].parameters", code)  # fmt: skip


def nested(levels: int) -> Json:
    """A strict schema of so many objects, one inside the other."""
    made: Json = {"type": "string"}
    for _ in range(levels):
        made = schema({"deeper": made})
    return made


CLOSE_IT = "'additionalProperties' is required to be supplied and to be false."
REQUIRE_IT = (
    "'required' is required to be supplied and to be an array including every key in properties."
)
TOP = (
    "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the "
    "top level."
)
TEXT: Json = {"type": "string"}
OPEN: Json = {"type": "object", "properties": {}}


def not_object(got: str) -> str:
    return f"schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{got}\"'."


SCHEMAS = [
    bad("open at the root", reported("lastmile-ai/openai-agents-mcp#2"), OPEN,
        f"In context=(), {CLOSE_IT}"),
    bad("open inside", reported("lastmile-ai/openai-agents-mcp#2"), schema({"permissions": OPEN}),
        f"In context=('properties', 'permissions'), {CLOSE_IT}"),
    bad("open in a list of types", reported("nextlevelbuilder/goclaw#1007"),
        schema({"params": OPEN | {"type": ["object", "null"]}}),
        f"In context=('properties', 'params', 'type', '0'), {CLOSE_IT}"),
    bad("not required", reported("kevinwatt/mysql-mcp#5"),
        schema({"sql": TEXT, "params": TEXT}, required=["sql"]),
        f"In context=(), {REQUIRE_IT} Missing 'params'."),
    bad("nothing required", INFERRED,
        {"type": "object", "properties": {"params": TEXT}, **CLOSED},
        f"In context=(), {REQUIRE_IT} Missing 'params'."),
    bad("array without items", reported("sigoden/aichat#1049"),
        {"type": "object", "properties": {"paths": {"type": "array"}}},
        "In context=('properties', 'paths'), array schema missing items.", strict=False),
    bad("array without items, strict", INFERRED, schema({"paths": {"type": "array"}}),
        "In context=('properties', 'paths'), array schema missing items."),
    bad("array in a list of types", reported("campfirein/byterover-cli#42"),
        {"type": "object", "properties": {"interaction": {"type": ["string", "array"]}}},
        "In context=('properties', 'interaction', 'type', '1'), array schema missing items.",
        strict=False),
    bad("object without properties", reported("spring-projects/spring-ai#4776"),
        {"type": "object"}, "In context=(), object schema missing properties.", strict=None),
    bad("root without a type", REPORTED, {"properties": {}}, not_object("None")),
    bad("empty schema", INFERRED, {}, not_object("None"), strict=None),
    bad("root of another type", reported("vercel/ai#1485"), {"type": "array", "items": TEXT},
        not_object("array")),
    bad("no type inside", reported("can1357/oh-my-pi#211"),
        schema({"slide": {"type": "array", "items": {}}}),
        "In context=('properties', 'slide', 'items'), schema must have a 'type' key."),
    bad("a boolean for a schema", INFERRED, schema({"a": True}),
        "In context=('properties', 'a'), schema must have a 'type' key."),
    bad("oneOf", REPORTED, schema({"a": {"oneOf": [TEXT]}}),
        "In context=('properties', 'a'), 'oneOf' is not permitted."),
    bad("allOf", REPORTED, schema({"a": {"allOf": [TEXT]}}),
        "In context=('properties', 'a'), 'allOf' is not permitted."),
    bad("uniqueItems", REPORTED,
        schema({"a": {"type": "array", "items": TEXT, "uniqueItems": True}}),
        "In context=('properties', 'a'), 'uniqueItems' is not permitted."),
    bad("not", INFERRED, schema({"a": TEXT | {"not": TEXT}}),
        "In context=('properties', 'a'), 'not' is not permitted."),
    bad("if", INFERRED, schema(**{"if": OPEN}), "In context=(), 'if' is not permitted."),
    bad("dependentRequired", INFERRED, schema(dependentRequired={}),
        "In context=(), 'dependentRequired' is not permitted."),
    bad("minLength", reported("coder/mux#1220"), schema({"a": TEXT | {"minLength": 1}}),
        "In context=('properties', 'a'), 'minLength' is not permitted."),
    bad("a format of no meaning", REPORTED, schema({"url": TEXT | {"format": "uri"}}),
        "In context=('properties', 'url'), 'uri' is not a valid format."),
    bad("keywords beside $ref", REPORTED,
        schema({"a": {"$ref": "#/$defs/A", "description": "d"}}, **{"$defs": {"A": TEXT}}),
        "context=('properties', 'a'), $ref cannot have keywords {'description'}."),
    bad("anyOf at the top", REPORTED, schema(anyOf=[schema()]), TOP),
    bad("oneOf at the top, not strict", reported("chatanywhere/GPT_API_free#403"),
        OPEN | {"oneOf": [OPEN]}, TOP, strict=False),
    bad("too deep", REPORTED, nested(11), "11 levels of nesting exceeds limit of 10."),
    bad("too many", REPORTED, schema({f"p{number}": TEXT for number in range(6000)}),
        "6000 parameters exceeds limit of 5000."),
    bad("too many values", UNVERIFIED,
        schema({"a": TEXT | {"enum": [str(number) for number in range(1001)]}}),
        "1001 enum values exceeds limit of 1000."),
    bad("too many characters", UNVERIFIED,
        schema({"a": TEXT | {"enum": ["x" * 60_000]}, "b": {"const": "y" * 60_000, **TEXT}}),
        "120002 characters of names, enums and consts exceeds limit of 120000."),
    bad("one enum too large", UNVERIFIED,
        schema({"a": TEXT | {"enum": [f"{number:0100}" for number in range(251)]}}),
        "25100 characters in one enum exceeds limit of 15000."),
    bad("required is no list", reported("CherryHQ/cherry-studio#4188"), schema(required=True),
        "True is not of type 'array'."),
    bad("a list for a schema", reported("FoundationAgents/OpenManus#1162"), schema({"a": []}),
        "[] is not of type 'object', 'boolean'."),
    bad("a type that is none", INFERRED, schema({"a": {"type": "str"}}),
        "'str' is not valid under any of the given schemas."),
    bad("a length below nothing", UNVERIFIED, schema({"a": TEXT | {"minLength": -1}}),
        "-1 is less than the minimum of 0."),
    Row("schema of a structured output", "A4", reported("bingoYB/ham_home#16"),
        ask(text={"format": {"type": "json_schema", "name": "x", "strict": True,
                             "schema": schema({"message": TEXT}, required=[])}}),
        f"Invalid schema for response_format 'x': In context=(), {REQUIRE_IT} Missing 'message'.",
        "text.format.schema", "invalid_json_schema"),
    Row("too many values in a structured output", "A4", UNVERIFIED,
        ask(text={"format": {"type": "json_schema", "name": "x", "strict": True, "schema": schema(
            {"a": TEXT | {"enum": [str(number) for number in range(1001)]}})}}),
        "Invalid schema for response_format 'x': 1001 enum values exceeds limit of 1000.",
        "text.format.schema", UNVERIFIED),
]  # fmt: skip


# --- A5 and A6: the list of tools, files, limits.

AUDIO = (
    "Invalid file data: 'input[0].content[0].file_data'. Expected a base64-encoded data URL with "
    "a valid file MIME type (e.g. 'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ=='), but got "
    "unsupported MIME type 'audio/mpeg'. Please see "
    "https://platform.openai.com/docs/assistants/tools/file-search#supported-files for supported "
    "file types."
)


def attached(**file: str) -> Json:
    return items({"role": "user", "content": [{"type": "input_file", **file}]})


TOOLS = [
    Row("name with a space", "A5", reported("RageAgainstThePixel/OpenAI-DotNet#441"),
        tools(function(name="get order")),
        "Invalid 'tools[0].name': string does not match pattern. Expected a string that matches "
        "the pattern '^[a-zA-Z0-9_-]+$'.", "tools[0].name", "invalid_value"),
    Row("name with a line break", "A5", INFERRED, tools(function(name="get_order\n")),
        "Invalid 'tools[0].name': string does not match pattern. Expected a string that matches "
        "the pattern '^[a-zA-Z0-9_-]+$'.", "tools[0].name", "invalid_value"),
    Row("name of 65", "A5", DOCS, tools(function(name="n" * 65)),
        "Invalid 'tools[0].name': string too long. Expected a string with maximum length 64, but "
        "got a string with length 65 instead.", "tools[0].name", "string_above_max_length"),
    Row("132 tools", "A5", INFERRED, tools(*(function(name=f"f{i}") for i in range(132))),
        "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an "
        "array with length 132 instead.", "tools", "array_above_max_length"),
    Row("deferred without search", "A5", reported("Wei-Shaw/sub2api#5942"),
        tools(function(defer_loading=True)),
        "Invalid Value: 'tools.defer_loading'. Deferred tools require tools.tool_search.",
        "tools.defer_loading"),
    Row("two tools of one name", "A5", UNVERIFIED, tools(function(), function()),
        "Two tools are named 'x'. The name of a tool must be unique.", "tools", UNVERIFIED),
    Row("a tool that is not here", "A5", UNVERIFIED, tools({"type": "computer"}),
        "The offline platform has no 'computer' tool.", "tools[0]", UNVERIFIED),
    Row("a choice that is not here", "A5", UNVERIFIED, ask(tool_choice={"type": "computer"}),
        "The offline platform has no tool_choice of type 'computer'.",
        "tool_choice", UNVERIFIED),
    Row("audio as a file", "A5", RECORDED, attached(file_data="data:audio/mpeg;base64,AAAA"),
        AUDIO, "input[0].content[0].file_data", "invalid_value"),
    Row("link to a film", "A5", RECORDED, attached(file_url="https://example.com/A.MP4?t=1"),
        "The file type you uploaded is not supported. Please try again with a pdf",
        "input", "unsupported_file"),
]  # fmt: skip


def struck_by(fault: Fault, **fields: Any) -> Callable[[Platform], Json]:
    def make(platform: Platform) -> Json:
        platform.faults.append(fault)
        return ask(**fields)

    return make


LIMITS = [
    Row("rate limit", "A6", REPORTED, struck_by(Fault("rate_limit", retry_ms=45_175)),
        "Rate limit reached for gpt-5.6-terra in organization org-offline on tokens per min "
        "(TPM): Limit 200000, Used 200000, Requested 100. Please try again in 45.175s. Visit "
        "https://platform.openai.com/account/rate-limits to learn more.",
        None, "rate_limit_exceeded", 429, "tokens"),
    Row("quota", "A6", RECORDED, struck_by(Fault("quota")),
        "You exceeded your current quota, please check your plan and billing details. For more "
        "information on this error, read the docs: "
        "https://platform.openai.com/docs/guides/error-codes/api-errors.",
        None, "insufficient_quota", 429, "insufficient_quota"),
    Row("server error", "A6", REPORTED, struck_by(Fault("server_error")),
        "The server had an error while processing your request. Sorry about that! You can retry "
        "your request, or contact us through our help center if it keeps happening.",
        None, "server_error", 500, "server_error"),
    Row("context window", "A6", REPORTED, ask(model="gpt-4o", input="word " * 130_000),
        "Your input exceeds the context window of this model. Please adjust your input and try "
        "again.", "input", "context_length_exceeded"),
    Row("context window, streamed", "A6", INFERRED,
        ask(model="gpt-4o", input="word " * 130_000, stream=True),
        "Your input exceeds the context window of this model. Please adjust your input and try "
        "again.", "input", "context_length_exceeded"),
    Row("one item too large for the window", "A6", INFERRED,
        ask(model="gpt-4o", input="word " * 130_000, truncation="auto"),
        "Your input exceeds the context window of this model. Please adjust your input and try "
        "again.", "input", "context_length_exceeded"),
    Row("instructions too large for the window", "A6", INFERRED, nothing_to_drop,
        "Your input exceeds the context window of this model. Please adjust your input and try "
        "again.", "input", "context_length_exceeded"),
]  # fmt: skip


# --- The other endpoints, and bodies that are none.


def stored(path: str) -> Callable[[Platform], Json]:
    """Make resp_00000001, which `path` is about."""

    def make(platform: Platform) -> Json:
        assert answer(platform, ask())["id"] in path
        return {}

    return make


class Deep:
    """A model that a prompt is nested too deeply for."""

    def respond(self, prompt: Prompt) -> Answer:
        return self.respond(prompt)


def deep(platform: Platform) -> Json:
    platform.model = Deep()
    return ask()


NOT_JSON = (
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using "
    "your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was "
    "not valid JSON. If you have trouble figuring out how to fix this, please contact us through "
    "our help center at help.openai.com.)"
)
BAD_JSON = reported("Herm-Studio/StakeVladDracula#11")
FIRST = "/v1/responses/resp_00000001"


def raw(name: str, source: str, body: bytes, text: str, code: str | None = None,
        status: int = 400) -> Row:  # fmt: skip
    return Row(name, "A2", source, body, text, None, code, status)


ENDPOINTS = [
    Row("GET of nothing", "Gaps", UNVERIFIED, {}, "Response with id 'resp_x' not found.",
        None, UNVERIFIED, 404, method="GET", path="/v1/responses/resp_x"),
    Row("DELETE of nothing", "Gaps", UNVERIFIED, {}, "Response with id 'resp_x' not found.",
        None, UNVERIFIED, 404, method="DELETE", path="/v1/responses/resp_x"),
    Row("cancel of a synchronous response", "B", UNVERIFIED, stored(FIRST),
        "Cannot cancel a synchronous response.", None, UNVERIFIED, path=f"{FIRST}/cancel"),
    Row("a page of none", "B", UNVERIFIED, stored(FIRST),
        "Invalid 'limit': expected an integer from 1 to 100, but got '0'.", "limit", UNVERIFIED,
        method="GET", path=f"{FIRST}/input_items?limit=0"),
    Row("limit of a thousand digits", "B", UNVERIFIED, stored(FIRST),
        f"Invalid 'limit': expected an integer from 1 to 100, but got '{'9' * 5000}'.", "limit",
        UNVERIFIED, method="GET", path=f"{FIRST}/input_items?limit={'9' * 5000}"),
    Row("an order of none", "B", INFERRED, stored(FIRST),
        "Invalid value: 'up'. Supported values are: 'asc' and 'desc'.", "order", "invalid_value",
        method="GET", path=f"{FIRST}/input_items?order=up"),
    Row("PUT", "B", UNVERIFIED, {}, f"Not allowed to PUT on {FIRST}.", None, UNVERIFIED, 405,
        method="PUT", path=FIRST),
    Row("no such address", "B", reported("harry0703/MoneyPrinterTurbo#57"), ask(),
        "Invalid URL (POST /v1/completion)", status=404, path="/v1/completion"),
    raw("no JSON", BAD_JSON, b"{'model': 'gpt-5.6'}", NOT_JSON),
    raw("no UTF-8", INFERRED, b'{"model": "\xff"}', NOT_JSON),
    raw("NaN", INFERRED, b'{"model": "gpt-5.6", "input": "ping", "temperature": NaN}', NOT_JSON),
    raw("a number without end", INFERRED, b'{"model": "gpt-5.6", "temperature": 1e999}', NOT_JSON),
    raw("half a surrogate pair", INFERRED, b'{"model": "gpt-5.6", "input": "\\ud800"}', NOT_JSON),
    raw("a list", UNVERIFIED, b"[]", "The JSON body of a request must be an object.", UNVERIFIED),
    raw("65 MiB", UNVERIFIED, b" " * (65 << 20), "The request body is larger than 64 MiB.",
        UNVERIFIED, 413),
    raw("brackets without end", INFERRED, b"[" * 100_000, NOT_JSON),
    Row("too deep for the model", "B", UNVERIFIED, deep,
        "The request is nested too deeply to be read.", None, UNVERIFIED),
]  # fmt: skip

ROWS = [
    *FIELDS, *CAPABILITY, *SERVER_STATE, *WRONG_TWICE, *PHASES,
    *HISTORY, *SCHEMAS, *TOOLS, *LIMITS, *ENDPOINTS,
]  # fmt: skip


# --- The mistakes of learners, made with the real client.


@dataclass(frozen=True)
class Mistake:
    """What a learner sends, after a first turn where there is one, and what comes back."""

    name: str
    then: Callable[[Response], Json]  # the wrong request, given the first response
    message: str
    param: str | None
    code: str | None
    hint: str  # a part of the extra sentence
    first: Json | None = None
    script: list[Json | list[Json]] = field(default_factory=lambda: [message("hello")])
    parsed: bool = False  # whether the first turn is made by responses.parse


GET_ORDER = function(schema({"order_id": TEXT}), name="get_order")
NESTED = {"type": "function", "function": {"name": "get_order", "parameters": schema()}}
CALL = call("get_order", {"order_id": "A-104"})
QUESTION = user("Why is order A-104 late?")
PLAIN: Json = {"model": "gpt-5.4", "input": [QUESTION], "tools": [GET_ORDER]}  # does not reason
THINKING = PLAIN | {"model": "gpt-5.6"}
TURN: Json = {"first": PLAIN, "script": [CALL, message("done")]}


def at_once(**fields: Any) -> Callable[[Response], Json]:
    return lambda _: PLAIN | fields


def replied(made: Response, *more: Any, skip: str = "") -> list[Any]:
    """The whole history as a learner builds it: the question, the model's items, the answers."""
    return [QUESTION, *(item for item in made.output if item.type != skip), *more]


def the_call(made: Response) -> ResponseFunctionToolCall:
    return next(item for item in made.output if item.type == "function_call")


MISTAKES = [
    Mistake("nested tools of Chat Completions", at_once(tools=[NESTED]),
            "Missing required parameter: 'tools[0].name'.", "tools[0].name",
            "missing_required_parameter", "This is the Chat Completions shape."),
    Mistake("no call_id",
            lambda made: PLAIN | {"input": replied(
                made, {"type": "function_call_output", "output": "late"})},
            "Invalid Value: 'input.call_id'. Function call output requires call_id.", "input", None,
            "Copy call_id from the function_call item", **TURN),
    Mistake("id used as call_id",
            lambda made: PLAIN | {"input": replied(made, an_output(str(the_call(made).id)))},
            "No tool output found for function call call_1.", "input", None,
            "The output carries fc_1, which is the item's id.", **TURN),
    Mistake("output that is no string",
            lambda made: PLAIN | {"input": replied(
                made, an_output(the_call(made).call_id, {"days": 2}))},
            "Invalid type for 'input[2].output': expected one of a string or array of objects, but "
            "got an object instead.", "input[2].output", "invalid_type", "json.dumps(result)",
            **TURN),
    Mistake("parallel call left unanswered",
            lambda made: PLAIN | {"input": replied(made, an_output("call_1"))},
            "No tool output found for function call call_2.", "input", None,
            "every call of the turn needs its answer", PLAIN,
            [[CALL, call("get_order", {"order_id": "A-105"})], message("done")]),
    Mistake("reasoning item dropped",
            lambda made: THINKING | {"input": replied(
                made, an_output("call_1"), skip="reasoning")},
            "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' "
            "item: 'rs_1'.", "input", None, "Send back every item of response.output",
            THINKING, [CALL, message("done")]),
    Mistake("role tool",
            lambda made: PLAIN | {"input": replied(
                made, {"role": "tool", "tool_call_id": "call_1", "content": "late"})},
            f"Invalid value: 'tool'. Supported values are: {ROLES}.", "input[2]", "invalid_value",
            "role 'tool' belongs to Chat Completions.", **TURN),
    Mistake("tool_choice any", at_once(tool_choice="any"),
            "Invalid value: 'any'. Supported values are: 'none', 'auto', and 'required'.",
            "tool_choice", "invalid_value", "here it is 'required'"),
    Mistake("schema that strict cannot keep",
            at_once(tools=[function(OPEN, name="get_order")]),
            f"Invalid schema for function 'get_order': In context=(), {CLOSE_IT}",
            "tools[0].parameters", "invalid_function_parameters", "strict needs a closed schema"),
    Mistake("choice of an absent tool",
            at_once(tool_choice={"type": "function", "name": "get_orders"}),
            "Tool choice 'get_orders' not found in 'tools' parameter.", "tool_choice", None,
            "only name a tool that is in tools"),
    Mistake("bogus previous_response_id", at_once(previous_response_id="resp_abc"),
            "Previous response with id 'resp_abc' not found.", "previous_response_id",
            "previous_response_not_found", "made by this same client"),
    Mistake("parsed output sent back",
            lambda made: PLAIN | {"input": [
                QUESTION, the_call(made).to_dict(), an_output("call_1")]},
            "Unknown parameter: 'input[1].parsed_arguments'.", "input[1].parsed_arguments",
            "unknown_parameter", "responses.parse() added this field", parsed=True, **TURN),
]  # fmt: skip
