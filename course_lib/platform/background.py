"""`background: true`: a response that is made while its client does something else.

The turn is run at once, but shown step by step: each look at it moves the simulated clock, from
queued to in progress to done. So a loop that polls ends, and always after as many looks.
"""

from .errors import Json
from .events import opening
from .state import State, StoredResponse

STEPS = ("queued", "in_progress")  # what is shown before the response itself


def begin(stored: StoredResponse) -> None:
    stored.steps = list(STEPS)


def look(stored: StoredResponse, state: State) -> Json:
    """One step on: the response as far as it is known."""
    if stored.steps:
        stored.steps.pop(0)
        state.now += 1
        if not stored.steps and stored.body["completed_at"]:
            stored.body["completed_at"] = state.now
    return shown(stored)


def shown(stored: StoredResponse) -> Json:
    """The response as its client may see it now."""
    if not stored.steps:
        return stored.body
    return opening(stored.body) | {"status": stored.steps[0]}


def cancel(stored: StoredResponse, state: State) -> Json:
    """End a response that is not done. One that is, or was cancelled before, stays as it is."""
    if stored.steps:
        state.drop_output(stored)
        stored.body = shown(stored) | {"status": "cancelled"}
        stored.steps = []
    return stored.body
