"""The formulary rule, worked by hand on a few models that are all 1 point uncertain.

Scores decide the tiers: of two candidates for a model of 80, within 2 points 80 is as good
(z = 2), 79 is open (z = 1), 76 is worse (up to −2.04). Where a test says ``CLOSE``, half a point:
79.9 is as good (z = 3.8), 81 is better (+0.02 or more). ``WIDE`` is 2 points: −4 is open.
"""

from dataclasses import replace
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from building import a_cost, a_harm, sold

from core.domain import Dossier, OfferTerms
from core.procurement.recommendation import choose
from core.statistics.ranks import rank_bands
from tests.conftest import a_benchmark, a_matrix, a_model

ERROR, CLOSE, WIDE = 0.01 / sqrt(2), 0.005 / sqrt(2), 0.02 / sqrt(2)
GOOD = 80 - 1e-4
"""As good as 80, and no leader."""


def at(points, usd=None, size=None, **facts):
    """A score out of 100, dollars a month and billions of parameters; each may be unknown."""
    return {"points": points, "usd": usd, "size": size} | facts


def later(points, usd=None, size=None, **facts):
    return at(points, usd, size, may_be_first=False, **facts)


@pytest.fixture
def candidate():
    def make(
        name, *, points, usd, size, active=None, marked=None, may_be_first=True,
        is_service=False, sale_known=True, conditions_met=True,
    ):  # fmt: skip
        access = "closed" if is_service else "open"
        return Dossier(
            a_model(name, params_b=size, params_active_b=active, access=access),
            a_cost(name, usd),
            points / 100,
            rank_band=(1, 9) if may_be_first else (2, 9),
            sale=sold("passes", "assured", platform="V") if sale_known else sold("question"),
            terms=() if conditions_met else (OfferTerms(name, "V", "open", (), ""),),
            safety=None if marked is None else a_harm(0.3 if marked else 0.1, marked=marked),
        )

    return make


@pytest.fixture
def chosen(candidate):
    """Choose among models by name.

    ``behind`` adds this many that are far behind and dear, so that enough fit; ``used`` names the
    model in use, and ``fits`` says whether it is among those that fit.
    """

    def of(*, used=None, fits=True, behind=0, error=ERROR, margin=0.02, how=(), **models):
        models |= {f"behind {i}": later(30, 5000.0) for i in range(behind)}
        every = {name: candidate(name, **facts) for name, facts in models.items()}
        rows = {name: [each.score] for name, each in every.items()}
        return choose(
            [each for name, each in every.items() if fits or name != used],
            matrix=a_matrix(rows or {"nobody": [0.0]}, error=error),
            weights={"b0": 1.0},
            categories={"Category": {"b0": 1.0}},
            margin=margin,
            in_place_of=every.get(used),
            **dict(how),
        )

    return of


@pytest.fixture
def rule(chosen):
    def comes_to(strength, why, take, **asked):
        found = chosen(**asked)
        assert (found.strength, found.why, found.take) == (strength, why, take), asked
        return found

    return comes_to


UNDECIDED = {"decides": False}


@pytest.mark.parametrize(
    ("group", "best"),
    [
        # Costs within 1 % tie, then the score decides.
        ({"better": at(79.9, 101.0, 70.0), "cheap": at(79.8, 100.0, 7.0)}, "better"),
        ({"beyond": at(79.9, 101.1, 7.0), "cheap": at(79.8, 100.0, 7.0)}, "cheap"),
        # Of equal scores the fewer active parameters, whatever is loaded; a dense model uses all.
        ({"dense": at(79.8, 100.0, 14.0), "mix": at(79.8, 100.5, 30.0, active=3.0)}, "mix"),
        # Of equally many active ones the fewer in all, then the id.
        (
            {
                "larger": at(79.8, 100.0, 80.0, active=3.0),
                "mix": at(79.8, 100.5, 30.0, active=3.0),
            },
            "mix",
        ),
        ({name: at(79.8, 100.5, 30.0, active=3.0) for name in ("mix", "another")}, "another"),
        # An unknown size is not smaller.
        ({"a": at(79.8, 100.0), "dense": at(79.8, 100.0, 14.0)}, "dense"),
        # The lowest likely cost counts, and an unknown one is never cheaper.
        ({"dear": at(79.9, 50.0, 1.0), "cheap": at(79.8, 20.0, 99.0)}, "cheap"),
        ({"unknown": at(79.9, None, 1.0), "dear": at(79.9, 50.0, 1.0)}, "dear"),
        ({"free": at(79.8, 0.0, 99.0), "cheap": at(79.8, 20.0, 99.0)}, "free"),
        # A leader of unknown cost gives way to one as good whose cost is known, however high.
        ({"lead": at(80, None, 1.0), "dear": at(79.9, 50.0, 1.0)}, "dear"),
        # Active parameters decide where no cost of the group is known.
        (
            {
                "lead": at(80, None, 70.0),
                "dense": at(79.9, None, 14.0),
                "mix": at(79.8, None, 30.0, active=3.0),
            },
            "mix",
        ),
        ({"lead": at(80, None, 70.0), "unsized": at(79.9)}, "lead"),
        # With no size known either the leader stays.
        ({"lead": at(80), "other": at(79.9)}, "lead"),
    ],
)
def test_the_cheapest_of_those_as_good_as_the_leader(chosen, group, best):
    found = chosen(**{"lead": at(80, 9000.0, 900.0)} | group, behind=3, error=CLOSE)
    assert {*found.as_good, found.best} == {"lead", *group}
    assert found.best == best


