"""The rejection table, its part about programs that call tools (section D).

Its rows are those of `rejections.py`, and say in the same way how their words are known.
"""

from hashlib import sha256
from typing import Any

from course_lib.platform.encrypted import seal
from tests.rejections import (
    INFERRED,
    RECORDED,
    REPORTED,
    UNVERIFIED,
    Json,
    Row,
    a_call,
    an_output,
    function,
    items,
    missing,
    not_among,
    schema,
    tools,
    user,
)

WRITES: Json = {"type": "programmatic_tool_calling"}
STOCK: Json = function(name="stock", allowed_callers=["programmatic"])
CODE = "text(await tools.stock({}))"
CALLER: Json = {"type": "program", "caller_id": "call_P"}
FINGERPRINT = seal(f"0 {sha256(CODE.encode()).hexdigest()[:16]}")
ALTERED = FINGERPRINT[:-6] + "AAAAA="
PROGRAM: Json = {"type": "program", "id": "cm_1", "call_id": "call_P", "code": CODE}
PROGRAM |= {"fingerprint": FINGERPRINT}
ASKS: Json = a_call("call_1", "stock", id="fc_1", caller=CALLER)
TELLS: Json = an_output("call_1") | {"caller": CALLER}
ENDED: Json = {"type": "program_output", "id": "cmo_1", "call_id": "call_P", "result": ""}
ENDED |= {"status": "completed"}


def program(*given: Json, **fields: Any) -> Json:
    return items(user(), *given, **({"tools": [WRITES, STOCK]} | fields))


def without(name: str) -> Json:
    return program({key: value for key, value in PROGRAM.items() if key != name})


def broken(name: str, why: str, body: Json) -> Row:
    text = f"The program 'call_P' cannot be read: {why}."
    return Row(name, "D", UNVERIFIED, body, text, "input", UNVERIFIED)


PROGRAMS = [
    not_among("tools[0].allowed_callers[0]", "program", "'direct' and 'programmatic'",
        tools(function(allowed_callers=["program"])), INFERRED),
    Row("a tool for programs where none is written", "D", UNVERIFIED, tools(STOCK),
        "The tool 'stock' may be called by programs alone, and 'programmatic_tool_calling' is not "
        "in 'tools'.", "tools", UNVERIFIED),
    Row("programs named twice", "A5", UNVERIFIED, tools(WRITES, WRITES),
        "Two tools are named 'programmatic_tool_calling'. The name of a tool must be unique.",
        "tools", UNVERIFIED),
    Row("programs of a model that writes none", "D", REPORTED, tools(WRITES, model="gpt-5.4"),
        "Tool 'programmatic_tool_calling' is not supported with gpt-5.4.", "tools"),
    Row("choice of programs that are not there", "A2", INFERRED,
        tools(function(), tool_choice=WRITES),
        "Tool choice 'programmatic_tool_calling' not found in 'tools' parameter.", "tool_choice"),
    *(missing(f"input[1].{name}", without(name), INFERRED) for name in ("code", "fingerprint")),
    Row("an altered fingerprint", "D", INFERRED,
        program(PROGRAM | {"fingerprint": ALTERED}, ASKS, TELLS),
        f"The encrypted content gAAA...{ALTERED[-4:]} could not be verified. Reason: Encrypted "
        "content could not be decrypted or parsed.", "input", "invalid_encrypted_content"),
    not_among("input[2].caller.type", "script", "'direct' and 'program'",
        program(PROGRAM, ASKS | {"caller": {"type": "script"}}), INFERRED),
    missing("input[2].caller.caller_id",
        program(PROGRAM, ASKS | {"caller": {"type": "program"}}), INFERRED),
    broken("another program's fingerprint", "its fingerprint is not that of its code",
        program(PROGRAM | {"code": "text(1)"})),
    broken("a caller that is not there", "it is the caller of 'call_1', and it is not in the input",
        program(ASKS, TELLS)),
    broken("the output of no program", "its output is in the input, and it is not",
        program(ENDED)),
    broken("an output without its caller",
        "the output of 'call_1' does not have the caller of that call",
        program(PROGRAM, ASKS, an_output("call_1"))),
    broken("a caller for the model's own call",
        "the output of 'call_2' does not have the caller of that call",
        program(PROGRAM, ASKS, TELLS, a_call("call_2"), an_output("call_2") | {"caller": CALLER})),
    broken("a program that goes on without its tool",
        "it goes on only with 'programmatic_tool_calling' in 'tools'",
        program(PROGRAM, ASKS, TELLS, tools=[])),
    broken("a call that the program does not make",
        "it does not make the call 'call_1' as it stands",
        program(PROGRAM, ASKS | {"arguments": '{"sku":1}'}, TELLS)),
    Row("a program's call without its output", "A3", INFERRED, program(PROGRAM, ASKS),
        "No tool output found for function call call_1.", "input"),
    Row("an output that is not JSON, of a function with an output_schema", "D", RECORDED,
        items(user(), a_call("call_1"), an_output("call_1", "a text"),
            tools=[function(name="f", output_schema=schema())]),
        "Invalid function_call_output.output: expected a JSON string because the function "
        "declares output_schema.", "input", "invalid_value"),
]  # fmt: skip
