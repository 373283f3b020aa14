"""Open the course: make .venv from the locked packages, once, then run a course command in it.

`python3 start.py` opens the lessons (`py start.py` on Windows); `--help` lists the commands, which
live in course_lib/cli.py. Old Pythons parse this file too, to be told so: no newer syntax here.
"""

import errno
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import BinaryIO

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit(f"The course needs Python 3.11 or newer; this is {VERSION}. Get one at python.org.")

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = str(VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
LOG = VENV / "setup.log"  # of the last step; it also tells whether pip was cut short
TURN = VENV / "setup.lock"  # held by the start.py that sets up
STAMP = VENV / "installed.txt"  # the locks that are in, by hash; written last
CAUSES = {  # what a failed step prints, and the sentence for it; the first match wins
    r"Errno 28\b|No space left|Error 112\b": "The disk is full: make room (1 GB) and run it again.",
    r"DO NOT MATCH THE HASHES": "A downloaded package is not the one the course was tested with: "
    "its hash differs. If that stays, the package index, mirror or proxy in use alters packages.",
    r"No module named '?(?:venv|ensurepip)": f"{sys.executable} has no venv or ensurepip. Debian: "
    f"sudo apt install python{VERSION}-venv. Else use a Python from python.org, or from uv.",
    r"(?i)connection broken|timed out|incompleteread": "There is no connection to the package "
    "index, needed this once: connect (by a proxy: set HTTPS_PROXY, PIP_CERT) and run it again.",
    r"No matching distribution found for (\S+)": "The package index has no <name> for Python "
    f"{VERSION} on this system. Try another Python; on a guest network, log in to it first.",
    r"Errno (?:13|30)\b|Permission denied|WinError (?:5|32)\b": f"A file in {VENV} cannot be "
    "written. Close programs that use it, or copy the course to a folder of your own.",
}


def explain(output: str) -> str:
    """Return the sentence for a set-up step that failed with this output."""
    for pattern, sentence in CAUSES.items():
        found = re.search(pattern, output)
        if found:
            return sentence.replace("<name>", found.group(found.lastindex or 0))
    last = (output.strip() or "Ctrl-C").split("\n")[-1][:200]
    return f"The set-up stopped ({last}). Run it again; if that does not help, delete .venv first."


def site_packages() -> Path | None:
    """Return where .venv keeps its packages, or None when its Python is missing or broken."""
    probe = "import sys, sysconfig; print(sysconfig.get_path('purelib', vars={'base': '.'})); "
    probe += "sys.exit(sys.prefix == sys.base_prefix or sys.version_info < (3, 11))"
    command = [PYTHON, "-I", "-c", probe]
    try:
        return VENV / subprocess.check_output(command, stderr=subprocess.PIPE, text=True).strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def run(site: Path, pins: int, *command: str) -> None:
    """Run one step of the set-up, its output in the log; exit with a sentence when it fails."""
    environment = {"PIP_RETRIES": "1", **os.environ, "PIP_USER": "0", "PIP_NO_INPUT": "1"}
    before, end = set(site.glob("*.dist-info")), "\r" if sys.stdout.isatty() else "\n"
    with LOG.open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
    while process.poll() is None:
        try:
            process.wait(0.1 if end == "\r" else 10)
        except subprocess.TimeoutExpired:  # pip names what it fetches, then installs in silence
            got = len(re.findall(b"(?m)^(Collecting|Processing|Ignoring|Requ)", LOG.read_bytes()))
            new = len(set(site.glob("*.dist-info")) - before)
            bar = "#" * (15 * (got + new) // pins)
            print(f"[{bar:.<30}] {got} of {pins} fetched, {new} installed", end=end, flush=True)
    if process.returncode:  # a step that says nothing had no room for its log
        sys.exit(f"{explain(LOG.read_text('utf-8', 'replace') or 'No space left')} Details: {LOG}")


def take_turn(turn: BinaryIO) -> None:
    """Wait, with a sentence, while another start.py sets up; closing the file ends the turn."""
    told = False
    while True:
        try:
            if sys.platform == "win32":
                msvcrt.locking(turn.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EAGAIN):
                return  # a disk that knows no locks: there is nothing to wait for
        if not told:
            print("Another start.py is setting the course up; waiting for it.", flush=True)
        told = True
        time.sleep(0.2)


def installed() -> "tuple[set[str], bool]":
    """The locks that are in, and whether pip was cut short."""
    state = "\n".join(f.read_text("utf-8", "replace") for f in (STAMP, LOG) if f.exists())
    torn = "Installing collected" in state and "Successfully installed" not in state
    return set(state.split("\n") if site_packages() else []), torn


def set_up(lock: Path, torn: bool) -> None:
    """Make .venv, anew if what is there is broken, and install the lock into it."""
    site = site_packages()
    more = site and STAMP.exists() and not torn
    what = "Adding what is new to the set-up" if more else "Setting up the course, once"
    print(f"{what}: a minute or two. Ctrl-C stops it.", flush=True)
    pins = len(re.findall(r"(?m)^\w", lock.read_text("utf-8")))
    if torn or not site:
        for entry in set(VENV.iterdir()) - {LOG, TURN}:
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
        base = getattr(sys, "_base_executable", sys.executable)  # start.py may run in .venv itself
        run(VENV, pins, base, "-I", "-m", "venv", "--without-pip", str(VENV))
        site = site_packages() or sys.exit(f"The Python in {VENV} does not start.")
    if not (site / "pip").is_dir():
        run(VENV, pins, PYTHON, "-I", "-m", "ensurepip", "--default-pip")
    (site / "course.pth").write_text(os.path.relpath(ROOT, site) + "\n", encoding="ascii")
    shutil.copytree(ROOT / "requirements/share", VENV / "share", dirs_exist_ok=True)
    options = "install --no-deps --require-hashes --no-compile --only-binary :all: -r"
    run(site, pins, PYTHON, "-I", "-m", "pip", *options.split(), str(lock))
    print("The course is set up.".ljust(79), flush=True)


def main(command: list[str]) -> int:
    """Set up what the command needs, run it where the caller stands, return its exit code."""
    locks = ["learner.txt", "tests.txt"] if command[0] == "test" else ["learner.txt"]
    try:
        files = [ROOT / "requirements" / name for name in locks]
        wanted = {f"{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()}" for file in files}
        there, torn = installed()
        if torn or not wanted <= there:
            VENV.mkdir(exist_ok=True)
            with TURN.open("ab") as turn:
                take_turn(turn)
                there, torn = installed()  # the one before may have done it all
                if torn or not wanted <= there:
                    set_up(files[-1], torn)
                    STAMP.write_text("\n".join(wanted), encoding="ascii")
        process = subprocess.Popen([PYTHON, "-P", "-m", "course_lib", *command])
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command gets Ctrl-C too, and decides
        signal.signal(signal.SIGTERM, lambda *_: process.terminate())  # which goes to one process
    except (OSError, KeyboardInterrupt) as error:
        sys.exit(f"\n{explain(str(error))}")
    return process.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["lab"]))
