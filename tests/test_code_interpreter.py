"""The code interpreter: real Python, its container, and all that it must refuse (contract D)."""

import base64
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from openai import OpenAI

from course_lib import connect
from course_lib.platform import child, container_run, containers
from course_lib.platform.app import Platform
from course_lib.platform.container_run import Ended
from course_lib.platform.http import Request
from course_lib.platform.state import State
from course_lib.standin import Scripted, call, known, message
from course_lib.transport import OFFLINE, OfflineTransport
from tests.rejections import answer
from tests.test_hosted import Watched, events, kinds

Json = dict[str, Any]
OUTPUTS = ["code_interpreter_call.outputs"]
DOT = """
import base64
with open("/mnt/data/dot.png", "wb") as file:
    file.write(base64.b64decode("iVBORw0KGgo="))
"""


def tool(container: Any = None) -> Json:
    return {"type": "code_interpreter", "container": container or {"type": "auto"}}


def asked(platform: Platform, **fields: Any) -> Json:
    body = {"model": "gpt-5.4", "input": "ping", "tools": [tool()], "include": OUTPUTS}
    return answer(platform, body | fields)


def running(*codes: str) -> Platform:
    """A platform whose model runs each of these, one a request, and then says a word."""
    turns: list[Json] = []
    for code in codes:
        turns += [call("code_interpreter", {"code": code}), message("Done.")]
    return Platform(model=Scripted(list(turns)))


def logs(response: Json) -> str:
    (item,) = (each for each in response["output"] if each["type"] == "code_interpreter_call")
    return "".join(output.get("logs", "") for output in item["outputs"])


# --- What it does


def test_code_is_run_and_its_output_is_shown_on_request() -> None:
    platform = running("print(6 * 7)\n'and a value'", "print(1)")
    item = asked(platform)["output"][0]
    assert item["outputs"] == [{"type": "logs", "logs": "42\n'and a value'\n"}]
    assert (item["status"], item["code"]) == ("completed", "print(6 * 7)\n'and a value'")
    assert asked(platform, include=[])["output"][0]["outputs"] is None


def test_the_model_reads_the_output_whether_it_is_shown_or_not() -> None:
    model = Watched(call("code_interpreter", {"code": "print(6 * 7)"}), message("42"))
    asked(Platform(model=model), include=[])
    assert '"logs":"42\\n"' in model.prompts[1].items[-1]["output"]


def test_code_that_fails_tells_where_and_names_no_place_of_this_machine() -> None:
    response = asked(running("def f():\n    return 1 / 0\nf()"))
    assert response["output"][0]["status"] == "completed"
    assert logs(response) == (
        "Traceback (most recent call last):\n"
        '  File "<code>", line 3, in <module>\n'
        '  File "<code>", line 2, in f\n'
        "ZeroDivisionError: division by zero\n"
    )
    assert logs(asked(running("import os\nprint(os.getcwd())"))) == "/mnt/data\n"


def test_a_picture_is_an_image_output_and_a_linked_file_is_cited() -> None:
    said = "Here it is: [dot.png](sandbox:/mnt/data/dot.png)."
    platform = Platform(model=Scripted([call("code_interpreter", {"code": DOT}), message(said)]))
    ran, spoken = asked(platform)["output"]
    assert ran["outputs"] == [{"type": "image", "url": "data:image/png;base64,iVBORw0KGgo="}]
    (cited,) = spoken["content"][0]["annotations"]
    assert said[cited["start_index"] : cited["end_index"]] == "sandbox:/mnt/data/dot.png"
    assert cited["container_id"] == ran["container_id"]
    assert (cited["type"], cited["filename"]) == ("container_file_citation", "dot.png")
    stored = platform.state.containers[ran["container_id"]].files["dot.png"]
    assert (stored.body["id"], stored.content) == (
        cited["file_id"],
        base64.b64decode("iVBORw0KGgo="),
    )


def test_files_and_plain_values_last_from_turn_to_turn() -> None:
    codes = (
        "x = [1]\nopen('a.txt', 'w').write('hi')",
        "print(x, open('/mnt/data/a.txt').read())",
    )
    platform = running(*codes)
    first = asked(platform)
    second = asked(platform, previous_response_id=first["id"])
    assert logs(second) == "[1] hi\n"
    assert first["output"][0]["container_id"] == second["output"][0]["container_id"]


