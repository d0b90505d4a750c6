"""What has been tested, how evenly, and which differences a benchmark can tell."""

from dataclasses import asdict
from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest

from core.domain import BadRequestError
from core.statistics.coverage import (
    count,
    detectable,
    evenness,
    gaps,
    group_means,
    never_tested,
    smallest_difference,
)

CARE, RESEARCH = ("Care", "Notes"), ("Research", "Reading")
EMPTY, LOCKED, EXAMS = ("Care", "Orders"), ("Care", "Staffing"), ("Care", "Knowledge")
CLOSED = ("Research", "Trials")
PLACES = (CARE, EMPTY, LOCKED, EXAMS, RESEARCH, CLOSED)


@pytest.fixture
def coverage(make_matrix, make_benchmark):
    def at(place, key, **fields):
        return make_benchmark(key, category=place[0], subcategory=place[1], **fields)

    main = make_matrix(
        [[0.1, 0.2, 0.3, 0.4, 0.5, np.nan], [0.1, np.nan, np.nan, 0.4, np.nan, 0.9]],
        models=["open", "closed"],
        benchmarks=[
            at(CARE, "notes", material="clinical notes"),
            at(LOCKED, "rota", access="private", material=""),
            at(EXAMS, "board", material="exam questions"),
            at(RESEARCH, "papers", access="gated", material="literature"),
            at(("Nowhere", "Else"), "other"),
            at(CLOSED, "trials", access="", material="health records"),
        ],
    )
    second = make_matrix(
        [[1.0, 2.0, np.nan], [1.0, np.nan, np.nan]],
        models=["other", "lazy"],
        benchmarks=[
            at(("Own", "Summaries"), "sums", access="regulated", material="clinical text"),
            at(("Own", "Quiz"), "quiz", access="open access", material="exam questions"),
            at(RESEARCH, "never", access="open access"),
        ],
    )
    mapped = {("second", "Own", "Summaries"): CARE, ("second", "Own", "Quiz"): EXAMS}
    return count(PLACES, {"main": main, "second": second}, mapped, {"open", "other"})


def test_benchmarks_are_counted_by_place_and_suite(coverage):
    assert coverage.places == PLACES
    assert coverage.suites == ("main", "second")
    ids = {
        key: [benchmark.id for benchmark in cell.benchmarks]
        for key, cell in coverage.cells.items()
        if cell.benchmarks
    }
    assert ids == {
        (CARE, "main"): ["notes"],
        (CARE, "second"): ["sums"],
        (LOCKED, "main"): ["rota"],
        (EXAMS, "main"): ["board"],
        (EXAMS, "second"): ["quiz"],
        (RESEARCH, "main"): ["papers"],
        (RESEARCH, "second"): ["never"],
        (CLOSED, "main"): ["trials"],
    }
    assert [benchmark.id for benchmark in coverage.elsewhere] == ["other"]


def test_access_material_and_models_are_those_of_the_scores(coverage):
    care = coverage.total[CARE]
    assert care.access == (("public", 1), ("by agreement", 1))
    assert (care.n_exam, care.n_clinical, care.n_material_unknown) == (0, 2, 0)
    assert care.models == {"open", "closed", "other", "lazy"}
    assert care.open_models == {"open", "other"}
    # A benchmark without any score was tested on nobody.
    assert coverage.cells[RESEARCH, "second"].models == frozenset()
    assert coverage.total[RESEARCH].models == {"open", "closed"}
    assert coverage.total[LOCKED].n_material_unknown == 1
    assert coverage.total[CLOSED].access == (("unknown", 1),)


def test_gaps_are_named_the_most_severe_first(coverage):
    assert list(gaps(coverage).items()) == [
        (EMPTY, "no benchmark"),
        (CLOSED, "no open model"),
        (LOCKED, "private data only"),
        (EXAMS, "exam questions only"),
    ]


