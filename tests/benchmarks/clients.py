"""Many clients of one `course serve`: does each get its own, how fast, and does the server grow?

    .venv/bin/python -m tests.benchmarks.clients [SECONDS]

Fifty clients, each with a key of its own, go through rounds for a minute: they continue what they
said before, stream, keep a conversation, fetch it all again, and compare it with what they know
of themselves. Meanwhile one more client runs a slow command again and again. The memory is the
server's, as Linux tells it, at a quarter, a half and the end of the time; in the first quarter it
loads what it loads when it is needed.
"""

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx2
from openai import AsyncOpenAI

from tests import ROOT

CLIENTS, SECONDS = 50, 60.0
MODEL = "gpt-5.4"
SHELL = {"type": "shell", "environment": {"type": "container_auto"}}


async def one_client(
    ask: AsyncOpenAI, name: str, again: Callable[[int], bool], times: list[float]
) -> list[str]:
    """Rounds of one client for as long as `again` says; returns what it got that was not its own.

    The seconds that each request took are put into `times`.
    """
    mistakes: list[str] = []
    conversation = (await ask.conversations.create(metadata={"name": name})).id
    previous, made, number = None, 0, 0
    while again(number):
        begun = time.perf_counter()
        text = f"I am {name}, round {number}."
        first = await ask.responses.create(
            model=MODEL, input=text, previous_response_id=previous if number % 10 else None
        )
        stream = await ask.responses.create(
            model=MODEL, input=text, conversation=conversation, stream=True
        )
        events = [event async for event in stream]
        kept = await ask.conversations.retrieve(conversation)
        items = (await ask.responses.input_items.list(first.id, order="asc")).data
        times += [(time.perf_counter() - begun) / 4] * 4
        previous, made, number = first.id, made + 2, number + 1
        if first.id != f"resp_{made - 1:08}":
            mistakes.append(f"{name}: {first.id} is not its response {made - 1}")
        if events[-1].type != "response.completed":
            mistakes.append(f"{name}: a stream ended in {events[-1].type}")
        if kept.metadata != {"name": name}:
            mistakes.append(f"{name}: a conversation of {kept.metadata}")
        if any("I am" in str(item) and f"I am {name}," not in str(item) for item in items):
            mistakes.append(f"{name}: sent {items}")
    return mistakes


async def all_clients(
    url: str, clients: int, again: Callable[[int], bool]
) -> tuple[list[str], list[float]]:
    """So many clients at once, by their keys; their mistakes, and the time of each request."""
    times: list[float] = []
    limits = httpx2.Limits(max_connections=None)
    async with httpx2.AsyncClient(trust_env=False, timeout=120, limits=limits) as http:
        rounds = (
            one_client(
                AsyncOpenAI(base_url=url, api_key=name, max_retries=0, http_client=http),
                name,
                again,
                times,
            )
            for name in (f"client-{number}" for number in range(clients))
        )
        results = await asyncio.gather(*rounds, return_exceptions=True)
    mistakes: list[str] = []
    for result in results:
        mistakes += [repr(result)] if isinstance(result, BaseException) else result
    return mistakes, times


async def slow_client(url: str, again: Callable[[int], bool]) -> int:
    """How often a command that sleeps was run."""
    http = httpx2.AsyncClient(trust_env=False, timeout=120)
    number = 0
    async with AsyncOpenAI(base_url=url, api_key="slow", http_client=http) as ask:
        while again(number):
            made = await ask.responses.create(
                model="gpt-5.6",
                input="Run the command `sleep 3`",
                tools=[SHELL],  # type: ignore[list-item]
            )
            number += any(item.type == "shell_call" for item in made.output)
    return number


def resident(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


async def main(seconds: float) -> None:
    server = subprocess.Popen(
        [sys.executable, "-m", "course_lib", "serve"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdout
    url = server.stdout.readline().strip()
    until = time.monotonic() + seconds

    def again(number: int) -> bool:
        return time.monotonic() < until

    async def watch() -> list[float]:
        sizes = []
        for wait in (seconds / 4, seconds / 4, seconds / 2):
            await asyncio.sleep(wait)
            sizes.append(resident(server.pid))
        return sizes

    try:
        (mistakes, times), slow, sizes = await asyncio.gather(
            all_clients(url, CLIENTS, again), slow_client(url, again), watch()
        )
    finally:
        server.terminate()
        server.wait()
    percentiles = statistics.quantiles(times, n=100)
    print(f"{len(times)} requests of {CLIENTS} clients, {len(times) / seconds:.0f} a second")
    print(f"a request: median {percentiles[49]:.3f} s, 99 of 100 within {percentiles[98]:.3f} s")
    print(f"slow commands beside them: {slow}")
    print("memory: " + ", ".join(f"{size:.0f} MB" for size in sizes))
    print(f"mistakes: {len(mistakes)}", *mistakes[:5], sep="\n  ")


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS))
