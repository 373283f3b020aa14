"""Task 04.5: a comparison, a compound, and a filter that lets in what says nothing."""

from tests.answers import Right, Wrong

RECENT = "recent: files of 2025 or later"
HELP = "help: terms and product pages, in English"
PUBLIC = "public: all but drafts and internal files, also those that do not say"

FILTERS = """
filters = {
    "recent": {"type": "gte", "key": "year", "value": 2025},
    "help": {
        "type": "and",
        "filters": [
            {"type": "in", "key": "kind", "value": ["terms", "product"]},
            {"type": "eq", "key": "lang", "value": "en"},
        ],
    },
    "public": {"type": "nin", "key": "status", "value": ["draft", "internal"]},
}
"""
KINDS = '{"type": "in", "key": "kind", "value": ["terms", "product"]}'
STAY_OUT = '{"type": "nin", "key": "status", "value": ["draft", "internal"]}'
EACH = """{"type": "TYPE", "filters": [
        {"type": "ne", "key": "status", "value": "draft"},
        {"type": "ne", "key": "status", "value": "internal"},
    ]}"""

RIGHT: dict[str, Right] = {
    "as_short_as_can_be": FILTERS,
    "more_than_2024": FILTERS.replace('"gte"', '"gt"').replace("2025", "2024"),
    "an_or_of_two_kinds": FILTERS.replace(
        KINDS,
        """{"type": "or", "filters": [
                {"type": "eq", "key": "kind", "value": "product"},
                {"type": "eq", "key": "kind", "value": "terms"},
            ]}""",
    ),
    "two_that_are_not": FILTERS.replace(STAY_OUT, EACH.replace("TYPE", "and")),
    "an_or_of_two_ands": """
def both(kind):
    return {"type": "and", "filters": [
        {"type": "eq", "key": "kind", "value": kind}, {"type": "eq", "key": "lang", "value": "en"}
    ]}

filters = dict(
    recent={"type": "or", "filters": [
        {"type": "eq", "key": "year", "value": 2025}, {"type": "gt", "key": "year", "value": 2025.0}
    ]},
    help={"type": "or", "filters": [both("terms"), both("product")]},
    public={"type": "nin", "key": "status", "value": ["internal", "draft"]},
)
""",
    "of_the_types_of_the_sdk": """
from openai.types import ComparisonFilter, CompoundFilter

def compare(kind, key, value):
    return ComparisonFilter(type=kind, key=key, value=value)

filters = {
    "recent": compare("gte", "year", 2025),
    "help": CompoundFilter(type="and", filters=[
        compare("eq", "lang", "en"), compare("in", "kind", ["product", "terms"])
    ]),
    "public": compare("nin", "status", ["draft", "internal"]),
}
""",
}

