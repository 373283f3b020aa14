"""The stand-in model: from what a model sees to what a model returns, deterministically.

It reads the last request and what was done for it, weighs the tools, fills arguments from what was
said, and calls, asks or answers. It knows no course, no shop and no question. What it cannot do:
understand a sentence, reason over a result, or write more than it was told.
"""

import re
from operator import sub
from typing import Any

from . import answer, history, program
from .choose import Ranked, calls_of, is_small_talk, plan
from .fill import Call, fill
from .known import arguments_for, as_weighed, query
from .lexicon import pattern
from .prompt import Answer, Argument, Candidate, Explanation, Json, Prompt, call, message
from .request import Request, read_request
from .sent import Sent, finish
from .text import plain_words, stem
from .tool import Parameter, compile_tools

SURER = 2  # times as likely a value must be for another tool to have that one called first
ITS_OWN = 0.5  # how much more a word must count for one tool than for the other
AS_WELL = 0.9  # of the best path's score, for another one to be loaded with it
PROGRAM, PLAIN = "programmatic_tool_calling", ("function", "mcp")
STEPWISE = ("apply_patch", "shell", "local_shell")  # they may be called again for one request
# Those that a request is left to that no other tool fits, first come first.
LEFT_FOR = ("code_interpreter", *STEPWISE, "tool_search", "file_search", "web_search")


def propose(
    user: str,
    tools: list[Json],
    history: list[Json] | None = None,
    tool_choice: str | Json = "auto",
    parallel_tool_calls: bool = True,
) -> list[Json]:
    """The output items for a request, or for a whole context if `history` is given.

    It is the way in for what measures the stand-in; the platform asks a `StandIn`.
    """
    items = [{"role": "user", "content": user}] if history is None else history
    prompt = Prompt(None, items, tools, tool_choice, parallel_tool_calls)
    return StandIn().respond(prompt).items


class StandIn:
    """A deterministic model. It holds no state: the prompt is all it goes by."""

    def respond(self, prompt: Prompt) -> Answer:
        return _Turn(prompt).decide()


