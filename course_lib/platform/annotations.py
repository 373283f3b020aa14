"""From what the model cites to the annotations of a message (contract B, D).

The model names a source and the words it supports. The API shows a file by its place in the text
(`file_citation`, `index`), and a page as a link written into the text after those words, with the
span of that link (`url_citation`). A file of a container is cited where the text links to it.
"""

from urllib.parse import urlsplit

from .errors import Json

FROM = "utm_source=openai"  # how a site can tell where its visitor came from, as recorded


def annotate(text: str, citations: list[Json], sources: dict[str, Json]) -> tuple[str, list[Json]]:
    """The text as it is shown, and its annotations in order.

    citations   `{"start", "end", "source"}` of the model, offsets into `text`
    sources     what a hosted tool of this context has returned, each with its annotation
    """
    shown, read = "", 0
    annotations: list[Json] = []
    for cited in sorted(citations, key=lambda each: each["end"]):
        source = sources.get(cited["source"])
        if source is None:  # from a tool of the client's own, which no annotation is for
            continue
        shown, read = shown + text[read : cited["end"]], cited["end"]
        if source["type"] == "url_citation":
            link = _link(source["url"])
            span = {"start_index": len(shown) + 1, "end_index": len(shown) + 1 + len(link)}
            shown += f" {link}"
            annotations.append({**source, **span, "url": _visit(source["url"])})
        else:
            before_stop = len(shown) - (shown[-1:] in (".", "!", "?"))
            annotations.append({**source, "index": before_stop})
    shown += text[read:]
    return shown, annotations + _container_files(shown, sources)


def _link(url: str) -> str:
    host = (urlsplit(url).hostname or "").removeprefix("www.")
    return f"([{host}]({_visit(url)}))"


def _visit(url: str) -> str:
    return f"{url}{'&' if urlsplit(url).query else '?'}{FROM}"


def _container_files(text: str, sources: dict[str, Json]) -> list[Json]:
    """The files that the text links to, each where its `sandbox:/mnt/data/…` stands."""
    found = [
        {**source, "start_index": text.find(path), "end_index": text.find(path) + len(path)}
        for path, source in sources.items()
        if source["type"] == "container_file_citation" and f"({path})" in text
    ]
    return sorted(found, key=lambda each: int(each["start_index"]))
