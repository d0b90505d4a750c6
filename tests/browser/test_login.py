"""Logging in at a real OpenID provider on this machine: roles, the way back, and every refusal."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import threading
import time
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

import pytest
from driving import MENU, Reader, barriers, start
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value

pytest.importorskip("oidc_provider_mock", reason="the OpenID provider of the tests is missing")

DEEP = "evidence=BRIDGE&task=Own+weights&category=Research&w_research=2.5"
COOKIE_SECRET = "a secret of this test, of forty letters."
SECRETS = f"""
[auth]
redirect_uri = "http://127.0.0.1:{{{{port}}}}/oauth2callback"
cookie_secret = "{COOKIE_SECRET}"
client_id = "llm-formulary"
client_secret = "of no importance"
server_metadata_url = "{{provider}}/.well-known/openid-configuration"
"""
ROLES = {
    "FORMULARY_ADMIN_CLAIM": "groups=llm-formulary-admins",
    "FORMULARY_VIEWER_DOMAINS": "hospital.example",
}
DATA = "stDataFrame", "stVegaLiteChart", "stMetric", "stSidebar", "stSelectbox"


PEOPLE = {
    "viewer": {"name": "Vera Viewer", "email": "vera@hospital.example", "email_verified": True},
    "administrator": {
        "name": "Adam Admin",
        "email": "adam@hospital.example",
        "email_verified": True,
        "groups": ["staff", "llm-formulary-admins"],
    },
    "stranger": {"name": "Stan", "email": "stan@elsewhere.example", "email_verified": True},
}


@dataclass
class Provider:
    """A running provider, and what was seen of the codes that it gave out."""

    port: int = 0
    challenges: dict[str, str] = field(default_factory=dict)
    verified: list[str] = field(default_factory=list)
    nonces: list[str] = field(default_factory=list)
    _server: object = None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        # Its own guard against plain http; nothing here leaves the machine.
        os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
        from oidc_provider_mock import User, app  # noqa: PLC0415 - it may not be installed
        from werkzeug.serving import make_server  # noqa: PLC0415

        people = [User(sub=sub, claims=claims) for sub, claims in PEOPLE.items()]
        made = app(require_nonce=True, user_claims=people)
        made.before_request(self._insist)
        made.after_request(self._note)
        self._server = make_server("127.0.0.1", self.port, made, threaded=True)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def stop(self):
        self._server.shutdown()
        self._server.server_close()

    def _insist(self):
        """Give no token to whoever cannot show what the challenge was made from."""
        import flask  # noqa: PLC0415

        if flask.request.path == "/oauth2/token":
            verifier = flask.request.form.get("code_verifier", "")
            digest = hashlib.sha256(verifier.encode()).digest()
            shown = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
            if self.challenges.pop(flask.request.form.get("code"), None) != shown:
                return flask.jsonify(error="invalid_grant"), 400
            self.verified.append(shown)
        return None

    def _note(self, response):
        import flask  # noqa: PLC0415

        if flask.request.path == "/.well-known/openid-configuration":
            document = flask.json.loads(response.get_data())
            document["code_challenge_methods_supported"] = ["S256"]
            response.set_data(flask.json.dumps(document))
        if flask.request.path == "/oauth2/authorize" and response.status_code == 302:
            given = parse_qs(urlsplit(response.headers["Location"]).query)
            if "code" in given:
                assert flask.request.args["code_challenge_method"] == "S256"
                self.challenges[given["code"][0]] = flask.request.args["code_challenge"]
                self.nonces.append(flask.request.args["nonce"])
        return response


@pytest.fixture(scope="module")
def provider():
    running = Provider().start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory, provider, browser):
    folder = tmp_path_factory.mktemp("guarded")
    secrets = folder / "secrets.toml"
    secrets.write_text(SECRETS.format(provider=provider.url))
    log = {"FORMULARY_LOG_FORMAT": "json", "FORMULARY_LOG_LEVEL": "debug"}
    running = start(folder, STREAMLIT_SECRETS_FILES=str(secrets), **ROLES, **log)
    yield running
    running.stop()


@pytest.fixture
def person(browser, guarded):
    made = []

    def make(server=guarded):
        context = browser.new_context(viewport={"width": 1280, "height": 3000}, locale="en-US")
        # The pages of the provider ask for a style sheet from elsewhere.
        context.route(lambda url: "//127.0.0.1:" not in url, lambda route: route.abort())
        made.append((context, Reader(context.new_page(), server)))
        return made[-1][1]

    yield make
    for context, _ in made:
        context.close()


def asked_to_log_in(one, path="", query=""):
    """Open an address; there is the login page and nothing else."""
    one.page.goto(f"{one.server.url}/{path}?{query}")
    one.wait(one.main.get_by_role("button", name="Log in"))
    for kind in DATA:
        assert one.page.get_by_test_id(kind).count() == 0, kind
    assert "Recommend" not in one.page.inner_text("body")


def log_in(one, who):
    one.main.get_by_role("button", name="Log in").click()
    one.page.get_by_role("button", name=who, exact=True).click()


def test_a_viewer_returns_to_the_question_and_may_not_refresh(person, provider, guarded):
    viewer = person()
    asked_to_log_in(viewer, query=DEEP)
    log_in(viewer, "viewer")
    viewer.at("Answer")
    assert viewer.query["w_research"] == ["2.5"]
    assert viewer.query["category"] == ["Research"]
    assert provider.verified, "the code was exchanged without PKCE"
    assert provider.nonces, "there was no nonce"
    viewer.wait(viewer.side.get_by_text("Vera Viewer, viewer"))
    viewer.go("Snapshots")
    assert viewer.main.get_by_role("button", name="Renew now").count() == 0
    tabs = viewer.main.get_by_role("tab")
    assert tabs.all_inner_texts() == list(MENU["Data"])
    viewer.open("data?data_tab=Server", "Snapshots")
    viewer.says("The tab “Server” is not known here")
    # The log is JSON and names nobody. Streamlit's greeting comes before anything happens.
    lines = guarded.log.read_text().splitlines()
    greeting = next(number for number, line in enumerate(lines) if line.startswith("{"))
    found = [json.loads(line) for line in lines[greeting:] if line.strip()]
    assert {one["event"] for one in found} >= {"start", "store", "ready", "page"}
    pages = [(one["page"], one["suite"], one["rows"]) for one in found if one["event"] == "page"]
    assert ("Recommend", "bridge", 25578) in pages
    # A moment such as 07:25:22.563 would hold the weight 2.5 by chance.
    text = "\n".join(json.dumps(one | {"time": ""}) for one in found)
    for personal in ("hospital.example", "Vera", "Adam", "w_research", "=2.5", "127.0.0.1"):
        assert personal not in text, personal


def test_an_administrator_may_refresh_and_logs_out_again(person):
    administrator = person()
    asked_to_log_in(administrator, "data")
    log_in(administrator, "administrator")
    administrator.at("Snapshots")
    administrator.main.get_by_role("button", name="Renew now").wait_for()
    administrator.wait(administrator.side.get_by_text("Adam Admin, administrator"))
    administrator.side.get_by_role("button", name="Log out").click()
    administrator.page.get_by_role("button", name="End session").click()
    administrator.wait(administrator.main.get_by_role("button", name="Log in"))
    asked_to_log_in(administrator, "data")


def test_who_may_not_view_reads_why_and_can_log_out(person):
    """What each is told, ``tests/pages/test_roles.py`` asks."""
    refused = person()
    asked_to_log_in(refused, query=DEEP)
    log_in(refused, "stranger")
    refused.wait(
        refused.main.get_by_text("This server is for e-mail addresses of hospital.example only.")
    )
    refused.wait(refused.main.get_by_role("button", name="Log out"))
    for kind in DATA:
        assert refused.page.get_by_test_id(kind).count() == 0, kind


def test_a_denied_login_returns_with_a_sentence_and_can_be_tried_again(person):
    viewer = person()
    for theme in ("light", "dark"):
        viewer.page.emulate_media(color_scheme=theme)
        asked_to_log_in(viewer, "evidence", DEEP)
        assert barriers(viewer.page) == []
    log_in(viewer, "Deny")
    viewer.wait(viewer.main.get_by_text("The login provider refused this login."))
    log_in(viewer, "viewer")
    viewer.at("Clusters")
    assert viewer.query["w_research"] == ["2.5"]
    assert "login_fault" not in viewer.page.url


def signed(server, **claims):
    told = {"origin": server.url, "is_logged_in": True, "provider": "default", **claims}
    value = create_signed_value(COOKIE_SECRET, "_streamlit_user", json.dumps(told))
    return {"name": "_streamlit_user", "value": value.decode(), "url": server.url}


def test_cookies_of_an_honest_a_forged_and_an_old_login(person, guarded):
    claims = {"sub": "1", "name": "Vera", "email": "v@hospital.example", "email_verified": True}
    honest = person()
    honest.page.context.add_cookies([signed(guarded, iat=time.time(), **claims)])
    honest.open()
    forged = person()
    cookie = signed(guarded, iat=time.time(), **claims)
    middle = len(cookie["value"]) // 2
    other = "A" if cookie["value"][middle] != "A" else "B"
    cookie["value"] = cookie["value"][:middle] + other + cookie["value"][middle + 1 :]
    forged.page.context.add_cookies([cookie])
    asked_to_log_in(forged)
    assert "Traceback" not in forged.page.inner_text("body")
    old = person()
    old.page.context.add_cookies([signed(guarded, iat=time.time() - 13 * 3600, **claims)])
    asked_to_log_in(old)
    old.wait(old.main.get_by_text("Your login has ended: one lasts 12 hours here."))
    assert "Traceback" not in guarded.log.read_text()
