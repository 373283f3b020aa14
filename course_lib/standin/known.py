"""Tools of a known type: the words that each is weighed by, and what it is sent.

A few words stand beside its description (`known_for` in the lexicon), and with them it is weighed
like any other tool. What it is sent is no argument that a request names:

    searches       the request, without what it says of searching; a page that is named
    custom         what fits its grammar, what is marked off in the request, or all of it
    Python         arithmetic by the table below: sums, percentages, growth, a formula's values
    shell          commands that the request quotes; a folder listed, a file read; the SKILL.md of
                   a skill that fits, then the first block of commands in it, as it stands
    patches        `replace "x" by "y" in F` once the text of F was printed; F created or deleted

It composes no command and no other program, and a tool with nothing to be sent is no candidate.
"""

import re
import shlex

from .choose import rank
from .history import Situation
from .lexicon import pattern, sets, table
from .prompt import Json
from .request import Request
from .text import content_words
from .tool import compile_tools

FITS = 0.5  # how likely a skill must be, to be read
MOST_MATCHED = 2_000  # characters that a grammar is looked for in
NOTHING = "print('The request has nothing to compute.')"
_BLOCK = re.compile(r"```(?:\w*sh|console)?\n(.+?)```", re.DOTALL)
_COMPUTED = {  # how it is asked for → Python
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


def as_weighed(tool: Json) -> Json:
    """The declaration by which a tool of a known type is weighed."""
    skills = (f"{skill['name']} {skill['description']}" for skill in tool.get("skills") or ())
    said = [tool.get("description") or "", table("known_for").get(tool["type"], ""), *skills]
    return {"name": tool["name"], "description": " ".join(said)}


def arguments_for(tool: Json, request: Request, situation: Situation, forced: bool) -> Json | None:
    """What a tool is sent; None if there is nothing for it and it is not forced."""
    text, quoted = request.text, [str(v.data) for v in request.values if v.kind == "quoted"]
    urls = [value.text for value in request.values if value.kind == "url"]
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
            sent = {"code": python(text) or NOTHING * forced}
        case "image_generation":  # a result may be the subject of the picture
            sent = {"prompt": " ".join([text, *(made.text for made in situation.made)])}
        case "shell":
            steps = [{"commands": lines} for lines in _steps(tool, request, quoted, situation)]
            sent = _first_left(steps, situation, {"commands": ["ls"] * forced})
        case "local_shell":
            lines = [line for step in _steps(tool, request, quoted, situation) for line in step]
            steps = [{"command": ["bash", "-lc", line]} for line in lines]
            sent = _first_left(steps, situation, {"command": ["ls"] * forced})
        case "apply_patch":
            guess = {"type": "create_file", "path": "notes.txt", "diff": f"+{text}\n"}
            operation = _patch(request, quoted, situation)
            sent = {"operation": operation or (guess if forced else None)}
        case _:
            sent = {"input": _piece(tool.get("format") or {}, text) or text * forced}
    return sent if forced or all(sent.values()) else None


def query(text: str) -> str:
    """A request without what it says of searching."""
    asked = pattern("aside").sub("", pattern("link").sub("", text)).strip() or text
    return " ".join(pattern("search lead").sub("", asked, count=1).split()).rstrip("?.! ") or asked


def python(request: str) -> str | None:
    """A few lines of Python that print what the request asks for; None if it is beyond this."""
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", request).replace("^", "**")
    for name, template in _COMPUTED.items():
        if found := pattern(name).search(text):
            given = [re.sub(r"(?<=\d)\s*x", " * x", each.strip()) for each in found.groups()]
            try:
                compile(template.format(*given), "<code>", "exec")
            except (SyntaxError, ValueError, OverflowError):
                continue
            return template.format(*given)
    numbers, said = pattern("plain number").findall(text), {*content_words(text)}
    asked = [name for name in _OF_NUMBERS if sets("reductions")[name] & said]
    lines = [f'print("{name}:", {_OF_NUMBERS[name]})' for name in asked]
    given = ["import statistics", "", f"numbers = [{', '.join(numbers)}]"]
    return "\n".join([*given, *lines]) if lines and len(numbers) > 2 else None


def _piece(form: Json, text: str) -> str:
    """The longest piece of a text that fits a regular grammar; without one, what is marked off."""
    if form.get("syntax") != "regex":
        return _marked_off(text) or text
    found = re.finditer(form["definition"], text[:MOST_MATCHED])
    return max((piece.group() for piece in found), key=len, default="")


def _marked_off(text: str) -> str:
    """What is quoted in a text, or stands after a colon; nothing if neither is there."""
    found = pattern("marked off").search(text)
    return next(filter(None, found.groups())).strip() if found else ""


def _file_named(request: Request) -> str:
    """The file that a request names, outside of what is quoted."""
    text = request.text
    for value in request.values:
        if value.kind in ("quoted", "url", "email"):
            text = text.replace(value.text, " " * len(value.text))
    found = pattern("file named").search(text)
    return found.group() if found else ""


def _steps(
    tool: Json, request: Request, quoted: list[str], situation: Situation
) -> list[list[str]]:
    """The commands for a shell, those that are run together in one step."""
    listed, path = pattern("folder listed").search(request.text), _file_named(request)
    step = [line for said in quoted for line in said.strip().splitlines()]
    if path:
        step = [f"cat {shlex.quote(path)}"] if request.act in ("read", "change") else []
    elif listed:
        step = [f"ls {shlex.quote(listed[1] or listed[2] or '')}".removesuffix(" ''")]
    skills = {skill["name"]: skill for skill in tool.get("skills") or ()}
    best = next(iter(rank(request, compile_tools([*skills.values()]))), None)
    if not (best and best.score >= FITS and best.is_met):
        return [step] if step else []
    book = f"{skills[best.call.tool.name]['path'].rstrip('/')}/SKILL.md"
    read = [f"cat {shlex.quote(book)}"]
    printed = (made.printed for made in situation.made if made.arguments == {"commands": read})
    blocks = [*filter(None, map(_BLOCK.search, printed))]
    return [read, *(block[1].strip().splitlines() for block in blocks)]


def _first_left(steps: list[Json], situation: Situation, otherwise: Json) -> Json:
    """The first step that was not taken yet."""
    taken = [made.arguments for made in situation.made]
    return next((step for step in steps if step not in taken), otherwise)


def _patch(request: Request, quoted: list[str], situation: Situation) -> Json | None:
    """The operation on a file; None if there is none, or if what it changes was not printed."""
    made, path, kind, diff = situation.made, _file_named(request), "create_file", ""
    if not path or any(each.name == "apply_patch" and not each.failed for each in made):
        return None
    if request.act == "delete":
        return {"type": "delete_file", "path": path}
    if request.act == "create":
        lines = _marked_off(request.text.replace(path, "", 1)).splitlines()
        diff = "".join(f"+{line}\n" for line in lines)
    elif request.act == "change" and len(quoted) == 2:
        kind, (old, new) = "update_file", quoted
        seen = [line for each in made for line in each.printed.splitlines() if old in line]
        diff = "".join(f"@@\n-{line}\n+{line.replace(old, new)}\n" for line in seen)
    return {"type": kind, "path": path, "diff": diff} if diff else None
