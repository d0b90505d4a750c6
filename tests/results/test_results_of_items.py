"""What tools and raters wrote is read back: right ids, right scores, and what was skipped."""

import copy
import io
import json

import openpyxl
import pandas as pd
import pytest

from core.domain import BadDataError, BadRequestError
from core.results import read, read_patients
from core.results.collected import RESULT_COLUMNS
from tests.results.samples_of_items import (
    ITEMS,
    KEY,
    LM_EVAL,
    SAMPLES,
    SHEET,
    everything,
    helm_parts,
    lines,
    zipped,
)

DATED = "samples_sums_2026-11-20T10-00-00.000001.jsonl"


def scores(found):
    return {
        (row.model, row.item, row.rater, row.attempt): row.score for row in found.frame.itertuples()
    }


def log(**changes):
    document = json.loads((SAMPLES / "inspect_mock.json").read_text())
    for name, value in changes.items():
        (document["samples"][0] if name in document["samples"][0] else document)[name] = value
    return [("log.json", json.dumps(document).encode())]


@pytest.mark.parametrize("name", everything())
def test_every_format_gives_the_columns_sorted(name):
    found = read(everything()[name])
    frame = found.frame
    assert tuple(frame.columns) == RESULT_COLUMNS
    assert frame["score"].between(0, 1).all()
    ordered = frame.sort_values(["model", "item", "rater", "attempt"], ignore_index=True)
    pd.testing.assert_frame_equal(frame, ordered)
    assert not frame.duplicated(["model", "item", "rater", "attempt"]).any()


def test_an_inspect_log_by_the_tool_itself():
    # The answers were "Two.", "The answer is four." and "Green.", the targets "Default output…",
    # "four" and "output", twice; by includes() only the second is right. Usage was 15 tokens, one
    # more each time.
    wanted = {
        ("mockllm/model", f"case-{i}", "", attempt): float(i == 2)
        for i in (1, 2, 3)
        for attempt in (1, 2)
    }
    for name in ("inspect_mock.json", "inspect_mock.eval"):
        found = read([("a.b", SAMPLES / name)])
        assert scores(found) == wanted
        assert found.format == "Inspect log"
        assert found.frame["tokens"].tolist() == [15, 18, 16, 19, 17, 20]
        assert found.frame["seconds"].between(0.001, 5).all()
        assert {name: value for _, name, value in found.settings} == {
            **{"temperature": "0.2", "max_tokens": "64", "seed": "7", "epochs": "2"},
            "tool": "Inspect 0.3.285",
        }
        assert "the one that Inspect names first counts" in found.passed_over[0]


@pytest.mark.parametrize(
    ("value", "score"),
    [
        *[("C", 1), ("P", 0.5), ("I", 0), ("N", 0), (True, 1), (False, 0), (0.25, 0.25), (1, 1)],
        *[("yes", 1), ("No", 0), ("0.75", 0.75), ({"safe": 0.5, "whole": 1}, 0.5)],
        *[({"whole": "C"}, 1), (None, None), ([1, 0], None), ("free text", None), ({}, None)],
    ],
)
def test_values_of_inspect_scores(value, score):
    # By Inspect's value_to_float; what it warns of and takes as 0 has no score here.
    found = read(log(scores={"includes": {"value": value, "explanation": "because"}}))
    assert scores(found).get(("mockllm/model", "case-1", "", 1)) == score
    assert any("1 row was skipped: no score" in note for note in found.passed_over) == (
        score is None
    )


def test_the_scorer_that_inspect_names_first_counts():
    one = {"includes": {"value": "I"}, "parts": {"value": {"safe": 1, "complete": 0.5}}}
    by = {"scores": [{"name": "complete", "scorer": "parts"}]}
    headline = {"headline": {"scorer": "parts", "score": "safe", "metric": "mean"}}
    for more, score in (({}, 0), ({"results": by}, 0.5), ({"results": by | headline}, 1)):
        found = scores(read(log(scores=one, **more)))
        assert found["mockllm/model", "case-1", "", 1] == score
    # A model is charged its own tokens, not those of the grader.
    usage = {"mockllm/model": {"total_tokens": 9, "total_cost": 0.5}}
    usage["openai/grader"] = {"total_tokens": 1000}
    row = read(log(model_usage=usage)).frame.iloc[0]
    assert (row["tokens"], row["cost"]) == (9, 0.5)


