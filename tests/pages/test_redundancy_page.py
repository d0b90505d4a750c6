"""The redundancy page in this process: its words, its controls, and cohorts too small for it."""

import numpy as np
import pytest

from core.answers import evidence, other_suites
from core.domain import Selection

PAGE = "evidence/redundancy"
EXAMS = {"evidence": "Open Medical-LLM"}
BENCHMARKS = (
    *("medmcqa", "medqa", "mmlu_anatomy", "mmlu_clinical_knowledge", "mmlu_college_biology"),
    *("mmlu_college_medicine", "mmlu_medical_genetics", "mmlu_professional_medicine", "pubmedqa"),
)


def text(at):
    return "\n".join(mark.value for mark in [*at.markdown, *at.caption])


def table(at, column):
    return next(frame.value for frame in at.dataframe if column in frame.value)


def test_the_page_says_which_benchmarks_tell_the_same(visit, bundled):
    at = visit(PAGE, **EXAMS, repeats_show="Every pair")
    names = {b.id: b.name for b in bundled.catalogue.benchmarks["open-medical-llm"]}
    assert at.markdown[0].value.startswith("**MedMCQA, MedQA")
    assert "repeat one another; PubMedQA adds something of its own" in at.markdown[0].value
    assert all(name in at.markdown[0].value for name in names.values())
    assert "come to 2 votes" in at.markdown[0].value
    found = evidence.redundancy(bundled, Selection("open-medical-llm"))
    pairs = table(at, "And")
    assert len(pairs) == len(found.pairs) == 36
    assert pairs["r"].abs().is_monotonic_decreasing
    assert pairs["r"].iloc[0] == max(pair.r for pair in found.pairs)
    assert list(table(at, "Share one vote")["Benchmarks"]) == [8, 1]


def test_a_pair_from_a_link(visit, bundled):
    at = visit(PAGE, **EXAMS, bench_a="MedQA", bench_b="PubMedQA", method="Order only (Spearman)")
    found = evidence.redundancy(bundled, Selection("open-medical-llm"), "spearman")
    (pair,) = [pair for pair in found.pairs if (pair.a, pair.b) == ("medqa", "pubmedqa")]
    assert f"Spearman's ρ = {pair.r:.2f}" in text(at)
    assert "MedMCQA and MedQA tell much the same" in text(visit(PAGE, **EXAMS, bench_b="MedQA"))
    at = visit(PAGE, **EXAMS, bench_a="MedQA", bench_b="MedQA")
    assert "two different benchmarks" in at.info[0].value
    at = visit(PAGE, **EXAMS, bench_a="No such benchmark", keep="99", method="Kendall")
    notes = " ".join(note.value for note in at.warning)
    for part in ("No such benchmark", "99", "Kendall"):
        assert part in notes
    assert not at.error


def test_the_plan_follows_the_number_to_keep(visit, bundled):
    sets = evidence.smaller_sets(bundled, Selection("open-medical-llm"))
    at = visit(PAGE, **EXAMS, repeats_show="A smaller set")
    fewest = next(one for one in sets if one.tau >= 0.9)
    assert list(table(at, "Why")["Keep"]).count("yes") == len(fewest.benchmarks)
    at.selectbox(key="keep").set_value("4").run()
    plan = table(at, "Why")
    assert list(plan["Keep"]) == ["yes"] * 4 + ["no"] * 5
    kept = {benchmark.name for benchmark in bundled.catalogue.benchmarks["open-medical-llm"]
            if benchmark.id in sets[3].benchmarks}  # fmt: skip
    assert set(plan["Benchmark"][:4]) == kept
    assert f"Four of nine benchmarks keep {sets[3].tau:.2f} of the ranking" in text(at)
    assert (
        f"{sets[3].n_items_saved:,} questions for each model ({sets[3].n_items_saved / 7045:.0%})"
        in text(at)
    )


def test_unknown_numbers_of_items_are_not_counted_as_none(visit, bundled):
    said = text(visit(PAGE, evidence="MedHELM", keep="12"))
    assert "million tokens for each model" in said
    assert "Only 13 models" in said
    assert "a better set of a size may exist" in said
    assert "is not known: the suite does not publish it" in text(
        visit(PAGE, evidence="BRIDGE", repeats_show="A smaller set")
    )


def test_every_pair_as_small_plots(visit):
    at = visit(PAGE, **EXAMS, repeats_show="Every pair")
    at.session_state["every_pair"] = True
    at.run()
    assert not at.exception
    assert len(at.multiselect(key="in_matrix").value) == 9
    at.multiselect(key="in_matrix").set_value(["MedQA"]).run()
    assert "Choose at least two." in text(at)


@pytest.mark.parametrize("n_models", [1, 2])
def test_too_few_models_give_a_sentence(n_models, data, write_snapshot, visit):
    records = [(f"m{i}", name, 0.3 + i / 9) for i in range(n_models) for name in BENCHMARKS]
    write_snapshot(data, "open-medical-llm", records)
    at = visit(PAGE, **EXAMS)
    assert not at.error
    (said,) = [note.value for note in at.info if "at least 3 models" in note.value]
    assert f"there are {n_models}" in said


def test_no_complete_model_gives_a_sentence(data, write_snapshot, visit):
    write_snapshot(data, "open-medical-llm", [(f"m{i}", BENCHMARKS[i], 0.5) for i in range(9)])
    at = visit(PAGE, **EXAMS)
    assert not at.error
    assert any("there are 0" in note.value for note in at.info)


def test_equal_scores_give_no_error(data, write_snapshot, visit):
    rng = np.random.default_rng(2)
    scores = rng.random((5, 9)).round(2)
    scores[:, 3] = 0.5
    records = [(f"m{i}", name, scores[i, j]) for i in range(5) for j, name in enumerate(BENCHMARKS)]
    write_snapshot(data, "open-medical-llm", records)
    at = visit(PAGE, **EXAMS, flagged="true", bench_a="MMLU clinical knowledge", bench_b="MedQA")
    assert not at.error
    assert "a correlation is not defined" in text(at)


def test_the_suites_stand_side_by_side(visit, bundled):
    at = visit(PAGE, **EXAMS, repeats_show="Other suites")
    found = other_suites.across_suites(bundled)
    shown = table(at, "Beside")
    assert len(shown) == len(found)
    assert shown["Models"].is_monotonic_decreasing
    (row,) = shown[
        (shown["Order"] == "MedHELM: balanced") & (shown["Beside"] == "NOHARM: restraint")
    ].to_dict("records")
    assert (row["Models"], row["They"]) == (10, "agree")
    # The squared differences of places add up to 30.
    assert row["ρ"] == pytest.approx(1 - 6 * 30 / 990)
    # DeepSeek R1 and Gemini 2.0 Flash bear one name; of Llama 3.3 70B there is one version.
    assert row["Version not stated"] == 9
    agree = sum(pair.agreement.says == "agree" for pair in found)
    assert f"**Of {len(found)} pairs of orders" in text(at)
    assert agree == (shown["They"] == "agree").sum()
    assert set(shown["They"]) <= {"agree", "disagree", "cannot tell", "too few models"}
