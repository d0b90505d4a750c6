"""The formulary rule, worked by hand on a few models that are all 1 point uncertain.

Scores decide the tiers: of two candidates for a model of 80, within 2 points 80 is as good
(z = 2), 79 is open (z = 1), 76 is worse (up to −2.04). Where a test says ``CLOSE``, half a point:
79.9 is as good (z = 3.8), 81 is better (+0.02 or more).
"""

from math import sqrt

import numpy as np
import pytest

from core.domain import Dossier, OnSale, RouteVerdict
from core.procurement.recommendation import choose

ERROR = 0.01 / sqrt(2)
CLOSE = 0.005 / sqrt(2)


@pytest.fixture
def candidate(make_model, make_cost, make_safety):
    def make(
        name, score=0.8, usd=None, size=None, *, active=None, marked=None, share=None,
        may_be_first=True, is_service=False, sale_known=True, conditions_met=True,
    ):  # fmt: skip
        safety = None
        if marked is not None:
            safety = make_safety(share or (0.3 if marked else 0.1), marked=marked)
        access = "closed" if is_service else "open"
        return Dossier(
            make_model(name, params_b=size, params_active_b=active, access=access),
            make_cost(name, usd),
            score,
            rank_band=(1, 9) if may_be_first else (2, 9),
            sale=OnSale("passes" if sale_known else "question", "", "", "", "", frozenset()),
            routes=() if conditions_met else (RouteVerdict(name, "V", "open", (), ""),),
            safety=safety,
        )

    return make


@pytest.fixture
def behind(candidate):
    """Models far behind and dear, none of which may be the first; so that enough fit."""

    def make(n=3, *, first=False):
        return [candidate(f"behind {i}", 0.3, 5000.0, may_be_first=first) for i in range(n)]

    return make


@pytest.fixture
def chosen(make_matrix):
    """Choose among candidates; one in use may stand outside them."""

    def of(*candidates, in_use=None, error=ERROR, **how):
        rows = {
            each.model.id: [each.score] for each in (*candidates, *([in_use] if in_use else ()))
        }
        rows = rows or {"nobody": [0.0]}
        return choose(
            candidates,
            matrix=make_matrix(rows, error=error),
            weights={"b0": 1.0},
            categories={"Category": {"b0": 1.0}},
            margin=how.pop("margin", 0.02),
            in_place_of=in_use,
            **how,
        )

    return of


def came(found):
    """How strong an answer is, why, and whom it takes."""
    return found.strength, found.why, found.take


# Which of those as good is the cheapest


@pytest.fixture
def cheapest(chosen, candidate, behind):
    """The cheapest of some as good as a leader of $9,000."""

    def of(*group, lead=None):
        lead = lead or candidate("lead", 0.80, 9000.0, 900.0)
        found = chosen(lead, *group, *behind(), error=CLOSE)
        assert set(found.as_good) | {found.best} == {each.model.id for each in (lead, *group)}
        return found.best

    return of


def test_costs_within_1_percent_tie_then_the_score_then_parameters_then_the_id(cheapest, candidate):
    better, cheap = candidate("better", 0.799, 101.0, 70.0), candidate("cheap", 0.798, 100.0, 7.0)
    assert cheapest(better, cheap) == "better"
    beyond = candidate("beyond", 0.799, 101.1, 7.0)
    assert cheapest(beyond, cheap) == "cheap"
    # Of equal scores the fewer active parameters, whatever is loaded; a dense model uses all.
    dense = candidate("dense", 0.798, 100.0, 14.0)
    mixture = candidate("mixture", 0.798, 100.5, 30.0, active=3.0)
    assert cheapest(dense, mixture) == "mixture"
    # Of equally many active ones the fewer in all, then the id; an unknown size is not smaller.
    larger = candidate("larger", 0.798, 100.0, 80.0, active=3.0)
    assert cheapest(larger, mixture) == "mixture"
    twin = candidate("another", 0.798, 100.5, 30.0, active=3.0)
    assert cheapest(mixture, twin) == "another"
    assert cheapest(candidate("a", 0.798, 100.0), dense) == "dense"


