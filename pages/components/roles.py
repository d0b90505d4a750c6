"""What a login says about a person, judged by the settings of this server.

Plain functions of the provider's claims and of the environment: who may view, who is an
administrator, and the name under which things are kept. ``visitor`` asks them for whoever is
in front of the screen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_HOURS = 12.0
_CLOCKS_APART_S = 300
"""The provider's clock may be ahead by so much."""
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Standing:
    """What one login may do here."""

    may_view: bool
    is_administrator: bool = False
    owner: str = ""
    """The name under which things are kept: the confirmed e-mail address, else the identifier."""
    name: str = ""
    """How the person is called on the screen."""
    why_not: str = ""
    """One sentence, where the person may not view."""
    has_ended: bool = False
    """The login was fine and is too old."""


def judge(
    claims: Mapping[str, object], settings: Mapping[str, str], now: float, *, several: bool = False
) -> Standing:
    """Say what a login may do.

    Parameters
    ----------
    claims
        What the provider's signed token says of the person.
    settings
        The environment of the server, see docs/login.md.
    now
        Seconds since 1970. A login counts from the moment the provider says (``iat``).
    several
        Whether this server has several login providers. Then one of them could confirm an
        address that belongs to a person of another, so people are told apart by provider and
        identifier, and administrators come from the provider that is named for it only.
    """
    hours = hours_of_a_login(settings)
    begun = claims.get("iat")
    if isinstance(begun, (int, float)) and begun - now > _CLOCKS_APART_S:
        return Standing(
            may_view=False,
            why_not="Your login begins in the future: the clock of this server or of the login "
            "provider is wrong. Tell those who run this server.",
        )
    # Not a number is neither later nor earlier.
    if not isinstance(begun, (int, float)) or not now - begun <= hours * 3600:
        return Standing(
            may_view=False,
            why_not=f"Your login has ended: one lasts {hours:g} hours here. Log in again.",
            has_ended=True,
        )
    email = _confirmed_email(claims)
    # The identifier never looks like an address, which a provider may let a person choose.
    known_as, provider = str(claims.get("sub") or ""), str(claims.get("provider") or "")
    owner = f"{provider or 'id'}:{known_as}" if known_as else ""
    if not several:
        owner = email or owner
    name = str(claims.get("name") or email or "an unnamed person")[:_LONGEST_NAME]
    if not owner:
        return Standing(
            may_view=False, name=name, why_not="Your login provider does not say who you are."
        )
    named = settings.get("FORMULARY_ADMIN_PROVIDER", "").strip()
    is_named = provider == named if named else not several
    if is_named and (
        _has_claim(claims, settings.get("FORMULARY_ADMIN_CLAIM", ""))
        or _is_among(email, settings.get("FORMULARY_ADMIN_EMAILS", ""))
    ):
        return Standing(may_view=True, is_administrator=True, owner=owner, name=name)
    asked = settings.get("FORMULARY_VIEWER_DOMAINS", "").strip()
    domains = _listed(asked)
    if not asked or email.rpartition("@")[2] in domains:
        return Standing(may_view=True, owner=owner, name=name)
    if not domains:
        why = "This server lets people in by their e-mail domain, and names none. Tell those who "
        why += "run it."
    elif not email:
        why = (
            "Your login provider has not confirmed an e-mail address of yours, and this server "
            "lets people in by their address. Ask those who run your login to confirm it."
        )
    else:
        why = f"This server is for e-mail addresses of {' and '.join(domains)} only."
    return Standing(may_view=False, owner=owner, name=name, why_not=why)


def hours_of_a_login(settings: Mapping[str, str]) -> float:
    """Return how long a login lasts, in hours: ``FORMULARY_LOGIN_HOURS``, else 12."""
    try:
        hours = float(settings.get("FORMULARY_LOGIN_HOURS", ""))
    except ValueError:
        return _HOURS
    return hours if 0 < hours <= 24 * 30 else _HOURS


def _confirmed_email(claims: Mapping[str, object]) -> str:
    """Return the address only where the provider vouches for it; else anybody could type it."""
    # Entra ID has no email_verified; its xms_edov says that the domain's owner confirmed it.
    vouched = (claims.get(key) in (True, "true", 1, "1") for key in ("email_verified", "xms_edov"))
    email = str(claims.get("email") or "")
    name, _, domain = email.partition("@")
    # Two signs "@", a blank or a line's end would let the end of a stranger's address pass for it.
    plain = email.isprintable() and " " not in email and domain.isascii() and "@" not in domain
    return email.lower() if any(vouched) and plain and name and domain else ""


def _listed(setting: str) -> list[str]:
    return [part for text in setting.split(",") if (part := text.strip().lower().lstrip("@"))]


def _is_among(email: str, setting: str) -> bool:
    """Say whether an address, or "@" and its domain, stands in a list."""
    known = {part.strip().lower() for part in setting.split(",")}
    return bool(email) and (email in known or f"@{email.rpartition('@')[2]}" in known)


def _has_claim(claims: Mapping[str, object], setting: str) -> bool:
    """Say whether a claim has a value, as in ``groups=formulary`` or ``realm_access.roles=x``."""
    path, equals, wanted = setting.partition("=")
    if not (path.strip() and equals and wanted.strip()):
        return False
    found: object = claims.get(path.strip())
    if found is None:
        found = claims
        for part in path.strip().split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
    values = found if isinstance(found, (list, tuple)) else [found]
    return wanted.strip() in [value for value in values if isinstance(value, str)]
