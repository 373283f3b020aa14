"""Which names are not what their cell says, because that cell failed.

A cell that does not parse, or raises before it comes to a definition, leaves what an earlier run
defined. A check that judged that would judge an answer the learner no longer sees.
"""

import re
from typing import Any

from .channel import Json
from .probe import describe_error

_DEFINITION = re.compile(
    r"^(?:(?:async +)?def|class) +(\w+)|^(\w+) *(?::[^=\n]+)?=(?!=)", re.MULTILINE
)
_NOTHING = object()


class FailedCells:
    """Watches the cells that an IPython shell runs, from now on."""

    def __init__(self, shell: Any) -> None:
        self._names = shell.user_ns
        self._before: dict[str, Any] = {}
        self._failed: dict[str, tuple[Any, Json]] = {}  # the value that was left, and the error
        shell.events.register("pre_run_cell", self._begin)
        shell.events.register("post_run_cell", self._end)

    def error(self, name: str) -> Json | None:
        """What the latest cell that was to define a name raised; None when it did define it."""
        left, error = self._failed.get(name, (None, None))
        return error if error and self._names.get(name, _NOTHING) is left else None

    def _begin(self, info: Any) -> None:
        self._before = dict(self._names)

    def _end(self, result: Any) -> None:
        error = result.error_before_exec or result.error_in_exec
        for found in _DEFINITION.finditer(result.info.raw_cell or ""):
            name = found[1] or found[2]
            left = self._before.get(name, _NOTHING)
            self._failed.pop(name, None)
            if error is not None and self._names.get(name, _NOTHING) is left:
                self._failed[name] = left, describe_error(error)
        self._before = {}
