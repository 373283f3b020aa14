"""What the stand-in says: an answer from results, a question back, or an honest no.

It repeats what results say and adds nothing: a number without a unit stays without one, and rows
without a total are all the rows there are. Of passages that any tool returned it says the one or
two sentences that share most with the question, as they stand, and cites them.
"""

import json
import re
from html import unescape
from typing import Any

from .fill import fill
from .history import Made, Situation
from .lexicon import pattern, table, words
from .prompt import Json, message
from .request import read_request
from .schema import Writer
from .text import content_words, stem
from .tool import Parameter, compile_tools

NO_TOOL = "I have no tool for that. I can only answer from what I was given."
SMALL_TALK = "You are welcome. Tell me if there is something I can do."
NOT_FOUND = "I searched, and found nothing that answers this."
MOST_ROWS = 10
SAY_ALL = ("image_generation", "shell", "local_shell", "code_interpreter")  # if it came last
SOURCES = ("url", "file_id", "source", "filename", "id")  # what a passage is cited by
ENOUGH = 0.4  # of the question's words, for a sentence to answer it
ALSO = 0.75  # of the best sentence's share, for a second one to be said
IN_TITLE = 0.8  # how much a word of the question counts that only the title has
_HEADING = re.compile(r"^#+ .*$", re.MULTILINE)
_SENTENCE = re.compile(r"[^\n]+?(?:[.!?](?=\s|$)|(?=\n)|$)")


def ask_for(name: str, missing: list[Parameter]) -> str:
    """Ask for the values a call still needs."""
    needed = [
        " ".join(each.path).replace("_", " ") + f" ({each.about.rstrip('.')})" * bool(each.about)
        for each in missing[:4]
    ]
    return f"To use {name} I need the {' and '.join(needed)}. Which should I take?"


def from_results(question: str, made: list[Made]) -> Json:
    """A message: a sentence for each result; of passages, what answers the question, cited."""
    found = [None if each.failed else passages(each.output) for each in made]
    plain = [each for each, own in zip(made, found, strict=True) if own is None]
    alone = plain[-1:] if plain and plain[-1].name in SAY_ALL else plain
    text = " ".join(filter(None, map(_sentence, alone)))
    if len(plain) == len(made):
        return message(text)
    opened = any(isinstance(each.arguments, dict) and each.arguments.get("url") for each in made)
    chosen = _chosen(question, [each for own in found for each in own or ()], opened)
    spans: dict[str, tuple[int, int]] = {}
    for said, source in chosen:
        begin, _ = spans.get(source, (len(text) + bool(text), 0))
        text = f"{text} {said}".strip()
        spans[source] = begin, len(text)
    citations = [{"start": a, "end": b, "source": source} for source, (a, b) in spans.items()]
    return message(text if chosen else f"{text} {NOT_FOUND}".strip()) | {"citations": citations}


def from_text(request: str) -> str | None:
    """What a request says in answer to its own last paragraph; None where it says nothing of it."""
    *given, asked = re.split(r"\n\s*\n", re.sub(r"<[^<>]*>", "\n", request).strip())
    found = [{"text": unescape(each), "source": "the request"} for each in given]
    return " ".join(said for said, _ in _chosen(asked, found, opened=False)) or None


def passages(output: Any) -> list[Json] | None:
    """The passages in a result: a list, or a list in an object, whose members have a `text`."""

    def is_passage(each: Any) -> bool:
        has_text = isinstance(each, dict) and isinstance(each.get("text"), str)
        return has_text and any(map(each.get, SOURCES))

    if isinstance(output, dict) and output.get("results") == []:
        return []
    lists = [*output.values()] if isinstance(output, dict) else [output]
    lists = [each for each in lists if isinstance(each, list)]
    return next((each for each in lists if each and all(map(is_passage, each))), None)


def _chosen(question: str, found: list[Json], opened: bool) -> list[tuple[str, str]]:
    """One or two sentences with their sources; of a page that was opened, the best there is."""
    asked, shares = _stems(question), dict[str, tuple[float, str]]()
    for passage in found:
        titles = [str(passage.get(name) or "") for name in ("title", "filename", "name")]
        above = _stems(" ".join([*titles, *_HEADING.findall(passage["text"])]))
        source = next(str(passage[name]) for name in SOURCES if passage.get(name))
        for sentence in map(str.strip, _SENTENCE.findall(_HEADING.sub("", passage["text"]))):
            own = _stems(sentence)
            share = sum(1.0 if word in own else IN_TITLE * (word in above) for word in asked)
            if len(sentence) > 1:
                shares.setdefault(sentence, (share / max(len(asked), 1), source))
    best = sorted(shares, key=lambda said: -shares[said][0])[:2]
    most = shares[best[0]][0] if best else 0.0
    least = ALSO * most if most >= ENOUGH or opened else 2.0
    return [(said, shares[said][1]) for said in shares if said in best and shares[said][0] >= least]


