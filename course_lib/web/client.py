"""A learner's own HTTP: an ordinary `httpx2` client whose whole network is the offline web.

Pages come as HTML, old addresses redirect (which `httpx2` follows only when told to), an unknown
path is a 404, and an unknown host cannot be reached. Nothing ever leaves the process.
"""

from html import escape
from typing import Any
from urllib.parse import urlsplit

import httpx2

from . import find, pages


def offline_web(**options: Any) -> httpx2.Client:
    """A client over the offline web; `options` are those of `httpx2.Client`."""
    return httpx2.Client(transport=httpx2.MockTransport(_answer), **options)


def _answer(request: httpx2.Request) -> httpx2.Response:
    host = request.url.netloc.decode()
    if not any(urlsplit(known).netloc == host for known in pages()):
        raise httpx2.ConnectError(f"{host} is not on the offline web.", request=request)
    if request.method not in ("GET", "HEAD"):
        return httpx2.Response(405, text="Method not allowed")
    page = find(str(request.url))
    if page is None:
        return httpx2.Response(404, html=_html("Not found", ()))
    if page.moved_to:
        return httpx2.Response(301, headers={"location": page.moved_to})
    if page.hidden:
        return httpx2.Response(200, text="\n".join(page.text))
    return httpx2.Response(200, html=_html(page.title, page.text))


def _html(title: str, text: tuple[str, ...]) -> str:
    title, body = escape(title), "\n".join(f"<p>{escape(each)}</p>" for each in text)
    return f"<!doctype html>\n<title>{title}</title>\n<h1>{title}</h1>\n{body}\n"