def test_settings_are_numbers_known_words_and_versions():
    config = {"temperature": 1, "seed": "text", "top_p": True, "max_tokens": 10**400}
    config |= {"system_message": "You are a nurse", "stop_seqs": ["x"]}
    about = {"task": "t", "model": "m", "packages": {"inspect_ai": "0.3 of Mrs. Nobody"}}
    for effort, kept in (("low", [("m", "reasoning_effort", "low")]), ("for Mrs. Nobody", [])):
        about["model_generate_config"] = config | {"reasoning_effort": effort}
        found = read(log(eval=about, plan={}))
        assert found.settings == (*kept, ("m", "temperature", "1"))


@pytest.mark.parametrize("status", ["started", "cancelled", "error", "success"])
def test_a_run_that_did_not_end_is_read_with_a_note(status):
    said = f"the run did not end well (status {status})."
    assert any(said in note for note in read(log(status=status)).passed_over) == (
        status != "success"
    )


@pytest.mark.parametrize("mean", [0.5, 5.01, -1])
def test_marks_of_a_jury_are_1_to_5(mean):
    stats, spec = helm_parts()
    named = {"name": {"name": "aci_bench_accuracy", "split": "test"}, "mean": mean}
    run = json.dumps([{**stats[0], "stats": [named]}]).encode()
    files = [("r/s.json", run), ("r/r", json.dumps(spec | {"groups": ["aci_bench"]}).encode())]
    with pytest.raises(BadDataError, match=rf"jury's score {mean} is outside 1 to 5\.$"):
        read(files)


def test_a_helm_run_counts_as_helm_counts():
    stats, spec = helm_parts()
    assert scores(read([("runs.zip", SAMPLES / "helm_small_sums.zip")])) == {
        ("simple/model1", f"id{i}", "", 1): 0 for i in range(3)
    }
    right = copy.deepcopy(stats[1])
    for stat in right["stats"]:
        if stat["name"]["name"] in ("exact_match", "quasi_exact_match"):
            stat["mean"] = 1.0 if stat["name"]["name"] == "exact_match" else 0.0
    again = {**copy.deepcopy(right), "train_trial_index": 1}
    perturbed = {**copy.deepcopy(right), "perturbation": {"name": "typos"}}
    other = copy.deepcopy(right) | {"instance_id": "id9"}
    for stat in other["stats"]:
        stat["name"]["split"] = "valid"
    run = [other, stats[0], right, again, perturbed]
    found = read(
        [("a/run_spec.json", json.dumps(spec).encode()), ("a/x", json.dumps(run).encode())]
    )
    assert scores(found) == {
        ("simple/model1", "id0", "", 1): 0,
        ("simple/model1", "id1", "", 1): 1,
        ("simple/model1", "id1", "", 2): 1,
    }
    assert found.passed_over == (
        "x: 1 perturbed instance was skipped.",
        "x: 1 instance was skipped: not of the split test.",
    )


@pytest.mark.parametrize(
    ("group", "jury_class", "means", "score"),
    [
        ("aci_bench", "", {"aci_bench_accuracy": 4.0, "rouge_2": 0.1, "exact_match": 0}, 0.75),
        ("own", "LLMJuryMetric", {"own_score": 2.5, "exact_match": 0}, 0.375),
        ("own", "LLMJuryMetric", {"own_score": 1, "exact_match": 0}, 0.0),
        ("own", "LLMJuryMetric", {"own_score": 0, "exact_match": 0}, None),
        ("medec", "", {"medec_error_flag_accuracy": 1, "exact_match": 0}, 1.0),
        ("narrative_qa", "", {"exact_match": 0, "f1_score": 0.4}, 0.4),
        ("hellaswag", "", {"quasi_exact_match": 1, "exact_match": 0}, 0.0),
    ],
)
def test_the_main_metric_of_helm(group, jury_class, means, score):
    stats, spec = helm_parts()
    spec |= {"groups": [group]}
    if jury_class:
        spec["metric_specs"] = [
            {"class_name": f"helm.{jury_class}", "args": {"metric_name": "own_score"}}
        ]
    run = [
        {**stats[0], "stats": [{"name": {"name": k, "split": "test"}, "mean": v} for k, v in m]}
        | {"instance_id": f"id{i}"}
        for i, m in enumerate([means.items(), [*means.items(), (next(iter(means)), 1)]])
    ]
    found = read([("r/s.json", json.dumps(run).encode()), ("r/r", json.dumps(spec).encode())])
    assert scores(found).get(("simple/model1", "id0", "", 1)) == score
    assert any("(score − 1)/4" in note for note in found.passed_over) == (
        "aci" in group or bool(jury_class)
    )


