"""Hosted tools: the turn that runs them, and what each one does (contract B, C, D)."""

import json
from typing import Any

import httpx2
import pytest

from course_lib import web
from course_lib.platform.app import Platform
from course_lib.platform.http import Request
from course_lib.standin import Scripted, call, message
from course_lib.standin.prompt import Answer, Prompt
from course_lib.web import offline_web
from tests.rejections import answer

Json = dict[str, Any]
PLAIN = "gpt-5.4"  # does not reason unless asked to
WEB: Json = {"type": "web_search"}
LATE = "Why do parcels that pass through Utrecht arrive late?"
HUB = "https://parcelway.example/news/utrecht-hub"


def scripted(*turns: Json | list[Json]) -> Platform:
    return Platform(model=Scripted(list(turns)))


def asked(platform: Platform, **fields: Any) -> Json:
    return answer(platform, {"model": PLAIN, "input": LATE, "tools": [WEB]} | fields)


def kinds(response: Json) -> list[str]:
    return [item["type"] for item in response["output"]]


def events(platform: Platform, **fields: Any) -> list[Json]:
    body = {"model": PLAIN, "input": LATE, "tools": [WEB], "stream": True} | fields
    reply = platform.handle(Request("POST", "/v1/responses", json.dumps(body).encode()))
    told = b"".join(reply.chunks).decode()
    return [json.loads(line[6:]) for line in told.split("\n") if line.startswith("data: ")]


def function(name: str, description: str, **parameters: str) -> Json:
    properties = {key: {"type": "string", "description": text} for key, text in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "name": name, "description": description, "parameters": schema}


class Watched:
    """A script that keeps what the model was shown, and so what a hosted tool let it read."""

    def __init__(self, *turns: Json | list[Json]) -> None:
        self.script, self.prompts = Scripted(list(turns)), []  # type: ignore[var-annotated]

    def respond(self, prompt: Prompt) -> Answer:
        self.prompts.append(
            Prompt(prompt.instructions, list(prompt.items), list(prompt.tools), prompt.tool_choice)
        )
        return self.script.respond(prompt)


# --- The turn


def test_a_hosted_call_is_run_and_the_model_is_asked_again_in_the_same_turn() -> None:
    model = Watched(call("web_search", {"query": "late parcels Utrecht"}), message("The belt."))
    response = asked(Platform(model=model))
    assert kinds(response) == ["web_search_call", "message"]
    first, second = model.prompts
    assert len(second.items) == len(first.items) + 2
    made, read = second.items[-2:]
    assert (made["name"], json.loads(made["arguments"])["query"]) == (
        "web_search",
        "late parcels Utrecht",
    )
    assert json.loads(read["output"])["results"][0]["url"] == HUB


def test_a_model_that_reasons_does_so_before_each_step() -> None:
    platform = scripted(call("web_search", {"query": "belt"}), message("The belt."))
    response = asked(platform, model="gpt-5")
    assert kinds(response) == ["reasoning", "web_search_call", "reasoning", "message"]


def test_a_function_of_the_client_ends_the_turn() -> None:
    platform = scripted([call("web_search", {"query": "belt"}), call("save", {})])
    save = {"type": "function", "name": "save", "parameters": {"type": "object", "properties": {}}}
    assert kinds(asked(platform, tools=[WEB, save])) == ["web_search_call", "function_call"]


def test_every_step_reads_the_prompt_and_the_result_counts() -> None:
    steps = [call("web_search", {"query": "belt Utrecht"}), message("The belt.")]
    once = asked(scripted(message("The belt.")))["usage"]["input_tokens"]
    twice = asked(scripted(*steps))["usage"]["input_tokens"]
    assert twice > 2 * once


def test_max_tool_calls_takes_the_hosted_tools_away() -> None:
    model = Watched(call("web_search", {"query": "belt"}), message("Enough."))
    asked(Platform(model=model), max_tool_calls=1)
    assert [[tool["name"] for tool in prompt.tools] for prompt in model.prompts] == [
        ["web_search"],
        [],
    ]


def test_what_the_client_runs_is_offered_when_the_hosted_calls_are_used_up() -> None:
    model = Watched(call("web_search", {"query": "belt"}), message("Enough."))
    own = [{"type": name} for name in ("shell", "local_shell", "apply_patch")]
    asked(Platform(model=model), max_tool_calls=1, tools=[WEB, function("save", "Save."), *own])
    left = [tool["name"] for tool in model.prompts[1].tools]
    assert left == ["save", "shell", "local_shell", "apply_patch"]


def test_a_model_that_only_searches_comes_to_an_end() -> None:
    class Restless:
        def respond(self, prompt: Prompt) -> Answer:
            said = call("web_search", {"query": "belt"}) if prompt.tools else message("I give up.")
            return Answer([said])

    output = asked(Platform(model=Restless()))["output"]
    assert output[-1]["type"] == "message"
    assert len(output) == 25


