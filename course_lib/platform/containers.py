"""The endpoints of `/v1/containers`: where code and commands run, and the files there."""

from .errors import Json, refusal
from .hosted import containers
from .hosted.containers import Container, ContainerFile, find
from .http import Request
from .pages import list_page
from .rules import text
from .shapes import shape
from .state import State

_check = shape("ContainerCreate")


def create(state: State, request: Request, body: Json) -> Json:
    _check(body, "")
    return containers.shown(containers.create(state, body["name"], body), state)


def list_all(state: State, request: Request) -> Json:
    shown = [containers.shown(each, state) for each in state.containers.values()]
    return list_page(shown, request)


def retrieve(state: State, request: Request, container_id: str) -> Json:
    return containers.shown(find(state, container_id), state)


def delete(state: State, request: Request, container_id: str) -> Json:
    del state.containers[find(state, container_id).id]
    return {"id": container_id, "object": "container.deleted", "deleted": True}


def create_file(state: State, request: Request, container_id: str, body: Json) -> Json:
    """Put a file in: an upload (multipart), or a copy of a file that was uploaded before."""
    container = find(state, container_id)
    if "file" in request.files:
        name = body["file"]["filename"]
        made = containers.upload(state, container, name, request.files["file"])
    elif "file_id" in body:
        text(body["file_id"], "file_id")
        made = containers.copy_in(state, container, body["file_id"])
    else:
        raise refusal("container_file_missing")
    return _shown(container, made)


def list_files(state: State, request: Request, container_id: str) -> Json:
    container = find(state, container_id)
    return list_page([_shown(container, each) for each in container.files.values()], request)


def retrieve_file(state: State, request: Request, container_id: str, file_id: str) -> Json:
    container = find(state, container_id)
    return _shown(container, _find_file(container, file_id))


def read_file(state: State, request: Request, container_id: str, file_id: str) -> bytes:
    return _find_file(find(state, container_id), file_id).content


def delete_file(state: State, request: Request, container_id: str, file_id: str) -> Json:
    container = find(state, container_id)
    del container.files[_find_file(container, file_id).name]
    return {"id": file_id, "object": "container.file.deleted", "deleted": True}


def _find_file(container: Container, file_id: str) -> ContainerFile:
    for stored in container.files.values():
        if stored.id == file_id:
            return stored
    raise refusal("no_such_container_file", file_id=file_id)


def _shown(container: Container, stored: ContainerFile) -> Json:
    return {
        "id": stored.id,
        "object": "container.file",
        "bytes": len(stored.content),
        "container_id": container.id,
        "created_at": stored.created_at,
        "path": f"{containers.ROOT}/{stored.name}",
        "source": stored.source,
    }
