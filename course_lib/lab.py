"""Everything JupyterLab is started with for a learner: its options, its environment, its port.

It leaves out the working copy that JupyterLab opens (working_copy.py) and the process itself
(cli.py).
"""

import contextlib
import os
import shutil
import socket
import sqlite3
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from .home import ROOT, START, WORK, CourseError, course_home

FIRST_NOTEBOOK = "notebooks/00_start_here.ipynb"


def jupyterlab_command(browser: bool = True, port: int | None = None) -> list[str]:
    """The command that opens lesson 0; JupyterLab looks for a free port when none is given.

    Raises CourseError when JupyterLab is not installed or the port is taken.
    """
    if find_spec("jupyterlab") is None:
        raise CourseError(
            f"JupyterLab is not installed for {sys.executable}: run `{START}`, which makes an "
            "environment that has it."
        )
    import zmq

    command = [sys.executable, "-m", "jupyterlab", "--log-level=WARN", "--LabApp.log_level=WARN"]
    command += [
        "--ServerApp.tornado_settings={'ws_ping_timeout': 30000}",  # Tornado warns of its 90000
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.root_dir={WORK}",
        "--ServerApp.answer_yes=True",  # one Ctrl-C stops it
        f"--LabApp.default_url=/lab/tree/{FIRST_NOTEBOOK}",
        "--LabApp.extension_manager=readonly",  # the other kind asks a package index
    ]
    if zmq.has("curve"):  # other users of the machine cannot listen, and the kernel does not warn
        command.append("--KernelManager.transport_encryption=auto")
    if port is not None:
        _require_free(port)
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


def trust(names: Iterable[str]) -> None:
    """Sign notebooks of the working copy that are as the course laid them.

    JupyterLab trusts what is signed, and otherwise warns of each notebook it opens.
    """
    import nbformat
    from nbformat.sign import NotebookNotary

    with contextlib.suppress(OSError, sqlite3.Error):  # a warning is no reason not to start
        notary = NotebookNotary()
        for name in names:
            if name.endswith(".ipynb"):
                notary.sign(nbformat.read(WORK / name, as_version=4))


def quiet_news() -> None:
    """Turn JupyterLab's news pop-up off in this environment, unless it has settings of its own.

    start.py has done so in the environments that it makes.
    """
    overrides = Path("share", "jupyter", "lab", "settings", "overrides.json")
    target = Path(sys.prefix, overrides)
    if not target.exists():
        with contextlib.suppress(OSError):  # a pop-up is no reason not to start
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / "requirements" / overrides, target)


def _require_free(port: int) -> None:
    with socket.socket() as probe:
        if os.name == "posix":  # as the server does: a port just closed is free
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise CourseError(
                f"Port {port} cannot be used ({error.strerror}): give another one with --port, or "
                "leave --port out and a free one is found."
            ) from None
