"""The app behind nginx, below a path and by HTTPS, with the file that the documents hand out."""

import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from dataclasses import replace
from http.client import HTTPConnection, HTTPSConnection
from urllib.parse import urlsplit

import pytest
from driving import ROOT, Server, parsed, start

CONFIGURATION = ROOT / "docs" / "deploy" / "nginx.conf"
NAME = "formulary.hospital.example"
BRIDGE = "evidence=BRIDGE&task=Documentation&max_params=15+B"
RATINGS = "rater,role,instance,score\nA,nurse,1,2\n"


def free_ports(number):
    sockets = [socket.socket() for _ in range(number)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def certificate(folder):
    """Write a certificate that nobody signed."""
    kind = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    files = ("-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem")
    command = ["openssl", *kind.split(), "-subj", f"/CN={NAME}", *files]
    subprocess.run(command, check=True, capture_output=True)


def adapted(folder, upstream, http, https):
    """Return the documented configuration with places of this machine put in."""
    text = CONFIGURATION.read_text("utf-8")
    for old, new in (
        ("/etc/nginx/certificates/", f"{folder}/"),
        ("/var/log/nginx/formulary.log", f"{folder}/access.log"),
        ("server 127.0.0.1:8501;", f"server {upstream};"),
        ("listen 80;", f"listen 127.0.0.1:{http};"),
        ("listen 443 ssl;", f"listen 127.0.0.1:{https} ssl;"),
    ):
        assert text.count(old) in ((2,) if old.endswith("certificates/") else (1,)), old
        text = text.replace(old, new)
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    top = f"daemon off;\npid {folder}/nginx.pid;\nerror_log {folder}/error.log;\n"
    return f"{top}events {{}}\nhttp {{\n{temporary}{text}}}\n"


@pytest.fixture(scope="module")
def proxied(tmp_path_factory, browser):
    """The app below /formulary/, as a visitor of the proxy sees it; skip without nginx."""
    nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if nginx is None or shutil.which("openssl") is None:
        pytest.skip("there is no nginx or no openssl here")
    folder = tmp_path_factory.mktemp("nginx")
    folder.chmod(0o755)
    certificate(folder)
    app = start(
        tmp_path_factory.mktemp("behind"),
        STREAMLIT_SERVER_BASE_URL_PATH="formulary",
        FORMULARY_ALLOWED_HOSTS=NAME,
    )
    http, https = free_ports(2)
    file = folder / "nginx.conf"
    file.write_text(adapted(folder, urlsplit(app.url).netloc, http, https), "utf-8")
    command = [nginx, "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(file)]
    subprocess.run([*command, "-t"], check=True, capture_output=True)
    process = subprocess.Popen(command)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", https)) == 0:
                break
        time.sleep(0.05)
    yield replace(app, url=f"https://127.0.0.1:{https}/formulary"), http, folder
    process.terminate()
    process.wait(timeout=10)
    app.stop()


def ask(server: Server, path, name=NAME):
    """Return status and headers of an answer by HTTPS, under the documented name."""
    port = urlsplit(server.url).port
    unsigned = ssl._create_unverified_context()
    connection = HTTPSConnection("127.0.0.1", port, timeout=30, context=unsigned)
    connection.request("GET", path, headers={"Host": f"{name}:{port}"})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, {k.lower(): v for k, v in answer.getheaders()}


def test_a_deep_link_is_the_first_request_and_all_works_below_the_path(proxied, reader):
    server, _, _ = proxied
    one = reader(server, ignore_https_errors=True)
    one.open("equivalents", heading="Smaller equivalents", query=BRIDGE)
    assert one.page.get_by_role("dialog").count() == 0
    assert urlsplit(one.page.url).path == "/formulary/equivalents"
    one.go("Shortlist")
    assert urlsplit(one.page.url).path.rstrip("/") == "/formulary"
    rows = parsed(one.download())
    assert rows
    assert all(float(row["params_b"]) <= 15 for row in rows)
    link = one.link()
    assert link.startswith(f"{server.url}?")
    assert "max_params=15" in link
    one.limit_size("8 B")  # a rerun over the websocket
    one.says("up to 8 B parameters")
    colleague = reader(server, ignore_https_errors=True)
    colleague.open(link, heading="Shortlist")
    assert parsed(colleague.download())[0]["name"] == rows[0]["name"]


def test_charts_and_uploads_work_below_the_path(proxied, reader):
    server, _, _ = proxied
    one = reader(server, ignore_https_errors=True)
    one.open("taxonomy", heading="Taxonomy")
    one.main.locator("[data-testid=stVegaLiteChart] svg.marks").first.wait_for()
    one.go("Local validation")
    one.page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        {"name": "own.csv", "mimeType": "text/csv", "buffer": RATINGS.encode()}
    )
    one.says('own.csv, row 2: the role "nurse" is neither clinician nor jury.')


def test_the_proxy_hides_what_is_for_operators_and_tells_the_browser_to_stay_with_https(proxied):
    server, http, _ = proxied
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
    plain.request("GET", "/formulary/?a=1", headers={"Host": NAME})
    answer = plain.getresponse()
    assert answer.status == 308
    assert answer.headers["Location"] == f"https://{NAME}/formulary/?a=1"
    plain.close()


def test_the_log_of_the_proxy_holds_no_question(proxied):
    server, _, folder = proxied
    assert ask(server, "/formulary/equivalents?monthly_budget=12345")[0] == 200
    log = (folder / "access.log").read_text()
    assert '"GET /formulary/equivalents" 200' in log
    assert "12345" not in log
