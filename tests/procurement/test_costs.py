"""Token profiles, workloads and bills, worked by hand."""

import csv
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import (
    BadDataError,
    BadRequestError,
    Benchmark,
    Price,
    PriceReference,
    TokenProfile,
    TokenRow,
    WorkloadLine,
)
from core.procurement.bill import bills, flat_request_cost_usd
from core.procurement.prices import public_prices
from core.procurement.workload import token_profiles, workload

CATALOGUE = Path(__file__).parents[2] / "data" / "catalogue"


def benchmark(name: str, category: str, suite: str = "medhelm") -> Benchmark:
    return Benchmark(
        id=name,
        suite=suite,
        name=name,
        category=category,
        subcategory="",
        category_reason="",
        domain="domain-specific",
        metric="",
        scale_min=0,
        scale_max=1,
        lower_is_better=False,
        n_items=None,
        is_accuracy=True,
        access="public",
        source="",
    )


def price(input_usd: float, output_usd: float, *, provider: str = "p", model: str = "m") -> Price:
    return Price(
        model, provider, provider.title(), "x", input_usd, output_usd, "2026-11-21", "by hand"
    )


def profile(category: str, input_tokens: float, output_tokens: float) -> TokenProfile:
    return TokenProfile(category, input_tokens, output_tokens, 3, f"basis of {category}")


BENCHMARKS = [
    benchmark("a", "Notes"),
    benchmark("b", "Notes"),
    benchmark("c", "Messages"),
    benchmark("uncounted", "Research"),
    benchmark("other", "Elsewhere", suite="bridge"),
]
ROWS = [
    TokenRow("a", "m1", 10, 1_000, 200),  # 100 in, 20 out
    TokenRow("a", "m2", 10, 3_000, 400),  # 300 in, 40 out: a is 200 in, 30 out
    TokenRow("b", "m1", 1_000, 1_000_000, 100_000),  # 1000 in, 100 out
    TokenRow("c", "m1", 2, 60, 100),  # 30 in, 50 out
]


# --- tokens per request -----------------------------------------------------------------


def test_a_model_that_writes_thirty_times_as_much_does_not_set_the_profile():
    rows = [TokenRow("a", f"m{i}", 10, 1_000, tokens) for i, tokens in enumerate((200, 210, 6_000))]
    assert token_profiles(rows, BENCHMARKS)["Notes"].output_tokens == 21  # 20, 21 and 600


def test_profiles_are_medians_over_models_and_means_over_benchmarks():
    profiles = token_profiles(ROWS, BENCHMARKS)
    assert list(profiles) == ["Notes", "Messages", "all"]
    notes = profiles["Notes"]
    assert (notes.input_tokens, notes.output_tokens, notes.n_benchmarks) == (600, 65, 2)
    everything = profiles["all"]
    assert everything.input_tokens == pytest.approx(410)  # (200 + 1000 + 30) / 3
    assert everything.output_tokens == pytest.approx(60)  # (30 + 100 + 50) / 3
    assert everything.n_benchmarks == 3
    assert notes.basis == (
        "mean over 2 MedHELM benchmarks; output is the benchmark's maximum, an upper bound"
    )
    assert profiles["Messages"].basis.startswith("mean over 1 MedHELM benchmark;")


def test_no_rows_give_no_profiles():
    assert token_profiles([], BENCHMARKS) == {}


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (TokenRow("other", "m1", 1, 1, 1), "no such MedHELM benchmark"),
        (TokenRow("c", "m2", 0, 1, 1), "no instances"),
        (TokenRow("c", "m2", 1, -1, 1), "negative count"),
        (TokenRow("c", "m2", 1, 1, -1), "negative count"),
        (ROWS[0], "two rows"),
    ],
)
def test_rows_that_cannot_be_are_refused(row, sentence):
    with pytest.raises(BadDataError, match=sentence):
        token_profiles([*ROWS, row], BENCHMARKS)


