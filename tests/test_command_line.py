"""The command line: one JSON document on standard output, one line on standard error, 0, 2 or 3."""

import contextlib
import csv
import io
import json
import math
import os
import re
import subprocess
import sys
from dataclasses import asdict, fields
from pathlib import Path
from urllib.parse import quote_plus

import pytest

from core.__main__ import main
from core.answers import evidence, other_suites, replacing
from core.commands.told import print_document
from core.domain import Question, Selection, Snapshot
from core.figures import dollars
from core.sharing.export import SHORTLIST_COLUMNS
from core.sharing.market import MARKET_COLUMNS

ROOT = Path(__file__).parents[1]
PORTRAITS = ("--cohort", "taxonomy-portraits")
MEDHELM = ("--suite", "medhelm")
ANY_DAY = ("--on-sale-months", "any")
REPLACED = "abacusai/Liberated-Qwen1.5-14B"
# The keys that the issue lists, and after "+" those that the document has as well.
KEYS = {
    "taxonomy": "suite cohort models benchmarks clusters cophenetic_correlation alpha tests "
    "excluded snapshots + separated",
    "taxonomy.tests": "benchmark p_value significant effect_size + kind leave_one_out",
    "taxonomy.excluded": "model reason + rule",
    "redundancy": "alpha pairs excluded snapshots + suite cohort",
    "redundancy.pairs": "a b r p_value significant + n_models",
    "win-rates": "models categories snapshots + suite cohort category skipped excluded",
    "win-rates.models": "model win_rate win_sd macro_avg sd n_benchmarks "
    "+ ci_low ci_high rank_band",
    "equivalents": "model candidates + margin snapshots",
    "equivalents.candidates": "model params_b distance same_cluster difference ci_low ci_high "
    "verdict + saving_share",
    "shortlist": "+ question requirements weights rows left_out excluded workload "
    "reasoning_workload n_unpriced "
    "link snapshots",
    "shortlist.excluded": "+ rule detail model reason",
    "benchhealth": "models + excluded snapshots",
    "benchhealth.models": "model generalisability robustness n_datasets",
}


def has_keys(kind, *found):
    assert found
    for document in found:
        assert set(document) == set(KEYS[kind].replace("+", "").split()), kind


def has_snapshots(document, *suites):
    assert [snapshot["suite"] for snapshot in document["snapshots"]] == list(suites)
    names = {field.name for field in fields(Snapshot)}  # which the data dictionary holds
    assert all(set(snapshot) == names for snapshot in document["snapshots"])


TWO = ("--suite", "open-llm-v2", "--suite", "open-medical-llm")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "lists", "suites"),
    [
        (("taxonomy", *TWO[:2], *PORTRAITS), ["tests"], TWO[1:2]),
        (("taxonomy", *TWO[2:], *PORTRAITS), ["excluded"], TWO[3:]),
        (("redundancy", *TWO[2:], *PORTRAITS), ["pairs"], TWO[3:]),
        (("win-rates", *MEDHELM, "--cohort", "medhelm-paper"), ["models"], ["medhelm"]),
        (("benchhealth",), ["models"], ["benchhealth"]),
        (("equivalents", "--model", REPLACED, *TWO, *PORTRAITS), ["candidates"], TWO[1::2]),
        (("shortlist", *TWO[2:], *PORTRAITS, "--max-params-b", "8"), ["excluded"], TWO[3::-2]),
    ],
)
def test_a_document_has_its_keys_and_its_snapshots(ask, asked, lists, suites):
    found = ask(*asked)
    has_keys(asked[0], found)
    for name in lists:
        has_keys(f"{asked[0]}.{name}", *found[name])
    has_snapshots(found, *suites)


def failed(result, status):
    """Check that a command failed with one line on standard error; return it."""
    assert result[0] == status
    assert result[1] == ""
    assert result[2].startswith("error: ")
    assert result[2].count("\n") == 1
    assert result[2].endswith("\n")
    return result[2]


def as_json(rows):
    return json.loads(json.dumps([asdict(row) for row in rows]))


