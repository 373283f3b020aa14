"""Runs what somebody else wrote, in a process that gives up its rights first. A script, no module.

    python -P confined.py python|shell SECONDS MEMORY FOLDER PACKAGES < code
    python -P confined.py programs SECONDS MEMORY

FOLDER holds `data` and `tmp`, which the code may use, `skills`, which it may read, and `values`,
the plain values of the last run of Python. MEMORY is in bytes, of V8's heap for programs.

On Linux three things hold the line, and each closes what the others leave open. Landlock: which
files are read and written. The seccomp filter: sockets, signals, memory and messages that outlive
a process, and what landlock lets pass (a file's mode, owner, times and emptying). The limits:
memory, time and the size of files. Python and programs may start no process; a command may, and
they all stay in one group, to be ended together. Elsewhere, and on a kernel that has neither, a
command is not run at all, and of Python there is only the audit hook. It keeps honest code from
straying and is **not a sandbox**: a determined program gets around it.
Nothing of the course is imported here.
"""

import ast
import contextlib
import os
import pickle
import struct
import sys
import traceback
from typing import Any, BinaryIO

LARGEST_FILE = 32 * 1024 * 1024  # bytes
NO_SHELL = (
    "The offline platform runs commands only where the kernel can confine them, which is Linux "
    'with landlock. Here, take {"type": "local"} as the environment and run them yourself.'
)
# Landlock's rights: run and read files and folders, any of v1, and those of a single file.
READ, ALL, OF_A_FILE = 0b1101, 0b1_1111_1111_1111, 0b110
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64")
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")

# What a program that only computes does not need: system calls by number on x86-64, on ARM64.
DENIED = (
    ([41], [198]),  # socket
    ([62, 129, 200, 234, 297], [*range(129, 132), 138, 240]),  # kill, tkill, tgkill, …queueinfo
    ([109, 112], [154, 157]),  # setpgid, setsid: to leave the group
    ([141, 142, 144, 203, 251, 302, 314], [30, 118, 119, 122, 140, 261, 274]),  # others' priorities
    ([*range(29, 32), *range(64, 72), *range(240, 246)], [*range(180, 198)]),  # shm…, sem…, m…q…
    ([*range(248, 251), 319], [*range(217, 220), 279]),  # the user's keys; memfd_create
    ([272, 321], [97, 280]),  # unshare, bpf
    ([76], [45]),  # truncate
)
STARTING = ([57, 58, 59, 322], [221, 281])  # fork, vfork, execve, execveat
XATTR = ([*range(188, 191), *range(197, 200)], [5, 6, 7, 14, 15, 16])  # `mv` goes on without them
# chmod, chown, utime and their kin seem to succeed and do nothing: copying a file uses them, on
# any file of the machine.
IDLE = ([*range(90, 95), 132, 235, 260, 261, 268, 280], [*range(52, 56), 88])
NEWER = 424  # io_uring, pidfds, clone3, openat2 and all that came later, with one number everywhere
EPERM, ENOSYS, ENOTSUP = 1, 38, 95
# Calls denied where an argument, masked, is (True) or is not (False) a value:
# numbers, place of the argument, mask, value.
EMPTIES = 0o1003  # the bits of a file's opening that say: empty it, and for reading or writing
ARGUMENTS = [
    *((([2], []), 1, EMPTIES, bits, True) for bits in (0o1000, 0o1003)),  # open
    *((([257], [56]), 2, EMPTIES, bits, True) for bits in (0o1000, 0o1003)),  # openat
    # a file may be told to signal a process: fcntl, ioctl
    *((([72], [25]), 1, 0xFFFFFFFF, command, True) for command in (8, 15)),
    *((([16], [29]), 1, 0xFFFFFFFF, command, True) for command in (0x8901, 0x8902)),
]
CLONE = ([56], [220])
A_THREAD, OWN_WORLD = 0x10000, 0x7E028000  # what is cloned: the latter has namespaces or a parent
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column, and the kernel's name


