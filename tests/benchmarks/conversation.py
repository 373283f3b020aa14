"""What a long conversation costs per turn: our own share, beside the client's.

    .venv/bin/python -m tests.benchmarks.conversation

A learner's loop sends the whole history each turn, so the client's own cost grows with it: that
is `static`, the same history through a transport that only answers. `ours` is the time inside the
platform. Seconds depend on the machine; what counts is that ours per token does not grow.
"""

import json
import statistics
import time
from typing import Any

import httpx2

from course_lib.platform.app import Platform
from course_lib.platform.http import Reply, Request
from course_lib.standin import Scripted
from course_lib.standin.prompt import message
from course_lib.transport import OfflineTransport
from tests.benchmarks.wire import TOOL, client_over

ROUNDS = 15
AT = (20, 100, 200)
SAID = "It was handed to the carrier on Monday and should arrive the day after tomorrow."


def history(turns: int, last: str) -> list[dict[str, Any]]:
    """So many turns of a question, a call, its output and an answer, and one more question."""
    items: list[dict[str, Any]] = []
    for turn in range(turns):
        call_id = f"call_{turn}"
        items += [
            {"role": "user", "content": f"Why is order A-{turn} late?"},
            {
                "type": "function_call",
                "call_id": call_id,
                "name": "get_order",
                "arguments": json.dumps({"order_id": f"A-{turn}"}),
            },
            {"type": "function_call_output", "call_id": call_id, "output": '{"days": 2}'},
            {"role": "assistant", "content": SAID},
        ]
    return [*items, {"role": "user", "content": last}]


def request(turns: int, last: str) -> dict[str, Any]:
    return {"model": "gpt-5.4", "input": history(turns, last), "tools": [TOOL]}


def static_transport(turns: int) -> httpx2.MockTransport:
    """Answers the same bytes every time: what is left is the client's own cost."""
    sent = json.dumps(request(turns, "?")).encode()
    reply = Platform(model=Scripted([message(SAID)])).handle(Request("POST", "/v1/responses", sent))
    content, headers = b"".join(reply.chunks), reply.headers
    return httpx2.MockTransport(lambda _: httpx2.Response(200, headers=headers, content=content))


def measure(turns: int) -> tuple[float, float, float, int]:
    """Of a turn after so many others: median seconds with the static transport, with the
    platform, and inside the platform; and its input tokens.
    """
    platform = Platform(model=Scripted([message(SAID)] * (ROUNDS + 1)))
    inside: list[float] = []

    def timed(request: Request) -> Reply:
        begun = time.perf_counter()
        reply = platform.handle(request)
        inside.append(time.perf_counter() - begun)
        return reply

    static, whole = client_over(static_transport(turns)), client_over(OfflineTransport(timed))
    floors: list[float] = []
    totals: list[float] = []
    tokens = 0
    for number in range(ROUNDS + 1):
        body = request(turns, f"And order B-{number}?")
        for client, times in ((static, floors), (whole, totals)):
            begun = time.perf_counter()
            response = client.responses.create(**body)
            times.append(time.perf_counter() - begun)
            tokens = response.usage.input_tokens if response.usage else 0
    # The first call fills the caches, as the earlier turns would have.
    floor, total, ours = (statistics.median(times[1:]) for times in (floors, totals, inside))
    return floor, total, ours, tokens


def main() -> None:
    print("turns     static      whole       ours   tokens   ours per 1,000 tokens")
    for turns in AT:
        floor, total, ours, tokens = measure(turns)
        milliseconds = "".join(f"{seconds * 1000:8.2f} ms" for seconds in (floor, total, ours))
        print(f"{turns:5}{milliseconds} {tokens:8,} {ours / tokens * 1e6:10.2f} ms")


if __name__ == "__main__":
    main()
