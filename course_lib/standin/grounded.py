"""An answer taken from passages that a search returned, and where each sentence was found.

The model does not read: it picks the sentences that share most with the question, says them as
they stand, and cites the passage. When nothing shares enough, it says that it found nothing.
It does so for any tool that returns passages, not only for the hosted ones.
"""

import re
from dataclasses import dataclass
from typing import Any

from .answer import from_results
from .history import Made
from .prompt import Json, message
from .text import is_stop_word, plain_words, stem

SOURCES = ("url", "file_id", "source", "filename", "id")  # what a passage is cited by
TITLES = ("title", "filename", "name")
NOTHING = "I searched, and found nothing that answers this."
ENOUGH = 0.4  # of the question's words, for a sentence to answer it
ALSO = 0.75  # of the best sentence's share, for a second one to be said
IN_TITLE = 0.8  # how much a word of the question counts that only the title has
SCORED = 0.25  # how much the search's own score of a passage counts, beside the share
RANK = 0.02  # off the share for each place down the list: the search has ranked them
_HOW = re.compile(r"\bhow \w+", re.IGNORECASE)  # "how long" is not answered by "long"
_HEADING = re.compile(r"^#+ .*$", re.MULTILINE)
_SENTENCE = re.compile(r"[^\n]+?(?:[.!?](?=\s|$)|(?=\n)|$)")


@dataclass(slots=True)
class Said:
    """One sentence of a passage, and how much of the question it has."""

    text: str
    source: str
    share: float


def answer(question: str, made: list[Made]) -> Json | None:
    """A message with its citations; None when no result holds passages.

    What other tools returned is said first, as it always is.
    """
    passed = [each for each in made if not each.failed]
    results = [found for each in passed if (found := passages(each.output)) is not None]
    if not results:
        return None
    text = from_results([each for each in made if each.failed or passages(each.output) is None])
    sentences = _weighed(question, [passage for found in results for passage in found])
    best = sorted(sentences, key=lambda said: -said.share)[:2]
    named = any(isinstance(each.arguments, dict) and each.arguments.get("url") for each in made)
    if not best or (best[0].share < ENOUGH and not named):  # of a page that was named, the best
        return message(f"{text} {NOTHING}".strip()) | {"citations": []}
    least = ALSO * best[0].share
    chosen = [s for s in sentences if s is best[0] or (s is best[-1] and s.share >= least)]
    citations: list[Json] = []
    for said in chosen:
        start = len(text) + bool(text)
        text = f"{text} {said.text}".strip()
        if citations and citations[-1]["source"] == said.source:
            citations[-1]["end"] = len(text)
        else:
            citations.append({"start": start, "end": len(text), "source": said.source})
    return message(text) | {"citations": citations}


def passages(output: Any) -> list[Json] | None:
    """The passages in a result: a list, or a list in an object, whose members have a `text`."""
    if isinstance(output, dict) and output.get("results") == []:
        return []
    lists = [*output.values()] if isinstance(output, dict) else [output]
    return next((each for each in lists if isinstance(each, list) and _are_passages(each)), None)


def _are_passages(members: list[Any]) -> bool:
    told = [each for each in members if isinstance(each, dict)]
    texts = [isinstance(e.get("text"), str) and any(e.get(name) for name in SOURCES) for e in told]
    return bool(members) and len(told) == len(members) and all(texts)


def _weighed(question: str, found: list[Json]) -> list[Said]:
    """Every sentence of the passages with its share, each sentence once."""
    asked = _stems(_HOW.sub(" ", question))
    weighed: dict[str, Said] = {}
    for place, passage in enumerate(found):
        titles = [str(passage.get(name) or "") for name in TITLES]
        above = _stems(" ".join(titles + _HEADING.findall(passage["text"])))
        source = next(str(passage[name]) for name in SOURCES if passage.get(name))
        score = passage.get("score")
        bonus = SCORED * score if isinstance(score, float) else 0.0
        for sentence in _SENTENCE.findall(_HEADING.sub("", passage["text"])):
            own = _stems(sentence)
            share = sum(1.0 if word in own else IN_TITLE * (word in above) for word in asked)
            worth = share / max(len(asked), 1) + bonus - RANK * place
            said = Said(sentence.strip(), source, worth)
            if len(said.text) > 1:
                weighed.setdefault(said.text, said)
    return list(weighed.values())


def _stems(text: str) -> set[str]:
    words = {stem(word) for word in plain_words(text) if not is_stop_word(word)}
    return words | set(re.findall(r"\d+", text))
