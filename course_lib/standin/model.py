"""The stand-in model: from what a model sees to what a model returns, deterministically.

It reads the last request and what was done for it, weighs the tools, fills arguments from what was
said, and calls, asks or answers. It knows no course, no shop and no question. What it cannot do:
understand a sentence, reason over a result, or write more than it was told.
"""

import re

from . import answer, follow, hosted
from .calls import Call, finish
from .catalogue import compile_tool
from .choose import is_small_talk
from .explanation import Argument, Candidate, Explanation
from .fill import Filled, fill
from .history import Situation, read
from .plan import Ranked, plan, rank
from .prompt import Answer, Json, Prompt, call, message
from .request import Request, read_request
from .rows import calls_of
from .structured import as_json_text

_DOUBT = re.compile(
    r"\b(?:not sure|don't know|do not know|unsure|not certain|can't remember|don't remember|"
    r"no idea|i think it's|something like)\b", re.IGNORECASE)  # fmt: skip


_COMES_FIRST = re.compile(
    r"\b(?:call|use|run)\s+(\w+)\s+first|\bfirst\s+(?:call|use|run)\s+(\w+)", re.IGNORECASE
)
MUCH_BETTER = 0.2  # by so much a value must fit a helper's parameter better than its own


class StandIn:
    """A deterministic model. It holds no state: the prompt is all it goes by."""

    def respond(self, prompt: Prompt) -> Answer:
        situation = read(prompt.items)
        said = hosted.before(prompt, situation) or _Turn(prompt, situation).decide()
        said = hosted.after(prompt, situation, said)
        for item in said.items:
            if item["type"] == "message":
                item["text"] = as_json_text(
                    item["text"], prompt.text_format, situation.request, situation.outputs
                )
        return said


