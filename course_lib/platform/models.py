"""The models the platform answers for, and what each one's replies and refusals carry.

Mined from recorded replies: the dated snapshot that comes back for a name, and the reasoning
effort, `top_p` and cache retention echoed when the request names none (contract B). The efforts
a model takes and its context window are the vendor's documented ones.
"""

import re
from calendar import timegm
from dataclasses import dataclass
from pathlib import Path

from .errors import Json, refusal
from .http import Request
from .state import EPOCH, State

TABLE = Path(__file__).with_name("data") / "models.txt"


@dataclass(frozen=True, slots=True)
class ModelCard:
    """One model. `efforts` is empty for a model that does not reason; `window` is in tokens."""

    snapshot: str
    effort: str | None  # in force when the request names none
    efforts: tuple[str, ...]
    top_p: float
    window: int
    retention: str
    phases: bool  # messages say whether they are commentary or the final answer
    programs: bool  # it writes programs that call tools
    context: str  # whose reasoning is kept, when the request does not say
    without: str  # a hosted tool that it does not have
    auto_only: bool  # beside hosted tools it chooses freely or not at all

    @property
    def reasons(self) -> bool:
        return bool(self.efforts)

    @classmethod
    def read(cls, row: str) -> tuple[str, "ModelCard"]:
        """The name in a row of the table, and its card."""
        name, snapshot, effort, efforts, top_p, window, retention, *more = row.split()
        return name, cls(
            snapshot,
            None if effort == "-" else effort,
            () if efforts == "-" else tuple(efforts.split(",")),
            float(top_p),
            int(window),
            retention,
            phases="phases" in more,
            programs="programs" in more,
            context="all_turns" if "all_turns" in more else "current_turn",
            without=" ".join(more).partition("without:")[2],
            auto_only="auto_only" in more,
        )


_ROWS = TABLE.read_text(encoding="utf-8").splitlines()
MODELS = dict(ModelCard.read(row) for row in _ROWS if not row.startswith("#"))
DIMENSIONS = {  # of those that embed
    "text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536,
}  # fmt: skip
CARDS = MODELS | {card.snapshot: card for card in MODELS.values()}  # by dated snapshot, too


def find_model(name: str, refused: str = "no_such_model") -> ModelCard:
    """The card of a model; ApiError, in the words of the endpoint, when there is none."""
    if name not in CARDS:
        raise refusal(refused, name=name, known=", ".join(MODELS))
    return CARDS[name]


# --- `/v1/models`


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
