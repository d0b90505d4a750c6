"""What is promised holds by simulation: tiers, rank sets, and tests item by item."""

from itertools import combinations
from math import sqrt
from pathlib import Path

import duckdb
import numpy as np
import pytest

from core.answers import data as loaded
from core.answers import replacing
from core.domain import Selection
from core.evidence.store import open_store
from core.procurement.replacement import judge
from core.statistics.difference import differences, gaps, scores, weighted_means
from core.statistics.items import ALPHA, Paired
from core.statistics.ranks import holm, rank_sets

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
METHODS, DATA = ROOT / "docs/methods.md", ROOT / "data"
MARGIN = 0.02
N_CANDIDATES = 10
N_ITEMS = 400
REPEATS = 4000
TESTS = (5, 9, 37, 87)


def at_most(promise, n):
    return promise + 3 * sqrt(promise * (1 - promise) / n)


def other_tests(rng, n_tests, true):
    """Scores of models on tests drawn from all tests like these, shape (repeats, models, tests)."""
    level = rng.normal(0.6, 0.1, (REPEATS, 1, n_tests))
    own = rng.normal(0, 0.05, (REPEATS, len(true), n_tests))
    return level + own + np.array(true)[None, :, None]


def these_tests(rng, n_tests, true):
    """Shares right of 400 items a test, with the tests as they are."""
    level = rng.uniform(0.3, 0.8, (1, 1, n_tests))
    share = level + np.array(true)[None, :, None]
    right = rng.binomial(N_ITEMS, np.broadcast_to(share, (REPEATS, len(true), n_tests)))
    return right / N_ITEMS


def binomial(values):
    return np.sqrt(values * (1 - values) / (N_ITEMS - 1))


def p_values(values, leader, basis):
    n_tests = values.shape[2]
    columns = []
    for candidate in range(values.shape[1]):
        if candidate == leader:
            continue
        pair = [values[:, candidate], values[:, leader]]
        errors = [binomial(scores) for scores in pair] if basis == "these" else []
        means = weighted_means(pair[0] - pair[1], np.ones(n_tests), errors, [""] * n_tests)
        columns.append(means.p_above(-MARGIN))
    return np.stack(columns, axis=1)


def errors_of(basis, n_tests, n_candidates=N_CANDIDATES):
    """Shares of repetitions in which a tier errs: candidates, each exactly the margin worse.

    One of them is likely, any of them is shown, any of them is likely.
    """
    rng = np.random.default_rng(n_tests)
    true = [0.0, *[-MARGIN] * n_candidates]
    make = these_tests if basis == "these" else other_tests
    p = p_values(make(rng, n_tests, true), 0, basis)
    shown = np.mean([(holm(row) < ALPHA).any() for row in p])
    return float(np.mean(p[:, 0] < ALPHA)), float(shown), float((p < ALPHA).any(axis=1).mean())


def ranks_of(basis, n_tests, repeats=500):
    """Shares in which a rank set misses the true rank, and the true best is outside the first."""
    rng = np.random.default_rng(100 + n_tests)
    true = [0.0, -0.005, -0.01, -0.02, -0.02, -0.03, -0.04, -0.06, -0.08, -0.1, -0.12]
    # Equal models share their ranks: any of these is true.
    allowed = [(i + 1, i + 1) for i in range(len(true))]
    allowed[3] = allowed[4] = (4, 5)
    make = these_tests if basis == "these" else other_tests
    missed = np.zeros(len(true))
    outside = 0
    for values in make(rng, n_tests, true)[:repeats]:
        errors = binomial(values) if basis == "these" else None
        found = rank_sets(values, np.ones(n_tests), errors, [""] * n_tests)
        for i, ((first, last), (low, high)) in enumerate(zip(found, allowed, strict=True)):
            missed[i] += first > high or last < low
        outside += found[0][0] > 1
    return float(missed.max() / repeats), outside / repeats


