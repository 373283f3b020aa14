"""Task 01.4: mend an exchange that was written for another API."""

from tests.answers import Right, Wrong

ACCEPTED = "the API accepts every request"
RUNS = "get_order runs once, with the order of the call"
READS = "the model reads what get_order returned"
SEES = "the model still sees the question"
SAYS = "what the model says comes back"
ANOTHER = "another question gets its own order"
PLAIN = "a question that needs no order is answered too"

HEAD = """
import json
from course_lib import MODEL

tool = {
    "type": "function",
    "name": "get_order",
    "description": "Return the promised delivery date of an order.",
    "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}},
}
"""

RIGHT: dict[str, Right] = {
    "a_running_list": HEAD
    + """
def ask_about_order(client, question, get_order):
    history = [{"role": "user", "content": question}]
    first = client.responses.create(model=MODEL, input=history, tools=[tool])
    call = next((item for item in first.output if item.type == "function_call"), None)
    if call is None:
        return first.output_text
    result = json.dumps(get_order(**json.loads(call.arguments)))
    output = {"type": "function_call_output", "call_id": call.call_id, "output": result}
    history += [*first.output, output]
    return client.responses.create(model=MODEL, input=history, tools=[tool]).output_text
""",
    "the_previous_response": HEAD
    + """
def ask_about_order(client, question, get_order):
    first = client.responses.create(model=MODEL, input=question, tools=[tool])
    for item in first.output:
        if item.type == "function_call":
            output = {
                "type": "function_call_output",
                "call_id": item.call_id,
                "output": str(get_order(json.loads(item.arguments)["order_id"])),
            }
            return client.responses.create(
                model=MODEL, input=[output], previous_response_id=first.id
            ).output_text
    return first.output_text
""",
    "strict_and_not_stored": HEAD
    + """
def ask_about_order(client, question, get_order):
    order = {"type": "string", "description": "Order number"}
    tool["parameters"] |= {
        "properties": {"order_id": order}, "required": ["order_id"], "additionalProperties": False
    }
    ask = dict(model=MODEL, tools=[tool | {"strict": True}], store=False,
               include=["reasoning.encrypted_content"], instructions="Be brief.")
    content = [{"type": "input_text", "text": question}]
    items = [{"type": "message", "role": "user", "content": content}]
    reply = client.responses.create(input=items, **ask)
    calls = [item for item in reply.output if item.type == "function_call"]
    if calls:
        arguments = json.loads(calls[0].arguments)
        text = "promised for " + get_order(arguments["order_id"])["promised_date"]
        part = {"type": "input_text", "text": text}
        items += [item.model_dump(exclude_none=True) for item in reply.output]
        items.append(
            {"type": "function_call_output", "call_id": calls[0].call_id, "output": [part]}
        )
        reply = client.responses.create(input=items, **ask)
    return "".join(
        part.text for item in reply.output if item.type == "message" for part in item.content
    )
""",
    "streamed": HEAD
    + """
def ask_about_order(client, question, get_order):
    def ask(items):
        with client.responses.stream(model=MODEL, input=items, tools=[tool]) as stream:
            return stream.get_final_response()

    items = [{"role": "user", "content": question}]
    response = ask(items)
    for call in response.output:
        if call.type == "function_call":
            kept = [
                {key: value for key, value in item.to_dict().items() if key != "parsed_arguments"}
                for item in response.output
            ]
            output = json.dumps({"result": get_order(**json.loads(call.arguments))})
            answer = {"type": "function_call_output", "call_id": call.call_id, "output": output}
            return ask([*items, *kept, answer]).output_text
    return response.output_text
""",
}

LIST = RIGHT["a_running_list"]
NESTED = LIST.replace('"type": "function",', '"type": "function", "function": {').replace(
    '{"type": "string"}}},', '{"type": "string"}}}},'
)

