"""`code_interpreter`: runs the model's Python in a container (contract D).

The code sees its own folder as /mnt/data and nothing else: no network, no other process. What it
prints are the logs, a PNG that it writes is an image output, and every file it leaves is cited
by the message (`container_file_citation`). Code that fails has a traceback in its logs; code
that must be stopped makes a failed call. On macOS and Windows this is not a sandbox.
"""

import base64
from typing import Any

from .. import files
from ..errors import Json, wrong_type
from ..rules import anything, array, fields, nullable, one_of, text
from ..state import State
from . import containers
from .containers import Container, ContainerFile
from .hosted_tool import Ran, hosted_tool
from .tool import Call

MEMORY_LIMITS = ("1g", "4g", "16g", "64g")


def _container(value: Any, path: str) -> None:
    if isinstance(value, dict):
        optional = {
            "file_ids": nullable(array(text)),
            "memory_limit": nullable(one_of(*MEMORY_LIMITS)),
            "network_policy": anything,
        }
        fields({"type": one_of("auto")}, optional)(value, path)
    elif not isinstance(value, str):
        raise wrong_type(path, "one of a string or object", value)


def _check(entry: Json, state: State) -> None:
    declared = entry["container"]
    if isinstance(declared, str):
        containers.find(state, declared)
    else:
        for file_id in declared.get("file_ids") or []:
            files.find(state, file_id)


def _run(call: Call) -> Ran:
    container = _container_for(call)
    code = str(call.arguments.get("code") or "")
    outcome = containers.run(call.state, container, code)
    images = [made for made in outcome.made if made.name.lower().endswith(".png")]
    outputs: list[Json] = [{"type": "logs", "logs": outcome.logs}] if outcome.logs else []
    outputs += [{"type": "image", "url": _data_url(image)} for image in images]
    shown = "code_interpreter_call.outputs" in call.include
    item = {"code": code, "container_id": container.id, "outputs": outputs if shown else None}
    reads: Json = {"logs": outcome.logs}
    if outcome.made:
        reads["files"] = [f"sandbox:{containers.ROOT}/{made.name}" for made in outcome.made]
    if outcome.stopped:
        reads["error"] = outcome.stopped
    sources = {f"sandbox:{containers.ROOT}/{m.name}": _cite(container, m) for m in outcome.made}
    return Ran(item, reads, "failed" if outcome.stopped else "completed", sources)


def _container_for(call: Call) -> Container:
    """The one named, else that of an earlier call in the context, else a new one."""
    state, declared = call.state, call.declared["container"]
    if isinstance(declared, str):
        return containers.find(state, declared)
    for item in reversed(call.items):
        known = state.containers.get(str(item.get("container_id")))
        if known is not None and not containers.is_expired(known, state):
            return known
    made = containers.create(state, "auto", declared.get("memory_limit") or "1g")
    for file_id in declared.get("file_ids") or []:
        containers.copy_in(state, made, file_id)
    return made


def _cite(container: Container, made: ContainerFile) -> Json:
    return {
        "type": "container_file_citation",
        "container_id": container.id,
        "file_id": made.id,
        "filename": made.name,
    }


def _data_url(image: ContainerFile) -> str:
    return f"data:image/png;base64,{base64.b64encode(image.content).decode()}"


CODE_INTERPRETER = hosted_tool(
    name="code_interpreter",
    item="code_interpreter_call",
    prefix="ci",
    about="Run Python code: compute, work on the files in /mnt/data, and write new ones there.",
    parameters={
        "type": "object",
        "properties": {"code": {"type": "string", "description": "Python code to run."}},
        "required": ["code"],
    },
    required={"container": _container},
    optional={"allowed_callers": anything},
    check=_check,
    run=_run,
    stages=("in_progress", "code", "interpreting", "completed"),
    begun={"code": "", "outputs": None},
)
