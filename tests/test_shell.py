"""`shell`, `local_shell`, `apply_patch` and skills, through the real clients (contract D).

What a command in a container must be refused stands here too: it is real, and the platform goes on.
"""

import asyncio
import json
import re
import sys
import threading
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile, ZipInfo

import agents
import httpx2
import pytest
from openai import AsyncOpenAI, BadRequestError, OpenAI

from course_lib.platform import child, container_run, containers, skills
from course_lib.platform.app import Platform
from course_lib.platform.container_run import Ended
from course_lib.platform.errors import ApiError
from course_lib.platform.state import State
from course_lib.standin import Scripted, call, message
from course_lib.transport import OFFLINE, OfflineTransport
from tests.rejections_commands import FRONT, inline, zipped
from tests.test_hosted import Watched, events

Json = dict[str, Any]
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="commands are confined on Linux alone")
CONTAINER: Json = {"type": "shell", "environment": {"type": "container_auto"}}
LOCAL: Json = {"type": "shell", "environment": {"type": "local"}}
PATCH: Json = {"type": "apply_patch"}


def client(platform: Platform) -> OpenAI:
    http_client = httpx2.Client(transport=OfflineTransport(platform.handle))
    return OpenAI(**OFFLINE, http_client=http_client, _strict_response_validation=True)


def shell(*commands: str, **limits: int) -> Json:
    return call("shell", {"commands": list(commands), **limits})


def scripted(*turns: Any) -> Platform:
    return Platform(model=Scripted(list(turns)))


def ask(platform: Platform, *tools: Any, **fields: Any) -> Any:
    with client(platform) as opened:
        request = {"model": "gpt-5.4", "input": "ping", "tools": list(tools)} | fields
        return opened.responses.create(**request)


# --- In a container


@LINUX
def test_call_and_output_come_in_one_response() -> None:
    platform = scripted(shell("echo hi > a.txt; pwd", "cat nosuch; exit 3"), message("Done."))
    response = ask(platform, CONTAINER)
    ran, came, said = response.output
    assert [item.type for item in response.output] == [
        "shell_call", "shell_call_output", "message",
    ]  # fmt: skip
    assert ran.call_id == came.call_id
    assert ran.environment.container_id == response.tools[0].environment.container_id
    first, second = came.output
    assert (first.stdout, first.stderr, first.outcome.exit_code) == ("/mnt/data\n", "", 0)
    assert (second.stdout, second.outcome.exit_code) == ("", 3)
    assert second.stderr == "cat: nosuch: No such file or directory\n"
    assert said.content[0].text == "Done."


@LINUX
def test_the_model_reads_what_was_printed_and_later_requests_do_too() -> None:
    model = Watched(shell("echo hello"), message("Done."), message("Again."))
    platform = Platform(model=model)
    first = ask(platform, CONTAINER)
    ask(platform, CONTAINER, previous_response_id=first.id)
    assert '"stdout":"hello\\n"' in model.prompts[1].items[-1]["output"]
    for prompt in model.prompts[1:]:
        said, came = prompt.items[1:3]
        assert (said["name"], json.loads(said["arguments"])) == (
            "shell", {"commands": ["echo hello"]},
        )  # fmt: skip
        assert said["call_id"] == came["call_id"]


@LINUX
def test_a_conversation_keeps_its_container_and_shares_it_with_the_interpreter() -> None:
    code = {"type": "code_interpreter", "container": {"type": "auto"}}
    platform = scripted(
        shell("echo 41 > n"), message("1"),
        call("code_interpreter", {"code": "print(int(open('n').read()) + 1)"}), message("2"),
        shell("cat n"), message("[n](sandbox:/mnt/data/n)"),
    )  # fmt: skip
    first = ask(platform, CONTAINER, code)
    outputs = ["code_interpreter_call.outputs"]
    second = ask(platform, CONTAINER, code, previous_response_id=first.id, include=outputs)
    third = ask(platform, CONTAINER, previous_response_id=second.id)
    assert second.output[0].outputs[0].logs == "42\n"
    assert third.output[1].output[0].stdout == "41\n"
    assert len(platform.state.containers) == 1


