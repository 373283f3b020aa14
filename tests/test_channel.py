"""The keyhole between a check and a submission: what passes it, and what cannot be done with it.

First the pipe alone, then what the checking side makes of hostile messages, then values and
behaviours that are odd but honest, and last a process that works against the check.
"""

import asyncio
import builtins
import json
import math
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.checks import TASKS
from course_lib.checks.notebook import direct_submission
from course_lib.checks.task import Finding, Result, State, Task, expect, run_check
from course_lib.grading import piped
from course_lib.grading.notebooks import NotebookFile
from course_lib.grading.piped import PipeEnd, piped_submission
from course_lib.grading.probe import MAX_SIZE, project
from course_lib.grading.submission import (
    ChannelClosed,
    ChannelTimeout,
    Submission,
    describe,
    function_call,
    output_message,
)
from course_lib.platform.errors import Json
from tests.answers.ways import Way, every_way, names_of, over_a_pipe, warm_pipe

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="there is no such call on Windows")
LINUX = pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc")
SOON = 120.0  # seconds: what comes at once comes by then on any machine; for ever is longer


def task_of(check: Callable[[Submission], Iterator[Finding]]) -> Task:
    return Task("99.1", "A task of the tests", 1, 3, 1, (), check)


# The pipe


class Line:
    """A PipeEnd, and the bytes at the other end of its wire."""

    def __init__(self, answer: Callable[[Json], Json] | None = None) -> None:
        ours, self.theirs = socket.socketpair()
        self.end = PipeEnd(ours, answer or (lambda question: {"you asked": question}))
        self._ours, self._lines = ours, self.theirs.makefile("rb")

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *_: object) -> None:
        self._ours.close()  # first, so that a thread that reads is let go
        self._lines.close()
        self.theirs.close()

    def send(self, *lines: bytes) -> None:
        self.theirs.sendall(b"".join(line + b"\n" for line in lines))

    def read(self) -> Json:
        frame: Json = json.loads(self._lines.readline())
        return frame

    def serve(self, answer: Callable[[Json], Json]) -> None:
        """Answer each question in a thread, like an honest other end."""

        def loop() -> None:
            with suppress(OSError, ValueError):  # the line is taken down
                while True:
                    self.send(json.dumps({"reply": answer(self.read()["ask"])}).encode())

        threading.Thread(target=loop, daemon=True).start()


@pytest.fixture
def line() -> Iterator[Line]:
    with Line() as opened:
        yield opened


def test_a_question_is_answered(line: Line) -> None:
    line.serve(lambda question: {"twice": question["number"] * 2})
    assert [line.end.ask({"number": n}, SOON)["twice"] for n in range(3)] == [0, 2, 4]


def test_a_question_is_answered_while_another_is_open(line: Line) -> None:
    line.send(b'{"ask": {"what": "a stub"}}', b'{"reply": {"done": true}}')
    assert line.end.ask({"n": 1}, SOON) == {"done": True}
    assert [line.read(), line.read()] == [
        {"ask": {"n": 1}},
        {"reply": {"you asked": {"what": "a stub"}}},
    ]


def test_a_frame_may_come_in_pieces(line: Line) -> None:
    def in_pieces(question: Json) -> Json:
        for piece in (b'{"ask": {"wh', b'at": "a stub"}}\n{"rep', b'ly": {"done"'):
            line.theirs.sendall(piece)
            time.sleep(0.01)
        line.theirs.sendall(b": true}}\n")
        raise ValueError  # that was all

    line.serve(in_pieces)
    assert line.end.ask({}, SOON) == {"done": True}


def test_asking_back_does_not_win_time(line: Line) -> None:
    def ask_back() -> None:
        with suppress(OSError, ValueError):  # the line is taken down while it still asks
            while True:
                line.send(b'{"ask": {}}')
                line.read()

    threading.Thread(target=ask_back, daemon=True).start()
    with pytest.raises(ChannelTimeout):
        line.end.ask({}, 0.2)