def test_profile_of_a_bundled_category():
    """Two benchmarks of Clinical Note Generation for two models, recomputed by hand."""
    wanted = {
        ("aci_bench", "Claude 3.5 Sonnet (20241022)"): (120, 200_887, 92_160),
        ("chw_care_plan", "Claude 3.5 Sonnet (20241022)"): (487, 379_690, 374_016),
    }
    rows = [row for row in bundled_rows() if (row.benchmark, row.model) in wanted]
    assert {
        (row.benchmark, row.model): (row.n_instances, row.input_tokens, row.max_output_tokens)
        for row in rows
    } == wanted
    notes = token_profiles(
        rows,
        [benchmark("aci_bench", "Notes"), benchmark("chw_care_plan", "Notes")],
    )["Notes"]
    # 200,887 / 120 = 1674.0583; 379,690 / 487 = 779.6509; 92,160 / 120 = 374,016 / 487 = 768
    assert notes.input_tokens == pytest.approx(1226.8546, abs=1e-4)
    assert notes.output_tokens == 768


def test_all_bundled_rows_make_a_profile_of_37_benchmarks():
    rows = bundled_rows()
    assert len(rows) == 333
    names = dict.fromkeys(row.benchmark for row in rows)
    everything = token_profiles(rows, [benchmark(name, "x") for name in names])["all"]
    assert everything.n_benchmarks == 37
    per_benchmark = []
    for name in names:
        values = [row.input_tokens / row.n_instances for row in rows if row.benchmark == name]
        assert len(values) == 9
        per_benchmark.append(sorted(values)[4])
    assert everything.input_tokens == pytest.approx(sum(per_benchmark) / 37)


def bundled_rows() -> list[TokenRow]:
    with (CATALOGUE / "tokens.csv").open(newline="", encoding="utf-8") as file:
        return [
            TokenRow(
                row["benchmark"],
                row["model"],
                int(row["n_instances"]),
                int(row["input_tokens"]),
                int(row["max_output_tokens"]),
            )
            for row in csv.DictReader(file)
        ]


# --- workload ---------------------------------------------------------------------------

PROFILES = {"Notes": profile("Notes", 600, 65), "all": profile("all", 410, 60)}


def test_requests_are_spread_by_weight_and_zero_weights_give_no_line():
    lines = workload([("Notes", 3), ("Messages", 1), ("X", 0)], PROFILES, requests_per_month=1_000)
    assert [(line.category, line.requests_per_month) for line in lines] == [
        ("Notes", 750),
        ("Messages", 250),
    ]
    assert lines[0].profile == PROFILES["Notes"]


def test_a_category_without_a_profile_takes_all_and_says_so():
    (line,) = workload([("Messages", 1)], PROFILES, requests_per_month=1)
    assert (line.profile.category, line.profile.input_tokens) == ("Messages", 410)
    assert line.profile.basis == "no token counts for this category, so all: basis of all"
    with pytest.raises(BadDataError, match="Messages"):
        workload([("Messages", 1)], {"Notes": PROFILES["Notes"]}, requests_per_month=1)


def test_tokens_set_by_the_user_replace_the_profile():
    weights = [("Notes", 1), ("Messages", 1)]
    lines = workload(weights, PROFILES, requests_per_month=2, input_tokens=2_000, output_tokens=500)
    assert {(x.profile.input_tokens, x.profile.output_tokens) for x in lines} == {(2_000, 500)}
    assert {x.profile.basis for x in lines} == {"set by you"}
    assert workload(weights, {}, requests_per_month=2, input_tokens=2_000, output_tokens=500)

    (line,) = workload([("Notes", 1)], PROFILES, requests_per_month=2, input_tokens=2_000)
    assert (line.profile.input_tokens, line.profile.output_tokens) == (2_000, 65)
    assert line.profile.basis == "input set by you; basis of Notes"


def test_setting_the_output_takes_the_upper_bound_out_of_the_basis():
    profiles = token_profiles(ROWS, BENCHMARKS)
    (line,) = workload([("Notes", 1)], profiles, requests_per_month=2, output_tokens=9)
    assert (line.profile.input_tokens, line.profile.output_tokens) == (600, 9)
    assert line.profile.basis == "output set by you; mean over 2 MedHELM benchmarks"


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["requests_per_month", "input_tokens", "output_tokens"])
def test_requests_and_tokens_must_be_above_zero(name, value):
    arguments = {"requests_per_month": 1_000, name: value}
    with pytest.raises(BadRequestError, match=r"must be above 0, not .*\.$"):
        workload([("Notes", 1)], PROFILES, **arguments)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([], "At least one category"),
        ([("Notes", 0)], "At least one category"),
        ([("Notes", 1), ("Messages", -1)], "weight of Messages"),
        ([("Notes", float("nan"))], "weight of Notes"),
    ],
)
def test_weights_that_cannot_be_are_refused(weights, sentence):
    with pytest.raises(BadRequestError, match=sentence):
        workload(weights, PROFILES, requests_per_month=1)


