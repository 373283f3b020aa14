"""One tool, several times: a request that repeats a tool's parameters, or lists values for one.

"5 metres wide and 3 high, and another 2 by 1" gives two rows. What a row does not repeat it takes
over from its neighbours. Also used for an array of objects, where each row is a member.
"""

import re

from .calls import Call
from .catalogue import Tool, compile_tool
from .fill import Filled, fill
from .forms import shape
from .options import items_of, lists
from .pairs import Reading
from .parameters import Parameter, types_of
from .request import Request, groups
from .values import Value

SURE, CLOSE, AS_PLAIN, ALIKE = 0.55, 0.15, 0.3, 0.4
MOST = 40  # values that are looked at, and calls that are made
_LISTED = ("number", "name", "quoted", "id", "date", "email", "path", "url", "domain")

_JOINS = re.compile(
    r"[,;.]|\b(?:and|then|or|also|plus|versus|vs|while|another|second|with|for)\b", re.I
)

Row = dict[int, list[Value]]


def calls_of(tool: Tool, filled: Filled, request: Request, alone: bool = True) -> list[Call]:
    """The calls of one tool: as many as the request repeats its parameters.

    alone   whether the request wants no other tool, so that what is left over must be its own
    """
    rows = _rows(tool, request) if alone and _something_left(filled, request) else []
    if len(rows) > 1:
        made = _calls_of_rows(tool, rows, request, filled)
        if len(made) > 1:
            return made
    call = Call.of(tool, filled)
    _fill_object_arrays(call, request)
    return _fan_out(call, request)


def _something_left(filled: Filled, request: Request) -> bool:
    """Whether the request states values that one call has no place for."""
    return any(
        value.kind not in ("phrase", "predicate", "when")
        and not _doubtful(value, request)
        and not any(value.overlaps(used) for used in filled.used.values())
        for value in request.values
    )


def _rows(tool: Tool, request: Request) -> list[tuple[int, Row]]:
    """(where it begins, parameter → values): a value whose parameter is taken begins a row."""
    reading = Reading(tool, request)
    scalars = [p for p, each in enumerate(tool.parameters) if each.fits and not each.options]
    solid = [
        v
        for v in request.values
        if v.kind not in ("phrase", "predicate") and not _doubtful(v, request)
    ][:MOST]
    listed = {
        id(v): group
        for kind in _LISTED
        for group in groups(request, kind)
        if len(group) > 1
        for v in group
    }
    scores = {(p, id(v)): reading.score(p, v)[0] for p in scalars for v in solid}
    top = {p: max((scores[p, id(v)] for v in solid), default=0.0) for p in scalars}
    rows: list[tuple[int, Row]] = [(0, {})]
    done: set[int] = set()
    last = 0
    forms: dict[int, tuple[str, str]] = {}
    for value in solid:
        if id(value) in done:
            continue
        # another row states its values as plainly as the first one does, or in the same form
        form = (value.kind, value.unit)
        sure = [
            (scores[p, id(value)], p)
            for p in scalars
            if scores[p, id(value)]
            >= (ALIKE if forms.get(p) == form else max(SURE, top[p] - AS_PLAIN))
        ]
        if not sure:
            continue
        best = max(sure)[0]
        near = [
            p for score, p in sorted(sure, key=lambda s: (-s[0], s[1])) if score >= best - CLOSE
        ]
        group = listed.get(id(value), [value])
        needed = sum(tool.parameters[p].required for p in near)
        if len(group) > 1 and min(len(near), needed) >= len(group):
            group = [value]
        done.update(id(v) for v in group)
        free = next((p for p in near if p not in rows[-1][1]), None)
        if free is None and not _JOINS.search(request.text[last : value.start]):
            continue  # nothing says that another call begins
        last = group[-1].end
        if free is None:
            rows.append((value.start, {}))
            free = near[0]
        rows[-1][1][free] = group
        forms.setdefault(free, form)
    required = {p for p in scalars if tool.parameters[p].required}
    stated = sum(bool(required & row.keys()) for _, row in rows)
    return rows if len(rows) > 1 and stated == len(rows) else []


def _doubtful(value: Value, request: Request) -> bool:
    """A number in words where others are in figures is seldom an argument: "four circles"."""
    return value.spelled and (request.has_figures or not value.unit)


