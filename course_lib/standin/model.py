"""The stand-in model: from what a model sees to what a model returns, deterministically.

It reads the last request and what was done for it, weighs the tools, fills arguments from what was
said, and calls, asks or answers. It knows no course, no shop and no question. What it cannot do:
understand a sentence, reason over a result, or write more than it was told.
"""

import re

from . import answer, follow, grounded, typed
from .catalogue import Tool
from .choose import Ranked, is_small_talk, rank
from .explanation import Argument, Candidate, Explanation
from .fill import Call, fill
from .finish import finish
from .history import Situation, read
from .lexicon import pattern
from .offered import Offered
from .plan import calls_of, plan
from .prompt import Answer, Json, Prompt, call, message
from .request import Request, read_request
from .structured import as_json_text
from .text import stem

SURER = 2  # times as likely a value must be for another tool to have that one called first


class StandIn:
    """A deterministic model. It holds no state: the prompt is all it goes by."""

    def respond(self, prompt: Prompt) -> Answer:
        situation = read(prompt.items)
        said = _Turn(prompt, situation).decide()
        outputs = [made.output for made in situation.made]
        for item in said.items:
            if item["type"] == "message" and prompt.text_format["type"] != "text":
                item["text"] = as_json_text(
                    item["text"], prompt.text_format, situation.request, outputs
                )
                item.pop("citations", None)  # they have no place in JSON
        return said