def test_documents_have_the_figures_of_the_answers(ask, cli, bundled):
    suite = ("--suite", "open-llm-v2", *PORTRAITS)
    asked = Selection("open-llm-v2", "taxonomy-portraits")
    assert cli("taxonomy", *MEDHELM)[1].startswith("With so few models, no difference can be shown")
    few = ask("taxonomy", *MEDHELM)["separated"]
    assert (few["n_significant"], few["n_within_reach"], few["n_tests"]) == (0, 0, 37)
    found, tree = ask("taxonomy", *suite), evidence.taxonomy(bundled, asked, n_clusters=2)
    assert found["models"] == [tree.models[i] for i in tree.leaf_order]
    labels = {model: name for name, models in found["clusters"].items() for model in models}
    assert labels == dict(zip(tree.models, tree.labels, strict=True))
    assert found["cophenetic_correlation"] == tree.cophenetic_correlation
    assert found["alpha"] == pytest.approx(0.01 / 6)
    # Only tests of benchmarks that formed no cluster find something: by the others it would be
    # five.
    assert {(test["kind"], test["significant"]) for test in found["tests"]} == {
        ("descriptive", None)
    }
    fair = [test["leave_one_out"] for test in found["tests"]]
    tests = evidence.left_one_out(bundled, asked).tests
    keys = "p_value", "significant", "effect_size"
    assert fair == [{key: getattr(test, key) for key in keys} for test in tests]
    assert sum(test["p_value"] < found["alpha"] for test in found["tests"]) == 5
    assert (found["separated"]["n_significant"], found["separated"]["n_tests"]) == (4, 6)
    assert "on four of six benchmarks" in found["separated"]["said"]
    third = ask("taxonomy", *suite, "--k", "3")
    assert (len(third["clusters"]), third["tests"], third["separated"]) == (3, [], None)

    assert ask("redundancy", *suite)["pairs"] == as_json(evidence.redundancy(bundled, asked).pairs)
    category = "Clinical Note Generation"
    rates = evidence.suite_win_rates(bundled, Selection("medhelm"), category=category)
    told = ask("win-rates", *MEDHELM, "--category", category)
    assert (told["category"], told["models"]) == (category, as_json(rates.rows))
    for row, pair in zip(
        ask("redundancy", "--across"), other_suites.across_suites(bundled), strict=True
    ):
        assert list(row) == ["a", "b", "n_models", "rho", "ci_low", "ci_high"]
        figures = [getattr(pair.agreement, key) for key in list(row)[2:]]
        assert list(row.values()) == [pair.a, pair.b, *figures]

    told = ask("equivalents", "--model", REPLACED, *TWO, *PORTRAITS, "--margin", "0.9")
    assert (told["model"], told["margin"]) == (REPLACED, 0.9)
    first = told["candidates"][0]
    assert (first["model"], first["same_cluster"]) == ("01-ai/Yi-1.5-9B-32K", True)
    selections = [Selection(suite, cohort="taxonomy-portraits") for suite in TWO[1::2]]
    answer = replacing.equivalents(bundled, REPLACED, selections, 0.9)
    assert [(c["model"], c["distance"], c["verdict"]) for c in told["candidates"]] == [
        (c.model, c.distance, c.verdict) for c in answer
    ]
    for candidate, of in zip(told["candidates"], answer, strict=True):
        keys = "difference", "ci_low", "ci_high"
        assert [candidate[key] for key in keys] == [getattr(of.difference, key) for key in keys]


def test_aliases_are_found_mirrors_stay_and_flagged_runs_are_refused(ask, cli):
    asked = ("equivalents", "--suite", "open-medical-llm", "--model")
    assert ask(*asked, "CohereLabs/aya-23-8B")["model"] == "CohereForAI/aya-23-8B"
    assert ask(*asked, "unsloth/gemma-7b-it")["model"] == "unsloth/gemma-7b-it"
    assert ask(*asked, "unsloth/gemma-2b", *PORTRAITS)["model"] == "google/gemma-2b"
    asked = ("equivalents", "--suite", "open-medical-llm", "--model", "Gemini-1.0", "--json")
    assert "flagged: score is not a whole number of items" in failed(cli(*asked), 2)


def test_a_small_number_for_people_is_not_rounded_to_zero(capsys):
    row = {"p": 3.2e-9, "share": 0.416937482, "usd": 1_234_567.8, "gap": math.nan, "none": None}
    print_document(None, [row], as_json=False)
    head, line = capsys.readouterr().out.splitlines()
    assert head.split() == list(row)
    assert line.split() == ["3.2e-09", "0.416937", "1234568"]


def test_a_long_cell_is_cut(cli):
    _, shown, _ = cli("market", "--task", "documentation")
    rows = [line for line in shown.splitlines() if re.search(r"[a-z]\.\.\. ", line)]
    assert rows
    # Nine columns, of which one has long cells.
    assert max(map(len, rows)) < 220


