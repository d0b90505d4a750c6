"""From rows to a matrix: which run stands for a model, what is missing, scales and errors."""

import numpy as np
import pandas as pd
import pytest

from core.domain import BadDataError, BadRequestError, Cohort, Exclusion, RunPin
from core.statistics import score_matrix

nan = np.nan


def cohort(models, pins=(), benchmarks=()):
    return Cohort("c", "suite", tuple(models), tuple(pins), tuple(benchmarks), "")


@pytest.fixture
def benchmarks(make_benchmark):
    return [make_benchmark("a", name="MedQA"), make_benchmark("b", name="MedMCQA")]


@pytest.fixture
def make_frame():
    def make(*lines):
        names = ["model", "run", "run_at", "precision", "benchmark", "score", "standard_error"]
        rows = [[*line.split(","), "nan"][:7] for line in lines]
        numbers = {"score": float, "standard_error": float}
        return pd.DataFrame(rows, columns=names).astype(numbers)

    return make


@pytest.fixture
def built(make_frame, benchmarks):
    def built(*lines, benchmarks=benchmarks, **more):
        return score_matrix.build_matrix(make_frame(*lines), benchmarks, suite="suite", **more)

    return built


@pytest.mark.parametrize(
    ("lines", "run", "scores"),
    [
        # The latest complete run stands for the model.
        (
            [
                *("x,old,2024-01-01,,a,0.1", "x,old,2024-01-01,,b,0.1"),
                *("x,new,2024-02-01,,a,0.2", "x,new,2024-02-01,,b,0.3"),
                "x,half,2024-03-01,,a,0.9",
            ],
            *("new", [0.2, 0.3, nan]),
        ),
        # Where none is complete, that with most benchmarks, the later of two.
        (
            [
                *("x,one,2024-05-01,,a,0.1", "x,two,2024-01-01,,a,0.2", "x,two,2024-01-01,,b,0.2"),
                *("x,later,2024-02-01,,b,0.4", "x,later,2024-02-01,,c,0.5"),
            ],
            *("later", [nan, 0.4, 0.5]),
        ),
        # A tie goes to the last id of a run, then to the last precision.
        (
            ["x,r1,,bfloat16,a,0.1", "x,r2,,bfloat16,a,0.2", "x,r2,,float16,a,0.3"],
            *("r2 (float16)", [0.3, nan, nan]),
        ),
        # Scores that are nan do not make a run complete, nor a model.
        (
            [
                *("x,whole,2024-01-01,,a,0.1", "x,whole,2024-01-01,,b,0.2"),
                *("x,hollow,2024-02-01,,a,0.9", "x,hollow,2024-02-01,,b,nan"),
                "y,empty,2024-02-01,,b,nan",
            ],
            *("whole", [0.1, 0.2, nan]),
        ),
    ],
    ids=["latest", "most", "ties", "nan"],
)
def test_one_run_stands_for_the_model(built, make_benchmark, lines, run, scores):
    n = 3 if run == "later" else 2
    benchmarks = [make_benchmark(key) for key in "abc"[:n]]
    for some in (lines, lines[::-1]):
        matrix = built(*some, benchmarks=benchmarks)
        assert (matrix.models, matrix.runs, matrix.excluded) == (("x",), (run,), ())
        np.testing.assert_array_equal(matrix.scores, [scores[:n]])
        assert not matrix.scores.flags.writeable
        assert not matrix.standard_errors.flags.writeable


def test_pins(built):
    pins = [
        ("x", RunPin(model="mirror/x")),
        ("y", RunPin(precision="bfloat16")),
        ("z", RunPin(run="z1")),
        ("w", RunPin(model="v", run="r", precision="int8")),
    ]
    matrix = built(
        *("mirror/x,m1,2024-01-01,float16,a,0.5", "y,y1,2024-01-01,bfloat16,a,0.6"),
        *("y,y2,2024-02-01,float16,a,0.7", "z,z1,2024-01-01,,a,0.1", "z,z2,2024-02-01,,a,0.2"),
        cohort=cohort("zxywu", pins),
    )
    assert matrix.models == ("z", "x", "y")
    assert matrix.runs == ("z1", "mirror/x: m1", "y1")
    np.testing.assert_array_equal(matrix.scores[:, 0], [0.1, 0.5, 0.6])
    assert matrix.excluded == (
        Exclusion("w", "no run of v named r with precision int8 in this suite"),
        Exclusion("u", "no run in this suite"),
    )


def test_what_is_not_there_is_named_and_a_cohort_restricts_the_benchmarks(built, benchmarks):
    matrix = built("x,r,,,a,0.1", "y,r,,,b,0.1", benchmarks=benchmarks[:1])
    assert matrix.models == ("x",)
    assert matrix.excluded == (Exclusion("y", "no score on these benchmarks"),)
    empty = built(cohort=cohort("x"))
    assert empty.scores.shape == (0, 2)
    assert empty.excluded == (Exclusion("x", "no run in this suite"),)
    both = ("x,r,,,a,0.1", "x,r,,,b,0.2")
    matrix = built(*both, cohort=cohort("x", (), "b"))
    assert [benchmark.id for benchmark in matrix.benchmarks] == ["b"]
    assert matrix.scores.tolist() == [[0.2]]
    with pytest.raises(BadRequestError, match="unknown benchmark q"):
        built(*both, cohort=cohort("x", (), "q"))


