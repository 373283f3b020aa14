"""What `show` draws: as text, as HTML in either theme, and never more than it was given."""

import asyncio
import re
from html.parser import HTMLParser
from typing import Any

import openai
import pytest

from course_lib import MODEL, connect, connect_agents, connect_async, show
from course_lib.home import CourseError
from course_lib.live import recent_platforms
from course_lib.show.views import Table
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
    styles = " ".join(drawn.styles).replace("border-top:1px solid", "")
    assert not re.search(r"color|background|border|#[0-9a-f]{3}|rgb", styles)
    return drawn


# Tables


def test_a_table_as_text() -> None:
    table = Table(
        {"name": "text", "n": "text"},
        [["a", "100"], ["longer", "2"]],
        caption="First.",
        note="Last.",
    )
    assert repr(table).splitlines() == [
        "First.",
        "name    n",
        "------  ---",
        "a       100",
        "longer  2",
        "Last.",
    ]


def test_a_table_as_html() -> None:
    table = Table({"name": "code"}, [["a"]], caption="First.", note="Last.")
    drawn = page(table)
    assert drawn.texts == ["First.", "name", "a", "Last."]
    assert sum("monospace" in style for style in drawn.styles) == 1


def test_a_table_escapes_every_part() -> None:
    drawn = page(Table({HOSTILE: "text"}, [[HOSTILE]], caption=HOSTILE, note=HOSTILE))
    assert drawn.texts == [HOSTILE] * 4
    assert drawn.tags.count("table") == 1


def test_numbers_stand_on_the_right() -> None:
    table = Table({"n": "number", "name": "text"}, [["7", "a"], ["100", "b"]])
    assert repr(table).splitlines() == ["  n  name", "---  ----", "  7  a", "100  b"]
    assert [style.split(";")[0] for style in page(table).styles[::2]] == ["text-align:right"] * 3


def test_a_group_begins_under_a_line() -> None:
    drawn = page(
        Table(
            {"turn": "text", "who": "text"},
            [["1", "you"], ["", "model"], ["2", "you"]],
            grouped=True,
        )
    )
    assert ["border-top" in style for style in drawn.styles[2::2]] == [True, False, True]


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


@pytest.mark.parametrize("draw", [show.calls, show.choice, show.trace, show.context])
def test_a_response_that_a_poor_server_sent_is_told(draw: Any) -> None:
    with pytest.raises(CourseError, match="not a Response without output"):
        draw(
            openai.types.responses.Response.construct(None)
        )  # the client takes any JSON for a response


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
    monkeypatch.setenv("OPENAI_API_KEY", "offline")
    assert "a live model tells no scores" in repr(show.choice(response))
    assert "the script says so" in repr(show.choice(scripted))  # it stays offline


# Runs: a trace, the context, a sequence


def order_tool(name: str) -> dict[str, Any]:
    return tool(name, "About an order.", order_id={"type": "string"})


QUESTION = "Why is order A-104 late?"
TOOLS = [order_tool("get_order"), order_tool("find_parcel")]
RESULTS = {"get_order": "promised 13 July", "find_parcel": "held in Lyon"}


def scripted() -> openai.OpenAI:
    calls = [call(name, {"order_id": "A-104"}) for name in RESULTS]
    return connect(Scripted([calls, message("A storm held it."), message("You are welcome.")]))


class Run:
    """A loop by hand over a script: two calls in a turn, then an answer."""

    def __init__(self) -> None:
        self.client = scripted()
        self.items: list[Any] = [{"role": "user", "content": QUESTION}]
        self.responses = []
        for _ in range(2):
            response = self.ask()
            self.responses.append(response)
            self.items += response.output
            self.items += [
                output(item.call_id, RESULTS[item.name])
                for item in response.output
                if item.type == "function_call"
            ]

    def ask(self, items: list[Any] | None = None, **more: Any) -> Any:
        return self.client.responses.create(
            model=MODEL,
            input=self.items if items is None else items,
            tools=TOOLS,  # type: ignore[arg-type]
            **more,
        )


