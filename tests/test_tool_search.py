"""Deferred tools, namespaces and searches for tools; custom tools (contract A5, D)."""

import json
from typing import Any

import pytest
from openai import OpenAI
from openai.types.responses import NamespaceTool

from course_lib import connect
from course_lib.platform.app import Platform
from course_lib.standin import Scripted, call, message
from tests.rejections import answer
from tests.test_hosted import Watched, events, function, kinds, scripted

Json = dict[str, Any]
SEARCH: Json = {"type": "tool_search"}
OWN: Json = {"type": "tool_search", "execution": "client", "description": "Find a tool.",
             "parameters": {"type": "object", "properties": {"goal": {"type": "string"}}}
             }  # fmt: skip
RATE = function("get_rate", "Look up an exchange rate.", pair="Such as USD/EUR")
STOCK = function("get_stock", "Look up the price of a share.", ticker="Such as ABC")
LATER, STOCK_LATER = RATE | {"defer_loading": True}, STOCK | {"defer_loading": True}
BANK: Json = {"type": "namespace", "name": "bank", "description": "Money matters.",
              "tools": [STOCK, LATER]}  # fmt: skip
MATH: Json = {"type": "custom", "name": "math", "description": "Compute an expression."}
PAIR = {"pair": "USD/EUR"}


def asked(platform: Platform, *tools: Json, **fields: Any) -> Json:
    """What a model that does not reason makes of it."""
    return answer(platform, {"model": "gpt-5.4", "input": "Go on.", "tools": tools, **fields})


def seen(watched: Watched, turn: int = -1) -> list[str]:
    return [tool["name"] for tool in watched.prompts[turn].tools]


def test_a_hosted_search_loads_and_calls_in_one_response() -> None:
    model = Watched(call("tool_search", {"paths": ["get_rate"]}), call("get_rate", PAIR))
    reply = asked(Platform(model=model), SEARCH, LATER, STOCK_LATER)
    assert kinds(reply) == ["tool_search_call", "tool_search_output", "function_call"]
    search, found, called = reply["output"]
    assert search["arguments"] == {"paths": ["get_rate"]}
    assert (search["execution"], search["call_id"], found["call_id"]) == ("server", None, None)
    assert [tool["name"] for tool in found["tools"]] == ["get_rate"]
    assert (called["name"], called["namespace"]) == ("get_rate", "get_rate")
    assert seen(model, 0) == ["tool_search"]  # nothing deferred can be called
    assert sorted(seen(model)) == ["get_rate", "tool_search"]  # get_stock could still be found


def test_before_the_search_the_model_sees_names_and_descriptions_only() -> None:
    model = Watched(message("Hello."))
    asked(Platform(model=model), SEARCH, LATER, BANK)
    search, stock = model.prompts[0].tools
    assert search["deferred"] == [
        {"path": "get_rate", "description": "Look up an exchange rate."},
        {"path": "bank", "description": "Money matters."},
    ]
    assert "USD/EUR" not in json.dumps(search)
    assert (stock["name"], stock["namespace"]) == ("get_stock", "bank")  # it was not deferred


def test_a_namespace_is_reduced_to_what_was_loaded() -> None:
    script = [call("tool_search", {"paths": ["bank"]}), call("get_rate", PAIR)]
    reply = asked(scripted(*script), SEARCH, BANK)
    [namespace] = reply["output"][1]["tools"]
    assert [tool["name"] for tool in namespace["tools"]] == ["get_rate"]
    assert reply["output"][2]["namespace"] == "bank"


def test_two_namespaces_may_have_a_function_of_the_same_name() -> None:
    other = {"type": "namespace", "name": "fund", "description": "Funds.", "tools": [STOCK]}
    model = Watched(call("fund.get_stock", {"ticker": "ABC"}))
    reply = asked(Platform(model=model), BANK | {"tools": [STOCK]}, other)
    assert seen(model) == ["get_stock", "fund.get_stock"]
    [called] = reply["output"]
    assert (called["name"], called["namespace"]) == ("get_stock", "fund")


def test_what_was_loaded_stays_loaded_and_the_reply_shows_it() -> None:
    model = Watched(
        call("tool_search", {"paths": ["get_rate"]}), message("Found."), call("get_rate", PAIR)
    )
    platform = Platform(model=model)
    first = asked(platform, SEARCH, LATER)
    shown = {(tool["type"], tool.get("defer_loading")) for tool in first["tools"]}
    assert shown == {("function", True), ("tool_search", None)}
    second = asked(platform, SEARCH, LATER, previous_response_id=first["id"])
    assert kinds(second) == ["function_call"]
    search, namespace = second["tools"]
    assert search == {"type": "tool_search", "description": None, "parameters": None}
    assert (namespace["type"], namespace["name"]) == ("namespace", "get_rate")
    assert "defer_loading" not in namespace["tools"][0]
    assert seen(model) == ["get_rate"]  # there is nothing left to search for