@LINUX
def test_folders_stay_as_files_do() -> None:
    platform = scripted(
        shell("mkdir -p a/b; echo 1 > a/n"), message("1"), shell("cd a/b; cat ../n"), message("2")
    )
    first = ask(platform, CONTAINER)
    second = ask(platform, CONTAINER, previous_response_id=first.id)
    assert second.output[1].output[0].stdout == "1\n"


@LINUX
def test_a_file_that_a_command_made_is_cited() -> None:
    said = message("[n](sandbox:/mnt/data/n.csv)")
    platform = scripted(shell("echo 1 > n.csv"), said, said)
    first = ask(platform, CONTAINER)
    (cited,) = first.output[2].content[0].annotations
    later = ask(platform, CONTAINER, previous_response_id=first.id)
    assert later.output[0].content[0].annotations == [cited]
    assert (cited.type, cited.filename) == ("container_file_citation", "n.csv")


@LINUX
def test_a_container_may_be_named() -> None:
    platform = scripted(shell("cat notes.txt"), message("Done."))
    with client(platform) as opened:
        made = opened.containers.create(name="mine")
        opened.containers.files.create(made.id, file=("notes.txt", b"hello"))
    named = {"type": "container_reference", "container_id": made.id}
    response = ask(platform, {"type": "shell", "environment": named})
    assert response.output[1].output[0].stdout == "hello"


@LINUX
def test_the_stream_tells_the_commands_and_what_they_printed() -> None:
    told = events(scripted(shell("echo hi", "echo ho >&2"), message("Done.")), tools=[CONTAINER])
    inside = [event for event in told if event["type"].startswith("response.shell_call")]
    names = [event["type"].removeprefix("response.shell_call") for event in inside]
    assert list(dict.fromkeys(names)) == [
        "_command.added", "_command.delta", "_command.done",
        "_output_content.delta", "_output_content.done",
    ]  # fmt: skip
    deltas = "".join(e["delta"] for e in inside if e["type"].endswith("_command.delta"))
    assert deltas == "echo hiecho ho >&2"
    printed = [e for e in inside if e["type"].endswith("_content.delta")]
    assert [(e["command_index"], e["delta"]) for e in printed] == [
        (0, {"stdout": "hi\n"}), (1, {"stderr": "ho\n"}),
    ]  # fmt: skip
    assert not any("item_id" in e for e in inside if "_command." in e["type"])  # as recorded


@LINUX
def test_limits_are_the_models() -> None:
    platform = scripted(
        shell("echo 123456; echo 789 >&2", max_output_length=9),
        shell("sleep 9", "echo never", timeout_ms=700),
        message("Done."),
    )
    _, cut, _, late, _ = ask(platform, CONTAINER).output
    assert (cut.output[0].stdout, cut.output[0].stderr) == ("123456\n", "78")
    assert [each.outcome.type for each in late.output] == ["timeout", "timeout"]
    assert [each.stdout for each in late.output] == ["", ""]


@LINUX
def test_what_there_is_no_time_for_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []

    class Counted(child.Child):
        def __init__(self, kind: str, *given: object, **environment: str) -> None:
            started.append(kind)
            super().__init__(kind, *given, **environment)

    monkeypatch.setattr(container_run, "Child", Counted)
    ended = ran("sleep 9", *["echo never"] * 500, seconds=0.5)
    assert [each.exit_code for each in ended] == [None] * 501
    assert len(started) == 2  # the other one is that of a second run


# --- What a command may not do. Each is told, and the container works on.


