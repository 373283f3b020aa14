"""`/v1/models`: the models this platform answers for, by name and by dated snapshot."""

import re
from calendar import timegm

from .embeddings import DIMENSIONS
from .errors import Json, refusal
from .http import Request
from .models import MODELS
from .state import EPOCH, State


def list_all(state: State, request: Request) -> Json:
    return {"object": "list", "data": [_model(name) for name in _names()]}


def retrieve(state: State, request: Request, name: str) -> Json:
    if name not in _names():
        raise refusal("model_not_listed", name=name)
    return _model(name)


def _names() -> list[str]:
    return [*dict.fromkeys([*MODELS, *(card.snapshot for card in MODELS.values()), *DIMENSIONS])]


def _model(name: str) -> Json:
    """Created on the day of the snapshot; one without a date on the platform's first day."""
    card = MODELS.get(name)
    day = re.search(r"(\d{4})-(\d\d)-(\d\d)$", card.snapshot if card else name)
    created = timegm((*map(int, day.groups()), 0, 0, 0)) if day else EPOCH
    return {"id": name, "object": "model", "created": created, "owned_by": "openai"}
