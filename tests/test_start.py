"""start.py in a course of its own: a tiny lock, wheels made here, and no network.

One environment is made for the whole file; most tests work on a copy of that folder, which is
itself a thing that must work: learners move the course about.
"""

import ast
import base64
import errno
import hashlib
import os
import runpy
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

import start
from tests import ROOT

START = ROOT / "start.py"
# What the fake course command does: say how it was called, then what its arguments ask for.
COMMAND = """
import os, sys, time
print("command", *sys.argv[1:], sep="|")
print("folder", os.getcwd(), sep="|")
for name in ("tiny", "tiny_tests"):
    try:
        print(name, __import__(name).VERSION, sep="|")
    except ImportError:
        pass
if "wait" in sys.argv:
    try:
        print("waiting", flush=True)
        time.sleep(60)
    except KeyboardInterrupt:
        sys.exit(7)
sys.exit(5 if "fail" in sys.argv else 0)
"""


def make_wheel(folder: Path, name: str, version: str) -> str:
    """Write a wheel with one module that knows its version; return its line for a lock."""
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": f"VERSION = {version!r}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = [f"{info}/RECORD,,"]
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode()
        record.append(f"{path},sha256={digest.rstrip('=')},{len(text)}")
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in {**files, f"{info}/RECORD": "\n".join(record) + "\n"}.items():
            archive.writestr(path, text)
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return f"{name}=={version} \\\n    --hash=sha256:{digest}\n"