class _Turn:
    """One decision. Each step either settles the answer or leaves it to the next."""

    def __init__(self, prompt: Prompt, situation: Situation) -> None:
        self.prompt, self.situation = prompt, situation
        self.tools = [compile_tool(tool) for tool in _callable(prompt)]
        self.by_name = {tool.name: tool for tool in self.tools}
        self.forced = prompt.tool_choice not in ("auto", "none")
        self.why = Explanation()

    def decide(self) -> Answer:
        made = self.situation.made
        may_go_on = self.forced or self.prompt.tool_choice == "auto"
        if made and may_go_on and self.tools and (done := self._after_results()):
            return done
        if made and not self.forced:
            return self._say(answer.from_results(made), "every call has its result, so I answer")
        if not self.tools:
            return self._say(answer.NO_TOOL, "there is no tool I may call")
        return self._first_turn()

    def _after_results(self) -> Answer | None:
        last = self.situation.made[-1]
        if obeyed := follow.obey(self.situation, self.by_name):
            return self._call(
                [(obeyed[0].name, obeyed[1])], f"a result says to call {obeyed[0].name}"
            )
        if last.broke and last.name in self.by_name and isinstance(last.arguments, dict):
            return self._call([(last.name, last.arguments)], f"{last.name} failed; I try it again")
        if last.failed:
            corrected = follow.correct(self.situation)
            if corrected is not None and last.name in self.by_name:
                return self._call([(last.name, corrected)], "the result suggests another value")
            if follow.says_to_ask(last):
                return self._say(answer.ask_to_fix(last), "the result says to ask the user")
            return None
        return self._go_on()

    def _go_on(self) -> Answer | None:
        """The calls that the request still wants: the next of several, or the second step."""
        calls, _ = self._plan(read_request(self.situation.request))
        finished = [(c.tool.name, *finish(c)) for c in calls]
        ready = [(name, arguments) for name, arguments, missing in finished if not missing]
        left = follow.remaining(ready, self.situation.made)
        return self._call(left, "the request asks for more than was done", calls) if left else None

    def _first_turn(self) -> Answer:
        request = read_request(self.situation.request)
        calls, ranked = self._plan(request)
        if self.situation.asked_before and all(each.missing for each in calls):
            request = read_request(f"{self.situation.asked_before} {self.situation.request}")
            calls, ranked = self._plan(request)
        self.why.candidates = [
            Candidate(each.tool.name, round(each.score, 2), each.near.counted) for each in ranked
        ]
        if self.forced and not calls:
            calls = calls_of(ranked[0].tool, ranked[0].filled, request)
        if not calls:
            talk = is_small_talk(request)
            text = answer.SMALL_TALK if talk else answer.NO_TOOL
            best = ranked[0]
            nearest = f"{best.tool.name} comes nearest, and not near enough"
            return self._say(
                text, nearest if best.near.counted else "no tool shares a word with it"
            )
        return self._send(calls)

    def _plan(self, request: Request) -> tuple[list[Call], list[Ranked]]:
        """The calls the request wants, what must come first put first."""
        if is_small_talk(request):
            return [], rank(request, self.tools)
        calls, ranked = plan(request, self.tools)
        facts = self.situation.facts
        for each in calls:
            follow.from_facts(each, facts)
        return [self._first(each, request) or each for each in calls], ranked

    def _first(self, wanted: Call, request: Request) -> Call | None:
        """The call that `wanted` depends on, if its description says so and it is due."""
        for name in re.findall(_COMES_FIRST,
                               wanted.tool.description):  # fmt: skip
            helper = self.by_name.get(name[0] or name[1])
            if helper is None or helper is wanted.tool:
                continue
            done = [m for m in self.situation.made if m.name == helper.name and not m.failed]
            if done:
                for parameter in wanted.tool.required:
                    data = follow.fact_for(parameter, self.situation.facts)
                    if data is not None:
                        wanted.take(parameter, data, f"what {helper.name} returned")
                return None
            filled = rank(request, [helper])[0].filled
            conditional = re.search(r"\bif\b|\bunless\b", wanted.tool.description)
            due = not conditional or wanted.missing or _DOUBT.search(request.text)
            if not filled.missing and (due or _better_there(wanted, filled, request)):
                return calls_of(helper, filled, request)[0]
        return None

    def _send(self, calls: list[Call]) -> Answer:
        """Make the calls whose arguments are complete; ask when none is."""
        ready: list[tuple[str, Json]] = []
        lacking = None
        for each in calls:
            arguments, missing = finish(each, self.forced)
            if missing:
                lacking = lacking or (each, missing)
            elif (each.tool.name, arguments) not in ready:
                ready.append((each.tool.name, arguments))
        if ready:
            name = ready[0][0]
            because = (
                f"tool_choice asks for {name}" if self.forced else f"{name} fits the request best"
            )
            return self._call(ready, because, calls)
        assert lacking is not None
        wanted, missing = lacking
        names = ", ".join(parameter.label for parameter in missing)
        because = f"{wanted.tool.name} fits, but {names} was not said"
        return self._say(answer.ask_for(wanted.tool.name, missing), because)

    def _call(
        self, ready: list[tuple[str, Json]], because: str, calls: list[Call] | None = None
    ) -> Answer:
        if not self.prompt.parallel_tool_calls:
            ready = ready[:1]
        self.why.because = because
        sources: dict[tuple[str, str], str] = {
            (each.tool.name, label.split(".")[0]): source
            for each in calls or ()
            for label, source in each.sources.items()
        }
        self.why.arguments = [
            Argument(tool, name, value, sources.get((tool, name), "the result before it"))
            for tool, arguments in ready
            for name, value in arguments.items()
        ]
        return Answer([call(name, arguments) for name, arguments in ready], self.why)

    def _say(self, text: str, because: str) -> Answer:
        self.why.because = because
        return Answer([message(text)], self.why)


def _better_there(wanted: Call, helper: Filled, request: Request) -> bool:
    """Whether the value `wanted` took is announced as the helper's own."""
    own = fill(wanted.tool, request)
    return any(
        value.overlaps(other)
        and helper.scores.get(there, 0) > own.scores.get(here, 0) + MUCH_BETTER
        for here, value in own.used.items()
        for there, other in helper.used.items()
    )


def _callable(prompt: Prompt) -> list[Json]:
    """The functions that may be called now: all, none, or the one that tool_choice names."""
    if prompt.tool_choice == "none":
        return []
    functions = [t for t in prompt.tools if t.get("type", "function") == "function"]
    if isinstance(prompt.tool_choice, dict) and prompt.tool_choice.get("name"):
        return [tool for tool in functions if tool["name"] == prompt.tool_choice["name"]]
    return functions


def propose(
    user: str,
    tools: list[Json],
    history: list[Json] | None = None,
    tool_choice: str | Json = "auto",
    parallel_tool_calls: bool = True,
) -> list[Json]:
    """The output items for a request, or for a whole context if `history` is given."""
    items = history if history is not None else [{"role": "user", "content": user}]
    prompt = Prompt(None, items, tools, tool_choice, parallel_tool_calls)
    return StandIn().respond(prompt).items
