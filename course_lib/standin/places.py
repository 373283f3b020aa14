"""Places, currencies and languages written as a parameter asks: `San Francisco` as `San Francisco,
CA`, `Germany` as `DE`, `Japanese yen` as `JPY`.

The gazetteer holds some 4,400 cities (GeoNames); a name means its largest bearer. What it does
not know is left as it was said.
"""

from functools import cache

from .lexicon import pattern, rows, table


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


@cache
def _currency_codes() -> frozenset[str]:
    return frozenset(row[3] for row in rows("countries"))


def is_country(name: str) -> bool:
    return name.lower() in _countries()


def is_state(name: str) -> bool:
    return name in _states()


def is_place(name: str) -> bool:
    """Whether the first part of `Paris, France` is a city, a state or a country."""
    first = name.partition(", ")[0]
    known = first in _cities() or first in table("nicknames")
    return known or is_country(first) or is_state(first)


def place_as(name: str, about: str) -> str:
    """`name` in the form that the parameter's description or example shows."""
    city, _, rest = name.partition(", ")
    full = table("nicknames").get(city, city)
    state_told = list(pattern("city and state").finditer(about))
    with_country = pattern("city and country").search(about)
    if not state_told and not with_country:
        return name
    if rest:
        short = any(told[1] for told in state_told)  # "San Francisco, CA", not "city and state"
        return f"{full}, {_states().get(rest, rest) if short else rest}"
    state, country = _cities().get(full, _cities().get(f"{full} City", ("", "")))
    if is_country(full) and not state:
        return name
    inside = state if state_told and state else country if with_country else ""
    return f"{full}, {inside}" if inside else full


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
