import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from core.answers import data
from core.domain import BadRequestError, Exclusion, Selection, TooFewError
from core.statistics.redundancy import correlate

# R 4: x <- as.matrix(read.csv("in.csv", header=FALSE)); cor.test(x[,i], x[,j]);
# cor(x[,i], x[,j], method="spearman")
SCORES = [
    [0.71, 0.62, 0.55, 0.40],
    [0.69, 0.65, 0.50, 0.43],
    [0.52, 0.48, 0.51, 0.30],
    [0.33, 0.35, 0.31, 0.22],
    [0.30, 0.28, 0.36, 0.25],
    [0.64, 0.40, 0.58, 0.35],
    [0.35, 0.33, 0.29, 0.31],
    [0.75, 0.70, 0.61, 0.47],
    [0.41, 0.35, 0.44, 0.22],
]
R_PEARSON = {
    (1, 2): (0.911882617567609, 0.000612981872295569),
    (1, 3): (0.913138705703985, 0.000583675666749641),
    (1, 4): (0.906768526542574, 0.00074296671790335),
    (2, 3): (0.748618128999835, 0.0203006447117145),
    (2, 4): (0.900864519263047, 0.000915631639104572),
    (3, 4): (0.724361246438176, 0.0273044959229676),
}
PAIR = [[1.0, 1.0], [2.0, 2.7], [3.0, 2.6], [4.0, 4.2], [5.0, 5.0]]
R_SPEARMAN = {
    (1, 2): 0.93724669780641,
    (1, 3): 0.85,
    (1, 4): 0.853563956930838,
    (2, 3): 0.78661776423038,
    (2, 4): 0.781512605042017,
    (3, 4): 0.669461927004578,
}


def test_pearson_as_r_gives_it(make_matrix):
    result = correlate(make_matrix(SCORES))
    assert result.alpha == pytest.approx(0.01 / 6)
    found = {(int(pair.a[1]) + 1, int(pair.b[1]) + 1): pair for pair in result.pairs}
    assert list(found) == list(R_PEARSON)
    for key, (r, p) in R_PEARSON.items():
        assert found[key].r == pytest.approx(r, abs=1e-12)
        assert found[key].p_value == pytest.approx(p, rel=1e-8)
        assert found[key].significant == (p < 0.01 / 6)
        assert found[key].n_models == 9
    assert {pair.significant for pair in result.pairs} == {True, False}


def test_significance_is_bonferroni(make_matrix):
    # p is 0.0070: below 0.01 for one pair, above 0.01/3 for three.
    one_pair = correlate(make_matrix(PAIR))
    three_pairs = correlate(make_matrix(np.column_stack([PAIR, [1, 0, 1, 0, 0]])))
    assert one_pair.pairs[0].p_value == three_pairs.pairs[0].p_value
    assert one_pair.pairs[0].significant
    assert not three_pairs.pairs[0].significant


def test_spearman_as_r_gives_it(make_matrix):
    result = correlate(make_matrix(SCORES), method="spearman")
    for pair, r in zip(result.pairs, R_SPEARMAN.values(), strict=True):
        assert pair.r == pytest.approx(r, abs=1e-12)


@pytest.mark.parametrize(("method", "oracle"), [("pearson", pearsonr), ("spearman", spearmanr)])
def test_same_as_scipy(make_matrix, method, oracle):
    rng = np.random.default_rng(5)
    scores = rng.normal(size=(25, 5)).round(1)
    for pair in correlate(make_matrix(scores), method=method).pairs:
        expected = oracle(scores[:, int(pair.a[1])], scores[:, int(pair.b[1])])
        assert pair.r == pytest.approx(expected.statistic, abs=1e-12)
        assert pair.p_value == pytest.approx(expected.pvalue, rel=1e-9)


def test_perfect_and_turned_benchmarks(make_matrix, make_benchmark):
    benchmarks = [make_benchmark("a"), make_benchmark("b", lower_is_better=True)]
    (pair,) = correlate(make_matrix([[1, -1], [2, -2], [4, -4]], benchmarks=benchmarks)).pairs
    assert (pair.r, pair.p_value) == (pytest.approx(1), pytest.approx(0, abs=1e-7))


def test_constant_benchmark_is_not_significant(make_matrix):
    scores = np.column_stack([np.full(7, 0.1), np.arange(7), np.arange(7) ** 2])
    constant, also, varied = correlate(make_matrix(scores)).pairs
    for pair in (constant, also):
        assert np.isnan(pair.r)
        assert np.isnan(pair.p_value)
        assert not pair.significant
    assert varied.r > 0.9


def test_incomplete_models_are_left_out_of_every_pair(make_matrix):
    rows = [*SCORES, [0.5, np.nan, 0.1, 0.9]]
    with_it, without = correlate(make_matrix(rows)), correlate(make_matrix(SCORES))
    assert with_it.pairs == without.pairs
    assert with_it.excluded == (Exclusion("m9", "no score on b1"),)


def test_real_cohort_as_r_gives_it(bundled):
    # R 4: cor.test(x[, a], x[, b]); cor(x[, a], x[, b], method="spearman")
    oracle = {
        ("medmcqa", "medqa"): (0.975219836581683, 1.2283355137413e-91, 0.942240856498569),
        ("mmlu_anatomy", "mmlu_clinical_knowledge"): (
            *(0.954739010250699, 5.12010077375014e-74),
            0.935886472817319,
        ),
        ("medqa", "pubmedqa"): (0.705521329264506, 3.11589208453537e-22, 0.524768417269351),
    }
    matrix = data.matrix(bundled, Selection("open-medical-llm", include_flagged=True))
    pearson = {(pair.a, pair.b): pair for pair in correlate(matrix).pairs}
    spearman = {(pair.a, pair.b): pair for pair in correlate(matrix, method="spearman").pairs}
    for pair, (r, p, rho) in oracle.items():
        assert pearson[pair].n_models == 139
        assert pearson[pair].r == pytest.approx(r, abs=1e-12)
        assert pearson[pair].p_value == pytest.approx(p, rel=1e-6)
        assert spearman[pair].r == pytest.approx(rho, abs=1e-12)


def test_errors(make_matrix):
    with pytest.raises(TooFewError, match="at least 2 benchmarks"):
        correlate(make_matrix([[1], [2], [3]]))
    with pytest.raises(TooFewError, match="at least 3 models"):
        correlate(make_matrix([[1, 2], [2, 3], [3, np.nan]]))
    with pytest.raises(BadRequestError, match="kendall is not one of"):
        correlate(make_matrix(SCORES), method="kendall")
