"""The coverage tab: gaps by kind of work, one model, and what a benchmark can tell apart."""

import pytest
from reading import number, said, table

from core.statistics.coverage import Cell
from pages.evidence.coverage import described

PAGE = "evidence/coverage"
APART = {"evidence": "Open Medical-LLM", "gaps_show": "What a test can tell apart"}


@pytest.fixture
def three(data, write_snapshot):
    """Write models by their scores on three exam benchmarks, and no other suite."""

    def write(**models):
        names = ("medqa", "medmcqa", "pubmedqa")
        records = [
            (f"org/{model}", benchmark, score)
            for model, scores in models.items()
            for benchmark, score in zip(names, scores, strict=True)
        ]
        write_snapshot(data, "open-medical-llm", records)

    return write


def test_the_gaps_of_the_bundled_evidence(visit):
    shown = visit(PAGE).dataframe[0].value
    assert len(shown) == 22
    named = shown.set_index("Kind of work").loc["Scheduling Resources and Staff"]
    assert named["Gap"] == "private data only"
    assert named["In words"] == "One benchmark, private data, 13 models tested, 2 of them open"
    assert (shown["Gap"] == "private data only").sum() == 6
    row = shown[shown["Kind of work"] == "Overseeing Financial Activities"].iloc[0]
    assert (row["MedHELM"], row["BRIDGE"], row["Open Medical-LLM"]) == (1, 10, 0)
    # Both sides of prior authorisation in χ-Bench are public.
    assert (row["Public"], row["By agreement"], row["Private"]) == (2, 11, 0)
    assert shown["MedHELM"].sum() == 37


@pytest.mark.parametrize(
    ("access", "n_exam", "models", "open_models", "words"),
    [
        ({}, 0, "", "", "no benchmark at all"),
        (
            {"unknown": 1},
            *(0, "a", ""),
            "one benchmark, access to the data not stated, no open model ever tested",
        ),
        (
            {"public": 2},
            *(2, "ab", "ab"),
            "2 benchmarks, public data, exam questions only, 2 models tested, 2 of them open",
        ),
        (
            {"public": 1, "unknown": 1},
            *(0, "", ""),
            "2 benchmarks (data: 1 public, 1 not stated), no model tested",
        ),
        (
            {"private": 1},
            0,
            "a",
            "a",
            "one benchmark, private data, 1 model tested, 1 of them open",
        ),
    ],
)
def test_a_cell_in_words(access, n_exam, models, open_models, words):
    n = sum(access.values())
    cell = Cell(
        (None,) * n, tuple(access.items()), n_exam, 0, 0, frozenset(models), frozenset(open_models)
    )
    assert described(cell) == words


def test_one_model_and_what_it_was_never_tested_on(visit):
    at = visit(PAGE, untested="GPT-4")
    assert not at.warning
    never, every = number(r"GPT-4 was never tested on (\d+) of (\d+)", at)
    listed = [line for line in said(at).splitlines() if line.startswith("- ")]
    assert (every, len(listed)) == (22, never)
    assert "- Scheduling Resources and Staff (Administration and Workflow)" in listed
    assert not any(line.startswith("- Conducting Literature Research") for line in listed)
    at.selectbox(key="untested").set_value("o3-mini (2025-01-31)").run()
    assert number(r"was tested on all (\d+) kinds of work", at) == [22]


def test_noise_is_told_from_more_than_noise(visit, three):
    # 10 points apart on 1,273 questions is seen, 1 point on 4,183 is not, nor are ties.
    three(high=(0.7, 0.61, 0.5), low=(0.6, 0.6, 0.5))
    at = visit(PAGE, **APART)
    shown = table(at, "Verdict").set_index("Benchmark")
    assert shown["Verdict"][["MedQA", "MedMCQA", "PubMedQA"]].to_list() == [
        *("more than noise", "noise", "noise")
    ]
    assert shown.loc["MedQA", "Can detect"] == pytest.approx(5.54122443)
    assert shown.loc["MedQA", "First two apart"] == pytest.approx(10)
    assert shown.loc["MMLU anatomy", "Why not"] == "fewer than two models"
    assert number(r"On (\d+) of (\d+) benchmarks of Open Medical", at) == [2, 3]
    # Alone, this suite leaves the other 20 kinds of work without any benchmark.
    assert list(at.dataframe[0].value["Gap"]).count("no benchmark") == 20


@pytest.mark.parametrize("scores", [(0.7, 0.6, 0.5), (None, None, None)])
def test_one_model_or_none_can_tell_nothing(visit, three, scores):
    three(only=scores)
    at = visit(PAGE, **APART)
    assert not at.error
    assert set(table(at, "Verdict")["Verdict"]) <= {"cannot tell"}
