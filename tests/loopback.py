"""A platform behind a real socket on loopback, for judges that speak HTTP. For tests only.

`python -m tests.loopback` serves one and prints its base URL.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qsl, urlsplit

from course_lib.platform.app import Platform
from course_lib.platform.http import Request


@contextmanager
def served(platform: Platform) -> Iterator[str]:
    """Serve `platform` on a free port; yields the base URL, `http://127.0.0.1:PORT/v1`."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            url = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            query = dict(parse_qsl(url.query))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = platform.handle(Request(self.command, url.path, body, headers, query))
            content = b"".join(reply.chunks)
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_DELETE = _answer  # noqa: N815 the base class's names

        def log_message(self, *_: object) -> None:
            """Nothing: the platform keeps its own log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    with served(Platform()) as base_url:
        print(base_url, flush=True)
        input()
