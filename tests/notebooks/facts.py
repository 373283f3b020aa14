"""The facts of the course: which lesson teaches each, and whether a cell shows it.

`tests/facts.tsv` has a line for each: id, lesson, text. A cell that shows facts names their ids in
its metadata, "facts": ["F012"].
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode

from tests import ROOT

FACTS = ROOT / "tests" / "facts.tsv"


class Fact(NamedTuple):
    id: str  # F001
    lesson: str  # the name of its notebook
    text: str


def listed(path: Path = FACTS) -> list[Fact]:
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    return [Fact(*line.split("\t")) for line in lines]


def shown(notebooks: Iterable[NotebookNode]) -> set[str]:
    """The ids that the cells of these notebooks name."""
    cells = (cell for notebook in notebooks for cell in notebook.cells)
    return {fact for cell in cells for fact in cell.metadata.get("facts", [])}


def missing(lesson: str, shown: set[str], facts: Iterable[Fact]) -> Iterator[str]:
    """The facts of a lesson that no cell shows."""
    for fact in facts:
        if fact.lesson == lesson and fact.id not in shown:
            yield f'no cell shows {fact.id} ("{fact.text}"): show it, and name it in that cell'


def coverage(notebooks: dict[str, NotebookNode], facts: list[Fact]) -> Iterator[str]:
    """A line for each lesson that is there: how many of its facts are shown."""
    ids = shown(notebooks.values())
    for name, notebook in notebooks.items():
        own = [fact.id for fact in facts if fact.lesson == name]
        draft = "  (draft)" if notebook.metadata.get("draft") else ""
        yield f"{name:24} {len(ids & set(own)):3} of {len(own)}{draft}"
