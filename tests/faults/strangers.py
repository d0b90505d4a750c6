"""What strangers type and bring: bad links and files, and doors that must stay closed."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import socket
import urllib.error
import urllib.request
from urllib.parse import urlencode, urlsplit

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from core.serving import LOG_IN, MOST_A_SESSION
from core.sharing.link import LONGEST_LINK, parse_url
from tests.faults.place import ROOT, SCRIPT, Place, fault, one, until
from tests.faults.visitor import KEPT_LISTS, OWN_RESULTS, TEST_RESULTS, WIN_RATES, Visitor
from tests.pages.hostile import KEYS

LINK, UPLOAD, RESULTS, DOORS = "Bad links", "Bad uploads", "Results of tests", "Closed doors"
HEADER = "model,run,benchmark,score,standard_error\n"
GOOD = f"{HEADER}own,,aci_bench,4.2,\n".encode()
ITEMS = b"model,item,score\n" + b"".join(b"a,%d,1\nb,%d,0\n" % (i, i) for i in range(9))
NAMED = "the words of a note"
USED = "About this link:"


def link(name: str, query: object, words: str = USED, *pages: str) -> None:
    """Register a link that is answered with a notice, and the pages next to it."""
    asked = query if isinstance(query, str) else urlencode(query)

    def inject(place: Place) -> str:
        said = ""
        with place.visiting() as visitor:
            for page in pages or ("",):
                shown = visitor.open(page, asked)
                assert page or shown.answers, shown.text[:500]
                assert not shown.markup, shown.markup
                said = said or one([*shown.alerts, *shown.text.splitlines()], words)
                assert len(said) < 8000, len(said)
        # The command line reads the same link.
        assert place.command("shortlist", "--link", f"x?{asked}", "--json").status in (0, 2, 3)
        return said

    fault(LINK, name)(inject)


EVERY_PAGE = ("", "?recommend_tab=How+sure", "replace", "replace?replace_tab=Side+by+side", "cost")
EVERY_PAGE += ("conditions", "evidence", WIN_RATES, "local_test", TEST_RESULTS, "data")
EVERY_PAGE += ("model?model=gpt-5.2",)
NUMBERS = "budget=nan&margin=1e999&requests=-1&tokens_in=x&prices=2099-01-01"
ALL = {"evidence": "All evidence", "data": "all (00000000)"}
NOBODYS = {"gates": SCRIPT, "platform": "=1+1", "case_set": SCRIPT, "judge": "x", "cases": "x"}
OWN = {"own_price": "gpt-4o;1e999;=1+1;2026;x", "own_answer": ";;;;;;;"}
EVERYWHERE = dict.fromkeys(KEYS, SCRIPT)
link("HTML and script in every parameter that a link may have", EVERYWHERE)
link("The same over all evidence, on twelve pages", EVERYWHERE | ALL, USED, *EVERY_PAGE)
link("Profile, platform, case set and judge of nobody", NOBODYS | ALL, "not known", "local_test")
link("A parameter of 100 kB", {"only": "x" * 100_000})
link("Invalid UTF-8 and null bytes", "evidence=%ff%fe%00&task=%c0%80&budget=%ed%a0%80")
link("Numbers that are none: NaN, 1e999, −1, x; a day in 2099", NUMBERS)
link("Evidence that is not here", {"data": "v0.0.1 (c0ffee00)"}, "is not here")
link("Own prices and answers that are not of their form", OWN)
link("Only models that nobody knows", {"only": SCRIPT}, "models left out")


def read_in(place: Place, address: str, **how: object) -> tuple[int, bytes]:
    """Ask for an address of the server; return status and body."""
    request = urllib.request.Request(f"{place.server.url}/{address}", **how)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except (urllib.error.URLError, ConnectionError):
        return 0, b""  # closed before all was sent


@fault(LINK, "Address of 1 MB, an unknown page, and paths out of the folder")
def _addresses(place: Place) -> str:
    assert read_in(place, f"?only={'x' * 1_000_000}")[0] in (0, 200, 400, 414, 431)
    for path in ("../../etc/passwd", "..%2f..%2fetc%2fpasswd", "static/..%5c..%5cx", "nowhere"):
        status, body = read_in(place, path)
        assert status in (200, 400, 403, 404), status
        assert b"root:" not in body
    with place.visiting() as visitor:
        assert visitor.open("nowhere").answers
    return "The answer, with a notice that there is no such page; no file of the server."


def upload(name: str, file: str, content: bytes, words: str, test: bool = False) -> None:
    """Register a file that is refused with one sentence; the next one is read as if it had not."""
    page, to, good, read_as = (OWN_RESULTS, "own_file", GOOD, "Read as CSV template")
    if test:
        page, to, good, read_as = TEST_RESULTS, "result_files", ITEMS, "Case by case"

    def inject(place: Place) -> str:
        with place.visiting() as visitor:
            visitor.open(page)
            said = one(visitor.upload(file, content, to).alerts, words)
            assert len(said) < 700, len(said)
            assert NAMED not in visitor.shown.text
            assert read_as in visitor.upload("good.csv", good, to).text, visitor.shown.text[-2000:]
        return said

    fault(RESULTS if test else UPLOAD, name)(inject)


DEEP = b"[" * 100_000
upload("JSON nested 100,000 deep", "a.json", DEEP, "deeply")
upload("CSV with a benchmark that is HTML", "a.csv", f"{HEADER}m,,{SCRIPT},1,\n".encode(), "a.csv")


@fault(UPLOAD, "A file of 50 MB")
def _not_taken(place: Place) -> str:
    with place.visiting() as visitor:
        visitor.open(OWN_RESULTS)
        status = 200
        try:
            visitor.upload("a.csv", b"x" * 50_000_000)
        except urllib.error.HTTPError as error:
            status = error.code
        except (urllib.error.URLError, ConnectionError, ConnectionClosed):
            status = 413  # refused while it was still coming
    assert status == 413, status
    return "The page takes at most 19 MB."


def judged(model: str = "m", value: float = 0.5) -> bytes:
    """Return an Inspect log of open cases, as a judge wrote it."""
    about = {"case_set": "healthbench-hard", "judge": SCRIPT, "models": {"m": model}}
    head = {"task": "healthbench", "model": "m", "dataset": {}, "config": {}, "metadata": about}
    scores = {"judge": {"value": {"score": value, NAMED: 0.1}, "explanation": NAMED}}
    samples = [{"id": i, "epoch": 1, "input": NAMED, "scores": scores} for i in range(12)]
    whole = {"version": 2, "status": "success", "eval": head, "samples": samples}
    return json.dumps(whole).encode()


PATIENTS = f"{NAMED}\nhas a cough\n".encode()
for what, brought, told in (
    ("Judge's log with a score beyond its scale", judged(value=7), "outside"),
    ("Judge's log with NaN as a score", judged(value=float("nan")), "no score"),
    ("Judge's log, nested 100,000 deep", judged()[:-2] + b"," + DEEP, "deeply"),
    ("Notes of patients in place of results", PATIENTS, "not one of the formats that can be read"),
):
    upload(what, "x.json" if "log" in what else "x.csv", brought, told, test=True)


@fault(RESULTS, "Judge's log with HTML as its models and its judge, on the page, and kept there")
def _judged(place: Place) -> str:
    with place.visiting() as visitor:
        visitor.open(TEST_RESULTS)
        for name in ("gpt-5.2", SCRIPT):
            shown = visitor.upload(f"{len(name)}.json", judged(name), "result_files", add=True)
        assert not shown.markup, shown.markup
        assert not shown.exceptions
        assert NAMED not in shown.text
        assert "HealthBench hard" in shown.text, shown.text[-3000:]
        visitor.press("Keep on this server")
        assert "kept on" in visitor.go(OWN_RESULTS).text
        shutil.rmtree(place.data / "ours")
    return "Read, its names as text, and no word of a case."


LONG = "漢" * 170_000
"""Three of them are 1.5 MB, just under what Streamlit reads, and 4.6 MB as a link writes them."""


def read(content: bytes) -> list[dict[str, str]]:
    """Return the rows of a CSV of the app."""
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))


@fault(DOORS, "Links of 1.5 MB, in parameters that no page has, and in one that a page has")
def _long_links(place: Place) -> str:
    links = []
    for query in (f"x={LONG}&y={LONG}&utm_source={LONG}", f"compare={LONG * 3}"):
        with place.visiting() as visitor:
            assert visitor.open("", f"margin=1.5&{query}").answers
            links.append(visitor.link())
            said = " ".join(visitor.shown.alerts)
            rows = read(visitor.fetch(visitor.address_of("List (CSV)")))
        assert len(links[-1]) <= LONGEST_LINK
        assert [row["link"] for row in rows] == [links[-1], *[""] * (len(rows) - 1)]
    assert parse_url(links[0]).keys() <= {"evidence", "margin", "data", "prices", "gates"}
    assert ": compare." in said, said
    with place.visiting() as opener:
        one(opener.open("", urlsplit(links[1]).query).alerts, ": compare.")
    return said


@fault(UPLOAD, "Two visitors' results of one length, of a model whose name is HTML and a formula")
def _same_length(place: Place) -> str:
    """All of BRIDGE, and one own model at a quarter with two scores the other way round."""
    label, evidence = "Full evidence (CSV)", "evidence=BRIDGE"

    def own(visitor: Visitor, scores: dict[str, float]) -> tuple[str, bytes]:
        rows = (f"=1+{SCRIPT},,{benchmark},{score!r},\n" for benchmark, score in scores.items())
        visitor.open(OWN_RESULTS, evidence)
        visitor.upload("own.csv", (HEADER + "".join(rows)).encode())
        assert not visitor.press("use_own.csv").markup
        assert not visitor.go(WIN_RATES).markup
        assert not visitor.go().markup
        address = visitor.address_of(label)
        return address, visitor.fetch(address)

    with place.visiting() as visitor:
        visitor.open("", evidence)
        rows = read(visitor.fetch(visitor.address_of(label)))
    like = list(dict.fromkeys(row["model"] for row in rows))[24]
    scores = {r["benchmark"]: float(r["score"]) for r in rows if r["model"] == like and r["score"]}
    first, second = list(scores)[40:42]
    with place.visiting() as visitor, place.visiting() as other:
        my_address, mine = own(visitor, scores | {first: 0.71, second: 0.72})
        their_address, theirs = own(other, scores | {first: 0.72, second: 0.71})
        assert visitor.fetch(visitor.address_of(label)) == mine
    assert my_address != their_address, "one address for two visitors"
    assert mine != theirs
    # By length, head, middle and end the framework would take both for one file.
    assert len(mine) == len(theirs) > 2**20
    for at in (0, (len(mine) - 65_536) // 2, len(mine) - 65_536):
        assert mine[at:][:65_536] == theirs[at:][:65_536]
    assert SCRIPT.encode() in mine
    assert not any(cell.startswith("=") for row in read(mine) for cell in row.values())
    return f"Each got their own {len(mine) / 2**20:.1f} MB, at two addresses, and no formula."


@fault(DOORS, "A local run asked under a foreign name that points to this machine")
def _rebound(place: Place) -> str:
    port = urlsplit(place.server.url).port or 0
    host = f"evil.example:{port}"
    assert read_in(place, "", headers={"Host": host}) == (400, b"Invalid host header")
    with socket.create_connection(("127.0.0.1", port), timeout=20) as here:
        status = 101
        try:
            connect(f"ws://{host}/_stcore/stream", sock=here, origin=Origin(f"http://{host}"))
        except InvalidStatus as error:
            status = error.response.status_code
        assert status in {400, 403}, status
    for name in ("localhost", "127.0.0.1", "[::1]"):
        assert read_in(place, "", headers={"Host": f"{name}:{port}"})[0] == 200, name
    return "“Invalid host header” (400), for the page and for its websocket."


@fault(DOORS, "A local run that listens to the whole network")
def _listens_wider(place: Place) -> str:
    with place.serving(address="0.0.0.0") as server, place.visiting(server) as visitor:
        assert "keep_fold" not in visitor.open().folds
        assert visitor.shown.answers
        assert "renew_secondary" not in visitor.open("data").controls
        said = one(visitor.open(KEPT_LISTS).alerts, "this server listens to others")
        until(lambda: "FORMULARY_LOCAL_RUN=1 has no effect" in server.log.read_text("utf-8"))
    return said


@fault(DOORS, "A renewal at a time that is none")
def _no_time(place: Place) -> str:
    try:
        with place.serving(FORMULARY_REFRESH="noon"):
            raise RuntimeError("it started")
    except AssertionError as error:
        return one(str(error).splitlines(), "FORMULARY_REFRESH")


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
            one(other.upload("good.csv", GOOD).alerts, "Read as CSV template")
    return f"After {taken}: “{said}” ({code})"


@fault(DOORS, "A file from somebody who has not logged in where that is required")
def _not_logged_in(place: Place) -> str:
    with place.visiting(FORMULARY_REQUIRE_LOGIN="1") as visitor:
        assert not visitor.open().answers
        taken, code, said = put_all(visitor, 1, 1)
    assert (taken, code, said) == (0, 403, LOG_IN), (taken, code, said)
    return f"“{said}” ({code})"


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
            visitor.ask_for("Take")
            url, why = visitor.file_made()
            assert not url
            assert "typed" not in why, why
            visitor.press("Press")
            visitor.open()
            visitor.press("Draw")
        until(lambda: server.log.read_text("utf-8").count("ValueError") >= 3)
        log = server.log.read_text("utf-8")
    # What Streamlit prints before the program has set up its log.
    early = re.compile(r"\s*(You can now|Local URL|URL:|Network)")
    told = [line for line in log.splitlines() if line.strip() and not early.match(line)]
    for line in told:
        json.loads(line)
    assert not any(sign in log for sign in ("Traceback", "what somebody typed", ".py\\", 'File "'))
    return f"{sum('ValueError' in line for line in told)} lines of JSON, kind and place only."