def _calls_of_rows(
    tool: Tool, rows: list[tuple[int, Row]], request: Request, whole: Filled
) -> list[Call]:
    calls: list[Call] = []
    for i, (_, row) in enumerate(rows):
        begin = rows[i][0] if i else 0
        end = rows[i + 1][0] if i + 1 < len(rows) else len(request.text)
        own = fill(tool, request.part(begin, end))
        base = Filled()
        for p, parameter in enumerate(tool.parameters):
            if p not in row and (parameter.options or not parameter.fits or not parameter.required):
                _copy(own, base, parameter.label)
        for k in range(max(len(group) for group in row.values())):
            call = Call.of(tool, base)
            for p, group in row.items():
                value = group[min(k, len(group) - 1)]
                data = shape(tool.parameters[p], value, request)
                if data is not None:
                    call.take(tool.parameters[p], data, f"{value.text!r} in the request")
            call.missing = [p for p in tool.required if p.label not in call.arguments]
            calls.append(call)
    share(calls)
    for call in calls:
        for parameter in list(call.missing):
            if parameter.label in whole.arguments:
                call.take(
                    parameter, whole.arguments[parameter.label], whole.sources[parameter.label]
                )
    return unique(calls)[:MOST]


def _copy(source: Filled, into: Filled, label: str) -> None:
    if label in source.arguments:
        into.arguments[label], into.sources[label] = source.arguments[label], source.sources[label]


def share(calls: list[Call]) -> None:
    """Calls take over what they lack from one of the same tool, or from an equal parameter."""
    for i, call in enumerate(calls):
        others = [*reversed(calls[:i]), *calls[i + 1 :]]
        for other in others:
            if other.tool is call.tool:
                for parameter in call.tool.parameters:
                    if parameter.label not in call.arguments and parameter.label in other.arguments:
                        call.take(
                            parameter, other.arguments[parameter.label], "as in the call beside it"
                        )
        for parameter in list(call.missing):
            for other in others:
                twin = next((p for p in other.tool.parameters if p.label == parameter.label), None)
                same = twin is not None and twin.types == parameter.types
                if same and parameter.label in other.arguments and other.tool is not call.tool:
                    data = other.arguments[parameter.label]
                    call.take(parameter, data, f"as for {other.tool.name}")
                    break


def unique(calls: list[Call]) -> list[Call]:
    found: list[Call] = []
    for call in calls:
        if not any(c.tool is call.tool and c.arguments == call.arguments for c in found):
            found.append(call)
    return found


def _fan_out(call: Call, request: Request) -> list[Call]:
    """One call, or one for each member of a list over a parameter that takes a single value."""
    listed: list[tuple[str, list[object]]] = []
    for parameter in call.tool.parameters:
        used = call.used.get(parameter.label)
        if used is None or parameter.options:
            continue
        if parameter.is_list and used.unit == "array":
            several = _arrays(call, parameter, used, request)
            listed += [(parameter.label, several)] if len(several) > 1 else []
            continue
        if parameter.is_list or used.kind not in (*_LISTED, "phrase"):
            continue
        if used.kind == "phrase" and "likeliest" in call.sources[parameter.label]:
            continue
        group = next(
            (g for g in groups(request, used.kind) if any(used.overlaps(v) for v in g)), []
        )
        others = [v for label, v in call.used.items() if label != parameter.label]
        if len(group) < 2 or any(v.overlaps(o) for v in group for o in others):
            continue
        if used.kind == "phrase" and any(len(v.text.split()) > 4 for v in group):
            continue
        shaped = [shape(parameter, v, request) for v in group]
        listed.append((parameter.label, [data for data in shaped if data is not None]))
    if not listed:
        return [call]
    count = len(listed[0][1])
    if all(len(values) == count for _, values in listed):
        return [call.copy(**{label: values[i] for label, values in listed}) for i in range(count)][
            :MOST
        ]
    label, values = max(listed, key=lambda each: len(each[1]))
    return [call.copy(**{label: value}) for value in values][:MOST]


def _arrays(call: Call, parameter: Parameter, used: Value, request: Request) -> list[object]:
    """All the arrays in brackets, where one parameter alone can take them."""
    if sum(p.is_list for p in call.tool.parameters) > 1:
        return []
    reading = Reading(call.tool, request)
    p = call.tool.parameters.index(parameter)
    arrays = [value for value in lists(request) if value.unit == "array"]
    shaped = [items_of(reading, p, value) for value in arrays]
    return [data for data in shaped if data is not None]


def _fill_object_arrays(call: Call, request: Request) -> None:
    """An array of objects takes one member for each row of the request."""
    for parameter in call.tool.parameters:
        if not parameter.is_list or "object" not in types_of(parameter.items):
            continue
        if parameter.label in call.arguments or not parameter.items.get("properties"):
            continue
        member = compile_tool(
            {"name": parameter.name, "description": parameter.about, "parameters": parameter.items}
        )
        filled = fill(member, request)
        rows = [c for c in calls_of(member, filled, request) if not c.missing and c.arguments]
        if rows and all("." not in label for row in rows for label in row.arguments):
            members = [dict(row.arguments) for row in rows]
            call.take(parameter, members, "one member for each that the request names")
