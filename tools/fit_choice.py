"""Fit the two scores of the stand-in and write their weights to its `data/`.

    python tools/fit_choice.py SHARED [--write]

Needs scikit-learn and numpy, which the course itself does not. SHARED is the folder with
`tool_choice/eval/dev/*.jsonl` (BFCL, Apache-2.0) and `edits/edits_dev.jsonl`. First the pairs: one
row is a value of a request and a parameter of the tool to be called, labelled by whether the value
is that argument. Then the choice: one row is a request and a tool, labelled by whether it is
called.
Left out: edit sides with a history, a forced choice, or an expectation that names no tool.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from course_lib.standin import choose, lexicon  # noqa: E402
from course_lib.standin.fill import FEATURES as OF_PAIRS  # noqa: E402
from course_lib.standin.fill import Reading  # noqa: E402
from course_lib.standin.forms import shape  # noqa: E402
from course_lib.standin.request import read_request  # noqa: E402
from course_lib.standin.tool import compile_tools  # noqa: E402

CATEGORY_WEIGHT = {"irrelevance": 1.5, "live_multiple": 0.6, "live_irrelevance": 0.8, "edits": 8.0}
REGULARISATION = 0.5


@dataclass
class Case:
    """A request with its tools, which of them are called, and the arguments that are right."""

    category: str
    key: str
    user: str
    tools: list[Any]
    called: dict[str, bool]
    arguments: list[tuple[str, dict[str, list[Any]]]]  # tool, parameter → values that will do


def cases(shared: Path) -> Iterator[Case]:
    for path in sorted((shared / "tool_choice/eval/dev").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            right = [(call["name"], call["arguments"]) for call in row["expected"]]
            called = {tool["name"]: tool["name"] in dict(right) for tool in row["tools"]}
            yield Case(row["category"], row["id"], row["user"], row["tools"], called, right)
    for line in (shared / "edits/edits_dev.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for name in ("before", "after"):
            side = row[name]
            plain = len(side.get("history") or ()) < 2 and side.get("tool_choice", "auto") == "auto"
            if plain and (called := edit_labels(side)):
                user = side.get("user", row["user"])
                yield Case("edits", f"{row['id']}/{name}", user, side["tools"], called, [])


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


@dataclass
class Rows:
    """Features, labels, weights, and the case each row belongs to."""

    x: Any
    y: Any
    weight: Any
    keys: list[str]


def rows_of_pairs(found: list[Case]) -> Rows:
    x, y, weight, keys = [], [], [], []
    for case in found:
        request = read_request(case.user)
        for name in {name for name, _ in case.arguments}:
            declared = next(tool for tool in case.tools if tool["name"] == name)
            reading = Reading(compile_tools([declared])[0], request)
            for p, parameter in enumerate(reading.tool.parameters):
                if parameter.is_closed or len(parameter.path) > 1:
                    continue
                right = [
                    v for n, a in case.arguments if n == name for v in a.get(parameter.label, [])
                ]
                for value in reading.values:
                    features, part = reading.features(p, value)
                    data = shape(parameter, part, request) if features else None
                    if data is not None:
                        x.append(features)
                        y.append(any(same(data, each) for each in right))
                        weight.append(1.0)
                        keys.append(case.key)
    return Rows(np.array(x), np.array(y), np.array(weight), keys)


def same(a: Any, b: Any) -> bool:
    """Equal as the benchmark counts it: texts without case and marks."""
    if isinstance(a, str) and isinstance(b, str):
        return "".join(filter(str.isalnum, a.lower())) == "".join(filter(str.isalnum, b.lower()))
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b) and isinstance(a, bool) == isinstance(b, bool)


def rows_of_choice(found: list[Case]) -> Rows:
    x, y, weight, keys = [], [], [], []
    for case in found:
        for each in choose.rank(read_request(case.user), compile_tools(case.tools)):
            if each.call.tool.name in case.called:
                x.append([each.features[name] for name in choose.FEATURES])
                y.append(case.called[each.call.tool.name])
                weight.append(CATEGORY_WEIGHT.get(case.category, 1.0) / len(case.called) ** 0.5)
                keys.append(case.key)
    return Rows(np.array(x), np.array(y), np.array(weight), keys)


def fit(rows: Rows, names: tuple[str, ...]) -> tuple[dict[str, float], float]:
    """The weights of the features as they are, and the bias."""
    mean, spread = rows.x.mean(0), rows.x.std(0) + 1e-9
    model = LogisticRegression(C=REGULARISATION, max_iter=3000)
    model.fit((rows.x - mean) / spread, rows.y, sample_weight=rows.weight)
    slopes = model.coef_[0] / spread
    bias = float(model.intercept_[0] - (slopes * mean).sum())
    return {n: round(float(w), 4) for n, w in zip(names, slopes, strict=True)}, round(bias, 4)


def fit_all(found: list[Case]) -> None:
    """Fit both models on some cases, for this process: the pairs first, which the choice uses."""
    lexicon.FITTED["pairs"] = fit(rows_of_pairs(found), OF_PAIRS)
    lexicon.FITTED["choice"] = fit(rows_of_choice(found), choose.FEATURES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    fit_all(list(cases(options.shared)))
    for name, (weights, bias) in lexicon.FITTED.items():
        print(name, weights, bias)
        if options.write:
            content = json.dumps({"weights": weights, "bias": bias}, indent=1)
            (lexicon.DATA / f"{name}.json").write_text(f"{content}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