def confine(folders: list[str], readable: list[str], starting: bool = False) -> bool:
    """Let the kernel refuse what is not needed; whether it can. `starting` lets processes start."""
    if sys.platform != "linux" or os.uname().machine not in MACHINES:
        return False
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    rights = struct.pack("Q", ALL)
    ruleset = libc.syscall(444, rights, len(rights), 0)
    places = dict.fromkeys(readable, READ) | dict.fromkeys(DEVICES, OF_A_FILE)
    done = [ruleset, libc.prctl(38, 1, 0, 0, 0)]  # no new privileges
    libc.prctl(28, 0b11, 0, 0, 0)  # root is nobody special in a program it starts
    libc.capset(struct.pack("Ii", 0x20080522, 0), bytes(24))
    for path, allowed in (places | dict.fromkeys(folders, ALL)).items():
        if os.path.exists(path):  # noqa: PTH110 pathlib is not loaded here
            place = os.open(path, os.O_PATH)
            done.append(libc.syscall(445, ruleset, 1, struct.pack("=Qi", allowed, place), 0))
            os.close(place)
    done.append(libc.syscall(446, ruleset, 0))
    lines = seccomp(*MACHINES[os.uname().machine], starting)
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))
    filter_at = struct.pack("HxxxxxxQ", len(lines), ctypes.addressof(program))
    done.append(libc.prctl(22, 2, filter_at, 0, 0))
    return all(each >= 0 for each in done)


def seccomp(column: int, kernel_name: int, starting: bool) -> list[tuple[int, int, int, int]]:
    """The seccomp filter: (operation, lines to skip if true, if false, value) a line."""
    load, equal, from_on, masked, answer = 0x20, 0x15, 0x35, 0x54, 0x06
    refuse, allow, kill = 0x00050000, 0x7FFF0000, 0x80000000
    lines = [(load, 0, 0, 4), (equal, 1, 0, kernel_name), (answer, 0, 0, kill), (load, 0, 0, 0)]
    lines += [(from_on, 0, 1, NEWER), (answer, 0, 0, refuse | ENOSYS)]
    errors = [(IDLE, 0), (XATTR, ENOTSUP), *((calls, EPERM) for calls in DENIED)]
    for numbers, error in errors if starting else [*errors, (STARTING, EPERM)]:
        for number in numbers[column]:
            lines += [(equal, 0, 1, number), (answer, 0, 0, refuse | error)]
    # A command may start processes, but none with a world of its own; the others only threads.
    must = 0 if starting else A_THREAD
    for numbers, place, mask, value, bad in [*ARGUMENTS, (CLONE, 0, OWN_WORLD | must, must, False)]:
        for number in numbers[column]:
            lines += [(equal, 0, 5, number), (load, 0, 0, 16 + 8 * place), (masked, 0, 0, mask)]
            lines += [(equal, not bad, bad, value), (answer, 0, 0, refuse | EPERM)]
            lines += [(load, 0, 0, 0)]
    return [*lines, (answer, 0, 0, allow)]


def watch(places: list[str]) -> None:
    """Refuse in Python, and in words, what the kernel refuses too where it can."""
    roots = tuple(_place(path) for path in places)
    refused = ("socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn",
               "os.spawn", "os.kill", "os.link", "ctypes.dlopen", "os.startfile")  # fmt: skip
    of_no_file = ("os.putenv", "os.unsetenv", "os.symlink")  # where a link leads is seen later

    def hook(event: str, given: tuple[Any, ...]) -> None:
        if event.startswith(refused) and event != "socket.__new__":
            raise PermissionError(f"{event} is not available in the container.")
        of_a_file = event == "open" or (event.startswith("os.") and event not in of_no_file)
        for path in given[: 1 + (event == "os.rename")] if of_a_file else ():
            if isinstance(path, str | bytes) and not _place(os.fsdecode(path)).startswith(roots):
                raise PermissionError(f"{os.fsdecode(path)} is outside the container.")

    sys.addaudithook(hook)


def _place(path: str) -> str:
    return os.path.normcase(os.path.realpath(path)) + os.sep


def run_command(command: str, packages: str) -> None:
    """Become the shell that runs the command. Nothing of this process is left."""
    import signal

    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and so would the command
    shell = next(each for each in ("/bin/bash", "/bin/sh") if os.access(each, os.X_OK))
    try:
        os.execve(shell, [shell, "-c", command], os.environ | {"PYTHONPATH": packages})
    except (OSError, ValueError) as error:  # too long, or with a null in it
        sys.exit(f"{shell}: {getattr(error, 'strerror', error)}")


UNWRITABLE = contextlib.suppress(OSError, ValueError)  # the code has closed what is written to