def test_a_frame_that_drips_does_not_win_time(line: Line) -> None:
    def drip() -> None:
        with suppress(OSError):
            while True:
                line.theirs.sendall(b" ")
                time.sleep(0.01)

    threading.Thread(target=drip, daemon=True).start()
    with pytest.raises(ChannelTimeout):
        line.end.ask({}, 0.2)


def test_an_end_that_does_not_read_holds_nobody_up() -> None:
    with Line(lambda question: {"long": "x" * 500_000}) as deaf:
        deaf.send(b'{"ask": {}}', b'{"ask": {}}')  # the answers fill the wire
        with pytest.raises(ChannelTimeout):
            deaf.end.ask({"long": "x" * 500_000}, 0.2)


def test_after_a_timeout_a_late_answer_is_taken_for_nothing(line: Line) -> None:
    with pytest.raises(ChannelTimeout):
        line.end.ask({"question": 1}, 0.01)
    line.send(b'{"reply": {"to": 1}}')
    with pytest.raises(ChannelClosed):
        line.end.ask({"question": 2}, SOON)


def test_an_end_that_is_gone_stays_gone(line: Line) -> None:
    line.theirs.shutdown(socket.SHUT_RDWR)
    for _ in range(2):
        with pytest.raises(ChannelClosed):
            line.end.ask({}, SOON)


ILL_FORMED = {
    "no_json": b"give me 10 points",
    "not_utf_8": b'{"reply": "\xff"}',
    "no_object": b'["reply"]',
    "no_kind": b"{}",
    "a_text_as_reply": b'{"reply": "passed"}',
    "a_number_too_long": b'{"reply": {"value": ' + b"9" * 5000 + b"}}",
    "nested_without_end": b"[" * 100_000,
    "a_reply_and_half_of_another": b'{"reply": {}} {"reply"',
    "empty": b"",
}


@pytest.mark.parametrize("sent", ILL_FORMED.values(), ids=list(ILL_FORMED))
def test_an_ill_formed_frame_ends_the_conversation(sent: bytes, line: Line) -> None:
    line.send(sent)
    for _ in range(2):
        with pytest.raises(ChannelClosed):
            line.end.ask({}, SOON)


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_no_bytes_do_worse_than_end_the_conversation(sent: bytes) -> None:
    with Line() as line:
        line.send(sent)
        line.theirs.shutdown(socket.SHUT_WR)
        with suppress(ChannelClosed):
            line.end.ask({}, SOON)


def test_a_frame_too_large_ends_the_conversation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(piped, "MAX_FRAME", 1000)
    with Line() as line:
        line.send(json.dumps({"reply": {"value": "x" * 2000}}).encode()[:-1])
        with pytest.raises(ChannelClosed):
            line.end.ask({}, SOON)


def test_a_flood_ends_the_conversation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(piped, "MAX_CONVERSATION", 10_000)
    asked: list[Json] = []

    def answer(question: Json) -> Json:
        asked.append(question)
        return {}

    with Line(answer) as line:
        line.send(*[b'{"ask": {"n": "0123456789"}}'] * 1000)
        with pytest.raises(ChannelClosed):
            line.end.ask({}, SOON)
    assert len(asked) < 500


# What the checking side makes of hostile messages

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
WORDS = st.sampled_from(
    "do to args kwargs name client request method path query body value missing "
    "unwritten error type message where $type $repr $stub $client ellipsis".split()
)
NEAR_MISSES = st.recursive(
    JSON_VALUES | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=8,
)
MESSAGES = st.dictionaries(WORDS, NEAR_MISSES, max_size=5)


@given(MESSAGES)
@settings(max_examples=30, deadline=None)
def test_any_reply_leads_to_a_result(reply: Json) -> None:
    for task in TASKS.values():
        submission = Submission(lambda question: reply)
        result = run_check(task, submission)
        assert result.state is not State.PASSED
        assert all(finding.came_back.isprintable() for finding in result.findings)