def ran(*commands: str, seconds: float | None = None) -> list[Ended]:
    state = State()
    container = containers.make(state, "test", {})
    ended, _ = container_run.run(state, container, "shell", list(commands), seconds)
    (after,), _ = container_run.run(state, container, "shell", ["echo still here"])
    assert after.stdout == "still here\n"
    return ended


@LINUX
@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("cat /etc/passwd", "Permission denied"),
        ("ls /", "Permission denied"),
        ("cat /proc/self/environ", "Permission denied"),
        ("echo > /usr/bin/mine", "Permission denied"),
        ("echo > ../stray", "Permission denied"),
        ("ln -s /etc/passwd l; cat l", "Permission denied"),
        ("exec 3<>/dev/tcp/127.0.0.1/9", "Operation not permitted"),
        ("python3 -c 'import socket; socket.socket()'", "Operation not permitted"),
        ("kill -9 $PPID", "Operation not permitted"),
        ("kill -9 1", "Operation not permitted"),
        ("unshare -r id", "Operation not permitted"),
        ("setsid -w sleep 60", "Operation not permitted"),
        ("date -s 2020-01-01", "Operation not permitted"),
    ],
)
def test_what_leads_outside_is_refused(command: str, told: str) -> None:
    (ended,) = ran(command)
    assert told in ended.stderr
    assert "sk-" not in ended.stdout


@LINUX
@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("yes", "it printed more than 262,144 bytes"),
        ("f() { f | f; }; f", "it started more than 64 processes"),
        ("while :; do sleep 60 & done", "it started more than 64 processes"),
        ("for i in 1 2 3 4; do head -c 20000000 /dev/zero > $i; done; sleep 9",
         "its files take more than 67,108,864 bytes"),
        ("while :; do :; done", "it ran for more than 2 seconds"),
        ("trap '' TERM INT HUP; sleep 60", "it ran for more than 2 seconds"),
    ],
)  # fmt: skip
def test_what_takes_too_much_is_stopped(command: str, why: str) -> None:
    (ended,) = ran(command, seconds=2)
    assert why in ended.stopped


@LINUX
@pytest.mark.parametrize(
    ("command", "told"),
    [("echo a\0b", "embedded null byte"), ("#" * 200_000, "Argument list too long")],
)
def test_a_command_that_no_shell_can_be_given_fails_in_words(command: str, told: str) -> None:
    (ended,) = ran(command)
    assert ended.exit_code == 1
    assert re.fullmatch(rf"/bin/(ba)?sh: {told}\n", ended.stderr)


@LINUX
def test_memory_is_bounded_for_all_processes_together(monkeypatch: pytest.MonkeyPatch) -> None:
    greedy = "python3 -c 'import time; x = b\"1\" * 60_000_000; time.sleep(9)'"
    monkeypatch.setattr(container_run, "MEMORY", 128 * 1024 * 1024)
    (ended,) = ran(f"{greedy} & {greedy} & {greedy} & wait")
    assert "it takes more than 128 MB" in ended.stopped


@LINUX
def test_nothing_of_a_run_is_left_running(tmp_path: Path) -> None:
    (ended,) = ran("sleep 43217 & echo started")
    assert (ended.stdout, ended.stopped) == ("started\n", "")
    lines = [each.read_bytes() for each in Path("/proc").glob("[0-9]*/cmdline") if each.exists()]
    assert not any(b"43217" in line for line in lines)


@LINUX
def test_commands_are_those_of_any_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    ways_out, piped, here, script, environment = ran(
        "echo a; echo b > /dev/stdout; echo c > /dev/stderr; cat /dev/stdin",
        "printf 'b\\na\\n' | sort | tr -d '\\n'; yes | head -1",
        "cat <<E > /tmp/t; mkdir d; mv /tmp/t d/; cat d/t\nhello\nE",
        "echo 'echo mine' > s.sh; sh s.sh; python3 -c 'print(6 * 7)'",
        "env",
    )
    assert (ways_out.stdout, ways_out.stderr, ways_out.exit_code) == ("a\nb\n", "c\n", 0)
    assert piped.stdout == "aby\n"
    assert (here.stdout, here.stderr) == ("hello\n", "")
    assert script.stdout == "mine\n42\n"
    assert "sk-secret" not in environment.stdout