def test_another_conversation_has_another_container() -> None:
    platform = running("open('a.txt', 'w').write('hi')", "import os\nprint(os.listdir())")
    first, second = asked(platform), asked(platform)
    assert first["output"][0]["container_id"] != second["output"][0]["container_id"]
    assert logs(second) == "[]\n"


def test_a_container_is_named_or_expires_after_twenty_idle_minutes() -> None:
    platform = running("x = 1", "print(x)", "print('x' in globals())")
    named = asked(platform)["output"][0]["container_id"]
    assert logs(asked(platform, tools=[tool(named)])) == "1\n"
    replayed = {"type": "code_interpreter_call", "id": "ci_9", "container_id": named, "code": ""}
    platform.state.now += 20 * 60 + 1
    late = asked(platform, input=[replayed, {"role": "user", "content": "again"}])
    assert logs(late) == "False\n"
    assert late["output"][0]["container_id"] != named


def test_the_stream_tells_the_code_piece_by_piece() -> None:
    told = events(running("print(1)"), tools=[tool()])
    names = [event["type"].removeprefix("response.code_interpreter_call") for event in told]
    kept = [name for name in dict.fromkeys(names) if not name.startswith("response.")]
    assert kept == [".in_progress", "_code.delta", "_code.done", ".interpreting", ".completed"]
    assert (told[2]["item"]["code"], told[2]["item"]["status"]) == ("", "in_progress")
    assert "".join(e["delta"] for e in told if e["type"].endswith("_code.delta")) == "print(1)"


@pytest.mark.parametrize(
    ("request_", "result"),
    [
        ("What is 15% of 240?", "The result is 36.0."),
        ("What is 3 * (4 + 5) ^ 2?", "The result is 243."),
        ("Compute the mean of 4, 8 and 1,200.", "The result is mean: 404.0."),
        ("What is the median of 5, 1 and 3?", "The result is median: 3."),
        ("Sort 5, 3, 9 and 1.", "The result is sorted: [1, 3, 5, 9]."),
        (
            "A loan of 1000 grows by 10% a year for 2 years.",
            "The code printed:\n\n1 1100.0\n2 1210.0",
        ),
        ("Make a table of y = x^2 for x from 1 to 3.", "The code printed:\n\n1 1\n2 4\n3 9"),
    ],
)
def test_the_stand_in_writes_arithmetic_and_little_tables(request_: str, result: str) -> None:
    response = asked(Platform(), input=request_)
    assert kinds(response) == ["code_interpreter_call", "message"]
    assert response["output"][1]["content"][0]["text"] == result


def test_what_it_cannot_compute_it_does_not_try() -> None:
    for said in (
        "Translate this sentence into Greek.",
        "Order A-104 was due on 2026-07-13. Sort out what went wrong, and total up the cost.",
        "Which shops have 24/7 support?",
        "Call me at 555-1234 about orders 1, 2 and 3.",
    ):
        assert known.python(said) is None, said
    assert kinds(asked(Platform(), input="Tell me a joke.")) == ["message"]


# --- What it must refuse. Each is a failed call or a traceback, and the platform goes on.

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other names for it")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's part is Linux's")
HERE = f"'/' + {__file__[1:]!r}"  # so that it is not taken for the container's own /tmp
CHANGES = [
    f"{name}({HERE}{more})"
    for name, more in {"truncate": ", 0", "chmod": ", 0", "utime": "", "chown": ", 1, 1"}.items()
]
PLAIN_C = "import ctypes\nc = ctypes.pythonapi\n"  # past everything that Python itself refuses


@dataclass
class Outcome:
    logs: str
    made: list[containers.ContainerFile]
    stopped: str
    exit_code: int | None


def run_in(state: State, container: containers.Container, code: str) -> Outcome:
    (ended,), made = container_run.run(state, container, "python", [code])
    assert ended.stderr == ""
    return Outcome(ended.stdout, made, ended.stopped, ended.exit_code)


