"""Task 02.1: one round in which every call is answered."""

from tests.answers import Right, Wrong

RUNS = "every call runs its function"
RUNS_TOO = "and so does the call of the other function"
ACCEPTED = "the API accepts every request"
OWN = "each output answers its own call"
SEES = "the model still sees the question"
ROUND = "one round is two requests, and the text"
PLAIN = "without a call the first answer is the last"

ROUND_BY_HAND = """
import json
from course_lib import MODEL

def one_round(client, question, tools, registry):
    history = [{"role": "user", "content": question}]
    response = client.responses.create(model=MODEL, input=history, tools=tools)
    history += response.output
    calls = [item for item in response.output if item.type == "function_call"]
    for item in calls:
        output = json.dumps(registry[item.name](**json.loads(item.arguments)))
        history.append({"type": "function_call_output", "call_id": item.call_id, "output": output})
    if calls:
        response = client.responses.create(model=MODEL, input=history, tools=tools)
    return response.output_text
"""

RIGHT: dict[str, Right] = {
    "a_running_list": ROUND_BY_HAND,
    "the_previous_response": """
import json
from course_lib import MODEL

def one_round(client, question, tools, registry):
    first = client.responses.create(model=MODEL, input=question, tools=tools)
    answers = [
        {
            "type": "function_call_output",
            "call_id": item.call_id,
            "output": str(registry[item.name](**json.loads(item.arguments))),
        }
        for item in first.output
        if item.type == "function_call"
    ]
    if not answers:
        return first.output_text
    second = client.responses.create(
        model=MODEL, input=answers, tools=tools, previous_response_id=first.id
    )
    return second.output_text
""",
    "outputs_beside_their_calls": """
import json
from course_lib import MODEL

def one_round(client, question, tools, registry):
    ask = lambda items: client.responses.create(model=MODEL, input=items, tools=tools)
    context = [{"role": "user", "content": question}]
    response = ask(context)
    for item in response.output:
        context.append(item.to_dict())
        if item.type == "function_call":
            result = registry[item.name](**json.loads(item.arguments))
            context.append({
                "type": "function_call_output", "call_id": item.call_id,
                "output": json.dumps({"result": result}),
            })
    return response.output_text or ask(context).output_text
""",
    "in_threads": """
import json
from concurrent.futures import ThreadPoolExecutor
from course_lib import MODEL

def one_round(client, question, tools, registry):
    history = [{"role": "user", "content": question}]
    response = client.responses.create(model=MODEL, input=history, tools=tools)
    calls = [item for item in response.output if item.type == "function_call"]
    if not calls:
        return response.output_text

    def run(item):
        return registry[item.name](**json.loads(item.arguments))

    with ThreadPoolExecutor(max_workers=1) as pool:
        results = list(pool.map(run, calls))
    history += response.output
    for item, result in reversed(list(zip(calls, results))):
        history.append({
            "type": "function_call_output", "call_id": item.call_id, "output": json.dumps(result)
        })
    return client.responses.create(model=MODEL, input=history, tools=tools).output_text
""",
}

WRONG: dict[str, Wrong] = {
    "only_the_first_call": Wrong(
        ROUND_BY_HAND.replace("for item in calls:", "for item in calls[:1]:"),
        (RUNS, RUNS_TOO, ACCEPTED, OWN, SEES, ROUND),
        "[{'order_id': 'A-104'}] (a list)",
        "[{'order_id': 'A-104'}, {'order_id': 'A-107'}]",
    ),
    "all_but_the_last": Wrong(
        ROUND_BY_HAND.replace("for item in calls:", "for item in calls[:-1]:"),
        (RUNS, ACCEPTED, OWN, SEES, ROUND),
        "[{'order_id': 'A-104'}] (a list)",
        "[{'order_id': 'A-104'}, {'order_id': 'A-107'}]",
    ),
    "a_request_for_each_call": Wrong(
        ROUND_BY_HAND.replace(
            '"output": output})',
            '"output": output})\n'
            "        response = client.responses.create(model=MODEL, input=history, tools=tools)",
        ),
        (RUNS, RUNS_TOO, ACCEPTED, OWN, SEES, ROUND),
        "[{'order_id': 'A-104'}] (a list)",
        "[{'order_id': 'A-104'}, {'order_id': 'A-107'}]",
    ),
    "one_id_for_all": Wrong(
        ROUND_BY_HAND.replace("item.call_id", "calls[0].call_id"),
        (ACCEPTED, OWN, SEES, ROUND),
        "No tool output found for function call call_2.",
        "accepted by the API",
    ),
    "the_ids_of_the_items": Wrong(
        ROUND_BY_HAND.replace("item.call_id", "item.id"),
        (ACCEPTED, OWN, SEES, ROUND),
        "No tool output found for function call call_1.",
        "accepted by the API",
    ),
    "ids_and_outputs_interchanged": Wrong(
        ROUND_BY_HAND.replace(
            "for item in calls:", "for other, item in zip(calls[::-1], calls):"
        ).replace('"call_id": item.call_id', '"call_id": other.call_id'),
        (OWN,),
        "2026-07-16",
        "three outputs: of A-104, of PX-91 and of A-107",
    ),
    "one_result_for_all": Wrong(
        ROUND_BY_HAND.replace(
            "    for item in calls:\n",
            "    output = None\n    for item in calls:\n        if output is None:\n    ",
        ),
        (RUNS, RUNS_TOO, OWN),
        "[{'order_id': 'A-104'}] (a list)",
        "[{'order_id': 'A-104'}, {'order_id': 'A-107'}]",
    ),
    "always_get_order": Wrong(
        ROUND_BY_HAND.replace(
            "registry[item.name](**json.loads(item.arguments))",
            "registry['get_order'](*json.loads(item.arguments).values())",
        ),
        (RUNS, RUNS_TOO, OWN, ROUND),
        "[{'order_id': 'A-104'}, {'order_id': 'PX-91'}] (a list)",
        "[{'order_id': 'A-104'}, {'order_id': 'A-107'}]",
    ),
    "the_reasoning_left_out": Wrong(
        ROUND_BY_HAND.replace("history += response.output", "pass").replace(
            "    for item in calls:", "    history += calls\n    for item in calls:"
        ),
        (ACCEPTED, OWN, SEES, ROUND),
        "was provided without its required 'reasoning' item",
        "accepted by the API",
    ),
    "the_question_left_out": Wrong(
        ROUND_BY_HAND.replace("history += response.output", "history = [*response.output]"),
        (SEES,),
        "[] (a list)",
        "['Where are A-104 and A-107, and the parcel PX-91?']",
    ),
    "no_second_request": Wrong(
        ROUND_BY_HAND.replace("if calls:", "if False:"),
        (OWN, ROUND),
        "[] (a list)",
        "three outputs",
    ),
    "always_a_second_request": Wrong(
        ROUND_BY_HAND.replace("if calls:", "if True:"),
        (PLAIN,),
        "your code raised InternalServerError",
        "{'returned': 'Good morning.', 'requests': 1}",
    ),
    "the_response_itself": Wrong(
        ROUND_BY_HAND.replace(".output_text", ""),
        (ROUND, PLAIN),
        "'returned': {'id'",
        "{'returned': 'All on their way.', 'requests': 2}",
    ),
}
