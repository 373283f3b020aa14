"""Skills: folders of instructions that a container has (contract D), and `/v1/skills` (SDK).

A skill is a zip bundle, and somebody else's: its sizes are looked at before anything is unpacked,
and again while it is read, and no entry leads anywhere but below the skill's own folder. A stored
one has versions. A version stays as it is, and cannot be deleted alone.
"""

import base64
import hashlib
import io
import re
import stat
from dataclasses import dataclass, field, replace
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from .errors import ApiError, Json, refusal
from .http import Request
from .state import State, drop_oldest, found

ROOT = "/".join(["", "home", "oai", "skills"])  # as recorded; in a container, on no machine
MOST_FILES = 500
LARGEST_BUNDLE = 50 * 1024 * 1024  # bytes of the zip
LARGEST_SKILL = 25 * 1024 * 1024  # bytes, unpacked
MOST_BYTES = 256 * 1024**2  # of all that are stored; the oldest make room for new ones
UNSAFE = re.compile(r'[\x00-\x1f<>:"|?*\\]')  # in a file's name, on one system or another


@dataclass(frozen=True, slots=True)
class Skill:
    """`files` are by name, below the skill's folder. `body` shows a version that is stored."""

    name: str
    description: str
    bundle: bytes
    files: dict[str, bytes]
    folder: str  # below ROOT
    body: Json = field(default_factory=dict)

    @property
    def path(self) -> str:
        return f"{ROOT}/{self.folder}"

    @property
    def size(self) -> int:
        return len(self.bundle) + sum(map(len, self.files.values()))


@dataclass(slots=True)
class StoredSkill:
    """A skill that was uploaded: the skill object, and the versions by their numbers, from 1."""

    body: Json
    versions: dict[str, Skill] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return sum(version.size for version in self.versions.values())

    def find(self, number: str | None = None) -> Skill:
        """A version by its number, the default one, or the `latest`; else ApiError."""
        named = {None: self.body["default_version"], "latest": self.body["latest_version"]}
        wanted = named.get(number) or str(number)
        return found(self.versions, wanted, "no_such_version", skill=self.body["id"])

    def prefer(self, version: Skill) -> None:
        """Say which version is meant where none is named: the object shows its description."""
        shown = {name: version.body[name] for name in ("name", "description")}
        self.body |= shown | {"default_version": version.body["version"]}


def find(state: State, skill_id: str) -> StoredSkill:
    return found(state.skills, skill_id, "no_such_skill")


def resolve(state: State, asked: Json) -> Skill:
    """The skill that a container is asked to have; ApiError where there is none."""
    if asked["type"] == "skill_reference":
        return find(state, asked["skill_id"]).find(asked.get("version"))
    try:
        bundle = base64.b64decode(asked["source"]["data"], validate=True)
    except ValueError:
        raise _wrong("is not valid base64") from None
    skill = unpack(bundle)
    if (skill.name, skill.description) != (asked["name"], asked["description"]):
        raise refusal("inline_skill_differs")
    return skill


def unpack(bundle: bytes) -> Skill:
    """The skill in a zip bundle; ApiError where a rule is broken."""
    if len(bundle) > LARGEST_BUNDLE:
        raise _wrong(f"is larger than {LARGEST_BUNDLE >> 20} MB")
    # Each entry begins like this: do not read them all.
    if bundle.count(b"PK\1\2") > 2 * MOST_FILES:
        raise _wrong(f"has more than {MOST_FILES} files")
    try:
        with ZipFile(io.BytesIO(bundle)) as opened:
            entries = [each for each in opened.infolist() if not each.is_dir()]
            _check(entries)
            # no more is unpacked than it declares
            read = {each.filename: opened.open(each).read(each.file_size) for each in entries}
    except ApiError:
        raise
    except Exception:  # whatever `zipfile` makes of damage
        raise _wrong("is not a zip file that can be read") from None
    manifests = [name for name in read if name.lower().rpartition("/")[2] == "skill.md"]
    if len(manifests) != 1:
        raise _wrong(f"must have exactly one SKILL.md, and has {len(manifests)}")
    top = manifests[0][: -len("SKILL.md")]
    files = {name.removeprefix(top): each for name, each in read.items() if name.startswith(top)}
    name, description = _front_matter(read[manifests[0]])
    # A folder has the name of its files: the zip would tell when it was made.
    digest = hashlib.sha256(b"".join(f"{k}/".encode() + files[k] for k in sorted(files)))
    folder = f"{re.sub('[^A-Za-z0-9]+', '-', name)[:64]}-{digest.hexdigest()[:32]}"
    return Skill(name, description, bundle, files, folder)


