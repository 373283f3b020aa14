"""The "change this" cells: each declares its edit and the effect, and this runs them.

    .venv/bin/python -m tests.notebooks.changes notebooks/01_function_calling.ipynb

The command also reads the prose (prose.py).

A Markdown cell that says **Change this.** carries a list of changes in its metadata:

    "change": [{
        "edit": {"l01-good": [["what it was", "what it becomes"]]},
        "expect": {"l01-choice": {"shows": "0.81"}}
    }]

    edit    for each code cell to edit, the pairs of old and new text, as the learner types them
    run     the ids of the cells to run then, in order; left out: every code cell from the first
            edited one down to this Markdown cell
    expect  for each cell to look at, what it `shows`, `lacks` or `raises` then: a text or several

Each change is made on the notebook as it is stored, so one that builds on another repeats its
edit. `problems` reads only the file: a declaration must fit the cells, and what is expected must
differ from what is stored, or the change would have no visible effect. `failures` makes the
changes in one kernel, each in its place, and undoes it as a learner does, by running the cells as
they were.
"""

import sys
import tempfile
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from tests.guard.plugin import enter
from tests.notebooks import form, prose
from tests.notebooks.execute import Kernel

WORDS = "**Change this.**"
KEYS = {"edit", "run", "expect"}
EFFECTS = ("shows", "lacks", "raises")


class DeclarationError(Exception):
    """A change that cannot be made as it is declared; the message names the cell and the remedy."""


@dataclass(frozen=True)
class Change:
    """One edit of the learner's, and what it does."""

    cell: str  # the Markdown cell that asks for it
    sources: dict[str, str]  # of the edited cells, by id
    run: list[str]
    effects: list[tuple[str, str, str]]  # cell, shows or lacks or raises, text


def changes(notebook: NotebookNode) -> Iterator[Change | DeclarationError]:
    """Every declared change in order, or what is wrong with it."""
    above: dict[str, NotebookNode] = {}  # the code cells read so far
    for cell in notebook.cells:
        if cell.cell_type == "code":
            above[cell.id] = cell
        for declared in _listed(cell.metadata.get("change", [])):
            try:
                yield _change(cell, declared, above)
            except DeclarationError as error:
                yield error


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]


def _change(cell: NotebookNode, declared: Any, above: dict[str, NotebookNode]) -> Change:
    def demand(holds: object, remedy: str) -> None:
        if not holds:
            raise DeclarationError(f"cell {cell.id}: {remedy}")

    demand(
        isinstance(declared, dict) and {"edit", "expect"} <= set(declared) <= KEYS,
        'a change is {"edit": {…}, "expect": {…}}, with "run" if need be',
    )
    edit, expect = declared["edit"], declared["expect"]
    demand(isinstance(edit, dict) and edit, '"edit" maps ids of code cells to [old, new] pairs')
    demand(
        isinstance(expect, dict) and expect,
        '"expect" maps ids of code cells to {"shows": …}, {"lacks": …} or {"raises": …}',
    )
    sources = {}
    for name, pairs in edit.items():
        demand(name in above, f"there is no code cell {name!r} above it to edit")
        source = above[name].source
        for pair in _listed(pairs):
            demand(
                isinstance(pair, list) and len(pair) == 2 and all(isinstance(t, str) for t in pair),
                f"the edits of {name!r} are pairs of two texts, [old, new]",
            )
            old, new = pair
            found = source.count(old) if old else 0
            demand(found, f"{name} has no text {old!r} to replace: copy it from the cell")
            demand(found == 1, f"{name} has the text {old!r} {found} times: take in more of it")
            source = source.replace(old, new)
        sources[name] = source
    ids = list(above)
    run = declared.get("run", ids[min(map(ids.index, sources)) :])
    demand(
        isinstance(run, list) and set(sources) <= set(run) <= set(above),
        '"run" lists code cells above this one, the edited ones among them',
    )
    effects = []
    for name, effect in expect.items():
        demand(name in run, f"{name!r} is not run, so nothing can be expected of it")
        demand(
            isinstance(effect, dict) and effect and set(effect) <= set(EFFECTS),
            f"what is expected of {name!r} is one of {', '.join(EFFECTS)}",
        )
        stored = form.shown(above[name])
        for kind, texts in effect.items():
            for text in _listed(texts) or [None]:
                demand(isinstance(text, str) and text, f"what {name!r} {kind} is a text")
                demand(
                    (text in stored) == (kind == "lacks"),
                    f"{name} {'lacks' if kind == 'lacks' else 'shows'} {text!r} as it is stored, "
                    "so the edit would have no effect: expect what the edit changes",
                )
                effects.append((name, kind, text))
    return Change(cell.id, sources, run, effects)


