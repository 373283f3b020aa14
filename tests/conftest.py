"""Fixtures for every test. What prepares and judges a whole run is in `tests.guard.plugin`."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.notebooks import check, facts, form

# Notebooks that are wrong on purpose: only the tests that name them run them.
collect_ignore = ["fixtures"]


@pytest.fixture(autouse=True)
def nobody_watches_the_collector() -> None:
    """Hypothesis times collections, from its first test on. An interrupt that comes just then,
    in code that hangs, would be dropped by Python with a warning."""
    gc.callbacks.clear()


class GuardLog:
    """The refusals made by one test on purpose, as lines of process, host and test."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def hosts(self) -> list[str]:
        """The refused hosts, oldest first, as Python literals."""
        if not self.path.exists():
            return []
        return [line.split(" ")[1] for line in self.path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def tripped_guard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GuardLog:
    """For a test that trips the guard: its refusals go to a log of its own, not to the run's."""
    log = GuardLog(tmp_path / "tripped.log")
    monkeypatch.setenv("COURSE_GUARD_LOG", str(log.path))
    return log


def inner_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in `folder` as a run of its own, with the guard's plugin and no other."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # the others take seconds to import
    plugins = ["-p", "tests.guard.plugin", "-p", "no:cacheprovider"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, "--rootdir", str(folder), *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how many of its facts each lesson shows, when the lessons were tested."""
    reports = (report for each in terminalreporter.stats.values() for report in each)
    if any("test_the_facts_of_a_lesson" in getattr(report, "nodeid", "") for report in reports):
        terminalreporter.section("facts shown, by lesson")
        lessons = {path.stem: form.read(path) for path in check.lessons()}
        for line in facts.coverage(lessons, facts.listed()):
            terminalreporter.line(line)
