"""What our half of the wire costs: `responses.create` against a static transport.

    .venv/bin/python -m tests.benchmarks.wire

Both clients are the real SDK. They take turns, each call has one tool and a text never sent
before, and the ratio of the medians is what counts: seconds depend on the machine. The static
transport answers the same bytes every time, so it is the client's own cost and no more.
"""

import json
import statistics
import time

import httpx2
from openai import OpenAI

from course_lib.platform.app import Platform
from course_lib.platform.http import Request
from course_lib.standin import Scripted, call
from course_lib.transport import OfflineTransport

ROUNDS = 400
TOOL = {
    "type": "function",
    "name": "get_order",
    "description": "Return the promised delivery date for an order.",
    "strict": True,
    "parameters": {
        "type": "object",
        "properties": {"order_id": {"type": "string"}},
        "required": ["order_id"],
        "additionalProperties": False,
    },
}


def request(number: int) -> dict[str, object]:
    text = f"Why is order A-{1000 + number} late, and what did the customer write about it?"
    return {"model": "gpt-5.6", "input": text, "tools": [TOOL]}


def client_over(transport: httpx2.BaseTransport) -> OpenAI:
    return OpenAI(api_key="x", http_client=httpx2.Client(transport=transport))


def static_transport() -> httpx2.MockTransport:
    body = json.dumps(request(0)).encode()
    reply = Platform().handle(Request("POST", "/v1/responses", body))
    content, headers = b"".join(reply.chunks), reply.headers
    return httpx2.MockTransport(lambda _: httpx2.Response(200, headers=headers, content=content))


def main() -> None:
    script = Scripted([call("get_order", {"order_id": "A-104"})] * (ROUNDS + 1))
    clients = {
        "static transport": client_over(static_transport()),
        "platform, stand-in model": client_over(OfflineTransport(Platform().handle)),
        "platform, scripted model": client_over(OfflineTransport(Platform(model=script).handle)),
    }
    times: dict[str, list[float]] = {name: [] for name in clients}
    for number in range(ROUNDS + 1):
        for name, client in clients.items():
            begun = time.perf_counter()
            client.responses.create(**request(number))  # type: ignore[call-overload]
            if number:  # the first call of each loads the tokenizer and the SDK's types
                times[name].append(time.perf_counter() - begun)
    floor = statistics.median(times["static transport"])
    for name, measured in times.items():
        median = statistics.median(measured)
        print(f"{name:26} {median * 1000:6.2f} ms   ratio {median / floor:.2f}")


if __name__ == "__main__":
    main()
