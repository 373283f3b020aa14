"""One turn: a checked request and its context go in, a response object comes out (contract B)."""

import json

from ..standin.prompt import Answer, Model, Prompt
from . import tools as tool_rules
from . import usage
from .context import as_items, resolve
from .contract import check_request
from .errors import Json
from .models import ModelCard
from .state import State, StoredResponse


def run_turn(body: Json, state: State, model: Model) -> StoredResponse:
    """Check `body`, ask the model, and keep the response unless `store` is false.

    Raises ApiError before anything is remembered.
    """
    card = check_request(body)
    context = resolve(body, state)
    tools = [tool_rules.echo(tool) for tool in body.get("tools") or []]
    tool_rules.check_named_choice(body.get("tool_choice"), tools)
    instructions = body.get("instructions")
    parallel = body.get("parallel_tool_calls")
    prompt = Prompt(
        instructions=instructions,
        items=context,
        tools=tools,
        tool_choice=body.get("tool_choice") or "auto",
        parallel_tool_calls=True if parallel is None else parallel,
    )
    answer = model.respond(prompt)
    response = _envelope(body, card, tools, prompt, state)
    response["output"], reasoning_tokens = _output(answer, response, state)
    response["usage"] = usage.usage(
        usage.count_text(instructions or "")
        + usage.count_items(context)
        + usage.count_tools(tools),
        usage.count_items(response["output"]) + reasoning_tokens,
        reasoning_tokens,
    )
    stored = StoredResponse(response, as_items(body["input"]), answer.explanation)
    if response["store"]:
        state.responses[response["id"]] = stored
    return stored


def _envelope(body: Json, card: ModelCard, tools: list[Json], prompt: Prompt, state: State) -> Json:
    """The response object without its output: what was asked for, echoed with the defaults."""
    created = state.now
    state.now += 1
    text = body.get("text") or {}
    temperature, top_p = body.get("temperature"), body.get("top_p")
    return {
        "id": state.new_id("resp"),
        "object": "response",
        "created_at": created,
        "status": "completed",
        "background": bool(body.get("background")),
        "billing": {"payer": "developer"},
        "completed_at": state.now,
        "error": None,
        "frequency_penalty": body.get("frequency_penalty") or 0.0,
        "incomplete_details": None,
        "instructions": prompt.instructions,
        "max_output_tokens": body.get("max_output_tokens"),
        "max_tool_calls": body.get("max_tool_calls"),
        "metadata": body.get("metadata") or {},
        "model": card.snapshot,
        "moderation": None,
        "output": [],
        "parallel_tool_calls": prompt.parallel_tool_calls,
        "presence_penalty": body.get("presence_penalty") or 0.0,
        "previous_response_id": body.get("previous_response_id"),
        "prompt_cache_key": body.get("prompt_cache_key"),
        "prompt_cache_retention": body.get("prompt_cache_retention"),
        "reasoning": _reasoning_echo(body.get("reasoning") or {}, card),
        "safety_identifier": body.get("safety_identifier"),
        "service_tier": "default",
        "store": body.get("store") is not False,
        "temperature": 1.0 if temperature is None else float(temperature),
        "text": {
            "format": text.get("format") or {"type": "text"},
            "verbosity": text.get("verbosity") or "medium",
        },
        "tool_choice": prompt.tool_choice,
        "tool_usage": {},
        "tools": tools,
        "top_logprobs": body.get("top_logprobs") or 0,
        "top_p": card.top_p if top_p is None else float(top_p),
        "truncation": body.get("truncation") or "disabled",
        "usage": None,
        "user": body.get("user"),
    }


def _reasoning_echo(asked: Json, card: ModelCard) -> Json:
    summary = asked.get("summary")
    return {
        "context": asked.get("context") or ("current_turn" if card.reasons else None),
        "effort": asked.get("effort") or card.effort,
        "summary": "detailed" if summary == "auto" else summary,
    }


def _output(answer: Answer, response: Json, state: State) -> tuple[list[Json], int]:
    """The answer's items as the API gives them out, and the tokens spent on reasoning.

    A model that reasons puts a reasoning item first; the items after it belong to it, and
    may not be sent back without it (contract A3).
    """
    items: list[Json] = []
    effort, summary = response["reasoning"]["effort"], response["reasoning"]["summary"]
    reasoning_id = None
    if effort not in (None, "none"):
        reasoning_id = state.new_id("rs")
        shown = [{"type": "summary_text", "text": answer.explanation.because}] if summary else []
        items.append({"id": reasoning_id, "type": "reasoning", "summary": shown})
    for item in answer.items:
        given = _as_message(item, state) if item["type"] == "message" else _as_call(item, state)
        if reasoning_id is not None:
            state.reasoning_before[given["id"]] = reasoning_id
        items.append(given)
    return items, usage.count_text(answer.explanation.because) if reasoning_id else 0


def _as_message(item: Json, state: State) -> Json:
    part = {"type": "output_text", "annotations": [], "logprobs": [], "text": item["text"]}
    return {
        "id": state.new_id("msg"),
        "type": "message",
        "status": "completed",
        "content": [part],
        "role": "assistant",
    }


def _as_call(item: Json, state: State) -> Json:
    return {
        "id": state.new_id("fc"),
        "type": "function_call",
        "status": "completed",
        "arguments": json.dumps(item["arguments"], ensure_ascii=False, separators=(",", ":")),
        "call_id": state.new_id("call"),
        "name": item["name"],
    }
