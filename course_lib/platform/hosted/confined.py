"""Runs a container's Python in a process that gives up its rights first. A script, not a module.

    python -P confined.py FOLDER PACKAGES MEMORY SECONDS < code

FOLDER holds `data`, all that the code may use, and `values`, the plain values of its last run.

On Linux the kernel holds the line: landlock leaves it the interpreter to read and one folder to
write, a seccomp filter takes away sockets, new processes, signals and what landlock lets pass (a
file's mode, owner and times), and limits bound memory, time and the size of files. Elsewhere, and
on a kernel that has neither, there is only the audit hook, which keeps honest code from straying
and is **not a sandbox**: a determined program gets around it. Nothing of the course
is imported here.
"""

import ast
import contextlib
import os
import pickle
import struct
import sys
import traceback
from types import ModuleType
from typing import Any, BinaryIO

LARGEST_FILE = 32 * 1024 * 1024  # bytes

# System calls that a program which only computes does not need: name → number on x86-64, on ARM64.
DENIED = {
    "socket": (41, 198), "fork": (57, None), "vfork": (58, None), "execve": (59, 221),
    "execveat": (322, 281), "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "ptrace": (101, 117),
    "setrlimit": (160, 164), "prlimit64": (302, 261), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271), "pidfd_open": (434, 434), "io_uring_setup": (425, 425),
    "unshare": (272, 97), "setns": (308, 268), "bpf": (321, 280), "clone3": (435, 435),
    "truncate": (76, 45), "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
}  # fmt: skip
# Those that seem to succeed and do nothing: copying a file uses them, on any file of the machine.
IDLE = {
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, None), "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54),
    "utime": (132, None), "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88),
}  # fmt: skip
CLONE, CLONE_THREAD = (56, 220), 0x10000  # a thread may be started, a process may not
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column, and the kernel's name
READ, ALL = 0b1100, 0b1_1111_1111_1111  # landlock's rights: read files and folders, or any of v1
EPERM, ENOSYS = 1, 38


def limit(memory: int, seconds: int) -> None:
    import resource
    import signal

    signal.alarm(seconds)  # it ends even when it sleeps and nobody is left to stop it
    for what, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, LARGEST_FILE),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):  # macOS does not know all of them
            resource.setrlimit(what, (most, most))


