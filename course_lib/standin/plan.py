"""From a request to calls: the tools ranked, the request cut into wishes, each with its calls.

A clause that asks for something of its own chooses its own tool; one that only adds detail
belongs to the clause before it.
"""

import re
from dataclasses import dataclass

from .calls import Call
from .catalogue import Tool
from .choose import (
    NOT_LOOKED_AT,
    Relevance,
    as_if_said,
    features,
    hint,
    read_wish,
    relevance,
    score_of,
)
from .fill import Filled, fill
from .lexicon import words
from .request import Request
from .rows import calls_of, share, unique

THRESHOLD = 0.37  # below it the model does not call
ASK_FROM = 0.6  # how likely a tool must be, if all had been said, to ask for what was not
LOOKED_AT = 24  # tools
WORTH_FILLING = 1.0  # how far behind the most promising tool that may be
FILL_TOP = 4  # only so many tools have their arguments looked for
UNMISTAKABLE = frozenset(("email", "url", "phone"))
PASSED_OVER = 1.0  # off the logit of a tool that has no place for such a value, if another has
MOST_TOOLS, MOST_CLAUSES = 8, 40  # that are weighed clause by clause
# What it costs to go to another tool: where the request counts ("second"), at a wish, elsewhere.
LEAVING_TOLD, LEAVING, LEAVING_MIDWAY = 0.2, 0.5, 1.0
_CUTS = re.compile(
    r"(?<=[.!?;])\s+(?=[\w\"'(])|\n+|;\s*|"
    r",?\s+(?:and|then|plus|also|additionally|but)\s+(?:then |also |please |after that |finally |"
    r"lastly |next |in addition,? |additionally,? )*(?=[A-Za-z])|"
    r",\s+(?=(?:then|also|finally|and|lastly|next|[a-z]+)\b)"
)
_CONNECTIVES = frozenset(
    "then also please finally lastly next and additionally after that furthermore moreover i d "
    "like to "
    "could you can would want need lastly secondly first second third firstly".split()
)
_REFERS_BACK = re.compile(r"\b(?:it|its|they|them|their|he|she|his|her)\b", re.IGNORECASE)
_STATES = re.compile(
    r"(?:my|the|its|his|her|their|our|your|it|i|we|they|he|she|this|that|there)\b[^,;]*"
    r"(?:\b(?:is|are|was|were|has|have|had|am)\b|'s\b|'m\b|'re\b)", re.IGNORECASE)  # fmt: skip


@dataclass(slots=True, eq=False)
class Ranked:
    """One tool weighed against a request."""

    tool: Tool
    near: Relevance
    score: float
    filled: Filled
    could: float  # the score it would have if what it requires had been said


def rank(request: Request, tools: list[Tool]) -> list[Ranked]:
    """All tools, best first. Only the likeliest have their arguments looked for."""
    wish = read_wish(request)
    referred = referrals(tools)
    looked_at = list(range(len(tools)))
    if len(tools) > LOOKED_AT:  # of a large catalogue only what may be meant is looked at closely
        hints = [hint(wish, tool, referred.get(tool.name, frozenset())) for tool in tools]
        looked_at = sorted(looked_at, key=lambda i: -hints[i])[:LOOKED_AT]
    near = [NOT_LOOKED_AT] * len(tools)
    for i in looked_at:
        near[i] = relevance(wish, tools[i], referred.get(tools[i].name, frozenset()))
    order = sorted(range(len(tools)), key=lambda i: -near[i].promise)
    least = near[order[0]].promise - WORTH_FILLING if order else 0.0
    likely = {i for i in order[:FILL_TOP] if near[i].promise >= least}
    filling = {i: fill(tools[i], request) for i in likely}
    claimed = [
        used
        for filled in filling.values()
        for used in filled.used.values()
        if used.kind in UNMISTAKABLE
    ]
    found = []
    for i, tool in enumerate(tools):
        filled = filling.get(i) or Filled(missing=tool.required)
        passed_over = [v for v in claimed if not any(v.overlaps(u) for u in filled.used.values())]
        less = PASSED_OVER * bool(passed_over)
        values = features(wish, tool, filled, request, near[i])
        score = could = score_of(values, wish, tool, near[i], less)
        if filled.missing:
            could = score_of(as_if_said(values), wish, tool, near[i], less)
        found.append(Ranked(tool, near[i], score, filled, could))
    return sorted(found, key=lambda each: -each.score)


def referrals(tools: list[Tool]) -> dict[str, frozenset[str]]:
    """Tool → stems of what another tool's description says it is for: "… exists for those"."""
    found: dict[str, frozenset[str]] = {}
    for tool in tools:
        if tool.against:
            for other in tools:
                if other is not tool and other.name in tool.description:
                    found[other.name] = found.get(other.name, frozenset()) | tool.against
    return found


