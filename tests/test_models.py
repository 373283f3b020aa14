"""`/v1/models`, and the key that every request carries."""

import openai
import pytest
from openai import OpenAI

from course_lib import connect
from course_lib.platform.app import Platform
from course_lib.platform.http import Request
from course_lib.platform.models import MODELS
from course_lib.transport import OFFLINE
from tests.test_streams import Description, described, description  # noqa: F401


def test_the_list_has_every_model_by_name_and_by_snapshot() -> None:
    names = [model.id for model in connect().models.list()]
    assert {*MODELS, "gpt-5-2025-08-07", "text-embedding-3-small"} <= set(names)
    assert len(names) == len(set(names))


def test_a_model_was_created_on_the_day_of_its_snapshot() -> None:
    for name in ("gpt-5", "gpt-5-2025-08-07"):
        model = connect().models.retrieve(name)
        assert (model.id, model.created, model.owned_by) == (name, 1_754_524_800, "openai")


def test_an_unknown_model_is_not_found() -> None:
    with pytest.raises(openai.NotFoundError, match="The model 'gpt-9' does not exist"):
        connect().models.retrieve("gpt-9")


@described
def test_the_description_accepts_the_list(description: Description) -> None:  # noqa: F811
    listed = connect().models.list().to_dict()
    assert description.complaints("ListModelsResponse", listed) == []


@pytest.mark.parametrize("key", ["offline", "sk-proj-0aZ_9-x", "x"])
def test_any_key_will_do(key: str) -> None:
    client = OpenAI(**(OFFLINE | {"api_key": key}), http_client=connect()._client)
    assert client.models.list().data


@pytest.mark.parametrize("key", ["YOUR_API_KEY", "<key>", "sk-...", "$OPENAI_API_KEY"])
def test_a_placeholder_is_no_key(key: str) -> None:
    client = OpenAI(**(OFFLINE | {"api_key": key}), http_client=connect()._client)
    with pytest.raises(openai.AuthenticationError) as raised:
        client.responses.create(model="gpt-5.6", input="ping")
    assert raised.value.code == "invalid_api_key"
    assert raised.value.message.startswith("Error code: 401 - Incorrect API key provided: ")


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer "}, {"authorization": ""}])
def test_a_request_without_a_key_is_refused(headers: dict[str, str]) -> None:
    reply = Platform().handle(Request("GET", "/v1/models", headers=headers))
    assert reply.status == 401
    assert b"You didn't provide an API key." in b"".join(reply.chunks)
    assert not any(name.startswith("x-ratelimit") for name in reply.headers)