@given(
    st.lists(st.floats(0, 1e6), min_size=1, max_size=8).filter(lambda w: sum(w) > 1e-6),
    st.integers(1, 10**9),
)
def test_no_request_is_lost(weights, requests):
    lines = workload(
        [(str(i), weight) for i, weight in enumerate(weights)],
        PROFILES,
        requests_per_month=requests,
    )
    assert sum(line.requests_per_month for line in lines) == pytest.approx(requests)


# --- bill -------------------------------------------------------------------------------


def line(category: str, requests: float, input_tokens: float, output_tokens: float) -> WorkloadLine:
    return WorkloadLine(category, requests, profile(category, input_tokens, output_tokens))


def test_a_bill_to_the_cent():
    lines = [line("Notes", 10_000, 2_000, 500), line("Messages", 5_000, 400, 200)]
    result, *_ = bills([price(3, 15)], lines, request_cost=flat_request_cost_usd)
    # Notes: 20 M × 3 + 5 M × 15 = 60 + 75. Messages: 2 M × 3 + 1 M × 15 = 6 + 15.
    assert result.lines == (("Notes", pytest.approx(135)), ("Messages", pytest.approx(21)))
    assert round(result.monthly_usd, 2) == 156.00
    assert result.model == "m"


def test_the_cheapest_provider_depends_on_the_workload():
    prices = [price(1, 4, provider="p1"), price(3, 1, provider="p2"), price(3, 1, provider="p3")]
    reading, *_ = bills(prices, [line("x", 1, 1_000_000, 1)], request_cost=flat_request_cost_usd)
    writing, *_ = bills(prices, [line("x", 1, 1, 1_000_000)], request_cost=flat_request_cost_usd)
    assert (reading.price.provider, writing.price.provider) == ("p1", "p2")


def test_an_unknown_price_stays_unknown():
    assert bills([], [line("x", 1, 1, 1)]) == ()
    assert bills((), [line("x", 1e9, 1e6, 1e6)]) == ()


def test_tiers_are_honoured_by_default():
    reference = PriceReference("Gemini 2.5 Pro", "google", "gemini-2.5-pro", "", "2026-11-21", "")
    prices = public_prices([reference], on=date(2026, 11, 21))["Gemini 2.5 Pro"]
    short, *_ = bills(prices, [line("x", 1_000, 200_000, 1_000)])
    long, *_ = bills(prices, [line("x", 1_000, 300_000, 1_000)])
    assert short.monthly_usd == pytest.approx(260)  # 200 M × 1.25 + 1 M × 10
    assert long.monthly_usd == pytest.approx(765)  # 300 M × 2.50 + 1 M × 15
    many_short, *_ = bills(prices, [line("x", 1_000_000, 100_000, 1)])
    assert many_short.monthly_usd == pytest.approx(125_010)  # the month's sum decides no tier


def test_a_bundled_price_gives_a_bill_to_the_cent():
    reference = PriceReference("GPT-4o mini", "openai", "gpt-4o-mini", "", "2026-11-21", "")
    prices = public_prices([reference], on=date(2026, 11, 21))["GPT-4o mini"]
    lines = workload(
        [("Notes", 1)], {}, requests_per_month=30_000, input_tokens=1_500, output_tokens=300
    )
    result, *_ = bills(prices, lines)
    assert round(result.monthly_usd, 2) == 12.15  # 45 M × 0.15 = 6.75; 9 M × 0.60 = 5.40


@pytest.mark.parametrize(
    ("prices", "lines", "sentence"),
    [
        ([price(1, 1)], [], "at least one line"),
        ([], [], "at least one line"),
        ([price(1, 1), price(1, 1, model="n")], [line("x", 1, 1, 1)], "one model"),
        ([price(1, 1)], [line("x", -1, 1, 1)], "Requests per month of x"),
        ([price(1, 1)], [line("x", 1, 0, 1)], "Input tokens of x"),
        ([price(1, 1)], [line("x", 1, 1, -2)], "Output tokens of x"),
    ],
)
def test_bills_that_cannot_be_are_refused(prices, lines, sentence):
    with pytest.raises(BadRequestError, match=sentence):
        bills(prices, lines, request_cost=flat_request_cost_usd)
