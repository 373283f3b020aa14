"""The few names a notebook uses. Everything else in the course is the real libraries."""

from typing import TYPE_CHECKING, Any

from . import show
from .live import connect, connect_agents, connect_async, model_name

if TYPE_CHECKING:
    from .checks import check, hint

MODEL = model_name()

__all__ = ["MODEL", "check", "connect", "connect_agents", "connect_async", "hint", "show"]


def __getattr__(name: str) -> Any:
    """Load the checks when they are first asked for: a process under grading never has them."""
    if name in ("check", "hint"):
        from . import checks

        return getattr(checks, name)
    raise AttributeError(f"module 'course_lib' has no attribute {name!r}")
