"""The taxonomy page: a branch in words, its ways on, and what it says where it cannot answer."""

import numpy as np
import pytest
from reading import number, press, said, tables

from core.answers import taxonomies
from core.domain import ClusterTest, ClusterTests, Selection
from core.statistics.branches import branches
from pages.components.notices import plain
from pages.evidence.differences import separated

PAGE = "evidence/clusters"
PAPER = "Taxonomy paper, 33 models"
GENERAL = "Taxonomy paper, general side"
SMALL = "3 models: gpt2-xl … falcon-7b-instruct"


def test_the_published_clusters_come_out_in_words(visit):
    at = visit(PAGE, evidence=GENERAL)
    (members,) = tables(at, "Cluster")
    assert list(members["Cluster"].value_counts()) == [20, 13]
    assert number(r"(\d+) models do well .* (\d+) less so", at) == [20, 13]
    assert "four of six benchmarks" in said(at)


def test_too_few_models_to_show_a_difference_are_said(visit):
    at = visit(PAGE)
    (answer,) = [mark for mark in at.markdown if "do well" in mark.value]
    (members,) = tables(at, "Cluster")
    # Named before the picture: the higher cluster first, all thirteen of them.
    high, low = answer.value.split("seven less so")
    for name, cluster in zip(members["Model"], members["Cluster"], strict=True):
        assert plain(name) in (high if cluster == "H" else low)
    assert plain("least p that 6 against 7 models can give is 0.0027") in answer.proto.help
    assert plain("the level is 0.01/37 = 0.00027") in answer.proto.help


def test_the_headline_counts_what_could_have_been_shown():
    def found(*pairs):
        tests = tuple(ClusterTest("b", p, p < 0.005, 0.0) for p, _ in pairs)
        return ClusterTests(0.005, tests, tuple(least for _, least in pairs))

    nan = float("nan")
    sizes = {"H": 29, "L": 3}
    mixed, _ = separated(found((0.001, 0.001), (0.3, 0.001), (0.3, 0.02), (nan, nan)), sizes)
    assert "on one of four benchmarks" in mixed
    assert "On one no difference could have been shown" in mixed
    assert "on all two benchmarks" in separated(found((0.001, 0.001), (0.002, 0.001)), sizes)[0]
    assert "so few models" in separated(found((0.3, 0.02), (nan, nan)), sizes)[0]
    assert "cannot be tested" in separated(found((nan, nan), (nan, nan)), sizes)[0]


def test_a_branch_of_a_link_shows_its_models_and_how_often_it_came_out(visit, bundled):
    at = visit(PAGE, evidence=PAPER, branch=SMALL)
    assert not at.warning
    assert plain(SMALL) in [heading.value for heading in at.subheader]
    (branch, _) = tables(at, "Cluster")
    assert list(branch["Model"]) == ["gpt2-xl", "falcon-7b", "falcon-7b-instruct"]
    selection = Selection("open-medical-llm", "taxonomy-portraits")
    tree = taxonomies.taxonomy(bundled, selection, 2, "cityblock", "complete")
    found = taxonomies.stability(bundled, selection, "benchmarks", 2, "cityblock", "complete")
    models = {"openai-community/gpt2-xl", "tiiuae/falcon-7b", "tiiuae/falcon-7b-instruct"}
    (share,) = [
        found.support[one.merge]
        for one in branches(tree)
        if {tree.models[i] for i in tree.leaf_order[one.start : one.stop]} == models
    ]
    assert f"seen in **{share:.0%}** of 1,000 trees" in said(at)


def test_a_model_names_its_nearest(visit, bundled):
    at = visit(PAGE, evidence=PAPER, branch="Yi-1.5-9B-32K")
    tree = taxonomies.taxonomy(bundled, Selection("open-medical-llm", "taxonomy-portraits"))
    z = tree.standardised[tree.models.index("01-ai/Yi-1.5-9B-32K")]
    distances = np.abs(tree.standardised - z).sum(axis=1)
    nearest = tree.models[np.argsort(distances)[1]].split("/")[1]
    assert f": {nearest} ({sorted(distances)[1]:.2f})" in said(at)


def test_sent_to_the_shortlist_the_branch_is_all_there_is_to_choose_from(visit):
    at = visit(PAGE, evidence=PAPER, branch=SMALL)
    press(at, "Send to the shortlist")
    assert at.multiselect(key="only").value == [
        "openai-community/gpt2-xl",
        "tiiuae/falcon-7b",
        "tiiuae/falcon-7b-instruct",
    ]


def test_the_controls_of_a_link_shape_the_tree(visit, bundled):
    at = visit(
        PAGE,
        evidence=PAPER,
        benchmarks=["MedQA", "PubMedQA"],
        distance="Straight line (Euclidean)",
        linkage="Least spread (Ward)",
        clusters="3",
    )
    assert not at.warning
    assert set(at.multiselect(key="benchmarks").value) == {"MedQA", "PubMedQA"}
    ids = {b.name: b.id for b in bundled.catalogue.benchmarks["open-medical-llm"]}
    selection = Selection(
        "open-medical-llm", "taxonomy-portraits", benchmarks=(ids["MedQA"], ids["PubMedQA"])
    )
    tree = taxonomies.taxonomy(bundled, selection, 3, "euclidean", "ward")
    (members,) = tables(at, "Cluster")
    assert list(members["Identifier"]) == [tree.models[i] for i in tree.leaf_order]
    assert list(members["Cluster"]) == [tree.labels[i] for i in tree.leaf_order]