WRONG: dict[str, Wrong] = {
    "later_than_2025": Wrong(
        FILTERS.replace('"gte"', '"gt"'),
        (RECENT,),
        "missing: fair.md {'kind': 'news', 'lang': 'fr', 'year': 2025, 'status': ",
        "the right files, and no other",
    ),
    "of_2025_alone": Wrong(
        FILTERS.replace('"gte"', '"eq"'),
        (RECENT,),
        "missing: kettle.md {'kind': 'product', 'lang': 'en', 'year': 2026, 'stat",
        "the right files, and no other",
    ),
    "the_year_as_a_text": Wrong(
        FILTERS.replace("2025", '"2025"'),
        (RECENT,),
        "missing: fair.md {'kind': 'news', 'lang': 'fr', 'year': 2025, 'status': ",
        "the right files, and no other",
    ),
    "all_but_the_years_before": Wrong(
        FILTERS.replace(
            '{"type": "gte", "key": "year", "value": 2025}',
            '{"type": "nin", "key": "year", "value": [2023, 2024]}',
        ),
        (RECENT,),
        "wrongly found: bouilloire.md {'kind': 'product', 'lang': 'fr', 'status':",
        "the right files, and no other",
    ),
    "the_years_that_are_shown": Wrong(
        FILTERS.replace(
            '{"type": "gte", "key": "year", "value": 2025}',
            '{"type": "in", "key": "year", "value": [2025, 2026]}',
        ),
        (RECENT,),
        "missing: team.md {'kind': 'people', 'lang': 'en', 'year': 2030, 'status'",
        "the right files, and no other",
    ),
    "the_sign_in_place_of_the_word": Wrong(
        FILTERS.replace('"gte"', '">="'),
        (RECENT,),
        "the API refused: Invalid value: '>='. Supported values are: 'eq', 'ne', ",
        "the right files, and no other",
    ),
    "both_kinds_at_once": Wrong(
        FILTERS.replace(
            KINDS,
            """{"type": "eq", "key": "kind", "value": "product"},
            {"type": "eq", "key": "kind", "value": "terms"}""",
        ),
        (HELP,),
        "missing: kettle.md {'kind': 'product', 'lang': 'en', 'year': 2026, 'stat",
        "the right files, and no other",
    ),
    "any_of_the_three": Wrong(
        FILTERS.replace('"and"', '"or"'),
        (HELP,),
        "wrongly found: bouilloire.md {'kind': 'product', 'lang': 'fr', 'status':",
        "the right files, and no other",
    ),
    "the_language_forgotten": Wrong(
        FILTERS.replace('            {"type": "eq", "key": "lang", "value": "en"},\n', ""),
        (HELP,),
        "wrongly found: bouilloire.md {'kind': 'product', 'lang': 'fr', 'status':",
        "the right files, and no other",
    ),
    "everything_english": Wrong(
        FILTERS.replace(f"            {KINDS},\n", ""),
        (HELP,),
        "wrongly found: storm.md {'kind': 'news', 'lang': 'en', 'year': 2026, 'st",
        "the right files, and no other",
    ),
    "all_but_news": Wrong(
        FILTERS.replace(KINDS, '{"type": "ne", "key": "kind", "value": "news"}'),
        (HELP,),
        "wrongly found: team.md {'kind': 'people', 'lang': 'en', 'year': 2030, 's",
        "the right files, and no other",
    ),
    "a_list_and_eq": Wrong(
        FILTERS.replace('"in"', '"eq"'),
        (HELP,),
        "the API refused: Invalid type for 'filters.filters[0].value': expected o",
        "the right files, and no other",
    ),
    "only_those_that_say_so": Wrong(
        FILTERS.replace(STAY_OUT, '{"type": "in", "key": "status", "value": ["final", "review"]}'),
        (PUBLIC,),
        "missing: retours.md {'kind': 'terms', 'lang': 'fr', 'year': 2025}, retur",
        "the right files, and no other",
    ),
    "either_is_not": Wrong(
        FILTERS.replace(STAY_OUT, EACH.replace("TYPE", "or")),
        (PUBLIC,),
        "wrongly found: bouilloire.md {'kind': 'product', 'lang': 'fr', 'status':",
        "the right files, and no other",
    ),
    "drafts_alone_stay_out": Wrong(
        FILTERS.replace(STAY_OUT, '{"type": "ne", "key": "status", "value": "draft"}'),
        (PUBLIC,),
        "wrongly found: storm.md {'kind': 'news', 'lang': 'en', 'year': 2026, 'st",
        "the right files, and no other",
    ),
    "the_other_way_round": Wrong(
        FILTERS.replace('"nin"', '"in"'),
        (PUBLIC,),
        "wrongly found: bouilloire.md {'kind': 'product', 'lang': 'fr', 'status':",
        "the right files, and no other",
    ),
    "one_is_missing": Wrong(
        FILTERS.replace('"public": {"type": "nin"', '"open": {"type": "nin"'),
        (PUBLIC,),
        "{'recent': {'type': 'gte', 'key': 'year', 'value': 2025}, 'help': {'type",
        "the right files, and no other",
    ),
    "one_is_not_written": Wrong(
        FILTERS.replace(STAY_OUT, "..."),
        (PUBLIC,),
        "... (still to be filled in)",
        "the right files, and no other",
    ),
    "a_number_and_nothing": Wrong(
        FILTERS.replace('{"type": "gte", "key": "year", "value": 2025}', "2025").replace(
            STAY_OUT, "None"
        ),
        (RECENT, PUBLIC),
        "the API refused: Invalid type for 'filters': expected an object, but got",
        "the right files, and no other",
    ),
    "texts": Wrong(
        'filters = {"recent": "year >= 2025", "help": "kind in (terms, product)", "public": ""}',
        (RECENT, HELP, PUBLIC),
        "the API refused: Invalid type for 'filters': expected an object, but got",
        "the right files, and no other",
    ),
}
