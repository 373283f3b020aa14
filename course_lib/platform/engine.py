"""One turn: a request goes in, a response comes out, or the API's refusal.

In the API's order: the fields, the context and its pairing, what this model can do; then the
model answers, and the answer becomes a response object. A call of a hosted tool is run at once,
and the model is asked again with its result, until it says something or calls a function.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ..standin.prompt import Explanation, Model, Prompt
from . import contract
from .compaction import compact_if_due
from .context import Context, conversation_id, resolve
from .errors import Json, refusal
from .hosted.desk import MOST_RUNS, Desk, as_read, bringing, check_namespaces, echoed, loaded_tools
from .hosted.function import check_outputs
from .hosted.mcp import check_approvals, without_secrets
from .hosted.programs import check_programs
from .hosted.tool import KINDS
from .http import written
from .models import ModelCard
from .output import Output, cached_tokens, envelope, text_format, usage
from .pages import listed
from .state import State, StoredResponse
from .tokens import (
    PER_MESSAGE,
    PRIMING,
    PRIMING_REASONING,
    content_text,
    count_text,
    item_part,
    tools_part,
)
from .tools import allowed, mode


@dataclass(slots=True)
class Turn:
    """A request that passed every check, with what the checks found out about it."""

    body: Json
    card: ModelCard
    context: Context
    items: list[Json]  # the context as the model reads it
    tools: list[Json]  # as the reply will echo them
    desk: Desk
    parts: list[tuple[str, int]]  # the prompt as (text, tokens), in the order the model reads it

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
    """Check `body`, let the model answer, and keep the response unless `store` is false.

    One that runs in the background is kept all the same, to be looked at.

    Raises ApiError before anything is remembered.
    """
    turn = check_turn(body, state)
    _fit_window(turn)
    response, explanation = respond(turn, state, model)
    new = [without_secrets(item) for item in turn.context.new]
    stored = StoredResponse(response, listed(new, state), explanation)
    conversation = conversation_id(body)
    if conversation in state.conversations:  # it may have been deleted while a tool ran
        spoken = state.remember([*stored.input_items, *response["output"]])
        state.conversations[conversation].items += spoken
    if response["store"] or response["background"]:
        state.keep(stored)
    if not response["store"]:
        state.not_stored |= dict.fromkeys(item["id"] for item in response["output"])
    return stored


# --- The request ----------------------------------------------------------------------------------


def check_turn(body: Json, state: State) -> Turn:
    """All the checks of a request, in the API's order (contract A2, "Order")."""
    contract.check_fields(body)
    contract.check_server_state(body, state)
    context = resolve(body, state)
    contract.check_not_empty(body)
    tools = [KINDS[tool["type"]].echo(tool) for tool in body.get("tools") or []]
    made = [item for item in context.items if item.get("type", "message") != "message"]
    loaded = loaded_tools(made, tools)
    entries = [*tools, *loaded]
    for entry in entries:
        KINDS[entry["type"]].check(entry, state)
    if made:
        check_approvals(made, entries)
        check_namespaces(context.new, tools, loaded)
        check_outputs(made, context.new, entries)
        check_programs(made, entries)
    card = contract.check_model(body, context.items)
    return assemble(body, card, context, tools, loaded, state)


