"""What is the same for every tab: it renders, over any evidence, few models, and hostile links."""

from pathlib import Path

import pytest
from places import TABS, turn_to
from reading import said

from core.evidence.catalogue import load
from core.evidence.sources.table import score_table

ROOT = Path(__file__).parents[2]

CATALOGUE = load(ROOT / "data" / "catalogue")
BASES = [
    base.name
    for base in CATALOGUE.evidence.values()
    if (ROOT / "data" / "snapshots" / base.suite).is_dir()
]
STANDING = "do not replace a local validation"
# What the visitor brings or chooses is not there yet.
WITHOUT_TABLE = (
    *("conditions/own_answers", "data/own_results", "cost/combinations"),
    *("local_test/package", "local_test/results"),
)
COUNTING = [place for place in TABS if not place.startswith(("data/", "local_test/"))]
# Where a tab has a table even if nothing counts, of two models as of one.
ALWAYS = ("recommend/how_sure", "recommend/kept", "cost/bill", "evidence/coverage")
# Choices of a link that no tab knows: the tab, the key, the values, and what stands in.
UNKNOWN = [
    ("recommend/how_sure", {"reach": "Endless"}, {"reach": "Plausible"}),
    ("replace/candidates", {"rule": "nonsense"}, {"rule": "Your task and prices"}),
    ("cost/quality", {"cost": "Price per million tokens"}, {"cost": "Your monthly bill"}),
    ("cost/quality", {"cost": "Benchmark runs including jury"}, {"cost": "Your monthly bill"}),
    ("cost/bill", {"billed": "Abacus", "unsure": "nan", "beds": "-4"}, {"unsure": 20}),
    ("cost/combinations", {"combination": "One + Another", "sale": "Not asked"}, {}),
    (
        "cost/own_servers",
        {"hosted": "GPT-4o", "bits": "3 bits", "load": "nan", "context": "1e999"},
        {"hosted": "DeepSeek R1", "load": 20},
    ),
    ("conditions/platforms", {"about": "Nobody"}, {"about": "All platforms"}),
    ("evidence/clusters", {"benchmarks": "nothing"}, {"benchmarks": []}),
    ("evidence/clusters", {"show": "nothing"}, {}),
    ("evidence/redundancy", {"bench_a": "No such benchmark"}, {"bench_a": "the closest"}),
    ("evidence/redundancy", {"keep": "99"}, {"keep": "as few as keep the ranking"}),
    ("evidence/redundancy", {"method": "Kendall"}, {}),
    ("evidence/win_rates", {"without": "Nobody 1"}, {}),
    ("evidence/coverage", {"untested": "Nobody at all"}, {"untested": "No model"}),
]


@pytest.fixture
def widgets():
    def found(at, key):
        kinds = ("selectbox", "multiselect", "number_input", "radio", "button_group")
        every = [one for kind in kinds for one in at.get(kind) if one.key == key]
        return every[0].value if every else at.session_state[key]

    return found


@pytest.mark.parametrize("base", BASES)
def test_every_tab_renders_over_every_evidence_base(base, visit):
    at = visit(evidence=base)
    assert at.selectbox(key="evidence").options == BASES
    for place, (entry, _) in TABS.items():
        turn_to(at, place)
        assert not at.exception, place
        assert not at.error, place
        assert [heading.value for heading in at.title] == [entry.title]
        assert at.selectbox(key="evidence").value == base
        # Of a suite with one test nothing can repeat, which is said in place of a table.
        alone = place == "evidence/redundancy" and base == "LMArena, crowd preference" and at.info
        assert at.dataframe or place in WITHOUT_TABLE or alone, place
        assert STANDING in said(at), place


@pytest.mark.parametrize("levels", [(0.5,), (0.5, 0.6), (0.5, 0.5)], ids=["one", "two", "none"])
def test_few_models_give_sentences_and_no_error(levels, exams, visit):
    """Two models with all scores alike are flagged, so none of them counts."""
    exams(*levels)
    at = visit(evidence="Open Medical-LLM")
    for place in COUNTING:
        turn_to(at, place)
        assert not at.exception, place
        assert not at.error, (place, [one.value for one in at.error])
        assert at.title, place
        assert at.info or at.dataframe or place in WITHOUT_TABLE, place
        assert STANDING in said(at), place
        assert "$0" not in said(at), "unknown is not free"
        assert at.dataframe or place not in ALWAYS or levels == (0.5, 0.5), place


@pytest.mark.parametrize(("place", "asked", "used"), UNKNOWN)
def test_an_unknown_choice_of_a_link_is_named_and_passed_over(place, asked, used, visit, widgets):
    at = visit(place, **asked)
    assert not at.error
    notes = " ".join(note.value for note in at.warning).replace("\\", "")
    for key, value in asked.items():
        if key not in ("unsure", "beds", "load", "context", "sale"):  # bounded by their controls
            assert f"“{value}” is not known here" in notes
    assert {key: widgets(at, key) for key in used} == used


@pytest.mark.parametrize("place", ["recommend/answer", "evidence/win_rates", "recommend/how_sure"])
def test_own_results_are_marked_wherever_they_stand(place, visit, bundled):
    rows = [
        {"model": "mine", "run": "local:mine", "benchmark": b.id, "score": b.scale_max}
        for b in bundled.catalogue.benchmarks["medhelm"]
    ]
    at = visit(place, evidence="MedHELM")
    at.session_state["own_tables"] = (score_table("medhelm", rows),)
    at.run()
    turn_to(at, place)
    named = {name for one in at.dataframe if "Model" in one.value for name in one.value["Model"]}
    assert "mine (own result)" in named
