"""From a request to calls: the request cut into wishes, each with its tool and its calls.

A clause that asks for something of its own chooses its own tool; one that only adds detail
belongs to the clause before it. Within a wish, values that repeat a parameter make further calls.
"""

from collections.abc import Sequence

from .catalogue import Tool, compile_tools
from .choose import Ranked, rank
from .fill import Call, choose_option, fill
from .forms import shape
from .lexicon import pattern, words
from .pairs import Reading
from .parameters import Parameter
from .request import Request
from .schema import items_of
from .values import Value

THRESHOLD = 0.4  # below it the model does not call
ASK_FROM = 0.6  # how likely a tool must be, if all had been said, to ask for what was not
MOST_TOOLS, MOST_CLAUSES, MOST_CALLS = 8, 40, 40
# How likely another value must be, beside the first; the same if it is like that one alone.
AGAIN, AGAIN_ALONE = 0.5, 0.3
# What it costs to go to another tool: where the request counts ("second"), at a wish, elsewhere.
LEAVING_TOLD, LEAVING, LEAVING_MIDWAY = 0.2, 0.5, 1.0
Wish = tuple[tuple[int, int], Tool]  # where it begins and ends, and its tool


def plan(request: Request, tools: list[Tool]) -> tuple[list[Call], list[Ranked]]:
    """The calls a request asks for, and all tools weighed against the whole of it."""
    ranked = rank(request, tools)
    wishes = _wishes(request, ranked)
    if len(wishes) < 2:
        if not ranked or ranked[0].score < THRESHOLD:
            return _to_ask_for(ranked), ranked
        return calls_of(ranked[0].call, request), ranked
    found = [call for k in range(len(wishes)) for call in _calls_for(request, wishes, k)]
    return _unique(found), ranked


def _calls_for(request: Request, wishes: list[Wish], k: int) -> list[Call]:
    """The calls of one wish; what it leaves unsaid is read with the wish before it, or after."""
    _, tool = wishes[k]
    for first, last in ((k, k), (max(k - 1, 0), k), (k, min(k + 1, len(wishes) - 1))):
        part = request.part(wishes[first][0][0], wishes[last][0][1])
        call = fill(tool, part)
        if not call.missing:
            break
    return calls_of(call, part) if call.arguments or not tool.required else []


def _to_ask_for(ranked: list[Ranked]) -> list[Call]:
    """The call that only lacks what was not said: it is asked for."""
    lacking = [each for each in ranked if each.call.missing and each.could >= ASK_FROM]
    best = max(lacking, key=lambda each: each.could, default=None)
    return [best.call] if best else []


# --- several tools: the request is cut into wishes ------------------------------------------------


def _wishes(request: Request, ranked: list[Ranked]) -> list[Wish]:
    """The wishes of a request, if there are several."""
    cuts = _cuts(request)
    if len(cuts) < 2 or len(ranked) < 2:
        return []
    labels = _labels(request, cuts, ranked[:MOST_TOOLS])
    found: list[Wish] = []
    begin = 0
    for i in range(1, len(cuts) + 1):
        if i == len(cuts) or labels[i] != labels[begin]:
            span = cuts[begin][0], cuts[i - 1][1]
            found.append((span, ranked[labels[begin]].call.tool))
            begin = i
    return found


def _labels(request: Request, cuts: list[tuple[int, int]], ranked: list[Ranked]) -> list[int]:
    """For each clause the number of its tool: the dearest way through all clauses (Viterbi)."""
    tools = range(len(ranked))
    best, came = [0.0] * len(ranked), []
    for start, end in cuts:
        inside = request.words_in(start, end)
        said = [request.words[i].word for i in inside]
        own = [sum(each.share[i] for i in inside) for each in ranked]
        leave = LEAVING if _begins_a_wish(said) else LEAVING_MIDWAY
        if said and said[0] in words("ordinals"):
            leave = LEAVING_TOLD
        if pattern("statement").match(request.text, start, end):
            leave += LEAVING
        top = max(tools, key=lambda t: best[t])
        came.append([t if best[t] >= best[top] - leave else top for t in tools])
        best = [max(best[t], best[top] - leave) + own[t] for t in tools]
    labels = [max(tools, key=lambda t: best[t])]
    for step in reversed(came[1:]):
        labels.append(step[labels[-1]])
    return labels[::-1]


def _begins_a_wish(said: Sequence[str]) -> bool:
    """Whether a clause begins as a request does: with a verb of asking, or a question word."""
    first = next((word for word in said if word not in words("connectives")), "")
    return first in words("wish_verbs") or first in words("question_words")