def _check(entries: list[ZipInfo]) -> None:
    """Few and small files, each a plain one in a place of its own below the skill's folder."""
    if len(entries) > MOST_FILES:
        raise _wrong(f"has more than {MOST_FILES} files")
    if sum(each.file_size for each in entries) > LARGEST_SKILL:
        raise _wrong(f"has more than {LARGEST_SKILL >> 20} MB of files")
    taken: set[str] = set()
    above: set[str] = set()  # the folders that they lie in
    for entry in entries:
        name, parts = entry.filename, entry.filename.casefold().split("/")
        if {"", ".", ".."} & set(parts) or UNSAFE.search(name) or len(name.encode()) > 200:
            raise _wrong(f"holds '{name}', which is no path below its folder")
        if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
            raise _wrong(f"holds '{name}', which is a link or no file")
        if entry.flag_bits & 1 or entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise _wrong(f"holds '{name}', which is encrypted or oddly packed")
        *folders, path = ("/".join(parts[:end]) for end in range(1, len(parts) + 1))
        if path in taken | above or taken & {*folders}:
            raise _wrong(f"holds '{name}' where another file is")
        taken.add(path)
        above |= {*folders}


def _front_matter(manifest: bytes) -> tuple[str, str]:
    """Name and description, between two lines of three dashes at the start of SKILL.md."""
    import yaml  # type: ignore[import-untyped]

    text = manifest.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    written = re.match(r"---\n(.*?)\n---(?:\n|$)", text, re.DOTALL)
    try:
        read: Any = yaml.safe_load(written[1]) if written else None
        front = str(read["name"]).strip(), str(read["description"]).strip()
    except (yaml.YAMLError, RecursionError, ValueError, TypeError, KeyError):
        front = "", ""
    if not all(front):
        raise _wrong(
            "needs a SKILL.md that begins with '---', 'name: …', 'description: …' and '---'"
        )
    return front


def _wrong(why: str) -> ApiError:
    return refusal("wrong_bundle", why=why)


# --- The endpoints --------------------------------------------------------------------------------


def create(state: State, request: Request, body: Json) -> Json:
    """Keep a skill: a zip bundle, or its files one by one (multipart `files` or `files[]`)."""
    stored = StoredSkill({"id": state.new_id("skill"), "object": "skill", "created_at": state.now})
    stored.prefer(_add(state, stored, request, body))
    return stored.body


def create_version(state: State, request: Request, stored: StoredSkill, body: Json) -> Json:
    added = _add(state, stored, request, body)
    if str(body.get("default")).lower() == "true":  # a form has only texts
        stored.prefer(added)
    return added.body


def _add(state: State, stored: StoredSkill, request: Request, body: Json) -> Skill:
    """Read what was uploaded as the next version of a skill."""
    if not request.files:
        raise refusal("skill_without_files")
    bundle = io.BytesIO(request.files.get("files", b""))
    if "files" not in request.files:
        with ZipFile(bundle, "w") as packed:
            for key, content in request.files.items():
                # the same bytes for the same files: a ZipInfo of its own tells no time
                packed.writestr(ZipInfo(body[key]["filename"]), content)
    skill = unpack(bundle.getvalue())
    number = str(len(stored.versions) + 1)
    shown = {
        "id": state.new_id("skillver"),
        "object": "skill.version",
        "created_at": state.now,
        "description": skill.description,
        "name": skill.name,
        "skill_id": stored.body["id"],
        "version": number,
    }
    added = stored.versions[number] = replace(skill, body=shown)
    stored.body["latest_version"] = number
    state.skills[stored.body["id"]] = stored
    drop_oldest(state.skills, MOST_BYTES, lambda each: each.size)
    return added


def find_version(state: State, number: str, stored: StoredSkill) -> Skill:
    return stored.find(number)


def read(state: State, request: Request, stored: StoredSkill, *version: Skill) -> bytes:
    """The zip bundle of a version, or of the default one."""
    return (*version, stored.find())[0].bundle


def update(state: State, request: Request, stored: StoredSkill, body: Json) -> Json:
    stored.prefer(stored.find(body["default_version"]))
    return stored.body
