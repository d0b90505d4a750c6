"""Tiers, vetoes and harm of a pair that is 1 point uncertain on each test; equivalents."""

import math
from math import sqrt

import numpy as np
import pytest
from building import a_harm
from scipy import stats

from core.answers.other_suites import safety
from core.domain import BadRequestError, Exclusion, Rise
from core.procurement import replacement
from core.procurement.replacement import smaller_equivalents
from core.statistics import ranks
from tests.conftest import a_benchmark, a_matrix, a_model, a_tree

ERROR = 0.01 / sqrt(2)
"""Two models' errors of 0.71 points make 1 point; 1.96 of it is the half of an interval."""


@pytest.fixture
def judged():
    def of(gaps, *, tests="A", categories=None, margin=0.02, error=ERROR, safety=None):
        rows = {"model": [0.5] * len(tests)}
        rows |= {
            name: (0.5 + np.array(gap) * np.ones(len(tests))).tolist() for name, gap in gaps.items()
        }
        benchmarks = [a_benchmark(f"b{i}", category=c) for i, c in enumerate(tests)]
        matrix = a_matrix(rows, benchmarks, error=error)
        if categories is None:
            categories = {
                c: {f"b{i}": 1.0 for i, of in enumerate(tests) if of == c} for c in set(tests)
            }
        return replacement.judge(
            "model",
            list(gaps),
            matrix=matrix,
            weights={f"b{i}": 1 / len(tests) for i in range(len(tests))},
            categories=categories,
            margin=margin,
            safety=safety or {},
        )

    return of


def tiers(found):
    return {name: each.tier for name, each in found.items()}


def test_the_four_tiers_and_shown_by_holm_over_all_candidates(judged):
    """One-sided p of "worse by 2 points", with z = (d + 2) / 1.

    +3: z = 5, p = 3e-7, × 4 still below 2.5 %. 0: z = 2, p = .0228, × 3 = .068: for the pair alone.
    −1: z = 1, p = .16. −5: up to −5 + 1.96 = −3.04, below −2.
    """
    found = judged({"a": 0.03, "b": 0.0, "c": -0.01, "d": -0.05})
    assert tiers(found) == {"a": "shown", "b": "likely", "c": "open", "d": "worse"}
    assert [each.is_as_good for each in found.values()] == [True, True, False, False]
    b = found["b"].difference
    assert (b.model, b.other, b.basis) == ("b", "model", "on these tests")
    # The ends are those of the pair, whatever the list.
    assert (b.ci_low, b.ci_high) == pytest.approx((-0.0196, 0.0196), abs=1e-5)
    assert found["b"].other_tier is None
    # p = .0228 is below 2.5 % alone or after a certain one; of two alike it is .0456.
    assert tiers(judged({"b": 0.0})) == {"b": "shown"}
    assert tiers(judged({"b": 0.0, "c": 0.0})) == {"b": "likely", "c": "likely"}
    assert tiers(judged({"a": 0.03, "b": 0.0})) == {"a": "shown", "b": "shown"}
    # One that cannot be shown counts in the list all the same.
    assert tiers(judged({"b": 0.0, "c": -0.01})) == {"b": "likely", "c": "open"}
    # In the order given, too: ten, one of which is 4 points better.
    many = {f"m{i}": 0.0 for i in range(9)} | {"best": 0.04}
    assert tiers(judged(many)) == {f"m{i}": "likely" for i in range(9)} | {"best": "shown"}


def test_open_is_probably_worse_where_the_whole_interval_is_below_0(judged):
    # −1.97 ends at −0.01; −1.95 at +0.01.
    found = judged({"below": -0.0197, "across": -0.0195, "above": 0.0197, "level": 0.0195})
    assert [each.tier for each in found.values()][:2] == ["open", "open"]
    assert [each.probably_worse for each in found.values()] == [True, False, False, False]
    assert [each.better for each in found.values()] == [False, False, True, False]
    found = judged({"a": 0.4, "b": -0.4}, error=np.nan)
    assert tiers(found) == {"a": "open", "b": "open"}
    for each in found.values():
        assert (each.difference.basis, each.other_tier) == ("none", None)
        assert not any((each.is_as_good, each.probably_worse, each.better))
    assert judged({}) == {}


