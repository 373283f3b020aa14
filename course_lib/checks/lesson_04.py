"""Lesson 4, file search as it is built: a store that is ready, a wait that ends, a page let in."""

from collections.abc import Iterator
from functools import partial
from operator import methodcaller
from typing import Any

from ..grading.submission import Client, Outcome, Submission, Verdict, describe
from ..platform.faults import Fault
from ..platform.files import StoredFile
from ..retrieval.parse import Unreadable, read_text
from .task import Finding, expect, task
from .wire import ask, attached, post, refusal

_DOCUMENTS = {
    "night_bus.md": "# Night bus\n\nThe night bus leaves the harbour at 23:40, then every hour.\n",
    "boats.md": "# Boats\n\nA rowing boat costs 12 euros an hour, and 20 for two hours.\n",
    "cafe.txt": "The café at the lighthouse bakes crêpes until four in the afternoon.\n",
}
_QUESTIONS = {
    "What does a rowing boat cost?": "boats.md",
    "Until when are there crêpes?": "cafe.txt",
    "When does the night bus leave?": "night_bus.md",
}


@task(
    "04.1",
    "Build a knowledge base",
    minutes=10,
    points=2,
    stars=1,
    hints=(
        "A file is uploaded as (name, bytes): "
        "client.files.create(file=(name, text.encode()), purpose='assistants').",
        "One store: client.vector_stores.create(). Attach each file's id to it, and keep the ids. "
        "A store with nothing in it is completed too, so look at the files.",
        "The SDK has it in one call: client.vector_stores.file_batches.upload_and_poll(store.id, "
        "files=[(name, text.encode()), …]). It comes back when no file is in progress.",
    ),
)
def build_a_knowledge_base(submission: Submission) -> Iterator[Finding]:
    client = submission.client(max_requests=80)
    called = submission.call("knowledge_base", client, _DOCUMENTS)
    kept = list(client.platform.state.files.values())
    stores = list(client.platform.state.vector_stores.values())

    def left(value: Any) -> Outcome:
        """What the platform has after the call; the call's own problem, if it has nothing."""
        return Outcome(called.tried, value) if value else called

    yield (
        expect(
            "each document is uploaded once, under its name",
            left(sorted(file.body["filename"] for file in kept)),
        )
        .equals(sorted(_DOCUMENTS))
        .because("the name is what an answer cites, and its ending says how the file is read")
    )
    texts = {file.body["filename"]: _read(file) for file in kept}
    yield (
        expect("its whole text can be read", *(left(texts)[name] for name in _DOCUMENTS))
        .equals(*_DOCUMENTS.values())
        .because("file search reads UTF-8, UTF-16 and ASCII, and fails at anything else")
    )
    yield (
        expect("for the purpose assistants", left(sorted({file.body["purpose"] for file in kept})))
        .equals(["assistants"])
        .because("the purpose says what a file may be used for, and for how long it is kept")
    )
    held = [sorted(each.filename for each in store.files.values()) for store in stores]
    yield (
        expect("there is one store, and all of them are in it", left(held))
        .equals([sorted(_DOCUMENTS)])
        .because("one search looks through the whole store; a file outside is never found")
    )
    states = {each.filename: each.body["status"] for s in stores for each in s.files.values()}
    yield (
        expect("when it returns, every file is completed", called.through(lambda _: states))
        .equals(dict.fromkeys(_DOCUMENTS, "completed"))
        .because("an index that is not ready looks like a document that does not say")
    )
    yield (
        expect("the store's id comes back", called)
        .equals(stores[0].made["id"] if stores else Verdict("the id of the store"))
        .because("it is what file_search is declared with")
    )
    yield (
        expect(
            "questions are answered from it",
            *(_cited(client, called, question) for question in _QUESTIONS),
        )
        .equals(*([name] for name in _QUESTIONS.values()))
        .because("this is what all of it was for")
    )


def _read(file: StoredFile) -> str:
    try:
        return read_text(file.body["filename"], file.content)
    except Unreadable:
        return Verdict(f"bytes that file search cannot read: {file.content!r}")


