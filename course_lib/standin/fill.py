"""Which value goes to which parameter: best pair first, each value used once.

A required parameter takes the best there is; an optional one needs clearly stronger evidence,
because leaving it out is not an error. What is neither said nor has a default is missing.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from .catalogue import Tool
from .forms import shape
from .lexicon import sets, verb_class, words
from .options import Found, direct, items_of, list_score, lists
from .pairs import Reading
from .parameters import Parameter, types_of
from .places import is_place
from .prompt import Json
from .request import Request
from .text import is_stop_word, name_words
from .values import Value

NEEDED, OPTIONAL, LEFTOVER = 0.25, 1.15, 0.55  # the least score of a pair
IN_ORDER = 0.2  # what nothing tells apart keeps the order in which it was said
_LAST_RESORT = frozenset(("", "name", "request", "person", "place", "expression", "unit", "status"))
_LEAD = re.compile(
    r"^(?:(?:please|kindly|hi|hello|hey|i'd like to|i want to|i need to|i would like to|could|can|"
    r"would|will|you|help me|let me|me|want|need)\b[ ,!]*)+", re.IGNORECASE)  # fmt: skip
_TOLD_FOR_A_REASON = frozenset(
    "name quoted email id date time datetime when url phone path".split()
)
_KIND_WORDS = frozenset("kind type what which field".split())
_SEARCHES = frozenset("query keyword keywords search q term topic".split())


@dataclass(slots=True)
class Filled:
    """Arguments found for one tool, by the parameter's label, and where each came from."""

    arguments: Json = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    missing: list[Parameter] = field(default_factory=list)
    used: dict[str, Value] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)
    evidence: float = 0.0

    def put(self, parameter: Parameter, data: Any, source: str, value: Value | None = None) -> None:
        self.arguments[parameter.label], self.sources[parameter.label] = data, source
        if value is not None:
            self.used[parameter.label] = value


def fill(tool: Tool, request: Request) -> Filled:
    """Fill a tool's parameters from a request."""
    reading, filled = Reading(tool, request), Filled()
    still_open: list[int] = []
    for p, parameter in enumerate(tool.parameters):
        found: Found | None = direct(reading, p)
        if found is not None:
            filled.put(parameter, found[0], found[1], _said_as(reading, found[0]))
            filled.evidence += found[2]
        elif (parameter.numeric or not parameter.options) and (parameter.fits or parameter.is_list):
            still_open.append(p)
        elif parameter.required:
            filled.missing.append(parameter)
    for p, value, data, score in _pair(reading, still_open):
        filled.put(tool.parameters[p], data, f"{value.text!r} in the request", value)
        filled.evidence += score
        filled.scores[tool.parameters[p].label] = score
    for parameter in [each for each in filled.missing if each.options]:
        _choose_by_kind(reading, parameter, filled)
    _give_leftovers(reading, still_open, filled)
    for p in still_open:
        parameter = tool.parameters[p]
        if parameter.required and parameter.label not in filled.arguments:
            _last_resort(reading, p, filled)
    return filled


Pairs = dict[tuple[int, int], tuple[float, Value, Any]]


def _pair(reading: Reading, still_open: list[int]) -> list[tuple[int, Value, Any, float]]:
    """The pairing: greedy, best first, then mended by swaps that raise the sum."""
    values = _values_for(reading, still_open)
    pairs = _scored(reading, still_open, values)
    chosen: dict[int, int] = {}
    order = sorted(pairs.items(), key=lambda e: (-round(e[1][0], 2), e[1][1].start, e[0][0]))
    for (p, v), (_, value, _) in order:
        if p not in chosen and not any(pairs[q, w][1].overlaps(value) for q, w in chosen.items()):
            chosen[p] = v
    for _ in range(3):
        if not (_swap(chosen, pairs) | _pass_on(chosen, pairs, still_open)):
            break
    return [(p, pairs[p, v][1], pairs[p, v][2], pairs[p, v][0]) for p, v in sorted(chosen.items())]