class _Turn:
    """One decision. Each step either settles the answer or leaves it to the next."""

    def __init__(self, prompt: Prompt, situation: Situation) -> None:
        self.prompt, self.situation = prompt, situation
        self.offered = Offered(prompt, situation)
        self.forced = self.offered.forced
        self.request = read_request(situation.request)
        self.why = Explanation()

    def decide(self) -> Answer:
        made = self.situation.made
        if made and self.offered.tools and (done := self._after_results()):
            return done
        if made and not self.forced:
            found = grounded.answer(typed.query(self.situation.request), made)
            said = found or message(answer.from_results(made))
            return self._say(said, "every call has its result, so I answer")
        if not self.offered.tools:
            return self._say(message(answer.NO_TOOL), "there is no tool I may call")
        return self._first_turn()

    def _after_results(self) -> Answer | None:
        last, functions = self.situation.made[-1], self.offered.functions
        if obeyed := follow.obey(self.situation, functions):
            return self._send([obeyed], [], f"a result says to call {obeyed.tool.name}")
        if last.broke and last.name in functions and isinstance(last.arguments, dict):
            return self._call([(last.name, last.arguments)], f"{last.name} failed; I try it again")
        if last.failed:
            corrected = follow.correct(self.situation)
            if corrected is not None and last.name in functions:
                return self._call([(last.name, corrected)], "the result suggests another value")
            if follow.says_to_ask(last):
                return self._say(
                    message(answer.ask_to_fix(last)), "the result says to ask the user"
                )
            return None
        calls, ranked = self._plan(self.request)
        finished = self.offered.finished(calls, ranked, self.request)
        ready = [(name, arguments) for name, arguments, missing in finished if not missing]
        made = [each for each in self.situation.made if each.name not in typed.STEPWISE]
        if left := follow.remaining(ready, made):
            return self._call(left, "the request asks for more than was done", calls)
        if step := _left_for(typed.STEPWISE, ranked):
            return self._send([step], ranked, f"{step.tool.name} goes on with what was read")
        waited = self._waited(ranked)
        if waited is None:
            return None
        return self._send([waited], ranked, f"{waited.tool.name} waited for {last.name}")

    def _waited(self, ranked: list[Ranked]) -> Call | None:
        """The call whose description puts the latest one first, if the request is more for it."""
        made = [each.name for each in self.situation.made]
        counted = {each.call.tool.name: sum(each.share) for each in ranked}
        for each in ranked:
            tool = each.call.tool
            waited = made[-1] in _put_first(tool) and tool.name not in made
            if waited and sum(each.share) > counted.get(made[-1], 0):
                self._take_facts(each.call, f"what {made[-1]} returned", nearly=True)
                if not finish(each.call)[1]:
                    return each.call
        return None

    def _first_turn(self) -> Answer:
        calls, ranked = self._plan(self.request)
        if self.situation.asked_before and all(each.missing for each in calls):
            whole = f"{self.situation.asked_before} {self.situation.request}"
            self.request = read_request(whole)
            calls, ranked = self._plan(self.request)
        request = self.request
        self.why.candidates = [
            Candidate(each.call.tool.name, round(each.score, 2), each.reasons(request))
            for each in ranked
        ]
        best = ranked[0]
        if self.forced and not calls:
            calls = calls_of(best.call, request)
        if calls:
            return self._send(calls, ranked)
        if is_small_talk(request):
            return self._say(message(answer.SMALL_TALK), "nothing is asked for")
        if left := _left_for(typed.LEFT_FOR, ranked):
            told = f"nothing else fits, and {left.tool.name} is for what is asked"
            return self._send([left], ranked, told)
        nearest = f"{best.call.tool.name} comes nearest, and not near enough"
        none = "no tool shares a word with it"
        return self._say(message(answer.NO_TOOL), nearest if best.reasons(request) else none)

    def _plan(self, request: Request) -> tuple[list[Call], list[Ranked]]:
        """The calls the request wants, what must come first put first."""
        if is_small_talk(request):
            return [], rank(request, self.offered.tools)
        calls, ranked = plan(request, self.offered.tools)
        met = {each.call.tool.name for each in ranked if each.reasons(request)}
        calls = [c for c in calls if c.tool.name in met or c.tool.name in self.offered.functions]
        if (named := self._named(request, ranked)) and named.tool not in [c.tool for c in calls]:
            calls = [named]
        for each in calls:
            self._take_facts(each, "a result", nearly=False)
            for parameter in list(each.missing):
                if (data := self.offered.default(parameter, each.tool)) is not None:
                    each.put(parameter, data, "the instructions")
        return [self._first(each, request) or each for each in calls], ranked

    def _named(self, request: Request, ranked: list[Ranked]) -> Call | None:
        """The call of a tool of a known type, if the request has all the words of its name."""
        if any(name in request.text for name in self.offered.functions):
            return None
        said = {*request.stems}
        calls = [each.call for each in ranked if each.call.tool.name in self.offered.written]
        return next((c for c in calls if {*map(stem, c.tool.name_words)} <= said), None)

    def _take_facts(self, wanted: Call, source: str, nearly: bool) -> None:
        """Give a call what it lacks, or what another tool must tell, from the results."""
        for parameter in wanted.tool.required if nearly else list(wanted.missing):
            data = follow.fact_for(parameter, self.situation.facts, nearly)
            if data is not None:
                wanted.put(parameter, data, source)

    def _first(self, wanted: Call, request: Request) -> Call | None:
        """The call that `wanted` depends on, if its description says so and it is due."""
        for name in _put_first(wanted.tool):
            helper = self.offered.functions.get(name)
            if helper is None or helper is wanted.tool:
                continue
            if any(made.name == helper.name and not made.failed for made in self.situation.made):
                self._take_facts(wanted, f"what {helper.name} returned", nearly=True)
                return None
            first = fill(helper, request)
            conditional = re.search(r"\bif\b|\bunless\b", wanted.tool.description)
            doubted = pattern("doubt").search(request.text)
            # what was said fits the other tool much better: "my card is 5521"
            surer = min(first.scores.values(), default=0) > SURER * min(
                wanted.scores.values(), default=1
            )
            if not first.missing and (not conditional or wanted.missing or doubted or surer):
                return first
        return None

    def _send(self, calls: list[Call], ranked: list[Ranked], because: str = "") -> Answer:
        """Make the calls whose arguments are complete; ask when none is."""
        finished = self.offered.finished(calls, ranked, self.request)
        ready = [(name, arguments) for name, arguments, missing in finished if not missing]
        if ready:
            name = ready[0][0]
            told = f"tool_choice asks for {name}" if self.forced else ""
            return self._call(ready, because or told or f"{name} fits the request best", calls)
        if not finished:
            return self._say(message(answer.NO_TOOL), "what fits may not be called by me")
        name, _, missing = finished[0]
        names = ", ".join(parameter.label for parameter in missing)
        text = answer.ask_for(name, missing)
        return self._say(message(text), f"{name} fits, but {names} was not said")

    def _call(
        self, ready: list[tuple[str, Json]], because: str, calls: list[Call] | None = None
    ) -> Answer:
        if not self.prompt.parallel_tool_calls:
            ready = ready[:1]
        self.why.because = because
        sources = {
            (each.tool.name, label.split(".")[0]): source
            for each in calls or ()
            for label, source in each.sources.items()
        }
        other = "the request" if calls else "the result before it"
        self.why.arguments = [
            Argument(tool, name, value, sources.get((tool, name), other))
            for tool, arguments in ready
            for name, value in arguments.items()
        ]
        return Answer([call(name, arguments) for name, arguments in ready], self.why)

    def _say(self, said: Json, because: str) -> Answer:
        self.why.because = because
        return Answer([said], self.why)


def _left_for(names: tuple[str, ...], ranked: list[Ranked]) -> Call | None:
    """The call of the first of these tools that is there."""
    calls = {each.call.tool.name: each.call for each in ranked}
    return next((calls[name] for name in names if name in calls), None)


def _put_first(tool: Tool) -> list[str]:
    """The tools that a description says to call before its own."""
    return [found[1] or found[2] for found in pattern("comes first").finditer(tool.description)]


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
