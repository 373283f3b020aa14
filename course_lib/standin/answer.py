"""What the stand-in says: an answer from tool results, a question back, or an honest no."""

import json
from typing import Any

from .prompt import Json

NO_TOOL = "I have no tool for that. I can only answer from what I was given."


def from_results(results: list[tuple[str, Any]]) -> str:
    """A sentence for each (tool name, output) of the turn; a failure is told as one."""
    return " ".join(_sentence(name, read_output(output)) for name, output in results)


def ask_for(tool: Json, missing: list[str]) -> str:
    """Ask for the values a call still needs."""
    needed = " and ".join(name.replace("_", " ") for name in missing)
    return f"To use {tool['name']} I need the {needed}. Which should I take?"


def parse(text: str) -> Any:
    """JSON as data, anything else as the text it is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def read_output(output: Any) -> Any:
    """A function's output as data; its parts are read as one text."""
    if isinstance(output, str):
        return parse(output)
    return parse("".join(part.get("text") or "" for part in output))


def _sentence(name: str, data: Any) -> str:
    if not isinstance(data, dict):
        return f"{name} says: {_spoken(data)}".rstrip(".") + "."
    if data.get("ok") is False or "error" in data:
        return f"{name} could not do it: {_spoken(data.get('error', 'no reason given'))}."
    facts = [
        f"{key.replace('_', ' ')} {_spoken(value)}" for key, value in data.items() if key != "ok"
    ]
    return f"According to {name}: {', '.join(facts) or 'nothing'}."


def _spoken(value: Any) -> str:
    match value:
        case True | False:
            return "yes" if value else "no"
        case None:
            return "unknown"
        case str():
            return value.strip()
        case list():
            return "; ".join(_spoken(member) for member in value) or "none"
        case dict():
            return ", ".join(f"{key.replace('_', ' ')} {_spoken(v)}" for key, v in value.items())
        case _:
            return str(value)
