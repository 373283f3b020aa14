"""`course lab`: JupyterLab on the learner's working copy, with the options and the environment that
suit it. `working_copy.py` lays that copy out.
"""

import contextlib
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from .home import ROOT, START, WORK, CourseError, course_home
from .working_copy import lay_out


def lab(browser: bool, port: int) -> int:
    """Lay out the working copy, run JupyterLab until it ends, and return its exit code."""
    command, environment = jupyterlab_command(browser, port), jupyter_environment()
    for name, beside in lay_out().kept.items():
        print(f"Yours stays: work/{name}. The course's new version of it is work/{beside}.")
    print(
        f"Your working copy of the course is {WORK}, and what you change there stays. JupyterLab "
        "opens it in your browser; if that shows nothing, or an error, copy the http://127.0.0.1 "
        "address from below into a browser. To stop, press Ctrl-C in this window.",
        flush=True,
    )
    return run_child(command, environment)


def jupyterlab_command(browser: bool = True, port: int = 0) -> list[str]:
    """The command that opens lesson 0; JupyterLab looks for a free port when it is 0.

    Raises CourseError when JupyterLab is not installed.
    """
    if find_spec("jupyterlab") is None:
        raise CourseError(
            f"JupyterLab is not installed for {sys.executable}: run `{START}`, which makes an "
            "environment that has it."
        )
    import zmq

    command = [
        *(sys.executable, "-m", "jupyterlab"),
        # The address is told at any level; warnings, such as of a notebook not signed, are not.
        *("--log-level=ERROR", "--LabApp.log_level=ERROR"),
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.root_dir={WORK}",
        "--ServerApp.answer_yes=True",  # one Ctrl-C stops it
        "--LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb",
        "--LabApp.extension_manager=readonly",  # the other kind asks a package index
    ]
    if zmq.has("curve"):  # other users of the machine cannot listen
        command.append("--KernelManager.transport_encryption=auto")
    if port:
        command += [f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
    if not browser:
        command.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    return command


def jupyter_environment() -> dict[str, str]:
    """This process's variables, with those that let a kernel find this Python and this course.

    A kernel named python3 that the user has elsewhere would come before the environment's own.
    """
    share = str(Path(sys.prefix, "share", "jupyter"))
    environment = dict(os.environ, JUPYTER_PREFER_ENV_PATH="1")
    for name, first in (("JUPYTER_PATH", share), ("PYTHONPATH", str(ROOT))):
        environment[name] = os.pathsep.join(filter(None, [first, os.environ.get(name)]))
    if "COURSE_HOME" in environment:  # it may be relative, and a kernel starts elsewhere
        environment["COURSE_HOME"] = str(course_home())
    return environment


def run_child(command: list[str], environment: dict[str, str]) -> int:
    """Run a command from the course's folder. Ctrl-C reaches it too, and it decides."""
    process = subprocess.Popen(command, env=environment, cwd=ROOT)
    while True:
        with contextlib.suppress(KeyboardInterrupt):
            return process.wait()