def test_several_helm_runs_in_one_archive():
    stats, spec = helm_parts()
    other = copy.deepcopy(spec)
    other["adapter_spec"]["model"] = "org/other"
    parts = {
        f"suite/{name}/{file}": json.dumps(content)
        for name, one in (("a", spec), ("b", other))
        for file, content in (("per_instance_stats.json", stats), ("run_spec.json", one))
    }
    found = read([("runs.zip", zipped(parts))])
    assert found.frame["model"].value_counts().to_dict() == {"simple/model1": 3, "org/other": 3}
    del parts["suite/b/run_spec.json"]
    with pytest.raises(BadDataError, match=r"there is no run_spec\.json next to it"):
        read([("runs.zip", zipped(parts))])


HERE = {"config": {"model_args": "pretrained=org/here,dtype=x"}}
THERE = {"config": {"model_args": {"model": "org/there"}}}
BY_DATE = ("results_2026-11-20T10-00-00.000001.json", {"model_name": "org/by-date"})


@pytest.mark.parametrize(
    ("name", "others", "model"),
    [
        (f"out/org__big-model/{DATED}", [], "org/big-model"),
        (DATED, [], f"model of {DATED}"),
        ("out/org__m/mine.jsonl", [], "model of mine.jsonl"),
        (DATED, [BY_DATE], "org/by-date"),
        (f"a/{DATED}", [("a/results.json", HERE), ("b/results.json", THERE)], "org/here"),
        # Neither of its folder nor of its date: the only one, of two none.
        (f"a/{DATED}", [("b/results.json", HERE)], "org/here"),
        ("a/mine.jsonl", [("b/results.json", HERE), ("c/r.json", THERE)], "model of mine.jsonl"),
    ],
)
def test_the_model_of_harness_samples(name, others, model):
    files = [(other, json.dumps({"results": {}} | given).encode()) for other, given in others]
    found = read([(name, lines(LM_EVAL)), *files])
    assert scores(found) == {(model, str(i), "", 1): float(i == 1) for i in range(3)}
    assert (model, "temperature", "0") in found.settings


def test_harness_samples_count_by_the_first_filter_and_the_usual_metric():
    records = [
        {"doc_id": i, "filter": name, "metrics": ["acc_norm", "acc"], "acc": acc, "acc_norm": 0.5}
        for i in range(2)
        for name, acc in (("strict", 1.0), ("flexible", 0.0))
    ]
    for data in (lines(records), json.dumps(records, indent=1).encode()):
        found = read([("s.jsonl", data)])
        assert list(scores(found).values()) == [1, 1]
        assert "2 rows were skipped: not of the first filter" in found.passed_over[0]
    # Tasks of a group keep their items apart.
    names = (f"m/{DATED}", f"m/{DATED.replace('sums', 'words')}")
    found = read([(name, lines(LM_EVAL)) for name in names])
    assert sorted(found.frame["item"])[::3] == ["sums/0", "words/0"]
    assert any("several tasks" in note for note in found.passed_over)