def test_what_one_model_was_never_tested_on(coverage):
    assert never_tested(coverage, "open") == (EMPTY, CLOSED)
    assert never_tested(coverage, "closed") == (EMPTY, LOCKED, EXAMS)
    assert never_tested(coverage, "nobody") == PLACES


def test_no_suite_at_all_is_all_gaps():
    found = gaps(count(PLACES, {}, {}, ()))
    assert found == dict.fromkeys(PLACES, "no benchmark")
    assert list(found) == list(PLACES)


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
    assert (wide.noise, wide.unknown) == (True, None)
    assert found["clear"].noise is False
    # Grades from 1 to 5 as shares of the way: 1, 0.5, 0. Lower is better: 0.9, 0.8, 0.6.
    assert found["graded"].first_minus_second == pytest.approx(0.5)
    assert found["low"].first_minus_second == pytest.approx(0.1)
    assert found["low"].median == pytest.approx(0.8)
    for key, unknown in (
        ("graded", "score"),
        ("low", "score"),
        ("tiny", "few"),
        ("silent", "number"),
    ):
        assert (found[key].smallest, found[key].noise) == (None, None), key
        assert found[key].unknown == unknown
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


GROUPS = {"questions": ("b0", "b1", "b2"), "reports": ("b3", "b4")}


@pytest.fixture
def percent(make_matrix, make_benchmark):
    def make(scores):
        columns = [make_benchmark(f"b{j}", scale_max=100.0) for j in range(len(scores[0]))]
        return make_matrix(scores, benchmarks=columns)

    return make


def test_the_mean_over_all_and_the_sum_of_sample_deviations(percent):
    # Questions 1, 3, 5: squares 4 + 0 + 4 over n - 1 = 2 give 4, so 2. Reports 10, 14: 8 / 1.
    (found,) = evenness(percent([[1, 3, 5, 10, 14, 27]]), GROUPS)
    assert found.generalisability == 10
    assert found.spreads == (("questions", 2.0), ("reports", pytest.approx(8**0.5)))
    assert found.robustness == pytest.approx(2 + 8**0.5)
    assert found.n_datasets == 6


def test_a_missing_member_leaves_robustness_unknown_and_the_mean_over_the_rest(percent):
    gap, other, none = evenness(
        percent([[1, np.nan, 5, 10, 14, 20], [1, 3, 5, 10, 14, np.nan], [np.nan] * 6]), GROUPS
    )
    assert (gap.robustness, gap.generalisability, gap.n_datasets) == (None, 10, 5)
    assert dict(gap.spreads)["questions"] is None
    assert dict(gap.spreads)["reports"] == pytest.approx(8**0.5)
    # A gap outside the groups does not count against robustness.
    assert other.robustness == pytest.approx(2 + 8**0.5)
    assert other.generalisability == pytest.approx(33 / 5)
    assert (none.generalisability, none.robustness, none.n_datasets) == (None, None, 0)


def test_group_means_are_unknown_over_fewer_data_sets(percent):
    found = group_means(percent([[1, 3, 5, 10, 14, 27], [1, np.nan, 5, 10, 14, 0]]), GROUPS)
    assert found == {"questions": (3.0, None), "reports": (12.0, 12.0)}


def test_scales_that_differ_and_groups_that_do_not_fit_are_refused(
    percent, make_matrix, make_benchmark
):
    scores = percent([[1, 2, 3, 4, 5]])
    for groups, message in (
        ({}, "has no groups"),
        ({"one": ("b0",)}, "one has fewer than two"),
        ({"two": ("b0", "b9")}, "names b9"),
    ):
        with pytest.raises(BadRequestError, match=message):
            evenness(scores, groups)
    for turned in ({"scale_max": 10.0}, {"lower_is_better": True}):
        columns = [make_benchmark("b0"), make_benchmark("b1", **turned)]
        with pytest.raises(BadRequestError, match="no common mean"):
            evenness(make_matrix([[0.5, 0.6]], benchmarks=columns), {"g": ("b0", "b1")})