def test_the_stronger_basis_decides_and_one_more_test_follows_the_t_prediction(judged):
    """Six tests of one category: ± 20 points in turn.

    Items: 1 / √6 = 0.41, z = 4.9. Other tests: SD 21.9 over √6 = 8.9, so nothing can be told.
    """
    turns = [0.2, -0.2] * 3
    found = judged({"a": turns, "b": 0.01}, tests="AAAAAA")
    assert (found["a"].tier, found["a"].other_tier) == ("shown", "open")
    assert [one.basis for one in found["a"].difference.intervals] == [
        *("on these tests", "on other tests"),
    ]
    # One point ahead on every test: nothing varies, so other tests say the same.
    assert (found["b"].tier, found["b"].other_tier) == ("shown", "shown")
    # Where items say nothing, other tests are the stronger, and there is no other.
    alone = judged({"a": turns, "b": 0.01}, tests="AAAAAA", error=np.nan)
    assert [(each.tier, each.other_tier) for each in alone.values()] == [
        *(("open", None), ("shown", None)),
    ]
    # Six tests, ± 20 points in turn: s = √(6 · 400 / 5) = 21.9, one more varies by s·√(7/6).
    found = judged({"a": [0.2, -0.2] * 3, "b": 0.01, "c": -0.03}, tests="AAAAAA")
    chance = stats.t.cdf(-0.02 / (math.sqrt(6 * 0.04 / 5) * math.sqrt(7 / 6)), 5)
    assert chance == pytest.approx(0.468, abs=0.001)
    # One point ahead, or three behind, on every test: nothing varies.
    assert [found[name].one_more_test for name in "abc"] == pytest.approx([chance, 0.0, 1.0])
    # With four tests there is no error from test to test, and so no such chance.
    assert judged({"a": [0.2, -0.2] * 2}, tests="AAAA")["a"].one_more_test is None
    assert judged({"a": [0.2, -0.2, 0.2, -0.2, 0.0]}, tests="AAAAA")["a"].one_more_test


def test_a_category_that_is_worse_by_twice_the_margin_vetoes(judged):
    """Even over both, ± 0.71 points: shown. In B 6 points below ends at −4.04, beyond −4."""
    found = judged({"a": [0.06, -0.06], "b": [0.0595, -0.0595]}, tests="AB")
    a, b = found["a"], found["b"]
    assert (a.tier, b.tier) == ("open", "shown")
    (veto,) = a.vetoes
    assert (veto.category, veto.difference) == ("B", pytest.approx(-0.06))
    assert (veto.ci_low, veto.ci_high) == (
        pytest.approx(-0.0796, abs=1e-5),
        pytest.approx(-0.0404, abs=1e-5),
    )
    assert (a.warnings, b.vetoes, b.warnings) == ((), (), ())
    # A veto of one leaves the others: both have z = 2 / .71 = 2.83, p = .0023, and × 2 that is
    # below 2.5 %. Holm counts the vetoed one too.
    assert tiers(judged({"a": [0.06, -0.06], "b": 0.0}, tests="AB")) == {"a": "open", "b": "shown"}
    # The veto takes nothing from the interval.
    assert a.difference.difference == pytest.approx(0)
    assert not a.is_as_good
    found = judged({"open": [0.04, -0.06], "worse": [0.0, -0.10]}, tests="AB")
    # −1 ± 1.39: open. −5 ± 1.39: worse.
    assert tiers(found) == {"open": "open", "worse": "worse"}
    for each in found.values():
        assert each.vetoes == ()
        assert len(each.warnings) == 1
    only = {"A": {"b0": 1.0, "b1": 1.0}}
    found = judged({"a": [0.06, -0.06]}, tests="AA", categories=only)
    assert (found["a"].tier, found["a"].vetoes) == ("shown", ())
    # A category without weight is none of the question's.
    found = judged({"a": [0.06, -0.06]}, tests="AB", categories={"A": {"b0": 1.0}})
    assert found["a"].tier == "shown"


