"""Refuses every connection and look-up beyond this machine, in any Python that starts under it.

Python imports a module of this name when it starts, so with this folder on PYTHONPATH the guard
holds in kernels, subprocesses and asyncio alike. A refusal is an OSError raised before anything
is sent. It is also written to the file named by COURSE_GUARD_LOG, because a library may swallow
the error and try again: `tests.guard.plugin` reads that file when the run ends.

It leaves out what Python's audit events do not show: programs that are not Python, C extensions
with sockets of their own (ZeroMQ), an interpreter started with -I, -E or -S, a connection to a
literal address by asyncio's event loop on Windows, and the resolver's question when a name is
given to `socket.connect` itself (the connection is refused). Listening is not its business.
"""

import _socket  # not `socket`: every child Python pays for what is imported here
import os
import sys

# Where each event carries its target: a host, or an address whose first part is a host.
_HOST_AT = {"socket.getaddrinfo": 0, "socket.gethostbyname": 0, "socket.gethostbyaddr": 0}
_ADDRESS_AT = {
    "socket.connect": 1,
    "socket.sendto": 1,
    "socket.sendmsg": 1,
    "socket.getnameinfo": 0,
}
_UNIX = getattr(_socket, "AF_UNIX", None)  # not on Windows


class SocketRefusedError(OSError):
    """A test tried to reach another machine."""


def _is_this_machine(host: object) -> bool:
    """True for loopback addresses, localhost, and the empty host of a look-up made to listen."""
    # Imported at the first socket, so that a Python that opens none starts as fast as before.
    import ipaddress

    if isinstance(host, bytes | bytearray):
        host = host.decode("ascii", "replace")
    if host is None or host == "" or host == "localhost":
        return True
    if not isinstance(host, str):
        return False
    try:
        address = ipaddress.ip_address(host)
    except ValueError:  # a name: only a resolver knows where it leads
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def _hook(event: str, args: tuple[object, ...]) -> None:
    if event in _HOST_AT:
        host = args[_HOST_AT[event]]
    elif event in _ADDRESS_AT:
        address = args[_ADDRESS_AT[event]]
        # No address: the socket is connected, and the connection was judged when it was made.
        if address is None or (_UNIX is not None and getattr(args[0], "family", None) == _UNIX):
            return
        host = address[0] if isinstance(address, tuple) and address else repr(address)
    else:
        return
    if _is_this_machine(host):
        return
    if log := os.environ.get("COURSE_GUARD_LOG"):
        line = f"{os.getpid()} {host!a} {os.environ.get('PYTEST_CURRENT_TEST', '')}".rstrip()
        # One write to a file opened for appending: lines of several processes do not mix.
        file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(file, f"{line}\n".encode())
        finally:
            os.close(file)
    raise SocketRefusedError(f"A test may reach this machine only, so {host!a} was refused.")


def _run_the_one_behind() -> None:
    """Run the sitecustomize that this one hides, if the system has one (Debian does)."""
    from importlib.machinery import PathFinder, SourceFileLoader

    here = os.path.realpath(os.path.dirname(__file__))  # noqa: PTH120 - pathlib is slow to import
    folders = [folder for folder in sys.path if os.path.realpath(folder) != here]
    spec = PathFinder.find_spec("sitecustomize", folders)
    if spec is not None and isinstance(spec.loader, SourceFileLoader):
        code = spec.loader.get_code("sitecustomize")
        if code is not None:
            exec(code, {"__name__": "sitecustomize", "__file__": spec.origin})


sys.addaudithook(_hook)
if __name__ == "sitecustomize":
    _run_the_one_behind()