def test_of_costs_that_tie_what_is_better_goes_before_what_is_only_higher(chosen, candidate):
    """Against 80 in use, 80.9 (−0.08 to +1.88) is no better, 81 (+0.02 to +1.98) is."""
    used = candidate("used", 0.80, 200.0, 3.0)
    higher, better = candidate("higher", 0.809, 100.0, 3.0), candidate("better", 0.81, 101.0, 99.0)
    found = chosen(used, higher, better, in_use=used, error=CLOSE)
    assert [found.judged[name].better for name in ("higher", "better")] == [False, True]
    assert found.take == "better"
    beyond = candidate("better", 0.81, 101.1, 99.0)
    assert chosen(used, higher, beyond, in_use=used, error=CLOSE).take == "higher"
    # Also before a higher score of less sure tests: 83 with an error of 3 points is no better.
    unsure = candidate("unsure", 0.83, 100.0, 3.0)
    errors = np.array([[CLOSE], [0.03], [CLOSE]])
    found = chosen(used, unsure, better, in_use=used, error=errors, margin=0.04)
    assert [found.judged[name].better for name in ("unsure", "better")] == [False, True]
    assert found.judged["unsure"].is_as_good
    assert found.take == "better"


def test_the_lowest_likely_cost_counts_and_an_unknown_one_is_never_cheaper(cheapest, candidate):
    dear, cheap = candidate("dear", 0.799, 50.0, 1.0), candidate("cheap", 0.798, 20.0, 99.0)
    assert cheapest(dear, cheap) == "cheap"
    assert cheapest(candidate("unknown", 0.799, None, 1.0), dear) == "dear"
    assert cheapest(candidate("free", 0.798, 0.0, 99.0), cheap) == "free"
    # A leader of unknown cost gives way to one as good whose cost is known, however high.
    assert cheapest(dear, lead=candidate("lead", 0.80, None, 1.0)) == "dear"


def test_active_parameters_decide_where_no_cost_of_the_group_is_known(cheapest, candidate):
    lead = candidate("lead", 0.80, None, 70.0)
    mixture = candidate("mixture", 0.798, None, 30.0, active=3.0)
    assert cheapest(candidate("dense", 0.799, None, 14.0), mixture, lead=lead) == "mixture"
    assert cheapest(candidate("unsized", 0.799), lead=lead) == "lead"
    # With no size known either the leader stands.
    assert cheapest(candidate("other", 0.799), lead=candidate("lead", 0.80)) == "lead"


# Take


def test_the_cheapest_of_the_leader_and_those_as_good_is_taken(chosen, candidate):
    found = chosen(
        candidate("lead", 0.80, 100.0),
        candidate("good", 0.80 - 1e-6, 40.0),
        candidate("open", 0.79, 5.0, may_be_first=False),
        candidate("worse", 0.76, 1.0, may_be_first=False),
    )
    assert (found.leader, found.best) == ("lead", "good")
    assert came(found) == ("take", "cheapest", "good")
    assert {name: one.tier for name, one in found.judged.items()} == {
        "good": "likely",
        "open": "open",
        "worse": "worse",
    }
    # The leader is dearer, but as good; what is open and cheaper is worth a test.
    assert found.as_good == ("lead",)
    assert found.worth_testing == ("open",)
    assert found.step_down == "worse"
    assert (found.choose, found.test_these, found.n_first) == ((), (), 2)


def test_the_leader_is_taken_where_nothing_as_good_costs_less(chosen, candidate, behind):
    found = chosen(candidate("lead", 0.80, 40.0), candidate("good", 0.80 - 1e-6, 100.0), *behind())
    assert came(found) == ("take", "leader", "lead")
    assert found.as_good == ("good",)
    # Equal scores: the id decides who leads, and the cost who is taken.
    found = chosen(candidate("b", 0.80, 40.0), candidate("a", 0.80, 100.0), *behind())
    assert (found.leader, found.take) == ("a", "b")


def test_one_as_good_of_unknown_cost_is_as_good_and_no_more(chosen, candidate, behind):
    found = chosen(
        candidate("lead", 0.80, 40.0), candidate("good", 0.80 - 1e-6, None, 1.0), *behind()
    )
    assert (found.take, found.as_good, found.worth_testing) == ("lead", ("good",), ())


