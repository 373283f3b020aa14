"""Task 02.2: scripts that break a loop."""

from tests.answers import Right, Wrong

UNANSWERED = "unanswered breaks it"
RAISES = "raises breaks it"
ENDLESS = "endless breaks it"

GIVEN = """
from course_lib.standin import call, message

a104, a107 = (call("get_order", {"order_id": each}) for each in ("A-104", "A-107"))
attacks = {
    "unanswered": [[a104, a107], message("Two dates.")],
    "raises": [call("get_order", {"order_id": "Z-9"}), message("There is no Z-9.")],
    "endless": [a104] * 20,
}
"""

RIGHT: dict[str, Right] = {
    "two_calls_an_unknown_order_one_for_ever": GIVEN,
    "three_calls_an_unknown_tool_two_in_turn": GIVEN
    + """
px88 = call("track_parcel", {"parcel_id": "PX-88"})
attacks = {
    "unanswered": [px88, [a104, px88, a107]],
    "raises": [call("cancel", {"order_id": "A-104"})],
    "endless": [a104, px88] * 6,
}
""",
    "written_out_as_data": """
def get(**arguments):
    return {"type": "function_call", "name": "get_order", "arguments": arguments}

attacks = dict(
    unanswered=[[get(order_id="A-104"), get(order_id="A-104")]],
    raises=[get(order="A-104"), {"type": "message", "text": "sorry"}],
    endless=[[get(order_id="A-112")] for _ in range(100)],
)
""",
    "text_beside_the_calls": GIVEN
    + """
attacks["unanswered"] = ([message("One moment."), a104, a107], message("Done."))
attacks["raises"] = [a104, call("track_parcel", {"parcel_id": None})]
attacks["endless"] = tuple([message("Still looking."), a107] for _ in range(11))
""",
}

WRONG: dict[str, Wrong] = {
    "one_call_after_the_other": Wrong(
        GIVEN + 'attacks["unanswered"] = [a104, a107, message("Two dates.")]',
        (UNANSWERED,),
        "it returned the text of the answer",
        "the API refused: No tool output found for function call",
    ),
    "an_order_that_exists": Wrong(
        GIVEN + 'attacks["raises"] = [call("get_order", {"order_id": "A-112"}), message("No.")]',
        (RAISES,),
        "it returned the text of the answer",
        "it raised",
    ),
    "too_short_for_endless": Wrong(
        GIVEN + 'attacks["endless"] = [a104] * 5',
        (ENDLESS,),
        "the API refused: The script has 5 turn(s), and this is request 6.",
        "it went on for 10 requests",
    ),
    "endless_with_an_end": Wrong(
        GIVEN + 'attacks["endless"] = [a104] * 9 + [message("Enough.")]',
        (ENDLESS,),
        "it returned the text of the answer",
        "it went on for 10 requests",
    ),
    "a_tool_that_is_not_offered": Wrong(
        GIVEN + 'attacks["raises"] = [call("refund", {})]',
        (RAISES,),
        "the API refused: The script calls refund, and the request offers",
        "it raised",
    ),
    "raised_by_a_bad_script": Wrong(
        GIVEN + 'attacks["raises"] = ["raise KeyError"]',
        (RAISES,),
        "this is no script: Turn 1 of the script holds 'raise KeyError'.",
        "it raised",
    ),
    "no_script_at_all": Wrong(
        GIVEN + 'attacks["endless"] = "forever"',
        (ENDLESS,),
        "this is no script",
        "it went on for 10 requests",
    ),
    "an_empty_script": Wrong(
        GIVEN + 'attacks["unanswered"] = []',
        (UNANSWERED,),
        "this is no script: A script needs at least one turn.",
        "the API refused: No tool output",
    ),
    "one_is_missing": Wrong(
        GIVEN + 'del attacks["raises"]',
        (RAISES,),
        "which has no 'raises'",
        "it raised",
    ),
    "unanswered_because_the_script_ran_out": Wrong(
        GIVEN + 'attacks["unanswered"] = [a104]',
        (UNANSWERED,),
        "the API refused: The script has 1 turn(s), and this is request 2.",
        "the API refused: No tool output found",
    ),
    "the_sentence_instead_of_the_script": Wrong(
        'attacks = {"unanswered": "the API refused: No tool output found for function call",'
        ' "raises": "it raised", "endless": "it went on for 10 requests"}',
        (UNANSWERED, RAISES, ENDLESS),
        "this is no script",
        "the API refused: No tool output",
    ),
}
