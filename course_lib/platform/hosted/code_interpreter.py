"""`code_interpreter`: runs the model's Python in a container (contract D).

The code sees its own folder as /mnt/data and nothing else: no network, no other process. What it
prints are the logs, a PNG that it writes is an image output, and every file it leaves is cited
by the message (`container_file_citation`). Code that fails has a traceback in its logs; code
that must be stopped makes a failed call. On macOS and Windows this is not a sandbox.
"""

import base64

from .. import container_run, containers
from ..containers import ContainerFile
from ..errors import Json
from ..rules import shape
from ..state import State
from .tool import Call, Ran, hosted_tool, seen


def _check(entry: Json, state: State) -> None:
    containers.check(state, entry["container"])


def _run(call: Call) -> Ran:
    container = containers.choose(call.state, call.declared["container"], call.desk.items)
    code = str(call.arguments.get("code") or "")
    (ended,), made = container_run.run(call.state, container, "python", [code])
    images = [each for each in made if each.name.lower().endswith(".png")]
    outputs: list[Json] = [{"type": "logs", "logs": ended.stdout}] if ended.stdout else []
    outputs += [{"type": "image", "url": _data_url(image)} for image in images]
    shown = call.caller or "code_interpreter_call.outputs" in call.desk.include
    item = {"code": code, "container_id": container.id, "outputs": outputs if shown else None}
    reads: Json = {"logs": ended.stdout}
    if ended.exit_code and not ended.stopped:
        ended.stopped = "Stopped: the process ended before its code did."
    if ended.stopped:
        reads["error"] = ended.stopped
    sources = containers.citations(container, made)
    if sources:
        reads["files"] = list(sources)
    return Ran(item, reads, "failed" if ended.stopped else "completed", sources)


def _data_url(image: ContainerFile) -> str:
    return f"data:image/png;base64,{base64.b64encode(image.content).decode()}"


CODE_INTERPRETER = hosted_tool(
    seen(
        "code_interpreter",
        "Run Python code: compute, work on the files in /mnt/data, and write new ones there.",
        "code",
        code={"type": "string", "description": "Python code to run."},
    ),
    prefix="ci",
    entry=shape("CodeInterpreter"),
    check=_check,
    run=_run,
    stages=("in_progress", "code", "interpreting", "completed"),
    begun={"code": "", "outputs": None},
)
