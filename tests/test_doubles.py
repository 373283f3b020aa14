"""What a check hands to a submission: stubs, clients, streams, SDK objects, each way."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from course_lib.checks.notebook import direct_submission
from course_lib.checks.task import Finding, Result, State, Task, expect, run_check
from course_lib.grading.submission import Outcome, Submission, function_call
from course_lib.platform.faults import Fault
from course_lib.standin import Scripted, message
from tests.answers.ways import Way, every_way, names_of, warm_pipe

Look = Callable[[Submission], Outcome]


@pytest.fixture(scope="module")
def pipe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Way]:
    with warm_pipe(tmp_path_factory.mktemp("pipe")) as way:
        yield way


def seen(source: str, look: Look, pipe: Way) -> Finding:
    """What an expectation that nothing fulfils says of the outcome, the same each way."""

    def check(submission: Submission) -> Iterator[Finding]:
        yield expect("it is shown", look(submission)).that(lambda value: False, "nothing")

    result = every_way(Task("99.1", "A task of the tests", 1, 1, 1, (), check), source, pipe)
    assert result.state is State.FAILED, result.state
    return result.findings[0]


def came_back(source: str, look: Look, pipe: Way) -> str:
    return seen(source, look, pipe).came_back


# Functions


def lookup(order_id: str, day: str = "today") -> dict[str, str]:
    if order_id != "A-104":
        raise KeyError(order_id)
    return {"order_id": order_id, "day": day}


CALLS = """
def each_way(lookup):
    found = [lookup("A-104"), lookup("A-104", day="Monday"), lookup(day="Monday", order_id="A-104")]
    for wrong in ({"order_id": "Z-9"}, {"order": "A-104"}):
        try:
            lookup(**wrong)
        except (KeyError, TypeError) as error:
            found.append(f"{type(error).__name__}: {error}")
    return found

def named(a, *, b, c=3):
    return [a, b, c]
"""


def test_a_stub_may_do_what_a_function_of_the_checks_does(pipe: Way) -> None:
    stubs = []

    def look(submission: Submission) -> Outcome:
        stubs.append(submission.stub("lookup", does=lookup))
        outcome = submission.call("each_way", stubs[-1])
        return Outcome("", [outcome.value, stubs[-1].calls])

    shown = came_back(CALLS, look, pipe)
    assert shown.startswith("[[{'order_id': 'A-104', 'day': 'today'}, {'order_id': 'A-104', 'day'")
    for stub in stubs:
        assert stub.calls == [
            {"order_id": "A-104"},
            {"order_id": "A-104", "day": "Monday"},
            {"order_id": "A-104", "day": "Monday"},
            {"order_id": "Z-9"},
            {"order": "A-104"},  # as it was made
        ]


def test_what_a_stub_raises_arrives_as_it_is(pipe: Way) -> None:
    def look(submission: Submission) -> Outcome:
        return submission.call("each_way", submission.stub("lookup", does=lookup))[3]

    assert came_back(CALLS, look, pipe) == "\"KeyError: 'Z-9'\" (a string)"
    wrong = came_back(
        CALLS,
        lambda submission: submission.call(
            "each_way", submission.stub("lookup", does=lookup)
        ).through(lambda found: found[4]),
        pipe,
    )
    assert wrong.startswith('"TypeError: lookup() got an unexpected keyword argument')


def test_arguments_may_be_named(pipe: Way) -> None:
    finding = seen(CALLS, lambda submission: submission.call("named", 1, b={"x": [2]}), pipe)
    assert (finding.tried, finding.came_back) == (
        "named(1, b={'x': [2]})",
        "[1, {'x': [2]}, 3] (a list)",
    )


# Clients

ASKS = """
from course_lib import MODEL

def ask(client):
    return client.responses.create(model=MODEL, input="hello").output_text

async def ask_async(client):
    response = await client.responses.create(model=MODEL, input="hello")
    events = await client.responses.create(model=MODEL, input="hello", stream=True)
    return [response.output_text, type(client).__name__, [event.type async for event in events][-1]]

def stream(client):
    with client.responses.create(model=MODEL, input="hello", stream=True) as events:
        return [event.type for event in events]

def without_a_cap(client):
    while True:
        try:
            ask(client)
        except Exception:
            pass

async def without_a_cap_async(client):
    while True:
        try:
            await client.responses.create(model=MODEL, input="hello")
        except Exception:
            pass

def twice(client):
    return [ask(client), ask(client)]
