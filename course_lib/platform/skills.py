"""The endpoints of `/v1/skills`: skills that containers may have, in versions (SDK).

A version stays as it is, and cannot be deleted alone.
"""

from .errors import Json, refusal
from .hosted.skills import Skill, StoredSkill, pack, unpack
from .http import Request
from .pages import deleted, list_page
from .shapes import shape
from .state import State

Version = tuple[Json, Skill]  # as it is shown, and what it holds
_check = shape("SkillUpdate")


def create(state: State, request: Request, body: Json) -> Json:
    """Keep a skill: a zip bundle, or its files one by one (multipart `files` or `files[]`)."""
    stored = StoredSkill(state.new_id("skill"), state.now)
    _add(state, stored, request, body)
    state.skills[stored.id] = stored
    return retrieve(state, request, stored)


def create_version(state: State, request: Request, stored: StoredSkill, body: Json) -> Json:
    shown = _add(state, stored, request, body)
    if str(body.get("default")).lower() == "true":  # a form has only texts
        stored.default = len(stored.versions)
    return shown


def list_all(state: State, request: Request) -> Json:
    skills = state.skills.values()
    return list_page([retrieve(state, request, each) for each in skills], request)


def list_versions(state: State, request: Request, stored: StoredSkill) -> Json:
    return list_page([shown for shown, _ in stored.versions], request)


def find_version(state: State, number: str, stored: StoredSkill) -> Version:
    return stored.find(number)


def retrieve_version(state: State, request: Request, stored: StoredSkill, version: Version) -> Json:
    return version[0]


def read(
    state: State, request: Request, stored: StoredSkill, version: Version | None = None
) -> bytes:
    """The zip bundle of a version, or of the default one."""
    _, skill = version or stored.find()
    return skill.bundle


def update(state: State, request: Request, stored: StoredSkill, body: Json) -> Json:
    """Say which version is meant where none is named."""
    _check(body, "")
    stored.default = int(stored.find(body["default_version"])[0]["version"])
    return retrieve(state, request, stored)


def delete(state: State, request: Request, stored: StoredSkill) -> Json:
    del state.skills[stored.id]
    return deleted(stored.id, "skill.deleted")


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


def retrieve(state: State, request: Request, stored: StoredSkill) -> Json:
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