def test_where_the_kernel_confines_nothing_a_command_is_not_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    open_door = child.SCRIPT.read_text("utf-8").replace('!= "linux"', '!= "nowhere"')
    script = tmp_path / "confined.py"
    script.write_text(open_door, "utf-8")
    monkeypatch.setattr(child, "SCRIPT", script)
    state = State()
    container = containers.make(state, "test", {})
    (ended,), made = container_run.run(state, container, "shell", ["echo > a"])
    assert (ended.exit_code, ended.stdout, made) == (126, "", [])
    assert ended.stderr.startswith("The offline platform runs commands only where")


# --- Skills


def greeting(when: int = 2020) -> bytes:
    return zipped(
        (ZipInfo("greet/SKILL.md", (when, 1, 1, 0, 0, 0)), FRONT),
        ("greet/hello.sh", b"#!/bin/sh\necho hello\n"),
    )


@LINUX
def test_a_skill_is_told_to_the_model_and_lies_read_only_in_the_container() -> None:
    path = skills.unpack(greeting(1999)).path  # a path does not tell when it was zipped
    model = Watched(shell(f"cd {path}; ./hello.sh; echo > x; ls", "pwd"), message("Done."))
    environment = {"type": "container_auto", "skills": [inline(greeting())]}
    response = ask(Platform(model=model), {"type": "shell", "environment": environment})
    told = {"name": "greet", "description": "How to greet.", "path": path}
    assert model.prompts[0].tools[0]["skills"] == [told]
    recorded = "/".join(["", "home", "oai", "skills"])
    assert re.fullmatch(f"{recorded}/greet-[0-9a-f]{{32}}", path)
    came = response.output[1].output[0]
    assert came.stdout == "hello\nSKILL.md\nhello.sh\n"
    assert "Permission denied" in came.stderr


def test_a_bundle_is_read_or_refused_whatever_is_wrong_with_it() -> None:
    whole, told = greeting(), set()
    for place in range(len(whole)):
        for byte in (0x00, 0x21, 0xFF, whole[place] ^ 1):
            damaged = whole[:place] + bytes([byte]) + whole[place + 1 :]
            try:
                skills.unpack(damaged)
            except ApiError as error:
                told.add(error.message)
    assert "The skill's bundle is not a zip file that can be read." in told


def test_neither_a_bundle_nor_a_name_is_longer_than_it_may_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with client(Platform()) as opened:
        with pytest.raises(BadRequestError, match="is no path below its folder"):
            opened.skills.create(files=[("SKILL.md", FRONT), ("x" * 300, b"")])
        monkeypatch.setattr(skills, "LARGEST_BUNDLE", 100)
        with pytest.raises(BadRequestError, match="is larger than 0 MB"):
            opened.skills.create(files=("greet.zip", greeting()))


