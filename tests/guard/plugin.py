"""The pytest plugin that every run of this project loads (see addopts in pyproject.toml).

It puts the socket guard into this process and its children, gives the run folders of its own in
place of the user's (course home, Jupyter, IPython), and takes keys, live mode and proxies out of
the environment. When the run ends it fails the run for every refusal that no test made on
purpose, even one that a library swallowed.

It leaves out HOME itself: a program that writes there still does.
"""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

import tests.guard.sitecustomize  # noqa: F401 - importing it is what guards this process
from tests import ROOT

GUARD = ROOT / "tests" / "guard"
_FOLDERS = ("COURSE_HOME", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR")
_UNWANTED = ("OPENAI_", "COURSE_LIVE")
_PROXIES = ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
_base = pytest.StashKey[Path]()


def enter(home: Path, **more: str) -> None:
    """Prepare this process and its children: guarded, without keys, at home in `home`.

    `more` are variables to set besides.
    """
    for name in list(os.environ):
        if name.upper().startswith(_UNWANTED) or name.upper() in _PROXIES:
            del os.environ[name]
    # The checkout comes second: what is tested is this folder, whatever else is installed.
    inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    paths = dict.fromkeys([str(GUARD), str(ROOT), *filter(None, inherited)])
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    for name in _FOLDERS:
        folder = home / name.lower()
        folder.mkdir(parents=True)
        os.environ[name] = str(folder)
    os.environ.update(more)


@pytest.hookimpl(tryfirst=True)  # before anything reads the environment
def pytest_configure(config: pytest.Config) -> None:
    worker = getattr(config, "workerinput", None)
    if worker is None:
        base = Path(tempfile.mkdtemp(prefix="course-tests-"))
        config.stash[_base] = base
        enter(base / "main", COURSE_GUARD_LOG=str(base / "guard.log"))
    else:  # a worker of pytest-xdist: it writes in the log of the run that started it
        enter(Path(os.environ["COURSE_GUARD_LOG"]).parent / str(worker["workerid"]))


def _refusals(config: pytest.Config) -> list[str]:
    log = config.stash[_base] / "guard.log"
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


@pytest.hookimpl(trylast=True)  # after pytest-xdist has stopped its workers
def pytest_sessionfinish(session: pytest.Session) -> None:
    if _base in session.config.stash and _refusals(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if _base in config.stash and (lines := _refusals(config)):
        terminalreporter.section("refused connections", red=True, bold=True)
        terminalreporter.line("The run fails: something tried to reach another machine.")
        terminalreporter.line("Process, host, and the test that was running if it is known:")
        for line in lines:
            terminalreporter.line(line)


def pytest_unconfigure(config: pytest.Config) -> None:
    if base := config.stash.get(_base, None):
        shutil.rmtree(base, ignore_errors=True)