@pytest.mark.parametrize("n_tests", TESTS)
@pytest.mark.parametrize(
    ("basis", "words"), [("these", "on these tests"), ("other", "on other tests")]
)
def test_tiers_and_rank_sets_keep_their_promises_as_the_document_prints(basis, words, n_tests):
    likely, shown, take = errors_of(basis, n_tests)
    missed, outside = ranks_of(basis, n_tests)
    assert max(likely, shown) <= at_most(ALPHA, REPEATS)
    assert max(missed, outside) <= at_most(0.05, 500)
    twenty = errors_of(basis, n_tests, 20)[2]
    shares = " | ".join(
        f"{100 * share:.1f} %" for share in (likely, shown, take, twenty, missed, outside)
    )
    assert f"| {words} | {n_tests} | {shares} |" in METHODS.read_text("utf-8")


def test_uneven_weights_keep_the_promise_by_the_effective_number_of_tests():
    rng = np.random.default_rng(5)
    weights = np.array([0.3, 0.2, 0.15, 0.1, 0.1, 0.08, 0.07])
    assert 1 / np.square(weights).sum() > 5
    d = rng.normal(-MARGIN, 0.05, (40_000, 7))
    p = weighted_means(d, weights).p_above(-MARGIN)
    assert np.mean(p < ALPHA) <= at_most(ALPHA, 40_000) + 0.002  # an approximation here


def test_worse_keeps_its_level(make_matrix):
    """Candidates exactly the margin worse: 2.5 % are called worse, not 5."""
    rng = np.random.default_rng(12)
    d = rng.normal(-MARGIN, 0.05, (REPEATS, 9))
    matrix = make_matrix(np.vstack([np.zeros(9), d]))
    model, *others = matrix.models
    weights = {benchmark.id: 1.0 for benchmark in matrix.benchmarks}
    found = judge(
        model, others, matrix=matrix, weights=weights, categories={}, margin=MARGIN, safety={}
    )
    share = np.mean([one.tier == "worse" for one in found.values()])
    assert abs(share - ALPHA) <= 3 * sqrt(ALPHA * (1 - ALPHA) / REPEATS)


def test_a_pair_that_is_as_good_is_found_with_many_tests():
    rng = np.random.default_rng(3)
    d = rng.normal(0, 0.05, (REPEATS, 87))
    assert np.mean(weighted_means(d, np.ones(87)).p_above(-MARGIN) < ALPHA) > 0.9


CHI, EXAMS = "chi-bench/2026-08-12", "medagentsbench/2025-02"
DRAWS = 400
"""Of each pair, in ``make test-tools``; a tenth in ``make test``."""
CASES = {
    "χ-Bench, prior authorisation": (CHI, ("pa_provider",), 25),
    "χ-Bench, utilisation review": (CHI, ("pa_um",), 25),
    "χ-Bench, care management": (CHI, ("cm",), 25),
    "χ-Bench, two domains": (CHI, ("pa_provider", "pa_um"), 25),
    "χ-Bench, all": (CHI, ("pa_provider", "pa_um", "cm"), 25),
    "MedAgentsBench, MedBullets": (EXAMS, ("medbullets",), 308),
    "MedAgentsBench, all": (EXAMS, None, None),
    "30 cases": (EXAMS, ("medbullets",), 30),
    "50 cases": (EXAMS, ("medbullets",), 50),
    "100 cases": (EXAMS, ("medbullets",), 100),
}


def item_means(snapshot):
    path = DATA / "snapshots" / snapshot / "items.parquet"
    rows = duckdb.sql(
        f"SELECT benchmark, run, item, avg(score) AS score FROM '{path}' GROUP BY ALL"
    ).df()
    wide = rows.pivot(index=["benchmark", "item"], columns="run", values="score")
    wide = wide.dropna(axis=1, thresh=int(0.99 * len(wide))).dropna()
    return {name: part.to_numpy().T for name, part in wide.groupby(level="benchmark")}


POPULATIONS = {}


def drawn(d, n, repeats, rng):
    """Differences of n items drawn from d: variance, gained and lost, each (repeats,)."""
    values, counts = np.unique(d.round(9), return_counts=True)
    share = rng.multinomial(n, counts / len(d), size=repeats) / n
    mean = share @ values
    variance = (share @ values**2 - mean**2) / (n - 1)
    return np.maximum(variance, 0), share @ np.maximum(values, 0), share @ np.maximum(-values, 0)


