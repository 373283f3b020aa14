"""Structured output: an answer that fits `text.format`, made of what was said and what came back.

A value comes from a tool's result with the same key, then from the request, as an argument
would. What neither says is filled with the plainest value the schema allows: the form is kept,
and the content is no more than a placeholder, as it may be with a real model.
"""

import json
from typing import Any

from .catalogue import compile_tools
from .fill import fill
from .prompt import Json
from .request import read_request
from .schema import Writer


def as_json_text(text: str, text_format: Json, request: str, results: list[Any]) -> str:
    """`text`, or the same answer as JSON where the format asks for it."""
    if text_format.get("type") == "json_object":
        return json.dumps({"answer": text}, ensure_ascii=False)
    if text_format.get("type") != "json_schema":
        return text
    facts: Json = {}
    for result in results:
        facts |= result if isinstance(result, dict) else {}
    spoken = [request, *(str(result) for result in results if not isinstance(result, dict))]
    [tool] = compile_tools([{"name": "answer", "parameters": text_format["schema"]}])
    said = fill(tool, read_request(" ".join(spoken))).arguments

    def known(path: tuple[str, ...]) -> list[Any]:
        found = [facts.get(path[-1] if path else ""), said.get(".".join(path))]
        return [each for each in found if each is not None]

    written = Writer(text_format["schema"], known).write(text_format["schema"])
    return json.dumps(written, ensure_ascii=False)
