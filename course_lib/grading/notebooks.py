"""Notebooks as files: reading one that somebody else wrote, and `course release`.

That makes `exercises/` from `solutions/`, the one source a person edits. Between
`### BEGIN SOLUTION` and `### END SOLUTION` (nbgrader's marks) stands the answer; the exercise has
`raise NotImplementedError` there, or `...` where a name is given its value. Outputs are left out:
an exercise is executed after it is written, as every notebook is.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..home import ROOT, START, CourseError

_CHECK_CALL = re.compile(r"""\bcheck\(\s*["'](\d\d\.\d+)["']\s*\)""")
MAX_BYTES = 50 * 1024 * 1024
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
_SOLUTION = re.compile(rf"^([ \t]*){BEGIN}\n(.*?)^[ \t]*{END}$", re.DOTALL | re.MULTILINE)
_ASSIGNMENT = re.compile(r"^(\w+)\s*(?::[^=\n]+)?=(?!=)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class NotebookFile:
    """The code of a notebook: `cells` in order, and the ids of the tasks it checks."""

    path: Path
    cells: list[str]
    task_ids: list[str]


def read_notebook(path: Path) -> NotebookFile:
    """Read a notebook, nbformat 3 or 4; CourseError says what is wrong with the file."""
    if not path.is_file():  # a pipe or a device could be read for ever
        what = "a folder" if path.is_dir() else "no ordinary file" if path.exists() else "not there"
        raise CourseError(f"{path} is {what}. Give the path of a notebook (.ipynb).")
    if path.stat().st_size > MAX_BYTES:
        raise CourseError(f"{path} is larger than 50 MB. Clear its outputs and save it again.")
    try:
        return parse_notebook(path.read_bytes(), path)
    except OSError as error:
        raise CourseError(f"{path} cannot be opened: {error.strerror}.") from None


def parse_notebook(data: bytes, path: Path) -> NotebookFile:
    """The notebook in `data`, which is the content of `path` or may become it."""
    if not data.strip():
        raise CourseError(f"{path} is empty. Give the path of a notebook that was saved.")
    try:
        cells = _cells(_json(data))
    except (ValueError, RecursionError):
        raise CourseError(
            f"{path} is not a notebook that can be read: its JSON is damaged. "
            "Open it in JupyterLab, save it, and try again."
        ) from None
    if cells is None:
        raise CourseError(f"{path} is JSON, but not a notebook: it has no cells.")
    code = [_source(cell) for cell in cells if cell.get("cell_type") == "code"]
    sources = [source for source in code if source.strip()]  # as Jupyter counts them
    ids = dict.fromkeys(found for source in sources for found in _CHECK_CALL.findall(source))
    return NotebookFile(path, sources, list(ids))


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)  # finds out by itself which UTF it is
    except UnicodeDecodeError:
        return json.loads(data.decode("latin-1"))


def _cells(content: Any) -> list[dict[str, Any]] | None:
    match content:
        case {"cells": list(cells)}:
            return [cell for cell in cells if isinstance(cell, dict)]
        case {"worksheets": list(sheets)}:  # nbformat 3
            return [cell for sheet in sheets for cell in _cells(sheet) or ()]
    return None


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", cell.get("input", ""))
    lines = source if isinstance(source, list) else [source]
    return "".join(line for line in lines if isinstance(line, str))


def release(check_only: bool = False) -> int:
    """Write every exercise notebook, or with `check_only` say which ones are out of date."""
    stale = 0
    for source in sorted((ROOT / "solutions").glob("*.ipynb")):
        target = ROOT / "exercises" / source.name
        text = exercise_text(source)
        if target.exists() and _edited(target.read_bytes()) == _edited(text):
            continue
        stale += 1
        if check_only:
            print(f"exercises/{source.name} is out of date: run `{START} release`.")
        else:
            target.parent.mkdir(exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="\n")
            print(f"wrote exercises/{source.name}; execute it to store its outputs")
    if not stale:
        print("Every exercise is up to date.")
    return 1 if check_only and stale else 0


def exercise_text(source: Path) -> str:
    """The exercise notebook of a solution notebook, as the text of an .ipynb file."""
    notebook = json.loads(source.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        if not text.count(BEGIN) == text.count(END) == len(_SOLUTION.findall(text)):
            where = f"{source.name}, cell {cell.get('id', '?')}"
            raise CourseError(f"{where}: {BEGIN} and {END} do not pair up.")
        cell["source"] = without_answers(text).splitlines(keepends=True)
        if cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None, "metadata": _metadata(cell)}
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def without_answers(source: str) -> str:
    """A cell's source with its answers replaced by the form that is handed out."""
    return _SOLUTION.sub(_blank, source)


def _blank(match: re.Match[str]) -> str:
    """What stands in an answer's place: `name = ...` for each name it gives, or a refusal."""
    indent, body = match.groups()
    names = dict.fromkeys(_ASSIGNMENT.findall(body)) if not indent else {}
    return "\n".join(f"{name} = ..." for name in names) or f"{indent}raise NotImplementedError"


def _metadata(cell: dict[str, Any]) -> dict[str, Any]:
    """All but what a run writes."""
    return {name: value for name, value in cell["metadata"].items() if name != "image_sha256"}


def _edited(text: str | bytes) -> Any:
    """What a person edits of a notebook: kinds, sources and metadata; None when it is damaged."""
    try:
        cells = json.loads(text)["cells"]
        return [(c["cell_type"], c["id"], _metadata(c), "".join(c["source"])) for c in cells]
    except (ValueError, KeyError, TypeError):
        return None
