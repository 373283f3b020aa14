"""Reading a notebook somebody else wrote: its code cells, or one sentence on why not."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..home import CourseError

_CHECK_CALL = re.compile(r"""\bcheck\(\s*["'](\d\d\.\d+)["']\s*\)""")
MAX_BYTES = 50 * 1024 * 1024


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
