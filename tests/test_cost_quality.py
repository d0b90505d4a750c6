"""Quality against cost, put together: each axis against figures printed or worked out by hand."""

import math
from dataclasses import replace
from datetime import date
from statistics import fmean

import pytest

from core.answers import cost as cost_answers
from core.answers import recommend
from core.charts.intervals import cost_quality
from core.domain import Requirements
from core.evidence.store import open_store

DAY = date(2026, 11, 21)
# On a day on which every model of the suite was still sold.
ASKED = Requirements(on_sale_months=None, on_sale_on="2025-05-01")
TOKENS = replace(ASKED, input_tokens_per_request=900, output_tokens_per_request=100)


def by_model(store, cost, asked=ASKED):
    found = cost_answers.cost_quality(store, asked, DAY, cost)
    return {row.model.id: row for row in found.rows}


def test_the_frontier_by_win_rate_and_the_printed_benchmark_cost(bundled):
    # Win rates of the 13 models beside the costs of the paper's Table 3, worked out by hand:
    # 4o mini .332 at 38.83, 2.0 Flash .360 at 43.04, 4o .491 at 647.28, o3-mini .572 at 762.50.
    # Llama .277 at 172.45, 1.5 Pro .219 at 359.33 are beaten by Flash; Sonnet 3.7 .529 at 768.26,
    # Sonnet 3.5 .542 at 778.67 and R1 .565 at 848.21 by o3-mini.
    rows = by_model(bundled, "benchmark")
    assert [row.model.id for row in rows.values() if row.on_frontier] == [
        "o3-mini (2025-01-31)",
        "GPT-4o (2024-05-13)",
        "Gemini 2.0 Flash",
        "GPT-4o mini (2024-07-18)",
    ]
    assert rows["Llama 3.3 Instruct (70B)"].beaten_by == "Gemini 2.0 Flash"
    assert rows["DeepSeek R1"].beaten_by == "o3-mini (2025-01-31)"
    assert rows["o3-mini (2025-01-31)"].quality == pytest.approx(0.572, abs=5e-4)
    rows = by_model(bundled, "benchmark")
    assert rows["Gemini 2.0 Flash"].cost == 43.04
    assert rows["Gemini 2.0 Flash"].source == "arXiv:2505.23802, Table 3, 2025-05"
    # Newer than the paper, so nobody printed a cost: unknown, and neither beaten nor on it.
    newer = rows["GPT-5 (2025-08-07)"]
    assert (newer.cost, newer.source, newer.on_frontier, newer.beaten_by) == (None, "", False, None)


def test_the_bill_is_the_shortlists_and_a_size_in_billions(bundled):
    listed = {r.model.id: r for r in recommend.shortlist(bundled, ASKED, DAY).rows}
    for name, row in by_model(bundled, "bill").items():
        assert row.cost == listed[name].bill.monthly_usd == listed[name].cost.likely
        assert row.quality == listed[name].score
    rows = by_model(bundled, "bill", asked=replace(TOKENS, reasoning_tokens_per_request=500))
    assert all(row.monthly.low == row.cost == row.monthly.high for row in rows.values())
    asked = Requirements(suite="open-medical-llm")
    rows = by_model(bundled, "parameters", asked=asked).values()
    assert all(row.source == row.model.params_source for row in rows if row.cost)
    assert all(row.cost == row.model.params_b for row in rows)
    assert fmean(row.cost for row in rows if row.cost is not None) > 1


def test_models_that_lack_benchmarks_do_not_compare(data, write_snapshot, bundled):
    ids = [b.id for b in bundled.catalogue.benchmarks["open-medical-llm"]]
    records = [(f"org/m{i}", b, 0.3 + i / 10) for i in range(3) for b in ids]
    records += [("org/gap", b, 0.9) for b in ids[1:]]
    write_snapshot(data, "open-medical-llm", records)
    store = open_store(data)
    asked = Requirements(suite="open-medical-llm")
    for cost in ("parameters", "benchmark"):
        found = cost_answers.cost_quality(store, asked, DAY, cost)
        assert found.incomplete == ("org/gap",)
        assert [row.model.id for row in found.rows] == ["org/m2", "org/m1", "org/m0"]
        assert all(row.cost is None and not row.on_frontier for row in found.rows)


@pytest.mark.parametrize("suite", ["medhelm", "bridge", "open-llm-v2"])
def test_the_best_of_the_frontier_is_named_and_no_name_covers_another(bundled, suite):
    asked = replace(ASKED, suite=suite)
    by = "parameters" if suite == "open-llm-v2" else "bill"
    found = cost_answers.cost_quality(bundled, asked, DAY, by)
    spec = cost_quality(found.rows, by, "Score")
    (x, y), shown = _scales(spec), []
    for record in spec["datasets"]["models"]:
        if record["named"]:
            at, long = _across(x, record["cost"]), 5 * len(record["model"])
            left = at + 11 if record["named"] == "left" else at - 11 - long
            up = (record["quality"] - y[0]) / (y[1] - y[0]) * spec["height"]
            shown.append((left, left + long, up, record))
    best = max((row for row in found.rows if row.on_frontier), key=lambda row: row.quality)
    assert [r["model"] for *_, r in shown if r["best"]] == [best.model.name]
    assert len(shown) > 1
    # Compared by letters of 5 pixels and lines of 13 at a width of 700.
    for i, (left, right, up, _) in enumerate(shown):
        for other in shown[:i]:
            assert right < other[0] or other[1] < left or abs(up - other[2]) >= 13


def _scales(spec):
    drawn = [layer["encoding"] for layer in spec["layer"]]
    y = next(each["y"] for each in drawn if each["y"].get("title") == "Score")
    return drawn[0]["x"]["scale"], y["scale"]["domain"]


def _across(scale, cost):
    place = math.log if scale["type"] == "log" else float
    low, high = map(place, scale["domain"])
    return (place(cost) - low) / (high - low) * 700
