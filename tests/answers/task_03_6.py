"""Task 03.6: what the code interpreter ran and printed, never what the message says."""

from tests.answers import Right, Wrong

LOGS = "the code comes back, with what it printed"
SAME = "a second question finds what the first has left"
KNOWS = "and the model still knows the first"
SEVERAL = "several runs come back in order, a silent one too"
FAILED = "a run that failed is left out"
WORDS = "words alone are no result"
NONE = "nor is a run that failed"

COMPUTED = """
from course_lib import MODEL

def computed(client, question, after=None):
    response = client.responses.create(
        model=MODEL,
        input=question,
        tools=[{"type": "code_interpreter", "container": {"type": "auto"}}],
        include=["code_interpreter_call.outputs"],
        previous_response_id=after,
    )
    runs = []
    for item in response.output:
        if item.type == "code_interpreter_call" and item.status == "completed":
            logs = "".join(output.logs for output in item.outputs if output.type == "logs")
            runs.append({"code": item.code, "logs": logs})
    if not runs:
        raise RuntimeError(f"nothing was computed: {response.output_text}")
    return {"id": response.id, "runs": runs}
"""

RIGHT: dict[str, Right] = {
    "chained": COMPUTED,
    "in_a_named_container": """
from course_lib import MODEL

conversations = {}  # by the id that was given out: the items, and the container

def computed(client, question, after=None):
    items, container = conversations.get(after, ([], {"type": "auto"}))
    items = items + [{"role": "user", "content": question}]
    response = client.responses.create(
        model=MODEL, input=items, include=["code_interpreter_call.outputs"],
        tools=[{"type": "code_interpreter", "container": container}],
    )
    calls = [item for item in response.output if item.type == "code_interpreter_call"]
    done = [call for call in calls if call.status == "completed"]
    if not done:
        raise RuntimeError("no run was completed")
    conversations[response.id] = (items + response.output, done[-1].container_id)
    runs = [
        {"code": call.code, "logs": "".join(getattr(o, "logs", "") for o in call.outputs).strip()}
        for call in done
    ]
    return dict(id=response.id, runs=runs)
""",
    "forced_to_run": COMPUTED.replace(
        "previous_response_id=after,",
        'tool_choice="required", instructions="Compute.", **({"previous_response_id": after} '
        "if after else {}),",
    ),
    "in_a_conversation": """
from course_lib import MODEL

class NothingRan(RuntimeError):
    pass

def computed(client, question, after=None):
    conversation = after or client.conversations.create().id
    response = client.responses.create(
        model=MODEL, input=[{"role": "user", "content": question}], conversation=conversation,
        tools=[{"type": "code_interpreter", "container": {"type": "auto"}}],
        include=["code_interpreter_call.outputs"],
    )
    runs = []
    for item in response.to_dict()["output"]:
        if item["type"] != "code_interpreter_call" or item["status"] == "failed":
            continue
        logs = [each["logs"] for each in item["outputs"] if each["type"] == "logs"]
        runs.append({"code": item["code"], "logs": "".join(logs)})
    if runs == []:
        raise RuntimeError("The model said: " + response.output_text)
    return {"id": conversation, "runs": runs, "text": response.output_text}
""",
}