@given(MESSAGES)
@settings(max_examples=100, deadline=None)
def test_any_question_is_answered_or_refused(question: Json) -> None:
    submission = Submission(lambda question: {})
    submission.stub("stub")
    submission.client()
    with suppress(ChannelClosed):
        assert isinstance(submission.answer(question), dict)


SENT = ["POST", "/v1/responses", {}, "application/json", "{}"]


@pytest.mark.parametrize(
    "question",
    [
        {"to": 2, "args": SENT, "kwargs": {}},
        {"to": -1, "args": SENT, "kwargs": {}},
        {"to": 1, "args": [], "kwargs": {}},
        {"to": 1, "args": {}, "kwargs": {}},
        {"do": "verdict", "points": 10},
    ],
    ids=str,
)
def test_a_question_that_no_probe_asks_is_refused(question: Json) -> None:
    submission = Submission(lambda question: {})
    submission.stub("stub")
    submission.client()
    sent = submission.answer({"to": 1, "args": SENT, "kwargs": {}})
    assert sent["returns"]["status"] == 400
    with pytest.raises(ChannelClosed):
        submission.answer(question)


def test_a_deep_reply_is_described() -> None:
    deep: Any = []
    for _ in range(50_000):
        deep = [deep]
    assert describe(deep) == "nested too deeply (a list)"
    submission = Submission(lambda question: {"value": deep})
    result = run_check(TASKS["00.1"], submission)
    assert result.findings[0].came_back == "nested too deeply (a list)"


# Values and behaviours that are odd but honest


@given(JSON_VALUES)
@settings(max_examples=200, deadline=None)
def test_data_crosses_as_it_is(value: Any) -> None:
    assert json.dumps(project(value)) == json.dumps(value)


ODD = """
import collections, dataclasses, enum, threading
from unittest.mock import Mock
import numpy as np
import pydantic

class Colour(str, enum.Enum):
    RED = "red"

class Level(enum.IntEnum):
    HIGH = 3

class Shy:
    def __repr__(self):
        raise RuntimeError("no repr")

class Plain:
    pass

class Loud(str):
    def __str__(self):
        return "another text"

class Article(pydantic.BaseModel):
    sku: str
    units: int = 3

@dataclasses.dataclass
class Order:
    number: str
    lock: object

def deep():
    value = []
    for _ in range(100_000):
        value = [value]
    return value

def shared():
    value = "x"
    for _ in range(40):
        value = [value, value]
    return value

def endless():
    value = {}
    value["itself"] = value
    return value
"""
# What a function returns, and how a report shows it.
VALUES = {
    "{'b', 'a', 'c'}": "{'a', 'b', 'c'} (a set)",
    "frozenset([frozenset(['z', 'y'])])": "{{'y', 'z'}} (a frozenset)",
    "set()": "set() (a set)",
    "Shy()": "<its repr raised RuntimeError> (a Shy)",
    "Plain()": "<__main__.Plain object> (a Plain)",
    "Plain": "<class '__main__.Plain'> (a type)",
    "float('nan')": "nan (a float)",
    "float('-inf')": "-inf (a float)",
    "b'\\x00'": "b'\\x00' (a bytes)",
    "2 + 1j": "(2+1j) (a complex)",
    "...": "... (still to be filled in)",
    "[{1}, ..., {'a': 2j}]": "[{1}, ..., {'a': 2j}] (a list)",
    "(1, 2)": "[1, 2] (a list)",
    "{1: 'a', None: 'b', True: 'd'}": "{'1': 'd', 'null': 'b'} (a dict)",
    "{'a': {(1, 2): 'c'}}": "{'a': {(1, 2): 'c'}} (a dict)",
    "{Colour.RED: Level.HIGH}": "{'red': 3} (a dict)",
    "Colour.RED": "'red' (a string)",
    "Loud('text')": "'text' (a string)",
    "np.float32(0.5)": "0.5 (a float)",
    "np.arange(3)": "[0, 1, 2] (a list)",
    "np.bool_(True)": "True (a bool)",
    "Article(sku='TR-40')": "{'sku': 'TR-40', 'units': 3} (a dict)",
    "Article": "<class '__main__.Article'> (a ModelMetaclass)",
    "Order('A-104', [])": "{'number': 'A-104', 'lock': []} (a dict)",
    "Order('A-104', Shy())['number']": "your code raised TypeError: 'Order' object is not",
    "Order": "<class '__main__.Order'> (a type)",
    "collections.OrderedDict(a=1)": "{'a': 1} (a dict)",
    "(n for n in [1])": "<generator object",
    "endless": "<function endless> (a function)",
    "endless()": "{'itself': {...}} (a dict)",
    "deep()": "nested too deeply (a list)",
    "shared()": f"more than {MAX_SIZE:,} characters of data (a list)",
    "'x' * 10_000_000": f"more than {MAX_SIZE:,} characters of data (a string)",
    "['x'] * 10_000_000": f"more than {MAX_SIZE:,} characters of data (a list)",
    "10 ** 5000": "<its repr raised ValueError> (an integer)",
    "chr(0xD800)": "'\\ud800' (a string)",
    "'two\\nlines'": "'two\\nlines' (a string)",
    "{'$type': 1, '$repr': 'x'}": "{'$type': 1, '$repr': 'x'} (a dict)",
    "{'$client': 0}": "{'$client': 0} (a dict)",
    "{'$repr': 'x'}": "{'$repr': 'x'} (a dict)",
    "Mock().anything": "<Mock name='mock.anything'> (a Mock)",
}


