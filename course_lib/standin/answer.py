"""What the stand-in says: an answer from results, a question back, or an honest no.

It repeats what results say and adds nothing: a number without a unit stays without one, and rows
without a total are all the rows there are. Of passages that any tool returned it says the one or
two sentences that share most with the question, as they stand, and cites them.
"""

import json
import re
from typing import Any

from .fill import fill
from .history import Made
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
SOURCES = ("url", "file_id", "source", "filename", "id")  # what a passage is cited by
TITLES = ("title", "filename", "name")
ENOUGH = 0.4  # of the question's words, for a sentence to answer it
ALSO = 0.75  # of the best sentence's share, for a second one to be said
IN_TITLE = 0.8  # how much a word of the question counts that only the title has
_HEADING = re.compile(r"^#+ .*$", re.MULTILINE)
_SENTENCE = re.compile(r"[^\n]+?(?:[.!?](?=\s|$)|(?=\n)|$)")


def ask_for(name: str, missing: list[Parameter]) -> str:
    """Ask for the values a call still needs."""
    told = (f" ({each.about.rstrip('.')})" if each.about else "" for each in missing[:4])
    names = (each.label.replace(".", " ").replace("_", " ") for each in missing)
    needed = " and ".join(map("".join, zip(names, told, strict=False)))
    return f"To use {name} I need the {needed}. Which should I take?"


def from_results(question: str, made: list[Made]) -> Json:
    """A message: a sentence for each result; of passages, what answers the question, cited."""
    found = [None if each.failed else passages(each.output) for each in made]
    plain = [each for each, own in zip(made, found, strict=True) if own is None]
    text = _alone(plain[-1]) if plain else ""
    if text is None:
        text = " ".join(_sentence(each.name, each.output) for each in plain)
    if len(plain) == len(made):
        return message(text)
    opened = any(isinstance(each.arguments, dict) and each.arguments.get("url") for each in made)
    chosen = _chosen(question, [each for own in found for each in own or ()], opened)
    citations: list[Json] = []
    for said, source in chosen:
        start = len(text) + bool(text)
        text = f"{text} {said}".strip()
        if citations and citations[-1]["source"] == source:
            citations[-1]["end"] = len(text)
        else:
            citations.append({"start": start, "end": len(text), "source": source})
    return message(text if chosen else f"{text} {NOT_FOUND}".strip()) | {"citations": citations}


# --- passages -------------------------------------------------------------------------------------


def passages(output: Any) -> list[Json] | None:
    """The passages in a result: a list, or a list in an object, whose members have a `text`."""
    if isinstance(output, dict) and output.get("results") == []:
        return []
    lists = [*output.values()] if isinstance(output, dict) else [output]
    return next((each for each in lists if isinstance(each, list) and _are_passages(each)), None)


def _are_passages(members: list[Any]) -> bool:
    return bool(members) and all(
        isinstance(each, dict) and isinstance(each.get("text"), str) and any(map(each.get, SOURCES))
        for each in members
    )


def _chosen(question: str, found: list[Json], opened: bool) -> list[tuple[str, str]]:
    """One or two sentences with their sources; of a page that was opened, the best there is."""
    asked, shares = _stems(question), dict[str, tuple[float, str]]()
    for passage in found:
        titles = [str(passage.get(name) or "") for name in TITLES]
        above = _stems(" ".join([*titles, *_HEADING.findall(passage["text"])]))
        source = next(str(passage[name]) for name in SOURCES if passage.get(name))
        for sentence in map(str.strip, _SENTENCE.findall(_HEADING.sub("", passage["text"]))):
            own = _stems(sentence)
            share = sum(1.0 if word in own else IN_TITLE * (word in above) for word in asked)
            if len(sentence) > 1:
                shares.setdefault(sentence, (share / max(len(asked), 1), source))
    best = sorted(shares, key=lambda said: -shares[said][0])[:2]
    most = shares[best[0]][0] if best else 0.0
    if most < ENOUGH and not opened:
        return []
    least = ALSO * most
    return [
        (s, shares[s][1]) for s in shares if s == best[0] or (s in best and shares[s][0] >= least)
    ]


