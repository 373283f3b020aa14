"""Task 02.3: the loop that keeps every item, answers every call, tells failures, and ends."""

from tests.answers import Right, Wrong

GOES_ON = "it goes on until the model answers"
ACCEPTED = "the API accepts every request"
QUESTION = "the last request still holds the question"
OUTPUTS = "and the outputs of every call so far"
SEVERAL = "several calls of one turn are all answered"
FAILURE = "a function that fails is told to the model"
ABSENT = "a tool without a function is too"
AFTER = "and the loop goes on"  # after each of the two
CAP_3 = "max_turns=3 ends it"
CAP_5 = "max_turns=5 ends it"
LAST = "an answer in the last turn allowed still counts"

LOOP = """
import json
from course_lib import MODEL

def run_loop(client, question, tools, registry, max_turns=8):
    history = [{"role": "user", "content": question}]
    for _ in range(max_turns):
        response = client.responses.create(model=MODEL, input=history, tools=tools)
        history += response.output
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return response.output_text
        for item in calls:
            try:
                output = json.dumps(registry[item.name](**json.loads(item.arguments)))
            except Exception as error:
                output = f"{item.name} failed: {error!r}"
            answer = {"type": "function_call_output", "call_id": item.call_id, "output": output}
            history.append(answer)
    raise RuntimeError(f"no answer after {max_turns} turns")
"""

RIGHT: dict[str, Right] = {
    "a_running_list": LOOP,
    "the_previous_response": """
import json
from course_lib import MODEL

def answer(item, registry):
    function = registry.get(item.name)
    try:
        result = function(**json.loads(item.arguments)) if function else f"no {item.name} here"
    except Exception as error:
        result = {"ok": False, "error": str(error)}
    return {
        "type": "function_call_output", "call_id": item.call_id, "output": json.dumps(result)
    }

def run_loop(client, question, tools, registry, max_turns=8):
    send, previous = question, None
    while max_turns > 0:
        max_turns -= 1
        response = client.responses.create(
            model=MODEL, input=send, tools=tools, previous_response_id=previous
        )
        previous = response.id
        send = [answer(item, registry) for item in response.output if item.type == "function_call"]
        if not send:
            return response.output_text
    raise RuntimeError("too many turns")
""",
    "a_while_and_a_counter": """
import json
from course_lib import MODEL

def run_loop(client, question, tools, registry, max_turns=8):
    items, turns = [{"role": "user", "content": [{"type": "input_text", "text": question}]}], 0
    while True:
        if turns == max_turns:
            raise RuntimeError
        turns += 1
        response = client.responses.create(
            model=MODEL, input=items, tools=tools, store=False, tool_choice="auto",
            include=["reasoning.encrypted_content"], instructions="Be brief.",
        )
        open_calls = False
        for item in response.output:
            items.append(item.model_dump(exclude_none=True))
            if item.type != "function_call":
                continue
            open_calls = True
            try:
                text = str(registry[item.name](**json.loads(item.arguments)))
            except KeyError as missing:
                text = f"not found: {missing}"
            except Exception:
                text = "failed"
            items.append(
                {"type": "function_call_output", "call_id": item.call_id, "output": text}
            )
        if not open_calls:
            return response.output_text
""",
    "recursive_and_streamed": """
import json
from course_lib import MODEL

def run_loop(client, question, tools, registry, max_turns=8):
    return go_on(client, [{"role": "user", "content": question}], tools, registry, max_turns)

def go_on(client, items, tools, registry, left):
    if not left:
        raise RuntimeError("max_turns reached")
    for event in client.responses.create(model=MODEL, input=items, tools=tools, stream=True):
        if event.type == "response.completed":
            response = event.response
    outputs = []
    for item in response.output:
        if item.type == "function_call":
            try:
                output = json.dumps(registry[item.name](**json.loads(item.arguments)))
            except Exception as error:
                output = json.dumps({"error": f"{type(error).__name__}: {error}"})
            outputs.append(
                {"type": "function_call_output", "call_id": item.call_id, "output": output}
            )
    if not outputs:
        return response.output_text
    return go_on(client, [*items, *response.output, *outputs], tools, registry, left - 1)
""",
    "a_coroutine": LOOP.replace("def run_loop", "async def run_loop")
    .replace(
        "json.dumps(registry[item.name](**json.loads(item.arguments)))",
        "json.dumps(await asyncio.to_thread(registry[item.name], **json.loads(item.arguments)))",
    )
    .replace("import json\n", "import asyncio\nimport json\n"),
}

ALL = (
    GOES_ON,
    ACCEPTED,
    QUESTION,
    OUTPUTS,
    SEVERAL,
    FAILURE,
    AFTER,
    ABSENT,
    AFTER,
    CAP_3,
    CAP_5,
    LAST,
)

