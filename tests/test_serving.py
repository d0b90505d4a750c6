"""Headers, hidden and moved addresses, uploads, over small ASGI applications; and the log."""

import asyncio
import json
import logging
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import pytest

from core import logs, serving

PAGE = "<html><script>window.ready = false</script><script src='a.js'></script></html>"
# printf 'window.ready = false' | openssl dgst -sha256 -binary | base64
HERE = ("localhost", "127.0.0.1", "[::1]")
HASH = "sha256-Z7L2T8khoKWK3qtQF/wSktj9xGCtCfem3Y6SPjwBwdU="


def run(coroutine):
    """Run it in a thread of its own, since browser tests leave a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


async def hello(scope, receive, send):
    headers = [(b"content-type", b"text/html"), (b"X-Content-Type-Options", b"something else")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"hello"})


async def broken(scope, receive, send):
    raise RuntimeError("secret detail")


def ask(app, path="/", headers=(), environment=None, scheme="http"):
    """Return status, headers and body of an answer, and the fault behind it."""
    sent, fault = [], None
    path, _, query = path.partition("?")
    scope = {"type": "http", "path": path, "headers": list(headers), "scheme": scheme}
    scope["query_string"] = query.encode()

    async def send(message):
        sent.append(message)

    guard = serving.Guard(app, PAGE, serving.rules(environment or {}))
    try:
        run(guard(scope, None, send))
    except RuntimeError as error:
        fault = error
    found = [(k.decode(), v.decode()) for k, v in sent[0]["headers"]]
    assert len(dict(found)) == len(found), "a header is there twice"
    return sent[0]["status"], dict(found), b"".join(m.get("body", b"") for m in sent[1:]), fault


def parts(policy):
    return dict(part.split(" ", 1) for part in policy.split("; "))


def test_the_policy_names_inline_scripts_and_lets_nothing_be_evaluated():
    policy = parts(serving.content_policy(PAGE))
    assert policy["script-src"] == f"'self' '{HASH}'"
    assert policy["default-src"] == "'none'"
    assert policy["frame-ancestors"] == "'self'"
    assert "unsafe-eval" not in str(policy)
    assert [name for name in policy if "unsafe-inline" in policy[name]] == ["style-src"]
    assert not any("http" in value or "*" in value for value in policy.values())


def test_every_answer_has_the_headers_once_and_faults_hide_their_text():
    status, headers, body, fault = ask(hello)
    assert (status, body, fault) == (200, b"hello", None)
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"]
    assert headers["content-type"] == "text/html"
    status, headers, body, fault = ask(broken)
    assert status == 500
    assert "content-security-policy" in headers
    assert b"secret" not in body
    assert str(fault) == "secret detail"  # for the log
    for scheme, told, wanted in [
        ("http", b"", False),
        ("http", b"http", False),
        ("https", b"", True),
        ("http", b"https", True),
        ("http", b"HTTPS, http", True),
        ("http", b"http, https", False),
    ]:
        _, headers, _, _ = ask(hello, headers=[(b"x-forwarded-proto", told)], scheme=scheme)
        assert ("strict-transport-security" in headers) is wanted
    seen = []

    async def socket(scope, receive, send):
        seen.append((scope, receive, send))

    scope = {"type": "websocket", "path": "/_stcore/metrics"}
    run(serving.Guard(socket, PAGE, serving.rules({}))(scope, "receive", "send"))
    assert seen == [(scope, "receive", "send")]


@pytest.mark.parametrize("base", ["", "/formulary"])
@pytest.mark.parametrize("address", ["/_stcore/metrics", "/_stcore/script-health-check"])
def test_addresses_for_operators_are_there_only_where_they_were_opened(base, address):
    assert ask(hello, base + address)[0] == 404
    assert ask(hello, base + address + "/")[0] == 404
    assert ask(hello, base + address, environment={"FORMULARY_METRICS": "1"})[0] == 200
    assert ask(hello, base + "/_stcore/health")[0] == 200


@pytest.mark.parametrize("base", ["", "/formulary"])
def test_the_landing_page_is_found_by_its_name_and_question(base):
    query = "task=Documentation&required=BAA%20%26%0d%0aX:%20y"
    for address, to in (("/recommend", "./"), ("/recommend/", "../")):
        status, headers, _, _ = ask(hello, f"{base}{address}?{query}")
        assert (status, headers["location"]) == (307, f"{to}?{query}")
        assert ask(hello, base + address)[1]["location"] == to
    assert ask(hello, base + "/recommended")[0] == 200


def test_settings_are_safe_where_nothing_is_set_and_begin_no_other_rule():
    for found in (serving.rules({}), serving.rules({"FORMULARY_FRAME_ANCESTORS": " "})):
        assert found.frame_ancestors == "'self'"
        assert found.allowed_hosts == ("*",)
        assert not found.metrics
    assert not serving.rules({"FORMULARY_METRICS": "0"}).metrics
    wanted = "https://huggingface.co https://*.example.org:8443"
    _, headers, _, _ = ask(hello, environment={"FORMULARY_FRAME_ANCESTORS": wanted})
    assert parts(headers["content-security-policy"])["frame-ancestors"] == wanted
    for bad in ("a; script-src *", "a\nb; x", "a, b", "é"):
        with pytest.raises(ValueError, match="FORMULARY_FRAME_ANCESTORS"):
            serving.rules({"FORMULARY_FRAME_ANCESTORS": bad})
    for environment, hosts in [
        # With commas or spaces; this machine is always among them.
        (
            {"FORMULARY_ALLOWED_HOSTS": "A.example, *.b.example c.example,"},
            ("a.example", "*.b.example", "c.example", *HERE),
        ),
        # A local run answers to its own names only.
        ({"FORMULARY_LOCAL_RUN": "1"}, HERE),
        ({"FORMULARY_LOCAL_RUN": "0"}, ("*",)),
    ]:
        assert serving.rules(environment).allowed_hosts == hosts
    for listens_on, hosts, says in [
        *((name, "", "") for name in ("127.0.0.1", "::1", "[::1]", "localhost")),
        ("127.0.0.2", " , ", ""),
        *((name, "", "listens to others") for name in (None, "", "0.0.0.0", "::", "192.168.1.7")),
        ("localhost.evil.example", "", "listens to others"),
        ("127.0.0.1", "formulary.example", "FORMULARY_ALLOWED_HOSTS names others"),
    ]:
        environment = {"FORMULARY_LOCAL_RUN": "1", "FORMULARY_ALLOWED_HOSTS": hosts}
        why = serving.why_no_local_run(listens_on, environment)
        assert (says in why) if says else not why
        assert serving.why_no_local_run(listens_on, {})


@pytest.mark.parametrize("base", ["", "/formulary"])
@pytest.mark.parametrize("address", ["interact", "mcp", "mcp/", "openapi.json", "", "x"])
def test_what_drives_the_app_for_programs_is_closed_whatever_is_set(base, address):
    path = f"{base}/_stcore/agent/{address}"
    for environment in ({}, {"FORMULARY_METRICS": "1"}):
        assert ask(hello, path, environment=environment)[0] == 404
    assert ask(hello, f"{base}/_stcore/agents")[0] == 200


# serving.Uploads, over a small application that keeps them, as Streamlit does

MB = 2**20


class Server:
    def __init__(self, *, strangers=()):
        self.files = defaultdict(dict)
        self.strangers = strangers
        self.fails = False
        self.most = 0
        self.layer = serving.Uploads(self.app, self.held, lambda s: s not in self.strangers)

    def held(self):
        return {session: [*files.values()] for session, files in self.files.items()}

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
        run(self.layer(scope, receive, send))
        body = b"".join(m.get("body", b"") for m in sent[1:]).decode()
        return sent[0]["status"], body


def test_a_session_holds_the_largest_file_twice_and_no_more():
    for base in ["", "/formulary"]:
        server = Server()
        assert serving.MOST_A_SESSION == 40 * MB
        for file in "ab":
            assert server.put("s", file, 19 * MB, base=base)[0] == 204
        status, said = server.put("s", "c", 19 * MB, base=base)
        assert status == 413
        assert said.startswith("One visit may hold 40 MB of files.")
        assert server.put("s", "d", 2 * MB)[0] == 204
        assert server.put("s", "d", 2 * MB + 1, announced=False)[0] == 413
        assert server.put("other", "a", 19 * MB)[0] == 204
    server = Server()
    assert server.put("s", "a", 100 * MB, announced=False)[0] == 413
    assert server.most == 40 * MB
    assert not server.files["s"]
    assert server.put("s", "a", 20 * MB)[0] == 204  # nothing of the refused one is counted


def test_what_is_taken_out_read_or_gone_counts_no_more():
    server = Server()
    for file in "ab":
        server.put("s", file, 19 * MB)
    del server.files["s"]["a"]
    assert server.put("s", "c", 19 * MB)[0] == 204
    assert server.put("s", "b", 19 * MB)[0] == 413
    server.files.pop("s")
    for file in "de":
        assert server.put("s", file, 19 * MB)[0] == 204
    server = Server()
    for file in "ab":
        server.put("s", file, 19 * MB)
    server.files["s"]["a"] = 0  # read by the page
    assert server.put("s", "c", 20 * MB)[0] == 204
    assert server.put("s", "d", 1 * MB)[0] == 413  # b, c, and 4 KiB of a
    server.files["s"] = dict.fromkeys("abc", 0)
    assert server.put("s", "d", 20 * MB)[0] == 204


def test_all_sessions_share_a_limit_and_failed_uploads_count_nothing():
    server = Server()
    assert serving.MOST_UPLOADED == 200 * MB
    for number in range(10):
        assert server.put(f"s{number}", "a", 19 * MB)[0] == 204
    status, said = server.put("last", "a", 11 * MB)
    assert status == 413
    assert said.startswith("This server cannot hold any more")
    assert server.put("last", "a", 10 * MB)[0] == 204
    server = Server()
    server.fails = True
    for _ in range(3):
        assert server.put("s", "a", 19 * MB)[0] == 500
    server.fails = False
    assert server.put("s", "a", 40 * MB - 3 * 4096)[0] == 204
    assert [server.put("s", f"e{n}", 0)[0] for n in range(5)] == [204, 204, 204, 413, 413]
    server = Server(strangers={"s"})
    assert server.put("s", "a", 5) == (403, serving.LOG_IN)
    assert not server.most
    assert server.put("s", "a", 0, method="DELETE")[0] == 204
    assert server.put("t", "a", 5)[0] == 204


@pytest.fixture
def written(monkeypatch, capsys):
    monkeypatch.setattr(logs.LOGGER, "handlers", [])
    monkeypatch.setattr(logs.LOGGER, "propagate", True)
    level = logs.LOGGER.level

    def run(act, **settings):
        for key in ("FORMULARY_LOG_FORMAT", "FORMULARY_LOG_LEVEL"):
            monkeypatch.delenv(key, raising=False)
        for key, value in settings.items():
            monkeypatch.setenv(f"FORMULARY_LOG_{key}", value)
        logs.LOGGER.handlers.clear()
        logs.set_up()
        act()
        return capsys.readouterr().err.splitlines()

    yield run
    logs.LOGGER.setLevel(level)


def fail(text="typed by ana@hospital.example"):
    def act():
        try:
            raise KeyError(text)
        except KeyError as error:
            return logs.fault(error, "Shortlist")

    return act


def test_an_event_is_one_line_for_people_or_one_json_object(written):
    (line,) = written(lambda: logs.event("store", "The evidence\nwas opened", snapshots=6))
    assert line.endswith("INFO    The evidence was opened (snapshots 6)")

    def act():
        logs.event("store", "The evidence\nwas opened", snapshots=6, path=logs._ROOT)

    (line,) = written(act, FORMAT="json")
    found = json.loads(line)
    assert found.pop("time").endswith("+00:00")
    assert found == {
        "level": "info",
        "event": "store",
        "logger": "llm_formulary",
        "message": "The evidence\nwas opened",
        "snapshots": 6,
        "path": str(logs._ROOT),
    }
    assert "ana@" in "".join(written(fail(), LEVEL="debug"))


def test_a_fault_says_kind_place_and_reference_at_a_set_level(written):
    for format_ in ["json", "text"]:
        references = []
        (line,) = written(lambda told=references: told.append(fail()()), FORMAT=format_)
        for part in ("KeyError", "Shortlist", *references, "tests/test_serving.py:", " act"):
            assert part in line
        assert "ana@" not in line
        assert "Traceback" not in line
    for level, lines in [("", 2), ("info", 2), ("debug", 3), ("error", 1), ("loud", 2)]:

        def act():
            for number in (logging.DEBUG, logging.INFO, logging.ERROR):
                logs.event("x", "x", level=number)

        assert len(written(act, LEVEL=level)) == lines


def test_lines_of_other_loggers_become_json_without_messages_of_faults(written):
    other = logging.getLogger("a_library_of_this_test")
    other.propagate = False
    other.addHandler(logging.StreamHandler())

    def act():
        try:
            raise ValueError("typed by ana@hospital.example")
        except ValueError:
            other.warning("It %s", "broke", exc_info=True)

    (line,) = written(act, FORMAT="json")
    found = json.loads(line)
    assert found["message"].startswith("It broke (ValueError at tests/test_serving.py:")
    assert (found["kind"], found["level"]) == ("ValueError", "warning")
    assert "ana@" not in line
    (line,) = written(act)
    assert "ana@" not in line
    other.handlers.clear()
