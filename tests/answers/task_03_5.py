"""Task 03.5: the loop of lesson 2, which counts the hosted calls of all its turns."""

from tests.answers import Right, Wrong

COUNTED = "the hosted calls of all turns are counted, each once"
ACCEPTED = "the API accepts every request"
READ = "the model reads what all calls have found"
RUN = "the calls of the function are run"
LAST = "and the third answer is the last"
HOSTED = "a turn of hosted calls alone is the whole"
FREE = "functions and words are not billed by the call"
CAP = "max_turns=3 ends it, as in lesson 2"

ANSWER = """
import json
from collections import Counter
from course_lib import MODEL

def answer(call, registry):
    try:
        output = json.dumps(registry[call.name](**json.loads(call.arguments)))
    except Exception as error:
        output = f"{call.name} failed: {error!r}"
    return {"type": "function_call_output", "call_id": call.call_id, "output": output}
"""
BILLED = f"""{ANSWER}
def billed(client, question, tools, registry, max_turns=8):
    history, counts = [{{"role": "user", "content": question}}], Counter()
    for _ in range(max_turns):
        response = client.responses.create(model=MODEL, input=history, tools=tools)
        history += response.output
        made = [item for item in response.output if item.type.endswith("_call")]
        calls = [item for item in made if item.type == "function_call"]
        counts.update(item.type for item in made if item not in calls)
        if not calls:
            return dict(counts)
        history += [answer(item, registry) for item in calls]
    raise RuntimeError(f"no answer after {{max_turns}} turns")
"""

RIGHT: dict[str, Right] = {
    "a_counter": BILLED,
    "the_previous_response": f"""{ANSWER}
HOSTED = ("web_search_call", "code_interpreter_call", "image_generation_call", "file_search_call")

def billed(client, question, tools, registry, max_turns=8):
    send, previous, counts = question, None, {{}}
    while max_turns:
        max_turns -= 1
        response = client.responses.create(
            model=MODEL, input=send, tools=tools, previous_response_id=previous
        )
        send, previous = [], response.id
        for item in response.output:
            if item.type in HOSTED:
                counts[item.type] = counts.get(item.type, 0) + 1
            elif item.type == "function_call":
                send.append(answer(item, registry))
        if not send:
            return counts
    raise RuntimeError("too many turns")
""",
    "counted_at_the_end": f"""{ANSWER}
def billed(client, question, tools, registry, max_turns=8):
    items = [{{"role": "user", "content": question}}]
    for _ in range(max_turns):
        response = client.responses.create(model=MODEL, input=items, tools=tools)
        items += response.output
        outputs = [answer(i, registry) for i in response.output if i.type == "function_call"]
        items += outputs
        if not outputs:
            break
    else:
        raise RuntimeError
    types = [getattr(item, "type", "") for item in items]
    ours = {{"function_call", "reasoning", "message", ""}}
    return {{kind: types.count(kind) for kind in types if kind not in ours}}
""",
    "recursive": f"""{ANSWER}
def billed(client, question, tools, registry, max_turns=8):
    if isinstance(question, str):
        question = [{{"role": "user", "content": question}}]
    if max_turns < 1:
        raise RuntimeError("max_turns")
    response = client.responses.create(
        model=MODEL, input=question, tools=tools, store=False,
        include=["reasoning.encrypted_content"],
    )
    here = Counter(item.type for item in response.output if item.type != "function_call")
    here = Counter({{kind: n for kind, n in here.items() if kind.endswith("_call")}})
    outputs = [answer(each, registry) for each in response.output if each.type == "function_call"]
    if outputs:
        history = [*question, *response.output, *outputs]
        here += Counter(billed(client, history, tools, registry, max_turns - 1))
    return here
""",
}

