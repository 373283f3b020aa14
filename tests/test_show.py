"""What `show` draws: as text, as HTML in either theme, and never more than it was given."""

import asyncio
import re
from html.parser import HTMLParser
from typing import Any

import openai
import pytest

from course_lib import MODEL, connect, connect_async, show
from course_lib.home import CourseError
from course_lib.live import recent_platforms
from course_lib.show.table import Table
from course_lib.standin import Scripted, call, message

HOSTILE = "<script>alert(1)</script></table></pre>&amp;\"'"
STOCK = "How many units of TR-40 are in stock?"
CHAT = "Write a limerick about a lighthouse."


def tool(
    name: str = "get_stock", description: str = "Units in stock.", **properties: Any
) -> dict[str, Any]:
    return {
        "type": "function",
        "name": name,
        "description": description,
        "strict": True,
        "parameters": {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        },
    }


SKU = {"type": "string", "description": "Article number, e.g. TR-40"}
STOCK_TOOL = tool(sku=SKU)


def ask(question: str, *tools: Any, client: openai.OpenAI | None = None, **more: Any) -> Any:
    client = client or connect()
    return client.responses.create(model=MODEL, input=question, tools=list(tools), **more)


class Page(HTMLParser):
    """The elements, styles and texts of a piece of HTML; complains of what is not closed."""

    VOID = ("br", "hr", "img")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.styles: list[str] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._open.append(tag)
        assert {name for name, _ in attrs} <= {"style"}
        self.styles += [value or "" for _, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


DRAWN_IN = {"p", "em", "table", "thead", "tbody", "tr", "th", "td"}


def page(shown: Any) -> Page:
    """The page of something shown, which holds for everything that is."""
    drawn = Page(shown._repr_html_())
    assert set(drawn.tags) <= DRAWN_IN
    # Both themes are read: text and lines take their colours from the theme.
    assert not re.search(r"color|background|border|#[0-9a-f]{3}|rgb", " ".join(drawn.styles))
    return drawn


# Tables


def test_a_table_as_text() -> None:
    table = Table(["name", "n"], [["a", "100"], ["longer", "2"]], caption="First.", note="Last.")
    assert repr(table).splitlines() == [
        "First.",
        "name    n",
        "------  ---",
        "a       100",
        "longer  2",
        "Last.",
    ]


def test_a_table_as_html() -> None:
    table = Table(["name"], [["a"]], caption="First.", note="Last.", code_columns={0})
    drawn = page(table)
    assert drawn.texts == ["First.", "name", "a", "Last."]
    assert sum("monospace" in style for style in drawn.styles) == 1


def test_a_table_escapes_every_part() -> None:
    drawn = page(Table([HOSTILE], [[HOSTILE]], caption=HOSTILE, note=HOSTILE))
    assert drawn.texts == [HOSTILE] * 4
    assert drawn.tags.count("table") == 1


# Calls


def test_calls_are_listed() -> None:
    shown = show.calls(ask("Are TR-40 and AX-200 in stock?", STOCK_TOOL))
    assert repr(shown).splitlines() == [
        "call_id  name       arguments",
        "-------  ---------  ----------------",
        'call_1   get_stock  {"sku":"TR-40"}',
        'call_2   get_stock  {"sku":"AX-200"}',
    ]
    assert page(shown).texts[3:6] == ["call_1", "get_stock", '{"sku":"TR-40"}']


def test_no_call_is_a_sentence() -> None:
    shown = show.calls(ask(CHAT, STOCK_TOOL))
    assert "No call. The model said: I have no tool for that." in repr(shown)
    assert page(shown).texts[-1].startswith("No call. The model said: I have no tool")


def test_a_silent_response_is_a_sentence_too() -> None:
    response = ask(CHAT, client=connect(Scripted([message("")])))
    assert repr(show.calls(response)).endswith("No call. The model said: (nothing)")


def test_hostile_arguments_are_shown_as_they_are() -> None:
    response = ask(
        CHAT, STOCK_TOOL, client=connect(Scripted([call("get_stock", {"sku": HOSTILE})]))
    )
    drawn = page(show.calls(response))
    assert drawn.tags.count("table") == 1
    assert "<script>" in drawn.texts[-1]


def test_a_hostile_answer_is_shown_as_it_is() -> None:
    drawn = page(show.calls(ask(CHAT, client=connect(Scripted([message(HOSTILE)])))))
    assert drawn.texts[-1] == f"No call. The model said: {HOSTILE}"


@pytest.mark.parametrize("given", [None, "text", {"output": []}, ValueError("x"), []], ids=repr)
@pytest.mark.parametrize("draw", [show.calls, show.choice])
def test_what_is_no_response_is_told(draw: Any, given: Any) -> None:
    with pytest.raises(CourseError, match=f"takes a response.*not a {type(given).__name__}"):
        draw(given)


# Choice


def test_a_choice_is_explained() -> None:
    other = tool("track_parcel", "Latest scan of a parcel.", parcel_id={"type": "string"})
    shown = show.choice(ask(STOCK, other, STOCK_TOOL))
    text = repr(shown)
    assert "Simulated: the stand-in model's choice. Margin 0." in text
    candidates = [line for line in text.splitlines() if line.startswith(("get_", "track_"))]
    assert candidates[0].startswith("get_stock ✔")
    assert "▇" in candidates[0]
    assert candidates[1].startswith("track_parcel ")
    assert '"TR-40"' in text
    assert text.splitlines()[-1] == "Why: get_stock fits the request best."
    drawn = page(shown)
    assert drawn.tags.count("table") == 2
    assert "get_stock ✔" in drawn.texts


def test_no_choice_is_explained() -> None:
    shown = show.choice(ask(CHAT, STOCK_TOOL))
    assert "✔" not in repr(shown)
    assert repr(shown).splitlines()[-1] == "No call: no tool shares a word with it."


def test_a_call_without_arguments_is_a_call() -> None:
    shown = show.choice(ask("What is the opening time?", tool("opening_time", "The opening time.")))
    assert "opening_time ✔" in repr(shown)
    assert "No call" not in repr(shown)
    assert repr(shown).splitlines()[-1] == "Why: opening_time fits the request best."


def test_where_nothing_was_weighed_it_says_so() -> None:
    scripted = ask(CHAT, STOCK_TOOL, client=connect(Scripted([call("get_stock", {"sku": "A"})])))
    assert repr(show.choice(scripted)).splitlines()[-1] == (
        "Nothing was weighed: the script says so."
    )
    assert "Nothing was weighed: there is no tool" in repr(show.choice(ask(CHAT)))


def test_a_hostile_tool_is_shown_as_it_is() -> None:
    hostile = tool("get_stock", f"Units in stock. {HOSTILE}", sku=SKU | {"description": HOSTILE})
    drawn = page(show.choice(ask(f"script of stock TR-40 {HOSTILE}", hostile)))
    assert drawn.tags.count("table") in (1, 2)


def test_a_streamed_response_is_explained() -> None:
    client = connect()
    with client.responses.stream(model=MODEL, input=STOCK, tools=[STOCK_TOOL]) as stream:  # type: ignore[list-item]
        response = stream.get_final_response()
    assert "get_stock ✔" in repr(show.choice(response))
    *_, last = ask(STOCK, STOCK_TOOL, stream=True)
    assert "get_stock ✔" in repr(show.choice(last.response))


def test_a_response_to_await_is_explained() -> None:
    async def cell() -> Any:
        return await connect_async().responses.create(
            model=MODEL,
            input=STOCK,
            tools=[STOCK_TOOL],  # type: ignore[list-item]
        )

    assert "get_stock ✔" in repr(show.choice(asyncio.run(cell())))


def test_two_clients_with_equal_ids_are_told_apart() -> None:
    first, second = connect(), connect()
    in_stock = ask(STOCK, STOCK_TOOL, client=first)
    parcel = tool("track_parcel", "Latest scan of a parcel.", parcel_id={"type": "string"})
    scanned = ask("Latest scan of parcel PX-88?", parcel, client=second)
    assert in_stock.id == scanned.id
    assert "get_stock ✔" in repr(show.choice(in_stock))
    assert "track_parcel ✔" in repr(show.choice(scanned))


def test_two_clients_with_equal_ids_and_equal_answers_are_told_apart() -> None:
    clients = {name: connect() for name in ("get_stock", "get_price", "get_photo")}
    asked = {
        name: ask(CHAT, tool(name, "Of an article."), client=client)
        for name, client in clients.items()
    }
    assert len({response.id for response in asked.values()}) == 1
    assert len({response.output_text for response in asked.values()}) == 1
    for name, response in asked.items():
        assert name in repr(show.choice(response))


def test_the_right_turn_of_a_client_is_found() -> None:
    client = connect()
    responses = [ask(f"Is {sku} in stock?", STOCK_TOOL, client=client) for sku in ("A-1", "B-2")]
    assert '"A-1"' in repr(show.choice(responses[0]))
    assert '"B-2"' in repr(show.choice(responses[1]))


def test_a_response_from_elsewhere_is_told() -> None:
    response = ask(STOCK, STOCK_TOOL)
    recent_platforms.clear()
    with pytest.raises(CourseError, match=f"{response.id} was not made by a client of connect"):
        show.choice(response)


def test_a_live_response_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    scripted = ask(CHAT, client=connect(Scripted([message("as written")])))
    response = ask(STOCK, STOCK_TOOL)
    recent_platforms.popleft()
    monkeypatch.setenv("COURSE_LIVE", "1")
    assert "a live model tells no scores" in repr(show.choice(response))
    assert "the script says so" in repr(show.choice(scripted))  # it stays offline


# Errors


def refusal(**request: Any) -> openai.APIError:
    with pytest.raises(openai.APIError) as caught:
        connect().responses.create(model=MODEL, **request)
    return caught.value


def test_an_error_is_shown_with_what_to_change() -> None:
    nested = {"type": "function", "function": {"name": "get_stock"}}
    shown = show.error(refusal(input=CHAT, tools=[nested]))
    lines = repr(shown).splitlines()
    assert lines[2:6] == [
        "status   400 (BadRequestError)",
        "message  Missing required parameter: 'tools[0].name'.",
        "param    tools[0].name",
        "code     missing_required_parameter",
    ]
    assert lines[6].startswith("What to change: This is the Chat Completions shape.")
    assert page(shown).texts[-1] == lines[6]


def test_an_error_without_a_hint_has_no_note() -> None:
    shown = show.error(refusal(input=5))
    assert "What to change" not in repr(shown)
    assert len(repr(shown).splitlines()) == 6


def test_an_error_shows_hostile_words_as_they_are() -> None:
    drawn = page(show.error(refusal(input=CHAT, tools=[], tool_choice=HOSTILE)))
    assert "<script>" in "".join(drawn.texts)


def test_a_connection_that_failed_is_shown() -> None:
    error = openai.APIConnectionError(message="Connection error.", request=None)  # type: ignore[arg-type]
    assert "status   none (APIConnectionError)" in repr(show.error(error))
    assert "message  Connection error." in repr(show.error(error))


def test_what_is_no_error_of_the_client_is_told() -> None:
    with pytest.raises(CourseError, match="takes an error of the client, not a KeyError"):
        show.error(KeyError("x"))  # type: ignore[arg-type]
