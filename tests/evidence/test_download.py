"""Downloads from a real server on this machine."""

import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from core.domain import BadDataError, BadRequestError
from core.evidence.download import download


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    target = ""

    def by_and_by(self, begin, sign):
        self.wfile.write(begin)
        with suppress(OSError):
            for _ in range(100):
                self.wfile.write(sign)
                self.wfile.flush()
                time.sleep(0.1)

    def do_GET(self):
        if self.path == "/headers-by-and-by":
            return self.by_and_by(b"HTTP/1.1 200 OK\r\nX-Long: ", b"x")
        if self.path == "/body-by-and-by":
            return self.by_and_by(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", b"x")
        return self.answer()

    def answer(self):
        status, headers, body = {
            "/anywhere": (302, {"Location": self.target}, b""),
            "/groups/file.json": (200, {}, b"[1]"),
            "/long": (200, {}, b"x" * 2000),
            "/on": (302, {"Location": "/groups/file.json"}, b""),
            "/round": (302, {"Location": "/round"}, b""),
        }.get(self.path, (404, {}, b""))
        self.send_response(status)
        for key, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def here():
    """A server on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def test_a_file_comes_with_its_name_also_behind_a_redirect(here):
    assert download(f"{here}/groups/file.json", 1000) == ("file.json", b"[1]")
    assert download(f"{here}/on", 1000) == ("on", b"[1]")


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/nothing", "answered with status 404"),
        ("/long", "larger than 1,000 bytes"),
        ("/round", "could not be read: TooManyRedirects"),
    ],
)
def test_a_server_at_fault_is_one_sentence(here, path, says):
    with pytest.raises(BadDataError, match=says):
        download(f"{here}{path}", 1000)


def test_nobody_there():
    with pytest.raises(BadDataError, match="could not be read: ConnectError"):
        download("http://127.0.0.1:9/x", 1000)


@pytest.mark.parametrize(
    "url",
    [
        *("", "x", "http://192.0.2.1/x", "file:///etc/passwd", "https://[x", "https://"),
        *("https:///x", "https://a:b/", "https://a:99999/", "https://x.example:-1/"),
        *("https://me:secret@x.example/", "https://x.example/\n", "https://x.example/\x00"),
        *("https://" + "a" * 300 + "." + "b" * 3000, "https://xn--\u0660.example/", "https://..."),
        *("https://\u2024/", "https://a b/", "https://x.example/" + "y" * 2000),
    ],
)
def test_other_addresses_are_refused_in_one_sentence(url):
    with pytest.raises((BadRequestError, BadDataError)) as refused:
        download(url, 1000, total_s=5)
    said = str(refused.value)
    assert "https://" in said or "could not be read" in said
    assert "secret" not in said.partition(" is not an address")[2]
    assert said.isprintable()
    assert len(said) < 500


@pytest.mark.slow
@pytest.mark.parametrize(
    "target",
    [
        "http://192.0.2.1/secret",
        "http://localhost:{port}/groups/file.json",
        "http://example.org/",
        "https://127.0.0.1:1/",
        "https://localhost:1/",
        "https://127.1:1/",
        "https://2130706433:1/",
        "https://[::1]:1/",
        "https://[::ffff:127.0.0.1]:1/",
        "https://[::]:1/",
        "https://0.0.0.0:1/",
        "https://169.254.169.254/latest",
        "https://10.0.0.1/",
        "https://192.168.0.1/",
        "https://[fe80::1]/",
        "https://[fd00::1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://[2002:7f00:1::]/",
        "ftp://example.org/",
        "file:///etc/passwd",
    ],
)
def test_a_redirect_leads_neither_to_http_nor_inside(here, target):
    Handler.target = target.replace("{port}", here.rpartition(":")[2])
    with pytest.raises((BadRequestError, BadDataError)) as refused:
        download(f"{here}/anywhere", 1000, total_s=10)
    said = str(refused.value)
    assert (
        "not an address that begins with https://" in said
        or "inside the network" in said
        or ("UnsupportedProtocol" in said)
    ), said


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/headers-by-and-by", "/body-by-and-by"])
def test_a_server_that_never_ends_is_left_alone(here, path):
    """A sign every tenth of a second comes in time each, for a quarter of an hour."""
    begun = time.monotonic()
    with pytest.raises(BadDataError, match="took too long"):
        download(f"{here}{path}", 100_000, total_s=1)
    assert time.monotonic() - begun < 5
