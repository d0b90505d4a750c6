"""One parser a leaderboard: runs stay apart, gaps stay gaps, and all is as printed."""

import csv

import pytest

from core import sources
from core.answers import data
from core.answers.replacing import pair
from core.domain import BadDataError, ModelFact, Selection
from core.evidence import snapshots
from core.sources.printed import PARSERS
from tests.evidence.conftest import records, refused, some
from tests.evidence.hub_server import parquet

FIGURES = {
    "open-medical-llm": "open_medical_llm_scores.csv",
    "open-llm-v2": "open_llm_v2_scores.csv",
    "medhelm": "medhelm_scores.csv",
    "benchhealth": "benchhealth_scores.csv",
    "bridge": "bridge_scores.csv",
    "chi-bench": "chi_bench_results.csv",
    "medagentsbench": "medagentsbench_scores.csv",
    "lmarena-medicine": "arena_medicine_2025-12-17.csv",
    "vectara-hhem": "vectara_hallucination.csv",
    "medbench-brasil": "medbench_brasil_scores.csv",
    "germedbench": "germedbench_scores.csv",
    "noharm-ai-diagnoses": "discharge_diagnoses_scores.csv",
    "livemedbench": "livemedbench_scores.csv",
    "noharm-v2-open": "mast_open_scores.csv",
    "medhelm-v5": "medhelm_v5_win_rates.csv",
    "healthbench-psych": "healthbench_psych_scores.csv",
}
CALLED = {
    **{"medbench-brasil": "medbench-brasil", "germedbench": "germedbench"},
    **{"noharm-ai-diagnoses": "noharm-ai-summary", "livemedbench": "livemedbench"},
    **{"noharm-v2-open": "sct-open", "medhelm-v5": "medhelm-v5.0.0"},
}
"""What tables of one layout call their suites."""
HEADERS = {
    "open-medical-llm": "model_id,model_sha,dtype,run_at,results_file,benchmark_id,accuracy,"
    "accuracy_stderr,source_url",
    "open-llm-v2": "model_id,model_sha,precision,submitted_on,benchmark_id,raw_score,"
    "normalised_score",
    "medhelm": "model_name,benchmark_id,score,release",
    "benchhealth": "model_name,dataset_id,score_percent",
    "bridge": "model_name,task_id,prompting,score_percent",
    "noharm": "model_name,metric_id,score,ci_halfwidth_as_printed,source_url",
    "chi-bench": "model,agent,team,submission,submitted_at,benchmark,score,stderr,mean_cost_usd,"
    "mean_walltime_s,source,retrieved_path",
    "medagentsbench": "model,benchmark,score,stderr,source,retrieved_path",
    "lmarena-medicine": "model,benchmark,score,stderr,source,retrieved_path,as_of",
    "vectara-hhem": "model,metric,score,source,retrieved_path",
    "healthbench-psych": "model,benchmark,judge,value,n_items,answered_on,graded_until",
    **dict.fromkeys(CALLED, "suite,model,benchmark,metric,score,unit,n_items,stderr,source"),
}


@pytest.fixture
def parse(tmp_path):
    def parse(suite, *lines):
        path = tmp_path / "table.csv"
        path.write_text("\n".join([HEADERS[suite], *lines]) + "\n", "utf-8")
        return records(PARSERS[suite](path), suite)

    return parse


def test_open_medical_llm_keeps_runs_and_standard_errors(parse):
    first, second, third = parse(
        "open-medical-llm",
        "lab/m,abc,torch.bfloat16,2024-05-16T07:57:23Z,r1.json,medqa,0.55,0.014,https://x",
        "lab/m,abc,torch.float16,2024-06-31,r2.json,medqa,0.56,,",
        "lab/m,,,,r2.json,pubmedqa,,,",
    )
    some(
        first,
        **{"model": "lab/m", "run": "lab/m@r1.json", "run_at": "2024-05-16T07:57:23Z"},
        **{"precision": "bfloat16", "model_revision": "abc", "protocol": ""},
        **{"benchmark": "medqa", "score": 0.55, "standard_error": 0.014, "source_url": "https://x"},
    )
    some(second, run="lab/m@r2.json", run_at="2024-06-31", score=0.56, standard_error=None)
    some(third, precision="", score=None, standard_error=None)


