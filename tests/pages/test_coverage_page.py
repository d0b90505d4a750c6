"""The coverage page: gaps in words, one model, and what a benchmark can tell apart."""

import pytest

PAGE = "evidence/coverage"
GRID, TELL = 0, 1
APART = {"gaps_show": "What a test can tell apart"}


def words(at):
    return " ".join(mark.value for mark in at.markdown)


@pytest.fixture
def exams(data, write_snapshot):
    """Write a cohort of models on three exam benchmarks and no other suite."""

    def write(**models):
        write_snapshot(
            data,
            "open-medical-llm",
            [
                (f"org/{model}", benchmark, score)
                for model, scores in models.items()
                for benchmark, score in zip(("medqa", "medmcqa", "pubmedqa"), scores, strict=True)
            ],
        )

    return write


def test_the_gaps_of_the_bundled_evidence_in_words(visit):
    at = visit(PAGE)
    assert "six rest on private data alone" in words(at)
    table = at.dataframe[GRID].value
    assert len(table) == 22
    named = table.set_index("Kind of work").loc["Scheduling Resources and Staff"]
    assert named["Gap"] == "private data only"
    assert named["In words"] == ("One benchmark, private data, 13 models tested, 2 of them open")
    assert (table["Gap"] == "private data only").sum() == 6
    assert "Scheduling Resources and Staff" in words(at)
    row = table[table["Kind of work"] == "Overseeing Financial Activities"].iloc[0]
    assert (row["MedHELM"], row["BRIDGE"], row["Open Medical-LLM"]) == (1, 10, 0)
    assert (row["Public"], row["By agreement"], row["Private"]) == (0, 11, 0)
    assert table["MedHELM"].sum() == 37


def test_one_model_and_what_it_was_never_tested_on(visit):
    at = visit(PAGE, untested="GPT-4")
    assert not at.warning
    text = words(at).replace("\\", "")
    assert "GPT-4 was never tested on" in text
    assert "- Scheduling Resources and Staff (Administration and Workflow)" in text
    assert "- Conducting Literature Research" not in text
    box = at.selectbox(key="untested")
    box.set_value("o3-mini (2025-01-31)").run()
    assert "was tested on all 22 kinds of work" in words(at)


def test_an_unknown_model_in_a_link_is_named_and_passed_over(visit):
    at = visit(PAGE, untested="Nobody at all")
    assert at.selectbox(key="untested").value == "No model"
    assert any("Nobody at all" in note.value.replace("\\", "") for note in at.warning)


def test_noise_is_told_from_more_than_noise(visit, exams):
    # 10 points apart on 1,273 questions is seen, 1 point on 4,183 is not, nor are ties.
    exams(high=(0.7, 0.61, 0.5), low=(0.6, 0.6, 0.5))
    at = visit(PAGE, evidence="Open Medical-LLM", **APART)
    table = at.dataframe[TELL].value.set_index("Benchmark")
    assert list(table.loc[["MedQA", "MedMCQA", "PubMedQA"], "Verdict"]) == [
        "more than noise",
        "noise",
        "noise",
    ]
    assert table.loc["MedQA", "Can detect"] == pytest.approx(5.54122443)
    assert table.loc["MedQA", "First two apart"] == pytest.approx(10)
    assert table.loc["MMLU anatomy", "Why not"] == "fewer than two models"
    assert "On 2 of 3 benchmarks of Open Medical" in words(at).replace("\\", "")
    # Alone, this suite leaves the other 20 kinds of work without any benchmark.
    assert "20 have no benchmark at all" in words(at)


def test_one_model_gives_a_sentence(visit, exams):
    exams(only=(0.7, 0.6, 0.5))
    at = visit(PAGE, evidence="Open Medical-LLM", **APART)
    assert not at.error
    assert "For no benchmark of Open Medical" in words(at).replace("\\", "")
    assert set(at.dataframe[TELL].value["Verdict"]) == {"cannot tell"}


def test_an_empty_cohort_gives_a_sentence(visit, exams):
    exams(none=(None, None, None))
    at = visit(PAGE, evidence="Open Medical-LLM")
    assert not at.error
    assert "was never tested" not in words(at)
    assert "were never tested with a model" in words(at) or "have no benchmark" in words(at)