def test_nothing_fits(chosen, candidate):
    found = chosen()
    assert (found.leader, found.best) == (None, None)
    assert came(found) == ("shortlist", "nothing fits", None)
    assert (found.as_good, found.worth_testing, found.step_down) == ((), (), None)
    assert (found.choose, found.test_these, found.n_first) == ((), (), 0)
    # Nor does the model in use, which is named all the same.
    found = chosen(in_use=candidate("old"))
    assert (found.leader, *came(found)) == ("old", "keep", "nothing fits", None)


# How strong the answer is: what makes it a shortlist


def test_of_fewer_than_three_that_fit_the_better_is_to_be_tested(chosen, candidate, behind):
    two = candidate("lead", 0.80, 100.0), candidate("other", 0.79, 40.0)
    found = chosen(*two)
    assert came(found) == ("shortlist", "few fit", None)
    assert found.test_these == ("lead", "other")
    assert chosen(*two[:1]).test_these == ("lead",)
    # The other is far below, and is no test.
    assert chosen(two[0], candidate("far", 0.70, 1.0)).test_these == ("lead",)
    assert chosen(*two, *behind(1)).strength == "choose"


def test_a_suite_that_does_not_test_the_work_decides_nothing(chosen, candidate, behind):
    some = candidate("lead", 0.80, 100.0), candidate("good", 0.80 - 1e-6, 40.0), *behind()
    assert came(chosen(*some)) == ("take", "cheapest", "good")
    found = chosen(*some, decides=False)
    assert came(found) == ("shortlist", "suite does not decide", None)
    # What the rule comes to is known all the same, and is among those to test.
    assert (found.best, found.test_these, found.as_good) == ("good", ("lead", "good"), ())
    assert found.step_down is None


@pytest.mark.parametrize(
    ("n_first", "n_fit", "separated"),
    [
        # More than the larger of four and half of those that fit.
        *((4, 5, True), (5, 5, False), (4, 4, True), (5, 8, False)),
        *((5, 9, False), (5, 10, True), (6, 11, False), (6, 12, True)),
    ],
)
def test_a_first_group_that_is_too_large_is_not_separated(
    chosen, candidate, behind, n_first, n_fit, separated
):
    found = chosen(
        candidate("lead", 0.80, 100.0), *behind(n_first - 1, first=True),
        *(candidate(f"x {i}", 0.2, 6000.0, may_be_first=False) for i in range(n_fit - n_first)),
    )  # fmt: skip
    assert found.n_first == n_first
    expected = ("take", "leader", "lead") if separated else ("shortlist", "not separated", None)
    assert came(found) == expected


@pytest.mark.parametrize(
    ("n_cheaper", "strength", "beside"),
    [(0, "take", 0), (1, "choose", 1), (2, "choose", 2), (3, "choose", 2), (4, "shortlist", 0)],
)
def test_cheaper_ones_that_may_be_as_good_make_a_choice_and_many_a_shortlist(
    chosen, candidate, behind, n_cheaper, strength, beside
):
    """Seven more that are far behind, so that half of those that fit are never too few."""
    several = [candidate(f"open {i}", 0.79 - i / 1000, 50.0 + i) for i in range(n_cheaper)]
    found = chosen(candidate("lead", 0.80, 100.0), *several, *behind(7))
    assert found.strength == strength
    names = tuple(each.model.id for each in several)
    if strength == "shortlist":
        assert (found.why, found.take) == ("many cheaper", None)
        # The leader and the three of highest score, though the last are no dearer.
        assert found.test_these == ("lead", *names[:3])
        assert found.worth_testing == names[3:]
    else:
        assert found.take == "lead"
        assert found.choose == (("lead", *names[:2]) if beside else ())
        assert found.worth_testing == names[2:]


