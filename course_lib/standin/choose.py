"""Which tool fits a request: a score from 0 to 1 for each, and the words that counted.

The score is a logistic model of some twenty features. `tools/fit_choice.py` fitted its weights on
the development sets it names, to tell the tool that was meant from the others and from none.
"""

import json
import math
from dataclasses import dataclass, field
from functools import cache

from .catalogue import IN_DESCRIPTION, Tool
from .fill import Filled
from .lexicon import DATA, verb_class, words
from .request import Request
from .text import Vector, importance, is_stop_word, matrix, stem

FEATURES = (
    "covered", "exact", "direction", "name mean", "name best", "name least", "covered weight",
    "unexplained weight", "missing", "filled", "evidence", "against", "unused values", "parameters",
    "covered x direction", "name mean x covered", "missing x covered", "own covered", "tells",
    "same act", "other act", "weakest pair", "values used", "asks", "own covered x tells",
    "log own covered", "log covered", "log exact", "missing x log own covered",
    "left over", "left over x missing",
)  # fmt: skip
DOES_MORE, DOES_ELSE, NOTHING_SHARED, NAMELESS = 1.0, 0.5, 2.0, 3.0  # off the logit
SAID = 0.8  # how surely a value fits that is said
SAYS_LITTLE = 3  # words in the name and the description
A_LITTLE = 0.03  # so that the logarithm of nothing is something
NEAR, COUNTS = 0.3, 0.15  # the least likeness of words, and the least share that is told
_VALUES, _NAMES = ("quoted", "url", "email", "path"), ("name", "id", "domain")


@dataclass(slots=True, eq=False)
class Wish:
    """What a request asks for: its content words, each with its weight, and their vectors."""

    words: tuple[str, ...]
    stems: tuple[str, ...]
    weights: Vector
    vectors: Vector
    direction: Vector
    total: float
    act: str  # the kind of act that is wanted: read, change, …


@dataclass(slots=True, eq=False)
class Relevance:
    """How a tool's words meet a request's, before any argument is looked for."""

    features: list[float]
    counted: list[str]
    own_covered: float = 0.0  # by the name and the description alone
    share: dict[str, float] = field(default_factory=dict)  # what each word of the wish counts

    @property
    def promise(self) -> float:
        """A first guess at the score, to pick the tools that are worth filling."""
        return self.features[6] + self.features[2] + self.features[3] - 0.5 * self.features[7]


def read_wish(request: Request) -> Wish:
    """The content words of a request; names count little, quotations nothing: they are values."""
    import numpy as np

    values = [v for v in request.values if v.kind in _VALUES]
    names = [v for v in request.values if v.kind in _NAMES]
    weights: dict[str, float] = {}
    for token in request.words:
        if is_stop_word(token.word) or any(v.start <= token.start < v.end for v in values):
            continue
        named = any(v.start <= token.start < v.end for v in names)
        weight = importance(token.word) * (0.35 if named else 1.0)
        weights[token.word] = max(weights.get(token.word, 0.0), weight)
    said = tuple(weights)
    vectors, heavy = matrix(said), np.array(list(weights.values()), np.float32)
    direction = heavy @ vectors
    norm = math.sqrt(float(direction @ direction)) + 1e-9
    return Wish(
        said,
        tuple(map(stem, said)),
        heavy,
        vectors,
        direction / norm,
        sum(weights.values()),
        verb_class([token.word for token in request.words]),
    )


def relevance(wish: Wish, tool: Tool, referred: frozenset[str] = frozenset()) -> Relevance:
    """Compare words.

    referred   stems of what another tool says this one is for
    """
    import numpy as np

    if not wish.words:
        return Relevance([0.0, 0.0, 0.0, 0.3, 0.3, 0.3, 0.0, 0.0], [])
    exact = np.array([_exact(s, tool, referred) for s in wish.stems], np.float32)
    if tool.words:
        close = (wish.vectors @ tool.vectors.T - NEAR * tool.word_weights) / (1 - NEAR)
        best = close.argmax(axis=1)
        top = np.maximum(close[np.arange(len(wish.words)), best], 0.0)
        own_close = np.where(tool.word_weights >= IN_DESCRIPTION, close, 0.0).max(axis=1)
    else:
        own_close = np.zeros(len(wish.words), np.float32)
        best, top = np.zeros(len(wish.words), int), np.zeros(len(wish.words), np.float32)
    match = np.maximum(exact, 0.9 * top)
    covered = float(match @ wish.weights)
    told = np.array([s in tool.explained or s in referred for s in wish.stems], np.float32)
    own_covered = float(np.maximum(told, 0.9 * own_close) @ wish.weights) / (wish.total + 0.3)
    own = np.maximum((wish.vectors @ tool.key_vectors.T).max(axis=0), 0.0).tolist()
    for i, word in enumerate(tool.key_words):
        if stem(word) in wish.stems:
            own[i] = 1.0
    share = match * wish.weights
    counted = [
        word if exact[i] >= 0.9 * top[i] else f"{word} ~ {tool.words[best[i]]}"
        for i, word in enumerate(wish.words)
        if share[i] > COUNTS
    ]
    own = own or [0.3]
    return Relevance(
        [
            covered / (wish.total + 0.3),
            float(exact @ wish.weights) / (wish.total + 0.3),
            float(wish.direction @ tool.direction),
            sum(own) / len(own),
            max(own),
            min(own),
            covered,
            wish.total - covered,
        ],
        counted,
        own_covered,
        dict(zip(wish.words, share.tolist(), strict=True)),
    )


