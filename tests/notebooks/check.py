"""What must be true of a stored notebook before it is worth running.

Each check takes a notebook and yields its problems as sentences; `problems` runs them all. They
read only what is stored. That the outputs are still true is for nbval, and for images, which
nbval does not compare, for `tests/test_notebooks.py`.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from nbformat import NotebookNode

from tests import ROOT
from tests.notebooks import form
from tests.notebooks.facts import listed

LONGEST_CELL = 25  # lines
LONGEST_LINE = 100  # characters of plain output
STDERR_TAG = "shows-stderr"
RAISES_TAG = "raises-exception"  # the tag that Jupyter, nbclient and nbval know

# A folder of one machine. What stands before it must not make it a relative path or an address.
MACHINE_PATH = re.compile(
    r"(?:^|[^\w.])/(?:work|root|home/[a-z]\w*|Users/\w+)/|\b[A-Z]:\\+Users\\", re.MULTILINE
)
_NOT_THE_SAME_TWICE = {
    "a path of one machine": MACHINE_PATH,
    "a temporary path": re.compile(r"/tmp/|/var/folders/|\\Temp\\"),
    "a memory address": re.compile(r"\b0x[0-9a-fA-F]{6,}"),
    "terminal colours": re.compile("\x1b\\["),
    "the name of a kernel's process": re.compile(r"ipykernel_"),
}
_COMPARISON_OFF = {"NBVAL_IGNORE_OUTPUT", "NBVAL_SKIP", "PYTEST_VALIDATE_IGNORE_OUTPUT"}


def _numbered(notebook: NotebookNode) -> Iterator[tuple[int, NotebookNode]]:
    """Yield the cells that run, with their place among all cells, from 0 as Jupyter counts them."""
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code" and cell.source.strip():
            yield number, cell


def _tags(cell: NotebookNode) -> list[str]:
    return list(cell.metadata.get("tags", []))


def _texts(output: NotebookNode) -> Iterator[str]:
    """Yield every text an output shows, images left out."""
    if output.output_type == "stream":
        yield output.text
    elif output.output_type == "error":
        yield from (output.ename, output.evalue, *output.traceback)
    else:
        for kind, data in output.data.items():
            if kind not in form.IMAGES:
                yield data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)


def counts(notebook: NotebookNode) -> Iterator[str]:
    """nbval does not compare a cell without a count, so every cell that runs needs one."""
    found = [cell.execution_count for _, cell in _numbered(notebook)]
    if found != list(range(1, len(found) + 1)):
        yield f"the execution counts are {found}, not 1 to {len(found)} in order"


def outputs(notebook: NotebookNode) -> Iterator[str]:
    """A notebook without outputs would pass any comparison."""
    if not any(cell.outputs for _, cell in _numbered(notebook)):
        yield "no cell has an output, so nothing is compared"


def comparison(notebook: NotebookNode) -> Iterator[str]:
    """nbval can be told to look away from a cell; here it is not."""
    for number, cell in _numbered(notebook):
        comments = {line.strip().lstrip("#").strip() for line in cell.source.splitlines()}
        tags = {tag.upper().replace("-", "_") for tag in _tags(cell)}
        for marker in sorted(_COMPARISON_OFF & (comments | tags)):
            yield f"cell {number} turns the comparison off with {marker}"


def errors(notebook: NotebookNode) -> Iterator[str]:
    """An error is stored only where the lesson shows it on purpose."""
    for number, cell in _numbered(notebook):
        for output in cell.outputs:
            if output.output_type == "error" and RAISES_TAG not in _tags(cell):
                yield f"cell {number} stores {output.ename} and has no tag {RAISES_TAG}"


def stderr(notebook: NotebookNode) -> Iterator[str]:
    """Warnings and progress bars go to stderr, and differ from run to run."""
    for number, cell in _numbered(notebook):
        if STDERR_TAG not in _tags(cell) and any(o.get("name") == "stderr" for o in cell.outputs):
            yield f"cell {number} stores text written to stderr and has no tag {STDERR_TAG}"


def same_everywhere(notebook: NotebookNode) -> Iterator[str]:
    """An output must be the same on every machine."""
    for number, cell in _numbered(notebook):
        for output in cell.outputs:
            for text in _texts(output):
                for what, pattern in _NOT_THE_SAME_TWICE.items():
                    if found := pattern.search(text):
                        yield f"cell {number} stores {what}: {found[0]!r}"


def metadata(notebook: NotebookNode) -> Iterator[str]:
    """The file must not say which Python ran it, or when."""
    if notebook.metadata.get("kernelspec") != form.KERNELSPEC:
        yield f"the kernelspec is not {form.KERNELSPEC}"
    if notebook.metadata.get("language_info") != form.LANGUAGE_INFO:
        yield "the language_info is not the one of tests/notebooks/form.py"
    for number, cell in enumerate(notebook.cells):
        if "execution" in cell.metadata:
            yield f"cell {number} stores when it ran"


def ids(notebook: NotebookNode) -> Iterator[str]:
    """Cells are found by id, so an id names one cell."""
    if (notebook.nbformat, notebook.nbformat_minor) != (4, 5):
        yield f"the format is {notebook.nbformat}.{notebook.nbformat_minor}, not 4.5"
    for name, times in Counter(cell.get("id") for cell in notebook.cells).items():
        if times > 1:
            yield f"{times} cells have the id {name!r}"


def length(notebook: NotebookNode) -> Iterator[str]:
    """A reader takes in a cell at one glance."""
    for number, cell in _numbered(notebook):
        lines = len(cell.source.splitlines())
        if lines > LONGEST_CELL:
            yield f"cell {number} has {lines} lines, more than {LONGEST_CELL}"


def width(notebook: NotebookNode) -> Iterator[str]:
    """JupyterLab breaks a line of plain text wherever the page ends, in the middle of a word."""
    for number, cell in _numbered(notebook):
        for output in cell.outputs:
            data = output.get("data", {})
            text = output.get("text") or ("" if len(data) > 1 else data.get("text/plain", ""))
            longest = max(map(len, text.splitlines()), default=0)
            if longest > LONGEST_LINE:
                yield f"cell {number} shows a line of {longest} characters, over {LONGEST_LINE}"


def images(notebook: NotebookNode) -> Iterator[str]:
    """A stored image must be the one that was stored when the notebook ran."""
    for number, cell in _numbered(notebook):
        stored = cell.metadata.get("image_sha256", [])
        if form.image_hashes(cell) != stored:
            yield f"the images of cell {number} are not those of its image_sha256"


def facts(notebook: NotebookNode) -> Iterator[str]:
    """A fact that a cell claims to show must be one of the list."""
    known = {fact.id for fact in listed()}
    for number, cell in enumerate(notebook.cells):
        claimed = cell.metadata.get("facts", [])
        if not isinstance(claimed, list):
            yield f"the facts of cell {number} are not a list"
        else:
            for fact in claimed:
                if fact not in known:
                    yield f"cell {number} names the fact {fact!r}, which is not in the list"


CHECKS: tuple[Callable[[NotebookNode], Iterator[str]], ...] = (
    counts,
    outputs,
    comparison,
    errors,
    stderr,
    same_everywhere,
    metadata,
    ids,
    length,
    width,
    images,
    facts,
)


def problems(notebook: NotebookNode) -> Iterator[str]:
    """Yield every problem of a stored notebook, of whatever folder."""
    for check in CHECKS:
        yield from check(notebook)


def course_notebooks() -> list[Path]:
    """Return every notebook of the course. A learner's working copy is not one of them."""
    return sorted(path for folder in form.FOLDERS for path in (ROOT / folder).glob("*.ipynb"))


def lessons() -> list[Path]:
    """Return the lessons. Exercises and solutions are not among them."""
    return [path for path in course_notebooks() if path.parent.name == "notebooks"]
