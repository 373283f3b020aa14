"""nbgrader's settings for this course: copy this file into the folder where you run nbgrader.

Put a notebook of `solutions/` into `source/ASSIGNMENT/`, and have this folder of the course on
PYTHONPATH. `nbgrader generate_assignment` then makes the course's own exercise of it (without this
file it makes one that is as good, but an untouched cell raises an error), and `nbgrader autograde`
gives each check's points, in part where the answer is right in part.

nbgrader runs the checks in the same process as the submission, which can therefore fake them. For
a class you do not trust, grade outside of it.
"""

from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import ClearSolutions

from course_lib.grading.notebooks import without_answers

c = get_config()  # noqa: F821


class LeaveForms(ClearSolutions):
    """In an answer's place it leaves `name = ...` where a name is given its value."""

    def _replace_solution_region(self, cell, language):
        before, cell.source = cell.source, without_answers(cell.source)
        return cell.source != before


steps = GenerateAssignment().preprocessors
c.GenerateAssignment.preprocessors = [
    LeaveForms if step is ClearSolutions else step for step in steps
]