def test_what_is_shown_better_than_the_one_in_use_is_taken(chosen):
    # Against 80 in use, 80.9 (−0.08 to +1.88) is not better, 81 (+0.02 to +1.98) is.
    asked = {"used": "old", "old": at(80, 200.0, 3.0), "higher": at(80.9, 100.0, 3.0)}
    found = chosen(**asked, better=at(81, 101.0, 99.0), error=CLOSE)
    assert [found.judged[name].better for name in ("higher", "better")] == [False, True]
    assert found.take == "better"
    assert chosen(**asked, better=at(81, 101.1, 99.0), error=CLOSE).take == "higher"
    # Also before a higher score of less sure tests: 83 with an error of 3 points is not better.
    asked["higher"] = at(83, 100.0, 3.0)
    errors = np.array([[CLOSE], [0.03], [CLOSE]])
    found = chosen(**asked, better=at(81, 101.0, 99.0), error=errors, margin=0.04)
    assert [found.judged[name].better for name in ("higher", "better")] == [False, True]
    assert found.judged["higher"].is_as_good
    assert found.take == "better"


def test_the_cheapest_of_the_leader_and_those_as_good_is_taken(rule, chosen):
    some = {"good": at(GOOD, 40.0), "open": later(79, 5.0), "worse": later(76, 1.0)}
    found = rule("take", "cheapest", "good", lead=at(80, 100.0), **some)
    assert (found.leader, found.best) == ("lead", "good")
    tiers = {name: one.tier for name, one in found.judged.items()}
    assert tiers == {"good": "likely", "open": "open", "worse": "worse"}
    # The leader is dearer, but as good; what is open and cheaper is worth a test.
    assert (found.as_good, found.worth_testing, found.step_down) == (("lead",), ("open",), "worse")
    assert (found.choose, found.test_these, found.n_first) == ((), (), 2)
    for usd in (100.0, None):  # one of unknown cost is as good and no more
        found = rule(
            *("take", "leader", "lead"), lead=at(80, 40.0), good=at(GOOD, usd, 1.0), behind=3
        )
        assert (found.as_good, found.worth_testing) == (("good",), ())
    # Equal scores: the id decides who leads, and the cost who is taken.
    found = chosen(b=at(80, 40.0), a=at(80, 100.0), behind=3)
    assert (found.leader, found.take) == ("a", "b")
    found = rule("shortlist", "nothing fits", None)
    assert (found.leader, found.best, found.step_down, found.n_first) == (None, None, None, 0)
    lists = (found.as_good, found.worth_testing, found.choose, found.test_these)
    assert lists == ((),) * 4
    # Nor does the model in use, which is named all the same.
    assert rule("keep", "nothing fits", None, old=at(80), used="old", fits=False).leader == "old"