def test_skills_are_uploaded_and_referred_to() -> None:
    platform = Platform(model=Watched(message("Done.")))
    with client(platform) as opened:
        made = opened.skills.create(files=("greet.zip", greeting(), "application/zip"))
        assert (made.id, made.name, made.description) == ("skill_1", "greet", "How to greet.")
        assert (made.default_version, made.latest_version) == ("1", "1")
        later = FRONT.replace(b"How", b"When")
        files = [("greet/SKILL.md", later), ("greet/a/b.txt", b"deep")]
        second = opened.skills.versions.create(made.id, files=files)
        assert (second.version, second.description) == ("2", "When to greet.")
        assert opened.skills.retrieve(made.id).description == "How to greet."
        assert opened.skills.update(made.id, default_version="2").description == "When to greet."
        assert [each.version for each in opened.skills.versions.list(made.id)] == ["2", "1"]
        assert opened.skills.versions.retrieve("1", skill_id=made.id).name == "greet"
        content = opened.skills.versions.content.retrieve("2", skill_id=made.id).read()
        assert ZipFile(BytesIO(content)).read("greet/a/b.txt") == b"deep"
        assert opened.skills.content.retrieve(made.id).read() == content
        reference = {"type": "skill_reference", "skill_id": made.id, "version": "latest"}
        environment = {"type": "container_auto", "skills": [reference]}
        ask(platform, {"type": "shell", "environment": environment})
        container = platform.state.containers["cntr_1"]
        assert sorted(container.skills[0].files) == ["SKILL.md", "a/b.txt"]
        assert [each.id for each in opened.skills.list()] == [made.id]
        assert opened.skills.delete(made.id).deleted
        assert list(opened.skills.list()) == []


def test_the_oldest_skills_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skills, "MOST_BYTES", 2 * skills.unpack(greeting()).size)
    with client(Platform()) as opened:
        made = [opened.skills.create(files=("greet.zip", greeting())).id for _ in range(3)]
        assert [each.id for each in opened.skills.list(order="asc")] == made[1:]
        opened.skills.versions.create(made[2], files=("greet.zip", greeting()))
        assert [each.id for each in opened.skills.list()] == made[2:]


# --- By the client


