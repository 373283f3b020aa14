"""A learner's hour in a real browser: open a lesson, run it all, solve the first exercise.

Chromium drives JupyterLab on a working copy of the course. Without a browser these tests are
skipped, but not under CI on Linux, where a missing browser is a failure. Nothing but this machine
may be asked for anything. To look at the pages, name a folder in COURSE_SCREENSHOTS.
"""

import contextlib
import importlib.util
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from course_lib.lab import lay_out
from tests import ROOT
from tests.notebooks import form
from tests.notebooks.check import RAISES_TAG
from tests.notebooks.execute import run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LESSONS = [path.stem for path in sorted((ROOT / "notebooks").glob("*.ipynb"))]
DRAWN = "drawn.ipynb"
EXERCISES = ["01_function_calling"]
TOKEN = "course"
SECONDS = 180  # for anything: a busy machine is slow, a broken page waits for ever

# The text a reader sees in an output, whether it is an element of the page or a stored HTML text.
READ = """
(source) => {
  const body = typeof source === "string"
    ? new DOMParser().parseFromString(source, "text/html").body
    : source.cloneNode(true);
  const unread = "style, script, .jp-RenderedMermaid, code.mermaid";  // a diagram is a picture
  body.querySelectorAll(unread).forEach((element) => element.remove());
  return body.textContent.replace(/\\s+/g, " ").trim();
}
"""

# Of each element: how thick its upper line is, how light its text is, and how light the page is.
STYLES = """
(elements) => elements.map((element) => {
  const style = getComputedStyle(element);
  const light = (rgb) => rgb.match(/[\\d.]+/g).slice(0, 3).reduce((sum, c) => sum + c / 765, 0);
  const page = getComputedStyle(element.closest(".jp-NotebookPanel-notebook")).backgroundColor;
  return [style.borderTopWidth, light(style.color), light(page)];
})
"""
DIAGRAM = re.compile(r"^```mermaid.*?^```", re.MULTILINE | re.DOTALL)