def test_only_what_may_be_the_first_is_open_and_over_1_percent_cheaper_stands_against_it(
    chosen, candidate, behind
):
    lead = candidate("lead", 0.80, 100.0)
    for other in (
        candidate("no first", 0.79, 50.0, may_be_first=False),
        candidate("alike", 0.79, 99.1),  # 1 % more is $100.09
        candidate("dear", 0.79, 150.0),
        candidate("unknown", 0.79, None, 1.0),
        candidate("worse", 0.76, 1.0),
    ):
        assert came(chosen(lead, other, *behind())) == ("take", "leader", "lead"), other
    found = chosen(lead, candidate("cheaper", 0.79, 99.0), *behind())  # 1 % more is $99.99
    assert (*came(found), found.choose) == (
        *("choose", "cheaper ones open", "lead"),
        ("lead", "cheaper"),
    )
    # Against the cheapest of those as good, not against the leader.
    good = candidate("good", 0.80 - 1e-6, 40.0)
    found = chosen(lead, good, candidate("between", 0.79, 50.0), *behind())
    assert came(found) == ("take", "cheapest", "good")
    found = chosen(lead, good, candidate("below", 0.79, 30.0), *behind())
    assert (*came(found), found.choose) == (
        *("choose", "cheaper ones open", "good"),
        ("good", "below"),
    )
    assert found.as_good == ("lead",)


def test_with_no_cost_known_a_quarter_fewer_active_parameters_stand_for_cheaper(
    chosen, candidate, behind
):
    lead = candidate("lead", 0.80, None, 100.0, active=40.0)
    for size, active, strength in (
        *((100.0, 30.0, "choose"), (100.0, 30.1, "take"), (30.0, None, "choose")),
        *((31.0, None, "take"), (None, None, "take")),
    ):
        other = candidate("other", 0.79, None, size, active=active)
        assert chosen(lead, other, *behind()).strength == strength, (size, active)
    # What has a known cost goes before a leader that has none.
    assert chosen(lead, candidate("known", 0.79, 9999.0), *behind()).choose == ("lead", "known")


@pytest.mark.parametrize(
    ("facts", "has_budget", "why"),
    [
        ({"is_service": True}, True, "price unknown"),
        ({"is_service": True}, False, "leader"),
        # On own servers it may keep a budget.
        ({}, True, "leader"),
        ({"sale_known": False}, False, "price and sale unknown"),
        ({"sale_known": False, "usd": 40.0}, True, "leader"),
        ({"is_service": True, "usd": 40.0}, True, "leader"),
        ({"conditions_met": False, "usd": 40.0}, False, "condition not known"),
        # The price under a budget goes before the rest.
        (
            {"is_service": True, "sale_known": False, "conditions_met": False},
            *(True, "price unknown"),
        ),
        ({"sale_known": False, "conditions_met": False}, True, "price and sale unknown"),
    ],
)
def test_what_nobody_knows_of_the_first_makes_a_shortlist(
    chosen, candidate, behind, facts, has_budget, why
):
    found = chosen(candidate("lead", 0.80, **facts), *behind(), has_budget=has_budget)
    assert found.why == why
    assert found.strength == ("take" if why == "leader" else "shortlist")
    assert found.take == ("lead" if why == "leader" else None)
    assert found.test_these == (() if why == "leader" else ("lead",))
    # Of one that is not the cheapest of those as good it does not matter.
    good = candidate("good", 0.80 - 1e-6, 5.0)
    found = chosen(candidate("lead", 0.80, **facts), good, *behind(), has_budget=has_budget)
    assert came(found) == ("take", "cheapest", "good")


def test_the_reasons_for_a_shortlist_are_asked_in_order(chosen, candidate, behind):
    """All hold at once, then one after the other falls away."""
    odd = candidate("lead", 0.80, is_service=True, sale_known=False, conditions_met=False)
    open_ones = [candidate(f"open {i}", 0.79, 50.0) for i in range(4)]
    why = [
        chosen(odd, candidate("a", 0.79), decides=False, has_budget=True).why,
        chosen(odd, *open_ones, decides=False, has_budget=True).why,
        chosen(odd, *open_ones, has_budget=True).why,
        chosen(odd, *open_ones, *behind(5), has_budget=True).why,
        chosen(odd, *open_ones[1:], *behind(5), has_budget=True).why,
        chosen(odd, *open_ones[1:], *behind(5)).why,
    ]
    assert why == [
        *("few fit", "suite does not decide", "not separated", "many cheaper"),
        *("price unknown", "price and sale unknown"),
    ]


# What a shortlist tests


