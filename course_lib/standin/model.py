"""The stand-in model: from what a model sees to what a model returns, deterministically.

It reads the last request and what was done for it, weighs the tools, fills arguments from what was
said, and calls, asks or answers. It knows no course, no shop and no question. What it cannot do:
understand a sentence, reason over a result, or write more than it was told.
"""

import re
from collections.abc import Sequence

from . import answer, follow, grounded, typed
from .catalogue import Tool
from .choose import Ranked, is_small_talk, rank
from .explanation import Argument, Candidate, Explanation
from .fill import Call, fill
from .history import Situation, read
from .lexicon import pattern
from .offered import Offered
from .plan import calls_of, plan
from .prompt import Answer, Json, Prompt, call, message
from .request import read_request
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
        self.ranked: list[Ranked] = []
        self.why = Explanation()

    def decide(self) -> Answer:
        made = self.situation.made
        if made and self.offered.tools and (done := self._after_results()):
            return done
        if made and not self.forced:
            found = grounded.answer(typed.query(self.situation.request), made)
            because = "every call has its result, so I answer"
            return self._say(found or answer.from_results(made), because)
        if not self.offered.tools:
            return self._say(answer.NO_TOOL, "there is no tool I may call")
        return self._first_turn()

    def _after_results(self) -> Answer | None:
        last, functions = self.situation.made[-1], self.offered.functions
        if obeyed := follow.obey(self.situation, functions):
            return self._send([obeyed], f"a result says to call {obeyed.tool.name}")
        if last.broke and last.name in functions and isinstance(last.arguments, dict):
            return self._call([(last.name, last.arguments)], f"{last.name} failed; I try it again")
        if last.failed:
            corrected = follow.correct(self.situation)
            if corrected is not None and last.name in functions:
                return self._call([(last.name, corrected)], "the result suggests another value")
            if follow.says_to_ask(last):
                return self._say(answer.ask_to_fix(last), "the result says to ask the user")
            return None
        calls = self._plan()
        finished = self.offered.finished(calls, self.ranked, self.request)
        ready = [(name, arguments) for name, arguments, missing in finished if not missing]
        made = [each for each in self.situation.made if each.name not in typed.STEPWISE]
        if left := follow.remaining(ready, made):
            return self._call(left, "the request asks for more than was done", calls)
        if step := self._first_of(typed.STEPWISE):
            return self._send([step], f"{step.tool.name} goes on with what was read")
        return None

    def _first_turn(self) -> Answer:
        calls = self._plan()
        if self.situation.asked_before and all(each.missing for each in calls):
            whole = f"{self.situation.asked_before} {self.situation.request}"
            self.request = read_request(whole)
            calls = self._plan()
        self.why.candidates = [
            Candidate(each.call.tool.name, round(each.score, 2), each.reasons(self.request))
            for each in self.ranked
        ]
        best = self.ranked[0]
        if self.forced and not calls:
            calls = calls_of(best.call, self.request)
        if calls:
            return self._send(calls)
        if is_small_talk(self.request):
            return self._say(answer.SMALL_TALK, "nothing is asked for")
        if left := self._first_of(typed.LEFT_FOR):
            return self._send([left], f"nothing fits better, and {left.tool.name} may do it")
        nearest = f"{best.call.tool.name} comes nearest, and not near enough"
        shared = best.is_met
        return self._say(answer.NO_TOOL, nearest if shared else "no tool shares a word with it")

    def _first_of(self, names: tuple[str, ...]) -> Call | None:
        """The call of the first of these tools that is there."""
        calls = {each.call.tool.name: each.call for each in self.ranked}
        return next((calls[name] for name in names if name in calls), None)

    def _plan(self) -> list[Call]:
        """The calls the request wants, what must come first put first; and all tools weighed."""
        request, functions = self.request, self.offered.functions
        if is_small_talk(request):
            self.ranked = rank(request, self.offered.tools)
            return []
        calls, self.ranked = plan(request, self.offered.tools)
        met = {each.call.tool.name for each in self.ranked if each.is_met}
        calls = [each for each in calls if each.tool.name in met | functions.keys()]
        if (named := self._named()) and named.tool not in [each.tool for each in calls]:
            calls = [named]
        calls = [self._dependent_on(each) or each for each in calls]
        for each in calls:
            self._take_facts(each, "a result", nearly=False)
            for parameter in list(each.missing):
                if (data := self.offered.stated(parameter, each.tool)) is not None:
                    each.put(parameter, data, "the instructions")
        return [self._prerequisite_of(each) or each for each in calls]

    def _dependent_on(self, call: Call) -> Call | None:
        """The call whose description puts `call` first, if the request is more for it."""
        counted = {each.call.tool.name: sum(each.share) for each in self.ranked}
        for each in self.ranked:
            first = call.tool.name in _prerequisites(each.call.tool)
            if first and sum(each.share) > counted[call.tool.name]:
                return each.call
        return None

    def _named(self) -> Call | None:
        """The call of a tool of a known type, if the request has all the words of its name."""
        if any(name in self.request.text for name in self.offered.functions):
            return None
        calls = (each.call for each in self.ranked if each.call.tool.name in self.offered.written)
        said = {*self.request.stems}
        return next((c for c in calls if {*map(stem, c.tool.name_words)} <= said), None)

    def _take_facts(self, wanted: Call, source: str, nearly: bool) -> None:
        """Give a call what it lacks, or what another tool must tell, from the results."""
        for parameter in wanted.tool.required if nearly else list(wanted.missing):
            data = follow.fact_for(parameter, self.situation.facts, nearly)
            if data is not None:
                wanted.put(parameter, data, source)

    def _prerequisite_of(self, wanted: Call) -> Call | None:
        """The call that `wanted` depends on, if its description says so and it is due."""
        for name in _prerequisites(wanted.tool):
            helper = self.offered.functions.get(name)
            if helper is None or helper is wanted.tool:
                continue
            if any(made.name == helper.name and not made.failed for made in self.situation.made):
                self._take_facts(wanted, f"what {helper.name} returned", nearly=True)
                return None
            first = fill(helper, self.request)
            conditional = re.search(r"\bif\b|\bunless\b", wanted.tool.description)
            doubted = pattern("doubt").search(self.request.text)
            # what was said fits the other tool much better: "my card is 5521"
            surer = min(first.scores.values(), default=0) > SURER * min(
                wanted.scores.values(), default=1
            )
            if not first.missing and (not conditional or wanted.missing or doubted or surer):
                return first
        return None

    def _send(self, calls: list[Call], because: str = "") -> Answer:
        """Make the calls whose arguments are complete; ask when none is."""
        finished = self.offered.finished(calls, self.ranked, self.request)
        if not finished:
            return self._say(answer.NO_TOOL, "what fits may not be called by me")
        ready = [(name, arguments) for name, arguments, missing in finished if not missing]
        if ready:
            name = ready[0][0]
            told = (
                f"tool_choice asks for {name}" if self.forced else f"{name} fits the request best"
            )
            return self._call(ready, because or told, calls)
        name, _, missing = finished[0]
        names = ", ".join(parameter.label for parameter in missing)
        return self._say(answer.ask_for(name, missing), f"{name} fits, but {names} was not said")

    def _call(
        self, ready: list[tuple[str, Json]], because: str, calls: Sequence[Call] = ()
    ) -> Answer:
        if not self.prompt.parallel_tool_calls:
            ready = ready[:1]
        other = "the request" if calls else "the result before it"
        told = {
            (each.tool.name, label.split(".")[0]): source
            for each in calls for label, source in each.sources.items()
        }  # fmt: skip
        self.why.because = because
        self.why.arguments = [
            Argument(tool, name, value, told.get((tool, name), other))
            for tool, arguments in ready for name, value in arguments.items()
        ]  # fmt: skip
        return Answer([call(name, arguments) for name, arguments in ready], self.why)

    def _say(self, said: str | Json, because: str) -> Answer:
        self.why.because = because
        return Answer([message(said) if isinstance(said, str) else said], self.why)


def _prerequisites(tool: Tool) -> list[str]:
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
