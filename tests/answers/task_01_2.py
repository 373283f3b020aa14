"""Task 01.2: read the arguments of a call of get_stock, and let through only what fits."""

from tests.answers import Right, Wrong

FIRST = "the arguments of a call for TR-40 are read"
SECOND = "the arguments of a call for AX-200 are read"
CUT_OFF = "text that is cut off is refused"
NO_OBJECT = "JSON that is no object is refused"
MISSING = "a missing argument is refused by its name"
WRONG_TYPE = "an argument of the wrong type is refused"
COLOUR = "colour, which nobody declared, is refused"
WAREHOUSE = "warehouse, which nobody declared, is refused"

RIGHT: dict[str, Right] = {
    "step_by_step": """
import json

def read_call(call):
    try:
        arguments = json.loads(call.arguments)
    except ValueError as error:
        return None, str(error)
    if not isinstance(arguments, dict):
        return None, "not an object"
    missing, unknown = {"sku"} - set(arguments), set(arguments) - {"sku"}
    if missing or unknown:
        return None, f"missing: {sorted(missing)}, unknown: {sorted(unknown)}"
    if not isinstance(arguments["sku"], str):
        return None, "sku must be a string"
    return arguments, None
""",
    "with_jsonschema": """
import json
import jsonschema

SCHEMA = {
    "type": "object", "properties": {"sku": {"type": "string"}},
    "required": ["sku"], "additionalProperties": False,
}

def read_call(call):
    try:
        arguments = json.loads(call.arguments)
        jsonschema.validate(arguments, SCHEMA)
    except (json.JSONDecodeError, jsonschema.ValidationError) as problem:
        return None, str(problem).splitlines()[0]
    return arguments, None
""",
    "with_pydantic": """
from pydantic import BaseModel, ConfigDict, ValidationError

class Stock(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    sku: str

def read_call(call):
    try:
        return Stock.model_validate_json(call.arguments).model_dump(), None
    except ValidationError as error:
        return None, str(error)
""",
    "with_match_and_a_list": """
import json

def read_call(call):
    print("reading", call.arguments)
    try:
        match json.loads(call.arguments):
            case {"sku": str(), **rest} if not rest:
                return [json.loads(call.arguments), None]
            case {"sku": _, **rest}:
                return [None, f"sku is a string, and {list(rest)} are not known"]
            case _:
                return [None, "an object with sku, please"]
    except Exception as error:
        return [None, repr(error)]
""",
}

STEPS = RIGHT["step_by_step"]

WRONG: dict[str, Wrong] = {
    "nothing_but_loads": Wrong(
        "import json\n\ndef read_call(call):\n    return json.loads(call.arguments), None",
        (CUT_OFF, NO_OBJECT, MISSING, WRONG_TYPE, COLOUR, WAREHOUSE),
        "your code raised JSONDecodeError: Unterminated string",
        "(None, a sentence)",
    ),
    "taken_for_a_dict": Wrong(
        "def read_call(call):\n    return {'sku': call.arguments['sku']}, None",
        (FIRST, SECOND, CUT_OFF, NO_OBJECT, MISSING, WRONG_TYPE, COLOUR, WAREHOUSE),
        "TypeError: string indices must be integers",
        "[{'sku': 'TR-40'}, None]",
    ),
    "read_with_eval": Wrong(
        STEPS.replace("json.loads(call.arguments)", "eval(call.arguments)"),
        (CUT_OFF, NO_OBJECT, WRONG_TYPE),
        "your code raised SyntaxError",
        "(None, a sentence)",
    ),
    "an_object_taken_for_granted": Wrong(
        STEPS.replace("not isinstance(arguments, dict)", "arguments is None"),
        (NO_OBJECT,),
        "your code raised TypeError",
        "(None, a sentence)",
    ),
    "the_type_taken_for_granted": Wrong(
        STEPS.replace('not isinstance(arguments["sku"], str)', "False"),
        (WRONG_TYPE,),
        "[{'sku': 40}, None] (a list)",
        "(None, a sentence)",
    ),
    "a_number_made_text": Wrong(
        STEPS.replace(
            "    if not isinstance(arguments[",
            "    arguments['sku'] = str(arguments['sku'])\n    if not isinstance(arguments[",
        ),
        (WRONG_TYPE,),
        "[{'sku': '40'}, None] (a list)",
        "(None, a sentence)",
    ),
    "what_is_extra_is_dropped": Wrong(
        STEPS.replace("if missing or unknown", "if missing").replace(
            "return arguments, None", "return {'sku': arguments['sku']}, None"
        ),
        (COLOUR, WAREHOUSE),
        "[{'sku': 'TR-40'}, None] (a list)",
        "(None, a sentence that names colour)",
    ),
    "one_sentence_for_everything": Wrong(
        """
import json

def read_call(call):
    try:
        arguments = json.loads(call.arguments)
        assert list(arguments) == ["sku"] and type(arguments["sku"]) is str
        return arguments, None
    except Exception:
        return None, "The arguments are wrong."
""",
        (MISSING, COLOUR, WAREHOUSE),
        "[None, 'The arguments are wrong.'] (a list)",
        "(None, a sentence that names sku)",
    ),
    "an_empty_sentence": Wrong(
        STEPS.replace('"not an object"', '""'),
        (NO_OBJECT,),
        "[None, ''] (a list)",
        "(None, a sentence)",
    ),
    "raised_instead_of_returned": Wrong(
        STEPS.replace("return None, str(error)", "raise ValueError(str(error))"),
        (CUT_OFF,),
        "your code raised ValueError: Unterminated string",
        "(None, a sentence)",
    ),
    "the_other_way_round": Wrong(
        STEPS.replace("return arguments, None", "return None, arguments"),
        (FIRST, SECOND),
        "[None, {'sku': 'TR-40'}] (a list)",
        "[{'sku': 'TR-40'}, None]",
    ),
    "the_arguments_alone": Wrong(
        STEPS.replace("return arguments, None", "return arguments"),
        (FIRST, SECOND),
        "{'sku': 'TR-40'} (a dict)",
        "[{'sku': 'TR-40'}, None]",
    ),
    "one_call_hard_coded": Wrong(
        STEPS.replace("return arguments, None", "return {'sku': 'TR-40'}, None"),
        (SECOND,),
        "[{'sku': 'TR-40'}, None] (a list)",
        "[{'sku': 'AX-200'}, None]",
    ),
    "read_by_a_pattern": Wrong(
        r"""
import re

def read_call(call):
    found = re.fullmatch(r'\{"sku":"([A-Z0-9-]+)"\}', call.arguments)
    return ({"sku": found[1]}, None) if found else (None, f"sku, not {call.arguments}")
""",
        (FIRST, SECOND),
        "[None, 'sku, not",
        "[{'sku': 'TR-40'}, None]",
    ),
    "the_text_quoted_back": Wrong(
        STEPS.replace("unknown: {sorted(unknown)}", "unknown").replace(
            "missing: {sorted(missing)}", "missing"
        ),
        (MISSING, COLOUR, WAREHOUSE),
        "[None, 'missing, unknown'] (a list)",
        "(None, a sentence that names sku)",
    ),
}
