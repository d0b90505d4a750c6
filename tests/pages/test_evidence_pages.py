"""The tabs of the evidence, side by side and the frontier: their figures, and what they lack."""

import itertools
import json
import re

import numpy as np
import pytest
from reading import number, press, said, table, tables

from core import handbook
from core.answers import data, evidence, other_suites
from core.domain import (
    BadDataError,
    BenchmarkPair,
    ClusterTest,
    ClusterTests,
    Selection,
    WinRateRow,
    WinRates,
)
from core.figures import listed
from core.sharing import export
from core.statistics.taxonomy import cluster_names
from core.words import evidence as words
from pages.components.notices import plain

PAGE = "evidence/clusters"
PAPER = "Taxonomy paper, 33 models"
GENERAL = "Taxonomy paper, general side"


def test_the_published_clusters_are_in_words_and_a_link_opens_another_tree(visit):
    at = visit(PAGE, evidence=GENERAL)
    (members,) = tables(at, "Cluster")
    assert list(members["Cluster"].value_counts()) == [20, 13]
    assert number(r"(\d+) models do well .* (\d+) less so", at) == [20, 13]
    assert "four of six benchmarks" in said(at)


def test_too_few_models_to_show_a_difference_and_missing_errors_are_said(visit):
    at = visit(PAGE, evidence="MedHELM")
    (answer,) = [mark for mark in at.markdown if "form two clusters" in mark.value]
    (members,) = tables(at, "Cluster")
    # Named before the picture: the higher cluster first, all thirteen of them.
    high, low = answer.value.split("seven lower")
    for name, cluster in zip(members["Model"], members["Cluster"], strict=True):
        assert plain(name) in (high if cluster == "H" else low)
    assert plain("smallest p that 6 against 7 models can give is 0.0027") in answer.proto.help
    assert plain("the significance level is 0.01/37 = 0.00027") in answer.proto.help
    at = visit(PAGE, evidence="MedHELM", show="How sure it is", noise="Other questions")
    (note,) = at.info
    assert "and 8 more" in note.value


@pytest.mark.parametrize("k", [2, 3, 4])
def test_only_a_cluster_above_the_next_does_well(k, bundled):
    told = {}
    for base in bundled.catalogue.evidence.values():
        tree = evidence.taxonomy(bundled, Selection(base.suite, base.cohort), k)
        means, labels = tree.standardised.mean(axis=1), np.array(tree.labels)
        each = [means[labels == name] for name in cluster_names(k)]
        above = all(a.min() > b.max() for a, b in itertools.pairwise(each))
        (first, *_), overlap = words.clusters(tree, {m: m for m in tree.models}, "S")
        good = above and len(tree.benchmarks) > 1 and min(map(len, each)) > 1
        told_so = "well on the tests of S" in first[0], "above the other " in first[0]
        assert (*told_so, not overlap) == (good, above and not good, above), base.name
        told[base.name] = first[0]
    if k == 2:
        # Six of the 29 have a lower mean than o4 mini, which is one of the three.
        noharm = (
            "By similarity, S's models form two clusters that overlap: 29 score higher on average"
        )
        assert told["NOHARM, safety"] == noharm
        assert told["Open Medical-LLM"] == "105 models do well on the tests of S"
        psych = "22 models score above the other one on the test of S"
        assert told["HealthBench-Psych"] == psych


def test_the_headline_counts_what_could_have_been_shown():
    def found(*pairs):
        tests = tuple(ClusterTest("b", p, p < 0.005, 0.0) for p, _ in pairs)
        return ClusterTests(0.005, tests, tuple(least for _, least in pairs))

    nan = float("nan")
    sizes = {"H": 29, "L": 3}
    mixed, _ = words.separated(found((0.001, 0.001), (0.3, 0.001), (0.3, 0.02), (nan, nan)), sizes)
    assert "on one of four benchmarks" in mixed
    assert "On one no difference could have been shown" in mixed
    assert (
        "on all two benchmarks" in words.separated(found((0.001, 0.001), (0.002, 0.001)), sizes)[0]
    )
    assert "so few models" in words.separated(found((0.3, 0.02), (nan, nan)), sizes)[0]
    assert "cannot be tested" in words.separated(found((nan, nan), (nan, nan)), sizes)[0]