def test_to_test_are_the_leader_what_is_cheapest_as_good_and_what_is_open_and_cheaper(
    chosen, candidate
):
    found = chosen(
        candidate("lead", 0.80, 100.0),
        candidate("good", 0.80 - 1e-6, 60.0),
        candidate("first", 0.7901, 50.0),
        candidate("second", 0.79, 10.0),
        candidate("third", 0.7899, 1.0),
        candidate("dear", 0.795, 70.0),
        decides=False,
    )
    assert found.best == "good"
    assert found.test_these == ("lead", "good", "first", "second")
    assert found.worth_testing == ("third",)


def test_nothing_over_two_margins_below_is_tested(chosen, candidate):
    """2 points uncertain, so that −4 (up to −0.08) is open: −4.0 is tested, −4.1 is not."""
    wide = 0.02 / sqrt(2)
    floor, below = candidate("floor", 0.76, 2.0), candidate("below", 0.759, 1.0)
    found = chosen(candidate("lead", 0.80, 100.0), floor, below, error=wide, decides=False)
    assert found.judged["floor"].tier == found.judged["below"].tier == "open"
    assert found.test_these == ("lead", "floor")
    assert found.worth_testing == ()
    found = chosen(candidate("lead", 0.80, 100.0), floor, below, error=wide)
    assert (found.choose, found.worth_testing) == (("lead", "floor", "below"), ())
    # The floor goes with the margin: of 1 point it lies at −2.
    near, far = candidate("near", 0.78, 2.0), candidate("far", 0.779, 1.0)
    found = chosen(
        candidate("lead", 0.80, 100.0), near, far, error=wide, margin=0.01, decides=False
    )
    assert found.test_these == ("lead", "near")


def test_with_nothing_cheaper_that_is_near_the_cheapest_near_ones_are_tested(chosen, candidate):
    """None of these costs less than the leader; worse ones are none to test."""
    found = chosen(
        candidate("lead", 0.80, 1.0),
        candidate("a", 0.797, 90.0),
        candidate("b", 0.796, 50.0),
        candidate("c", 0.795, 40.0),
        candidate("d", 0.794, 30.0),
        candidate("far", 0.75, 2.0),
        decides=False,
    )
    assert found.test_these == ("lead", "d", "c", "b")


# A choice for harm


def test_a_marked_model_is_set_beside_one_as_good_without_a_mark(chosen, candidate):
    found = chosen(
        candidate("lead", 0.80, 1.0, marked=True),
        candidate("good", 0.80 - 1e-6, 100.0, marked=False),
        candidate("untested", 0.80 - 2e-6, 200.0),
    )
    # The marked one is the cheapest and stays the first; caution takes the other.
    assert (found.leader, found.best) == ("lead", "lead")
    assert came(found) == ("choose", "harm", "good")
    assert found.choose == ("lead", "good")
    assert found.as_good == ("untested",)


def test_one_that_is_open_and_without_a_mark_stands_beside_a_marked_one_too(
    chosen, candidate, behind
):
    marked = candidate("lead", 0.80, 100.0, marked=True)
    wide = 0.02 / sqrt(2)
    for score, strength in ((0.76, "choose"), (0.759, "take")):
        other = candidate("other", score, 200.0, marked=False, may_be_first=False)
        found = chosen(marked, other, *behind(), error=wide)
        assert found.judged["other"].tier == "open"
        assert found.strength == strength, score
        assert found.take == ("other" if strength == "choose" else "lead")
    # What is worse is none, however clean; nor is one that was never tested for harm.
    worse = candidate("worse", 0.76, 1.0, marked=False, may_be_first=False)
    assert came(chosen(marked, worse, *behind())) == ("take", "leader", "lead")
    never = candidate("never", 0.80 - 1e-6, 200.0)
    assert came(chosen(marked, never, *behind())) == ("take", "leader", "lead")
    also = candidate("also", 0.80 - 1e-6, 200.0, marked=True)
    assert came(chosen(marked, also, *behind())) == ("take", "leader", "lead")
    # An unmarked leader is taken whatever harm others do.
    clean = candidate("lead", 0.80, 100.0, marked=False)
    assert came(chosen(clean, also, *behind())) == ("take", "leader", "lead")


