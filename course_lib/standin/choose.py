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
    "tells", "missing x covered", "filled", "log rest covered", "weakest pair", "unused values",
)  # fmt: skip
DOES_ELSE, NOTHING_SHARED, NAMELESS = 0.8, 2.0, 3.0  # off the logit
PASSED_OVER = 1.0  # off the logit of a tool that has no place for such a value, if another has
UNMISTAKABLE = frozenset(("email", "url", "phone"))
SAID = 0.9  # how surely a value fits that is said
A_LITTLE = 0.03  # so that the logarithm of nothing is something
COUNTS = 0.15  # the least share of a word that is told
WORTH_FILLING, MOST_FILLED = 1.0, 4  # only the likeliest tools have their arguments looked for


@dataclass(slots=True, eq=False)
class Ranked:
    """One tool weighed against a request."""

    call: Call
    share: list[float]  # what each word of the request counts
    features: dict[str, float]
    score: float = 0.0
    could: float = 0.0  # the score it would have if what it requires had been said

    def reasons(self, request: Request) -> list[str]:
        """The words that counted."""
        said = zip(request.words, self.share, strict=True)
        counted = {token.word: None for token, share in said if share > COUNTS}
        return [self.call.tool.known_by.nearest(word) for word in counted]


def rank(request: Request, tools: list[Tool]) -> list[Ranked]:
    """All tools, best first."""
    found = [_compare(request, tool) for tool in tools]
    likely = sorted(found, key=lambda each: -each.features["promise"])[:MOST_FILLED]
    for each in likely:
        if each.features["promise"] >= likely[0].features["promise"] - WORTH_FILLING:
            each.call = fill(each.call.tool, request)
    claimed = [v for each in likely for v in each.call.used.values() if v.kind in UNMISTAKABLE]
    for each in found:
        less = PASSED_OVER * any(not each.call.spends(value) for value in claimed)
        each.features |= _of_call(request, each)
        each.score = each.could = score_of(each.features, less)
        if each.call.missing:
            each.could = score_of(as_if_said(each.features), less)
    return sorted(found, key=lambda each: -each.score)


def _compare(request: Request, tool: Tool) -> Ranked:
    """What can be said of a tool before any argument is looked for: how the words meet."""
    weights, total = request.weights, sum(request.weights) + 0.3
    stems, vectors = request.stems, request.vectors

    def covered(met: list[float]) -> float:
        return float(sum(map(mul, met, weights))) / total

    met = tool.known_by.met_by(stems, vectors) if stems else []
    features = {
        "covered": covered(met),
        "exact": covered([tool.known_by.stems.get(s, 0.0) for s in stems]),
        "direction": float(request.direction @ tool.direction),
        "name": sum(likeness([key], [*request.content]) ** 2 for key in tool.key_words)
        / max(len(tool.key_words), 1),
        "against": sum(w for s, w in zip(stems, weights, strict=True) if s in tool.against),
        "other act": float(bool(request.act and tool.act) and request.act != tool.act),
        "tells": min(len(tool.own.weights) / 8, 1.0),
    }
    # a name that says nothing leaves it to the description
    nameless = (
        tool.is_nameless and covered(tool.own.met_by(stems, vectors) if stems else []) < A_LITTLE
    )
    features["says nothing"] = float(nameless)
    for name in ("covered", "exact"):
        features[f"log {name}"] = math.log(A_LITTLE + features[name])
    features["promise"] = features["covered"] * total + features["direction"] + features["name"]
    call = Call(tool, missing=list(tool.required))
    return Ranked(call, list(map(mul, met, weights)), features)


def _of_call(request: Request, ranked: Ranked) -> dict[str, float]:
    """What the arguments say of a tool: what is missing, and what they leave over."""
    call = ranked.call
    missing = len(call.missing) / max(len(call.tool.required), 1)
    unused = sum(
        value.kind not in ("phrase", "name", "predicate") and not value.spelled
        and not call.spends(value)
        for value in request.values
    )  # fmt: skip
    spent = {i for used in call.used.values() for i in request.words_in(used.start, used.end)}
    rest = [i for i, weight in enumerate(request.weights) if weight and i not in spent]
    asked = sum(request.weights[i] for i in rest)
    met = sum(min(ranked.share[i], request.weights[i]) for i in rest)
    filled = len(call.arguments) / len(call.tool.parameters) if call.tool.parameters else 1.0
    needed = [call.scores[p.label] for p in call.tool.required if p.label in call.scores]
    return {
        "missing x covered": missing * ranked.features["covered"],
        "filled": filled,
        "log rest covered": math.log(A_LITTLE + met / asked) if asked else 0.0,
        "weakest pair": math.log(min(needed, default=SAID)),
        "unused values": float(unused),
    }


def as_if_said(features: dict[str, float]) -> dict[str, float]:
    """The features as they would be if the request had stated all that the tool requires."""
    whole = {"missing x covered": 0.0, "filled": 1.0}
    return features | whole | {"weakest pair": math.log(SAID)}


def score_of(features: dict[str, float], less: float = 0.0) -> float:
    """The probability that the tool is the one that was meant.

    Three things are too rare in the data to be fitted: a tool that does something else than what
    was asked (cancels, where one asks to see), one that shares no word nor a near one, and one
    whose name says nothing and whose description shares no word.
    """
    if features["other act"]:
        less += DOES_ELSE
    if features["covered"] < A_LITTLE:
        less += NOTHING_SHARED
    elif features["says nothing"]:
        less += NAMELESS
    return likelihood("choice", (features[name] for name in FEATURES), less)


def is_small_talk(request: Request) -> bool:
    """Thanks and greetings ask for nothing; how much is 15% of 240 does."""
    if any(value.kind == "number" for value in request.values):
        return False
    said = [t.word for t, stop in zip(request.words, request.stops, strict=True) if not stop]
    return all(word in words("small_talk") for word in said) and bool(said or not request.values)