def test_the_controls_of_a_link_shape_the_tree(visit, bundled):
    at = visit(PAGE, evidence=PAPER, clusters="3")
    assert not at.warning
    selection = Selection("open-medical-llm", "taxonomy-portraits")
    tree = evidence.taxonomy(bundled, selection, 3)
    (members,) = tables(at, "Cluster")
    assert list(members["Identifier"]) == [tree.models[i] for i in tree.leaf_order]
    assert list(members["Cluster"]) == [tree.labels[i] for i in tree.leaf_order]
    at = visit(PAGE, evidence=PAPER, show="How sure it is")
    assert number(r"Cluster H ([\d.]+), stable; cluster L ([\d.]+), stable", at) == [0.97, 0.94]
    at = visit(PAGE, evidence=PAPER, show="Face to face")
    assert number(r"agree to ([\d.]+)", at) == [0.73]
    assert "**Mistral-7B-Instruct-v0.1 and vicuna-7b-v1.5 change cluster** between" in said(at)
    (sides,) = tables(at, "H in Open LLM Leaderboard v2")
    assert sides.iloc[:, 1:].to_numpy().tolist() == [[18, 2], [0, 9]]


def test_three_models_fall_into_three_clusters_at_most(exams, visit):
    exams(0.3, 0.4, 0.5)
    at = visit(PAGE, evidence="Open Medical-LLM", clusters="6")
    (members,) = tables(at, "Cluster")
    assert list(members["Cluster"]) == ["H", "M", "L"]
    for show in ("What sets them apart", "How sure it is", "Face to face"):
        at = visit(PAGE, evidence="Open Medical-LLM", clusters="2", show=show)
        assert not at.error, show


REPEATS, EXAMS = "evidence/redundancy", {"evidence": "Open Medical-LLM"}
SUITE = "open-medical-llm"


def test_the_page_names_redundant_benchmarks_and_the_pair_of_a_link(visit, bundled):
    at = visit(REPEATS, **EXAMS)
    names = [b.name for b in bundled.catalogue.benchmarks[SUITE]]
    # Eight repeat one another; PubMedQA does not.
    said_first = at.markdown[0].value
    assert [name for name in names if name not in said_first] == ["PubMedQA"]
    # Six of the eight are of one category and two of another; PubMedQA is of a third.
    assert number(r"counts (\d) votes for the (\d) tests", at) == [3, 9]
    # Of the 666 pairs of MedHELM's 37 tests, over 13 models, few are below 0.01/666.
    alike = "Of the 24 pairs within a group, 6 are more alike than chance explains among 666"
    at = visit(REPEATS, evidence="MedHELM")
    assert alike in said(at)
    # 9, 6, 7, 6 and 5 in its five categories.
    assert number(r"counts (\d+) votes for the (\d+) tests", at) == [33, 37]
    one = {"bench_a": "MedQA", "bench_b": "PubMedQA"}
    at = visit(REPEATS, **EXAMS, **one, method="Order only (Spearman)")
    found = evidence.redundancy(bundled, Selection(SUITE), "spearman")
    (pair,) = [pair for pair in found.pairs if (pair.a, pair.b) == ("medqa", "pubmedqa")]
    assert number(r"Spearman's ρ = ([\d.]+)", at) == [round(pair.r, 2)]
    closest = max(found.pairs, key=lambda pair: abs(pair.r))
    at = visit(REPEATS, **EXAMS, repeats_show="One pair", method="Order only (Spearman)")
    assert number(r"Spearman's ρ = ([\d.]+)", at) == [round(closest.r, 2)]
    (note,) = visit(REPEATS, **EXAMS, bench_a="MedQA", bench_b="MedQA").warning
    assert "“MedQA” is not known here" in note.value.replace("\\", "")
    at = visit(REPEATS, evidence="MedHELM", keep="12")
    assert number(r"Only (\d+) models", at) == [13]
    assert number(r"of at most ([\d.]+) million tokens", at)


