"""The formulary rule, worked by hand on a few models that are all 1 point uncertain.

Scores decide the tiers: of two candidates for a model of 80, within 2 points 80 is as good
(z = 2), 79 is open (z = 1), 76 is worse (up to −2.04).
"""

from math import sqrt

import numpy as np
import pytest

from core.procurement.recommendation import Candidate, cheapest, choose

ERROR = 0.01 / sqrt(2)


@pytest.fixture
def candidate(make_model, make_cost, make_safety):
    def make(name, score=0.8, usd=None, size=None, *, marked=None):
        safety = None if marked is None else make_safety(0.1, marked=marked)
        return Candidate(make_model(name, params_b=size), score, make_cost(name, usd), safety)

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


# Which of a group is the cheapest


def test_costs_within_1_percent_tie_then_fewer_parameters_then_the_score_then_the_id(candidate):
    lead = candidate("lead", 0.9, 200.0)
    dear, cheap = candidate("dear", 0.7, 101.0, 7.0), candidate("cheap", 0.8, 100.0, 70.0)
    assert cheapest([dear, cheap], lead).model.id == "dear"
    beyond = candidate("beyond", 0.7, 101.1, 7.0)
    assert cheapest([beyond, cheap], lead).model.id == "cheap"
    # An unknown size is not smaller than a known one.
    nobody_knows = candidate("unsized", 0.9, 100.0)
    assert cheapest([nobody_knows, cheap], lead).model.id == "cheap"
    better = candidate("better", 0.9, 100.5, 70.0)
    assert cheapest([cheap, better], lead).model.id == "better"
    same = candidate("alike", 0.8, 100.0, 70.0)
    assert cheapest([cheap, same], lead).model.id == "alike"


def test_the_lowest_likely_cost_counts_and_an_unknown_one_is_never_cheaper(candidate):
    group = [candidate("a", 0.9, 50.0, 1.0), candidate("b", 0.7, 20.0, 99.0)]
    assert cheapest(group, group[0]).model.id == "b"
    assert cheapest([], group[0]) is None
    unknown, known = candidate("unknown", 0.9, None, 1.0), candidate("known", 0.7, 9999.0, 99.0)
    assert cheapest([unknown, known], unknown).model.id == "known"
    free = candidate("free", 0.7, 0.0, 99.0)
    assert cheapest([free, known], known).model.id == "free"


def test_parameters_decide_where_no_cost_of_the_group_is_known(candidate):
    small, large = candidate("small", 0.7, None, 7.0), candidate("large", 0.9, None, 70.0)
    unsized = candidate("unsized", 0.95)
    assert cheapest([large, unsized, small], large).model.id == "small"
    # With no size known either the leader stands, and without it the best score.
    other = candidate("other", 0.9)
    assert cheapest([unsized, other], other).model.id == "other"
    assert cheapest([unsized, other], large).model.id == "unsized"


# What is taken


def test_the_cheapest_of_the_leader_and_those_as_good_is_taken(chosen, candidate):
    found = chosen(
        candidate("lead", 0.80, 100.0),
        candidate("good", 0.80 - 1e-6, 40.0),
        candidate("open", 0.79, 5.0),
        candidate("worse", 0.76, 1.0),
    )
    assert (found.leader, found.take, found.why) == ("lead", "good", "cheapest")
    assert {name: one.tier for name, one in found.judged.items()} == {
        "good": "likely",
        "open": "open",
        "worse": "worse",
    }
    # The leader is dearer, but as good; what is open and cheaper is worth a test.
    assert found.as_good == ("lead",)
    assert found.worth_testing == ("open",)
    assert found.step_down == "worse"


def test_the_leader_is_taken_where_nothing_as_good_costs_less(chosen, candidate):
    found = chosen(candidate("lead", 0.80, 40.0), candidate("good", 0.80 - 1e-6, 100.0))
    assert (found.take, found.why, found.as_good) == ("lead", "leader", ("good",))
    # Equal scores: the id decides who leads, and the cost who is taken.
    found = chosen(candidate("b", 0.80, 40.0), candidate("a", 0.80, 100.0))
    assert (found.leader, found.take) == ("a", "b")


def test_a_leader_of_unknown_cost_gives_way_to_one_as_good_whose_cost_is_known(chosen, candidate):
    found = chosen(candidate("lead", 0.80), candidate("good", 0.80 - 1e-6, 40.0))
    assert found.take == "good"
    # As leader alone it is taken; one as good of unknown cost is worth a test and no more.
    found = chosen(candidate("lead", 0.80), candidate("worse", 0.70, 1.0))
    assert (found.take, found.why) == ("lead", "leader")
    found = chosen(candidate("lead", 0.80, 40.0), candidate("good", 0.80 - 1e-6, None, 1.0))
    assert (found.take, found.as_good, found.worth_testing) == ("lead", (), ("good",))


