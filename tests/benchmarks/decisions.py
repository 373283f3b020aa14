"""How long the stand-in takes to decide, beside the wire it decides for.

    python -m tests.benchmarks.decisions

Every request is new, and a sentence long. The tools are three close ones, then the same among 125
others; a catalogue is compiled when it is first seen, as in a conversation. It prints the median
of each in milliseconds, and its ratio to reading one recorded reply with the SDK, which no
platform could spare.
"""

import json
import statistics
import time
from collections.abc import Callable
from typing import Any

from openai.types.responses import Response

from course_lib import connect
from course_lib.standin import propose

RUNS = 300
WISHES = (
    "Where is order {}, and when will it arrive?",
    "Please cancel order {} for me, I ordered the wrong size.",
    "What did the customer of order {} buy last time?",
)


def tool(name: str, about: str, **parameters: str) -> dict[str, Any]:
    properties = {key: {"type": "string", "description": text} for key, text in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "name": name, "description": about, "parameters": schema}


CLOSE = [
    tool("get_order", "Tell the status of an order and when it arrives.", order_id="Such as A-104"),
    tool("cancel_order", "Cancel an order that has not been sent.", order_id="Such as A-104"),
    tool("get_history", "List what a customer has bought.", customer_id="Such as C-17"),
]
MANY = CLOSE + [
    tool(f"report_{n}", f"Make report number {n} about a region.", region="A region", year="A year")
    for n in range(125)
]


def median_ms(act: Callable[[int], object]) -> float:
    taken = []
    for number in range(RUNS + 20):
        start = time.perf_counter()
        act(number)
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken[20:])


def decide(tools: list[dict[str, Any]]) -> Callable[[int], object]:
    return lambda number: propose(WISHES[number % 3].format(f"A-{1000 + number}"), tools)


def main() -> None:
    reply = connect().responses.create(model="gpt-5.6", input="Hello.").to_json()
    floor = median_ms(lambda number: Response.model_validate(json.loads(reply)))
    for told, tools in (("one tool", CLOSE[:1]), ("three tools", CLOSE), ("128 tools", MANY)):
        taken = median_ms(decide(tools))
        print(f"a decision on {told:12} {taken:6.2f} ms   ratio {taken / floor:.1f}")


if __name__ == "__main__":
    main()
