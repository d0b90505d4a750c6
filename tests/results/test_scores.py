"""A hospital's own results: worked examples of each format, in the shapes that tools write."""

import json

import pytest

from core.domain import BadDataError, BadRequestError
from core.evidence import snapshots
from core.results import read_own_scores
from core.statistics import score_matrix
from core.statistics.ranks import win_rates

HELM_METRICS = {"Exact match": "EM", "Jury Score (1-5)": "Jury Score"}


@pytest.fixture
def load(bundled):
    def load(content, name="own.json", **options):
        data = json.dumps(content).encode()
        imported = read_own_scores(name, data, bundled.catalogue, **options)
        frame = imported.table.frame
        assert tuple(frame.columns) == snapshots.SCORE_COLUMNS
        assert frame["run"].str.startswith("local:").all()
        assert not frame.duplicated(["run", "protocol", "benchmark"]).any()
        assert frame["source_url"].eq("").all()
        assert frame["score"].notna().all()
        assert frame[["score", "standard_error"]].dtypes.eq("float64").all()
        assert imported.format in ("HELM groups", "lm-evaluation-harness", "CSV template")
        assert all(note.endswith(".") for note in imported.notes)
        return imported

    return load


@pytest.fixture
def refuse(load):
    def refuse(content, name="own.json", error=BadDataError, **options):
        with pytest.raises(error) as caught:
            load(content, name, **options)
        return str(caught.value)

    return refuse


def scores(imported):
    frame = imported.table.frame
    return {(m, b): s for m, b, s in zip(frame.model, frame.benchmark, frame.score, strict=True)}


def facts(imported):
    return {(fact.model, fact.field, fact.value) for fact in imported.table.facts}


def head(value, run_group=None, metric=None, **more):
    metadata = {"run_group": run_group, "metric": metric} if run_group else {}
    return {"value": value, "markdown": False, "metadata": metadata, **more}


def table(header, *rows, title="Accuracy", name="accuracy"):
    cells = [[{"value": value, "markdown": False} for value in row] for row in rows]
    links = [{"text": "JSON", "href": "x.json"}]
    return {"title": title, "header": header, "rows": cells, "links": links, "name": name}


def helm_release(frame, benchmarks):
    wide = frame.pivot(index="model", columns="benchmark", values="score")
    header, times = ([head("Model"), head("Mean win rate", lower_is_better=False)] for _ in "ab")
    slow = "Observed inference time (s)"
    for b in benchmarks:
        metric = HELM_METRICS.get(b.metric, b.metric)
        header.append(head(f"{b.name} - {metric}", b.name, metric, lower_is_better=False))
        times.append(head(f"{b.name} - {slow}", b.name, slow, lower_is_better=True))
    rows = [[m, 0.5, *(wide.loc[m, b.id] for b in benchmarks)] for m in wide.index]
    seconds = [[m, 0.5, *(12.5 for _ in benchmarks)] for m in wide.index]
    return [table(header, *rows), table(times, *seconds, title="Efficiency", name="efficiency")]


def test_medhelm_as_helm_groups_gives_the_win_rates_of_the_bundled_suite(bundled, load):
    benchmarks = bundled.catalogue.benchmarks["medhelm"]
    frame = bundled.scores(bundled.snapshot("medhelm"), "")
    imported = load(helm_release(frame, benchmarks), "medhelm_scenarios.json")
    assert (imported.format, imported.table.suite) == ("HELM groups", "medhelm")
    assert len(imported.table.frame) == len(frame) == 481
    ours, theirs = (
        win_rates(score_matrix.build_matrix(f, benchmarks, suite="medhelm"))
        for f in (imported.table.frame, frame)
    )
    assert ours.rows == theirs.rows
    assert ours.categories == theirs.categories
    assert len(imported.notes) == 1
    assert '"Efficiency" these columns were skipped' in imported.notes[0]


ACI = "ACI-Bench Jury Score"


@pytest.mark.parametrize(
    ("column", "benchmark", "value"),
    [
        (head("MedCalc-Bench - MedCalc Accuracy"), "medcalc_bench", 0.2),
        (head("medcalc_bench"), "medcalc_bench", 0.2),
        (head("ACI-Bench"), "aci_bench", 4.5),
        (head(f"ACI-Bench - {ACI}", "ACI-Bench", ACI), "aci_bench", 1),
        (head("MTSamples Procedures - Jury Score (1-5)"), "mtsamples_procedures", 5),
        (head("N2C2-CT - EM", "N2C2-CT", "EM"), "n2c2_ct_matching", 0.9),
        (head("MIMIC-BHC - Jury Score"), "mimic_bhc", 3.3),
        (head("EM", "PubMedQA", "EM"), "pubmed_qa", 0.7),
        (head("EHRSQL - Execution accuracy for Generated Query"), "ehr_sql", 0.1),
        ("MIMIC-IV Billing Code - MIMICBillingF1", "mimiciv_billing_code", 0.4),
    ],
)
def test_headers_of_helm_name_benchmarks_in_many_ways(load, column, benchmark, value):
    imported = load(table([head("Model/adapter"), column], ["m", value]))
    assert (scores(imported), imported.notes) == ({("m", benchmark): value}, ())


