"""The three habits of a lesson: its changes work, its prose quotes its cells, its facts are shown.

What the files say is tested here; the changes are made in a kernel by `test_notebooks.py`. The
notebooks `tests/fixtures/lesson_*` break one habit each, as their names say.
"""

from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode

from tests import ROOT
from tests.notebooks import changes, check, facts, form, prose

LESSONS = check.lessons()
FINISHED = [path for path in LESSONS if not form.read(path).metadata.get("draft")]
FIXTURES = ROOT / "tests" / "fixtures"


def names(paths: list[Path]) -> list[str]:
    return [path.stem for path in paths]


@pytest.mark.parametrize("path", LESSONS, ids=names(LESSONS))
def test_the_changes_of_a_lesson_fit_its_cells(path: Path) -> None:
    assert list(changes.problems(form.read(path))) == []


@pytest.mark.parametrize("path", FINISHED, ids=names(FINISHED))
def test_every_section_of_a_lesson_ends_in_a_change(path: Path) -> None:
    assert list(changes.sections_without(form.read(path))) == []


@pytest.mark.parametrize("path", LESSONS, ids=names(LESSONS))
def test_the_prose_of_a_lesson_quotes_its_cells(path: Path) -> None:
    assert list(prose.problems(form.read(path))) == []


@pytest.mark.parametrize("path", FINISHED, ids=names(FINISHED))
def test_the_facts_of_a_lesson_are_shown(path: Path) -> None:
    shown = facts.shown(map(form.read, LESSONS))
    assert list(facts.missing(path.stem, shown, facts.listed())) == []


def test_the_list_of_facts_is_whole() -> None:
    listed = facts.listed()
    assert len({fact.id for fact in listed}) == len(listed)
    assert {path.stem for path in LESSONS} <= {fact.lesson for fact in listed}


def test_the_list_of_facts_is_that_beside_the_checkout() -> None:
    source = ROOT.parent / "shared" / "facts.tsv"
    if not source.exists():
        pytest.skip("the source of the list is not beside this checkout")
    rows = [line.split("\t") for line in source.read_text(encoding="utf-8").splitlines()[1:]]
    assert facts.listed() == [(row[0], row[2], row[3]) for row in rows]


# Each can fail


def lesson(name: str = "lesson") -> NotebookNode:
    return form.read(FIXTURES / f"{name}.ipynb")


def found(notebook: NotebookNode) -> list[str]:
    return [
        *changes.problems(notebook),
        *changes.sections_without(notebook),
        *prose.problems(notebook),
    ]


def test_a_good_lesson_passes() -> None:
    assert found(lesson()) == []


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        (
            "lesson_change_undeclared",
            'cell price-change asks for a change: declare it in its metadata, as "change"',
        ),
        (
            "lesson_change_of_a_missing_text",
            "cell price-change: price has no text 'pieces = 4' to replace: copy it from the cell",
        ),
        (
            "lesson_change_without_effect",
            "cell price-change: price shows 'EUR' as it is stored, so the edit would have no "
            "effect: expect what the edit changes",
        ),
        (
            "lesson_section_without_change",
            "the section '## The price' does not end in a cell that says **Change this.**",
        ),
        (
            "lesson_stale_number",
            "cell price-read quotes `39.00 EUR`, and no code cell of its section has it: correct "
            "it or show it; a general term belongs in tests/notebooks/terms.txt",
        ),
        (
            "lesson_name_from_nowhere",
            "cell price-read quotes `unit_cost`, and no code cell of the lesson has it: correct "
            "it or show it; a general term belongs in tests/notebooks/terms.txt",
        ),
    ],
)
def test_a_lesson_that_breaks_a_habit_is_told(name: str, problem: str) -> None:
    assert found(lesson(name)) == [problem]


EDIT = {"price": [["pieces = 3", "pieces = 5"]]}
SHOWS = {"price": {"shows": "65.00 EUR"}}


