"""Thirds, grades, order and choice of the market, on cases worked out by hand."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from core.domain import OWN_SERVERS, Candidate, Model, Offer, Placed
from core.domain import Tested as SuiteSays
from core.procurement.bill import unknown_cost
from core.procurement.grades import grade_of, order_of, stands_above, third_of
from core.procurement.market import market_choice, ordered

D, N, G = "direct", "near", "general"
U, M, L = "upper", "middle", "lower"


@pytest.mark.parametrize(
    ("place", "n", "third"),
    [
        *((1, 2, U), (2, 2, L), (1, 1, U), (3, 9, U), (4, 9, M), (6, 9, M), (7, 9, L)),
        *((3, 11, U), (4, 11, M), (7, 11, M), (8, 11, L), (17, 46, M), (15, 46, U), (31, 46, L)),
    ],
)
def test_places_fall_into_thirds_and_the_first_is_always_upper(place, n, third):
    assert third_of(place, n) == third


@pytest.mark.parametrize(
    ("lines", "grade"),
    [
        ([(D, U), (D, U)], "A"),
        ([(D, U), (D, U), (D, M)], "A"),
        ([(D, U), (D, U), (D, M), (D, M)], "B"),  # two of four are less than two thirds
        ([(D, U), (D, U), (D, L)], "C"),
        ([(D, U)], "B"),
        ([(D, U), (D, M), (N, L), (G, L)], "B"),  # related tests take nothing away
        ([(D, U), (D, L)], "C"),
        ([(D, M)], "C"),
        ([(D, L), (N, U)], "C"),
        ([(N, U), (N, M)], "C"),
        ([(N, U), (N, L)], "D"),
        ([(N, M)], "D"),
        ([(G, U)], "D"),
        ([], "E"),
    ],
)
def test_a_grade_counts_tests_that_agree(lines, grade):
    assert grade_of(lines) == grade


def line(suite, place, n=11, kind=D):
    blank = dict.fromkeys(("name", "metric", "tested_as", "kind", "as_of", "run_by"), suite)
    ends = {"value": None, "ci_low": None, "ci_high": None, "basis": "none", "scale": (0.0, 1.0)}
    flags = {"medical": True, "ranks": True}
    tested = SuiteSays(suite=suite, rank=place, n=n, **blank, **ends, **flags)
    return Placed(kind, third_of(place, n), tested)


def candidate(name, *lines, usd=None, harm=None, released=""):
    grade = grade_of((it.kind, it.third) for it in lines)
    cost = replace(unknown_cost(name, "no price"), likely=usd)
    model = Model(name, name, "", released_on=released)
    offer = Offer("P", "buyable", None, None, usd)
    return Candidate(model, grade, lines, (offer,), cost, harm)


def test_order_is_by_direct_then_near_then_general_then_cost():
    # (1 − 1)/10 and (3 − 1)/10, on average 0.1; (6 − 1)/10 = 0.5; nothing is behind everything.
    assert order_of([line("a", 1), line("b", 3), line("c", 6, kind=G)], 9.0) == (0.1, 2.0, 0.5, 9.0)
    assert order_of([], None)[-1] == float("inf")


def test_one_is_above_another_in_every_shared_direct_line_only():
    assert stands_above({"a": 1, "b": 9}, {"a": 2, "c": 1})
    assert not stands_above({"a": 1, "b": 9}, {"a": 2, "b": 8})
    assert not stands_above({"a": 2}, {"a": 2})
    assert not stands_above({"a": 1}, {"b": 1})


def names(found):
    return [it.model.id for it in found]


def test_no_product_comes_before_one_that_is_above_it():
    # X is ahead on average (0 and 0.2 to 0.1 and nothing else), but Y beats it where both are.
    x = candidate("x", line("a", 2), line("b", 1))
    y = candidate("y", line("a", 1), line("c", 3), line("d", 3), line("e", 3))
    assert order_of(x.lines, None) < order_of(y.lines, None)
    assert names(ordered([x, y])) == ["y", "x"]
    # In a circle each is below another: the rule's own order counts.
    ring = [
        candidate("p", line("a", 1), line("c", 2)),
        candidate("q", line("b", 1), line("a", 2)),
        candidate("r", line("c", 1), line("b", 2)),
    ]
    assert names(ordered(ring)) == ["p", "q", "r"]


def test_a_b_that_is_above_every_a_it_meets_joins_their_group():
    """As GPT-5.2, first of 38, joins gpt-oss-120b, which is sixth there."""
    a = candidate("a", line("bridge", 1, 98), line("live", 6, 38), usd=15.0)
    b = candidate("b", line("live", 1, 38), usd=200.0)
    apart = candidate("apart", line("other", 1, 38))
    found = market_choice(ordered([a, b, apart]))
    assert (a.grade, b.grade, found.strength) == ("A", "B", "shortlist")
    assert found.names == ("b", "a")
    assert found.cheapest == "a"


def judged(tier):
    return SimpleNamespace(tier=tier, is_as_good=tier in ("shown", "likely"))


TWO = (
    candidate("cheap", line("a", 2), line("b", 2), usd=10.0),
    candidate("dear", line("a", 1), line("b", 1), usd=90.0),
)


@pytest.mark.parametrize(
    ("tiers", "strength"),
    [
        (["likely"], "take"),
        (["shown", "open"], "take"),
        (["open"], "shortlist"),
        (["likely", "worse"], "shortlist"),
        ([], "shortlist"),
    ],
)
def test_the_cheapest_of_grade_a_needs_a_shared_test(tiers, strength):
    found = market_choice(ordered(TWO), lambda one, other: [judged(tier) for tier in tiers])
    assert found.strength == strength
    assert found.names == (("cheap",) if strength == "take" else ("dear", "cheap"))


def test_an_unmarked_one_as_good_is_taken_over_a_marked_one():
    harm = SimpleNamespace(marked=True)
    cheap = replace(TWO[0], harm=harm)
    as_good = market_choice(ordered([cheap, TWO[1]]), lambda *_: [judged("likely")])
    assert as_good.strength == "shortlist"
    only_cheap = market_choice(
        ordered([cheap, TWO[1]]),
        lambda one, _: [judged("likely" if one == "cheap" else "open")],
    )
    assert only_cheap.strength == "take"


def test_without_a_known_cost_nothing_is_taken():
    free = [replace(it, cost=unknown_cost(it.model.id, "no price")) for it in TWO]
    assert market_choice(ordered(free), lambda *_: [judged("likely")]).strength == "shortlist"


def test_on_own_servers_of_unknown_cost_the_smallest_is_taken():
    """By active parameters: 5 of one's 100 billion, 30 of the other; a price goes before."""
    own = [
        replace(
            it,
            model=replace(it.model, params_b=params_b, params_active_b=active),
            offers=(replace(it.offers[0], platform=OWN_SERVERS),),
            cost=unknown_cost(it.model.id, "no throughput"),
        )
        for it, params_b, active in zip(TWO, (100.0, 30.0), (5.0, None), strict=True)
    ]

    def taken(*group):
        return market_choice(ordered(group), lambda *_: [judged("likely")]).names

    assert taken(*own) == ("cheap",)
    assert taken(own[1]) == ("dear",)
    assert taken(own[0], replace(own[1], cost=TWO[1].cost)) == ("dear",)
    assert len(taken(TWO[0], own[1])) == 1  # bought for $10; what the other costs is not known
    assert market_choice(ordered(own), lambda *_: [judged("open")]).strength == "shortlist"


def test_a_group_of_one_is_said_to_be_filled_from_below():
    b = candidate("b", line("a", 1))
    d = candidate("d", line("c", 1, kind=G))
    untested = [candidate(f"e{i}", released=f"2026-0{i}-01") for i in range(1, 9)]
    found = market_choice(ordered([b, d, *untested]))
    assert (found.names, found.filled_from) == (("b", "d"), ("d",))
    assert found.few_tested  # one of ten has a grade from A to C
    assert not found.none_tested
    assert not market_choice(ordered([b, d, *untested[:2]])).few_tested  # one of four is a quarter


def test_where_nothing_was_tested_the_best_related_comes_first_then_the_newest():
    near = candidate("near", line("n", 5, kind=N))
    old, new, undated = (
        candidate("old", released="2024-05-01"),
        candidate("new", released="2026-10-13"),
        candidate("undated"),
    )
    found = market_choice(ordered([old, undated, new, near]))
    assert found.none_tested
    assert found.names == ("near", "new", "old")
    assert market_choice(()).strength == "nothing"
