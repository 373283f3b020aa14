"""The prose of a lesson quotes its cells: what stands in backticks must stand in a cell as well.

The rule, span by span, in every Markdown cell of a lesson:

    with a digit      a value (`0.81`, `call_3`, `A-104`): it stands in the source or the stored
                      output of a code cell of its section
    without a digit   a name or a piece of code (`tool_choice`, `.strip()`): it stands there too, or
                      in the source of any code cell of the lesson
    either            or it is a term of the field (terms.txt), a Python built-in, a file of the
                      course, or part of a change that its own cell declares

A span is found letter by letter, and a number whole: `4` is not found in 42. A span with an
ellipsis is a sketch and is not looked for. Nor is what stands in a fenced block.
"""

import builtins
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from tests import ROOT
from tests.notebooks import form

FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(`+)(.+?)\1", re.DOTALL)
TERMS = Path(__file__).with_name("terms.txt")


def terms() -> frozenset[str]:
    lines = TERMS.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def problems(notebook: NotebookNode) -> Iterator[str]:
    """Every span of a lesson's prose that nothing in the lesson bears out."""
    known = terms()
    code = _text(cell.source for cell in notebook.cells if cell.cell_type == "code")
    for section in form.sections(notebook):
        shown_here = _text(
            f"{cell.source}\n{form.shown(cell)}" for cell in section if cell.cell_type == "code"
        )
        for cell in section:
            if cell.cell_type != "markdown":
                continue
            own = _text(_strings(cell.metadata.get("change")))
            for span in spans(cell.source):
                has_digit = any(map(str.isdigit, span))
                texts = (shown_here, own) if has_digit else (shown_here, own, code)
                if not (span in known or _exists(span) or any(_in(span, text) for text in texts)):
                    where = "its section" if has_digit else "the lesson"
                    yield (
                        f"cell {cell.id} quotes `{span}`, and no code cell of {where} has it: "
                        "correct it or show it; a general term belongs in tests/notebooks/terms.txt"
                    )


_text = "\n".join


def _exists(span: str) -> bool:
    """Whether it is a file or folder of the course, or a name that Python always has."""
    return hasattr(builtins, span) or ("\0" not in span and (ROOT / span).exists())


def _strings(value: Any) -> Iterator[str]:
    """Every text in a declaration."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def spans(markdown: str) -> Iterator[str]:
    """What stands in backticks, fenced blocks and sketches left out."""
    for _, span in SPAN.findall(FENCED.sub("", markdown)):
        if "…" not in span:
            yield " ".join(span.split())


def _in(span: str, text: str) -> bool:
    pattern = re.escape(span).replace(r"\ ", r"\s+")
    start = r"(?<![\d.])" if span[0].isdigit() else ""
    end = r"(?!\.?\d)" if span[-1].isdigit() else ""
    return re.search(f"{start}{pattern}{end}", text) is not None
