"""The BenchHealth page: its answer, its tables, small cohorts, and what people judged."""

import pytest

PAGE = "evidence/benchhealth"
SETS = (
    *("medqa", "medmcqa", "mmlu_medicine", "pubmedqa", "chatdoctor", "mimic_cxr", "iu_xray"),
    *("mimic_iii", "bc5_disease", "ncbi_disease", "ddi", "gad", "hoc"),
)


def words(at):
    return " ".join(mark.value for mark in at.markdown).replace("\\", "")


@pytest.fixture
def models(data, write_snapshot):
    def write(**scores):
        write_snapshot(
            data,
            "benchhealth",
            [(m, b, s) for m, row in scores.items() for b, s in zip(SETS, row, strict=True)],
        )

    return write


def test_the_answer_and_the_figures_of_the_paper(visit):
    at = visit(PAGE)
    assert "GPT-4 is best over all 13 data sets, with a mean of 55.4 %" in words(at)
    assert "GPT-3.5 Turbo is the most even" in words(at)
    assert "spread by 13.9 points" in words(at)
    figures = at.dataframe[0].value.set_index("Model")
    assert len(figures) == 16
    # Reasoning of GPT-4: 81.2, 74.6, 90.8, 76.6 and 13.7, together 336.9.
    assert figures.loc["GPT-4", "Reasoning"] == pytest.approx(336.9 / 5)
    assert figures.loc["GPT-4", "Spread: report summarisation"] == pytest.approx(3.8 / 2**0.5)
    assert "* not on all 13 data sets" in " ".join(c.value for c in at.caption).replace("\\", "")
    tasks = visit(PAGE, health_show="Tasks").dataframe[1].value.set_index("Model")
    assert tasks.loc["GPT-4", "Radiology report summarization"] == pytest.approx(13.3)


def test_the_state_of_the_art_is_a_line_and_no_model(visit):
    at = visit(PAGE, health_show="State of the art")
    assert "above it on 3: MedQA (USMLE), MedMCQA, PubMedQA" in words(at)
    table = at.dataframe[1].value.set_index("Data set")
    assert (table.loc["MedQA (USMLE)", "State of the art"]) == 44.6
    assert table["State of the art"].isna().sum() == 2
    assert "Task-specific SOTA" not in set(at.dataframe[0].value["Model"])


def test_what_people_judged_by_criterion(visit):
    at = visit(PAGE, criterion="Robustness")
    table = at.dataframe[1].value.set_index("Model")
    assert table.loc["Alpaca 7B", "Against GPT-4"] == 23.5
    at.selectbox(key="criterion").set_value("Faithfulness").run()
    assert at.dataframe[1].value.set_index("Model").loc["Alpaca 7B", "Against GPT-4"] == 9.5
    assert "On faithfulness, MedAlpaca 13B comes closest to GPT-4" in words(at)
    assert "cannot be recomputed" in at.selectbox(key="criterion").proto.help


def test_the_page_shows_benchhealth_whatever_the_side_bar_names(visit):
    mean = "GPT-4 is best over all 13 data sets"
    for base in ("BRIDGE", "BenchHealth"):
        at = visit(PAGE, evidence=base)
        assert mean in words(at), base
        assert any("whatever evidence base" in caption.value for caption in at.caption)


def test_one_model_gives_a_sentence(visit, models):
    models(one=range(40, 53))
    at = visit(PAGE)
    assert not at.error
    assert "Only one model" in words(at)
    assert len(at.dataframe[0].value) == 1


def test_two_models_of_which_one_has_gaps(visit, models):
    models(whole=range(40, 53), gaps=[50, None, *range(40, 51)])
    at = visit(PAGE)
    assert "whole is best over all 13 data sets" in words(at)
    assert "whole is the most even" in words(at)
    table = at.dataframe[0].value.set_index("Model")
    assert table["Robustness"].isna().tolist() == [name == "gaps" for name in table.index]


def test_no_snapshot_and_an_empty_one_give_a_sentence(visit, data, bundled_snapshot, models):
    bundled_snapshot("open-medical-llm")
    at = visit(PAGE)
    assert not at.error
    assert any("no snapshot of BenchHealth" in note.value for note in at.info)
    models(nobody=[None] * 13)
    at = visit(PAGE)
    assert not at.error
    assert at.info or "No model has a score" in words(at)
