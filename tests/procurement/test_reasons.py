"""The words beside a row."""

from dataclasses import replace

import pytest
from building import a_cost, a_row, sold, some_servers

from core.domain import Requirements
from core.words.figures import count, dollars, estimate, ordinal, signed
from core.words.shortlist import cost_in_words, place, possible_ranks, questions, reasons
from tests.conftest import a_model

NOTHING = Requirements()


@pytest.fixture
def row():
    """First of five that fit, and of eight in all; nothing about it is unknown."""
    model = a_model("m", access="open", params_b=7.0, licence="mit")
    return a_row("m", model=model, cost=a_cost("m", 1234.5))


def test_how_numbers_and_places_are_written(row):
    for write, written in [
        (count, {0: "no", 1: "one", 10: "ten", 11: "11", 3827: "3,827"}),
        (ordinal, {1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 10: "10th", 21: "21st", 22: "22nd"}),
        (ordinal, {11: "11th", 12: "12th", 13: "13th", 103: "103rd", 111: "111th"}),
        (ordinal, {112: "112th", 1013: "1,013th", 1021: "1,021st"}),
        # Cents below 10, and a true minus.
        (dollars, {0: "$0.00", 0.004: "less than $0.01", 0.006: "$0.01", 9.99: "$9.99"}),
        (
            dollars,
            {9.996: "$10", 83.27: "$83", 2274.14: "$2,274", -3.5: "−$3.50", -310.51: "−$311"},
        ),
        # An estimate has no cents.
        (estimate, {0: "$0", 0.3: "less than $1", 1: "$1", 9.94: "$9.9", 9.96: "$10"}),
        (estimate, {310.51: "$311", 12_345.6: "$12,346"}),
        # A difference is in points.
        (signed, {0.037: "+3.7", -0.009: "−0.9", 0.0: "+0.0", -0.12: "−12.0"}),
    ]:
        assert {number: write(number) for number in written} == written
    for rank, n_fit, rank_all, words in [
        (None, 5, None, "Not ranked"),
        (1, 5, 1, "Best of the 5 that fit, 1st of 8 overall"),
        (1, 4, 5, "Best of the 4 that fit, 5th of 8 overall"),
        (3, 5, 7, "3rd of the 5 that fit, 7th of 8 overall"),
        (1, 1, 6, "The only model that fits, 6th of 8 overall"),
        # Where all fit, the two places are one; a labelled run has none among all.
        (2, 8, 2, "2nd of the 8 that fit"),
        (2, 5, None, "2nd of the 5 that fit"),
    ]:
        assert place(replace(row, rank=rank, n_fit=n_fit, rank_all=rank_all)) == words
    for rank_band, n_fit, names in [
        ((1, 1), 5, ("clear", "1st")),
        ((2, 4), 5, ("2nd to 4th",)),
        ((1, 5), 5, ("any place",)),
        ((1, 1), 1, ()),
        (None, 5, ()),
    ]:
        said = possible_ranks(replace(row, rank_band=rank_band, n_fit=n_fit))
        assert bool(said) is bool(names)
        assert all(name in said for name in names)
    for rank, rank_band, n_fit, clearly in [
        (1, (1, 1), 5, "clearly above every other that fits"),
        (1, (1, 3), 5, None),
        (2, (1, 3), 5, None),
        (2, (2, 3), 5, "one that fits is clearly above"),
        (4, (4, 5), 5, "three that fit are clearly above"),
        # Alone it is above nobody, whatever its set.
        (1, (1, 1), 1, None),
        (1, None, 5, None),
    ]:
        said, *_ = reasons(replace(row, rank=rank, rank_band=rank_band, n_fit=n_fit, rank_all=5))
        assert "5th of 8" in said
        assert "12 tests" in said
        assert ("clearly" in said) is (clearly is not None)
        assert (clearly or "") in said


def test_where_it_runs_what_it_costs_and_until_when_it_is_sold(row):
    _, where, price = reasons(row)
    assert where == "Can run on your own servers: open weights, 7 B parameters."
    assert price == "About $1,234 a month from Vendor, at the price of 2026-11-21."
    unsized = replace(row, model=replace(row.model, params_b=None))
    assert "Can run on your own servers: open weights." in reasons(unsized)
    closed = replace(row, model=replace(row.model, access="closed"))
    assert "Only as a service: the weights are closed." in reasons(closed)
    ranged = replace(row, cost=a_cost("m", 120.0, 80.4, 300.0))
    assert cost_in_words(ranged).startswith("About $120 a month ($80 to $300) from Vendor")
    on = some_servers(gpu="H100", sets=1)
    servers = a_cost("m", 5000.0, 4000.0, 9000.0, cost_is="own servers", bill=None, servers=on)
    said = cost_in_words(replace(row, cost=servers))
    assert said.startswith("About $5,000 a month ($4,000 to $9,000)")
    assert said.endswith("own servers: 2 × H100")
    assert "price" not in said
    at = row.cost.platform
    sale = sold("passes", "ends", "2028-03-01", at)
    assert reasons(replace(row, sale=sale))[-1] == f"On sale until 1 March 2028, at {at}."
    # Where the price is of another platform, that one's sale counts, and nothing is known of it.
    elsewhere = replace(row, sale=sold("passes", "ends", "2028-03-01", "Elsewhere"))
    assert reasons(elsewhere)[-1] == f"Not known whether {at} still sells it."
    assert f"Ask {at} how long it sells it." in questions(elsewhere, NOTHING)
    asked = replace(row, sale=sold("question"))
    assert not any("not known" in reason for reason in reasons(asked))
    assert "Not known whether it is still sold: ask the vendor." in questions(asked, NOTHING)


def test_each_unknown_is_one_question(row):
    unknown = replace(
        row, model=a_model("m"), cost=a_cost("m"), interval_basis="none", missing=("A",)
    )
    assert len(reasons(replace(row, model=a_model("m"), cost=a_cost("m")))) == 1
    assert questions(row, NOTHING) == ()
    found = questions(unknown, NOTHING)
    subjects = ("public price", "parameters", "weights are open", "Licence", "Never run: A.")
    assert len(found) == len(subjects) + 1
    for subject, question in zip((*subjects, "No interval"), found, strict=True):
        assert subject in question
    closed = replace(row, model=a_model("m", access="closed", params_b=1.0), cost=a_cost("m"))
    (question,) = questions(closed, NOTHING)
    assert "ask the vendor" in question
    (question,) = questions(closed, Requirements(monthly_budget_usd=0.0))
    assert "your budget was not applied" in question
    asked = replace(row, cost=a_cost("m", why="no servers", lacking=("architecture",)))
    (question,) = questions(asked, Requirements(access="own"))
    assert "no architecture near its size is known" in question
    assert "price" not in question
    named = replace(row, missing=tuple("ABCDE"))
    assert questions(named, NOTHING) == ("Never run: A, B, C, D, E.",)
    named = replace(row, missing=tuple("ABCDEF"))
    assert questions(named, NOTHING) == ("Never run: A, B, C, D, E and others.",)
    unranked = replace(row, rank=None, rank_band=None, rank_all=None, missing=("A",))
    assert reasons(unranked)[0].startswith("Not ranked: one of 13 tests was never run on it")
    unranked = replace(unranked, missing=("A", "B"), n_benchmarks=1)
    assert reasons(unranked)[0].startswith("Not ranked: two of 3 tests were never run on it")
    # A label is why a row is not ranked.
    assert reasons(replace(unranked, label="best of prompts"))[0] == "Not ranked: best of prompts."
    assert "on 1 test:" in reasons(replace(row, n_benchmarks=1))[0]
