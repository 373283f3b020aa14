"""Places, and the codes of countries, states, languages and currencies.

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