def ran(code: str) -> Outcome:
    """Run in a container that works afterwards as it did before."""
    state = State()
    container = containers.make(state, "test", {})
    outcome = run_in(state, container, code)
    assert run_in(state, container, "print('still here')").logs == "still here\n"
    return outcome


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("while True: pass", "it ran for more than 1 seconds"),
        ("import time\ntime.sleep(60)", "it ran for more than 1 seconds"),
    ],
)
def test_what_does_not_end_is_stopped(code: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    platform = running(code, "print(1)")
    with monkeypatch.context() as patch:
        patch.setattr(container_run, "SECONDS", 1)
        failed = asked(platform)
    item = failed["output"][0]
    assert (item["status"], failed["status"]) == ("failed", "completed")
    assert why in platform.state.readings[item["id"]].text
    assert logs(asked(platform, previous_response_id=failed["id"])) == "1\n"


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("while True: print('x' * 100_000)", "it printed more than 262,144 bytes"),
        ("import os\nos._exit(3)", "the process ended before its code did"),
    ],
)
def test_what_ends_badly_is_told(code: str, why: str) -> None:
    platform = running(code)
    item = asked(platform)["output"][0]
    assert why in platform.state.readings[item["id"]].text
    assert item["status"] == "failed"


@LINUX
def test_files_that_fill_the_disk_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container_run, "MOST_LEFT", 10_000_000)
    code = (
        "import time\nfor i in range(9): open(str(i), 'wb').write(b'x' * 2_000_000)\ntime.sleep(9)"
    )
    outcome = ran(code)
    assert "its files take more than 10,000,000 bytes" in outcome.stopped
    assert outcome.made == []


@LINUX
def test_folders_that_fill_the_disk_are_stopped_and_do_not_stay() -> None:
    outcome = ran("import os\nfor number in range(10 ** 6): os.mkdir(str(number))")
    assert "its files take more than 67,108,864 bytes" in outcome.stopped


def test_when_the_server_ends_it_does_not_wait_for_what_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ending = threading.Event()
    ending.set()
    with monkeypatch.context() as patch:
        patch.setattr(child, "ENDING", ending)
        (ended,), _ = container_run.run(
            State(), containers.make(State(), "test", {}), "python", ["while True: pass"]
        )
    assert ended.stopped == "Stopped: the course is ending."


@POSIX
def test_what_sleeps_ends_when_nobody_is_left_to_stop_it(tmp_path: Path) -> None:
    for folder in ("data", "tmp"):
        (tmp_path / folder).mkdir()
    (tmp_path / "values").touch()
    given = (child.SCRIPT, "python", 1, container_run.MEMORY, tmp_path, tmp_path)
    command = [sys.executable, "-s", "-P", *map(str, given)]
    ended = subprocess.run(command, input=b"import time\ntime.sleep(60)", timeout=30)
    assert ended.returncode == -signal.SIGALRM


@LINUX
def test_memory_is_bounded() -> None:
    assert ran("bytearray(4 * 1024 ** 3)").logs.endswith("MemoryError\n")


@POSIX
@pytest.mark.parametrize(
    ("code", "refusal"),
    [
        ("open('/etc/passwd')", "/etc/passwd is outside the container."),
        (f"open({HERE})", "is outside the container."),
        ("import os\nos.listdir('/')", "/ is outside the container."),
        ("import os\nos.symlink('/etc/passwd', 'l')\nopen('l')", "l is outside the container."),
        ("import socket\nsocket.create_connection(('127.0.0.1', 9))", "is not available"),
        ("import os\nos.fork()", "os.fork is not available in the container."),
        ("import subprocess\nsubprocess.run(['ls'])", "subprocess.Popen is not available"),
        ("import os\nos.kill(os.getppid(), 9)", "os.kill is not available"),
        *(
            (f"import os\nos.{change}", f"{__file__} is outside the container.")
            for change in CHANGES
        ),
    ],
)
def test_what_leads_outside_is_refused_in_words(code: str, refusal: str) -> None:
    outcome = ran(code)
    assert refusal in outcome.logs.splitlines()[-1]
    assert outcome.logs.splitlines()[-1].startswith("PermissionError: ")


@LINUX
@pytest.mark.parametrize(
    "attempt",
    [
        "c.socket(2, 1, 0)",
        "c.fork()",
        "c.kill(1, 0)",
        "c.ptrace(16, c.getppid(), 0, 0)",
        "c.semget(1, 1, 0o1600)",
        "c.unshare(0x10000000)",
        "c.execv(b'/bin/ls', None)",
        "c.open(b'/etc/passwd', 0)",
        "c.open(b'/proc/self/environ', 0)",
        "c.open(b'/' + b'tmp/outside', 0o102, 0o600)",
    ],
)
def test_the_kernel_refuses_what_gets_past_python(attempt: str) -> None:
    assert ran(f"{PLAIN_C}print({attempt})").logs == "-1\n"