def test_few_that_fit_or_are_separated_make_a_shortlist(rule, chosen):
    lead, other = at(80, 100.0), at(79, 40.0)
    found = rule("shortlist", "few fit", None, lead=lead, other=other)
    assert found.test_these == ("lead", "other")
    assert chosen(lead=lead).test_these == ("lead",)
    # The other is far below, and is not a test.
    assert chosen(lead=lead, far=at(70, 1.0)).test_these == ("lead",)
    assert chosen(lead=lead, other=other, behind=1).strength == "choose"
    some = {"lead": at(80, 100.0), "good": at(GOOD, 40.0), "behind": 3}
    rule("take", "cheapest", "good", **some)
    found = rule("shortlist", "suite does not decide", None, **some, how=UNDECIDED)
    # What the rule comes to is known all the same, and is among those to test.
    assert (found.best, found.test_these, found.as_good) == ("good", ("lead", "good"), ())
    assert found.step_down is None
    for n_first, n_fit, separated in [
        # More than the larger of four and half of those that fit.
        *((4, 5, True), (5, 5, False), (4, 4, True), (5, 8, False)),
        *((5, 9, False), (5, 10, True), (6, 11, False), (6, 12, True)),
    ]:
        first = {f"first {i}": at(30, 5000.0) for i in range(n_first - 1)}
        answer = ("take", "leader", "lead") if separated else ("shortlist", "not separated", None)
        found = rule(*answer, lead=at(80, 100.0), **first, behind=n_fit - n_first)
        assert found.n_first == n_first


def test_cheaper_ones_perhaps_as_good_are_a_choice_or_a_shortlist(chosen, rule):
    # Seven more that are far behind, so that half of those that fit are never too few.
    for n_cheaper in range(5):
        several = {f"open {i}": at(79 - i / 10, 50.0 + i) for i in range(n_cheaper)}
        found = chosen(lead=at(80, 100.0), **several, behind=7)
        names = tuple(several)
        if n_cheaper == 4:
            assert (found.strength, found.why, found.take) == ("shortlist", "many cheaper", None)
            # The leader and the three of highest score, though the last are no dearer.
            assert (found.test_these, found.worth_testing) == (("lead", *names[:3]), names[3:])
        else:
            assert (found.strength, found.take) == ("choose" if n_cheaper else "take", "lead")
            assert found.choose == (("lead", *names[:2]) if n_cheaper else ())
            assert found.worth_testing == names[2:]
    lead, good = at(80, 100.0), at(GOOD, 40.0)
    for other in (
        *(later(79, 50.0), at(79, 150.0), at(79, None, 1.0), at(76, 1.0)),
        at(79, 99.1),  # 1 % more is $100.09
    ):
        rule("take", "leader", "lead", lead=lead, other=other, behind=3)
    open_ones = ("choose", "cheaper ones open")
    found = rule(*open_ones, "lead", lead=lead, cheaper=at(79, 99.0), behind=3)  # $99.99
    assert found.choose == ("lead", "cheaper")
    # Against the cheapest of those as good, not against the leader.
    rule("take", "cheapest", "good", lead=lead, good=good, between=at(79, 50.0), behind=3)
    found = rule(*open_ones, "good", lead=lead, good=good, below=at(79, 30.0), behind=3)
    assert (found.choose, found.as_good) == (("good", "below"), ("lead",))


def test_with_no_cost_known_a_quarter_fewer_active_parameters_count_as_cheaper(chosen):
    # A quarter fewer than 40 B are a saving in place of a model in use, too.
    for size, active, enough in [
        *((100.0, 30.0, True), (100.0, 30.1, False)),
        *((30.0, None, True), (31.0, None, False), (None, None, False)),
    ]:
        other = at(79, None, size, active=active)
        found = chosen(lead=at(80, None, 100.0, active=40.0), other=other, behind=3)
        assert found.strength == ("choose" if enough else "take")
        found = chosen(old=at(80, None, 40.0), new=other | {"points": 80}, used="old")
        assert found.take == ("new" if enough else "old")
    found = chosen(lead=at(80, None, 100.0, active=40.0), known=at(79, 9999.0), behind=3)
    assert found.choose == ("lead", "known")
    assert chosen(old=at(80, None, 40.0), new=at(80, 1.0, 40.0), used="old").take == "old"


SERVICE, UNSOLD, UNMET = {"is_service": True}, {"sale_known": False}, {"conditions_met": False}


