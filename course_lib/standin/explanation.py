"""Why the stand-in answered as it did: read by `show.choice`, never sent over the wire."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Candidate:
    """One tool that was weighed. `score` runs from 0 to 1; `words` are those that counted."""

    tool: str
    score: float
    words: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Argument:
    """One argument of a call, and where its value came from."""

    tool: str
    name: str
    value: Any
    source: str


@dataclass(slots=True)
class Explanation:
    """One decision: `because` is the sentence, the rest is the evidence for it."""

    because: str = ""
    candidates: list[Candidate] = field(default_factory=list)
    arguments: list[Argument] = field(default_factory=list)

    @property
    def margin(self) -> float:
        """How far the best candidate is ahead of the next; its own score if it stands alone."""
        scores = sorted((candidate.score for candidate in self.candidates), reverse=True)
        return scores[0] - (scores[1] if len(scores) > 1 else 0.0) if scores else 0.0