def test_a_model_may_be_named_as_a_buyer_names_it(ask, cli):
    asked = ("equivalents", "--suite", "bridge", "--model")
    assert ask(*asked, "deepseek r1")["model"] == "DeepSeek-R1"
    assert "GPT-5.2 has no scores in bridge" in failed(cli(*asked, "GPT 5.2"), 2)
    assert "The nearest: DeepSeek R1 (2025-01-20)" in failed(cli(*asked, "DeepSek R1"), 2)


def test_nothing_smaller_is_known_of_a_model_of_unknown_size(cli):
    status, out, _ = cli("equivalents", "--suite", "noharm", "--model", "GPT-4o")
    assert (status, out) == (
        0,
        "The size of GPT-4o is not published, so no model is known to be smaller.\n",
    )


def test_diff_names_what_came_went_and_changed(data, write_snapshot, ask):
    """By hand: b goes, d comes, a loses 0.2 on gpqa and its first rank to c."""
    before = {"a": (0.9, 0.9), "b": (0.6, 0.6), "c": (0.8, 0.8)}
    after = {"a": (0.9, 0.6), "c": (0.8, 0.8), "d": (0.5, None)}
    for revision, day, models in (("r1", "2026-01-01", before), ("r2", "2026-02-01", after)):
        records = [
            (model, benchmark, score)
            for model, scores in models.items()
            for benchmark, score in zip(("bbh", "gpqa"), scores, strict=True)
        ]
        write_snapshot(data, "open-llm-v2", records, revision=revision, as_of=day)
    found = ask("diff", "open-llm-v2/r1", "open-llm-v2/r2")
    assert (found["new_models"], found["gone_models"]) == (["d"], ["b"])
    changes = [
        (c["model"], c["what"], c["item"], c["before"], c["after"]) for c in found["changes"]
    ]
    assert ("a", "score", "gpqa", 0.9, 0.6) in changes
    assert ("c", "rank", "", 2.0, 1.0) in changes
    assert ("a", "rank", "", 1.0, 2.0) in changes
    assert len(changes) == 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("medhelm", "medhelm/v4.0.0"), "SUITE/REVISION"),
        (("medhelm/v4.0.0", "bridge/2025-11-01"), "of the same suite, or of the same list"),
        (("medhelm/v4.0.0", "medhelm/v9"), 'no snapshot "v9"'),
    ],
)
def test_diff_says_what_is_wrong(cli, arguments, says):
    assert says in failed(cli("diff", *arguments, "--json"), 2)


def test_what_is_no_number_is_null(data, write_snapshot, bundled, ask):
    tests = [b.id for b in bundled.catalogue.benchmarks["open-llm-v2"]]
    records = [
        (f"org/m{level}", b, 0.5 if b == "bbh" else level + j / 100)
        for level in (0.31, 0.47, 0.62)
        for j, b in enumerate(tests)
    ]
    write_snapshot(data, "open-llm-v2", records)
    pairs = ask("redundancy", "--suite", "open-llm-v2")["pairs"]
    assert {(p["r"], p["p_value"]) for p in pairs if "bbh" in (p["a"], p["b"])} == {(None, None)}
    assert sum(p["r"] is None for p in pairs) == len(tests) - 1


def test_where_a_model_may_run(ask, cli):
    for options, place in [
        ("--access open", "open"),
        ("--where own --access open", "own"),
        ("--where vendor --access any", "vendor"),
        ("--where any", "any"),
    ]:
        found = ask("shortlist", *MEDHELM, *ANY_DAY, *options.split())
        assert found["question"]["access"] == place
        weights = {row["access"] for row in found["rows"]}
        assert weights == ({"open"} if place in ("open", "own") else {"open", "closed"})
    said = failed(cli("shortlist", *MEDHELM, "--where", "vendor", "--access", "open"), 2)
    assert "--where vendor and --access open cannot be asked together" in said


