"""Cross-validate the whole stand-in on the development sets, weights fitted without each fold.

    python tools/cross_validate.py SHARED

Needs scikit-learn and numpy. The cases are dealt into five folds by their id; for each fold the
weights of the choice are fitted on the other four (and on the edits, which are in no fold), and
the benchmark's own scorer judges the calls on the fold. What is not fitted, the code and the word
lists, was written with the development cases in view, and no cross-validation undoes that.
"""

import collections
import importlib.util
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from fit_choice import cases, fit, table_of

from course_lib.standin import StandIn, choose
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
    x, y, groups, weights = table_of(cases(shared))
    folds = np.array([-1 if c == "edits" else fold_of(key) for c, key in groups])
    right: dict[str, list[bool]] = collections.defaultdict(list)
    for fold in range(FOLDS):
        slopes, bias = fit(x[folds != fold], y[folds != fold], weights[folds != fold])
        fitted = (slopes.tolist(), bias)
        choose._weights = lambda fitted=fitted: fitted  # type: ignore[assignment]
        for category, rows in scorer.load("dev").items():
            for row in rows:
                if fold_of(row["id"]) == fold:
                    made = calls(row["user"], row["tools"])
                    good = scorer.case_ok(made, row) if row["expected"] else not made
                    right[category].append(good)
    for category, found in sorted(right.items()):
        print(f"{category:20} {len(found):4} {100 * sum(found) / len(found):5.1f}")


if __name__ == "__main__":
    main()
