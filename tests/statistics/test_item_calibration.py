"""Simulation from the shipped suites' own items, at their sizes: the guard holds its promises.

Of two runs the tasks as they were answered are the population, so their true difference is known.
Tasks are drawn from it with replacement, and the margin is what the one is truly worse by. Seeded;
a share of n repetitions has the standard error √(p(1 − p)/n), and three of these are allowed.
"""

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
from core.statistics.difference import ALPHA, differences, gaps, weighted_means
from core.statistics.items import Paired

DATA = Path(__file__).parents[2] / "data"
METHODS = DATA.parent / "docs/methods.md"
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
    """Mean score by benchmark: arrays (runs, items) of the runs that have all items."""
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


def judged(case, repeats=DRAWS, most_pairs=1000):
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
        low, high = means.ends()
        found.append(
            (
                np.mean(means.p_above(-margin) < ALPHA),
                np.mean(high < -margin - 1e-9),
                np.mean((low <= -margin + 1e-9) & (high >= -margin - 1e-9)),
            )
        )
    good, called_worse, covered = np.array(found).T
    return len(found), good.mean(), called_worse.mean(), covered.mean(), good.max(), covered.min()


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_tenth_of_the_draws(case):
    hold(judged(case, DRAWS // 10, 40), DRAWS // 10)


@pytest.mark.tools
@pytest.mark.parametrize("case", CASES)
def test_all_draws_and_the_document_prints_them(case):
    found = judged(case)
    hold(found, DRAWS)
    n_pairs, *shares = found
    words = " | ".join(f"{100 * share:.1f} %" for share in shares)
    assert f"| {case} | {n_pairs} | {words} |" in METHODS.read_text("utf-8")


def hold(found, repeats):
    n_pairs, good, worse, covered, *_ = found
    n = n_pairs * repeats
    most = ALPHA + 3 * sqrt(ALPHA * (1 - ALPHA) / n)
    assert good <= most
    assert worse <= most
    assert covered >= 0.94 - 3 * sqrt(0.94 * 0.06 / n)


def of_all_pairs(matrix, weights):
    rows, others = np.triu_indices(len(matrix.models), 1)
    low, high = gaps(matrix, rows, others, weights=weights).ends()
    return (high - low)[~np.isnan(high - low)]


@pytest.mark.slow
def test_no_pair_of_a_shipped_suite_has_an_interval_without_width():
    store = open_store(DATA)
    seen = 0
    for suite in sorted(path.name for path in (DATA / "snapshots").iterdir()):
        matrix = loaded.matrix(store, Selection(suite))
        if not matrix.benchmarks:
            continue
        names = [benchmark.id for benchmark in matrix.benchmarks]
        for weights in (None, *({name: 1.0} for name in names)):
            widths = of_all_pairs(matrix, weights)
            assert (widths > 1e-4).all(), (suite, weights)
            seen += len(widths)
    assert seen > 10_000


def test_glm_and_opus_on_utilisation_review_are_open():
    """Both solve the same 8 of 25 tasks: ± z²/(25 + z²)."""
    matrix = loaded.matrix(open_store(DATA), Selection("chi-bench"))
    at = [
        matrix.models.index(name)
        for name in ("z-ai/glm-5.2 (openai-agents)", "anthropic/claude-opus-5 (claude-code)")
    ]
    found = gaps(matrix, *(np.array([i]) for i in at), weights={"pa_um": 1.0})
    (interval,) = found.intervals(0)
    assert (interval.basis, found.mean[0], interval.standard_error) == ("items", 0, 0)
    assert (interval.ci_low, interval.ci_high) == pytest.approx((-0.1331923, 0.1331923), abs=1e-6)
    assert found.p_above(-0.02)[0] > 0.2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suite", "benchmark"),
    [
        ("chi-bench", "all"),
        ("chi-bench", "cm"),
        ("medagentsbench", "all"),
        ("medagentsbench", "mmlu"),
    ],
)
def test_pair_and_differences_give_one_interval(suite, benchmark):
    store = open_store(DATA)
    matrix = loaded.matrix(store, Selection(suite))
    # The domains of χ-Bench have 25 tasks each: by task is alike.
    weights = None if benchmark == "all" else {benchmark: 1.0}
    first, *others = matrix.models[:6]
    for other, found in zip(
        others, differences(matrix, others, first, weights=weights), strict=True
    ):
        pair = replacing.pair(store, suite, benchmark, other, first)
        assert found.basis == "items"
        expected = (found.difference, found.ci_low, found.ci_high)
        assert (pair.difference, pair.ci_low, pair.ci_high) == pytest.approx(expected, abs=1e-12)
