"""Cross-validate the whole stand-in on the development sets, weights fitted without each fold.

    python tools/cross_validate.py SHARED

Needs scikit-learn and numpy. The cases are dealt into five folds by their id; for each fold both
models, of the pairs and of the choice, are fitted on the other four (and on the edits, which are
in no fold), and the benchmark's own scorer judges the calls on the fold. What is not fitted, the
code and the word lists, was written with the development cases in view, and no cross-validation
undoes that.
"""

import collections
import importlib.util
import sys
import zlib
from pathlib import Path
from typing import Any

from fit_choice import cases, fit_all

from course_lib.standin import StandIn
from course_lib.standin.prompt import Prompt

FOLDS = 5


def fold_of(key: str) -> int:
    return zlib.crc32(key.encode()) % FOLDS


def calls(user: str, tools: list[Any]) -> list[dict[str, Any]]:
    answer = StandIn().respond(Prompt(None, [{"role": "user", "content": user}], tools))
    return [item for item in answer.items if item["type"] == "function_call"]


def main() -> None:
    shared = Path(sys.argv[1])
    spec = importlib.util.spec_from_file_location("score", shared / "tool_choice/score.py")
    assert spec is not None
    assert spec.loader is not None
    scorer: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scorer)
    found = list(cases(shared))
    right: dict[str, list[bool]] = collections.defaultdict(list)
    for fold in range(FOLDS):
        fit_all([c for c in found if c.category == "edits" or fold_of(c.key) != fold])
        for category, rows in scorer.load("dev").items():
            for row in rows:
                if fold_of(row["id"]) == fold:
                    made = calls(row["user"], row["tools"])
                    good = scorer.case_ok(made, row) if row["expected"] else not made
                    right[category].append(good)
    for category, judged in sorted(right.items()):
        print(f"{category:20} {len(judged):4} {100 * sum(judged) / len(judged):5.1f}")


if __name__ == "__main__":
    main()
