"""What has been tested: counts and sentences over three small suites, by hand."""

import numpy as np
import pytest

from core.statistics.coverage import count, described, gaps, never_tested

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


def test_gaps_are_named_in_words_the_most_severe_first(coverage):
    found = gaps(coverage)
    assert [(gap.kind, gap.sentence) for gap in found] == [
        ("no benchmark", "Orders: no benchmark at all."),
        (
            "no open model",
            "Trials: one benchmark, access to the data not stated, no open model ever tested.",
        ),
        (
            "private data only",
            "Staffing: one benchmark, private data, 1 model tested, 1 of them open.",
        ),
        (
            "exam questions only",
            "Knowledge: 2 benchmarks, public data, exam questions only, 2 models tested, "
            "2 of them open.",
        ),
    ]
    assert [gap.severity for gap in found] == [0, 1, 2, 3]


def test_a_cell_is_described_by_every_kind_of_access(coverage):
    assert described(coverage.total[RESEARCH]) == (
        "2 benchmarks (data: 1 public, 1 by agreement), 2 models tested, 1 of them open"
    )
    assert described(coverage.cells[RESEARCH, "second"]) == (
        "one benchmark, public data, no model tested"
    )


def test_what_one_model_was_never_tested_on(coverage):
    assert never_tested(coverage, "open") == (EMPTY, CLOSED)
    assert never_tested(coverage, "closed") == (EMPTY, LOCKED, EXAMS)
    assert never_tested(coverage, "nobody") == PLACES


def test_no_suite_at_all_is_all_gaps():
    found = gaps(count(PLACES, {}, {}, ()))
    assert [gap.place for gap in found] == list(PLACES)
    assert {gap.severity for gap in found} == {0}
