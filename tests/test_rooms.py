"""The rooms of `course_lib` and the one direction in which they import (CONTRIBUTING.md)."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import ROOT

# A room may import from itself and from those before it.
ROOMS = (
    "home", "shop", "standin", "web", "retrieval", "platform", "transport", "live", "grading",
    "show", "checks", "lab", "doctor", "cli", "__main__", "__init__",
)  # fmt: skip
COURSE_LIB = ROOT / "course_lib"
MODULES = sorted(COURSE_LIB.rglob("*.py"))


def room(path: Path) -> str:
    return path.relative_to(COURSE_LIB).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> Iterator[str]:
    """The rooms that a module imports from, wherever in it the import stands."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom):
            continue
        start = package[: len(package) - node.level + 1] if node.level else ()
        target = [*start, *(node.module or "").split(".")]
        target = [part for part in target if part]
        if target[:1] == ["course_lib"]:
            yield from target[1:2] or [alias.name for alias in node.names]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(COURSE_LIB)))
def test_a_room_imports_only_from_the_rooms_below_it(path: Path) -> None:
    own = ROOMS.index(room(path))
    above = [found for found in imported_rooms(path) if ROOMS.index(found) > own]
    assert not above, f"{path.name} imports from {above}, which stand above it"
