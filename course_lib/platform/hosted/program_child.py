"""Plays programs on V8, each in an isolate of its own. A script, not a module.

    python -P program_child.py SECONDS MEGABYTES

A line of JSON on the standard input is a program with the answers its calls have so far, a line
on the standard output what came of it. What a program can do is in `program.js`: it has no host
function at all, so it cannot reach this process. On Linux the process has given up its rights
(`confined.py`). V8 minds its own heap; the rest, and time, are watched from outside
(`program_runner.py`), and the timer here ends a program that nobody is left to watch.
"""

import json
import os
import runpy
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from py_mini_racer import JSEvalException, MiniRacer, init_mini_racer

HERE = Path(__file__).parent
AROUND = (HERE / "program.js").read_text(encoding="utf-8")


def play(given: dict[str, Any]) -> str:
    """Run a program with the answers it was given, each when it has come to rest; its report."""
    with MiniRacer() as v8:
        program: Any = v8.eval(AROUND)
        program["start"](json.dumps(given["program"]))
        for answer in given["answers"]:
            program["answer"](json.dumps(answer))
        return str(program["report"]())


if __name__ == "__main__":
    seconds, megabytes = map(int, sys.argv[1:])
    replies = sys.stdout.buffer
    init_mini_racer(
        # the seed makes Math.random give the same numbers to every program
        flags=["--single-threaded", "--random-seed=1", f"--max-heap-size={megabytes}"]
    )
    MiniRacer().close()  # what is loaded once, while files may still be read
    if sys.platform == "linux":
        with suppress(OSError, KeyError):
            runpy.run_path(str(HERE / "confined.py"))["confine"]([], [], starting=False)
    replies.write(b"\n")
    replies.flush()
    for line in sys.stdin.buffer:
        timer = threading.Timer(seconds, os._exit, [1])
        timer.start()
        report = "null"
        with suppress(JSEvalException):  # the program changed what the report is made with
            report = play(json.loads(line))
        replies.write(report.encode() + b"\n")
        replies.flush()
        timer.cancel()
