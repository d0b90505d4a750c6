import numpy as np
import pytest

from core.domain import BadDataError, BadRequestError, Cohort, Exclusion, RunPin
from core.statistics.score_matrix import (
    build,
    complete,
    normalised,
    oriented,
    select_benchmarks,
    select_models,
)

nan = np.nan


def cohort(models, pins=(), benchmarks=()):
    return Cohort("c", "suite", tuple(models), tuple(pins), tuple(benchmarks), "")


@pytest.fixture
def benchmarks(make_benchmark):
    return [make_benchmark("a", name="MedQA"), make_benchmark("b", name="MedMCQA")]


def test_latest_complete_run_stands_for_the_model(make_frame, benchmarks):
    frame = make_frame(
        ("x", "old", "2024-01-01", "", "a", 0.1),
        ("x", "old", "2024-01-01", "", "b", 0.1),
        ("x", "new", "2024-02-01", "", "a", 0.2),
        ("x", "new", "2024-02-01", "", "b", 0.3),
        ("x", "half", "2024-03-01", "", "a", 0.9),
    )
    matrix = build(frame, benchmarks, suite="suite")
    assert matrix.runs == ("new",)
    np.testing.assert_array_equal(matrix.scores, [[0.2, 0.3]])
    assert not matrix.scores.flags.writeable
    assert not matrix.standard_errors.flags.writeable


def test_run_with_most_benchmarks_where_none_is_complete(make_frame, make_benchmark):
    benchmarks = [make_benchmark(name) for name in "abc"]
    frame = make_frame(
        ("x", "one", "2024-05-01", "", "a", 0.1),
        ("x", "two", "2024-01-01", "", "a", 0.2),
        ("x", "two", "2024-01-01", "", "b", 0.2),
        ("x", "two-later", "2024-02-01", "", "b", 0.4),
        ("x", "two-later", "2024-02-01", "", "c", 0.5),
    )
    matrix = build(frame, benchmarks, suite="suite")
    assert matrix.runs == ("two-later",)
    np.testing.assert_array_equal(matrix.scores, [[np.nan, 0.4, 0.5]])


def test_ties_go_to_the_last_run_id_then_precision(make_frame, benchmarks):
    rows = [
        ("x", "r1", "", "bfloat16", "a", 0.1),
        ("x", "r2", "", "bfloat16", "a", 0.2),
        ("x", "r2", "", "float16", "a", 0.3),
    ]
    for some in (rows, rows[::-1]):
        matrix = build(make_frame(*some), benchmarks, suite="suite")
        assert matrix.runs == ("r2 (float16)",)
        assert matrix.scores[0, 0] == 0.3


def test_scores_that_are_nan_do_not_make_a_run_complete(make_frame, benchmarks):
    frame = make_frame(
        ("x", "whole", "2024-01-01", "", "a", 0.1),
        ("x", "whole", "2024-01-01", "", "b", 0.2),
        ("x", "hollow", "2024-02-01", "", "a", 0.9),
        ("x", "hollow", "2024-02-01", "", "b", np.nan),
        ("y", "empty", "2024-02-01", "", "b", np.nan),
    )
    matrix = build(frame, benchmarks, suite="suite")
    assert (matrix.models, matrix.runs) == (("x",), ("whole",))
    without = build(frame[frame["score"].notna()], benchmarks, suite="suite")
    np.testing.assert_array_equal(matrix.scores, without.scores)
    assert matrix.excluded == without.excluded == ()


def test_pins(make_frame, benchmarks):
    frame = make_frame(
        ("mirror/x", "m1", "2024-01-01", "float16", "a", 0.5),
        ("y", "y1", "2024-01-01", "bfloat16", "a", 0.6),
        ("y", "y2", "2024-02-01", "float16", "a", 0.7),
        ("z", "z1", "2024-01-01", "", "a", 0.1),
        ("z", "z2", "2024-02-01", "", "a", 0.2),
    )
    pins = [
        ("x", RunPin(model="mirror/x")),
        ("y", RunPin(precision="bfloat16")),
        ("z", RunPin(run="z1")),
        ("w", RunPin(model="v", run="r", precision="int8")),
    ]
    matrix = build(frame, benchmarks, suite="suite", cohort=cohort("zxywu", pins))
    assert matrix.models == ("z", "x", "y")
    assert matrix.runs == ("z1", "mirror/x: m1", "y1")
    np.testing.assert_array_equal(matrix.scores[:, 0], [0.1, 0.5, 0.6])
    assert matrix.excluded == (
        Exclusion("w", "no run of v named r with precision int8 in this suite"),
        Exclusion("u", "no run in this suite"),
    )


