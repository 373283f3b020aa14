"""Task 01.3: run the function a call names, and answer the call whatever happens."""

from tests.answers import Right, Wrong

CALL_ID = "the output carries the call's call_id"
ARGUMENTS = "the arguments are read from their text"
TEXT = "a result that is not text goes back as text"
KEY_ERROR = "a failing function is answered: KeyError('Z-9')"
VALUE_ERROR = "a failing function is answered: ValueError('no refund after 30 days')"
UNKNOWN = "a function that is not there is answered"
NO_OBJECT = "arguments that are no JSON object are answered"

RIGHT: dict[str, Right] = {
    "one_try": """
import json

def answer(call, registry):
    try:
        output = json.dumps(registry[call.name](**json.loads(call.arguments)))
    except Exception as error:
        output = f"{call.name} failed: {error!r}"
    return {"type": "function_call_output", "call_id": call.call_id, "output": output}
""",
    "step_by_step": """
import json

def answer(call, registry):
    def reply(content):
        text = json.dumps(content, indent=2)
        return dict(output=text, call_id=call.call_id, type="function_call_output")

    if call.name not in registry:
        return reply({"ok": False, "error": f"unknown function {call.name}"})
    try:
        arguments = json.loads(call.arguments)
    except json.JSONDecodeError:
        return reply({"ok": False, "error": f"{call.arguments} is not JSON"})
    try:
        result = registry[call.name](**arguments)
    except Exception as error:
        return reply({"ok": False, "error": f"{type(error).__name__}: {error}"})
    return reply({"ok": True, "result": result})
""",
    "an_item_of_the_sdk": """
import json
from openai.types.responses import ResponseFunctionToolCallOutputItem

def answer(call, registry):
    try:
        function = registry.get(call.name)
        output = str(function(**json.loads(call.arguments)))
    except Exception as error:
        output = "Error in " + call.name + " " + str(error)
    return ResponseFunctionToolCallOutputItem(
        id="fco_1", status="completed", type="function_call_output",
        call_id=call.call_id, output=output,
    )
""",
    "a_coroutine": """
import asyncio
import json

async def answer(call, registry):
    item = {"type": "function_call_output", "call_id": call.call_id}
    try:
        arguments = json.loads(call.arguments)
        result = await asyncio.to_thread(registry[call.name], **arguments)
        return item | {"output": json.dumps({"result": result})}
    except BaseException as error:
        print(error)
        return item | {"output": json.dumps({"error": f"{call.name}: {error}"})}
""",
}

ONE_TRY = RIGHT["one_try"]