def test_groups_that_chance_could_explain_are_not_said_to_go_together(visit):
    """Of the 35 tests of nine models no pair has a p below 0.01/595."""
    at = visit(REPEATS, evidence="MedHELM paper, 9 models")
    assert "**Six groups of tests may go together, but chance could explain it:**" in said(at)
    assert "Of the 24 pairs within a group, none is more alike than" in said(at)
    assert "**No test repeats another closely.**" in said(visit(REPEATS, evidence="NOHARM, safety"))


def test_pairs_within_groups_are_counted_in_plain_english():
    no, yes = (
        BenchmarkPair("a", "b", 0.9, 0.01, significant=shown, n_models=9) for shown in (False, True)
    )
    chance = "more alike than chance explains among"
    assert words.beyond_chance([], 15) == ""
    assert words.beyond_chance([yes], 15) == f"The one pair within a group is {chance} 15 pairs."
    assert words.beyond_chance([no], 1) == f"The one pair within a group is not {chance} 1 pair."
    assert words.beyond_chance([yes] * 2, 3) == f"Both pairs within a group are {chance} 3 pairs."
    for pairs, those in (([no, no], "none is"), ([yes, no], "one is")):
        assert words.beyond_chance(pairs, 3) == (
            f"Of the 2 pairs within a group, {those} {chance} 3 pairs."
        )


@pytest.mark.parametrize(
    ("agree", "said"),
    [
        (12, "All 12 trees grown with another distance or linkage give the same clusters."),
        (7, "Seven of the 12 trees"),
        (0, "The clusters depend on how the tree is grown: none of the 12 trees"),
    ],
)
def test_what_other_trees_come_to_is_said_before_their_number(agree, said):
    assert words.other_trees(agree, 12).startswith(said)


def test_votes_are_those_of_the_work_that_counts(visit):
    """Of its 12 tests of decision support four share a group, and no other two do."""
    own = {"task": "Own weights", "category": "Clinical Decision Support"}
    at = visit(REPEATS, evidence="MedHELM", **own)
    assert number(r"counts (\d+) votes for the (\d+) tests", at) == [9, 12]
    at = visit(REPEATS, evidence="MedHELM", **own, w_clinical_decision_support="0")
    assert not at.error
    assert "Five groups of tests go together" in said(at)
    assert "joins tests only within a category" not in said(at)


def test_the_plan_follows_the_number_to_keep(visit, bundled):
    sets = evidence.smaller_benchmark_sets(bundled, Selection(SUITE))
    at = visit(REPEATS, **EXAMS, repeats_show="A smaller set")
    fewest = next(one for one in sets if one.tau >= 0.9)
    assert list(table(at, "Keep")["Keep"]).count("yes") == len(fewest.benchmarks)
    at.selectbox(key="keep").set_value("4").run()
    plan = table(at, "Keep")
    assert list(plan["Keep"]) == ["yes"] * 4 + ["no"] * 5
    names = {b.id: b.name for b in bundled.catalogue.benchmarks[SUITE]}
    assert set(plan["Benchmark"][:4]) == {names[one] for one in sets[3].benchmarks}
    assert number(r"agrees with that of all to ([\d.]+)", at) == [round(sets[3].tau, 2)]
    out = set(names) - set(sets[3].benchmarks)
    saved = sum(b.n_items for b in bundled.catalogue.benchmarks[SUITE] if b.id in out)
    assert number(r"leaves out ([\d,]+) questions for each model", at) == [saved]


@pytest.mark.parametrize("n_complete", [0, 1, 2])
def test_too_few_models_give_a_sentence(n_complete, exams, write_snapshot, data, bundled, visit):
    ids = [b.id for b in bundled.catalogue.benchmarks[SUITE]]
    gaps = [(f"g{i}", name, 0.5 + i / 20) for i, name in enumerate(ids)]
    exams(*(0.3 + i / 9 for i in range(n_complete)), others=[] if n_complete else gaps)
    at = visit(REPEATS, **EXAMS)
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
    at = visit(REPEATS, **EXAMS, flagged="true", **one)
    assert "a correlation is not defined" in said(at)


