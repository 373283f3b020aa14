"""The API's errors: one exception, and the sentences the API uses.

Every refusal in the platform is an `ApiError`. Its body is the API's own envelope
(contract A2). Beside it, `hint` carries one plain sentence for a learner; it travels in a
response header (`x-course-hint`), so the SDK's exception stays exactly what it is live.
The sentences stand in `data/refusals.toml`, each under the name by which the code knows it.
"""

import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

Json = dict[str, Any]

GAP = "offline_unverified"  # the code of a refusal whose live wording nobody has recorded
REFUSALS = Path(__file__).with_name("data") / "refusals.toml"


@dataclass(eq=False)
class ApiError(Exception):
    """A refusal, as the API words it. Its text is the message, which is given first."""

    message: str
    param: str | None = None
    code: str | None = None
    type: str = "invalid_request_error"
    status: int = 400
    hint: str | None = None
    headers: dict[str, str] = field(default_factory=dict)

    def body(self) -> Json:
        """The error envelope: `{"error": {message, type, param, code}}`."""
        names = ("message", "type", "param", "code")
        return {"error": {name: getattr(self, name) for name in names}}


@cache
def refusals() -> dict[str, Json]:
    # Read when something is refused first: most programs never see one.
    return tomllib.loads(REFUSALS.read_text(encoding="utf-8"))


def refusal(
    name: str, param: str | None = None, /, *, hint: str | None = None, **words: Any
) -> ApiError:
    """A refusal by its name in the table; `words` are what its sentence has in braces."""
    entry: Json = {
        key: value.format(param=param, **words) if isinstance(value, str) else value
        for key, value in refusals()[name].items()
    }
    own = {"param": param, "hint": hint}
    entry |= {key: value for key, value in own.items() if value is not None}
    return ApiError(entry.pop("message"), **entry)


_KINDS = {
    bool: "a boolean", str: "a string", int: "an integer", float: "a decimal", list: "an array",
}  # fmt: skip


def kind(value: object) -> str:
    """The API's word for the JSON type of `value`, with its article; null counts as an object."""
    return _KINDS.get(type(value), "an object")


def quoted(values: tuple[str, ...], joint: str = "and") -> str:
    """`'a', 'b', and 'c'`, the way the API lists what it would have accepted."""
    words = [f"'{value}'" for value in values]
    if len(words) < 3:
        return f" {joint} ".join(words)
    return ", ".join(words[:-1]) + f", {joint} {words[-1]}"


def wrong_type(
    param: str, expected: str, value: object, hint: str | None = None, null: str = "an object"
) -> ApiError:
    """`null` is what the API calls null in this place: an object in most, null in some."""
    got = null if value is None else kind(value)
    return refusal("wrong_type", param, hint=hint, expected=expected, got=got)


def wrong_value(
    param: str, value: object, supported: tuple[str, ...], hint: str | None = None
) -> ApiError:
    """A value that is no text, or is not there at all, is shown as an empty one."""
    shown = value if isinstance(value, str) else ""
    return refusal("wrong_value", param, hint=hint, shown=shown, supported=quoted(supported))
