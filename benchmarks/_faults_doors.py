"""Closed doors: what one stranger, one colleague or one bad file could do to the others."""

from __future__ import annotations

import csv
import io
import json
import re
import socket
import urllib.error
import urllib.request
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from benchmarks._fault_place import ROOT, Place, fault, one, until
from benchmarks._faults_data import LEFT_OUT, left_out
from benchmarks._visitor import OWN_RESULTS, Visitor
from core.serving import LOG_IN, MOST_A_SESSION
from core.sharing.link import LONGEST, parse_url

if TYPE_CHECKING:
    from tests.browser import driving

DOORS = "Closed doors"
LONG = "漢" * 170_000
"""Three of them are 1.5 MB, just under what Streamlit reads, and 4.6 MB as a link writes them."""
HEADER = "model,run,benchmark,score,standard_error\n"


@fault(DOORS, "A link of 1.5 MB in parameters that no page has")
def _long_link(place: Place) -> str:
    query = "&".join(["margin=1.5", *(f"{key}={LONG}" for key in ("x", "y", "utm_source"))])
    with place.visiting() as visitor:
        shown = visitor.open("", query)
        assert shown.answers
        plain = visitor.fetch(visitor.address_of("List (CSV)"))
        link = visitor.link()
    assert len(query.encode()) > 1_500_000
    assert parse_url(link).keys() <= {"evidence", "margin", "data", "prices"}, link[:300]
    assert len(plain) < 100_000, len(plain)
    return f"The page as without them; a link of {len(link)} signs."


@fault(DOORS, "A link of 1.5 MB in a parameter that a page has")
def _long_known_link(place: Place) -> str:
    with place.visiting() as visitor:
        shown = visitor.open("", f"margin=1.5&compare={LONG * 3}")
        link = visitor.link()
        rows = read(visitor.fetch(visitor.address_of("List (CSV)")))
        said = one(shown.alerts, "does not hold: compare")
    assert len(link) <= LONGEST, len(link)
    assert [row["link"] for row in rows] == [link, *[""] * (len(rows) - 1)]
    with place.visiting() as opener:
        assert "does not hold: compare" in opener.open("", urlsplit(link).query).text
    return said


def results(scores: dict[str, float]) -> bytes:
    """Return the results of one own model as the CSV template has them."""
    rows = (f"own/model,,{benchmark},{score!r},\n" for benchmark, score in scores.items())
    return (HEADER + "".join(rows)).encode()


def read(content: bytes) -> list[dict[str, str]]:
    """Return the rows of a CSV of the app."""
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))


@fault(DOORS, "Two visitors' files of equal length, head, middle and end")
def _same_length(place: Place) -> str:
    """All of BRIDGE, and one own model at a quarter with two scores the other way round."""
    label = "Full evidence (CSV)"

    def evidence(visitor: Visitor, scores: dict[str, float]) -> tuple[str, bytes]:
        visitor.open(OWN_RESULTS, "evidence=BRIDGE")
        one(visitor.upload("own.csv", results(scores)).alerts, "Read as CSV template")
        visitor.press("use_own.csv")
        visitor.go()
        address = visitor.address_of(label)
        return address, visitor.fetch(address)

    with place.visiting() as visitor:
        visitor.open("", "evidence=BRIDGE")
        rows = read(visitor.fetch(visitor.address_of(label)))
    like = list(dict.fromkeys(row["model"] for row in rows))[24]
    scores = {r["benchmark"]: float(r["score"]) for r in rows if r["model"] == like and r["score"]}
    first, second = list(scores)[40:42]
    with place.visiting() as visitor, place.visiting() as other:
        my_address, mine = evidence(visitor, scores | {first: 0.71, second: 0.72})
        their_address, theirs = evidence(other, scores | {first: 0.72, second: 0.71})
        again = visitor.fetch(visitor.address_of(label))
    assert len(mine) > 2**20
    assert my_address != their_address, "one address for two visitors"
    # Else the test would have shown nothing.
    middle = (len(mine) - 65_536) // 2
    assert len(mine) == len(theirs)
    assert all(mine[at:][:65_536] == theirs[at:][:65_536] for at in (0, middle, len(mine) - 65_536))
    assert mine != theirs
    assert mine == again
    return f"Each got their own {len(mine) / 2**20:.1f} MB, at two addresses."


def refusal(server: driving.Server, host: str, path: str = "/") -> tuple[int, str]:
    """Ask under another name, as a page of another site does whose name points here."""
    request = urllib.request.Request(f"{server.url}{path}", headers={"Host": host})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return int(answer.status), ""
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


@fault(DOORS, "A local run asked under a foreign name that points to this machine")
def _rebound(place: Place) -> str:
    port = urlsplit(place.server.url).port or 0
    host = f"evil.example:{port}"
    assert refusal(place.server, host) == (400, "Invalid host header")
    with socket.create_connection(("127.0.0.1", port), timeout=20) as here:
        status = 101
        try:
            connect(
                f"ws://{host}/_stcore/stream", sock=here, origin=Origin(f"http://{host}")
            ).close()
        except InvalidStatus as error:
            status = error.response.status_code
        assert status in {400, 403}, status
    for name in ("localhost", "127.0.0.1", "[::1]"):
        assert refusal(place.server, f"{name}:{port}")[0] == 200, name
    return "“Invalid host header” (400), for the page and for its websocket."


