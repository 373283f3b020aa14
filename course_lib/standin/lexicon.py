"""The linguistic tables of the stand-in, read from `data/` when first needed.

Word lists, units, currencies, the forms of dates and the ways in which descriptions speak are
data, not code. `data/README.md` of the course names where the larger ones come from. The gazetteer
holds some 4,400 cities (GeoNames); a name means its largest bearer.
"""

import json
import math
import re
from collections.abc import Iterable
from functools import cache
from operator import mul
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"


@cache
def _lexicon() -> dict[str, Any]:
    tables: dict[str, Any] = json.loads((DATA / "lexicon.json").read_text(encoding="utf-8"))
    return tables


def table(name: str) -> dict[str, Any]:
    """A table of `lexicon.json`, as it stands there."""
    found: dict[str, Any] = _lexicon()[name]
    return found


@cache
def words(name: str) -> frozenset[str]:
    """A list of words of `lexicon.json`."""
    return frozenset(_lexicon()[name].split())


@cache
def sets(name: str) -> dict[str, frozenset[str]]:
    """A table whose every entry is a list of words."""
    return {key: frozenset(said.split()) for key, said in table(name).items()}


def rows(name: str) -> list[list[str]]:
    """The rows of a tab-separated file."""
    text = (DATA / f"{name}.tsv").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()]


@cache
def _patterns() -> dict[str, str]:
    return dict(rows("patterns"))


@cache
def pattern(name: str) -> re.Pattern[str]:
    """A pattern of `patterns.tsv`, by its name: how a request or a description says a thing."""
    return re.compile(_patterns()[name])


FITTED: dict[str, tuple[dict[str, float], float]] = {}


def fitted(name: str) -> tuple[dict[str, float], float]:
    """The weights of a logistic model by feature, and its bias, as `tools/fit_choice.py` wrote."""
    if name not in FITTED:
        stored = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
        FITTED[name] = stored["weights"], stored["bias"]
    return FITTED[name]


def likelihood(name: str, features: Iterable[float], more: float = 0.0) -> float:
    """The probability that a fitted model gives for features in the order of its weights."""
    weights, total = fitted(name)
    total += sum(map(mul, weights.values(), features)) + more
    return 1 / (1 + math.exp(-max(min(total, 50.0), -50.0)))


@cache
def _cities() -> dict[str, tuple[str, str]]:
    """City → (state of the US, or nothing; country, or nothing)."""
    return {name: (state, country) for name, state, country in rows("places")}


@cache
def _codes() -> dict[tuple[str, str], list[str]]:
    """(`country`, `germany`) → its codes, the shortest first."""
    return {(kind, said): codes for kind, said, *codes in rows("codes")}


def code_of(kind: str, said: str, letters: int = 0) -> str | None:
    """The code of a country, state, language or currency, as it is said; None if it is none."""
    plain = said.lower()
    singular = " ".join(word.removesuffix("s") for word in plain.split())
    codes = _codes().get((kind, plain)) or _codes().get((kind, singular)) or ()
    return next((code for code in codes if letters in (0, len(code))), None)


def is_country(name: str) -> bool:
    return code_of("country", name) is not None


def is_place(name: str) -> bool:
    """Whether the first part of `Paris, France` is a city, a state or a country."""
    first = name.partition(", ")[0]
    known = first in _cities() or first in table("nicknames")
    return known or is_country(first) or code_of("state", first) is not None


def place_as(name: str, about: str) -> str:
    """`name` in the form that the parameter's description or example shows."""
    city, _, rest = name.partition(", ")
    full = table("nicknames").get(city, city)
    told = pattern("city and state").search(about)
    with_country = pattern("city and country").search(about)
    if rest and told:  # "San Francisco, CA", not "city and state"
        return f"{full}, {(told[1] and code_of('state', rest)) or rest}"
    if rest or not (told or with_country):
        return name
    state, country = _cities().get(full, _cities().get(f"{full} City", ("", "")))
    if is_country(full) and not state:
        return name
    inside = state if told and state else country if with_country else ""
    return f"{full}, {inside}" if inside else full
