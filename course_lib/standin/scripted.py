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

    turns   for each time the items to return, one or a list: `message(…)`, `refusal(…)`, `call(…)`
    """

    turns: list[Json | list[Json]]
    _played: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        """Refuse an ill-formed script now, not in the middle of a lesson."""
        if not self.turns:
            raise ScriptError("A script needs at least one turn.")
        self._items = [turn if isinstance(turn, list) else [turn] for turn in self.turns]
        for number, item in ((n, item) for n, turn in enumerate(self._items, 1) for item in turn):
            if not isinstance(item, dict) or item.get("type") not in ITEM_TYPES:
                raise ScriptError(
                    f"Turn {number} of the script holds {item!r}. "
                    "Build its items with message(text), refusal(text) and call(name, arguments)."
                )

    def respond(self, prompt: Prompt) -> Answer:
        if self._played == len(self._items):
            raise ScriptError(
                f"The script has {len(self._items)} turn(s), and this is request "
                f"{self._played + 1}. Add a turn, or look for a loop that does not stop."
            )
        items, offered = self._items[self._played], [tool["name"] for tool in prompt.tools]
        for name in (item["name"] for item in items if item["type"] == "function_call"):
            if name not in offered:
                told = ", ".join(offered) or "no tools"
                raise ScriptError(f"The script calls {name}, and the request offers {told}.")
        self._played += 1
        return Answer(items, Explanation("the script says so"))
