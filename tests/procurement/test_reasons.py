"""The words beside a row."""

from dataclasses import replace

import pytest

from core.domain import Difference, Equivalent, Requirements, ShortlistRow
from core.procurement.reasons import band, count, dollars, questions, reasons, with_equivalent

NOTHING = Requirements()


@pytest.fixture
def row(make_model, make_bill):
    return ShortlistRow(
        rank=1,
        rank_band=(1, 1),
        model=make_model("m", access="open", params_b=7.0, licence="mit"),
        score=0.8,
        ci_low=0.7,
        ci_high=0.9,
        interval_basis="standard errors",
        n_benchmarks=12,
        missing=(),
        category_scores=(),
        run="run",
        bill=make_bill("m", 1234.5),
        cluster="H",
        reasons=(),
        questions=(),
    )


@pytest.mark.parametrize(
    ("number", "word"), [(0, "no"), (1, "one"), (10, "ten"), (11, "11"), (3827, "3,827")]
)
def test_small_counts_are_words(number, word):
    assert count(number) == word


@pytest.mark.parametrize(
    ("rank", "rank_band", "words"),
    [
        (None, None, "Not ranked"),
        (1, (1, 1), "First"),
        (2, (1, 3), "First, tied with two others"),
        (2, (2, 3), "Second, tied with one other"),
        (5, (5, 5), "Fifth"),
        (7, (6, 20), "Rank 6, tied with 14 others"),
    ],
)
def test_a_rank_band_in_words(rank, rank_band, words):
    assert band(rank, rank_band) == words


@pytest.mark.parametrize(
    ("rank", "rank_band", "start"),
    [
        (1, (1, 1), "Scores clearly highest over 12 benchmarks."),
        (
            1,
            (1, 3),
            "Highest score over 12 benchmarks, though the data cannot separate it from two",
        ),
        (2, (1, 3), "Close to the highest score over 12 benchmarks: the data cannot tell."),
        (4, (4, 4), "Clearly below the models ranked above it over 12 benchmarks."),
        (5, (4, 5), "Below the first group over 12 benchmarks, and in one band with one other."),
    ],
)
def test_the_first_reason_says_why_a_row_stands_where_it_stands(row, rank, rank_band, start):
    first, *_ = reasons(replace(row, rank=rank, rank_band=rank_band))
    assert first.startswith(start)


def test_an_unranked_row_says_how_many_benchmarks_are_missing(row):
    unranked = replace(row, rank=None, rank_band=None, missing=("A",))
    assert reasons(unranked)[0].startswith("Not ranked: one of 13 benchmarks was never run on it")
    unranked = replace(unranked, missing=("A", "B"), n_benchmarks=1)
    assert reasons(unranked)[0].startswith("Not ranked: two of 3 benchmarks were never run on it")


def test_one_benchmark_is_singular(row):
    assert reasons(replace(row, n_benchmarks=1))[0] == "Scores clearly highest over 1 benchmark."


def test_where_it_runs_and_what_it_costs(row):
    _, place, price = reasons(row)
    assert place == "Can run on your own servers: open weights, 7 B parameters."
    assert price.startswith("About $1,234 a month for the stated workload")
    assert price.endswith("at the price of Vendor on 2026-11-21.")
    unsized = replace(row, model=replace(row.model, params_b=None))
    assert "Can run on your own servers: open weights." in reasons(unsized)
    closed = replace(row, model=replace(row.model, access="closed"))
    assert "Only as a service: the weights are closed." in reasons(closed)


def test_what_is_unknown_is_no_reason(row, make_model):
    (only,) = reasons(replace(row, model=make_model("m"), bill=None))
    assert only == "Scores clearly highest over 12 benchmarks."


@pytest.mark.parametrize(
    ("verdict", "cheaper_by", "said"),
    [
        ("equivalent", "bill", "Small does as well within your margin and is 37% cheaper."),
        ("equivalent", "parameters", "Small does as well within your margin and is 37% smaller."),
        ("cannot tell", "bill", None),
        ("worse", "bill", None),
    ],
)
def test_only_an_equivalent_is_said_to_do_as_well(row, verdict, cheaper_by, said):
    gap = Difference(
        model="s",
        other="m",
        difference=0.0,
        ci_low=-0.01,
        ci_high=0.01,
        basis="standard errors",
        n_benchmarks=12,
    )
    other = Equivalent("s", "Small", 4.0, None, 0.1, True, gap, verdict, cheaper_by, 0.371)
    row = replace(row, reasons=("Scores highest.",))
    assert with_equivalent(row, other) == ("Scores highest.", *([said] if said else []))
    assert with_equivalent(row, None) == ("Scores highest.",)


def test_a_row_of_which_all_is_known_asks_nothing(row):
    assert questions(row, NOTHING) == ()


def test_each_unknown_is_one_question(row, make_model):
    unknown = replace(row, model=make_model("m"), bill=None, interval_basis="none")
    assert questions(unknown, NOTHING) == (
        "No public price: count your own servers.",
        "Number of parameters not disclosed.",
        "Not known whether the weights are open.",
        "Licence not found: ask before commercial use.",
        "No interval can be given: too few benchmarks and no published error.",
    )


def test_the_vendor_of_a_closed_model_is_asked_for_its_price_and_not_its_licence(row, make_model):
    closed = replace(row, model=make_model("m", access="closed", params_b=1.0), bill=None)
    assert questions(closed, NOTHING) == ("No public price: ask the vendor.",)
    limited = Requirements(monthly_budget_usd=0.0)
    assert questions(closed, limited) == (
        "No public price: ask the vendor; your budget was not applied to it.",
    )


def test_of_many_missing_benchmarks_five_are_named(row):
    named = replace(row, missing=tuple("ABCDE"))
    assert questions(named, NOTHING) == ("Never run: A, B, C, D, E.",)
    named = replace(row, missing=tuple("ABCDEF"))
    assert questions(named, NOTHING) == ("Never run: A, B, C, D, E and others.",)


@pytest.mark.parametrize(
    ("usd", "written"),
    [
        (0, "$0.00"),
        (0.004, "less than $0.01"),
        (0.006, "$0.01"),
        (99.99, "$99.99"),
        (99.996, "$100"),
        (310.51, "$311"),
        (2274.14, "$2,274"),
    ],
)
def test_an_amount_has_cents_below_100(usd, written):
    assert dollars(usd) == written
