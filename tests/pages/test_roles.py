"""What a login allows (the table of docs/login.md), and the way back from it."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from streamlit import config
from streamlit.runtime import secrets

from core import logs
from pages.components import visitor
from pages.components.visitor import LONGEST_WAY_BACK, LoginReturn, rights_of

NOW = 1_800_000_000
WHOLE = '[auth]\nredirect_uri = "http://h.example/oauth2callback"\ncookie_secret = "x"'
OF_ONE = 'client_id = "a"\nclient_secret = "b"\nserver_metadata_url = "http://h.example"'
ANA = {"iat": NOW - 60, "sub": "7", "name": "Ana", "email": "Ana@H.example", "email_verified": True}
CLAIM, EMAILS, DOMAINS, HOURS, PROVIDER = (
    f"FORMULARY_{name}"
    for name in ("ADMIN_CLAIM", "ADMIN_EMAILS", "VIEWER_DOMAINS", "LOGIN_HOURS", "ADMIN_PROVIDER")
)
ADMIN = {"realm_access": {"roles": ["admin"]}, "https://h.example/roles": ["admin"]}
UNCONFIRMED = (
    *("eve@evil.example\n@h.example", "eve@evil.example\r\nx@h.example", "eve@", "h.example"),
    *("eve@evil.example@h.example", "eve@@h.example", "eve@evil.example @h.example"),
    *("eve@h.example\n", "eve@h.example\x00", "eve@evil.example\u2028@h.example", "@h.example"),
    "eve@\N{KELVIN SIGN}.example",  # the sign of the kelvin, a K in small letters
)


def standing(settings=None, now=NOW, several=False, **claims):
    told = {key: value for key, value in (ANA | claims).items() if value is not None}
    return rights_of(told, settings or {}, now, several=several)


@pytest.mark.parametrize(
    ("name", "setting", "claims", "administers"),
    [
        (CLAIM, "", {}, False),
        (CLAIM, "groups=admins", {"groups": ["staff", "admins"]}, True),
        (CLAIM, "groups=admins", {"groups": "admins"}, True),
        (CLAIM, "groups=admins", {"groups": "admins-of-the-canteen"}, False),
        (CLAIM, "groups=admins", {"groups": ["Admins"]}, False),
        (CLAIM, "groups=admins", {"groups": {"admins": True}}, False),
        (CLAIM, "groups=admins", {}, False),
        (CLAIM, "groups=CN=admins,OU=it", {"groups": ["CN=admins,OU=it"]}, True),
        (CLAIM, "realm_access.roles=admin", ADMIN, True),
        (CLAIM, "https://h.example/roles=admin", ADMIN, True),
        (CLAIM, "groups", {"groups": ["groups", ""]}, False),
        (CLAIM, "groups=", {"groups": [""]}, False),
        (CLAIM, "=admins", {"": "admins"}, False),
        (EMAILS, "bob@h.example, ana@H.example", {}, True),
        (EMAILS, "@h.example", {}, True),
        (EMAILS, "ana@h.example", {"email_verified": False}, False),
        (EMAILS, "ana@h.example", {"email_verified": None}, False),
        (EMAILS, "ana@h.example", {"email_verified": "false"}, False),
        (EMAILS, "ana@h.example", {"email_verified": "true"}, True),
        (EMAILS, "ana@h.example", {"email_verified": None, "xms_edov": True}, True),
        (EMAILS, "@h.example", {"email": "ana@evil-h.example"}, False),
        (EMAILS, "@h.example", {"email": "ana@sub.h.example"}, False),
        (EMAILS, ",", {"email": ""}, False),
        (EMAILS, "@", {"email": "ana"}, False),
        (EMAILS, "@h.example", {"email": "eve@evil.example@h.example"}, False),
        (EMAILS, "@h.example", {"email": "eve@evil.example\n@h.example"}, False),
    ],
)
def test_an_administrator_by_claim_or_address(name, setting, claims, administers):
    found = standing({name: setting}, **claims)
    assert (found.is_administrator, found.may_view) == (administers, True)


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({}, ""),
        ({"email": "x@other.example"}, ""),
        ({"email": "x@third.example"}, "of h.example and other.example and k.example only"),
        ({"email_verified": False}, "has not confirmed your e-mail address"),
        ({"email": None}, "has not confirmed your e-mail address"),
        *[({"email": each}, "has not confirmed your e-mail address") for each in UNCONFIRMED],
    ],
)
def test_a_confirmed_address_of_a_listed_domain_may_view(claims, why):
    found = standing({DOMAINS: "h.example, @Other.example, k.example"}, **claims)
    assert found.may_view is not bool(why)
    assert why in found.why_not


@pytest.mark.parametrize("setting", [",", " , ", "@", ",,@,", "h.example", "  "])
def test_a_list_that_names_no_domain_admits_administrators_alone(setting):
    found = standing({DOMAINS: setting})
    closed = setting.strip() not in ("", "h.example")
    assert found.may_view is not closed
    assert ("names none" in found.why_not) is closed
    admin = {DOMAINS: setting, EMAILS: "ana@else.example"}
    assert standing(admin, email="ana@else.example").is_administrator


@pytest.mark.parametrize(
    ("hours", "begun", "then"),
    [
        ("", NOW - 12 * 3600 + 1, "views"),
        ("", NOW - 12 * 3600 - 1, "ended"),
        ("1", NOW - 3601, "ended"),
        ("24", NOW - 23 * 3600, "views"),
        ("no number", NOW - 12 * 3600 - 1, "ended"),
        ("-1", NOW - 3600, "views"),
        ("inf", NOW - 12 * 3600 - 1, "ended"),
        ("nan", NOW - 12 * 3600 - 1, "ended"),
        ("", NOW, "views"),
        ("", NOW + 300, "views"),
        ("", NOW + 301, "refused"),
        ("", NOW + 10**9, "refused"),
        *[("", odd, "refused") for odd in (float("inf"), float("-inf"), float("nan"))],
        *[("", odd, "refused") for odd in (True, str(NOW), None, "now")],
    ],
)
def test_a_login_ends(hours, begun, then):
    found = standing({HOURS: hours}, iat=begun)
    assert found.may_view is (then == "views")
    assert bool(found.why_not) is (then != "views")
    assert then == "refused" or found.has_ended is (then == "ended")


def test_a_login_belongs_to_a_person():
    assert standing().owner == standing(provider="default").owner == "ana@h.example"
    assert not standing(sub=None, email=None).may_view
    ana = {"several": True, "provider": "entra"}
    assert standing(**ana).owner == "entra:7"
    assert standing(**(ana | {"provider": "guests"})).owner == "guests:7"
    assert standing(**ana, sub=None).why_not == "Your login provider does not say who you are."


@pytest.mark.parametrize("setting", [{EMAILS: "@h.example"}, {CLAIM: "groups=admins"}])
@pytest.mark.parametrize(
    ("several", "named", "provider", "administers"),
    [
        (True, "entra", "entra", True),
        (True, "entra", "guests", False),
        (True, "", "entra", False),
        (False, "", "default", True),
        (False, "entra", "entra", True),
        (False, "entra", "default", False),
    ],
)
def test_an_administrator_comes_from_the_named_provider(
    setting, several, named, provider, administers
):
    settings = setting | {PROVIDER: named}
    found = standing(settings, several=several, provider=provider, groups=["admins"])
    assert (found.is_administrator, found.may_view) == (administers, True)


LOGGED_IN = (b"set-cookie", b"_streamlit_user=signed; Path=/; HttpOnly")
LOGGED_OUT = (b"set-cookie", b'_streamlit_user=""; Max-Age=0; Path=/')
HERE = "http://h.example"


def ask(path, query="", headers=(), status=302, answer=(), fails=False):
    """Return status and headers that LoginReturn makes of an answer of Streamlit's."""
    sent = []

    async def streamlit(scope, receive, send):
        if fails:
            raise RuntimeError("broken")
        await send({"type": "http.response.start", "status": status, "headers": list(answer)})
        await send({"type": "http.response.body", "body": b"text"})

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "path": path,
        "query_string": query.encode(),
        "headers": [(k.encode(), v.encode("latin-1")) for k, v in headers],
    }
    # In a thread, since the browser of other tests has a loop running in this one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, LoginReturn(streamlit)(scope, None, send)).result()
    found = sent[0]["headers"]
    where = next((v.decode() for k, v in found if k == b"location"), "")
    return sent[0]["status"], where, [v.decode() for k, v in found if k == b"set-cookie"]


