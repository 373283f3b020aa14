"""The doctor: what it finds on a machine in order, and on one that is not."""

import importlib.metadata
import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from course_lib import doctor
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


def problem(check: Callable[[], str]) -> str:
    with pytest.raises(CourseError) as caught:
        check()
    return str(caught.value)


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    path = tmp_path / "lock.txt"
    path.write_text(
        f"pytest=={importlib.metadata.version('pytest')} \\\n    --hash=sha256:00\n    # via me\n"
        "nowhere==1.0 ; sys_platform == 'amiga' \\\n    --hash=sha256:00\n"
    )
    return path


def test_packages_as_locked_are_counted_with_their_markers(lock: Path) -> None:
    assert doctor.check_packages(lock) == "1, each in its locked version"


def test_packages_not_as_locked_are_named(lock: Path) -> None:
    names = ["missing-a", "missing-b", "missing-c"]
    with lock.open("a") as file:
        file.write("pydantic==0.1 \\\n" + "".join(f"{name}==1.0 \\\n" for name in names))
    said = problem(lambda: doctor.check_packages(lock))
    assert said.startswith("4 of 5 are not as locked: pydantic==0.1 (2")
    assert "missing-a==1.0 (missing), missing-b==1.0 (missing), …. " + doctor.REMAKE in said


def test_of_two_versions_the_one_that_is_imported_counts(
    lock: Path, tmp_path: Path, monkeypatch: Patch
) -> None:
    (tmp_path / "pytest-0.1.dist-info").mkdir()
    (tmp_path / "pytest-0.1.dist-info" / "METADATA").write_text("Name: pytest\nVersion: 0.1\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert " (0.1). " in problem(lambda: doctor.check_packages(lock))


def test_a_kernel_starts_and_finds_this_python_and_this_course() -> None:
    before = dict(os.environ)
    assert doctor.check_kernel() == "it starts, adds 1 + 1 and finds the course"
    assert dict(os.environ) == before


@pytest.mark.parametrize("answer", ["", "2\n/usr\n/elsewhere\n", "3\n"])
def test_a_kernel_of_another_python_is_a_problem(answer: str, monkeypatch: Patch) -> None:
    done = subprocess.CompletedProcess[str]([], 0, answer, "Trace\nOSError: no sun\n")
    monkeypatch.setattr(subprocess, "run", lambda command, **options: done)
    said = " ".join(answer.split()) or "OSError: no sun"
    assert f"it says '{said}'" in problem(doctor.check_kernel)


@pytest.mark.parametrize(
    ("no_proxy", "in_order"), [(None, False), ("localhost", False), ("127.0.0.1,localhost", True)]
)
def test_a_proxy_must_leave_this_machine_out(
    no_proxy: str | None, in_order: bool, monkeypatch: Patch
) -> None:
    monkeypatch.setattr("urllib.request.getproxies", urllib.request.getproxies_environment)
    bypass = urllib.request.proxy_bypass_environment  # type: ignore[attr-defined]
    monkeypatch.setattr("urllib.request.proxy_bypass", bypass)
    monkeypatch.setenv("https_proxy", f"http://me:{SECRET}@proxy.example:3128")
    if no_proxy:
        monkeypatch.setenv("no_proxy", no_proxy)
    said = doctor.check_proxies() if in_order else problem(doctor.check_proxies)
    assert said.startswith("set for https")
    assert ("add 127.0.0.1,localhost to NO_PROXY" in said) is not in_order


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({}, "offline; no key is needed"),
        ({"OPENAI_API_KEY": SECRET}, "offline; no key is needed, and none is used"),
        ({"COURSE_LIVE": "1", "OPENAI_API_KEY": SECRET}, "may cost money"),
        (
            {"COURSE_LIVE": "1", "OPENAI_API_KEY": SECRET, "OPENAI_BASE_URL": f"http://{SECRET}"},
            "notebooks call OPENAI_BASE_URL",
        ),
    ],
)
def test_live_or_offline(variables: dict[str, str], said: str, monkeypatch: Patch) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found = doctor.check_live()
    assert said in found
    assert SECRET not in found


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"COURSE_LIVE": "1"}, "OPENAI_API_KEY is not"),
        ({"COURSE_LIVE": "perhaps"}, "to 1 to go live, to 0"),
        (
            {"COURSE_LIVE": "1", "OPENAI_API_KEY": SECRET, "OPENAI_BASE_URL": SECRET},
            "OPENAI_BASE_URL must begin with http",
        ),
    ],
)
def test_what_keeps_from_going_live(
    variables: dict[str, str], said: str, monkeypatch: Patch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    told = problem(doctor.check_live)
    assert said in told
    assert SECRET not in told


def test_the_working_copy_is_writable_or_can_be_made(tmp_path: Path) -> None:
    work = tmp_path / "work"
    assert "not there yet" in doctor.check_writable(work)
    work.mkdir()
    assert doctor.check_writable(work) == str(work)
    work.rmdir()
    work.write_text("a note")
    assert str(work) in problem(lambda: doctor.check_writable(work))


# the list


@pytest.fixture
def checks(monkeypatch: Patch) -> dict[str, Any]:
    """In place of the real checks, these; a test may add to them."""
    checks: dict[str, Any] = {"Weather": lambda: "dry in [red]café β"}
    monkeypatch.setattr(doctor, "CHECKS", checks)
    return checks


def test_all_is_well(checks: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor.doctor() == 0
    out = capsys.readouterr().out
    assert " ok     Weather       dry in [red]café β\n" in out
    assert out.endswith("Nothing to do.\n")


def test_a_check_that_fails_is_a_problem_and_the_others_go_on(
    checks: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> str:
        raise ModuleNotFoundError("No module named 'sun'\nat all")

    def refuse() -> str:
        raise CourseError("Set COURSE_SUN.")

    checks.clear()
    checks.update({"Sun": fail, "Moon": refuse, "Rain": lambda: "none"})
    assert doctor.doctor() == 1
    out = capsys.readouterr().out
    assert (
        " to do  Sun           not known: ModuleNotFoundError: No module named 'sun' at all" in out
    )
    assert " to do  Moon          Set COURSE_SUN.\n ok     Rain          none\nTo do: 2.\n" in out


def test_the_whole_visit_shows_no_secret(tmp_path: Path) -> None:
    """Everything, for real, in a process of its own, on a machine that is not in order."""
    done = subprocess.run(
        [sys.executable, "-m", "course_lib", "doctor"],
        env={
            **os.environ,
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
    assert "offline; no key is needed" in done.stdout
    assert str(tmp_path / "home") in done.stdout
    assert SECRET not in done.stdout + done.stderr
