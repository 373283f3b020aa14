"""What the stand-in says: an answer from tool results, a question back, or an honest no.

It repeats what the results say and adds nothing: a number without a unit stays without one, and
rows without a total are all the rows there are.
"""

import re
from collections.abc import Callable
from typing import Any

from . import shell
from .history import Made
from .lexicon import table, words
from .parameters import Parameter

NO_TOOL = "I have no tool for that. I can only answer from what I was given."
SMALL_TALK = "You are welcome. Tell me if there is something I can do."
MOST_ROWS = 10
SPOKEN_OF = {"programmatic_tool_calling": "the program"}
_TO_THE_MODEL = re.compile(
    r"\b(?:call|try|use|retry)\b.*\b(?:again|tool|one of)\b|^(?:tell|ask|inform) the user\.?$", re.I
)


def from_results(made: list[Made]) -> str:
    """What is said of the results of a turn: a sentence for each; a failure is told as one."""
    if made and made[-1].name in _ALONE and not made[-1].failed:
        return _ALONE[made[-1].name](made[-1])
    return " ".join(_sentence(SPOKEN_OF.get(each.name, each.name), each.output) for each in made)


def _computed(made: Made) -> str:
    """What the code printed, and links to the files it wrote."""
    logs = str(made.output.get("logs") or "").strip()
    told = f"The code printed:\n\n{logs}" if "\n" in logs else f"The result is {logs or 'empty'}."
    links = [f"[{link.rsplit('/', 1)[-1]}]({link})" for link in made.output.get("files") or []]
    return "\n\n".join([told, *links])


def _printed(made: Made) -> str:
    printed = shell.printed(made)
    return f"The shell printed:\n\n{printed}" if printed else "The shell printed nothing."


# Of these the last result is the answer, and a picture says all that there is to say (recorded).
_ALONE: dict[str, Callable[[Made], str]] = {
    "code_interpreter": _computed, "image_generation": lambda made: "",
    "local_shell": _printed, "shell": _printed,
}  # fmt: skip


def ask_for(name: str, missing: list[Parameter]) -> str:
    """Ask for the values a call still needs."""
    needed = " and ".join(
        " ".join(each.path).replace("_", " ")
        + (f" ({each.about.rstrip('.')})" if each.about else "")
        for each in missing[:4]
    )
    return f"To use {name} I need the {needed}. Which should I take?"


def ask_to_fix(made: Made) -> str:
    """After a failure that says to ask the user."""
    return f"{_sentence(made.name, made.output)} What should I use instead?"


def _sentence(name: str, data: Any) -> str:
    if isinstance(data, list):
        return f"According to {name}: {_rows('result', data, None)}."
    if not isinstance(data, dict):
        return f"{name} says: {_spoken(data)}".rstrip(".") + "."
    if data.get("ok") is False or data.get("error"):
        return _failure(name, data)
    total = next((data[key] for key in data if key.lower() in words("total_keys")), None)
    total = total if isinstance(total, int) and not isinstance(total, bool) else None
    facts = [
        _rows(key.replace("_", " "), value, total)
        if isinstance(value, list) and len(value) > 1
        else _fact(key, value)
        for key, value in data.items()
        if key != "ok"
    ]
    return f"According to {name}: {', '.join(facts) or 'nothing'}."


def _failure(name: str, data: dict[str, Any]) -> str:
    said = [_spoken(data.get("error") or data.get("message") or "no reason given")]
    fix = data.get("how_to_fix")
    if isinstance(fix, str):
        parts = re.split(r"(?<=[.!?])\s+", fix.strip())
        said += [part.rstrip(".") for part in parts if not _TO_THE_MODEL.search(part)]
    return f"{name} could not do it: {'. '.join(said)}."


def _rows(what: str, rows: list[Any], total: int | None) -> str:
    """So many rows: the total if one is declared, else as many as there are."""
    shown = "; ".join(_spoken(row) for row in rows[:MOST_ROWS])
    more = "; …" if len(rows) > MOST_ROWS else ""
    if total is not None and total > len(rows):
        return f"there are {total} {what} in all, of which {len(rows)} are shown: {shown}{more}"
    return f"there are {len(rows)} {what}: {shown}{more}"


def _fact(key: str, value: Any) -> str:
    """`weight_kg: 3.2` has a unit to say; `weight: 3.2` has none."""
    parts = key.split("_")
    unit = table("key_units").get(parts[-1]) if len(parts) > 1 else None
    if unit and isinstance(value, int | float) and not isinstance(value, bool):
        return f"{' '.join(parts[:-1])} {value} {unit}"
    return f"{key.replace('_', ' ')} {_spoken(value)}"


def _spoken(value: Any) -> str:
    match value:
        case True | False:
            return "yes" if value else "no"
        case None:
            return "unknown"
        case str():
            return value.strip()
        case list():
            return "; ".join(_spoken(member) for member in value[:MOST_ROWS]) or "none"
        case dict():
            return ", ".join(_fact(str(key), v) for key, v in value.items())
        case _:
            return str(value)
