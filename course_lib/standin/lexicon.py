"""The linguistic tables of the stand-in, read from `data/` when first needed.

Word lists, number words, currencies and the like are data, not code. `data/README.md` of the
course names where the larger ones come from.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"


@cache
def _lexicon() -> dict[str, Any]:
    tables: dict[str, Any] = json.loads((DATA / "lexicon.json").read_text(encoding="utf-8"))
    return tables


def table(name: str) -> dict[str, Any]:
    """A table of `lexicon.json`, as it stands there."""
    found: dict[str, Any] = _lexicon()[name]
    return found


@cache
def words(name: str) -> frozenset[str]:
    """A list of words of `lexicon.json`."""
    return frozenset(_lexicon()[name].split())


@cache
def sets(name: str) -> dict[str, frozenset[str]]:
    """A table whose every entry is a list of words."""
    return {key: frozenset(said.split()) for key, said in table(name).items()}


def verb_class(said: list[str]) -> str:
    """What kind of act some words want (`read`, `change`, …): their first verb, or a question."""
    classes = sets("verb_classes")
    for word in (each.partition("'")[0].partition("’")[0] for each in said[:8]):
        for name, verbs in classes.items():
            if word in verbs and word != "order":
                return name
        if word in words("question_words") and word not in ("can", "could", "will"):
            return "read"
    return ""


def rows(name: str) -> list[list[str]]:
    """The rows of a tab-separated file."""
    text = (DATA / f"{name}.tsv").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()]