HEALTH = "evidence/benchhealth"
SETS = (
    *("medqa", "medmcqa", "mmlu_medicine", "pubmedqa", "chatdoctor", "mimic_cxr", "iu_xray"),
    *("mimic_iii", "bc5_disease", "ncbi_disease", "ddi", "gad", "hoc"),
)


@pytest.fixture
def models(data, write_snapshot):
    def write(**scores):
        records = [(m, b, s) for m, row in scores.items() for b, s in zip(SETS, row, strict=True)]
        write_snapshot(data, "benchhealth", records)

    return write


def test_the_figures_of_the_paper_and_what_people_judged_by_criterion(visit):
    at = visit(HEALTH, evidence="MedHELM")
    figures = at.dataframe[0].value.set_index("Model")
    assert len(figures) == 16
    assert figures["Generalisability"]["GPT-4"] == pytest.approx(55.4, abs=0.05)
    assert figures.loc["GPT-4", "Radiology report summarization"] == pytest.approx(13.3)
    shown = table(at, "Against GPT-4").set_index(["Criterion", "Model"])
    assert shown.loc[("Robustness", "Alpaca 7B"), "Against GPT-4"] == 23.5


@pytest.mark.parametrize(
    ("scores", "unknown"),
    [({"one": range(40, 53)}, []), ({"gaps": [50, None, *range(40, 51)]}, ["gaps"])],
)
def test_few_models_of_which_one_may_have_gaps(visit, models, scores, unknown):
    models(whole=range(40, 53), **scores) if unknown else models(**scores)
    at = visit(HEALTH)
    shown = table(at, "Robustness").set_index("Model")
    assert [name for name in shown.index if shown["Robustness"].isna()[name]] == unknown
    assert ("whole is the most even" in said(at)) == bool(unknown)


def test_no_snapshot_and_an_empty_one_give_a_sentence(visit, bundled_snapshot, models):
    bundled_snapshot("open-medical-llm")
    at = visit(HEALTH)
    assert len(at.info) == 1
    models(nobody=[None] * 13)
    at = visit(HEALTH)
    assert len(at.info) == 1


@pytest.mark.parametrize(
    ("used", "first"),
    [
        ("GPT-4o (2024-08-06)", ["gpt-4o-0806", "DeepSeek-R1"]),
        # The suite has none of this version: the two that lead the shortlist.
        ("GPT-4o (2024-11-20)", ["DeepSeek-R1", "Qwen3-Next-80B-A3B-Thinking"]),
    ],
)
def test_side_by_side_begins_with_the_model_in_use(visit, used, first):
    at = visit("replace/side_by_side", evidence="BRIDGE", in_use=used)
    assert at.multiselect(key="compare").value == first
    assert ("is not in BRIDGE" in said(at)) == (used == "GPT-4o (2024-11-20)")
    # In the address, and so in a link, also at its default.
    assert (at.query_params["in_use"], at.query_params["compare"]) == (used, first)
    at.selectbox(key="in_use").set_value("DeepSeek R1 (2025-01-20)").run()
    assert at.multiselect(key="compare").value[0] == "DeepSeek-R1"
    at.multiselect(key="compare").set_value(["DeepSeek-R1", "QwQ-32B"]).run()
    at.selectbox(key="evidence").set_value("MedHELM").run()
    assert not at.exception


@pytest.mark.parametrize(
    ("only", "compared", "told"),
    [
        (
            ["GPT-4o (2024-05-13)", "DeepSeek R1 (2025-01-20)", "GPT-5.2"],
            ["GPT-4o (2024-05-13)", "DeepSeek R1"],
            "GPT-5.2 is not in MedHELM.",
        ),
        (["GPT-5.2", "DeepSeek V3.2"], [], "GPT-5.2 and DeepSeek V3.2 are not in BRIDGE."),
    ],
    ids=["one is missing", "all are missing"],
)
def test_side_by_side_compares_the_chosen_models_or_says_why_not(visit, only, compared, told):
    at = visit("replace/side_by_side", evidence="All evidence", only=only)
    assert at.multiselect(key="compare").value == compared
    assert told in said(at)
    (way,) = (it.proto for it in at.get("page_link") if it.proto.label.startswith("Compare"))
    assert "model=" in way.query_string
    assert "beside=DeepSeek+" in way.query_string


