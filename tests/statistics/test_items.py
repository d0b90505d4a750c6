"""Two runs item by item: hand-worked values, published tables, and calibration by simulation."""

from dataclasses import replace
from itertools import combinations
from math import comb, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from core.domain import ItemErrors, TooFewError
from core.statistics.difference import differences, gaps, scores
from core.statistics.items import (
    detectable_difference,
    error_covariance,
    item_errors,
    mcnemar_p,
    paired_difference,
    right_wrong,
)
from core.statistics.ranks import holm, rank_bands
from core.statistics.score_matrix import select_benchmarks, select_models
from core.statistics.side_by_side import side_by_side

FIGURES = Path(__file__).parents[3] / "shared/figures"
A = np.array([1.0, 1.0, 0.0, 1.0])
B = np.array([1.0, 0.0, 0.0, 0.0])


def figures(name):
    if not (path := FIGURES / name).exists():
        pytest.skip("the figures lie beside the repository only where it was built")
    return pd.read_csv(path)


def test_a_pair_by_hand():
    found = paired_difference(A, B)
    # Differences 0, 1, 0, 1: mean 1/2, variance 1/3, so the error is √(1/3/4).
    assert (found.mean_a, found.mean_b, found.difference) == (0.75, 0.25, 0.5)
    assert found.standard_error == pytest.approx(sqrt(1 / 12))
    assert found.dof == pytest.approx(3)
    assert found.ci_high == pytest.approx(0.5 + 3.182446305 * sqrt(1 / 12))


def test_clusters_by_hand():
    # Sums of d − 1/2 in clusters {0, 1} and {2, 3} are 0 and 0; in {0, 2} and {1, 3} −1 and 1.
    assert paired_difference(A, B, clusters=np.array([0, 0, 1, 1])).standard_error == 0
    found = paired_difference(A, B, clusters=np.array([0, 1, 0, 1]))
    assert found.standard_error == pytest.approx(sqrt(2 * (1 + 1)) / 4)
    assert found.dof == pytest.approx(1)


def test_strata_weigh_alike_by_hand():
    a, b = np.concatenate([A, [1.0, 0.0]]), np.concatenate([B, [0.0, 0.0]])
    found = paired_difference(a, b, strata=np.array([0, 0, 0, 0, 1, 1]))
    # Half of each: 1/2 and 1/2, with squared errors 1/12 and 1/4, of 3 and 1 degrees.
    assert found.difference == 0.5
    assert found.standard_error == pytest.approx(sqrt(1 / 12 + 1 / 4) / 2)
    assert found.dof == pytest.approx((1 / 3) ** 2 / ((1 / 12) ** 2 / 3 + (1 / 4) ** 2))


def test_alike_throughout_has_no_error_and_one_item_no_interval():
    found = paired_difference(A, A)
    assert (found.standard_error, found.ci_low, found.ci_high) == (0, 0, 0)
    assert paired_difference(A[:1], B[:1]).standard_error is None
    with pytest.raises(TooFewError, match="no item in common"):
        paired_difference(A[:0], B[:0])


def test_a_run_that_lacks_an_item_keeps_the_mean_of_its_own():
    nan = float("nan")
    covariance, n = error_covariance(np.array([[1, 0, 1, nan], [1, 1, 0, 0], [nan, nan, nan, 1]]))
    assert n.tolist() == [3, 4, 1]
    assert covariance[0, 0] == pytest.approx((2 / 3) * (1 / 3) / 2)
    assert covariance[1, 1] == pytest.approx(1 / 4 / 3)
    # (1/3)(1/2) + (−2/3)(1/2) + (1/3)(−1/2) over 3 · 4, each with its own G/(G − 1).
    assert covariance[0, 1] == pytest.approx(-1 / 3 / 12 * sqrt(3 / 2 * 4 / 3))
    assert np.isnan(covariance[2]).all()


def test_counts_and_mcnemar_by_hand():
    found = right_wrong(A, B)
    assert (found.both, found.only_a, found.only_b, found.neither) == (1, 2, 0, 1)
    assert found.discordance == 0.5
    assert found.mcnemar_p == 0.5
    assert right_wrong(A, B / 2) is None


@pytest.mark.parametrize(
    ("only_a", "only_b", "p"),
    [
        (0, 0, 1.0),
        (3, 3, 1.0),
        (0, 6, 2 / 64),
        (5, 15, 0.04138946533203125),  # R: binom.test(5, 20)$p.value
        (49, 40, 2 * sum(comb(89, k) for k in range(41)) / 2**89),
    ],
)
def test_exact_mcnemar(only_a, only_b, p):
    assert mcnemar_p(only_a, only_b) == pytest.approx(p, rel=1e-9)
    assert mcnemar_p(only_b, only_a) == pytest.approx(p, rel=1e-9)


