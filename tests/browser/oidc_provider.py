"""An OpenID provider for the tests: a public one built on Authlib, made to insist on PKCE."""

from __future__ import annotations

import base64
import hashlib
import os
import threading
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

PEOPLE = {
    "viewer": {"name": "Vera Viewer", "email": "vera@hospital.example", "email_verified": True},
    "administrator": {
        "name": "Adam Admin",
        "email": "adam@hospital.example",
        "email_verified": True,
        "groups": ["staff", "llm-formulary-admins"],
    },
    "unverified": {"name": "Una", "email": "una@hospital.example", "email_verified": False},
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