def test_models_without_a_score_on_these_benchmarks_are_named(make_frame, benchmarks):
    frame = make_frame(("x", "r", "", "", "a", 0.1), ("y", "r", "", "", "b", 0.1))
    matrix = build(frame, benchmarks[:1], suite="suite")
    assert matrix.models == ("x",)
    assert matrix.excluded == (Exclusion("y", "no score on these benchmarks"),)


def test_a_cohort_restricts_the_benchmarks(make_frame, benchmarks):
    frame = make_frame(("x", "r", "", "", "a", 0.1), ("x", "r", "", "", "b", 0.2))
    matrix = build(frame, benchmarks, suite="suite", cohort=cohort("x", (), "b"))
    assert [benchmark.id for benchmark in matrix.benchmarks] == ["b"]
    assert matrix.scores.tolist() == [[0.2]]
    with pytest.raises(BadRequestError, match="unknown benchmark q"):
        build(frame, benchmarks, suite="suite", cohort=cohort("x", (), "q"))


def test_bad_data(make_frame, make_benchmark, benchmarks):
    twice = make_frame(("x", "r", "", "", "a", 0.1), ("x", "r", "", "", "a", 0.1))
    with pytest.raises(BadDataError, match="Run r of x has two scores on MedQA"):
        build(twice, benchmarks, suite="suite")
    with pytest.raises(BadDataError, match="infinite"):
        build(make_frame(("x", "r", "", "", "a", np.inf)), benchmarks, suite="suite")
    with pytest.raises(BadRequestError, match="belongs to suite other"):
        build(twice, [make_benchmark("a", suite="other")], suite="suite")
    with pytest.raises(BadDataError, match="pins y"):
        build(twice[:1], benchmarks, suite="suite", cohort=cohort("x", [("y", RunPin())]))


def test_standard_errors(make_frame, make_benchmark):
    benchmarks = [
        make_benchmark("a", is_accuracy=True, n_items=101, scale_max=100.0),
        make_benchmark("b", is_accuracy=True, n_items=None),
        make_benchmark("c", n_items=50),
    ]
    frame = make_frame(
        ("x", "r", "", "", "a", 20.0),
        ("x", "r", "", "", "b", 0.5),
        ("x", "r", "", "", "c", 0.5),
        ("y", "r", "", "", "a", 20.0, 3.0),
        ("y", "r", "", "", "b", 0.5, 0.01),
        ("z", "r", "", "", "a", 120.0),
    )
    errors = build(frame, benchmarks, suite="suite").standard_errors
    # 100 * sqrt(0.2 * 0.8 / 100) = 4; a share above 1 has no binomial error.
    expected = [[4.0, np.nan, np.nan], [3.0, 0.01, np.nan], [np.nan] * 3]
    np.testing.assert_allclose(errors, expected)


def test_empty_frame(make_frame, benchmarks):
    matrix = build(make_frame(), benchmarks, suite="suite", cohort=cohort("x"))
    assert matrix.scores.shape == (0, 2)
    assert matrix.excluded == (Exclusion("x", "no run in this suite"),)


def test_complete_names_what_is_missing(make_matrix, make_benchmark):
    benchmarks = [make_benchmark(i, name=n) for i, n in zip("abc", ["A", "B", "C"], strict=True)]
    matrix = make_matrix(
        [[1, 2, 3], [np.nan, 2, np.nan], [np.nan] * 3, [1, np.nan, 3]], benchmarks=benchmarks
    )
    kept = complete(matrix)
    assert kept.models == ("m0",)
    assert kept.scores.tolist() == [[1, 2, 3]]
    assert kept.excluded == (
        Exclusion("m1", "no score on A and C"),
        Exclusion("m2", "no score on A, B and C"),
        Exclusion("m3", "no score on B"),
    )