EVERY_OPTION = (
    "--protocol=few-shot", "--task=documentation", "--access=own", "--monthly-budget-usd=20.5",
    "--max-params-b=8.83", "--required=soc2", "--required=baa", "--requests-per-month=500",
    "--on-sale-months=24", "--on-sale-on=2026-01-31", "--max-retention-days=0",
    "--min-context-tokens=32000", "--volumes=visit-notes=2.5", "--volumes=portal-messages=7",
    "--input-tokens-per-request=900", "--output-tokens-per-request=80", "--gpu=L40S",
    "--reasoning-tokens-per-request=0", "--prices-on=2026-02-01", "--own-tokens=visit-notes;9;8",
    "--own-answers=azure;baa;yes;;2026-01-02;letter;signed", "--only=a", "--only=b",
    "--own-prices=a;0.5;2;2026-01-02;offer;azure", "--margin=0.035", "--overlap-once",
    "--gpus-owned=2", "--bits=4", "--context-tokens=999", "--concurrent=3", "--utilisation=0.5",
    "--spares=1", "--own-rents=L4;0.5;2026-01-02;offer", "--cached-share=0.25",
    "--include-flagged", "--language=English",
)  # fmt: skip
THE_SAME = (
    "?evidence=BRIDGE&protocol=With+a+few+examples&task=Documentation"
    "&access=Our+own+servers+only&budget=20.5&max_params=8.83+B&gates={baa}&gates={soc2}"
    "&requests=500&sale=24+months&sale_on=2026-01-31&retention=0&window=32000&v_visit_notes=2.5"
    "&v_portal_messages=7&tokens_in=900&tokens_out=80&gpu=L40S&tokens_reasoning=0"
    "&prices=2026-02-01&own_tokens=visit-notes;9;8"
    "&own_answer=azure;baa;yes;;2026-01-02;letter;signed&only=a&only=b"
    "&own_price=a;0.5;2;2026-01-02;offer;azure&margin=3.5&overlap=true&flagged=true"
    "&owned=2&bits=4+bits&context=999&at_once=3&load=50&spares=1&own_rent=L4;0.5;2026-01-02;offer"
    "&cached=25&language=English"
)


def test_the_options_ask_what_the_parameters_of_a_link_ask(ask, bundled):
    kinds = bundled.catalogue.condition_kinds
    link = THE_SAME.format(
        **{condition: quote_plus(kinds[condition].required) for condition in ("baa", "soc2")}
    )
    by_options = ask("shortlist", "--suite", "bridge", *EVERY_OPTION)["question"]
    assert by_options == ask("shortlist", "--link", link)["question"]
    usual = Question.of(weights=by_options["weights"], revision=by_options["revision"]).as_fields()
    assert {key for key, value in usual.items() if value == by_options[key]} == {
        *("weights", "revision", "cohort"),
    }


def test_only_tests_in_the_language_of_the_work_count(ask, cli):
    """Of BRIDGE's 87 tests 14 are Spanish; their plain means are those of its own scores.csv.

    They add to 393.29 and 373.60 points without examples, over 14 tests each.
    """
    spanish = ("--suite", "bridge", "--language", "Spanish", "--access", "open")
    found = ask("shortlist", *spanish, "--on-sale-months", "any")
    assert "language=Spanish" in found["link"]
    score = {row["model"]: (row["score"], row["n_benchmarks"]) for row in found["rows"]}
    assert score["DeepSeek-R1"] == (pytest.approx(393.29 / 1400), 14)
    assert score["Mistral-Large-Instruct-2411"] == (pytest.approx(373.60 / 1400), 14)
    said = cli("recommend", *spanish)[1]
    assert said.startswith("For all kinds of work, on 14 tests in Spanish")
    lacks = ("recommend", "--suite", "bridge", "--task", "documentation", "--language", "Russian")
    assert cli(*lacks)[1].startswith(
        "BRIDGE has no benchmark for clinical notes and discharge papers in Russian."
    )
    no_test = cli("recommend", *MEDHELM, "--language", "Spanish")
    assert "medhelm has no test in Spanish; its tests are in English" in failed(no_test, 2)


@pytest.mark.parametrize(
    "option",
    ["--required=x", "--volumes=x=1", "--volumes=visit-notes", "--gpu=Nobody",
     "--prices-on=2022-01-01",
     "--own-prices=a;b", "--requests-per-month=1.5", "--task=x", "--only=", "--revision=x",
     "--access=closed", "--language=Klingon", "--own-tokens=x;1;1", "--max-retention-days=-1",
     "--gpus-owned=1", "--own-rents=Nobody;1;2026-01-02;s", "--utilisation=1.5"],
)  # fmt: skip
def test_an_option_that_a_link_would_leave_out_is_refused(cli, option):
    said, name = failed(cli("shortlist", *MEDHELM, option), 2), option.partition("=")[0]
    # What is wrong with a line, a task or a revision says itself what it is about.
    assert name in said or name.startswith(("--own-", "--task", "--revision"))


