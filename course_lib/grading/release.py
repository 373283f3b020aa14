"""`course release`: make `exercises/` from `solutions/`, the one source a person edits.

Between `### BEGIN SOLUTION` and `### END SOLUTION` (nbgrader's marks) stands the answer; the
exercise has `raise NotImplementedError` there, or `...` where a name is given its value. Outputs
are left out: an exercise is executed after it is written, as every notebook is.
"""

import json
import re
from pathlib import Path
from typing import Any

from ..home import ROOT, START, CourseError

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
_SOLUTION = re.compile(rf"^([ \t]*){BEGIN}\n(.*?)^[ \t]*{END}$", re.DOTALL | re.MULTILINE)
_ASSIGNMENT = re.compile(r"^(\w+)\s*(?::[^=\n]+)?=(?!=)", re.MULTILINE)


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