def run_python(code: str, values: BinaryIO) -> None:
    """Run the code as a notebook cell: the value of a last expression is shown."""
    space: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.suppress(Exception):  # nothing yet, or what the code itself made of it
        space |= pickle.load(values)
    try:
        tree = ast.parse(code, "<code>")
        shown = [tree.body.pop()] if tree.body and isinstance(tree.body[-1], ast.Expr) else []
        exec(compile(tree, "<code>", "exec"), space)
        exec(compile(ast.Interactive(shown), "<code>", "single"), space)
    except SystemExit:
        pass
    except BaseException as error:
        told = traceback.TracebackException.from_exception(error)
        told.stack[:] = [frame for frame in told.stack if frame.filename == "<code>"]
        with UNWRITABLE:
            print("".join(told.format(chain=False)), end="")
    with UNWRITABLE:
        sys.stdout.flush()
    with UNWRITABLE, values:
        _save(space, values)


def _save(space: dict[str, Any], values: BinaryIO) -> None:
    """Keep the values that can be kept. The others are gone, as in a restarted session."""
    kept, room = {}, LARGEST_FILE
    for name, value in space.items():
        with contextlib.suppress(Exception):
            written = pickle.dumps(value)
            pickle.loads(written)
            size = len(written) + len(name) + 100
            if size < room and not name.startswith("__"):
                kept[name] = value
                room -= size
    values.seek(0)
    values.truncate()
    pickle.dump(kept, values)


def run_programs(seconds: int, memory: int) -> None:
    """Play programs on V8, each in an isolate of its own: a line of JSON in, a line out.

    A line has the script that is found around a program (`program.js`), what it is started with,
    and the answers that its calls have so far, each given when it has come to rest; out comes its
    report. There is no host function at all, so a program cannot reach this process. V8 minds its
    own heap; the timer is for a program that nobody is left to watch.
    """
    import json
    import threading

    from py_mini_racer import JSEvalException, MiniRacer, init_mini_racer

    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # V8 says much when it runs out of memory
    init_mini_racer(
        # the seed makes Math.random give the same numbers to every program
        flags=["--single-threaded", "--random-seed=1", f"--max-heap-size={memory >> 20}"]
    )
    MiniRacer().close()  # what is loaded once, while files may still be read
    confine([], [])
    print(flush=True)
    for line in sys.stdin.buffer:
        timer = threading.Timer(seconds, os._exit, [1])
        timer.start()
        report = "null"
        around, start, *answers = json.loads(line)
        # it may have changed what the report is made with
        with contextlib.suppress(JSEvalException), MiniRacer() as v8:
            program: Any = v8.eval(around)
            program["start"](start)
            for answer in answers:
                program["answer"](answer)
            report = str(program["report"]())
        print(report, flush=True)
        timer.cancel()


def run_code(kind: str, seconds: int, memory: int, own: str, packages: str) -> None:
    """Run Python or a command in the folders below `own`."""
    written = sys.stdin.buffer.read().decode()
    data, tmp, skills, stored = (
        os.path.join(own, name)  # noqa: PTH118
        for name in ("data", "tmp", "skills", "values")
    )
    os.chdir(data)
    values = open(stored, "r+b")  # noqa: PTH123, SIM115 it lies where the code may not go
    reads = [sys.base_prefix, packages, *SYSTEM, skills]
    # the folder of the course stands on the path of its environment, and is not for the code
    sys.path[:] = [*(p for p in sys.path[1:] if p.startswith(tuple(reads))), packages]
    if sys.platform != "win32":
        import resource
        import signal

        signal.alarm(seconds)  # it ends even when it sleeps and nobody is left to stop it
        most = {"AS": memory, "CPU": seconds, "FSIZE": LARGEST_FILE, "NOFILE": 64, "CORE": 0}
        for name, number in most.items():
            with contextlib.suppress(ValueError, OSError):  # macOS does not keep all of them
                resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (number, number))
    confined = confine([data, tmp], reads, starting=kind == "shell")
    if kind == "python":
        os.dup2(1, 2)
        watch([data, tmp, *reads])
        run_python(written, values)
    elif confined:
        run_command(written, packages)
    else:
        print(NO_SHELL, file=sys.stderr)
        sys.exit(126)


if __name__ == "__main__":
    kind, seconds, memory, *places = sys.argv[1:]
    if kind == "programs":
        run_programs(int(seconds), int(memory))
    else:
        run_code(kind, int(seconds), int(memory), *places)
