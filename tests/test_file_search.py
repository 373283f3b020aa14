"""File search: passages, what is shown of them, citations, grounded answers (contract D)."""

import json
from typing import Any

import pytest

from course_lib.platform.app import Platform
from course_lib.platform.http import WITH_KEY, Request
from course_lib.standin import Scripted, call, message
from course_lib.standin.answer import from_results
from course_lib.standin.history import Made
from tests.rejections import answer
from tests.test_hosted import Watched, events, kinds

Json = dict[str, Any]
DOCUMENTS = {
    "returns.md": "# Returns\n\nYou can send back any item within 30 days of delivery. It must be "
    "unused.\n\nRefunds go to the original payment method within five working days.",
    "shipping.md": "# Shipping\n\nOrders placed before 14:00 leave the same day. Standard delivery "
    "takes two to three working days and costs 4.95 euros.",
    "warranty.txt": "All electric appliances carry a warranty of three years. Batteries are "
    "covered for one year. Damage by water is not covered.",
}
RESULTS = ["file_search_call.results"]
REFUND = "When will my refund arrive?"


def post(platform: Platform, path: str, body: Json) -> Json:
    reply = platform.handle(Request("POST", path, json.dumps(body).encode()))
    made: Json = json.loads(b"".join(reply.chunks))
    assert reply.status == 200, made
    return made


def filled(platform: Platform) -> str:
    """A vector store with the documents, each of its own kind, ready to be searched."""
    store = post(platform, "/v1/vector_stores", {"name": "help"})
    for name, text in DOCUMENTS.items():
        lines = ["--X", 'Content-Disposition: form-data; name="purpose"', "", "assistants", "--X"]
        lines += [f'Content-Disposition: form-data; name="file"; filename="{name}"', "", text]
        headers = WITH_KEY | {"content-type": "multipart/form-data; boundary=X"}
        body = "\r\n".join([*lines, "--X--", ""]).encode()
        reply = platform.handle(Request("POST", "/v1/files", body, headers))
        file_id = json.loads(b"".join(reply.chunks))["id"]
        attributes = {"kind": name.partition(".")[0]}
        added = {"file_id": file_id, "attributes": attributes}
        post(platform, f"/v1/vector_stores/{store['id']}/files", added)
    platform.state.now += 10
    return str(store["id"])


def asked(platform: Platform, store: str | None = None, **fields: Any) -> Json:
    tool = {"type": "file_search", "vector_store_ids": [store or filled(platform)]}
    tool |= fields.pop("tool", {})
    body = {"model": "gpt-5.4", "input": REFUND, "tools": [tool], "include": RESULTS} | fields
    return answer(platform, body)


def said(response: Json) -> Json:
    part: Json = response["output"][-1]["content"][0]
    return part


def test_an_answer_is_grounded_and_cites_the_file_at_the_place_of_the_full_stop() -> None:
    response = asked(Platform())
    assert kinds(response) == ["file_search_call", "message"]
    part = said(response)
    assert part["text"].startswith("Refunds go to the original payment method")
    (cited,) = part["annotations"]
    assert (cited["type"], cited["filename"]) == ("file_citation", "returns.md")
    assert part["text"][cited["index"]] == "."


@pytest.mark.parametrize(("question", "words"), [
    ("How long do I have to return something?", "within 30 days"),
    ("What does delivery cost?", "4.95 euros"),
    ("Is damage by water covered?", "Damage by water is not covered."),
])  # fmt: skip
def test_the_sentence_that_answers_is_said(question: str, words: str) -> None:
    assert words in said(asked(Platform(), input=question))["text"]


def test_what_the_documents_do_not_say_is_not_made_up() -> None:
    part = said(asked(Platform(), input="Who founded the company?"))
    assert part["text"] == "I searched, and found nothing that answers this."
    assert part["annotations"] == []


def test_the_item_has_the_queries_and_its_results_on_request() -> None:
    platform = Platform()
    item = asked(platform)["output"][0]
    assert item["queries"] == ["When will my refund arrive", "refund arrive"]
    best = item["results"][0]
    assert set(best) == {"attributes", "file_id", "filename", "score", "text"}
    assert (best["filename"], best["attributes"]) == ("returns.md", {"kind": "returns"})
    scores = [result["score"] for result in item["results"]]
    assert scores == sorted(scores, reverse=True)
    assert asked(platform, include=[])["output"][0]["results"] is None


