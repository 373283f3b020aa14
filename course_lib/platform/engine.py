"""One turn: a request goes in, a response comes out, or the API's refusal.

In the API's order: the fields, the context and its pairing, what this model can do; then the
model answers, and the answer becomes a response object. A call of a hosted tool is run at once,
and the model is asked again with its result, until it says something or calls a function.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ..standin.explanation import Explanation
from ..standin.prompt import Model, Prompt
from . import contract
from .compaction import compact_if_due
from .context import Context, resolve
from .envelope import envelope
from .errors import Json, refusal
from .hosted.desk import MOST_RUNS, Desk, as_read, bringing, check_namespaces, echoed, loaded_tools
from .hosted.function import check_outputs
from .hosted.mcp import check_approvals, without_secrets
from .hosted.programs import check_programs
from .hosted.tool import KINDS
from .models import ModelCard
from .output import Output, Wishes, add_answer
from .pages import listed
from .state import State, StoredResponse
from .tokens import content_text, item_part
from .tools import allowed, mode
from .usage import prompt_parts, usage


@dataclass(slots=True)
class Turn:
    """A request that passed every check, with what the checks found out about it."""

    body: Json
    card: ModelCard
    context: Context
    items: list[Json]  # the context as the model reads it
    tools: list[Json]  # as the reply will echo them
    desk: Desk
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
    """Check `body`, let the model answer, and keep the response unless `store` is false.

    One that runs in the background is kept all the same, to be looked at.

    Raises ApiError before anything is remembered.
    """
    turn = check_turn(body, state)
    _fit_window(turn)
    response, explanation = respond(turn, state, model)
    new = [without_secrets(item) for item in turn.context.new]
    stored = StoredResponse(response, listed(new, state), explanation)
    conversation = contract.conversation_id(body)
    if conversation in state.conversations:  # it may have been deleted while a tool ran
        spoken = state.remember([*stored.input_items, *response["output"]])
        state.conversations[conversation].items += spoken
    if response["store"] or response["background"]:
        state.keep(stored)
    if not response["store"]:
        state.not_stored |= dict.fromkeys(item["id"] for item in response["output"])
    return stored


def respond(turn: Turn, state: State, model: Model) -> tuple[Json, Explanation]:
    """Let the model answer; the finished response, and why it is what it is."""
    body = turn.body
    response = envelope(body, turn.card, turn.tools, state.new_id("resp"), state.now)
    turn.desk.tool_usage = response["tool_usage"]
    output, explanation = _converse(turn, Wishes.of(body, response), model)
    if not output.read:  # as recorded, where no model was asked
        response["service_tier"] = "auto"
    _finish(response, output, state)
    if response["status"] == "completed":
        compact_if_due(response, body, turn.context.items, turn.card.window, state)
    if response["store"]:
        state.readings |= turn.desk.readings
    return response, explanation


def _converse(turn: Turn, wishes: Wishes, model: Model) -> tuple[Output, Explanation]:
    """Ask the model until it has answered: what it calls of hosted tools is run in between.

    The explanation is that of the first answer, in which the tools were weighed.
    """
    body, desk, state = turn.body, turn.desk, turn.desk.state
    choice = body.get("tool_choice") or "auto"
    prompt = Prompt(
        instructions=_instructions(body) or None,
        items=turn.items,
        tools=[],
        tool_choice=mode(choice),
        parallel_tool_calls=body.get("parallel_tool_calls") is not False,
        text_format=_text_format(body),
    )
    output, explanation = Output([]), None
    while True:
        for outcome in desk.due():
            output.items += outcome.items
            if outcome.waits:
                return output, explanation or Explanation("a program that had begun goes on")
        prompt.items = [*prompt.items, *desk.read]
        turn.parts += [item_part(item, turn.card) for item in desk.read]
        desk.read = []
        prompt.tools = allowed(choice, desk.lay_out())
        output.read += turn.tokens
        output.cached += state.prefixes.read(turn.parts)
        answer = model.respond(prompt)
        explanation = explanation or answer.explanation
        if not add_answer(output, answer, wishes, turn.card, desk, state):
            return output, explanation
        prompt.tool_choice = "auto"  # what was forced has been called


def check_turn(body: Json, state: State) -> Turn:
    """All the checks of a request, in the API's order (contract A2, "Order")."""
    contract.check_fields(body)
    contract.check_server_state(body, state)
    context = resolve(body, state)
    contract.check_not_empty(body)
    tools = [KINDS[tool["type"]].echo(tool) for tool in body.get("tools") or []]
    loaded = loaded_tools(context.items, tools)
    entries = [*tools, *loaded]
    for entry in entries:
        KINDS[entry["type"]].check(entry, state)
    check_approvals(context.items, entries)
    check_namespaces(context.new, tools, loaded)
    check_outputs(context.items, context.new, entries)
    check_programs(context.items, entries)
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
    schema = _text_format(body).get("schema")
    # As it was before anything was loaded, so that the prefix stays cached (contract D). What an
    # MCP server offers is read where it is listed, in an item.
    offered = [tool for tool in desk.lay_out() if tool["type"] != "mcp"]
    parts = prompt_parts(card, _instructions(body), offered, items, schema)
    desk.loaded += loaded
    return Turn(body, card, context, items, echoed(tools, loaded), desk, parts)


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
    items, total, dropped = turn.items, turn.tokens, 0
    frame = len(turn.parts) - len(items)  # what comes before the items stays
    while total > turn.card.window:
        if turn.body.get("truncation") != "auto" or dropped == len(items) - 1:
            window = turn.card.window
            raise refusal("input_too_long", tokens=turn.tokens, window=window)
        total -= turn.parts[frame + dropped][1]
        dropped += 1
    del items[:dropped], turn.parts[frame : frame + dropped]


def _finish(response: Json, output: Output, state: State) -> None:
    """Put the output into the response and close it."""
    state.now += 1
    response["output"] = output.items
    response["usage"] = usage(output.read, output.cached, output.tokens, output.reasoning_tokens)
    if output.cut:
        response["status"] = "incomplete"
        response["incomplete_details"] = {"reason": "max_output_tokens"}
    else:
        response["status"] = "completed"
        response["completed_at"] = state.now
