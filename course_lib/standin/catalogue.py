"""Tools, compiled once: the words each is known by, and its parameters.

Compiling takes a few milliseconds, so it is kept for as long as the tools stay the same.
"""

import marshal
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache

from .lexicon import pattern, words
from .parameters import Parameter, compile_parameters
from .prompt import Json
from .text import (
    Vector,
    Words,
    content_words,
    direction,
    importance,
    is_known,
    is_stop_word,
    name_words,
    plain_words,
    stem,
    verb_class,
)

IN_NAME, IN_DESCRIPTION, IN_PARAMETERS = 1.0, 0.8, 0.45  # what a word counts by where it stands
SHARED_CUES = 0.7


@dataclass(eq=False)
class Tool:
    """One compiled tool."""

    name: str
    description: str
    schema: Json
    parameters: list[Parameter]
    own: Words  # of the name and the description
    known_by: Words  # these, and the words of the parameters
    against: set[str]  # stems of what the description says it is not for

    @cached_property
    def required(self) -> list[Parameter]:
        return [parameter for parameter in self.parameters if parameter.required]

    @cached_property
    def name_words(self) -> list[str]:
        return name_words(self.name)

    @cached_property
    def act(self) -> str:
        """The kind of act it does, by its name or the beginning of its description."""
        return verb_class(self.name_words) or verb_class(plain_words(self.description)[:2])

    @cached_property
    def key_words(self) -> list[str]:
        """The words of the name that tell something; all of them when none does."""
        own = self.name_words
        return [w for w in own if w not in words("generic") and not is_stop_word(w)] or own

    @cached_property
    def direction(self) -> Vector:
        """The mean direction of the name and the description."""
        return direction({word: importance(word) for word in self.own.weights})

    @cached_property
    def explained(self) -> set[str]:
        """The stems that its name, its description or the name of a parameter explains."""
        return {*self.own.stems}.union(*(each.own_stems for each in self.parameters))

    @cached_property
    def cues(self) -> list[Words]:
        """What announces each parameter; a word that several have tells them apart the less."""
        plain = [Words(parameter.cues) for parameter in self.parameters]
        shared = Counter(s for own in plain for s in own.stems)
        return [
            Words({w: v / shared[stem(w)] ** SHARED_CUES for w, v in own.weights.items() if w})
            for own in plain
        ]


def _compile(tool: Json, others: list[Json]) -> Tool:
    name, description = str(tool["name"]), str(tool.get("description") or "")
    schema = tool.get("parameters")
    schema = schema if isinstance(schema, dict) else {}
    parameters, own = compile_parameters(schema), name_words(name)
    described, against = _sentences(description)
    for other in others:  # "do not use it for returns: search_returns exists for those"
        if other is not tool and name in (told := str(other.get("description") or "")):
            described += _sentences(told)[1]
    weights: dict[str, float] = {}
    plain = words("generic")  # `fn`, `tool_1`: the description must tell what it is for
    says_nothing = all(len(w) < 3 or w in plain or not is_known(w) for w in own)
    for parameter in () if says_nothing else parameters:
        said = [*parameter.own_words, *plain_words(parameter.about)]
        if parameter.is_closed:
            said += [word for option in parameter.options for word in option.words]
        weights |= {word: IN_PARAMETERS for word in said if not is_stop_word(word)}
    mine = dict.fromkeys(described, IN_DESCRIPTION)
    mine |= {word: IN_NAME for word in own if not is_stop_word(word)}
    refused = {stem(word) for word in against if word not in plain} - {*map(stem, own)}
    return Tool(name, description, schema, parameters, Words(mine), Words(weights | mine), refused)


def _sentences(description: str) -> tuple[list[str], list[str]]:
    """The words of what a tool is for, and of what it says it is not for."""
    positive: list[str] = []
    against: list[str] = []
    for sentence in re.split(r"(?<=[.!?;])\s+|\n+", description):
        found = pattern("not for").search(sentence)
        cut = found.start() if found else len(sentence)
        positive += content_words(sentence[:cut])
        against += content_words(sentence[cut:].split(":")[0])
    return positive, against


@lru_cache(maxsize=256)
def _kept(declared: bytes) -> list[Tool]:
    tools = marshal.loads(declared)
    return [_compile(tool, tools) for tool in tools]


def compile_tools(tools: list[Json]) -> list[Tool]:
    """The tools of a request, compiled once and again only when a declaration changes."""
    try:
        return _kept(marshal.dumps(tools, 2))
    except ValueError:  # too deep, or not plain data
        return [_compile(tool, tools) for tool in tools]
