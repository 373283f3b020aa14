"""The stand-in is not made for this course: other names, other wordings, and no word of ours."""

import ast
import json
import os
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.standin import propose
from course_lib.standin.lexicon import words
from course_lib.standin.text import is_known
from tests import ROOT
from tests.test_standin import HINDI, ITALIAN, calls, check, said, text, tool
from tests.test_standin_scores import FULL_CALLS, NO_CALL

Json = dict[str, Any]
SHARED = Path(os.environ.get("COURSE_SHARED") or ROOT.parent / "shared")

ORDER = {"order_id": text("Order number, e.g. A-104")}
CITY = {"city": text("City name")}
ORDER_TOLD = "Show an order: its lines, and the day it was promised for. Use it for any order."
WEATHER_TOLD = (
    "The weather in a city, today and tomorrow. Use it for any question about the weather."
)

# The lessons' questions, and the same wish in the wordings of the development sets.
WISHES: list[tuple[str, Any, Json, list[str]]] = [
    (ORDER_TOLD, ORDER, {"order_id": "A-221"}, [
        "Which day was order A-221 promised for?", "What's in order A-221?",
        "I'd like to check on order A-221.", "Show me order A-221, please.",
    ]),
    (WEATHER_TOLD, CITY, {"city": "Oslo"}, [
        "Will it rain in Oslo tomorrow?", "What's the weather in Oslo right now?",
        "Can you tell me the weather in Oslo so that I decide if I need to wear a jacket today?",
        "Could you tell me the current weather conditions in Oslo?",
    ]),
]  # fmt: skip
NAMES = {"get_order": "fetch_purchase", "get_weather": "check_forecast"}


@pytest.mark.parametrize("named", ["as in the lesson", "by another word", "by nothing"])
@pytest.mark.parametrize("wish", range(len(WISHES)))
def test_another_name_and_another_wording_bring_the_same_call(wish: int, named: str) -> None:
    described, properties, arguments, wordings = WISHES[wish]
    own, other = list(NAMES.items())[wish]
    name = {"as in the lesson": own, "by another word": other, "by nothing": "fn_17"}[named]
    declared = tool(name, described, True, **properties)
    for wording in wordings:
        assert calls(propose(wording, [declared])) == [(name, arguments)], wording


@pytest.mark.parametrize("name", ["get_order", "fetch_purchase", "fn_17"])
@pytest.mark.parametrize(
    "wording", ["Good morning! How are you?", "Thanks, that was really helpful!", "Thanks a lot!"]
)
def test_whatever_its_name_no_tool_is_called_for_small_talk(name: str, wording: str) -> None:
    assert said(propose(wording, [tool(name, ORDER_TOLD, True, **ORDER)]))


@pytest.mark.parametrize("question", ["Will it rain?", "Will it rain tomorrow?", "Is it sunny?"])
def test_what_the_tool_explains_is_no_value_and_is_asked_for(question: str) -> None:
    asked = said(propose(question, [tool("get_weather", WEATHER_TOLD, True, **CITY)]))
    assert "city" in asked
    assert "?" in asked


def ours(read: Callable[[str], set[Any]]) -> set[Any]:
    """What only the course has: in a notebook, and not in the development sets."""
    if not SHARED.is_dir():
        pytest.skip("the development sets are not here")
    folders = ("notebooks", "exercises", "solutions")
    notebooks = [path for folder in folders for path in (ROOT / folder).glob("*.ipynb")]
    sets = [*(SHARED / "tool_choice/eval/dev").glob("*.jsonl"), SHARED / "edits/edits_dev.jsonl"]
    known = read("\n".join(path.read_text(encoding="utf-8") for path in sets))
    return read("\n".join(map(source_of, notebooks))) - known


def rules() -> Iterator[tuple[str, str]]:
    """File and text of all that the stand-in looks for or says."""
    for path in sorted((ROOT / "course_lib/standin").rglob("*")):
        if path.suffix in (".py", ".json", ".tsv") and path.stem not in GAZETTEER:
            source = path.read_text(encoding="utf-8")
            yield path.name, "\n".join(texts_in(source)) if path.suffix == ".py" else source


def test_no_word_that_only_the_course_has_stands_in_the_stand_in() -> None:
    """Its own words: neither common English nor in the sets."""
    alone = {word for word in ours(words_of) if not is_known(word)} - OF_THE_API
    for name, text_of_rules in rules():
        assert not words_of(text_of_rules) & alone, name


def test_its_tables_have_no_word_and_no_phrase_that_only_the_course_has() -> None:
    """Common English counts here too, but for words of which a list has all there are."""
    alone, phrases = ours(words_of) - OF_ANY_LIST, ours(phrases_of) - {("first", "call")}
    assert len(alone) > 150  # else the test says nothing
    assert len(phrases) > 1000
    for name, table in rules():
        if name in ("lexicon.json", "patterns.tsv", "values.tsv"):
            assert not words_of(table) & alone, name
        if name in ("patterns.tsv", "values.tsv"):  # in a list of words neighbours are no phrase
            assert not phrases_of(table) & phrases, name