@pytest.mark.parametrize(
    ("declared", "sentence"),
    [
        ("x", 'a change is {"edit": {…}, "expect": {…}}, with "run" if need be'),
        ({"edit": EDIT}, 'a change is {"edit": {…}, "expect": {…}}'),
        ({"edit": EDIT, "expect": SHOWS, "cell": "price"}, "a change is"),
        ({"edit": {}, "expect": SHOWS}, '"edit" maps ids of code cells to [old, new] pairs'),
        ({"edit": EDIT, "expect": []}, '"expect" maps ids of code cells to'),
        ({"edit": {"cost": []}, "expect": SHOWS}, "there is no code cell 'cost' above it to edit"),
        ({"edit": {"later": [["a", "b"]]}, "expect": SHOWS}, "no code cell 'later' above it"),
        ({"edit": {"price": ["a", "b"]}, "expect": SHOWS}, "the edits of 'price' are pairs of two"),
        ({"edit": {"price": [["", "b"]]}, "expect": SHOWS}, "price has no text '' to replace"),
        ({"edit": {"price": [["p", "b"]]}, "expect": SHOWS}, "times: take in more of it"),
        ({"edit": EDIT, "expect": SHOWS, "run": ["later"]}, '"run" lists code cells above this'),
        ({"edit": EDIT, "expect": SHOWS, "run": []}, '"run" lists code cells above this one'),
        ({"edit": EDIT, "expect": {"later": {"shows": "x"}}}, "'later' is not run, so nothing"),
        ({"edit": EDIT, "expect": {"price": {"says": "x"}}}, "is one of shows, lacks, raises"),
        ({"edit": EDIT, "expect": {"price": {"shows": 5}}}, "what 'price' shows is a text"),
        ({"edit": EDIT, "expect": {"price": {"shows": []}}}, "what 'price' shows is a text"),
        ({"edit": EDIT, "expect": {"price": {"lacks": "USD"}}}, "price lacks 'USD' as it is"),
    ],
)
def test_a_wrong_declaration_is_told_in_a_sentence(declared: Any, sentence: str) -> None:
    notebook = lesson()
    next(c for c in notebook.cells if c.id == "price-change").metadata["change"] = [declared]
    problems = list(changes.problems(notebook))
    assert len(problems) == 1
    assert problems[0].startswith("cell price-change: ")
    assert sentence in problems[0]


def quoted(markdown: str, *, code: str = "x = 3.5", output: str = "call_42") -> list[str]:
    """What is wrong with the spans of a text under one cell."""
    notebook = lesson()
    cell = next(c for c in notebook.cells if c.id == "price")
    cell.source, cell.outputs[0].text = code, output
    read = next(c for c in notebook.cells if c.id == "price-read")
    read.source = markdown
    return [problem.split("`")[1] for problem in prose.problems(notebook) if read.id in problem]


@pytest.mark.parametrize(
    "span",
    [
        *("call_42", "42", "3.5", "x = 3.5", "call_", "later", "TypeError", "tests/facts.tsv"),
        *("{'a': …}", "OPENAI_API_KEY", "x =\n3.5"),
    ],
)
def test_a_span_that_a_cell_bears_out_passes(span: str) -> None:
    assert quoted(f"See `{span}`.") == []


@pytest.mark.parametrize("span", ["call_4", "call_421", "4", "2", "3", "5", "y", "12.00"])
def test_a_span_that_no_cell_bears_out_is_told(span: str) -> None:
    assert quoted(f"See `{span}`.") == [span]


def test_spans_are_read_as_markdown_reads_them() -> None:
    fenced = "```mermaid\nA[`no`] --> B\n```\nand ``a ` b`` and `c`"
    assert list(prose.spans(fenced)) == ["a ` b", "c"]


def test_a_change_may_quote_what_it_declares() -> None:
    assert "65.00 EUR" in str(lesson().cells)
    assert list(prose.problems(lesson())) == []


def test_a_fact_that_no_cell_shows_is_told() -> None:
    listed = [facts.Fact("F001", "a", "One."), facts.Fact("F002", "b", "Two.")]
    assert list(facts.missing("a", {"F001"}, listed)) == []
    assert list(facts.missing("b", {"F001"}, listed)) == [
        'no cell shows F002 ("Two."): show it, and name it in that cell'
    ]
    assert list(facts.missing("a", facts.shown([lesson()]), listed)) == []


def test_the_coverage_has_a_line_for_each_lesson() -> None:
    listed = [facts.Fact("F001", "a", "One."), facts.Fact("F002", "a", "Two.")]
    draft = lesson()
    draft.metadata["draft"] = True
    assert list(facts.coverage({"a": lesson(), "b": draft}, listed)) == [
        f"{'a':24}   1 of 2",
        f"{'b':24}   0 of 0  (draft)",
    ]