def output(call_id: str, text: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": text}


STEPS = [
    ("1", "you", "message", QUESTION),
    ("", "model", "reasoning", "(not shown)"),
    ("", "model", "call", 'get_order {"order_id":"A-104"}'),
    ("", "model", "call", 'find_parcel {"order_id":"A-104"}'),
    ("2", "your code", "result", "get_order → promised 13 July"),
    ("", "your code", "result", "find_parcel → held in Lyon"),
    ("", "model", "reasoning", "(not shown)"),
    ("", "model", "message", "A storm held it."),
]


def traced(*run: Any) -> list[tuple[str, ...]]:
    """The rows of a trace, without the tokens."""
    shown = show.trace(*run)
    page(shown)
    return [(row[0], *row[3:]) for row in shown.rows]


def test_a_run_is_traced_from_whatever_is_held_of_it() -> None:
    run = Run()
    assert traced(*run.responses) == STEPS
    assert traced(run.responses) == STEPS
    assert traced(run.items) == STEPS
    assert traced(*run.items) == STEPS
    assert traced(run.items[0], *(r.to_dict() for r in run.responses))[:4] == STEPS[:4]
    assert traced([item if isinstance(item, dict) else item.to_dict() for item in run.items]) == (
        STEPS
    )


def test_a_live_run_is_traced_from_its_objects() -> None:
    run = Run()
    first, second = run.responses
    recent_platforms.clear()  # nothing here knows what was sent
    assert traced(QUESTION, first, run.items[4:6], second) == STEPS
    assert [row[2] for row in traced(first, second)] == [
        *("reasoning", "call", "call", "reasoning", "message")
    ]


def test_a_run_by_previous_response_id_reads_the_same() -> None:
    run = Run()
    run.client = scripted()
    first = run.ask(run.items[:1])
    second = run.ask(
        [output(item.call_id, RESULTS[item.name]) for item in first.output[1:]],
        previous_response_id=first.id,
    )
    assert traced(first, second) == STEPS


def test_tokens_stand_beside_each_turn() -> None:
    run = Run()
    usages = [response.usage for response in run.responses]
    rows = [row for row in show.trace(*run.responses).rows if row[0]]
    assert [row[1:3] for row in rows] == [
        [str(usage.input_tokens), str(usage.output_tokens)] for usage in usages
    ]


def test_equal_questions_are_runs_of_their_own() -> None:
    client = connect()
    responses = [ask(CHAT, client=client) for _ in range(2)]
    assert [row[:3] for row in traced(responses) if row[1] == "you"] == [
        ("1", "you", "message"),
        ("2", "you", "message"),
    ]


def test_an_answer_cut_off_says_so() -> None:
    client = connect(Scripted([message("word " * 50)]))
    response = client.responses.create(model=MODEL, input=CHAT, max_output_tokens=16)
    assert traced(response)[-1] == ("", "model", "incomplete", "max_output_tokens")


HOSTED: list[Any] = [
    {"role": "user", "content": "What changed?"},
    {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "docs", "tools": [{"name": "find"}]},
    {"type": "file_search_call", "id": "fs_1", "status": "completed", "queries": ["changes"],
     "results": [{"filename": "a.md", "text": "Returns take 30 days.", "score": 0.9}]},
    {"type": "web_search_call", "id": "ws_1", "status": "completed",
     "action": {"type": "search", "query": "changes"}},
    {"type": "mcp_call", "id": "mcp_1", "server_label": "docs", "name": "find",
     "arguments": '{"q":"x"}', "output": "nothing", "error": None, "status": "completed"},
    {"type": "mcp_approval_request", "id": "mcpr_1", "server_label": "docs", "name": "drop",
     "arguments": "{}"},
    {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": False,
     "reason": "no"},
    {"type": "program", "id": "cm_1", "call_id": "call_P", "code": "text(1)", "fingerprint": "f"},
    {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}",
     "caller": {"type": "program", "caller_id": "call_P"}},
    {"type": "function_call_output", "call_id": "call_1", "output": "5",
     "caller": {"type": "program", "caller_id": "call_P"}},
    {"type": "program_output", "id": "cmo_1", "call_id": "call_P", "result": "1"},
    {"type": "tool_search_call", "id": "tsc_1", "call_id": None, "execution": "server",
     "arguments": {"paths": ["crm"]}},
    {"type": "tool_search_output", "id": "tso_1", "call_id": None, "execution": "server",
     "tools": [{"type": "namespace", "name": "crm"}]},
    {"type": "of_tomorrow", "id": "x_1", "status": "completed", "weight": 3},
    {"type": "image_generation_call", "id": "ig_1", "result": "iVBORw0KGgo" * 5_000},
]  # fmt: skip


def test_hosted_items_are_drawn_by_their_names() -> None:
    rows = [row[1:] for row in traced(HOSTED)]
    assert rows[:-1] == [
        ("you", "message", "What changed?"),
        ("MCP docs", "list tools", "find"),
        ("model", "call", "changes"),
        ("hosted file search", "result", "Returns take 30 days."),
        ("model", "call", '{"type": "search", "query": "changes"}'),
        ("model", "call", 'find {"q":"x"}'),
        ("MCP docs", "result", "nothing"),
        ("model", "asks approval", "drop {}"),
        ("you", "denies", "no"),
        ("model", "call", "text(1)"),
        ("program", "call", "f {}"),
        ("your code", "result", "f → 5"),
        ("program", "result", "1"),
        ("model", "call", '{"paths": ["crm"]}'),
        ("hosted tool search", "result", "crm"),
        ("model", "of tomorrow", "3"),
        ("model", "call", ""),
    ]
    assert rows[-1][:2] == ("hosted image generation", "result")
    assert len(rows[-1][2]) == 160
    arrows = [line.split("  ")[0] for line in repr(show.sequence(HOSTED)).splitlines()]
    assert arrows[8:12] == [
        *("you → model", "model → program", "program → your code", "your code → program")
    ]