def test_ward_with_another_distance_is_one_sentence_and_one_click(visit):
    at = visit(PAGE, evidence=PAPER, linkage="Least spread (Ward)")
    assert len(at.info) == 1
    assert not at.error
    assert not at.dataframe
    press(at, "Use that distance")
    assert not at.info
    assert at.selectbox(key="distance").value == "Straight line (Euclidean)"
    assert tables(at, "Cluster")


def test_the_tests_stand_beside_those_with_the_benchmark_left_out(visit):
    at = visit(PAGE, evidence=GENERAL, show="What sets them apart")
    (tests,) = tables(at, "p when left out")
    assert list(tests["Separates"]).count("yes") == 5
    assert set(tests["Separates when left out"]) <= {"yes", "no"}
    # A benchmark that helped to form the clusters separates them at least as clearly.
    assert (tests["Effect"] >= tests["Effect when left out"]).any()


def test_clusters_are_called_stable_by_their_likeness(visit):
    at = visit(PAGE, evidence=PAPER, show="How sure it is")
    assert number(r"Cluster H ([\d.]+), stable; cluster L ([\d.]+), stable", at) == [0.97, 0.94]
    (support,) = tables(at, "Support, %")
    assert support["Support, %"].is_monotonic_decreasing
    assert len(support) == 29 - 2


def test_without_standard_errors_other_questions_are_a_sentence(visit):
    at = visit(PAGE, evidence="MedHELM", show="How sure it is", noise="Other questions")
    assert not at.error
    (note,) = at.info
    assert "and 8 more" in note.value


def test_two_suites_face_to_face_name_who_changes_cluster(visit):
    at = visit(PAGE, evidence=PAPER, show="Face to face")
    assert number(r"agree to ([\d.]+)", at) == [0.73]
    (changed,) = [t for t in tables(at, "Model") if "Open LLM Leaderboard v2" in t]
    assert list(changed["Model"]) == ["Mistral-7B-Instruct-v0.1", "vicuna-7b-v1.5"]
    (sides,) = tables(at, "H in Open LLM Leaderboard v2")
    assert sides.iloc[:, 1:].to_numpy().tolist() == [[18, 2], [0, 9]]


def test_bridge_stands_against_another_way_of_prompting(visit):
    at = visit(PAGE, evidence="BRIDGE", show="Face to face", against="BRIDGE, step by step")
    assert at.selectbox(key="against").value == "BRIDGE, step by step"


@pytest.fixture
def crowd(data, write_snapshot, bundled):
    """Two hundred models."""
    benchmarks = [b.id for b in bundled.catalogue.benchmarks["open-medical-llm"]]
    values = np.random.default_rng(1).uniform(0.3, 0.8, (200, 1))
    scores = values + np.random.default_rng(2).normal(0, 0.03, (200, len(benchmarks)))
    records = [
        (f"org/m{i}", b, float(score))
        for i, row in enumerate(scores)
        for b, score in zip(benchmarks, row, strict=True)
    ]
    write_snapshot(data, "open-medical-llm", records)


def test_of_many_models_the_top_branches_are_drawn_and_one_opens(crowd, visit):
    at = visit(PAGE, evidence="Open Medical-LLM", flagged="true")
    assert number(r"(\d+) models are too many", at) == [200]
    box = at.selectbox(key="branch")
    assert len(box.options) == 28 + 30
    large = next(words for words in box.options if words.split()[1] == "models:")
    box.set_value(large).run()
    size = int(large.split()[0])
    assert len(tables(at, "Cluster")[0]) == size
    press(at, "Draw only this branch")
    assert at.selectbox(key="drawn").value == large
    assert not at.selectbox(key="branch").value
    assert ("too many" in said(at)) == (size > 150)
    at.selectbox(key="drawn").set_value("All models").run()
    assert number(r"(\d+) models are too many", at) == [200]
    again = visit(PAGE, evidence="Open Medical-LLM", flagged="true", drawn=large)
    assert not again.warning
    assert again.selectbox(key="drawn").value == large


def test_three_models_fall_into_three_clusters_at_most(exams, visit):
    exams(0.3, 0.4, 0.5)
    at = visit(PAGE, evidence="Open Medical-LLM", clusters="6")
    assert not at.error
    (members,) = tables(at, "Cluster")
    assert list(members["Cluster"]) == ["H", "M", "L"]
    for show in ("What sets them apart", "How sure it is", "Face to face"):
        at = visit(PAGE, evidence="Open Medical-LLM", clusters="2", show=show)
        assert not at.error, show
