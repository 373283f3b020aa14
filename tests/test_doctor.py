"""The doctor: what it finds on a machine in order, and on one that is not."""

import importlib.metadata
import io
import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from course_lib import doctor
from course_lib.doctor import Finding, State
from course_lib.home import CourseError
from tests import ROOT

Patch = pytest.MonkeyPatch
SECRET = "a-secret-that-nobody-may-see"
VARIABLES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "COURSE_LIVE")


@pytest.fixture(autouse=True)
def offline(monkeypatch: Patch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("urllib.request.getproxies", dict)


def test_python_is_named_with_its_environment(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(doctor, "ROOT", tmp_path)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    version = sys.version.split()[0]
    assert doctor.check_python() == Finding(State.OK, f"{version} in {tmp_path / '.venv'}")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "other"))
    assert doctor.check_python().state is State.NOTE


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    path = tmp_path / "lock.txt"
    path.write_text(
        f"pytest=={importlib.metadata.version('pytest')} \\\n    --hash=sha256:00\n    # via me\n"
        "nowhere==1.0 ; sys_platform == 'amiga' \\\n    --hash=sha256:00\n"
    )
    return path


def test_packages_as_locked_are_counted_with_their_markers(lock: Path) -> None:
    assert doctor.check_packages(lock) == Finding(State.OK, "1, each in its locked version")


def test_packages_not_as_locked_are_named(lock: Path) -> None:
    names = ["missing-a", "missing-b", "missing-c"]
    with lock.open("a") as file:
        file.write("rich==0.1 \\\n" + "".join(f"{name}==1.0 \\\n" for name in names))
    finding = doctor.check_packages(lock)
    assert finding.state is State.PROBLEM
    assert finding.what.startswith("4 of 5 are not as locked: rich is ")
    assert finding.what.endswith("not ==0.1, missing-a is missing, missing-b is missing and 1 more")
    assert "Delete the folder .venv" in finding.remedy


def test_a_kernel_starts_and_finds_this_python_and_this_course() -> None:
    before = dict(os.environ)
    assert doctor.check_kernel() == Finding(State.OK, "it starts, adds 1 + 1 and finds the course")
    assert dict(os.environ) == before


@pytest.mark.parametrize("answer", ["", "2\n/usr\n/elsewhere\n", "3\n"])
def test_a_kernel_of_another_python_is_a_problem(answer: str, monkeypatch: Patch) -> None:
    monkeypatch.setattr(doctor, "_ask_kernel", lambda code: answer)
    finding = doctor.check_kernel()
    assert finding.state is State.PROBLEM
    assert " ".join(answer.split()) in finding.what


def test_loopback_answers(monkeypatch: Patch) -> None:
    assert doctor.check_loopback().state is State.OK

    def refuse(*arguments: object, **options: object) -> None:
        raise PermissionError("blocked by policy")

    monkeypatch.setattr(socket, "create_connection", refuse)
    finding = doctor.check_loopback()
    assert finding.state is State.PROBLEM
    assert "blocked by policy" in finding.what
    assert "firewall" in finding.remedy


@pytest.mark.parametrize(
    ("no_proxy", "state"),
    [(None, State.PROBLEM), ("localhost", State.PROBLEM), ("127.0.0.1,localhost", State.OK)],
)
def test_a_proxy_must_leave_this_machine_out(
    no_proxy: str | None, state: State, monkeypatch: Patch
) -> None:
    monkeypatch.setattr("urllib.request.getproxies", urllib.request.getproxies_environment)
    bypass = urllib.request.proxy_bypass_environment  # type: ignore[attr-defined]
    monkeypatch.setattr("urllib.request.proxy_bypass", bypass)
    monkeypatch.setenv("https_proxy", f"http://me:{SECRET}@proxy.example:3128")
    if no_proxy:
        monkeypatch.setenv("no_proxy", no_proxy)
    finding = doctor.check_proxies()
    assert finding.state is state
    assert finding.what.startswith("set for https")
    assert ("NO_PROXY=127.0.0.1,localhost" in finding.remedy) is (state is State.PROBLEM)


