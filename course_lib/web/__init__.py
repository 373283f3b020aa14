"""The offline web: some thirty invented pages with their addresses, and an index over them.

All hosts end in `.example`, a name that no real site can have; the two that do not stand for a
machine's own services, and the index leaves them out. The hosted `web_search` reads this web, and
so does a learner's own HTTP client. Nothing else resolves.
"""

import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2

from ..standin.text import is_stop_word, plain_words, stem

TITLE = 2  # a word of the title counts so many times
NEAR = 0.3  # how much a word of the user's place counts, beside one of the query
LEAST = 0.25  # of what the query weighs: a page that has less is not found


@dataclass(frozen=True, slots=True)
class Page:
    """One page. `moved_to` is the address that an old one redirects to."""

    url: str
    title: str = ""
    text: tuple[str, ...] = ()  # paragraphs
    moved_to: str = ""
    hidden: bool = False  # there, but in no index

    def excerpt(self, query: str, paragraphs: int) -> str:
        """The paragraphs that share most with the query, in the order of the page."""
        wanted = set(_stems(query))
        rated = sorted(enumerate(self.text), key=lambda each: -len(wanted & set(_stems(each[1]))))
        return "\n".join(paragraph for _, paragraph in sorted(rated[:paragraphs]))


@cache
def pages() -> dict[str, Page]:
    """All pages, by address."""
    stored = json.loads(Path(__file__).with_name("pages.json").read_text(encoding="utf-8"))
    return {each["url"]: Page(**each | {"text": tuple(each.get("text", ()))}) for each in stored}


def find(url: str) -> Page | None:
    """The page at an address, redirects not followed; None where there is none.

    What marks a visit rather than a page (a query such as `utm_source`, a fragment) is passed over.
    """
    try:
        parts = urlsplit(url.strip())
    except ValueError:  # not an address at all
        return None
    return pages().get(f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}")


def is_within(url: str, domains: list[str]) -> bool:
    """Whether an address lies in one of these domains or below one; in any, if none is named."""
    host = (urlsplit(url).hostname or "").lower()
    return not domains or any(host == d.lower() or host.endswith(f".{d.lower()}") for d in domains)


def search(query: str, domains: list[str], near: str = "") -> list[Page]:
    """The pages that share enough with the query, best first. `near` names the user's place."""
    counts, rarity = _index()
    wanted = dict.fromkeys(_stems(near), NEAR) | dict.fromkeys(_stems(query), 1.0)
    unseen = math.log(1 + len(counts))
    weights = {word: share * rarity.get(word, unseen) for word, share in wanted.items()}
    found = []
    for url, said in counts.items():
        score = sum(weight * said[word] / (said[word] + 1) for word, weight in weights.items())
        if is_within(url, domains) and score > LEAST * sum(weights.values()):
            found.append((-score, url))
    return [pages()[url] for _, url in sorted(found)]


@cache
def _index() -> tuple[dict[str, Counter[str]], dict[str, float]]:
    """How often each page says a word, and how rare each word is."""
    counts = {
        url: Counter(_stems(" ".join(page.text)) + TITLE * _stems(page.title))
        for url, page in pages().items()
        if page.text and not page.hidden
    }
    spread = Counter(word for said in counts.values() for word in said)
    return counts, {word: math.log(1 + len(counts) / n) for word, n in spread.items()}


def _stems(text: str) -> list[str]:
    words = (*plain_words(text), *re.findall(r"\d+", text))
    return [stem(word) for word in words if not is_stop_word(word)]


def offline_web(**options: Any) -> httpx2.Client:
    """A learner's own HTTP: a client whose whole network is this web; `options` are httpx2's.

    Pages come as HTML, old addresses redirect (which `httpx2` follows only when told to), an
    unknown path is a 404, and an unknown host cannot be reached.
    """
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
