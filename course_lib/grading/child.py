"""The process that runs a submission's cells: `python -m course_lib.grading.child`.

It speaks frames on its standard input and output, and the learner's code gets neither: what
that prints goes nowhere. It has no checks and no answers, and imports none.
"""

import os
from typing import Any

from .channel import Json, PipeEnd
from .probe import Probe


def main() -> None:
    reader, writer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    _silence_checks()

    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    probe = Probe(shell.user_ns, lambda question: end.ask(question))

    def answer(question: Json) -> Json:
        if question["do"] == "run":
            return {"failed": [_run(shell, source) for source in question["cells"]]}
        return probe.answer(question)

    end = PipeEnd(reader, writer, answer)
    end.serve()


def _run(shell: Any, source: str) -> str | None:
    """Run one cell as a notebook would; return what it raised, if anything."""
    outcome = shell.run_cell(source, store_history=False)
    error = outcome.error_before_exec or outcome.error_in_exec
    return f"{type(error).__name__}: {error}" if error is not None else None


def _silence_checks() -> None:
    """Here `check` and `hint` do nothing: the verdict is reached in the other process."""
    import course_lib

    for name in ("check", "hint"):
        setattr(course_lib, name, lambda task_id: None)


if __name__ == "__main__":
    main()
