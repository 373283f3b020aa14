"""How the course speaks to a person: a `CourseError` is one sentence, in a notebook too."""

import nbformat
from nbclient import NotebookClient


def test_a_notebook_shows_the_sentence_and_no_traceback() -> None:
    cell = nbformat.v4.new_code_cell('from course_lib import check\ncheck("99.9")')
    notebook = nbformat.v4.new_notebook(cells=[cell])
    NotebookClient(notebook, allow_errors=True, kernel_name="python3").execute()
    (error,) = notebook.cells[0].outputs
    assert error.ename == "CourseError"
    assert error.traceback == [error.evalue]
    assert error.evalue.startswith("There is no task '99.9'.")
