"""The rejection table, run against the platform, and the learner's mistakes through the SDK."""

import ast
import asyncio
import json
import re
from collections import Counter
from importlib import import_module
from string import Formatter
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from openai import BadRequestError, OpenAI

from course_lib import connect, connect_async
from course_lib.platform.app import HINT_HEADER, Platform
from course_lib.platform.contract import KNOWN
from course_lib.platform.errors import GAP, refusals
from course_lib.platform.http import WITH_KEY, Reply, Request
from course_lib.standin import Scripted
from course_lib.standin.prompt import message
from tests import ROOT, rejections
from tests.rejections import MISTAKES, UNVERIFIED, Mistake, Row
from tests.rejections_commands import COMMANDS_AND_SKILLS
from tests.rejections_hosted import HOSTED
from tests.rejections_mcp import MCP
from tests.rejections_programs import PROGRAMS
from tests.rejections_protocols import PROTOCOLS
from tests.rejections_storage import STORAGE

ROWS = [*rejections.ROWS, *HOSTED, *COMMANDS_AND_SKILLS, *MCP, *PROGRAMS, *PROTOCOLS, *STORAGE]
PLATFORM = ROOT / "course_lib" / "platform"
ROUTES = re.findall(
    "^[A-Z].+", (PLATFORM / "data" / "routes.txt").read_text(encoding="utf-8"), re.M
)
SOURCES = ("direct observation", "recorded", "SDK", "docs", "inferred", "reported", UNVERIFIED)


def send(platform: Platform, row: Row) -> tuple[Reply, dict[str, object]]:
    made = row.request(platform) if callable(row.request) else row.request
    body = made if isinstance(made, bytes) else json.dumps(made).encode()
    url = urlsplit(row.path)
    query = dict(parse_qsl(url.query))
    headers = WITH_KEY | {"content-type": row.form}
    reply = platform.handle(Request(row.method, url.path, body, headers, query))
    return reply, json.loads(b"".join(reply.chunks))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_platform_refuses_in_the_words_of_the_api(row: Row) -> None:
    reply, body = send(Platform(), row)
    assert body == row.body()
    assert reply.status == row.status


def test_every_source_is_one_of_those_the_table_explains() -> None:
    assert [row.name for row in ROWS if row.source.split(":")[0] not in SOURCES] == []
    counts = Counter(row.source.split(":")[0] for row in ROWS)
    print(f"{len(ROWS)} rows:", ", ".join(f"{name} {count}" for name, count in counts.items()))


def test_no_row_is_there_twice() -> None:
    assert [name for name, count in Counter(row.name for row in ROWS).items() if count > 1] == []


def test_an_unseen_wording_says_so_and_no_other_does() -> None:
    for row in ROWS:
        assert (row.code == UNVERIFIED) == (row.source == UNVERIFIED), row.name


def test_every_unseen_wording_of_the_platform_is_in_the_table() -> None:
    sentences = [each["message"] for each in refusals().values() if each.get("code") == GAP]
    patterns = [".*".join(map(re.escape, re.split(r"{\w+}", each))) for each in sentences]
    seen = [row.message for row in ROWS if row.code == UNVERIFIED]
    # Over the WebSocket, and so tried in test_serve.py.
    seen.append("A message must be a JSON object of type 'response.create' or 'response.steer'.")
    unseen = [p for p in patterns if not any(re.fullmatch(p, text, re.DOTALL) for text in seen)]
    assert unseen == []


def test_no_sentence_of_a_refusal_stands_in_the_code() -> None:
    made = {
        path.name
        for path in PLATFORM.rglob("*.py")
        if re.search(r"(?<!class )\bApiError\(", path.read_text("utf-8"))
    }
    assert made == {"errors.py", "server.py"}  # the one makes all, the other passes one on


def test_every_refusal_in_the_table_is_one_that_the_platform_makes() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in PLATFORM.rglob("*.py"))
    assert [name for name in refusals() if f'"{name}"' not in code] == []


