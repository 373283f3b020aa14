"""JavaScript that the stand-in writes for `programmatic_tool_calling`. All is done to rows:

    fan out     one tool for several values, or several tools, at once with Promise.all
    join        for each row of a result one call of another tool that takes a field of the row
    filter      rows by a number ("over 100"), a yes or no, or a member of an enum
    reduce      sum, mean, count, largest, smallest, sorted, of one field

Fields are picked by the words of the request, among those that `output_schema` names; without one
there is nothing but to fan out. That is all: one join, one reduction, no loop, no second try.
"""

import json

from .fill import Call
from .lexicon import pattern, sets
from .prompt import Json
from .request import Request
from .schema import enum_of, items_of, properties_of, resolve, types_of
from .sent import finish
from .text import likeness, name_words, plain_words

NAMED = 0.75  # how like a word of the request must be to one of a field
AROUND = 30  # characters around a number in which its field is named
_REDUCED = {
    "sum": "rows.reduce((sum, row) => sum + row.KEY, 0)",
    "mean": "rows.reduce((sum, row) => sum + row.KEY, 0) / rows.length",
    "count": "rows.length",
    "largest": "rows.sort((one, row) => row.KEY - one.KEY)[0] ?? null",
    "smallest": "rows.sort((one, row) => one.KEY - row.KEY)[0] ?? null",
    "sorted": "rows.sort((one, row) => one.KEY - row.KEY)",
}


def write(
    calls: list[Call], request: Request, tools: dict[str, Json], others: list[Call], must: bool
) -> str | None:
    """A program that makes the calls; None if it would spare nothing and is not a must.

    `tools` are the declarations that a program may call, by name, `others` calls that were not
    planned, best first. `fields` are the properties of a row, as far as `output_schema` tells.
    """
    calls, inner = _joined(calls, request, tools, others)
    sent, fields = [finish(each) for each in calls], Json()
    if any(each.name not in tools or each.missing for each in sent):
        return None
    if {each.name for each in sent} == {sent[0].name}:
        _, many, own = _result(tools[sent[0].name])
        told = bool(own and not many)  # then what was asked for tells the rows apart
        fields = {key: {} for key in sent[0].arguments if told} | own
        lines = [f"let rows = {json.dumps([each.arguments for each in sent])};"]
        lines.append(_called(tools[sent[0].name], "row", keep=told))
    else:
        made = (f"\n  tools{_at(each.name)}({json.dumps(each.arguments)})," for each in sent)
        lines = [f"let rows = await Promise.all([{''.join(made)}\n]);"]
    if inner:
        given = {key: json.dumps(value) for key, value in finish(inner).arguments.items()}
        given |= {key: f"row{_at(key)}" for key in _keys(inner, fields)}
        lines.append(_called(tools[inner.tool.name], _object(given), keep=True))
        fields |= _result(tools[inner.tool.name])[2]
    spent = [(value.start, value.end) for each in calls for value in each.used.values()]
    if tests := _tests(request, fields, spent):
        lines.append(f"rows = rows.filter((row) => {' && '.join(tests)});")
    reduced = _reduced(request, fields)
    if not (must or inner or tests or reduced):
        return None
    return "\n".join([*lines, f"text(JSON.stringify({reduced or _picked(request, fields)}));"])


def _called(tool: Json, given: str, keep: bool) -> str:
    """The line that calls a tool for each row; what was in the row is kept beside its result."""
    path, many, _ = _result(tool)
    made = f"(await tools{_at(tool['name'])}({given})){path}"
    if keep:
        many_kept = f"{made}.map((each) => ({{ ...row, ...each }}))"
        made = many_kept if many else f"({{ ...row, ...{made} }})"
    return f"rows = (await Promise.all(rows.map(async (row) => {made}))){'.flat()' * many};"


