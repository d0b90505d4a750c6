"""No missing value is ever read as 0: gaps are planted in MedHELM and followed on every path."""

import csv
import io
from datetime import date

import numpy as np
import pandas as pd
import pytest

from core.answers import data as data_answers
from core.answers import evidence, recommend
from core.domain import Requirements, ScoreTable, Selection
from core.evidence import snapshots
from core.evidence.store import open_store
from core.procurement.shortlist import benchmark_weights
from core.sharing.export import records, to_csv
from core.statistics.score_matrix import normalised

TODAY = date(2026, 11, 21)
ANY = Requirements(on_sale_months=None)
"""Nothing is left out, not even what is no longer sold."""
MEDHELM = Selection("medhelm")
NO_ROW = ("GPT-5 (2025-08-07)", "medcalc_bench")
EMPTY_CELL = ("o3-mini (2025-01-31)", "aci_bench")
NO_CATEGORY = ("Claude 3.5 Sonnet (20241022)", "Administration and Workflow")
GAPPED = {NO_ROW[0], EMPTY_CELL[0], NO_CATEGORY[0]}


@pytest.fixture(scope="module")
def planted(bundled):
    """The planted gaps, as pairs of model and benchmark."""
    model, category = NO_CATEGORY
    benchmarks = bundled.catalogue.benchmarks["medhelm"]
    of_category = {(model, b.id) for b in benchmarks if b.category == category}
    assert len(of_category) == 5
    return {NO_ROW, EMPTY_CELL, *of_category}


@pytest.fixture
def store(bundled, planted, data):
    kept = bundled.snapshot("medhelm")
    frame = bundled.scores(kept, "")
    pairs = list(zip(frame["model"], frame["benchmark"], strict=True))
    frame.loc[[pair in planted for pair in pairs], "score"] = np.nan
    frame = frame[[pair != NO_ROW for pair in pairs]]
    snapshots.write(
        data / "snapshots",
        ScoreTable("medhelm", frame),
        revision="gaps",
        as_of="",
        retrieved_at="2026-11-21",
        source_url="https://example.org",
        licence="MIT",
    )
    return open_store()


@pytest.fixture
def holes(store, planted):
    """Where the gaps lie in the matrix, shape (n_models, n_benchmarks)."""
    matrix = data_answers.matrix(store, MEDHELM)
    return np.array([[(m, b.id) in planted for b in matrix.benchmarks] for m in matrix.models])


def test_score_matrix_and_normalised_scores(store, bundled, holes):
    after, before = data_answers.matrix(store, MEDHELM), data_answers.matrix(bundled, MEDHELM)
    assert (after.models, after.benchmarks) == (before.models, before.benchmarks)
    pairs = [
        (after.scores, before.scores),
        (after.standard_errors, before.standard_errors),
        *zip(normalised(after), normalised(before), strict=True),
    ]
    for now, then in pairs:
        assert np.isnan(now[holes]).all()
        np.testing.assert_array_equal(now[~holes], then[~holes])
    assert not np.isnan(data_answers.matrix(bundled, MEDHELM).scores).any()


def test_win_rates_and_category_scores(store, bundled, holes):
    found, before = evidence.win_rates(store, MEDHELM), evidence.win_rates(bundled, MEDHELM)
    matrix = data_answers.matrix(store, MEDHELM)
    scores = pd.DataFrame(matrix.scores, index=matrix.models)
    rate = ((scores.rank() - 1) / (scores.notna().sum() - 1)).mean(axis=1)
    shares = pd.DataFrame(normalised(matrix)[0], index=matrix.models)
    assert {row.model for row in found.rows} == set(matrix.models)
    untouched = {row.model: row for row in before.rows}
    n_holes = dict(zip(matrix.models, holes.sum(axis=1), strict=True))
    for row in found.rows:
        assert row.n_benchmarks == 37 - n_holes[row.model]
        assert row.win_rate == pytest.approx(rate[row.model])
        assert row.macro_avg == pytest.approx(shares.loc[row.model].mean())
        assert row.sd == pytest.approx(shares.loc[row.model].std())
        if row.model not in GAPPED:
            assert (row.macro_avg, row.sd) == (
                untouched[row.model].macro_avg,
                untouched[row.model].sd,
            )
    model, category = NO_CATEGORY
    after = {name: dict(values) for name, values in found.categories}
    assert after[category][model] is None
    assert all(after[name][other] > 0 for name in after for other in set(after[name]) - {model})
    inside = [benchmark.category == "Clinical Note Generation" for benchmark in matrix.benchmarks]
    found = after["Clinical Note Generation"][EMPTY_CELL[0]]
    assert found == pytest.approx(shares.loc[EMPTY_CELL[0], inside].mean())


def test_shortlist_rows(store, bundled, planted):
    found = recommend.shortlist(store, ANY, TODAY)
    before = {row.model.id: row for row in recommend.shortlist(bundled, ANY, TODAY).rows}
    assert {row.model.id for row in found.rows[-3:]} == GAPPED
    assert [row.rank for row in found.rows] == [*range(1, 11), None, None, None]
    matrix = data_answers.matrix(store, MEDHELM)
    spread = benchmark_weights(found.weights, matrix.benchmarks)
    weights = np.array([spread[b.id] for b in matrix.benchmarks])
    for row in found.rows:
        lacking = {b for m, b in planted if m == row.model.id}
        assert row.n_benchmarks == 37 - len(lacking)
        names = {b.name for b in matrix.benchmarks if b.id in lacking}
        assert (len(row.missing), set(row.missing)) == (len(lacking), names)
        values = normalised(matrix)[0][matrix.models.index(row.model.id)]
        there = ~np.isnan(values)
        mean = (values[there] * weights[there]).sum() / weights[there].sum()
        assert row.score == pytest.approx(mean)
        then = before[row.model.id]
        if row.model.id not in GAPPED:
            assert row.score == pytest.approx(then.score)
            assert row.ci_low == pytest.approx(then.ci_low)
            assert row.ci_high == pytest.approx(then.ci_high)
            assert dict(row.category_scores) == pytest.approx(dict(then.category_scores))
        else:
            assert (row.rank_band, row.rank_all, row.cluster) == (None, None, None)
            assert then.rank is not None
    assert set(dict(found.places)) == set(before) - GAPPED
    model, category = NO_CATEGORY
    row = next(row for row in found.rows if row.model.id == model)
    assert dict(row.category_scores)[category] is None


@pytest.mark.slow
def test_csv(store, planted):
    found = recommend.recommendation(store, ANY, TODAY)
    rows = records(found, "")
    text = to_csv(rows).decode("utf-8-sig")
    sizes = {model.id: model.params_b for model in store.catalogue.models.values()}
    for row in csv.DictReader(io.StringIO(text, newline="")):
        lacking = sum(model == row["model"] for model, _ in planted)
        assert row["n_benchmarks"] == str(37 - lacking)
        assert row["n_missing"] == str(lacking)
        empty = ("rank", "rank_band_first", "rank_band_last", "rank_all", "cluster")
        assert {row[key] == "" for key in empty} == {lacking > 0}
        if lacking:
            assert {row[key] for key in ("decision", "tier", "verdict", "difference")} == {""}
        assert (row["missing"] == "") == (lacking == 0)
        assert row["params_b"] == ("" if (size := sizes[row["model"]]) is None else str(size))
        zero = [key for key, value in row.items() if value in ("0", "0.0", "nan", "None")]
        assert zero == ([] if lacking else ["n_missing"])
