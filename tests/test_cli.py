"""The course command: what each command line leads to, and JupyterLab started as learners do."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from course_lib import cli
from course_lib.home import ROOT, START, WORK, CourseError, course_home
from course_lib.lab import jupyter_environment, jupyterlab_command

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch
Run = tuple[list[str], dict[str, str]]


def test_without_a_command_it_lists_them(capsys: Capture) -> None:
    assert cli.main([]) == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: course ")
    names = ("lab", "check", "progress", "doctor", "serve", "test", "release")
    assert all(f"    {name} " in out for name in names)
    assert "python3 start.py COMMAND" in out


@pytest.mark.parametrize("name", ["lab", "check", "doctor", "serve", "release"])
def test_each_command_explains_itself(name: str, capsys: Capture) -> None:
    assert cli.main([name, "--help"]) == 0
    assert capsys.readouterr().out.startswith(f"usage: course {name} ")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("docter", "argument COMMAND: invalid choice: 'docter' (choose from"),
        ("--hepl", "unrecognized arguments: --hepl. See `"),
        ("lab --prot 8888", "unrecognized arguments: --prot 8888. See `"),
        ("lab here", "unrecognized arguments: here"),
        ("lab --port x", "argument --port: 'x' is no port, which is a number from 1"),
        ("lab --port 70000", "argument --port: '70000' is no port"),
        ("release --chek", "unrecognized arguments: --chek"),
        ("check", f"the following arguments are required: FILE. See `{START} check --help`"),
    ],
)
def test_a_mistake_is_answered_in_one_sentence(line: str, said: str, capsys: Capture) -> None:
    assert cli.main(line.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(said)
    assert err.count("\n") == 1


def test_a_file_that_is_not_there_is_named(tmp_path: Path, capsys: Capture) -> None:
    assert cli.main(["check", str(tmp_path / "my_answer.ipynb")]) == 1
    assert capsys.readouterr().err == (
        f"{tmp_path / 'my_answer.ipynb'} is not there. Give the path of a notebook (.ipynb).\n"
    )


def test_check_and_release_are_handed_on(tmp_path: Path, monkeypatch: Patch) -> None:
    calls: list[object] = []

    def note(path: object = None, check_only: object = None) -> int:
        calls.append(path or check_only)
        return 7

    monkeypatch.setattr("course_lib.checks.file.check_file", note)
    monkeypatch.setattr("course_lib.grading.notebooks.release", lambda only: note(None, only))
    (tmp_path / "a.ipynb").touch()
    assert cli.main(["check", str(tmp_path / "a.ipynb")]) == 7
    monkeypatch.setattr("course_lib.checks.lint.lint", lambda path: [])
    monkeypatch.setattr("course_lib.checks.lint.lint_runs", lambda path: [])
    assert cli.main(["release"]) == 7
    assert cli.main(["release", "--check"]) == 7
    assert calls == [tmp_path / "a.ipynb", False, True]


def test_nothing_is_released_while_there_is_a_complaint(
    monkeypatch: Patch, capsys: Capture
) -> None:
    monkeypatch.setattr("course_lib.grading.notebooks.release", lambda check_only: 0)
    monkeypatch.setattr("course_lib.checks.lint.lint_runs", lambda path: [f"{path.name}: fails."])
    monkeypatch.setattr("course_lib.checks.lint.lint", lambda path: [])
    assert cli.main(["release"]) == 1
    assert "01_function_calling.ipynb: fails.\n" in capsys.readouterr().out
    monkeypatch.setattr("course_lib.checks.lint.lint", lambda path: [f"{path.name}: no hint."])
    assert cli.main(["release"]) == 1
    assert "fails" not in capsys.readouterr().out  # what does not stand is not run


def test_an_error_of_the_course_is_a_sentence_and_ctrl_c_is_silent(
    monkeypatch: Patch, capsys: Capture
) -> None:
    def fail() -> int:
        raise CourseError("The lamp is out: change it.")

    def interrupt() -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("course_lib.doctor.doctor", fail)
    assert cli.main(["doctor"]) == 1
    assert capsys.readouterr() == ("", "The lamp is out: change it.\n")
    monkeypatch.setattr("course_lib.doctor.doctor", interrupt)
    assert cli.main(["doctor"]) == 130
    assert capsys.readouterr() == ("", "")


def test_a_terminal_without_the_letter_gets_a_question_mark() -> None:
    done = course("leçons", PYTHONIOENCODING="ascii:strict")
    assert done.returncode == 2
    assert b"invalid choice: 'le?ons'" in done.stderr


def test_marks_keep_their_meaning_where_they_cannot_be_written() -> None:
    done = course("progress", PYTHONIOENCODING="cp1252")
    assert b"  01.3  **.  Answer every call  " in done.stdout


@pytest.mark.parametrize("target", ["pipe", "/dev/full"])
def test_an_output_that_cannot_be_written_is_no_traceback(target: str) -> None:
    if target != "pipe" and not Path(target).exists():
        pytest.skip("only Linux has a disk that is always full")
    if target == "pipe":
        reader, output = os.pipe()
        os.close(reader)  # as `head` does, when it has enough
    else:
        output = os.open(target, os.O_WRONLY)
    done = course("progress", stdout=output)
    os.close(output)
    assert done.returncode == 1
    said = b"" if target == "pipe" else b"The output cannot be read or written: No space left on"
    assert done.stderr.startswith(said)
    assert done.stderr.count(b"\n") == (target != "pipe")


def test_a_package_that_another_hides_is_for_the_doctor(tmp_path: Path) -> None:
    (tmp_path / "openai.py").write_text("raise ImportError('No module named sun')")
    done = course("progress", PYTHONPATH=os.pathsep.join([str(tmp_path), str(ROOT)]))
    assert done.returncode == 1
    assert done.stderr.decode() == f"No module named sun. Run `{START} doctor`.\n"


def course(
    *words: str, stdout: int = subprocess.PIPE, **variables: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "course_lib", *words],
        env={**os.environ, **variables},
        cwd=ROOT,
        stdout=stdout,
        stderr=subprocess.PIPE,
    )


# test


@pytest.fixture
def runs(monkeypatch: Patch) -> list[Run]:
    """What would have been started, with its variables. Each run ends in 0."""
    seen: list[Run] = []

    def run(command: list[str], environment: dict[str, str]) -> int:
        seen.append((command, environment))
        return 0

    monkeypatch.setattr("course_lib.lab.run_child", run)
    return seen


def test_the_tests_are_everything_under_two_hash_seeds(runs: list[Run]) -> None:
    assert cli.main(["test"]) == 0
    workers = "-n 2 --dist loadfile"
    assert [" ".join(command[1:]) for command, _ in runs] == [
        f"-m pytest tests --nbval notebooks exercises solutions {workers}",
        f"-m pytest --nbval notebooks exercises solutions {workers}",
    ]
    assert [environment["PYTHONHASHSEED"] for _, environment in runs] == ["1", "2"]


def test_arguments_of_test_go_to_pytest(runs: list[Run], monkeypatch: Patch) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", "77")
    assert cli.main(["test", "--help", "-k", "a b"]) == 0
    ((command, environment),) = runs
    assert command == [sys.executable, "-m", "pytest", "--help", "-k", "a b"]
    assert environment["PYTHONHASHSEED"] == "77"


@pytest.mark.parametrize(
    ("codes", "code", "started"),
    [((0, 0), 0, 2), ((1, 0), 1, 2), ((0, 3), 3, 2), ((1, 3), 1, 2), ((2, 0), 2, 1)],
)
def test_the_first_failure_is_the_exit_code(
    codes: tuple[int, int], code: int, started: int, monkeypatch: Patch
) -> None:
    left = list(codes)
    monkeypatch.setattr("course_lib.lab.run_child", lambda command, environment: left.pop(0))
    assert cli.main(["test"]) == code
    assert len(left) == 2 - started  # an interrupted run is not followed by another


# lab


def test_lab_says_what_it_kept_and_how_to_stop(
    runs: list[Run], monkeypatch: Patch, capsys: Capture
) -> None:
    kept = {"notebooks/00_a.ipynb": "notebooks/00_a.new.ipynb"}
    monkeypatch.setattr("course_lib.lab.lay_out", lambda: kept)
    assert cli.main(["lab", "--no-browser"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == (
        "Yours stays: work/notebooks/00_a.ipynb. "
        "The course's new version of it is work/notebooks/00_a.new.ipynb."
    )
    assert second.startswith(f"Your working copy of the course is {WORK}")
    assert "opens it in your browser" not in second
    assert "press Ctrl-C" in second
    ((command, environment),) = runs
    assert "--no-browser" in command
    assert environment["JUPYTER_PREFER_ENV_PATH"] == "1"


def test_a_port_is_used_or_nothing_is() -> None:
    assert {"--ServerApp.port=8899", "--ServerApp.port_retries=0"} <= set(
        jupyterlab_command(port=8899)
    )
    assert not any("ServerApp.port" in word for word in jupyterlab_command())


def test_root_is_only_allowed_to_root(monkeypatch: Patch) -> None:
    for user, allowed in ((0, True), (1000, False)):
        monkeypatch.setattr(os, "geteuid", lambda user=user: user, raising=False)
        assert ("--allow-root" in jupyterlab_command()) is allowed


def test_a_relative_course_home_is_the_same_for_the_kernel(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COURSE_HOME", "home")
    assert jupyter_environment()["COURSE_HOME"] == str(tmp_path / "home")


def test_a_users_own_kernel_named_python3_does_not_come_first(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    for folder in ("data", "path"):
        spec = tmp_path / folder / "kernels" / "python3" / "kernel.json"
        spec.parent.mkdir(parents=True)
        spec.write_text(json.dumps({"argv": ["no-such-python"], "display_name": "Mine"}))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "path"))
    ask = (
        "from jupyter_client.kernelspec import KernelSpecManager as M;"
        "print(M().get_kernel_spec('python3').argv[0])"
    )
    done = subprocess.run(
        [sys.executable, "-c", ask], env=jupyter_environment(), capture_output=True, text=True
    )
    assert done.stdout.strip() != "no-such-python", done.stderr
    assert str(tmp_path / "path") in jupyter_environment()["JUPYTER_PATH"]


@pytest.mark.skipif(os.name == "nt", reason="there, a process group gets no Ctrl-C from a test")
def test_lab_opens_lesson_0_and_stops_at_ctrl_c(tmp_path: Path) -> None:
    course = tmp_path / "dossier café β"
    for name in ("course_lib", "notebooks", "exercises", "requirements"):
        shutil.copytree(ROOT / name, course / name, ignore=shutil.ignore_patterns("__pycache__"))
    process = subprocess.Popen(
        [sys.executable, "-m", "course_lib", "lab", "--no-browser"],
        cwd=course,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        assert process.stdout
        lines: list[str] = []
        while not (found := re.search(r"http://\S+token=\w+", lines[-1] if lines else "")):
            lines.append(process.stdout.readline())
            assert lines[-1], "".join(lines)
        address = found[0]
        assert lines[0].startswith(f"Your working copy of the course is {course / 'work'}")
        # No news of JupyterLab's own comes before the address.
        assert not [line for line in lines if line.startswith(("[I ", "[W "))]
        assert "/lab/tree/notebooks/00_start_here.ipynb?token=" in address
        base, token = address.split("/lab/")[0], address.split("token=")[1]
        for part in ("notebooks", "exercises"):
            listing = json.loads(fetch(f"{base}/api/contents/{part}?token={token}"))
            names = {entry["name"] for entry in listing["content"]}
            assert names == {path.name for path in (ROOT / part).glob("*.ipynb")}
        lesson = "notebooks/00_start_here.ipynb"
        assert json.loads(fetch(f"{base}/api/contents/{lesson}?content=1&token={token}"))["content"]
        kernel = {"path": lesson, "type": "notebook", "name": "", "kernel": {"name": "python3"}}
        session = json.loads(fetch(f"{base}/api/sessions?token={token}", kernel))
        runtime = Path(os.environ["JUPYTER_DATA_DIR"], "runtime")
        connection = json.loads((runtime / f"kernel-{session['kernel']['id']}.json").read_text())
        assert "curve_secretkey" in connection  # the way to the kernel is encrypted
        with pytest.raises(urllib.error.HTTPError, match="403"):  # the token is kept
            fetch(f"{base}/api/contents")
    finally:
        os.killpg(process.pid, signal.SIGINT)
        rest, _ = process.communicate(timeout=60)
    assert process.returncode == 0, rest
    assert "Traceback" not in rest
    assert "not trusted" not in rest  # warnings are not for a learner


def test_ctrl_c_while_jupyterlab_starts_is_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "jupyterlab").mkdir()
    (tmp_path / "jupyterlab" / "__init__.py").touch()
    (tmp_path / "jupyterlab" / "labapp.py").write_text("raise KeyboardInterrupt")
    done = subprocess.run(
        jupyterlab_command(), env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True
    )
    assert (done.returncode, done.stderr) == (130, b"")


def fetch(url: str, posted: dict[str, Any] | None = None) -> bytes:
    """What the server answers. It prints its address a moment before it listens."""
    data = json.dumps(posted).encode() if posted else None
    for pause in range(100):
        try:
            with urllib.request.urlopen(url, data, timeout=30) as reply:
                return bytes(reply.read())
        except urllib.error.HTTPError:
            raise
        except OSError:
            time.sleep(pause / 100)
    raise TimeoutError(url)


# the home folder


def test_progress_has_one_folder(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setenv("COURSE_HOME", str(tmp_path / "a" / "b"))
    assert course_home() == tmp_path / "a" / "b"
    assert list(course_home().iterdir()) == []


def test_without_a_home_it_is_where_the_system_keeps_data(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    monkeypatch.delenv("COURSE_HOME", raising=False)
    monkeypatch.setattr("platformdirs.user_data_dir", lambda name, **_: str(tmp_path / name))
    assert course_home() == tmp_path / "llm-tools-course"


@pytest.mark.parametrize("below", [".", "inside"])
def test_a_file_in_place_of_the_home_is_named(
    tmp_path: Path, monkeypatch: Patch, below: str
) -> None:
    (tmp_path / "home").write_text("a note")
    monkeypatch.setenv("COURSE_HOME", str(tmp_path / "home" / below))
    with pytest.raises(CourseError, match=r"cannot be kept in .*home.*: set COURSE_HOME"):
        course_home()


def test_an_account_without_a_home_is_told_what_to_set(monkeypatch: Patch) -> None:
    def no_home(path: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("COURSE_HOME", raising=False)
    monkeypatch.setattr(Path, "expanduser", no_home)
    with pytest.raises(CourseError, match="set COURSE_HOME"):
        course_home()