def test_of_several_without_a_mark_caution_takes_one_as_good_then_the_cheapest(chosen, candidate):
    lead = candidate("lead", 0.80, 100.0, marked=True)
    near = candidate("open", 0.79, 150.0, marked=False)
    found = chosen(
        lead,
        candidate("dear", 0.80 - 1e-6, 300.0, marked=False),
        candidate("good", 0.80 - 2e-6, 200.0, marked=False),
        near,
    )
    assert (found.take, found.choose) == ("good", ("lead", "good", "dear"))
    assert found.as_good == ()
    # One that is cheaper and may be as good stands third, before a second without a mark.
    cheaper = candidate("cheaper", 0.785, 5.0)
    found = chosen(lead, near, candidate("other", 0.79, 160.0, marked=False), cheaper)
    assert (found.why, found.take) == ("harm", "open")
    assert found.choose == ("lead", "open", "cheaper")


# The lists


def test_worth_testing_is_cheaper_or_at_equal_cost_a_quarter_smaller(chosen, candidate, behind):
    """Against 80 for $100 and 40 B active, all open at 79; equal scores go by the id."""
    outside = {"may_be_first": False}
    found = chosen(
        candidate("lead", 0.80, 100.0, 90.0, active=40.0),
        candidate("cheaper", 0.79, 60.0, 90.0, **outside),
        candidate("alike", 0.79, 99.5, 40.0, **outside),  # within 1 %, as large
        candidate("smaller", 0.79, 100.5, 90.0, active=30.0, **outside),  # a quarter smaller
        candidate("bit smaller", 0.79, 100.5, 30.1, **outside),
        candidate("dearer", 0.79, 102.0, 1.0, **outside),
        candidate("unknown", 0.79, None, 1.0, **outside),
        candidate("unsized", 0.79, 100.0, **outside),
        *behind(),
    )
    assert came(found) == ("take", "leader", "lead")
    assert found.worth_testing == ("cheaper", "smaller")
    assert found.as_good == ()


def test_worth_testing_is_by_score_and_ends_at_two_margins_below(chosen, candidate, behind):
    """2 points uncertain: −4 up to −0.08 is open and probably worse, and still no lower."""
    outside = {"may_be_first": False}
    found = chosen(
        candidate("lead", 0.80, 100.0),
        candidate("cheap", 0.77, 1.0, **outside),
        candidate("best", 0.79, 60.0, marked=True, **outside),
        candidate("floor", 0.76, 5.0, **outside),
        candidate("below", 0.7599, 5.0, **outside),
        *behind(),
        error=0.02 / sqrt(2),
    )
    assert found.worth_testing == ("best", "cheap", "floor")
    assert found.judged["floor"].probably_worse
    assert found.judged["below"].tier == "open"
    assert found.is_narrowed


def test_without_any_interval_five_are_listed_by_score_none_below_the_floor(chosen, candidate):
    lead = candidate("lead", 0.80, 100.0)
    dear = [candidate(f"m{i}", 0.79 - i / 100, 200.0 + i) for i in range(5)]
    found = chosen(lead, *dear, in_use=lead, error=np.nan)
    assert (*came(found), found.is_narrowed) == ("keep", "keep", "lead", False)
    # −1 to −4 points, though dearer; −5 is below.
    assert found.worth_testing == ("m0", "m1", "m2", "m3")
    near = [candidate(f"m{i}", 0.799 - i / 1000, 200.0 + i) for i in range(7)]
    found = chosen(lead, *near, in_use=lead, error=np.nan)
    assert found.worth_testing == ("m0", "m1", "m2", "m3", "m4")
    # Those to test are not listed again: without a cheaper one the cheapest that are near.
    found = chosen(lead, *near, error=np.nan)
    assert (found.why, found.test_these) == ("not separated", ("lead", "m0", "m1", "m2"))
    assert found.worth_testing == ("m3", "m4")


def test_as_good_begins_with_the_best_buy(chosen, candidate, behind):
    found = chosen(
        candidate("lead", 0.80, 10.0),
        candidate("dear", 0.799, 90.0),
        candidate("mid", 0.799, 40.0),
        candidate("large", 0.799, 30.0, 70.0),
        candidate("small", 0.799, 30.0, 7.0),
        candidate("unknown", 0.799, None, 1.0),
        candidate("marked", 0.799, 11.0, marked=True),
        *behind(7),
        error=CLOSE,
        margin=0.03,
    )
    assert came(found) == ("take", "leader", "lead")
    assert found.as_good == ("marked", "small", "large", "mid", "dear", "unknown")