WRONG: dict[str, Wrong] = {
    "the_loop_that_was_found": Wrong(
        """
import json
from course_lib import MODEL

def run_loop(client, question, tools, registry, max_turns=8):
    history = [{"role": "user", "content": question}]
    while True:
        response = client.responses.create(model=MODEL, input=history, tools=tools)
        history += response.output
        item = next((each for each in response.output if each.type == "function_call"), None)
        if item is None:
            return response.output_text
        output = json.dumps(registry[item.name](**json.loads(item.arguments)))
        history.append({"type": "function_call_output", "call_id": item.call_id, "output": output})
""",
        (SEVERAL, FAILURE, AFTER, ABSENT, AFTER, CAP_3, CAP_5),
        "No tool output found for function call call_2.",
        "two outputs, in one request",
    ),
    "no_cap": Wrong(
        LOOP.replace("for _ in range(max_turns):", "while True:"),
        (CAP_3, CAP_5),
        "after 12 requests it had sent 12 requests and did not stop",
        "after 3 requests your code raised RuntimeError",
    ),
    "a_cap_of_its_own": Wrong(
        LOOP.replace("range(max_turns)", "range(8)"),
        (CAP_3, CAP_5),
        "after 8 requests your code raised RuntimeError",
        "after 3 requests your code raised RuntimeError",
    ),
    "one_turn_too_many": Wrong(
        LOOP.replace("range(max_turns)", "range(max_turns + 1)"),
        (CAP_3, CAP_5),
        "after 4 requests your code raised RuntimeError",
        "after 3 requests your code raised RuntimeError",
    ),
    "one_turn_too_few": Wrong(
        LOOP.replace("range(max_turns)", "range(1, max_turns)"),
        (CAP_3, CAP_5, LAST),
        "after 2 requests your code raised RuntimeError",
        "after 3 requests your code raised RuntimeError",
    ),
    "the_cap_returns_what_there_is": Wrong(
        LOOP.replace(
            'raise RuntimeError(f"no answer after {max_turns} turns")',
            "return response.output_text",
        ),
        (CAP_3, CAP_5),
        "after 3 requests it returned ''",
        "after 3 requests your code raised RuntimeError",
    ),
    "the_cap_before_the_answer": Wrong(
        LOOP.replace(
            "        if not calls:",
            "        if _ == max_turns - 1:\n            break\n        if not calls:",
        ),
        (LAST,),
        "your code raised RuntimeError",
        "{'returned': 'Yes.', 'requests': 2}",
    ),
    "one_round_and_no_more": Wrong(
        LOOP.replace("range(max_turns)", "range(2)").replace(
            "    raise RuntimeError", "    return response.output_text\n    raise RuntimeError"
        ),
        (GOES_ON, OUTPUTS, CAP_3, CAP_5),
        "{'returned': '', 'requests': 2} (a dict)",
        "{'returned': 'In Lyon.', 'requests': 4}",
    ),
    "the_reasoning_left_out": Wrong(
        LOOP.replace(
            "history += response.output",
            "history += [item for item in response.output if item.type != 'reasoning']",
        ),
        ALL,
        "was provided without its required 'reasoning' item",
        "{'returned': 'In Lyon.', 'requests': 4}",
    ),
    "the_history_begins_anew": Wrong(
        LOOP.replace("history += response.output", "history = [history[0], *response.output]"),
        (OUTPUTS,),
        "2026-07-16",
        "the outputs of all three calls",
    ),
    "the_question_is_lost": Wrong(
        LOOP.replace(
            "history += response.output", "history = (history if _ else []) + response.output"
        ),
        (QUESTION,),
        "[] (a list)",
        "['Is A-104 late, and where is it?']",
    ),
    "only_the_first_call": Wrong(
        LOOP.replace("for item in calls:", "for item in calls[:1]:"),
        (SEVERAL,),
        "No tool output found for function call call_2.",
        "two outputs, in one request",
    ),
    "text_is_taken_for_the_end": Wrong(
        LOOP.replace("if not calls:", "if response.output_text:"),
        (SEVERAL,),
        "[] (a list)",
        "two outputs, in one request",
    ),
    "failures_fly": Wrong(
        LOOP.replace("except Exception as error", "except ZeroDivisionError as error"),
        (FAILURE, AFTER, ABSENT, AFTER),
        "[] (a list)",
        "one output, which names Z-9",
    ),
    "failures_are_left_out": Wrong(
        LOOP.replace('output = f"{item.name} failed: {error!r}"', "continue"),
        (FAILURE, AFTER, ABSENT, AFTER),
        "No tool output found for function call call_1.",
        "one output, which names Z-9",
    ),
    "failures_are_kept_secret": Wrong(
        LOOP.replace('f"{item.name} failed: {error!r}"', '"An error occurred."'),
        (FAILURE, ABSENT),
        "['An error occurred.'] (a list)",
        "one output, which names Z-9",
    ),
    "a_failure_ends_it": Wrong(
        LOOP.replace('output = f"{item.name} failed: {error!r}"', 'return f"Sorry: {error}"'),
        (FAILURE, AFTER, ABSENT, AFTER),
        "[] (a list)",
        "one output, which names Z-9",
    ),
    "an_unknown_tool_runs_another": Wrong(
        LOOP.replace("registry[item.name]", "registry.get(item.name, registry['get_order'])"),
        (ABSENT,),
        "2026-07-13",
        "one output, which names cancel",
    ),
    "the_tools_are_sent_once": Wrong(
        LOOP.replace("tools=tools)", "tools=tools if _ == 0 else [])"),
        (GOES_ON, ACCEPTED, QUESTION, OUTPUTS, CAP_3, CAP_5),
        "InternalServerError",
        "{'returned': 'In Lyon.', 'requests': 4}",
    ),
    "printed_not_returned": Wrong(
        LOOP.replace("return response.output_text", "return print(response.output_text)"),
        (GOES_ON, AFTER, AFTER, LAST),
        "{'returned': None, 'requests': 4} (a dict)",
        "{'returned': 'In Lyon.', 'requests': 4}",
    ),
    "the_ids_of_the_items": Wrong(
        LOOP.replace("item.call_id", "item.id"),
        ALL,
        "No tool output found for function call call_1.",
        "{'returned': 'In Lyon.', 'requests': 4}",
    ),
}
