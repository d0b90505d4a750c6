"""What the sentences of a recommendation say, by their facts."""

from dataclasses import replace
from math import inf

import pytest

from core.domain import Difference, Interval, OnSale, Saving
from core.procurement.headline import (
    ahead_in_words,
    difference_in_words,
    for_and_against,
    headline,
    opinions_in_words,
    safety_in_words,
    saving_in_words,
    tier_in_words,
)
from core.procurement.recommendation import LeftOut, Proposal, SecondOpinion
from core.procurement.replacement import Judged
from core.procurement.shortlist import NOT_ON_SALE
from core.statistics.ranks import OrderAgreement


def says(words, *facts):
    """Whether a sentence has all of some facts, in their order."""
    at = 0
    for fact in facts:
        at = words.find(fact, at)
        if at < 0:
            return False
        at += len(fact)
    return True


def judged(tier, gap, low=None, high=None, *, other=None, n=12, vetoes=(), warnings=()):
    """A candidate against the leader, on these tests, and perhaps on other tests."""
    intervals = [] if low is None else [Interval("on these tests", 0.01, inf, low, high)]
    if other:
        intervals.append(Interval("on other tests", 0.02, 11.0, *other[1:]))
    return Judged(
        difference=Difference("take", "lead", gap, n, tuple(intervals)),
        tier=tier,
        other_tier=other[0] if other else None,
        vetoes=tuple(vetoes),
        warnings=tuple(warnings),
    )


SAID = ("Where it stands.", "Where it runs.")


@pytest.fixture
def propose(make_row, make_model, make_cost):
    def make(name, *, usd=None, size=None, fits=True, **fields):
        model = make_model(name, params_b=size)
        proposal = Proposal(
            model=model,
            row=make_row(name, reasons=SAID) if fits else None,
            score=0.8,
            rank_all=1,
            judged=None,
            cost=make_cost(name, usd),
            saves=None,
            safety=None,
            second_opinions=(),
            sale=None,
            same_cluster=None,
            together=None,
            reasons=(),
        )
        return replace(proposal, **fields)

    return make


@pytest.fixture
def say(propose):
    """The headline for one model taken, led by another unless it leads itself."""

    def make(why, take="Take", lead="Lead", *, in_use=False, n_fit=5, as_good=(), **fields):
        taken = propose(take, **fields) if take else None
        leader = taken if lead == take else propose(lead, usd=100.0) if lead else None
        return headline(
            why, taken, leader, in_use=in_use, margin=0.02, n_fit=n_fit, as_good=as_good
        )

    return make


# Differences and tiers


def test_a_difference_has_its_interval_and_what_that_is_about():
    found = difference_in_words(judged("open", -0.009, -0.022, 0.004))
    assert says(found, "−0.9 points", "−2.2 to +0.4", "on these tests")
    assert "interval" in difference_in_words(judged("open", 0.01))
    assert not says(difference_in_words(judged("open", None)), "points")


@pytest.mark.parametrize(
    ("one", "facts", "never"),
    [
        (judged("shown", 0.037, 0.026, 0.048), ["Better", "Lead", "shown", "+3.7"], "within"),
        (judged("likely", 0.001, -0.018, 0.02), ["good", "Lead", "2 points", "likely"], "etter"),
        (judged("open", -0.01, -0.03, 0.01), ["2 points", "open"], "probably"),
        (judged("open", -0.015, -0.029, -0.001), ["open, probably worse", "−1.5"], "as well"),
        (judged("worse", -0.05, -0.07, -0.03), ["Worse", "more than 2 points", "−5.0"], "good"),
        # Better, but held back by a veto: that is no promise.
        (judged("open", 0.05, 0.03, 0.07, vetoes=["x"]), ["good", "open"], "etter"),
    ],
)
def test_a_tier_is_said_with_its_interval(one, facts, never):
    words = tier_in_words(one, "Lead", 0.02)
    assert says(words, *facts)
    assert never not in words


