"""The endpoints of `/v1/containers`: where code and commands run, and the files there."""

from .errors import Json, refusal
from .hosted import containers
from .hosted.containers import Container, ContainerFile
from .http import Request
from .pages import deleted, list_page
from .rules import text
from .shapes import shape
from .state import State, found

_check = shape("ContainerCreate")


def create(state: State, request: Request, body: Json) -> Json:
    _check(body, "")
    return containers.shown(containers.create(state, body["name"], body), state)


def list_all(state: State, request: Request) -> Json:
    shown = [containers.shown(each, state) for each in state.containers.values()]
    return list_page(shown, request)


def retrieve(state: State, request: Request, container: Container) -> Json:
    return containers.shown(container, state)


def delete(state: State, request: Request, container: Container) -> Json:
    del state.containers[container.id]
    return deleted(container.id, "container.deleted")


def create_file(state: State, request: Request, container: Container, body: Json) -> Json:
    """Put a file in: an upload (multipart), or a copy of a file that was uploaded before."""
    if "file" in request.files:
        name = body["file"]["filename"]
        made = containers.upload(state, container, name, request.files["file"])
    elif "file_id" in body:
        text(body["file_id"], "file_id")
        made = containers.copy_in(state, container, body["file_id"])
    else:
        raise refusal("container_file_missing")
    return retrieve_file(state, request, container, made)


def find_file(state: State, file_id: str, container: Container) -> ContainerFile:
    files = {each.id: each for each in container.files.values()}
    return found(files, file_id, "no_such_container_file")


def list_files(state: State, request: Request, container: Container) -> Json:
    files = container.files.values()
    return list_page([retrieve_file(state, request, container, each) for each in files], request)


def read_file(state: State, request: Request, container: Container, stored: ContainerFile) -> bytes:
    return stored.content


def delete_file(
    state: State, request: Request, container: Container, stored: ContainerFile
) -> Json:
    del container.files[stored.name]
    return deleted(stored.id, "container.file.deleted")


def retrieve_file(
    state: State, request: Request, container: Container, stored: ContainerFile
) -> Json:
    return {
        "id": stored.id,
        "object": "container.file",
        "bytes": len(stored.content),
        "container_id": container.id,
        "created_at": stored.created_at,
        "path": f"{containers.ROOT}/{stored.name}",
        "source": stored.source,
    }