def begin(referer, **more):
    status, where, cookies = ask(
        "/auth/login",
        headers=[("referer", referer)],
        answer=[(b"location", b"https://provider.example/authorize")],
        **more,
    )
    assert (status, where) == (302, "https://provider.example/authorize")
    return next(one for one in cookies if one.startswith("formulary_return="))


def end(cookie, query="state=1&code=2", answer=(LOGGED_IN, (b"location", b"/"))):
    value = cookie.split(";")[0]
    return ask("/oauth2callback", query, [("cookie", f"other=1; {value}")], answer=answer)


def note_of(address):
    return f"formulary_return={address}"


def test_page_and_question_come_back_and_the_note_is_deleted():
    note = begin(f"{HERE}/taxonomy?evidence=BRIDGE&task=Own+weights&task=b%26c")
    assert note.endswith("; Path=/; HttpOnly; SameSite=Lax; Max-Age=600")
    status, where, cookies = end(note)
    assert (status, where) == (302, "/taxonomy?evidence=BRIDGE&task=Own+weights&task=b%26c")
    assert LOGGED_IN[1].decode() in cookies
    assert cookies[-1].startswith("formulary_return=; Path=/")
    note, home = begin(f"{HERE}/costs?a=1"), (b"location", b"/")
    refused = end(note, "error=access_denied&state=1", [home])
    assert refused[1] == "/costs?a=1&login_fault=refused"
    unfinished = end(note, "state=stale&code=2", [LOGGED_OUT, home])
    assert unfinished[1] == "/costs?a=1&login_fault=unfinished"
    assert end("", "", [home])[1] == "/"
    answer = [(b"content-type", b"text/html"), LOGGED_IN]
    assert ask("/costs", status=200, answer=answer) == (200, "", [LOGGED_IN[1].decode()])