@pytest.fixture(scope="module")
def pipe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Way]:
    with warm_pipe(tmp_path_factory.mktemp("pipe")) as way:
        yield way


def test_odd_values_are_described_alike_everywhere(pipe: Way) -> None:
    functions = [f"def odd_{n}(): return {value}" for n, value in enumerate(VALUES)]

    def check(submission: Submission) -> Iterator[Finding]:
        for number, value in enumerate(VALUES):
            yield expect(value, submission.call(f"odd_{number}")).equals("nothing like it")

    result = every_way(task_of(check), "\n".join([ODD, *functions]), pipe)
    came_back = {finding.label: finding.came_back for finding in result.findings}
    assert {
        value: came_back[value][: len(shown)] if not shown.endswith(")") else came_back[value]
        for value, shown in VALUES.items()
    } == VALUES


def test_a_lock_in_a_dataclass_is_no_obstacle() -> None:
    names = names_of(ODD + "order = Order('A-104', threading.Lock())")
    assert project(names["order"])["number"] == "A-104"


RAISES = {
    "sys.exit(3)": "SystemExit: 3",
    "exit_quietly()": "SystemExit (line 12: raise SystemExit)",
    "stop()": "KeyboardInterrupt (line 9: raise KeyboardInterrupt)",
    "recur()": "RecursionError: maximum recursion depth exceeded",
    "fail(GeneratorExit())": "GeneratorExit",
    "fail(Base('mine'))": "Base: mine",
    "fail(Mute())": "Mute: <its str raised SystemExit>",
    "fail(ValueError('two\\nlines \\x1b[31m'))": "ValueError: two lines  [31m (line 4",
    "fail(ValueError('\\ud800'))": "ValueError",
    "fail(ExceptionGroup('both', [ValueError(1)]))": "ExceptionGroup: both (1 sub-exception)",
    "fail(NotImplementedError('later'))": "NotImplementedError: later",
    "input('your name? ')": "EOFError: a check has no keyboard",
    "fail": "<function fail> (a function)",
    "missing_name": "NameError: name 'missing_name' is not defined",
    "asyncio.sleep(0, result=later())": "RuntimeError: in a coroutine",
}
RAISING = """import asyncio, sys

def fail(error):
    raise error

class Base(BaseException): pass

def stop():
    raise KeyboardInterrupt

def exit_quietly():
    raise SystemExit

def recur():
    return recur()

class Mute(Exception):
    def __str__(self): raise SystemExit
    def __repr__(self): raise SystemExit

def later():
    raise RuntimeError("in a coroutine")
"""


