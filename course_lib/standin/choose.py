"""Which tool fits a request: a score from 0 to 1 for each, and the words that counted.

The score is a logistic model. `tools/fit_choice.py` fitted its weights on the development sets it
names, to tell the tool that was meant from the others and from none.
"""

import math
from dataclasses import dataclass
from operator import mul

from .catalogue import Tool
from .fill import Call, fill
from .lexicon import likelihood, words
from .request import Request
from .text import likeness

FEATURES = (
    "log covered", "log exact", "direction", "name", "against", "other act",
    "tells", "missing x covered", "filled", "log rest covered", "weakest pair",
)  # fmt: skip
# On the logit, too rare to be fitted: a tool that shares no word; one that shows such an id.
NOTHING_SHARED, SUCH_AN_ID = -2.0, 1.0
SAID = 0.9  # how surely a value fits that is said
A_LITTLE = 0.03  # so that the logarithm of nothing is something
COUNTS = 0.15  # the least share of a word that is told
WORTH_FILLING, MOST_FILLED = 1.0, 3  # only the likeliest tools have their arguments looked for


@dataclass(slots=True, eq=False)
class Ranked:
    """One tool weighed against a request."""

    call: Call
    share: list[float]  # what each word of the request counts
    features: dict[str, float]
    promise: float  # how likely it seems before any argument is looked for
    score: float = 0.0
    could: float = 0.0  # the score it would have if what it requires had been said

    @property
    def is_met(self) -> bool:
        """Whether any word counted."""
        return any(share > COUNTS for share in self.share)

    def reasons(self, request: Request) -> list[str]:
        """The words that counted."""
        said = zip(request.words, self.share, strict=True)
        counted = {token.word: None for token, share in said if share > COUNTS}
        return [self.call.tool.known_by.nearest(word) for word in counted]


def rank(request: Request, tools: list[Tool]) -> list[Ranked]:
    """All tools, best first."""
    found = [_compare(request, tool) for tool in tools]
    likely = sorted(found, key=lambda each: -each.promise)[:MOST_FILLED]
    for each in likely:
        if each.promise >= likely[0].promise - WORTH_FILLING:
            each.call = fill(each.call.tool, request)
    for each in found:
        each.features |= _of_call(request, each)
        each.score = each.could = score_of(each.features)
        if each.call.missing:
            whole = {"missing x covered": 0.0, "filled": 1.0, "weakest pair": math.log(SAID)}
            each.could = score_of(each.features | whole)
    return sorted(found, key=lambda each: -each.score)


def score_of(features: dict[str, float]) -> float:
    """The probability that the tool is the one that was meant."""
    unshared = NOTHING_SHARED if features["covered"] < A_LITTLE else 0.0
    more = SUCH_AN_ID if features["such an id"] else unshared
    return likelihood("choice", (features[name] for name in FEATURES), more)


def _compare(request: Request, tool: Tool) -> Ranked:
    """What can be said of a tool before any argument is looked for: how the words meet."""
    said, known, total = request.stem_weights, tool.known_by.stems, request.total + 0.3
    met = tool.known_by.met_by(request.stems, request.vectors) if request.words else []
    share = list(map(mul, met, request.weights))
    covered = sum(share) / total
    exact = sum(known[each] * said[each] for each in said.keys() & known.keys()) / total
    named = sum(likeness([key], request.content) ** 2 for key in tool.key_words)
    features = {
        "covered": covered,
        "log covered": math.log(A_LITTLE + covered),
        "log exact": math.log(A_LITTLE + exact),
        "direction": float(request.direction @ tool.direction),
        "name": named / max(len(tool.key_words), 1),
        "against": sum(said[each] for each in said.keys() & tool.against),
        "other act": float(bool(request.act and tool.act) and request.act != tool.act),
        "tells": min(len(tool.own.weights) / 8, 1.0),
    }
    promise = sum(share) + features["direction"] + features["name"]
    return Ranked(Call(tool, missing=list(tool.required)), share, features, promise)


def _of_call(request: Request, ranked: Ranked) -> dict[str, float]:
    """What the arguments say of a tool: what is missing, and what they leave over."""
    call, tool = ranked.call, ranked.call.tool
    spent = {i for used in call.used.values() for i in request.words_in(used.start, used.end)}
    asked = request.total - sum(request.weights[i] for i in spent)
    met = sum(ranked.share) - sum(ranked.share[i] for i in spent)
    needed = [call.scores[p.label] for p in tool.required if p.label in call.scores]
    ids = ((p, call.used[p.label]) for p in tool.parameters if p.label in call.used)
    missing = len(call.missing) / max(len(tool.required), 1)
    return {
        "such an id": any(v.kind == "id" and p.shows(v.text) for p, v in ids),
        "missing x covered": missing * ranked.features["covered"],
        "filled": len(call.arguments) / len(tool.parameters) if tool.parameters else 1.0,
        "log rest covered": math.log(A_LITTLE + max(met, 0.0) / asked) if asked > 1e-9 else 0.0,
        "weakest pair": math.log(min(needed, default=SAID)),
    }


def is_small_talk(request: Request) -> bool:
    """Thanks and greetings ask for nothing; how much is 15% of 240 does."""
    if any(value.kind == "number" for value in request.values):
        return False
    said = [t.word for t, stop in zip(request.words, request.stops, strict=True) if not stop]
    return all(word in words("small_talk") for word in said) and bool(said or not request.values)
