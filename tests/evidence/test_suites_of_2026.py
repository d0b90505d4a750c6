"""The suites of 2026 are those that their sources print, cell by cell and item by item."""

import csv

import pytest

from core.answers import data
from core.answers.replacing import pair
from core.domain import Selection
from tests.evidence.test_sources import CALLED, FIGURES

JUDGED = "diagnosis list for the discharge summary, judge "
PRINTED = {
    **{f"{JUDGED}o3": "diagnoses", f"{JUDGED}GPT-4o": "diagnoses_gpt4o"},
    f"{JUDGED}o3, prompt repeated": "diagnoses_repeated",
    **{"all cases": "all_cases", "cases after the model's cut-off": "after_cutoff"},
    "First Do NOHARM v2, open subset": "donoharm",
    "Script Concordance Test, open subset": "script_concordance",
    "mean win rate over the suite": "win_rate",
}
OSS, LLAMA = "openai/gpt-oss-120b", "meta-llama/Llama-3.3-70B-Instruct-Turbo"
BESIDE = ("precision", "recall", "Precision_weighted", "Recall_weighted")
"""Metrics beside the main one, but for those of GerMedBench, which marks its main ones itself."""


@pytest.fixture(scope="module")
def frames(bundled):
    return {suite: bundled.scores(bundled.snapshot(suite), "") for suite in CALLED}


@pytest.mark.parametrize("suite", CALLED)
def test_each_cell_is_the_printed_one(frames, figures, suite):
    found = frames[suite].set_index(["model", "benchmark"])[["score", "standard_error"]]
    n = 0
    with (figures / FIGURES[suite]).open(encoding="utf-8") as handle:
        for row in csv.DictReader(handle):
            benchmark, metric = PRINTED.get(row["benchmark"], row["benchmark"]), row["metric"]
            if metric in BESIDE or (suite == "germedbench" and "(primary)" not in metric):
                benchmark += f":{metric.lower()}"
            score, error = found.loc[(row["model"], benchmark)]
            assert f"{score:.6f}" == f"{float(row['score']):.6f}", row
            assert f"{error:.6f}" == (f"{float(row['stderr']):.6f}" if row["stderr"] else "nan")
            n += 1
    assert n == len(found)


@pytest.mark.parametrize(
    ("suite", "model", "benchmark", "score", "error"),
    [
        ("medbench-brasil", "claude-opus-4-7", "enamed-2025", 0.955285, 0.017122),
        ("medbench-brasil", "google/gemini-3.1-pro-preview", "revalida-2025-1", 0.988235, None),
        ("germedbench", "openai/gpt-oss-120b", "summarization", 3.86, 0.053103),
        ("germedbench", "openai/gpt-oss-120b", "icd10_coding", 0.378, None),
        ("germedbench", "Qwen/Qwen2.5-72B-Instruct", "clinical_reasoning:top3_recall", 0.78, None),
        ("noharm-ai-diagnoses", "claude_opus41", "diagnoses", 0.8902, 0.015074),
        ("noharm-ai-diagnoses", "Human Physician", "diagnoses", 0.842, None),
        ("livemedbench", "GPT-5.2", "after_cutoff", 0.3831, None),
        ("noharm-v2-open", "GPT-5.5", "donoharm", 0.726, 0.0367),
        ("noharm-v2-open", "Claude Opus 4.7", "script_concordance", 0.756, 0.0291),
        ("medhelm-v5", "GPT-5.4 (2026-04-08)", "win_rate", 0.524, None),
    ],
)
def test_some_cells_as_a_person_reads_them(frames, suite, model, benchmark, score, error):
    found = frames[suite].set_index(["model", "benchmark"]).loc[(model, benchmark)]
    assert found["score"] == pytest.approx(score, abs=6e-4)
    if error is not None:
        assert found["standard_error"] == pytest.approx(error, abs=1e-6)


def test_what_is_not_there_is_not_made_up(bundled, frames):
    """Two models lack the summaries; Nemotron's exam has a score over 31 of 49, and no items."""
    lack = {"meta-llama/Meta-Llama-3.1-8B-Instruct", "nvidia/Llama-3.1-Nemotron-70B-Instruct"}
    tested = frames["germedbench"].query("benchmark == 'summarization'")
    assert (len(tested), lack & set(tested["model"])) == (11, set())
    counts = bundled.item_counts(bundled.snapshot("germedbench"))
    assert (counts["n_rows"].sum(), len(counts)) == (2479 - 49, 49)
    exam = set(counts.query("benchmark == 'med_qa'")["run"])
    assert len(exam) == 12
    assert "nvidia/Llama-3.1-Nemotron-70B-Instruct@one-run" not in exam


def test_runs_of_a_question_are_one_and_a_mean_is_the_printed_score(bundled):
    counts = bundled.item_counts(bundled.snapshot("medbench-brasil"))
    assert counts["n_rows"].sum() == 21 * 341 * 3
    opus = counts.query("run == 'claude-opus-4-7@three-runs' and benchmark == 'enamed-2025'")
    # 235 of 246 answers are right; the table prints 0.955285.
    expected = [[pytest.approx(235 / 246), 82, 246]]
    assert opus[["mean", "n_items", "n_rows"]].to_numpy().tolist() == expected
    marks = {f.value for f in bundled.facts(bundled.snapshot("medbench-brasil"))}
    assert marks == {"likely-clean", "likely-contaminated", "unknown"}


@pytest.mark.parametrize(
    ("suite", "benchmark", "a", "b", "difference", "error"),
    [
        # Worked out with pandas from the file of items: the mean of each question's three runs,
        # its difference, standard deviation over questions, four exams weighing alike.
        ("medbench-brasil", "all", "claude-opus-4-7", "gpt-5.4", 0.022640, 0.01354),
        # +0.5133 of the points 1 to 5, half width 0.1409 by Student's t with 49 degrees of freedom.
        ("germedbench", "summarization", OSS, LLAMA, 0.5133333 / 4, 0.1409142 / 2.0095752 / 4),
    ],
)
def test_pairs_by_item(bundled, suite, benchmark, a, b, difference, error):
    found = pair(bundled, suite, benchmark, a, b)
    assert found.difference == pytest.approx(difference, abs=2e-6)
    assert found.standard_error == pytest.approx(error, abs=5e-6)
    assert found.ci_low < difference - 1.96 * error < difference + 1.96 * error < found.ci_high


def test_long_answers_stay_out_unless_asked_for(bundled):
    left = data.matrix(bundled, Selection("noharm-ai-diagnoses"))
    every = data.matrix(bundled, Selection("noharm-ai-diagnoses", include_flagged=True))
    out = {"deepseekr1", "kimik2-think", "minimax21", "openai_120b", "openai_20b"}
    assert set(every.models) - set(left.models) == out
    assert {e.model for e in left.excluded if e.rule == "flagged"} == out


def test_a_suite_decides_on_its_own_tasks_only(bundled):
    catalogue = bundled.catalogue
    suites = catalogue.suites
    assert suites["medhelm"].may_decide("balanced")
    assert suites["germedbench"].may_decide("documentation")
    assert not suites["germedbench"].may_decide("balanced")
    assert not any(suites[suite].decides for suite in CALLED if suite != "germedbench")
    named = {suite for task in catalogue.tasks.values() for suite, _ in task.weights}
    assert named & set(CALLED) == {"germedbench"}
    assert {base.suite for base in catalogue.evidence.values()} & set(CALLED) == {
        *("germedbench", "medbench-brasil")
    }