def _cited(client: Client, made: Outcome, question: str) -> Outcome:
    """The files that the answer to a question cites, when this store is searched."""
    if made.problem is not None:
        return made
    search = {"type": "file_search", "vector_store_ids": [made.value]}
    exchange = ask(client.platform, question, [search])
    tried = Outcome(f"{question!r}, with file_search in what knowledge_base returned")
    if exchange.status != 200:
        return refusal(tried, exchange)
    parts = [part for item in exchange.reply["output"] for part in item.get("content") or ()]
    return tried.through(
        lambda _: [note["filename"] for part in parts for note in part.get("annotations", ())]
    )


# A wait that ends

_NOTE = "Wir öffnen um neun."
_COMPLETED = "it returned the completed file"
_WHY = "The file could not be parsed."


class _Wait:
    """A learner's wait for one file of a new store.

    ready_in   after so many looks it is ready; never, when None
    encoding   of its text: file search cannot read one in Latin-1
    cancelled  whether the batch it came with was cancelled while it was in progress
    """

    def __init__(
        self,
        submission: Submission,
        looks: int,
        ready_in: int | None,
        encoding: str = "utf-8",
        cancelled: bool = False,
    ) -> None:
        faults = [Fault("stuck", times=9)] if ready_in is None else []
        client = submission.client(faults=faults, max_requests=12)
        state = client.platform.state
        store_id = post(client.platform, "vector_stores", {}).reply["id"]
        file_id = attached(client.platform, store_id, "hours.txt", _NOTE.encode(encoding))
        if cancelled:
            path = f"vector_stores/{store_id}/file_batches"
            batch = post(client.platform, path, {"file_ids": [file_id]}).reply["id"]
            post(client.platform, f"{path}/{batch}/cancel", {})
        elif ready_in is not None:
            state.vector_stores[store_id].files[file_id].ready_at = state.now + ready_in
        client.platform.exchanges.clear()  # what comes now is the submission's
        sleep = submission.stub("sleep", does=lambda seconds: None)
        self.called = submission.call("wait_for", client, store_id, file_id, looks, sleep)
        self._file_id, self._looks, self._sleeps = file_id, len(client.exchanges), len(sleep.calls)

    @property
    def end(self) -> Outcome:
        """After how many looks it ended, and how, in words."""
        match self.called.value:
            case _ if self.called.problem is not None:
                how = self.called.problem
            case {"id": self._file_id, "status": "completed", "object": "vector_store.file"}:
                how = _COMPLETED
            case other:
                how = f"it returned {describe(other)}"
        return Outcome(self.called.tried, Verdict(f"looks: {self._looks}; {how}"))

    @property
    def pauses(self) -> Outcome:
        value = {"looks": self._looks, "pauses": self._sleeps}
        return self.called if not self._looks else Outcome(self.called.tried, value)


