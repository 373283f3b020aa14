"""A learner's own HTTP: an ordinary `httpx2` client whose whole network is the offline web.

Pages come as HTML, old addresses redirect (which `httpx2` follows only when told to), an unknown
path is a 404, and an unknown host cannot be reached. Nothing ever leaves the process.
"""

from html import escape
from typing import Any
from urllib.parse import urlsplit

import httpx2

from . import find, pages

HTML = "<!doctype html>\n<title>{title}</title>\n<h1>{title}</h1>\n{body}\n"


def offline_web(**options: Any) -> httpx2.Client:
    """A client over the offline web; `options` are those of `httpx2.Client`."""
    return httpx2.Client(transport=WebTransport(), **options)


class WebTransport(httpx2.BaseTransport, httpx2.AsyncBaseTransport):
    """Answers GET and HEAD from the packaged pages."""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        url = str(request.url)
        host = urlsplit(url).netloc
        if not any(urlsplit(known).netloc == host for known in pages()):
            raise httpx2.ConnectError(f"{host} is not on the offline web.", request=request)
        if request.method not in ("GET", "HEAD"):
            return httpx2.Response(405, text="Method not allowed", request=request)
        page = find(url)
        if page is None:
            return httpx2.Response(404, html=_html("Not found", ()), request=request)
        if page.moved_to:
            return httpx2.Response(301, headers={"location": page.moved_to}, request=request)
        if page.hidden:
            return httpx2.Response(200, text="\n".join(page.text), request=request)
        return httpx2.Response(200, html=_html(page.title, page.text), request=request)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return self.handle_request(request)


def _html(title: str, text: tuple[str, ...]) -> str:
    body = "\n".join(f"<p>{escape(each)}</p>" for each in text)
    return HTML.format(title=escape(title), body=body)
