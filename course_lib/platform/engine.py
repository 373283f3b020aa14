"""One turn: a request goes in, a response comes out, or the API's refusal.

In the API's order: the fields, the context and its pairing, what this model can do; then the
model answers, and the answer becomes a response object.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ..standin.explanation import Explanation
from ..standin.prompt import Model, Prompt
from . import capability, contract
from .context import Context, resolve
from .envelope import envelope
from .errors import ApiError, Json
from .models import ModelCard
from .output import Output, Wishes, build_output
from .state import State, StoredResponse
from .tokens import content_text
from .tools import allowed, check_namespaces, echo_tool, loaded_tools, mode
from .usage import prompt_parts, usage


@dataclass(slots=True)
class Turn:
    """A request that passed every check, with what the checks found out about it."""

    body: Json
    card: ModelCard
    context: Context
    tools: list[Json]  # declared on the request, as the reply will echo them
    loaded: dict[str, Json]  # brought in by items of the context, by name
    parts: list[tuple[str, int]]  # the prompt as (text, tokens)

    @property
    def tokens(self) -> int:
        return sum(tokens for _, tokens in self.parts)


@dataclass(slots=True)
class Made:
    """What an endpoint made: the whole reply and, where it is streamed, the bytes that tell it."""

    final: Json
    explanation: Explanation | None = None
    chunks: Iterable[bytes] | None = None


def run_turn(body: Json, state: State, model: Model) -> StoredResponse:
    """Check `body`, ask the model, and keep the response unless `store` is false.

    Raises ApiError before anything is remembered.
    """
    turn = check_turn(body, state)
    _fit_window(turn)
    response, explanation = respond(turn, state, model)
    stored = StoredResponse(response, _listed(turn.context.new, state), explanation)
    if response["store"]:
        state.keep(stored)
    else:
        state.not_stored |= {item["id"] for item in response["output"]}
    return stored


def respond(turn: Turn, state: State, model: Model) -> tuple[Json, Explanation]:
    """Ask the model; the finished response, and why it is what it is."""
    body = turn.body
    answer = model.respond(
        Prompt(
            instructions=_instructions(body) or None,
            items=turn.context.items,
            tools=allowed(body.get("tool_choice"), [*turn.tools, *turn.loaded.values()]),
            tool_choice=mode(body.get("tool_choice") or "auto"),
            parallel_tool_calls=body.get("parallel_tool_calls") is not False,
            text_format=_text_format(body),
        )
    )
    response = envelope(body, turn.card, turn.tools, state.new_id("resp"), state.now)
    wishes = Wishes.of(body, response, turn.loaded)
    output = build_output(answer, wishes, turn.card, state)
    _finish(response, output, turn, state)
    return response, answer.explanation


def check_turn(body: Json, state: State) -> Turn:
    """All the checks of a request, in the API's order (contract A2, "Order")."""
    contract.check_fields(body)
    contract.check_server_state(body)
    context = resolve(body, state)
    contract.check_not_empty(body)
    tools = [echo_tool(tool) for tool in body.get("tools") or []]
    loaded = loaded_tools(context.items)
    check_namespaces(context.new, tools, loaded)
    card = capability.check_model(body)
    capability.check_json_mode(body, context.items)
    return assemble(body, card, context, tools, loaded)


def assemble(
    body: Json, card: ModelCard, context: Context, tools: list[Json], loaded: dict[str, Json]
) -> Turn:
    """The turn of a request that was checked, with the prompt it makes."""
    schema = _text_format(body).get("schema")
    parts = prompt_parts(card, _instructions(body), tools, context.items, schema)
    return Turn(body, card, context, tools, loaded, parts)


def _text_format(body: Json) -> Json:
    """The form the answer is to take: plain text when the request says nothing."""
    return (body.get("text") or {}).get("format") or {"type": "text"}


def _instructions(body: Json) -> str:
    """Instructions as text; a list of messages is read in order."""
    value = body.get("instructions") or ""
    if isinstance(value, str):
        return value
    return "\n".join(content_text(item.get("content")) for item in value)


def _fit_window(turn: Turn) -> None:
    """Drop the oldest items until the prompt fits, where the request allows it."""
    items, total, dropped = turn.context.items, turn.tokens, 0
    frame = len(turn.parts) - len(items)  # what comes before the items stays
    while total > turn.card.window:
        if turn.body.get("truncation") != "auto" or dropped == len(items) - 1:
            raise _too_long(turn)
        total -= turn.parts[frame + dropped][1]
        dropped += 1
    del items[:dropped], turn.parts[frame : frame + dropped]


def _too_long(turn: Turn) -> ApiError:
    return ApiError(
        "Your input exceeds the context window of this model. "
        "Please adjust your input and try again.",
        param="input",
        code="context_length_exceeded",
        hint=f"It has {turn.tokens:,} tokens, and the window is {turn.card.window:,}. "
        'Send less, or let truncation="auto" drop the oldest items.',
    )


def _finish(response: Json, output: Output, turn: Turn, state: State) -> None:
    """Put the output into the response and close it."""
    state.now += 1
    cached = state.prefixes.read(turn.parts)
    response["output"] = output.items
    response["usage"] = usage(turn.tokens, cached, output.tokens, output.reasoning_tokens)
    if output.cut:
        response["status"] = "incomplete"
        response["incomplete_details"] = {"reason": "max_output_tokens"}
    else:
        response["status"] = "completed"
        response["completed_at"] = state.now


def _listed(items: list[Json], state: State) -> list[Json]:
    """Input items as they are listed afterwards: each with an id, messages with their parts."""
    return [_listed_item(item, state) for item in items]


def _listed_item(item: Json, state: State) -> Json:
    if item.get("type", "message") != "message":
        prefix = "fco" if item["type"] == "function_call_output" else "item"
        return item if item.get("id") else item | {"id": state.new_id(prefix)}
    content = item["content"]
    if isinstance(content, str):
        kind = "output_text" if item["role"] == "assistant" else "input_text"
        content = [{"type": kind, "text": content}]
    return {
        "type": "message",
        "id": item.get("id") or state.new_id("msg"),
        "status": "completed",
        "role": item["role"],
        "content": content,
    }