def test_others_do_not_stand_for_a_model_that_the_suite_lacks(visit):
    """What needs one suite was put to BRIDGE, and compared two models that nobody named."""
    at = visit("replace/side_by_side", evidence="All evidence", in_use="GPT-4o (2024-11-20)")
    assert at.multiselect(key="compare").value == []
    assert "GPT-4o (2024-11-20) is not in " in said(at)
    (way,) = (it.proto for it in at.get("page_link") if it.proto.label.startswith("Compare it"))
    assert "model=GPT-4o+%282024-11-20%29" in way.query_string
    assert "beside=GPT-5.2" in way.query_string


@pytest.mark.parametrize("conditions", [[], ["Business associate agreement (BAA)"]])
def test_a_rise_in_severe_harm_is_said_before_old_facts(visit, conditions):
    """With conditions their old facts had taken its place."""
    query = {"evidence": "MedHELM", "task": "Documentation", "in_use": "DeepSeek R1"}
    at = visit("replace/candidates", **query, gates=conditions)
    assert "Severe harm rises from 9.8 to 14.1 % of cases" in said(at)


def test_one_model_side_by_side_asks_for_a_second(visit):
    at = visit("replace/side_by_side", evidence="MedHELM", compare=["GPT-5 (2025-08-07)"])
    assert "at least two models" in at.info[0].value


def test_a_model_without_a_size_is_never_the_smallest(visit):
    sold = {"sale": "Not asked", "sale_on": "2025-05-01"}
    at = visit("cost/quality", **sold, cost="Size in parameters")
    # Of MedHELM's 13 models the makers of DeepSeek R1 and Llama 3.3 alone say how large they are.
    assert number(r"(\d+) models without a published size", at) == [11]
    shown = table(at, "On the frontier")
    unknown = shown[shown["Basis"].str.startswith("no published")]
    assert len(unknown) == 11
    assert unknown["Cost"].isna().all()
    assert set(unknown["On the frontier"]) == {"not known"}


def test_from_the_market_one_press_asks_the_suite_that_tests_the_work(visit):
    at = visit("cost/quality", evidence="All evidence", task="Prior authorisation")
    press(at, next(b.label for b in at.main.button if b.label.startswith("Quality against cost")))
    # Its evidence is called otherwise than the suite, χ-Bench.
    assert at.session_state["evidence"] == "χ-Bench, agents"
    assert "On the frontier" in table(at, "On the frontier")


METHODS = "data/methods"


def test_every_section_of_the_document_is_on_the_page(visit, tmp_path):
    sections = handbook.sections()
    opened = {f"about-{section.anchor}": "true" for section in sections[:3]}
    at = visit(METHODS, **opened)
    shown = {box.label for box in at.expander}
    assert len(sections) > 8
    assert {s.title for s in sections} <= shown
    assert all(section.text.replace("\\", "") in said(at) for section in sections[:3])
    path = tmp_path / "m.md"
    path.write_text(
        "# T\nintro\n\n## One, two\n<!-- x -->\na [b](../c.py) [d](https://e.org)\n### x\n\n## Z\n"
    )
    assert handbook.sections(path) == (
        handbook.Section("One, two", "one-two", "a `b` [d](https://e.org)\n### x"),
        handbook.Section("Z", "z", ""),
    )


def test_a_missing_document_and_one_without_sections_are_one_sentence(tmp_path):
    path = tmp_path / "m.md"
    with pytest.raises(BadDataError, match=r"^The document m\.md is missing\.$"):
        handbook.sections(path)
    path.write_text("# T\nintro")
    with pytest.raises(BadDataError, match=r"^The document m\.md has no sections\.$"):
        handbook.sections(path)


@pytest.mark.parametrize(
    "heading", handbook.sections(handbook.METHODS, "##+"), ids=lambda it: it.title
)
def test_a_section_of_any_level_is_found_by_its_title(heading):
    assert handbook.section(heading.title) == heading
    with pytest.raises(BadDataError, match="has no section “Nowhere”"):
        handbook.section("Nowhere")