def test_a_bare_query_is_a_link_and_hostile_ones_only_warn(ask, cli):
    found = ask("shortlist", "--link", "access=Our+own+servers+only")
    assert found["question"]["access"] == "own"
    assert found["link"].startswith("?")
    html = quote_plus("<script>alert(1)</script>")
    link = f"http://[x?evidence={html}&budget=nan&margin={'9' * 10_000}&task=%1b%5b2J%0a%00"
    status, out, err = cli("shortlist", "--link", link, "--json")
    assert status == 0
    # Of evidence that nobody knows all is asked, of which a shortlist takes one suite.
    _, plain, said = cli("shortlist", "--link", "evidence=All+evidence", "--json")
    assert [r | {"link": ""} for r in json.loads(out)["rows"]] == [
        r | {"link": ""} for r in json.loads(plain)["rows"]
    ]
    assert said in err
    warnings = err.replace(said, "").splitlines()
    assert len(warnings) == 4
    assert all(line.startswith("warning: ") and len(line) < 220 for line in warnings)
    assert "\x1b" not in err


def test_an_empty_shortlist_is_no_fault_and_an_unknown_figure_blank(ask, cli):
    asked = ("shortlist", "--suite", "medhelm", "--max-params-b", "0.1")
    found = ask(*asked)
    assert found["rows"] == []
    assert len(found["excluded"]) == 13
    assert ask("recommend", *asked[1:])["take"] is None
    assert cli(*asked, "--csv")[1].splitlines() == ["\ufeff" + ",".join(SHORTLIST_COLUMNS)]
    assert cli(*asked)[:2] == (0, "Nothing to show.\n")
    out = cli("shortlist", *MEDHELM, *ANY_DAY)[1]
    assert len(out.splitlines()) == 14
    assert not any(word in out for word in ("None", "nan", "NaN", "null"))


@pytest.fixture
def altered(bundled_snapshot):
    bundled_snapshot("open-llm-v2")
    scores = bundled_snapshot("medhelm") / "scores.csv"
    raw = scores.read_bytes()
    scores.write_bytes(raw.replace(b"0.218", b"0.219", 1))


def test_snapshots_are_listed_and_a_faulty_one_ends_with_3(altered, cli):
    status, out, err = cli("snapshots", "--json")
    assert (status, err.count("\n")) == (3, 1)
    found = {row["suite"]: row for row in json.loads(out)}
    assert set(found) == {"medhelm", "open-llm-v2", "genai-prices", "litellm"}
    assert all({"fault", "kind"} < set(row) for row in found.values())
    assert "was altered" in found["medhelm"]["fault"]
    good = found["open-llm-v2"]
    assert (good["fault"], good["n_models"], len(good["sha256"])) == (None, 41, 64)


def test_import_writes_a_snapshot_that_can_be_asked_for(data, bundled_snapshot, tmp_path, ask, cli):
    bundled_snapshot("open-llm-v2")
    table = tmp_path / "table.csv"
    table.write_text("model_name,benchmark_id,score,release\nA,clear,0.5,v9\nB,clear,,v9\n")
    asked = ("import", "medhelm", table, "--source-url", "https://x", "--licence", "MIT")
    found = ask(*asked, "--revision", "v9")
    assert (found["suite"], found["revision"], found["n_rows"]) == ("medhelm", "v9", 2)
    assert {row["suite"] for row in ask("snapshots")} > {"medhelm", "open-llm-v2"}
    assert ask(*asked, "--revision", "v9") == found
    again = cli(*asked, "--revision", "v9", "--note", "x", "--as-of", "2026-01")
    assert (again[0], again[2]) == (
        0,
        "warning: The snapshot was there and stays as it is, without --as-of and --note.\n",
    )
    table.write_text("model_name,benchmark_id,score,release\nA,clear,0.6,v9\n")
    assert "exists with other scores" in failed(cli(*asked, "--revision", "v9"), 2)
    assert "cannot name a snapshot" in failed(cli(*asked, "--revision", "../v9"), 2)
    table.write_text("model_name,benchmark_id,score\nA,clear,0.6\n")
    assert 'table.csv, row 1: the column "release"' in failed(cli(*asked, "--revision", "v8"), 3)
    table.unlink()
    assert "table.csv is not there" in failed(cli(*asked, "--revision", "v8"), 2)


