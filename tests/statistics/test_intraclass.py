"""ICC(3,k) against Shrout and Fleiss (1979) and R's psych."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import TooFewError
from core.statistics.raters import complete_instances, icc3k, standardised

SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float
)
THREE = np.array(
    [
        [3, 4, 5, 2, 4, 1, 5, 3, 2, 4, 4, 5],
        [4, 4, 5, 3, 3, 2, 5, 2, 2, 5, 4, 4],
        [2, 5, 4, 2, 4, 2, 4, 3, 1, 4, 5, 5],
    ],
    float,
).T


def forty_by_five():
    i, j = np.arange(1, 41)[:, None], np.arange(1, 6)[None, :]
    return ((i * 7 + j * j * 3 + (i * j) % 11) % 13) + i / 8


def test_the_published_example():
    """Table 4 of the paper prints .91."""
    assert round(icc3k(SHROUT_FLEISS), 2) == 0.91


@pytest.mark.parametrize(
    ("ratings", "expected"),
    # library(psych); ICC(x, lmer = FALSE)$results["Average_fixed_raters", "ICC"]
    # the third: i <- rep(1:40, 5); j <- rep(1:5, each = 40)
    #            x <- matrix(((i*7 + j*j*3 + (i*j) %% 11) %% 13) + i/8, ncol = 5)
    [
        (SHROUT_FLEISS, 0.909315542377069),
        (THREE, 0.89963503649635),
        (forty_by_five(), 0.415295404422819),
    ],
)
def test_the_values_of_psych(ratings, expected):
    assert icc3k(ratings) == pytest.approx(expected, abs=1e-12)


def test_an_instance_that_one_rater_did_not_score_is_left_out():
    gaps = np.vstack([SHROUT_FLEISS, [[5, np.nan, 5, 5]], [[np.nan] * 4]])
    assert icc3k(gaps) == icc3k(SHROUT_FLEISS)
    assert complete_instances(gaps).sum() == 6


def test_a_strict_rater_agrees_no_less():
    assert icc3k(np.array([[1, 3], [2, 4], [3, 5.0]])) == pytest.approx(1)


def test_opposite_raters_are_far_below_zero():
    """Means 2.5, 2, 2.5: MSR = 2·(1/6)/2. Differences −3, 0, 1: MSE = (10 − 4/3)/2/2 = 13/6."""
    assert icc3k(np.array([[1, 4], [2, 2], [3, 2.0]])) == pytest.approx(1 - 13)


@pytest.mark.parametrize(
    "ratings", [[[1, 3], [2, 2], [3, 1]], [[0.1, 0.1]] * 3, [[0.1, 0.7], [0.7, 0.1], [0.4, 0.4]]]
)
def test_instances_with_equal_means_give_no_number(ratings):
    assert math.isnan(icc3k(np.array(ratings, float)))


@pytest.mark.parametrize(
    ("ratings", "words"),
    [
        (np.ones((5, 1)), "at least 2 raters; there are 1."),
        (np.array([[1, 2], [2, 3.0]]), "at least 3 instances that all raters scored; there are 2."),
        (np.array([[1, 2], [2, 3], [np.nan, 1], [1, np.nan]]), "there are 2."),
        (np.empty((0, 2)), "there are 0."),
    ],
)
def test_too_few_is_a_sentence(ratings, words):
    with pytest.raises(TooFewError) as caught:
        icc3k(ratings)
    assert str(caught.value).endswith(words)


def test_z_scores_are_within_rater_with_the_sample_deviation():
    """1, 2, 3 has mean 2 and sample SD 1; 2, 6 has mean 4 and sample SD √8."""
    found = standardised(np.array([[1, 2], [2, np.nan], [3, 6.0]]))
    root = math.sqrt(2) / 2
    assert found == pytest.approx(np.array([[-1, -root], [0, np.nan], [1, root]]), nan_ok=True)


@pytest.mark.parametrize("column", [[0.1, 0.1, 0.1], [5, np.nan, np.nan], [np.nan] * 3])
def test_without_variation_there_is_no_z_score(column):
    ratings = np.column_stack([[1.0, 2, 3], column])
    assert np.isnan(standardised(ratings)[:, 1]).all()


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
