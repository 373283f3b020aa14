"""What a tool is sent: a function its arguments, a tool of a known type what it is known to take.

A function says with its description and parameters what it is for. What a tool of a known type is
for is known beforehand: a few words stand beside its description (`known_for` in the lexicon), and
with them it is weighed like any other. What it is sent is no argument that a request names:

    searches       the request, without what it says of searching; a page that is named
    custom         what fits its grammar, what is marked off in the request, or all of it
    arithmetic     Python by the table below: sums, percentages, growth, a formula's values
    shell          commands that the request quotes; a folder listed, a file read; the SKILL.md of
                   a skill that fits, then the first block of commands in it, as it stands
    patches        `replace "x" by "y" in F` once the text of F was seen; F created or deleted

It composes no command and no other program, and a tool with nothing to be sent is no candidate.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .choose import rank
from .fill import Call
from .history import Situation, texts
from .lexicon import pattern, sets, table
from .prompt import Json
from .request import Request
from .schema import DEEPEST, Writer, enum_of, is_valid, properties_of, resolve
from .text import content_words
from .tool import Parameter, compile_tools

TYPES = frozenset(
    "apply_patch code_interpreter custom file_search image_generation local_shell shell "
    "tool_search web_search".split()
)
FITS = 0.5  # how likely a skill must be, to be read
MOST_MATCHED = 2_000  # characters that a grammar is looked for in
_BLOCK = re.compile(r"```(?:\w*sh|console)?\n(.+?)```", re.DOTALL)


@dataclass(slots=True)
class Sent:
    """A call as it is made; not while something is missing."""

    name: str
    arguments: Json
    missing: list[Parameter] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)  # by argument


def finish(call: Call, forced: bool = False) -> Sent:
    """A call with its arguments nested and valid against the schema.

    A parameter that must be sent and was not said takes its default, or null; a secret is made
    up. A forced call guesses the rest.
    """
    root, sent = call.tool.schema, Sent(call.tool.name, {})
    for parameter in call.tool.parameters:
        for data, source in _choices(parameter, call, forced):
            if is_valid(data, parameter.schema, root):
                into, sent.sources[parameter.path[0]] = sent.arguments, source
                for step in parameter.path[:-1]:
                    into = into.setdefault(step, {})
                into[parameter.path[-1]] = data
                break
        else:
            sent.missing += [parameter] * parameter.required
    _complete(root, root, sent.arguments)
    if sent.missing or is_valid(sent.arguments, root, root):
        return sent
    known = properties_of(root)
    fits = {k: v for k, v in sent.arguments.items() if is_valid(v, known.get(k), root)}
    sent.arguments = fits
    if not is_valid(fits, root, root):
        lacking = [each for each in call.tool.required if each.path[0] not in fits]
        sent.missing = lacking or call.tool.parameters[:1]
    return sent


def _choices(parameter: Parameter, call: Call, forced: bool) -> Iterator[tuple[Any, str]]:
    """What may be sent for a parameter, the best first, and where it is from."""
    schema, members, label = parameter.schema, enum_of(parameter.schema), parameter.label
    if label in call.arguments:
        yield call.arguments[label], call.sources.get(label, "")
    if not parameter.required:
        return
    if "default" in schema:
        yield schema["default"], "its default"
    if "null" in parameter.types:
        yield None, "not said, so null"
    if "boolean" in parameter.types:
        yield False, "nobody asked for it"
    if len(members) == 1:
        yield members[0], "the only value there is"
    if parameter.role == "secret" or {"api", "key"} <= {*parameter.own_words}:
        yield f"demo-{parameter.path[-1]}", "made up: nobody said it"
    if forced:
        writer = Writer(call.tool.schema, lambda path: [] if path else [*parameter.examples])
        yield writer.write(schema), "a guess: the call was forced and nothing was said"


def _complete(root: Json, schema: Json, made: Json, depth: int = 0) -> None:
    """Give required objects that hold nothing required their empty form."""
    for name in schema.get("required") or ():
        inner = resolve(root, properties_of(schema).get(name))
        if properties_of(inner) and depth < DEEPEST:
            _complete(root, inner, made.setdefault(name, {}), depth + 1)


# --- tools of a known type ------------------------------------------------------------------------


def as_weighed(tool: Json) -> Json:
    """The declaration by which a tool of a known type is weighed."""
    skills = (f"{skill['name']} {skill['description']}" for skill in tool.get("skills") or ())
    said = [tool.get("description") or "", table("known_for").get(tool["type"], ""), *skills]
    return {"name": tool["name"], "description": " ".join(said)}


def write(tool: Json, request: Request, situation: Situation, forced: bool) -> Json | None:
    """What a tool of a known type is sent; None if there is nothing for it and it is not forced."""
    text, quoted, urls = request.text, _said(request, "quoted"), _said(request, "url")
    asks = forced or request.act == "read" or "?" in text  # else it is nothing to search for
    sent: Json
    match tool["type"]:
        case "web_search" if urls:
            sent = {"url": urls[0]} | ({"pattern": quoted[0]} if quoted else {})
        case "web_search":
            sent = {"query": asks and query(text)}
        case "file_search":
            asked = query(text)
            words = " ".join(content_words(asked)) or asked
            sent = {"queries": asks and [*dict.fromkeys([asked, words])]}
        case "tool_search":  # the client's own: it is told the task, in each text that it requires
            named = tool["parameters"].get("required") or [*tool["parameters"]["properties"]][:1]
            sent = dict.fromkeys(named, "" if situation.searched else text)
        case "code_interpreter":
            sent = {"code": python(text) or "print('The request has nothing to compute.')" * forced}
        case "image_generation":  # a result may be the subject of the picture
            read = [made.text for made in situation.made if made.name != tool["name"]]
            sent = {"prompt": " ".join([text, *read])}
        case "shell":
            sent = {"commands": _commands(tool, request, situation) or ["ls"] * forced}
        case "local_shell":
            lines = _commands(tool, request, situation) or ["ls"] * forced
            sent = {"command": shlex.split(lines[0]) if lines else None}
        case "apply_patch":
            guess = {"type": "create_file", "path": "notes.txt", "diff": f"+{text}\n"}
            sent = {"operation": _patch(request, situation) or (guess if forced else None)}
        case _:
            sent = {"input": _piece(tool.get("format") or {}, text) or text * forced}
    return sent if forced or all(sent.values()) else None


def query(text: str) -> str:
    """A request without what it says of searching."""
    asked = pattern("aside").sub("", pattern("address").sub("", text)).strip() or text
    return " ".join(pattern("search lead").sub("", asked, count=1).split()).rstrip("?.! ") or asked


def _piece(form: Json, text: str) -> str:
    """The longest piece of a text that fits a regular grammar; without one, what is marked off."""
    if form.get("syntax") != "regex":
        return _marked_off(text) or text
    try:
        found = [m.group() for m in re.finditer(form["definition"], text[:MOST_MATCHED])]
    except re.error:  # it is written in another dialect
        return ""
    return max(found, key=len, default="")


def _said(request: Request, kind: str) -> list[str]:
    return [str(value.data) for value in request.values if value.kind == kind]


def _marked_off(text: str) -> str:
    """What is quoted in a text, or stands after a colon; nothing if neither is there."""
    found = pattern("marked off").search(text)
    return next(filter(None, found.groups())).strip() if found else ""


# --- Python, by how it is asked for ---------------------------------------------------------------

_COMPUTED = {
    "formula": "for x in range({1}, {2} + 1):\n    print(x, {0})",
    "share of": "print({1} * {0} / 100)",
    "growth": "amount = {0}\nfor year in range(1, {2} + 1):\n"
              "    amount *= 1 + {1} / 100\n    print(year, round(amount, 2))",
    "expression": "print({0})",
}  # fmt: skip
_OF_NUMBERS = {
    "sum": "sum(numbers)", "mean": "sum(numbers) / len(numbers)",
    "median": "statistics.median(numbers)", "standard deviation": "statistics.stdev(numbers)",
    "largest": "max(numbers)", "smallest": "min(numbers)", "sorted": "sorted(numbers)",
}  # fmt: skip


def python(request: str) -> str | None:
    """A few lines of Python that print what the request asks for; None if it is beyond this."""
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", request).replace("^", "**")
    for name, template in _COMPUTED.items():
        if found := pattern(name).search(text):
            given = [re.sub(r"(?<=\d)\s*x", " * x", each.strip()) for each in found.groups()]
            code = template.format(*given)
            try:
                compile(code, "<code>", "exec")
            except (SyntaxError, ValueError, OverflowError):
                continue
            return code
    numbers, said = pattern("plain number").findall(text), {*content_words(text)}
    asked = {n: code for n, code in _OF_NUMBERS.items() if sets("reductions")[n] & said}
    if not asked or len(numbers) < 3:
        return None
    lines = [f'print("{name}:", {code})' for name, code in asked.items()]
    return "\n".join(["import statistics", "", f"numbers = [{', '.join(numbers)}]", *lines])


# --- files and commands ---------------------------------------------------------------------------


def _file_named(request: Request) -> str:
    """The file that a request names, outside of what is quoted."""
    text = request.text
    for value in request.values:
        if value.kind in ("quoted", "url", "email"):
            text = text.replace(value.text, " " * len(value.text))
    found = pattern("file named").search(text)
    return found.group() if found else ""


def _commands(tool: Json, request: Request, situation: Situation) -> list[str]:
    """The commands of the next step that was not taken yet."""
    taken = [
        (made.arguments.get("commands") or [shlex.join(made.arguments.get("command") or [])], made)
        for made in situation.made
        if made.name == tool["name"] and isinstance(made.arguments, dict)
    ]
    steps = [_named(request)]
    skills = {skill["name"]: skill for skill in tool.get("skills") or ()}
    best = next(iter(rank(request, compile_tools([*skills.values()]))), None)
    if best and best.score >= FITS and best.is_met:
        path = skills[best.call.tool.name]["path"].rstrip("/")
        read = [f"cat {shlex.quote(f'{path}/SKILL.md')}"]
        books = [_BLOCK.search(made.printed) for lines, made in taken if lines == read]
        steps = [read, *(block[1].strip().splitlines() for block in books if block)]
    run = {line for lines, _ in taken for line in lines}
    return next((step for step in steps if not run.issuperset(step)), [])


def _named(request: Request) -> list[str]:
    """The commands that a request says, or that do what it says of files."""
    if path := _file_named(request):
        return [f"cat {shlex.quote(path)}"] if request.act in ("read", "change") else []
    if listed := pattern("folder listed").search(request.text):
        folder = listed[1] or listed[2]
        return [f"ls {shlex.quote(folder)}" if folder else "ls"]
    return [line for said in _said(request, "quoted") for line in said.strip().splitlines()]


def _patch(request: Request, situation: Situation) -> Json | None:
    """The operation on a file; None if there is none, or if what it changes was not seen."""
    made, path, quoted = situation.made, _file_named(request), _said(request, "quoted")
    if not path or any(each.name == "apply_patch" and not each.failed for each in made):
        return None
    if request.act == "delete":
        return {"type": "delete_file", "path": path}
    kind, diff = "create_file", ""
    if request.act == "create":
        lines = _marked_off(request.text.replace(path, "", 1)).splitlines()
        diff = "".join(f"+{line}\n" for line in lines)
    elif request.act == "change" and len(quoted) == 2:
        old, new = quoted
        seen = [line for each in made for said in texts(each.output) for line in said.splitlines()]
        changed = [f"@@\n-{line}\n+{line.replace(old, new)}\n" for line in seen if old in line]
        kind, diff = "update_file", "".join(changed)
    return {"type": kind, "path": path, "diff": diff} if diff else None
