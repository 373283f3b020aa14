"""From a request to calls: the request cut into wishes, each with its tool and its calls.

A clause that asks for something of its own chooses its own tool; one that only adds detail
belongs to the clause before it. Within a wish, values that repeat a parameter make further calls.
"""

from itertools import pairwise

from .catalogue import Tool, compile_tools
from .choose import Ranked, rank
from .fill import Call, choose_option, fill
from .forms import shape
from .lexicon import pattern, words
from .pairs import Reading
from .request import Request
from .schema import items_of
from .values import Value

THRESHOLD = 0.4  # below it the model does not call
ASK_FROM = 0.6  # how likely a tool must be, if all had been said, to ask for what was not
MOST_TOOLS, MOST_CLAUSES, MOST_CALLS = 8, 40, 40
AGAIN = 0.3  # how likely another value of a parameter must be, beside the first
LEAVING, LEAVING_MIDWAY = 0.5, 1.0  # what it costs to go to another tool: at a wish, elsewhere
Span = tuple[int, int]


def plan(request: Request, tools: list[Tool]) -> tuple[list[Call], list[Ranked]]:
    """The calls a request asks for, and all tools weighed against the whole of it."""
    ranked = rank(request, tools)
    wishes = _wishes(request, ranked)
    if len(wishes) > 1:
        found = [call for k in range(len(wishes)) for call in _calls_for(request, wishes, k)]
        return _unique(found), ranked
    if ranked and ranked[0].score >= THRESHOLD:
        return calls_of(ranked[0].call, request), ranked
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