@pytest.mark.parametrize(
    ("tool", "said", "kind", "answer"),
    [
        (LOCAL, shell("ls"), "shell_call",
         {"output": [{"stdout": "a", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]}),
        ({"type": "shell"}, shell("ls"), "shell_call",
         {"output": [{"stdout": "", "stderr": "", "outcome": {"type": "timeout"}}]}),
        ({"type": "local_shell"}, call("local_shell", {"command": ["ls"]}), "local_shell_call",
         {"output": "a"}),
        (PATCH, call("apply_patch", {"operation": {"type": "delete_file", "path": "a"}}),
         "apply_patch_call", {"status": "failed", "output": "There is no a."}),
    ],
)  # fmt: skip
def test_the_turn_stops_for_the_client_who_answers(
    tool: Json, said: Json, kind: str, answer: Json
) -> None:
    model = Watched(said, message("Done."), message("Again."))
    platform = Platform(model=model)
    first = ask(platform, tool)
    assert [item.type for item in first.output] == [kind]
    asked = first.output[0]
    given = {"type": f"{kind}_output", "call_id": asked.call_id, **answer}
    second = ask(platform, tool, input=[given], previous_response_id=first.id)
    assert second.output_text == "Done."
    came = model.prompts[1].items[-1]
    assert (came["type"], came["call_id"]) == ("function_call_output", asked.call_id)
    history = [{"role": "user", "content": "ping"}, asked.to_dict(), given]
    assert ask(platform, tool, input=history).output_text == "Again."
    assert model.prompts[2].items[-1] == came
    assert model.prompts[2].items[-2].keys() == model.prompts[1].items[-2].keys()


@pytest.mark.parametrize("tool", [CONTAINER, PATCH])
def test_a_choice_names_them_by_type(tool: Json) -> None:
    model = Watched(message("Done."))
    choice = {"type": tool["type"]}
    assert ask(Platform(model=model), tool, tool_choice=choice).tool_choice.type == tool["type"]
    assert model.prompts[0].tool_choice == {"type": "function", "name": tool["type"]}


def test_a_patch_is_told_piece_by_piece() -> None:
    operation = {"type": "create_file", "path": "a.md", "diff": "+hello\n"}
    told = events(scripted(call("apply_patch", {"operation": operation})), tools=[PATCH])
    assert told[2]["item"]["operation"] == operation | {"diff": ""}
    deltas = [e["delta"] for e in told if e["type"].endswith("operation_diff.delta")]
    assert "".join(deltas) == "+hello\n"
    assert told[-1]["response"]["output"][0]["operation"] == operation


class Folder:
    """An editor for the Agents SDK that keeps its files in memory."""

    def __init__(self) -> None:
        self.files = {"b.txt": "one\ntwo\n"}

    def create_file(self, operation: Any) -> None:
        self.files[operation.path] = agents.apply_diff("", operation.diff, mode="create")

    def update_file(self, operation: Any) -> None:
        before = self.files[operation.path]
        self.files[operation.path] = agents.apply_diff(before, operation.diff)

    def delete_file(self, operation: Any) -> None:
        del self.files[operation.path]


def run_agent(platform: Platform, *tools: Any) -> Any:
    http_client = httpx2.AsyncClient(transport=OfflineTransport(platform.handle))
    model = agents.OpenAIResponsesModel(
        model="gpt-5.4", openai_client=AsyncOpenAI(**OFFLINE, http_client=http_client)
    )
    agent = agents.Agent(name="Worker", model=model, tools=list(tools))
    config = agents.RunConfig(tracing_disabled=True)
    return asyncio.run(agents.Runner.run(agent, "Go on.", run_config=config))


def test_the_agents_sdk_edits_files() -> None:
    folder = Folder()
    patches = [
        {"type": "create_file", "path": "a.txt", "diff": "+hello\n"},
        {"type": "update_file", "path": "b.txt", "diff": "@@\n one\n-two\n+three\n"},
    ]
    turns = [call("apply_patch", {"operation": each}) for each in patches]
    tool = agents.ApplyPatchTool(editor=folder)
    result = run_agent(scripted(*turns, message("Done.")), tool)
    assert result.final_output == "Done."
    assert folder.files == {"a.txt": "hello", "b.txt": "one\nthree\n"}


def test_the_agents_sdk_runs_commands_itself() -> None:
    seen: list[str] = []

    def execute(request: Any) -> str:
        seen.extend(request.data.action.commands)
        return "a.txt"

    model = Watched(shell("ls", "pwd"), message("Done."))
    result = run_agent(Platform(model=model), agents.ShellTool(executor=execute))
    assert (result.final_output, seen) == ("Done.", ["ls", "pwd"])
    assert "a.txt" in model.prompts[1].items[-1]["output"]


def test_the_agents_sdk_runs_a_command_by_its_words() -> None:
    def execute(request: Any) -> str:
        return " ".join(request.data.action.command)

    model = Watched(call("local_shell", {"command": ["ls", "-l"]}), message("Done."))
    run_agent(Platform(model=model), agents.LocalShellTool(executor=execute))
    assert model.prompts[1].items[-1]["output"] == "ls -l"


@LINUX
def test_the_agents_sdk_has_commands_run_in_a_container() -> None:
    skill: Any = inline(greeting())
    environment: Any = {"type": "container_auto", "skills": [skill]}
    result = run_agent(
        scripted(shell("echo hi"), message("Done.")), agents.ShellTool(environment=environment)
    )
    assert result.final_output == "Done."


def test_skills_of_the_client_are_told_to_the_model() -> None:
    model = Watched(message("Done."))
    known = {"name": "csv", "description": "Read tables.", "path": "/skills/csv"}
    environment = {"type": "local", "skills": [known]}
    ask(Platform(model=model), {"type": "shell", "environment": environment})
    assert model.prompts[0].tools[0]["skills"] == [known]


@LINUX
def test_a_container_does_one_thing_at_a_time() -> None:
    """Two runs at once would each begin without what the other leaves."""
    state = State()
    container = containers.make(state, "test", {})
    step = "n=$(cat n 2>/dev/null || echo 0); sleep 0.2; echo $((n + 1)) > n"

    def run() -> None:
        with state.alone:
            container_run.run(state, container, "shell", [step])

    both = [threading.Thread(target=run) for _ in range(3)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert container.files["n"].content == b"3\n"