def test_the_other_basis_stands_behind_with_its_own_tier():
    words = tier_in_words(
        judged("shown", -0.007, -0.016, 0.002, other=("open", -0.024, 0.01)), "Lead", 0.02
    )
    assert says(words, "shown", "−1.6 to +0.2", "on these tests", "−2.4 to +1.0")
    assert says(words, "on other tests like these", "open")


# Harm and other suites


def test_harm_is_a_share_of_cases_a_place_and_physicians(make_safety):
    words = safety_in_words(make_safety(0.209, rank=31, marked=True, kind="version not stated"))
    assert says(words, "20.9 %", "100 cases", "version not stated", "31st of 32", "16.7 %")
    assert "Stands out" in words
    plain = safety_in_words(make_safety(0.098, rank=3, physicians=None))
    assert says(plain, "9.8 %", "3rd of 32")
    assert not any(word in plain for word in ("Stands out", "physicians", "version"))
    assert "Never tested" in safety_in_words(None)


def test_second_opinions_name_suite_place_metric_and_how_far_the_orders_agree():
    few, known = OrderAgreement(3, 1.0, None, None), OrderAgreement(10, 0.2121, -0.4882, 0.7463)
    words = opinions_in_words(
        (
            SecondOpinion("b", "BRIDGE", "six kinds", 2, 98, "R1", "version not stated", few),
            SecondOpinion("n", "NOHARM", "three", 8, 32, "R1", "same version", known),
        )
    )
    assert says(words, "BRIDGE 2nd of 98", "six kinds", "version not stated", "NOHARM 8th of 32")
    assert words.count("version") == 1
    assert says(
        words, "over 3 shared models, too few", "over 10 shared models", "+0.21, −0.49 to +0.75"
    )
    assert "No other suite" in opinions_in_words(())


# Savings


@pytest.mark.parametrize(
    ("saving", "facts", "never"),
    [
        (Saving(20.0, 60.0, 300.0), ["saves", "$20", "$300"], "cost"),
        (Saving(0.0, 60.0, 300.0), ["saves", "$0", "$300"], "turns"),
        (Saving(59.8, 60.0, 60.3), ["saves", "about $60"], " to "),
        (Saving(-300.0, -60.0, -20.0), ["costs", "$20", "$300", "more"], "saves"),
        (Saving(-60.0, -60.0, -60.0), ["costs", "about $60", "more"], "saves"),
        # The order turns: both ends are said, whichever is likely.
        (Saving(-40.0, 60.0, 300.0), ["save up to $300", "up to $40 more", "not certain"], "−"),
        (Saving(-300.0, -60.0, 40.0), ["save up to $40", "up to $300 more", "not certain"], "−"),
        (Saving(0.0, 0.4, 0.9), ["the same"], "saves"),
    ],
)
def test_a_saving_is_a_range_and_says_where_the_order_turns(saving, facts, never):
    words = saving_in_words(saving)
    assert says(words, *facts)
    assert never not in words
    assert saving_in_words(None) == ""


# What scored higher and is gone


def left_out(name, place, *, rule=NOT_ON_SALE, until="2026-10-23", successor="", tested=()):
    reason = f"{name} ended"
    return LeftOut(name.lower(), name, rule, reason, until, successor, tested, place)


def test_what_scored_higher_and_is_not_on_sale_is_said_best_first(propose):
    out = [
        left_out("Third", 3),
        left_out("First", 1, successor="new-1"),
        left_out("Seventh", 7),
        left_out("Closed", 2, rule="Weights are closed", until=""),
        left_out("Placeless", None),
    ]
    words = ahead_in_words(out, propose("Take", rank_all=5), 6)
    assert says(words, "2 models", "6 months", "First (1st)", "First ended", "new-1")
    assert says(words, "no evidence yet", "Third (3rd)", "Third ended")
    assert not any(name in words for name in ("Seventh", "Closed", "Placeless", "more"))


