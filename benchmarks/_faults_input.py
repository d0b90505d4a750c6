"""Bad links and bad uploads: what strangers type and bring."""

from __future__ import annotations

import csv
import gzip
import io
import re
import urllib.error
import urllib.request
import zipfile
from urllib.parse import quote, urlencode

from websockets.exceptions import ConnectionClosed

from benchmarks._fault_place import Place, fault, one
from benchmarks._visitor import OWN_RESULTS

LINK, UPLOAD = "Bad links", "Bad uploads"
SCRIPT = "<img src=x onerror=alert(1)><script>alert(1)</script>"
HEADER = "model,run,benchmark,score,standard_error\n"


def link(name: str, query: str, words: str = "could not be used", page: str = "") -> None:
    """Register a link that is answered with a notice, and the page beside it."""

    def inject(place: Place) -> str:
        with place.visiting() as visitor:
            shown = visitor.open(page, query)
            assert shown.answers or page, shown.text[:500]
            bodies = [e.alert.body for e in shown.elements if e.WhichOneof("type") == "alert"]
            assert not any("<img" in b.replace("\\<", "") for b in bodies), bodies
            assert not any(
                e.markdown.allow_html and "<img" in e.markdown.body for e in shown.elements
            )
            said = one(shown.alerts, words)
            assert len(said) < 3000, len(said)
            # The command line reads the same link to the same notes.
            assert not page or place.command("shortlist", "--link", f"x?{query}").status in (0, 2)
        return said

    fault(LINK, name)(inject)


KEYS = (
    "evidence",
    "task",
    "budget",
    "margin",
    "own_answer",
    "own_price",
    "prices",
    "gates",
)
link("HTML and script in eight parameters", urlencode(dict.fromkeys(KEYS, SCRIPT)))


@fault(LINK, "HTML and script as the only model to choose among")
def _script_as_model(place: Place) -> str:
    with place.visiting() as visitor:
        shown = visitor.open("", urlencode({"only": SCRIPT}))
    assert not any(e.markdown.allow_html and "<img" in e.markdown.body for e in shown.elements)
    left_out = re.search(r"\d+ models left out: [^.]* chose \d+", shown.text)
    assert left_out, shown.text[:500]
    return left_out.group()


link("A parameter of 100 kB", urlencode({"only": "x" * 100_000}))
link("Invalid UTF-8 and null bytes", "evidence=%ff%fe%00&task=%c0%80&budget=%ed%a0%80")
link(
    "Numbers that are none: NaN, 1e999, −1, x",
    urlencode({"budget": "nan", "margin": "1e999", "requests": "-1", "tokens_in": "x"}),
)
link("Evidence that is not here", "data=" + quote("v0.0.1 (c0ffee00)"), "is not here")
link(
    "Own prices and answers that are not of their form",
    urlencode({"own_price": "gpt-4o;1e999;=1+1;2026;x", "own_answer": ";;;;;;;"}),
)
link(
    "Model to replace that nobody knows",
    urlencode({"model": SCRIPT}),
    "is not known",
    page="equivalents",
)


def refused_with(error: urllib.error.HTTPError, *allowed: int) -> None:
    """Check the number that the server refused with."""
    assert error.code in allowed, error.code


@fault(LINK, "Only models that are not in the evidence")
def _unknown_models(place: Place) -> str:
    with place.visiting() as visitor:
        shown = visitor.open(query=urlencode([("only", "nobody/nothing"), ("only", SCRIPT)]))
        assert "<script" not in shown.text.replace(SCRIPT, "")
        found = [*shown.alerts, *(line for line in shown.text.splitlines() if "nobody" in line)]
        assert found, shown.text[:1000]
        assert visitor.open(query="only=").answers or visitor.shown.alerts
    return found[0]


@fault(LINK, "Address of 1 MB")
def _long_address(place: Place) -> str:
    request = urllib.request.Request(f"{place.server.url}/?only={'x' * 1_000_000}")
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            status = answer.status
    except urllib.error.HTTPError as error:
        status = error.code
    except (urllib.error.URLError, ConnectionError):
        status = 400  # closed before all was sent
    assert status in (200, 400, 414, 431), status
    return f"The server answered {status} before the app saw it."


@fault(LINK, "Unknown page, and a path out of the folder")
def _paths(place: Place) -> str:
    for path in ("nowhere", "../../etc/passwd", "..%2f..%2fetc%2fpasswd", "static/..%5c..%5cx"):
        try:
            with urllib.request.urlopen(f"{place.server.url}/{path}", timeout=20) as answer:
                assert b"root:" not in answer.read()
        except urllib.error.HTTPError as error:
            refused_with(error, 400, 403, 404)
    with place.visiting() as visitor:
        assert visitor.open("nowhere").answers
    return "The shortlist, with a notice that there is no such page; no file of the server."