def test_a_namespace_made_of_a_function_without_a_description_has_none_to_tell() -> None:
    platform = scripted(call("tool_search", {"paths": ["math"]}), message("Found."), message("Hm."))
    later = {"type": "custom", "name": "math", "defer_loading": True}
    first = asked(platform, SEARCH, later)
    second = asked(platform, SEARCH, later, previous_response_id=first["id"])
    shown = NamespaceTool.model_validate(second["tools"][-1])
    assert (shown.name, shown.description) == ("math", "")


def test_loading_leaves_the_cached_prefix_as_it_was() -> None:
    long = [function(f"tool_{n}", "Words to fill a prompt. " * 30, a="A word.") for n in range(9)]
    script = [call("tool_search", {"paths": ["get_rate"]}), message("Found."), message("Done.")]
    platform = scripted(*script)
    first = asked(platform, SEARCH, LATER, *long)
    second = asked(platform, SEARCH, LATER, *long, previous_response_id=first["id"])
    assert second["usage"]["input_tokens_details"]["cached_tokens"] >= 1024


def test_a_search_for_what_is_not_there_finds_nothing() -> None:
    model = Watched(call("tool_search", {"paths": ["nothing"]}), message("There is none."))
    reply = asked(Platform(model=model), SEARCH, LATER)
    assert reply["output"][1]["tools"] == []
    assert "There is no such tool." in model.prompts[-1].items[-1]["output"]


def test_a_search_of_the_clients_own_ends_the_turn() -> None:
    model = Watched(
        [call("tool_search", {"goal": "rates"}), message("I look.")], call("get_rate", PAIR)
    )
    platform = Platform(model=model)
    first = asked(platform, OWN, LATER)
    search = first["output"][0]
    assert (search["execution"], search["arguments"]) == ("client", {"goal": "rates"})
    assert model.prompts[0].tools[0]["parameters"] == OWN["parameters"]
    found = {"type": "tool_search_output", "execution": "client", "call_id": search["call_id"],
             "status": "completed", "tools": [LATER]}  # fmt: skip
    second = asked(platform, OWN, LATER, input=[found], previous_response_id=first["id"])
    [called] = second["output"]
    assert called["name"] == "get_rate"
    assert "namespace" not in called  # it stands beside the declared ones
    assert sorted(seen(model)) == ["get_rate", "tool_search"]
    read = [item["type"] for item in model.prompts[-1].items]
    assert read == ["message", "function_call", "message", "function_call_output"][-len(read) :]


def test_a_stream_tells_of_a_search_when_it_begins_and_when_it_is_done() -> None:
    platform = scripted(call("tool_search", {"paths": ["get_rate"]}), message("Found."))
    told = events(platform, tools=[SEARCH, LATER])
    added = [event["item"] for event in told if event["type"].endswith("item.added")]
    assert [item["type"] for item in added[:2]] == ["tool_search_call", "tool_search_output"]
    assert (added[0]["status"], added[0]["arguments"]) == ("in_progress", {})
    assert not [event for event in told if "tool_search" in event["type"]]


# --- custom tools ---------------------------------------------------------------------------------


@pytest.fixture
def client() -> OpenAI:
    return connect(model=Scripted([call("math", {"input": "4 + 4"}), message("It is 8.")]))


def test_a_custom_tool_is_called_with_a_text(client: OpenAI) -> None:
    first = client.responses.create(model="gpt-5.4", input="Add.", tools=[MATH])  # type: ignore[list-item]
    [called] = first.output
    assert called.type == "custom_tool_call"
    assert (called.name, called.input, called.id[:4]) == ("math", "4 + 4", "ctc_")  # type: ignore[index]
    assert first.tools[0].to_dict()["format"] == {"type": "text"}
    result: Any = {"type": "custom_tool_call_output", "call_id": called.call_id, "output": "8"}
    second = client.responses.create(
        model="gpt-5.4",
        input=[result],
        previous_response_id=first.id,
        tools=[MATH],  # type: ignore[list-item]
    )
    assert second.output_text == "It is 8."


def test_a_custom_call_streams_its_input() -> None:
    told = events(scripted(call("math", {"input": "4 + 4"})), tools=[MATH])
    kind = "response.custom_tool_call_input"
    said = "".join(event["delta"] for event in told if event["type"] == f"{kind}.delta")
    [done] = [event for event in told if event["type"] == f"{kind}.done"]
    assert said == done["input"] == "4 + 4"


def test_a_custom_call_is_cut_where_the_tokens_end() -> None:
    script = scripted(call("math", {"input": "1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10"}))
    reply = asked(script, MATH, max_output_tokens=16)
    [called] = reply["output"]
    assert (reply["status"], called["status"]) == ("incomplete", "incomplete")
    assert called["input"].startswith("1 + 2")
    assert reply["usage"]["output_tokens"] == 16


def test_a_custom_call_in_a_namespace_may_be_deferred() -> None:
    space = BANK | {"tools": [MATH | {"defer_loading": True}]}
    script = [call("tool_search", {"paths": ["bank"]}), call("math", {"input": "1"})]
    reply = asked(scripted(*script), SEARCH, space)
    assert reply["output"][2]["type"] == "custom_tool_call"
    assert reply["output"][2]["namespace"] == "bank"