def confine(folder: str, readable: list[str]) -> None:
    """Let the kernel refuse what is not needed; OSError or KeyError where it cannot."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)

    def must(result: int) -> int:
        if result < 0:
            raise OSError(ctypes.get_errno(), "this kernel cannot confine a process")
        return result

    must(libc.prctl(38, 1, 0, 0, 0))  # no new privileges
    rights = struct.pack("Q", ALL)
    ruleset = must(libc.syscall(444, rights, len(rights), 0))
    for path, allowed in [(folder, ALL), *((path, READ) for path in readable)]:
        if os.path.isdir(path):  # noqa: PTH112 pathlib is not loaded here
            place = os.open(path, os.O_PATH)
            rule = struct.pack("=Qi", allowed, place)
            must(libc.syscall(445, ruleset, 1, rule, 0))
            os.close(place)
    must(libc.syscall(446, ruleset, 0))
    program = b"".join(struct.pack("HBBI", *line) for line in _filter(os.uname().machine))
    held = ctypes.create_string_buffer(program)
    filter_at = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(held))
    must(libc.prctl(22, 2, filter_at, 0, 0))


def _filter(machine: str) -> list[tuple[int, int, int, int]]:
    """The seccomp program: (operation, jump if true, jump if false, value) a line."""
    column, kernel_name = MACHINES[machine]
    load, equal, has_bit, answer = 0x20, 0x15, 0x45, 0x06
    refuse, allow, kill = 0x00050000, 0x7FFF0000, 0x80000000
    lines = [(load, 0, 0, 4), (equal, 1, 0, kernel_name), (answer, 0, 0, kill), (load, 0, 0, 0)]
    lines += [(0x35, 0, 1, 0x40000000), (answer, 0, 0, kill)]  # the other numbering of x86
    for name, numbers in (DENIED | IDLE).items():
        if (number := numbers[column]) is not None:
            error = {"clone3": ENOSYS} | dict.fromkeys(IDLE, 0)  # libc then falls back to clone
            lines += [(equal, 0, 1, number), (answer, 0, 0, refuse | error.get(name, EPERM))]
    lines += [(equal, 0, 3, CLONE[column]), (load, 0, 0, 16), (has_bit, 1, 0, CLONE_THREAD)]
    return [*lines, (answer, 0, 0, refuse | EPERM), (answer, 0, 0, allow)]


def watch(folder: str, readable: list[str]) -> None:
    """Refuse in Python, and in words, what the kernel refuses too where it can."""
    roots = tuple(_place(path) for path in (folder, *readable))
    refused = ("socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn",
               "os.spawn", "os.kill", "os.link", "ctypes.dlopen", "os.startfile")  # fmt: skip

    def hook(event: str, given: tuple[Any, ...]) -> None:
        if event.startswith(refused) and event != "socket.__new__":
            raise PermissionError(f"{event} is not available in the container.")
        for path in given[: PATHS.get(event, 0)]:
            if isinstance(path, str | bytes) and not _place(os.fsdecode(path)).startswith(roots):
                raise PermissionError(f"{os.fsdecode(path)} is outside the container.")

    sys.addaudithook(hook)


# What happens to files, and how many paths it is told of.
PATHS = dict.fromkeys(
    ("open", "os.listdir", "os.scandir", "os.remove", "os.rmdir", "os.mkdir", "os.truncate",
     "os.chmod", "os.chown", "os.utime", "os.setxattr", "os.removexattr"), 1,
) | {"os.rename": 2}  # fmt: skip


def _place(path: str) -> str:
    return os.path.normcase(os.path.realpath(path)) + os.sep


def run(code: str, values: BinaryIO) -> None:
    """Run the code as a notebook cell: the value of a last expression is shown."""
    space: dict[str, Any] = {"__name__": "__main__", **_load(values)}
    try:
        tree = ast.parse(code, "<code>")
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "<code>", "exec"), space)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<code>", "eval"), space)
            if value is not None:
                print(repr(value))
    except SystemExit:
        pass
    except BaseException as error:
        told = traceback.TracebackException.from_exception(error)
        told.stack[:] = [frame for frame in told.stack if frame.filename == "<code>"]
        with UNWRITABLE:
            print("".join(told.format(chain=False)), end="")
    with UNWRITABLE:
        sys.stdout.flush()
    with UNWRITABLE:
        _save(space, values)


UNWRITABLE = contextlib.suppress(OSError, ValueError)  # the code has closed what is written to


def _load(values: BinaryIO) -> dict[str, Any]:
    try:
        return dict(pickle.load(values))
    except Exception:  # nothing yet, or what the code itself made of it
        return {}


def _save(space: dict[str, Any], values: BinaryIO) -> None:
    kept, room = {}, LARGEST_FILE
    for name, value in space.items():
        if not name.startswith("__") and not isinstance(value, ModuleType):
            try:
                written = pickle.dumps(value)
                pickle.loads(written)
                if len(written) + len(name) + 100 < room:
                    kept[name] = value
                    room -= len(written) + len(name) + 100
            except Exception:  # what cannot be kept is gone, as in a restarted session
                continue
    values.seek(0)
    values.truncate()
    pickle.dump(kept, values)
    values.flush()


if __name__ == "__main__":
    own, packages, memory, seconds = sys.argv[1:]
    written = sys.stdin.buffer.read().decode()
    data, stored = os.path.join(own, "data"), os.path.join(own, "values")  # noqa: PTH118
    os.chdir(data)
    last_values = open(stored, "r+b")  # noqa: PTH123, SIM115 it lies where the code may not go
    reads = [sys.base_prefix, packages, "/usr", "/lib", "/lib64"]
    # the folder of the course stands on the path of its environment, and is not for the code
    sys.path[:] = [*(p for p in sys.path[1:] if p.startswith(tuple(reads))), packages]
    if sys.platform != "win32":
        limit(int(memory), int(seconds))
    if sys.platform == "linux":
        with contextlib.suppress(OSError, KeyError):
            confine(data, reads)
    watch(data, reads)
    run(written, last_values)
