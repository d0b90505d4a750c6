"""What a login allows, by claim, by address and by age: the table of docs/login.md."""

import pytest

from pages.components.visitor import judge

NOW = 1_800_000_000
ANA = {"iat": NOW - 60, "sub": "7", "name": "Ana", "email": "Ana@H.example", "email_verified": True}


def standing(settings=None, now=NOW, several=False, **claims):
    told = {key: value for key, value in (ANA | claims).items() if value is not None}
    return judge(told, settings or {}, now, several=several)


def test_without_settings_everybody_with_a_login_views_and_nobody_administers():
    found = standing()
    assert (found.may_view, found.is_administrator, found.owner) == (True, False, "ana@h.example")


@pytest.mark.parametrize(
    ("setting", "claims", "administers"),
    [
        ("groups=admins", {"groups": ["staff", "admins"]}, True),
        ("groups=admins", {"groups": "admins"}, True),
        ("groups=admins", {"groups": "admins-of-the-canteen"}, False),
        ("groups=admins", {"groups": ["Admins"]}, False),
        ("groups=admins", {"groups": {"admins": True}}, False),
        ("groups=admins", {}, False),
        ("groups=CN=admins,OU=it", {"groups": ["CN=admins,OU=it"]}, True),
        ("realm_access.roles=admin", {"realm_access": {"roles": ["admin"]}}, True),
        ("https://h.example/roles=admin", {"https://h.example/roles": ["admin"]}, True),
        ("groups", {"groups": ["groups", ""]}, False),
        ("groups=", {"groups": [""]}, False),
        ("=admins", {"": "admins"}, False),
    ],
)
def test_an_administrator_by_claim(setting, claims, administers):
    found = standing({"FORMULARY_ADMIN_CLAIM": setting}, **claims)
    assert found.is_administrator is administers
    assert found.may_view


@pytest.mark.parametrize(
    ("setting", "claims", "administers"),
    [
        ("bob@h.example, ana@H.example", {}, True),
        ("@h.example", {}, True),
        ("ana@h.example", {"email_verified": False}, False),
        ("ana@h.example", {"email_verified": None}, False),
        ("ana@h.example", {"email_verified": "false"}, False),
        ("ana@h.example", {"email_verified": "true"}, True),
        ("ana@h.example", {"email_verified": None, "xms_edov": True}, True),
        ("@h.example", {"email": "ana@evil-h.example"}, False),
        ("@h.example", {"email": "ana@sub.h.example"}, False),
        (",", {"email": ""}, False),
        ("@", {"email": "ana"}, False),
        ("@h.example", {"email": "eve@evil.example@h.example"}, False),
        ("@h.example", {"email": "eve@evil.example\n@h.example"}, False),
    ],
)
def test_an_administrator_by_address(setting, claims, administers):
    assert standing({"FORMULARY_ADMIN_EMAILS": setting}, **claims).is_administrator is administers


@pytest.mark.parametrize(
    ("claims", "views", "why"),
    [
        ({}, True, ""),
        ({"email": "x@other.example"}, True, ""),
        (
            {"email": "x@third.example"},
            False,
            "addresses of h.example and other.example and k.example only",
        ),
        ({"email_verified": False}, False, "has not confirmed an e-mail address"),
        ({"email": None}, False, "has not confirmed an e-mail address"),
        *[
            ({"email": email}, False, "has not confirmed an e-mail address")
            for email in (
                "eve@evil.example\n@h.example",
                "eve@evil.example\r\nx@h.example",
                "eve@evil.example@h.example",
                "eve@@h.example",
                "eve@evil.example @h.example",
                "eve@h.example\n",
                "eve@h.example\x00",
                "eve@evil.example\u2028@h.example",
                "@h.example",
                "eve@",
                "h.example",
                # The sign of the kelvin, a K in small letters.
                "eve@\N{KELVIN SIGN}.example",
            )
        ],
    ],
)
def test_viewers_by_the_domain_of_a_confirmed_address(claims, views, why):
    settings = {"FORMULARY_VIEWER_DOMAINS": "h.example, @Other.example, k.example"}
    found = standing(settings, **claims)
    assert found.may_view is views
    assert why in found.why_not


def test_an_administrator_views_from_any_domain():
    settings = {"FORMULARY_VIEWER_DOMAINS": "h.example", "FORMULARY_ADMIN_CLAIM": "role=x"}
    assert standing(settings, email="a@else.example", role="x").may_view


@pytest.mark.parametrize(
    ("hours", "age_s", "has_ended"),
    [
        ("", 12 * 3600 - 1, False),
        ("", 12 * 3600 + 1, True),
        ("1", 3601, True),
        ("24", 23 * 3600, False),
        ("no number", 12 * 3600 + 1, True),
        ("-1", 3600, False),
        ("inf", 12 * 3600 + 1, True),
        ("nan", 12 * 3600 + 1, True),
    ],
)
def test_a_login_ends(hours, age_s, has_ended):
    found = standing({"FORMULARY_LOGIN_HOURS": hours}, iat=NOW - age_s)
    assert (found.has_ended, found.may_view) == (has_ended, not has_ended)


@pytest.mark.parametrize("claims", [{"iat": None}, {"iat": "now"}, {"sub": None, "email": None}])
def test_a_login_that_does_not_say_when_or_who_opens_nothing(claims):
    assert not standing(**claims).may_view


@pytest.mark.parametrize("setting", [",", " , ", "@", ",,@,"])
def test_a_list_of_domains_that_names_none_closes(setting):
    found = standing({"FORMULARY_VIEWER_DOMAINS": setting})
    assert not found.may_view
    assert "names none" in found.why_not
    assert standing({"FORMULARY_VIEWER_DOMAINS": "  "}).may_view
    admin = {"FORMULARY_VIEWER_DOMAINS": setting, "FORMULARY_ADMIN_EMAILS": "ana@h.example"}
    assert standing(admin).is_administrator


@pytest.mark.parametrize(
    ("begun", "views"),
    [
        (NOW, True),
        (NOW + 300, True),
        (NOW + 301, False),
        (NOW + 10**9, False),
        (float("inf"), False),
        (float("-inf"), False),
        (float("nan"), False),
        (True, False),
        (str(NOW), False),
    ],
)
def test_a_login_that_begins_in_the_future_or_never_is_refused(begun, views):
    found = standing(iat=begun)
    assert found.may_view is views
    assert views or found.why_not


def test_with_several_providers_a_person_is_provider_and_identifier():
    ana = {"several": True, "provider": "entra"}
    assert standing(**ana).owner == "entra:7"
    assert standing(**(ana | {"provider": "guests"})).owner == "guests:7"
    assert standing(**ana, sub=None).why_not == "Your login provider does not say who you are."
    assert standing(provider="default").owner == "ana@h.example"


@pytest.mark.parametrize(
    "setting",
    [{"FORMULARY_ADMIN_EMAILS": "@h.example"}, {"FORMULARY_ADMIN_CLAIM": "groups=admins"}],
)
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
    settings = setting | {"FORMULARY_ADMIN_PROVIDER": named}
    found = standing(settings, several=several, provider=provider, groups=["admins"])
    assert found.is_administrator is administers
    assert found.may_view