def test_the_model_reads_the_passages_whether_they_are_shown_or_not() -> None:
    model = Watched(call("file_search", {"queries": ["refund"]}), message("Five days."))
    asked(Platform(model=model), include=[])
    assert "five working days" in model.prompts[1].items[-1]["output"]


def test_the_entry_narrows_the_search_and_is_echoed_with_its_defaults() -> None:
    platform = Platform()
    store = filled(platform)
    whole = asked(platform, store)
    assert whole["tools"] == [
        {
            "type": "file_search",
            "filters": None,
            "max_num_results": 20,
            "ranking_options": {"ranker": "auto", "score_threshold": 0},
            "vector_store_ids": [store],
        }
    ]
    assert len(asked(platform, store, tool={"max_num_results": 1})["output"][0]["results"]) == 1
    only = {"filters": {"type": "eq", "key": "kind", "value": "warranty"}}
    found = asked(platform, store, tool=only)["output"][0]["results"]
    assert {result["filename"] for result in found} == {"warranty.txt"}
    high = {"ranking_options": {"score_threshold": 1.0}}
    assert asked(platform, store, tool=high)["output"][0]["results"] == []


def test_a_call_that_was_stored_is_read_again_and_cited_again() -> None:
    source = asked(Platform())["output"][0]["results"][0]["file_id"]  # the same on any platform
    cites = message("In five days.") | {"citations": [{"start": 0, "end": 13, "source": source}]}
    platform = Platform(
        model=Scripted([call("file_search", {"queries": ["refund"]}), cites, cites])
    )
    first = asked(platform)
    store = first["tools"][0]["vector_store_ids"][0]
    second = asked(platform, store, input="Sure?", previous_response_id=first["id"])
    assert kinds(second) == ["message"]
    assert said(second)["annotations"] == said(first)["annotations"]
    assert said(first)["annotations"][0]["index"] == len("In five days")


def test_the_stream_tells_each_stage() -> None:
    platform = Platform()
    tool = {"type": "file_search", "vector_store_ids": [filled(platform)]}
    told = events(platform, input=REFUND, tools=[tool], include=RESULTS)
    names = [event["type"].removeprefix("response.") for event in told]
    assert names[2:7] == [
        "output_item.added",
        "file_search_call.in_progress",
        "file_search_call.searching",
        "file_search_call.completed",
        "output_item.done",
    ]
    assert (told[2]["item"]["queries"], told[2]["item"]["results"]) == ([], None)
    assert told[6]["item"]["results"]
    assert "output_text.annotation.added" in names


def test_of_two_searches_the_documents_come_first_unless_the_news_is_asked_for() -> None:
    platform = Platform()
    tools = [
        {"type": "web_search"},
        {"type": "file_search", "vector_store_ids": [filled(platform)]},
    ]
    assert kinds(asked(platform, "", tools=tools)) == ["file_search_call", "message"]
    news = asked(platform, "", tools=tools, input="What is the weather in Utrecht today?")
    assert kinds(news) == ["web_search_call", "message"]


# --- The grounded answer, whatever tool the passages come from


def made(*passages: Json) -> Made:
    return Made("search", {}, list(passages), "")


def test_two_sentences_of_two_sources_are_cited_each() -> None:
    found = from_results(
        "Which belts are red?",
        [
            made(
                {"text": "Long belts are red.", "url": "a"},
                {"text": "The sky is blue.", "url": "b"},
                {"text": "Short belts are red too.", "url": "c"},
            )
        ],
    )
    assert found["text"] == "Long belts are red. Short belts are red too."
    spans = [found["text"][c["start"] : c["end"]] for c in found["citations"]]
    assert spans == ["Long belts are red.", "Short belts are red too."]
    assert [c["source"] for c in found["citations"]] == ["a", "c"]


def test_what_other_tools_returned_is_said_as_well() -> None:
    order = Made("get_order", {}, {"order_id": "A-104"}, "")
    found = from_results("Which belts are red?", [order, made({"text": "Red belts.", "url": "a"})])
    (cited,) = found["citations"]
    assert found["text"][: cited["start"]] == "According to get_order: order id A-104. "
    assert found["text"][cited["start"] :] == "Red belts."


def test_what_holds_no_passages_is_answered_as_before() -> None:
    for result in ({"order_id": "A-104"}, [{"text": "no source"}]):
        said = from_results("Why?", [Made("look_up", {}, result, "")])
        assert said["text"].startswith("According to look_up")
        assert "citations" not in said