@LINUX
@pytest.mark.parametrize(
    "change", ["truncate({}, 0)", "chmod({}, 0)", "utimes({}, None)", "chown({}, 1, 1)"]
)
def test_no_file_of_the_machine_is_changed(change: str, tmp_path: Path) -> None:
    """Landlock lets these pass: whoever runs the course may do them to any file of their own."""
    theirs = tmp_path / "theirs.txt"
    theirs.write_text("keep me")
    os.utime(theirs, (1, 1))
    before = theirs.stat()
    ran(PLAIN_C + "c." + change.format(f"b'/' + {bytes(theirs)[1:]!r}"))
    assert theirs.stat() == before


@LINUX
@pytest.mark.parametrize("mode", ["0o1000", "0o1003", "0o1001", "0o1002"])
def test_no_file_that_may_be_read_is_emptied(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Landlock before its third version does not mind, and the packages are the learner's own."""
    theirs = tmp_path / "module.py"
    theirs.write_text("keep me")
    monkeypatch.setattr(container_run, "get_path", lambda name: str(tmp_path))
    path = f"b'/' + {bytes(theirs)[1:]!r}"
    opened = ran(f"{PLAIN_C}print(c.open({path}, 0) > 0, c.open({path}, {mode}))")
    assert (opened.logs, theirs.read_text()) == ("True -1\n", "keep me")


@LINUX
def test_no_file_may_signal_a_process() -> None:
    setown, setsig = 8, 10
    code = f"print(c.fcntl(0, {setown}, 1), c.syscall(72, 0, {setown}, 1), c.fcntl(0, {setsig}, 9))"
    assert ran(PLAIN_C + code).logs.startswith("-1 -1")


@LINUX
def test_its_own_folder_cannot_be_replaced_by_a_link() -> None:
    outcome = ran(
        f"{PLAIN_C}import os\nhere = os.getcwdb()\nc.rmdir(here)\nc.rename(here, here + b'2')\n"
        "print(c.symlink(b'/etc', here))"
    )
    assert (outcome.logs, outcome.made) == ("-1\n", [])


@POSIX
def test_a_folder_that_is_a_link_has_no_files(tmp_path: Path) -> None:
    (tmp_path / "data").symlink_to(Path(__file__).parent)
    assert list(container_run._below(tmp_path / "data")) == []


def test_files_are_copied_as_anywhere() -> None:
    code = "import shutil\nopen('a', 'w').close()\nshutil.copy('a', 'b')\nshutil.copy2('a', 'c')"
    assert [made.name for made in ran(code).made] == ["a", "b", "c"]


@POSIX
@pytest.mark.parametrize(
    "code",
    [
        # Folders so deep that no path leads there, one with a name that is no text
        "import os\nfor _ in range(50):\n"
        "  os.mkdir('d' * 99)\n  os.chdir('d' * 99)\n  open('f' * 250, 'w').close()",
        "import os\nos.mkdir(b'\\xff')\nopen(b'\\xff/a', 'w').close()",
        # Files that come and go while they are counted
        "import os, time\nuntil = time.monotonic() + 1\nwhile time.monotonic() < until:\n"
        "  open('a', 'w').close()\n  os.remove('a')",
        "import os\nopen('a', 'w').close()\nos.chmod('a', 0)",
        "import shutil\nshutil.rmtree('/mnt/data')",
        "import sys\nsys.stdout.close()\n1 / 0",
        "import os\nos.closerange(3, 64)",
    ],
)
def test_whatever_becomes_of_its_files_the_run_is_told_and_names_no_place(code: str) -> None:
    outcome = ran(code)
    assert outcome.stopped == ""
    assert all(made.name.isprintable() for made in outcome.made)
    assert "confined.py" not in outcome.logs


def test_a_value_too_large_to_keep_is_gone_and_the_others_stay() -> None:
    state = State()
    container = containers.make(state, "test", {})
    code = "small, large = 1, bytes(40_000_000)\nprint(len(large))"
    assert run_in(state, container, code).logs == "40000000\n"
    assert run_in(state, container, "print(small)\nlarge").logs.startswith("1\nTraceback")


def test_a_set_has_the_same_order_in_every_run() -> None:
    code = "print({'alpha', 'beta', 'gamma', 'delta', 'epsilon'})"
    assert ran(code).logs == ran(code).logs == ran(code).logs


def test_a_file_put_in_while_code_runs_is_still_there_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = State()
    container = containers.make(state, "test", {})
    request = Request("POST", "", files={"file": b"kept"})

    def put_in() -> None:
        with state.alone:
            containers.create_file(state, request, container, {"file": {"filename": "late.txt"}})

    late = threading.Thread(target=put_in)

    def meanwhile(kind: str, code: str, own: Path, until: float) -> Ended:
        late.start()
        late.join(0.2)
        return Ended("", "", 0, "")

    monkeypatch.setattr(container_run, "execute", meanwhile)
    with state.alone:
        run_in(state, container, "")
    late.join()
    assert container.files["late.txt"].content == b"kept"


@POSIX
def test_a_link_that_is_left_behind_is_not_followed() -> None:
    assert ran("import os\nos.symlink('/etc/passwd', 'l')").made == []


@LINUX
def test_a_file_whose_name_is_no_text_is_not_kept() -> None:
    assert (
        ran("open(b'\\xff.txt', 'w').close(); open('b.txt', 'w').close()").made[0].name == "b.txt"
    )


@pytest.mark.parametrize(
    ("filename", "name"),
    [
        ("../../a.txt", "a.txt"),
        ("..", "file"),
        ("C:\\x\\b.csv", "b.csv"),
        ("a\0?.md", "a__.md"),
        ("日" * 100 + ".md", "日" * 32 + ".md"),  # a system counts bytes
    ],
)
def test_an_uploaded_name_leads_nowhere(filename: str, name: str) -> None:
    state = State()
    container = containers.make(state, "test", {})
    assert containers.upload(state, container, filename, b"").name == name
    assert run_in(state, container, "import os\nprint(os.listdir())").logs == f"{[name]}\n"


def test_nothing_of_the_course_or_of_the_environment_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    assert "sk-secret" not in ran("import os\nprint(dict(os.environ))").logs
    assert "ModuleNotFoundError" in ran("import course_lib").logs
    assert ran("import numpy\nprint(numpy.arange(3).sum())").logs == "3\n"


# --- The endpoints


def test_containers_and_their_files_through_the_sdk() -> None:
    with connect() as client:
        made = client.containers.create(name="mine", memory_limit="4g")
        assert (made.id, made.status, made.memory_limit) == ("cntr_1", "running", "4g")
        text = client.containers.files.create(made.id, file=("../../notes.txt", b"hello"))
        assert (text.path, text.source, text.bytes) == ("/mnt/data/notes.txt", "user", 5)
        kept = client.files.create(file=("data.csv", b"1,2"), purpose="user_data")
        copied = client.containers.files.create(made.id, file_id=kept.id)
        assert copied.path == "/mnt/data/data.csv"
        listed = client.containers.files.list(made.id, order="asc").data
        assert [each.path for each in listed] == [text.path, copied.path]
        found = client.containers.files.content.retrieve(text.id, container_id=made.id)
        assert found.read() == b"hello"
        client.containers.files.delete(text.id, container_id=made.id)
        assert [each.id for each in client.containers.files.list(made.id).data] == [copied.id]
        assert client.containers.retrieve(made.id).name == "mine"
        assert [each.id for each in client.containers.list().data] == [made.id]
        client.containers.delete(made.id)
        assert client.containers.list().data == []


def test_what_has_expired_gives_its_files_back_and_the_oldest_make_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(containers, "MOST_BYTES", 10)
    platform = Platform()
    http_client = httpx2.Client(transport=OfflineTransport(platform.handle))
    with OpenAI(**OFFLINE, http_client=http_client) as client:

        def holding(content: bytes) -> str:
            made = client.containers.create(name="mine")
            client.containers.files.create(made.id, file=("a.txt", content))
            return made.id

        expired = holding(b"12345")
        platform.state.now += 20 * 60 + 1
        first, second = holding(b"12345"), holding(b"12345")
        assert platform.state.containers[expired].files == {}
        third = holding(b"12345678901")  # too large itself, but in use
        assert [*platform.state.containers] == [third]
        assert first != second


def test_files_named_by_the_entry_are_there() -> None:
    platform = running("print(open('/mnt/data/data.csv').read())")
    http_client = httpx2.Client(transport=OfflineTransport(platform.handle))
    with OpenAI(**OFFLINE, http_client=http_client) as client:
        kept = client.files.create(file=("data.csv", b"1,2"), purpose="user_data")
    container = {"type": "auto", "file_ids": [kept.id]}
    assert logs(asked(platform, tools=[tool(container)])) == "1,2\n"
