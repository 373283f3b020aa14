"""The socket guard holds in every place where course code runs, and a run cannot hide a breach."""

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path

import openai
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests.conftest import GuardLog, inner_pytest
from tests.guard.plugin import GUARD
from tests.notebooks.execute import run

# An address of the block reserved for documentation: nothing answers there, guard or no guard.
ELSEWHERE = "192.0.2.1"
REFUSED = "A test may reach this machine only"


def test_a_kernel_cell_is_refused(tripped_guard: GuardLog, tmp_path: Path) -> None:
    cell = (
        "import urllib.request\n"
        "try:\n"
        f"    urllib.request.urlopen('http://{ELSEWHERE}/', timeout=5)\n"
        "except OSError as error:\n"
        "    print(error.reason)"
    )
    notebook = new_notebook(cells=[new_code_cell(cell)])
    run(notebook, tmp_path)
    assert REFUSED in notebook.cells[0].outputs[0].text
    assert tripped_guard.hosts() == [f"'{ELSEWHERE}'"]


def test_a_subprocess_is_refused(tripped_guard: GuardLog) -> None:
    program = "import socket; socket.create_connection(('api.example', 443))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1
    assert f"{REFUSED}, so 'api.example' was refused." in done.stderr
    assert tripped_guard.hosts() == ["'api.example'"]


def test_a_grandchild_is_refused(tripped_guard: GuardLog) -> None:
    inner = f"import socket; socket.create_connection(('{ELSEWHERE}', 80))"
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"
    subprocess.run([sys.executable, "-c", outer], capture_output=True, check=True)
    assert tripped_guard.hosts() == [f"'{ELSEWHERE}'"]


@pytest.mark.parametrize("host", [ELSEWHERE, "api.example"])
def test_asyncio_is_refused(host: str, tripped_guard: GuardLog) -> None:
    if sys.platform == "win32" and host == ELSEWHERE:
        pytest.skip("the event loop of Windows raises no audit event for a literal address")
    with pytest.raises(OSError, match=REFUSED):
        asyncio.run(asyncio.open_connection(host, 80))
    assert tripped_guard.hosts() == [f"'{host}'"]


def test_the_openai_client_is_refused(tripped_guard: GuardLog) -> None:
    client = openai.OpenAI(api_key="none", base_url=f"http://{ELSEWHERE}/v1", max_retries=0)
    with client, pytest.raises(openai.APIConnectionError) as caught:
        client.models.list()
    cause: BaseException | None = caught.value
    while cause is not None and type(cause).__name__ != "SocketRefusedError":
        cause = cause.__cause__ or cause.__context__
    assert cause is not None
    assert tripped_guard.hosts() == [f"'{ELSEWHERE}'"]


@pytest.mark.parametrize(
    "host",
    [
        ELSEWHERE,
        "2001:db8::1",
        "10.0.0.1",
        "::ffff:192.0.2.1",
        "127.example",  # begins like loopback
        "localhost.example",
        b"bytes.example",
    ],
)
def test_a_look_up_beyond_this_machine_is_refused(
    host: str | bytes, tripped_guard: GuardLog
) -> None:
    with pytest.raises(OSError, match=REFUSED):
        socket.getaddrinfo(host, 80)
    assert tripped_guard.hosts() == [ascii(host)]


def test_the_older_look_ups_are_refused(tripped_guard: GuardLog) -> None:
    with pytest.raises(OSError, match=REFUSED):
        socket.gethostbyname("a.example")
    with pytest.raises(OSError, match=REFUSED):
        socket.gethostbyname_ex("b.example")
    with pytest.raises(OSError, match=REFUSED):
        socket.gethostbyaddr(ELSEWHERE)
    with pytest.raises(OSError, match=REFUSED):
        socket.getnameinfo((ELSEWHERE, 80), 0)
    assert tripped_guard.hosts() == ["'a.example'", "'b.example'", *[f"'{ELSEWHERE}'"] * 2]


def test_a_datagram_is_refused(tripped_guard: GuardLog) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        with pytest.raises(OSError, match=REFUSED):
            sender.sendto(b"?", (ELSEWHERE, 53))
        if hasattr(sender, "sendmsg"):  # not on Windows
            with pytest.raises(OSError, match=REFUSED):
                sender.sendmsg([b"?"], [], 0, (ELSEWHERE, 53))
    assert set(tripped_guard.hosts()) == {f"'{ELSEWHERE}'"}


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_loopback_is_allowed(host: str, tripped_guard: GuardLog) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection((host, port), timeout=5):
            pass
    assert tripped_guard.hosts() == []


def test_what_needs_no_network_is_allowed(tripped_guard: GuardLog) -> None:
    assert socket.getaddrinfo(None, 0)
    assert socket.getaddrinfo("::1", 0)
    left, right = socket.socketpair()
    with left, right:
        left.sendall(b"x")
        assert right.recv(1) == b"x"
    assert tripped_guard.hosts() == []


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="there are no Unix sockets here")
def test_a_unix_socket_is_allowed(tripped_guard: GuardLog, tmp_path: Path) -> None:
    path = os.path.relpath(tmp_path / "s")  # the name of a socket may have 108 bytes only
    with (
        socket.socket(socket.AF_UNIX) as server,
        socket.socket(socket.AF_UNIX) as client,
    ):
        server.bind(path)
        server.listen()
        client.connect(path)
    assert tripped_guard.hosts() == []


def test_a_sitecustomize_behind_the_guard_still_runs(
    tripped_guard: GuardLog, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('the one behind', __name__)\n")
    program = f"import socket; socket.create_connection(('{ELSEWHERE}', 80))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(GUARD), str(tmp_path)])},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "the one behind sitecustomize\n"
    assert REFUSED in done.stderr


def run_test(body: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run one test in a run of its own."""
    folder.joinpath("test_inner.py").write_text(f"import os, socket\n\n\ndef test_it():\n{body}")
    return inner_pytest(folder, "-p", "xdist", "test_inner.py", *options)


SWALLOWED = """
    try:
        socket.create_connection(("swallowed.example", 80))
    except OSError:
        pass
"""


@pytest.mark.parametrize("options", [[], ["-n", "2"]], ids=["alone", "with workers"])
def test_a_swallowed_refusal_fails_the_run(options: list[str], tmp_path: Path) -> None:
    done = run_test(SWALLOWED, tmp_path, *options)
    assert "1 passed" in done.stdout
    assert "'swallowed.example' test_inner.py::test_it" in done.stdout
    assert done.returncode == pytest.ExitCode.TESTS_FAILED


def test_a_run_that_stays_here_passes(tmp_path: Path) -> None:
    done = run_test("    assert socket.getaddrinfo('localhost', 0)\n", tmp_path)
    assert done.returncode == pytest.ExitCode.OK, done.stdout
    assert "refused connections" not in done.stdout


def test_a_run_is_clean_of_keys_and_of_the_users_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = """
    unwanted = {"OPENAI_API_KEY", "OPENAI_BASE_URL", "COURSE_LIVE", "https_proxy", "HTTP_PROXY"}
    assert not unwanted & set(os.environ)
    assert os.listdir(os.environ["COURSE_HOME"]) == []
    print("at home in", os.environ["COURSE_HOME"])
    assert os.environ["COURSE_HOME"] != "/nowhere"
"""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "COURSE_LIVE", "https_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, "http://proxy.example")
    monkeypatch.setenv("COURSE_HOME", "/nowhere")
    done = run_test(body, tmp_path, "-s")
    assert done.returncode == pytest.ExitCode.OK, done.stdout
    home = done.stdout.split("at home in ")[1].splitlines()[0]
    assert not Path(home).exists()