ROBUST = {"run_group": "CLEAR", "metric": "EM", "perturbation": "Robust"}


@pytest.mark.parametrize(
    "column",
    [
        head("CLEAR - # eval", "CLEAR", "# eval"),
        head("MTSamples - BERTScore (F1)", "MTSamples", "BERTScore (F1)"),
        head("Medec - MedecSentenceAcc", "Medec", "MedecSentenceAcc"),
        head("CLEAR - EM", "CLEAR", "EM", lower_is_better=True),
        {**head("CLEAR - EM (Robust)"), "metadata": ROBUST},
        head("MMLU - EM", "MMLU", "EM"),
        head("Ward notes"),
    ],
)
def test_other_columns_of_helm_are_listed_and_never_scores(load, refuse, column):
    header = [head("Model"), head("Mean win rate"), head("MedQA - EM"), column]
    imported = load(table(header, ["m", 0.5, 0.25, 0.75]))
    assert scores(imported) == {("m", "med_qa"): 0.25}
    assert json.dumps(column["value"])[1:-1] in imported.notes[0]
    assert "Mean win rate" not in imported.notes[0]
    message = refuse(table([head("Model"), column], ["m", 0.75]))
    assert message.startswith("own.json: it holds no score on a benchmark of MedHELM")
    assert column["value"] in message


def test_gaps_of_helm_are_no_zeros(load):
    header = [head("Model"), head("MedQA - EM"), head("CLEAR - EM")]
    document = table(header, ["a", None, 0.5], ["b", "-", 0], ["c", "", "0.25"])
    del document["rows"][0][1]["value"]
    assert scores(load(document)) == {("a", "clear"): 0.5, ("b", "clear"): 0, ("c", "clear"): 0.25}


def test_variants_of_a_model_stay_separate_runs(load):
    names = ["GPT-4 [num_outputs=5]", "GPT-4 [num_outputs=1]", "GPT-4", "GPT-4"]
    rows = [[name, i / 10] for i, name in enumerate(names)]
    frame = load(table([head("Model/adapter"), head("MedQA")], *rows)).table.frame
    assert set(frame.model) == {"GPT-4"}
    runs = [run.partition("@")[0] for run in frame.run]
    assert runs == [f"local:{n}" for n in [*names[:3], "GPT-4 #2"]]
    header = [head("Model"), head("Adapter"), head("MedQA")]
    frame = load(table(header, ["m", "chat", 0.1], ["m", "plain", 0.2])).table.frame
    assert list(frame.model) == ["m", "m"]
    assert frame.run.is_unique


def test_the_first_table_of_a_benchmark_counts_and_the_parts_do_not(load):
    header = [head("Model"), head("EM", "EHRSHOT", "EM")]
    whole = table(header, ["m", 0.5], ["n", 0.4], title="EHRSHOT", name="ehrshot")
    name = "ehrshot:subject=icu"
    part = table(header, ["m", 0.9], ["n", 0.4], title="EHRSHOT subject: icu", name=name)
    imported = load([whole, {"title": "empty", "header": [], "rows": []}, part])
    assert scores(imported) == {("m", "ehrshot"): 0.5, ("n", "ehrshot"): 0.4}
    assert "EHRSHOT" in imported.notes[0]


def test_faults_of_helm_name_the_cell(refuse):
    header = [head("Model"), head("MedQA - EM"), head("ACI-Bench - Jury Score")]
    good = ["m", 0.5, 3.0]
    for row, place, word in [
        (["m", 85, 3.0], "[0].rows[1][1]", "divide a percentage by 100"),
        (["m", 0.5, 0.7], "[0].rows[1][2]", "scale of 1 to 5"),
        (["m", True, 3.0], "[0].rows[1][1]", "not a number"),
        (["m", [1], 3.0], "[0].rows[1][1]", "a list is not a number"),
        (["m", 10**400, 3.0], "[0].rows[1][1]", "not a number"),
        ([None, 0.5, 3.0], "[0].rows[1][0]", "model"),
        (["m", 0.5], "[0].rows[1]", "2 cells"),
    ]:
        message = refuse([table(header, good, row)])
        assert message.startswith(f"own.json, {place}: ")
        assert word in message
    twice = [head("Model"), head("MedQA - EM"), head("med_qa")]
    assert "are both MedQA" in refuse(table(twice, ["m", 0.5, 0.5]))
    index = table([head("Group"), head("# models")], ["MedQA", 3], title="All scenarios")
    assert 'its first column is "Group"' in refuse(index)
    assert "belong to medhelm" in refuse(table(header, good), suite="bridge")


MEDICAL = {
    "results": {
        "medmcqa": {"alias": "medmcqa", "acc,none": 0.482, "acc_stderr,none": 0.0077},
        "medqa_4options": {"acc,none": 0.5, "acc_stderr,none": "N/A", "acc_norm,none": 0.6},
        "mmlu_anatomy": {"acc,none": 0.5556, "alias": " - anatomy"},
        "pubmedqa": {"acc": 0.754, "acc_stderr": 0.0193},
        "hellaswag": {"acc,none": 0.8},
    },
    "config": {
        "model": "hf",
        "model_args": "pretrained=lab/med-7b,dtype=bfloat16,trust_remote_code=True",
        "model_num_parameters": 7241732096,
        "model_dtype": "torch.float16",
        "model_sha": "f794cefc",
        "limit": None,
    },
    "date": 1716000000.5,
}
NAME = "results_2024-05-16T07-57-23.098609.json"


