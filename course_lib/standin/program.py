"""JavaScript that the stand-in writes for `programmatic_tool_calling`.

    fan out     one tool for several values, or several tools, at once with Promise.all
    join        for each row of a result one call of another tool that takes a field of the row
    filter      rows by a number ("over 100"), a yes or no, or a member of an enum
    reduce      sum, mean, median, count, largest, smallest, sorted, of one field

Fields are picked by the words of the request, among those that `output_schema` names; without one
there is nothing but to fan out. That is all: one join, one reduction, no loop, no second try.
"""

import json
from collections.abc import Collection
from dataclasses import dataclass

from .fill import Call
from .finish import finish
from .lexicon import pattern, sets
from .prompt import Json
from .request import Request
from .schema import enum_of, items_of, properties_of, resolve, types_of
from .text import is_stop_word, likeness, name_words, plain_words

NAMED = 0.75  # how like a word of the request must be to one of a field
AROUND = 30  # characters before a number in which its field is named
_REDUCED = {
    "sum": "{rows}.reduce((sum, row) => sum + {field}, 0)",
    "mean": "{rows}.reduce((sum, row) => sum + {field}, 0) / {rows}.length",
    "count": "{rows}.length",
    "largest": "[...{rows}].sort((one, row) => {field} - one{key})[0] ?? null",
    "smallest": "[...{rows}].sort((one, row) => one{key} - {field})[0] ?? null",
    "sorted": "[...{rows}].sort((one, row) => one{key} - {field})",
}


@dataclass(slots=True)
class Rows:
    """Rows in a program: the expression that has them, and the properties of one."""

    code: str
    fields: Json


def may_call(tool: Json) -> bool:
    """Whether a program may call a tool, and the stand-in knows what to send it."""
    plain = tool.get("type", "function") in ("function", "mcp")
    return plain and "programmatic" in (tool.get("allowed_callers") or ())


def write(
    calls: list[Call], request: Request, tools: dict[str, Json], others: list[Call], must: bool
) -> str | None:
    """A program that makes the calls; None if it would spare nothing and is not a must.

    `tools` are the declarations that a program may call, by name, `others` calls of them that
    were not planned, best first.
    """
    sent = [(each.tool.name, *finish(each)) for each in calls]
    joined = _joined(calls[0], request, tools, others) if len(calls) == 1 else None
    if not joined and any(name not in tools or missing for name, _, missing in sent):
        return None
    lines, rows = joined or _fetched([(name, arguments) for name, arguments, _ in sent], tools)
    spent = [value for each in calls for value in each.used.values()]
    tests = _tests(request, rows.fields, [(value.start, value.end) for value in spent])
    if tests:
        lines.append(f"const kept = {rows.code}.filter((row) => {' && '.join(tests)});")
        rows = Rows("kept", rows.fields)
    reduced = _reduced(request, rows)
    if not (must or joined or tests or reduced):
        return None
    lines.append(f"text(JSON.stringify({reduced or _picked(request, rows)}));")
    return "\n".join(lines)


def _fetched(sent: list[tuple[str, Json]], tools: dict[str, Json]) -> tuple[list[str], Rows]:
    """The lines that make the calls, and their results as rows."""
    name, arguments = sent[0]
    path, many, fields = _result(tools[name])
    if len(sent) == 1:
        code = f"found{path}" if many else "[found]"
        return [f"const found = await {_call(name, arguments)};"], Rows(code, fields)
    keys = {key for _, own in sent for key in own | arguments if own.get(key) != arguments.get(key)}
    if len({name for name, _ in sent}) > 1 or len(keys) != 1:
        each = "".join(f"\n  {_call(name, own)}," for name, own in sent)
        return [f"const found = await Promise.all([{each}\n]);"], Rows("found", {})
    (key,) = keys
    values = json.dumps([own.get(key) for _, own in sent])
    made = _call(name, arguments | {key: "each"}, {key})
    if fields and not many and key not in fields:  # or one could not tell the rows apart
        made, fields = f"({{ {json.dumps(key)}: each, ...(await {made}) }})", {key: {}} | fields
    lines = [f"const asked = {values};",
             f"const found = await Promise.all(asked.map(async (each) => {made}));"]  # fmt: skip
    return lines, Rows(f"found.flatMap((each) => each{path})" if many else "found", fields)


def _joined(
    wanted: Call, request: Request, tools: dict[str, Json], others: list[Call]
) -> tuple[list[str], Rows] | None:
    """A result whose rows another tool completes, if the request names a field that it has not."""
    known = [wanted, *(each for each in others if each.tool.name != wanted.tool.name)]
    known = [each for each in known if each.tool.name in tools]
    for outer, inner in ((o, i) for o in known for i in known if (o is wanted) != (i is wanted)):
        path, many, fields = _result(tools[outer.tool.name])
        into, several, more = _result(tools[inner.tool.name])
        arguments, missing = finish(outer)
        keys = {p.path[0] for p in inner.tool.required if p.path[0] in fields}
        new = {name: own for name, own in more.items() if name not in fields}
        unfit = [p for p in inner.missing if p.path[0] not in keys]
        if missing or unfit or not (many and keys and _named(request, new)):
            continue
        made = _call(inner.tool.name, finish(inner)[0] | {k: f"row{_at(k)}" for k in keys}, keys)
        one = f"({{ ...row, ...(await {made}) }})"
        each = f"(await {made}){into}.map((each) => ({{ ...row, ...each }}))"
        lines = [
            f"const found = await {_call(outer.tool.name, arguments)};",
            f"const rows = await Promise.all(found{path}.map(async (row) => "
            f"{each if several else one}));",
        ]
        return lines, Rows("rows.flat()" if several else "rows", fields | more)
    return None


