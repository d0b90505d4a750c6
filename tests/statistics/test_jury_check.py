"""MedHELM's jury check against R's psych, worked examples, and its limits."""

import numpy as np
import pytest

from core.domain import BadDataError, TooFewError
from core.statistics import jury_check
from core.statistics.intraclass import icc3k
from core.statistics.jury_check import check_jury

NA = np.nan
A = [3, 4, 5, 2, 4, 1, 5, 3, 2, 4, NA, NA]
B = [4, 4, 5, 3, NA, 2, 5, 2, 2, 5, 4, 4]
C = [2, 5, NA, 2, 4, 2, 4, NA, 1, 4, 5, 5]
J = [3, 4, 4, 2, 5, 1, 4, 3, 2, NA, 4, 5]
K = [4, 4, 5, 3, 4, 2, 4, 2, 1, NA, 5, 4]


def check(*columns, jurors, n_resamples=200, **more):
    scores = np.array(columns, float).T
    n_clinicians = len(columns) - jurors
    names = [f"C{i}" for i in range(n_clinicians)] + [f"J{i}" for i in range(jurors)]
    return check_jury(
        scores,
        [f"note {i}" for i in range(len(scores))],
        names,
        [name.startswith("J") for name in names],
        n_resamples=n_resamples,
        **more,
    )


def test_the_figures_of_psych():
    """R, with the columns above and NA for gaps.

    z <- scale(cbind(A, B, C, J, K))
    two <- cbind(rowMeans(z[, 1:3], na.rm = TRUE), rowMeans(z[, 4:5], na.rm = TRUE))
    icc <- function(m) ICC(m[complete.cases(m), ],
                           lmer = FALSE)$results["Average_fixed_raters", "ICC"]
    c(icc(two), icc(z[, c(1, 2)]), icc(z[, c(1, 3)]), icc(z[, c(2, 3)]))
    """
    found = check(A, B, C, J, K, jurors=2)
    assert found.jury.icc == found.jury_as_computed == pytest.approx(0.977084507419805, abs=1e-12)
    pairs = [0.927644287951789, 0.899243883831911, 0.824662381169886]
    assert [pair.icc for pair in found.pairs] == pytest.approx(pairs, abs=1e-12)
    assert [(pair.first, pair.second, pair.n_instances) for pair in found.pairs] == [
        ("C0", "C1", 9),
        ("C0", "C2", 8),
        ("C1", "C2", 9),
    ]
    assert found.clinicians.icc == pytest.approx(np.mean(pairs), abs=1e-12)
    assert found.difference.icc == pytest.approx(found.jury.icc - found.clinicians.icc)
    assert found.n_instances == 11
    assert found.n_by_one == 0
    assert found.left_out == (("note 9", "not scored by the jury"),)
    assert (found.clinician_names, found.jury_names) == (("C0", "C1", "C2"), ("J0", "J1"))


def test_z_scores_take_away_strictness_and_spread():
    """B uses twice A's scale and starts higher; their z-scores are the same."""
    found = check([1, 2, 3, 4], [4, 6, 8, 10], [2, 3, 4, 5], jurors=1)
    assert found.pairs[0].icc == pytest.approx(1)
    assert found.jury.icc == pytest.approx(1)


def test_below_zero_counts_as_zero_and_is_shown_as_computed():
    # Without ties in the means: r of (1,2,3,4) and (4,2,3,1) is −.8, and 2r/(1+r) = −8.
    found = check([1, 2, 3, 4], [1, 2, 3, 4], [4, 2, 3, 1], [4, 2, 3, 1], jurors=1)
    assert found.jury_as_computed < 0
    assert found.jury.icc == 0
    assert [pair.icc for pair in found.pairs] == pytest.approx([1, -8, -8])
    assert found.clinicians.icc == pytest.approx(1 / 3)
    assert found.jury.ci_low is None or found.jury.ci_low >= 0
    assert found.clinicians.ci_low is None or found.clinicians.ci_low >= 0


