"""The whole tree keeps one style, and no file says on which machine it was written."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import ROOT
from tests.notebooks.check import MACHINE_PATH

LONGEST_FILE = 400  # lines; a reader should finish course_lib in an afternoon
# The dots keep these patterns from matching themselves.
INDEX_HOST = re.compile(
    r"\b(?:pypi\.org|pythonhosted\.org|registry\.npmjs\.org|deb\.debian\.org)\b"
)
API_KEY = re.compile(r"\bsk-[A-Za-z0-9_-]{20,}")
FORBIDDEN = {"a package index": INDEX_HOST, "a machine path": MACHINE_PATH, "an API key": API_KEY}


def run_tool(*command: str) -> None:
    """Run a tool of this environment over the tree; fail with what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, encoding="utf-8"
    )
    if done.returncode:
        pytest.fail(f"{' '.join(command)}\n{done.stdout}{done.stderr}", pytrace=False)


def test_ruff_finds_nothing() -> None:
    run_tool("ruff", "check", ".")


def test_everything_is_formatted() -> None:
    run_tool("ruff", "format", "--check", ".")


def test_the_types_agree() -> None:
    run_tool("mypy")


def leaks(text: str) -> list[str]:
    """Return what a text says that no file of the project may say, with its line."""
    return [
        f"line {number} names {what}: {found[0].strip()}"
        for number, line in enumerate(text.splitlines(), start=1)
        for what, pattern in FORBIDDEN.items()
        if (found := pattern.search(line))
    ]


def tracked_files() -> list[Path]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    if done.returncode:
        pytest.skip("this copy of the course is not a git checkout")
    names = done.stdout.decode().rstrip("\0").split("\0")
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def test_no_file_names_an_index_a_machine_or_a_key() -> None:
    found = [
        f"{path.relative_to(ROOT)} {leak}"
        for path in tracked_files()
        for leak in leaks(path.read_bytes().decode("utf-8", "replace"))
    ]
    assert found == []


# Put together here, so that this file is not one of those it looks for.
@pytest.mark.parametrize(
    "text",
    [
        "https://pypi" + ".org/simple",
        "files.pythonhosted" + ".org",
        "/".join(["", "root", "x"]),
        "open('" + "/".join(["", "work", "main", "x"]) + "')",
        "/".join(["", "home", "ada", "x"]),
        "key = 'sk" + "-" + "a1" * 10 + "'",
        "sk" + "-proj-" + "a1_B-" * 5,
    ],
)
def test_a_leak_is_noticed(text: str) -> None:
    assert len(leaks(f"first line\n{text}\n")) == 1


@pytest.mark.parametrize("text", ["work/notes", "../root/x", "a risk-free run", "sk" + "-short"])
def test_an_ordinary_text_is_no_leak(text: str) -> None:
    assert leaks(text) == []


def too_long(sizes: dict[str, int]) -> list[str]:
    return [f"{name}: {lines} lines" for name, lines in sizes.items() if lines > LONGEST_FILE]


def test_a_file_of_course_lib_is_read_in_one_sitting() -> None:
    sizes = {
        path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in sorted((ROOT / "course_lib").rglob("*.py"))
    }
    for name, lines in sizes.items():
        print(f"{lines:5} {name}")
    print(f"{sum(sizes.values()):5} in all")
    assert sizes
    assert too_long(sizes) == []


def test_a_longer_file_is_noticed() -> None:
    assert too_long({"a.py": LONGEST_FILE, "b.py": LONGEST_FILE + 1}) == ["b.py: 401 lines"]
