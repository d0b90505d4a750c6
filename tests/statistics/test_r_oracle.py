"""The real cohort of the taxonomy paper, as R 4 computes it from the bundled scores.

In all R code below, `g` is the data frame of the 33 models by 6 benchmarks of Open LLM Leaderboard
v2, `m` that of the 29 models by 9 benchmarks of the Open Medical-LLM Leaderboard, both in the
order of the cohort with the models as row names, and

    pop <- function(x) scale(x) * sqrt(nrow(x) / (nrow(x) - 1))    # population SD
    tree <- function(x) hclust(dist(pop(x), "manhattan"), "complete")
"""

import numpy as np
import pytest

from core.answers import data
from core.domain import Selection
from core.statistics.score_matrix import complete
from core.statistics.stability import stability
from core.statistics.taxonomy import (
    agreement,
    build_taxonomy,
    leave_one_out_tests,
    memberships,
    rank_sum_tests,
)

# for (l in c("complete", "average", "single", "ward.D2")) {
#   d <- dist(pop(g), if (l == "ward.D2") "euclidean" else "manhattan"); h <- hclust(d, l)
#   for (k in 2:6) print(paste(cutree(h, k), collapse = ""))
# }
# and of the first cor(d, cophenetic(h))
CORRELATION = 0.779034600854092
TREES = {
    "complete": (
        "121112221212112212211211222222222",
        "121112321212112212211211222233222",
        "121113421212112212311211232244332",
        "121113421212112212511211252244532",
        "121134521212112212613211262255642",
    ),
    "average": (
        "121112221212112212211211222222222",
        "121112321212112212211211222233222",
        "121113431212112212311211332244332",
        "121113451212112212511211552244532",
        "121113451212112212511211552266532",
    ),
    "single": (
        "111111111111111111111111111122111",
        "111111211111111111111111111133111",
        "112221312121221121122122111144111",
        "112231412121221121122122111155111",
        "112231412121221121522122111166111",
    ),
    "ward": (
        "112221112121221121122122111111111",
        "112221112121221121122122111133111",
        "112223312121221121322122131144331",
        "112234412121221121423122141155441",
        "123345513132332132534133151166552",
    ),
}
# sapply(seq_along(x), function(j) wilcox.test(x[c == 1, j], x[c == 2, j], exact = FALSE,
#   correct = FALSE)$p.value) with c <- cutree(tree(x), 2), and for the second row of each with
#   c <- cutree(tree(x[, -j]), 2)
RANK_SUMS = {
    "general": (
        "1.7123018639583e-4 2.0056814456687e-6 2.63512686819835e-4 1.24866825920632e-5 "
        "0.0357203127281369 2.0056814456687e-6",
        "2.83274378475847e-4 5.94569749239003e-6 2.63512686819835e-4 0.0271400952455283 "
        "0.0357203127281369 2.0056814456687e-6",
    ),
    "medical": (
        "2.20904969985855e-5 2.20390963258726e-5 2.1885463306247e-5 2.19365796036137e-5 "
        "2.16312975076775e-5 2.17326811839188e-5 2.13293967669132e-5 2.19365796036137e-5 "
        "2.10933573173639e-4",
        "8.59826766372358e-6 8.57635213344531e-6 2.1885463306247e-5 2.19365796036137e-5 "
        "8.40265358028265e-6 2.17326811839188e-5 8.27426177733066e-6 2.19365796036137e-5 "
        "2.10933573173639e-4",
    ),
}
# p <- pvclust(t(pop(x)), method.hclust = "complete", method.dist = "manhattan", nboot = 10000,
#   r = 1, iseed = 1); p$count            # per merge from the lowest; no two heights are equal
BRANCHES = {
    "general": (
        "4835 4141 4024 6115 3352 4034 1836 6941 4275 4961 8448 2227 3675 2330 4119 2139 2213 665 "
        "2949 1413 225 282 169 2818 4229 132 389 2816 310 207 1559 10000"
    ),
    "medical": (
        "6619 5038 5417 6521 1594 4889 4951 3354 3719 4253 3586 3384 4861 9841 3180 3064 7238 688 "
        "9068 1080 4196 2711 2553 6318 4106 7207 7196 10000"
    ),
}
# library(mclust); adjustedRandIndex(cutree(tree(g), k)[rownames(m)], cutree(tree(m), k))
ADJUSTED_RAND = {2: 0.733245729303548, 3: 0.425607168120726, 4: 0.362348606119182}


@pytest.fixture(scope="module")
def sides(bundled):
    suites = {"general": "open-llm-v2", "medical": "open-medical-llm"}
    return {
        side: complete(data.matrix(bundled, Selection(suite, "taxonomy-portraits")))
        for side, suite in suites.items()
    }


def numbers(text):
    return [float(number) for number in text.split()]


def partition(labels):
    return {frozenset(i for i, other in enumerate(labels) if other == one) for one in labels}


@pytest.mark.parametrize("linkage", TREES)
def test_trees(sides, linkage):
    metric = "euclidean" if linkage == "ward" else "cityblock"
    for k, expected in enumerate(TREES[linkage], start=2):
        tree = build_taxonomy(sides["general"], n_clusters=k)
        others = memberships(tree.standardised, k)
        assert partition(others[metric, linkage].tolist()) == partition(expected)
        if linkage == "complete":
            assert partition(tree.labels) == partition(expected)
            assert tree.cophenetic_correlation == pytest.approx(CORRELATION, abs=1e-12)


@pytest.mark.parametrize("side", RANK_SUMS)
def test_rank_sums_with_and_without_the_tested_benchmark(sides, side):
    matrix = sides[side]
    tree = build_taxonomy(matrix)
    for tests, expected in zip((rank_sum_tests, leave_one_out_tests), RANK_SUMS[side], strict=True):
        found = tests(matrix, tree)
        assert [test.p_value for test in found.tests] == pytest.approx(numbers(expected), rel=1e-11)
        level = 0.01 / len(matrix.benchmarks)
        assert [t.significant for t in found.tests] == [p < level for p in numbers(expected)]


@pytest.mark.slow
@pytest.mark.parametrize("side", BRANCHES)
def test_support_of_branches_is_that_of_pvclust(sides, side):
    tree = build_taxonomy(sides[side])
    assert (np.diff(tree.linkage_matrix[:, 2]) > 0).all()
    found = stability(sides[side], tree, noise="benchmarks", n_resamples=20_000)
    expected = np.array(numbers(BRANCHES[side])) / 10_000
    error = np.sqrt(expected * (1 - expected) * (1 / 10_000 + 1 / 20_000))
    assert (np.abs(found.support - expected) <= 3.5 * error).all()


def test_adjusted_rand_index(sides):
    for k, expected in ADJUSTED_RAND.items():
        trees = [build_taxonomy(matrix, n_clusters=k) for matrix in sides.values()]
        assert agreement(*trees).adjusted_rand == pytest.approx(expected, abs=1e-12)