def test_noharm_makes_a_standard_error_of_the_printed_half_width(parse):
    first, second = parse(
        "noharm", "GPT,noharm_safety,0.6,0.0196,https://x", "Humans,noharm_runtime,,,https://x"
    )
    some(first, run="GPT@v1", benchmark="safety", score=0.6)
    assert first["standard_error"] == pytest.approx(0.01, rel=1e-4)
    some(second, benchmark="runtime", score=None, standard_error=None)


def test_bridge_keeps_its_three_protocols_apart(parse):
    found = parse("bridge", *(f"m,task,{name},1.5" for name in ("Zero-Shot", "Few-Shot", "CoT")))
    assert [record["protocol"] for record in found] == ["zero-shot", "few-shot", "chain-of-thought"]
    assert len({record["run"] for record in found}) == 3
    (gap,) = parse("bridge", "m,task,CoT,")
    assert gap["score"] is None
    said = r'table\.csv, row 3: the prompting protocol "5-Shot"'
    refused(BadDataError, said, parse, "bridge", "m,task,CoT,1", "m,task,5-Shot,1")


def test_healthbench_psych_scores_the_mean_of_its_judges_and_keeps_each(parse):
    rows = ("m,psych,panel mean,0.5,611,2026-07-30,2026-09-23", "m,psych,j,0.4,611,,2026-09-23")
    first, second = parse("healthbench-psych", *rows)
    some(first, benchmark="psych", score=0.5, run="m@2026-09-23", run_at="2026-07-30")
    some(second, benchmark="psych:j", score=0.4, standard_error=None)


CHI = "m,{},team,{},2026-01-01,chi-bench:{},0.5,0.1,{},0.0,https://x/r,c:b/{}/results.csv"


def test_chi_bench_names_models_with_their_harness_and_runs_by_submission(parse):
    first, second, third = parse(
        "chi-bench",
        CHI.format("a", "one", "cm", "1.5", "2026-01-01-one"),
        CHI.format("a", "one", "overall", "1.5", "2026-01-01-one"),
        CHI.format("b", "twice", "cm", "0.0", "2026-01-02-twice"),
        CHI.format("b", "twice", "cm", "0.0", "2026-01-03-twice"),
    )
    some(first, model="m (a)", run="one", benchmark="cm", score=0.5, standard_error=0.1)
    assert first["source_url"] == "https://x/r/blob/c/b/2026-01-01-one/results.csv"
    assert [second["run"], third["run"]] == ["2026-01-02-twice", "2026-01-03-twice"]


def test_chi_bench_tells_the_harness_and_a_cost_that_was_recorded(figures):
    said = {}
    for fact in PARSERS["chi-bench"](figures / FIGURES["chi-bench"]).facts:
        said.setdefault(fact.model, {})[fact.field] = fact.value
    opus = said["anthropic/claude-opus-5 (claude-code)"]
    assert opus["tested_model"] == "anthropic/claude-opus-5"
    assert (opus["harness"], opus["team"]) == ("claude-code", "Actava")
    assert (opus["cost_usd_per_task"], opus["seconds_per_task:cm"]) == ("4.79001", "1278.47")
    # A cost of 0.0 is none that was recorded; the time was.
    hermes = said["openrouter/z-ai/glm-5.1 (hermes)"]
    assert not [field for field in hermes if field.startswith("cost")]
    assert hermes["seconds_per_task"] == "1120.98"


