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


def test_the_figures_of_the_paper_and_what_people_judged_by_criterion(visit):
    at = visit(PAGE, evidence="MedHELM")
    figures = at.dataframe[0].value.set_index("Model")
    assert len(figures) == 16
    assert figures["Generalisability"]["GPT-4"] == pytest.approx(55.4, abs=0.05)
    assert figures.loc["GPT-4", "Radiology report summarization"] == pytest.approx(13.3)
    at = visit(PAGE, criterion="Robustness")
    (note,) = at.warning
    assert "the table of all is used" in note.value
    shown = table(at, "Against GPT-4").set_index(["Criterion", "Model"])
    assert shown.loc[("Robustness", "Alpaca 7B"), "Against GPT-4"] == 23.5


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
