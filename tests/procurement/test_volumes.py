"""From visits and messages to requests, tokens and dollars, worked by hand."""

import pytest

from core.domain import BadRequestError, OwnTokens, Price, RequestKind, TokenRow, Volume
from core.procurement.bill import bills, flat_request_cost_usd
from core.procurement.workload import (
    category_requests,
    kind_profiles,
    mean_tokens,
    suggested,
    tokens_per_month,
    volume_workload,
)

KINDS = [
    RequestKind("notes", "Notes", "Writing", "Visits", "subcategory", "visits", "r"),
    RequestKind("letters", "Letters", "Writing", "Letters", "subcategory", "", "r"),
    RequestKind("messages", "Messages", "Talking", "Portal", "category", "messages", "r"),
]
ROWS = [
    TokenRow("a", "m", 10, 20_000, 5_000),  # 2,000 in, 500 out
    TokenRow("b", "m", 10, 10_000, 1_000),  # 1,000 in, 100 out
    TokenRow("c", "m", 10, 4_000, 3_000),  # 400 in, 300 out
    TokenRow("d", "m", 10, 8_000, 1_000),  # 800 in, 100 out
]


@pytest.fixture
def profiles(make_benchmark):
    def in_place(key, category, subcategory):
        return make_benchmark(key, suite="medhelm", category=category, subcategory=subcategory)

    benchmarks = [
        in_place("a", "Writing", "Visits"),
        in_place("b", "Writing", "Reports"),
        in_place("c", "Talking", "Portal"),
        in_place("d", "Talking", "Leaflets"),
    ]
    return kind_profiles(KINDS, ROWS, benchmarks)


def price(provider, input_usd, output_usd):
    return Price("m", provider, provider, "x", input_usd, output_usd, "2026-11-21", "by hand")


def volume(key, per, per_month):
    return Volume(key, key, 1.0, "u", per, per_month, "derived", "c", "s", "2026", "")


def test_a_hospital_of_some_size_has_so_many_requests():
    volumes = {
        "visits": volume("visits", "clinician", 190.0),
        "messages": volume("messages", "patient", None),
    }
    found = suggested(KINDS, volumes, {"clinician": 10, "patient": 5})
    assert found == {"notes": 1900, "letters": None, "messages": None}
    assert suggested(KINDS, volumes, {})["notes"] is None
    with pytest.raises(BadRequestError, match="The number per clinician must be 0 or more, not -1"):
        suggested(KINDS, volumes, {"clinician": -1})


def test_bundled_volumes_of_a_hospital_with_400_beds(bundled):
    """3.0 discharges and 32 reports a bed and month; 39 x 52 / 12 = 169 requests a physician."""
    facts = bundled.catalogue.procurement
    found = suggested(facts.requests, facts.volumes, {"staffed bed": 400, "physician": 100})
    assert found["discharge-summaries"] == found["discharge-instructions"] == 1_200
    assert found["radiology-reports"] == 12_800
    assert found["prior-authorisations"] == 16_900
    assert found["literature-questions"] is None  # no source
    assert found["visit-notes"] is None  # nobody said how many clinicians


def test_tokens_come_from_the_subcategory_or_the_category(profiles):
    tokens = {key: (p.input_tokens, p.output_tokens) for key, p in profiles.items()}
    assert tokens == {
        "notes": (2_000, 500),
        "letters": (1_500, 300),  # no counts of its own: the mean of a and b
        "messages": (600, 200),  # the mean of c and d, though c stands in its place
    }
    assert profiles["notes"].category == "Notes"
    assert profiles["notes"].basis.startswith("Visits: mean over 1 MedHELM benchmark;")
    assert profiles["letters"].basis.startswith("Writing: mean over 2 MedHELM benchmarks;")


def test_a_bill_in_tokens_and_dollars_by_hand(profiles):
    """1,000 notes read 2 M and write 0.5 M tokens, 3,000 messages 1.8 M and 0.6 M: 3.8 M and 1.1 M.

    At 2.50 and 10 USD a million: 9.50 + 11 = 20.50 USD a month. At 0.50 and 12: 1.90 + 13.20.
    """
    lines = volume_workload(KINDS, {"notes": 1_000, "messages": 3_000, "letters": 0}, profiles)
    assert [line.category for line in lines] == ["Notes", "Messages"]
    assert tokens_per_month(lines) == pytest.approx((3_800_000, 1_100_000))
    assert mean_tokens(lines) == pytest.approx((950, 275))
    prices = [price("dear", 2.5, 10), price("cheap", 0.5, 12)]
    found = bills(prices, lines, request_cost=flat_request_cost_usd)
    assert [b.price.provider for b in found] == ["cheap", "dear"]
    assert [b.monthly_usd for b in found] == pytest.approx([15.10, 20.50])
    assert found[1].lines == (("Notes", pytest.approx(10.0)), ("Messages", pytest.approx(10.5)))
    assert bills([], lines) == ()


def test_own_tokens_replace_the_counts(profiles):
    own = [OwnTokens("notes", output_tokens=100), OwnTokens("messages", 10, 20)]
    notes, messages = volume_workload(KINDS, {"notes": 1, "messages": 1}, profiles, own)
    assert (notes.profile.input_tokens, notes.profile.output_tokens) == (2_000, 100)
    assert notes.profile.basis == "output set by you; Visits: mean over 1 MedHELM benchmark"
    assert (messages.profile.input_tokens, messages.profile.output_tokens) == (10, 20)
    assert messages.profile.basis == "set by you"


def test_requests_per_category():
    per_month = {"notes": 1_000, "letters": 500, "messages": 0}
    assert category_requests(KINDS, per_month) == {"Writing": 1_500}


def test_an_empty_hospital_has_no_workload(profiles):
    assert volume_workload(KINDS, {}, profiles) == ()
    with pytest.raises(BadRequestError, match="at least one request"):
        mean_tokens(())


@pytest.mark.parametrize(
    ("per_month", "own", "message"),
    [
        ({"notes": -1}, [], "Notes a month must be 0 or more, not -1"),
        ({"notes": float("nan")}, [], "Notes a month must be 0 or more, not nan"),
        ({"noted": 1}, [], 'There is no kind of request "noted"'),
        ({"notes": 1}, [OwnTokens("x")], 'There is no kind of request "x"'),
        ({"notes": 1}, [OwnTokens("notes", 0)], "Input tokens of Notes must be above 0, not 0"),
    ],
)
def test_numbers_out_of_range_are_refused(profiles, per_month, own, message):
    with pytest.raises(BadRequestError, match=message):
        volume_workload(KINDS, per_month, profiles, own)
