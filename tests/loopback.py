"""A platform behind `course serve`'s own server, in a thread, for judges that speak HTTP."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

from course_lib.platform.app import Platform
from course_lib.platform.server import LOOPBACK, base_url, listen, make_server


@contextmanager
def served(platform: Platform) -> Iterator[str]:
    """Serve `platform` on a free port; yields the base URL, `http://127.0.0.1:PORT/v1`."""
    listening = listen(LOOPBACK, 0)
    server = make_server(platform)
    thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield base_url(listening)
    finally:
        server.should_exit = True
        thread.join()
