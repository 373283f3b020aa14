"""The working copy: nothing a learner edits is lost, and what they left alone stays current."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from course_lib.home import CourseError
from course_lib.lab import LAID, lay_out

LESSON = "notebooks/00_start.ipynb"
EXERCISE = "exercises/01_task.ipynb"


def notebook(*sources: str, **more: Any) -> str:
    cells = [
        {"cell_type": "code", "source": [source], "outputs": [], "execution_count": None, **more}
        for source in sources
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


class Course:
    """A course in a folder, the working copy beside it, and what a learner and a maintainer do."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.work = folder / "course", folder / "course" / "work"
        self.publish(LESSON, notebook("x = 1"))
        self.publish(EXERCISE, notebook("task"))
        self.publish("notebooks/data/orders.csv", "id\n1\n")

    def publish(self, name: str, text: str) -> None:
        """The course changes a file."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())

    def edit(self, name: str, text: str) -> None:
        """The learner changes a file."""
        (self.work / name).write_bytes(text.encode())

    def read(self, name: str) -> str:
        return (self.work / name).read_bytes().decode()

    def files(self) -> set[str]:
        found = (path for path in self.work.rglob("*") if path.is_file())
        names = (path.relative_to(self.work).as_posix() for path in found)
        return {name for name in names if not name.startswith(LAID)}

    def lay_out(self) -> tuple[list[str], list[str], dict[str, str]]:
        """Lay the files out: what was laid, what was refreshed, and what was kept."""
        before = {name: self.read(name) for name in self.files()}
        kept = lay_out(self.folder, self.work)
        laid = self.files() - set(before) - set(kept.values())
        refreshed = {n for n in before if self.read(n) != before[n]} - set(kept.values())
        parts = ("notebooks", "exercises", "solutions")
        in_order = sorted(laid, key=lambda name: (parts.index(name.split("/")[0]), name))
        return in_order, sorted(refreshed), kept


NOTHING: tuple[list[str], list[str], dict[str, str]] = ([], [], {})


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return Course(tmp_path)


@pytest.fixture
def laid(course: Course) -> Course:
    course.lay_out()
    return course


def test_lessons_exercises_and_solutions_are_laid(course: Course) -> None:
    course.publish("solutions/01_task.ipynb", notebook("answer"))
    course.publish("notebooks/.ipynb_checkpoints/00_start-checkpoint.ipynb", notebook("old"))
    laid, refreshed, kept = course.lay_out()
    assert laid == [LESSON, "notebooks/data/orders.csv", EXERCISE, "solutions/01_task.ipynb"]
    assert (refreshed, kept) == ([], {})
    assert course.files() == set(laid)
    assert course.read(LESSON) == notebook("x = 1")


def test_a_second_run_does_nothing(laid: Course) -> None:
    before = {name: (laid.work / name).stat().st_mtime_ns for name in laid.files()}
    assert laid.lay_out() == NOTHING
    assert {name: (laid.work / name).stat().st_mtime_ns for name in laid.files()} == before


def test_an_update_refreshes_what_was_left_alone(laid: Course) -> None:
    laid.publish(LESSON, notebook("x = 2"))
    assert laid.lay_out() == ([], [LESSON], {})
    assert laid.read(LESSON) == notebook("x = 2")
    assert laid.lay_out() == NOTHING


def test_an_update_goes_beside_what_was_edited(laid: Course) -> None:
    laid.edit(LESSON, notebook("mine"))
    laid.publish(LESSON, notebook("x = 2"))
    assert laid.lay_out() == ([], [], {LESSON: "notebooks/00_start.new.ipynb"})
    assert laid.read(LESSON) == notebook("mine")
    assert laid.read("notebooks/00_start.new.ipynb") == notebook("x = 2")
    assert laid.lay_out() == NOTHING  # said once


def test_an_edit_without_an_update_is_left_in_peace(laid: Course) -> None:
    laid.edit(LESSON, notebook("mine"))
    assert laid.lay_out() == NOTHING
    assert laid.read(LESSON) == notebook("mine")


def test_running_a_notebook_is_no_edit(laid: Course) -> None:
    outputs = [{"output_type": "stream", "name": "stdout", "text": ["1\n"]}]
    run = json.loads(notebook("x = 1", execution_count=3, outputs=outputs, id="a1"))
    run["metadata"] = {"kernelspec": {"name": "python3"}, "language_info": {"version": "3.13"}}
    run["cells"][0]["source"] = "x = 1"  # one text in place of a list, as some editors save it
    laid.edit(LESSON, json.dumps(run))
    laid.publish(LESSON, notebook("x = 2"))
    assert laid.lay_out() == ([], [LESSON], {})


@pytest.mark.parametrize(
    "edited",
    [
        notebook("x = 1", "y = 2"),
        notebook(),
        notebook("x = 1", cell_type="markdown"),
        notebook("x = 1", attachments={"a.png": {"image/png": "AAAA"}}),
        notebook("x = 1")[:-5],
        "",
        "[]",
        '{"cells": 3}',
        "\udcff".encode("utf-8", "surrogatepass").decode("latin-1"),
    ],
    ids=[
        "a cell more",
        "no cell",
        "another type",
        "a pasted picture",
        "cut off",
        "empty",
        "a list",
        "no cells",
        "no text",
    ],
)
def test_every_other_change_is_an_edit(laid: Course, edited: str) -> None:
    laid.edit(LESSON, edited)
    laid.publish(LESSON, notebook("x = 2"))
    assert laid.lay_out()[2] == {LESSON: "notebooks/00_start.new.ipynb"}
    assert laid.read(LESSON) == edited


def test_each_update_renews_the_version_beside(laid: Course) -> None:
    laid.edit(LESSON, notebook("mine"))
    for source in ("x = 2", "x = 3"):
        laid.publish(LESSON, notebook(source))
        assert laid.lay_out()[2] == {LESSON: "notebooks/00_start.new.ipynb"}
        assert laid.read("notebooks/00_start.new.ipynb") == notebook(source)


def test_an_edited_version_beside_is_kept_too(laid: Course) -> None:
    laid.edit(LESSON, notebook("mine"))
    laid.publish(LESSON, notebook("x = 2"))
    laid.lay_out()
    laid.edit("notebooks/00_start.new.ipynb", notebook("mine as well"))
    laid.publish(LESSON, notebook("x = 3"))
    assert laid.lay_out()[2] == {LESSON: "notebooks/00_start.new2.ipynb"}
    assert laid.read(LESSON) == notebook("mine")
    assert laid.read("notebooks/00_start.new.ipynb") == notebook("mine as well")
    assert laid.read("notebooks/00_start.new2.ipynb") == notebook("x = 3")
    assert laid.lay_out() == NOTHING


def test_a_file_of_the_learners_named_like_a_version_beside_is_kept(laid: Course) -> None:
    laid.edit(LESSON, notebook("mine"))
    laid.edit("notebooks/00_start.new.ipynb", notebook("my own"))
    laid.publish(LESSON, notebook("x = 2"))
    assert laid.lay_out()[2] == {LESSON: "notebooks/00_start.new2.ipynb"}
    assert laid.read("notebooks/00_start.new.ipynb") == notebook("my own")


def test_a_deleted_version_beside_does_not_come_back(laid: Course) -> None:
    laid.edit(LESSON, notebook("mine"))
    laid.publish(LESSON, notebook("x = 2"))
    laid.lay_out()
    (laid.work / "notebooks/00_start.new.ipynb").unlink()
    assert laid.lay_out() == NOTHING


def test_taking_the_version_beside_ends_the_difference(laid: Course) -> None:
    laid.edit(LESSON, notebook("mine"))
    laid.publish(LESSON, notebook("x = 2"))
    laid.lay_out()
    (laid.work / "notebooks/00_start.new.ipynb").replace(laid.work / LESSON)
    assert laid.lay_out() == NOTHING
    laid.publish(LESSON, notebook("x = 3"))
    assert laid.lay_out() == ([], [LESSON], {})


def test_a_deleted_file_is_laid_again(laid: Course) -> None:
    (laid.work / EXERCISE).unlink()
    assert laid.lay_out() == ([EXERCISE], [], {})
    assert laid.read(EXERCISE) == notebook("task")


def test_what_the_course_drops_stays(laid: Course) -> None:
    (laid.folder / EXERCISE).unlink()
    laid.edit("notebooks/my_own.ipynb", notebook("my own"))
    assert laid.lay_out() == NOTHING
    assert laid.read(EXERCISE) == notebook("task")
    assert laid.read("notebooks/my_own.ipynb") == notebook("my own")


RENAMED = "exercises/02_task.ipynb"


@pytest.mark.parametrize("text", [notebook("task"), notebook("mine")], ids=["left_alone", "edited"])
def test_what_the_course_renames_is_laid_under_its_new_name(laid: Course, text: str) -> None:
    laid.edit(EXERCISE, text)
    (laid.folder / EXERCISE).rename(laid.folder / RENAMED)
    assert laid.lay_out() == ([RENAMED], [], {})
    assert laid.read(RENAMED) == notebook("task")
    assert laid.read(EXERCISE) == text
    assert laid.lay_out() == NOTHING


def test_a_name_that_comes_back_is_taken_up_where_it_was(laid: Course) -> None:
    (laid.folder / EXERCISE).unlink()
    laid.lay_out()
    laid.publish(EXERCISE, notebook("task 2"))
    assert laid.lay_out() == ([], [EXERCISE], {})
    (laid.folder / EXERCISE).unlink()
    laid.edit(EXERCISE, notebook("mine"))
    laid.lay_out()
    laid.publish(EXERCISE, notebook("task 3"))
    assert laid.lay_out() == ([], [], {EXERCISE: "exercises/01_task.new.ipynb"})
    assert laid.read(EXERCISE) == notebook("mine")


def test_what_the_learner_renames_is_theirs(laid: Course) -> None:
    laid.edit(EXERCISE, notebook("mine"))
    (laid.work / EXERCISE).rename(laid.work / "exercises/my_task.ipynb")
    laid.publish(EXERCISE, notebook("task 2"))
    assert laid.lay_out() == ([EXERCISE], [], {})
    assert laid.read("exercises/my_task.ipynb") == notebook("mine")
    assert laid.lay_out() == NOTHING


def test_a_deleted_folder_is_laid_again(laid: Course) -> None:
    shutil.rmtree(laid.work / "notebooks")
    assert laid.lay_out() == ([LESSON, "notebooks/data/orders.csv"], [], {})
    shutil.rmtree(laid.work)
    assert len(laid.lay_out()[0]) == 3


def test_a_folder_that_the_course_drops_stays(laid: Course) -> None:
    shutil.rmtree(laid.folder / "exercises")
    assert laid.lay_out() == NOTHING
    assert laid.read(EXERCISE) == notebook("task")


def test_two_files_that_change_places_keep_what_was_edited(laid: Course) -> None:
    laid.publish(RENAMED, notebook("other"))
    laid.lay_out()
    laid.edit(EXERCISE, notebook("mine"))
    laid.publish(EXERCISE, notebook("other"))
    laid.publish(RENAMED, notebook("task"))
    assert laid.lay_out() == ([], [RENAMED], {EXERCISE: "exercises/01_task.new.ipynb"})
    assert laid.read(EXERCISE) == notebook("mine")
    assert laid.read(RENAMED) == notebook("task")


@pytest.mark.parametrize("damaged", [None, "", "[]", notebook("x")], ids=["gone", "", "[]", "x"])
def test_what_was_laid_is_forgotten_and_nothing_is_lost(laid: Course, damaged: str | None) -> None:
    laid.edit(LESSON, notebook("mine"))
    for name in (LESSON, EXERCISE):
        if damaged is None:
            (laid.work / LAID / name).unlink()
        else:
            laid.edit(f"{LAID}/{name}", damaged)
    laid.publish(EXERCISE, notebook("task 2"))
    # The exercise was not edited, but nobody can know.
    assert laid.lay_out() == (
        [],
        [],
        {LESSON: "notebooks/00_start.new.ipynb", EXERCISE: "exercises/01_task.new.ipynb"},
    )
    assert laid.read(LESSON) == notebook("mine")
    assert laid.lay_out() == NOTHING


def test_a_run_that_was_cut_short_is_taken_up(laid: Course) -> None:
    laid.publish(LESSON, notebook("x = 2"))
    laid.edit(LESSON, notebook("x = 2"))  # written, but not yet in the manifest
    assert laid.lay_out() == NOTHING
    laid.publish(LESSON, notebook("x = 3"))
    assert laid.lay_out() == ([], [LESSON], {})


def test_data_files_are_compared_byte_by_byte(laid: Course) -> None:
    name = "notebooks/data/orders.csv"
    laid.edit(name, "id\n1\n2\n")
    laid.publish(name, "id\n9\n")
    assert laid.lay_out()[2] == {name: "notebooks/data/orders.new.csv"}
    assert laid.read(name) == "id\n1\n2\n"


def test_a_folder_where_a_notebook_belongs_is_kept(laid: Course) -> None:
    (laid.work / LESSON).unlink()
    (laid.work / LESSON).mkdir()
    laid.publish(LESSON, notebook("x = 2"))
    assert laid.lay_out()[2] == {LESSON: "notebooks/00_start.new.ipynb"}


def test_nothing_half_written_is_left(laid: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    laid.publish(LESSON, notebook("x = 2"))
    before = laid.files()
    with monkeypatch.context() as patch, pytest.raises(CourseError, match="No space left"):
        patch.setattr(Path, "replace", fail)
        laid.lay_out()
    assert laid.read(LESSON) == notebook("x = 1")
    assert laid.files() == before
    assert laid.lay_out() == ([], [LESSON], {})


def test_a_file_named_work_is_said_to_be_in_the_way(course: Course) -> None:
    course.work.write_text("a note")
    with pytest.raises(CourseError, match=r"work.*: move away what is in its place"):
        course.lay_out()
    assert course.work.read_text() == "a note"


def test_a_file_in_place_of_a_folder_is_said_to_be_in_the_way(laid: Course) -> None:
    for path in sorted((laid.work / "exercises").iterdir()):
        path.unlink()
    (laid.work / "exercises").rmdir()
    laid.edit("exercises", "a note")
    with pytest.raises(CourseError, match=r"exercises: .* move away what is"):
        laid.lay_out()


def test_a_working_copy_that_cannot_be_written(
    laid: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, data: bytes) -> None:  # permission bits do not stop an administrator
        raise PermissionError(13, "Permission denied", str(path))

    laid.publish(LESSON, notebook("x = 2"))
    monkeypatch.setattr("course_lib.lab._write", refuse)
    with pytest.raises(CourseError, match=r"00_start.ipynb: Permission denied"):
        laid.lay_out()
