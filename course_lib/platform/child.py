"""A child process for what somebody else wrote: started bare, watched, ended with all it started.

`confined.py` is the script it runs, and takes its rights away. Here is what it may take: time,
memory and processes. Python, commands (`container_run.py`) and programs on V8
(`hosted/programs.py`) all run in one.
"""

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

SCRIPT = Path(__file__).with_name("confined.py")
MOST_PROCESSES = 64  # at once
LATE = "it ran for more than"
ENDING = threading.Event()  # set when the server is told to stop: then no child goes on


class Child:
    """A process that learns nothing of this machine's environment. Its pipes are the caller's."""

    def __init__(self, kind: str, *given: object, **environment: str) -> None:
        bare = {"PYTHONHASHSEED": "0", "PYTHONIOENCODING": "utf-8", "OPENBLAS_NUM_THREADS": "1"}
        bare |= {"LC_ALL": "C.UTF-8", "TZ": "UTC"}
        if sys.platform == "win32":
            bare["SYSTEMROOT"] = os.environ["SYSTEMROOT"]
        self.process = subprocess.Popen(
            [sys.executable, "-s", "-P", str(SCRIPT), kind, *map(str, given)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=bare | environment,
            start_new_session=True,
        )

    def watch(
        self,
        work: Callable[[], object],
        seconds: float,
        memory: int,
        excess: Callable[[], str] = str,
    ) -> str:
        """Do a piece of work with the process, and end it if it takes too much.

        work      returns when what is wanted of the process is done, or it has ended
        memory    bytes that it and all it has started may take
        excess    says what else it takes too much of, or nothing
        Returns why it was ended before its work was done, or nothing.
        """
        until = time.monotonic() + seconds
        working = threading.Thread(target=work, daemon=True)
        working.start()
        why = ""
        while not why:
            working.join(0.02)
            if not working.is_alive():
                break
            taken = self._memory()
            if ENDING.is_set():
                why = "the course is ending"
            elif time.monotonic() >= until:
                why = f"{LATE} {seconds:.0f} seconds"
            elif len(taken) > MOST_PROCESSES:
                why = f"it started more than {MOST_PROCESSES} processes"
            elif sum(taken) > memory:
                why = f"it takes more than {memory >> 20} MB"
            else:
                why = excess()
        if why:
            self.end()
        return why

    def _memory(self) -> list[int]:
        """The bytes that each of its processes takes."""
        import psutil  # type: ignore[import-untyped]

        leader, found = self.process.pid, []
        if sys.platform == "win32":  # an environment's python.exe starts another one
            with contextlib.suppress(psutil.Error):
                first = psutil.Process(leader)
                found = [each.memory_info().rss for each in (first, *first.children())]
            return found
        for pid in psutil.pids():
            with contextlib.suppress(psutil.Error, OSError):
                if os.getpgid(pid) == leader:
                    found.append(psutil.Process(pid).memory_info().rss)
        return found

    def end(self) -> None:
        """End the process and all that it has started: they cannot leave its group."""
        if sys.platform != "win32":
            with contextlib.suppress(OSError):
                os.killpg(self.process.pid, 9)
        self.process.kill()
        self.process.wait()
