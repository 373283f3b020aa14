"""Containers: what the code interpreter and the shell work on (contract D), and `/v1/containers`.

A container is files and a few plain values, kept in memory; `container_run.py` runs code in it.
After twenty simulated minutes without use it has expired: it is gone for good, and gives its files
back. All of them together are bounded, too: the oldest make room.
"""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from . import files, skills
from .errors import Json, refusal
from .files import StoredFile
from .http import Request
from .pages import deleted, list_page
from .rules import text
from .skills import Skill
from .state import State, drop_oldest, found

ROOT = "/mnt/data"  # what the code calls its folder
MINUTES = 20  # idle, until it expires
MOST_BYTES = 512 * 1024**2  # in all containers together


@dataclass(slots=True)
class ContainerFile:
    """A file in a container: the `container.file` object, its name below ROOT, and its bytes."""

    body: Json
    name: str
    content: bytes


@dataclass(slots=True)
class Container:
    """The container object, and what it holds.

    `values` is what the last run left of its variables, written by the process itself.
    """

    body: Json
    skills: list[Skill]
    files: dict[str, ContainerFile] = field(default_factory=dict)  # by name
    folders: list[str] = field(default_factory=list)
    values: bytes = b""
    _busy: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def id(self) -> str:
        return str(self.body["id"])

    @property
    def size(self) -> int:
        held = sum(len(file.content) for file in self.files.values())
        return held + len(self.values) + sum(skill.size for skill in self.skills)

    @contextmanager
    def alone(self, state: State) -> Iterator[None]:
        """A container does one thing at a time: wait for it, and let other requests in meanwhile.

        Two runs at once would each begin without what the other leaves.
        """
        with state.set_aside():
            self._busy.acquire()
        try:
            yield
        finally:
            self._busy.release()


def check(state: State, asked: str | Json) -> None:
    """Refuse the id of no container, and what of a new one is not there."""
    if isinstance(asked, str):
        find(state, asked)
    else:
        _wanted(state, asked)


def _wanted(state: State, asked: Json) -> tuple[list[StoredFile], list[Skill]]:
    """The files and the skills that a container is asked to have."""
    wanted = [files.find(state, file_id) for file_id in asked.get("file_ids") or []]
    return wanted, [skills.resolve(state, skill) for skill in asked.get("skills") or []]


def make(state: State, name: str, asked: Json) -> Container:
    """A new container, with copies of the files and the skills that it is asked to have.

    Which domains it may reach is kept, and none is reached.
    """
    policy = asked.get("network_policy") or {"type": "disabled"}
    stored, wanted = _wanted(state, asked)
    body = {
        "id": state.new_id("cntr"),
        "object": "container",
        "created_at": state.now,
        "status": "running",
        "expires_after": asked.get("expires_after")
        or {"anchor": "last_active_at", "minutes": MINUTES},
        "last_active_at": state.now,
        "memory_limit": asked.get("memory_limit") or "1g",
        "name": name,
        "network_policy": {key: policy[key] for key in policy if key != "domain_secrets"},
    }
    made = Container(body, wanted)
    for file in stored:
        upload(state, made, file.body["filename"], file.content)
    state.containers[made.id] = made
    make_room(state, made)
    return made


def choose(state: State, asked: str | Json, items: list[Json]) -> Container:
    """The container named, else that of an earlier call in the context, else a new one."""
    if isinstance(asked, str):
        return find(state, asked)
    for item in reversed(items):
        used = item.get("container_id") or (item.get("environment") or {}).get("container_id")
        known = state.containers.get(str(used))
        if known is not None and not is_expired(known, state):
            wanted = _wanted(state, {"skills": asked.get("skills")})[1]
            known.skills += [skill for skill in wanted if skill not in known.skills]
            return known
    return make(state, "auto", asked)


def find(state: State, container_id: str) -> Container:
    """A container that is still there; ApiError for one that never was, or has expired."""
    container = found(state.containers, container_id, "no_such_container")
    if is_expired(container, state):
        raise refusal("container_expired", minutes=container.body["expires_after"]["minutes"])
    return container


def is_expired(container: Container, state: State) -> bool:
    idle = state.now - container.body["last_active_at"]
    return bool(idle > container.body["expires_after"]["minutes"] * 60)


def make_room(state: State, used: Container) -> None:
    """Empty those that have expired; then drop the oldest while all hold too much."""
    for container in state.containers.values():
        if is_expired(container, state):
            container.files, container.skills, container.values = {}, [], b""
    drop_oldest(state.containers, MOST_BYTES, lambda each: each.size, spared=used.id)


def put(
    state: State, container: Container, name: str, content: bytes, source: str
) -> ContainerFile:
    """Add a file, or replace the one of that name: what was made anew is another file.

    `source` says who put it there, `user` or `assistant`.
    """
    body = {
        "id": state.new_id("cfile"),
        "object": "container.file",
        "bytes": len(content),
        "container_id": container.id,
        "created_at": state.now,
        "path": f"{ROOT}/{name}",
        "source": source,
    }
    container.files[name] = ContainerFile(body, name, content)
    return container.files[name]


def upload(state: State, container: Container, filename: str, content: bytes) -> ContainerFile:
    """Put in a file of the user's, by a name that any system takes and that leads nowhere."""
    name = skills.UNSAFE.sub("_", re.split(r"[\\/]", filename)[-1])
    name = name.encode()[-100:].decode("utf-8", "ignore").lstrip(".") or "file"
    if name in container.folders:
        raise refusal("container_has_folder", name=name)
    return put(state, container, name, content, "user")


def citations(container: Container, made: list[ContainerFile]) -> dict[str, Json]:
    """How a message may link to these files, and the annotation of each."""
    cited = {"type": "container_file_citation", "container_id": container.id}
    return {
        f"sandbox:{each.body['path']}": cited | {"file_id": each.body["id"], "filename": each.name}
        for each in made
    }


# --- The endpoints --------------------------------------------------------------------------------


def create(state: State, request: Request, body: Json) -> Json:
    return make(state, body["name"], body).body


def list_all(state: State, request: Request) -> Json:
    gone = {"status": "expired"}
    every = state.containers.values()
    return list_page([c.body | gone if is_expired(c, state) else c.body for c in every], request)


def create_file(state: State, request: Request, container: Container, body: Json) -> Json:
    """Put a file in: an upload (multipart), or a copy of a file that was uploaded before."""
    if "file" in request.files:
        name, content = body["file"]["filename"], request.files["file"]
    elif "file_id" in body:
        text(body["file_id"], "file_id")
        stored = files.find(state, body["file_id"])
        name, content = stored.body["filename"], stored.content
    else:
        raise refusal("container_file_missing")
    with container.alone(state):
        made = upload(state, container, name, content)
    make_room(state, container)
    return made.body


def find_file(state: State, file_id: str, container: Container) -> ContainerFile:
    by_id = {each.body["id"]: each for each in container.files.values()}
    return found(by_id, file_id, "no_such_container_file")


def read_file(state: State, request: Request, container: Container, stored: ContainerFile) -> bytes:
    return stored.content


def delete_file(
    state: State, request: Request, container: Container, stored: ContainerFile
) -> Json:
    with container.alone(state):
        container.files.pop(stored.name, None)
    return deleted(stored.body["id"], "container.file.deleted")