def test_with_neither_cost_nor_size_a_model_in_use_gives_way_to_what_is_shown_to_be_better(
    chosen, candidate
):
    used = candidate("used", 0.70)
    # 30 and 25 points above: both shown; the better one is taken, what is only as good is not.
    found = chosen(candidate("best", 1.0), candidate("more", 0.95), used, in_use=used)
    assert (found.take, found.why, found.as_good) == ("best", "cheapest", ("more", "used"))
    found = chosen(candidate("alike", 0.70), used, in_use=used)
    assert (found.take, found.why) == ("used", "keep")
    marked = candidate("best", 1.0, marked=True)
    assert chosen(marked, candidate("more", 0.95), used, in_use=used).take == "more"
    # A known size decides before the score does, as the paper's surrogate of cost.
    assert (
        chosen(candidate("best", 1.0), candidate("sized", 0.71, size=7.0), used, in_use=used).take
        == "sized"
    )


def test_without_any_interval_only_the_leader_can_be_taken(chosen, candidate):
    found = chosen(
        candidate("lead", 0.80, 100.0),
        candidate("cheap", 0.80, 1.0),
        candidate("dear", 0.5, 200.0),
        error=np.nan,
    )
    assert (found.leader, found.take) == ("cheap", "cheap")
    found = chosen(candidate("lead", 0.81, 100.0), candidate("cheap", 0.80, 1.0), error=np.nan)
    assert (found.take, found.worth_testing) == ("lead", ("cheap",))


def test_nothing_fits(chosen, candidate):
    found = chosen()
    assert (found.leader, found.take, found.why) == (None, None, "nothing fits")
    assert (found.as_good, found.worth_testing, found.step_down) == ((), (), None)
    # Nor does the model in use, which is named all the same.
    found = chosen(in_use=candidate("old"))
    assert (found.leader, found.take, found.why) == ("old", None, "nothing fits")


# Marks for harm


def test_a_marked_model_is_not_taken_where_one_as_good_has_no_mark(chosen, candidate):
    found = chosen(
        candidate("lead", 0.80, 1.0, marked=True),
        candidate("good", 0.80 - 1e-6, 100.0, marked=False),
        candidate("untested", 0.80 - 2e-6, 200.0),
    )
    assert (found.leader, found.take, found.why) == ("lead", "good", "cheapest")
    # In the list the marked one stands last, though it is the cheapest.
    assert found.as_good == ("untested", "lead")


def test_where_all_as_good_are_marked_the_evidence_is_divided(chosen, candidate):
    found = chosen(
        candidate("lead", 0.80, 100.0, marked=True),
        candidate("good", 0.80 - 1e-6, 50.0, marked=True),
        candidate("best", 0.77, 80.0, marked=False),
        candidate("near", 0.77 - 1e-6, 30.0),
        candidate("far", 0.70, 1.0),
    )
    assert (found.leader, found.why) == ("lead", "divided")
    # As good as the best without a mark, and cheaper; "far" is not.
    assert found.take == "near"
    # What leads and what is as good as that stays in view, the cheaper first.
    assert found.as_good == ("good", "lead")
    assert found.judged["near"].tier == "open"  # against the leader: −3 up to −1.04
    assert found.step_down == "far"
    # Where no model is unmarked none is taken.
    found = chosen(
        candidate("lead", 0.80, 100.0, marked=True), candidate("far", 0.60, 1.0, marked=True)
    )
    assert (found.leader, found.take, found.why) == ("lead", None, "all marked")
    assert found.step_down is None


# The lists


def test_worth_testing_is_cheaper_or_much_smaller_at_equal_cost_or_of_unknown_cost(
    chosen, candidate
):
    """Against 80 for $100 and 40 B, all at 79: open."""
    found = chosen(
        candidate("lead", 0.80, 100.0, 40.0),
        candidate("cheaper", 0.79, 60.0, 90.0),
        candidate("alike", 0.79, 99.5, 40.0),  # within 1 %, as large
        candidate("smaller", 0.79, 100.5, 30.0),  # within 1 %, a quarter smaller
        candidate("bit smaller", 0.79, 100.5, 30.1),
        candidate("dearer", 0.79, 102.0, 1.0),
        candidate("unknown", 0.79, None, 1.0),
        candidate("unsized", 0.79, 100.0),
    )
    assert found.take == "lead"
    assert found.worth_testing == ("cheaper", "smaller", "unknown")
    assert found.as_good == ()


def test_worth_testing_begins_with_the_best_buy_and_ends_with_the_probably_worse(chosen, candidate):
    """−1.97 ± 1.96 is below 0 throughout: last, though cheapest; the marked one before it."""
    found = chosen(
        candidate("lead", 0.80, 100.0),
        candidate("weak", 0.7803, 1.0),
        candidate("marked", 0.79, 5.0, marked=True),
        candidate("dear", 0.79, 60.0),
        candidate("cheap", 0.788, 10.0),
        candidate("large", 0.79, 20.0, 70.0),
        candidate("small", 0.785, 20.0, 7.0),
        candidate("unknown", 0.79),
    )
    assert found.worth_testing == (
        *("cheap", "small", "large", "dear", "unknown", "marked", "weak"),
    )