def _stems(text: str) -> set[str]:
    return {*map(stem, content_words(text)), *re.findall(r"\d+", text)}


# --- other results --------------------------------------------------------------------------------


def _alone(made: Made) -> str | None:
    """What is said of the last result where that is the whole answer; None if it is not."""
    match made.name:
        case _ if made.failed:
            return None
        case "image_generation":  # a picture says all that there is to say (recorded)
            return ""
        case "shell" | "local_shell":
            told = f":\n\n{made.printed}" if made.printed else " nothing."
            return f"The shell printed{told}"
        case "code_interpreter":  # what it printed, and links to the files it wrote
            logs = str(made.told.get("logs") or "").strip()
            told = (
                f"The code printed:\n\n{logs}"
                if "\n" in logs
                else f"The result is {logs or 'empty'}."
            )
            links = [
                f"[{link.rsplit('/', 1)[-1]}]({link})" for link in made.told.get("files") or ()
            ]
            return "\n\n".join([told, *links])
    return None


def _sentence(name: str, data: Any) -> str:
    name = "the program" if name == "programmatic_tool_calling" else name
    if isinstance(data, list):
        data = {"result": data}
    if not isinstance(data, dict):
        return f"{name} says: {_spoken(data)}".rstrip(".") + "."
    if data.get("ok") is False or data.get("error"):
        return _failure(name, data)
    total = next((data[key] for key in data if key.lower() in words("total_keys")), None)
    facts = [
        _rows(key.replace("_", " "), value, total)
        if isinstance(value, list) and len(value) > 1
        else _fact(key, value)
        for key, value in data.items()
        if key != "ok"
    ]
    return f"According to {name}: {', '.join(facts) or 'nothing'}."


def _failure(name: str, data: Json) -> str:
    """What failed, what the user should know of how to mend it, and a question if one is asked."""
    fix = str(data.get("how_to_fix") or "").strip()
    said = [_spoken(data.get("error") or data.get("message") or "no reason given"), *(
        part.rstrip(".") for part in re.split(r"(?<=[.!?])\s+", fix)
        if part and not pattern("to the model").search(part)
    )]  # fmt: skip
    back = " What should I use instead?" if pattern("ask back").search(fix) else ""
    return f"{name} could not do it: {'. '.join(said)}.{back}"


def _rows(what: str, rows: list[Any], total: Any) -> str:
    """So many rows: the total if one is declared, else as many as there are."""
    shown = _spoken(rows) + ("; …" if len(rows) > MOST_ROWS else "")
    if type(total) is int and total > len(rows):
        return f"there are {total} {what} in all, of which {len(rows)} are shown: {shown}"
    return f"there are {len(rows)} {what}: {shown}"


def _fact(key: str, value: Any) -> str:
    """`weight_kg: 3.2` has a unit to say; `weight: 3.2` has none."""
    *what, last = key.split("_")
    unit = table("key_units").get(last) if what else None
    if unit and isinstance(value, int | float) and not isinstance(value, bool):
        return f"{' '.join(what)} {value} {unit}"
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
            return ", ".join(_fact(str(key), v) for key, v in value.items())
    return str(value).strip()


# --- structured output ----------------------------------------------------------------------------


def as_json(text: str, text_format: Json, request: str, made: list[Made]) -> str:
    """`text`, or the same answer as JSON where `text.format` asks for it.

    A value comes from a result with the same key, then from the request, as an argument would.
    What neither says is the plainest value that the schema allows: no more than a placeholder.
    """
    if text_format["type"] == "json_object":
        return json.dumps({"answer": text}, ensure_ascii=False)
    if text_format["type"] == "text":
        return text
    facts = {key: value for each in made for key, value in each.told.items()}
    spoken = [request, *(str(each.output) for each in made if not each.told)]
    [tool] = compile_tools([{"name": "answer", "parameters": text_format["schema"]}])
    said = fill(tool, read_request(" ".join(spoken))).arguments

    def known(path: tuple[str, ...]) -> list[Any]:
        found = [facts.get(path[-1] if path else ""), said.get(".".join(path))]
        return [each for each in found if each is not None]

    written = Writer(text_format["schema"], known).write(text_format["schema"])
    return json.dumps(written, ensure_ascii=False)