def _result(tool: Json) -> tuple[str, bool, Json]:
    """Where the rows of a result are, whether there are many, and the properties of one."""
    root = tool.get("output_schema") or {}
    whole = resolve(root, root)
    places = {"": whole} | {
        _at(name): resolve(root, own) for name, own in properties_of(whole).items()
    }
    for path, schema in places.items():
        if fields := properties_of(resolve(root, items_of(schema))):
            return path, True, {name: resolve(root, own) for name, own in fields.items()}
    return "", False, {name: resolve(root, own) for name, own in properties_of(whole).items()}


def _tests(request: Request, fields: Json, spent: list[tuple[int, int]]) -> list[str]:
    """What the request says of the rows it wants, as conditions."""
    tests = []
    numbers = [name for name in fields if types_of(fields[name]) & {"number", "integer"}]
    for found in pattern("compared").finditer(request.text):
        if numbers and not any(start < found.end() and found.start() < end for start, end in spent):
            near = plain_words(request.text[max(0, found.start() - AROUND) : found.end() + AROUND])
            name = max(numbers, key=lambda name: likeness(_words(name, fields), near))
            sign = ">" if found[1] else ">=" if found[2] else "<" if found[3] else "<="
            tests.append(f"row{_at(name)} {sign} {found[5].replace(',', '')}")
    for name, own in fields.items():
        members = [
            m for m in enum_of(own) if f" {str(m).lower().replace('_', ' ')} " in request.plain
        ]
        if members and "boolean" not in types_of(own):
            either = " || ".join(f"row{_at(name)} === {json.dumps(m)}" for m in members)
            tests.append(f"({either})" if len(members) > 1 else either)
        elif "boolean" in types_of(own) and (said := _named(request, {name: own})):
            before = request.text[: request.text.lower().find(said[name])].lower()
            tests.append(
                "!" * bool(pattern("against").search(before[-AROUND:])) + f"row{_at(name)}"
            )
    return tests


def _reduced(request: Request, rows: Rows) -> str | None:
    """The one thing that is asked of all rows; None if they are wanted as they are."""
    said = plain_words(pattern("compared").sub("", request.text))
    numbers = {n: own for n, own in rows.fields.items() if types_of(own) & {"number", "integer"}}
    for name, announced in sets("reductions").items():
        if name not in _REDUCED or not announced.intersection(said):
            continue
        likely = {n: likeness(_words(n, numbers), [*request.content]) for n in numbers}
        field = max(likely, key=lambda n: likely[n], default="")
        if name == "count" or (field and (likely[field] >= NAMED or len(numbers) == 1)):
            code = _REDUCED[name]
            for place, own in (
                ("rows", rows.code),
                ("field", f"row{_at(field)}"),
                ("key", _at(field)),
            ):
                code = code.replace(f"{{{place}}}", own)
            return f"{{ {json.dumps(name)}: {code} }}"
    return None


def _picked(request: Request, rows: Rows) -> str:
    """The rows with the fields that the request names, and those that say which row it is."""
    named = _named(request, rows.fields)
    kept = [n for n in rows.fields if n in named or name_words(n)[-1:] == ["id"]]
    if not named or len(kept) == len(rows.fields):
        return rows.code
    fields = ", ".join(f"{json.dumps(name)}: row{_at(name)}" for name in kept)
    return f"{rows.code}.map((row) => ({{ {fields} }}))"


def _named(request: Request, fields: Json) -> dict[str, str]:
    """The fields that the request speaks of, each with the word that does."""
    found: dict[str, str] = {}
    for word in request.content:
        for name in fields:
            if likeness(_words(name, fields), [word]) >= NAMED:
                found.setdefault(name, word)
    return found


def _words(name: str, fields: Json) -> list[str]:
    about = plain_words(str(fields[name].get("description") or ""))
    return [w for w in [*name_words(name), *about] if not is_stop_word(w)]


def _call(name: str, arguments: Json, written: Collection[str] = ()) -> str:
    """A call of a tool; the arguments `written` are expressions, the others are values."""
    given = (
        f"{json.dumps(k)}: {v if k in written else json.dumps(v)}" for k, v in arguments.items()
    )
    return f"tools{_at(name)}({{{', '.join(given)}}})"


def _at(name: str) -> str:
    """A property in JavaScript."""
    return f".{name}" if name.isidentifier() and name.isascii() else f"[{json.dumps(name)}]"