def test_selections_follow_the_ids(make_matrix):
    matrix = make_matrix([[1, 2, 3], [4, 5, 6]])
    assert select_benchmarks(matrix, ["b2", "b0"]).scores.tolist() == [[3, 1], [6, 4]]
    assert select_models(matrix, ["m1"]).scores.tolist() == [[4, 5, 6]]
    with pytest.raises(BadRequestError, match="no benchmark b9"):
        select_benchmarks(matrix, ["b9"])
    with pytest.raises(BadRequestError, match="no model m9"):
        select_models(matrix, ["m9"])


def test_normalised(make_matrix, make_benchmark):
    benchmarks = [
        make_benchmark("jury", scale_min=1.0, scale_max=5.0),
        make_benchmark("harm", scale_max=10.0, lower_is_better=True),
    ]
    matrix = make_matrix(
        [[4.0, 1.0], [np.nan, 9.0]], standard_errors=[[0.4, 2.0]] * 2, benchmarks=benchmarks
    )
    scores, errors = normalised(matrix)
    np.testing.assert_allclose(scores, [[0.75, 0.9], [np.nan, 0.1]])
    np.testing.assert_allclose(errors, [[0.1, 0.2]] * 2)
    np.testing.assert_array_equal(oriented(matrix), [[4.0, -1.0], [np.nan, -9.0]])
    flat = make_matrix([[1.0]], benchmarks=[make_benchmark("x", scale_max=0.0)])
    with pytest.raises(BadDataError, match="scale of benchmark x"):
        normalised(flat)


def test_an_item_error_is_the_printed_one_of_items_else_the_bound(make_matrix, make_benchmark):
    jury = {"scale_min": 1.0, "scale_max": 5.0, "n_items": 101}
    benchmarks = [
        make_benchmark("bounded", item_mean=True, **jury),
        make_benchmark("unknown kind", **jury),
        make_benchmark("unknown size", **jury | {"n_items": None}, item_mean=True),
        make_benchmark("one item", **jury | {"n_items": 1}, item_mean=True),
        make_benchmark("runs", error_of="runs", item_mean=True, lower_is_better=True, **jury),
        make_benchmark("runs only", error_of="runs"),
    ]
    matrix = make_matrix(
        [[4.0, 4.0, 4.0, 4.0, 4.0, 0.5], [4.0, 4.0, 4.0, 4.0, nan, 0.5], [6.0] * 4 + [5.0, 0.5]],
        standard_errors=[[nan] * 4 + [0.004] * 2, [0.4] * 4 + [0.004] * 2, [nan] * 6],
        benchmarks=benchmarks,
    )
    # 4 of 1 to 5 is .75, and turned .25: √(.75 × .25 / 100). A score outside its scale has no
    # bound. At its end all items are there, and Wilson's interval of none of n is 0 to z²/(n + z²).
    bound, at_end = np.sqrt(0.75 * 0.25 / 100), 1.959963985 / (101 + 3.841458821)
    np.testing.assert_allclose(
        normalised(matrix)[1],
        [[bound, nan, nan, nan, bound, nan], [0.1] * 4 + [nan] * 2, [nan] * 4 + [at_end, nan]],
    )


def test_of_all_scores_with_one_mean_none_vary_more_than_the_bound_says(
    make_matrix, make_benchmark
):
    rng = np.random.default_rng(1)
    for items in (rng.random(40), rng.beta(0.2, 0.4, 40), rng.random(40) < 0.3):
        jury = make_benchmark("jury", item_mean=True, n_items=40)
        error = normalised(make_matrix([[items.mean()]], benchmarks=[jury]))[1][0, 0]
        assert items.std(ddof=1) / np.sqrt(40) <= error + 1e-12
    # Right or wrong is the case that reaches it.
    assert items.std(ddof=1) / np.sqrt(40) == pytest.approx(error)