@pytest.mark.parametrize(
    ("referer", "where"),
    [
        ("", "/"),
        (f"{HERE}/", "/"),
        ("http://evil.example/page?x=1", "/page?x=1"),
        (f"{HERE}//evil.example/x", "/evil.example/x"),
        (f"{HERE}/\\evil.example/x", "/evil.example/x"),
        (f"{HERE}/a\\b", "/"),
        ("javascript:alert(1)", "/alert(1)"),
        ("http://[broken", "/"),
        (f"{HERE}/?a=%0d%0aset-cookie:+x", "/?a=%0D%0Aset-cookie%3A+x"),
        (f"{HERE}/?a={'x' * LONGEST_WAY_BACK}", "/"),
        (f"{HERE}/costs?login_fault=refused&a=1", "/costs?a=1"),
        (f"{HERE}/?a=é", "/?a=%C3%A9"),
    ],
    ids=lambda text: text[:40],
)
def test_only_an_address_of_this_server_comes_back(referer, where):
    assert end(begin(referer))[1] == where


@pytest.mark.parametrize(
    "cookie",
    [
        "",
        "formulary_return=",
        '"',
        *map(note_of, ("//evil.example", "https://evil.example", "/x\r\nset-cookie: a=b")),
        note_of("/" + "x" * 100_000),
    ],
    ids=lambda text: text[:40],
)
def test_a_note_that_others_wrote_leads_to_this_server(cookie):
    status, where, _ = end(cookie)
    assert (status, where[:1], where[1:2] == "/", "\r" in where) == (302, "/", False, False)
    assert len(where) < 2 * LONGEST_WAY_BACK


def test_an_unreachable_provider_leads_back_and_every_cookie_is_secure(monkeypatch):
    for more in [{"status": 400}, {"fails": True}]:
        monkeypatch.setattr(logs, "fault", lambda *_: "")
        found = ask("/auth/login", headers=[("referer", f"{HERE}/costs")], **more)
        assert found == (302, "/costs?login_fault=unreachable", [])
    found = "https://h.example/oauth2callback"
    monkeypatch.setattr(visitor, "get_validated_redirect_uri", lambda: found)
    note = begin(f"{HERE}/costs")
    _, _, cookies = end(note)
    assert [one for one in [note, *cookies] if not one.endswith("; Secure")] == []


@pytest.mark.parametrize(
    ("asked", "where"),
    [("/formulary/costs?a=1", "/formulary/costs?a=1"), ("/formulary", ""), ("/other", "")],
)
def test_below_a_path_of_its_own_it_comes_back_below_that_path(asked, where, monkeypatch):
    config = SimpleNamespace(get_option={"server.baseUrlPath": "tools/formulary"}.get)
    monkeypatch.setattr(visitor, "config", config)
    referer = [("referer", f"{HERE}/tools{asked}")]
    _, _, cookies = ask("/tools/formulary/auth/login", headers=referer, answer=[])
    value = [("cookie", cookies[0].split(";")[0])]
    path = "/tools/formulary/oauth2callback"
    found = ask(path, "state=1&code=2", value, answer=[LOGGED_IN])[1]
    assert found == f"/tools{where or '/formulary'}"


@pytest.mark.parametrize(
    ("settings", "lacking"),
    [
        ("", []),
        ('[auth]\ncookie_secret = "x"', ["redirect_uri"]),
        ('[auth]\nredirect_uri = "http://h.example/oauth2callback"', ["cookie_secret"]),
        (f"{WHOLE}\n[auth.okta]\nclient_id = 'a'\n[auth.entra]\n{OF_ONE}", ["okta"]),
        (f"{WHOLE}\n{OF_ONE}", []),
    ],
    ids=["none", "no address", "no cookie", "one of two", "whole"],
)
def test_what_a_login_lacks_in_its_settings_is_logged(
    settings, lacking, tmp_path, monkeypatch, caplog
):
    (tmp_path / "secrets.toml").write_text(settings)
    monkeypatch.setattr("streamlit.auth_util.secrets_singleton", secrets.Secrets())
    before = config.get_option("secrets.files")
    config.set_option("secrets.files", [str(tmp_path / "secrets.toml")])
    try:
        visitor.check_login()
    finally:
        config.set_option("secrets.files", before)
    said = [record.facts["why"] for record in caplog.records if record.name == logs.LOGGER.name]
    assert len(said) == len(lacking)
    assert all(name in why for name, why in zip(lacking, said, strict=True))