@pytest.mark.parametrize(
    ("facts", "has_budget", "why"),
    [
        (SERVICE, True, "price unknown"),
        (SERVICE, False, "leader"),
        # On own servers it may keep a budget.
        ({}, True, "leader"),
        (UNSOLD, False, "price and sale unknown"),
        (UNSOLD | {"usd": 40.0}, True, "sale not known"),
        (SERVICE | {"usd": 40.0}, True, "leader"),
        (UNMET | {"usd": 40.0}, False, "condition not known"),
        # The price under a budget goes before the rest.
        (SERVICE | UNSOLD | UNMET, True, "price unknown"),
        (UNSOLD | UNMET, True, "price and sale unknown"),
    ],
)
def test_what_nobody_knows_of_the_first_makes_a_shortlist(rule, facts, has_budget, why):
    asked = {"lead": at(80) | facts, "behind": 3, "how": {"has_budget": has_budget}}
    known = why == "leader"
    found = rule("take" if known else "shortlist", why, "lead" if known else None, **asked)
    assert found.test_these == (() if known else ("lead",))
    # Of one that is not the cheapest of those as good it does not matter.
    rule("take", "cheapest", "good", **asked, good=at(GOOD, 5.0))


def test_reasons_for_a_shortlist_come_in_their_order(chosen):
    # All hold at once, then one after the other falls away.
    odd = {"lead": at(80, **SERVICE, **UNSOLD, **UNMET)}
    open_ones = {f"open {i}": at(79, 50.0) for i in range(4)}
    fewer = {f"open {i}": at(79, 50.0) for i in range(3)}
    budget = {"has_budget": True}
    why = [
        chosen(**odd, a=at(79), how=budget | UNDECIDED).why,
        chosen(**odd, **open_ones, how=budget | UNDECIDED).why,
        chosen(**odd, **open_ones, how=budget).why,
        chosen(**odd, **open_ones, behind=5, how=budget).why,
        chosen(**odd, **fewer, behind=5, how=budget).why,
        chosen(**odd, **fewer, behind=5).why,
    ]
    assert why == [
        *("few fit", "suite does not decide", "not separated", "many cheaper"),
        *("price unknown", "price and sale unknown"),
    ]


def test_to_test_are_the_leader_the_cheapest_equal_and_those_near(chosen):
    group = {"good": at(GOOD, 60.0), "first": at(79.01, 50.0), "second": at(79, 10.0)}
    more = {"third": at(78.99, 1.0), "dear": at(79.5, 70.0)}
    found = chosen(lead=at(80, 100.0), **group, **more, how=UNDECIDED)
    assert (found.best, found.worth_testing) == ("good", ("third",))
    assert found.test_these == ("lead", "good", "first", "second")
    # With nothing cheaper that is near the cheapest near ones; worse ones are none to test.
    near = {"a": at(79.7, 90.0), "b": at(79.6, 50.0), "c": at(79.5, 40.0), "d": at(79.4, 30.0)}
    found = chosen(lead=at(80, 1.0), **near, far=at(75, 2.0), how=UNDECIDED)
    assert found.test_these == ("lead", "d", "c", "b")
    # 2 points uncertain, so that −4 (up to −0.08) is open: −4.0 is tested, −4.1 is not.
    asked = {"lead": at(80, 100.0), "floor": at(76, 2.0), "below": at(75.9, 1.0), "error": WIDE}
    found = chosen(**asked, how=UNDECIDED)
    assert found.judged["floor"].tier == found.judged["below"].tier == "open"
    assert (found.test_these, found.worth_testing) == (("lead", "floor"), ())
    found = chosen(**asked)
    assert (found.choose, found.worth_testing) == (("lead", "floor", "below"), ())
    # The floor goes with the margin: of 1 point it lies at −2.
    asked |= {"floor": at(78, 2.0), "below": at(77.9, 1.0)}
    assert chosen(**asked, margin=0.01, how=UNDECIDED).test_these == ("lead", "floor")


