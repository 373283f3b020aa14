"""Where the course is, where it keeps a learner's progress, and how it speaks to a person."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The repository: the folder with start.py, notebooks/ and course_lib/."""

WORK = ROOT / "work"
"""The learner's own copy of the notebooks; lab.py lays it out."""

START = "py start.py" if os.name == "nt" else "python3 start.py"
"""What a person types before a command, on this system."""


class CourseError(Exception):
    """A sentence for the person at the keyboard: it names the thing and the remedy."""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in a notebook: the sentence, without the way through our code."""
        return [str(self)]


def course_home() -> Path:
    """The folder for progress, made if need be: COURSE_HOME, else where the system keeps such data.

    Raises CourseError when it cannot be made.
    """
    from platformdirs import user_data_dir

    home = Path(os.environ.get("COURSE_HOME") or user_data_dir("llm-tools-course", appauthor=False))
    try:
        home = home.expanduser().absolute()
        home.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: an account without a home folder
        raise CourseError(
            f"Progress cannot be kept in {home} ({getattr(error, 'strerror', error)}): set "
            "COURSE_HOME to a folder of your own."
        ) from None
    return home
