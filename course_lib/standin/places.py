"""Places, currencies and languages written as a parameter asks: `San Francisco` as `San Francisco,
CA`, `Germany` as `DE`, `Japanese yen` as `JPY`.

The gazetteer holds some 4,400 cities (GeoNames); a name means its largest bearer. What it does
not know is left as it was said.
"""

import re
from functools import cache

from .lexicon import rows, table

_STATE_ASKED = re.compile(r"city,? (?:and |, )?state", re.IGNORECASE)
_STATE_SHOWN = re.compile(r"[A-Z][a-z]+, [A-Z]{2}\b")
_COUNTRY_ASKED = re.compile(r"city,? (?:and )?country", re.IGNORECASE)
_COUNTRY_SHOWN = re.compile(r"[A-Z][a-z]+, (?:[A-Z][a-z]{3,}|UK|USA)\b")
_CODE = re.compile(r"\bISO\b|\bcode\b|[^\w]([A-Z]{2,3})[^\w]")


@cache
def _cities() -> dict[str, tuple[str, str]]:
    """City → (state of the US, or nothing; country, or nothing)."""
    return {name: (state, country) for name, state, country in rows("places")}


@cache
def _countries() -> dict[str, tuple[str, str]]:
    """Country, lower case → its codes of two and of three letters."""
    codes = {name: (two, three) for name, two, three, _, _ in rows("countries")}
    by_code = {two: (two, three) for two, three in codes.values()}
    codes |= {name: by_code[two] for name, two in table("countries").items()}
    return {name.lower(): both for name, both in codes.items()}


@cache
def _states() -> dict[str, str]:
    return {row[0]: row[1] for row in rows("states")}


def is_country(name: str) -> bool:
    return name.lower() in _countries()


def is_state(name: str) -> bool:
    return name in _states()


def is_city(name: str) -> bool:
    return name in _cities() or name in table("nicknames")


def is_place(name: str) -> bool:
    return is_city(name) or is_country(name) or is_state(name)


def place_as(name: str, about: str) -> str:
    """`name` in the form that the parameter's description or example shows."""
    city, _, rest = name.partition(", ")
    full = table("nicknames").get(city, city)
    state_shown = bool(_STATE_SHOWN.search(about))
    wants_state = bool(_STATE_ASKED.search(about)) or state_shown
    wants_country = bool(_COUNTRY_ASKED.search(about) or _COUNTRY_SHOWN.search(about))
    if not wants_state and not wants_country:
        return name
    if rest:
        return f"{full}, {_states().get(rest, rest) if state_shown else rest}"
    state, country = _cities().get(full, _cities().get(f"{full} City", ("", "")))
    if is_country(full) and not state:
        return name
    if wants_state and state:
        return f"{full}, {state}"
    return f"{full}, {country}" if wants_country and country else full


def country_code(name: str, letters: int) -> str | None:
    codes = _countries().get(name.lower())
    return codes[letters - 2] if codes else None


def language_code(name: str) -> str | None:
    code = table("languages").get(name.lower())
    return str(code) if code else None


def currency_code(said: str) -> str | None:
    """The ISO code of a currency as it is said: `British pounds`, `yen`, `Mexican Peso`."""
    plain = " ".join(word.removesuffix("s") for word in said.lower().split())
    code = table("currencies").get(plain)
    if code is None and said.upper() in _currency_codes():
        return said.upper()
    return str(code) if code else None


@cache
def _currency_codes() -> frozenset[str]:
    return frozenset(row[3] for row in rows("countries"))
