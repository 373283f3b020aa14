"""The few names a notebook uses. Everything else in the course is the real libraries.

They load when they are first asked for: `course doctor` must run where a library is missing, and a
process that runs a submission never has the checks.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import show
    from .checks import check, hint
    from .live import MODEL, connect, connect_agents, connect_async

__all__ = ["MODEL", "check", "connect", "connect_agents", "connect_async", "hint", "show"]

_MODULES = {"check": "checks", "hint": "checks"}  # the other names live in `live`


def __getattr__(name: str) -> Any:
    if name == "show":
        return import_module(".show", __name__)
    if name in __all__:
        return getattr(import_module(f".{_MODULES.get(name, 'live')}", __name__), name)
    raise AttributeError(f"module 'course_lib' has no attribute {name!r}")
