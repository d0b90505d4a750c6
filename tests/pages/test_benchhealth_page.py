"""The BenchHealth tab: its figures, small cohorts, and what people judged."""

import pytest
from reading import said, table

PAGE = "evidence/benchhealth"
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


@pytest.mark.parametrize("base", ["MedHELM", "BRIDGE", "BenchHealth"])
def test_the_figures_of_the_paper_whatever_the_side_bar_names(visit, base):
    at = visit(PAGE, evidence=base, health_show="Tasks")
    figures = at.dataframe[0].value.set_index("Model")
    assert len(figures) == 16
    assert figures["Generalisability"][figures["Data sets"] == 13].idxmax() == "GPT-4"
    assert figures["Generalisability"]["GPT-4"] == pytest.approx(55.4, abs=0.05)
    assert figures["Robustness"].idxmin() == "GPT-3.5 Turbo"
    assert figures["Robustness"].min() == pytest.approx(13.9, abs=0.05)
    # Reasoning of GPT-4: 81.2, 74.6, 90.8, 76.6 and 13.7, together 336.9.
    assert figures.loc["GPT-4", "Reasoning"] == pytest.approx(336.9 / 5)
    assert figures.loc["GPT-4", "Spread: report summarisation"] == pytest.approx(3.8 / 2**0.5)
    tasks = at.dataframe[1].value.set_index("Model")
    assert tasks.loc["GPT-4", "Radiology report summarization"] == pytest.approx(13.3)


def test_the_state_of_the_art_is_a_line_and_no_model(visit):
    at = visit(PAGE, health_show="State of the art")
    assert "on 3: MedQA (USMLE), MedMCQA, PubMedQA" in said(at)
    shown = table(at, "State of the art").set_index("Data set")
    assert shown.loc["MedQA (USMLE)", "State of the art"] == 44.6
    assert shown["State of the art"].isna().sum() == 2
    assert "Task-specific SOTA" not in set(at.dataframe[0].value["Model"])


@pytest.mark.parametrize(("criterion", "share"), [("Robustness", 23.5), ("Faithfulness", 9.5)])
def test_what_people_judged_by_criterion(visit, criterion, share):
    at = visit(PAGE, criterion=criterion)
    (note,) = at.warning
    assert "the table of all is used" in note.value
    shown = table(at, "Against GPT-4").set_index(["Criterion", "Model"])
    assert shown.loc[(criterion, "Alpaca 7B"), "Against GPT-4"] == share
    # By each criterion, who keeps up best stands first.
    sums = shown.sum(axis=1)
    assert all(sums[one].is_monotonic_decreasing for one in set(shown.index.get_level_values(0)))


@pytest.mark.parametrize(
    ("scores", "unknown"),
    [({"one": range(40, 53)}, []), ({"gaps": [50, None, *range(40, 51)]}, ["gaps"])],
)
def test_few_models_of_which_one_may_have_gaps(visit, models, scores, unknown):
    models(whole=range(40, 53), **scores) if unknown else models(**scores)
    at = visit(PAGE)
    assert not at.error
    shown = table(at, "Robustness").set_index("Model")
    assert [name for name in shown.index if shown["Robustness"].isna()[name]] == unknown
    assert ("whole is the most even" in said(at)) == bool(unknown)


def test_no_snapshot_and_an_empty_one_give_a_sentence(visit, bundled_snapshot, models):
    bundled_snapshot("open-medical-llm")
    at = visit(PAGE)
    assert not at.error
    assert len(at.info) == 1
    models(nobody=[None] * 13)
    at = visit(PAGE)
    assert not at.error
    assert len(at.info) == 1
