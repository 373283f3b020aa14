"""The models the platform answers for, and what each one's replies carry.

Every row was mined from recorded replies: the dated snapshot that comes back for a name, the
`top_p` and the reasoning effort echoed when the request names none (contract B).
"""

from dataclasses import dataclass

from .errors import ApiError


@dataclass(frozen=True, slots=True)
class ModelCard:
    """One model: the dated name in replies and its defaults."""

    snapshot: str
    effort: str | None = None  # echoed when none is asked for; None: the model does not reason
    top_p: float = 1.0

    @property
    def reasons(self) -> bool:
        return self.effort is not None


MODELS = {
    "gpt-5.6": ModelCard("gpt-5.6-sol", "medium", 0.98),
    "gpt-5.6-sol": ModelCard("gpt-5.6-sol", "medium", 0.98),
    "gpt-5.6-luna": ModelCard("gpt-5.6-luna", "medium", 0.98),
    "gpt-5.6-terra": ModelCard("gpt-5.6-terra", "medium", 0.98),
    "gpt-5.5": ModelCard("gpt-5.5-2026-04-23", "medium", 0.98),
    "gpt-5.4": ModelCard("gpt-5.4-2026-03-05", "none", 0.98),
    "gpt-5.4-mini": ModelCard("gpt-5.4-mini-2026-03-17", "none", 0.98),
    "gpt-5.2": ModelCard("gpt-5.2-2025-12-11", "none", 0.98),
    "gpt-5": ModelCard("gpt-5-2025-08-07", "medium"),
    "gpt-5-mini": ModelCard("gpt-5-mini-2025-08-07", "medium"),
    "gpt-5-nano": ModelCard("gpt-5-nano-2025-08-07", "medium"),
    "gpt-5-pro": ModelCard("gpt-5-pro-2025-10-06", "high"),
    "gpt-5-codex": ModelCard("gpt-5-codex", "medium"),
    "o3": ModelCard("o3-2025-04-16", "medium"),
    "o3-mini": ModelCard("o3-mini-2025-01-31", "medium"),
    "o4-mini": ModelCard("o4-mini-2025-04-16", "medium"),
    "gpt-4.1": ModelCard("gpt-4.1-2025-04-14"),
    "gpt-4.1-mini": ModelCard("gpt-4.1-mini-2025-04-14"),
    "gpt-4.1-nano": ModelCard("gpt-4.1-nano-2025-04-14"),
    "gpt-4o": ModelCard("gpt-4o-2024-08-06"),
    "gpt-4o-mini": ModelCard("gpt-4o-mini-2024-07-18"),
}
_BY_SNAPSHOT = {card.snapshot: card for card in MODELS.values()}


def find_model(name: str) -> ModelCard:
    """The card of a model, by its name or its dated snapshot; ApiError when there is none."""
    card = MODELS.get(name) or _BY_SNAPSHOT.get(name)
    if card is None:
        raise ApiError(
            f"The requested model '{name}' does not exist.",
            param="model",
            code="model_not_found",
            hint=f"This platform knows {', '.join(MODELS)}.",
        )
    return card
