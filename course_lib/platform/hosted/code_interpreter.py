"""`code_interpreter`: runs the model's Python in a container (contract D).

The code sees its own folder as /mnt/data and nothing else: no network, no other process. What it
prints are the logs, a PNG that it writes is an image output, and every file it leaves is cited
by the message (`container_file_citation`). Code that fails has a traceback in its logs; code
that must be stopped makes a failed call. On macOS and Windows this is not a sandbox.
"""

import base64

from .. import container_run, containers
from ..errors import Json
from ..rules import shape
from .tool import Call, Ran, hosted_tool


def _run(call: Call) -> Ran:
    container = containers.choose(call.state, call.declared["container"], call.desk.items)
    code = str(call.arguments.get("code") or "")
    (ended,), made = container_run.run(call.state, container, "python", [code])
    outputs: list[Json] = [{"type": "logs", "logs": ended.stdout}] if ended.stdout else []
    for file in made:
        if file.name.lower().endswith(".png"):
            picture = base64.b64encode(file.content).decode()
            outputs.append({"type": "image", "url": f"data:image/png;base64,{picture}"})
    shown = call.caller or "code_interpreter_call.outputs" in call.desk.include
    item = {"code": code, "container_id": container.id, "outputs": outputs if shown else None}
    if ended.exit_code and not ended.stopped:
        ended.stopped = "Stopped: the process ended before its code did."
    sources = containers.citations(container, made)
    reads: Json = {"logs": ended.stdout} | ({"error": ended.stopped} if ended.stopped else {})
    reads |= {"files": [*sources]} if sources else {}
    return Ran(item, reads, "failed" if ended.stopped else "completed", sources)


CODE_INTERPRETER = hosted_tool(
    "code_interpreter",
    prefix="ci",
    entry=shape("CodeInterpreter"),
    check=lambda entry, state: containers.check(state, entry["container"]),
    run=_run,
    stages=("in_progress", "code", "interpreting", "completed"),
    begun={"code": "", "outputs": None},
)