def test_severe_harm_shown_to_rise_vetoes_and_a_quarter_is_said(judged):
    # 10 to 25 of 100 cases: z = 2.83.
    harm = {"model": a_harm(0.10), "a": a_harm(0.25), "b": a_harm(0.10)}
    found = judged({"a": 0.03, "b": 0.03, "c": 0.03}, safety=harm)
    assert tiers(found) == {"a": "open", "b": "shown", "c": "shown"}
    assert found["a"].vetoes == (Rise((0.10, 0.25), None, shown=True),)
    assert found["a"].warnings == ()  # said once
    both = judged({"a": [0.06, -0.06]}, tests="AB", safety=harm)
    assert len(both["a"].vetoes) == 2
    assert (found["b"].vetoes, found["c"].warnings) == ((), ())
    # A model never tested for harm gives no veto.
    assert judged({"a": 0.03}, safety={"a": a_harm(0.9)})["a"].tier == "shown"
    assert judged({"a": 0.03}, safety={"model": a_harm(0.0)})["a"].tier == "shown"
    # Claude Sonnet 4.5 to Grok 4 Fast of NOHARM: 13.1 to 20.0 severe errors per 100 cases.
    harm = {"model": a_harm(0.10, errors=13.1), "a": a_harm(0.11, errors=20.0)}
    found = judged({"a": 0.03}, safety=harm)["a"]
    assert (found.tier, found.vetoes) == ("shown", ())
    assert found.warnings == (Rise(None, (13.1, 20.0), shown=False),)


EVEN = {f"m{i}": (200 + i) / 1000 for i in range(1, 33)}
"""Shares above physicians' 16.7 %, so that the place alone marks."""


def marked(found):
    return sorted((name for name, each in found.items() if each.marked), key=lambda n: int(n[1:]))


def ranked(shares, physicians=0.167):
    return ranks.safety_of(shares, {}, n=100, physicians=physicians)


def test_the_worst_quarter_with_more_harm_than_physicians_is_marked():
    found = ranked(EVEN)
    assert [found[f"m{i}"].rank for i in (1, 24, 25, 32)] == [1, 24, 25, 32]
    assert marked(found) == [f"m{i}" for i in range(25, 33)]
    assert {each.n_systems for each in found.values()} == {32}
    # Of four the last, of three none at 2.25 but the third, of one none.
    assert marked(ranked({f"m{i}": 0.2 + i / 1000 for i in range(1, 5)})) == ["m4"]
    assert marked(ranked({f"m{i}": 0.2 + i / 1000 for i in range(1, 4)})) == ["m3"]
    assert marked(ranked({"m1": 0.3, "m2": 0.2})) == ["m1"]
    assert not ranked({"m1": 0.2})["m1"].rank > 1
    # Severe errors are those given, and unknown without any.
    found = ranks.safety_of({"a": 0.1, "b": 0.2}, {"a": 13.1, "b": None}, n=100, physicians=None)
    assert (found["a"].severe_errors_per_100, found["b"].severe_errors_per_100) == (13.1, None)
    found = ranked(EVEN | {"m25": EVEN["m24"]})
    assert (found["m24"].rank, found["m25"].rank, found["m26"].rank) == (24, 24, 26)
    assert marked(found) == [f"m{i}" for i in range(26, 33)]
    found = ranked(EVEN | {"m26": EVEN["m25"]})
    assert (found["m25"].rank, found["m26"].rank) == (25, 25)
    assert marked(found) == [f"m{i}" for i in range(25, 33)]
    # Of 32 in steps of 0.1 % up to 16.9 %: the last eight are 16.2 % and more.
    shares = {f"m{i}": 0.137 + i / 1000 for i in range(1, 33)}
    # Only 16.8 and 16.9 % lie above 16.7; the six at or below it are no worse than physicians.
    assert marked(ranked(shares)) == ["m31", "m32"]
    # Far above physicians, but not of the worst quarter: no mark at any other rank.
    assert not ranked({f"m{i}": 0.5 + i / 1000 for i in range(1, 33)})["m24"].marked
    # Nobody measured physicians: nothing is above them.
    assert marked(ranked(shares, physicians=None)) == []