class _Turn:
    """One decision: what follows from what was made, or else what the request asks for.

    direct       the tools that the model may call itself, by name
    in_program   those that a program of its may call
    written      what tools of a known type are sent for the whole request
    paths        what the tool named `search` can load
    tools        all that is weighed, compiled: these, and functions as they are declared
    functions    of them those that are filled from the request, by name
    """

    def __init__(self, prompt: Prompt) -> None:
        self.prompt, self.situation = prompt, history.read(prompt)
        self.request = read_request(self.situation.request)
        self.forced = prompt.tool_choice not in ("auto", "none")
        self.why, self.ranked = Explanation(), list[Ranked]()
        self.direct, self.in_program = self._callable()
        self.written, self.paths, self.search = dict[str, Json](), list[str](), ""
        weighed: list[Json] = []
        for name, tool in (self.direct | self.in_program).items():
            if tool.get("type", "function") in PLAIN:
                weighed.append(tool)
            elif "deferred" in tool:
                new = [] if self.situation.searched else tool["deferred"]
                self.search, self.paths = name, [each["path"] for each in new]
                weighed += [each | {"name": each["path"]} for each in new]
            elif name != PROGRAM and (sent := self._known_arguments(tool, self.request)):
                self.written[name] = sent
                weighed.append(as_weighed(tool))
        self.tools = compile_tools(weighed)
        others = {*self.written, *self.paths}
        self.functions = {tool.name: tool for tool in self.tools if tool.name not in others}

    def _callable(self) -> tuple[dict[str, Json], dict[str, Json]]:
        """The tools that may be called, by the model itself and by a program of its."""
        direct, in_program = dict[str, Json](), dict[str, Json]()
        choice = self.prompt.tool_choice
        named = choice["name"] if isinstance(choice, dict) else None
        tools = _instructed(self.prompt.tools, self.situation.sentences)
        for tool in tools if choice != "none" else ():
            callers = tool.get("allowed_callers") or ("direct",)
            if "direct" in callers and named in (None, tool["name"]):
                direct[tool["name"]] = tool
            if "programmatic" in callers and tool.get("type", "function") in PLAIN:
                in_program[tool["name"]] = tool
        return direct, in_program if PROGRAM in direct else {}

    def _known_arguments(self, tool: Json, request: Request) -> Json | None:
        return arguments_for(tool, request, self.situation, self.forced)

    def decide(self) -> Answer:
        made = self.situation.made
        if made and (following := self._after_results()):
            return following
        if made and not self.forced:
            said = answer.from_results(query(self.situation.request), made)
            return self._say(said, "every call has its result, so I answer")
        if not self.tools:
            return self._without_tool("there is no tool I may call")
        return self._first_turn()

    def _after_results(self) -> Answer | None:
        """What follows from what was made: to obey, to try again, or to go on."""
        made, last = self.situation.made, self.situation.made[-1]
        obeyed = history.obey(self.situation, self.functions)
        if obeyed and not (sent := finish(obeyed)).missing:
            return self._call([sent], f"a result says to call {sent.name}")
        done = [(each.name, each.arguments) for each in made]
        suggested = history.corrections(made)
        because = "the result suggests another value"
        again = [each for each in suggested if each not in done]
        if last.broke:
            again, because = done[-1:], f"{last.name} failed; I try it again"
        tools = self.functions
        sent_again = [Sent(*each) for each in again if each[0] in tools]
        if valid := [each for each in sent_again if tools[each.name].accepts(each.arguments)]:
            return self._call(valid, because)
        if last.failed:
            return None
        left = [each for each in self._sent(self._plan()) if not each.missing]
        for name, arguments in done:
            own = [each for each in left if each.name == name and name not in STEPWISE]
            same = [each for each in own if each.arguments == arguments]
            # made with other arguments it counts as well, but for what was only suggested
            if own and (name, arguments) not in suggested:
                left.remove((same or own)[0])
        return self._call(left, "the request asks for more than was done") if left else None

    def _first_turn(self) -> Answer:
        """Call what is wanted; or else what a request is left to; or say that nothing fits."""
        calls = self._plan()
        if self.situation.asked_before and all(each.missing for each in calls):
            self.request = read_request(f"{self.situation.asked_before} {self.request.text}")
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
        likely = {each.call.tool.name: each.call for each in self.ranked}
        if left := next((likely[name] for name in LEFT_FOR if name in likely), None):
            return self._send([left], f"nothing fits better, and {left.tool.name} may do it")
        nearest = f"{best.call.tool.name} comes nearest, and not near enough"
        because = nearest if best.is_met else "no tool shares a word with it"
        return self._without_tool(because)

    def _without_tool(self, because: str) -> Answer:
        """Say what a text in the request says of its question, or else that nothing was given."""
        return self._say(answer.from_text(self.situation.request) or answer.NO_TOOL, because)

    def _plan(self) -> list[Call]:
        """The calls the request wants, what must come first put first; and all tools weighed."""
        calls, self.ranked = plan(self.request, self.tools)
        if is_small_talk(self.request):
            return []
        met = {each.call.tool.name for each in self.ranked if each.is_met}
        calls = [each for each in calls if each.tool.name in met or each.arguments]
        for each in self.ranked:  # "search the web for …": all the words of its name
            tool = each.call.tool
            if tool.name in self.written and {*map(stem, tool.name_words)} <= {*self.request.stems}:
                calls = [each.call]
                break
        return [self._due(self._dependent(wanted)) for wanted in calls]

    def _dependent(self, wanted: Call) -> Call:
        """A call, or that of a tool that comes after it, if a word was said for that tool alone."""
        shares = {each.call.tool.name: each.share for each in self.ranked}
        for each in self.ranked:
            apart = max(map(sub, each.share, shares[wanted.tool.name]), default=0.0)
            if wanted.tool.name in each.call.tool.comes_after and apart > ITS_OWN:
                return each.call
        return wanted

    def _due(self, wanted: Call) -> Call:
        """A call with what is known of it, or the one that its description puts first."""
        first = [name for name in wanted.tool.comes_after if name in self.functions]
        called = any(each.name in first and not each.failed for each in self.situation.made)
        for parameter in wanted.tool.required if called else list(wanted.missing):
            fact = history.fact_for(parameter, self.situation.facts, nearly=called)
            if fact is not None:
                wanted.put(parameter, fact, "a result")
            elif parameter in wanted.missing and (stated := self._stated(wanted, parameter)):
                wanted.put(parameter, stated, "the instructions")
        conditional = re.search(r"\bif\b|\bunless\b", wanted.tool.description)
        doubted = pattern("doubt").search(self.request.text)
        # what was said may fit the other tool much better: "my card is 5521"
        least = SURER * min(wanted.scores.values(), default=1)
        for helper in [fill(self.functions[name], self.request) for name in first if not called]:
            surer = min(helper.scores.values(), default=0) > least
            if not helper.missing and (not conditional or wanted.missing or doubted or surer):
                return helper
        return wanted

    def _stated(self, wanted: Call, parameter: Parameter) -> Any:
        """What the instructions state of a parameter by its name: "the user's city is Rome"."""
        for sentence in filter(pattern("statement").search, self.situation.sentences):
            if {*plain_words(sentence)}.issuperset(parameter.own_words):
                return fill(wanted.tool, read_request(sentence)).arguments.get(parameter.label)
        return None

    def _sent(self, calls: list[Call]) -> list[Sent]:
        """The calls as they are sent, each once: paths in one search, or all in a program."""
        if self.in_program and calls:
            closed = any(each.tool.name not in self.direct for each in calls)
            several = len(calls) > 1 and not self.prompt.parallel_tool_calls
            others, must = [each.call for each in self.ranked], closed or several
            if code := program.write(calls, self.request, self.in_program, others, must):
                return [Sent(PROGRAM, {"code": code})]
        found: list[Sent] = []
        if wanted := {*self.paths} & {each.tool.name for each in calls}:
            scores = {each.call.tool.name: each.score for each in self.ranked}
            least = AS_WELL * max(scores[path] for path in self.paths)
            paths = [path for path in self.paths if path in wanted or scores[path] >= least]
            found.append(Sent(self.search, {"paths": paths}))
        for each in calls:
            name, made = each.tool.name, finish(each, self.forced)
            if name in self.written:
                own = each.request and self._known_arguments(self.direct[name], each.request)
                made = Sent(name, own or self.written[name])
            if made not in found and (name in self.direct or made.missing):
                found.append(made)
        return found

    def _send(self, calls: list[Call], because: str = "") -> Answer:
        """Make the calls whose arguments are complete; ask when none is."""
        sent = self._sent(calls)
        if ready := [each for each in sent if not each.missing]:
            fits = "tool_choice asks for {}" if self.forced else "{} fits the request best"
            return self._call(ready, because or fits.format(ready[0].name))
        if not sent:
            return self._say(answer.NO_TOOL, "what fits may not be called by me")
        name, missing = sent[0].name, sent[0].missing
        labels = ", ".join(parameter.label for parameter in missing)
        return self._say(answer.ask_for(name, missing), f"{name} fits, but {labels} was not said")

    def _call(self, ready: list[Sent], because: str) -> Answer:
        ready = ready if self.prompt.parallel_tool_calls else ready[:1]
        self.why.because = because
        self.why.arguments = [
            Argument(each.name, name, value, each.sources.get(name, "the request"))
            for each in ready
            for name, value in each.arguments.items()
        ]
        return Answer([call(each.name, each.arguments) for each in ready], self.why)

    def _say(self, said: str | Json, because: str) -> Answer:
        self.why.because = because
        told = message(said) if isinstance(said, str) else said
        if self.prompt.text_format["type"] != "text":  # where citations have no place
            told = message(answer.as_json(told["text"], self.prompt.text_format, self.situation))
        return Answer([told], self.why)


def _instructed(tools: list[Json], sentences: list[str]) -> list[Json]:
    """Tools whose descriptions go on with what the instructions say of them.

    A sentence about several tools is cut; not if it says which of them comes first.
    """
    names, about = {tool["name"] for tool in tools}, dict[str, str]()
    for sentence in sentences:
        several = len(names & {*re.findall(r"[\w-]+", sentence)}) > 1
        cut = several and not pattern("comes first").search(sentence)
        for clause in re.split(r"[;:,]\s(?=.*\buse\b)|\sand\s", sentence) if cut else [sentence]:
            for name in names & {*re.findall(r"[\w-]+", clause)}:
                about[name] = f"{about.get(name, '')} {clause}"
    return [
        tool | {"description": f"{tool.get('description') or ''}{about[tool['name']]}"}
        if tool["name"] in about else tool for tool in tools
    ]  # fmt: skip