@pytest.mark.parametrize(
    "command",
    [
        ("read-results",),
        ("verdict", "--a", "x", "--b", "y"),
        ("import", "medhelm", "--revision", "v1", "--source-url", "", "--licence", ""),
        ("package", "--out", "x.zip", "--protocol"),
        ("watch", "--ics"),
    ],
    ids=lambda it: it[0],
)
def test_a_name_that_no_file_can_have_is_one_sentence(cli, command):
    assert "File name too long" in failed(cli(*command, "x" * 300), 2)


def test_import_checks_the_whole_table_before_it_writes(data, bundled_snapshot, tmp_path, cli):
    bundled_snapshot("livemedbench")
    table, rows = (
        tmp_path / "table.csv",
        ["suite,model,benchmark,metric,score,n_items,stderr,source"],
    )
    for model, name, metric, score in (
        ("A", "all cases", "Score", 0.4),
        ("A", "medqa", "accuracy", 0.5),
        ("B", "all cases", "rouge", 0.3),
        ("B", "medqa", "accuracy", 0.5),
    ):
        rows.append(f"livemedbench,{model},{name},{metric},{score},,,https://x")
    table.write_text("\n".join(rows) + "\n")
    asked = ("import", "livemedbench", table, "--source-url", "https://x", "--licence", "MIT")
    folder = data / "snapshots" / "livemedbench"
    for more in ((), ("--check",)):
        said = failed(cli(*asked, "--revision", "new", *more), 3)
        assert 'the benchmark "medqa" (rows 3, 5)' in said
        assert 'the metric "rouge" of "all_cases" (row 4)' in said
        assert not (folder / "new").exists()
    table.write_text("\n".join([rows[0], rows[1].replace("0.4", "4.2")]) + "\n")
    said = failed(cli(*asked, "--revision", "new"), 3)
    assert 'table.csv, row 2: "4.2" in the column "score" is outside the scale of all_cases' in said
    table.write_text("\n".join(rows[:2]) + "\n")
    (folder / "new").mkdir()
    (folder / "new" / "scores.csv").write_text("left behind by a fault")
    status, _, err = cli(*asked, "--revision", "new")
    assert (status, err) == (0, "")
    assert "all_cases,0.4," in (folder / "new" / "scores.csv").read_text()
    before = sorted(folder.rglob("*"))
    wrong = [
        ("2026-11-21x", 'as_of = "2026-11-21x" is not a date', 3),
        ("2026-13-40", 'as_of = "2026-13-40" is not a date', 3),
        ("2999-01-01", "--as-of: 2999-01-01 is yet to come", 2),
    ]
    for day, said, status in wrong:
        for more in ((), ("--check",)):
            arguments = (*asked, "--revision", "other", "--as-of", day, *more)
            assert said in failed(cli(*arguments), status)
    table.write_text("\n".join([rows[0], rows[1].replace("0.4", "0.3")]) + "\n")
    for revision, said in (("new", "exists with other scores"), ("../x", "cannot name a snapshot")):
        for more in ((), ("--check",)):
            assert said in failed(cli(*asked, "--revision", revision, *more), 2)
    table.write_text(rows[0] + "\n")
    for more in ((), ("--check",)):
        assert "table.csv has no rows" in failed(cli(*asked, "--revision", "none", *more), 3)
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--nonsense",),
        ("nonsense",),
        ("taxonomy",),
        ("taxonomy", "--suite", "nothing"),
        ("taxonomy", "--suite", "\udcff"),  # what a shell hands on of bytes that are not text
        ("taxonomy", *MEDHELM, "--cohort", "nothing"),
        ("taxonomy", *MEDHELM, "--protocol", "zero-shot"),
        ("taxonomy", "--suite", "bridge", "--protocol", "ten-shot"),
        ("taxonomy", *MEDHELM, "--k", "many"),
        ("taxonomy", *MEDHELM, "--k", "0"),
        ("taxonomy", *MEDHELM, "--k", "14"),
        ("redundancy", "--suite", "line\nbreak"),
        ("redundancy", "--suite", "x" * 10_000),
        ("redundancy",),
        ("redundancy", "--cohort", "all"),
        ("redundancy", "--across", *MEDHELM),
        ("redundancy", "--across", "--cohort", "all"),
        ("win-rates", *MEDHELM, "--category", "Cooking"),
        ("equivalents", *MEDHELM),
        ("equivalents", *MEDHELM, "--model", "nobody/nothing"),
        ("equivalents", *MEDHELM, "--model", "line\nbreak"),
        *(("equivalents", *MEDHELM, "--model", "DeepSeek R1", "--margin", m)
          for m in ("abc", "-0.1", "nan", "inf", "")),
        ("shortlist", "--suite", "nothing"),
        *(("shortlist", *MEDHELM, "--weight", w) for w in (
            "Cooking=1", "=1", *(f"Clinical Note Generation{end}" for end in
                                 ("", "=many", "=-1", "=0")),
        )),
        ("shortlist", "--link", "?task=Own+weights&category=Clinical+Note+Generation"
         "&w_clinical_note_generation=0"),
        ("import", "nothing", "file.csv"),
        ("recommend", "--weight", "Clinical Decision Support=1"),  # a category of which suite?
        ("recommend", "--suite", "nothing"),
        ("recommend", "--suite", "vectara-hhem"),  # cannot be chosen alone
        ("recommend", "--cohort", "medhelm-paper"),
        ("recommend", "--profile", "nobody"),
        ("recommend", *MEDHELM, "--task", "research", "--weight", "Clinical Note Generation=1"),
        ("recommend", "--required", "nothing"),
        ("market", *MEDHELM),
        ("market", "--requests-per-month", "0"),
        ("recommend", "--task", "Cooking"),
        *(("recommend", *MEDHELM, *words.split(" ")) for words in (
            "--in-place-of nobody/nothing", "--in-place-of line\nbreak",
            f"--in-place-of {'x' * 10_000}", "--where anywhere", "--where ",
            "--where vendor --access open", "--access closed", "--where own --access vendor",
            "--weight Cooking=1", "--monthly-budget-usd -1", "--task Cooking",
            *(f"--on-sale-months {m}" for m in
              ("", "six", "-1", "1.5", "61", "9" * 5000, "nan", "²", "None", "ANY")),
            *(f"--on-sale-on {d}" for d in ("", "today", "2026-13-01", "31.1.2026", "1999-01-01",
                                            "2026-02-30", "2026-1-31")),
            *(f"--margin {m}" for m in ("abc", "-0.1", "nan", "inf", "", "2")),
            *(f"--max-params-b {b}" for b in ("big", "-1", "1e999")),
        )),
        *(("recommend", "--link", "?budget=1", *words.split()) for words in (
            "--suite medhelm", "--where own", "--on-sale-months 3", "--on-sale-on 2026-01-31",
            "--access open",
        )),
    ],
)  # fmt: skip
def test_wrong_usage_is_one_line_and_2(cli, arguments):
    assert len(failed(cli(*arguments), 2)) < 700


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("recommend --link no-link", "“no-link” is not a link"),
        ("market --csv --json", "--csv and --json are two forms of one answer"),
        ("shortlist --json --csv", "--csv and --json are two forms of one answer"),
        ("recommend --utilisation 50", "a share from 0 to 1, so 0.5 is 50 of 100"),
        ("recommend --margin 1e9", "'1e9' is above 1: it is a share from 0 to 1;"),
        ("market --task foo --csv", 'There is no task "foo"; there are'),
        ("recommend --margin 0.3", "--margin: 0.3 is not between 0 and 0.2."),
        (
            "recommend --requests-per-month 10.000",
            "--requests-per-month: “10.000” may mean 10000: write it without points.",
        ),
        ("market --where own --utilisation 0", "--utilisation: 0 is not between 0.01 and 1."),
        ("plan --margin 0.05 --sd 1e9", "it is 1,000,000,000."),
    ],
)
def test_wrong_usage_says_what_is_wanted(cli, words, said):
    assert said in failed(cli(*words.split()), 2)


