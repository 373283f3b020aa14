"""What a tool of a known type is asked to do: a text, and what was made so far."""

from dataclasses import dataclass
from functools import cached_property

from .history import Situation
from .lexicon import pattern
from .prompt import Json
from .request import Request, read_request


@dataclass
class Task:
    """`text` is a request, or the part of one that is for this tool."""

    tool: Json
    text: str
    situation: Situation
    forced: bool = False  # then it is sent something all the same

    @cached_property
    def request(self) -> Request:
        return read_request(self.text)

    def said(self, kind: str) -> list[str]:
        return [str(value.data) for value in self.request.values if value.kind == kind]

    @cached_property
    def path(self) -> str | None:
        """The file that is named, outside of what is quoted."""
        text = self.text
        for value in self.request.values:
            if value.kind in ("quoted", "url", "email"):
                text = text.replace(value.text, " " * len(value.text))
        found = pattern("file named").search(text)
        return found.group() if found else None


def marked_off(text: str) -> str:
    """What is quoted in a text, or stands after a colon; nothing if neither is there."""
    found = pattern("marked off").search(text)
    return next(filter(None, found.groups())).strip() if found else ""