def test_whatever_is_raised_is_told(pipe: Way) -> None:
    functions = [f"def odd_{n}(): return {each}" for n, each in enumerate(RAISES)]

    def check(submission: Submission) -> Iterator[Finding]:
        for number, each in enumerate(RAISES):
            yield expect(each, submission.call(f"odd_{number}")).equals("nothing like it")

    result = every_way(task_of(check), "\n".join([RAISING, *functions]), pipe)
    for finding in result.findings:
        assert RAISES[finding.label] in finding.came_back
        assert finding.came_back.isprintable()


BUSY = """
import sys, threading
from concurrent.futures import ThreadPoolExecutor
from course_lib import MODEL

def shout():
    print("x" * 10_000_000)
    print("y" * 10_000_000, file=sys.stderr)
    return "done"

def change(order, lookup):
    order["lines"].append("mine")
    found = lookup("A-104")
    found["date"] = "changed"
    return order

def ask_at_once(client):
    def ask(number):
        question = f"question {number}"
        return client.responses.create(model=MODEL, input=question).output_text

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(ask, range(24)))

def leave_a_thread_behind(client):
    def go_on():
        for number in range(30):
            client.responses.create(model=MODEL, input=f"late {number}")

    threading.Thread(target=go_on).start()
    return "done"

def types(call, message):
    return [
        type(call).__name__, call.name, call.arguments,
        type(message).__name__, message.content[0].annotations[0].filename,
    ]

def upload(client):
    given = ("ö.bin", bytes(range(256)) + b"\\r\\n--x")
    return client.files.create(file=given, purpose="assistants").filename

def rescue(lookup):
    try:
        lookup(order="Z-9")
    except KeyError as error:
        return f"KeyError {error}"
    except Exception as error:
        return type(error).__name__

def collect(*args, **kwargs):
    return [args, kwargs]
"""


def test_prints_do_not_cost_points(pipe: Way, capsys: pytest.CaptureFixture[str]) -> None:
    def check(submission: Submission) -> Iterator[Finding]:
        yield expect("it is done", submission.call("shout")).equals("done")

    assert every_way(task_of(check), BUSY, pipe).state is State.PASSED


def test_the_checks_own_data_cannot_be_changed(pipe: Way) -> None:
    def check(submission: Submission) -> Iterator[Finding]:
        order: Json = {"lines": []}
        lookup = submission.stub("lookup", returns={"date": "2026-07-13"})
        changed = submission.call("change", order, lookup)
        yield expect("a copy is changed", changed).equals({"lines": ["mine"]})
        yield expect("the order is not", changed.through(lambda _: order)).equals({"lines": []})
        returned = changed.through(lambda _: lookup.returns)
        yield expect("nor what the stub returns", returned).equals({"date": "2026-07-13"})
        calls = changed.through(lambda _: lookup.calls)
        yield expect("the call is recorded", calls).equals([{"0": "A-104"}])

    assert every_way(task_of(check), BUSY, pipe).state is State.PASSED


def test_threads_may_ask_the_api_at_once(pipe: Way) -> None:
    def check(submission: Submission) -> Iterator[Finding]:
        client = submission.client()
        asked = submission.call("ask_at_once", client)
        yield expect("all are answered", asked).that(lambda texts: len(texts) == 24, "24 texts")
        sent = asked.through(lambda _: sorted({e.body["input"] for e in client.exchanges}))
        yield expect("all arrive", sent).that(lambda inputs: len(inputs) == 24, "24 requests")

    assert every_way(task_of(check), BUSY, pipe).state is State.PASSED


def test_a_thread_left_behind_does_not_disturb_the_next_question(pipe: Way) -> None:
    def check(submission: Submission) -> Iterator[Finding]:
        client = submission.client()
        left = submission.call("leave_a_thread_behind", client)
        yield expect("it is done", left).equals("done")
        for number in range(20):
            collected = submission.call("collect", number)
            yield expect("it collects", collected).equals([[number], {}])

    assert every_way(task_of(check), BUSY, pipe).state is State.PASSED