@task(
    "04.2",
    "Wait, but not for ever",
    minutes=12,
    points=3,
    stars=2,
    hints=(
        "for look in range(looks): retrieve the file of the store, then decide by its status. "
        "After the loop: raise TimeoutError.",
        "client.vector_stores.files.retrieve(file_id, vector_store_id=store_id) is one look. "
        "completed is returned; failed and cancelled raise ValueError, at once.",
        "A failed file has a last_error with a message. A cancelled one has none: last_error is "
        "None, and None.message would raise something else.",
    ),
)
def wait_but_not_for_ever(submission: Submission) -> Iterator[Finding]:
    wait = partial(_Wait, submission)
    soon, later = wait(10, 2), wait(10, 4)
    yield (
        expect("a file that is completed comes back at once", soon.end, later.end)
        .equals(*(Verdict(f"looks: {n}; {_COMPLETED}") for n in (2, 4)))
        .because("its status in the store says when it can be searched; an upload says less")
    )
    yield (
        expect("the last look allowed still counts", wait(3, 3).end, wait(1, 1).end)
        .equals(*(Verdict(f"looks: {n}; {_COMPLETED}") for n in (3, 1)))
        .because("so many looks were allowed, and the last of them found it completed")
    )
    stuck = {looks: wait(looks, None) for looks in (3, 5)}
    for looks, waited in stuck.items():
        ending = f"looks: {looks}; your code raised TimeoutError"
        yield (
            expect(f"after {looks} looks it gives up", waited.end)
            .that(methodcaller("startswith", ending), ending)
            .because("a file can be in progress for ever, and somebody waits for you")
        )
    failed = wait(10, 2, "latin-1")
    ending = "looks: 2; your code raised ValueError"
    yield (
        expect("a file that failed is told at once", failed.end)
        .that(methodcaller("startswith", ending), ending)
        .because("no waiting will mend it, and the store lacks a document")
    )
    yield (
        expect("with what its last_error says", failed.end)
        .that(lambda ended: " raised " in ended and _WHY in ended, f"an error that says {_WHY!r}")
        .because("whoever reads it must know what is wrong with the file")
    )
    ending = "looks: 1; your code raised ValueError"
    yield (
        expect("one that was cancelled is told too", wait(10, 2, cancelled=True).end)
        .that(methodcaller("startswith", ending), ending)
        .because("it will never be completed either, and has no last_error")
    )
    yield (
        expect("there is a pause between two looks", later.pauses, stuck[5].pauses)
        .that(lambda n: 1 < n["looks"] <= n["pauses"] + 1 <= n["looks"] + 1, "pauses: looks - 1")
        .because("a loop without one asks as fast as it can, until it is refused")
    )


# A page let in

_HOSTS = ["rights.example", "parcelway.example"]
_MOST = 400  # bytes
_HTML = "text/html; charset=utf-8"
_PAGE = "<title>Returns</title><p>Fourteen days, and the shop pays for what was wrong.</p>"
_RETURNS = "https://rights.example/eu/returns"
_OTHER_HOSTS = (
    "https://evil.example/eu/returns",
    "https://rights.example.evil.example/eu/returns",
    "https://evilrights.example/eu/returns",
    "https://rights.example@evil.example/eu/returns",
    "https://rights.example:443@evil.example/eu/returns",
    "https://evil.example/rights.example/eu/returns",
    "https://evil.example/?page=https://rights.example/eu/returns",
    "https://169.254.169.254/latest/meta-data/credentials",
)
_OTHER_SCHEMES = ("http://rights.example/eu/returns", "ftp://rights.example/eu/returns")
_REFUSED = "your code raised ValueError"


class _Visit:
    """What becomes of one URL, whatever page is there."""

    def __init__(
        self,
        submission: Submission,
        url: str,
        text: str = _PAGE,
        status: int = 200,
        kind: str = _HTML,
    ) -> None:
        page = {"status": status, "type": kind, "text": text}
        self.client = submission.client()
        self.fetch = submission.stub("fetch", does=lambda url, timeout=None: page)
        how = f"a page of status {status}, type {kind!r}, {len(text.encode())} bytes"
        called = submission.call("keep_page", self.client, self.fetch, url, _HOSTS, _MOST)
        self.called = Outcome(f"keep_page, {url}, {how}", called.value, called.problem, called.hint)
        self.kept = list(self.client.platform.state.files.values())

    @property
    def names(self) -> Outcome:
        names = [file.body["filename"] for file in self.kept]
        return self.called.through(lambda _: names)

    @property
    def file(self) -> Outcome:
        """What is uploaded, and whether that comes back."""
        kept = [file.body | {"text": file.content.decode("utf-8", "replace")} for file in self.kept]
        told = {
            "uploaded": [{name: each[name] for name in ("purpose", "text")} for each in kept],
            "id returned": [self.called.value] == [each["id"] for each in kept],
        }
        return self.called.through(lambda _: told)

    def end(self, asking: bool) -> Outcome:
        """How it ended, in words; first what came before: an upload, a request if `asking`."""
        asked = "the page was asked for; " if asking and self.fetch.calls else ""
        uploaded = f"{len(self.kept[0].content)} bytes were uploaded; " if self.kept else ""
        how = self.called.problem or f"it returned {describe(self.called.value)}"
        return Outcome(self.called.tried, Verdict(asked + uploaded + how), hint=self.called.hint)

    @property
    def timeout(self) -> Outcome:
        given = [call.get("timeout") for call in self.fetch.calls]
        return Outcome(self.called.tried, given) if given else self.called


