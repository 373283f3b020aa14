"""The tools of a prompt as candidates, and a planned call as it is sent to one of them.

Functions and the tools of MCP servers are candidates as declared, tools of a known type by what
they are known for, and everything that `tool_search` can load by its description.
"""

import re

from . import program
from .choose import Ranked
from .fill import Call
from .history import Situation
from .lexicon import pattern
from .prompt import Json, Prompt
from .request import Request, read_request
from .sent import Sent, as_weighed, finish, write
from .tool import compile_tools

AS_WELL = 0.9  # of the best path's score, for another one to be loaded with it
PROGRAM = "programmatic_tool_calling"


class Offered:
    """The tools that may be called, by what is done with them; each table is by name.

    declared    all of them; `direct` are the names of those that the model may call itself
    in_program  those that a program of its may call
    paths       what a search can load
    written     those of a known type, with what they are sent for the whole request
    tools       all that is weighed, compiled; `functions` are those filled from a request
    """

    def __init__(self, prompt: Prompt, situation: Situation, request: Request, told: str) -> None:
        choice, self.parallel = prompt.tool_choice, prompt.parallel_tool_calls
        self.forced, self.situation = choice not in ("auto", "none"), situation
        named = choice["name"] if isinstance(choice, dict) else None
        callers = {t["name"]: t.get("allowed_callers") or ["direct"] for t in prompt.tools}
        if choice == "none":
            callers = {}
        self.direct = {n for n, by in callers.items() if named in (None, n) and "direct" in by}
        by_program = {n for n, by in callers.items() if "programmatic" in by}
        declared = {tool["name"]: tool for tool in prompt.tools}
        self.in_program = {n: declared[n] for n in by_program if PROGRAM in self.direct}
        self.declared = _instructed(
            {n: t for n, t in declared.items() if n in self.direct | {*self.in_program}}, told
        )
        self.search, self.written, self.paths = "", dict[str, Json](), dict[str, Json]()
        weighed = []
        for name, tool in self.declared.items():
            if tool.get("type", "function") in ("function", "mcp"):
                weighed.append(tool)
            elif "deferred" in tool:
                self.search = name
                self.paths = {} if situation.searched else {
                    each["path"]: each for each in tool["deferred"] if each["path"] not in declared
                }  # fmt: skip
            elif name != PROGRAM and (sent := write(tool, request, situation, self.forced)):
                self.written[name] = sent
                weighed.append(as_weighed(tool))
        weighed += [
            # it is no single act
            {"name": path, "description": f"The tools for {each['description']}"}
            for path, each in self.paths.items()
        ]
        self.tools = compile_tools(weighed)
        other = self.written.keys() | self.paths.keys()
        self.functions = {tool.name: tool for tool in self.tools if tool.name not in other}

    def sent(self, calls: list[Call], ranked: list[Ranked], request: Request) -> list[Sent]:
        """The calls as they are sent, each once: paths in one search, or all in a program."""
        if self.in_program and calls:
            closed = any(each.tool.name not in self.direct for each in calls)
            must = closed or len(self.direct) == 1 or (len(calls) > 1 and not self.parallel)
            others = [each.call for each in ranked]
            if code := program.write(calls, request, self.in_program, others, must):
                return [Sent(PROGRAM, {"code": code})]
        found: list[Sent] = []
        wanted = {each.tool.name for each in calls}
        if wanted & self.paths.keys():
            scores = {r.call.tool.name: r.score for r in ranked if r.call.tool.name in self.paths}
            least = AS_WELL * max(scores.values())
            paths = [path for path in self.paths if path in wanted or scores[path] >= least]
            found.append(Sent(self.search, {"paths": paths}))
        for each in calls:
            name = each.tool.name
            if name in self.paths:
                continue
            if name in self.written:
                part = read_request(each.text)
                own = (
                    write(self.declared[name], part, self.situation, self.forced)
                    if each.text
                    else None
                )
                made = Sent(name, own or self.written[name])
            else:
                made = finish(each, self.forced)
            if made not in found and (name in self.direct or made.missing):
                found.append(made)
        return found


def _instructed(tools: dict[str, Json], told: str) -> dict[str, Json]:
    """Declarations whose descriptions go on with what the instructions say of each tool.

    A sentence about several tools is cut; not if it says which of them comes first.
    """
    about = {name: [str(tool.get("description") or "")] for name, tool in tools.items()}
    for sentence in re.split(r"(?<=[.!?;])\s+|\n+", told) if told else ():
        named = about.keys() & re.findall(r"[\w-]+", sentence)
        cut = len(named) > 1 and not pattern("comes first").search(sentence)
        for clause in re.split(r"[;:,]\s(?=.*\buse\b)|\sand\s", sentence) if cut else [sentence]:
            for name in named.intersection(re.findall(r"[\w-]+", clause)):
                about[name].append(clause)
    return {
        n: t | {"description": " ".join(about[n])} if about[n][1:] else t for n, t in tools.items()
    }
