"""Headers, hidden addresses and settings of the server, over small ASGI applications."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.serving import Guard, content_policy, rules, why_no_local_run

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
    scope = {"type": "http", "path": path, "headers": list(headers), "scheme": scheme}

    async def send(message):
        sent.append(message)

    guard = Guard(app, PAGE, rules(environment or {}))
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
    policy = parts(content_policy(PAGE))
    assert policy["script-src"] == f"'self' '{HASH}'"
    assert policy["default-src"] == "'none'"
    assert policy["frame-ancestors"] == "'self'"
    assert "unsafe-eval" not in str(policy)
    assert [name for name in policy if "unsafe-inline" in policy[name]] == ["style-src"]
    assert not any("http" in value or "*" in value for value in policy.values())


def test_every_answer_has_the_headers_once():
    status, headers, body, fault = ask(hello)
    assert (status, body, fault) == (200, b"hello", None)
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"]
    assert headers["content-type"] == "text/html"


def test_a_fault_is_answered_with_the_headers_and_without_its_text():
    status, headers, body, fault = ask(broken)
    assert status == 500
    assert "content-security-policy" in headers
    assert b"secret" not in body
    assert str(fault) == "secret detail"  # for the log


@pytest.mark.parametrize(
    ("scheme", "told", "wanted"),
    [
        ("http", b"", False),
        ("http", b"http", False),
        ("https", b"", True),
        ("http", b"https", True),
        ("http", b"HTTPS, http", True),
        ("http", b"http, https", False),
    ],
)
def test_strict_transport_only_where_the_visitor_came_by_https(scheme, told, wanted):
    _, headers, _, _ = ask(hello, headers=[(b"x-forwarded-proto", told)], scheme=scheme)
    assert ("strict-transport-security" in headers) is wanted


@pytest.mark.parametrize("base", ["", "/formulary"])
@pytest.mark.parametrize("address", ["/_stcore/metrics", "/_stcore/script-health-check"])
def test_addresses_for_operators_are_there_only_where_they_were_opened(base, address):
    assert ask(hello, base + address)[0] == 404
    assert ask(hello, base + address + "/")[0] == 404
    assert ask(hello, base + address, environment={"FORMULARY_METRICS": "1"})[0] == 200
    assert ask(hello, base + "/_stcore/health")[0] == 200


def test_websockets_pass_through():
    seen = []

    async def socket(scope, receive, send):
        seen.append((scope, receive, send))

    scope = {"type": "websocket", "path": "/_stcore/metrics"}
    run(Guard(socket, PAGE, rules({}))(scope, "receive", "send"))
    assert seen == [(scope, "receive", "send")]


def test_the_settings_are_safe_where_nothing_is_set_or_it_is_empty():
    for found in (rules({}), rules({"FORMULARY_FRAME_ANCESTORS": " "})):
        assert found.frame_ancestors == "'self'"
        assert found.allowed_hosts == ("*",)
        assert not found.metrics
    assert not rules({"FORMULARY_METRICS": "0"}).metrics


@pytest.mark.parametrize(
    ("environment", "hosts"),
    [
        # With commas or spaces; this machine is always among them.
        (
            {"FORMULARY_ALLOWED_HOSTS": "A.example, *.b.example c.example,"},
            ("a.example", "*.b.example", "c.example", *HERE),
        ),
        # A local run answers to its own names only.
        ({"FORMULARY_LOCAL_RUN": "1"}, HERE),
        ({"FORMULARY_LOCAL_RUN": "0"}, ("*",)),
    ],
)
def test_the_names_under_which_a_server_answers(environment, hosts):
    assert rules(environment).allowed_hosts == hosts


@pytest.mark.parametrize(
    ("listens_on", "hosts", "says"),
    [
        *((name, "", "") for name in ("127.0.0.1", "::1", "[::1]", "localhost")),
        ("127.0.0.2", " , ", ""),
        *((name, "", "listens to others") for name in (None, "", "0.0.0.0", "::", "192.168.1.7")),
        ("localhost.evil.example", "", "listens to others"),
        ("127.0.0.1", "formulary.example", "FORMULARY_ALLOWED_HOSTS names others"),
    ],
)
def test_the_rights_of_a_local_run_need_a_machine_of_ones_own(listens_on, hosts, says):
    environment = {"FORMULARY_LOCAL_RUN": "1", "FORMULARY_ALLOWED_HOSTS": hosts}
    why = why_no_local_run(listens_on, environment)
    assert (says in why) if says else not why
    assert why_no_local_run(listens_on, {})


@pytest.mark.parametrize("base", ["", "/formulary"])
@pytest.mark.parametrize("address", ["interact", "mcp", "mcp/", "openapi.json", "", "x"])
def test_what_drives_the_app_for_programs_is_closed_whatever_is_set(base, address):
    path = f"{base}/_stcore/agent/{address}"
    for environment in ({}, {"FORMULARY_METRICS": "1"}):
        assert ask(hello, path, environment=environment)[0] == 404
    assert ask(hello, f"{base}/_stcore/agents")[0] == 200


def test_frame_ancestors_are_passed_on_but_cannot_begin_another_rule():
    wanted = "https://huggingface.co https://*.example.org:8443"
    _, headers, _, _ = ask(hello, environment={"FORMULARY_FRAME_ANCESTORS": wanted})
    assert parts(headers["content-security-policy"])["frame-ancestors"] == wanted
    for bad in ("a; script-src *", "a\nb; x", "a, b", "é"):
        with pytest.raises(ValueError, match="FORMULARY_FRAME_ANCESTORS"):
            rules({"FORMULARY_FRAME_ANCESTORS": bad})