def _values_for(reading: Reading, still_open: list[int]) -> list[Value]:
    values = reading.values
    parameters = [reading.tool.parameters[p] for p in still_open]
    if sum(p.role == "place" for p in parameters if p.required) > 1:
        values = _split_places(values)
    if any(p.is_list for p in parameters):
        values = [*values, *lists(reading.request)]
    return values


def _scored(reading: Reading, still_open: list[int], values: list[Value]) -> Pairs:
    """Every pair above its bar whose value can be had in the parameter's form."""
    pairs: Pairs = {}
    for p in still_open:
        parameter = reading.tool.parameters[p]
        bar = NEEDED if parameter.required else OPTIONAL
        for v, value in enumerate(values):
            if parameter.is_list:
                if value.kind != "list" or (score := list_score(reading, p, value)) < bar:
                    continue
                data, part = items_of(reading, p, value), value
            else:
                score, part = reading.score(p, value)
                if score < bar:
                    continue
                data = shape(parameter, part, reading.request)
            if data is not None:
                pairs[p, v] = (score, part, data)
    return pairs


def _swap(chosen: dict[int, int], pairs: Pairs) -> bool:
    """Let two parameters exchange their values where that raises the sum."""
    moved = False
    for a in list(chosen):
        for b in list(chosen):
            if a >= b or (a, chosen[b]) not in pairs or (b, chosen[a]) not in pairs:
                continue
            now = pairs[a, chosen[a]][0] + pairs[b, chosen[b]][0]
            then = pairs[a, chosen[b]][0] + pairs[b, chosen[a]][0]
            turned = pairs[a, chosen[a]][1].start > pairs[b, chosen[b]][1].start
            if then > now + (-IN_ORDER if turned else IN_ORDER):
                chosen[a], chosen[b] = chosen[b], chosen[a]
                moved = True
    return moved


def _pass_on(chosen: dict[int, int], pairs: Pairs, still_open: list[int]) -> bool:
    """An empty parameter takes a value whose holder has another one almost as good."""
    moved = False
    for a in still_open:
        for b, v in list(chosen.items()):
            if a in chosen or (a, v) not in pairs:
                continue
            held = [pairs[q, w][1] for q, w in chosen.items() if q != b]
            free = [
                w
                for (q, w), (_, part, _) in pairs.items()
                if q == b and w not in chosen.values() and not any(part.overlaps(h) for h in held)
                and not part.overlaps(pairs[a, v][1])
            ]  # fmt: skip
            if free:
                w = max(free, key=lambda w, b=b: pairs[b, w][0])  # type: ignore[misc]
                if pairs[a, v][0] + pairs[b, w][0] > pairs[b, v][0]:
                    chosen[b], chosen[a] = w, v
                    moved = True
    return moved


def _split_places(values: list[Value]) -> list[Value]:
    """`London, UK` is two values for a tool that asks for both."""
    found: list[Value] = []
    for value in values:
        at = value.start
        if value.kind == "name" and ", " in value.text:
            for part in value.text.split(", "):
                found.append(Value("name", part, at, at + len(part), part))
                at += len(part) + 2
        else:
            found.append(value)
    return found


def _give_leftovers(reading: Reading, still_open: list[int], filled: Filled) -> None:
    """A name or a quotation that nobody took was said for a reason: an optional one may want it."""
    parameters = reading.tool.parameters
    for value in reading.values:
        if value.kind not in _TOLD_FOR_A_REASON or _is_spent(value, filled):
            continue
        if value.kind == "name" and is_place(value.text):
            continue
        scored = [
            (*reading.score(p, value), -p)
            for p in still_open
            if parameters[p].label not in filled.arguments
            and parameters[p].fits.get(value.kind, 0) >= 0.7
        ]
        best = max(scored, key=lambda s: (s[0], s[2]), default=(0.0, value, 0))
        if best[0] >= LEFTOVER:
            parameter = parameters[-best[2]]
            data = shape(parameter, best[1], reading.request)
            if data is not None:
                filled.put(parameter, data, f"{value.text!r}, which nothing else took", best[1])