def test_as_good_begins_with_the_best_buy(chosen, candidate):
    found = chosen(  # within 3 points −0.1 ± 1.96 is shown for all five
        candidate("lead", 0.80, 10.0),
        candidate("dear", 0.799, 90.0),
        candidate("mid", 0.799, 40.0),
        candidate("large", 0.7991, 30.0, 70.0),
        candidate("small", 0.799, 30.0, 7.0),
        candidate("marked", 0.799, 11.0, marked=True),
        margin=0.03,
    )
    assert found.take == "lead"
    assert found.as_good == ("small", "large", "mid", "dear", "marked")


def test_the_step_down_is_the_best_of_the_worse_that_cost_at_most_half(chosen, candidate):
    lead = candidate("lead", 0.80, 100.0)
    half, less = candidate("half", 0.70, 50.0), candidate("less", 0.60, 1.0)
    dear, unpriced = candidate("dear", 0.75, 50.1), candidate("unpriced", 0.75)
    found = chosen(lead, half, less, dear, unpriced)
    assert found.step_down == "half"
    assert found.worth_testing == ()  # what is worse is not worth a test
    assert chosen(lead, dear, unpriced).step_down is None
    # Half of a cost that nobody knows is not known either.
    assert chosen(candidate("lead", 0.80), half).step_down is None
    # A mark bars from it.
    harms = candidate("harms", 0.75, 1.0, marked=True)
    assert chosen(lead, harms, candidate("mild", 0.70, 1.0, marked=False)).step_down == "mild"


# In place of a model in use


def test_a_model_in_use_leads_whatever_scores_higher(chosen, candidate):
    old = candidate("old", 0.75, 100.0)
    found = chosen(old, candidate("new", 0.80, 40.0), candidate("dear", 0.85, 400.0), in_use=old)
    assert (found.leader, found.take, found.why) == ("old", "new", "cheapest")
    assert found.judged["new"].better
    assert found.as_good == ("old", "dear")


def test_it_is_kept_where_nothing_as_good_costs_less(chosen, candidate):
    old = candidate("old", 0.75, 100.0)
    found = chosen(old, candidate("new", 0.80, 120.0), candidate("weak", 0.6, 1.0), in_use=old)
    assert (found.leader, found.take, found.why) == ("old", "old", "keep")
    assert found.as_good == ("new",)
    assert found.step_down == "weak"


def test_a_model_in_use_that_does_not_fit_is_judged_against_and_never_taken(chosen, candidate):
    old = candidate("old", 0.75, 1.0)
    found = chosen(candidate("new", 0.75, 120.0), candidate("weak", 0.6, 1.0), in_use=old)
    assert (found.leader, found.take, found.why) == ("old", "new", "cheapest")
    assert "old" not in (*found.as_good, *found.worth_testing, found.step_down)
    assert set(found.judged) == {"new", "weak"}


def test_where_nothing_that_fits_is_as_good_nothing_is_taken(chosen, candidate):
    old = candidate("old", 0.80, 1.0)
    found = chosen(candidate("open", 0.79, 120.0), candidate("weak", 0.6, 1.0), in_use=old)
    assert (found.leader, found.take, found.why) == ("old", None, "none as good")
    # What is open is worth a test whatever it costs, since nothing is taken.
    assert found.worth_testing == ("open",)
    assert found.step_down is None


def test_a_marked_model_in_use_is_replaced_by_an_unmarked_one_as_good(chosen, candidate):
    old = candidate("old", 0.80, 1.0, marked=True)
    found = chosen(old, candidate("new", 0.80, 50.0, marked=False), in_use=old)
    assert (found.take, found.why) == ("new", "cheapest")
    # With none as good the best without a mark, and what is lost is for the headline to say.
    found = chosen(old, candidate("new", 0.70, 50.0, marked=False), in_use=old)
    assert (found.take, found.why) == ("new", "divided")


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
        candidate("huge", 0.79, 60.0, 70.0),
        candidate("unsized", 0.79, 80.0),
        in_use=old,
        own_servers=own_servers,
    )
    assert found.n_left_larger == left
    assert found.take == ("old" if own_servers else "larger")
    names = ("unsized", "same") if own_servers else ()
    assert found.worth_testing == names
    assert ("larger" in found.judged) is not own_servers
    # Without a model in use they leave out nobody.
    large = candidate("large", 0.79, 5.0, 70.0)
    found = chosen(candidate("lead", 0.80, 10.0, 30.0), large, own_servers=own_servers)
    assert (found.n_left_larger, found.worth_testing) == (0, ("large",))