def _joined(
    calls: list[Call], request: Request, tools: dict[str, Json], others: list[Call]
) -> tuple[list[Call], Call | None]:
    """The calls to begin with, and one whose tool adds to their rows a field that is asked for."""
    wanted, alone = calls[0], len(calls) == 1 and calls[0].tool.name in tools
    rest = [each for each in others if each.tool.name in tools and each.tool is not wanted.tool]
    for outer, inner in (p for e in rest if alone for p in ((wanted, e), (e, wanted))):
        _, many, fields = _result(tools[outer.tool.name])
        new = {k: own for k, own in _result(tools[inner.tool.name])[2].items() if k not in fields}
        keys = _keys(inner, fields)
        fits = many and keys and {each.path[0] for each in inner.missing} <= {*keys}
        if fits and not finish(outer).missing and _named(request, new):
            return [outer], inner
    return calls, None


def _keys(inner: Call, fields: Json) -> list[str]:
    """What a call takes from a row."""
    return [each.path[0] for each in inner.tool.required if each.path[0] in fields]


def _result(tool: Json) -> tuple[str, bool, Json]:
    """Where the rows of a result are, whether there are many, and the properties of one."""
    root = tool.get("output_schema") or {}
    whole = resolve(root, root)
    for path, inner in [("", whole), *((_at(n), own) for n, own in properties_of(whole).items())]:
        if own := properties_of(resolve(root, items_of(resolve(root, inner)))):
            return path, True, {name: resolve(root, each) for name, each in own.items()}
    return "", False, {name: resolve(root, each) for name, each in properties_of(whole).items()}


def _named(request: Request, fields: Json) -> dict[str, str]:
    """The fields that a request speaks of, each with the word that does."""
    pairs = ((name, word) for word in request.content for name in fields)
    return {name: word for name, word in pairs if likeness(name_words(name), [word]) >= NAMED}


def _number(fields: Json, said: list[str]) -> tuple[float, str]:
    """The field with numbers whose name some words are likest to; sure if there is but one."""
    names = [name for name, own in fields.items() if types_of(own) & {"number", "integer"}]
    best = max(names, key=lambda name: likeness(name_words(name), said), default="")
    return 1.0 if len(names) == 1 else likeness(name_words(best), said), best


def _tests(request: Request, fields: Json, spent: list[tuple[int, int]]) -> list[str]:
    """What the request says of the rows it wants, as conditions."""
    tests, text, named = [], request.text, _named(request, fields)
    for found in pattern("compared").finditer(text):
        said = plain_words(text[max(0, found.start() - AROUND) : found.end() + AROUND])
        _, name = _number(fields, said)
        if name and not any(start < found.end() and found.start() < end for start, end in spent):
            sign = ">" if found[1] else ">=" if found[2] else "<" if found[3] else "<="
            tests.append(f"row{_at(name)} {sign} {found[5].replace(',', '')}")
    for name, own in fields.items():
        plain = ((each, str(each).lower().replace("_", " ")) for each in enum_of(own))
        members = [each for each, said in plain if f" {said} " in request.plain]
        if "boolean" in types_of(own) and name in named:
            before = text.lower().partition(named[name])[0][-AROUND:]
            tests.append("!" * bool(pattern("against").search(before)) + f"row{_at(name)}")
        elif members:
            tests.append(f"{json.dumps(members)}.includes(row{_at(name)})")
    return tests


def _reduced(request: Request, fields: Json) -> str | None:
    """The one thing that is asked of all rows; None if they are wanted as they are."""
    said = plain_words(pattern("compared").sub("", request.text))
    likely, key = _number(fields, [*request.content])
    for name, code in _REDUCED.items():
        if sets("reductions")[name].intersection(said) and (likely >= NAMED or name == "count"):
            return _object({name: code.replace(".KEY", _at(key))})
    return None


def _picked(request: Request, fields: Json) -> str:
    """The rows with the fields that the request names, and those that say which row it is."""
    named = _named(request, fields)
    kept = {n: f"row{_at(n)}" for n in fields if n in named or name_words(n)[-1:] == ["id"]}
    return f"rows.map((row) => ({_object(kept)}))" if named else "rows"


def _object(given: dict[str, str]) -> str:
    """An object in JavaScript, of expressions."""
    return f"{{{', '.join(f'{json.dumps(key)}: {code}' for key, code in given.items())}}}"


def _at(name: str) -> str:
    """A property in JavaScript."""
    return f".{name}" if name.isidentifier() and name.isascii() else f"[{json.dumps(name)}]"