def browser_path() -> str | None:
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def without_browser(reason: str) -> None:
    """Skip, or fail where a browser is promised."""
    if os.environ.get("CI") == "true" and sys.platform == "linux":
        pytest.fail(f"{reason}; CI on Linux requires the browser tests", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    path = browser_path()
    if path is None:
        without_browser("there is no Chromium on the PATH")
    if importlib.util.find_spec("playwright") is None:
        without_browser("the package playwright is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=path,
            args=[
                "--no-sandbox",  # CI runs as root
                "--disable-background-networking",
                "--disable-component-update",
                "--no-first-run",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            ],
        )
        yield chromium
        chromium.close()


def drawn() -> NotebookNode:
    """A notebook that shows every view of a run, as another machine stored it."""
    cells = [
        "from course_lib import MODEL, connect, show\n"
        "from course_lib.standin import Scripted, call, message\n"
        "weather = {'type': 'function', 'name': 'weather', 'description': 'Weather of a city.',\n"
        "           'strict': True, 'parameters': {'type': 'object', 'properties':\n"
        "           {'city': {'type': 'string'}}, 'required': ['city'],\n"
        "           'additionalProperties': False}}\n"
        "client = connect(Scripted([call('weather', {'city': 'Lisbon'}), message('Rain.')]))\n"
        "first = client.responses.create(model=MODEL, input='Umbrella?', tools=[weather])\n"
        "output = 'rain <b>&amp;<script>'\n"
        "answer = {'type': 'function_call_output', 'call_id': 'call_1', 'output': output}\n"
        "more = {'input': [answer], 'previous_response_id': first.id}\n"
        "second = client.responses.create(model=MODEL, **more)\n"
        "try:\n"
        "    client.responses.create(model=MODEL, input=[answer])\n"
        "except Exception as error:\n"
        "    refusal = error",
        *(f"show.{view}(first, second)" for view in ("trace", "context", "sequence")),
        *("show.calls(first)", "show.error(refusal)"),
    ]
    notebook: NotebookNode = new_notebook(cells=[new_code_cell(source) for source in cells])
    run(notebook, ROOT)
    return notebook


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.fixture(scope="module")
def lab(browser: "Browser", tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """JupyterLab on a fresh working copy; its address."""
    folder = tmp_path_factory.mktemp("lab")
    work = folder / "work"
    lay_out(ROOT, work)
    form.write(drawn(), work / DRAWN)
    settings = folder / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    (settings / "notification.jupyterlab-settings").write_text(json.dumps(quiet))
    port = free_port()
    address = f"http://127.0.0.1:{port}/lab"
    with (folder / "log.txt").open("w") as log:
        server = subprocess.Popen(
            [
                *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
                *("--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}"),
                *("--ServerApp.port_retries=0", f"--IdentityProvider.token={TOKEN}"),
                f"--ServerApp.root_dir={work}",
            ],
            cwd=work,
            env={
                **os.environ,
                "JUPYTER_CONFIG_DIR": str(folder / "config"),
                "JUPYTER_DATA_DIR": str(folder / "data"),
                "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
                "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
            },
            stdout=log,
            stderr=log,
        )
        try:
            deadline = time.monotonic() + SECONDS
            while not answers(f"{address}?token={TOKEN}"):
                if server.poll() is not None or time.monotonic() > deadline:
                    pytest.fail(f"JupyterLab did not start:\n{(folder / 'log.txt').read_text()}")
                time.sleep(0.1)
            yield address
        finally:
            server.terminate()  # it ends its kernels
            server.wait(SECONDS)


def answers(address: str) -> bool:
    with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5) as reply:
        return bool(reply.status == 200)
    return False


@pytest.fixture
def page(browser: "Browser") -> Iterator["Page"]:
    """A browser page that fails the test if it asks another machine for anything."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(SECONDS * 1000)
    tab = context.new_page()
    asked: set[str] = set()
    tab.on("request", lambda request: asked.add(urlsplit(request.url).hostname or "127.0.0.1"))
    yield tab
    context.close()
    assert asked == {"127.0.0.1"}


class OpenNotebook:
    """One notebook open in JupyterLab, driven as a reader does: by its menus and its cells."""

    def __init__(self, page: "Page", lab: str, path: str, cells: int | None = None) -> None:
        self.page = page
        page.goto(f"{lab}/tree/{path}?reset&token={TOKEN}")
        self.panel = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
        self.last = (cells or len(form.read(ROOT / path).cells)) - 1
        self._loaded()

    def _loaded(self) -> None:
        # Before the file has arrived, the page shows one empty cell and an idle kernel.
        self.cell(self.last).wait_for(state="attached")
        self._idle()

    def _idle(self) -> None:
        self.panel.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for()

    def _counts(self, pattern: str) -> None:
        """Wait until the counts of the code cells, joined, match a pattern; `_` is no count."""
        prompts = self.panel.locator(".jp-CodeCell .jp-InputPrompt")
        deadline = time.monotonic() + SECONDS
        joined = ""
        while not re.fullmatch(pattern, joined):
            if time.monotonic() > deadline:
                pytest.fail(f"the cells did not all run: {joined}")
            # Not the inner texts: those of cells out of sight are empty.
            texts = prompts.all_text_contents()
            joined = " ".join(text.strip("[]: \n") or "_" for text in texts)
            self.page.wait_for_timeout(100)  # the processor is for the page

    def menu(self, *names: str) -> None:
        """Choose an entry of the menu bar, by its names from the bar on."""
        bar, *entries = names
        self.page.locator(".lm-MenuBar-itemLabel", has_text=re.compile(f"^{bar}$")).click()
        for name in entries:
            self.page.locator(".lm-Menu-itemLabel", has_text=re.compile(f"^{name}$")).click()

    def cell(self, number: int) -> "Locator":
        return self.panel.locator(f'.jp-Cell[data-windowed-list-index="{number}"]')

    def run_all(self) -> None:
        """Run all cells in a new kernel and wait until the last has run, or one has failed."""
        # Without its counts the page cannot look as if it had run already.
        self.menu("Edit", "Clear Outputs of All Cells")
        self._counts(r"_( _)*")
        self.menu("Kernel", "Restart Kernel and Run All Cells…")
        self.page.locator(".jp-Dialog .jp-mod-accept").click()
        self._counts(r"(\d+ )*\d+( _)*")
        self._idle()

    def outputs(self, number: int) -> list[str]:
        """Return the text of each output of a cell, as the page shows it."""
        shown = self.cell(number).locator(".jp-OutputArea-output")
        return [str(shown.nth(n).evaluate(READ)) for n in range(shown.count())]

    def replace(self, number: int, source: str) -> None:
        """Paste a text over a cell's source."""
        editor = self.cell(number).locator(".cm-content")
        editor.click()
        self.page.keyboard.press("ControlOrMeta+A")
        editor.evaluate(
            """(element, text) => {
              const clipboardData = new DataTransfer();
              clipboardData.setData("text/plain", text);
              const paste = { clipboardData, bubbles: true, cancelable: true };
              element.dispatchEvent(new ClipboardEvent("paste", paste));
            }""",
            source,
        )

    def photograph(self, name: str) -> None:
        """Store the whole notebook in both themes, if someone wants to look at it."""
        folder = os.environ.get("COURSE_SCREENSHOTS")
        if not folder:
            return
        Path(folder).mkdir(parents=True, exist_ok=True)
        self.menu("File", "Save Notebook")
        for theme in ("Dark", "Light"):
            self.menu("Settings", "Theme", f"JupyterLab {theme}")
            self.page.wait_for_timeout(1000)  # the setting is saved; nothing says when
            self.page.reload()  # a diagram keeps the colours in which it was drawn
            self._loaded()
            cells = self.panel.locator(".jp-Cell")
            for _ in range(3):  # cells out of sight have but an estimated height
                cells.first.evaluate("(cell) => cell.scrollIntoView()")
                height = int(cells.last.evaluate("(cell) => cell.getBoundingClientRect().bottom"))
                self.page.set_viewport_size({"width": 1280, "height": min(height + 60, 16_000)})
                self.page.wait_for_timeout(500)
            self.page.screenshot(path=Path(folder, f"{name}.{theme.lower()}.png"))


def stored_outputs(page: "Page", cell: Any) -> list[str]:
    """Return the text of each stored output of a cell, as a page would show it."""
    texts = []
    for output in cell.outputs:
        if output.output_type == "stream":
            text = output.text
        elif output.output_type == "error":
            text = "\n".join(output.traceback)
        else:
            rich = output.data.get("text/html")
            if rich is not None:
                texts.append(str(page.evaluate(READ, rich)))
                continue
            if "text/markdown" in output.data:  # a diagram becomes a picture
                text = DIAGRAM.sub("", output.data["text/markdown"]).replace("*", "")
            else:
                text = "" if set(output.data) & set(form.IMAGES) else output.data["text/plain"]
        texts.append(" ".join(text.split()))
    return texts


def assert_shown_as_stored(open_notebook: OpenNotebook, stored_notebook: NotebookNode) -> None:
    """Every cell that ran shows what the notebook stores for it."""
    for number, cell in enumerate(stored_notebook.cells):
        if cell.cell_type == "code":
            shown = open_notebook.outputs(number)
            stored = stored_outputs(open_notebook.page, cell)
            if RAISES_TAG in cell.metadata.get("tags", []):
                # A traceback's last line is stored, and the page shows all of it.
                assert shown.pop().endswith(stored.pop())
            assert (number, shown) == (number, stored)


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_runs_and_shows_what_it_stores(name: str, lab: str, page: "Page") -> None:
    lesson = OpenNotebook(page, lab, f"notebooks/{name}.ipynb")
    lesson.run_all()
    assert_shown_as_stored(lesson, form.read(ROOT / "notebooks" / f"{name}.ipynb"))
    lesson.photograph(name)


def test_what_show_draws_survives_saving(lab: str, page: "Page") -> None:
    """Opened and never run, the notebook is not trusted: what is not allowed is taken out."""
    stored = drawn()
    opened = OpenNotebook(page, lab, DRAWN, cells=len(stored.cells))
    assert_shown_as_stored(opened, stored)
    picture = opened.panel.locator(".jp-RenderedMermaid img")
    picture.wait_for()
    assert picture.get_attribute("alt") == "4 steps between you, model, your code"
    for theme in ("Dark", "Light"):
        opened.menu("Settings", "Theme", f"JupyterLab {theme}")
        # Named only once its sheet is there; until then the page has no colours at all.
        page.locator(f'body[data-jp-theme-name="JupyterLab {theme}"]').wait_for(state="attached")
        cells = opened.cell(1).locator("td").evaluate_all(STYLES)
        assert {line for line, *_ in cells} == {"0px", "1px"}  # a line above each turn
        # Text and lines are in the theme's own colour, and it is far from the page's.
        assert min(abs(text - ground) for _, text, ground in cells) > 0.5
    opened.photograph("show")


@pytest.mark.parametrize("name", EXERCISES)
def test_an_exercise_is_solved_in_the_browser(name: str, lab: str, page: "Page") -> None:
    given = form.read(ROOT / "exercises" / f"{name}.ipynb").cells
    solved = form.read(ROOT / "solutions" / f"{name}.ipynb").cells
    tasks = [n for n, cell in enumerate(given) if cell.metadata.get("nbgrader", {}).get("solution")]
    checks = [n for n, cell in enumerate(given) if cell.metadata.get("nbgrader", {}).get("grade")]
    assert tasks
    assert checks
    exercise = OpenNotebook(page, lab, f"exercises/{name}.ipynb")
    exercise.run_all()
    assert_shown_as_stored(exercise, form.read(ROOT / "exercises" / f"{name}.ipynb"))
    assert all("not attempted" in " ".join(exercise.outputs(n)) for n in checks)
    exercise.photograph(f"{name}.exercise")
    for number in tasks:
        exercise.replace(number, solved[number].source)
    exercise.run_all()
    assert_shown_as_stored(exercise, form.read(ROOT / "solutions" / f"{name}.ipynb"))
    for number in checks:
        verdict = " ".join(exercise.outputs(number))
        assert "✓" in verdict
        assert "✗" not in verdict
    exercise.photograph(f"{name}.solved")


def test_a_missing_browser_fails_on_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="requires the browser"):
        without_browser("there is none")
    monkeypatch.setenv("CI", "")
    with pytest.raises(pytest.skip.Exception):
        without_browser("there is none")
