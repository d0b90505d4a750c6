"""ICC(3,k) against Shrout and Fleiss (1979) and R's psych, and the check of a jury."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.domain import BadDataError, TooFewError
from core.statistics import raters
from core.statistics.raters import check_jury, complete_instances, icc3k, standardised

SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float
)
_MARKS = ("345241532445", "445332522544", "254242431455")
THREE = np.array([[float(mark) for mark in marks] for marks in _MARKS]).T
ROW, COLUMN = np.arange(1, 41)[:, None], np.arange(1, 6)[None, :]
FORTY_BY_FIVE = ((ROW * 7 + COLUMN * COLUMN * 3 + (ROW * COLUMN) % 11) % 13) + ROW / 8


@pytest.mark.parametrize(
    ("ratings", "expected"),
    # library(psych); ICC(x, lmer = FALSE)$results["Average_fixed_raters", "ICC"]
    # the third: i <- rep(1:40, 5); j <- rep(1:5, each = 40)
    #            x <- matrix(((i*7 + j*j*3 + (i*j) %% 11) %% 13) + i/8, ncol = 5)
    [
        (SHROUT_FLEISS, 0.909315542377069),
        (THREE, 0.89963503649635),
        (FORTY_BY_FIVE, 0.415295404422819),
    ],
)
def test_the_values_of_psych(ratings, expected):
    assert icc3k(ratings) == pytest.approx(expected, abs=1e-12)


def test_edges_of_the_coefficient():
    gaps = np.vstack([SHROUT_FLEISS, [[5, np.nan, 5, 5]], [[np.nan] * 4]])
    assert icc3k(gaps) == icc3k(SHROUT_FLEISS)  # what one rater did not score is left out
    assert complete_instances(gaps).sum() == 6
    # Opposite raters are far below zero. Means 2.5, 2, 2.5: MSR = 2·(1/6)/2. Differences −3, 0, 1:
    # MSE = (10 − 4/3)/2/2 = 13/6.
    assert icc3k(np.array([[1, 4], [2, 2], [3, 2.0]])) == pytest.approx(1 - 13)
    # Instances with equal means give no number.
    for equal in ([[1, 3], [2, 2], [3, 1]], [[0.1, 0.1]] * 3, [[0.1, 0.7], [0.7, 0.1], [0.4, 0.4]]):
        assert math.isnan(icc3k(np.array(equal, float)))
    for ratings, words in (
        (np.ones((5, 1)), "at least 2 raters; there are 1."),
        (np.array([[1, 2], [2, 3.0]]), "at least 3 instances that all raters scored; there are 2."),
        (np.array([[1, 2], [2, 3], [np.nan, 1], [1, np.nan]]), "there are 2."),
        (np.empty((0, 2)), "there are 0."),
    ):
        with pytest.raises(TooFewError, match=f"{words}$"):
            icc3k(ratings)


def test_z_scores_are_within_rater_with_the_sample_deviation():
    """1, 2, 3 has mean 2 and sample SD 1; 2, 6 has mean 4 and sample SD √8."""
    found = standardised(np.array([[1, 2], [2, np.nan], [3, 6.0]]))
    root = math.sqrt(2) / 2
    assert found == pytest.approx(np.array([[-1, -root], [0, np.nan], [1, root]]), nan_ok=True)
    # Without variation there is none.
    for column in ([0.1, 0.1, 0.1], [5, np.nan, np.nan], [np.nan] * 3):
        assert np.isnan(standardised(np.column_stack([[1.0, 2, 3], column]))[:, 1]).all()


@example([[1.5, 8.25, -5.0], [0.0, 2.0, 2.75], [-1.75, 2.75, 3.75]])  # means of 4.75 / 3
@given(
    st.lists(
        st.tuples(*[st.integers(-50, 50)] * 3).map(lambda row: [value / 4 for value in row]),
        min_size=3,
        max_size=12,
    )
)
def test_the_definition_holds_whatever_the_scale(rows):
    """MSR and MSE from sums of squares; a shift of a rater or a common factor changes nothing."""
    x = np.array(rows)
    n, k = x.shape
    instances = k * ((x.mean(axis=1) - x.mean()) ** 2).sum()
    raters = n * ((x.mean(axis=0) - x.mean()) ** 2).sum()
    rest = ((x - x.mean()) ** 2).sum() - instances - raters
    found = icc3k(x)
    if instances < 1e-9:
        assert math.isnan(found)
        return
    expected = 1 - (rest / ((n - 1) * (k - 1))) / (instances / (n - 1))
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert icc3k(3 * x + np.array([5.0, 0, -2])) == pytest.approx(found, rel=1e-6, abs=1e-9)
    assert found <= 1 + 1e-12


NA = np.nan
A = [3, 4, 5, 2, 4, 1, 5, 3, 2, 4, NA, NA]
B = [4, 4, 5, 3, NA, 2, 5, 2, 2, 5, 4, 4]
C = [2, 5, NA, 2, 4, 2, 4, NA, 1, 4, 5, 5]
J = [3, 4, 4, 2, 5, 1, 4, 3, 2, NA, 4, 5]
K = [4, 4, 5, 3, 4, 2, 4, 2, 1, NA, 5, 4]


def check(*columns, jurors, n_resamples=200, **more):
    scores = np.array(columns, float).T
    in_jury = [i >= len(columns) - jurors for i in range(len(columns))]
    names = [f"C{i}" for i in range(len(columns) - jurors)] + [f"J{i}" for i in range(jurors)]
    notes = [f"note {i}" for i in range(len(scores))]
    return check_jury(scores, notes, names, in_jury, n_resamples=n_resamples, **more)


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
    of = [(pair.first, pair.second, pair.n_instances) for pair in found.pairs]
    assert of == [("C0", "C1", 9), ("C0", "C2", 8), ("C1", "C2", 9)]
    assert found.clinicians.icc == pytest.approx(np.mean(pairs), abs=1e-12)
    assert (found.n_instances, found.n_by_one) == (11, 0)
    assert found.left_out == (("note 9", "not scored by the jury"),)
    assert (found.clinician_names, found.jury_names) == (("C0", "C1", "C2"), ("J0", "J1"))


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
    """The same draws, each resample taken through ``icc3k`` as the definition has it."""
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
    for figure, values in ((found.jury, jury), (found.clinicians, clinicians)):
        expected = np.quantile(values, [0.025, 0.975])
        assert (figure.ci_low, figure.ci_high) == pytest.approx(tuple(expected), abs=1e-9)


def test_each_clinician_is_left_out_in_turn_by_hand():
    """r of (1,2,3,4) and (2,1,4,3) is 3/5, so their ICC is 1.2/1.6; the jury is the first one."""
    found = check([1, 2, 3, 4], [2, 1, 4, 3], [1, 2, 3, 4], jurors=1)
    first, second = found.one_left_out
    assert (first.clinician, first.n_instances) == ("C0", 4)
    assert (first.clinician_icc, first.jury_icc) == pytest.approx((0.75, 0.75))
    assert (second.clinician_icc, second.jury_icc) == pytest.approx((0.75, 1.0))
    assert found.jury_with_others == pytest.approx(0.875)
    assert found.clinician_with_others == pytest.approx(0.75)
    assert found.difference.icc == pytest.approx(0.125)
    # With all of them, as the paper has it, the jury looks better still: r = 4/√20 with the mean.
    assert found.jury.icc - found.clinicians.icc > 0.125


def test_with_gaps_both_use_the_same_instances():
    """Written out with ``icc3k``: own, jury's and another's score present; z-scores of all."""
    columns = np.array([A, B, C, J, K], float).T
    z = (columns - np.nanmean(columns, axis=0)) / np.nanstd(columns, axis=0, ddof=1)
    jury = np.array([np.nan if np.isnan(row).all() else np.nanmean(row) for row in z[:, 3:]])
    jury = (jury - np.nanmean(jury)) / np.nanstd(jury, ddof=1)
    found = check(A, B, C, J, K, jurors=2)
    for i, one in enumerate(found.one_left_out):
        others = np.delete(z[:, :3], i, axis=1)
        rows = ~np.isnan(z[:, i]) & ~np.isnan(jury) & ~np.isnan(others).all(axis=1)
        rest = np.nanmean(others[rows], axis=1)
        assert one.n_instances == rows.sum()
        assert one.clinician_icc == pytest.approx(icc3k(np.column_stack([z[rows, i], rest])))
        assert one.jury_icc == pytest.approx(icc3k(np.column_stack([jury[rows], rest])))
    assert [one.n_instances for one in found.one_left_out] == [9, 10, 9]


def as_one_more(noise, jury_noise, *, n=30, clinicians=3, tables=150, seed=11):
    """Share of tables in which the jury is called better, and worse, than one clinician."""
    rng = np.random.default_rng(seed)
    errors = [*[noise] * clinicians, jury_noise]
    called = np.zeros(2)
    for table in range(tables):
        scores = rng.normal(size=(n, 1)) + rng.normal(size=(n, clinicians + 1)) * errors
        fair = standardised(np.round(scores * 2))
        alone, by_jury, _ = raters._one_left_out(fair)
        d = by_jury.mean() - alone.mean()
        found = raters._as_one_more_clinician(fair, d, 250, table)
        called += found.ci_low > 0, found.ci_high < 0
    return called / tables


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "clinicians", "n"), [(0.5, 3, 30), (1.0, 5, 20), (1.5, 2, 40)])
def test_a_jury_like_one_more_clinician_is_rarely_called_better_or_worse(noise, clinicians, n):
    """The promise is 2.5 %, and three standard errors of 150 tables are 3.8 points.

    Compared with all clinicians, as it was, it is called better in a tenth to a third of them.
    """
    assert max(as_one_more(noise, noise, clinicians=clinicians, n=n)) <= 0.025 + 0.038


@pytest.mark.slow
def test_a_jury_that_is_better_or_worse_is_called_so():
    assert as_one_more(1.0, 0.2, tables=60)[0] > 0.7
    assert as_one_more(0.5, 2.0, tables=60)[1] > 0.9


def test_one_clinician_has_nobody_to_agree_with():
    found = check(A, J, jurors=1)
    assert found.jury.icc is not None
    assert found.clinicians == found.difference
    assert found.jury_with_others is found.clinician_with_others is None
    assert found.clinicians.icc is found.clinicians.ci_low is None
    assert (found.one_left_out, found.pairs) == ((), ())
    assert found.n_by_one == found.n_instances == 9


def test_who_or_what_has_too_few_scores_does_not_count():
    left = [1, 2, 3, 4, 5, 3, NA, NA, NA, NA]
    right = [NA, NA, NA, NA, 2, 4, 1, 5, 3, 2]
    found = check(left, right, [1, 3, 3, 4, 4, 3, 1, 5, 3, 2], jurors=1)
    assert [(pair.icc, pair.n_instances) for pair in found.pairs] == [(None, 2)]
    assert (found.clinicians.icc, found.n_by_one) == (None, 8)
    # For the same reason neither is left out in turn.
    assert (found.one_left_out, found.difference.icc) == ((), None)
    # A rater of one instance, and an instance that only one side scored.
    found = check(A, B, [5, *[NA] * 11], J, jurors=1)
    said = "scored one instance only, so the scores cannot be standardised"
    assert ("C2", said) in found.left_out
    assert found.clinicians.icc == check(A, B, J, jurors=1).clinicians.icc
    found = check([1, 2, 3, 4, NA, 5], [1, 2, 3, NA, 5, 4], jurors=1)
    out = ("note 3", "not scored by the jury"), ("note 4", "not scored by a clinician")
    assert found.left_out == out


SAME = [0.1] * 12


@pytest.mark.parametrize(
    ("columns", "jurors", "error", "words"),
    [
        ([A, B], 0, TooFewError, "no rater with the role jury"),
        ([A, B], 2, TooFewError, "no rater with the role clinician"),
        (
            *([[1, 2, NA], [2, 3, 1]], 1, TooFewError),
            "at least 3 instances that the jury and a clinician scored",
        ),
        ([SAME, B, J], 1, BadDataError, r"^C0 gives every instance the same score, 0\.1"),
        ([A, B, SAME], 1, BadDataError, r"^J0 gives every instance the same score, 0\.1"),
    ],
)
def test_what_cannot_be_checked_is_a_sentence(columns, jurors, error, words):
    with pytest.raises(error, match=words):
        check(*columns, jurors=jurors)