def test_the_step_down_is_the_best_of_the_worse_that_cost_at_most_half(chosen, candidate, behind):
    lead = candidate("lead", 0.80, 100.0)
    half, less = candidate("half", 0.70, 50.0), candidate("less", 0.60, 1.0)
    dear, unpriced = candidate("dear", 0.75, 50.1), candidate("unpriced", 0.75)
    found = chosen(lead, half, less, dear)
    assert (found.take, found.step_down) == ("lead", "half")
    assert found.worth_testing == ()  # what is worse is not worth a test
    assert chosen(lead, dear, unpriced).step_down is None
    # Half of a cost that nobody knows is not known either.
    assert chosen(candidate("lead", 0.80), half, less).step_down is None
    # A mark bars from it.
    harms = candidate("harms", 0.75, 1.0, marked=True)
    mild = candidate("mild", 0.70, 1.0, marked=False)
    assert chosen(lead, harms, mild).step_down == "mild"
    # Without one that is taken there is nothing to step down from.
    assert chosen(lead, half, less, decides=False).step_down is None


# In place of a model in use


def test_a_model_in_use_leads_whatever_scores_higher(chosen, candidate):
    old = candidate("old", 0.75, 100.0)
    found = chosen(old, candidate("new", 0.80, 40.0), candidate("dear", 0.85, 400.0), in_use=old)
    assert (found.leader, found.best) == ("old", "new")
    assert came(found) == ("take", "replaced", "new")
    assert found.judged["new"].better
    assert found.as_good == ("old", "dear")


def test_one_as_good_replaces_it_for_a_likely_saving_of_over_1_percent_only(chosen, candidate):
    old = candidate("old", 0.80, 100.0)
    for usd, taken in ((99.1, "old"), (99.0, "new"), (120.0, "old"), (None, "old")):
        new = candidate("new", 0.80, usd, 1.0)
        found = chosen(old, new, in_use=old)
        assert found.judged["new"].is_as_good
        assert not found.judged["new"].better
        assert found.take == taken, usd
        assert (found.strength, found.why) == (
            ("take", "replaced") if taken == "new" else ("keep", "keep")
        )
        assert found.as_good == (("old",) if taken == "new" else ("new",))
    # A lower score, as good or not, for the same money: never.
    found = chosen(old, candidate("lower", 0.799, 100.0, 1.0), in_use=old, error=CLOSE)
    assert came(found) == ("keep", "keep", "old")
    assert (found.choose, found.test_these) == ((), ())


def test_one_that_is_better_replaces_it_though_it_costs_more(chosen, candidate):
    old = candidate("old", 0.75, 100.0)
    better, dear = candidate("better", 0.80, 300.0), candidate("best", 0.85, 400.0)
    found = chosen(old, better, dear, in_use=old)
    # The cheapest of them, not the best.
    assert came(found) == ("take", "replaced", "better")
    assert chosen(old, candidate("better", 0.80), in_use=old).take == "better"
    # As good and saving goes before better and dear.
    same = candidate("same", 0.75, 90.0)
    assert chosen(old, better, same, in_use=old).take == "same"


def test_better_but_held_back_replaces_nothing(chosen, candidate):
    """Shown to do severe harm more often: 10 against 30 % of 100 cases, z = 3.6."""
    old = candidate("old", 0.75, 100.0, marked=False)
    harms = candidate("harms", 0.85, 1.0, marked=True)
    found = chosen(old, harms, in_use=old)
    assert found.judged["harms"].better
    assert found.judged["harms"].tier == "open"
    assert came(found) == ("keep", "keep", "old")
    assert found.worth_testing == ("harms",)


def test_with_no_cost_known_a_quarter_fewer_active_parameters_are_the_saving(chosen, candidate):
    old = candidate("old", 0.80, None, 40.0)
    for size, active, taken in ((90.0, 30.0, "new"), (90.0, 30.1, "old"), (30.0, None, "new")):
        new = candidate("new", 0.80, None, size, active=active)
        assert chosen(old, new, in_use=old).take == taken, (size, active)
    # Against a cost that nobody knows nothing saves.
    assert chosen(old, candidate("new", 0.80, 1.0, 40.0), in_use=old).take == "old"


