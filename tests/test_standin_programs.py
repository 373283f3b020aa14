"""The programs that the stand-in writes, run on V8 with tools that this file answers for."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from course_lib.platform.hosted import programs
from course_lib.standin import StandIn
from course_lib.standin.prompt import Prompt
from tests.test_standin import calls, history, text, tool

Json = dict[str, Any]
STATE = {"type": "string", "enum": ["in_transit", "delivered", "lost"]}
NUMBER, TEXT, YES_NO = {"type": "number"}, {"type": "string"}, {"type": "boolean"}
BOTH, BY_PROGRAM = ["direct", "programmatic"], ["programmatic"]
PROGRAM: Json = {
    "type": "programmatic_tool_calling", "name": "programmatic_tool_calling",
    "description": "Run JavaScript.", "parameters": {
        "type": "object", "properties": {"code": TEXT}, "required": ["code"],
    },
}  # fmt: skip


def row(**properties: Json) -> Json:
    return {"type": "object", "properties": properties}


def rows(name: str, **properties: Json) -> Json:
    return row(**{name: {"type": "array", "items": row(**properties)}})


def tools(callers: list[str]) -> list[Json]:
    parcel = text("Parcel number, e.g. PW-33")
    declared = [
        (tool("get_parcel", "Get a parcel: its weight and state.", parcel_id=parcel),
         row(weight_kg=NUMBER, state=STATE, insured=YES_NO)),
        (tool("list_parcels", "List a customer's parcels.", customer_id=text("e.g. C-7")),
         rows("parcels", parcel_id=TEXT, weight_kg=NUMBER, state=STATE)),
        (tool("get_scans", "Get the scans of a parcel: hub and time.", parcel_id=parcel),
         rows("scans", hub=TEXT, minutes=NUMBER)),
        (tool("get_cost", "Get the shipping cost of a parcel.", parcel_id=parcel),
         row(cost=NUMBER)),
    ]  # fmt: skip
    return [PROGRAM, *(t | {"output_schema": s, "allowed_callers": callers} for t, s in declared)]


PARCELS: dict[str, Json] = {
    "PW-1": {"weight_kg": 2, "state": "delivered", "insured": True},
    "PW-2": {"weight_kg": 5.5, "state": "lost", "insured": False},
    "PW-3": {"weight_kg": 1, "state": "in_transit", "insured": False},
}
OF_CUSTOMER = [
    {"parcel_id": key, "weight_kg": parcel["weight_kg"], "state": parcel["state"]}
    for key, parcel in PARCELS.items()
]
ANSWERS: dict[str, Callable[[Json], Any]] = {
    "get_parcel": lambda given: PARCELS[given["parcel_id"]],
    "list_parcels": lambda given: {"parcels": OF_CUSTOMER},
    "get_scans": lambda given: {"scans": [{"hub": f"Hub of {given['parcel_id']}", "minutes": 3}]},
    "get_cost": lambda given: {"cost": 10 * PARCELS[given["parcel_id"]]["weight_kg"]},
}


def sent(request: str, offered: list[Json], **fields: Any) -> list[tuple[str, Json]]:
    return calls(StandIn().respond(Prompt(None, history(request), offered, **fields)).items)


def emitted(code: str) -> Any:
    """What a program emits, every call being answered in its turn."""
    answers: list[Json] = []
    while True:
        progress = programs.play(code, [*ANSWERS], answers, 0)
        assert progress.error is None, (progress.error, code)
        if progress.ended:
            (said,) = progress.emitted
            return json.loads(said)
        for index, (name, given) in enumerate(progress.calls[len(answers) :], len(answers)):
            made = json.loads(given) if isinstance(given, str) else given
            answers.append({"index": index, "value": ANSWERS[name](made)})


@pytest.mark.parametrize(("request_", "result"), [
    ("What is the total weight of the parcels PW-1, PW-2 and PW-3?", {"sum": 8.5}),
    ("What is the average weight of the parcels PW-1 and PW-3?", {"mean": 1.5}),
    ("How many parcels of customer C-7 are lost?", {"count": 1}),
    ("Which of the parcels of customer C-7 has the highest weight?", {"largest": OF_CUSTOMER[1]}),
    ("List the parcels of customer C-7 that weigh over 1.5 kg.",
     [{"parcel_id": "PW-1", "weight_kg": 2}, {"parcel_id": "PW-2", "weight_kg": 5.5}]),
    ("List the parcels of customer C-7, sorted by weight.",
     {"sorted": [OF_CUSTOMER[i] for i in (2, 0, 1)]}),
    ("Which of the parcels PW-1, PW-2 and PW-3 are not insured?",
     [{"parcel_id": key, "insured": False} for key in ("PW-2", "PW-3")]),
    ("What is the total shipping cost of the parcels of customer C-7?", {"sum": 85}),
    ("Show the hubs of the scans of all parcels of customer C-7.",
     [{"parcel_id": key, "hub": f"Hub of {key}"} for key in PARCELS]),
])  # fmt: skip
def test_a_program_fans_out_joins_filters_and_reduces(request_: str, result: Any) -> None:
    ((name, arguments),) = sent(request_, tools(BOTH))
    assert name == "programmatic_tool_calling"
    assert emitted(arguments["code"]) == result


def test_what_one_round_of_calls_does_needs_no_program() -> None:
    request = "Get the parcels PW-1 and PW-3."
    expected = [("get_parcel", {"parcel_id": each}) for each in ("PW-1", "PW-3")]
    assert sent(request, tools(BOTH)) == expected
    ((name, arguments),) = sent(request, tools(BOTH), parallel_tool_calls=False)
    assert name == "programmatic_tool_calling"
    assert len(emitted(arguments["code"])) == 2
    assert sent(request, tools(BY_PROGRAM)) == [(name, arguments)]
    assert sent(request, tools(BOTH)[1:]) == expected


def test_a_program_that_was_run_is_not_written_again_and_its_result_is_said() -> None:
    request = "How many parcels of customer C-7 are lost?"
    ((name, arguments),) = sent(request, tools(BOTH))
    context = history(request, (name, arguments, {"count": 1}))
    (said,) = StandIn().respond(Prompt(None, context, tools(BOTH))).items
    assert said["text"] == "According to the program: count 1."


def test_without_an_output_schema_it_fans_out_and_no_more() -> None:
    plain = [{k: v for k, v in each.items() if k != "output_schema"} for each in tools(BY_PROGRAM)]
    ((_, arguments),) = sent("What is the total weight of the parcels PW-1 and PW-3?", plain)
    assert emitted(arguments["code"]) == [PARCELS["PW-1"], PARCELS["PW-3"]]


def test_what_was_not_said_is_asked_for() -> None:
    (said,) = StandIn().respond(Prompt(None, history("List the parcels of my customer."),
                                       tools(BY_PROGRAM))).items  # fmt: skip
    assert "customer id" in said["text"]
