"""The `course` command: reads the command line and calls what does the work.

Imports are made where they are needed, so that help and mistakes are answered at once.
"""

import argparse
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from .home import ROOT, START, WORK, CourseError

COMMANDS = {
    "lab": "open the lessons in JupyterLab",
    "check": "check the tasks of an exercise notebook",
    "progress": "show which tasks are passed, and what is next",
    "doctor": "look for what on this machine may get in the way",
    "serve": "answer any client over HTTP and WebSocket, on this machine",
    "test": "run the tests and every notebook; options go to pytest",
    "release": "make the exercises from the solutions",
}
_FOLDERS = ["notebooks", "exercises", "solutions"]
_WORKERS = ["-n", "2", "--dist", "loadfile"]
# Everything once; then every stored output once more, under another hash seed.
TEST_RUNS = (
    ("1", ["tests", "--nbval", *_FOLDERS, *_WORKERS]),
    ("2", ["--nbval", *_FOLDERS, *_WORKERS]),
)
_INTERRUPTED = 2  # pytest's exit code


class UsageError(CourseError):
    """The command line asks for something that there is not."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        command = self.prog.removeprefix("course").strip()
        raise UsageError(f"{message}. See `{START} {command} --help`.".replace("  ", " "))


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 2 when the command line is wrong, else the
    command's own, 1 when it failed."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # an old terminal prints ? for what it lacks
            stream.reconfigure(errors="replace")
    try:
        return _run(list(sys.argv[1:] if argv is None else argv))
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        return 130
    except SystemExit as done:  # argparse has printed help
        return int(done.code or 0)


def _run(arguments: list[str]) -> int:
    parser, parsers = _parsers()
    if not arguments:
        parser.print_help()
        return 0
    command = arguments[0]
    if command == "test":  # pytest reads the rest
        return _test(arguments[1:])
    if command not in COMMANDS and not command.startswith("-"):
        raise UsageError(f"There is no command '{command}'. {_nearest(command, COMMANDS)}")
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        asked = parsers.get(command, parser)
        known = re.findall(r"--[\w-]+", asked.format_help())
        raise UsageError(f"`{asked.prog}` has no '{unknown[0]}'. {_nearest(unknown[0], known)}")
    match command:
        case "lab":
            return _lab(options.browser, options.port)
        case "check":
            return _check(options.file)
        case "progress":
            from .checks.progress import progress

            return progress()
        case "doctor":
            from .doctor import doctor

            return doctor()
        case "serve":
            from .platform.server import serve

            return serve(options.host, options.port or 0)
        case _:
            return _release(options.check)


def _parsers() -> tuple[_Parser, dict[str, _Parser]]:
    """The parser of the whole command line, and the one of each command."""
    parser = _Parser(
        prog="course",
        description="A course on LLM tools and agents.",
        epilog="Call it as `python3 start.py COMMAND` (on Windows, `py start.py COMMAND`).",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    parsers = {
        name: commands.add_parser(
            name, help=what, description=f"{what[0].upper()}{what[1:]}.", allow_abbrev=False
        )
        for name, what in COMMANDS.items()
    }
    parsers["lab"].epilog = (
        "What you change in work/ stays yours. For a fresh copy of a notebook, delete it there "
        "and run this again."
    )
    parsers["lab"].add_argument(
        "--no-browser", dest="browser", action="store_false", help="print the address only"
    )
    parsers["serve"].epilog = (
        "The first line it prints is the base URL. Give it to your client (most read "
        "OPENAI_BASE_URL), with any key. Ctrl-C stops it, and what was stored goes with it."
    )
    parsers["check"].epilog = "It reads the notebook as it was last saved."
    for name in ("lab", "serve"):
        parsers[name].add_argument(
            "--port",
            type=_port,
            metavar="N",
            help="use this port (without it, a free one is found)",
        )
    parsers["serve"].add_argument(
        "--host", default="127.0.0.1", help="listen there (0.0.0.0: for whoever reaches this one)"
    )
    parsers["check"].add_argument("file", type=Path, metavar="FILE", help="a notebook (.ipynb)")
    parsers["release"].add_argument(
        "--check", action="store_true", help="only say which exercises are out of date"
    )
    return parser, parsers


def _port(text: str) -> int:
    if text.isdecimal() and 0 < int(text) < 65536:
        return int(text)
    raise argparse.ArgumentTypeError(f"'{text}' is no port, which is a number from 1 to 65535")


def _nearest(word: str, known: Iterable[str]) -> str:
    """What the person may have meant, or else what there is."""
    names = list(dict.fromkeys(known))
    near = get_close_matches(word, names, n=1, cutoff=0.5)
    return f"Did you mean '{near[0]}'?" if near else f"There are: {', '.join(names)}."


def _lab(browser: bool, port: int | None) -> int:
    from .lab import jupyter_environment, jupyterlab_command, quiet_news, trust
    from .working_copy import lay_out

    command = jupyterlab_command(browser, port)
    environment = jupyter_environment()
    quiet_news()
    layout = lay_out()
    trust([*layout.laid, *layout.refreshed, *layout.kept.values()])
    for name, beside in layout.kept.items():
        print(f"Yours stays: work/{name}. The course's new version of it is work/{beside}.")
    print(
        f"Your working copy of the course is {WORK}, and what you change there stays. JupyterLab "
        "opens it in your browser; if that shows nothing, or an error, copy the http://127.0.0.1 "
        "address from below into a browser. To stop, press Ctrl-C in this window.",
        flush=True,
    )
    return _run_child(command, environment)


def _check(file: Path) -> int:
    if file.is_dir():
        raise UsageError(f"{file} is a folder. Give the path of one notebook in it.")
    if not file.exists():
        exercises = WORK / "exercises"
        there = [*file.parent.glob("*.ipynb"), *exercises.glob("*.ipynb")]
        near = get_close_matches(file.name, [path.name for path in there], n=1, cutoff=0.5)
        hint = next(
            (f"Did you mean '{path}'?" for path in there if path.name in near),
            f"Your exercises are in {exercises}; `{START} lab` lays them out.",
        )
        raise UsageError(f"There is no file '{file}'. {hint}")
    from .checks.file import check_file

    return check_file(file)


def _release(check_only: bool) -> int:
    from .checks.lint import lint, lint_runs
    from .grading.release import release

    solutions = sorted((ROOT / "solutions").glob("*.ipynb"))
    complaints = [complaint for path in solutions for complaint in lint(path)]
    for path in () if complaints else solutions:
        print(f"Trying solutions/{path.name} and its exercise: some seconds.", flush=True)
        complaints += lint_runs(path)
    print(*complaints, sep="\n", end="\n" if complaints else "")
    return 1 if complaints else release(check_only)


def _test(arguments: list[str]) -> int:
    """Run everything, or what the arguments say, and return the first exit code that is not 0."""
    if find_spec("pytest") is None:
        raise CourseError(f"The tests need packages of their own: run `{START} test`.")
    seed = os.environ.get("PYTHONHASHSEED", "1")
    guard = str(ROOT / "tests" / "guard")  # keeps the run off the network
    path = os.pathsep.join(filter(None, [guard, os.environ.get("PYTHONPATH")]))
    failed = 0
    with tempfile.TemporaryDirectory(prefix="course-home-") as home:
        for hash_seed, words in [(seed, arguments)] if arguments else TEST_RUNS:
            more = {"COURSE_HOME": home, "PYTHONPATH": path, "PYTHONHASHSEED": hash_seed}
            code = _run_child([sys.executable, "-m", "pytest", *words], {**os.environ, **more})
            failed = failed or code
            if code == _INTERRUPTED:
                break
    return failed


def _run_child(command: list[str], environment: dict[str, str]) -> int:
    """Run a command from the course's folder. Ctrl-C reaches it too, and it decides."""
    process = subprocess.Popen(command, env=environment, cwd=ROOT)
    while True:
        with contextlib.suppress(KeyboardInterrupt):
            return process.wait()
