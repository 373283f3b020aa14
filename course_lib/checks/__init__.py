"""The checks: one file per lesson, and the two functions a notebook calls."""

from . import lesson_00, lesson_01, lesson_01_design  # importing one registers its tasks
from .notebook import check, hint
from .task import TASKS

__all__ = ["TASKS", "check", "hint", "lesson_00", "lesson_01", "lesson_01_design"]