def test_a_forced_choice_holds_for_the_first_step_alone() -> None:
    for choice in ("required", WEB, {"type": "allowed_tools", "mode": "required", "tools": [WEB]}):
        response = asked(Platform(), tool_choice=choice)
        assert kinds(response) == ["web_search_call", "message"]
        assert response["tool_choice"] == choice
    assert kinds(asked(Platform(), tool_choice="none")) == ["message"]


def test_what_was_found_is_still_read_in_the_next_turn() -> None:
    model = Watched(call("web_search", {"query": "belt"}), message("The belt."), message("Friday."))
    platform = Platform(model=model)
    first = asked(platform)
    asked(platform, input="Until when?", previous_response_id=first["id"])
    seen = [item.get("output") for item in model.prompts[-1].items]
    assert any(output and HUB in output for output in seen)


def test_of_a_call_that_was_not_stored_the_model_reads_what_the_item_shows() -> None:
    model = Watched(call("web_search", {"query": "belt"}), message("The belt."), message("Friday."))
    platform = Platform(model=model)
    first = asked(platform, store=False)
    asked(platform, input=[*first["output"], {"role": "user", "content": "Until when?"}])
    result = next(item for item in model.prompts[-1].items if "output" in item)
    assert "belt" in result["output"]
    assert HUB not in result["output"]


def test_tokens_that_run_out_stop_the_turn_before_the_tool() -> None:
    response = asked(scripted(call("web_search", {"query": "x " * 40})), max_output_tokens=16)
    assert (response["status"], response["output"]) == ("incomplete", [])


def test_an_annotation_of_what_was_cut_off_is_gone() -> None:
    whole = asked(Platform())["output"][-1]["content"][0]
    assert whole["annotations"]
    response = asked(Platform(), max_output_tokens=24)
    part = response["output"][-1]["content"][0]
    assert response["status"] == "incomplete"
    assert (part["annotations"], len(part["text"]) < len(whole["text"])) == ([], True)


@pytest.mark.parametrize(("request_", "called"), [
    ("Search for the orders of customer C-7.", "find_orders"),
    ("Add the items 12, 15 and 31 to order C-7.", "add_items"),
    ("Search the web for the orders of customer C-7.", "web_search"),
    ("Calculate the shipping of order C-7.", "shipping"),
    ("Calculate the sum of 12, 15 and 31.", "code_interpreter"),
    ("How far away is the Moon?", "web_search"),
])  # fmt: skip
def test_a_function_that_fits_is_called_unless_the_other_is_plainly_wanted(
    request_: str, called: str
) -> None:
    tools = [
        {"type": "code_interpreter", "container": {"type": "auto"}},
        WEB,
        function("find_orders", "Find the orders of a customer.", customer_id="The customer's id."),
        function("shipping", "Calculate the shipping of an order.", order_id="The order."),
        function("add_items", "Add items to an order.", items="The items.", order_id="The order."),
    ]
    platform = Platform()
    asked(platform, input=request_, tools=tools)
    explanation = platform.exchanges[-1].explanation
    assert explanation is not None
    assert {argument.tool for argument in explanation.arguments} == {called}


# --- Web search


def test_an_answer_cites_the_page_in_a_link_that_the_span_covers() -> None:
    for model in (PLAIN, "gpt-5"):
        said = asked(Platform(), model=model)["output"][-1]["content"][0]
        (cited,) = said["annotations"]
        link = said["text"][cited["start_index"] : cited["end_index"]]
        assert link == f"([parcelway.example]({HUB}?utm_source=openai))"
        assert cited["url"] == f"{HUB}?utm_source=openai"
        assert cited["title"] == "Sorting hub in Utrecht slowed by a broken belt"
        assert said["text"].startswith("Parcels that pass through Utrecht arrive two to three days")


def test_what_the_web_does_not_know_is_not_made_up() -> None:
    said = asked(Platform(), input="Who won the chess championship in 1987?")["output"][-1]
    assert said["content"][0]["text"] == "I searched, and found nothing that answers this."


def test_small_talk_is_not_looked_up() -> None:
    assert kinds(asked(Platform(), input="Thanks, that was great!")) == ["message"]


def test_a_page_is_opened_and_words_are_found_in_it() -> None:
    opened = asked(Platform(), input=f"Open {HUB} and tell me when the belt runs again.")
    assert opened["output"][0]["action"] == {"type": "open_page", "url": HUB}
    assert "17 July 2026" in opened["output"][-1]["content"][0]["text"]
    found = asked(Platform(), input=f'Find "on a van" in {HUB}.')
    action = {"type": "find_in_page", "url": HUB, "pattern": "on a van"}
    assert found["output"][0]["action"] == action


@pytest.mark.parametrize(
    "url", ["https://no.example/", "http://localhost:8080/admin", "https://links.example/offer"]
)
def test_a_page_that_is_not_there_or_is_private_is_not_opened(url: str) -> None:
    response = asked(Platform(), input=f"Open {url} and tell me what it says.")
    assert "could not be opened" in response["output"][-1]["content"][0]["text"]