def test_a_refusal_is_given_each_word_of_its_sentence_and_no_other() -> None:
    trees = [ast.parse(path.read_text("utf-8")) for path in PLATFORM.rglob("*.py")]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    checked = 0
    for call in calls:
        if getattr(call.func, "id", "") == "refusal" and isinstance(call.args[0], ast.Constant):
            told = " ".join(map(str, refusals()[str(call.args[0].value)].values()))
            wanted = {name for _, name, _, _ in Formatter().parse(told) if name} - {"param"}
            assert {each.arg for each in call.keywords} - {"hint"} == wanted, ast.unparse(call)
            checked += 1
    assert checked > 100  # nearly all: a name may come from a variable


@pytest.mark.parametrize("line", ROUTES)
def test_every_address_has_somebody_who_answers(line: str) -> None:
    module, _, function = line.split()[2].partition(".")
    assert callable(getattr(import_module(f"course_lib.platform.{module}"), function))


def test_every_field_of_a_request_can_be_refused() -> None:
    named = {(row.param or "").split(".")[0].split("[")[0] for row in ROWS}
    named |= {"conversation"}  # it is told of by its id, not by its name
    assert set(KNOWN) - named - ACCEPTED_AS_THEY_ARE == set()


# The project's contract says nothing of their errors.
ACCEPTED_AS_THEY_ARE = {"access_programs", "background_options"}


# --- The learner's mistakes


def expect(refused: BadRequestError, mistake: Mistake) -> None:
    body = {
        "message": mistake.message,
        "type": "invalid_request_error",
        "param": mistake.param,
        "code": mistake.code,
    }
    assert refused.body == body
    assert (refused.code, refused.param, refused.type) == (
        mistake.code,
        mistake.param,
        "invalid_request_error",
    )
    assert refused.message == f"Error code: 400 - {mistake.message}"
    assert refused.status_code == 400
    assert refused.request_id
    hint = refused.response.headers[HINT_HEADER]
    assert mistake.hint in hint
    assert hint[-1] in ".)}" and "\n" not in hint


each_mistake = pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)


def first_turn(client: OpenAI, mistake: Mistake) -> Any:
    """The response that the mistake builds on; None when it builds on none."""
    make: Any = client.responses.parse if mistake.parsed else client.responses.create
    return make(**mistake.first) if mistake.first is not None else None


@each_mistake
def test_a_mistake_raises_what_it_raises_live(mistake: Mistake) -> None:
    client = connect(Scripted(mistake.script))
    body = mistake.then(first_turn(client, mistake))
    with pytest.raises(BadRequestError) as raised:
        client.responses.create(**body)
    expect(raised.value, mistake)


@each_mistake
def test_a_mistake_raises_the_same_under_await(mistake: Mistake) -> None:
    async def make() -> None:
        client = connect_async(Scripted(mistake.script))
        turn: Any = client.responses.parse if mistake.parsed else client.responses.create
        first: Any = await turn(**mistake.first) if mistake.first is not None else None
        await client.responses.create(**mistake.then(first))

    with pytest.raises(BadRequestError) as raised:
        asyncio.run(make())
    expect(raised.value, mistake)


@each_mistake
def test_a_mistake_raises_before_the_stream_begins(mistake: Mistake) -> None:
    client = connect(Scripted(mistake.script))
    body = mistake.then(first_turn(client, mistake))
    with pytest.raises(BadRequestError) as raised:
        client.responses.create(**body, stream=True)
    expect(raised.value, mistake)


def test_there_are_twelve_mistakes() -> None:
    assert len(MISTAKES) == 12


def test_a_reply_without_a_mistake_carries_no_hint() -> None:
    reply = connect(Scripted([message("hello")])).responses.with_raw_response.create(
        model="gpt-5.6", input="ping"
    )
    assert HINT_HEADER not in reply.headers
