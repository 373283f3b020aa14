"""Multipart forms, which is how files are uploaded."""

import re
from typing import TYPE_CHECKING

from .errors import Json, refusal
from .http import Request

if TYPE_CHECKING:
    from python_multipart.multipart import Field, File

_MEMBER = re.compile(r"(\w+)\[(\w+)\]", re.ASCII)  # expires_after[seconds]


def read(request: Request) -> Json:
    """The fields of a form; `a[b]` becomes a member of an object.

    Of a file the form has name and size; its bytes go to `request.files`.
    """
    from python_multipart.exceptions import FormParserError
    from python_multipart.multipart import create_form_parser

    form: Json = {}

    uploads: Json = {}

    def on_field(field: "Field") -> None:
        key = (field.field_name or b"").decode("utf-8", "replace")
        value = (field.value or b"").decode("utf-8", "replace")
        if found := _MEMBER.fullmatch(key):
            outer = form.setdefault(found[1], {})
            if isinstance(outer, dict):
                outer[found[2]] = value
        else:
            form[key] = value

    def on_file(file: "File") -> None:
        file.file_object.seek(0)
        content = file.file_object.read()
        key = (file.field_name or b"").decode("utf-8", "replace")
        name = (file.file_name or b"").decode("utf-8", "replace")
        if key.endswith("[]"):  # one of a list: files[0], files[1], …
            key = f"{key[:-1]}{len(uploads)}]"
        request.files[key] = content
        uploads[key] = {"filename": name, "bytes": len(content)}

    try:
        parser = create_form_parser(
            {"Content-Type": request.headers["content-type"].encode("latin-1", "replace")},
            on_field,
            on_file,
            {"MAX_MEMORY_FILE_SIZE": len(request.body) + 1},  # a larger one would go to the disk
        )
        parser.write(request.body)
        parser.finalize()
    except FormParserError:
        raise refusal("form_unreadable") from None
    return form | uploads  # a field that has the name of a file is not read
