from itertools import combinations

import numpy as np
import pytest
from scipy.stats import kendalltau, zscore
from sklearn.metrics import adjusted_rand_score

from core.answers import data
from core.domain import Selection, TooFewError
from core.statistics.score_matrix import select_benchmarks
from core.statistics.smaller_sets import kendall_tau, smaller_sets
from core.statistics.taxonomy import build_taxonomy

# By hand: every column has mean 0 and the same SD, so that sums rank as standardised means do.
# Sums over all three: 7, 3, -3, -7.
WORKED = [[3, 3, 1], [1, -1, 3], [-1, 1, -3], [-3, -3, -1]]


def test_worked_example(make_matrix):
    one, two, three = smaller_sets(make_matrix(WORKED))
    assert (one.benchmarks, one.tau) == (("b0",), 1)  # b1 turns one of 6 pairs, b2 two
    # b0 + b1: 6, 0, 0, -6 tie one pair: 5/sqrt(5*6). b0 + b2: 4, 4, -4, -4 tie two: 4/sqrt(4*6).
    # b1 + b2: 4, 2, -2, -4 keep the order.
    assert (two.benchmarks, two.tau) == (("b1", "b2"), 1)
    assert (three.benchmarks, three.tau, three.adjusted_rand) == (("b0", "b1", "b2"), 1, 1)
    assert {found.search for found in (one, two, three)} == {"exhaustive"}


def test_tau_with_ties_by_hand():
    whole = np.array([7.0, 3, -3, -7])
    sums = np.array([[3, 1, 6, 4, 0], [-1, 3, 0, 4, 0], [1, -3, 0, -4, 0], [-3, -1, -6, -4, 0]])
    found = kendall_tau(whole, sums.astype(float))
    assert found[:4] == pytest.approx([4 / 6, 2 / 6, 5 / 30**0.5, 4 / 24**0.5])
    assert np.isnan(found[4])


def test_tau_as_r_gives_it():
    # R 4: cor(c(1,2,2,3,5,5,6), c(2,1,4,4,4,6,6), method="kendall")
    others = np.array([[2.0], [1], [4], [4], [4], [6], [6]])
    assert kendall_tau(np.array([1.0, 2, 2, 3, 5, 5, 6]), others) == pytest.approx(
        [0.723339349297054], abs=1e-14
    )


@pytest.mark.parametrize("n", [3, 40, 300])
def test_tau_as_scipy_gives_it(n):
    rng = np.random.default_rng(n)
    reference, others = (
        rng.integers(0, n, n).astype(float),
        rng.integers(0, 9, (n, 30)).astype(float),
    )
    expected = [kendalltau(reference, others[:, j]).statistic for j in range(30)]
    assert kendall_tau(reference, others) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_tau_in_several_parts(monkeypatch):
    rng = np.random.default_rng(8)
    reference, others = rng.normal(size=20), rng.normal(size=(20, 11))
    at_once = kendall_tau(reference, others)
    monkeypatch.setattr("core.statistics.smaller_sets._CELLS", 400)  # two of the eleven at a time
    assert kendall_tau(reference, others).tolist() == at_once.tolist()


def test_real_cohort_as_r_gives_it(bundled):
    # R 4: z <- scale(x); full <- rowMeans(z); for (k in 1:9) max(apply(combn(9, k), 2,
    #   function(s) cor(full, round(rowMeans(z[, s, drop=FALSE]), 9), method="kendall")))
    selection = Selection("open-medical-llm", include_flagged=True)
    found = smaller_sets(data.matrix(bundled, selection))
    assert [one.tau for one in found] == pytest.approx(
        [
            *(0.866652149135074, 0.896095095321356, 0.92326139088729),
            *(0.929517255760609, 0.947033677405901, 0.963715983734752),
            *(0.974559482848504, 0.987488270253363, 1),
        ],
        abs=1e-9,
    )
    assert found[1].benchmarks == ("medqa", "mmlu_college_medicine")
    assert (found[1].n_items, found[1].n_items_saved) == (1273 + 173, 7045 - 1273 - 173)


def test_clusters_kept_by_hand(make_matrix):
    # b2 ranks as all do, but alone its clusters are {m0} and the rest, where all three give
    # {m0, m1} and {m2, m3}: one pair together in both, 2 and 3 in each, 1 expected by chance.
    one, *_, three = smaller_sets(make_matrix([[1, 1, 10], [1, 1, 2], [0, 0, 1], [0, 0, 0]]))
    assert (one.benchmarks, one.tau, one.adjusted_rand) == (("b2",), 1, 0)
    assert three.adjusted_rand == 1


