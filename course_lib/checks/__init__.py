"""The checks: one file per lesson, and the two functions a notebook calls."""

from . import (  # importing a lesson registers its tasks
    lesson_00,
    lesson_01,
    lesson_01_design,
    lesson_02,
    lesson_02_traffic,
    lesson_03,
    lesson_03_results,
    lesson_04,
    lesson_04_search,
)
from .notebook import check, hint
from .task import TASKS

__all__ = [
    "TASKS",
    "check",
    "hint",
    "lesson_00",
    "lesson_01",
    "lesson_01_design",
    "lesson_02",
    "lesson_02_traffic",
    "lesson_03",
    "lesson_03_results",
    "lesson_04",
    "lesson_04_search",
]
