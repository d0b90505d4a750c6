"""The redundancy tab: its figures, its controls, and cohorts too small for it."""

import numpy as np
import pytest
from reading import number, said, table

from core.answers import evidence
from core.domain import Selection

PAGE, EXAMS = "evidence/redundancy", {"evidence": "Open Medical-LLM"}
SUITE = "open-medical-llm"


def test_the_page_says_which_benchmarks_tell_the_same_and_a_pair_from_a_link(visit, bundled):
    at = visit(PAGE, **EXAMS)
    names = [b.name for b in bundled.catalogue.benchmarks[SUITE]]
    # Eight repeat one another; PubMedQA does not.
    said_first = at.markdown[0].value
    assert [name for name in names if name not in said_first] == ["PubMedQA"]
    assert number(r"come to (\d) votes", at) == [2]
    one = {"bench_a": "MedQA", "bench_b": "PubMedQA"}
    at = visit(PAGE, **EXAMS, **one, method="Order only (Spearman)")
    found = evidence.redundancy(bundled, Selection(SUITE), "spearman")
    (pair,) = [pair for pair in found.pairs if (pair.a, pair.b) == ("medqa", "pubmedqa")]
    assert number(r"Spearman's ρ = ([\d.]+)", at) == [round(pair.r, 2)]
    closest = max(found.pairs, key=lambda pair: abs(pair.r))
    at = visit(PAGE, **EXAMS, repeats_show="One pair", method="Order only (Spearman)")
    assert number(r"Spearman's ρ = ([\d.]+)", at) == [round(closest.r, 2)]
    (note,) = visit(PAGE, **EXAMS, bench_a="MedQA", bench_b="MedQA").warning
    assert "“MedQA” is not known here" in note.value.replace("\\", "")
    at = visit(PAGE, evidence="MedHELM", keep="12")
    assert number(r"Only (\d+) models", at) == [13]
    assert number(r"of at most ([\d.]+) million tokens", at)
    at = visit(PAGE, evidence="BRIDGE", repeats_show="A smaller set")
    assert not any(word in said(at) for word in ("leaves out 0 questions", "Nothing is left out"))


def test_the_plan_follows_the_number_to_keep(visit, bundled):
    sets = evidence.smaller_sets(bundled, Selection(SUITE))
    at = visit(PAGE, **EXAMS, repeats_show="A smaller set")
    fewest = next(one for one in sets if one.tau >= 0.9)
    assert list(table(at, "Keep")["Keep"]).count("yes") == len(fewest.benchmarks)
    at.selectbox(key="keep").set_value("4").run()
    plan = table(at, "Keep")
    assert list(plan["Keep"]) == ["yes"] * 4 + ["no"] * 5
    names = {b.id: b.name for b in bundled.catalogue.benchmarks[SUITE]}
    assert set(plan["Benchmark"][:4]) == {names[one] for one in sets[3].benchmarks}
    assert number(r"benchmarks keep ([\d.]+) of the ranking", at) == [round(sets[3].tau, 2)]
    out = set(names) - set(sets[3].benchmarks)
    saved = sum(b.n_items for b in bundled.catalogue.benchmarks[SUITE] if b.id in out)
    assert number(r"leaves out ([\d,]+) questions for each model", at) == [saved]


@pytest.mark.parametrize("n_complete", [0, 1, 2])
def test_too_few_models_give_a_sentence(n_complete, exams, write_snapshot, data, bundled, visit):
    ids = [b.id for b in bundled.catalogue.benchmarks[SUITE]]
    gaps = [(f"g{i}", name, 0.5 + i / 20) for i, name in enumerate(ids)]
    exams(*(0.3 + i / 9 for i in range(n_complete)), others=[] if n_complete else gaps)
    at = visit(PAGE, **EXAMS)
    assert not at.error
    (note,) = [note.value for note in at.info]
    assert f"there are {n_complete}" in note


def test_equal_scores_give_no_error(data, write_snapshot, bundled, visit):
    rng = np.random.default_rng(2)
    names = [b.id for b in bundled.catalogue.benchmarks[SUITE]]
    scores = rng.random((5, 9)).round(2)
    scores[:, names.index("mmlu_clinical_knowledge")] = 0.5
    records = [(f"m{i}", name, scores[i, j]) for i in range(5) for j, name in enumerate(names)]
    write_snapshot(data, SUITE, records)
    one = {"bench_a": "MMLU clinical knowledge", "bench_b": "MedQA"}
    at = visit(PAGE, **EXAMS, flagged="true", **one)
    assert not at.error
    assert "a correlation is not defined" in said(at)
