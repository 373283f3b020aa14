"""A platform behind `course serve`'s own server, in a thread, for judges that speak HTTP."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

from course_lib.platform.app import Platform
from course_lib.platform.server import (
    LOOPBACK,
    base_url,
    listen,
    make_server,
    one_for_each_key,
)


@contextmanager
def served(platform: Platform | None = None) -> Iterator[str]:
    """Serve `platform` to everybody, or one to each key, as `course serve` does.

    Yields the base URL, `http://127.0.0.1:PORT/v1`.
    """
    listening = listen(LOOPBACK, 0)
    server = make_server((lambda key: platform) if platform else one_for_each_key())
    thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield base_url(listening)
    finally:
        server.should_exit = True
        thread.join()