def test_what_is_not_used_of_a_link_or_a_day_is_said(cli):
    _, _, said = cli("recommend", "--link", "https://x/?task=Research&colour=red&model=a")
    assert "Not known in a link, and not used: “colour”." in said
    _, _, said = cli("recommend", "--prices-on", "2099-01-01")
    assert said == "warning: Prices as of: 2099-01-01 is yet to come; today's are used.\n"


def test_help_asks_for_shares_where_shares_are_read(cli):
    said = " ".join(cli("recommend", "--help")[1].split())
    for option in ("--utilisation X", "--margin X", "--cached-share X"):
        assert "0 to 1 --" in said.rpartition(option)[2][:90]
    assert "%" not in said


def test_a_table_has_no_none(cli):
    _, out, _ = cli("recommend", "--suite", "noharm", "--access", "own")
    assert "monthly_cost_usd" in out
    assert "None" not in out


def test_a_program_that_reads_no_further_is_no_fault(cli, monkeypatch):
    read, write = os.pipe()
    os.close(read)
    told, ended = io.StringIO(), []
    # What could not be written is tried again where the file is closed.
    with contextlib.suppress(BrokenPipeError), os.fdopen(write, "w", 1) as out:
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", told)
        ended.append(main(["taxonomy", *MEDHELM, "--json"]))
    assert (ended, told.closed) == ([0], True)


