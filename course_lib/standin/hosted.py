"""Which of the tools that the platform runs itself a request wants, and what is sent to it.

A function is chosen by its description. These tools are the same for everyone, so a model knows
them by type: one draws, one computes, and the search tools are for whatever asks for information
and no function answers.
"""

import re

from . import answer, grounded, python
from .explanation import Argument, Explanation
from .history import Situation
from .prompt import Answer, Json, Prompt, call, message
from .text import is_stop_word, plain_words

TYPES = ("file_search", "web_search", "code_interpreter", "image_generation")
_DRAWS = re.compile(
    r"\b(?:draw|paint|sketch)\b|\b(?:generate|create|make|design|produce|give me|show me)\b"
    r"[^.?!]{0,60}\b(?:image|picture|photo|illustration|drawing|logo|icon|painting|poster)\b", re.I
)  # fmt: skip
_ON_THE_WEB = re.compile(
    r"\b(?:web|internet|online|google)\b|https?://|\b(?:news|weather|forecast|latest|today|"
    r"currently|this week|last week|up to date)\b", re.IGNORECASE
)  # fmt: skip
_IN_FILES = re.compile(r"\b(?:documents?|files?|knowledge base|manuals?|handbook)\b", re.IGNORECASE)
_ASKS = re.compile(
    r"\?\s*$|^\W*(?:please |can you |could you )?(?:what|who|where|when|which|how|why|whose|is|are|"
    r"do|does|find|look|search|tell|explain|summari[sz]e|list|describe|check|research|compare|open|"
    r"read|visit|browse|fetch)\b",
    re.IGNORECASE | re.MULTILINE,
)  # fmt: skip
_SEARCH = re.compile(r"\b(?:search|look up|look for|google|web search)\b", re.IGNORECASE)
_SEARCH_THE_WEB = re.compile(
    r"\b(?:web search|google|(?:search|browse|look)\b[^.?!]*\b(?:web|internet|online))\b", re.I
)
_COMPUTE = re.compile(r"\b(?:python|code interpreter|compute|calculate)\b", re.IGNORECASE)
_LEAD_IN = re.compile(
    r"^\W*(?:(?:please|can you|could you|would you)\s+)?(?:(?:search|look|browse|google|check)\b"
    r"(?:\s+(?:up|for|in|on|through|the|my|our|your|web|internet|google|online|documents?|files?|"
    r"search))*\s+(?:for |about |and (?:find|tell me) )?)?", re.IGNORECASE
)  # fmt: skip
_ASIDE = re.compile(  # what is said to the model, not of the matter
    r"\s*\b(?:(?:use|using|with)\b[^.?!]*\b(?:search|web|tool)|give me|answer|reply|keep)\b"
    r"[^.?!]*[.?!]?", re.IGNORECASE
)  # fmt: skip
_PLAINLY = {
    "image_generation": _DRAWS,
    "code_interpreter": _COMPUTE,
    "web_search": _SEARCH_THE_WEB,
}
_URL = re.compile(r"https?://[^\s\"'<>)]+[^\s\"'<>).,;:!?]")
_QUOTED = re.compile(r"[\"“'‘]([^\"”'’]+)[\"”'’]")


def before(prompt: Prompt, situation: Situation) -> Answer | None:
    """The call that a request plainly wants of one of these tools, before functions are weighed."""
    tools, request = _callable(prompt, situation), situation.request
    functions = [tool["name"] for tool in prompt.tools if tool.get("type") == "function"]
    if not situation.made and any(name in request for name in functions):
        return None
    name = next(
        (n for n, plainly in _PLAINLY.items() if n in tools and plainly.search(request)), ""
    )
    if not name or (name == "code_interpreter" and not python.write(request)):
        return None
    if name == "image_generation":  # what other tools have returned for it may be its subject
        request = " ".join([request, *(made.text for made in situation.made)])
    return _call(name, arguments(name, request), f"{name} is for what the request asks")


def after(prompt: Prompt, situation: Situation, said: Answer) -> Answer:
    """What is said in the end: a search if no function answers, and passages as they stand."""
    if any(item["type"] == "function_call" for item in said.items):
        return said
    request, made = situation.request, situation.made
    if not made and said.items[0].get("text") == answer.NO_TOOL:
        tools = _callable(prompt, situation)
        name = _left_for(request, tools)
        if name is None and tools and prompt.tool_choice != "auto":
            name = min(tools)
        if name:
            because = f"no function fits, and {name} is for what the request asks"
            said = _call(name, arguments(name, request), because)
    elif made and (found := grounded.answer(query(request), made)):
        if prompt.text_format["type"] != "text":  # a citation has no place in JSON
            del found["citations"]
        said.items = [found]
    elif made and made[-1].name == "image_generation" and not made[-1].failed:
        said.items = [message("")]  # the picture is the answer, as recorded
    elif made and made[-1].name == "code_interpreter" and not made[-1].failed:
        said.items = [message(_computed(made[-1].output))]
    return said


def _computed(result: Json) -> str:
    """What the code printed, and links to the files it wrote."""
    logs = str(result.get("logs") or "").strip()
    told = f"The code printed:\n\n{logs}" if "\n" in logs else f"The result is {logs or 'empty'}."
    links = [f"[{link.rsplit('/', 1)[-1]}]({link})" for link in result.get("files") or []]
    return "\n\n".join([told, *links])


def _callable(prompt: Prompt, situation: Situation) -> set[str]:
    """The hosted tools that may be called now, and were not for this request."""
    choice = prompt.tool_choice
    return {
        tool["name"]
        for tool in prompt.tools
        if tool.get("type") in TYPES
        and choice != "none"
        and (isinstance(choice, str) or choice.get("name") == tool["name"])
        and not any(made.name == tool["name"] for made in situation.made)
    }


def _call(name: str, sent: Json, because: str) -> Answer:
    told = [Argument(name, key, value, "the request") for key, value in sent.items()]
    return Answer([call(name, sent)], Explanation(because, arguments=told))


def _left_for(request: str, tools: set[str]) -> str | None:
    """The tool that may do what no function does: compute, or search if something is asked."""
    if "code_interpreter" in tools and python.write(request):
        return "code_interpreter"
    found = [name for name in ("file_search", "web_search") if name in tools]
    if not found or not (_ASKS.search(request) or _SEARCH.search(request)):
        return None
    return found[-1 if _ON_THE_WEB.search(request) and not _IN_FILES.search(request) else 0]


def arguments(name: str, request: str) -> Json:
    """What the tool of this name is sent for a request."""
    match name:
        case "web_search" if url := _URL.search(request):
            quoted = _QUOTED.search(request.replace(url.group(), ""))
            return {"url": url.group()} | ({"pattern": quoted[1]} if quoted else {})
        case "web_search":
            return {"query": query(request)}
        case "file_search":
            asked = query(request)
            words = " ".join(word for word in plain_words(asked) if not is_stop_word(word))
            return {"queries": list(dict.fromkeys([asked, words])) if words else [asked]}
        case "code_interpreter":
            return {"code": python.write(request) or python.NOTHING}
        case _:
            return {"prompt": request}


def query(request: str) -> str:
    """A request without what it says of searching."""
    asked = _ASIDE.sub("", _URL.sub("", request)).strip() or request
    return " ".join(_LEAD_IN.sub("", asked, count=1).split()).rstrip("?.! ") or asked
