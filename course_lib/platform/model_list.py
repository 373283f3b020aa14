"""`/v1/models`: the models this platform answers for, by name and by dated snapshot."""

import re
from calendar import timegm

from .embeddings import DIMENSIONS
from .errors import Json, refusal
from .http import Request
from .models import CARDS
from .state import EPOCH, State


def list_all(state: State, request: Request) -> Json:
    return {"object": "list", "data": [_model(name) for name in (*CARDS, *DIMENSIONS)]}


def retrieve(state: State, request: Request, name: str) -> Json:
    if name not in CARDS and name not in DIMENSIONS:
        raise refusal("model_not_listed", name=name)
    return _model(name)


def _model(name: str) -> Json:
    """Created on the day of the snapshot; one without a date on the platform's first day."""
    dated = CARDS[name].snapshot if name in CARDS else name
    day = re.search(r"(\d{4})-(\d\d)-(\d\d)$", dated)
    created = timegm((*map(int, day.groups()), 0, 0, 0)) if day else EPOCH
    return {"id": name, "object": "model", "created": created, "owned_by": "openai"}
