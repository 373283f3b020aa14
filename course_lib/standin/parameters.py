"""A parameter as the model understands it: what kinds of value it takes, and the words that say so.

Compiled once from the schema; a nested object gives its own parameters, each with its path.
Everything is read from the parameter's name, description and type. Nothing is known of any tool.
"""

import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .lexicon import sets, table, words
from .prompt import Json
from .text import is_stop_word, name_words, plain_words, tokens

IN_NAME, IN_PARENT, IN_DESCRIPTION = 1.0, 0.5, 0.45  # what a cue weighs by where it stands
DEEPEST, MOST = 6, 400  # how far into nested objects, and how many parameters, are looked at

_EXAMPLES = re.compile(
    r"(?:e\.?\s?g\.?|for example|for instance|such as|like|examples?(?: is| are)?)[:,]?\s+"
    r"((?:['\"“‘`]?[\w@:/.,+#-]+['\"”’`]?(?:, (?=['\"])| or | and )?)+)",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r"(?:e\.?\s?g\.?|for example|for instance|such as|like|examples?:|can be|either|one of|"
    r"options?:)[:,]? ([^.;()]+)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r", (?:or |and )?| or | and |/")
_OPEN_ROLES = frozenset(
    "place person date time id email url path phone secret request text expression".split()
)
_TOLD_DEFAULT = re.compile(
    r"\bdefaults?(?: value)?(?: is| to|:| =)+ *(?:to |is |an? )?['\"]?([\w.%+-]*\w)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"(?<!\w)['\"“‘`]([^'\"”’`]{1,40})['\"”’`]")
_FORMAT = re.compile(
    r",? (?:in|formatted|specified|using) (?:in |as |the )*(?:format|form)\b|"
    r", such as|\(e\.?g|['\"]"
)
_GLOSSES = re.compile(
    r"['\"]?(\d+|(?<=['\"])[\w-]+)['\"]? (?:for|represents|means|is for|=|corresponds to|indicates)"
    r" ((?:[\w-]+ ?){1,3})", re.IGNORECASE)  # fmt: skip
_ALSO = re.compile(
    r"['\"]?([\w-]+)['\"]?\s*\((?:also|or|includes?|including|meaning)[: ]+([^)]*)\)"
)
_DATE_FORMAT = re.compile(
    r"\b(?:(?:YYYY|yyyy)([-/. ])(?:MM|mm)\1(?:DD|dd)|"
    r"(?:DD|dd|MM|mm)([-/. ])(?:MM|mm|DD|dd)\2(?:YYYY|yyyy))\b"
    r"|ISO[- ]?8601"
)
_DEFAULT_TOLD = re.compile(r"\bdefault|\bif (?:not|none|un)|unless|optional", re.IGNORECASE)


@dataclass(eq=False)
class Parameter:
    """One compiled parameter. `cues` are the words that announce its value, with their weights."""

    path: tuple[str, ...]
    schema: Json
    required: bool
    types: frozenset[str]
    role: str
    cues: dict[str, float]
    about: str  # the description, as it stands

    @property
    def name(self) -> str:
        return self.path[-1]

    @cached_property
    def label(self) -> str:
        return ".".join(self.path)

    @cached_property
    def numeric(self) -> bool:
        return bool(self.types & {"integer", "number"}) and "string" not in self.types

    @cached_property
    def fits(self) -> dict[str, float]:
        """Kind of value → how well it fits; empty for what is not filled from one value."""
        if self.numeric:
            return {"number": 1.0, "quoted": 0.6}  # some people quote their numbers
        if self.types and "string" not in self.types:
            return {}
        fits: dict[str, float] = table("fits")[self.role]
        return fits

    @cached_property
    def is_list(self) -> bool:
        return "array" in self.types and "string" not in self.types

    @cached_property
    def items(self) -> Json:
        return array_items(self.schema)

    @cached_property
    def options(self) -> tuple[Any, ...]:
        """The members of its enum."""
        return tuple(member for member in enum_of(self.schema) if member is not None)

    @cached_property
    def told_options(self) -> tuple[str, ...]:
        """Values the description quotes or shows: they may be taken, others too."""
        if self.options or not (not self.types or "string" in self.types):
            return ()
        if self.role in _OPEN_ROLES:
            return ()
        listed = [part for said in _LISTED.findall(self.about) for part in _BETWEEN.split(said)]
        told = [*_QUOTED.findall(self.about), *(part.strip("'\" ") for part in listed)]
        fits = [each.strip() for each in told if re.fullmatch(r"[^\d]*[A-Za-z]{2}[^\d]*", each)]
        return tuple(dict.fromkeys(each for each in fits if len(each.split()) <= 4))

    @cached_property
    def told_as_closed(self) -> bool:
        """Whether the description says that these are the choices: "can be 'a' or 'b'"."""
        return bool(re.search(r"\b(?:can be|either|one of|must be|options?)\b|' or '", self.about))

    @cached_property
    def told_default(self) -> Any:
        """The default that the description tells and the schema does not; None if there is none."""
        found = _TOLD_DEFAULT.search(self.about)
        if not found:
            return None
        said = found[1]
        if "string" in self.types:
            return said
        try:
            return json.loads(said.lower())
        except ValueError:
            return None

    @cached_property
    def told_in_items(self) -> tuple[str, ...]:
        """Values that the description of an array, or of its items, quotes."""
        return tuple(_QUOTED.findall(f"{self.about} {self.items.get('description') or ''}"))

    @cached_property
    def examples(self) -> tuple[str, ...]:
        found: list[str] = []
        for match in _EXAMPLES.finditer(self.about):
            quoted = _QUOTED.findall(self.about[match.start() : match.end() + 40])
            found += quoted or [match.group(1).strip("'\" ,.)")]
        return tuple(found)

    @cached_property
    def glosses(self) -> tuple[tuple[str, str], ...]:
        """(value, what the description says it means), `1 for cleaning`, `open (also: pending)`."""
        also = [
            (member, said.strip(" '\""))
            for member, many in _ALSO.findall(self.about)
            for said in many.split(",")
        ]
        return (*_GLOSSES.findall(self.about), *also)

    @cached_property
    def date_format(self) -> str | None:
        if self.schema.get("format") in ("date", "date-time"):
            return "YYYY-MM-DD"
        pattern = str(self.schema.get("pattern") or "")
        if re.match(r"\^?\(?(?:\\d|\[0-9\])\{4\}-(?:\\d|\[0-9\])\{2\}-", pattern):
            return "YYYY-MM-DD"
        found = _DATE_FORMAT.search(self.about)
        return found.group() if found else None

    @cached_property
    def own_words(self) -> tuple[str, ...]:
        return tuple(name_words(self.name))


def compile_parameters(schema: Json) -> list[Parameter]:
    """The parameters of an object's schema, those of nested objects in their place."""
    found: list[Parameter] = []
    _walk(schema, schema, (), True, found)
    return found


def _walk(
    root: Json, schema: Json, path: tuple[str, ...], wanted: bool, into: list[Parameter]
) -> None:
    required = schema.get("required")
    required = required if isinstance(required, list) else []
    properties = schema.get("properties")
    for name, said in (properties if isinstance(properties, dict) else {}).items():
        if len(into) >= MOST:
            return
        own = resolve(root, said)
        needed, here = wanted and name in required, (*path, str(name))
        inner = _object_in(root, own)
        if inner is not None and len(here) < DEEPEST and isinstance(inner.get("properties"), dict):
            _walk(root, inner, here, needed and "null" not in types_of(own), into)
        else:
            into.append(_compile(here, own, needed))


def _object_in(root: Json, schema: Json) -> Json | None:
    """The object a schema allows: itself, or the one of its options."""
    if "object" in types_of(schema) and "properties" in schema:
        return schema
    for option in schema.get("anyOf") or ():
        inner = resolve(root, option)
        if "object" in types_of(inner):
            return inner
    return None


def _compile(path: tuple[str, ...], schema: Json, required: bool) -> Parameter:
    about = str(schema.get("description") or "")
    own = name_words(path[-1])
    cues: dict[str, float] = {}
    for parent in path[:-1]:
        cues |= {word: IN_PARENT for word in name_words(parent) if not is_stop_word(word)}
    # what stands in an example is a value, not a cue
    plain = _EXAMPLES.split(_FORMAT.split(about.split(". ")[0])[0])[0]
    for word in [token.word for token in tokens(plain)][:14]:
        if not is_stop_word(word):
            cues[word] = 0.2 if word in words("generic") else IN_DESCRIPTION
    for word in own:
        cues[word] = 0.5 if word in words("generic") else IN_NAME
    return Parameter(
        path, schema, required, types_of(schema), _role(own, about, schema), cues, about
    )


def types_of(schema: Json) -> frozenset[str]:
    """The JSON types a schema allows; none when it does not say."""
    kind = schema.get("type")
    if isinstance(kind, str):
        return frozenset([kind])
    if isinstance(kind, list):
        return frozenset(str(each) for each in kind)
    found: set[str] = set()
    for option in schema.get("anyOf") or schema.get("oneOf") or ():
        if isinstance(option, dict):
            found |= types_of(option)
    return frozenset(found)


def enum_of(schema: Json) -> list[Any]:
    """The members a schema closes its values to, its own or those of its options."""
    members = schema.get("enum")
    if isinstance(members, list):
        return members
    options = schema.get("anyOf")
    for option in options if isinstance(options, list) else ():
        if isinstance(option, dict) and isinstance(option.get("enum"), list):
            return list(option["enum"])
    return [schema["const"]] if "const" in schema else []


def array_items(schema: Json) -> Json:
    """What an array holds, the array being the schema itself or one of its options."""
    items = schema.get("items")
    if isinstance(items, dict):
        return items
    options = schema.get("anyOf")
    for option in options if isinstance(options, list) else ():
        if isinstance(option, dict) and isinstance(option.get("items"), dict):
            return dict(option["items"])
    return {}


def resolve(root: Json, schema: Any) -> Json:
    """Follow local references, `#/$defs/Name`; what leads nowhere allows anything."""
    for _ in range(DEEPEST):
        if not isinstance(schema, dict) or "$ref" not in schema:
            break
        target: Any = root
        for step in str(schema["$ref"]).removeprefix("#").strip("/").split("/"):
            if step:
                target = target.get(step) if isinstance(target, dict) else None
        schema = target
    return schema if isinstance(schema, dict) else {}


def _role(own: list[str], about: str, schema: Json) -> str:
    formats = {"date": "date", "date-time": "date", "email": "email", "uri": "url", "time": "time"}
    if schema.get("format") in formats:
        return formats[str(schema["format"])]
    roles = sets("roles")
    told = [
        role for word in plain_words(about)[:10] for role, cues in roles.items() if word in cues
    ]
    for said in (own[-1:], own):
        for role, cues in roles.items():
            if any(word in cues for word in said):
                # `text: part of the name` takes a name
                return "name" if role == "text" and "name" in told else role
    if " or " in about[:80] and len(set(told)) > 1:
        return ""  # "name, address or number" takes any of them
    return next((role for role in roles if role in told), "")
