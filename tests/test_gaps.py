"""No missing value is ever read as 0: gaps are planted in MedHELM and followed into the CSV."""

import csv
import io
from datetime import date

import numpy as np
import pytest

from core.answers import recommend
from core.domain import Requirements, ScoreTable
from core.evidence import snapshots
from core.evidence.store import open_store
from core.sharing.export import records, to_csv

TODAY = date(2026, 11, 21)
ANY = Requirements(on_sale_months=None)
"""Nothing is left out, not even what is no longer sold."""
NO_ROW = ("GPT-5 (2025-08-07)", "medcalc_bench")
EMPTY_CELL = ("o3-mini (2025-01-31)", "aci_bench")
NO_CATEGORY = ("Claude 3.5 Sonnet (20241022)", "Administration and Workflow")


@pytest.fixture(scope="module")
def planted(bundled):
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


def test_a_gap_is_empty_in_the_csv_and_its_model_has_no_rank(store, planted):
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
