"""What a login allows, by claim, by address and by age: the table of docs/login.md."""

import pytest

from pages.components.visitor import judge

NOW = 1_800_000_000
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
    return judge(told, settings or {}, now, several=several)


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


def test_viewers_by_the_domain_of_a_confirmed_address_and_a_list_that_names_none():
    for claims, why in [
        ({}, ""),
        ({"email": "x@other.example"}, ""),
        ({"email": "x@third.example"}, "of h.example and other.example and k.example only"),
        ({"email_verified": False}, "has not confirmed an e-mail address"),
        ({"email": None}, "has not confirmed an e-mail address"),
        *[({"email": each}, "has not confirmed an e-mail address") for each in UNCONFIRMED],
    ]:
        found = standing({DOMAINS: "h.example, @Other.example, k.example"}, **claims)
        assert found.may_view is not bool(why)
        assert why in found.why_not
    for setting in [",", " , ", "@", ",,@,", "h.example", "  "]:
        found = standing({DOMAINS: setting})
        closed = setting.strip() not in ("", "h.example")
        assert found.may_view is not closed
        assert ("names none" in found.why_not) is closed
        admin = {DOMAINS: setting, EMAILS: "ana@else.example"}
        assert standing(admin, email="ana@else.example").is_administrator


def test_a_login_ends_and_belongs_to_a_person():
    for hours, begun, then in [
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
    ]:
        found = standing({HOURS: hours}, iat=begun)
        assert found.may_view is (then == "views")
        assert bool(found.why_not) is (then != "views")
        assert then == "refused" or found.has_ended is (then == "ended")
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
