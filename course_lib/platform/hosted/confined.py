"""Runs what a model wrote, in a process that gives up its rights first. A script, not a module.

    python -P confined.py python|shell FOLDER PACKAGES MEMORY SECONDS < code

FOLDER holds `data` and `tmp`, which the code may use, `skills`, which it may read, and `values`,
the plain values of the last run of Python.

On Linux the kernel holds the line: landlock leaves the system's programs to read and these folders
to write, a seccomp filter takes away sockets, signals, memory that outlives a process and what
landlock lets pass (a file's mode, owner, times and emptying), and limits bound memory, time and
the size of files. Python may start no process; a command may, and they all stay in one group, to
be ended together. Elsewhere, and on a kernel that has neither, a command is not run at all, and of
Python there is only the audit hook. It keeps honest code from straying and is **not a sandbox**: a
determined program gets around it.
Nothing of the course is imported here.
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
    "socket": (41, 198), "setsid": (112, 157), "setpgid": (109, 154), "kill": (62, 129),
    "tkill": (200, 130), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240), "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "setrlimit": (160, 164), "prlimit64": (302, 261), "setpriority": (141, 140),
    "ioprio_set": (251, 30), "sched_setparam": (142, 118), "sched_setscheduler": (144, 119),
    "sched_setattr": (314, 274), "sched_setaffinity": (203, 122), "io_uring_setup": (425, 425),
    "unshare": (272, 97), "setns": (308, 268), "bpf": (321, 280), "clone3": (435, 435),
    "memfd_create": (319, 279), "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195),
    "semget": (64, 190), "semctl": (66, 191), "msgget": (68, 186), "msgctl": (71, 187),
    "mq_open": (240, 180), "mq_unlink": (241, 181), "truncate": (76, 45), "setxattr": (188, 5),
    "lsetxattr": (189, 6), "fsetxattr": (190, 7), "removexattr": (197, 14),
    "lremovexattr": (198, 15), "fremovexattr": (199, 16),
}  # fmt: skip
STARTING = {"fork": (57, None), "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281)}
# Those that seem to succeed and do nothing: copying a file uses them, on any file of the machine.
IDLE = {
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "chown": (92, None),
    "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54), "utime": (132, None),
    "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88),
}  # fmt: skip
NEWER = 437  # from here on calls are younger than what programs must have, and openat2 is the first
# Denied where an argument, masked, has a value: (numbers, place of the argument, mask, value).
EMPTIES = 0o1003  # the bits of a file's opening that say: empty it, and for reading or writing
UNLIKELY = [
    ((2, None), 1, EMPTIES, 0o1000), ((2, None), 1, EMPTIES, 0o1003),  # landlock lets these pass
    ((257, 56), 2, EMPTIES, 0o1000), ((257, 56), 2, EMPTIES, 0o1003),
    *(((72, 25), 1, 0xFFFFFFFF, command) for command in (8, 15)),  # have a file signal a process
    *(((16, 29), 1, 0xFFFFFFFF, command) for command in (0x8901, 0x8902)),
]  # fmt: skip
CLONE = (56, 220)
THREADS_ALONE = [(CLONE, 0, 0x10000, 0)]
NO_NAMESPACES = [(CLONE, 0, 1 << bit, 1 << bit) for bit in (17, 25, 26, 27, 28, 29, 30)]
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column, and the kernel's name
# Landlock's rights: run and read files and folders, any of v1, and those of a single file.
READ, ALL, OF_A_FILE = 0b1101, 0b1_1111_1111_1111, 0b110
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64")
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
EPERM, ENOSYS, ENOTSUP = 1, 38, 95
NO_SHELL = (
    "The offline platform runs commands only where the kernel can confine them, which is Linux "
    'with landlock. Here, take {"type": "local"} as the environment and run them yourself.'
)


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


def confine(folders: list[str], readable: list[str], starting: bool) -> None:
    """Let the kernel refuse what is not needed; OSError or KeyError where it cannot."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)

    def must(result: int) -> int:
        if result < 0:
            raise OSError(ctypes.get_errno(), "this kernel cannot confine a process")
        return result

    must(libc.prctl(38, 1, 0, 0, 0))  # no new privileges
    libc.prctl(28, 0b11, 0, 0, 0)  # root is nobody special in a program it starts
    libc.capset(struct.pack("Ii", 0x20080522, 0), bytes(24))
    rights = struct.pack("Q", ALL)
    ruleset = must(libc.syscall(444, rights, len(rights), 0))
    places = dict.fromkeys(readable, READ) | dict.fromkeys(DEVICES, OF_A_FILE)
    for path, allowed in (places | dict.fromkeys(folders, ALL)).items():
        if os.path.exists(path):  # noqa: PTH110 pathlib is not loaded here
            place = os.open(path, os.O_PATH)
            rule = struct.pack("=Qi", allowed, place)
            must(libc.syscall(445, ruleset, 1, rule, 0))
            os.close(place)
    must(libc.syscall(446, ruleset, 0))
    program = b"".join(struct.pack("HBBI", *line) for line in _filter(os.uname().machine, starting))
    held = ctypes.create_string_buffer(program)
    filter_at = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(held))
    must(libc.prctl(22, 2, filter_at, 0, 0))