@pytest.mark.parametrize(
    ("raises", "told"),
    [
        (KeyError("Z-9"), "KeyError 'Z-9'"),
        (KeyError(), "KeyError ''"),
        (type("TheirError", (Exception,), {})("Z-9"), "RuntimeError"),
    ],
    ids=str,
)
def test_a_stub_can_fail(raises: Exception, told: str, pipe: Way) -> None:
    def check(submission: Submission) -> Iterator[Finding]:
        lookup = submission.stub("lookup", raises=raises)
        yield expect("it is rescued", submission.call("rescue", lookup)).equals(told)

    assert every_way(task_of(check), BUSY, pipe).state is State.PASSED


def test_an_item_crosses_as_the_type_of_the_sdk(pipe: Way) -> None:
    def check(submission: Submission) -> Iterator[Finding]:
        call = function_call("get_order", "call_7", order_id="A-104")
        cites = {"type": "file_citation", "index": 3, "file_id": "file-1", "filename": "a.md"}
        message = output_message("Yes.", [cites], "of a.md")
        told = ["ResponseFunctionToolCall", "get_order", '{"order_id": "A-104"}']
        told += ["ResponseOutputMessage", "a.md"]
        yield expect("each is one", submission.call("types", call, message)).equals(told)

    assert every_way(task_of(check), BUSY, pipe).state is State.PASSED


def test_an_upload_crosses_to_the_byte(pipe: Way) -> None:
    def check(submission: Submission) -> Iterator[Finding]:
        client = submission.client()
        uploaded = submission.call("upload", client)
        yield expect("it has its name", uploaded).equals("ö.bin")
        kept = uploaded.through(lambda _: [f.content for f in client.platform.state.files.values()])
        whole = [bytes(range(256)) + b"\r\n--x"]
        yield expect("and its bytes", kept).that(lambda found: found == whole, "all of them")

    assert every_way(task_of(check), BUSY, pipe).state is State.PASSED


# In the notebook itself


SLEEPING = "import time\ndef is_late(promised, today):\n    time.sleep(1000)"


@POSIX
def test_the_stop_button_stops_a_check() -> None:
    before = signal.getsignal(signal.SIGINT)
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        run_check(TASKS["00.1"], direct_submission(names_of(SLEEPING)))
    assert signal.getsignal(signal.SIGINT) is before


def test_a_check_leaves_the_keyboard_and_the_signals_as_they_were() -> None:
    before = builtins.input, sys.stdin, signal.getsignal(signal.SIGINT)
    source = "def is_late(promised, today): return input()"
    run_check(TASKS["00.1"], direct_submission(names_of(source), 0.2))
    run_check(TASKS["00.1"], direct_submission(names_of(SLEEPING), 0.05))
    assert (builtins.input, sys.stdin, signal.getsignal(signal.SIGINT)) == before


def test_time_that_is_up_as_the_answer_comes_is_one_or_the_other() -> None:
    names = names_of("import time\ndef is_late(promised, today):\n    time.sleep(0.003)")
    states = set()
    for microseconds in range(2000, 5000, 50):
        submission = direct_submission(names, microseconds / 1_000_000)
        states.add(run_check(TASKS["00.1"], submission).state)
    assert states <= {State.TIMED_OUT, State.FAILED}


def test_a_check_works_outside_the_main_thread() -> None:
    results: list[Result] = []
    names = names_of("def is_late(promised, today): return promised < today")
    thread = threading.Thread(
        target=lambda: results.append(run_check(TASKS["00.1"], direct_submission(names)))
    )
    thread.start()
    thread.join(SOON)
    assert results[0].state is State.PASSED


def test_a_coroutine_is_checked_inside_a_running_loop() -> None:
    names = names_of("async def is_late(promised, today): return promised < today")

    async def cell() -> Result:
        return run_check(TASKS["00.1"], direct_submission(names))

    assert asyncio.run(cell()).state is State.PASSED


# In a process that works against the check

