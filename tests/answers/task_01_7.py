"""Task 01.7: a schema in strict form, whatever it was before."""

from tests.answers import Right, Wrong

ACCEPTED = "the API takes each of them as strict"
NULL = "what was optional may be null"
REQUIRED = "what was required may not"
NESTED = "an object in an object is closed too"
ARRAY = "and so are the objects of an array"
CHOICE = "a choice keeps its members, and gains null"
NO_LIST = "without a list of required, all of it is optional"
DESCRIPTIONS = "the descriptions are still there"

CLOSE = """
def close(schema):
    closed = dict(schema)
    if "items" in schema:
        closed["items"] = close(schema["items"])
    if "properties" in schema:
        required = schema.get("required", [])
        closed["properties"] = {
            name: close(each) if name in required else {"anyOf": [close(each), {"type": "null"}]}
            for name, each in schema["properties"].items()
        }
        closed["required"] = list(schema["properties"])
        closed["additionalProperties"] = False
    return closed
"""

RIGHT: dict[str, Right] = {
    "with_any_of": CLOSE,
    "with_a_list_of_types": """
import copy

def close(schema):
    schema = copy.deepcopy(schema)
    tighten(schema)
    return schema

def tighten(schema):
    if schema.get("type") == "array":
        tighten(schema["items"])
    if schema.get("type") == "object":
        required = schema.pop("required", ())
        for name, each in schema["properties"].items():
            tighten(each)
            if name not in required:
                each["type"] = [each["type"], "null"]
                if "enum" in each:
                    each["enum"] = [*each["enum"], None]
        schema.update(required=sorted(schema["properties"]), additionalProperties=False)
""",
    "step_by_step_from_below": """
def close(schema, optional=False):
    match schema:
        case {"properties": properties}:
            needed = schema.get("required") or []
            inner = {name: close(each, name not in needed) for name, each in properties.items()}
            result = {
                **schema, "properties": inner,
                "required": list(inner), "additionalProperties": False,
            }
        case {"items": items}:
            result = {**schema, "items": close(items)}
        case _:
            result = schema
    return {"anyOf": [{"type": "null"}, result]} if optional else result
""",
    "the_description_outside": """
def close(schema):
    if "items" in schema:
        return {**schema, "items": close(schema["items"])}
    if "properties" not in schema:
        return schema
    properties = {}
    for name, each in schema["properties"].items():
        inner = close(each)
        if name not in schema.get("required", []):
            outer = {key: inner[key] for key in ("description",) if key in inner}
            rest = {key: value for key, value in inner.items() if key != "description"}
            inner = {**outer, "anyOf": [rest, {"type": "null"}]}
        properties[name] = inner
    return {
        "type": "object", "properties": properties,
        "required": list(properties), "additionalProperties": False,
    }
""",
}

WRONG: dict[str, Wrong] = {
    "closed_at_the_top_alone": Wrong(
        """
def close(schema):
    required = schema.get("required", [])
    properties = {
        name: each if name in required else {"anyOf": [each, {"type": "null"}]}
        for name, each in schema["properties"].items()
    }
    return {
        **schema, "properties": properties,
        "required": list(properties), "additionalProperties": False,
    }
""",
        (ACCEPTED, NESTED, ARRAY, NO_LIST),
        "In context=('properties', 'deliver_to'), 'additionalProperties' is required",
        "accepted by the API",
    ),
    "required_and_no_null": Wrong(
        CLOSE.replace('if name in required else {"anyOf": [close(each), {"type": "null"}]}', ""),
        (NULL, NESTED, ARRAY, CHOICE, NO_LIST),
        "they do not fit",
        "they fit",
    ),
    "everything_may_be_null": Wrong(
        CLOSE.replace("close(each) if name in required else ", ""),
        (REQUIRED, NESTED, ARRAY),
        "they fit",
        "they do not fit",
    ),
    "required_left_as_it_was": Wrong(
        CLOSE.replace('list(schema["properties"])', "required"),
        (ACCEPTED, NULL, NESTED, NO_LIST),
        "Missing 'note'.",
        "accepted by the API",
    ),
    "others_left_allowed": Wrong(
        CLOSE.replace('        closed["additionalProperties"] = False\n', ""),
        (ACCEPTED, REQUIRED),
        "'additionalProperties' is required to be supplied and to be false.",
        "accepted by the API",
    ),
    "arrays_left_out": Wrong(
        CLOSE.replace('if "items" in schema', "if False"),
        (ACCEPTED, ARRAY),
        "'additionalProperties' is required to be supplied and to be false.",
        "accepted by the API",
    ),
    "optional_objects_left_out": Wrong(
        CLOSE.replace('[close(each), {"type": "null"}]', '[each, {"type": "null"}]'),
        (ACCEPTED, NO_LIST),
        "'additionalProperties' is required to be supplied and to be false.",
        "accepted by the API",
    ),
    "an_enum_without_null": Wrong(
        RIGHT["with_a_list_of_types"].replace('if "enum" in each', "if False"),
        (CHOICE,),
        "they do not fit",
        "they fit",
    ),
    "an_enum_opened": Wrong(
        RIGHT["with_a_list_of_types"].replace(
            'each["enum"] = [*each["enum"], None]', "del each['enum']"
        ),
        (CHOICE,),
        "they fit",
        "they do not fit",
    ),
    "optional_ones_dropped": Wrong(
        CLOSE.replace(
            'in schema["properties"].items()',
            'in schema["properties"].items() if name in required',
        ).replace('list(schema["properties"])', 'list(closed["properties"])'),
        (NULL, REQUIRED, NESTED, ARRAY, CHOICE, NO_LIST, DESCRIPTIONS),
        "they do not fit",
        "they fit",
    ),
    "no_list_of_required_raises": Wrong(
        CLOSE.replace('schema.get("required", [])', 'schema["required"]'),
        (ACCEPTED, NO_LIST),
        "your code raised KeyError: 'required'",
        "accepted by the API",
    ),
    "no_list_of_required_means_all": Wrong(
        CLOSE.replace('schema.get("required", [])', 'schema.get("required", schema["properties"])'),
        (NO_LIST,),
        "they do not fit",
        "they fit",
    ),
    "descriptions_dropped": Wrong(
        CLOSE.replace(
            "closed = dict(schema)",
            "closed = {key: schema[key] for key in schema if key != 'description'}",
        ),
        (DESCRIPTIONS,),
        "(a dict)",
        "the descriptions kept",
    ),
    "nullable_as_in_openapi": Wrong(
        CLOSE.replace(
            '{"anyOf": [close(each), {"type": "null"}]}', '{**close(each), "nullable": True}'
        ),
        (NULL, NESTED, ARRAY, CHOICE, NO_LIST),
        "they do not fit",
        "they fit",
    ),
    "no_type_at_all": Wrong(
        "def close(schema):\n    return {'type': 'object', 'properties': {}}",
        (ACCEPTED, NULL, REQUIRED, NESTED, ARRAY, CHOICE, NO_LIST, DESCRIPTIONS),
        "'additionalProperties' is required to be supplied and to be false.",
        "accepted by the API",
    ),
    "changed_and_not_returned": Wrong(
        CLOSE.replace("    return closed\n", ""),
        (ACCEPTED, NULL, REQUIRED, NESTED, ARRAY, CHOICE, NO_LIST, DESCRIPTIONS),
        "None (nothing: is a return missing?)",
        "accepted by the API",
    ),
}