def hint(wish: Wish, tool: Tool, referred: frozenset[str]) -> float:
    """A quick guess: the words in common, and the likeness of what is meant on the whole."""
    exact = sum(_exact(said, tool, referred) for said in wish.stems)
    return exact + 2 * float(wish.direction @ tool.direction)


NOT_LOOKED_AT = Relevance([0.0] * 8, [])


def _exact(said: str, tool: Tool, referred: frozenset[str]) -> float:
    return 1.0 if said in referred else tool.stems.get(said, 0.0)


def features(
    wish: Wish, tool: Tool, filled: Filled, request: Request, near: Relevance
) -> list[float]:
    """All features of a pair of request and tool, in the order of `FEATURES`."""
    against = sum(
        float(weight)
        for said, weight in zip(wish.stems, wish.weights, strict=True)
        if said in tool.against
    )
    unused = sum(
        value.kind not in ("phrase", "name", "predicate") and not value.spelled
        and not any(value.overlaps(used) for used in filled.used.values())
        for value in request.values
    )  # fmt: skip
    base, required = near.features, len(tool.required)
    missing = len(filled.missing) / max(required, 1)
    solid = [v for v in request.values if v.kind not in ("phrase", "predicate") and not v.spelled]
    spent = sum(any(v.overlaps(used) for used in filled.used.values()) for v in solid)
    needed = [filled.scores[p.label] for p in tool.required if p.label in filled.scores]
    same = bool(wish.act) and wish.act == tool.act
    left = _left_over(wish, near, filled, request, unused)
    log_own = math.log(A_LITTLE + near.own_covered)
    tells = min(len(tool.explained) / 8, 1.0)
    return [
        *base,
        missing,
        len(filled.arguments) / len(tool.parameters) if tool.parameters else 1.0,
        filled.evidence / max(len(filled.arguments), 1) if tool.parameters else SAID,
        against,
        float(unused),
        float(required),
        base[0] * base[2],
        base[3] * base[0],
        missing * base[0],
        near.own_covered,
        tells,
        float(same),
        float(bool(wish.act) and bool(tool.act) and not same),
        min(needed, default=0.6),
        spent / max(len(solid), 1),
        float(request.text.rstrip().endswith("?")),
        near.own_covered * tells,
        log_own,
        math.log(A_LITTLE + base[0]),
        math.log(A_LITTLE + base[1]),
        missing * log_own,
        left,
        left * missing,
    ]


def as_if_said(values: list[float]) -> list[float]:
    """The features as they would be if the request had stated all that the tool requires."""
    changed = dict(zip(FEATURES, values, strict=True))
    changed |= {"missing": 0.0, "missing x covered": 0.0, "missing x log own covered": 0.0}
    changed |= {"left over x missing": 0.0, "filled": 1.0, "evidence": SAID, "weakest pair": SAID}
    return list(changed.values())


def _left_over(wish: Wish, near: Relevance, filled: Filled, request: Request, unused: int) -> float:
    """The share of the request that neither the tool's words nor its arguments account for."""
    spent = {
        token.word
        for used in filled.used.values()
        for token in request.words
        if used.start <= token.start < used.end
    }
    left = sum(
        max(float(weight) - near.share.get(word, 0.0), 0.0)
        for word, weight in zip(wish.words, wish.weights, strict=True)
        if word not in spent
    )
    return (left + unused) / (wish.total + unused + 0.3)


@cache
def _weights() -> tuple[list[float], float]:
    fitted = json.loads((DATA / "choice.json").read_text(encoding="utf-8"))
    return [fitted["weights"][name] for name in FEATURES], fitted["bias"]


def score_of(
    values: list[float], wish: Wish, tool: Tool, near: Relevance, less: float = 0.0
) -> float:
    """The probability that the tool is the one that was meant.

    Two things are too rare in the data to be fitted: a tool that does something else than what
    was asked (cancels, where one asks to see), and one that says next to nothing of itself and
    shares no word.
    """
    weights, bias = _weights()
    bias -= less
    if wish.act and tool.act and wish.act != tool.act:
        bias -= DOES_MORE if wish.act == "read" else DOES_ELSE
    vague = len(tool.explained) <= SAYS_LITTLE
    if vague and near.own_covered < A_LITTLE and near.features[0] < A_LITTLE:
        bias -= NOTHING_SHARED
    elif tool.is_nameless and near.own_covered < A_LITTLE:
        bias -= NAMELESS
    total = bias + sum(w * v for w, v in zip(weights, values, strict=True))
    return 1 / (1 + math.exp(-max(min(total, 50.0), -50.0)))


def is_small_talk(request: Request) -> bool:
    """Thanks and greetings ask for nothing."""
    said = [t.word for t in request.words if not is_stop_word(t.word)]
    return (not said and not request.values) or (
        all(w in words("small_talk") for w in said) and bool(said)
    )