IS_WRONG = "\ndef is_late(promised, today):\n    return None\n"


def run_piped(source: str, folder: Path, seconds: float = SOON) -> Result:
    begun = time.monotonic()
    result = over_a_pipe(TASKS["00.1"], source, folder, seconds)
    assert time.monotonic() - begun < SOON  # and not as long as what it left behind
    return result


HOSTILE = {
    "it_patches_the_builtins": """
import builtins, json, operator
builtins.isinstance = lambda *_: True
builtins.bool = lambda *_: True
builtins.all = lambda *_: True
json.dumps = lambda *_, **__: '{"reply": {"value": true, "passed": true, "points": 10}}'
""",
    "it_patches_the_course": """
import course_lib, course_lib.grading.probe as probe
course_lib.check = lambda task_id: "passed"
probe.project = lambda value: True
probe.Probe.answer = lambda self, question: {"value": True, "state": "passed", "points": 1}
""",
    "it_imports_the_checks_and_patches_them": """
import course_lib.checks.task as task
task.run_check = lambda *_: "passed"
task.Result.points = 100
task.TASKS.clear()
""",
    "it_writes_verdicts_on_every_descriptor": """
import json, os
for descriptor in range(3, 64):
    for frame in ({"reply": {"value": True, "passed": True}}, {"points": 10}):
        try:
            os.write(descriptor, json.dumps(frame).encode() + b"\\n")
        except OSError:
            pass
""",
    "it_answers_itself_in_a_thread": """
import os, threading, time
def forge():
    while True:
        for descriptor in range(3, 64):
            try:
                os.write(descriptor, b'{"reply": {"value": true}}\\n')
            except OSError:
                pass
threading.Thread(target=forge, daemon=True).start()
""",
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=list(HOSTILE))
def test_nothing_in_the_process_changes_the_verdict(source: str, tmp_path: Path) -> None:
    notebook = NotebookFile(tmp_path / "answer.ipynb", [IS_WRONG + source], ["00.1"])
    with piped_submission(notebook, task_seconds=2.0) as (submission, _):
        result = run_check(TASKS["00.1"], submission)
    assert result.state in (State.FAILED, State.CRASHED, State.TIMED_OUT)
    assert result.points == 0
    assert len(result.findings) + result.unjudged == 3


ENDS = {
    "os._exit": "os._exit(0)",
    "a_signal": "os.kill(os.getpid(), 9)",
    "closed_descriptors": "os.closerange(0, 256)",
    "an_abort": "os.abort()",
}


@pytest.mark.parametrize("statement", ENDS.values(), ids=list(ENDS))
def test_a_process_that_dies_is_a_crash(statement: str, tmp_path: Path) -> None:
    source = f"import os\ndef is_late(promised, today):\n    {statement}"
    result = run_piped(source, tmp_path)
    assert result.state is State.CRASHED
    assert result.note.startswith("The process that ran your code ended in is_late('2026-07-13'")
    assert (result.expectations, result.points) == (3, 0)


@POSIX
def test_a_process_that_stops_itself_is_timed_out(tmp_path: Path) -> None:
    stop = "os.kill(os.getpid(), signal.SIGSTOP)"
    source = f"import os, signal\ndef is_late(promised, today):\n    {stop}"
    assert run_piped(source, tmp_path, seconds=0.5).state is State.TIMED_OUT


@POSIX
def test_a_process_that_leaves_another_behind_holds_nobody_up(tmp_path: Path) -> None:
    source = """
import os, time
def is_late(promised, today):
    if os.fork() == 0:
        os.setsid()
        time.sleep(200)
        os._exit(0)
    return promised < today
"""
    assert run_piped(source, tmp_path).state is State.PASSED


@LINUX
def test_what_a_process_started_ends_with_it(tmp_path: Path) -> None:
    cell = (
        "import pathlib, subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(300)'])\n"
        "pathlib.Path('pid').write_text(str(child.pid))"
    )
    with piped_submission(NotebookFile(tmp_path / "answer.ipynb", [cell], [])) as (_, troubles):
        assert troubles == []
        pid = int((tmp_path / "pid").read_text())
        assert is_running(pid)
    wait_for(lambda: not is_running(pid))


