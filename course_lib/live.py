"""`connect()`: the one line by which a notebook reaches a model, offline or live.

Offline, the client is the real SDK over a platform of its own. With `COURSE_LIVE=1` it is the
same SDK over a real endpoint: OpenAI, or anything compatible named by `OPENAI_BASE_URL`.
"""

import os
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from openai import AsyncOpenAI, OpenAI

from .home import CourseError
from .platform.app import Platform
from .platform.faults import Fault
from .platform.models import CARDS
from .platform.state import State
from .standin import StandIn
from .standin.prompt import Model
from .transport import API_HOST, OFFLINE, offline_async_client, offline_client

DEFAULT_MODEL = "gpt-5.6"

# The model the notebooks ask for; a name is configuration.
MODEL = os.environ.get("COURSE_MODEL", "").strip() or DEFAULT_MODEL
# While a notebook is live with it, scripts and checks stay offline, so they must know it too.
CARDS.setdefault(MODEL, CARDS[DEFAULT_MODEL])

Servers = Mapping[str, Any]  # MCP servers in this process, by address

# The platforms behind the latest offline clients, newest first, so that `show` can ask them.
recent_platforms: deque[Platform] = deque(maxlen=16)


def is_live() -> bool:
    """Whether `COURSE_LIVE` asks for a real endpoint; CourseError when that cannot be reached."""
    value = os.environ.get("COURSE_LIVE", "").strip().lower()
    if value in ("", "0", "false", "no", "off"):
        return False
    if value not in ("1", "true", "yes", "on"):
        raise CourseError(
            f"COURSE_LIVE is '{value}'. Set it to 1 to go live, to 0 to stay offline."
        )
    if not os.environ.get("OPENAI_API_KEY", "").strip():
        raise CourseError(
            "COURSE_LIVE=1 is set, but OPENAI_API_KEY is not. Set the key (any text will do for "
            "a local server named by OPENAI_BASE_URL), or unset COURSE_LIVE to stay offline."
        )
    if not os.environ.get("OPENAI_BASE_URL", "https://").startswith(("http://", "https://")):
        raise CourseError(
            f"OPENAI_BASE_URL must begin with http:// or https://; unset it to reach {API_HOST}."
        )
    return True


def connect(
    model: Model | None = None, faults: Sequence[Fault] = (), mcp: Servers | None = None
) -> OpenAI:
    """A real `OpenAI` client: offline over a new platform, or live when `COURSE_LIVE=1`.

    model   what answers offline, the stand-in when left out
    faults  what goes wrong on the way, by rule
    mcp     MCP servers of yours, by the address under which the `mcp` tool finds them: a URL, or
            the id of a connector. `connect(mcp={"https://shop.example/mcp": MCPServer("shop")})`
    A client with a model of its own (a script), with faults or with servers in this process stays
    offline, live or not: a real endpoint has nothing to do with any of them.
    """
    platform = _platform(model, faults, mcp)
    return offline_client(platform.handle) if platform else OpenAI()


def connect_async(
    model: Model | None = None, faults: Sequence[Fault] = (), mcp: Servers | None = None
) -> AsyncOpenAI:
    """`connect()` for `await`: a real `AsyncOpenAI` client."""
    platform = _platform(model, faults, mcp)
    return offline_async_client(platform.handle) if platform else AsyncOpenAI()


def connect_agents(
    model: Model | None = None, faults: Sequence[Fault] = (), mcp: Servers | None = None
) -> AsyncOpenAI:
    """Make `connect_async(model, faults, mcp)` the Agents SDK's default client, and return it.

    Offline, and live on a server that is not the vendor's, the exporter that would send traces
    to the vendor is taken out. Tracing itself stays on, and every processor of yours keeps
    receiving spans.
    """
    import agents

    client = connect_async(model, faults, mcp)
    agents.set_default_openai_client(client, use_for_tracing=False)
    if client.api_key == OFFLINE["api_key"] or client.base_url.host != API_HOST:
        _stop_trace_export()
    return client


def _platform(model: Model | None, faults: Sequence[Fault], mcp: Servers | None) -> Platform | None:
    """The platform of an offline client; None for one that goes live."""
    if model is None and not faults and not mcp and is_live():
        return None
    mounted = mcp or {}
    if not isinstance(mounted, Mapping) or not all(
        isinstance(address, str) and hasattr(server, "streamable_http_app")
        for address, server in mounted.items()
    ):
        raise CourseError(
            "mcp takes a dictionary: the address under which the tool finds a server, and the "
            'MCPServer object itself, as in mcp={"https://shop.example/mcp": MCPServer("shop")}.'
        )
    state = State(mcp_servers=dict(mounted))
    platform = Platform(model=model or StandIn(), faults=list(faults), state=state)
    recent_platforms.appendleft(platform)
    return platform


def _stop_trace_export() -> None:
    from agents.tracing import get_trace_provider
    from agents.tracing.processors import default_processor
    from agents.tracing.provider import DefaultTraceProvider

    provider = get_trace_provider()
    if isinstance(provider, DefaultTraceProvider):  # a provider of the learner's own stays as it is
        # The SDK can replace the list of processors but not read it.
        processors = provider._multi_processor._processors
        provider.set_processors([each for each in processors if each is not default_processor()])
