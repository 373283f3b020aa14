"""Which tools a request is for, and the calls that it asks for.

The score of a tool, from 0 to 1, is a logistic model's. `tools/fit_choice.py` fitted its weights on
the development sets it names, to tell the tool that was meant from the others and from none.
A clause that asks for something of its own chooses its own tool; one that only adds detail belongs
to the clause before it. Within a wish, values that repeat a parameter make further calls.
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from operator import mul

from .fill import Call, Reading, choose_option, fill
from .forms import shape
from .lexicon import likelihood, pattern, words
from .request import Request
from .schema import items_of
from .text import likeness
from .tool import Tool, compile_tools
from .values import Value

FEATURES = (
    "log exact", "direction", "name", "against", "other act",
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


# --- from the request to calls -------------------------------------------------------------------

THRESHOLD = 0.35  # below it the model does not call
ASK_FROM = 0.6  # how likely a tool must be, if all had been said, to ask for what was not
MOST_TOOLS, MOST_CLAUSES, MOST_CALLS = 8, 40, 40
AGAIN = 0.3  # how likely another value of a parameter must be, beside the first
LEAVING, LEAVING_MIDWAY = 0.5, 1.5  # what it costs to go to another tool: at a wish, elsewhere
Span = tuple[int, int]


def plan(request: Request, tools: list[Tool]) -> tuple[list[Call], list[Ranked]]:
    """The calls a request asks for, and all tools weighed against the whole of it."""
    ranked = rank(request, tools)
    wishes = _wishes(request, ranked)
    if len(wishes) > 1:
        found = [call for k in range(len(wishes)) for call in _calls_for(request, wishes, k)]
        return _unique(found), ranked
    likely = ranked and ranked[0].score >= THRESHOLD
    if likely and not (found := calls_of(ranked[0].call, request))[0].missing:
        return found, ranked
    lacking = [each for each in ranked if each.call.missing and each.could >= ASK_FROM]
    best = max(lacking, key=lambda each: each.could, default=None)
    return [best.call] if best else [], ranked  # what it lacks is asked for


# --- several tools: the request is cut into wishes ------------------------------------------------


def _wishes(request: Request, ranked: list[Ranked]) -> list[tuple[Span, Tool]]:
    """Where each wish stands, and its tool."""
    cuts = _cuts(request)
    if len(cuts) < 2 or len(ranked) < 2:
        return []
    found: list[tuple[Span, Tool]] = []
    for (start, end), each in zip(cuts, _tools_of(request, cuts, ranked[:MOST_TOOLS]), strict=True):
        if found and found[-1][1] is each.call.tool:
            start = found.pop()[0][0]
        found.append(((start, end), each.call.tool))
    return found


def _calls_for(request: Request, wishes: list[tuple[Span, Tool]], k: int) -> list[Call]:
    """The calls of one wish; what it leaves unsaid is read with the wish before it, or after."""
    tool = wishes[k][1]
    for first, last in ((k, k), (max(k - 1, 0), k), (k, min(k + 1, len(wishes) - 1))):
        part = request.part(wishes[first][0][0], wishes[last][0][1])
        call = fill(tool, part)
        if not call.missing:
            break
    return calls_of(call, part) if call.arguments or not tool.required else []


def _tools_of(request: Request, cuts: list[Span], ranked: list[Ranked]) -> list[Ranked]:
    """The tool of each clause: the dearest way through all clauses."""
    ways: list[tuple[float, list[Ranked]]] = [(0.0, [])] * len(ranked)  # by the tool they end with
    for span in cuts:
        inside = request.words_in(*span)
        said = [request.words[i].word for i in inside]
        first = next((word for word in said if word not in words("connectives")), "")
        counted = not words("ordinals").isdisjoint(said[:1])
        wish = counted or first in words("wish_verbs") or first in words("question_words")
        worth, way = max(ways, key=lambda each: each[0])
        left = (worth - (LEAVING if wish else LEAVING_MIDWAY), way)
        came = [max(own, left, key=lambda each: each[0]) for own in ways]
        ways = [
            (worth + sum(each.share[i] for i in inside), [*way, each])
            for each, (worth, way) in zip(ranked, came, strict=True)
        ]
    return max(ways, key=lambda each: each[0])[1]


def _cuts(request: Request) -> list[Span]:
    """The request cut where a new wish may begin; never inside a value or a quotation."""
    inside = [(v.start, v.end) for v in request.values if v.kind not in ("phrase", "predicate")]
    parts: list[Span] = []
    begin = 0
    for match in pattern("cut").finditer(request.text):
        if any(start < match.end() and match.start() < end for start, end in inside):
            continue
        if len(request.text[begin : match.start()].split()) >= 2 and len(parts) < MOST_CLAUSES:
            parts.append((begin, match.start()))
            begin = match.end()
    return [*parts, (begin, len(request.text))]


# --- one tool, several times ----------------------------------------------------------------------


def calls_of(call: Call, request: Request) -> list[Call]:
    """The calls of one tool: as many as the request has values for one of its parameters.

    "5 metres wide and 3 high, and another 2 by 1" makes two. What a call does not repeat it takes
    over from the first.
    """
    _fill_rows(call, request)
    repeated = _repeated(call, request)
    counts = [
        len(repeated[p.label]) for p in call.tool.parameters if p.label in repeated
        and (p.required or len(request.list_of(call.used[p.label])) > 1)
    ]  # fmt: skip
    count = min(max(counts, default=0), MOST_CALLS)
    if count < 2:
        return [call]
    full = [values for values in repeated.values() if len(values) >= count]
    begins = [0, *(min(v[k].start for v in full) for k in range(1, count)), len(request.text)]
    calls = []
    for k, (begin, end) in enumerate(pairwise(begins)):
        own = Call(call.tool, dict(call.arguments), dict(call.sources), list(call.missing))
        for parameter in call.tool.parameters:
            if several := repeated.get(parameter.label):
                near = (v for v in several if begin <= v.start < end)
                there = several[k] if len(several) == count else next(near, several[0])
                data = shape(parameter, there, request)
                if data is not None:
                    own.put(parameter, data, f"{there.text!r} in the request", there)
            elif chosen := choose_option(parameter, request.part(begin, end)):
                own.put(parameter, *chosen)
        calls.append(own)
    return _unique(calls)


def _repeated(call: Call, request: Request) -> dict[str, list[Value]]:
    """For each parameter that one value fills: all values that the request has for it, in order.

    These are the values of its list, and those of its kind that something joins to it and that fit
    it nearly as well.
    """
    found = {label: [value] for label, value in call.used.items() if label in call.scores
             and value.kind != "list"}  # fmt: skip
    left = [value for value in request.values if not call.spends(value)]
    if not any(value.kind != "phrase" or len(request.list_of(value)) > 1 for value in left):
        return found  # as it mostly is
    places = {p.label: i for i, p in enumerate(call.tool.parameters)}
    reading = Reading(call.tool, request)
    for value in reading.values[: 5 * MOST_CALLS]:
        if call.spends(value):
            continue
        likely = []
        for label, (first, *_) in found.items():
            listed = any(value.overlaps(each) for each in request.list_of(first))
            if listed or _says_again(first, value, request):
                score, part = reading.score(places[label], value)
                if listed or score >= AGAIN * call.scores[label]:
                    likely.append((score / call.scores[label], -places[label], label, part))
        if likely:
            _, _, label, part = max(likely, key=lambda each: each[:2])
            found[label].append(part)
    return {label: sorted(values, key=lambda v: v.start) for label, values in found.items()}


def _says_again(first: Value, other: Value, request: Request) -> bool:
    """Whether a value may say again what another of its kind says: something joins the two."""
    gap = request.text[min(first.end, other.end) : max(first.start, other.start)]
    same = (first.kind, first.spelled, first.unit) == (other.kind, other.spelled, other.unit)
    return same and first.kind != "phrase" and bool(pattern("joins").search(gap))


def _fill_rows(call: Call, request: Request) -> None:
    """An array of objects takes one member for each call that its own object would make."""
    for parameter in call.tool.parameters:
        inner = items_of(parameter.schema)
        if parameter.is_list and inner.get("properties") and parameter.label not in call.arguments:
            declared = {"name": parameter.label, "description": parameter.about}
            [member] = compile_tools([declared | {"parameters": inner}])
            rows = calls_of(fill(member, request), request)
            members = [dict(row.arguments) for row in rows if row.arguments and not row.missing]
            if members and all("." not in label for row in members for label in row):
                call.put(parameter, members, "one member for each that the request names")


def _unique(calls: list[Call]) -> list[Call]:
    found: list[Call] = []
    for call in calls:
        if not any(c.tool is call.tool and c.arguments == call.arguments for c in found):
            found.append(call)
    return found