@task(
    "04.3",
    "From the web, with care",
    minutes=15,
    points=3,
    stars=2,
    hints=(
        "Take the URL apart with urlsplit: .scheme, .hostname, .path. The host is .hostname, whole "
        "and in lower case; .netloc and the text of the URL can say another.",
        "Before the request: scheme and host. After it: the status is 200, the type before its ; "
        "is text/html, and len(text.encode()) is at most `most`.",
        "address.path.strip('/').replace('/', '-') + '.html' is the name. The query is not part of "
        ".path. Upload last, when nothing can be wrong any more.",
    ),
)
def from_the_web_with_care(submission: Submission) -> Iterator[Finding]:
    visit = partial(_Visit, submission)
    good = visit(_RETURNS)
    yield (
        expect("a page of your hosts is uploaded, and its id comes back", good.file)
        .equals({"uploaded": [{"purpose": "assistants", "text": _PAGE}], "id returned": True})
        .because("what keeps everything out keeps this out too")
    )
    addresses = {
        _RETURNS: "eu-returns.html",
        f"{_RETURNS}?utm_source=mail&page=2": "eu-returns.html",
        f"{_RETURNS}/#refunds": "eu-returns.html",
        "https://parcelway.example/claims": "claims.html",
    }
    yield (
        expect("it is named by its path", *(visit(url).names for url in addresses))
        .equals(*([name] for name in addresses.values()))
        .because("the name is cited, and must end in what it is: .html?page=2 cannot be attached")
    )
    just = _PAGE + " " * (_MOST - len(_PAGE))
    welcome = [
        visit("https://RIGHTS.Example/eu/returns"),
        visit(_RETURNS, kind="Text/HTML"),
        visit(_RETURNS, just),
    ]
    yield (
        expect("nothing that may come in is kept out", *(each.names for each in welcome))
        .equals(["eu-returns.html"])
        .because("hosts and types are written in any case, and `most` bytes are not more")
    )
    for label, urls, reason in (
        (
            "other hosts are not even asked",
            _OTHER_HOSTS,
            "the request itself may do harm; and all that counts is the host it goes to",
        ),
        (
            "nor is anything but https",
            _OTHER_SCHEMES,
            "without it, whoever is on the way can put another page in",
        ),
    ):
        yield (
            expect(label, *(visit(url).end(asking=True) for url in urls))
            .that(methodcaller("startswith", _REFUSED), _REFUSED)
            .because(reason)
        )
    for label, visits, reason in (
        (
            "a page that is not there stays out",
            [visit(_RETURNS, status=status) for status in (404, 500, 301)],
            "it would be cited: a page that says Not found, or Moved, and nothing else",
        ),
        (
            "so does what is no HTML",
            [
                visit(_RETURNS, kind=kind)
                for kind in ("application/pdf", "image/png; note=text/html", "text/htmlx", "")
            ],
            "under a name in .html it would be read as what it is not",
        ),
        (
            "and what is too large",
            [visit(_RETURNS, just + "!"), visit(_RETURNS, "é" * (_MOST // 2) + "!")],
            "you pay for storage by the byte, and é has two of them",
        ),
    ):
        yield (
            expect(label, *(each.end(asking=False) for each in visits))
            .that(methodcaller("startswith", _REFUSED), f"{_REFUSED}, and nothing is uploaded")
            .because(reason)
        )
    yield (
        expect("every request has a timeout", good.timeout)
        .that(lambda given: all(0 < each <= 300 for each in given), "fetch(url, timeout=seconds)")
        .because("a server may take your request and never answer")
    )