def test_the_detectable_difference_is_the_one_that_is_shown_in_four_of_five():
    smallest = detectable_difference(0.07, 1273)
    assert smallest == pytest.approx(0.0207, abs=1e-4)
    rng = np.random.default_rng(1)
    up = (0.07 + smallest) / 2
    counts = rng.multinomial(1273, [up, 0.07 - up, 0.93], 20_000)
    d = (counts[:, 0] - counts[:, 1]) / 1273
    error = np.sqrt(((counts[:, 0] + counts[:, 1]) / 1273 - d**2) / 1272)
    assert (d / error > 1.96).mean() == pytest.approx(0.8, abs=0.015)


def test_medqa_o3_mini_against_deepseek_r1():
    rows = figures("medagentsbench_items.csv").query("dataset == 'medqa'")
    found = right_wrong(rows["o3-mini"].to_numpy(float), rows["DeepSeek-R1"].to_numpy(float))
    assert (found.only_a, found.only_b) == (49, 40)
    assert found.mcnemar_p == pytest.approx(0.40, abs=0.005)


@pytest.fixture(scope="module")
def chi_bench():
    trials = figures("chi_bench_trials.csv").fillna({"reward": 0})
    return trials.groupby(["submission", "domain", "task"])["reward"].mean().reset_index()


def test_the_182_means_of_chi_bench(chi_bench):
    printed = figures("chi_bench_results.csv")
    printed["submission"] = printed["retrieved_path"].str.extract(r"submissions/([^/]+)/")
    means = {
        (run, domain): value
        for (run, domain), value in chi_bench.groupby(["submission", "domain"])["reward"]
        .mean()
        .items()
    } | {(r, "overall"): v for r, v in chi_bench.groupby("submission")["reward"].mean().items()}
    assert len(printed) == 182
    for row in printed.itertuples():
        domain = row.benchmark.split(":")[1]
        assert means[row.submission, domain] == pytest.approx(row.score, abs=1e-9)


def test_one_neighbouring_rank_of_chi_bench_is_separable(chi_bench):
    """622 of 990 pairs by one bootstrap over tasks; others, and Student's t, come within 16."""
    wide = chi_bench.pivot(index="task", columns="submission", values="reward").dropna(axis=1)
    wide = wide[wide.mean().sort_values(ascending=False, kind="stable").index]
    assert wide.shape == (75, 45)
    values = wide.to_numpy().T
    drawn = np.random.default_rng(0).multinomial(75, [1 / 75] * 75, size=4000) @ values.T / 75
    by_bootstrap, by_error, neighbours = 0, 0, [0, 0]
    for i, j in combinations(range(45), 2):
        gap = drawn[:, i] - drawn[:, j]
        # Half of the ties count as above, as for the middle of a p-value.
        above = (gap > 1e-9).mean() + (np.abs(gap) <= 1e-9).mean() / 2
        low, high = above > 0.975, above < 0.025
        pair = paired_difference(values[i], values[j])
        apart = pair.ci_low > 0 or pair.ci_high < 0
        by_bootstrap += low or high
        by_error += apart
        if j == i + 1:
            neighbours[0] += low or high
            neighbours[1] += apart
    assert neighbours == [1, 1]
    assert by_bootstrap == pytest.approx(622, abs=8)
    assert by_error == pytest.approx(622, abs=16)


def with_items(make_matrix, per_benchmark):
    """A matrix of models a, b, c … by benchmarks from item scores (models, items)."""
    n = len(per_benchmark[0])
    means = np.array([np.nanmean(values, axis=1) for values in per_benchmark]).T
    matrix = make_matrix(means, models="abcdefghijkl"[:n])
    rows = np.arange(n)
    errors = item_errors(n, [(rows, values, None) for values in per_benchmark])
    return replace(matrix, items=errors)


@pytest.fixture
def three(make_matrix):
    rng = np.random.default_rng(5)
    return [(rng.random((3, 60)) < np.array([[0.7], [0.6], [0.2]])).astype(float) for _ in "xy"]


