"""A model that follows a script: for tests, and for lessons that need one exact exchange."""

from dataclasses import dataclass, field

from .prompt import Answer, Explanation, Json, Prompt

ITEM_TYPES = ("message", "refusal", "function_call")


class ScriptError(Exception):
    """The script cannot be played: it is ill-formed, it ran out, or a call does not fit."""


@dataclass
class Scripted:
    """Returns one turn of the script each time it is asked.

    That is once a request, and once more after each call of a hosted tool, which the platform runs
    in between.

    turns   for each time the items to return: `message(…)` and `call(…)`, one or a list
    """

    turns: list[Json | list[Json]]
    _played: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        """Refuse an ill-formed script now, not in the middle of a lesson."""
        if not self.turns:
            raise ScriptError("A script needs at least one turn.")
        for number, turn in enumerate(self.turns, 1):
            for item in _as_list(turn):
                if not isinstance(item, dict) or item.get("type") not in ITEM_TYPES:
                    raise ScriptError(
                        f"Turn {number} of the script holds {item!r}. "
                        "Build its items with message(text) and call(name, arguments)."
                    )

    def respond(self, prompt: Prompt) -> Answer:
        if self._played == len(self.turns):
            raise ScriptError(
                f"The script has {len(self.turns)} turn(s), and this is request "
                f"{self._played + 1}. Add a turn, or look for a loop that does not stop."
            )
        items = _as_list(self.turns[self._played])
        names = [tool["name"] for tool in prompt.tools]
        for item in items:
            if item["type"] == "function_call" and item["name"] not in names:
                raise ScriptError(
                    f"The script calls {item['name']}, and the request offers "
                    f"{', '.join(names) or 'no tools'}."
                )
        self._played += 1
        return Answer(items, Explanation("the script says so"))


def _as_list(turn: Json | list[Json]) -> list[Json]:
    return turn if isinstance(turn, list) else [turn]