"""


@pytest.mark.parametrize(("function", "awaited"), [("ask", False), ("ask_async", True)])
def test_a_client_has_the_model_that_the_check_gives_it(
    function: str, awaited: bool, pipe: Way
) -> None:
    def look(submission: Submission) -> Outcome:
        script = Scripted([message("one"), message("two")])
        return submission.call(function, submission.client(script, awaited=awaited))

    expected = (
        "['one', 'AsyncOpenAI', 'response.completed'] (a list)" if awaited else "'one' (a string)"
    )
    assert came_back(ASKS, look, pipe) == expected


def test_the_faults_of_a_client_strike_on_either_side_of_a_pipe(pipe: Way) -> None:
    def statuses(submission: Submission) -> Outcome:
        client = submission.client(faults=[Fault("rate_limit"), Fault("connection", after=1)])
        outcome = submission.call("ask", client)
        return outcome.through(lambda _: [exchange.status for exchange in client.exchanges])

    assert came_back(ASKS, statuses, pipe) == "[429, 0, 200] (a list)"


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("severed", "APIConnectionError: Connection error."),
        ("cut_off", "['response.created', 'response.in_progress']"),
        ("failed", "APIError: The server had an error"),
    ],
)
def test_a_stream_may_break(kind: Any, told: str, pipe: Way) -> None:
    def look(submission: Submission) -> Outcome:
        return submission.call("stream", submission.client(faults=[Fault(kind, events=2)]))

    assert told in came_back(ASKS, look, pipe)


@pytest.mark.parametrize("function", ["without_a_cap", "without_a_cap_async"])
def test_a_loop_without_a_cap_is_stopped_and_told(function: str, pipe: Way) -> None:
    sent = []

    def look(submission: Submission) -> Outcome:
        client = submission.client(max_requests=5, awaited=function.endswith("async"))
        outcome = submission.call(function, client)
        sent.append(len(client.exchanges))
        return outcome

    assert (
        came_back(ASKS, look, pipe)
        == "it had sent 5 requests and did not stop: a loop without a cap"
    )
    assert set(sent) == {5}


def test_the_cap_is_for_one_call(pipe: Way) -> None:
    def look(submission: Submission) -> Outcome:
        client = submission.client(max_requests=2)
        submission.call("twice", client)
        return submission.call("twice", client)

    assert came_back(ASKS, look, pipe).endswith("(a list)")


def test_a_submission_cannot_hide_that_it_was_stopped() -> None:
    source = ASKS + (
        "def hides(client):\n"
        "    try:\n        without_a_cap(client)\n"
        "    except BaseException:\n        return 'fine'\n"
    )

    def check(submission: Submission) -> Iterator[Finding]:
        yield expect("it stops", submission.call("hides", submission.client())).equals("fine")

    result = run_check(Task("99.1", "", 1, 1, 1, (), check), direct_submission(names_of(source)))
    assert (
        result.findings[0].came_back
        == "it had sent 40 requests and did not stop: a loop without a cap"
    )


# Objects of the SDK, and streams

READS = """
def name_of(calls):
    [call] = calls["one"]
    return [type(call).__name__, call.name]

def texts(stream):
    return "".join(event.delta for event in stream if event.type == "response.output_text.delta")
"""


def test_an_item_crosses_inside_other_data(pipe: Way) -> None:
    call = function_call("f", "call_1")
    finding = seen(READS, lambda submission: submission.call("name_of", {"one": [call]}), pipe)
    assert finding.tried == "name_of({'one': [<function_call call_1: f({})>]})"
    assert finding.came_back == "['ResponseFunctionToolCall', 'f'] (a list)"


def test_a_stream_is_handed_over(pipe: Way) -> None:
    def look(submission: Submission) -> Outcome:
        client = submission.client(Scripted([message("one two three")]))
        return submission.call("texts", client.stream(model="gpt-5.6", input="hello"))

    finding = seen(READS, look, pipe)
    assert (finding.tried, finding.came_back) == ("texts(stream)", "'one two three' (a string)")


# Values


def read(source: str, name: str) -> Result:
    def check(submission: Submission) -> Iterator[Finding]:
        yield expect("it is 1", submission.value(name)).equals(1)

    task = Task("99.1", "A task of the tests", 1, 1, 1, (), check)
    return run_check(task, direct_submission(names_of(source)))


@pytest.mark.parametrize(
    "value", ["None", "...", "[...]", "{'first': ..., 'then': [..., ...]}", "(..., None)"]
)
def test_a_value_that_is_not_filled_in_is_not_attempted(value: str) -> None:
    assert read(f"prediction = {value}", "prediction").state is State.NOT_ATTEMPTED


def test_a_value_that_is_filled_in_partly_is_judged() -> None:
    [finding] = read("prediction = {'first': 'get_order', 'then': ...}", "prediction").findings
    assert not finding.passed
    assert read("empty = []", "empty").state is State.FAILED
    [finding] = read("x = [1, ...]", "x").findings
    assert finding.came_back == "[1, ...] (a list)"
