"""JavaScript that the stand-in writes for `programmatic_tool_calling`.

    fan out     one tool for several values, or several tools, at once with Promise.all
    join        for each row of a result one call of another tool that takes a field of the row
    filter      rows by a number ("over 100"), a yes or no, or a member of an enum
    reduce      sum, mean, count, largest, smallest, sorted, of one field

Fields are picked by the words of the request, among those that `output_schema` names; without one
there is nothing but to fan out. That is all: one join, one reduction, no loop, no second try.
"""

import json
from dataclasses import dataclass

from .fill import Call
from .finish import finish
from .lexicon import pattern, sets
from .prompt import Json
from .request import Request
from .schema import enum_of, items_of, properties_of, resolve, types_of
from .text import is_stop_word, likeness, name_words, plain_words
from .values import Value

NAMED = 0.75  # how like a word of the request must be to one of a field
AROUND = 30  # characters before a number in which its field is named
_REDUCED = {
    "sum": "ROWS.reduce((sum, row) => sum + row.KEY, 0)",
    "mean": "ROWS.reduce((sum, row) => sum + row.KEY, 0) / ROWS.length",
    "count": "ROWS.length",
    "largest": "[...ROWS].sort((one, row) => row.KEY - one.KEY)[0] ?? null",
    "smallest": "[...ROWS].sort((one, row) => one.KEY - row.KEY)[0] ?? null",
    "sorted": "[...ROWS].sort((one, row) => one.KEY - row.KEY)",
}


@dataclass(slots=True)
class Rows:
    """Rows in a program: the expression that has them, and the properties of one."""

    code: str
    fields: Json

    @property
    def numbers(self) -> list[str]:
        return [name for name, own in self.fields.items() if types_of(own) & {"number", "integer"}]

    def likeness(self, name: str, said: list[str]) -> float:
        """How like some words are to the name of a field, or to its description."""
        own = name_words(name) + plain_words(str(self.fields[name].get("description") or ""))
        return likeness([word for word in own if not is_stop_word(word)], said)

    def named(self, request: Request) -> dict[str, str]:
        """The fields that a request speaks of, each with the word that does."""
        pairs = ((name, word) for word in request.content for name in self.fields)
        return {name: word for name, word in pairs if self.likeness(name, [word]) >= NAMED}


def may_call(tool: Json) -> bool:
    """Whether a program may call a tool, and the stand-in knows what to send it."""
    plain = tool.get("type", "function") in ("function", "mcp")
    return plain and "programmatic" in (tool.get("allowed_callers") or ())


def write(
    calls: list[Call], request: Request, tools: dict[str, Json], others: list[Call], must: bool
) -> str | None:
    """A program that makes the calls; None if it would spare nothing and is not a must.

    `tools` are the declarations that a program may call, by name, `others` calls that were not
    planned, best first.
    """
    outer, inner = _joined(calls, request, tools, others)
    sent = [(each.tool.name, *finish(each)) for each in outer]
    if any(name not in tools or missing for name, _, missing in sent):
        return None
    lines, rows = _fetched([(name, arguments) for name, arguments, _ in sent], tools)
    if inner:
        line, rows = _completed(rows, inner, tools[inner.tool.name])
        lines.append(line)
    if tests := _tests(request, rows, [value for each in calls for value in each.used.values()]):
        lines.append(f"const kept = {rows.code}.filter((row) => {' && '.join(tests)});")
        rows.code = "kept"
    reduced = _reduced(request, rows)
    if not (must or inner or tests or reduced):
        return None
    return "\n".join([*lines, f"text(JSON.stringify({reduced or _picked(request, rows)}));"])


def _fetched(sent: list[tuple[str, Json]], tools: dict[str, Json]) -> tuple[list[str], Rows]:
    """The lines that make the calls, and their results as rows."""
    name, arguments = sent[0]
    path, many, fields = _result(tools[name])
    rows = Rows(f"found.flatMap((each) => each{path})" if many else "found", fields)
    if len(sent) == 1:
        rows.code = f"found{path}" if many else "[found]"
        return [f"const found = await {_call(name, arguments)};"], rows
    if len({name for name, _ in sent}) > 1:
        each = "".join(f"\n  {_call(name, own)}," for name, own in sent)
        return [f"const found = await Promise.all([{each}\n]);"], Rows("found", {})
    made = f"tools{_at(name)}(each)"
    if fields and not many:  # or one could not tell the rows apart
        made = f"({{ ...each, ...(await {made}) }})"
        rows.fields = {key: {} for key in arguments} | fields
    asked = f"const asked = {json.dumps([own for _, own in sent])};"
    return [asked, f"const found = await Promise.all(asked.map(async (each) => {made}));"], rows


