"""Text as the stand-in reads it: words, their stems, sentences, and the values in a request."""

import re
from dataclasses import dataclass
from functools import lru_cache

# Words that say nothing of what is wanted.
STOP_WORDS = frozenset(
    """a about all am an and any are as at be been but by can could did do does for from get give
    had has have hello hey hi how i if in into is it its just let like look make many me much my
    need now of off on or our out over please return returns s shall should show so some tell than
    that the their them then there these they this those through to too up us use used uses using
    want was we were what when where whether which who why will with would yes you your""".split()
)
NEGATIONS = ("do not", "don't", "does not", "never", "not for")

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_SUFFIXES = ("ies", "ing", "ed", "es", "s", "ly", "y")


def words(text: str) -> list[str]:
    """The words of a text or of a name, in order: `getOrder_status` gives get, order, status."""
    return [word.lower() for word in _WORD.findall(_CAMEL.sub(" ", text.replace("_", " ")))]


def content_words(text: str) -> list[str]:
    return [word for word in words(text) if word not in STOP_WORDS]


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """A crude stem: `delivery`, `delivered` and `deliver` meet; short words stay as they are."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            word = word.removesuffix(suffix)
            if len(word) > 4 and word[-1] == word[-2] and suffix in ("ing", "ed"):
                word = word[:-1]  # shipping → ship
            break
    return word.removesuffix("e") if len(word) > 4 else word


def sentences(text: str) -> list[str]:
    return [sentence for sentence in _SENTENCE.split(text) if sentence.strip()]


def is_negative(sentence: str) -> bool:
    return any(negation in sentence.lower() for negation in NEGATIONS)


@dataclass(frozen=True, slots=True)
class Value:
    """A piece of the request that can be an argument. `kind` is one of the names in `_KINDS`."""

    text: str
    kind: str


# In order of certainty: what an earlier kind claims, a later one leaves alone.
_KINDS = {
    "quoted": re.compile(r"[\"“«](?P<value>[^\"”»]+)[\"”»]|(?<!\w)'(?P<single>[^']+)'(?!\w)"),
    "email": re.compile(r"[\w.+-]+@[\w-]+\.[\w.]*\w"),
    "url": re.compile(r"https?://\S*[\w/]"),
    "date": re.compile(r"\b\d{4}-\d{2}-\d{2}\b"),
    "id": re.compile(r"\b(?=[\w-]*\d)(?=[\d-]*[A-Za-z])[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*\b"),
    "number": re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w-])"),
    "name": re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][\w'’]+(?: [A-Z][\w'’]+)*"),
}


def find_values(text: str) -> list[Value]:
    """The values in a request, in the order in which they stand."""
    found: list[tuple[int, int, Value]] = []
    for kind, pattern in _KINDS.items():
        for match in pattern.finditer(text):
            start, end = match.span()
            if all(end <= left or start >= right for left, right, _ in found):
                named = (group for group in match.groups() if group)
                found.append((start, end, Value(next(named, match.group()), kind)))
    return [value for _, _, value in sorted(found, key=lambda entry: entry[0])]