def test_promptfoo_by_the_tool_itself():
    # model-a says "four" and "green" where it is asked for; model-b says "four" to both; --repeat 2
    found = read([("out.json", SAMPLES / "promptfoo_two_models.json")])
    assert scores(found) == {
        (f"model-{m}", f"case-{i}", "", attempt): float(m == "a" or i == 1)
        for m in "ab"
        for i in (1, 2)
        for attempt in (1, 2)
    }
    assert found.frame["cost"].eq(0.0001).all()
    assert found.frame["tokens"].eq(20).all()
    assert found.frame["seconds"].between(0.001, 5).all()
    assert ("model-a", "temperature", "0.2") in found.settings
    assert ("model-b", "temperature", "0") in found.settings


def promptfoo(change):
    document = json.loads((SAMPLES / "promptfoo_two_models.json").read_text())
    change(document["results"]["results"])
    return read([("out.json", json.dumps(document).encode())])


def test_promptfoo_without_ids_goes_by_place_and_first_prompt():
    def change(results):
        for result in results:
            del result["metadata"], result["testCase"]["metadata"]
        results[0] |= {"error": "it timed out", "failureReason": 2, "score": 0}
        results[1]["promptId"] = "another"

    found = promptfoo(change)
    assert set(found.frame["item"]) == {"1", "2", "3"}
    assert (len(found.frame), len(found.passed_over)) == (6, 2)


def test_promptfoo_without_a_check_gives_no_score():
    # promptfoo 0.121.20 writes score 1 and success where a test asserts nothing.
    def change(results):
        for result in results[2:]:
            result["testCase"]["assert"] = []
            result |= {"score": 1, "gradingResult": {"pass": True, "score": 1, "reason": "No"}}

    found = promptfoo(change)
    assert len(found.frame) == 2
    assert found.passed_over == ("out.json: 6 rows were skipped: no score.",)


def test_a_filled_rating_sheet():
    wanted = {
        ("big", "c1", "R1", 1): 1.0,
        ("small", "c1", "R1", 1): 0.25,
        ("small", "c2", "R1", 1): 0.0,
        ("small", "c1", "R2", 1): 0.625,
    }
    for name in ("sheet", "workbook", "shared workbook"):
        found = read(everything()[name])
        assert scores(found) == wanted
        assert found.format == "rating sheet"
        assert "1 row was skipped: no score" in found.passed_over[0]
    # As a German spreadsheet saves it, the key given first, and two raters in two files.
    german = SHEET.replace(",", ";").replace("3.5", "3,5")
    one, two = german.splitlines()[:5], [german.splitlines()[0], german.splitlines()[5]]
    files = [("key.csv", KEY), ("1.csv", "\n".join(one)), ("2.csv", "\n".join(two))]
    assert scores(read([(name, text.encode("utf-16")) for name, text in files])) == wanted


def test_an_item_csv():
    found = read([("items.csv", ITEMS.encode())])
    rows = [["big", "c1", 1.0, 20.0], ["big", "c2", 0.25, 22.0], ["small", "c1", 0.0, 18.0]]
    assert found.frame[["model", "item", "score", "tokens"]].to_numpy().tolist() == rows
    assert found.frame["cost"].isna().tolist() == [False, True, False]
    found = read([("items.csv", b"model,item,score,remarks\nm,1,0.5,x\nm,2,,y\n")])
    assert found.passed_over == (
        "items.csv: 1 column was skipped.",
        "items.csv: 1 row was skipped: no score.",
    )


@pytest.mark.parametrize("beside", ["attempt", "tokens", "rater", "\x01big"])
def test_scores_torn_apart_by_a_decimal_comma_are_refused(beside):
    def given(*rows):
        return read([("items.csv", "\n".join((f"model,item,score,{beside}", *rows)).encode())])

    said = r'^items.csv, row 3: a score of 0 and the "\W?[a-z]+" behind it may be one number'
    with pytest.raises(BadDataError, match=said) as refused:
        given("m,1,1", "m,2,0,85", "m,3,0,5")
    assert str(refused.value).isprintable()
    assert beside.removeprefix("\x01") in str(refused.value)
    # Right and wrong as 1 and 0 are two numbers each, and so are decimals.
    assert given("m,1,1,2", "m,2,0,85").frame["score"].tolist() == [1, 0]
    assert given("m,1,0.0,85").frame["score"].tolist() == [0]