def assemble(
    body: Json,
    card: ModelCard,
    context: Context,
    tools: list[Json],
    loaded: list[Json],
    state: State,
) -> Turn:
    """The turn of a request that was checked, with the prompt it makes."""
    items = as_read(context.items, state)
    readings = (state.readings.get(item.get("id") or "") for item in context.items)
    desk = Desk(
        declared=tools,
        sent=[t for each in (body, *bringing(context.new)) for t in each.get("tools") or []],
        include=body.get("include") or [],
        items=list(context.items),
        state=state,
        left=min(body.get("max_tool_calls") or MOST_RUNS, MOST_RUNS),
        sources={k: v for each in readings if each for k, v in each.sources.items()},
    )
    parts = [(card.snapshot, PRIMING_REASONING if card.reasons else PRIMING)]
    # As it was before anything was loaded, so that the prefix stays cached (contract D). What an
    # MCP server offers is read where it is listed, in an item.
    if offered := [tool for tool in desk.lay_out() if tool["type"] != "mcp"]:
        parts.append(tools_part(offered, card))
    if schema := text_format(body).get("schema"):
        parts.append((written(schema), count_text(written(schema))))
    if instructions := _instructions(body):
        parts.append((instructions, count_text(instructions) + PER_MESSAGE))
    parts += [item_part(item, card) for item in items]
    desk.loaded += loaded
    return Turn(body, card, context, items, echoed(tools, loaded), desk, parts)


def _instructions(body: Json) -> str:
    """Instructions as text; a list of messages is read in order."""
    value = body.get("instructions") or ""
    if isinstance(value, str):
        return value
    return "\n".join(content_text(item.get("content")) for item in value)


def _fit_window(turn: Turn) -> None:
    """Drop the oldest items until the prompt fits, where the request allows it."""
    total, window, dropped = turn.tokens, turn.card.window, 0
    frame = len(turn.parts) - len(turn.items)  # what comes before the items stays
    while total > window:
        if turn.body.get("truncation") != "auto" or dropped + 1 >= len(turn.items):
            raise refusal("input_too_long", tokens=turn.tokens, window=window)
        total -= turn.parts[frame + dropped][1]
        dropped += 1
    del turn.items[:dropped], turn.parts[frame : frame + dropped]


# --- The response ---------------------------------------------------------------------------------


def respond(turn: Turn, state: State, model: Model) -> tuple[Json, Explanation]:
    """Let the model answer; the finished response, and why it is what it is."""
    body, desk = turn.body, turn.desk
    response = envelope(body, turn.card, turn.tools, state.new_id("resp"), state.now)
    desk.tool_usage, desk.read = response["tool_usage"], []
    output = Output(response, turn.card, desk, body.get("stop") or [])
    explanation = _converse(turn, output, model)
    state.now += 1
    response["output"] = output.items
    response["usage"] = usage(output.read, output.cached, output.tokens, output.reasoning_tokens)
    if not output.read:  # as recorded, where no model was asked
        response["service_tier"] = "auto"
    if output.cut:
        response["status"] = "incomplete"
        response["incomplete_details"] = {"reason": "max_output_tokens"}
    else:
        response |= {"status": "completed", "completed_at": state.now}
        compact_if_due(response, body, turn.context.items, turn.card.window, state)
    if response["store"]:
        state.readings |= desk.readings
    return response, explanation


def _converse(turn: Turn, output: Output, model: Model) -> Explanation:
    """Ask the model until it has answered: what it calls of hosted tools is run in between.

    The explanation is that of the first answer, in which the tools were weighed.
    """
    body, desk = turn.body, turn.desk
    choice = body.get("tool_choice") or "auto"
    prompt = Prompt(
        instructions=_instructions(body) or None,
        items=turn.items,
        tools=[],
        tool_choice=mode(choice),
        parallel_tool_calls=output.response["parallel_tool_calls"],
        text_format=text_format(body),
    )
    explanation = None
    while True:
        for outcome in desk.due():
            output.items += outcome.items
            if outcome.waits:
                return explanation or Explanation("a program that had begun goes on")
        prompt.items = [*prompt.items, *desk.read]
        turn.parts += [item_part(item, turn.card) for item in desk.read]
        desk.read = []
        prompt.tools = allowed(choice, desk.lay_out())
        output.read += turn.tokens
        output.cached += cached_tokens(turn.parts, desk.state.prefixes)
        answer = model.respond(prompt)
        explanation = explanation or answer.explanation
        if not output.add(answer):
            return explanation
        prompt.tool_choice = "auto"  # what was forced has been called
