"""Faults of the network: whatever the Hub may do to a refresh."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from benchmarks._fault_place import HUB_REPO, Place, fault, until
from tests.evidence import hub_server

if TYPE_CHECKING:
    from collections.abc import Callable

GROUP = "Network"
PARQUET = "data/train-00000-of-00001.parquet"
CLOSED = "http://127.0.0.1:9"
"""Nobody listens at the port of the discard service."""


def refused(name: str, words: str, spoil: Callable[[Place], None]) -> None:
    """Register a fault of the Hub that a refresh on the command line meets."""

    def inject(place: Place) -> str:
        place.publish()
        spoil(place)
        try:
            said = place.refresh()
        finally:
            place.hub.release.set()
        assert said.status == 3, f"{said.status} {said.out} {said.err}"
        assert words in said.sentence, said.sentence
        place.refreshes()
        return said.sentence

    fault(GROUP, name)(inject)


def answers(pattern: str, how: str, **more: object) -> Callable[[Place], None]:
    """Return what makes the Hub misbehave on paths that match."""
    return lambda place: place.hub.fail(pattern, how, **more)


def holds(change: Callable[[hub_server.Repo], None]) -> Callable[[Place], None]:
    """Return what changes the repository on the Hub."""

    def spoil(place: Place) -> None:
        repo = place.hub.repos["dataset", HUB_REPO]
        change(repo)
        place.hub.put("dataset", HUB_REPO, repo)

    return spoil


refused("Hub answers 500", "fault of its own (500)", answers("", "status", status=500))
refused("Hub answers 404: the leaderboard is gone", "not found", answers("", "status", status=404))
refused(
    "Hub answers 429: too many requests",
    "limits requests",
    answers("", "status", status=429, headers={"Retry-After": "120"}),
)
refused("Hub answers 403: no access", "does not let", answers("resolve", "status", status=403))
refused("Connection breaks in the middle of the file", "broke", answers(r"\.parquet", "cut"))
refused("Hub sends more than it announced", "larger", answers(r"\.parquet", "swell"))
refused("Hub is silent for 20 seconds, three times", "", answers(r"\.parquet", "stall"))
refused(
    "Redirect to another host",
    "could not be reached",
    answers(r"\.parquet", "status", status=302, headers={"Location": f"{CLOSED}/stolen"}),
)
refused(
    "File is not what its name says (no Parquet)",
    "so nothing was taken",
    holds(lambda repo: repo.files.update({PARQUET: b"not a table" * 100})),
)
refused(
    "File has another size than the listing says",
    "",
    holds(lambda repo: repo.listed_sizes.update({PARQUET: 10})),
)


@fault(GROUP, "Live leaderboard has lost most of its models")
def _lost_models(place: Place) -> str:
    place.publish(n_models=3)
    said = place.refresh()
    assert said.status == 3, said.err
    place.refreshes()
    return said.sentence


@fault(GROUP, "Hub cannot be reached, seen on the page")
def _unreachable(place: Place) -> str:
    with place.serving(HF_ENDPOINT=CLOSED) as server, place.visiting(server) as visitor:
        visitor.open("snapshots")
        visitor.press("renew_secondary")
        until(lambda: "could not be reached" in visitor.rerun().text, 90)
        said = next(line for line in visitor.shown.text.splitlines() if "not be reached" in line)
        assert visitor.open().answers
    place.refreshes()
    return said


class _WebPage(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"<html><script>alert(1)</script>Please log in to the hospital's network</html>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815 - the name that the library asks for

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@fault(GROUP, "A proxy answers with its login page in place of the Hub")
def _proxy(place: Place) -> str:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _WebPage)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        said = place.refresh(HF_ENDPOINT=f"http://127.0.0.1:{server.server_address[1]}")
    finally:
        server.shutdown()
        server.server_close()
    assert said.status == 3, said.err
    assert "<script" not in said.err, said.err
    place.refreshes()
    return said.sentence


@fault(GROUP, "A message that is not Streamlit's comes over the websocket")
def _garbage(place: Place) -> str:
    with place.visiting() as visitor:
        visitor.open()
        visitor.send_raw(b"\xff\xfe\xfd" * 1000)
    with place.visiting() as visitor:
        assert visitor.open().answers
    return "That browser's connection was closed, and it connected anew; nobody else saw anything."


@fault(GROUP, "Connection lost in the middle of a change, then a reload")
def _reload(place: Place) -> str:
    with place.visiting() as visitor:
        visitor.open(query="budget=100")
    with place.visiting() as visitor:
        shown = visitor.open(query="budget=100")
        assert "$100 a month" in shown.text
    return "After the reload the same shortlist, since the address holds the whole question."
