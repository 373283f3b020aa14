"""What a schema asks for, and whether a value fits it, for the keywords of the tasks.

Checks read schemas that a submission wrote. This knows no `pattern` and no `$ref`, so such a
schema can neither keep a check busy for ever nor make it fetch anything. (The package jsonschema
knows both, and takes two seconds to load where JupyterLab is installed.)
"""

from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """Whether `value` fits; keywords that are not known here do not count."""
    types = schema.get("type", [])
    types = types if isinstance(types, list) else [types]
    if types and not any(_is(value, name) for name in types):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if "anyOf" in schema and not any(fits(value, each) for each in schema["anyOf"]):
        return False
    if isinstance(value, list):
        return all(fits(each, schema.get("items", {})) for each in value)
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        return (
            set(schema.get("required", ())) <= set(value)
            and (schema.get("additionalProperties") is not False or set(value) <= set(properties))
            and all(fits(value[name], each) for name, each in properties.items() if name in value)
        )
    return True


def asks_for(schema: dict[str, Any], *names: str) -> bool:
    """Whether a schema takes these texts, all of them, and nothing else."""
    return (
        schema["type"] == "object"
        and set(schema["properties"]) == set(schema["required"]) == set(names)
        and all(schema["properties"][name]["type"] == "string" for name in names)
        and schema["additionalProperties"] is False
    )


def _is(value: Any, name: str) -> bool:
    return isinstance(value, _TYPES[name]) and (name == "boolean") is isinstance(value, bool)