def test_the_market_is_printed_to_programs_tables_and_people(ask, cli):
    found = ask("market", "--platforms", "AWS Bedrock")
    assert found == ask("recommend", "--profile", "us", "--platforms", "AWS Bedrock")
    # As the screen and people call them.
    assert found == ask("market", "--platforms", "aws") == ask("market", "--platforms", "Amazon")
    assert ask("market", "--required", "BAA") == ask("market", "--required", "baa")
    status, out, _ = cli("market", "--platforms", "AWS Bedrock", "--csv")
    rows = list(csv.DictReader(io.StringIO(out.removeprefix("\ufeff"), newline="")))
    assert (status, list(rows[0])) == (0, list(MARKET_COLUMNS))
    assert {row["requests_per_month"] for row in rows} == {"10000"}
    volumes = ("--volumes", "discharge-summaries=300", "--volumes", "visit-notes=45.5")
    _, out, _ = cli("market", "--platforms", "AWS Bedrock", *volumes, "--csv")
    assert {line.split(",")[-3] for line in out.splitlines()[2:5]} == {"345.5"}
    listed = [each["model"] for each in (*found["candidates"], *found["ask_first"])]
    assert [row["model"] for row in rows] == listed
    shown = cli("market", "--platforms", "AWS Bedrock")[1].splitlines()
    assert found["headline"] in shown
    # As on the page: cents below ten dollars, where whole ones would make two costs the same.
    (micro,) = [it for it in found["candidates"] if it["name"] == "Nova Micro 1.0"]
    (row,) = [line.split() for line in shown if "Nova Micro 1.0" in line]
    assert micro["monthly_cost_usd"]["likely"] < 10
    assert dollars(micro["monthly_cost_usd"]["likely"]) in row


def test_every_command_explains_itself(cli):
    commands = re.findall(r"^    ([a-z-]+)(?:  |$)", cli("--help")[1], re.M)
    assert {"recommend", "equivalents", "model", "watch", "refresh"} <= set(commands)
    for command in commands:
        status, out, _ = cli(command, "--help")
        assert status == 0
        assert command in out


@pytest.mark.slow
def test_an_altered_snapshot_is_3_for_its_suite_and_the_others_work(altered, cli):
    for asked in (("taxonomy",), ("redundancy",), ("win-rates",), ("shortlist",)):
        line = failed(cli(*asked, *MEDHELM, "--json"), 3)
        assert "medhelm/v4.0.0/scores.csv was altered" in line
        status, out, err = cli(*asked, "--suite", "open-llm-v2", "--json")
        assert status == 0
        has_snapshots(json.loads(out), "open-llm-v2")
        assert err.count("\n") == 1
        assert err.startswith("warning: medhelm/v4.0.0/scores.csv was altered")
    failed(cli("equivalents", *MEDHELM, "--model", "DeepSeek R1", "--json"), 3)


def run(*arguments):
    command = [sys.executable, "-m", "core", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=180, check=False)
    return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


@pytest.mark.slow
def test_a_real_process_prints_one_document_and_nothing_else(ask):
    status, out, err = run("taxonomy", "--suite", "open-llm-v2", *PORTRAITS, "--json")
    assert (status, err) == (0, "")
    document, end = json.JSONDecoder().raw_decode(out)
    assert out[end:] == "\n"
    assert document == ask("taxonomy", "--suite", "open-llm-v2", *PORTRAITS)


@pytest.mark.slow
def test_a_real_process_ends_with_the_status_of_its_fault(altered):
    failed(run("win-rates", *MEDHELM, "--json"), 3)
    failed(run("equivalents", "--suite", "open-llm-v2", "--model", "m", "--margin", "abc"), 2)


def test_what_the_log_says_of_a_fault_is_no_second_line(monkeypatch):
    monkeypatch.setenv("FORMULARY_DATABASE_URL", "postgresql://a:b@127.0.0.1:9/none")
    assert "cannot be reached" in failed(run("watch"), 3)
