"""The app behind nginx, below a path and by HTTPS, with the file that the documents hand out."""

import re
import ssl
from dataclasses import replace
from http.client import HTTPConnection, HTTPSConnection
from urllib.parse import urlsplit

import proxy
import pytest
from driving import ROOT, Server, parsed, start

pytestmark = pytest.mark.tools

CONFIGURATION = ROOT / "docs" / "deploy" / "nginx.conf"
BRIDGE = "evidence=BRIDGE&task=Documentation&max_params=15+B"
RATINGS = b"rater,role,instance,score\nA,nurse,1,2\n"


@pytest.fixture(scope="module")
def proxied(tmp_path_factory, browser):
    """The app below /formulary/, as a visitor of the proxy sees it; skip without nginx."""
    if not proxy.IS_HERE:
        pytest.skip("there is no nginx or no openssl here")
    folder = tmp_path_factory.mktemp("nginx")
    app = start(
        tmp_path_factory.mktemp("behind"),
        STREAMLIT_SERVER_BASE_URL_PATH="formulary",
        FORMULARY_ALLOWED_HOSTS=proxy.NAME,
    )
    http, https = proxy.free_port(), proxy.free_port()
    places = {
        "server 127.0.0.1:8501;": f"server {urlsplit(app.url).netloc};",
        "listen 80;": f"listen 127.0.0.1:{http};",
    }
    with proxy.running(CONFIGURATION.read_text("utf-8"), folder, https, places):
        yield replace(app, url=f"https://127.0.0.1:{https}/formulary"), http, folder
    app.stop()


def ask(server: Server, path, name=proxy.NAME):
    port = urlsplit(server.url).port
    unsigned = ssl._create_unverified_context()
    connection = HTTPSConnection("127.0.0.1", port, timeout=30, context=unsigned)
    connection.request("GET", path, headers={"Host": f"{name}:{port}"})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, {k.lower(): v for k, v in answer.getheaders()}


def test_all_works_below_a_path_from_a_deep_link_on(proxied, reader):
    server, _, _ = proxied
    one = reader(server)
    one.open("replace", tab="Candidates", query=BRIDGE)
    assert one.page.get_by_role("dialog").count() == 0
    assert urlsplit(one.page.url).path == "/formulary/replace"
    one.go("Answer")
    assert urlsplit(one.page.url).path.rstrip("/") == "/formulary"
    rows = parsed(one.download())
    assert rows
    assert all(float(row["params_b"]) <= 15 for row in rows)
    link = one.link()
    assert link.startswith(f"{server.url}?")
    assert "max_params=15" in link
    one.fill("Monthly budget, US dollars", 900)  # a rerun over the websocket
    one.says("within $900 a month")
    colleague = reader(server)
    colleague.open(link, tab="Answer")
    assert parsed(colleague.download())[0]["name"] == rows[0]["name"]
    colleague.go("Clusters")
    colleague.main.locator("[data-testid=stVegaLiteChart] svg.marks").first.wait_for()
    colleague.go("Jury check")
    colleague.upload("own.csv", RATINGS)
    colleague.says('own.csv, row 2: the role "nurse" is neither clinician nor jury.')


def test_the_proxy_hides_the_addresses_for_operators_and_asks_for_https(proxied):
    server, http, folder = proxied
    status, headers = ask(server, "/formulary/")
    assert status == 200
    assert headers["strict-transport-security"] == "max-age=31536000"
    assert "content-security-policy" in headers
    assert not re.search(r"\d", headers.get("server", ""))
    for path in ("metrics", "script-health-check", "metrics/"):
        assert ask(server, f"/formulary/_stcore/{path}")[0] == 404
    assert ask(server, "/formulary/_stcore/health")[0] == 200
    assert ask(server, "/formulary/", name="evil.example")[0] == 400
    assert ask(server, "/elsewhere")[0] == 404
    status, headers = ask(server, "/formulary?max_params=15+B")
    assert (status, urlsplit(headers["location"]).path) == (308, "/formulary/")
    assert headers["location"].endswith("?max_params=15+B")
    plain = HTTPConnection("127.0.0.1", http, timeout=30)
    plain.request("GET", "/formulary/?a=1", headers={"Host": proxy.NAME})
    answer = plain.getresponse()
    assert answer.status == 308
    assert answer.headers["Location"] == f"https://{proxy.NAME}/formulary/?a=1"
    plain.close()
    # Its log holds no question.
    assert ask(server, "/formulary/replace?monthly_budget=12345")[0] == 200
    log = (folder / "access.log").read_text()
    assert '"GET /formulary/replace" 200' in log
    assert "12345" not in log


def test_scripts_and_styles_come_compressed_from_the_memory_of_the_proxy(proxied, reader):
    server, _, folder = proxied
    one = reader(server)
    one.open(tab="Answer", query=BRIDGE)
    spoken = "performance.getEntriesByType('navigation')[0].nextHopProtocol"
    assert one.page.evaluate(spoken) == "h2"
    files = one.page.evaluate(
        "performance.getEntriesByType('resource').filter(e => e.name.endsWith('.js'))"
        ".map(e => [new URL(e.name).pathname, e.encodedBodySize, e.decodedBodySize])"
    )
    assert len(files) > 100
    assert sum(sent for _, sent, _ in files) < 0.4 * sum(whole for _, _, whole in files)
    largest, _, whole = max(files, key=lambda file: file[2])
    kept = [file for file in (folder / "cache").rglob("*") if largest.encode() in head(file)]
    assert len(kept) == 1
    status, headers = ask(server, largest)
    assert (status, int(headers["content-length"])) == (200, whole)
    assert headers["strict-transport-security"] == "max-age=31536000"
    assert headers["x-content-type-options"] == "nosniff"
    assert "immutable" in headers["cache-control"]


def head(file):
    return file.read_bytes()[:2000] if file.is_file() else b""