def test_items_are_the_basis_where_both_models_have_them(make_matrix, three):
    matrix = with_items(make_matrix, three)
    (found,) = differences(matrix, ["b"], "a")
    pooled = paired_difference(
        np.concatenate([x[1] for x in three]),
        np.concatenate([x[0] for x in three]),
        strata=np.repeat([0, 1], 60),
    )
    assert found.basis == "items"
    assert found.difference == pytest.approx(pooled.difference)
    assert found.strongest.standard_error == pytest.approx(pooled.standard_error)
    assert found.strongest.dof == pytest.approx(pooled.dof)
    assert found.ci_low == pytest.approx(pooled.ci_low)
    assert scores(matrix).basis == ("items",) * 3
    of_one = side_by_side(matrix, ["a", "b"]).pairs[0].gaps[0]
    alone = paired_difference(three[0][1], three[0][0])
    assert (of_one.ci_low, of_one.ci_high) == pytest.approx((alone.ci_low, alone.ci_high))


def test_items_follow_the_models_and_benchmarks_that_are_selected(make_matrix, three):
    matrix = with_items(make_matrix, three)
    names = [benchmark.id for benchmark in matrix.benchmarks]
    less = select_benchmarks(select_models(matrix, ["c", "a"]), names[1:])
    (found,) = differences(less, ["a"], "c")
    alone = paired_difference(three[1][0], three[1][2])
    assert found.basis == "items"
    assert (found.ci_low, found.ci_high) == pytest.approx((alone.ci_low, alone.ci_high))


def test_where_one_model_has_no_items_the_errors_are_independent(make_matrix, three):
    matrix = with_items(make_matrix, three)
    covariance, clusters = matrix.items.covariance.copy(), matrix.items.clusters.copy()
    covariance[1, 2, :] = covariance[1, :, 2] = clusters[2, 1] = np.nan
    part = replace(matrix, items=ItemErrors(covariance, clusters))
    assert differences(part, ["b"], "a")[0].basis == "items"
    assert differences(part, ["c"], "a")[0].basis != "items"


def test_rank_sets_of_items_are_those_of_holm_over_paired_tests(make_matrix):
    rng = np.random.default_rng(8)
    share = np.array([0.75, 0.7, 0.6, 0.55, 0.3])[:, None]
    blocks = [(rng.random((5, n)) < share).astype(float) for n in (60, 40)]
    values, strata = np.hstack(blocks), np.repeat([0, 1], [60, 40])
    expected = []
    for i in range(5):
        others = [j for j in range(5) if j != i]
        found = [paired_difference(values[j], values[i], strata=strata) for j in others]
        p = [2 * student.sf(abs(d.difference) / d.standard_error, d.dof) for d in found]
        shown = holm(np.array(p)) < 0.05
        above = sum(d.difference > 0 for d, yes in zip(found, shown, strict=True) if yes)
        expected.append((1 + above, 5 - (sum(shown) - above)))
    assert rank_bands(with_items(make_matrix, blocks), None) == expected
    assert len(set(expected)) > 2


@pytest.mark.slow
@pytest.mark.parametrize(("n_tasks", "attempts"), [(25, 3), (75, 1), (400, 1)])
def test_the_paired_interval_holds_as_often_as_it_promises(n_tasks, attempts):
    rng = np.random.default_rng(n_tasks)
    repeats, missed = 4000, 0
    for _ in range(repeats):
        level = rng.beta(1.2, 1.8, n_tasks)
        a, b = (rng.binomial(attempts, level) / attempts for _ in "ab")
        found = paired_difference(a, b)
        missed += not found.ci_low <= 0 <= found.ci_high
    assert missed / repeats <= 0.05 + 3 * sqrt(0.05 * 0.95 / repeats)


@pytest.mark.slow
def test_tiers_by_items_err_as_seldom_as_promised(make_matrix):
    """Ten candidates, each exactly the margin worse: *shown* for any, *likely* for a given one."""
    rng, margin, repeats = np.random.default_rng(3), 0.02, 600
    likely = shown = 0
    for _ in range(repeats):
        blocks = []
        for _ in range(3):
            level = rng.uniform(0.1, 0.9, 100)
            true = np.vstack([level + margin, np.tile(level, (10, 1))])
            blocks.append((rng.random((11, 100)) < true).astype(float))
        matrix = with_items(make_matrix, blocks)
        p = gaps(matrix, np.arange(1, 11), np.zeros(10, dtype=np.intp)).p_above(-margin)
        likely += p[0] < 0.025
        shown += (holm(p) < 0.025).any()
    most = 0.025 + 3 * sqrt(0.025 * 0.975 / repeats)
    assert likely / repeats <= most
    assert shown / repeats <= most


def test_student_is_what_the_interval_goes_by():
    found = paired_difference(A, B)
    half = student.ppf(0.975, 3) * found.standard_error
    assert found.ci_low == pytest.approx(0.5 - half)
