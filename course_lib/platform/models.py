"""The models the platform answers for, and what each one's replies and refusals carry.

Mined from recorded replies: the dated snapshot that comes back for a name, and the reasoning
effort, `top_p` and cache retention echoed when the request names none (contract B). The efforts
a model takes and its context window are the vendor's documented ones.
"""

from dataclasses import dataclass

from .errors import ApiError, refusal

CLASSIC = ("minimal", "low", "medium", "high")
O_SERIES = ("low", "medium", "high")
WITH_NONE = ("none", "low", "medium", "high", "xhigh")
NEWEST = (*WITH_NONE, "max")


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


def _newest(snapshot: str) -> ModelCard:
    return ModelCard(
        snapshot,
        "medium",
        NEWEST,
        0.98,
        1_050_000,
        "24h",
        phases=True,
        programs=True,
        context="all_turns",
    )


def _five(snapshot: str, effort: str = "medium", efforts: tuple[str, ...] = CLASSIC) -> ModelCard:
    return ModelCard(snapshot, effort, efforts)


def _o(snapshot: str) -> ModelCard:
    return ModelCard(snapshot, "medium", O_SERIES, window=200_000)


MODELS = {
    "gpt-5.6": _newest("gpt-5.6-sol"),
    "gpt-5.6-sol": _newest("gpt-5.6-sol"),
    "gpt-5.6-luna": _newest("gpt-5.6-luna"),
    "gpt-5.6-terra": _newest("gpt-5.6-terra"),
    "gpt-5.5": ModelCard(
        "gpt-5.5-2026-04-23", "medium", WITH_NONE, 0.98, 1_050_000, "24h", phases=True
    ),
    "gpt-5.4": ModelCard(
        "gpt-5.4-2026-03-05", "none", WITH_NONE, 0.98, 1_050_000, "24h", phases=True
    ),
    "gpt-5.4-mini": ModelCard("gpt-5.4-mini-2026-03-17", "none", WITH_NONE, 0.98, phases=True),
    "gpt-5.2": ModelCard("gpt-5.2-2025-12-11", "none", WITH_NONE, 0.98),
    "gpt-5.2-pro": ModelCard("gpt-5.2-pro-2025-12-11", "medium", ("medium", "high", "xhigh")),
    "gpt-5": _five("gpt-5-2025-08-07"),
    "gpt-5-mini": _five("gpt-5-mini-2025-08-07"),
    "gpt-5-nano": _five("gpt-5-nano-2025-08-07"),
    "gpt-5-pro": _five("gpt-5-pro-2025-10-06", "high", ("high",)),
    "gpt-5-codex": _five("gpt-5-codex", efforts=O_SERIES),
    "o3": _o("o3-2025-04-16"),
    "o3-pro": _o("o3-pro-2025-06-10"),
    "o3-mini": _o("o3-mini-2025-01-31"),
    "o4-mini": _o("o4-mini-2025-04-16"),
    "computer-use-preview": _o("computer-use-preview-2025-03-11"),
    "gpt-4.1": ModelCard("gpt-4.1-2025-04-14", window=1_047_576),
    "gpt-4.1-mini": ModelCard("gpt-4.1-mini-2025-04-14", window=1_047_576),
    "gpt-4.1-nano": ModelCard("gpt-4.1-nano-2025-04-14", window=1_047_576),
    "gpt-4o": ModelCard("gpt-4o-2024-08-06", window=128_000),
    "gpt-4o-mini": ModelCard("gpt-4o-mini-2024-07-18", window=128_000),
    "gpt-4": ModelCard("gpt-4-0613", window=8_192),
    "gpt-4-turbo-preview": ModelCard("gpt-4-0125-preview", window=128_000),
    "gpt-3.5-turbo": ModelCard("gpt-3.5-turbo-0125", window=16_385),
}
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
