"""Task 02.6: the text and the calls of a stream, as far as they came."""

from tests.answers import Right, Wrong

TEXT = "the pieces of a text are put together"
BOTH = "text and calls of one turn are told apart"
CUT_OFF = "a text that breaks off is kept so far"
HALF = "a call that breaks off is left out"

ALL = (TEXT, CUT_OFF, BOTH, HALF)

COLLECT = """
def collect(stream):
    text, calls, complete = "", [], False
    for event in stream:
        if event.type == "response.output_text.delta":
            text += event.delta
        elif event.type == "response.output_item.done" and event.item.type == "function_call":
            item = event.item
            calls.append({"call_id": item.call_id, "name": item.name, "arguments": item.arguments})
        elif event.type == "response.completed":
            complete = True
    return {"text": text, "calls": calls, "complete": complete}
"""

RIGHT: dict[str, Right] = {
    "from_the_items_done": COLLECT,
    "from_the_arguments": """
def collect(stream):
    pieces, open_calls, done, complete = [], {}, [], False
    for event in stream:
        match event.type:
            case "response.output_text.delta":
                pieces.append(event.delta)
            case "response.output_item.added":
                open_calls[event.output_index] = event.item
            case "response.function_call_arguments.done":
                item = open_calls[event.output_index]
                done.append(
                    {"call_id": item.call_id, "name": item.name, "arguments": event.arguments}
                )
            case "response.completed":
                complete = True
    return dict(text="".join(pieces), calls=done, complete=complete)
""",
    "from_the_deltas": """
from collections import defaultdict

def collect(stream):
    text, arguments, calls = "", defaultdict(str), {}
    for event in stream:
        print(event.type)
        if event.type == "response.output_text.delta":
            text += event.delta
        if event.type == "response.function_call_arguments.delta":
            arguments[event.item_id] += event.delta
        if event.type == "response.output_item.done" and event.item.type == "function_call":
            calls[event.item.id] = {
                "call_id": event.item.call_id, "name": event.item.name,
                "arguments": arguments[event.item.id],
            }
    return {
        "text": text, "calls": list(calls.values()),
        "complete": event.type == "response.completed",
    }
""",
    "by_class": """
from openai.types.responses import (
    ResponseCompletedEvent, ResponseFunctionToolCall, ResponseOutputItemDoneEvent,
    ResponseTextDeltaEvent,
)

def collect(stream):
    events = list(stream)
    items = [each.item for each in events if isinstance(each, ResponseOutputItemDoneEvent)]
    return {
        "text": "".join(e.delta for e in events if isinstance(e, ResponseTextDeltaEvent)),
        "calls": [
            item.model_dump(include={"call_id", "name", "arguments"})
            for item in items if isinstance(item, ResponseFunctionToolCall)
        ],
        "complete": any(isinstance(each, ResponseCompletedEvent) for each in events),
    }
""",
}

WRONG: dict[str, Wrong] = {
    "the_final_response_alone": Wrong(
        """
def collect(stream):
    text, calls, complete = "", [], False
    for event in stream:
        if event.type == "response.completed":
            complete, text = True, event.response.output_text
            for item in event.response.output:
                if item.type == "function_call":
                    calls.append(
                        {"call_id": item.call_id, "name": item.name, "arguments": item.arguments}
                    )
    return {"text": text, "calls": calls, "complete": complete}
""",
        (CUT_OFF, HALF),
        "{'text': '', 'calls': [], 'complete': False} (a dict)",
        "'complete': False} (a dict)",
    ),
    "the_text_when_it_is_done": Wrong(
        COLLECT.replace("output_text.delta", "output_text.done").replace(
            "event.delta", "event.text"
        ),
        (CUT_OFF,),
        "{'text': '', 'calls': [], 'complete': False} (a dict)",
        "'complete': False} (a dict)",
    ),
    "the_text_twice": Wrong(
        COLLECT.replace(
            '== "response.output_text.delta"',
            'in ("response.output_text.delta", "response.output_text.done")',
        ).replace("text += event.delta", 'text += getattr(event, "delta", None) or event.text'),
        ALL,
        "Order A-104 was promised for 13 July.Order A-104",
        "'text': 'Order A-104 was promised for 13 July.'",
    ),
    "the_pieces_stripped": Wrong(
        COLLECT.replace("event.delta", "event.delta.strip()"),
        ALL,
        "OrderA",
        "'text': 'Order A-104 was promised for 13 July.'",
    ),
    "only_the_last_piece": Wrong(
        COLLECT.replace("text += event.delta", "text = event.delta"),
        ALL,
        "{'text': '.', 'calls': []",
        "'text': 'Order A-104 was promised for 13 July.'",
    ),
    "every_delta_is_text": Wrong(
        COLLECT.replace('event.type == "response.output_text.delta"', 'hasattr(event, "delta")'),
        (BOTH, HALF),
        '{"order_id":"A-104"}',
        "'text': 'One moment.'",
    ),
    "calls_when_they_are_added": Wrong(
        COLLECT.replace("output_item.done", "output_item.added"),
        (BOTH, HALF),
        "'arguments': ''",
        "A-104",
    ),
    "only_the_last_call": Wrong(
        COLLECT.replace("calls.append({", "calls[:] = [{").replace(
            "item.arguments})", "item.arguments}]"
        ),
        (BOTH,),
        "'name': 'get_stock'",
        "'name': 'get_order'",
    ),
    "every_item_is_a_call": Wrong(
        COLLECT.replace(' and event.item.type == "function_call"', ""),
        ALL,
        "AttributeError",
        "'calls': []",
    ),
    "the_id_of_the_item": Wrong(
        COLLECT.replace("item.call_id", "item.id"),
        (BOTH, HALF),
        "'call_id': 'fc_1'",
        "'call_id': 'call_1'",
    ),
    "arguments_parsed": Wrong(
        COLLECT.replace("item.arguments}", "json.loads(item.arguments)}").replace(
            "def collect", "import json\n\ndef collect"
        ),
        (BOTH, HALF),
        "'arguments': {'order_id': 'A-104'}",
        "'arguments': '{",
    ),
    "half_a_call_is_kept": Wrong(
        """
def collect(stream):
    text, calls, complete = "", {}, False
    for event in stream:
        if event.type == "response.output_text.delta":
            text += event.delta
        elif event.type == "response.output_item.added" and event.item.type == "function_call":
            item = event.item
            calls[item.id] = {"call_id": item.call_id, "name": item.name, "arguments": ""}
        elif event.type == "response.function_call_arguments.delta":
            calls[event.item_id]["arguments"] += event.delta
        elif event.type == "response.completed":
            complete = True
    return {"text": text, "calls": list(calls.values()), "complete": complete}
""",
        (HALF,),
        "'name': 'get_stock'",
        "'complete': False} (a dict)",
    ),
    "always_complete": Wrong(
        COLLECT.replace('calls, complete = "", [], False', 'calls, complete = "", [], True'),
        (CUT_OFF, HALF),
        "'complete': True} (a dict)",
        "'complete': False} (a dict)",
    ),
    "complete_with_the_text": Wrong(
        COLLECT.replace('"response.completed"', '"response.output_text.done"'),
        (CUT_OFF, HALF),
        "'text': 'Order A-104 was promised for 13 July.', 'calls': [], 'complete': True",
        "'complete': False} (a dict)",
    ),
    "the_text_alone": Wrong(
        COLLECT.replace(
            'return {"text": text, "calls": calls, "complete": complete}', "return text"
        ),
        ALL,
        "'Order A-104 was promised for 13 July.' (a string)",
        "'calls': []",
    ),
}