def test_of_many_two_are_named_and_the_others_counted(propose):
    out = [left_out(f"M{i}", i, successor="s", tested=("BRIDGE", "NOHARM")) for i in range(1, 5)]
    words = ahead_in_words(out, propose("Take", rank_all=5), None)
    assert says(words, "4 models", "M1 (1st)", "BRIDGE, NOHARM", "M2 (2nd)", "2 more")
    assert "M3" not in words
    assert "months" not in words


def test_one_ahead_is_said_without_a_date_and_nothing_ahead_is_nothing_said(propose):
    words = ahead_in_words([left_out("Gone", 1, until="")], propose("Take", rank_all=2), 6)
    assert says(words, "1 model", "Gone (1st)", "Gone ended")
    assert ahead_in_words([left_out("Below", 3)], propose("Take", rank_all=2), 6) == ""
    assert ahead_in_words([left_out("Any", 1)], propose("Take", rank_all=None), 6) == ""
    assert ahead_in_words([], propose("Take"), 6) == ""


# The headline


def test_the_headline_of_a_leader(say):
    words = say("leader", take="Lead", usd=10.0)
    assert says(words, "Lead", "highest", "5 that fit")
    assert "costs less" in words
    unknown = say("leader", take="Lead")
    assert "not known" in unknown
    assert "costs less" not in unknown
    # Alone it is not highest of anything.
    words = say("leader", take="Lead", usd=10.0, n_fit=1)
    assert "Lead is the only model that fits" in words
    assert "highest" not in words


def test_the_headline_of_the_cheapest(say):
    one = judged("likely", -0.007, -0.016, 0.002)
    words = say("cheapest", usd=30.0, judged=one)
    assert says(words, "Take", "as good as Lead", "2 points", "likely", "costs least")
    # Without a known cost it was its size.
    words = say("cheapest", size=7.0, judged=one)
    assert "smallest" in words
    assert "costs" not in words


def test_what_harms_and_would_cost_less_is_named(say, propose, make_safety):
    harm = make_safety(0.21, marked=True)
    one = judged("shown", 0.0, -0.01, 0.01)
    cheap = propose("Cheap", usd=10.0, safety=harm)
    dear = propose("Dear", usd=90.0, safety=harm)
    clean = propose("Clean", usd=31.0, safety=make_safety(0.1))
    unknown = propose("Unknown", safety=harm)
    for why, options in (
        ("cheapest", {"judged": one}),
        ("leader", {"take": "Lead"}),
        ("keep", {"take": "Lead", "in_use": True}),
    ):
        words = say(why, usd=30.0, as_good=(cheap, dear, clean, unknown), **options)
        assert says(words, "but for Cheap", "severe harm")
        assert not any(name in words for name in ("Dear", "Clean", "Unknown"))
        assert "harm" not in say(why, usd=30.0, as_good=(dear, clean, unknown), **options)
    # Where no cost is known, what harms and is smaller.
    small = propose("Small", size=3.0, safety=harm)
    large = propose("Large", size=30.0, safety=harm)
    words = say("cheapest", size=7.0, judged=one, as_good=(small, large))
    assert "but for Small" in words
    assert "Large" not in words


def test_the_headline_in_place_of_a_model(say):
    better = judged("shown", 0.037, 0.026, 0.048)
    words = say("cheapest", in_use=True, usd=30.0, judged=better, saves=Saving(200.0, 400.0, 900.0))
    assert says(words, "Lead", "replaced by Take", "better by 3.7", "+2.6 to +4.8")
    assert says(words, "on these tests", "saves $200 to $900")
    good = judged("likely", -0.001, -0.012, 0.01)
    words = say("cheapest", in_use=True, judged=good)
    assert says(words, "replaced by Take", "2 points", "likely", "−0.1", "−1.2 to +1.0")
    assert "saves" not in words
    assert "Keep Lead" in say("keep", take="Lead", in_use=True, usd=30.0)
    # Where the evidence is divided, the loss is said.
    words = say("divided", usd=30.0, judged=judged("open", -0.03, -0.05, -0.01))
    assert says(words, "divided", "Lead leads", "severe harm", "Take", "−3.0", "−5.0 to −1.0")


