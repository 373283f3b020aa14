"""A tool as the model understands it: the words it is known by, and its parameters.

Compiled once from the declaration; a nested object gives its own parameters, each with its path.
Everything is read from names, descriptions and types. Nothing is known of any tool.
"""

import marshal
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any

from .lexicon import pattern, sets, table, words
from .prompt import Json
from .schema import branches, enum_of, items_of, properties_of, resolve, types_of, validator
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

# What a word counts by where it stands, for a tool and for a parameter.
NAMES_TOOL, DESCRIBES_TOOL, OF_PARAMETERS = 1.0, 0.8, 0.45
IN_NAME, GENERIC_NAME, IN_PARENT, IN_DESCRIPTION, GENERIC = 1.0, 0.5, 0.5, 0.45, 0.2
SHARED_CUES = 0.7  # how much less a word announces that several parameters have
DEEPEST, MOST = 6, 400  # how far into nested objects, and how many parameters, are looked at
MOST_OPTIONS, MOST_CUES = 200, 14
_FORMATS = {"date": "date", "date-time": "date", "email": "email", "uri": "url", "time": "time"}
# what a description shows of these is an example, not one of a few choices
_OPEN_ROLES = frozenset(
    "place person date time id email url path phone secret request text expression".split()
)


@dataclass(slots=True, eq=False)
class Option:
    """A value that may be chosen, and a way to say it, as words."""

    data: Any
    said: str
    words: list[str]


@dataclass(eq=False)
class Parameter:
    """One compiled parameter. `cues` are the words that announce its value, with their weights."""

    path: tuple[str, ...]
    schema: Json
    root: Json  # where the references of the schema lead
    required: bool
    role: str  # what it is: a place, a person, …
    cues: dict[str, float]
    about: str  # the description, as it stands

    def __post_init__(self) -> None:
        self.label = ".".join(self.path)
        self.types = types_of(self.schema)
        self.own_words = tuple(name_words(self.path[-1]))
        self.own_stems = {stem(word) for word in self.own_words if word not in words("generic")}
        self.is_text = not self.types or "string" in self.types
        members = {str(member).lower() for member in enum_of(self.schema)}
        self.numeric = bool(self.types & {"integer", "number"}) and not self.is_text
        self.numeric |= any(map(str.isdigit, members))  # "1", "2": text to the schema alone
        self.is_list = "array" in self.types and not self.is_text
        self.is_flag = "boolean" in self.types or members >= {"true", "false"}
        # it takes its options and nothing else
        self.is_closed = self.is_flag or (bool(members) and not self.numeric)
        self.pattern = str(self.schema.get("pattern") or "")

    @cached_property
    def accepts(self) -> Callable[[Any], bool]:
        """Whether a value fits the schema."""
        return validator(self.schema, self.root)

    @cached_property
    def item(self) -> "Parameter":
        """One member of an array, as a parameter of its own."""
        inner, own = resolve(self.root, items_of(self.schema)), (self.role, self.cues)
        about = f"{self.about} {inner.get('description') or ''}".strip()
        return Parameter(self.path, inner, self.root, self.required, *own, about)

    @cached_property
    def fits(self) -> dict[str, float]:
        """Kind of value → how well it fits; empty for what is not filled from one value."""
        if self.numeric:
            return {"number": 1.0, "quoted": 0.6}  # some people quote their numbers
        fits: dict[str, float] = table("fits")[self.role]
        return fits if self.is_text else {}

    @cached_property
    def options(self) -> list[Option]:
        """Its enum's members, or what its description names as choices, with their other names."""
        members = {str(m).lower(): m for m in enum_of(self.schema)[:MOST_OPTIONS] if m is not None}
        if self.is_flag:
            own = " ".join(word for word in self.own_words if word not in words("flag_words"))
            said = [(members.get("true", True), own)]
        elif not members and self.is_text and self.role not in _OPEN_ROLES:
            said = [(each, each) for each in self._told()]
        else:
            said = [(member, str(member)) for member in members.values()]
        for key, others in pattern("also").findall(self.about):
            ways = [way.strip(" '\"") for way in others.split(",")]
            if key.lower() in members or (self.is_text and not members):
                said += [(members.get(key.lower(), key), way) for way in ways]
        plain = [(data, words_of_option(way)) for data, way in said]
        return [Option(d, f" {way} ", content_words(way) or way.split()) for d, way in plain if way]

    def _told(self) -> list[str]:
        """Values the description quotes or lists: they may be taken, others too."""
        listed = pattern("listed").findall(self.about)
        told = [each for said in listed for each in pattern("between").split(said)]
        told = [each.strip("'\" ") for each in (*pattern("quoted").findall(self.about), *told)]
        fits = [each for each in told if re.fullmatch(r"[^\d]*[A-Za-z]{2}[^\d]*", each)]
        return [e for e in fits if len(e.split()) <= 4 and e.lower() not in self.own_words]

    @cached_property
    def examples(self) -> list[str]:
        found: list[str] = []
        for match in pattern("examples").finditer(self.about):
            quoted = pattern("quoted").findall(self.about[match.start() : match.end() + 40])
            found += quoted or [match[1].strip("'\" ,.)")]
        return found

    @cached_property
    def _masked(self) -> set[str]:
        return {re.sub(r"\d+", "9", example).upper() for example in self.examples}

    def shows(self, text: str) -> bool:
        """Whether an example is such an id, with other digits: `A-104` for `A-221`."""
        return re.sub(r"\d+", "9", text).upper() in self._masked

    @cached_property
    def code(self) -> str:
        """What it takes the codes of: `country`, `language`, `currency`; nothing if none."""
        if "currency" in self.cues:
            return "currency"
        asked = pattern("code asked").search(f"{self.label} {self.about} {self.pattern}")
        shown = any(len(e) in (2, 3) and e.isalpha() for e in self.examples)
        kind = "language" if self.role == "language" else "country" * ("country" in self.cues)
        return kind if asked or shown else ""

    @cached_property
    def shapes(self) -> set[str]:
        """The shapes of the codes that it shows: by a template, `KX-NN`, or else by examples."""
        if template := pattern("template").search(self.about):
            return {shape_of(re.sub(r"X+|N+|#+|9+|0+", "9", template.group()))}
        return {shape_of(example) for example in self.examples if re.search(r"\d", example)}


