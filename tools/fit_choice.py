"""Fit the weights of `course_lib/standin/choose.py` and write them to its `data/choice.json`.

    python tools/fit_choice.py SHARED [--write]

Needs scikit-learn and numpy, which the course itself does not. SHARED is the folder with
`tool_choice/eval/dev/*.jsonl` (BFCL, Apache-2.0) and `edits/edits_dev.jsonl`. One row is a pair of
a request and a tool, labelled by whether the tool is called there. Rows of one case stay together
in five-fold cross-validation; the table it prints is made of the folds' own held-out scores.
Left out: edit sides with a history, a forced choice, or an expectation that names no tool.
"""

import argparse
import collections
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from course_lib.standin.catalogue import compile_tool  # noqa: E402
from course_lib.standin.choose import FEATURES, features, read_wish, relevance  # noqa: E402
from course_lib.standin.fill import fill  # noqa: E402
from course_lib.standin.plan import THRESHOLD, referrals  # noqa: E402
from course_lib.standin.request import read_request  # noqa: E402

CATEGORY_WEIGHT = {"irrelevance": 1.5, "live_multiple": 0.6, "live_irrelevance": 0.8, "edits": 4.0}
REGULARISATION = 0.5

Case = tuple[str, str, str, list[Any], dict[str, bool]]  # category, id, request, tools, labels


def cases(shared: Path) -> Iterator[Case]:
    for path in sorted((shared / "tool_choice/eval/dev").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            wanted = {call["name"] for call in row["expected"]}
            labels = {tool["name"]: tool["name"] in wanted for tool in row["tools"]}
            yield row["category"], row["id"], row["user"], row["tools"], labels
    for line in (shared / "edits/edits_dev.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for name in ("before", "after"):
            side = row[name]
            if len(side.get("history") or ()) < 2 and side.get("tool_choice", "auto") == "auto":
                labels = edit_labels(side)
                if labels:
                    yield (
                        "edits",
                        f"{row['id']}/{name}",
                        side.get("user", row["user"]),
                        side["tools"],
                        labels,
                    )


def edit_labels(side: dict[str, Any]) -> dict[str, bool]:
    """Tool → whether it is called; a tool of which the expectation says nothing is left out."""
    expect, names = side["expect"], [tool["name"] for tool in side["tools"]]
    if "not_called" in expect:
        return dict.fromkeys(expect["not_called"], False)
    if expect.get("ask"):
        return dict.fromkeys(names, True) if len(names) == 1 else {}
    wanted = {call["name"] for call in expect.get("calls", ())} | set(expect.get("one_of", ()))
    if expect.get("invalid_enum"):
        wanted = {expect["name"]}
    return {name: name in wanted for name in names}


def table_of(found: Iterator[Case]) -> tuple[Any, Any, list[tuple[str, str]], Any]:
    """Features, labels, (category, case) and weight of each row."""
    rows, labels, groups, weights = [], [], [], []
    for category, key, user, declared, wanted in found:
        request = read_request(user)
        wish, tools = read_wish(request), [compile_tool(tool) for tool in declared]
        referred = referrals(tools)
        for tool in tools:
            if tool.name in wanted:
                near = relevance(wish, tool, referred.get(tool.name, frozenset()))
                rows.append(features(wish, tool, fill(tool, request), request, near))
                labels.append(wanted[tool.name])
                groups.append((category, key))
                weights.append(CATEGORY_WEIGHT.get(category, 1.0) / len(wanted) ** 0.5)
    return np.array(rows), np.array(labels), groups, np.array(weights)


def fit(x: Any, y: Any, weight: Any) -> tuple[Any, float]:
    """The weights of the features as they are, and the bias."""
    mean, spread = x.mean(0), x.std(0) + 1e-9
    model = LogisticRegression(C=REGULARISATION, max_iter=2000)
    model.fit((x - mean) / spread, y, sample_weight=weight)
    slopes = model.coef_[0] / spread
    return slopes, float(model.intercept_[0] - (slopes * mean).sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    x, y, groups, weight = table_of(cases(options.shared))
    ids = [f"{category}/{key.partition('/')[0]}" for category, key in groups]
    held_out = np.zeros(len(y))
    for train, test in GroupKFold(5).split(x, y, ids):
        slopes, bias = fit(x[train], y[train], weight[train])
        held_out[test] = 1 / (1 + np.exp(-(x[test] @ slopes + bias)))
    report(held_out, y, groups)
    slopes, bias = fit(x, y, weight)
    fitted = {name: round(float(w), 4) for name, w in zip(FEATURES, slopes, strict=True)}
    if options.write:
        path = ROOT / "course_lib/standin/data/choice.json"
        content = {"weights": fitted, "bias": round(bias, 4)}
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def report(score: Any, y: Any, groups: list[tuple[str, str]]) -> None:
    """By threshold and category: the right tools first and above it, or none above it."""
    cases_: dict[tuple[str, str], list[int]] = collections.defaultdict(list)
    for i, group in enumerate(groups):
        cases_[group].append(i)
    for threshold in (THRESHOLD - 0.1, THRESHOLD - 0.05, THRESHOLD, THRESHOLD + 0.05):
        found: dict[str, list[bool]] = collections.defaultdict(list)
        for (category, _), rows in cases_.items():
            own, wanted = score[rows], y[rows]
            if wanted.any():
                top = np.argsort(-own)[: wanted.sum()]
                found[category].append(bool(own[top[0]] >= threshold and wanted[top].all()))
            else:
                found[f"{category} (none due)"].append(bool(own.max() < threshold))
        shown = {name: round(100 * float(np.mean(right))) for name, right in sorted(found.items())}
        print(f"{threshold:.2f}", shown)


if __name__ == "__main__":
    main()