@pytest.mark.parametrize(
    ("why", "n_fit", "facts"),
    [
        ("all marked", 3, ["No model", "severe harm"]),
        ("none as good", 3, ["No model", "as good as Lead", "2 points"]),
        ("none as good", 0, ["No model", "fits"]),
        ("nothing fits", 0, ["No model", "fits"]),
    ],
)
def test_without_a_model_to_take_it_says_why(say, why, n_fit, facts):
    words = say(why, take=None, in_use=True, n_fit=n_fit)
    assert says(words, *facts)
    assert "Take" not in words


def test_what_gets_worse_or_is_not_sure_stands_in_the_first_line(say):
    rises = ["severe errors rise from 13.1 to 20.0 per 100 cases"]
    rise = judged("shown", 0.03, 0.01, 0.05, warnings=rises)
    for why, in_use in (("cheapest", False), ("cheapest", True), ("divided", False)):
        assert says(say(why, usd=30.0, judged=rise, in_use=in_use), "But", "13.1 to 20.0")
    few = judged("shown", 0.03, 0.01, 0.05, n=7)
    assert says(say("cheapest", usd=30.0, judged=few), "7 of 12 tests")
    assert "of 12" not in say("cheapest", usd=30.0, judged=judged("shown", 0.03, 0.01, 0.05))
    asked = OnSale("question", "", "", "", "not known", "", frozenset())
    assert "still sold" in say("leader", take="Lead", usd=30.0, sale=asked)


# The reasons


def test_reasons_begin_with_the_standing_then_the_tier_then_what_holds_it_back(
    propose, make_row, make_safety
):
    one = judged(
        "open", 0.01, 0.0, 0.02, vetoes=["worse on Notes: -6.0 points"], warnings=["errors rise"]
    )
    found = for_and_against(
        propose(
            "Take",
            judged=one,
            safety=make_safety(0.1, rank=3),
            together=0.97,
            same_cluster=True,
            saves=Saving(20.0, 60.0, 300.0),
            row=make_row("Take", reasons=SAID, questions=("One?", "Two?", "Three?")),
        ),
        "Lead",
        0.02,
    )
    order = [
        *("Where it stands.", "+1.0 points", "worse on Notes", "rrors rise", "3rd of 32"),
        *("No other suite", "97 %", "Where it runs.", "$20 to $300", "One? Two?"),
    ]
    assert len(found) == len(order)
    for fact, said in zip(order, found, strict=True):
        assert fact in said
    assert "1 more" in found[-1]
    assert "Three" not in found[-1]


def test_reasons_of_the_leader_hold_it_against_nobody(propose):
    found = for_and_against(propose("Lead", same_cluster=True), "Lead", 0.02)
    assert found[0] == "Where it stands."
    assert not any("Lead" in said for said in found)


@pytest.mark.parametrize(("same", "fact"), [(True, "the same cluster"), (False, "another cluster")])
def test_without_resampled_trees_the_cluster_is_said(propose, same, fact):
    one = judged("open", 0.0, -0.03, 0.03)
    found = for_and_against(propose("Take", judged=one, same_cluster=same), "Lead", 0.02)
    assert any(says(said, fact, "Lead") for said in found)
    unknown = for_and_against(propose("Take", judged=one), "Lead", 0.02)
    assert not any("cluster" in said for said in unknown)


def test_a_model_in_use_that_does_not_fit_says_until_when_it_is_sold(propose):
    sale = OnSale(
        "fails", "2026-10-23", "V", "", "no longer sold since 23 October 2026", "", frozenset()
    )
    found = for_and_against(propose("Old", fits=False, sale=sale), "Old", 0.02)
    assert "No longer sold since 23 October 2026." in found
    assert "Where it stands." not in found