WRONG: dict[str, Wrong] = {
    "still_nested": Wrong(
        NESTED,
        (ACCEPTED, RUNS, READS, SEES, SAYS, ANOTHER, PLAIN),
        "Missing required parameter: 'tools[0].name'.",
        "accepted by the API",
    ),
    "calls_of_another_type": Wrong(
        LIST.replace('item.type == "function_call"', 'item.type == "tool_call"'),
        (RUNS, READS, SAYS, ANOTHER),
        "[] (a list)",
        "[{'order_id': 'A-107'}]",
    ),
    "next_without_a_default": Wrong(
        LIST.replace(
            'next((item for item in first.output if item.type == "function_call"), None)',
            'next(item for item in first.output if item.type == "function_call")',
        ),
        (PLAIN,),
        "your code raised StopIteration",
        "the text the model said, and no call of get_order",
    ),
    "arguments_taken_for_a_dict": Wrong(
        LIST.replace("**json.loads(call.arguments)", 'call.arguments["order_id"]'),
        (RUNS, READS, SAYS, ANOTHER),
        "your code raised TypeError: string indices must be integers",
        "[{'order_id': 'A-107'}]",
    ),
    "arguments_handed_on_as_text": Wrong(
        LIST.replace("**json.loads(call.arguments)", "call.arguments"),
        (RUNS, ANOTHER),
        "(a list)",
        "[{'order_id': 'A-107'}]",
    ),
    "a_message_of_the_tool": Wrong(
        LIST.replace(
            '{"type": "function_call_output", "call_id": call.call_id, "output": result}',
            '{"role": "tool", "tool_call_id": call.id, "content": result}',
        ),
        (ACCEPTED, READS, SEES, SAYS, ANOTHER),
        "Error code: 400",
        "accepted by the API",
    ),
    "the_id_of_the_item": Wrong(
        LIST.replace("call.call_id", "call.id"),
        (ACCEPTED, READS, SEES, SAYS, ANOTHER),
        "No tool output found for function call call_1.",
        "accepted by the API",
    ),
    "a_dict_as_output": Wrong(
        LIST.replace(
            "json.dumps(get_order(**json.loads(call.arguments)))",
            "get_order(**json.loads(call.arguments))",
        ),
        (ACCEPTED, READS, SEES, SAYS, ANOTHER),
        "Invalid type for 'input[3].output'",
        "accepted by the API",
    ),
    "the_question_is_lost": Wrong(
        LIST.replace("history += [*first.output, output]", "history = [*first.output, output]"),
        (SEES,),
        "[] (a list)",
        "'Which day was A-107 promised for?' among them",
    ),
    "the_reasoning_is_lost": Wrong(
        LIST.replace("*first.output, output", "call, output"),
        (ACCEPTED, READS, SEES, SAYS, ANOTHER),
        "was provided without its required 'reasoning' item",
        "accepted by the API",
    ),
    "the_call_is_lost": Wrong(
        LIST.replace("[*first.output, output]", "[output]"),
        (ACCEPTED, READS, SEES, SAYS, ANOTHER),
        "No tool call found for function call output with call_id call_1.",
        "accepted by the API",
    ),
    "the_result_as_the_answer": Wrong(
        LIST.replace("    output = {", "    return result\n    output = {"),
        (READS, SAYS, ANOTHER),
        "{} (a dict)",
        "the result as the output of the call",
    ),
    "nothing_in_the_output": Wrong(
        LIST.replace('"output": result}', '"output": "done"}'),
        (READS,),
        "{'call_1': 'done'} (a dict)",
        "the result as the output of the call",
    ),
    "the_order_is_hard_coded": Wrong(
        LIST.replace("**json.loads(call.arguments)", "'A-107'"),
        (ANOTHER,),
        "['Not yet.', [{'order_id': 'A-107'}]] (a list)",
        "['Not yet.', [{'order_id': 'A-112'}]]",
    ),
    "the_order_is_read_from_the_question": Wrong(
        LIST.replace("**json.loads(call.arguments)", "question.split()[-1].strip('?')"),
        (RUNS, ANOTHER),
        "[{'order_id': 'for'}] (a list)",
        "[{'order_id': 'A-107'}]",
    ),
    "the_response_is_returned": Wrong(
        LIST.replace("tools=[tool]).output_text", "tools=[tool])"),
        (SAYS, ANOTHER),
        "{'id': 'resp_",
        "'It is due on 16 July.'",
    ),
    "a_call_is_forced": Wrong(
        LIST.replace(
            "first = client.responses.create(",
            "first = client.responses.create(tool_choice='required', ",
        ),
        (PLAIN,),
        "(a string)",
        "the text the model said, and no call of get_order",
    ),
    "get_order_of_the_shop": Wrong(
        LIST.replace("def ask", "from course_lib import shop\n\ndef ask").replace(
            "dumps(get_order", "dumps(shop.get_order"
        ),
        (RUNS, ANOTHER),
        "[] (a list)",
        "[{'order_id': 'A-107'}]",
    ),
}