def problems(notebook: NotebookNode) -> Iterator[str]:
    """What is wrong with a lesson's changes, as far as the file shows it."""
    for cell in notebook.cells:
        asks = cell.cell_type == "markdown" and WORDS in cell.source
        if asks and not cell.metadata.get("change"):
            yield f'cell {cell.id} asks for a change: declare it in its metadata, as "change"'
        elif "change" in cell.metadata and not asks:
            yield f"cell {cell.id} declares a change: say {WORDS} in a Markdown cell"
    yield from (str(each) for each in changes(notebook) if isinstance(each, DeclarationError))


def sections_without(notebook: NotebookNode) -> Iterator[str]:
    """The sections of a lesson that show code and do not end in a change."""
    for section in form.sections(notebook):
        heading = section[0].source.partition("\n")[0]
        has_code = any(cell.cell_type == "code" for cell in section)
        if heading.startswith("## ") and has_code and WORDS not in section[-1].source:
            yield f"the section {heading!r} does not end in a cell that says {WORDS}"


def failures(notebook: NotebookNode, folder: Path) -> Iterator[str]:
    """Make every change in a kernel that starts in `folder`, and yield each that does not hold.

    Raises CellError for a cell that fails as it is stored.
    """
    waiting = [change for change in changes(notebook) if isinstance(change, Change)]
    if not waiting:
        return
    with Kernel(deepcopy(notebook), folder) as kernel:
        for cell in notebook.cells:
            if cell.cell_type == "code":
                kernel.run(cell.id)
            while waiting and waiting[0].cell == cell.id:
                yield from _made(waiting.pop(0), kernel)


def _made(change: Change, kernel: Kernel) -> Iterator[str]:
    edited = {name: kernel.run(name, change.sources.get(name), fails=True) for name in change.run}
    raised = {
        name: error
        for name, cell in edited.items()
        if (error := next((o for o in cell.outputs if o.output_type == "error"), None))
    }
    for name, kind, text in change.effects:
        said = form.shown(edited[name])
        if (text in said) != (kind != "lacks") or (kind == "raises" and name not in raised):
            yield f"cell {change.cell}: after the edit {name} {_instead(kind)} {text!r}: {said!r}"
    for name, error in raised.items():
        if not any(kind == "raises" for cell, kind, _ in change.effects if cell == name):
            yield f"cell {change.cell}: after the edit {name} raises {error.ename}: {error.evalue}"
    for name in change.run:  # as they were
        kernel.run(name)


def _instead(kind: str) -> str:
    return {"shows": "does not show", "lacks": "still shows", "raises": "does not raise"}[kind]


def main(arguments: list[str]) -> int:
    """Print what is wrong with the habits of the named lessons. Returns 1 if anything is."""
    found = []
    with tempfile.TemporaryDirectory(prefix="course-changes-") as home:
        enter(Path(home), PYTHONHASHSEED="0")
        for path in map(Path, arguments):
            try:
                notebook = form.read(path)
            except form.NotANotebookError as error:
                found.append(str(error))
                continue
            wrong = [*problems(notebook), *sections_without(notebook), *prose.problems(notebook)]
            wrong += failures(notebook, path.resolve().parent)
            print(f"{path}: {len(list(changes(notebook)))} changes, {len(wrong)} problems")
            found += [f"{path}: {each}" for each in wrong]
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
