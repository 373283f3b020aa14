"""A tool, compiled once: the words it is known by, their vectors, and its parameters.

Compiling takes a few milliseconds, so it is kept for as long as the tool stays the same.
"""

import marshal
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from .lexicon import verb_class, words
from .parameters import Parameter, compile_parameters
from .prompt import Json
from .text import (
    DIMENSIONS,
    Vector,
    importance,
    is_stop_word,
    matrix,
    name_words,
    plain_words,
    stem,
    vector,
)

IN_NAME, IN_DESCRIPTION, IN_PARAMETERS = 1.0, 0.8, 0.45  # what a word counts by where it stands
SHARED_CUES = 0.7
DESCRIBED = 25  # so many words of a description give its direction
_NEGATIVE = re.compile(
    r"\b(?:do not|don't|does not|doesn't|never|not for|not to be|except|instead of)\b",
    re.IGNORECASE,
)


@dataclass(eq=False)
class Tool:
    """One compiled tool."""

    name: str
    description: str
    schema: Json
    strict: bool
    parameters: list[Parameter]
    weights: dict[str, float]  # the words it is known by
    own_words: list[str]  # of its name
    against: frozenset[str]  # stems of what the description says it is not for
    explained: frozenset[str]  # stems of the words it explains itself with

    @cached_property
    def required(self) -> list[Parameter]:
        return [parameter for parameter in self.parameters if parameter.required]

    @cached_property
    def act(self) -> str:
        """The kind of act it does, by its name or the beginning of its description."""
        return verb_class(self.own_words) or verb_class(plain_words(self.description)[:2])

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(self.weights)

    @cached_property
    def key_words(self) -> tuple[str, ...]:
        """The words of the name that tell something; all of them when none does."""
        own = self.own_words
        telling = [w for w in own if w not in words("generic") and not is_stop_word(w)]
        return tuple(dict.fromkeys(telling or own))

    @cached_property
    def is_nameless(self) -> bool:
        """Whether its name says nothing: `tool_1`, `fn`, `proc_data`."""
        return all(len(w) < 3 or w in words("generic") or vector(w) is None for w in self.own_words)

    @cached_property
    def key_vectors(self) -> Vector:
        return matrix(self.key_words)

    @cached_property
    def vectors(self) -> Vector:
        """One row for each word, as long as the word weighs."""
        import numpy as np

        return matrix(self.words) * np.array(list(self.weights.values()), np.float32)[:, None]

    @cached_property
    def word_weights(self) -> Vector:
        import numpy as np

        return np.array(list(self.weights.values()), np.float32)

    @cached_property
    def stems(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for word, weight in self.weights.items():
            found[stem(word)] = max(found.get(stem(word), 0.0), weight)
        return found

    @cached_property
    def direction(self) -> Vector:
        """The mean direction of the name and the description."""
        import numpy as np

        said = [w for w, weight in self.weights.items() if weight >= IN_DESCRIPTION][-DESCRIBED:]
        mean: Vector = np.zeros(DIMENSIONS, np.float32)
        for word in said:
            if (own := vector(word)) is not None:
                mean = mean + importance(word) * own
        unit: Vector = mean / (np.linalg.norm(mean) + 1e-9)
        return unit

    @cached_property
    def cues(self) -> tuple[Vector, Vector, list[int], list[dict[str, float]]]:
        """For all parameters: the vectors and weights of their cues, where each begins, stems."""
        import numpy as np

        shared: dict[str, int] = {}
        for parameter in self.parameters:
            for said_stem in {stem(word) for word in parameter.cues}:
                shared[said_stem] = shared.get(said_stem, 0) + 1
        said: list[str] = []
        weights: list[float] = []
        begins: list[int] = []
        stems: list[dict[str, float]] = []
        for parameter in self.parameters:
            begins.append(len(said))
            own = parameter.cues or {"": 0.0}
            said += own
            weights += [
                weight / shared.get(stem(word), 1) ** SHARED_CUES if weight >= 0.45 else 0.0
                for word, weight in own.items()
            ]
            by_stem: dict[str, float] = {}
            for word, weight in own.items():
                # a word that several parameters have tells them apart the less
                own_weight = weight / shared.get(stem(word), 1) ** SHARED_CUES
                by_stem[stem(word)] = max(by_stem.get(stem(word), 0.0), own_weight)
            stems.append(by_stem)
        return matrix(said), np.array(weights, np.float32), begins, stems


def compile_tool(tool: Json) -> Tool:
    """The compiled form of a function tool as the API declares it."""
    try:
        key = marshal.dumps(tool, 2)
    except ValueError:  # too deep, or not plain data
        return _compile(tool)
    return _compiled(key)


@lru_cache(maxsize=4096)
def _compiled(key: bytes) -> Tool:
    return _compile(marshal.loads(key))


def _compile(tool: Json) -> Tool:
    name, description = str(tool["name"]), str(tool.get("description") or "")
    schema = tool.get("parameters")
    schema = schema if isinstance(schema, dict) else {}
    parameters = compile_parameters(schema)
    positive, against = _sentences(description)
    own = name_words(name)
    weights: dict[str, float] = {}
    for parameter in parameters:
        said = [*parameter.own_words, *plain_words(parameter.about)]
        for option in parameter.options:
            said += name_words(str(option))
        weights |= {word: IN_PARAMETERS for word in said if not is_stop_word(word)}
    described = [word for word in positive if not is_stop_word(word)]
    weights |= dict.fromkeys(described, IN_DESCRIPTION)
    weights |= dict.fromkeys((word for word in own if not is_stop_word(word)), IN_NAME)
    own_stems = {stem(word) for word in own}
    refused = {stem(w) for w in against if not is_stop_word(w) and w not in words("generic")}
    return Tool(
        name,
        description,
        schema,
        tool.get("strict") is True,
        parameters,
        weights,
        own,
        frozenset(refused - own_stems),
        frozenset(stem(word) for word in [*own, *described]),
    )


def _sentences(description: str) -> tuple[list[str], list[str]]:
    """The words of what a tool is for, and of what it says it is not for."""
    positive: list[str] = []
    against: list[str] = []
    for sentence in re.split(r"(?<=[.!?;])\s+|\n+", description):
        found = _NEGATIVE.search(sentence)
        cut = found.start() if found else len(sentence)
        positive += plain_words(sentence[:cut])
        against += plain_words(sentence[cut:].split(":")[0])
    return positive, against