def test_a_flood_of_questions_holds_nobody_up(tmp_path: Path) -> None:
    source = """
import os, threading
def is_late(promised, today):
    frame = b'{"ask": {"to": 0, "args": [], "kwargs": {}}}\\n' * 1000
    while True:
        for descriptor in range(3, 64):
            try:
                os.write(descriptor, frame)
            except OSError:
                pass
"""
    assert run_piped(source, tmp_path, seconds=1.0).state in (State.CRASHED, State.TIMED_OUT)


@LINUX
def test_the_process_ends_with_the_one_that_checks(tmp_path: Path) -> None:
    cell = "import os, pathlib; pathlib.Path('pid').write_text(str(os.getpid()))"
    notebook = NotebookFile(tmp_path / "answer.ipynb", [cell, "while True: pass"], [])
    program = (
        "import sys, pathlib\n"
        "from course_lib.grading.piped import piped_submission\n"
        "from course_lib.grading.notebooks import NotebookFile\n"
        f"cells = {notebook.cells!r}\n"
        "with piped_submission(NotebookFile(pathlib.Path('a.ipynb'), cells, [])):\n    pass\n"
    )
    checking = subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path)
    wait_for(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text() != "")
    pid = int((tmp_path / "pid").read_text())
    assert is_running(pid)
    checking.kill()  # it gets no chance to clean up
    checking.wait()
    wait_for(lambda: not is_running(pid))


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SOON
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rsplit(")", 1)[1].split()[0] != "Z"


def test_the_process_has_no_checks_no_key_and_no_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "COURSE_LIVE", "COURSE_MODEL"):
        monkeypatch.setenv(name, "secret")
    (tmp_path / "json.py").write_text("raise SystemError('a file of the folder is imported')")
    (tmp_path / "helper.py").write_text("value = 7")
    source = """
import os, sys
from course_lib import MODEL, check, hint
import helper

def seen(): return sorted(name for name in sys.modules if name.startswith("course_lib"))
def secrets(): return [name for name, value in os.environ.items() if value == "secret"]
def model(): return MODEL
def folder(): return [os.getcwd(), helper.value]
def silent(): return [check("00.1"), hint("00.1")]
def stdin(): return os.read(0, 10).decode()
"""

    def look(submission: Submission) -> Iterator[Finding]:
        for name in ("seen", "secrets", "model", "folder", "silent", "stdin"):
            seen[name] = submission.call(name).value
        yield Finding("looked", True)

    seen: dict[str, Any] = {}
    over_a_pipe(task_of(look), source, tmp_path)
    modules = seen.pop("seen")
    assert "course_lib.grading.probe" in modules
    assert [name for name in modules if name.startswith("course_lib.checks")] == []
    assert "course_lib.grading.submission" not in modules
    assert seen == {
        "secrets": [],
        "model": "gpt-5.6",
        "folder": [os.path.realpath(tmp_path), 7],
        "silent": [None, None],
        "stdin": "",
    }


def test_cells_run_as_in_a_notebook(tmp_path: Path) -> None:
    cells = [
        "import asyncio\nlimit = await asyncio.sleep(0, result='2026-07-14')",
        "%time waited = 1",
        "!echo hello",
        "%%capture shown\nprint('not lost')",
        "def is_late(promised, today):\n    assert shown.stdout == 'not lost\\n' and limit\n"
        "    return promised < today",
        "input()",
    ]
    notebook = NotebookFile(tmp_path / "answer.ipynb", cells, ["00.1"])
    with piped_submission(notebook) as (submission, troubles):
        assert run_check(TASKS["00.1"], submission).state is State.PASSED
    assert len(troubles) == 1
    assert troubles[0].startswith("Code cell 6 raised EOFError")


def test_nan_is_not_equal_to_itself_here_either() -> None:
    assert math.isnan(project(float("nan")))