def test_bad_data(built, make_benchmark):
    one, other = "x,r,,,a,0.1", {"benchmarks": [make_benchmark("a", suite="other")]}
    for error, said, lines, more in (
        (BadDataError, "Run r of x has two scores on MedQA", [one, one], {}),
        (BadDataError, "infinite", ["x,r,,,a,inf"], {}),
        (BadRequestError, "belongs to suite other", [one], other),
        (BadDataError, "pins y", [one], {"cohort": cohort("x", [("y", RunPin())])}),
    ):
        with pytest.raises(error, match=said):
            built(*lines, **more)


def test_standard_errors(built, make_benchmark):
    benchmarks = [
        make_benchmark("a", is_accuracy=True, n_items=101, scale_max=100.0),
        make_benchmark("b", is_accuracy=True, n_items=None),
        make_benchmark("c", n_items=50),
    ]
    errors = built(
        *("x,r,,,a,20", "x,r,,,b,0.5", "x,r,,,c,0.5"),
        *("y,r,,,a,20,3", "y,r,,,b,0.5,0.01", "z,r,,,a,120"),
        benchmarks=benchmarks,
    ).standard_errors
    # 100 * sqrt(0.2 * 0.8 / 100) = 4; a share above 1 has no binomial error.
    np.testing.assert_allclose(errors, [[4.0, nan, nan], [3.0, 0.01, nan], [nan] * 3])


def test_complete_names_what_is_missing(make_matrix, make_benchmark):
    benchmarks = [make_benchmark(i, name=n) for i, n in zip("abc", ["A", "B", "C"], strict=True)]
    scores = [[1, 2, 3], [nan, 2, nan], [nan] * 3, [1, nan, 3]]
    kept = score_matrix.complete(make_matrix(scores, benchmarks=benchmarks))
    assert (kept.models, kept.scores.tolist()) == (("m0",), [[1, 2, 3]])
    reasons = {"m1": "no score on A and C", "m2": "no score on A, B and C", "m3": "no score on B"}
    assert {out.model: out.reason for out in kept.excluded} == reasons


def test_selections_follow_the_ids(make_matrix):
    matrix = make_matrix([[1, 2, 3], [4, 5, 6]])
    assert score_matrix.select(matrix, benchmarks=["b2", "b0"]).scores.tolist() == [[3, 1], [6, 4]]
    assert score_matrix.select(matrix, ["m1"]).scores.tolist() == [[4, 5, 6]]
    for models, benchmarks, said in ((None, ["b9"], "benchmark b9"), (["m9"], None, "model m9")):
        with pytest.raises(BadRequestError, match=f"no {said}"):
            score_matrix.select(matrix, models, benchmarks=benchmarks)


def test_normalised(make_matrix, make_benchmark):
    benchmarks = [
        make_benchmark("jury", scale_min=1.0, scale_max=5.0),
        make_benchmark("harm", scale_max=10.0, lower_is_better=True),
    ]
    matrix = make_matrix(
        [[4.0, 1.0], [np.nan, 9.0]], standard_errors=[[0.4, 2.0]] * 2, benchmarks=benchmarks
    )
    scores, errors = score_matrix.normalised(matrix)
    np.testing.assert_allclose(scores, [[0.75, 0.9], [np.nan, 0.1]])
    np.testing.assert_allclose(errors, [[0.1, 0.2]] * 2)
    np.testing.assert_array_equal(score_matrix.oriented(matrix), [[4.0, -1.0], [np.nan, -9.0]])
    flat = make_matrix([[1.0]], benchmarks=[make_benchmark("x", scale_max=0.0)])
    with pytest.raises(BadDataError, match="scale of benchmark x"):
        score_matrix.normalised(flat)


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
        score_matrix.normalised(matrix)[1],
        [[bound, nan, nan, nan, bound, nan], [0.1] * 4 + [nan] * 2, [nan] * 4 + [at_end, nan]],
    )


def test_no_scores_with_one_mean_vary_beyond_the_bound(make_matrix, make_benchmark):
    rng = np.random.default_rng(1)
    for items in (rng.random(40), rng.beta(0.2, 0.4, 40), rng.random(40) < 0.3):
        jury = make_benchmark("jury", item_mean=True, n_items=40)
        error = score_matrix.normalised(make_matrix([[items.mean()]], benchmarks=[jury]))[1][0, 0]
        assert items.std(ddof=1) / np.sqrt(40) <= error + 1e-12
    # Right or wrong is the case that reaches it.
    assert items.std(ddof=1) / np.sqrt(40) == pytest.approx(error)
