"""The stand-in as the scorer of the tool-choice sets calls it."""

from typing import Any

from course_lib.standin import StandIn
from course_lib.standin.prompt import Prompt


def calls(
    user: str, tools: list[dict[str, Any]], system: str | None = None
) -> list[dict[str, Any]]:
    """The calls proposed for one request."""
    answer = StandIn().respond(Prompt(system, [{"role": "user", "content": user}], tools))
    return [
        {"name": item["name"], "arguments": item["arguments"]}
        for item in answer.items
        if item["type"] == "function_call"
    ]