def test_a_program_that_is_sent_back_is_still_the_programs() -> None:
    written = call("programmatic_tool_calling", {"code": "text(await tools.get_stock({}))"})
    client = connect(Scripted([written, message("Five.")]))
    tools = [
        {"type": "programmatic_tool_calling"},
        STOCK_TOOL | {"allowed_callers": ["programmatic"]},
    ]
    first = ask(STOCK, *tools, client=client)
    asked = first.output[-1].to_dict()
    told = {"type": "function_call_output", "output": "5"}
    told |= {name: asked[name] for name in ("call_id", "caller")}
    given: Any = {"input": [told], "tools": tools}
    again = client.responses.create(model=MODEL, previous_response_id=first.id, **given)
    arrows = [line.split("  ")[0] for line in repr(show.sequence(again)).splitlines()]
    assert arrows == [
        "you → model", "model → program", "program → your code", "your code → program",
        "program → model", "model → you",
    ]  # fmt: skip


def test_a_long_run_shows_its_end() -> None:
    items = [{"role": "user", "content": f"line {n}"} for n in range(70)]
    shown = show.trace(items)
    assert shown.caption == "The first 20 steps are left out."
    assert shown.rows[-1][-1] == "line 69"
    assert repr(show.sequence(items)).splitlines()[0] == "The first 40 steps are left out."
    assert show.sequence(items)._repr_markdown_().startswith("*The first 40 steps are left out.*")


def test_a_client_to_await_is_traced() -> None:
    client = connect_async(Scripted([message("Good day.")]))
    response = asyncio.run(client.responses.create(model=MODEL, input=CHAT))
    assert traced(response)[-1] == ("", "model", "message", "Good day.")


def agents_run(*turns: Any, agent: Any = None, **more: Any) -> Any:
    from agents import Agent, Runner

    async def cell() -> Any:
        connect_agents(Scripted(list(turns)))
        return await Runner.run(agent or Agent(name="desk"), QUESTION, **more)

    return asyncio.run(cell())


def test_an_agents_run_is_traced_by_the_agents_names() -> None:
    from agents import Agent, function_tool

    def get_order(order_id: str) -> str:
        return f"{order_id} promised 13 July"

    orders = Agent(name="orders", tools=[function_tool(get_order)])
    triage = Agent(name="triage", handoffs=[orders])
    result = agents_run(
        call("transfer_to_orders", {}),
        call("get_order", {"order_id": "A-104"}),
        message("A storm held it."),
        agent=triage,
    )
    assert traced(result) == [
        ("1", "you", "message", QUESTION),
        ("", "triage", "call", "transfer_to_orders {}"),
        ("2", "triage", "handoff", "to orders"),
        ("", "orders", "call", 'get_order {"order_id":"A-104"}'),
        ("3", "your code", "result", "get_order → A-104 promised 13 July"),
        ("", "orders", "message", "A storm held it."),
    ]
    usage = [each.usage.input_tokens for each in result.raw_responses]
    assert [int(row[1]) for row in show.trace(result).rows if row[0]] == usage
    for item in result.new_items:  # as when a result has let go of its agents
        vars(item).update(agent=None, _agent_ref=None)
    assert traced(result)[1] == ("", "agent", "call", "transfer_to_orders {}")


def test_an_agents_run_that_waits_for_approval_is_traced() -> None:
    from agents import Agent, function_tool

    def refund(order_id: str) -> str:
        return "done"

    agent = Agent(name="desk", tools=[function_tool(refund, needs_approval=True)])
    result = agents_run(call("refund", {"order_id": "A-104"}), agent=agent)
    assert traced(result)[-1] == ("", "desk", "asks approval", 'refund {"order_id":"A-104"}')


