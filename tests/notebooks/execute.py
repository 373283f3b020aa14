"""Run notebooks and store their outputs: `python -m tests.notebooks.execute FILE…`

Each notebook runs from its first cell in a new kernel, in its own folder, offline, with an empty
course home and a fixed hash seed, and is then written in the course's stored form. A notebook in
which a cell fails is left as it was. What the tests would refuse in the stored one is printed. It
leaves out whether the outputs are the same every time: nbval runs the notebook again for that.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from tests.guard.plugin import enter
from tests.notebooks import form
from tests.notebooks.check import problems

CELL_SECONDS = 120  # far more than any cell of the course takes


class CellError(Exception):
    """A cell failed; the message says which, with its source and the reason."""


class Kernel:
    """A kernel in `folder` in which the cells of a notebook run one at a time, in any order.

    It inherits this process's environment. Raises CellError.
    """

    def __init__(self, notebook: NotebookNode, folder: Path) -> None:
        self._places = {cell.get("id"): place for place, cell in enumerate(notebook.cells)}
        self._cells = list(notebook.cells)
        self._client = _client(notebook, folder)
        self._setup = self._client.setup_kernel(stderr=subprocess.DEVNULL)

    def __enter__(self) -> "Kernel":
        self._setup.__enter__()
        return self

    def __exit__(self, *raised: Any) -> None:
        self._setup.__exit__(*raised)

    def run(self, name: str, source: str | None = None, *, fails: bool = False) -> NotebookNode:
        """Run the cell of this id, or another source in its place, and return it as it ran.

        With `fails` an error is among its outputs; without, it is raised.
        """
        place = self._places[name]
        cell: NotebookNode = deepcopy(self._cells[place])
        cell.source = cell.source if source is None else source
        self._client.allow_errors = fails
        with _named({place: cell}, [place]):
            self._client.execute_cell(cell, place)
        return cell


def run(notebook: NotebookNode, folder: Path) -> None:
    """Run every cell in a new kernel that starts in `folder`, and store the outputs, in place.

    The kernel inherits this process's environment. Raises CellError.
    """
    started: list[int] = []
    client = _client(notebook, folder)
    client.on_cell_execute = lambda cell, cell_index: started.append(cell_index)
    with _named(notebook.cells, started):
        client.execute(stderr=subprocess.DEVNULL)  # the kernel's own log, not a cell's stderr
    form.normalise(notebook)


def _client(notebook: NotebookNode, folder: Path) -> NotebookClient:
    return NotebookClient(
        notebook,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        timeout=CELL_SECONDS,
        record_timing=False,
    )


@contextmanager
def _named(cells: Any, started: list[int]) -> Iterator[None]:
    """Make what nbclient raises a CellError that names the cell which started last."""
    try:
        yield
    except CellExecutionError as error:
        reason = f"raised {error.ename}: {error.evalue}"
    except CellTimeoutError:
        reason = f"ran longer than {CELL_SECONDS} seconds"
    except DeadKernelError:
        reason = "ended the kernel"
    else:
        return
    number = started[-1]
    source = "\n".join(f"    {line}" for line in cells[number].source.splitlines())
    raise CellError(f"cell {number} {reason}\n{source}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 1 if any notebook failed or has problems, else 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.notebooks.execute")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a notebook")
    files: list[Path] = parser.parse_args(arguments).files
    failed = False
    for path in files:
        try:
            notebook = form.read(path)
            with tempfile.TemporaryDirectory(prefix="course-execute-") as home:
                refused = Path(home, "guard.log")
                enter(Path(home), COURSE_GUARD_LOG=str(refused), PYTHONHASHSEED="0")
                run(notebook, path.resolve().parent)
                if refused.exists():
                    raise CellError(f"it tried to reach another machine: {refused.read_text()}")
        except (form.NotANotebookError, CellError) as error:
            prefix = "" if isinstance(error, form.NotANotebookError) else f"{path}: "
            print(f"{prefix}{error}", file=sys.stderr)
            failed = True
            continue
        form.write(notebook, path)
        found = list(problems(notebook))
        print(f"{path}: {len(form.code_cells(notebook))} cells run and stored")
        for problem in found:
            print(f"{path}: {problem}", file=sys.stderr)
        failed = failed or bool(found)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
