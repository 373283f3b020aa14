"""The endpoints of `/v1/skills`: skills that containers may have, in versions (SDK).

A version stays as it is, and cannot be deleted alone.
"""

from .errors import Json, refusal
from .hosted.skills import StoredSkill, find, pack, unpack
from .http import Request
from .pages import list_page
from .shapes import shape
from .state import State

_check = shape("SkillUpdate")


def create(state: State, request: Request, body: Json) -> Json:
    """Keep a skill: a zip bundle, or its files one by one (multipart `files` or `files[]`)."""
    stored = StoredSkill(state.new_id("skill"), state.now)
    _add(state, stored, request, body)
    state.skills[stored.id] = stored
    return _shown(stored)


def create_version(state: State, request: Request, skill_id: str, body: Json) -> Json:
    stored = find(state, skill_id)
    shown = _add(state, stored, request, body)
    if str(body.get("default")).lower() == "true":  # a form has only texts
        stored.default = len(stored.versions)
    return shown


def list_all(state: State, request: Request) -> Json:
    return list_page([_shown(stored) for stored in state.skills.values()], request)


def list_versions(state: State, request: Request, skill_id: str) -> Json:
    return list_page([shown for shown, _ in find(state, skill_id).versions], request)


def retrieve(state: State, request: Request, skill_id: str) -> Json:
    return _shown(find(state, skill_id))


def retrieve_version(state: State, request: Request, skill_id: str, number: str) -> Json:
    return find(state, skill_id).find(number)[0]


def read(state: State, request: Request, skill_id: str, number: str | None = None) -> bytes:
    """The zip bundle of a version, or of the default one."""
    return find(state, skill_id).find(number)[1].bundle


def update(state: State, request: Request, skill_id: str, body: Json) -> Json:
    """Say which version is meant where none is named."""
    stored = find(state, skill_id)
    _check(body, "")
    stored.default = int(stored.find(body["default_version"])[0]["version"])
    return _shown(stored)


def delete(state: State, request: Request, skill_id: str) -> Json:
    del state.skills[find(state, skill_id).id]
    return {"id": skill_id, "object": "skill.deleted", "deleted": True}


def _add(state: State, stored: StoredSkill, request: Request, body: Json) -> Json:
    """Read what was uploaded as the next version of a skill."""
    uploaded = [(body[key]["filename"], content) for key, content in request.files.items()]
    if not uploaded:
        raise refusal("skill_without_files")
    skill = unpack(request.files.get("files") or pack(uploaded), "files")
    shown = {
        "id": state.new_id("skillver"),
        "object": "skill.version",
        "created_at": state.now,
        "description": skill.description,
        "name": skill.name,
        "skill_id": stored.id,
        "version": str(len(stored.versions) + 1),
    }
    stored.versions.append((shown, skill))
    return shown


def _shown(stored: StoredSkill) -> Json:
    """The skill as the API shows it: name and description are those of the default version."""
    _, skill = stored.find()
    return {
        "id": stored.id,
        "object": "skill",
        "created_at": stored.created_at,
        "default_version": str(stored.default),
        "description": skill.description,
        "latest_version": str(len(stored.versions)),
        "name": skill.name,
    }