WRONG: dict[str, Wrong] = {
    "functions_counted_too": Wrong(
        BILLED.replace("for item in made if item not in calls", "for item in made"),
        (COUNTED, FREE),
        "'function_call': 2",
        "{'web_search_call': 3, 'code_interpreter_call': 1} (a dict)",
    ),
    "everything_counted": Wrong(
        BILLED.replace("for item in made if item not in calls", "for item in response.output"),
        (COUNTED, HOSTED, FREE),
        "'reasoning': ",
        "{'web_search_call': 3, 'code_interpreter_call': 1} (a dict)",
    ),
    "the_whole_history_each_turn": Wrong(
        BILLED.replace(
            "for item in made if item not in calls",
            'for item in history[1:] if getattr(item, "type", "").endswith("_call") and '
            'item.type != "function_call"',
        ),
        (COUNTED,),
        "{'web_search_call': 7, 'code_interpreter_call': 2} (a dict)",
        "{'web_search_call': 3, 'code_interpreter_call': 1} (a dict)",
    ),
    "the_first_turn_alone": Wrong(
        BILLED.replace("counts.update(", "counts = counts or Counter("),
        (COUNTED,),
        "{'web_search_call': 2} (a dict)",
        "{'web_search_call': 3, 'code_interpreter_call': 1} (a dict)",
    ),
    "the_last_turn_alone": Wrong(
        BILLED.replace("counts.update(", "counts = Counter("),
        (COUNTED,),
        "{'web_search_call': 1} (a dict)",
        "{'web_search_call': 3, 'code_interpreter_call': 1} (a dict)",
    ),
    "no_loop": Wrong(
        f"""{ANSWER}
def billed(client, question, tools, registry, max_turns=8):
    response = client.responses.create(model=MODEL, input=question, tools=tools)
    types = [item.type for item in response.output if item.type.endswith("_call")]
    return dict(Counter(each for each in types if each != "function_call"))
""",
        (COUNTED, READ, RUN, LAST, CAP),
        "{'web_search_call': 2} (a dict)",
        "{'web_search_call': 3, 'code_interpreter_call': 1} (a dict)",
    ),
    "each_type_once": Wrong(
        BILLED.replace("return dict(counts)", "return dict.fromkeys(counts, 1)"),
        (COUNTED,),
        "{'web_search_call': 1, 'code_interpreter_call': 1} (a dict)",
        "{'web_search_call': 3, 'code_interpreter_call': 1} (a dict)",
    ),
    "the_sum_alone": Wrong(
        BILLED.replace("return dict(counts)", "return counts.total()"),
        (COUNTED, HOSTED, FREE),
        "4 (an integer)",
        "{'web_search_call': 3, 'code_interpreter_call': 1} (a dict)",
    ),
    "by_the_names_of_tools": Wrong(
        BILLED.replace(
            "counts.update(item.type for", 'counts.update(item.type[: -len("_call")] for'
        ),
        (COUNTED, HOSTED),
        "{'web_search': 3, 'code_interpreter': 1} (a dict)",
        "{'web_search_call': 3, 'code_interpreter_call': 1} (a dict)",
    ),
    "hosted_calls_left_out_of_the_history": Wrong(
        BILLED.replace(
            "history += response.output",
            'history += [i for i in response.output if i.type in ("reasoning", "function_call")]',
        ),
        (READ,),
        "['get_order', 'get_order', 'web_search'] (a list)",
        "['web_search', 'web_search', 'get_order', 'code_interpreter', 'get_order', 'web_search']",
    ),
    "hosted_calls_and_reasoning_left_out": Wrong(
        BILLED.replace("history += response.output", "").replace(
            "        history += [answer", "        history += calls + [answer"
        ),
        (COUNTED, ACCEPTED, READ, RUN, LAST, FREE, CAP),
        "BadRequestError",
        "{'web_search_call': 3, 'code_interpreter_call': 1} (a dict)",
    ),
    "hosted_calls_answered_too": Wrong(
        BILLED.replace("for item in calls]\n", "for item in made]\n"),
        (COUNTED, READ, RUN, LAST),
        "AttributeError",
        "{'web_search_call': 3, 'code_interpreter_call': 1} (a dict)",
    ),
    "on_as_long_as_there_is_any_call": Wrong(
        BILLED.replace("if not calls:", "if not made:"),
        (LAST, HOSTED),
        "4 requests",
        "3 requests",
    ),
    "an_end_at_the_first_hosted_call": Wrong(
        BILLED.replace("if not calls:", "if len(made) > len(calls):"),
        (COUNTED, READ, RUN, LAST, FREE),
        "{'web_search_call': 2} (a dict)",
        "{'web_search_call': 3, 'code_interpreter_call': 1} (a dict)",
    ),
    "the_first_function_alone": Wrong(
        BILLED.replace("for item in calls]\n", "for item in calls[:0]]\n"),
        (COUNTED, ACCEPTED, READ, RUN, LAST, FREE, CAP),
        "BadRequestError",
        "{'web_search_call': 3, 'code_interpreter_call': 1} (a dict)",
    ),
    "no_cap": Wrong(
        BILLED.replace("for _ in range(max_turns):", "while True:"),
        (CAP,),
        "it had sent 12 requests and did not stop: a loop without a cap",
        "RuntimeError",
    ),
    "hard_coded": Wrong(
        "def billed(client, question, tools, registry, max_turns=8):\n"
        "    return {'web_search_call': 3, 'code_interpreter_call': 1}",
        (ACCEPTED, READ, RUN, LAST, HOSTED, FREE, CAP),
        "no request came through the client it was given",
        "accepted by the API",
    ),
}