def test_every_table_and_every_pattern_is_used() -> None:
    code = "".join(
        path.read_text("utf-8") for path in (ROOT / "course_lib/standin").glob("*.py")
    ).replace("'", '"')
    lexicon = json.loads((ROOT / "course_lib/standin/data/lexicon.json").read_text("utf-8"))
    patterns = (ROOT / "course_lib/standin/data/patterns.tsv").read_text("utf-8").splitlines()
    names = [*lexicon, *(line.split("\t")[0] for line in patterns)]
    assert [name for name in names if f'"{name}"' not in code] == []


def test_the_figures_that_are_told_agree() -> None:
    page = (ROOT / "docs/standin.md").read_text("utf-8")
    rows = re.findall(r"^\| (\w[^|]*?) \| (\d+) \|", page, re.M)
    told = {name: int(figure) for name, figure in rows}
    floors = [*FULL_CALLS.values(), *NO_CALL.values()]
    assert len(told) == len(floors) == 8
    assert all(
        floor <= each <= floor + 7 for each, floor in zip(told.values(), floors, strict=True)
    )
    figures = re.findall(r"(\d+) % of", (ROOT / "README.md").read_text("utf-8"))
    named = ("simple", "multiple", "no call where none is due")
    assert [int(each) for each in figures] == [told[name] for name in named]


# Numbers, months, question words, thanks, verbs of asking, kinds of value and of file, words of
# patterns, what the API's tools are called.
OF_ANY_LIST = frozenset(
    "ten sep why thank bring draw inspect newest quoted asked except joins shell terminal docx "
    "xlsx interpreter cos".split()
)
GAZETTEER = ("places", "codes")
# Words of the API and of its SDK, which any code about tool calls has.
OF_THE_API = frozenset(
    "enum params json openai url sdk mcp programmatic stdout stderr utf docx xlsx".split()
)


def texts_in(source: str) -> list[str]:
    """The texts in a program that are not its documentation: what it looks for, what it says."""
    tree = ast.parse(source)
    told = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and isinstance(node.body[0], ast.Expr)
    }
    constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return [c.value for c in constants if isinstance(c.value, str) and id(c) not in told]


def source_of(path: Path) -> str:
    """What a model may come to read: the code, and what a change puts into it. Not the prose."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return "\n".join([*code, *(str(cell["metadata"].get("change", "")) for cell in cells)])


def words_of(source: str) -> set[str]:
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", source.replace("_", " "))
    return {word.lower() for word in re.findall(r"[A-Za-z]{3,}", plain)}


def phrases_of(source: str) -> set[tuple[str, str]]:
    """Two words that follow each other and each say something."""
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", source.replace("_", " ")).lower()
    said = re.findall(r"[a-z]{2,}", plain)
    empty = words("stop_words") | words("generic")
    return {pair for pair in pairwise(said) if empty.isdisjoint(pair)}


MANY = [tool(f"tool_{i}", f"Does thing number {i} of the list.", x=text("X")) for i in range(128)]
WIDE = tool(
    "fill_form", "Fill the wide form.", False,
    **{f"field_{i}": {**text(f"Field {i}"), "optional": i > 2} for i in range(5_000)},
)  # fmt: skip
NODE: Json = {
    "type": "object", "additionalProperties": False, "required": ["name", "next"],
    "properties": {
        "name": text("Name"), "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
    },
}  # fmt: skip
CHAIN = tool("save_chain", "Save a chain of names.", first={"$ref": "#/$defs/node"})
CHAIN["parameters"]["$defs"] = {"node": NODE}

PIECES = st.sampled_from([
    "\x00", "\x1b[31m", "\u202e", "שלום", "مرحبا", "🛫", "👩‍👩‍👧", "मौसम", "Bologna", "5", "'x",
    "tool_3", "field_7", "the chain of Ada", "\n\n", "{", "]", "1e400", "2027-02-30", "$", "=",
    "…", "a" * 3_000,
])  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(
    st.lists(PIECES, max_size=12).map(" ".join) | st.text(max_size=200),
    st.sampled_from([[*MANY], [WIDE], [CHAIN], [HINDI, ITALIAN], [CHAIN, HINDI, WIDE]]),
    st.sampled_from(["auto", "required", "none"]),
    st.sampled_from([1, 1, 1, 3_000]),
)
def test_no_text_and_no_catalogue_breaks_it(
    question: str, tools: list[Json], choice: str, times: int
) -> None:
    check((question * times)[:1_000_000], tools, choice)
