"""The smallest detectable difference, against R, and the spread of models by hand."""

from dataclasses import asdict
from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest

from core.domain import BadRequestError
from core.statistics.coverage import detectable, smallest_difference

# R 4: f <- function(n, p) power.prop.test(n = n, p1 = p, power = .8, tol = 1e-12)$p2 - p
# f(78, .5); f(100, .5); f(500, .5); f(1273, .5); f(12032, .5); f(20, .3); f(1273, .05) ...
IN_R = [
    (78, 0.5, 0.2172961955),
    (100, 0.5, 0.1932251509),
    (500, 0.5, 0.0881450659),
    (1273, 0.5, 0.0554122443),
    (12032, 0.5, 0.0180562618),
    (20, 0.3, 0.4298448894),
    (1273, 0.05, 0.0270746752),
    (500, 0.7, 0.0777382226),
    (100, 0.9, 0.0898521102),
    (1273, 0.99, 0.0084209936),
]


@pytest.mark.parametrize(("n", "baseline", "expected"), IN_R)
def test_the_same_as_in_r(n, baseline, expected):
    assert smallest_difference(n, baseline) == pytest.approx(expected, abs=1e-9)


def test_another_power_and_level_as_in_r():
    # power.prop.test(n = 100, p1 = .5, power = .9, sig.level = .01, tol = 1e-12)$p2 - .5
    assert smallest_difference(100, power=0.9, alpha=0.01) == pytest.approx(0.2601326, abs=1e-7)


@pytest.mark.parametrize(("n", "baseline"), [(2, 0.5), (20, 0.99), (1000, 1.0)])
def test_none_where_even_no_mistake_would_not_show(n, baseline):
    # R warns: no p2 in [p1, 1] can be found to achieve the desired power.
    assert smallest_difference(n, baseline) is None


def test_the_difference_has_the_power_asked_for_wherever_it_is_defined():
    normal = NormalDist()
    for n in (3, 10, 45, 400, 9000):
        for baseline in np.linspace(0, 0.99, 34):
            d = smallest_difference(n, float(baseline))
            if d is None:
                continue
            p, q = baseline, baseline + d
            middle = (p + q) / 2
            z = sqrt(n) * d - normal.inv_cdf(0.975) * sqrt(2 * middle * (1 - middle))
            assert normal.cdf(z / sqrt(p * (1 - p) + q * (1 - q))) == pytest.approx(0.8), (n, p)


def test_more_questions_detect_less():
    found = [smallest_difference(n) for n in (20, 50, 100, 1000, 10_000)]
    assert found == sorted(found, reverse=True)


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_items": 0},
        {"baseline": 1.1},
        {"baseline": -0.1},
        {"baseline": float("nan")},
        {"alpha": 0.0},
        {"alpha": 0.9},
        {"power": 1.0},
    ],
)
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(BadRequestError):
        smallest_difference(**{"n_items": 100} | wrong)


def test_spread_and_noise_of_models_on_any_scale(make_matrix, make_benchmark):
    columns = [
        make_benchmark("wide", is_accuracy=True, n_items=100, scale_max=100.0),
        make_benchmark("clear", is_accuracy=True, n_items=100),
        make_benchmark("graded", scale_min=1.0, scale_max=5.0, n_items=100),
        make_benchmark("low", lower_is_better=True),
        make_benchmark("empty", is_accuracy=True, n_items=100),
        make_benchmark("tiny", is_accuracy=True, n_items=2),
        make_benchmark("silent", is_accuracy=True),
    ]
    scores = [
        [80, 0.9, 5, 0.1, np.nan, 1.0, 0.5],
        [70, 0.5, 3, 0.4, np.nan, 0.5, 0.5],
        [np.nan, 0.4, 1, 0.2, np.nan, np.nan, np.nan],
    ]
    found = {d.benchmark: d for d in detectable(make_matrix(scores, benchmarks=columns))}
    # Two models at 80 and 70 %: the median is 75 %, and 10 points are below 19.3.
    wide = found["wide"]
    assert (wide.n_models, wide.median) == (2, pytest.approx(0.75))
    assert wide.best_minus_median == pytest.approx(0.05)
    assert wide.first_minus_second == pytest.approx(0.1)
    assert wide.smallest == pytest.approx(0.1932251509)
    # power.prop.test(n = 100, p1 = .75, power = .8, tol = 1e-12)$p2 - .75
    assert wide.smallest_at_median == pytest.approx(smallest_difference(100, 0.75))
    assert (wide.noise, wide.reason) == (True, "")
    assert found["clear"].noise is False
    # Grades from 1 to 5 as shares of the way: 1, 0.5, 0. Lower is better: 0.9, 0.8, 0.6.
    assert found["graded"].first_minus_second == pytest.approx(0.5)
    assert found["low"].first_minus_second == pytest.approx(0.1)
    assert found["low"].median == pytest.approx(0.8)
    for key, reason in (
        ("graded", "the score is no share of questions right"),
        ("low", "the score is no share of questions right"),
        ("tiny", "no difference can be seen with 2 questions"),
        ("silent", "the number of questions is not published"),
    ):
        assert (found[key].smallest, found[key].noise) == (None, None), key
        assert found[key].reason == reason
    empty = asdict(found["empty"])
    assert empty["n_models"] == 0
    for key in ("median", "best_minus_median", "first_minus_second", "noise", "smallest_at_median"):
        assert empty[key] is None, key
    assert empty["smallest"] == pytest.approx(0.1932251509)


def test_one_model_has_no_second_and_shared_first_place_is_no_gap(make_matrix, make_benchmark):
    column = [make_benchmark("b", is_accuracy=True, n_items=100)]
    (alone,) = detectable(make_matrix([[0.6]], benchmarks=column))
    assert (alone.first_minus_second, alone.noise, alone.best_minus_median) == (None, None, 0)
    (tied,) = detectable(make_matrix([[0.6], [0.6]], benchmarks=column))
    assert (tied.first_minus_second, tied.noise) == (0, True)
