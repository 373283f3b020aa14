"""Answers to the tasks, one module a task: right ones written differently, and plausible mistakes.

Each is the source of one notebook cell. It is data here: the tests run it in a submission.
"""

from dataclasses import dataclass

import pytest

pytest.register_assert_rewrite("tests.answers.ways")  # its asserts explain themselves too


@dataclass(frozen=True, slots=True)
class Wrong:
    """A mistake, and what the learner must be told of it.

    fails       the labels of all findings that fail; the first is the one that is meant for it
    came_back   words of what came back, in that finding
    wanted      words of what was wanted, in that finding
    """

    source: str
    fails: tuple[str, ...]
    came_back: str
    wanted: str


Right = str  # a source
