"""The headers of a real server, and a browser that keeps to them.

That no page breaks the content security policy is seen by every browser test: a violation is an
error in the console, which the fixture ``reader`` does not forgive.
"""

import re
import socket
import threading
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
from driving import start
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

HEADERS = {
    "content-security-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "permissions-policy",
    "referrer-policy",
    "x-content-type-options",
}


def ask(server, path, method="GET", headers=None):
    connection = HTTPConnection(urlsplit(server.url).netloc, timeout=30)
    connection.request(method, path, headers=headers or {})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, {k.lower(): v for k, v in answer.getheaders()}, body


@pytest.fixture(scope="module")
def named(tmp_path_factory, portal, browser):
    settings = {
        "FORMULARY_ALLOWED_HOSTS": "formulary.example",
        "FORMULARY_FRAME_ANCESTORS": portal,
    }
    running = start(tmp_path_factory.mktemp("named"), **settings)
    yield running
    running.stop()


def test_pages_files_uploads_and_errors_have_the_headers(server):
    page = ask(server, "/")[2].decode()
    script = re.search(r'src="\./(static/js/[^"]+)"', page)[1]
    for path, method, status in (
        ("/", "GET", 200),
        ("/replace?task=Documentation", "GET", 200),
        (f"/{script}", "GET", 200),
        ("/_stcore/health", "GET", 200),
        ("/_stcore/upload_file/nobody/nothing", "PUT", 403),
        ("/media/none.csv", "GET", 404),
        ("/_stcore/health", "DELETE", 405),
        ("/..%2f..%2fetc/passwd", "GET", 400),
        ("/_stcore/metrics", "GET", 404),
        ("/_stcore/agent/interact", "POST", 404),
        ("/_stcore/script-health-check", "GET", 404),
    ):
        found, headers, _ = ask(server, path, method)
        assert found == status, path
        assert headers.keys() >= HEADERS, path
        assert "strict-transport-security" not in headers
    # The token of a page is known to that page only, so another site can upload nothing.
    path = "/_stcore/upload_file/some-session/some-file"
    status, _, body = ask(server, path, "PUT", {"Origin": "https://evil.example"})
    assert (status, b"XSRF" in body) == (403, True)


def test_a_server_with_a_name_answers_under_no_other(named, portal):
    for host, status in (
        ("formulary.example", 200),
        ("FORMULARY.example:443", 200),
        ("127.0.0.1", 200),
        ("evil.example", 400),
        ("formulary.example.evil.example", 400),
    ):
        found, headers, body = ask(named, "/", headers={"Host": host})
        assert found == status, host
        assert headers.keys() >= HEADERS
        assert host.encode() not in body
    assert f"frame-ancestors {portal}" in headers["content-security-policy"]


def websocket(server, host, origin):
    """Open the websocket under a name of the server, as a page of that origin would."""
    port = urlsplit(server.url).port
    there = socket.create_connection(("127.0.0.1", port), timeout=30)
    address = f"ws://{host}:{port}/_stcore/stream"
    return connect(address, sock=there, origin=f"http://{origin}:{port}")


def test_a_websocket_opens_from_the_own_page_only(named):
    with websocket(named, "formulary.example", "formulary.example"):
        pass
    with pytest.raises(InvalidStatus) as refused:
        websocket(named, "formulary.example", "evil.example")
    assert refused.value.response.status_code == 403
    # A name that its owner pointed at this server: page and websocket agree, and both are refused.
    with pytest.raises(InvalidStatus) as refused:
        websocket(named, "evil.example", "evil.example")
    assert refused.value.response.status_code == 400


def refused(page, number, act):
    """Do something that the policy must refuse this often, each with a word of the console."""
    heard = []
    page.on("console", lambda message: heard.append(message.text))

    def last(_):
        return sum("Content Security Policy" in text for text in heard) >= number

    with page.expect_console_message(last):
        act()


def test_the_browser_runs_no_script_that_came_with_text(browser, server):
    """Whatever gets past the escaping of text: the policy is the second lock."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(server.url)
    script = """() => {
          const script = document.createElement('script');
          script.textContent = 'window.ran = true';
          document.body.append(script);
          document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.ran = true">');
          document.body.insertAdjacentHTML('beforeend', '<img src="https://evil.example/x.png">');
        }"""
    # The script, the handler of the first picture and the address of the second: what the policy
    # has refused is told, so after the third word there is nothing left that may still run.
    refused(page, 3, lambda: page.evaluate(script))
    assert page.evaluate("window.ran") is None
    context.close()


@pytest.fixture(scope="module")
def portal():
    """Another site, which shows an address inside its own page."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            address = self.path.removeprefix("/?")
            text = f'<title>Portal</title><iframe src="{address}" width=1200 height=2900></iframe>'
            self.wfile.write(text.encode())

        def log_message(self, *_):
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    # By this name it is another site than the app on 127.0.0.1, for cookies too.
    yield f"http://localhost:{httpd.server_port}"
    httpd.shutdown()


def test_only_a_site_that_was_named_may_frame_the_app(browser, server, named, portal):
    """As a Hugging Face Space is shown."""
    context = browser.new_context(viewport={"width": 1280, "height": 3000})
    page = context.new_page()
    page.goto(f"{portal}/?{named.url}/")
    page.frame_locator("iframe").get_by_role("heading", name="Recommend").wait_for()
    page.frame_locator("iframe").get_by_role(
        "heading", name=re.compile("^(Take|Start with) ")
    ).wait_for()
    refused(page, 1, lambda: page.goto(f"{portal}/?{server.url}/"))
    assert page.frame_locator("iframe").get_by_role("heading").count() == 0
    context.close()