@pytest.mark.parametrize(
    ("variables", "state", "what"),
    [
        ({}, State.OK, "offline; no key is needed"),
        ({"OPENAI_API_KEY": SECRET}, State.NOTE, "OPENAI_API_KEY is set and not used"),
        ({"COURSE_LIVE": "1"}, State.PROBLEM, "OPENAI_API_KEY is not"),
        ({"COURSE_LIVE": "1", "OPENAI_API_KEY": SECRET}, State.NOTE, "may cost money"),
        (
            {"COURSE_LIVE": "1", "OPENAI_API_KEY": SECRET, "OPENAI_BASE_URL": SECRET},
            State.NOTE,
            "notebooks call OPENAI_BASE_URL",
        ),
        ({"COURSE_LIVE": "perhaps"}, State.PROBLEM, "neither 1 nor 0"),
    ],
)
def test_live_or_offline(
    variables: dict[str, str], state: State, what: str, monkeypatch: Patch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    finding = doctor.check_live()
    assert finding.state is state
    assert what in finding.what
    assert bool(finding.remedy) is (state is not State.OK)


class Usage(NamedTuple):
    total: int
    used: int
    free: int


def test_a_full_disk_is_measured(monkeypatch: Patch) -> None:
    for free, state in ((1_500_000_000, State.OK), (400_000_000, State.PROBLEM)):
        monkeypatch.setattr(shutil, "disk_usage", lambda path, free=free: Usage(0, 0, free))
        finding = doctor.check_disk()
        assert (finding.state, finding.what) == (state, f"{free / 1e9:.1f} GB free")


def test_the_working_copy_is_writable_or_can_be_made(tmp_path: Path) -> None:
    work = tmp_path / "work"
    assert "not there yet" in doctor.check_work(work).what
    work.mkdir()
    assert doctor.check_work(work) == Finding(State.OK, str(work))
    work.rmdir()
    work.write_text("a note")
    finding = doctor.check_work(work)
    assert finding.state is State.PROBLEM
    assert str(work) in finding.what


# the table


@pytest.fixture
def checks(monkeypatch: Patch) -> dict[str, Any]:
    """In place of the real checks, these; a test may add to them. The lines are long enough."""
    monkeypatch.setenv("COLUMNS", "200")
    checks: dict[str, Any] = {"Weather": lambda: Finding(State.OK, "dry in [red]café β")}
    monkeypatch.setattr(doctor, "CHECKS", checks)
    return checks


def test_all_is_well(checks: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    checks["Wind"] = lambda: Finding(State.NOTE, "some", "Hold your hat.")
    assert doctor.doctor() == 0
    out = capsys.readouterr().out
    assert "dry in [red]café β" in out  # a name is no markup
    assert "Hold your hat." in out
    assert out.endswith("Nothing to do.\n")


def test_a_check_that_fails_is_a_problem_and_the_others_go_on(
    checks: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> Finding:
        raise ModuleNotFoundError("No module named 'sun'")

    def refuse() -> Finding:
        raise CourseError("Set COURSE_SUN.")

    checks.clear()
    checks.update({"Sun": fail, "Moon": refuse, "Rain": lambda: Finding(State.OK, "none")})
    assert doctor.doctor() == 1
    out = capsys.readouterr().out
    for said in ("No module named", "Set COURSE_SUN.", "none", "To do: 2."):
        assert said in out


@pytest.mark.parametrize(
    ("encoding", "mark"), [("utf-8", "✓ ok"), ("ascii", " ok"), ("cp437", " ok")]
)
def test_an_old_terminal_gets_plain_letters(
    checks: dict[str, Any], encoding: str, mark: str, monkeypatch: Patch
) -> None:
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding=encoding, errors="replace")
    monkeypatch.setattr(sys, "stdout", stream)
    assert doctor.doctor() == 0
    stream.flush()
    text = written.getvalue().decode(encoding)
    assert f"{mark} " in text
    assert ("✓" in text) is (encoding == "utf-8")
    if encoding == "ascii":
        assert "+--" in text


def test_the_whole_visit_shows_no_secret(tmp_path: Path) -> None:
    """Everything, for real, in a process of its own, on a machine that is not in order."""
    done = subprocess.run(
        [sys.executable, "-m", "course_lib", "doctor"],
        env={
            **os.environ,
            "COLUMNS": "200",
            "PYTHONIOENCODING": "utf-8",
            "COURSE_HOME": str(tmp_path / "home"),
            "OPENAI_API_KEY": SECRET,
            "http_proxy": f"http://me:{SECRET}@127.0.0.1:9",
            "no_proxy": "",
        },
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 1, done.stderr
    for name in doctor.CHECKS:
        assert f" {name} " in done.stdout
    assert "it starts, adds 1 + 1 and finds the course" in done.stdout
    assert "OPENAI_API_KEY is set and not used" in done.stdout
    assert str(tmp_path / "home") in done.stdout
    assert SECRET not in done.stdout + done.stderr
