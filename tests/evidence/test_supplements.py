"""Groups, human judgement and places in the taxonomy: what is bundled, and how faults are named."""

import csv

import pytest

from core.domain import BadDataError
from core.evidence.catalogue import load


def test_the_groups_of_benchhealth(bundled):
    groups = bundled.catalogue.groups
    assert groups["benchhealth", "robustness"] == {
        "Question answering": ("medqa", "medmcqa", "mmlu_medicine", "pubmedqa"),
        "Report summarisation": ("mimic_cxr", "iu_xray"),
        "Entity recognition": ("bc5_disease", "ncbi_disease"),
    }
    scenarios = groups["benchhealth", "scenario"]
    assert {name: len(members) for name, members in scenarios.items()} == {
        "Reasoning": 5,
        "Generation": 3,
        "Understanding": 5,
    }


def test_the_human_evaluation_is_that_of_the_paper(bundled, figures):
    with (figures / "benchhealth_human_evaluation.csv").open(encoding="utf-8") as handle:
        printed = {
            (row["model_name"], row["criterion"], row["opponent"]): float(row["win_or_tie_percent"])
            for row in csv.DictReader(handle)
        }
    found = bundled.catalogue.human_evaluation
    assert len(found) == len(printed) == 108
    assert {(r.model, r.criterion, r.opponent): r.win_or_tie_percent for r in found} == printed
    scored = set(bundled.scores(bundled.snapshot("benchhealth"), "")["model"])
    assert {r.model for r in found} | {r.opponent for r in found} <= scored


def test_places_lead_from_other_suites_into_the_22_subcategories(bundled):
    catalogue = bundled.catalogue
    rows = {(b.category, b.subcategory) for b in catalogue.benchmarks["medhelm"]}
    assert len(rows) == 22
    assert set(catalogue.places.values()) <= rows
    assert {suite for suite, _, _ in catalogue.places} == {
        *("bridge", "benchhealth", "open-medical-llm")
    }


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("benchmark_groups", "Reasoning,medqa,", "Reasoning,medq,", 'row 2: .*benchmark "medq"'),
        ("benchmark_groups", "Reasoning,medmcqa", "Reasoning,medqa", 'row 3: "medqa" stands twice'),
        ("human_evaluation", "Claude-2,29.5", "Claude-2,101", "row 2: .*must be from 0 to 100"),
        ("human_evaluation", "h,Alpaca,", "h,Alpacca,", 'row 2: the model "Alpacca" is not in'),
        ("human_evaluation", "GPT-3.5-turbo,35", "Claude-2,35", "row 3: .* stand twice"),
        ("human_evaluation", "benchhealth,Alp", "other,Alp", 'row 2: the suite "other"'),
        ("human_evaluation", ",29.5,", ",,", 'row 2: the column "win_or_tie_percent" is empty'),
        ("taxonomy_places", "MMLU medical subjects", "MMLU", 'row 2: .* has no subcategory "MMLU"'),
        ("taxonomy_places", "Planning Treatments", "Planning", "row 6: MedHELM has no subcategory"),
        ("taxonomy_places", "Summarization,Clin", "Billing & Coding,Clin", "row 10: .*twice"),
        ("other_protocols", "medical-llm,Flan", "medical,Flan", 'row 2: the suite "open-medical"'),
        ("other_protocols", "Flan-PaLM,b", "Flan,b", 'row 2: the model "Flan" is not in'),
        ("other_protocols", "2 (best),", "2 (ER),", "row 4: this suite and model stand twice"),
        (
            "other_protocols",
            ",five examples in the prompt,",
            ",,",
            'row 5: the column "protocol" is',
        ),
    ],
)
def test_a_fault_names_its_row(data, change, file, old, new, message):
    change(f"{file}.csv", old, new)
    with pytest.raises(BadDataError, match=rf"{file}\.csv, {message}"):
        load(data / "catalogue")


def test_what_the_questions_are_made_of_is_known_or_empty(bundled):
    found = {b.material for of in bundled.catalogue.benchmarks.values() for b in of}
    assert found == {
        *("", "clinical notes", "clinical text", "health records", "consultation cases"),
        *("conversations", "literature", "exam questions", "patient questions"),
        *("model answers", "general questions"),
    }
