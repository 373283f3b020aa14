"""The models the platform answers for, and what each one's replies and refusals carry.

Mined from recorded replies: the dated snapshot that comes back for a name, and the reasoning
effort, `top_p` and cache retention echoed when the request names none (contract B). The efforts
a model takes and its context window are the vendor's documented ones.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .errors import ApiError, refusal

TABLE = Path(__file__).with_name("data") / "models.txt"


@dataclass(frozen=True, slots=True)
class ModelCard:
    """One model. `efforts` is empty for a model that does not reason; `window` is in tokens."""

    snapshot: str
    effort: str | None = None  # in force when the request names none
    efforts: tuple[str, ...] = ()
    top_p: float = 1.0
    window: int = 400_000
    retention: str = "in_memory"
    phases: bool = False  # messages say whether they are commentary or the final answer
    programs: bool = False  # it writes programs that call tools
    context: str = "current_turn"  # whose reasoning is kept, when the request does not say

    @property
    def reasons(self) -> bool:
        return bool(self.efforts)


def _cards() -> Iterator[tuple[str, ModelCard]]:
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, snapshot, effort, efforts, top_p, window, retention, *more = line.split()
            yield (
                name,
                ModelCard(
                    snapshot,
                    None if effort == "-" else effort,
                    () if efforts == "-" else tuple(efforts.split(",")),
                    float(top_p),
                    int(window),
                    retention,
                    phases="phases" in more,
                    programs="programs" in more,
                    context="all_turns" if "all_turns" in more else "current_turn",
                ),
            )


MODELS = dict(_cards())
_BY_SNAPSHOT = {card.snapshot: card for card in MODELS.values()}


def find_card(name: str) -> ModelCard | None:
    """The card of a model, by its name or its dated snapshot."""
    return MODELS.get(name) or _BY_SNAPSHOT.get(name)


def find_model(name: str) -> ModelCard:
    """The same for a request to Responses; ApiError when there is no such model."""
    card = find_card(name)
    if card is None:
        raise refusal("no_such_model", name=name, known=", ".join(MODELS))
    return card


def unknown_model(name: str) -> ApiError:
    """What the older endpoints say of a model that is not there (contract A2, "Model")."""
    return refusal("no_access_to_model", name=name, known=", ".join(MODELS))