def test_a_column_of_gaps_is_as_wide_as_the_word_for_them(visit):
    at = visit("replace/candidates", evidence="HealthBench-Psych", model="GPT-5.5")
    shown = next(it for it in at.dataframe if "From" in it.value)
    assert shown.value[["From", "To"]].isna().all(axis=None)
    columns = json.loads(shown.proto.columns)
    assert [columns[it]["width"] for it in ("From", "To")] == [88, 88]
    assert columns["Difference"].get("width") is None
    # Nor does the picture promise bars that are not there.
    assert "No interval is known; each mark is the difference to GPT-5.5" in said(at)
    at = visit("replace/candidates", evidence="MedHELM", model="GPT-4o (2024-05-13)")
    assert "Each bar is the 95 % interval of the difference" in said(at)


def test_a_product_in_use_leads_to_its_row_of_the_suite(visit):
    """χ-Bench has Claude Opus 5 by its name and its harness together."""
    at = visit("replace/candidates", evidence="χ-Bench, agents", model="Claude Opus 5")
    assert not at.warning
    assert "Keep Claude Opus 5 with " in said(at)
    # One that the suite never tested is looked at over all evidence.
    at = visit("replace/candidates", evidence="χ-Bench, agents", model="GPT-4o (2024-11-20)")
    assert "so the answer is over all evidence" in at.info[0].value
    at = visit("replace/candidates", evidence="χ-Bench, agents", model="nobody's")
    assert "is not known here" in at.warning[0].value


def test_old_scores_are_said_where_all_evidence_is_put_to_one_suite(visit):
    """BRIDGE's scores are of 1 November 2025."""
    at = visit(PAGE, evidence="All evidence")
    (about,) = [it.value for it in at.caption if "this view needs one suite" in it.value]
    assert about.replace("\\", "") == (
        "Based on BRIDGE alone: this view needs one suite. The scores in this evidence date from "
        "1 November 2025, over a year ago: later models are not among them."
    )
    at = visit(PAGE, evidence="BRIDGE")
    assert "this view needs one suite" not in said(at)


def test_chance_is_said_with_the_level_that_many_pairs_ask_for():
    """0.01 over 595 pairs is 0.0000168: p of 0.000023 is not below it."""
    weak = BenchmarkPair("a", "b", 0.97, 2.3e-5, significant=False, n_models=9)
    assert "".join(words.pair_of_tests(weak, "A and B", "pearson", 595)) == (
        "A and B may be related: r = 0.97, p = 0.000023, over 9 models. With 595 pairs compared, "
        "chance could explain this: p is not below 0.000017."
    )
    shown = BenchmarkPair("a", "b", 0.97, 2.3e-5, significant=True, n_models=9)
    assert words.pair_of_tests(shown, "A and B", "pearson", 15) == (
        "A and B are related",
        ": r = 0.97, p below 0.0001, over 9 models.",
    )
    weak = BenchmarkPair("a", "b", -0.1, 0.6, significant=False, n_models=9)
    assert "ρ = −0.10, p = 0.60, over" in words.pair_of_tests(weak, "A and B", "spearman", 15)[1]


@pytest.mark.parametrize(
    ("suite", "said_first"),
    [
        ("HealthBench-Psych", "One test is too few to show that a model wins more than another."),
        ("χ-Bench, agents", "Three tests are too few to show that a model wins more than another."),
    ],
)
def test_too_few_tests_for_win_rates_are_said_to_be_so(visit, suite, said_first):
    at = visit("evidence/win_rates", evidence=suite)
    assert f"**{said_first}** This view needs five." in said(at)
    assert "No model is shown to win" not in said(at)


def test_systems_of_a_model_and_a_harness_are_not_called_models(visit):
    at = visit("evidence/win_rates", evidence="χ-Bench, agents")
    assert "41 systems of 25 models with an agent harness compared, on 3 benchmarks" in said(at)


