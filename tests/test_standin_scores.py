"""The stand-in's measured quality on the development sets: floors a little under what it reaches.

The sets lie beside the repository, in `shared`, or where COURSE_SHARED points. Where they are not,
as in a learner's copy, these tests are skipped.
"""

import importlib.util
import json
import os
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from course_lib.standin import propose
from tests import ROOT
from tests.standin_adapter import calls

SHARED = Path(os.environ.get("COURSE_SHARED") or ROOT.parent / "shared")

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the development sets are not here")

# Category → the least share of cases right, in per cent.
FULL_CALLS = {
    "simple_python": 61, "multiple": 71, "parallel": 36, "parallel_multiple": 30,
    "live_simple": 38, "live_multiple": 43,
}  # fmt: skip
NO_CALL = {"irrelevance": 77, "live_irrelevance": 81}


def load(path: Path) -> ModuleType:
    """A scorer that lies outside the repository, as a module."""
    spec = importlib.util.spec_from_file_location(f"shared_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def benchmark() -> dict[str, Any]:
    scorer = load(SHARED / "tool_choice/score.py")
    report: dict[str, Any] = scorer.score(calls, scorer.load("dev"), repeat=True)
    return report


@pytest.mark.parametrize(("category", "floor"), [*FULL_CALLS.items(), *NO_CALL.items()])
def test_the_benchmark_keeps_its_floor(
    benchmark: dict[str, Any], category: str, floor: float
) -> None:
    assert benchmark[category]["right"] >= floor


def test_every_call_is_valid_and_the_same_twice(benchmark: dict[str, Any]) -> None:
    for category, scores in benchmark.items():
        assert scores["valid"] in (100.0, None), category
        assert scores["det"], category
        assert scores["errors"] == 0, category


def test_the_edits_keep_their_floor() -> None:
    scorer = load(SHARED / "edits/score_edits.py")
    lines = (SHARED / "edits/edits_dev.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines if line.strip()]
    rows = scorer.score(propose, cases)
    assert sum(row["pass"] for row in rows) >= 0.85 * len(rows)
    assert not any(row["changed_calls"] for row in rows if row["flip"] is False)