@fault(LINK, "Another host's name in the request, where hosts are named")
def _host(place: Place) -> str:
    with place.serving(FORMULARY_ALLOWED_HOSTS="formulary.example.org") as server:
        request = urllib.request.Request(server.url, headers={"Host": "evil.example.com"})
        try:
            urllib.request.urlopen(request, timeout=20).close()
        except urllib.error.HTTPError as error:
            return f"“{error.read().decode()}” ({error.code})"
    raise AssertionError("the request was answered")


def upload(name: str, file: str, content: bytes, words: str) -> None:
    """Register a file that is refused with one sentence."""

    def inject(place: Place) -> str:
        with place.visiting() as visitor:
            visitor.open(OWN_RESULTS)
            said = one(visitor.upload(file, content).alerts, words)
            assert len(said) < 700, len(said)
            # The next file is read as if nothing had been.
            good = f"{HEADER}own,,aci_bench,4.2,\n".encode()
            assert one(visitor.upload("good.csv", good).alerts, "Read as CSV template")
        return said

    fault(UPLOAD, name)(inject)


def _zip_bomb() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("results.csv", b"0" * 200_000_000)
    return buffer.getvalue()


def _helm(value: str) -> bytes:
    return (
        '{"header": [{"value": "Model"}, {"value": "MedQA"}], '
        f'"rows": [[{{"value": "m"}}, {{"value": {value}}}]]}}'
    ).encode()


upload("ZIP bomb (200 MB in 200 kB) renamed .csv", "a.csv", _zip_bomb(), "ZIP archive")
upload("gzip bomb renamed .json", "a.json", gzip.compress(b"[" * 100_000_000), "gzip")
upload("Random bytes renamed .csv", "a.csv", b"\x81\x8d\x8f\x90" * 1000, "not UTF-8")
upload("JSON in Latin-1", "a.json", '{"a": "é"}'.encode("latin-1"), "not UTF-8")
upload("JSON with NaN", "a.json", _helm("NaN"), "NaN, Infinity")
upload("JSON with a number beyond all bounds", "a.json", _helm("1e999"), "number too large")
upload("JSON nested 100,000 deep", "a.json", b"[" * 100_000 + b"]" * 100_000, "deeply")
upload("JSON with a key twice", "a.json", _helm('0.5, "value": 0.9'), "comes twice")
upload("JSON cut off in the middle", "a.json", _helm("0.5")[:-20], "not readable JSON")
upload("Web page saved as .csv", "a.csv", f"<html>{SCRIPT}</html>".encode(), "web page")
for what, row, words in (
    ("CSV with a benchmark that is HTML", f"m,,{SCRIPT},0.5,", "a.csv"),
    ("CSV with a score outside the scale", "m,,aci_bench,99,", "outside"),
    ("CSV with decimal commas", "m,,aci_bench,4,2,", "a.csv"),
):
    upload(what, "a.csv", f"{HEADER}{row}\n".encode(), words)
upload("CSV of a million columns", "a.csv", b"a," * 1_000_000, "a.csv")
upload("Empty file", "a.csv", b"", "empty")


@fault(UPLOAD, "Model names that are HTML or spreadsheet formulas")
def _hostile_names(place: Place) -> str:
    formula = '=HYPERLINK("http://evil";"x")'
    rows = io.StringIO()
    writer = csv.writer(rows)
    for model in (SCRIPT, formula):
        writer.writerow([model, "", "aci_bench", "4.2", ""])
    with place.visiting() as visitor:
        visitor.open(OWN_RESULTS)
        shown = visitor.upload("a.csv", (HEADER + rows.getvalue()).encode())
        said = one(shown.alerts, "Read as CSV template")
        body = next(e.alert.body for e in shown.elements if "Read as" in e.alert.body)
        assert "\\<img" in body, body
        visitor.press("use_a.csv")
        shown = visitor.go()
        for element in shown.elements:
            if element.WhichOneof("type") == "html":
                assert "onerror" not in element.html.body
            if element.WhichOneof("type") == "markdown":
                assert "<img" not in element.markdown.body.replace("\\<", "")
    return said


@fault(UPLOAD, "File of 50 MB")
def _too_large(place: Place) -> str:
    with place.visiting() as visitor:
        visitor.open(OWN_RESULTS)
        try:
            visitor.upload("a.csv", b"x" * 50_000_000)
        except urllib.error.HTTPError as error:
            refused_with(error, 413)
        except (urllib.error.URLError, ConnectionError, ConnectionClosed):
            pass  # refused while it was still coming
        else:
            raise AssertionError("it was taken")
    return (
        "The browser says that the file must be 20 MB or smaller; a server that is sent it all "
        "the same answers 413."
    )


@fault(UPLOAD, "An upload without the page's token, as another site would send it")
def _forged(place: Place) -> str:
    request = urllib.request.Request(
        f"{place.server.url}/_stcore/upload_file/x/y", data=b"x", method="PUT"
    )
    try:
        urllib.request.urlopen(request, timeout=20).close()
    except urllib.error.HTTPError as error:
        refused_with(error, 400, 403)
        return f"The server answered {error.code}."
    raise AssertionError("it was taken")