def _filter(machine: str, starting: bool) -> list[tuple[int, int, int, int]]:
    """The seccomp program: (operation, jump if true, jump if false, value) a line."""
    column, kernel_name = MACHINES[machine]
    load, equal, from_on, masked, answer = 0x20, 0x15, 0x35, 0x54, 0x06
    refuse, allow, kill = 0x00050000, 0x7FFF0000, 0x80000000
    lines = [(load, 0, 0, 4), (equal, 1, 0, kernel_name), (answer, 0, 0, kill), (load, 0, 0, 0)]
    lines += [(from_on, 0, 1, NEWER), (answer, 0, 0, refuse | ENOSYS)]
    for name, numbers in (DENIED | IDLE | ({} if starting else STARTING)).items():
        if (number := numbers[column]) is not None:
            error = ENOTSUP if name.endswith("xattr") else EPERM  # `mv` goes on without it
            error = 0 if name in IDLE else ENOSYS if name == "clone3" else error  # libc: clone
            lines += [(equal, 0, 1, number), (answer, 0, 0, refuse | error)]
    # A command may start processes, but none with a world of its own; Python only threads.
    for numbers, place, mask, value in UNLIKELY + (NO_NAMESPACES if starting else THREADS_ALONE):
        if (number := numbers[column]) is not None:
            lines += [(equal, 0, 5, number), (load, 0, 0, 16 + 8 * place), (masked, 0, 0, mask)]
            lines += [(equal, 0, 1, value), (answer, 0, 0, refuse | EPERM), (load, 0, 0, 0)]
    return [*lines, (answer, 0, 0, allow)]


def watch(places: list[str]) -> None:
    """Refuse in Python, and in words, what the kernel refuses too where it can."""
    roots = tuple(_place(path) for path in places)
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


def run_command(command: str, packages: str) -> None:
    """Become the shell that runs the command. Nothing of this process is left."""
    import signal

    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and so would the command
    shell = next(each for each in ("/bin/bash", "/bin/sh") if os.access(each, os.X_OK))
    try:
        os.execve(shell, [shell, "-c", command], os.environ | {"PYTHONPATH": packages})
    except (OSError, ValueError) as error:  # too long, or with a null in it
        sys.exit(f"{shell}: {getattr(error, 'strerror', error)}")


def run_python(code: str, values: BinaryIO) -> None:
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
    kind, own, packages, memory, seconds = sys.argv[1:]
    written = sys.stdin.buffer.read().decode()
    data, tmp, skills, stored = (
        os.path.join(own, name)  # noqa: PTH118
        for name in ("data", "tmp", "skills", "values")
    )
    os.chdir(data)
    last_values = open(stored, "r+b")  # noqa: PTH123, SIM115 it lies where the code may not go
    reads = [sys.base_prefix, packages, *SYSTEM]
    # the folder of the course stands on the path of its environment, and is not for the code
    sys.path[:] = [*(p for p in sys.path[1:] if p.startswith(tuple(reads))), packages]
    if sys.platform != "win32":
        limit(int(memory), int(seconds))
    try:
        if sys.platform != "linux":
            raise OSError
        confine([data, tmp], [*reads, skills], starting=kind == "shell")
    except (OSError, KeyError):
        if kind == "shell":
            print(NO_SHELL, file=sys.stderr)
            sys.exit(126)
    if kind == "shell":
        run_command(written, packages)
    else:
        os.dup2(1, 2)
        watch([data, tmp, skills, *reads])
        run_python(written, last_values)