def judged(case, repeats, most_pairs):
    """Over pairs truly 2 to 10 points apart: shares called as good, called worse, covered."""
    snapshot, names, n = CASES[case]
    if snapshot not in POPULATIONS:
        POPULATIONS[snapshot] = item_means(snapshot)
    blocks = [POPULATIONS[snapshot][name] for name in names or POPULATIONS[snapshot]]
    rng = np.random.default_rng(21)
    found = []
    score = np.mean([block.mean(axis=1) for block in blocks], axis=0)
    order = combinations(np.argsort(score, kind="stable").tolist(), 2)
    pairs = [pair for pair in order if 0.02 <= np.diff(score[list(pair)])[0] + 1e-9 <= 0.1]
    for worse, better in pairs[:: max(1, len(pairs) // most_pairs)]:
        margin = score[better] - score[worse]
        parts = [drawn(x[worse] - x[better], n or x.shape[1], repeats, rng) for x in blocks]
        variance, gained, lost = (np.stack(part, axis=1) for part in zip(*parts, strict=True))
        sizes = np.broadcast_to([n or x.shape[1] for x in blocks], variance.shape).astype(float)
        means = weighted_means(
            gained - lost,
            np.ones(len(blocks)),
            [np.full(variance.shape, np.nan)],
            [""] * len(blocks),
            Paired(variance, gained, lost, sizes),
        )
        low, high = means.ends
        holds = (low <= -margin + 1e-9) & (high >= -margin - 1e-9)
        called = means.p_above(-margin) < ALPHA, high < -margin - 1e-9, holds
        found.append([np.mean(each) for each in called])
    good, called_worse, covered = np.array(found).T
    return len(found), good.mean(), called_worse.mean(), covered.mean(), good.max(), covered.min()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("part", [0.1, pytest.param(1.0, marks=pytest.mark.tools)])
def test_draws_of_items_keep_the_promise_and_all_are_printed(case, part):
    repeats = int(DRAWS * part)
    n_pairs, *shares = judged(case, repeats, 1000 if part == 1 else 40)
    good, worse, covered, *_ = shares
    n = n_pairs * repeats
    assert max(good, worse) <= ALPHA + 3 * sqrt(ALPHA * (1 - ALPHA) / n)
    assert covered >= 0.94 - 3 * sqrt(0.94 * 0.06 / n)
    if part == 1:
        words = " | ".join(f"{100 * share:.1f} %" for share in shares)
        assert f"| {case} | {n_pairs} | {words} |" in METHODS.read_text("utf-8")


def test_nothing_in_a_shipped_suite_has_an_interval_without_width():
    store = open_store(DATA)
    seen = 0
    for suite in sorted(path.name for path in (DATA / "snapshots").iterdir()):
        matrix = loaded.matrix(store, Selection(suite))
        rows, others = np.triu_indices(len(matrix.models), 1)
        every = [None] * bool(matrix.benchmarks) + [{one.id: 1.0} for one in matrix.benchmarks]
        for weights in every:
            # Each pair, and each model alone.
            for found in (gaps(matrix, rows, others, weights=weights), scores(matrix, weights)):
                low, high = found.ends
                assert not (high - low <= 1e-4).any(), (suite, weights)
                seen += np.isfinite(high - low).sum()
    assert seen > 10_000


@pytest.mark.parametrize(
    ("suite", "benchmark"),
    [
        *(("chi-bench", "all"), ("chi-bench", "cm")),
        *(("medagentsbench", "all"), ("medagentsbench", "mmlu")),
    ],
)
def test_pair_and_differences_give_one_interval(suite, benchmark):
    store = open_store(DATA)
    matrix = loaded.matrix(store, Selection(suite))
    # The domains of χ-Bench have 25 tasks each: by task is alike.
    weights = None if benchmark == "all" else {benchmark: 1.0}
    first, *others = matrix.models[:6]
    every = differences(matrix, others, first, weights=weights)
    for other, found in zip(others, every, strict=True):
        pair = replacing.pair(store, suite, benchmark, other, first)
        assert found.basis == "items"
        expected = (found.difference, found.ci_low, found.ci_high)
        assert (pair.difference, pair.ci_low, pair.ci_high) == pytest.approx(expected, abs=1e-12)
