"""Counting uploads over a small ASGI application that keeps them, as Streamlit does."""

import asyncio
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.serving import LOG_IN, MOST_A_SESSION, MOST_IN_ALL, Uploads

MB = 2**20


class Server:
    """Keeps what is uploaded, until a session ends."""

    def __init__(self, *, strangers=()):
        self.files = defaultdict(dict)
        self.strangers = strangers
        self.fails = False
        self.most = 0
        self.layer = Uploads(self.app, lambda s: self.files[s], lambda s: s not in self.strangers)

    async def app(self, scope, receive, send):
        size, more = 0, True
        while more:
            message = await receive()
            size += len(message["body"])
            self.most = max(self.most, size)
            more = message["more_body"]
        if scope["method"] == "PUT" and not self.fails:
            *_, session, file = scope["path"].split("/")
            self.files[session][file] = size
        status = 500 if self.fails else 204
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    def put(self, session, file, size, *, announced=True, method="PUT", base=""):
        """Return status and text of the answer."""
        sent, left = [], [size]
        headers = [(b"content-length", str(size).encode())] if announced else []

        async def receive():
            now = min(left[0], MB)
            left[0] -= now
            return {"type": "http.request", "body": bytes(now), "more_body": left[0] > 0}

        async def send(message):
            sent.append(message)

        path = f"{base}/_stcore/upload_file/{session}/{file}"
        scope = {"type": "http", "method": method, "path": path, "headers": headers}
        with ThreadPoolExecutor(1) as pool:
            pool.submit(asyncio.run, self.layer(scope, receive, send)).result()
        body = b"".join(m.get("body", b"") for m in sent[1:]).decode()
        return sent[0]["status"], body


@pytest.mark.parametrize("base", ["", "/formulary"])
def test_a_session_holds_the_largest_file_twice_and_no_more(base):
    server = Server()
    assert MOST_A_SESSION == 40 * MB
    for file in "ab":
        assert server.put("s", file, 19 * MB, base=base)[0] == 204
    status, said = server.put("s", "c", 19 * MB, base=base)
    assert status == 413
    assert said.startswith("One visit may hold 40 MB of files.")
    assert server.put("s", "d", 2 * MB)[0] == 204
    assert server.put("s", "d", 2 * MB + 1, announced=False)[0] == 413
    assert server.put("other", "a", 19 * MB)[0] == 204


def test_bytes_that_were_not_announced_are_counted_as_they_come():
    server = Server()
    assert server.put("s", "a", 100 * MB, announced=False)[0] == 413
    assert server.most == 40 * MB
    assert not server.files["s"]
    assert server.put("s", "a", 20 * MB)[0] == 204  # nothing of the refused one is counted


def test_what_is_taken_out_or_gone_with_its_session_counts_no_more():
    server = Server()
    for file in "ab":
        server.put("s", file, 19 * MB)
    del server.files["s"]["a"]
    assert server.put("s", "c", 19 * MB)[0] == 204
    assert server.put("s", "b", 19 * MB)[0] == 413
    server.files.pop("s")
    for file in "de":
        assert server.put("s", file, 19 * MB)[0] == 204


def test_a_file_counts_no_more_once_it_was_read_but_for_its_names():
    server = Server()
    for file in "ab":
        server.put("s", file, 19 * MB)
    server.files["s"]["a"] = 0  # read by the page
    assert server.put("s", "c", 20 * MB)[0] == 204
    assert server.put("s", "d", 1 * MB)[0] == 413  # b, c, and 4 KiB of a
    server.files["s"] = dict.fromkeys("abc", 0)
    assert server.put("s", "d", 20 * MB)[0] == 204


def test_all_sessions_together_have_a_limit_too():
    server = Server()
    assert MOST_IN_ALL == 200 * MB
    for number in range(10):
        assert server.put(f"s{number}", "a", 19 * MB)[0] == 204
    status, said = server.put("last", "a", 11 * MB)
    assert status == 413
    assert said.startswith("This server holds as many files")
    assert server.put("last", "a", 10 * MB)[0] == 204


def test_an_upload_that_failed_is_not_counted_and_an_empty_one_is():
    server = Server()
    server.fails = True
    for _ in range(3):
        assert server.put("s", "a", 19 * MB)[0] == 500
    server.fails = False
    assert server.put("s", "a", 40 * MB - 3 * 4096)[0] == 204
    assert [server.put("s", f"e{n}", 0)[0] for n in range(5)] == [204, 204, 204, 413, 413]


def test_a_stranger_may_not_upload():
    server = Server(strangers={"s"})
    assert server.put("s", "a", 5) == (403, LOG_IN)
    assert not server.most
    assert server.put("s", "a", 0, method="DELETE")[0] == 204
    assert server.put("t", "a", 5)[0] == 204