def test_who_could_be_best_claims_no_more_than_the_possible_ranks():
    """Each set is a promise about one row: that of the first may rule out what others' do not."""

    def finding(*bands):
        rows = [WinRateRow(f"m{i}", 0.5, 0.4, 0.6, b, 0, 0.5, 0, 9) for i, b in enumerate(bands)]
        found = WinRates("s", "all", None, tuple(rows), (), (), (), None)
        return words.who_wins(found, {row.model: row.model for row in rows})[0]

    assert finding((1, 2), (1, 3), (2, 3)) == "Either of two models could be the best."
    assert finding((1, 2), (1, 3), (1, 3)) == "Any of three models could be the best."
    assert finding((1, 3), (1, 3), (1, 3)) == "No model is shown to win more than another."
    assert finding((1, 2), (2, 3), (2, 3)) == "Only m0 could be the best."


def test_the_best_by_score_are_named_first(visit, bundled):
    found = evidence.first_by_score(bundled, Selection("lmarena-medicine"))
    scores = data.matrix(bundled, Selection("lmarena-medicine"))
    rating = dict(zip(scores.models, scores.scores[:, 0], strict=True))
    assert len(found) == 10
    assert found[0] == max(rating, key=rating.__getitem__)
    assert list(found) == sorted(found, key=lambda model: -rating[model])
    at = visit("evidence/win_rates", evidence="LMArena, crowd preference")
    first = "By mean score, gemini-3-pro, grok-4.1-thinking, claude-opus-4-5-20251101 and 7 others"
    assert f"{first} could be the best." in said(at)
    at = visit("evidence/win_rates", evidence="MedAgentsBench")
    only = "By mean score, each test counting equally, only DeepSeek-R1 could be the best."
    assert only in said(at)


def test_a_column_of_the_matrix_leads_to_the_places_behind_it(visit):
    suite = "Diagnoses (Portuguese), by NoHarm.ai"
    at = visit("data/one_suite", evidence="All evidence", task="Documentation", suite=suite)
    places = table(at, "Place").set_index("Model")
    assert places.loc["GPT-5.2"].tolist() == [4, "90.1 (86.7 to 93.4)"]
    assert len(places) == 46
    assert "46 models, as they count for documentation" in said(at)
    other = visit("data/one_suite", evidence="All evidence", task="Research", suite=suite)
    assert "by its overall score; none counts for research" in said(other)


def test_systems_of_a_suite_are_not_counted_as_models(visit, bundled):
    at = visit("data/one_suite", evidence="All evidence", suite="χ-Bench")
    rows = len(table(at, "Place"))
    (several,) = re.findall(rf"{rows} systems of (\d+) models, ", said(at))
    ranked = other_suites.standings(bundled, "chi-bench").rows
    # An id is route/maker/model (harness).
    assert int(several) == len({it.split("/")[-1].split(" (")[0] for it in ranked}) < rows


def test_files_of_places_and_of_costs_name_what_they_show(visit, bundled, monkeypatch):
    taken = {}
    monkeypatch.setattr(export, "source_line", lambda *of: taken.setdefault(of, "") or "x")
    visit("data/one_suite", evidence="All evidence", suite="χ-Bench")
    assert list(taken) == [(bundled.of_suite("chi-bench")[0],)]
    visit("cost/quality", evidence="All evidence")
    lists = next(of for of in taken if len(of) > 1)
    assert [it.list for it in lists] == ["genai-prices", "litellm"]


def test_coverage_names_the_suites_that_it_counts_and_no_other(visit, bundled):
    at = visit("evidence/coverage")
    told = next(it.proto.help for it in at.main.markdown if "kinds of clinical work" in it.value)
    suites = {it.name for it in bundled.catalogue.suites.values()}
    counted = [name for name in table(at, "Kind of work").columns if name in suites]
    assert "NOHARM" in suites.difference(counted)
    assert f"count; they are of {plain(listed(counted))}." in told


def test_the_template_of_own_results_is_of_the_suite_that_is_asked(visit):
    at = visit("data/own_results", evidence="Open Medical-LLM")
    assert "CSV template for Open Medical-LLM" in [it.label for it in at.get("download_button")]
