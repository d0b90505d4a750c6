"""The taxonomy page: its clusters in words, and what it says where it cannot answer."""

from reading import number, said, tables

from core.answers import evidence
from core.answers.evidence import separated
from core.domain import ClusterTest, ClusterTests, Selection
from pages.components.notices import plain

PAGE = "evidence/clusters"
PAPER = "Taxonomy paper, 33 models"
GENERAL = "Taxonomy paper, general side"


def test_the_published_clusters_come_out_in_words_and_a_link_to_another_tree_leads_there(visit):
    at = visit(PAGE, evidence=GENERAL)
    (members,) = tables(at, "Cluster")
    assert list(members["Cluster"].value_counts()) == [20, 13]
    assert number(r"(\d+) models do well .* (\d+) less so", at) == [20, 13]
    assert "four of six benchmarks" in said(at)
    own = {"distance": "Sum of gaps (Manhattan)", "linkage": "Farthest members (complete)"}
    assert not visit(PAGE, evidence=GENERAL, **own, drawn="All models").warning
    for gone in [
        {"distance": "Straight line (Euclidean)"},
        {"branch": "3 models: gpt2-xl … falcon-7b-instruct"},
        {"distance": "<b>evil"},
        {"benchmarks": "MedQA"},
        {"paper_colours": "true"},
    ]:
        at = visit(PAGE, evidence=GENERAL, **gone)
        (note,) = at.warning
        assert "this is the whole tree, grown as in the paper" in note.value
        (members,) = tables(at, "Cluster")
        assert list(members["Cluster"].value_counts()) == [20, 13]


def test_too_few_models_to_show_a_difference_and_missing_errors_are_said(visit):
    at = visit(PAGE, evidence="MedHELM")
    (answer,) = [mark for mark in at.markdown if "do well" in mark.value]
    (members,) = tables(at, "Cluster")
    # Named before the picture: the higher cluster first, all thirteen of them.
    high, low = answer.value.split("seven less so")
    for name, cluster in zip(members["Model"], members["Cluster"], strict=True):
        assert plain(name) in (high if cluster == "H" else low)
    assert plain("least p that 6 against 7 models can give is 0.0027") in answer.proto.help
    assert plain("the level is 0.01/37 = 0.00027") in answer.proto.help
    at = visit(PAGE, evidence="MedHELM", show="How sure it is", noise="Other questions")
    assert not at.error
    (note,) = at.info
    assert "and 8 more" in note.value


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
    assert "**Mistral-7B-Instruct-v0.1 and vicuna-7b-v1.5 change cluster**" in said(at)
    (sides,) = tables(at, "H in Open LLM Leaderboard v2")
    assert sides.iloc[:, 1:].to_numpy().tolist() == [[18, 2], [0, 9]]


def test_three_models_fall_into_three_clusters_at_most(exams, visit):
    exams(0.3, 0.4, 0.5)
    at = visit(PAGE, evidence="Open Medical-LLM", clusters="6")
    assert not at.error
    (members,) = tables(at, "Cluster")
    assert list(members["Cluster"]) == ["H", "M", "L"]
    for show in ("What sets them apart", "How sure it is", "Face to face"):
        at = visit(PAGE, evidence="Open Medical-LLM", clusters="2", show=show)
        assert not at.error, show