def test_a_marked_model_is_set_next_to_one_without_a_mark(rule, chosen):
    lead, good = at(80, 1.0, marked=True), at(GOOD, 100.0, marked=False)
    found = rule("choose", "harm", "good", lead=lead, good=good, untested=at(80 - 2e-4, 200.0))
    # The marked one is the cheapest and stays the first; caution takes the other.
    assert (found.leader, found.best) == ("lead", "lead")
    assert (found.choose, found.as_good) == (("lead", "good"), ("untested",))
    lead = at(80, 100.0, marked=True)
    for points, strength, take in ((76, "choose", "other"), (75.9, "take", "lead")):
        found = chosen(lead=lead, other=later(points, 200.0, marked=False), behind=3, error=WIDE)
        assert found.judged["other"].tier == "open"
        assert (found.strength, found.take) == (strength, take)
    # What is worse is none, however clean; nor is one that was never tested for harm.
    also = at(GOOD, 200.0, marked=True)
    for other in (later(76, 1.0, marked=False), at(GOOD, 200.0), also):
        rule("take", "leader", "lead", lead=lead, other=other, behind=3)
    # An unmarked leader is taken whatever harm others do.
    rule("take", "leader", "lead", lead=at(80, 100.0, marked=False), also=also, behind=3)
    some = {"lead": at(80, 100.0, marked=True), "open": at(79, 150.0, marked=False)}
    dear, good = at(GOOD, 300.0, marked=False), at(80 - 2e-4, 200.0, marked=False)
    found = rule("choose", "harm", "good", **some, dear=dear, good=good)
    assert (found.choose, found.as_good) == (("lead", "good", "dear"), ())
    # One that is cheaper and may be as good is third, before a second without a mark.
    some |= {"other": at(79, 160.0, marked=False), "cheaper": at(78.5, 5.0)}
    assert rule("choose", "harm", "open", **some).choose == ("lead", "open", "cheaper")


def test_worth_testing_is_cheaper_or_a_quarter_smaller_within_two_margins(rule, chosen):
    """Against 80 for $100 and 40 B active, all open at 79; equal scores go by the id."""
    found = rule(
        *("take", "leader", "lead"),
        lead=at(80, 100.0, 90.0, active=40.0),
        cheaper=later(79, 60.0, 90.0),
        alike=later(79, 99.5, 40.0),  # within 1 %, as large
        smaller=later(79, 100.5, 90.0, active=30.0),  # a quarter smaller
        bit_smaller=later(79, 100.5, 30.1),
        dearer=later(79, 102.0, 1.0),
        unknown=later(79, None, 1.0),
        unsized=later(79, 100.0),
        behind=3,
    )
    assert (found.worth_testing, found.as_good) == (("cheaper", "smaller"), ())
    # 2 points uncertain: −4 up to −0.08 is open and probably worse, and still no lower.
    some = {"cheap": later(77, 1.0), "best": later(79, 60.0, marked=True)}
    ends = {"floor": later(76, 5.0), "below": later(75.99, 5.0)}
    found = chosen(lead=at(80, 100.0), **some, **ends, behind=3, error=WIDE)
    assert found.worth_testing == ("best", "cheap", "floor")
    assert found.judged["floor"].probably_worse
    assert found.judged["below"].tier == "open"
    assert found.is_narrowed


def test_without_any_interval_five_are_listed_by_score_none_below_the_floor(chosen, rule):
    dear = {f"m{i}": at(79 - i, 200.0 + i) for i in range(5)}
    asked = {"lead": at(80, 100.0), "error": np.nan}
    found = rule("keep", "keep", "lead", **asked, **dear, used="lead")
    assert not found.is_narrowed
    # What costs more and cannot be shown better is not worth a test in place of one in use.
    assert found.worth_testing == ()
    # −1 to −4 points; −5 is below. Of an unknown cost nobody knows that it is more.
    some = {f"m{i}": at(79 - i, cost) for i, cost in enumerate((60.0, 101.0, None, 102.0, 1.0))}
    assert chosen(**asked, **some, used="lead").worth_testing == ("m0", "m1", "m2")
    near = {f"m{i}": at(79.9 - i / 10, 20.0 + i) for i in range(7)}
    assert chosen(**asked, **near, used="lead").worth_testing == ("m0", "m1", "m2", "m3", "m4")
    near = {f"m{i}": at(79.9 - i / 10, 200.0 + i) for i in range(7)}
    # Those to test are not listed again: without a cheaper one the cheapest that are near.
    found = rule("shortlist", "not separated", None, **asked, **near)
    assert found.test_these == ("lead", "m0", "m1", "m2")
    assert found.worth_testing == ("m3", "m4")


