"""The tools of a prompt as candidates, and a planned call as it is sent to one of them.

Functions and the tools of MCP servers are candidates as declared, tools of a known type by what
they are known for (`typed.py`), and everything that `tool_search` can load by its description.
"""

import re
from typing import Any

from . import program, typed
from .catalogue import Tool, compile_tools
from .choose import Ranked
from .fill import Call, fill
from .finish import finish
from .history import Situation
from .lexicon import pattern
from .parameters import Parameter
from .prompt import Json, Prompt
from .request import Request, read_request, shortened
from .task import Task
from .text import plain_words

AS_WELL = 0.8  # of the best path's score, for another one to be loaded with it

PROGRAM = "programmatic_tool_calling"
_TOOLS = "The tools for "  # before the description of what can be loaded: it is no single act

Finished = tuple[str, Json, list[Parameter]]  # name, arguments, what is missing


class Offered:
    """The tools, by what is done with them; each table is by name.

    declared    all that may be called, and what the instructions say of each
    direct      those that the model may call itself
    in_program  those that a program of its may call
    written     those of a known type, with what they are sent for the whole request
    paths       what a search can load
    functions   those that are filled from a request, compiled
    tools       all that is weighed: functions, written and paths, compiled
    """

    def __init__(self, prompt: Prompt, situation: Situation) -> None:
        self.forced = prompt.tool_choice not in ("auto", "none")
        self.situation, self.parallel = situation, prompt.parallel_tool_calls
        self.direct, self.in_program = _callable(prompt)
        told = f"{shortened(prompt.instructions or '')}\n{situation.told}"
        self.sentences = re.split(r"(?<=[.!?;])\s+|\n+", told)
        both = self.direct | self.in_program
        said = [part for each in self.sentences for part in _clauses(each, both)]
        self.declared = {name: _instructed(tool, said) for name, tool in both.items()}
        search = next((tool for tool in self.declared.values() if "deferred" in tool), {})
        self.search = search.get("name", "")
        self.paths = {
            each["path"]: {"name": each["path"], "description": _TOOLS + each["description"]}
            for each in search.get("deferred", ())
            if each["path"] not in self.declared and not situation.searched
        }
        self.written = {
            name: sent for name, tool in self.declared.items() if name != self.search
            and typed.is_typed(tool) and (sent := self._write(tool, situation.request)) is not None
        }  # fmt: skip
        weighed = [
            typed.as_weighed(tool) if name in self.written else tool
            for name, tool in self.declared.items()
            if name in self.written or not (typed.is_typed(tool) or name in (self.search, PROGRAM))
        ]
        self.tools = compile_tools([*weighed, *self.paths.values()])
        other = self.written.keys() | self.paths.keys()
        self.functions = {tool.name: tool for tool in self.tools if tool.name not in other}

    def _write(self, tool: Json, text: str) -> Json | None:
        return typed.write(Task(tool, text, self.situation, self.forced))

    def stated(self, parameter: Parameter, tool: Tool) -> Any:
        """What the instructions state of a parameter by its name: "the user's city is Rome"."""
        for sentence in self.sentences:
            words = {*plain_words(sentence)}
            if pattern("statement").search(sentence) and words.issuperset(parameter.own_words):
                return fill(tool, read_request(sentence)).arguments.get(parameter.label)
        return None

    def finished(self, calls: list[Call], ranked: list[Ranked], request: Request) -> list[Finished]:
        """The calls as they are sent, each once: paths in one search, or all in a program."""
        found: list[Finished] = []
        if self.in_program and calls:
            closed = any(each.tool.name not in self.direct for each in calls)
            must = closed or len(self.direct) == 1 or (len(calls) > 1 and not self.parallel)
            others = [each.call for each in ranked]
            if code := program.write(calls, request, self.in_program, others, must):
                return [(PROGRAM, {"code": code}, [])]
        if any(each.tool.name in self.paths for each in calls):
            scores = {r.call.tool.name: r.score for r in ranked if r.call.tool.name in self.paths}
            wanted = {each.tool.name for each in calls}
            least = AS_WELL * max(scores.values(), default=1.0)
            paths = [path for path in self.paths if path in wanted or scores.get(path, 0) >= least]
            found.append((self.search, {"paths": paths}, []))
        for each in calls:
            name = each.tool.name
            if name in self.written:
                sent = self._write(self.declared[name], each.text) if each.text else None
                made: Finished = (name, sent or self.written[name], [])
            else:
                made = (name, *finish(each, self.forced))
            if name not in self.paths and made not in found and (name in self.direct or made[2]):
                found.append(made)
        return found


def _clauses(sentence: str, tools: Json) -> list[str]:
    """A sentence that is about several tools, cut; whole if it says which of them comes first."""
    several = len(tools.keys() & re.findall(r"[\w-]+", sentence)) > 1
    cut = several and not pattern("comes first").search(sentence)
    return re.split(r"[;:,]\s(?=.*\buse\b)|\sand\s", sentence) if cut else [sentence]


def _instructed(tool: Json, said: list[str]) -> Json:
    """A declaration whose description goes on with what the instructions say of the tool."""
    own = [each for each in said if tool["name"] in re.findall(r"[\w-]+", each)]
    about = " ".join([str(tool.get("description") or ""), *own])
    return tool | {"description": about} if own else tool


def _callable(prompt: Prompt) -> tuple[dict[str, Json], dict[str, Json]]:
    """What the model may call itself: all, nothing, or what is named; and through a program."""
    if prompt.tool_choice == "none":
        return {}, {}
    named = prompt.tool_choice.get("name") if isinstance(prompt.tool_choice, dict) else None
    tools = {tool["name"]: tool for tool in prompt.tools}
    direct = {
        name: tool for name, tool in tools.items()
        if named in (None, name) and "direct" in (tool.get("allowed_callers") or ["direct"])
    }  # fmt: skip
    if PROGRAM not in direct:
        return direct, {}
    return direct, {name: tool for name, tool in tools.items() if program.may_call(tool)}
