"""The `course` command: reads the command line and calls what does the work.

That is imported once it is needed, so that help and mistakes are answered at once.
"""

import argparse
import codecs
import io
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from .home import ROOT, START, CourseError

NOTEBOOKS = "--nbval notebooks exercises solutions -n 2 --dist loadfile".split()
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
    codecs.register_error("course", _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="course")
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        if arguments[:1] == ["test"]:  # pytest reads the rest
            return _test(arguments[1:])
        options = vars(_parser().parse_args(arguments or ["--help"]))
        module, name = options.pop("run").split(":")
        run: Callable[..., int] = getattr(import_module(f".{module}", __package__), name)
        code = run(**options)
        print(end="", flush=True)  # here, where a failure has its sentence
        return code
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    except ImportError as error:  # a package is missing or damaged, or another is in its place
        print(f"{error}. Run `{START} doctor`.", file=sys.stderr)
        return 1
    except OSError as error:
        if not error.filename:  # it is of the output, which Python would try again at its end
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if not isinstance(error, BrokenPipeError):  # whoever read it, as `head`, has enough
            where = error.filename or "The output"
            print(f"{where} cannot be read or written: {error.strerror}.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except SystemExit as done:  # argparse has printed help
        return int(done.code or 0)


def _plain(error: UnicodeError) -> tuple[str, int]:
    """What an old terminal, or a file on Windows, gets for the characters that it lacks."""
    assert isinstance(error, UnicodeEncodeError)
    lacking = error.object[error.start : error.end]
    plain = {"✓": "+", "✗": "x", "★": "*", "☆": ".", "·": "-"}
    return "".join(plain.get(each, "?") for each in lacking), error.end


def _parser() -> _Parser:
    parser = _Parser(
        prog="course",
        description="A course on LLM tools and agents.",
        epilog="Call it as `python3 start.py COMMAND` (on Windows, `py start.py COMMAND`).",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    def command(name: str, run: str, what: str, more: str = "") -> argparse.ArgumentParser:
        """A command and the function it calls, whose arguments are the command's options."""
        description = f"{what[0].upper()}{what[1:]}."
        added = commands.add_parser(name, help=what, description=description, epilog=more)
        added.set_defaults(run=run)
        return added

    lab = command(
        "lab",
        "lab:lab",
        "open the lessons in JupyterLab",
        "What you change in work/ stays yours. For a fresh copy of a notebook, delete it there "
        "and run this again.",
    )
    lab.add_argument(
        "--no-browser", dest="browser", action="store_false", help="print the address only"
    )
    check = command(
        "check",
        "checks.file:check_file",
        "check the tasks of an exercise notebook",
        "It reads the notebook as it was last saved. Yours are in work/exercises.",
    )
    check.add_argument("path", type=Path, metavar="FILE", help="a notebook (.ipynb)")
    command("progress", "checks.progress:progress", "show which tasks are passed, and what is next")
    command("doctor", "doctor:doctor", "look for what on this machine may get in the way")
    serve = command(
        "serve",
        "platform.server:serve",
        "answer any client over HTTP and WebSocket, on this machine",
        "The first line it prints is the base URL. Give it to your client (most read "
        "OPENAI_BASE_URL), with any key. Ctrl-C stops it, and what was stored goes with it.",
    )
    serve.add_argument(
        "--host", default="127.0.0.1", help="listen there (0.0.0.0: for whoever reaches this one)"
    )
    for each in (lab, serve):
        each.add_argument(
            "--port", type=_port, default=0, metavar="N", help="use this port, not any free one"
        )
    command("test", "", "run the tests and every notebook; options go to pytest")
    release = command("release", "cli:release", "make the exercises from the solutions")
    release.add_argument(
        "--check", action="store_true", help="only say which exercises are out of date"
    )
    return parser


def _port(text: str) -> int:
    if text.isdecimal() and 0 < int(text) < 65536:
        return int(text)
    raise argparse.ArgumentTypeError(f"'{text}' is no port, which is a number from 1 to 65535")


def release(check: bool) -> int:
    """Make the exercises, if nothing is wrong with the solutions; 1 when something is."""
    from .checks.lint import lint, lint_runs
    from .grading import notebooks

    solutions = sorted((ROOT / "solutions").glob("*.ipynb"))
    complaints = [complaint for path in solutions for complaint in lint(path)]
    for path in () if complaints else solutions:
        print(f"Trying solutions/{path.name} and its exercise: some seconds.", flush=True)
        complaints += lint_runs(path)
    print(*complaints, sep="\n", end="\n" if complaints else "")
    return 1 if complaints else notebooks.release(check)


def _test(arguments: list[str]) -> int:
    """Run what the arguments say, or everything, and then every stored output once more, under
    another hash seed. Returns the first exit code that is not 0."""
    from .lab import run_child

    seed = os.environ.get("PYTHONHASHSEED", "1")
    runs = [(seed, arguments)] if arguments else [("1", ["tests", *NOTEBOOKS]), ("2", NOTEBOOKS)]
    failed = 0
    for hash_seed, words in runs:
        environment = os.environ | {"PYTHONHASHSEED": hash_seed}
        code = run_child([sys.executable, "-m", "pytest", *words], environment)
        failed = failed or code
        if code == _INTERRUPTED:
            break
    return failed
