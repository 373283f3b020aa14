"""Skills: folders of instructions that a container has, each with a SKILL.md (contract D).

A skill is a zip bundle, and somebody else's: its sizes are looked at before anything is unpacked,
and again while it is read, and no entry leads anywhere but below the skill's own folder.
"""

import base64
import hashlib
import io
import re
import stat
import struct
import zlib
from dataclasses import dataclass, field
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from ..errors import ApiError, Json, refusal
from ..state import State, found

ROOT = "/".join(["", "home", "oai", "skills"])  # as recorded; in a container, on no machine
MOST_FILES = 500
LARGEST_BUNDLE = 50 * 1024 * 1024  # bytes of the zip
LARGEST_SKILL = 25 * 1024 * 1024  # bytes, unpacked
UNSAFE = re.compile(r'[\x00-\x1f<>:"|?*\\]')  # in a file's name, on one system or another
# What `zipfile` makes of damage.
UNREADABLE = (
    BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, RuntimeError, LookupError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Skill:
    """`files` are by name, below the skill's folder."""

    name: str
    description: str
    bundle: bytes
    files: dict[str, bytes]
    folder: str  # below ROOT

    @property
    def path(self) -> str:
        return f"{ROOT}/{self.folder}"


@dataclass(slots=True)
class StoredSkill:
    """A skill that was uploaded. Its versions count from 1: each as it is shown, and itself."""

    id: str
    created_at: int
    versions: list[tuple[Json, Skill]] = field(default_factory=list)
    default: int = 1

    def find(self, number: str | None = None) -> tuple[Json, Skill]:
        """A version by its number, the default one, or the `latest`; else ApiError."""
        place = {None: self.default, "latest": len(self.versions)}.get(number)
        place = int(number or 0) if place is None and str(number).isdecimal() else place
        if not place or place > len(self.versions):
            raise refusal("no_such_version", id=self.id, number=number)
        return self.versions[place - 1]


def find(state: State, skill_id: str) -> StoredSkill:
    return found(state.skills, skill_id, "no_such_skill")


def resolve(state: State, asked: Json) -> Skill:
    """The skill that a container is asked to have; ApiError where there is none."""
    if asked["type"] == "skill_reference":
        return find(state, asked["skill_id"]).find(asked.get("version"))[1]
    try:
        bundle = base64.b64decode(asked["source"]["data"], validate=True)
    except ValueError:
        raise _refusal("is not valid base64", "skills") from None
    skill = unpack(bundle, "skills")
    if (skill.name, skill.description) != (asked["name"], asked["description"]):
        raise refusal("inline_skill_differs")
    return skill


def pack(found: list[tuple[str, bytes]]) -> bytes:
    """A bundle of files by their names, the same bytes for the same files."""
    made = io.BytesIO()
    with ZipFile(made, "w") as bundle:
        for name, content in found:
            bundle.writestr(ZipInfo(name), content)
    return made.getvalue()


def unpack(bundle: bytes, param: str) -> Skill:
    """The skill in a zip bundle; ApiError, which names `param`, where a rule is broken."""
    if len(bundle) > LARGEST_BUNDLE:
        raise _refusal(f"is larger than {LARGEST_BUNDLE >> 20} MB", param)
    if bundle.count(b"PK\1\2") > 2 * MOST_FILES:  # so each entry begins: do not read them all
        raise _refusal(f"has more than {MOST_FILES} files", param)
    found: dict[str, bytes] = {}
    try:
        with ZipFile(io.BytesIO(bundle)) as opened:
            entries = [each for each in opened.infolist() if not each.is_dir()]
            if len(entries) > MOST_FILES:
                raise _refusal(f"has more than {MOST_FILES} files", param)
            if sum(each.file_size for each in entries) > LARGEST_SKILL:
                raise _refusal(f"has more than {LARGEST_SKILL >> 20} MB of files", param)
            for entry in entries:
                _check(entry, found, param)
                with opened.open(entry) as file:  # no more is unpacked than it declares
                    found[entry.filename] = file.read(entry.file_size)
    except UNREADABLE:
        raise _refusal("is not a zip file that can be read", param) from None
    manifests = [name for name in found if name.lower().rpartition("/")[2] == "skill.md"]
    if len(manifests) != 1:
        raise _refusal(f"must have exactly one SKILL.md, and has {len(manifests)}", param)
    top = manifests[0][: -len("SKILL.md")]
    files = {name.removeprefix(top): each for name, each in found.items() if name.startswith(top)}
    name, description = _front_matter(found[manifests[0]], param)
    # A folder has the name of its files: the zip would tell when it was made.
    digest = hashlib.sha256(b"".join(f"{k}/".encode() + files[k] for k in sorted(files)))
    folder = f"{re.sub('[^A-Za-z0-9]+', '-', name)[:64]}-{digest.hexdigest()[:32]}"
    return Skill(name, description, bundle, files, folder)


def _check(entry: ZipInfo, found: dict[str, bytes], param: str) -> None:
    """A plain file in a place of its own, written as no more memory than it has bytes."""
    name = entry.filename
    parts = name.split("/")
    taken = {each.casefold() for each in found}
    if {"", ".", ".."} & set(parts) or UNSAFE.search(name) or len(name.encode()) > 200:
        raise _refusal(f"holds '{name}', which is no path below its folder", param)
    if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
        raise _refusal(f"holds '{name}', which is a link or no file", param)
    if entry.flag_bits & 1 or entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise _refusal(f"holds '{name}', which is encrypted or oddly packed", param)
    above = {"/".join(parts[:end]).casefold() for end in range(1, len(parts) + 1)}
    if above & taken or any(each.startswith(f"{name.casefold()}/") for each in taken):
        raise _refusal(f"holds '{name}' where another file is", param)


def _front_matter(manifest: bytes, param: str) -> tuple[str, str]:
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
        raise _refusal(
            "needs a SKILL.md that begins with '---', 'name: …', 'description: …' and '---'", param
        )
    return front


def _refusal(why: str, param: str) -> ApiError:
    return refusal("wrong_bundle", param, why=why)