@dataclass
class Course:
    """A folder with start.py and a fake course, and the wheels that its locks ask for."""

    folder: Path
    wheels: Path

    def lock(self, learner: str, tests: str = "") -> None:
        for name, text in (("learner", learner), ("tests", learner + tests)):
            (self.folder / "requirements" / f"{name}.txt").write_text(text, encoding="utf-8")

    def wheel(self, name: str, version: str) -> str:
        return make_wheel(self.wheels, name, version)

    def environment(self, **more: str) -> dict[str, str]:
        """No index, no pip settings of this machine, nothing left on it, no real course_lib."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "PYTHON"))}
        pip = {"PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": self.wheels.as_uri()}
        folder = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(self.wheels))
        return {**kept, **pip, **folder, "PIP_NO_INDEX": "1", "PIP_NO_CACHE_DIR": "1", **more}

    def start(
        self, *arguments: str, python: str = sys.executable, cwd: Path | None = None, **more: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [python, str(self.folder / "start.py"), *arguments],
            cwd=cwd or self.wheels,
            env=self.environment(**more),
            capture_output=True,
            encoding="utf-8",
            timeout=300,
        )

    def site_packages(self) -> Path:
        return next((self.folder / ".venv").rglob("site-packages"))


def make_course(folder: Path) -> Course:
    course = Course(folder / "dossier café β", folder / "wheels")
    course.wheels.mkdir()
    shutil.copytree(ROOT / "requirements" / "share", course.folder / "requirements" / "share")
    shutil.copy(START, course.folder)
    (course.folder / "course_lib").mkdir()
    (course.folder / "course_lib" / "__init__.py").touch()
    (course.folder / "course_lib" / "__main__.py").write_text(COMMAND, encoding="utf-8")
    course.lock(course.wheel("tiny", "1.0"), course.wheel("tiny_tests", "1.0"))
    return course


@pytest.fixture
def fresh(tmp_path: Path) -> Course:
    """A course that nobody has started."""
    return make_course(tmp_path)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Course, str]:
    """A course that was started once, and what that printed."""
    course = make_course(tmp_path_factory.mktemp("first"))
    done = course.start()
    assert done.returncode == 0, done.stderr
    return course, done.stdout


def copy_unless_of_pip(source: str, target: str) -> None:
    """pip is a thousand files that no test changes: a second name for each is enough."""
    (os.link if "pip" in Path(source).parts else shutil.copy2)(source, target)


@pytest.fixture
def ready(first: tuple[Course, str], tmp_path: Path) -> Course:
    """A moved copy of the course that was started once."""
    course = Course(tmp_path / "élève 1" / "cours", tmp_path / "wheels")
    shutil.copytree(first[0].folder, course.folder, symlinks=True, copy_function=copy_unless_of_pip)
    shutil.copytree(first[0].wheels, course.wheels)
    return course


def test_the_first_start_sets_up_and_opens_the_lessons(first: tuple[Course, str]) -> None:
    course, printed = first
    lines = printed.splitlines()
    assert lines[0] == "Setting up the course, once: a minute or two. Ctrl-C stops it."
    assert lines[-4:] == [
        "The course is set up.".ljust(79),
        "command|lab",
        f"folder|{course.wheels}",
        "tiny|1.0",
    ]


def test_the_path_of_the_course_is_not_written_down(first: tuple[Course, str]) -> None:
    course, _ = first
    line = (course.site_packages() / "course.pth").read_bytes().decode("ascii").strip()
    assert (course.site_packages() / line).resolve() == course.folder.resolve()
    assert not Path(line).is_absolute()


def test_the_news_pop_up_is_turned_off(first: tuple[Course, str]) -> None:
    overrides = Path("share", "jupyter", "lab", "settings", "overrides.json")
    text = (first[0].folder / ".venv" / overrides).read_text(encoding="utf-8")
    assert '"fetchNews": "false"' in text


def test_another_start_hands_everything_on(ready: Course) -> None:
    done = ready.start("check", "my file.ipynb", "--fail", "fail")
    assert done.stdout.splitlines()[0] == "command|check|my file.ipynb|--fail|fail"
    assert (done.returncode, done.stderr) == (5, "")


def test_a_module_in_the_callers_folder_is_not_taken_for_the_course(
    ready: Course, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "course_lib").mkdir(parents=True)
    (elsewhere / "course_lib" / "__main__.py").write_text("print('the wrong one')")
    assert ready.start("lab", cwd=elsewhere).stdout.startswith("command|lab\n")


def test_the_tests_have_their_own_lock_and_it_serves_the_lessons_too(ready: Course) -> None:
    tests = ready.start("test", "-k", "x").stdout
    assert tests.startswith("Adding what is new to the set-up: a minute or two. Ctrl-C stops it.\n")
    assert tests.endswith("tiny|1.0\ntiny_tests|1.0\n")
    assert ready.start("lab").stdout.startswith("command|lab\n")
    assert ready.start("test").stdout.startswith("command|test\n")


def test_a_changed_lock_is_noticed_and_installed(ready: Course) -> None:
    ready.lock(ready.wheel("tiny", "2.0"))
    assert ready.start().stdout.endswith("tiny|2.0\n")
    assert ready.start().stdout.startswith("command|lab\n")


def test_two_at_once_set_up_one_after_the_other(fresh: Course) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, str(fresh.folder / "start.py"), name],
            env=fresh.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        for name in ("one", "two")
    ]
    said = [process.communicate(timeout=300) for process in processes]
    assert [errors for _, errors in said] == ["", ""]
    assert [out.count("command|") for out, _ in said] == [1, 1]
    assert [out.count("Setting up the course, once") for out, _ in said].count(1) == 1
    waits = "Another start.py is setting the course up; waiting for it.\n"
    assert [out.startswith(waits) for out, _ in said].count(True) == 1


def test_a_disk_without_locks_is_no_reason_to_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "Operation not supported")

    where = "msvcrt.locking" if sys.platform == "win32" else "fcntl.flock"
    monkeypatch.setattr(f"start.{where}", refuse)
    with (tmp_path / "turn").open("ab") as turn:
        start.take_turn(turn)


def test_without_a_connection_it_says_so_and_the_old_lock_still_serves(ready: Course) -> None:
    old = (ready.folder / "requirements" / "learner.txt").read_text(encoding="utf-8")
    ready.lock(old.replace("1.0", "2.0"))
    done = ready.start(PIP_NO_INDEX="0", PIP_INDEX_URL="http://127.0.0.1:9/simple")
    assert done.returncode == 1
    assert done.stderr.startswith("There is no connection to the package index, needed this once")
    assert done.stderr.endswith(f"Details: {ready.folder / '.venv' / 'setup.log'}\n")
    assert "127.0.0.1" not in done.stderr
    ready.lock(old)
    assert ready.start().stdout.endswith("tiny|1.0\n")


def test_a_package_with_another_hash_is_refused(ready: Course) -> None:
    ready.lock(ready.wheel("tiny", "2.0").replace("sha256:", "sha256:0000")[:-5] + "\n")
    done = ready.start()
    assert (done.returncode, done.stdout.count("command")) == (1, 0)
    assert "its hash differs" in done.stderr


def test_a_package_that_the_index_lacks_is_named(ready: Course) -> None:
    ready.lock(ready.wheel("tiny", "2.0").replace("2.0", "3.0"))
    done = ready.start()
    assert done.returncode == 1
    assert done.stderr.startswith("The package index has no tiny==3.0 for Python 3.")


def test_an_installation_that_was_cut_short_is_done_again(ready: Course) -> None:
    (ready.folder / ".venv" / "setup.log").write_text("Installing collected packages: tiny\n")
    (ready.site_packages() / "tiny.py").unlink()  # pip would take its other half for the whole
    done = ready.start()
    assert done.returncode == 0, done.stderr
    assert "Setting up" in done.stdout
    assert done.stdout.endswith("tiny|1.0\n")


@pytest.mark.skipif(os.name == "nt", reason="there, .venv holds a copy of Python, not a link")
@pytest.mark.parametrize("damage", ["python is gone", "python fails", "pyvenv.cfg is gone"])
def test_a_broken_environment_is_noticed(ready: Course, damage: str) -> None:
    python, settings = (ready.folder / ".venv" / name for name in ("bin/python", "pyvenv.cfg"))
    door = load(ready.folder / "start.py")
    assert door.site_packages() == ready.site_packages()
    match damage:
        case "python is gone":
            python.unlink()
            python.symlink_to(ready.folder / "uninstalled")
        case "python fails":
            python.unlink()
            python.write_text("#!/bin/sh\nexit 1\n")
            python.chmod(0o755)
        case _:  # that Python would install into the system's own folder
            settings.unlink()
    assert door.site_packages() is None


def load(path: Path) -> Any:
    """Import one start.py of several."""
    spec = spec_from_file_location("door", path)
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(os.name == "nt", reason="there, a process group gets no Ctrl-C from a test")
@pytest.mark.parametrize("moment", ["Setting up", "waiting"])
def test_ctrl_c_ends_it_without_a_traceback(ready: Course, moment: str) -> None:
    if moment == "Setting up":
        shutil.rmtree(ready.folder / ".venv")
    process = subprocess.Popen(
        [sys.executable, str(ready.folder / "start.py"), "wait"],
        env=ready.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )
    assert process.stdout
    while moment not in process.stdout.readline():
        assert process.poll() is None
    while moment == "Setting up" and not (ready.folder / ".venv" / "setup.log").exists():
        time.sleep(0.01)  # until then, the sentence might come from Python's own start
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors
    if moment == "waiting":
        assert (process.returncode, errors) == (7, "")  # the command's own answer
    else:
        assert process.returncode == 1
        assert errors.strip().startswith("The set-up stopped")


@pytest.mark.skipif(os.name == "nt", reason="there, a process is not asked to end")
def test_it_takes_the_command_with_it_when_it_is_asked_to_end(ready: Course) -> None:
    process = subprocess.Popen(
        [sys.executable, str(ready.folder / "start.py"), "wait"],
        env=ready.environment(),
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdout
    while "waiting" not in process.stdout.readline():
        assert process.poll() is None
    process.terminate()
    process.communicate(timeout=30)  # which waits until nobody can write there any more


@pytest.mark.skipif(os.name == "nt", reason="makes a Python out of links")
@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_a_python_without_venv_or_ensurepip(fresh: Course, tmp_path: Path, module: str) -> None:
    home, library = tmp_path / "python", Path(os.__file__).parent
    (home / "bin").mkdir(parents=True)
    (home / "lib" / library.name).mkdir(parents=True)
    for path in library.iterdir():
        if path.name not in (module, "site-packages", "dist-packages"):
            (home / "lib" / library.name / path.name).symlink_to(path)
    python = home / "bin" / "python3"
    shutil.copy(getattr(sys, "_base_executable", sys.executable), python)
    where = subprocess.run([python, "-c", "print(__import__('os').__file__)"], capture_output=True)
    if str(home) not in where.stdout.decode():
        pytest.skip("this Python does not run from another folder")
    done = fresh.start(python=str(python))
    assert done.returncode == 1
    assert done.stderr.startswith(f"{python} has no venv or ensurepip. Debian: sudo apt install")


def test_a_folder_that_cannot_be_written(fresh: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    door = load(fresh.folder / "start.py")

    def refuse(path: Path, **options: object) -> None:  # no bits stop an administrator
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(SystemExit) as stopped:
        door.main(["lab"])
    assert f"A file in {door.VENV} cannot be written." in str(stopped.value)


def test_the_line_of_progress(
    fresh: Course, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    door = load(fresh.folder / "start.py")
    site = fresh.folder / ".venv"
    site.mkdir()
    (site / "pip-1.0.dist-info").mkdir()
    pip = (
        "import pathlib, sys, time\n"
        "print('Collecting a==1\\nIgnoring b: markers\\nProcessing c.whl', flush=True)\n"
        "pathlib.Path(sys.argv[1], 'a-1.dist-info').mkdir()\n"
        "time.sleep(2)"
    )
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    door.run(site, 4, sys.executable, "-c", pip, str(site))
    assert capsys.readouterr().out.split("\r")[-2] == (
        "[###############...............] 3 of 4 fetched, 1 installed"
    )


PIP_REFUSED = (
    "WARNING: Retrying (Retry(total=0, connect=None, read=None)) after connection broken by "
    "'NewConnectionError(\"HTTPSConnection(host='index', port=443): Failed to establish a new "
    "connection: [Errno 111] Connection refused\")': /simple/anyio/\n"
    "ERROR: Could not find a version that satisfies the requirement anyio==4.16.0\n"
    "ERROR: No matching distribution found for anyio==4.16.0"
)


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        (PIP_REFUSED, "There is no connection to the package index"),
        (
            "WARNING: Retrying (Retry(total=0)) after connection broken by 'ProxyError('Cannot "
            "connect to proxy.', OSError('Tunnel connection failed: 407'))': /simple/anyio/",
            "set HTTPS_PROXY",
        ),
        ("ReadTimeoutError: HTTPSConnectionPool(): Read timed out.", "There is no connection"),
        ("('Connection broken: IncompleteRead(9 bytes read)', ...)", "There is no connection"),
        (
            "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on "
            "device",
            "The disk is full",
        ),
        (
            "OSError: [WinError 112] Es steht nicht genug Speicherplatz zur Verfügung",
            "disk is full",
        ),
        (
            "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.",
            "hash differs",
        ),
        ("/usr/bin/python3: No module named ensurepip", "has no venv or ensurepip"),
        (
            "ERROR: Could not find a version that satisfies the requirement numpy==2.5.5\n"
            "ERROR: No matching distribution found for numpy==2.5.5",
            "The package index has no numpy==2.5.5 for Python 3.",
        ),
        ("[Errno 13] Permission denied: '/srv/course/.venv'", "copy the course to a folder"),
        ("[Errno 30] Read-only file system: '/srv/course/.venv'", "copy the course to a folder"),
        ("OSError: [WinError 5] Zugriff verweigert", "Close programs that use it"),
        ("line\nERROR: something new\n", "(ERROR: something new). Run it again"),
        ("", "The set-up stopped (Ctrl-C)"),
        ("Installing " + 999 * "a", f"The set-up stopped (Installing {189 * 'a'}). Run"),
    ],
)
def test_each_failure_has_its_sentence(output: str, sentence: str) -> None:
    said = start.explain(output)
    assert sentence in said
    assert "\n" not in said


def test_a_step_without_a_word_had_no_room_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "LOG", tmp_path / "setup.log")
    with pytest.raises(SystemExit, match="The disk is full"):
        start.run(tmp_path, 1, sys.executable, "-c", "raise SystemExit(1)")


def test_an_old_python_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 4, "final", 0))
    with pytest.raises(SystemExit) as stopped:
        runpy.run_path(str(START))
    said = "The course needs Python 3.11 or newer; this is 3.10. Get one at python.org."
    assert stopped.value.code == said


def test_it_stays_a_door() -> None:
    source = START.read_text(encoding="utf-8")
    tree = ast.parse(source, feature_version=(3, 7))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
        )
    }
    assert imported <= sys.stdlib_module_names
    assert len(source.splitlines()) <= 160
