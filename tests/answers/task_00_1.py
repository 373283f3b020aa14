"""Task 00.1: whether an order is late."""

from tests.answers import Right, Wrong

YESTERDAY = "an order promised yesterday is late"
TOMORROW = "an order promised for tomorrow is not"
TODAY = "an order promised for today is not"

RIGHT: dict[str, Right] = {
    "texts_compared": """
def is_late(promised, today):
    return promised < today
""",
    "turned_round": """
def is_late(due, now):
    if now <= due:
        return False
    return True
""",
    "dates_subtracted": """
from datetime import date

def is_late(promised, today):
    waited = date.fromisoformat(today) - date.fromisoformat(promised)
    return waited.days > 0
""",
    "a_lambda": "is_late = lambda *days: days[1] > days[0]",
    "an_object_that_can_be_called": """
class Deadline:
    def __call__(self, promised, today):
        print("asked about", promised)
        return today.split("-") > promised.split("-")

is_late = Deadline()
""",
    "numbers_of_numpy": """
import numpy as np

def is_late(promised, today):
    return np.datetime64(promised) < np.datetime64(today)
""",
    "a_coroutine": """
import asyncio

async def is_late(promised, today):
    await asyncio.sleep(0)
    return promised < today
""",
}

WRONG: dict[str, Wrong] = {
    "late_on_the_day_itself": Wrong(
        "def is_late(promised, today):\n    return promised <= today",
        (TODAY,),
        "True (a bool)",
        "False",
    ),
    "the_other_way_round": Wrong(
        "def is_late(promised, today):\n    return promised > today",
        (YESTERDAY, TOMORROW),
        "False (a bool)",
        "True",
    ),
    "always_late": Wrong(
        "def is_late(promised, today):\n    return True", (TOMORROW, TODAY), "True", "False"
    ),
    "one_order_hard_coded": Wrong(
        "def is_late(promised, today):\n    return promised == '2026-07-13'",
        (YESTERDAY, TODAY),
        "False",
        "True",
    ),
    "today_hard_coded": Wrong(
        "def is_late(promised, today):\n    return promised < '2026-07-14'",
        (YESTERDAY, TODAY),
        "False",
        "True",
    ),
    "days_of_the_month_alone": Wrong(
        "def is_late(promised, today):\n    return int(promised[-2:]) < int(today[-2:])",
        (YESTERDAY, TOMORROW),
        "False",
        "True",
    ),
    "printed_not_returned": Wrong(
        "def is_late(promised, today):\n    print(promised < today)",
        (YESTERDAY, TOMORROW, TODAY),
        "None (nothing: is a return missing?)",
        "True",
    ),
    "a_text": Wrong(
        "def is_late(promised, today):\n    return 'yes' if promised < today else 'no'",
        (YESTERDAY, TOMORROW, TODAY),
        "'yes' (a string)",
        "True",
    ),
    "no_dates_in_it": Wrong(
        "def is_late(order):\n    return order['promised'] < order['today']",
        (YESTERDAY, TOMORROW, TODAY),
        "TypeError: is_late() takes 1 positional argument but 2 were given",
        "True",
    ),
    "numbers_from_dates": Wrong(
        "def is_late(promised, today):\n    return int(promised) < int(today)",
        (YESTERDAY, TOMORROW, TODAY),
        "ValueError: invalid literal for int() with base 10: '2026-07-13' (line 2: return int(",
        "True",
    ),
}