def test_the_step_down_is_the_best_worse_one_at_half_cost(chosen):
    lead, half, less = at(80, 100.0), at(70, 50.0), at(60, 1.0)
    dear, unpriced = at(75, 50.1), at(75)
    found = chosen(lead=lead, half=half, less=less, dear=dear)
    # What is worse is not worth a test.
    assert (found.take, found.step_down, found.worth_testing) == ("lead", "half", ())
    assert chosen(lead=lead, dear=dear, unpriced=unpriced).step_down is None
    # Half of a cost that nobody knows is not known either.
    assert chosen(lead=at(80), half=half, less=less).step_down is None
    # A mark bars from it.
    harms, mild = at(75, 1.0, marked=True), at(70, 1.0, marked=False)
    assert chosen(lead=lead, harms=harms, mild=mild).step_down == "mild"
    # What costs more than a better one is not a step down.
    near = at(77, 30.0)
    assert chosen(lead=lead, half=half, less=less, near=near).step_down == "less"
    # Without one that is taken there is nothing to step down from.
    assert chosen(lead=lead, half=half, less=less, how=UNDECIDED).step_down is None


def test_an_equal_replaces_it_for_a_saving_a_better_at_any_cost(rule, chosen):
    old = at(80, 100.0)
    for usd, taken in ((99.1, "old"), (99.0, "new"), (120.0, "old"), (None, "old")):
        came = ("take", "replaced") if taken == "new" else ("keep", "keep")
        found = rule(*came, taken, old=old, new=at(80, usd, 1.0), used="old")
        assert found.judged["new"].is_as_good
        assert not found.judged["new"].better
        assert found.as_good == (("old",) if taken == "new" else ("new",))
    # A lower score, as good or not, for the same money: never.
    lower = at(79.9, 100.0, 1.0)
    found = rule("keep", "keep", "old", old=old, lower=lower, used="old", error=CLOSE)
    assert (found.choose, found.test_these) == ((), ())
    old, better = at(75, 100.0), at(80, 300.0)
    # The cheapest of them, not the best.
    best = at(85, 400.0)
    rule("take", "replaced", "better", old=old, better=better, best=best, used="old")
    assert chosen(old=old, better=at(80), used="old").take == "better"
    # As good and saving goes before better and dear.
    assert chosen(old=old, better=better, same=at(75, 90.0), used="old").take == "same"
    # Shown to do severe harm more often: 10 against 30 % of 100 cases, z = 3.6.
    old, harms = at(75, 100.0, marked=False), at(85, 1.0, marked=True)
    found = rule("keep", "keep", "old", old=old, harms=harms, used="old")
    assert (found.judged["harms"].better, found.judged["harms"].tier) == (True, "open")
    assert found.worth_testing == ("harms",)
    old, best = at(70), at(100)
    # 30 and 25 points above: both shown; the better one is taken.
    found = rule("take", "replaced", "best", best=best, more=at(95), old=old, used="old")
    assert found.as_good == ("more", "old")
    rule("keep", "keep", "old", alike=at(70), old=old, used="old")
    # Of those that replace it a known size decides before the score does.
    sized = at(75, size=7.0)
    rule("take", "replaced", "sized", best=best, sized=sized, old=old, used="old")
    old = at(75, 100.0)
    found = rule("keep", "keep", "old", old=old, weak=at(60, 1.0), used="old")
    assert (found.leader, found.best, found.step_down) == ("old", "old", "weak")
    # What may be as good and saves is worth a test, and makes no choice or shortlist.
    several = {f"open {i}": at(74, 10.0 + i) for i in range(5)}
    found = rule("keep", "keep", "old", old=old, **several, used="old", how=UNDECIDED)
    assert found.worth_testing == tuple(several)


def test_a_used_model_that_does_not_fit_yields_to_the_cheapest_equal(rule):
    """It costs 120 times as much, and still replaces what cannot stay."""
    some = {"old": at(75, 1.0), "new": at(75, 120.0), "weak": at(60, 1.0)}
    found = rule("take", "replaced", "new", **some, used="old", fits=False)
    assert found.leader == "old"
    assert "old" not in (*found.as_good, *found.worth_testing, found.step_down)
    assert set(found.judged) == {"new", "weak"}
    some = {"open": at(79, 90.0), "dear": at(79, 120.0), "weak": at(60, 1.0)}
    kept = ("keep", "none as good", None)
    found = rule(*kept, old=at(80, 100.0), **some, used="old", fits=False)
    assert (found.leader, found.best, found.step_down) == ("old", None, None)
    assert found.worth_testing == ("open",)
    # One without a score has no difference to any.
    found = rule(*kept, old=at(np.nan, 1.0), new=at(80, 5.0), used="old", fits=False)
    assert found.worth_testing == ("new",)
    assert found.judged["new"].difference.difference is None