def _cuts(request: Request) -> list[tuple[int, int]]:
    """The request cut where a new wish may begin; never inside a value or a quotation."""
    inside = [(v.start, v.end) for v in request.values if v.kind not in ("phrase", "predicate")]
    parts: list[tuple[int, int]] = []
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
    over from its neighbours.
    """
    tool = call.tool
    _fill_rows(call, request)
    repeated = _repeated(call, request)
    keys = [p.label for p in tool.parameters if p.required or _is_listed(call, p, request)]
    count = max((len(repeated.get(label, ())) for label in keys), default=0)
    if count < 2:
        return [call]
    full = [values for values in repeated.values() if len(values) >= count]
    begins = [0, *(min(v[k].start for v in full) for k in range(1, count)), len(request.text)]
    calls = []
    for k in range(min(count, MOST_CALLS)):
        own = Call(tool, dict(call.arguments), dict(call.sources), list(call.missing))
        segment = request.part(begins[k], begins[k + 1])
        for parameter in tool.parameters:
            if several := repeated.get(parameter.label):
                same = len(several) == count
                there = several[k] if same else _closest(several, begins[k], begins[k + 1])
                data = shape(parameter, there, request)
                if data is not None:
                    own.put(parameter, data, f"{there.text!r} in the request", there)
            elif chosen := choose_option(parameter, segment):
                own.put(parameter, *chosen)
        calls.append(own)
    return _unique(calls)


def _is_listed(call: Call, parameter: Parameter, request: Request) -> bool:
    used = call.used.get(parameter.label)
    return used is not None and len(request.list_of(used)) > 1


def _repeated(call: Call, request: Request) -> dict[str, list[Value]]:
    """For each parameter that one value fills: all values that the request has for it, in order.

    What is left over goes to the parameter whose own value it is like, and fits nearly as well.
    """
    taken = [(p, each, call.used[each.label]) for p, each in enumerate(call.tool.parameters)
             if each.label in call.scores
             and (not each.is_list or call.used[each.label].kind == "array")]  # fmt: skip
    found = {parameter.label: [value] for _, parameter, value in taken}
    left = (value for value in request.values if not call.spends(value))
    if not any(v.kind != "phrase" or len(request.list_of(v)) > 1 for v in left):
        return found  # as it mostly is
    reading = Reading(call.tool, request)
    for value in reading.values:
        if call.spends(value) or len(found) > MOST_CALLS:
            continue
        alike = [each for each in taken if _is_like(each[2], value, request)]
        bar = AGAIN if len(alike) > 1 else AGAIN_ALONE
        likely = []
        for p, parameter, first in alike:
            score, part = reading.score(p, value)
            ratio = score / call.scores[parameter.label]
            if ratio >= bar or any(value.overlaps(each) for each in request.list_of(first)):
                likely.append((ratio, -p, parameter, part))
        if likely:
            _, _, parameter, part = max(likely, key=lambda each: each[:2])
            found[parameter.label].append(part)
    return {label: sorted(values, key=lambda v: v.start) for label, values in found.items()}


def _is_like(first: Value, other: Value, request: Request) -> bool:
    """Whether a value may say again what another says: in a list with it, or as one of its kind."""
    if any(other.overlaps(each) for each in request.list_of(first)):
        return True
    gap = request.text[min(first.end, other.end) : max(first.start, other.start)]
    same = (first.kind, first.spelled, first.unit) == (other.kind, other.spelled, other.unit)
    return same and first.kind != "phrase" and bool(pattern("joins").search(gap))


def _closest(values: list[Value], begin: int, end: int) -> Value:
    """The value that stands with a call's own: after it, or else the last one before."""
    after = [value for value in values if begin <= value.start < end]
    before = [value for value in values if value.start < begin]
    return after[0] if after else before[-1] if before else values[0]


def _fill_rows(call: Call, request: Request) -> None:
    """An array of objects takes one member for each call that its own object would make."""
    for parameter in call.tool.parameters:
        inner = items_of(parameter.schema)
        if parameter.is_list and inner.get("properties") and parameter.label not in call.arguments:
            declared = {"name": parameter.label, "description": parameter.about}
            [member] = compile_tools([declared | {"parameters": inner}])
            rows = calls_of(fill(member, request), request)
            members = [dict(r.arguments) for r in rows if r.arguments and not r.missing]
            if members and all("." not in label for row in members for label in row):
                call.put(parameter, members, "one member for each that the request names")


def _unique(calls: list[Call]) -> list[Call]:
    found: list[Call] = []
    for call in calls:
        same = (c for c in found if c.tool is call.tool)
        if not any(c.arguments == call.arguments for c in same):
            found.append(call)
    return found
