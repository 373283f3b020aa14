"""Whatever stands under a task's names, its check comes to an end and says so in findings.

A check reads what a submission sent and returned; none of that has the shape it hopes for.
"""

import re

import pytest

from course_lib.checks import TASKS
from course_lib.checks.task import State
from course_lib.grading.notebooks import read_notebook
from tests import ROOT
from tests.answers.ways import directly

FORMS = {
    task_id: "\n".join(cell for cell in notebook.cells if "check(" not in cell)
    for notebook in map(read_notebook, sorted((ROOT / "exercises").glob("*.ipynb")))
    for task_id in notebook.task_ids
}
VALUES = (
    "42", "'x'", "[]", "{}", "[None, 1]", "{'a': ['b', {'c': 1.5}]}", "float('nan')", "object()",
    "'\\ud800'", "[['call', {}], 7]", "{1: 2}", "{'output': None}",
)  # fmt: skip
ASK = "a[0].responses.create(model='gpt-5.6', input="
BODIES = (
    "raise KeyError('x')",
    "return locals()",
    f"{ASK}'hello', background=True); return 'x'",
    f"c = a[0].conversations.create(); {ASK}'x', conversation=c.id); "
    f"return {ASK}'y', conversation=c.id)",
    f"{ASK}[1]); return 'x'",
    f"{ASK}None); return 'x'",
    f"return {ASK}'x', tools=5)",
    "a[0].post('/responses', body={'instructions': [1]}, cast_to=object)",
    f"r = {ASK}'x', store=False); return {ASK}'y', previous_response_id=r.id)",
    "a[0].chat.completions.create(model='gpt-5.6', messages=[{'role': 'user', 'content': 'x'}])",
    "return list(a[0].models.list())",
)


def answer(form: str, value: str, body: str) -> str:
    """An answer that gives every name of the task this value, or every function this body."""
    names = re.findall(r"^(\w+) = \.\.\.$", form, re.MULTILINE)
    functions = re.findall(r"^def (\w+)\(", form, re.MULTILINE)
    return "".join(
        [f"{name} = {value}\n" for name in names]
        + [f"def {name}(*a, **k):\n    {body}\n" for name in functions]
    )


@pytest.mark.parametrize("task_id", FORMS)
def test_an_odd_answer_is_only_a_wrong_one(task_id: str) -> None:
    task, form = TASKS[task_id], FORMS[task_id]
    odd = [answer(form, value, f"return {value}") for value in VALUES]
    odd += [answer(form, "{}", body) for body in BODIES]
    for source in odd:
        result = directly(task, source)
        assert result.state in (State.FAILED, State.NOT_ATTEMPTED), source
        assert result.points < task.points, source