def test_on_own_servers_a_replacement_is_at_most_5_percent_larger(chosen):
    for own_servers, left in [(True, 2), (False, 0)]:
        how = {"own_servers": own_servers}
        same, larger = at(79, 90.0, 31.5), at(80, 50.0, 31.6)
        others = {"huge": at(79, 60.0, 70.0, active=3.0), "unsized": at(79, 80.0)}
        asked = {"old": at(80, 100.0, 30.0), "used": "old", "how": how}
        found = chosen(**asked, same=same, larger=larger, **others)
        assert found.n_left_larger == left
        assert found.take == ("old" if own_servers else "larger")
        assert found.worth_testing == (("same", "unsized") if own_servers else ())
        assert ("larger" in found.judged) is not own_servers
        # Without a model in use they leave out nobody.
        lead, large = at(80, 10.0, 30.0), at(79, 5.0, 70.0)
        found = chosen(lead=lead, large=large, far=at(30, 99.0), how=how)
        assert (found.n_left_larger, found.choose) == (0, ("lead", "large"))


METHODS = Path(__file__).parents[2] / "docs/methods.md"
MARGIN = 0.02
TESTS = (5, 9, 37, 87)
ALL_DRAWS = 2000


@pytest.fixture
def errs():
    def of(n_tests, deficits, repeats):
        rng = np.random.default_rng(n_tests)
        names = [f"m{i:02}" for i in range(len(deficits))]
        benchmarks = tuple(a_benchmark(f"b{j}") for j in range(n_tests))
        weights = {benchmark.id: 1 / n_tests for benchmark in benchmarks}
        # The best is the dearest; each next one costs a tenth less.
        plain = [
            Dossier(a_model(name, access="open"), a_cost(name, 100.0 * 0.9**i), 0.0)
            for i, name in enumerate(names)
        ]
        taken = wrong = 0
        for _ in range(repeats):
            level = rng.normal(0.6, 0.1, n_tests)
            values = (
                level - np.array(deficits)[:, None] + rng.normal(0, 0.05, (len(names), n_tests))
            )
            matrix = a_matrix(dict(zip(names, values, strict=True)), benchmarks)
            bands = rank_bands(matrix, weights)
            found = choose(
                [
                    replace(each, score=float(score), rank_band=band)
                    for each, score, band in zip(plain, values.mean(axis=1), bands, strict=True)
                ],
                matrix=matrix,
                weights=weights,
                categories={"Category": weights},
                margin=MARGIN,
            )
            if found.strength == "take":
                taken += 1
                wrong += deficits[names.index(found.take)] >= MARGIN
        return taken / repeats, wrong / repeats

    return of


NEAR = {
    "all ten": [0.0, *[MARGIN] * 10],
    "three": [0.0, *[MARGIN] * 3, *[0.10] * 7],
    "one": [0.0, MARGIN, *[0.10] * 9],
}
"""How many of the other ten are exactly the margin worse; the rest are far below."""


def printed(near, n_tests):
    begins = f"| {near} | {n_tests} |"
    (row,) = (line for line in METHODS.read_text("utf-8").splitlines() if line.startswith(begins))
    return [float(cell.strip(" %")) / 100 for cell in row.split("|")[3:5]]


@pytest.mark.slow
@pytest.mark.parametrize("n_tests", TESTS)
@pytest.mark.parametrize("near", NEAR)
def test_a_tenth_of_the_draws_is_near_what_the_methods_print(errs, near, n_tests):
    repeats = ALL_DRAWS // 10
    for share, told in zip(errs(n_tests, NEAR[near], repeats), printed(near, n_tests), strict=True):
        assert abs(share - told) <= 3 * np.sqrt(max(told * (1 - told), 0.005) / repeats)


@pytest.mark.tools
@pytest.mark.parametrize("n_tests", TESTS)
@pytest.mark.parametrize("near", NEAR)
def test_the_methods_print_the_shares_of_all_draws(errs, near, n_tests):
    shares = errs(n_tests, NEAR[near], ALL_DRAWS)
    assert [f"{share:.1%}" for share in shares] == [
        f"{told:.1%}" for told in printed(near, n_tests)
    ]
