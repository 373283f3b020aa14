"""The process that runs a submission's cells: `python -P -m course_lib.grading.child BYTES`.

It speaks frames on its standard input and output, and the learner's code gets neither: what
that prints goes nowhere. It has no checks and no answers, and imports none. It ends when the
checking side is gone, even in the middle of an endless loop.
"""

import os
import queue
import sys
from contextlib import suppress
from typing import Any

from .channel import Json, PipeEnd
from .failed_cells import FailedCells
from .probe import Probe, describe_error


def main() -> None:
    reader, writer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    _limit_memory(int(sys.argv[1]))
    questions: queue.SimpleQueue[Json] = queue.SimpleQueue()
    end = PipeEnd(reader, writer, asked=questions.put, closed=lambda: os._exit(0))
    _silence_checks()
    shell = _shell()
    probe = Probe(shell.user_ns, end.ask, FailedCells(shell).error)
    # Only now, so that a file of the learner's cannot pass for a module that we import.
    sys.path.insert(0, "")  # the notebook's folder, as a kernel has it
    while True:
        question = questions.get()
        if question["do"] == "run":
            end.reply({"raised": _run(shell, question["cell"])})
        else:
            end.reply(probe.answer(question))


def _limit_memory(size: int) -> None:
    """Let this process write to so many bytes at most, where the system can hold it to that."""
    with suppress(ImportError, OSError, ValueError):  # there is no such call on Windows
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def _shell() -> Any:
    """The IPython that runs cells as a notebook does, magics and top-level await included."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    no_history = Config({"HistoryManager": {"enabled": False}})
    return InteractiveShell.instance(config=no_history)


def _run(shell: Any, source: str) -> Json | None:
    """Run one cell as a notebook would; return what it raised, if anything."""
    outcome = shell.run_cell(source, store_history=False)
    error = outcome.error_before_exec or outcome.error_in_exec
    return describe_error(error) if error is not None else None


def _silence_checks() -> None:
    """Here `check` and `hint` do nothing: the verdict is reached in the other process."""
    import course_lib

    for name in ("check", "hint"):
        setattr(course_lib, name, lambda task_id: None)


if __name__ == "__main__":
    main()
