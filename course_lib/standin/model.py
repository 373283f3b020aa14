"""The stand-in model: from what a model sees to what a model returns, deterministically.

It reads the last request and what was done for it, weighs the tools, fills arguments from what was
said, and calls, asks or answers. It knows no course, no shop and no question. What it cannot do:
understand a sentence, reason over a result, or write more than it was told.
"""

import re
from typing import Any

from . import answer, history
from .choose import Ranked, calls_of, is_small_talk, plan, rank
from .fill import Call, fill
from .lexicon import pattern
from .offered import Offered
from .prompt import Answer, Argument, Candidate, Explanation, Json, Prompt, call, message
from .request import read_request, shortened
from .sent import Sent, finish, query
from .text import plain_words, stem
from .tool import Parameter

SURER = 2  # times as likely a value must be for another tool to have that one called first
STEPWISE = ("apply_patch", "shell", "local_shell")  # they may be called again for one request
# Those that a request is left to that no other tool fits, first come first.
LEFT_FOR = ("code_interpreter", *STEPWISE, "tool_search", "file_search", "web_search")


class StandIn:
    """A deterministic model. It holds no state: the prompt is all it goes by."""

    def respond(self, prompt: Prompt) -> Answer:
        return _Turn(prompt).decide()


class _Turn:
    """One decision. Each step either settles the answer or leaves it to the next."""

    def __init__(self, prompt: Prompt) -> None:
        self.prompt, self.situation = prompt, history.read(prompt.items)
        self.request = read_request(self.situation.request)
        self.told = f"{shortened(prompt.instructions or '')}\n{self.situation.told}".strip()
        self.offered = Offered(prompt, self.situation, self.request, self.told)
        self.forced = self.offered.forced
        self.ranked: list[Ranked] = []
        self.why = Explanation()

    def decide(self) -> Answer:
        made = self.situation.made
        if made and self.offered.tools and (following := self._after_results()):
            return following
        if made and not self.forced:
            found = answer.from_results(query(self.situation.request), made)
            return self._say(found, "every call has its result, so I answer")
        if not self.offered.tools:
            return self._say(message(answer.NO_TOOL), "there is no tool I may call")
        return self._first_turn()

    # --- what was made, and what follows from it

    def _after_results(self) -> Answer | None:
        made, functions = self.situation.made, self.offered.functions
        last = made[-1]
        obeyed = history.obey(self.situation, functions)
        if obeyed and not (sent := finish(obeyed)).missing:
            return self._call([sent], f"a result says to call {sent.name}")
        if last.failed:
            again = last.arguments if last.broke else history.corrected(made)
            if last.name not in functions or not isinstance(again, dict):
                return None
            told = f"{last.name} failed; I try it again"
            because = told if last.broke else "the result suggests another value"
            return self._call([Sent(last.name, again)], because)
        calls = self._plan()
        ready = [
            each for each in self.offered.sent(calls, self.ranked, self.request) if not each.missing
        ]
        if left := _remaining(ready, [each for each in made if each.name not in STEPWISE]):
            return self._call(left, "the request asks for more than was done")
        if step := self._first_of(STEPWISE):
            return self._send([step], f"{step.tool.name} goes on with what was read")
        return None

    # --- what the request wants

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
            return self._say(message(answer.SMALL_TALK), "nothing is asked for")
        if left := self._first_of(LEFT_FOR):
            return self._send([left], f"nothing fits better, and {left.tool.name} may do it")
        nearest = f"{best.call.tool.name} comes nearest, and not near enough"
        because = nearest if best.is_met else "no tool shares a word with it"
        return self._say(message(answer.NO_TOOL), because)

    def _first_of(self, names: tuple[str, ...]) -> Call | None:
        """The call of the first of these tools that is there."""
        calls = {each.call.tool.name: each.call for each in self.ranked}
        return next((calls[name] for name in names if name in calls), None)

    def _plan(self) -> list[Call]:
        """The calls the request wants, what must come first put first; and all tools weighed."""
        offered, request = self.offered, self.request
        if is_small_talk(request):
            self.ranked = rank(request, offered.tools)
            return []
        calls, self.ranked = plan(request, offered.tools)
        met = {each.call.tool.name for each in self.ranked if each.is_met}
        calls = [each for each in calls if each.tool.name in met | offered.functions.keys()]
        if (named := self._named()) and named.tool not in [each.tool for each in calls]:
            calls = [named]
        for each in calls:
            self._complete(each)
        return [self._due(each) for each in calls]

    def _named(self) -> Call | None:
        """The call of a tool of a known type, if the request has all the words of its name."""
        if any(name in self.request.text for name in self.offered.functions):
            return None
        calls = (each.call for each in self.ranked if each.call.tool.name in self.offered.written)
        said = {*self.request.stems}
        return next((c for c in calls if {*map(stem, c.tool.name_words)} <= said), None)

    def _complete(self, wanted: Call) -> None:
        """Give a call what it lacks, from the results or from what the instructions state."""
        for parameter in list(wanted.missing):
            fact = history.fact_for(parameter, self.situation.facts, nearly=False)
            stated = None if fact is not None else self._stated(parameter, wanted)
            if fact is not None:
                wanted.put(parameter, fact, "a result")
            elif stated is not None:
                wanted.put(parameter, stated, "the instructions")

    def _stated(self, parameter: Parameter, wanted: Call) -> Any:
        """What the instructions state of a parameter by its name: "the user's city is Rome"."""
        for sentence in re.split(r"(?<=[.!?;])\s+|\n+", self.told):
            known = {*plain_words(sentence)}.issuperset(parameter.own_words)
            if known and pattern("statement").search(sentence):
                return fill(wanted.tool, read_request(sentence)).arguments.get(parameter.label)
        return None

    def _due(self, wanted: Call) -> Call:
        """A call, or the one that its description says to make first and that is due."""
        for found in pattern("comes first").finditer(wanted.tool.description):
            helper = self.offered.functions.get(found[1] or found[2])
            if helper is None or helper is wanted.tool:
                continue
            if any(made.name == helper.name and not made.failed for made in self.situation.made):
                for parameter in wanted.tool.required:
                    fact = history.fact_for(parameter, self.situation.facts, nearly=True)
                    if fact is not None:
                        wanted.put(parameter, fact, f"what {helper.name} returned")
                return wanted
            first = fill(helper, self.request)
            conditional = re.search(r"\bif\b|\bunless\b", wanted.tool.description)
            doubted = pattern("doubt").search(self.request.text)
            # what was said fits the other tool much better: "my card is 5521"
            surer = min(first.scores.values(), default=0) > SURER * min(
                wanted.scores.values(), default=1
            )
            if not first.missing and (not conditional or wanted.missing or doubted or surer):
                return first
        return wanted

    # --- call, ask or answer

    def _send(self, calls: list[Call], because: str = "") -> Answer:
        """Make the calls whose arguments are complete; ask when none is."""
        sent = self.offered.sent(calls, self.ranked, self.request)
        ready = [each for each in sent if not each.missing]
        if ready:
            name = ready[0].name
            told = (
                f"tool_choice asks for {name}" if self.forced else f"{name} fits the request best"
            )
            return self._call(ready, because or told)
        if not sent:
            return self._say(message(answer.NO_TOOL), "what fits may not be called by me")
        name, missing = sent[0].name, sent[0].missing
        labels = ", ".join(parameter.label for parameter in missing)
        asked = message(answer.ask_for(name, missing))
        return self._say(asked, f"{name} fits, but {labels} was not said")

    def _call(self, ready: list[Sent], because: str) -> Answer:
        ready = ready if self.prompt.parallel_tool_calls else ready[:1]
        self.why.because = because
        self.why.arguments = [
            Argument(each.name, name, value, each.sources.get(name, "the request"))
            for each in ready for name, value in each.arguments.items()
        ]  # fmt: skip
        return Answer([call(each.name, each.arguments) for each in ready], self.why)

    def _say(self, said: Json, because: str) -> Answer:
        self.why.because, form = because, self.prompt.text_format
        if form["type"] != "text":  # where citations have no place
            text = answer.as_json(said["text"], form, self.situation.request, self.situation.made)
            said = message(text)
        return Answer([said], self.why)


def _remaining(calls: list[Sent], made: list[history.Made]) -> list[Sent]:
    """The planned calls without those made; one made with other arguments still counts as made."""
    done = [(each.name, each.arguments) for each in made]
    left = [each for each in calls if (each.name, each.arguments) not in done]
    planned = [(each.name, each.arguments) for each in calls]
    for name in [name for name, sent in done if (name, sent) not in planned]:
        if same := next((each for each in left if each.name == name), None):
            left.remove(same)
    return left


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
