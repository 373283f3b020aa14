"""The table of requests: each shape is there once, and used."""

import re
from collections import Counter

from course_lib.platform import app  # noqa: F401 - its modules bring their rules along
from course_lib.platform.rules import OWN, TABLE, shapes
from tests import ROOT


def test_no_shape_is_there_twice() -> None:
    names = re.findall(r"^(\w+) [={]", TABLE.read_text(encoding="utf-8"), re.M)
    assert [name for name, count in Counter(names).items() if count > 1] == []
    assert set(names) == set(shapes())


def test_every_rule_of_the_code_is_named_in_the_table() -> None:
    assert [name for name in OWN if not re.search(rf"\b{name}\b", TABLE.read_text("utf-8"))] == []


def test_every_shape_is_used() -> None:
    code = "".join(path.read_text("utf-8") for path in (ROOT / "course_lib").rglob("*.py"))
    named = set(re.findall(r"\w+", " ".join(shapes().values())))
    named |= set(re.findall(r"\w+", " ".join(re.findall('"[^"\\n]*"', code))))
    named |= set(re.findall(r"\w+", TABLE.with_name("routes.txt").read_text(encoding="utf-8")))
    assert [name for name in shapes() if name not in named] == []
