"""Smaller equivalents: the answer, the paper's rule, the proof and the yearly saving."""

import pytest

from core import answers
from core.domain import Requirements
from core.procurement.yearly_saving import yearly_saving
from pages.components import evidence
from pages.components.equivalents_proof import saving_in_words

PAGE = "pages/decide/equivalents.py"
PAPER = "The taxonomy paper's rule (size only, both taxonomies)"
PORTRAITS = {"evidence": "Taxonomy paper, 33 models", "model": "Liberated-Qwen1.5-14B"}
SUITE = "open-medical-llm"


def said(at):
    parts = (at.markdown, at.caption, at.info, at.warning)
    return "\n".join(one.value for part in parts for one in part).replace("\\", "")


def test_the_papers_rule_names_the_published_replacement(visit):
    at = visit(PAGE, **PORTRAITS, rule=PAPER)
    text = said(at)
    assert "By the taxonomy paper's rule, **Liberated-Qwen1.5-14B** would be replaced by " in text
    assert "**Yi-1.5-9B-32K**: the closest smaller model of its cluster in both taxonomies" in text
    assert "equivalent within a margin of 2 points" in text
    assert "no public price: ask the vendor" in text
    assert "**5.17 B parameters fewer** (37%)" in text
    assert "in one cluster in **86%** of 1,000 trees (the lower of the two suites' shares)" in text
    assert at.selectbox(key="proof").value == "Yi-1.5-9B-32K"
    assert at.toggle(key="mates").disabled
    table = at.dataframe[0].value
    assert set(table["Saves in"]) == {"size"}
    assert set(table["Same cluster"]) == {"yes"}
    # One table of benchmarks for each taxonomy: nine exams, six general benchmarks.
    assert [len(one.value) for one in at.dataframe[1:3]] == [9, 6]


def test_the_lower_share_of_the_two_taxonomies_counts(bundled):
    asked = Requirements(suite=SUITE, cohort="taxonomy-portraits")
    model = "abacusai/Liberated-Qwen1.5-14B"
    one, other, both = (
        answers.co_clustering(bundled, asked, suites, model)
        for suites in ((SUITE,), ("open-llm-v2",), (SUITE, "open-llm-v2"))
    )
    assert both == {name: min(one[name], other[name]) for name in one}
    assert both[model] == 1


def test_another_candidate_and_then_another_model(visit):
    at = visit(PAGE, **PORTRAITS, proof="zephyr-7b-beta")
    assert "**zephyr-7b-beta** in place of Liberated-Qwen1.5-14B: difference −" in said(at)
    at.selectbox(key="model").select("gemma-7b").run()
    assert not at.exception
    assert not [one for one in at.warning if "candidate" in one.value]
    assert "in place of gemma-7b" in said(at)


def test_a_saving_in_dollars_has_price_provider_and_date(visit, bundled):
    at = visit(PAGE)
    table = at.dataframe[0].value
    assert table["Saves a year, $"].notna().any()
    row = table[table["Saves a year, $"].notna()].iloc[0]
    assert row["Prices"].count(" a month at ") == 2
    assert f"price of {evidence.today()}"[:14] in row["Prices"]
    asked = Requirements()
    model = next(
        m
        for m in answers.products(bundled, answers.selection_of(asked)).models
        if answers.model(bundled, m).name == at.selectbox(key="model").value
    )
    bills = answers.yearly_savings(
        bundled, model, [model], requirements=asked, on=evidence.today()
    )[model]
    assert bills.usd in (0, None)


def test_few_models_give_a_sentence(data, write_snapshot, bundled, visit):
    ids = [b.id for b in bundled.catalogue.benchmarks[SUITE]]
    for n in (1, 2):
        write_snapshot(
            data,
            SUITE,
            [(f"org/m{i}", b, 0.5 + i / 10) for i in range(n) for b in ids],
            revision=f"few{n}",
            as_of=f"2027-01-0{n}",
        )
        at = visit(PAGE, evidence="Open Medical-LLM")
        assert not at.error
        assert at.info


@pytest.mark.parametrize("rule", ["nonsense", ""])
def test_an_unknown_rule_is_said(rule, visit):
    at = visit(PAGE, rule=rule)
    assert not at.error
    assert ("your task and prices is used" in said(at)) == bool(rule)


def test_unknown_prices_are_a_question_and_never_0(make_model, make_bill, bundled):
    big, small = make_model("big", params_b=70.0), make_model("small", params_b=7.0)
    saved = yearly_saving(big, small, {"big": make_bill("big", 30.0)})

    class Candidate:
        name = "small"

    words = saving_in_words(big, Candidate, saved)
    assert "small: no public price: ask the vendor" in words
    assert "63 B parameters fewer** (90%)" in words
    assert "$0" not in words
    assert "free" not in words
