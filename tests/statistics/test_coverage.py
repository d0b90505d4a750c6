"""What has been tested, and how evenly."""

import numpy as np
import pytest

from core.domain import BadRequestError
from core.statistics.benchmarks import (
    count,
    evenness,
    gaps,
    group_means,
)

CARE, RESEARCH = ("Care", "Notes"), ("Research", "Reading")
EMPTY, LOCKED, EXAMS = ("Care", "Orders"), ("Care", "Staffing"), ("Care", "Knowledge")
CLOSED = ("Research", "Trials")
PLACES = (CARE, EMPTY, LOCKED, EXAMS, RESEARCH, CLOSED)


def test_coverage_by_place_suite_and_model(make_matrix, make_benchmark):
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
    found = count(PLACES, {"main": main, "second": second}, mapped, {"open", "other"})
    assert (found.places, found.suites) == (PLACES, ("main", "second"))
    both = [(place, suite) for place in (CARE, EXAMS, RESEARCH) for suite in found.suites]
    assert found.counts == dict.fromkeys((*both, (LOCKED, "main"), (CLOSED, "main")), 1)
    ids = [" ".join(it.id for it in found.total[place].benchmarks) for place in PLACES]
    assert ids == ["notes sums", "", "rota", "board quiz", "papers never", "trials"]
    # The most severe gap first.
    assert list(gaps(found).items()) == [
        (EMPTY, "no benchmark"),
        (CLOSED, "no open model"),
        (LOCKED, "private data only"),
        (EXAMS, "exam questions only"),
    ]


GROUPS = {"questions": ("b0", "b1", "b2"), "reports": ("b3", "b4")}


@pytest.fixture
def percent(make_matrix, make_benchmark):
    def make(scores):
        columns = [make_benchmark(f"b{j}", scale_max=100.0) for j in range(len(scores[0]))]
        return make_matrix(scores, benchmarks=columns)

    return make


def test_the_mean_over_all_and_the_sum_of_sample_deviations(percent):
    # Questions 1, 3, 5: squares 4 + 0 + 4 over n - 1 = 2 give 4, so 2. Reports 10, 14: 8 / 1.
    rows = [[1, 3, 5, 10, 14, 27], [1, np.nan, 5, 10, 14, 20], [1, 3, 5, 10, 14, np.nan]]
    found, gap, other, none = evenness(percent([*rows, [np.nan] * 6]), GROUPS)
    reports, sums = pytest.approx(8**0.5), pytest.approx(2 + 8**0.5)
    assert (found.generalisability, found.robustness, found.n_datasets) == (10, sums, 6)
    assert found.spreads == (("questions", 2.0), ("reports", reports))
    # A missing member leaves robustness unknown, and the mean is over the rest.
    assert (gap.robustness, gap.generalisability, gap.n_datasets) == (None, 10, 5)
    assert dict(gap.spreads) == {"questions": None, "reports": reports}
    # A gap outside the groups does not count against robustness.
    assert (other.robustness, other.generalisability) == (sums, pytest.approx(33 / 5))
    assert (none.generalisability, none.robustness, none.n_datasets) == (None, None, 0)
    means = group_means(percent(rows[:2]), GROUPS)
    assert means == {"questions": (3.0, None), "reports": (12.0, 12.0)}


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