def test_a_results_file_of_the_harness(load):
    imported = load(MEDICAL, NAME)
    assert (imported.format, imported.table.suite) == ("lm-evaluation-harness", "open-medical-llm")
    frame = imported.table.frame.set_index("benchmark")
    expected = {"medmcqa": 0.482, "medqa": 0.5, "mmlu_anatomy": 0.5556, "pubmedqa": 0.754}
    assert frame.score.to_dict() == expected
    assert frame.standard_error.dropna().to_dict() == {"medmcqa": 0.0077, "pubmedqa": 0.0193}
    told = frame[["model", "precision", "model_revision", "run_at"]].drop_duplicates()
    expected = [["lab/med-7b", "float16", "f794cefc", "2024-05-18T02:40:00Z"]]
    assert told.to_numpy().tolist() == expected
    assert facts(imported) == {("lab/med-7b", "params_b", "7.241732096")}
    assert imported.table.facts[0].source == f"local file {NAME}"
    assert imported.notes == (
        'These tasks were skipped, since they are not benchmarks of Open Medical-LLM: "hellaswag".',
    )


COMPLETIONS = {"model": "local-completions", "model_args": "model=gpt-x,base_url=http://h"}


@pytest.mark.parametrize(
    ("config", "name", "model"),
    [
        ({"model_args": {"pretrained": "lab/a", "dtype": "auto"}}, "r.json", "lab/a"),
        (COMPLETIONS, "r", "gpt-x"),
        ({"model": "hf", "model_name": "lab/b"}, "r.json", "lab/b"),
        ({"model": "lab/c"}, "r.json", "lab/c"),
        ({"model": "hf"}, "out/lab__d/results_1.json", "lab/d"),
        ({}, "lab/e/results_1.json", "lab/e"),
        ({}, "GPT-4/results_1.json", "GPT-4"),
        ({"model_args": "pretrained=/srv/models/f-9b/"}, "r.json", "f-9b"),
        ({"model_args": "pretrained=lab/base,peft=lab/tuned"}, "r.json", "lab/tuned"),
    ],
)
def test_the_model_comes_from_the_configuration_else_from_the_path(load, config, name, model):
    assert set(load(MEDICAL | {"config": config}, name).table.frame.model) == {model}


def test_names_that_disagree_parts_and_filters_are_noted(load, refuse):
    assert "the model's name is missing" in refuse(MEDICAL | {"config": {"model": "hf"}})
    config = {"model_args": "pretrained=lab/x", "model_name": "lab/y", "limit": 10}
    notes = " ".join(load(MEDICAL | {"config": config}, "lab/z/results_1.json").notes)
    assert 'The folder says "lab/z" and the file "lab/x"' in notes
    assert '"lab/y", but "lab/x" was loaded' in notes
    assert "--limit" in notes
    # A filter other than none is read and said.
    task = {"exact_match,strict-match": 0.4, "exact_match_stderr,strict-match": 0.02}
    results = {"medqa_4options": {**task, "exact_match,flexible": 0.6}}
    imported = load(MEDICAL | {"results": results})
    assert imported.table.frame[["score", "standard_error"]].to_numpy().tolist() == [[0.4, 0.02]]
    assert '"exact_match,strict-match"' in imported.notes[0]


def test_a_file_of_the_harness_is_of_one_suite(load, refuse):
    mixed = {**MEDICAL, "results": {"medmcqa": {"acc": 0.5}, "leaderboard_mmlu_pro": {"acc": 0.3}}}
    imported = load(mixed)
    assert [*scores(imported).values()] == [0.5]
    assert '"leaderboard_mmlu_pro"' in imported.notes[0]
    assert "not to open-llm-v2: write other scores" in refuse(mixed, suite="open-llm-v2")
    assert "There is no suite" in refuse(mixed, suite="nowhere", error=BadRequestError)
    assert "holds no score" in refuse({**MEDICAL, "results": {"arc": {"acc": 0.5}}})
    assert "by acc or exact_match" in refuse({**MEDICAL, "results": {"medmcqa": {"f1": 0.5}}})


@pytest.mark.parametrize(
    ("metrics", "place"),
    [
        ({"acc,none": 48.2}, 'results.medmcqa["acc,none"]: '),
        ({"acc,none": "high"}, 'results.medmcqa["acc,none"]: '),
        ({"acc,none": 0.5, "acc_stderr,none": -0.1}, 'results.medmcqa["acc,none"]: '),
        ([0.5], "results.medmcqa: "),
    ],
)
def test_faults_of_the_harness_name_the_place(refuse, metrics, place):
    document = {**MEDICAL, "results": {"medmcqa": metrics}}
    assert refuse(document).startswith(f"own.json, {place}")