def test_clusters_kept_are_those_of_the_taxonomy(make_matrix):
    rng = np.random.default_rng(3)
    matrix = make_matrix(rng.normal(size=(25, 5)))
    whole = build_taxonomy(matrix, n_clusters=4)
    for found in smaller_sets(matrix, n_clusters=4):
        part = build_taxonomy(select_benchmarks(matrix, found.benchmarks), n_clusters=4)
        assert found.adjusted_rand == pytest.approx(adjusted_rand_score(whole.labels, part.labels))


def test_no_subset_keeps_more(make_matrix):
    rng = np.random.default_rng(4)
    z = zscore(rng.normal(size=(12, 6)))
    for found in smaller_sets(make_matrix(z)):
        taus = [
            kendalltau(z.sum(axis=1), z[:, subset].sum(axis=1)).statistic
            for subset in combinations(range(6), len(found.benchmarks))
        ]
        assert found.tau == pytest.approx(max(taus), abs=1e-9)


def test_beyond_fifteen_benchmarks_one_is_added_at_a_time(make_matrix):
    rng = np.random.default_rng(5)
    z = zscore(rng.normal(size=(12, 16)))
    found = smaller_sets(make_matrix(z))
    assert {one.search for one in found} == {"greedy"}
    assert [len(one.benchmarks) for one in found] == list(range(1, 17))
    chosen = []
    for one in found:
        taus = {
            j: round(kendalltau(z.sum(axis=1), z[:, [*chosen, j]].sum(axis=1)).statistic, 9)
            for j in range(16)
            if j not in chosen
        }
        assert round(one.tau, 9) == max(taus.values())
        (added,) = {int(key[1:]) for key in one.benchmarks} - set(chosen)
        assert taus[added] == max(taus.values())
        chosen.append(added)
    assert found[-1].tau == 1


def test_among_equals_the_fewest_items_then_the_first(make_matrix, make_benchmark):
    scores = np.repeat([[1.0], [2.0], [4.0]], 3, axis=1)

    def first(*items):
        benchmarks = [make_benchmark(f"b{j}", n_items=n) for j, n in enumerate(items)]
        return smaller_sets(make_matrix(scores, benchmarks=benchmarks))[0]

    assert first(30, 20, 20).benchmarks == ("b1",)
    assert first(None, None, 500).benchmarks == ("b2",)
    assert first(None, None, None).benchmarks == ("b0",)


def test_items_and_tokens_that_are_not_known(make_matrix, make_benchmark):
    benchmarks = [make_benchmark(f"b{j}", n_items=n) for j, n in enumerate([10, None, 30])]
    matrix = make_matrix(WORKED, benchmarks=benchmarks)
    one, two, three = smaller_sets(matrix, tokens={"b0": 5.0, "b1": 7.0})
    assert (one.n_items, one.n_items_saved) == (10, None)
    assert (one.tokens, one.tokens_saved) == (5, None)
    assert (two.n_items, two.n_items_saved) == (None, 10)
    assert (two.tokens, two.tokens_saved) == (None, 5)
    assert (three.n_items, three.n_items_saved, three.tokens_saved) == (None, 0, 0)
    assert smaller_sets(matrix)[0].tokens is None


def test_a_turned_and_a_constant_benchmark(make_matrix, make_benchmark):
    benchmarks = [make_benchmark("flat"), make_benchmark("turned", lower_is_better=True)]
    matrix = make_matrix([[5, 3], [5, 2], [5, 1]], benchmarks=benchmarks)
    one, two = smaller_sets(matrix)
    assert (one.benchmarks, one.tau, one.adjusted_rand) == (("turned",), 1, 1)
    assert two.tau == 1


def test_benchmarks_that_cancel_out_rank_nothing(make_matrix):
    one, two = smaller_sets(make_matrix([[1, 3], [2, 2], [3, 1]]))
    assert (one.tau, two.tau) == (None, None)


def test_incomplete_models_are_left_out(make_matrix):
    matrix = make_matrix([*WORKED, [9, np.nan, -9]])
    assert smaller_sets(matrix) == smaller_sets(make_matrix(WORKED))


def test_too_few(make_matrix):
    with pytest.raises(TooFewError, match="at least 2 of them; there is 1"):
        smaller_sets(make_matrix([[1], [2], [3]]))
    with pytest.raises(TooFewError, match="at least 3 models with every benchmark; there are 2"):
        smaller_sets(make_matrix([[1, 2], [2, 3], [3, np.nan]]))
    with pytest.raises(TooFewError, match="tells these models apart"):
        smaller_sets(make_matrix([[1, 2], [1, 2], [1, 2]]))