def test_intervals_are_the_bootstrap_written_out():
    """The same draws, each resample taken through ``icc3k`` as it stands in the definition."""
    columns = np.array([A, B, C, J, K], float).T
    rng = np.random.default_rng(7)
    drawn = []
    for _ in range(60):
        x = columns[rng.integers(12, size=12)]
        z = (x - np.nanmean(x, axis=0)) / np.nanstd(x, axis=0, ddof=1)
        both = z[~np.isnan(z[:, 3:]).all(axis=1)]
        two = np.column_stack([np.nanmean(both[:, :3], axis=1), np.nanmean(both[:, 3:], axis=1)])
        pairs = [max(icc3k(z[:, [i, j]]), 0) for i, j in ((0, 1), (0, 2), (1, 2))]
        drawn.append((max(icc3k(two), 0), np.mean(pairs)))
    jury, clinicians = np.array(drawn).T
    found = check(A, B, C, J, K, jurors=2, n_resamples=60, seed=7)
    for figure, values in (
        (found.jury, jury),
        (found.clinicians, clinicians),
        (found.difference, jury - clinicians),
    ):
        expected = np.quantile(values, [0.025, 0.975])
        assert (figure.ci_low, figure.ci_high) == pytest.approx(tuple(expected), abs=1e-9)


def test_one_seed_gives_one_interval():
    assert check(A, B, J, jurors=1) == check(A, B, J, jurors=1)
    assert check(A, B, J, jurors=1).jury != check(A, B, J, jurors=1, seed=1).jury


@pytest.mark.parametrize("seed", range(3))
def test_pairs_at_once_are_pairs_one_by_one(seed):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(15, 5))
    z[rng.random(z.shape) < 0.3] = np.nan
    together = jury_check._pairwise(z)
    for i in range(5):
        for j in range(i):
            assert together[i, j] == pytest.approx(icc3k(z[:, [i, j]]), abs=1e-9)


def test_one_clinician_has_nobody_to_agree_with():
    found = check(A, J, jurors=1)
    assert found.jury.icc is not None
    assert found.clinicians == found.difference
    assert found.clinicians.icc is found.clinicians.ci_low is None
    assert found.pairs == ()
    assert found.n_by_one == found.n_instances == 9


def test_a_pair_with_too_few_instances_in_common_does_not_count():
    left = [1, 2, 3, 4, 5, 3, NA, NA, NA, NA]
    right = [NA, NA, NA, NA, 2, 4, 1, 5, 3, 2]
    found = check(left, right, [1, 3, 3, 4, 4, 3, 1, 5, 3, 2], jurors=1)
    assert [(pair.icc, pair.n_instances) for pair in found.pairs] == [(None, 2)]
    assert found.clinicians.icc is None
    assert found.n_by_one == 8


def test_a_rater_of_one_instance_is_left_out():
    found = check(A, B, [5, *[NA] * 11], J, jurors=1)
    assert ("C2", "scored one instance only, so the scores cannot be standardised") in (
        found.left_out
    )
    assert found.clinicians.icc == check(A, B, J, jurors=1).clinicians.icc


def test_an_instance_that_only_one_side_scored_is_left_out():
    found = check([1, 2, 3, 4, NA, 5], [1, 2, 3, NA, 5, 4], jurors=1)
    assert found.left_out == (
        ("note 3", "not scored by the jury"),
        ("note 4", "not scored by a clinician"),
    )


@pytest.mark.parametrize(
    ("columns", "jurors", "words"),
    [
        ([A, B], 0, "no rater with the role jury"),
        ([A, B], 2, "no rater with the role clinician"),
        ([[1, 2, NA], [2, 3, 1]], 1, "at least 3 instances that the jury and a clinician scored"),
    ],
)
def test_too_few_is_a_sentence(columns, jurors, words):
    with pytest.raises(TooFewError, match=words):
        check(*columns, jurors=jurors)


@pytest.mark.parametrize("which", [0, 2])
def test_a_rater_who_always_gives_the_same_score_is_named(which):
    columns = [A, B, J]
    columns[which] = [0.1] * 12
    with pytest.raises(BadDataError, match=r"^(C0|J0) gives every instance the same score, 0\.1"):
        check(*columns, jurors=1)
