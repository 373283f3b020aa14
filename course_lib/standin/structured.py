"""Structured output: an answer that fits `text.format`, made of what was said and what came back.

A value comes from a tool's result with the same key, then from the request, as an argument
would. What neither says is filled with the plainest value the schema allows: the form is kept,
and the content is no more than a placeholder, as it may be with a real model.
"""

import json
from typing import Any

from . import arguments
from .prompt import Json
from .words import Value, find_values

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
    writer = _Writer(schema, facts, said, find_values(said))
    return json.dumps(writer.fit("", schema, 0), ensure_ascii=False)


class _Writer:
    """Fills one schema; `root` is where its references point."""

    def __init__(self, root: Json, facts: Json, said: str, values: list[Value]) -> None:
        self._root, self._facts, self._said, self._left = root, facts, said, list(values)
        self._way: list[str] = []  # the references that led here

    def fit(self, name: str, schema: Any, depth: int) -> Any:
        """A value for the property `name` that fits `schema`."""
        if isinstance(schema, dict) and "$ref" in schema:
            self._way.append(str(schema["$ref"]))
            value = self.fit(name, self._resolve(schema), depth)
            self._way.pop()
            return value
        schema = self._resolve(schema)
        if "const" in schema:
            return schema["const"]
        if "anyOf" in schema:
            return self.fit(name, self._option(schema["anyOf"]), depth)
        if schema.get("type") == "null":
            return None
        if arguments.allows(schema, "object") and "type" in schema:
            return self._object(schema, depth)
        if arguments.allows(schema, "array") and "type" in schema:
            wanted = min(schema.get("minItems", 0), 1000)
            return [self.fit(name, schema.get("items") or {}, depth + 1) for _ in range(wanted)]
        return self._scalar(name, schema)

    def _object(self, schema: Json, depth: int) -> Json:
        properties, required = schema.get("properties") or {}, schema.get("required") or ()
        wanted = required if depth >= MAX_DEPTH else properties
        return {name: self.fit(name, properties.get(name, {}), depth + 1) for name in wanted}

    def _scalar(self, name: str, schema: Json) -> Any:
        fact = self._facts.get(name)
        if fact is not None and _fits(fact, schema):
            return fact
        fitting = arguments.fitting(name, schema, self._said, self._left)
        if fitting:
            value, _, origin = fitting[0]
            if origin is not None:
                self._left.remove(origin)
            return value
        return arguments.guess(schema)

    def _option(self, options: list[Any]) -> Any:
        """The first option that is not null and leads on; null where all others lead in circles."""

        def rank(option: Any) -> int:
            if isinstance(option, dict) and option.get("$ref") in self._way:
                return 2
            return int(self._resolve(option).get("type") == "null")

        return min(options, key=rank, default={})

    def _resolve(self, schema: Any) -> Json:
        """Follow local references, `#/$defs/Name`; what leads nowhere allows anything."""
        for _ in range(MAX_DEPTH):
            if not isinstance(schema, dict) or "$ref" not in schema:
                break
            target: Any = self._root
            for step in str(schema["$ref"]).removeprefix("#").strip("/").split("/"):
                if step:
                    target = target.get(step) if isinstance(target, dict) else None
            schema = target
        return schema if isinstance(schema, dict) else {}


def _fits(value: Any, schema: Json) -> bool:
    """Whether a tool's value has the type the schema asks for, and is among its members."""
    if "enum" in schema and value not in schema["enum"]:
        return False
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string"}
    kind = kinds.get(type(value), "object")
    return arguments.allows(schema, kind) or (
        kind == "integer" and arguments.allows(schema, "number")
    )