def shape_of(text: str) -> str:
    """`KX-72` → `A-9`: runs of digits and of letters each become one mark."""
    return re.sub(r"[a-z]+", "a", re.sub(r"[A-Z]+", "A", re.sub(r"\d+", "9", text)))


def words_of_option(said: str) -> str:
    """An option as words: `in_progress` → `in progress`, `TopRated` → `top rated`."""
    split = " ".join(name_words(said)) if not re.search(r"\d", said) else ""
    return " ".join(re.findall(r"[^\W_]+|[%°#+]", split or said.lower()))


def compile_parameters(schema: Json) -> list[Parameter]:
    """The parameters of an object's schema, those of nested objects in their place."""
    return [*islice(_walk(schema, schema, (), True), MOST)]


def _walk(root: Json, schema: Json, path: tuple[str, ...], wanted: bool) -> Iterator[Parameter]:
    required = schema.get("required") if wanted else ()
    for name, said in properties_of(schema).items():
        own, here = resolve(root, said), (*path, str(name))
        needed = isinstance(required, list) and name in required
        inner = next((i for b in branches(own) if properties_of(i := resolve(root, b))), None)
        if inner and len(here) < DEEPEST:
            yield from _walk(root, inner, here, needed and "null" not in types_of(own))
        else:
            about = str(own.get("description") or "")
            role = _role(name_words(name), about, own)
            yield Parameter(here, own, root, needed, role, _cues(here, about), about)


def _cues(path: tuple[str, ...], about: str) -> dict[str, float]:
    """The words of a parameter's name, of the objects around it, and of its first sentence."""
    generic = words("generic")
    cues = {word: IN_PARENT for parent in path[:-1] for word in content_words(parent)}
    plain = pattern("examples").split(pattern("format told").split(about.split(". ")[0])[0])[0]
    plain = pattern("template").sub("", plain)  # what stands in an example is no cue
    for word in plain_words(plain)[:MOST_CUES]:
        if not is_stop_word(word):
            cues[word] = GENERIC if word in generic else IN_DESCRIPTION
    return cues | {w: GENERIC_NAME if w in generic else IN_NAME for w in name_words(path[-1])}


def _role(own: list[str], about: str, schema: Json) -> str:
    """What it is, by its format, its name, or else its description: a place, a person, …"""
    if role := _FORMATS.get(str(schema.get("format"))):
        return role
    if own[:2] == ["number", "of"]:
        return "quantity"
    roles = sets("roles")
    told = [role for word in plain_words(about)[:10] for role in roles if word in roles[role]]
    for said in (own[-1:], own):
        for role, cues in roles.items():
            if not cues.isdisjoint(said):
                # `text: part of the name` takes a name
                return "name" if role == "text" and "name" in told else role
    if " or " in about[:80] and len(set(told)) > 1:
        return ""  # "name, address or number" takes any of them
    return next((role for role in roles if role in told), "")


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
    def accepts(self) -> Callable[[Any], bool]:
        """Whether arguments fit the schema."""
        return validator(self.schema, self.schema)

    @cached_property
    def required(self) -> list[Parameter]:
        return [parameter for parameter in self.parameters if parameter.required]

    @cached_property
    def comes_after(self) -> list[str]:
        """The names of the tools that its description says to call first."""
        return [found[1] or found[2] for found in pattern("comes first").finditer(self.description)]

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
        weights |= {word: OF_PARAMETERS for word in said if not is_stop_word(word)}
    mine = dict.fromkeys(described, DESCRIBES_TOOL)
    mine |= {word: NAMES_TOOL for word in own if not is_stop_word(word)}
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
