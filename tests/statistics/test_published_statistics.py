"""Numbers that papers print, from the shared figures."""

import numpy as np
import pandas as pd
import pytest

from core.domain import Cohort, RunPin
from core.statistics.redundancy import correlate
from core.statistics.score_matrix import build, select_models
from core.statistics.taxonomy import build_taxonomy, distances_from
from core.statistics.win_rates import win_rates


@pytest.fixture(scope="module")
def portraits(shared):
    return shared("published/taxonomy_portraits_models.csv")


@pytest.fixture(scope="module")
def open_llm_scores(shared):
    return shared("figures/open_llm_v2_scores.csv")


@pytest.fixture(scope="module")
def general(portraits, open_llm_scores, make_benchmark):
    frame = open_llm_scores.rename(
        columns={
            "model_id": "model",
            "model_sha": "run",
            "submitted_on": "run_at",
            "benchmark_id": "benchmark",
            "raw_score": "score",
        }
    ).assign(standard_error=np.nan)
    names = sorted(frame["benchmark"].unique())
    several = frame.groupby("model")["precision"].nunique()
    pins = tuple(
        (model, RunPin(precision="bfloat16"))
        for model in several[several > 1].index
        if model in set(portraits["model_id"])
    )
    cohort = Cohort("portraits", "suite", tuple(portraits["model_id"]), pins, (), "")
    matrix = build(frame, [make_benchmark(n) for n in names], suite="suite", cohort=cohort)
    return build_taxonomy(matrix)


@pytest.fixture(scope="module")
def medical(portraits, shared, make_benchmark):
    frame = shared("figures/open_medical_llm_scores.csv").rename(
        columns={
            "model_id": "model",
            "results_file": "run",
            "dtype": "precision",
            "benchmark_id": "benchmark",
            "accuracy": "score",
            "accuracy_stderr": "standard_error",
        }
    )
    names = sorted(frame["benchmark"].unique())
    mirrors = portraits.dropna(subset="leaderboard_mirror")
    pins = tuple(
        (model, RunPin(model=mirror))
        for model, mirror in zip(mirrors["model_id"], mirrors["leaderboard_mirror"], strict=True)
    )
    cohort = Cohort("portraits", "suite", tuple(portraits["model_id"]), pins, (), "")
    return build(frame, [make_benchmark(n) for n in names], suite="suite", cohort=cohort)


def test_general_side_of_the_taxonomy(portraits, general):
    assert dict(zip(general.models, general.labels, strict=True)) == dict(
        zip(portraits["model_id"], portraits["dn_cluster"], strict=True)
    )
    assert general.labels.count("H") == 20


def test_medical_side_of_the_taxonomy(portraits, medical):
    taxonomy = build_taxonomy(medical)
    published = dict(zip(portraits["model_id"], portraits["ds_cluster"], strict=True))
    found = dict(zip(taxonomy.models, taxonomy.labels, strict=True))
    assert len(found) == 29
    assert found == {model: published[model] for model in found}
    assert {exclusion.model for exclusion in taxonomy.excluded} == {
        "google/recurrentgemma-2b",
        "stabilityai/stablelm-2-1_6b",
        "upstage/SOLAR-10.7B-Instruct-v1.0",
        "VAGOsolutions/SauerkrautLM-Gemma-7b",
    }
    assert "unsloth/gemma-2b: " in medical.runs[medical.models.index("google/gemma-2b")]


def test_closest_smaller_model_in_both_taxonomies(medical, general, open_llm_scores):
    target = "abacusai/Liberated-Qwen1.5-14B"
    distance = pd.Series(0.0, index=general.models)
    for taxonomy in (general, build_taxonomy(medical)):
        from_target = distances_from(taxonomy, taxonomy.models.index(target))
        distance = distance + pd.Series(from_target, index=taxonomy.models)
    params = open_llm_scores.groupby("model_id")["params_b"].first()
    smaller = distance[[params[model] < params[target] for model in distance.index]]
    assert smaller.idxmin() == "01-ai/Yi-1.5-9B-32K"


def test_medical_benchmarks_are_redundant(medical):
    result = correlate(medical)
    assert len(result.pairs) == 36
    assert result.alpha == pytest.approx(0.01 / 36)
    assert sum(pair.significant for pair in result.pairs) > 18


def test_medhelm_table_1(shared, make_benchmark):
    table = shared("published/medhelm_table1.csv").set_index("model_name")
    catalogue = shared("figures/medhelm_benchmarks.csv")
    frame = (
        shared("figures/medhelm_scores.csv")
        .rename(columns={"model_name": "model", "benchmark_id": "benchmark", "release": "run"})
        .assign(run_at="", precision="", standard_error=np.nan)
    )
    benchmarks = [
        make_benchmark(row.benchmark_id, scale_min=row.scale_min, scale_max=row.scale_max)
        for row in catalogue[catalogue["in_paper_35"]].itertuples()
    ]
    matrix = select_models(build(frame, benchmarks, suite="suite"), list(table.index))
    assert matrix.scores.shape == (9, 35)
    rows = win_rates(matrix).rows
    columns = ["win_rate", "win_sd", "macro_avg", "sd"]
    found = pd.DataFrame(
        [{"model_name": r.model} | {c: getattr(r, c) for c in columns} for r in rows]
    )
    found = found.set_index("model_name").loc[table.index, columns]
    pd.testing.assert_frame_equal(found.round(2), table[columns])
    assert rows[0].model == "DeepSeek R1"
