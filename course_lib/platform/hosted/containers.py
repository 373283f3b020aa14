"""Containers: where the code interpreter's Python runs, and the files it finds and leaves.

A container is files and a few plain values, kept in memory. Each run gets a fresh folder with
them and a fresh process (`confined.py`), and what it leaves is taken back. So nothing of a run
stays on the disk, and nothing it does reaches the next one but files and values.

After twenty simulated minutes without use a container has expired, and is gone for good.
"""

import contextlib
import os
import re
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from .. import files
from ..errors import Json, refusal
from ..state import State, found
from . import process, skills
from .process import Ended
from .skills import Skill

ROOT = "/mnt/data"  # what the code calls its folder
PLACES = {ROOT: "data", skills.ROOT: "skills", "/tmp": "tmp"}  # → their names in a run's folder
MOST_FOLDERS = 1000
MINUTES = 20  # idle, until it expires


@dataclass(slots=True)
class ContainerFile:
    """A file in a container; `source` says who put it there, `user` or `assistant`."""

    id: str
    name: str  # below /mnt/data
    content: bytes
    source: str
    created_at: int


@dataclass(slots=True)
class Container:
    """`values` is what the last run left of its variables, written by the process itself."""

    id: str
    name: str
    created_at: int
    last_active_at: int
    memory_limit: str = "1g"
    network_policy: Json = field(default_factory=dict)
    minutes: int = MINUTES
    files: dict[str, ContainerFile] = field(default_factory=dict)  # by name
    skills: list[Skill] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    values: bytes = b""
    busy: threading.Lock = field(default_factory=threading.Lock, repr=False)


def check(state: State, asked: str | Json) -> None:
    """Refuse the id of no container, and what of a new one is not there."""
    if isinstance(asked, str):
        find(state, asked)
        return
    for file_id in asked.get("file_ids") or []:
        files.find(state, file_id)
    for skill in asked.get("skills") or []:
        skills.resolve(state, skill)


def create(state: State, name: str, asked: Json) -> Container:
    """A new container, with copies of the files and the skills that it is asked to have.

    Which domains it may reach is kept, and none is reached.
    """
    made = Container(state.new_id("cntr"), name, state.now, state.now)
    made.memory_limit = asked.get("memory_limit") or "1g"
    made.minutes = (asked.get("expires_after") or {}).get("minutes", MINUTES)
    policy = asked.get("network_policy") or {"type": "disabled"}
    made.network_policy = {name: policy[name] for name in policy if name != "domain_secrets"}
    made.skills = [skills.resolve(state, skill) for skill in asked.get("skills") or []]
    for file_id in asked.get("file_ids") or []:
        copy_in(state, made, file_id)
    state.containers[made.id] = made
    return made


def choose(state: State, asked: str | Json, items: list[Json]) -> Container:
    """The container named, else that of an earlier call in the context, else a new one."""
    if isinstance(asked, str):
        return find(state, asked)
    for item in reversed(items):
        used = item.get("container_id") or (item.get("environment") or {}).get("container_id")
        known = state.containers.get(str(used))
        if known is not None and not is_expired(known, state):
            wanted = (skills.resolve(state, skill) for skill in asked.get("skills") or [])
            known.skills += [skill for skill in wanted if skill not in known.skills]
            return known
    return create(state, "auto", asked)


def find(state: State, container_id: str) -> Container:
    """A container that is still there; ApiError for one that never was, or has expired."""
    container = found(state.containers, container_id, "no_such_container")
    if is_expired(container, state):
        raise refusal("container_expired", minutes=container.minutes)
    return container


def is_expired(container: Container, state: State) -> bool:
    return state.now - container.last_active_at > container.minutes * 60


def put(
    state: State, container: Container, name: str, content: bytes, source: str
) -> ContainerFile:
    """Add a file, or replace the one of that name: what was made anew is another file."""
    stored = ContainerFile(state.new_id("cfile"), name, content, source, state.now)
    container.files[name] = stored
    return stored


def upload(state: State, container: Container, filename: str, content: bytes) -> ContainerFile:
    """Put in a file of the user's, by a name that any system takes and that leads nowhere."""
    name = skills.UNSAFE.sub("_", re.split(r"[\\/]", filename)[-1])
    name = name.encode()[-100:].decode("utf-8", "ignore").lstrip(".") or "file"
    if name in container.folders or any(each.startswith(f"{name}/") for each in container.files):
        raise refusal("container_has_folder", name=name)
    return put(state, container, name, content, "user")


def copy_in(state: State, container: Container, file_id: str) -> ContainerFile:
    """Put in a copy of an uploaded file; ApiError when there is none of that id."""
    stored = files.find(state, file_id)
    return upload(state, container, stored.body["filename"], stored.content)


