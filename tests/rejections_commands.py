"""The rejection table, its part about commands, patches and skills (sections A3, A5 and D).

Its rows are those of `rejections.py`, and say in the same way how their words are known.
"""

import base64
import stat
import warnings
from dataclasses import replace
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, ZipFile, ZipInfo

from course_lib.platform.app import Platform
from course_lib.platform.http import WITH_KEY, Request
from tests.rejections import (
    INFERRED,
    RECORDED,
    UNVERIFIED,
    Json,
    Row,
    items,
    missing,
    not_among,
    reported,
    tools,
    unknown,
    user,
)
from tests.rejections_hosted import containers


def a_skill(platform: Platform) -> Json:
    """Upload one; returns an empty body to begin with."""
    form = (
        b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.zip"\r\n\r\n'
        + zipped(MANIFEST)
        + b"\r\n--x--\r\n"
    )
    headers = WITH_KEY | {"content-type": "multipart/form-data; boundary=x"}
    reply = platform.handle(Request("POST", "/v1/skills", form, headers))
    assert reply.status == 200, b"".join(reply.chunks)
    return {}


FRONT = b"---\nname: greet\ndescription: How to greet.\n---\nSay hello.\n"


def zipped(*entries: tuple[str | ZipInfo, bytes], packing: int = ZIP_STORED) -> bytes:
    made = BytesIO()
    with ZipFile(made, "w", packing) as bundle, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two of the same name are meant
        for name, content in entries:
            bundle.writestr(name, content)
    return made.getvalue()


MANIFEST = ("SKILL.md", FRONT)
LINK = ZipInfo("link")
LINK.external_attr = (stat.S_IFLNK | 0o777) << 16


def lying() -> bytes:
    """A bundle that declares 1 MB where there are 30."""
    bundle = zipped(MANIFEST, ("bomb", bytes(30 << 20)), packing=ZIP_DEFLATED)
    return bundle.replace((30 << 20).to_bytes(4, "little"), (1 << 20).to_bytes(4, "little"))


def encrypted() -> bytes:
    bundle = bytearray(zipped(("a", b"x")))
    bundle[bundle.index(b"PK\1\2") + 8] |= 1
    return bytes(bundle)


def inline(bundle: bytes, name: str = "greet") -> Json:
    data = base64.b64encode(bundle).decode()
    source = {"type": "base64", "media_type": "application/zip", "data": data}
    return {"type": "inline", "name": name, "description": "How to greet.", "source": source}


def with_skill(skill: Json) -> Json:
    return {"name": "mine", "skills": [skill]}


# What is wrong with a bundle → the bundle, and how the sentence about it goes on.
BUNDLES: dict[str, tuple[bytes, str]] = {
    "no zip": (b"PK?", "is not a zip file that can be read"),
    "a damaged zip": (zipped(MANIFEST).replace(b"hello", b"hullo"),
        "is not a zip file that can be read"),
    "no SKILL.md": (zipped(("a", b"")), "must have exactly one SKILL.md, and has 0"),
    "two SKILL.md": (zipped(MANIFEST, ("a/skill.md", FRONT)),
        "must have exactly one SKILL.md, and has 2"),
    "no front matter": (zipped(("SKILL.md", b"Say hello.")),
        "needs a SKILL.md that begins with '---', 'name: …', 'description: …' and '---'"),
    "front matter that is a list": (zipped(("SKILL.md", b"---\n- name\n---\n")),
        "needs a SKILL.md that begins with '---', 'name: …', 'description: …' and '---'"),
    "a way out": (zipped(MANIFEST, ("../a", b"")),
        "holds '../a', which is no path below its folder"),
    "a way down from the top": (zipped(MANIFEST, ("/etc/a", b"")),
        "holds '/etc/a', which is no path below its folder"),
    "a way out as Windows writes it": (zipped(MANIFEST, ("..\\a", b"")),
        "holds '..\\a', which is no path below its folder"),
    "a link": (zipped(MANIFEST, (LINK, b"/etc/passwd")),
        "holds 'link', which is a link or no file"),
    "an odd packing": (zipped(("a", b""), packing=ZIP_LZMA),
        "holds 'a', which is encrypted or oddly packed"),
    "a password": (encrypted(), "holds 'a', which is encrypted or oddly packed"),
    "a file twice": (zipped(MANIFEST, ("a", b"1"), ("A", b"2")),
        "holds 'A' where another file is"),
    "a file below a file": (zipped(MANIFEST, ("a", b"1"), ("a/b", b"2")),
        "holds 'a/b' where another file is"),
    "a file above a file": (zipped(MANIFEST, ("a/b", b"1"), ("a", b"2")),
        "holds 'a' where another file is"),
    "501 files": (zipped(MANIFEST, *((str(n), b"") for n in range(500))),
        "has more than 500 files"),
    "1001 entries": (zipped(*((f"{n}/", b"") for n in range(1001))), "has more than 500 files"),
    "26 MB declared": (zipped(MANIFEST, ("a", bytes(26 << 20)), packing=ZIP_DEFLATED),
        "has more than 25 MB of files"),
    "30 MB that say 1": (lying(), "is not a zip file that can be read"),
}  # fmt: skip
SKILLS = [
    *(
        containers("", Row(f"a skill with {wrong}", "D", UNVERIFIED, with_skill(inline(bundle)),
            f"The skill's bundle {told}.", "skills", UNVERIFIED))
        for wrong, (bundle, told) in BUNDLES.items()
    ),
    containers("", Row("a skill that is not base64", "D", UNVERIFIED,
        with_skill(inline(b"") | {"source": inline(b"")["source"] | {"data": "?"}}),
        "The skill's bundle is not valid base64.", "skills", UNVERIFIED)),
    containers("", Row("a skill by another name", "D", reported("openai/openai-python#2882"),
        with_skill(inline(zipped(MANIFEST), "meet")),
        "Inline skill name/description must match the values in SKILL.md/Skills.md front matter.",
        "skills")),
    containers("", Row("skill that never was", "D", UNVERIFIED,
        with_skill({"type": "skill_reference", "skill_id": "skill_9"}),
        "Skill with id 'skill_9' not found.", None, UNVERIFIED, 404)),
    containers("", not_among("skills[0].type", "local", "'skill_reference' and 'inline'",
        with_skill({"type": "local"}), INFERRED)),
    containers("", not_among("network_policy.type", "open", "'disabled' and 'allowlist'",
        {"name": "mine", "network_policy": {"type": "open"}}, INFERRED)),
    replace(Row("skill of no files", "SDK", UNVERIFIED, {},
        "Give the files of a skill, or one zip of them, as 'files'.", None, UNVERIFIED),
        path="/v1/skills"),
    replace(Row("version that never was", "SDK", UNVERIFIED,
        lambda platform: a_skill(platform) | {"default_version": "2"},
        "Skill 'skill_1' has no version '2'.", "version", UNVERIFIED, 404),
        path="/v1/skills/skill_1"),
    replace(missing("default_version", {}, INFERRED), request=a_skill, path="/v1/skills/skill_1"),
]  # fmt: skip

