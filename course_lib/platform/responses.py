"""The endpoints of `/v1/responses`: create, and what one can do with a response afterwards.

Each takes the platform's state and the request, and returns the reply's JSON; `app.py` does the
routing and the bytes.
"""

from ..standin.prompt import Model
from .engine import Made, check_turn, run_turn
from .errors import GAP, ApiError, Json
from .events import encode, response_events
from .faults import Fault
from .http import Request
from .pages import list_page
from .state import State, StoredResponse


def create(body: Json, state: State, model: Model, fault: Fault | None) -> Made:
    stored = run_turn(body, state, model)
    if not body.get("stream"):
        return Made(stored.body, stored.explanation)
    events = response_events(stored.body)
    if fault is not None:
        events = fault.break_stream(events)
    options = body.get("stream_options") or {}
    obfuscate = options.get("include_obfuscation") is not False
    return Made(stored.body, stored.explanation, encode(events, obfuscate=obfuscate))


def retrieve(state: State, request: Request, response_id: str) -> Json:
    return _find(state, response_id).body


def delete(state: State, request: Request, response_id: str) -> Json:
    """Forget a response. What other responses were built on it can no longer be continued."""
    state.forget(_find(state, response_id))
    return {"id": response_id, "object": "response", "deleted": True}


def cancel(state: State, request: Request, response_id: str, body: Json) -> Json:
    """Only a response that runs in the background can be cancelled."""
    stored = _find(state, response_id)
    if not stored.body["background"]:
        raise ApiError("Cannot cancel a synchronous response.", code=GAP)
    return stored.body


def list_input_items(state: State, request: Request, response_id: str) -> Json:
    """The input items of the request that made a response, newest first unless `order=asc`."""
    return list_page(_find(state, response_id).input_items, request)


def count_input_tokens(state: State, request: Request, body: Json) -> Json:
    return {"object": "response.input_tokens", "input_tokens": check_turn(body, state).tokens}


def _find(state: State, response_id: str) -> StoredResponse:
    stored = state.responses.get(response_id)
    if stored is None:
        raise ApiError(
            f"Response with id '{response_id}' not found.",
            code=GAP,
            status=404,
            hint="It was never made here, was deleted, or was made with store=False.",
        )
    return stored