def test_the_context_tells_new_tokens_from_those_sent_before() -> None:
    run = Run()
    first, second = (response.usage for response in run.responses)
    shown = show.context(*run.responses)
    page(shown)
    assert [list(map(int, row[:5])) for row in shown.rows[:2]] == [
        [1, 0, 0, first.input_tokens, first.output_tokens],
        [2, 0, first.input_tokens, second.input_tokens - first.input_tokens, second.output_tokens],
    ]
    assert shown.rows[2][:2] == ["all", "0"]
    assert int(shown.rows[2][3]) == second.input_tokens
    bars = [row[5] for row in shown.rows]
    assert set(bars[0]) == {"█", "▚"}
    assert list(dict.fromkeys(bars[1])) == ["▒", "█", "▚"]
    assert 40 <= len(bars[1]) <= 43
    assert "▒ sent before" in repr(shown)


def test_cached_tokens_stand_apart() -> None:
    client = connect(Scripted([message("a"), message("b")]))
    long = [{"role": "user", "content": "x " * 2_000}]
    responses = [
        client.responses.create(model=MODEL, input=items)  # type: ignore[arg-type]
        for items in (long, [*long, {"role": "user", "content": "and?"}])
    ]
    _, second, _ = show.context(*responses).rows
    cached, before, new = (int(cell.replace(",", "")) for cell in second[1:4])
    assert cached >= 1_024
    assert before == 0  # not the same conversation: nothing the model said is in it
    assert 0 < new < cached
    assert second[5].startswith("░")


def test_conversations_on_one_client_are_told_apart() -> None:
    client = connect()
    first = ask(STOCK, STOCK_TOOL, client=client)
    other = ask(CHAT, client=client)
    answer: Any = output(first.output[-1].call_id, "5")
    last = client.responses.create(
        model=MODEL,
        input=[answer],
        tools=[STOCK_TOOL],  # type: ignore[list-item]
        previous_response_id=first.id,
    )
    before = [int(row[2]) for row in show.context(first, other, last).rows[:3]]
    assert before == [0, 0, first.usage.input_tokens]


def test_a_conversation_is_read_as_one() -> None:
    client = connect(Scripted([message("Aye."), message("No.")]))
    name = client.conversations.create().id
    asked = [
        client.responses.create(model=MODEL, input=text, conversation=name)
        for text in ("Is it late?", "Is it lost?")
    ]
    assert [row for row in traced(*asked) if row[2] == "message"] == [
        ("1", "you", "message", "Is it late?"),
        ("", "model", "message", "Aye."),
        ("2", "you", "message", "Is it lost?"),
        ("", "model", "message", "No."),
    ]
    assert asked[0].usage is not None
    assert show.context(*asked).rows[1][2] == str(asked[0].usage.input_tokens)


def test_a_sequence_has_an_arrow_a_step() -> None:
    run = Run()
    shown = show.sequence(*run.responses)
    assert repr(shown).splitlines() == [
        f"you → model        {QUESTION}",
        'model → your code  get_order {"order_id":"A-104"}',
        'model → your code  find_parcel {"order_id":"A-104"}',
        "your code → model  get_order → promised 13 July",
        "your code → model  find_parcel → held in Lyon",
        "model → you        A storm held it.",
    ]
    drawn = shown._repr_markdown_().splitlines()
    assert drawn[:3] == [
        "```mermaid",
        "sequenceDiagram",
        "accTitle: 6 steps between you, model, your code",
    ]
    assert drawn[3:6] == [
        f"participant p{n} as {w}" for n, w in enumerate(["you", "model", "your code"])
    ]
    assert drawn[6] == f"p0->>p1: {QUESTION}"
    assert drawn[9] == "p2-->>p1: get_order → promised 13 July"


@pytest.mark.parametrize("text", [HOSTILE, "a;b#c\nend\n```\n%% x", "p0->>p1: x", "<br>" * 50])
def test_a_hostile_text_stays_in_its_place(text: str) -> None:
    item = {"type": "function_call", "call_id": "call_1", "name": text, "arguments": text}
    drawn = page(show.trace([item, output("call_1", text)]))
    assert drawn.tags.count("table") == 1
    lines = show.sequence([item, output("call_1", text)])._repr_markdown_().splitlines()
    assert len(lines) == 8
    for line in lines[5:7]:
        assert re.fullmatch(r"p\d--?>>p\d: (#\d+;|[^#;<>`%&\\])+", line)


@pytest.mark.parametrize("draw", [show.trace, show.context, show.sequence])
def test_what_is_no_run_is_told(draw: Any) -> None:
    given: Any
    for given in (None, 5, ValueError("x"), iter([]), {"a": 1}, ask(CHAT, stream=True)):
        with pytest.raises(CourseError, match=f"takes responses.*not a {type(given).__name__}"):
            draw(given)
    empty: Any
    for empty in ((), ([],)):
        with pytest.raises(CourseError, match="nothing in this run yet"):
            draw(*empty)


def test_items_alone_have_no_tokens() -> None:
    with pytest.raises(CourseError, match="give the responses"):
        show.context(Run().items)


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