LOCAL: Json = {"type": "shell", "environment": {"type": "local"}}
COMMAND: Json = {"type": "shell_call", "call_id": "call_1", "action": {"commands": ["ls"]}}
CAME: Json = {"type": "shell_call_output", "call_id": "call_1", "output": []}
PATCHED: Json = {"type": "apply_patch_call_output", "call_id": "call_1", "status": "completed"}


def environment(**fields: Any) -> Json:
    return tools({"type": "shell", "environment": fields})


def printed(**outcome: Any) -> Json:
    return items(user(), COMMAND, CAME | {"output": [
        {"stdout": "", "stderr": "", "outcome": outcome},
    ]})  # fmt: skip


COMMANDS = [
    not_among("tools[0].environment.type", "remote",
        "'container_auto', 'container_reference', and 'local'", environment(type="remote"),
        INFERRED),
    missing("tools[0].environment.type", environment(), INFERRED),
    missing("tools[0].environment.container_id", environment(type="container_reference"), INFERRED),
    missing("tools[0].environment.skills[0].path",
        environment(type="local", skills=[{"name": "a", "description": "b"}]), INFERRED),
    Row("shell in no container", "A5", UNVERIFIED,
        environment(type="container_reference", container_id="cntr_9"),
        "Container with id 'cntr_9' not found.", None, UNVERIFIED, 404),
    Row("shell with a skill that never was", "D", UNVERIFIED,
        environment(type="container_auto",
            skills=[{"type": "skill_reference", "skill_id": "skill_9"}]),
        "Skill with id 'skill_9' not found.", None, UNVERIFIED, 404),
    Row("shell with 201 skills", "D", INFERRED,
        environment(type="container_auto",
            skills=[{"type": "skill_reference", "skill_id": "skill_9"}] * 201),
        "Invalid 'tools[0].environment.skills': array too long. Expected an array with maximum "
        "length 200, but got an array with length 201 instead.",
        "tools[0].environment.skills", "array_above_max_length"),
    unknown("tools[0].user", tools(LOCAL | {"user": "root"}), source=INFERRED),
    unknown("tools[0].path", tools({"type": "apply_patch", "path": "/"}), source=INFERRED),
    Row("command without output", "A3", INFERRED, items(user(), COMMAND),
        "No tool output found for shell call call_1.", "input"),
    Row("command's output without call", "A3", RECORDED, items(user(), CAME),
        "No tool call found for shell call output with call_id call_1.", "input"),
    Row("patch's output without call", "A3", INFERRED, items(user(), PATCHED),
        "No tool call found for apply patch call output with call_id call_1.", "input"),
    Row("local command without output", "A3", INFERRED,
        items(user(), COMMAND | {"type": "local_shell_call", "action": {"command": ["ls"]}}),
        "No tool output found for local shell call call_1.", "input"),
    not_among("input[2].output[0].outcome.type", "success", "'exit' and 'timeout'",
        printed(type="success"), INFERRED),
    missing("input[2].output[0].outcome.exit_code", printed(type="exit"), INFERRED),
    not_among("input[1].status", "done", "'completed' and 'failed'",
        items(user(), PATCHED | {"status": "done"}), INFERRED),
    not_among("input[1].operation.type", "move_file",
        "'create_file', 'update_file', and 'delete_file'",
        items(user(), {"type": "apply_patch_call", "call_id": "call_1",
            "operation": {"type": "move_file", "path": "a"}}), INFERRED),
]  # fmt: skip


COMMANDS_AND_SKILLS: list[Row] = [*COMMANDS, *SKILLS]