def test_all_182_means_of_chi_bench_follow_from_its_items(figures):
    """The overall ones too, which are not a benchmark: over the tasks of all three domains."""
    table = PARSERS["chi-bench"](figures / FIGURES["chi-bench"])
    assert (len(table.items), table.items["run"].nunique()) == (7750, 46)
    tasks = table.items.groupby(["run", "benchmark", "item"])["score"].mean()
    per_domain = tasks.groupby(["run", "benchmark"]).mean()
    overall = tasks.groupby("run").mean()
    runs = table.frame.groupby("source_url")["run"].first()
    n = 0
    with (figures / FIGURES["chi-bench"]).open(encoding="utf-8") as handle:
        for row in csv.DictReader(handle):
            commit, _, path = row["retrieved_path"].partition(":")
            run = runs[f"{row['source']}/blob/{commit}/{path}"]
            domain = row["benchmark"].removeprefix("chi-bench:")
            mean = overall[run] if domain == "overall" else per_domain[run, domain]
            assert mean == pytest.approx(float(row["score"]), abs=1e-9), (run, domain)
            n += 1
    assert n == 182
    assert overall["opus-5-claude-code"] == 28 / 75


def test_medagentsbench_has_an_item_per_question_that_was_answered(figures):
    items = PARSERS["medagentsbench"](figures / FIGURES["medagentsbench"]).items
    assert len(items) == 6978 * 10 - 2  # Claude 3.5 Sonnet left two questions out
    medqa = items[items["benchmark"] == "medqa"].pivot(index="item", columns="run", values="score")
    ours, theirs = medqa["o3-mini@zero-shot"], medqa["DeepSeek-R1@zero-shot"]
    assert ((ours > theirs).sum(), (ours < theirs).sum()) == (49, 40)


def test_trials_of_a_submission_without_results_are_named(figures, tmp_path):
    results, trials = tmp_path / "a_results.csv", tmp_path / "a_trials.csv"
    results.write_bytes((figures / "chi_bench_results.csv").read_bytes())
    trials.write_text("submission,domain,task,attempt,reward\nnobody,cm,t,1,1\n")
    said = r'a_trials.csv, row 2: the submission "nobody" has no'
    refused(BadDataError, said, PARSERS["chi-bench"], results)


def test_lmarena_takes_the_ratings_with_style_control(parse):
    (found,) = parse(
        "lmarena-medicine",
        "m,arena (text),1500,9,https://x/r,c:d.json,2025-12-17 (date of the commit)",
        '"m","arena (text, style control)",1400.5,8,https://x/r,c:d.json,2025-12-17 (date)',
    )
    some(found, run="m@2025-12-17", run_at="2025-12-17", benchmark="rating", score=1400.5)
    assert (found["standard_error"], found["source_url"]) == (8, "https://x/r/blob/c/d.json")


def test_vectara_keeps_its_three_counts_apart(parse):
    printed = (
        "hallucination rate percent (lower is better)",
        *("answer rate percent", "mean summary length words"),
    )
    found = parse("vectara-hhem", *(f"lab/m,{metric},1.8,https://x/r,c:f" for metric in printed))
    names = [record["benchmark"] for record in found]
    assert names == ["invented_content", "answer_rate", "summary_length"]
    strange, said = "lab/m,speed,1.8,https://x/r,c:f", 'row 2: the metric "speed" is unknown'
    refused(BadDataError, said, parse, "vectara-hhem", strange)


@pytest.mark.parametrize("suite", PARSERS)
def test_a_missing_column_and_a_score_in_words_are_named(parse, tmp_path, suite):
    columns = HEADERS[suite].split(",")
    path = tmp_path / "short.csv"
    path.write_text(",".join(columns[1:]) + "\n")
    said = rf'short\.csv, row 1: the column "{columns[0]}"'
    refused(BadDataError, said, PARSERS[suite], path)
    scores = ("score", "score_percent", "raw_score", "accuracy", "value")
    words = {
        **dict.fromkeys(scores, "high"),
        **{"metric": "answer rate percent", "retrieved_path": "c:a/b/r.csv"},
        "suite": CALLED.get(suite, ""),
    }
    if suite == "lmarena-medicine":
        words["benchmark"] = "arena (text, style control)"
    cells = [words.get(column, "CoT") for column in columns]
    cells = [f'"{cell}"' if "," in cell else cell for cell in cells]
    refused(BadDataError, r'table\.csv, row 2: "high" in the column', parse, suite, ",".join(cells))


