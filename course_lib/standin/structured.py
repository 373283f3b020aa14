"""Structured output: an answer that fits `text.format`, made of what was said and what came back.

A value comes from a tool's result with the same key, then from the request, as an argument
would. What neither says is filled with the plainest value the schema allows: the form is kept,
and the content is no more than a placeholder, as it may be with a real model.
"""

import json
from typing import Any

from .calls import guesses
from .catalogue import compile_tool
from .fill import fill
from .parameters import resolve, types_of
from .prompt import Json
from .request import read_request
from .valid import is_valid

MAX_DEPTH = 12  # from here on only what is required is filled in


def as_json_text(text: str, text_format: Json, request: str, results: list[Any]) -> str:
    """`text`, or the same answer as JSON where the format asks for it."""
    if text_format.get("type") == "json_object":
        return json.dumps({"answer": text}, ensure_ascii=False)
    if text_format.get("type") != "json_schema":
        return text
    schema = text_format["schema"]
    facts: Json = {}
    for result in results:
        facts |= result if isinstance(result, dict) else {}
    spoken = [str(result) for result in results if not isinstance(result, dict)]
    said = " ".join([request, *spoken])
    tool = compile_tool({"name": "answer", "parameters": schema})
    spoken_of = fill(tool, read_request(said)).arguments
    return json.dumps(_Writer(schema, facts, spoken_of).fit((), schema), ensure_ascii=False)


class _Writer:
    """Fills one schema; `root` is where its references point."""

    def __init__(self, root: Json, facts: Json, spoken_of: Json) -> None:
        self._root, self._facts, self._spoken_of = root, facts, spoken_of
        self._way: list[str] = []  # the references that led here

    def fit(self, path: tuple[str, ...], schema: Any) -> Any:
        """A value for the property at `path` that fits `schema`."""
        if isinstance(schema, dict) and "$ref" in schema and len(self._way) < 2 * MAX_DEPTH:
            self._way.append(str(schema["$ref"]))
            value = self.fit(path, resolve(self._root, schema))
            self._way.pop()
            return value
        schema = resolve(self._root, schema)
        depth = len(path)
        if "const" in schema:
            return schema["const"]
        if "anyOf" in schema:
            return self.fit(path, self._option(schema["anyOf"]))
        kinds = types_of(schema)
        if kinds == {"null"}:
            return None
        if "object" in kinds:
            properties, required = schema.get("properties") or {}, schema.get("required") or ()
            wanted = required if depth >= MAX_DEPTH else properties
            return {name: self.fit((*path, name), properties.get(name, {})) for name in wanted}
        for said in (
            self._facts.get(path[-1] if path else ""),
            self._spoken_of.get(".".join(path)),
        ):
            if said is not None and is_valid(said, schema, self._root):
                return said
        if "array" in kinds:
            wanted_items = min(int(schema.get("minItems", 0)), 1000)
            return [self.fit((*path, ""), schema.get("items") or {}) for _ in range(wanted_items)]
        return next(iter(guesses(schema, self._root)), None)

    def _option(self, options: list[Any]) -> Any:
        """The first option that is not null and leads on; null where all others lead in circles."""

        def rank(option: Any) -> int:
            if isinstance(option, dict) and option.get("$ref") in self._way:
                return 2
            return int(resolve(self._root, option).get("type") == "null")

        return min(options, key=rank, default={})
