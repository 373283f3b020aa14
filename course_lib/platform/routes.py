"""The addresses of the API, one a row, and who answers them."""

import re
from collections.abc import Callable
from typing import Any

from . import embeddings, responses
from .errors import GAP, ApiError
from .http import Request

# (method, path, endpoint). An endpoint gets the state, the request, the ids in its path and, of a
# POST, the body. It returns the reply's JSON, or bytes where the reply is a file.
ENDPOINTS: list[tuple[str, str, Callable[..., Any]]] = [
    ("POST", "/v1/responses/input_tokens", responses.count_input_tokens),
    ("GET", "/v1/responses/([^/]+)", responses.retrieve),
    ("DELETE", "/v1/responses/([^/]+)", responses.delete),
    ("POST", "/v1/responses/([^/]+)/cancel", responses.cancel),
    ("GET", "/v1/responses/([^/]+)/input_items", responses.list_input_items),
    ("POST", "/v1/embeddings", embeddings.create),
]


def find(request: Request) -> tuple[Callable[..., Any], tuple[str, ...]]:
    """The endpoint that answers a request, and the ids in its path."""
    here = [
        (method, endpoint, found.groups())
        for method, path, endpoint in ENDPOINTS
        if (found := re.fullmatch(path, request.path))
    ]
    for method, endpoint, ids in here:
        if method == request.method:
            return endpoint, ids
    if here:
        raise ApiError(f"Not allowed to {request.method} on {request.path}.", code=GAP, status=405)
    raise ApiError(
        f"Invalid URL ({request.method} {request.path})",
        status=404,
        hint="The offline platform has no such address.",
    )