def run(
    state: State, container: Container, kind: str, codes: list[str], seconds: float | None = None
) -> tuple[list[Ended], list[ContainerFile]]:
    """Run some Python, or commands in their order, and keep what they leave.

    kind      `python` or `shell`
    seconds   for all of them together, and never more than `process.SECONDS`

    A container does one thing at a time. Returns how each ended, and the files that are new or
    changed. Where they are more than a container holds, none is kept.
    """
    with state.set_aside():
        container.busy.acquire()
    try:
        container.last_active_at = state.now
        given = dict(container.files)
        with state.set_aside(), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
            until = time.monotonic() + min(seconds or process.SECONDS, process.SECONDS)
            own = _laid_out(container, given, Path(made).resolve())
            ended = [_run(kind, code, own, until) for code in codes]
            left = _left_behind(own / "data")
            container.values = (own / "values").read_bytes()
            container.folders = _folders(own / "data")
        return ended, _take_back(state, container, given, left)
    finally:
        container.busy.release()


def _laid_out(container: Container, given: Mapping[str, ContainerFile], own: Path) -> Path:
    """A run's folder, filled. A file that names its interpreter may be run."""
    for folder in ("tmp", "data", *(f"data/{name}" for name in container.folders)):
        (own / folder).mkdir(parents=True, exist_ok=True)
    (own / "values").write_bytes(container.values)
    held = {own / "data" / name: stored.content for name, stored in given.items()}
    for skill in container.skills:
        (own / "skills" / skill.folder).mkdir(parents=True, exist_ok=True)
        held |= {own / "skills" / skill.folder / name: each for name, each in skill.files.items()}
    for path, content in held.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        if content.startswith(b"#!"):
            path.chmod(0o755)
    return own


def _run(kind: str, code: str, own: Path, until: float) -> Ended:
    """Run it with the container's places put in, and those of this machine taken out again."""
    ended = process.execute(kind, _PLACE.sub(lambda found: _here(own, found[0]), code), own, until)
    hidden = {_here(own, place): place for place in PLACES} | process.ELSEWHERE
    for here, place in hidden.items():
        ended.stdout = ended.stdout.replace(here, place)
        ended.stderr = ended.stderr.replace(here, place)
    return ended


_PLACE = re.compile(rf"(?:^|(?<=[\s\"'`=:;,(<>&|\[{{]))(?:{'|'.join(PLACES)})(?![\w.-])")


def _here(own: Path, place: str) -> str:
    return (own / PLACES[place]).as_posix()


def _left_behind(folder: Path) -> dict[str, bytes] | None:
    """The files of a folder by name; None if they are more than a container holds."""
    found: dict[str, bytes] = {}
    room = process.MOST_LEFT
    for path, _ in process.files_below(folder):
        with contextlib.suppress(OSError), path.open("rb") as opened:
            content = found[path.relative_to(folder).as_posix()] = opened.read(room + 1)
            room -= len(content)
        if room < 0:
            return None
    return found


def _folders(below: Path) -> list[str]:
    """The folders below one, as many as a container keeps. A link is none."""
    walk = (Path(where) for where, _, _ in os.walk(below) if not below.is_symlink())
    found = (str(folder.relative_to(below).as_posix()) for folder in walk)
    return [name for name in islice(found, MOST_FOLDERS) if name.isprintable()]


def _take_back(
    state: State,
    container: Container,
    given: Mapping[str, ContainerFile],
    left: dict[str, bytes] | None,
) -> list[ContainerFile]:
    if left is None:
        return []
    made = [
        put(state, container, name, content, "assistant")
        for name, content in sorted(left.items())
        if name not in given or given[name].content != content
    ]
    container.files = {
        name: each
        for name, each in container.files.items()
        # what another request has put there meanwhile stays, unless it is in the way
        if name in left or (given.get(name) is not each and name not in container.folders)
    }
    return made


def citations(container: Container, made: list[ContainerFile]) -> dict[str, Json]:
    """How a message may link to these files, and the annotation of each."""
    cited = {"type": "container_file_citation", "container_id": container.id}
    return {
        f"sandbox:{ROOT}/{each.name}": cited | {"file_id": each.id, "filename": each.name}
        for each in made
    }


def shown(container: Container, state: State) -> Json:
    """The container as the API shows it."""
    return {
        "id": container.id,
        "object": "container",
        "created_at": container.created_at,
        "status": "expired" if is_expired(container, state) else "running",
        "expires_after": {"anchor": "last_active_at", "minutes": container.minutes},
        "last_active_at": container.last_active_at,
        "memory_limit": container.memory_limit,
        "name": container.name,
        "network_policy": container.network_policy,
    }
