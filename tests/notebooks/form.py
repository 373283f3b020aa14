"""The form in which this course stores a notebook: the same bytes on every machine.

A notebook that has just run still says which Python ran it, when, and in how many pieces its
output arrived. `normalise` takes that out. It leaves every output's content alone.
"""

import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.corpus.words import generate_corpus_id
from nbformat.validator import iter_validate

FOLDERS = ("notebooks", "exercises", "solutions")
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE_INFO = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}
_TEXTS = ("text/plain", "text/markdown")
IMAGES = ("image/png", "image/jpeg")  # what nbval does not compare


class NotANotebookError(Exception):
    """The file cannot be read as a notebook; the message says why in one sentence."""


def read(path: Path) -> NotebookNode:
    """Return the notebook at `path` as nbformat 4, or raise NotANotebookError."""
    if path.suffix != ".ipynb":
        raise NotANotebookError(f"{path} is not a notebook: its name does not end in .ipynb.")
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise NotANotebookError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:  # not UTF-8, or not JSON
        raise NotANotebookError(f"{path} is not a notebook: {error}.") from error
    if not isinstance(raw, dict) or raw.get("nbformat") != 4:
        raise NotANotebookError(f"{path} is not a notebook of format 4.")
    # Not nbformat.read or nbformat.validate: they mend what they find, and only log the rest.
    if invalid := next(iter_validate(raw), None):
        what = invalid.message.splitlines()[0]
        raise NotANotebookError(f"{path} is not a valid notebook: {what}.")
    notebook: NotebookNode = nbformat.v4.to_notebook_json(raw)
    return notebook


def write(notebook: NotebookNode, path: Path) -> None:
    """Write the notebook as JupyterLab would, with Unix line ends everywhere."""
    text = nbformat.v4.writes(notebook)
    path.write_text(f"{text}\n", encoding="utf-8", newline="\n")


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """Return the cells that run: code cells with something in them."""
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]


def shown(cell: NotebookNode) -> str:
    """What a code cell's outputs say, as text."""
    texts = []
    for output in cell.outputs:
        if output.output_type == "stream":
            texts.append(output.text)
        elif output.output_type == "error":
            texts.append(f"{output.ename}: {output.evalue}")
        else:
            texts += [text for kind, text in output.data.items() if kind in _TEXTS]
    return "\n".join(texts)


def sections(notebook: NotebookNode) -> Iterator[list[NotebookNode]]:
    """The cells before the first `##` heading, if any, and then from one to the next."""
    section: list[NotebookNode] = []
    for cell in notebook.cells:
        if section and cell.cell_type == "markdown" and cell.source.startswith("## "):
            yield section
            section = []
        section.append(cell)
    yield section


def image_hashes(cell: NotebookNode) -> list[str]:
    """Return the SHA-256 of each PNG and JPEG among a code cell's outputs, in their order."""
    return [
        hashlib.sha256(base64.b64decode(output.data[kind])).hexdigest()
        for output in cell.outputs
        for kind in IMAGES
        if kind in output.get("data", {})
    ]


def normalise(notebook: NotebookNode) -> None:
    """Bring an executed notebook into the stored form, in place. Cell ids stay as they are."""
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata.update(kernelspec=KERNELSPEC, language_info=LANGUAGE_INFO)
    for cell in notebook.cells:
        cell.setdefault("id", generate_corpus_id())  # format 4.4 has none
        cell.metadata.pop("execution", None)  # when it ran
        cell.metadata.pop("image_sha256", None)
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, _joined(cell.outputs)
    for count, cell in enumerate(code_cells(notebook), start=1):
        cell.execution_count = count
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count
            elif output.output_type == "error":
                # Tracebacks hold paths and colours, and their words change with Python.
                output.traceback = [f"{output.ename}: {output.evalue}"]
        if hashes := image_hashes(cell):
            cell.metadata["image_sha256"] = hashes


def _joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Join neighbouring outputs of one stream: how many there are is chance."""
    joined: list[NotebookNode] = []
    for output in outputs:
        last: Any = joined[-1] if joined else {}
        if output.output_type == "stream" and last.get("name") == output.name:
            last.text += output.text
        else:
            joined.append(output)
    return joined