def _joined(
    calls: list[Call], request: Request, tools: dict[str, Json], others: list[Call]
) -> tuple[list[Call], Call | None]:
    """The calls to begin with, and one whose tool adds to their rows a field that is asked for."""
    wanted = calls[0]
    rest = [each for each in others if each.tool.name in tools and each.tool is not wanted.tool]
    if len(calls) > 1 or wanted.tool.name not in tools:
        return calls, None
    for outer, inner in (p for each in rest for p in ((wanted, each), (each, wanted))):
        _, many, fields = _result(tools[outer.tool.name])
        more = _result(tools[inner.tool.name])[2]
        keys = _keys(inner, fields)
        fits = many and keys and {p.path[0] for p in inner.missing} <= keys.keys()
        new = Rows("", {name: own for name, own in more.items() if name not in fields})
        if fits and not finish(outer)[1] and new.named(request):
            return [outer], inner
    return calls, None


def _keys(inner: Call, fields: Json) -> dict[str, str]:
    """What a call takes from a row."""
    names = [p.path[0] for p in inner.tool.required if p.path[0] in fields]
    return {name: f"row{_at(name)}" for name in names}


def _completed(rows: Rows, inner: Call, tool: Json) -> tuple[str, Rows]:
    """The line that completes each row by a call, and the rows after it."""
    path, many, fields = _result(tool)
    made = f"await {_call(inner.tool.name, finish(inner)[0], _keys(inner, rows.fields))}"
    each = f"({{ ...row, ...({made}) }})"
    if many:
        each = f"({made}){path}.map((each) => ({{ ...row, ...each }}))"
    line = f"const rows = await Promise.all({rows.code}.map(async (row) => {each}));"
    return line, Rows("rows.flat()" if many else "rows", rows.fields | fields)


def _result(tool: Json) -> tuple[str, bool, Json]:
    """Where the rows of a result are, whether there are many, and the properties of one."""
    root = tool.get("output_schema") or {}

    def properties(schema: Json) -> Json:
        return {name: resolve(root, own) for name, own in properties_of(schema).items()}

    whole = resolve(root, root)
    for path, schema in ("", whole), *((_at(n), own) for n, own in properties(whole).items()):
        if fields := properties(resolve(root, items_of(schema))):
            return path, True, fields
    return "", False, properties(whole)


def _tests(request: Request, rows: Rows, spent: list[Value]) -> list[str]:
    """What the request says of the rows it wants, as conditions."""
    tests, text = [], request.text
    for found in pattern("compared").finditer(text):
        if rows.numbers and not any(v.start < found.end() and found.start() < v.end for v in spent):
            near = plain_words(text[max(0, found.start() - AROUND) : found.end() + AROUND])
            name = max(rows.numbers, key=lambda name: rows.likeness(name, near))
            sign = ">" if found[1] else ">=" if found[2] else "<" if found[3] else "<="
            tests.append(f"row{_at(name)} {sign} {found[5].replace(',', '')}")
    named = rows.named(request)
    for name, own in rows.fields.items():
        if "boolean" in types_of(own) and name in named:
            before = text.lower().partition(named[name])[0][-AROUND:]
            tests.append("!" * bool(pattern("against").search(before)) + f"row{_at(name)}")
            continue
        plain = {member: str(member).lower().replace("_", " ") for member in enum_of(own)}
        members = [json.dumps(m) for m, said in plain.items() if f" {said} " in request.plain]
        if members:
            tests.append(f"[{', '.join(members)}].includes(row{_at(name)})")
    return tests


def _reduced(request: Request, rows: Rows) -> str | None:
    """The one thing that is asked of all rows; None if they are wanted as they are."""
    said = plain_words(pattern("compared").sub("", request.text))
    likely = {name: rows.likeness(name, [*request.content]) for name in rows.numbers}
    key = max(likely, key=lambda name: likely[name], default="")
    if key and likely[key] < NAMED and len(likely) > 1:
        key = ""
    for name, announced in sets("reductions").items():
        if name in _REDUCED and announced.intersection(said) and (key or name == "count"):
            code = _REDUCED[name].replace("ROWS", rows.code).replace(".KEY", _at(key))
            return f"{{ {json.dumps(name)}: {code} }}"
    return None


def _picked(request: Request, rows: Rows) -> str:
    """The rows with the fields that the request names, and those that say which row it is."""
    named = rows.named(request)
    kept = [n for n in rows.fields if n in named or name_words(n)[-1:] == ["id"]]
    if not named or len(kept) == len(rows.fields):
        return rows.code
    fields = ", ".join(f"{json.dumps(name)}: row{_at(name)}" for name in kept)
    return f"{rows.code}.map((row) => ({{ {fields} }}))"


def _call(name: str, arguments: Json, taken: dict[str, str] | None = None) -> str:
    """A call of a tool with values, and with expressions that are `taken` from elsewhere."""
    given = {key: json.dumps(value) for key, value in arguments.items()} | (taken or {})
    written = ", ".join(f"{json.dumps(key)}: {value}" for key, value in given.items())
    return f"tools{_at(name)}({{{written}}})"


def _at(name: str) -> str:
    """A property in JavaScript."""
    return f".{name}" if name.isidentifier() and name.isascii() else f"[{json.dumps(name)}]"