WRONG: dict[str, Wrong] = {
    "what_the_message_says": Wrong(
        COMPUTED.replace('"logs": logs}', '"logs": response.output_text}'),
        (LOGS, SAME, SEVERAL, FAILED),
        "'logs': 'It is 28.'",
        "'logs': '27'",
    ),
    "outputs_not_asked_for": Wrong(
        COMPUTED.replace('include=["code_interpreter_call.outputs"],', ""),
        (LOGS, SAME, KNOWS, SEVERAL, FAILED),
        "TypeError: 'NoneType' object is not iterable",
        "'logs': '27'",
    ),
    "outputs_not_asked_for_and_not_missed": Wrong(
        COMPUTED.replace('include=["code_interpreter_call.outputs"],', "").replace(
            "in item.outputs if", "in item.outputs or [] if"
        ),
        (LOGS, SAME, SEVERAL, FAILED),
        "'logs': ''",
        "'logs': '27'",
    ),
    "no_container": Wrong(
        COMPUTED.replace(', "container": {"type": "auto"}', ""),
        (LOGS, SAME, KNOWS, SEVERAL, FAILED, WORDS, NONE),
        "Missing required parameter: 'tools[0].container'.",
        "'logs': '27'",
    ),
    "a_new_conversation_each_time": Wrong(
        COMPUTED.replace("previous_response_id=after,", ""),
        (SAME, KNOWS),
        "NameError",
        "'logs': '15'",
    ),
    "the_container_without_the_conversation": Wrong(
        COMPUTED.replace("previous_response_id=after,", "")
        .replace('{"type": "auto"}', 'after or {"type": "auto"}')
        .replace('"id": response.id', '"id": response.output[1].container_id'),
        (KNOWS,),
        "['And which is the largest?'] (a list)",
        "['What do 4, 8 and 15 come to?', 'And which is the largest?'] (a list)",
    ),
    "the_questions_told_and_the_container_lost": Wrong(
        """
from course_lib import MODEL

asked = {}

def computed(client, question, after=None):
    items = asked.get(after, []) + [{"role": "user", "content": question}]
    response = client.responses.create(
        model=MODEL, input=items, include=["code_interpreter_call.outputs"],
        tools=[{"type": "code_interpreter", "container": {"type": "auto"}}],
    )
    asked[response.id] = items
    done = [
        item for item in response.output
        if item.type == "code_interpreter_call" and item.status == "completed"
    ]
    if not done:
        raise RuntimeError
    return {"id": response.id, "runs": [
        {"code": item.code, "logs": "".join(o.logs for o in item.outputs if o.type == "logs")}
        for item in done
    ]}
""",
        (SAME,),
        "NameError",
        "'logs': '15'",
    ),
    "the_first_run_alone": Wrong(
        COMPUTED.replace('"runs": runs}', '"runs": runs[:1]}'),
        (SEVERAL,),
        "[{'code': 'total = 6 * 7', 'logs': ''}] (a list)",
        "'logs': '42'",
    ),
    "the_last_run_alone": Wrong(
        COMPUTED.replace('"runs": runs}', '"runs": runs[-1:]}'),
        (SEVERAL,),
        "[{'code': \"open(",
        "{'code': 'total = 6 * 7', 'logs': ''}",
    ),
    "silent_runs_left_out": Wrong(
        COMPUTED.replace("            runs.append", "            if logs: runs.append"),
        (SEVERAL,),
        "[{'code': \"open(",
        "{'code': 'total = 6 * 7', 'logs': ''}",
    ),
    "the_first_output_of_each": Wrong(
        COMPUTED.replace(
            '"".join(output.logs for output in item.outputs if output.type == "logs")',
            "item.outputs[0].logs",
        ),
        (SEVERAL,),
        "IndexError",
        "'logs': '42'",
    ),
    "pictures_have_no_logs": Wrong(
        COMPUTED.replace(' if output.type == "logs"', ""),
        (SEVERAL,),
        "AttributeError",
        "'logs': '42'",
    ),
    "failed_runs_count": Wrong(
        COMPUTED.replace(' and item.status == "completed"', ""),
        (FAILED, NONE),
        "os._exit(1)",
        "[{'code': 'print(6 * 7)', 'logs': '42'}] (a list)",
    ),
    "one_failure_ends_it": Wrong(
        COMPUTED.replace(
            "    if not runs:",
            '    if any(getattr(i, "status", "") == "failed" for i in '
            "response.output):\n        raise RuntimeError('a run failed')\n    if not runs:",
        ),
        (FAILED,),
        "RuntimeError: a run failed",
        "[{'code': 'print(6 * 7)', 'logs': '42'}] (a list)",
    ),
    "nothing_run_is_an_empty_list": Wrong(
        COMPUTED.replace("    if not runs:\n", "    if False:\n"),
        (WORDS, NONE),
        "nothing",
        "RuntimeError",
    ),
    "nothing_run_is_the_message": Wrong(
        COMPUTED.replace(
            'raise RuntimeError(f"nothing was computed: {response.output_text}")',
            'runs = [{"code": "", "logs": response.output_text}]',
        ),
        (WORDS, NONE),
        "nothing",
        "RuntimeError",
    ),
    "another_error": Wrong(
        COMPUTED.replace("RuntimeError(", "LookupError("),
        (WORDS, NONE),
        "LookupError",
        "RuntimeError",
    ),
    "computed_by_yourself": Wrong(
        """
import contextlib, io

def computed(client, question, after=None):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(code := "prices = [4, 8, 15]\\nprint(sum(prices))")
    return {"id": "resp_1", "runs": [{"code": code, "logs": out.getvalue()}]}
""",
        (SAME, KNOWS, SEVERAL, FAILED, WORDS, NONE),
        "'logs': '27'",
        "'logs': '15'",
    ),
}
