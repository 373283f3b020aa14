"""The endpoints of `/v1/responses`: create, and what one can do with a response afterwards.

A response with `background: true` is made while its client does something else. The turn is run at
once, but shown step by step: each look at it moves the simulated clock, from queued to in progress
to done. So a loop that polls ends, and always after as many looks.
"""

import re

from ..standin.prompt import Model
from .compaction import compaction_item
from .context import history
from .engine import Made, check_turn, run_turn
from .errors import Json, refusal, wrong_type
from .events import encode, opening, response_events
from .faults import Fault
from .http import Request
from .output import cached_tokens, usage
from .pages import choice, deleted, list_page, listed
from .state import State, StoredResponse

STEPS = ("queued", "in_progress")  # what is shown in the background before the response itself


def create(body: Json, state: State, model: Model, fault: Fault | None) -> Made:
    stored = run_turn(body, state, model)
    if not body.get("stream"):
        stored.steps = list(STEPS if stored.body["background"] else ())
        return Made(_shown(stored), stored.explanation)
    events = response_events(stored.body)
    if fault is not None:
        events = fault.break_stream(events)
        if fault.kind == "failed":  # and that is how it is remembered
            told = list(events)
            state.drop_output(stored)
            stored.body, events = told[-1]["response"], iter(told)
    options = body.get("stream_options") or {}
    obfuscate = options.get("include_obfuscation") is not False
    stored.streamed = True
    return Made(stored.body, stored.explanation, encode(events, obfuscate=obfuscate))


def _shown(stored: StoredResponse) -> Json:
    """The response as its client may see it now."""
    return opening(stored.body) | {"status": stored.steps[0]} if stored.steps else stored.body


def retrieve(state: State, request: Request, stored: StoredResponse) -> Json | Made:
    """A response; or again its stream, after the event that `starting_after` numbers."""
    if choice(request, "stream", ("true", "false")) == "true":
        if not (stored.streamed and stored.body["background"]):
            raise refusal("not_streamed")
        after = request.query.get("starting_after", "-1")
        if not re.fullmatch("-1|[0-9]{1,9}", after):
            raise wrong_type("starting_after", "an integer", after)
        obfuscate = request.query.get("include_obfuscation") != "false"
        events = encode(response_events(stored.body), obfuscate=obfuscate, after=int(after))
        return Made(stored.body, chunks=events)
    if stored.steps:  # one step on
        stored.steps.pop(0)
        state.now += 1
        if not stored.steps and stored.body["completed_at"]:
            stored.body["completed_at"] = state.now
    return _shown(stored)


def delete(state: State, request: Request, stored: StoredResponse) -> Json:
    """Forget a response. What other responses were built on it can no longer be continued."""
    del state.responses[stored.body["id"]]
    state.drop_output(stored)
    return deleted(stored.body["id"], "response")


def cancel(state: State, request: Request, stored: StoredResponse, body: Json) -> Json:
    """End a response that runs in the background. One that is done, or was ended, stays so."""
    if not stored.body["background"]:
        raise refusal("not_in_background")
    if stored.steps:
        state.drop_output(stored)
        stored.body, stored.steps = _shown(stored) | {"status": "cancelled"}, []
    return stored.body


def list_input_items(state: State, request: Request, stored: StoredResponse) -> Json:
    """All that a response was made from, what came before `previous_response_id` included.

    So it was reported (openai/openai-openapi#491). Newest first unless `order=asc`.
    """
    earlier = history(stored.body["previous_response_id"], state)
    return list_page(earlier + stored.input_items, request)


def count_input_tokens(state: State, request: Request, body: Json) -> Json:
    return {"object": "response.input_tokens", "input_tokens": check_turn(body, state).tokens}


def compact(state: State, request: Request, body: Json) -> Json:
    """The user's messages as they are, and the rest in one sealed item to go on from."""
    turn = check_turn(body | {"input": body.get("input") or []}, state)
    asked = [item for item in turn.context.items if item.get("role") == "user"]
    item, tokens = compaction_item(turn.context.items, state)
    return {
        "id": state.new_id("resp"),
        "object": "response.compaction",
        "created_at": state.now,
        "output": [*listed(asked, state), item],
        "usage": usage(turn.tokens, cached_tokens(turn.parts, state.prefixes), tokens, 0),
    }
