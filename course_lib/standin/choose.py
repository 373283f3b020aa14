"""Which tool fits the request: words in common, weighed by where in the tool they stand.

Lexical evidence only: a request that means the tool's purpose in other words is not recognised.
"""

import json
from dataclasses import dataclass
from functools import lru_cache

from .explanation import Candidate
from .prompt import Json
from .words import content_words, is_negative, sentences, stem

THRESHOLD = 0.4  # below it the model does not call
IN_NAME, IN_DESCRIPTION, IN_PARAMETERS = 1.0, 0.7, 0.4
TYPED_VALUE, NAMED_VALUE = 0.5, 0.25  # an argument the request states; a mere proper name
UNEXPLAINED = 0.5  # what each word costs that neither the tool nor a value accounts for


@dataclass(frozen=True, slots=True)
class Compiled:
    """A tool's words by stem, each with its weight; `against` are those of "do not" sentences."""

    weights: dict[str, float]
    against: frozenset[str]


def compile_tool(tool: Json) -> Compiled:
    parameters = json.dumps(tool.get("parameters") or {}, sort_keys=True)
    return _compile(tool["name"], tool.get("description") or "", parameters)


@lru_cache(maxsize=1024)
def _compile(name: str, description: str, parameters: str) -> Compiled:
    weights: dict[str, float] = {}
    against: set[str] = set()
    for property_name, schema in json.loads(parameters).get("properties", {}).items():
        about = (
            f"{property_name} {schema.get('description', '')}" if isinstance(schema, dict) else ""
        )
        weights |= dict.fromkeys(map(stem, content_words(about)), IN_PARAMETERS)
    for sentence in sentences(description):
        stems = map(stem, content_words(sentence))
        if is_negative(sentence):
            against |= set(stems)
        else:
            weights |= dict.fromkeys(stems, IN_DESCRIPTION)
    weights |= dict.fromkeys(map(stem, content_words(name)), IN_NAME)
    return Compiled(weights, frozenset(against) - {stem(word) for word in content_words(name)})


def score(request: list[str], tool: Json, taken: dict[str, float]) -> Candidate:
    """Weigh one tool against the content words of a request.

    taken   the words that became arguments, lower case, each with what it counts for
    """
    compiled = compile_tool(tool)
    evidence, unexplained, counted = 0.0, 0, []
    for word in dict.fromkeys(request):
        weight = compiled.weights.get(stem(word), 0.0)
        if stem(word) in compiled.against:
            evidence -= IN_NAME
            counted.append(f"not {word}")
        elif weight:
            evidence += weight
            counted.append(word)
        elif word in taken:
            evidence += taken[word]
            counted.append(word)
        else:
            unexplained += 1
    evidence = max(evidence, 0.0)
    total = evidence + UNEXPLAINED * unexplained
    return Candidate(tool["name"], round(evidence / total, 2) if total else 0.0, counted)