def _stems(text: str) -> set[str]:
    return {*map(stem, content_words(text)), *re.findall(r"\d+", text)}


def _sentence(made: Made) -> str:
    """What is said of one result; of a picture nothing, for it says all there is (recorded)."""
    name, data = made.name, made.output
    match name if not made.failed else "", data:
        case "image_generation", _:
            return ""
        case "shell" | "local_shell", _:
            return "The shell printed" + (f":\n\n{made.printed}" if made.printed else " nothing.")
        case "code_interpreter", {"logs": str(logs)}:  # and links to the files it wrote
            logs = logs.strip() or "empty"
            said = f"The code printed:\n\n{logs}" if "\n" in logs else f"The result is {logs}."
            links = (f"[{each.split('/')[-1]}]({each})" for each in data.get("files") or ())
            return "\n\n".join([said, *links])
        case "programmatic_tool_calling", _:
            name = "the program"
    if isinstance(data, list):
        data = {"result": data}
    if not isinstance(data, dict):
        return f"{name} says: {_spoken(data)}".rstrip(".") + "."
    if made.failed:
        # what failed, what the user should know of how to mend it, and a question if one is asked
        fix = re.split(r"(?<=[.!?])\s+", str(data.get("how_to_fix") or ""))
        error = _spoken(data.get("error") or data.get("message") or "no reason given")
        told = [each.rstrip(".") for each in fix if not pattern("to the model").search(each)]
        back = " What should I use instead?" if any(map(pattern("ask back").search, fix)) else ""
        return f"{name} could not do it: {'. '.join(filter(None, [error, *told]))}.{back}"
    total = next((data[key] for key in data if key.lower() in words("total_keys")), None)
    facts = [_rows(key, value, total) for key, value in data.items() if key != "ok"]
    return f"According to {name}: {', '.join(facts) or 'nothing'}."


def _rows(key: str, value: Any, total: Any) -> str:
    """Rows are as many as there are, or as a total declares; anything else is a fact."""
    if not isinstance(value, list) or len(value) < 2:
        return _fact(key, value)
    said, shown = key.replace("_", " "), len(value)
    many = type(total) is int and total > shown
    told = f"{total} {said} in all, of which {shown} are shown" if many else f"{shown} {said}"
    return f"there are {told}: {_spoken(value)}" + "; …" * (shown > MOST_ROWS)


def _fact(key: str, value: Any) -> str:
    """`weight_kg: 3.2` has a unit to say; `weight: 3.2` has none."""
    what, _, last = key.rpartition("_")
    unit = table("key_units").get(last)
    if what and unit and type(value) in (int, float):
        return f"{what.replace('_', ' ')} {value} {unit}"
    return f"{key.replace('_', ' ')} {_spoken(value)}"


def _spoken(value: Any) -> str:
    match value:
        case True | False:
            return "yes" if value else "no"
        case None:
            return "unknown"
        case list():
            return "; ".join(map(_spoken, value[:MOST_ROWS])) or "none"
        case dict():
            return ", ".join(_fact(key, each) for key, each in value.items())
    return str(value).strip()


def as_json(text: str, text_format: Json, situation: Situation) -> str:
    """An answer as the JSON that `text.format` asks for.

    A value comes from a result with the same key, then from the request, as an argument would.
    What neither says is the plainest value that the schema allows: no more than a placeholder.
    """
    if text_format["type"] == "json_object":
        return json.dumps({"answer": text}, ensure_ascii=False)
    spoken = [made.text for made in situation.made if not made.told]
    [tool] = compile_tools([{"name": "answer", "parameters": text_format["schema"]}])
    said = fill(tool, read_request(" ".join([situation.request, *spoken]))).arguments

    def known(path: tuple[str, ...]) -> list[Any]:
        found = [situation.facts.get(path[-1]) if path else None, said.get(".".join(path))]
        return [each for each in found if each is not None]

    written = Writer(text_format["schema"], known).write(text_format["schema"])
    return json.dumps(written, ensure_ascii=False)