def _said_as(reading: Reading, data: Any) -> Value | None:
    """The value of the request that names an option, so that nothing else takes it too."""
    plain = str(data).lower()
    return next((v for v in reading.request.values if v.text.lower() == plain), None)


def _choose_by_kind(reading: Reading, parameter: Parameter, filled: Filled) -> None:
    """An option that says what another argument is (`kind: "email"`), or what is to be done."""
    kinds = sets("kinds")
    own = {word for value in filled.used.values() for word in kinds.get(value.kind, ())}
    action = verb_class([token.word for token in reading.request.words])
    for member in parameter.options:
        said = name_words(str(member))
        if parameter.cues.keys() & _KIND_WORDS and own & {*said}:
            source = f"{member!r} is what the value is"
        elif action and said and said[0] in sets("verb_classes")[action]:
            source = f"{member!r} is what is to be done"
        else:
            continue
        filled.put(parameter, member, source)
        filled.missing.remove(parameter)
        return


def _is_spent(value: Value, filled: Filled) -> bool:
    return any(value.overlaps(used) for used in filled.used.values())


def _last_resort(reading: Reading, p: int, filled: Filled) -> None:
    """A text that takes the request itself, or the likeliest words left; else it is missing."""
    parameter = reading.tool.parameters[p]
    is_text = "string" in parameter.types and not parameter.schema.get("pattern")
    if parameter.is_list and "object" in types_of(parameter.items):
        return  # filled row by row, later
    if parameter.is_list and _take_likeliest_list(reading, p, filled):
        return
    if is_text and parameter.role in ("request", "text"):
        said = wording(reading, parameter)
        if said:
            filled.put(parameter, said, "the request itself")
            return
    if is_text and parameter.role in _LAST_RESORT:
        left = [
            reading.score(p, value)
            for value in reading.values
            if value.kind in ("phrase", "name", "quoted", "id") and not _is_spent(value, filled)
        ]
        score, value = max(left, key=lambda e: (e[0], -e[1].start), default=(0.0, None))
        if value is not None and score > 0.0:
            data = shape(parameter, value, reading.request)
            if data is not None:
                filled.put(parameter, data, f"{value.text!r}, the likeliest words left", value)
                filled.scores[parameter.label] = 0.0
                return
    filled.missing.append(parameter)


def _take_likeliest_list(reading: Reading, p: int, filled: Filled) -> bool:
    """Give a required array the likeliest words that are left."""
    found = [
        (list_score(reading, p, value), -value.start, value)
        for value in lists(reading.request)
        if not _is_spent(value, filled) and value.text.lower() not in words("wish_verbs")
    ]
    score, _, value = max(found, key=lambda each: each[:2], default=(0.0, 0, None))
    data = items_of(reading, p, value) if value is not None and score > 0 else None
    if value is None or data is None:
        return False
    parameter = reading.tool.parameters[p]
    filled.put(parameter, data, f"{value.text!r}, the likeliest words left", value)
    filled.scores[parameter.label] = 0.0
    return True


def wording(reading: Reading, parameter: Parameter) -> str:
    """The request as a text to work on: what follows a colon, or the request without its lead."""
    text = reading.request.text
    after = re.search(r":\s+(.{8,})$", text, re.DOTALL)
    if after:
        return after[1].strip()
    if not (set(parameter.own_words) & _SEARCHES) or text.endswith("?"):
        return text
    rest = _LEAD.sub("", text)
    while True:
        first, _, more = rest.partition(" ")
        plain = first.lower().strip(",.:")
        skipped = plain in words("wish_verbs") or is_stop_word(plain) or reading.explains(plain)
        if not more or not skipped:
            return rest.rstrip(".!? ")
        rest = more