def plan(request: Request, tools: list[Tool]) -> tuple[list[Call], list[Ranked]]:
    """The calls a request asks for, and all tools weighed against the whole of it."""
    ranked = rank(request, tools)
    cuts = _cuts(request)
    spans = _spans(request, cuts, ranked) if len(cuts) > 1 else []
    if len(spans) < 2:
        if not ranked or ranked[0].score < THRESHOLD:
            return _to_ask_for(ranked), ranked
        return calls_of(ranked[0].tool, ranked[0].filled, request), ranked
    calls: list[Call] = []
    for part, tool, filled in spans:
        calls += calls_of(tool, filled, part, alone=len({t.name for _, t, _ in spans}) == 1)
    share(calls)
    return unique(calls), ranked


def _to_ask_for(ranked: list[Ranked]) -> list[Call]:
    """The call that only lacks what was not said: it is asked for."""
    lacking = [each for each in ranked if each.filled.missing and each.could >= ASK_FROM]
    best = max(lacking, key=lambda each: each.could, default=None)
    return [Call.of(best.tool, best.filled)] if best else []


Span = tuple[Request, Tool, Filled]


def _spans(request: Request, cuts: list[tuple[int, int]], ranked: list[Ranked]) -> list[Span]:
    """(part of the request, its tool, its arguments) for each wish.

    Each clause goes to the tool whose words it has, and leaving a tool costs something, so that
    a clause which only adds detail stays with the clause before it.
    """
    labels = _labels(request, cuts, ranked[:MOST_TOOLS])
    wishes = [_begins_a_wish(_said(request, start, end)) for start, end in cuts]
    if len(set(labels)) < 2 and not any(wishes[1:]):
        return []
    spans: list[Span] = []
    begin = 0
    for i in range(1, len(cuts) + 1):
        tool = ranked[labels[begin]].tool
        if i < len(cuts) and labels[i] == labels[begin] and not wishes[i]:
            continue
        again = i < len(cuts) and labels[i] == labels[begin]
        if again and _REFERS_BACK.search(request.text, *cuts[i]):
            continue
        if begin == 0 and i == len(cuts):
            return []  # one wish after all, and it is read already
        part = request.part(cuts[begin][0], cuts[i - 1][1])
        if again and not _stated(request.part(*cuts[i]), tool) & _stated(part, tool):
            continue  # nothing is said twice, so it is one call
        filled = fill(tool, part)
        if filled.used or filled.arguments or not tool.required:
            spans.append((part, tool, filled))
        begin = i
    return spans


def _labels(request: Request, cuts: list[tuple[int, int]], ranked: list[Ranked]) -> list[int]:
    """For each clause the number of its tool: the dearest way through all clauses (Viterbi)."""
    worth = [_worth(request, start, end, ranked) for start, end in cuts]
    best, came = list(worth[0]), []
    for own, (start, end) in zip(worth[1:], cuts[1:], strict=True):
        said = _said(request, start, end)
        leave = LEAVING if _begins_a_wish(said) else LEAVING_MIDWAY
        if said and said[0] in words("ordinals"):
            leave = LEAVING_TOLD
        if _STATES.match(request.text, start, end):
            leave += LEAVING
        top = max(range(len(best)), key=lambda t: best[t])
        stays = [best[t] >= best[top] - leave for t in range(len(best))]
        came.append([t if stays[t] else top for t in range(len(best))])
        best = [(best[t] if stays[t] else best[top] - leave) + own[t] for t in range(len(best))]
    label = max(range(len(best)), key=lambda t: best[t])
    labels = [label]
    for step in reversed(came):
        label = step[label]
        labels.append(label)
    return labels[::-1]


def _worth(request: Request, start: int, end: int, ranked: list[Ranked]) -> list[float]:
    """What the words of a clause count for each tool."""
    said = set(_said(request, start, end))
    return [sum(each.near.share.get(word, 0.0) for word in said) for each in ranked]


def _said(request: Request, start: int, end: int) -> list[str]:
    return [token.word for token in request.words if start <= token.start < end]


def _stated(part: Request, tool: Tool) -> set[str]:
    """The required parameters for which a clause states a value by itself."""
    used = fill(tool, part).used
    return {p.label for p in tool.required if p.label in used and used[p.label].kind != "phrase"}


def _begins_a_wish(said: list[str]) -> bool:
    """Whether a clause begins as a request does: with a verb of asking, or a question word."""
    while said and said[0] in _CONNECTIVES:
        said = said[1:]
    return bool(said) and (said[0] in words("wish_verbs") or said[0] in words("question_words"))


def _cuts(request: Request) -> list[tuple[int, int]]:
    """The request cut where a new wish may begin; never inside a value or a quotation."""
    inside = [(v.start, v.end) for v in request.values if v.kind not in ("phrase", "predicate")]
    parts: list[tuple[int, int]] = []
    begin = 0
    for match in _CUTS.finditer(request.text):
        if any(start < match.end() and match.start() < end for start, end in inside):
            continue
        if len(request.text[begin : match.start()].split()) < 2 or len(parts) == MOST_CLAUSES:
            continue
        parts.append((begin, match.start()))
        begin = match.end()
    parts.append((begin, len(request.text)))
    return parts