@fault(DOORS, "A local run that listens to the whole network")
def _listens_wider(place: Place) -> str:
    with place.serving(address="0.0.0.0") as server:
        with place.visiting(server) as visitor:
            shown = visitor.open()
            assert shown.answers
            assert "keep_fold" not in shown.folds
            assert "Renew now" not in visitor.open("snapshots").text
            said = visitor.open("saved").text
        assert "it is for one machine, and this server listens to others" in said, said[:900]
        until(lambda: "FORMULARY_LOCAL_RUN=1 has no effect here" in server.log.read_text("utf-8"))
    return "FORMULARY_LOCAL_RUN=1 has no effect here, on the page and in the log; it shows all."


def put_all(visitor: Visitor, n_files: int, megabytes: int) -> tuple[int, int, str]:
    """Send files until one is refused; return how many were taken, and the refusal."""
    content = b"x" * (megabytes * 2**20)
    for taken in range(n_files):
        try:
            visitor.put_anywhere(content)
        except urllib.error.HTTPError as error:
            return taken, error.code, error.read().decode()
    return n_files, 0, ""


@fault(DOORS, "60 files of 19 MB sent to a page without a place for any")
def _many_uploads(place: Place) -> str:
    with place.visiting() as visitor:
        visitor.open()
        taken, code, said = put_all(visitor, 60, 19)
        assert (taken, code) == (MOST_A_SESSION // (19 * 2**20), 413), (taken, code)
        with place.visiting() as other:
            other.open(OWN_RESULTS)
            good = f"{HEADER}own,,aci_bench,4.2,\n".encode()
            assert one(other.upload("good.csv", good).alerts, "Read as CSV template")
    return f"After {taken}: “{said}” ({code})"


@fault(DOORS, "A file from somebody who has not logged in where that is required")
def _not_logged_in(place: Place) -> str:
    with (
        place.serving(FORMULARY_REQUIRE_LOGIN="1") as server,
        place.visiting(server) as visitor,
    ):
        assert not visitor.open().answers
        taken, code, said = put_all(visitor, 1, 1)
    assert (taken, code, said) == (0, 403, LOG_IN), (taken, code, said)
    return f"“{said}” ({code})"


@fault(DOORS, "A program that drives the app through the interface for agents")
def _agents(place: Place) -> str:
    host = urlsplit(place.server.url).netloc
    for part in ("interact", "mcp", "openapi.json"):
        assert refusal(place.server, host, f"/_stcore/agent/{part}") == (404, "Not Found"), part
    return "“Not Found” (404)"


FAILING = """
import sys
sys.path.insert(0, {root!r})
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from app import start
from pages.components import notices

def fail():
    raise ValueError("what somebody typed")

if get_script_run_ctx(suppress_warning=True) is None:
    app = st.App(__file__, lifespan=start, on_script_error=notices.failed)
else:
    st.button("Press", on_click=fail)
    st.download_button("Take", data=fail, on_click="ignore")
    if st.button("Draw"):
        fail()
    st.write("drawn")
"""


@fault(DOORS, "A click that fails, a file that fails, a page that fails: the log as JSON")
def _logged(place: Place) -> str:
    script = place.folder / "failing.py"
    script.write_text(FAILING.format(root=str(ROOT)), "utf-8")
    with place.serving(FORMULARY_LOG_FORMAT="json", script=str(script)) as server:
        with Visitor(server.url) as visitor:
            visitor.open()
            said = ""
            try:
                visitor.address_of("Take")
            except AssertionError as error:
                said = str(error)
            assert "Failed to generate file" in said, said
            visitor.press("Press")
            visitor.open()
            visitor.press("Draw")
        until(lambda: server.log.read_text("utf-8").count("ValueError") >= 3)
        log = server.log.read_text("utf-8")
    lines = [line for line in log.splitlines() if line.strip()]
    # What Streamlit prints before the program has set up its log.
    early = re.compile(r"\s*(You can now|Local URL|URL:|Network)")
    told = [line for line in lines if not early.match(line)]
    for line in told:
        json.loads(line)
    assert not any(sign in log for sign in ("Traceback", "what somebody typed", ".py\\", 'File "'))
    return f"{sum('ValueError' in line for line in told)} lines of JSON, kind and place only."


left_out(
    "Manifest with an empty hash",
    "has no sha256 in the manifest",
    "benchhealth/arxiv-2405.00716/manifest.toml",
    lambda text: re.sub(r"(?m)^sha256.*", 'sha256 = ""', text),
    DOORS,
)
left_out(
    "Manifest with a wrong number of rows",
    "manifest.toml says n_rows = 5, but scores.csv has",
    "open-llm-v2/2025-02/manifest.toml",
    lambda text: re.sub(r"(?m)^n_rows.*", "n_rows = 5", text),
    DOORS,
)


@fault(DOORS, "Facts laid beside the scores of a snapshot that has none", fresh=True)
def _unhashed(place: Place) -> str:
    facts = place.data / "snapshots/open-llm-v2/2025-02/facts.csv"
    facts.write_text("model,field,value,source\nx,params_b,7,https://example.org\n", "utf-8")
    with place.serving() as server, place.visiting(server) as visitor:
        shown = visitor.open()
        said = one(shown.alerts, LEFT_OUT)
        assert "facts.csv has no sha256 in the manifest" in said, said
        assert shown.answers, shown.text[:500]
    facts.unlink()
    return said