def test_a_parquet_file_with_more_rows_than_any_leaderboard_is_refused(monkeypatch):
    content = parquet({"model": ["a", "b", "c"]})
    monkeypatch.setattr(sources, "_MAX_ROWS", 3)
    assert len(sources.read_parquet(content, "x", ["model"], ["more"])) == 3
    monkeypatch.setattr(sources, "_MAX_ROWS", 2)
    said = "x: 3 rows are more than any leaderboard has"
    refused(BadDataError, said, sources.read_parquet, content, "x", ["model"], [])


def test_a_common_table_is_of_its_suite_and_its_items_have_scores(tmp_path):
    scores, items = tmp_path / "a_scores.csv", tmp_path / "a_items.csv"
    row = "germedbench,lab/m,med_qa,accuracy (primary),1,fraction,1,,github.com/a/b/c.json@4ac9729"
    scores.write_text(f"{HEADERS['germedbench']}\n{row}\n")
    found = PARSERS["germedbench"](scores)
    assert found.frame["source_url"].tolist() == ["https://github.com/a/b/blob/4ac9729/c.json"]
    said = 'row 2: the suite "germedbench" is not livemedbench'
    refused(BadDataError, said, PARSERS["livemedbench"], scores)
    items.write_text("model,benchmark,item,metric,score\nlab/m,exam,1,correct,1\n")
    said = r'a_items.csv, row 2: "lab/m" has no score on exam'
    refused(BadDataError, said, PARSERS["germedbench"], scores)


@pytest.mark.slow
@pytest.mark.parametrize("suite", FIGURES)
def test_the_bundled_snapshot_equals_a_fresh_import(bundled, figures, tmp_path, suite):
    kept = bundled.snapshot(suite)
    fields = ("revision", "as_of", "retrieved_at", "source_url", "licence", "note")
    about = {field: getattr(kept, field) for field in fields}
    table, scales = PARSERS[suite](figures / FIGURES[suite]), bundled.catalogue.scales()[suite]
    assert snapshots.write(tmp_path, table, scales=scales, **about) == kept


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
"""Metrics other than the main one, without those of GerMedBench, which marks its main ones."""


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
        ("germedbench", "openai/gpt-oss-120b", "summarization", 3.86, 0.053103),
        ("germedbench", "Qwen/Qwen2.5-72B-Instruct", "clinical_reasoning:top3_recall", 0.78, None),
        ("noharm-ai-diagnoses", "claude_opus41", "diagnoses", 0.8902, 0.015074),
        ("livemedbench", "GPT-5.2", "after_cutoff", 0.3831, None),
        ("noharm-v2-open", "GPT-5.5", "donoharm", 0.726, 0.0367),
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


def test_runs_of_a_question_are_one_whose_mean_is_printed(bundled):
    counts = bundled.item_counts(bundled.snapshot("medbench-brasil"))
    assert counts["n_rows"].sum() == 21 * 341 * 3
    opus = counts.query("run == 'claude-opus-4-7@three-runs' and benchmark == 'enamed-2025'")
    # 235 of 246 answers are right; the table prints 0.955285.
    expected = [[pytest.approx(235 / 246), 82, 246]]
    assert opus[["mean", "n_items", "n_rows"]].to_numpy().tolist() == expected
    marks = {f.value for f in bundled.derived(ModelFact, bundled.snapshot("medbench-brasil"))}
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