def test_sources_and_results_are_shown_on_request() -> None:
    plain = asked(Platform())["output"][0]
    assert set(plain["action"]) == {"type", "query", "queries"}
    wanted = ["web_search_call.action.sources", "web_search_call.results"]
    shown = asked(Platform(), include=wanted)["output"][0]
    assert {"type": "url", "url": HUB} in shown["action"]["sources"]
    assert shown["results"][0]["url"] == HUB


def test_domains_narrow_the_search_and_a_place_is_near() -> None:
    narrow = WEB | {"filters": {"allowed_domains": ["rights.example"]}}
    wanted: Json = {"include": ["web_search_call.action.sources"], "input": "My parcel is late."}
    for tool, hosts in ((WEB, 2), (narrow, 1)):
        wanted["tool_choice"] = "required"
        action = asked(Platform(), tools=[tool], **wanted)["output"][0]["action"]
        assert len({source["url"].split("/")[2] for source in action["sources"]}) >= hosts
    assert all(source["url"].startswith("https://rights") for source in action["sources"])
    near = WEB | {"user_location": {"type": "approximate", "city": "New York"}}
    said = asked(Platform(), tools=[near], input="What is the weather?")["output"][-1]
    assert said["content"][0]["text"].startswith("New York, Tuesday 14 July 2026")


def test_the_size_of_the_context_decides_how_much_is_read() -> None:
    read = []
    for size in ("low", "medium", "high"):
        tools = [WEB | {"search_context_size": size}]
        read.append(asked(Platform(), tools=tools)["usage"]["input_tokens"])
    assert read == sorted(set(read))


def test_a_search_is_billed_and_the_entry_is_echoed_with_its_defaults() -> None:
    response = asked(Platform())
    assert response["tool_usage"]["web_search"] == {"num_requests": 1}
    place = {"city": None, "country": "US", "region": None, "timezone": None}
    assert response["tools"] == [
        {
            "type": "web_search",
            "search_context_size": "medium",
            "user_location": {"type": "approximate", **place},
            "filters": None,
            "return_token_budget": "default",
        }
    ]


def test_the_stream_tells_each_stage_and_each_annotation() -> None:
    told = events(Platform())
    names = [event["type"].removeprefix("response.") for event in told]
    assert names[2:7] == [
        "output_item.added",
        "web_search_call.in_progress",
        "web_search_call.searching",
        "web_search_call.completed",
        "output_item.done",
    ]
    assert "action" not in told[2]["item"]
    assert told[6]["item"]["action"]["type"] == "search"
    place = names.index("output_text.annotation.added")
    assert names[place + 1] == "output_text.done"
    assert (
        told[place]["annotation"]
        == told[-1]["response"]["output"][1]["content"][0]["annotations"][0]
    )


def test_a_search_of_the_learners_own_is_answered_from_too_without_annotations() -> None:
    parameters = {"type": "object", "properties": {"query": {"type": "string"}}}
    tool = {"type": "function", "name": "search_docs", "parameters": parameters}
    given = [
        {"role": "user", "content": "How heavy may a parcel be?"},
        {"type": "function_call", "call_id": "c", "name": "search_docs", "arguments": "{}"},
        {
            "type": "function_call_output",
            "call_id": "c",
            "output": json.dumps(
                [
                    {"title": "Limits", "text": "A parcel may weigh 31.5 kg.", "filename": "a.md"},
                    {"title": "Hub", "text": "The belt is broken.", "filename": "b.md"},
                ]
            ),
        },
    ]
    (said,) = asked(Platform(), input=given, tools=[tool])["output"]
    assert said["content"][0]["text"] == "A parcel may weigh 31.5 kg."
    assert said["content"][0]["annotations"] == []


def test_an_answer_in_json_stays_json_and_has_no_links_in_it() -> None:
    form = {"type": "json_schema", "name": "a", "strict": True, "schema": {
        "type": "object", "properties": {"reason": {"type": "string"}},
        "required": ["reason"], "additionalProperties": False,
    }}  # fmt: skip
    said = asked(Platform(), text={"format": form})["output"][-1]["content"][0]
    assert set(json.loads(said["text"])) == {"reason"}
    assert said["annotations"] == []


# --- The offline web


def test_every_page_is_invented_and_every_redirect_leads_somewhere() -> None:
    for url, page in web.pages().items():
        assert page.hidden or ".example/" in url
        assert not page.moved_to or page.moved_to in web.pages()
        assert page.moved_to or page.text


def test_an_ordinary_client_browses_it() -> None:
    with offline_web() as client:
        page = client.get(HUB)
        assert (page.status_code, "broken belt" in page.text) == (200, True)
        assert client.get("https://parcelway.example/nothing").status_code == 404
        moved = client.get("https://parcelway.example/tracking")
        assert (moved.status_code, moved.headers["location"]) == (
            301,
            "https://parcelway.example/help/tracking",
        )
        assert client.post(HUB).status_code == 405
        with pytest.raises(httpx2.ConnectError, match=r"example\.org is not on the offline web"):
            client.get("https://example.org/")
    with offline_web(follow_redirects=True) as client:
        assert "out for delivery" in client.get("https://parcelway.example/tracking").text.lower()
        assert "Token" in client.get("https://links.example/offer").text