def test_an_item_may_be_called_a_case_as_in_the_package():
    by_case = ITEMS.replace("model,item,", "model,case,", 1)
    found = read([("items.csv", by_case.encode())])
    assert found.frame.equals(read([("items.csv", ITEMS.encode())]).frame)


def test_headings_below_a_title_and_a_huge_score_are_refused_by_name():
    book = openpyxl.Workbook()
    book.active.append(["Our test of discharge notes", None, None])
    book.active.append(["model", "item", "score"])
    book.active.append(["m", "c1", 1])
    book.active.merge_cells("A1:C1")
    book.save(raw := io.BytesIO())
    titled = "the headings are not in its first row: delete what is above them"
    for name, content in (
        ("own.xlsx", raw.getvalue()),
        ("own.csv", b"Our test,,\n\nmodel,item,score\nm,c1,1\n"),
    ):
        with pytest.raises(BadDataError, match=f"^{name}.*{titled}"):
            read([(name, content)])
    with pytest.raises(BadDataError, match="row 2: the score is out of range"):
        read([("own.csv", b"model,item,score\nm,c1,1e300\n")])
    with pytest.raises(BadDataError, match="row 2: the score is not a number"):
        read([("own.csv", b"model,item,score\nm,c1,good\n")])


def test_the_same_twice_in_two_files_is_said_and_the_first_counts():
    again = ITEMS.replace("big,c2,0.25", "big,c2,0.75").replace("small,c1", "small,c9")
    found = read([("one.csv", ITEMS.encode()), ("two.csv", again.encode())])
    assert scores(found)["big", "c2", "", 1] == 0.25
    assert found.passed_over == (
        '2 scores of "big" came in one.csv and again in two.csv: the first counts.',
    )
    assert len(found.frame) == 4


def test_an_id_that_may_be_a_text_becomes_a_hash():
    long = "a patient of 64 years, seen on Monday " * 4
    data = f'model,item,score\nm,"{long}",1\nm,"two\nlines",0\nm,{"x" * 120},1\n'.encode()
    found = read([("i.csv", data)])
    hashed = found.frame["item"].str.fullmatch(r"#[0-9a-f]{12}").tolist()
    assert hashed == [True, True, False]
    assert "2 ids were replaced by a hash" in found.passed_over[0]
    assert read([("i.csv", data)]).frame.equals(found.frame)


def case_file(content):
    return read_patients("cases.csv", content.encode())


@pytest.mark.parametrize(
    ("act", "given", "words"),
    [
        (case_file, "case,patient\nc1,a\nc1,b\n", "^cases.csv.*row 3: the case is there twice"),
        (case_file, "input,patient\nx,a\n", '^cases.csv.*the column "case" is missing'),
        (case_file, "case\n", "^cases.csv.*a header and no rows"),
        (read, [("s.csv", SHEET.encode())], r"^s\.csv: .* give the key file"),
        (read, [("k.csv", KEY.encode())], r"^k\.csv: .* give the filled sheet too"),
        (read, [], "No file"),
    ],
)
def test_what_is_not_whole_is_refused(act, given, words):
    with pytest.raises((BadDataError, BadRequestError), match=words):
        act(given)


def test_a_patient_is_a_hash_by_item_whatever_is_written():
    rows = ["model,item,score,patient", "A,c1,1,John Smith", "A,c2,0,John Smith", "A,c3,1,n/a"]
    found = read([("own.csv", "\n".join(rows).encode())])
    # printf 'John Smith' | sha256sum
    assert found.patients == dict.fromkeys(("c1", "c2"), "#ef61a579c907")
    assert "Smith" not in repr(found)
    assert tuple(found.frame.columns) == RESULT_COLUMNS
    with pytest.raises(BadDataError, match="row 5: the case is of another patient elsewhere"):
        read([("own.csv", "\n".join([*rows, "B,c1,1,p2"]).encode())])
    case_file = b"case,patient,input,group_ward\nc1,John Smith,x,A\nc2,,y,B"
    assert read_patients("cases.csv", case_file) == {"c1": "#ef61a579c907"}
    assert read_patients("cases.csv", b"case,input\nc1,x\n") == {}