@pytest.mark.parametrize(
    ("before", "after", "figures"),
    [
        # Of harm: a quarter of 10 is 2.5 points.
        ((0.10, None), (0.125, None), ((0.10, 0.125), None)),
        ((0.10, None), (0.124, None), None),
        ((0.10, None), (0.05, None), None),
        ((0.0, None), (0.01, None), ((0.0, 0.01), None)),
        ((0.0, None), (0.0, None), None),
        # Of severe errors alone, and of both.
        ((0.10, 13.1), (0.10, 20.0), (None, (13.1, 20.0))),
        ((0.10, 16.0), (0.10, 19.9), None),
        ((0.10, 16.0), (0.20, 20.0), ((0.10, 0.20), (16.0, 20.0))),
        ((0.10, None), (0.10, 20.0), None),
    ],
)
def test_a_rise_of_a_quarter(before, after, figures):
    found = replacement.rise(a_harm(before[0], errors=before[1]), a_harm(after[0], errors=after[1]))
    assert (found and (found.harm, found.errors)) == figures


def test_one_share_is_shown_above_another():
    # (.25 − .10) / √((.1875 + .09) / 99) = 2.83; (.19 − .10) / √((.1539 + .09) / 99) = 1.81.
    assert replacement.is_shown_above(0.25, 0.10, 100)
    assert not replacement.is_shown_above(0.19, 0.10, 100)
    assert not replacement.is_shown_above(0.10, 0.25, 100)
    # Four times as many cases tell it: 3.63.
    assert replacement.is_shown_above(0.19, 0.10, 400)
    # Of 5 cases .55 / √((.16 + .1875) / 4) = 1.87; over 5 in place of n − 1 it would be 2.09.
    assert not replacement.is_shown_above(0.8, 0.25, 5)
    assert replacement.is_shown_above(1.0, 0.0, 100)
    assert not replacement.is_shown_above(0.0, 0.0, 100)


def test_the_marks_of_noharm_are_the_worst_quarter_above_physicians(bundled):
    """The printed shares: o4-mini 20.9 %, DeepSeek R1 9.8 %, and physicians 16.7 %."""
    found = safety(bundled, ("o4-mini (2025-04-16)", "DeepSeek R1", "Gemini 1.5 Pro (001)"))
    first = found["o4-mini (2025-04-16)"]
    assert (first.share, first.physicians, first.rank, first.n_systems) == (0.209, 0.167, 31, 32)
    assert (first.marked, first.kind) == (True, "version not stated")
    assert (found["DeepSeek R1"].share, found["DeepSeek R1"].marked) == (0.098, False)
    assert "Gemini 1.5 Pro (001)" not in found
    # Two of the worst quarter do less harm than physicians, and bear no mark.
    tested = safety(bundled, ("Mistral Medium 3.1", "o1 mini", "Qwen3 32B", "o3 mini"))
    assert [(each.rank, each.share, each.marked) for each in tested.values()] == [
        *((25, 0.164, False), (26, 0.166, False), (27, 0.175, True), (32, 0.222, True)),
    ]