def test_with_neither_cost_nor_size_a_model_in_use_gives_way_to_the_best_that_is_better(
    chosen, candidate
):
    used = candidate("used", 0.70)
    # 30 and 25 points above: both shown; the better one is taken.
    found = chosen(candidate("best", 1.0), candidate("more", 0.95), used, in_use=used)
    assert came(found) == ("take", "replaced", "best")
    assert found.as_good == ("more", "used")
    found = chosen(candidate("alike", 0.70), used, in_use=used)
    assert came(found) == ("keep", "keep", "used")
    # Of those that replace it a known size decides before the score does.
    sized = candidate("sized", 0.75, size=7.0)
    assert chosen(candidate("best", 1.0), sized, used, in_use=used).take == "sized"


def test_it_is_kept_where_nothing_as_good_costs_less(chosen, candidate):
    old = candidate("old", 0.75, 100.0)
    found = chosen(old, candidate("weak", 0.6, 1.0), in_use=old)
    assert came(found) == ("keep", "keep", "old")
    assert (found.leader, found.best, found.step_down) == ("old", "old", "weak")
    # What may be as good and saves is worth a test, and makes no choice or shortlist.
    several = [candidate(f"open {i}", 0.74, 10.0 + i) for i in range(5)]
    found = chosen(old, *several, in_use=old, decides=False)
    assert came(found) == ("keep", "keep", "old")
    assert found.worth_testing == tuple(each.model.id for each in several)


def test_a_model_in_use_that_does_not_fit_must_go_to_the_cheapest_as_good(chosen, candidate):
    old = candidate("old", 0.75, 1.0)
    found = chosen(candidate("new", 0.75, 120.0), candidate("weak", 0.6, 1.0), in_use=old)
    # It costs 120 times as much, and still replaces what cannot stay.
    assert (found.leader, *came(found)) == ("old", "take", "replaced", "new")
    assert "old" not in (*found.as_good, *found.worth_testing, found.step_down)
    assert set(found.judged) == {"new", "weak"}


def test_where_nothing_that_fits_is_as_good_nothing_is_taken(chosen, candidate):
    old = candidate("old", 0.80, 100.0)
    found = chosen(
        candidate("open", 0.79, 90.0),
        candidate("dear", 0.79, 120.0),
        candidate("weak", 0.6, 1.0),
        in_use=old,
    )
    assert (found.leader, found.best) == ("old", None)
    assert came(found) == ("keep", "none as good", None)
    assert found.worth_testing == ("open",)
    assert found.step_down is None


def test_a_model_in_use_without_a_score_has_no_difference_to_any(chosen, candidate):
    old = candidate("old", float("nan"), 1.0)
    found = chosen(candidate("new", 0.8, 5.0), in_use=old)
    assert (found.take, found.why, found.worth_testing) == (None, "none as good", ("new",))
    assert found.judged["new"].difference.difference is None


@pytest.mark.parametrize(("own_servers", "left"), [(True, 2), (False, 0)])
def test_on_own_servers_a_replacement_is_at_most_5_percent_larger(
    chosen, candidate, own_servers, left
):
    old = candidate("old", 0.80, 100.0, 30.0)
    found = chosen(
        old,
        candidate("same", 0.79, 90.0, 31.5),
        candidate("larger", 0.80, 50.0, 31.6),
        candidate("huge", 0.79, 60.0, 70.0, active=3.0),
        candidate("unsized", 0.79, 80.0),
        in_use=old,
        own_servers=own_servers,
    )
    assert found.n_left_larger == left
    assert found.take == ("old" if own_servers else "larger")
    names = ("same", "unsized") if own_servers else ()
    assert found.worth_testing == names
    assert ("larger" in found.judged) is not own_servers
    # Without a model in use they leave out nobody.
    large = candidate("large", 0.79, 5.0, 70.0)
    lead = candidate("lead", 0.80, 10.0, 30.0)
    found = chosen(lead, large, candidate("far", 0.3, 99.0), own_servers=own_servers)
    assert (found.n_left_larger, found.choose) == (0, ("lead", "large"))