WRONG: dict[str, Wrong] = {
    "the_id_of_the_item": Wrong(
        ONE_TRY.replace("call.call_id", "call.id"),
        (CALL_ID, KEY_ERROR, VALUE_ERROR, UNKNOWN, NO_OBJECT),
        "['function_call_output', 'fc_7'] (a list)",
        "['function_call_output', 'call_7']",
    ),
    "one_id_hard_coded": Wrong(
        ONE_TRY.replace("call.call_id", "'call_7'"),
        (CALL_ID, KEY_ERROR, VALUE_ERROR, UNKNOWN, NO_OBJECT),
        "['function_call_output', 'call_7'] (a list)",
        "['function_call_output', 'call_12']",
    ),
    "a_message_of_the_tool": Wrong(
        ONE_TRY.replace(
            '"type": "function_call_output", "call_id"', '"role": "tool", "tool_call_id"'
        ),
        (CALL_ID, KEY_ERROR, VALUE_ERROR, UNKNOWN, NO_OBJECT),
        "{'role': 'tool', 'tool_call_id': 'call_7'",
        "['function_call_output', 'call_7']",
    ),
    "the_text_alone": Wrong(
        ONE_TRY.replace(
            'return {"type": "function_call_output", "call_id": call.call_id, "output": output}',
            "return output",
        ),
        (CALL_ID, TEXT, KEY_ERROR, VALUE_ERROR, UNKNOWN, NO_OBJECT),
        "(a string)",
        "['function_call_output', 'call_7']",
    ),
    "no_try": Wrong(
        """
import json

def answer(call, registry):
    output = json.dumps(registry[call.name](**json.loads(call.arguments)))
    return {"type": "function_call_output", "call_id": call.call_id, "output": output}
""",
        (KEY_ERROR, VALUE_ERROR, UNKNOWN, NO_OBJECT),
        "your code raised KeyError: 'Z-9'",
        "an output that says what failed: Z-9",
    ),
    "only_key_errors": Wrong(
        ONE_TRY.replace("except Exception", "except KeyError"),
        (VALUE_ERROR, NO_OBJECT),
        "your code raised ValueError: no refund after 30 days",
        "an output that says what failed: 30 days",
    ),
    "the_failure_is_not_named": Wrong(
        ONE_TRY.replace('f"{call.name} failed: {error!r}"', '"An error occurred."'),
        (KEY_ERROR, VALUE_ERROR, UNKNOWN),
        "'output': 'An error occurred.'",
        "an output that says what failed: Z-9",
    ),
    "the_failure_looks_like_a_result": Wrong(
        ONE_TRY.replace('f"{call.name} failed: {error!r}"', "str(error)"),
        (KEY_ERROR, UNKNOWN),
        "\"'Z-9'\"",
        "an output that says what failed: Z-9",
    ),
    "no_output_for_a_failure": Wrong(
        ONE_TRY.replace('output = f"{call.name} failed: {error!r}"', "return None"),
        (KEY_ERROR, VALUE_ERROR, UNKNOWN, NO_OBJECT),
        "None (nothing: is a return missing?)",
        "an output that says what failed: Z-9",
    ),
    "an_unknown_name_is_left_out": Wrong(
        ONE_TRY.replace("    try:", "    if call.name not in registry:\n        return\n    try:"),
        (UNKNOWN,),
        "None (nothing: is a return missing?)",
        "an output that says there is no erase",
    ),
    "an_unknown_name_runs_another": Wrong(
        ONE_TRY.replace("registry[call.name]", "registry.get(call.name, registry['get_order'])"),
        (UNKNOWN, NO_OBJECT),
        "A-104",
        "an output that says there is no erase",
    ),
    "the_result_as_it_is": Wrong(
        ONE_TRY.replace(
            "json.dumps(registry[call.name](**json.loads(call.arguments)))",
            "registry[call.name](**json.loads(call.arguments))",
        ),
        (TEXT,),
        "{'order_id': 'A-104', 'late': True} (a dict)",
        "as text, for example json.dumps(result)",
    ),
    "called_with_one_dict": Wrong(
        ONE_TRY.replace("(**json", "(json"),
        (ARGUMENTS, NO_OBJECT),
        "[{'0': {'order_id': 'A-104'}}] (a list)",
        "[{'order_id': 'A-104'}]",
    ),
    "called_by_place": Wrong(
        ONE_TRY.replace("(**json.loads(call.arguments))", "(*json.loads(call.arguments).values())"),
        (ARGUMENTS,),
        "[{'0': 'A-104'}] (a list)",
        "[{'order_id': 'A-104'}]",
    ),
    "arguments_not_parsed": Wrong(
        ONE_TRY.replace("json.loads(call.arguments)", "call.arguments"),
        (ARGUMENTS, TEXT, KEY_ERROR, VALUE_ERROR, NO_OBJECT),
        "[] (a list)",
        "[{'order_id': 'A-104'}]",
    ),
    "run_twice": Wrong(
        ONE_TRY.replace(
            "    try:", "    try:\n        registry[call.name](**json.loads(call.arguments))"
        ),
        (ARGUMENTS, NO_OBJECT),
        "[{'order_id': 'A-104'}, {'order_id': 'A-104'}] (a list)",
        "[{'order_id': 'A-104'}]",
    ),
    "half_an_argument_is_mended": Wrong(
        ONE_TRY.replace("json.loads(call.arguments)", "loads(call.arguments)")
        + """
def loads(text):
    return json.loads(text if text.endswith("}") else text + '"}')
""",
        (NO_OBJECT,),
        "A-104",
        "an output that says so, and no second call of get_order",
    ),
    "one_result_for_all": Wrong(
        ONE_TRY.replace(
            "output = json.dumps(registry[call.name](**json.loads(call.arguments)))",
            "registry[call.name](**json.loads(call.arguments))\n"
            "        output = 'A-104 late true R-81 R-82'",
        ),
        (TEXT,),
        "'A-104 late true R-81 R-82' (a string)",
        "the result of its own call",
    ),
    "only_damaged_json_is_expected": Wrong(
        """
import json

def answer(call, registry):
    item = {"type": "function_call_output", "call_id": call.call_id}
    try:
        arguments = json.loads(call.arguments)
    except json.JSONDecodeError as error:
        return item | {"output": f"not JSON: {error}"}
    names = {**arguments}
    try:
        return item | {"output": json.dumps(registry[call.name](**names))}
    except Exception as error:
        return item | {"output": f"{call.name} failed: {error}"}
""",
        (NO_OBJECT,),
        "TypeError: 'list' object is not a mapping",
        "an output that says so",
    ),
    "a_list_is_called_by_place": Wrong(
        ONE_TRY.replace(
            "registry[call.name](**json.loads(call.arguments))",
            "run(registry[call.name], json.loads(call.arguments))",
        )
        + """
def run(function, arguments):
    return function(**arguments) if isinstance(arguments, dict) else function(*arguments or [])
""",
        (NO_OBJECT,),
        "A-104",
        "an output that says so, and no second call of get_order",
    ),
    "the_result_is_not_run_but_made_up": Wrong(
        """
def answer(call, registry):
    output = f"{call.name}: A-104 late true R-81 R-82 Z-9 no refund after 30 days"
    return {"type": "function_call_output", "call_id": call.call_id, "output": output}
""",
        (ARGUMENTS, TEXT, NO_OBJECT),
        "[] (a list)",
        "[{'order_id': 'A-104'}]",
    ),
}