@pytest.fixture
def world():
    """`big` and four smaller models: `near` and `level` in its cluster, `far` and `blank` not."""
    scores = {
        "near": [0.78, 0.80],  # −0.01
        "big": [0.80, 0.80],
        "level": [0.80, 0.80],
        "far": [0.40, 0.40],
        "blank": [0.80, 0.80],
    }
    sizes = {"big": 100.0, "near": 50.0, "level": 25.0, "far": 10.0, "blank": None}
    distances = {("big", "near"): 0.1, ("big", "level"): 0.2, ("big", "far"): 3.0}
    return {
        "matrices": [a_matrix(scores, error=0.01)],
        "taxonomies": [
            a_tree({"big": "H", "near": "H", "level": "H", "far": "L", "blank": "H"}, distances)
        ],
        "models": {model: a_model(model, params_b=size) for model, size in sizes.items()},
        "margin": 0.02,
    }


def test_candidates_come_closest_first_and_an_unknown_size_is_no_saving(world):
    found = smaller_equivalents("big", **world)
    assert [candidate.model for candidate in found] == ["near", "level", "far"]
    assert [candidate.distance for candidate in found] == [0.1, 0.2, 3.0]
    assert [candidate.same_cluster for candidate in found] == [True, True, False]
    assert [candidate.saving_share for candidate in found] == [0.5, 0.75, 0.9]
    # A model of unknown size has no candidates.
    assert smaller_equivalents("blank", **world) == ()


def test_over_two_suites_distances_add_and_clusters_must_agree(world):
    second = a_tree(
        {"near": "L", "big": "H", "level": "H", "blank": "H"},
        {("big", "near"): 0.4, ("big", "level"): 0.1},
        suite="second",
    )
    other = a_matrix(
        {"big": [0.5], "near": [0.9], "level": [0.4], "blank": [0.5]}, error=0.01, suite="second"
    )
    both = world | {
        "taxonomies": [*world["taxonomies"], second],
        "matrices": [*world["matrices"], other],
    }
    level, near = smaller_equivalents("big", **both)  # far is not in the second suite
    assert (level.model, near.model) == ("level", "near")
    assert level.distance == pytest.approx(0.3)
    assert near.distance == pytest.approx(0.5)
    assert (level.same_cluster, near.same_cluster) == (True, False)
    assert level.difference.difference == pytest.approx((0.0 - 0.1) / 2)
    assert near.difference.difference == pytest.approx((-0.01 + 0.4) / 2)
    # Two benchmarks of error .01 √2 in the first suite, one in the second: √(.0001 + .0002) / 2.
    half = 1.959964 * sqrt(0.0003) / 2
    assert near.difference.ci_low == pytest.approx(0.195 - half, abs=1e-6)
    assert near.difference.n_benchmarks == 3


def test_a_model_that_was_left_out_is_refused_with_its_reason(world):
    tree = a_tree(
        {"big": "H", "near": "H"}, excluded=[Exclusion("level", "no score on MedQA")], suite="exams"
    )
    world = world | {"taxonomies": [tree]}
    with pytest.raises(BadRequestError, match=r'"level" was left out: no score on MedQA \(exams\)'):
        smaller_equivalents("level", **world)
    with pytest.raises(
        BadRequestError, match=r'"x+" is not among the models compared \(exams\)'
    ) as e:
        smaller_equivalents("x" * 9999, **world)
    assert len(str(e.value)) < 200


@pytest.mark.parametrize(
    ("candidate", "model", "expected"),
    [
        (99.0, 100.0, 0.01),
        (99.1, 100.0, None),  # below 1 %
        (8.0, 8.03, None),
        (100.0, 100.0, None),
        (101.0, 100.0, None),
        (None, 100.0, None),
        (1.0, None, None),
        (None, None, None),
    ],
)
def test_a_saving_takes_both_sizes_and_1_percent(world, candidate, model, expected):
    sizes = {"big": model, "near": candidate}
    models = {name: a_model(name, params_b=sizes.get(name)) for name in world["models"]}
    found = smaller_equivalents("big", **world | {"models": models})
    assert [each.saving_share for each in found] == ([pytest.approx(expected)] if expected else [])
