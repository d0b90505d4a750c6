"""The tab on different models against the answers behind it, and where one model will do."""

import pytest
from reading import number, said, table

from core.answers import cost, recommend
from core.domain import Requirements
from pages.components import evidence

PAGE = "cost/combinations"
# On a day on which every model of the suite was still sold.
ALL = Requirements(on_sale_months=None, on_sale_on="2025-05-01")
SALE = {"sale": "Not asked", "sale_on": "2025-05-01", "evidence": "MedHELM"}
EXAMS = {"evidence": "Open Medical-LLM"}


def of_kinds(*scores):
    kinds = (
        *("Medical knowledge exams", "Clinical Decision Support"),
        "Medical Research Assistance",
    )
    return dict(zip(kinds, scores, strict=True))


def test_the_sentence_and_the_table_are_those_of_the_answer(visit, bundled):
    # A link from before to a combination opens the table, and says so.
    at = visit(PAGE, **SALE, combination="One + Another")
    note = "The combination “One + Another” is not known here; the best model of each category is "
    assert [each.value.replace("\\", "") for each in at.warning] == [f"{note}used."]
    found = cost.combinations(bundled, ALL, evidence.today())
    shown = table(at, "Best model")
    assert list(shown["Best model"]) == [one.model for one in found.categories]
    assert len(shown) == 5
    alone = f"{found.single} alone"
    gain = ((shown["Score"] - shown[alone]) * shown["Weight, %"]).sum() / 100
    assert number(r"scores ([\d.]+) points more than", at) == [pytest.approx(gain, abs=0.05)]
    assert gain == pytest.approx(found.gain * 100)
    # Nobody alone scores more than the first of the shortlist.
    first = recommend.shortlist(bundled, ALL, evidence.today()).rows[0]
    assert found.single == first.model.id
    assert (shown[alone] * shown["Weight, %"]).sum() / 100 == pytest.approx(first.score * 100)
    assert shown["Benchmarks"].sum() == 37
    usd = [found.monthly_usd(), found.monthly_usd(single=True)]
    assert usd[1] == pytest.approx(first.bill.monthly_usd)
    bills = number(r"for \$([\d,]+) a month against \$([\d,]+) a month", at)
    assert bills == pytest.approx(usd, abs=0.5)
    assert shown["Bill, $ a month"].sum() == pytest.approx(usd[0])
    assert shown[f"{found.single}: $ a month"].sum() == pytest.approx(usd[1])
    assert "so it flatters" in said(at)


def test_models_that_complete_each_other_and_one_that_is_best_throughout(visit, exams):
    # Alone .6 at the most; m0 and m1 have .9 and .9 and, in research, .3 or .6.
    levels = ((0.9, 0.3, 0.3), (0.3, 0.9, 0.6), (0.3, 0.3, 0.3), (0.1, 0.1, 0.1))
    exams(*(of_kinds(*level) for level in levels))
    at = visit(PAGE, **EXAMS)
    assert number(r"scores ([\d.]+) points more than m1 alone", at) == [20]
    assert "for a cost that is not known against a cost that is not known" in said(at)
    shown = table(at, "Best model").set_index("Category")
    assert shown["Best model"].to_dict() == of_kinds("m0", "m1", "m1")
    assert shown["Bill, $ a month"].isna().all()
    exams(of_kinds(0.9, 0.9, 0.9), of_kinds(0.6, 0.7, 0.6), revision="r2", as_of="2026-11-01")
    assert "m0 is the best in every category: one model will do" in said(visit(PAGE, **EXAMS))


def test_kinds_without_a_category_stay_with_the_one_model_or_a_sentence_says_why(visit, bundled):
    weights = {"w_administration_and_workflow": "50", "w_clinical_decision_support": "50"}
    names = ["Administration and Workflow", "Clinical Decision Support"]
    volumes = {"v_prior_authorisations": "500", "v_visit_notes": "1000"}
    at = visit(PAGE, **SALE, task="Own weights", category=names, **weights, **volumes)
    shown = table(at, "Best model").set_index("Category")
    assert set(shown.index) == {*names, "None of these categories"}
    single = next(name for name in shown.columns if name.endswith(" alone"))
    stray = shown.loc["None of these categories"]
    assert stray["Best model"] == single.removesuffix(" alone")
    assert stray["Bill, $ a month"] > 0
    # Nobody asked for any of it, so nothing is billed.
    assert shown.loc["Clinical Decision Support", "Bill, $ a month"] == 0
    # BRIDGE has categories of its own, none of which is one of MedHELM's.
    asked = Requirements(suite="bridge", volumes=(("visit-notes", 1000.0),))
    found = cost.combinations(bundled, asked, evidence.today())
    assert found.monthly_usd() is found.monthly_usd(single=True) is None
    for query, why in [
        (
            {"task": "Own weights", "category": ["Administration and Workflow"]},
            "at least 2 task categories; there is 1",
        ),
        ({"evidence": "NOHARM, safety"}, "are sides of the same answers"),
    ]:
        at = visit(PAGE, **query)
        assert not at.error
        assert [one.icon for one in at.info] == [":material/search_off:"]
        assert why in said(at)


# Own servers: their figures, and what is not known


SERVERS = "cost/own_servers"
LLAMA = "Llama 3.3 Instruct (70B)"
LOADED = {"hosted": LLAMA, "load": "80", "gpu": "H100 80GB", "sale": "Not asked"}
BAA = {"gates": "Business associate agreement (BAA)"}


def test_where_throughput_is_published_the_page_says_when_own_servers_pay(visit):
    # At the cheapest provider, $11.86 for 10,000 requests, two H100 could never be filled; at the
    # cheapest that signs a business associate agreement a request costs 3.7 times as much.
    serves = number(r"one set of GPUs serves about ([\d,]+)", visit(SERVERS, **LOADED))
    at = visit(SERVERS, **LOADED, **BAA)
    # 8,078 tokens in and 239 out: closest by far is 5,000 / 500.
    assert "5,000 tokens in and 500 out; scaled to 8,077 in and 239 out" in said(at)
    # 70.554 GB of weights at 8 bits; the cache of 8 x 8,192 tokens at 327,680 bytes; 20 % more.
    assert number(r"needs about (\d+) GB: (\d) × H100 80GB, about \$([\d,]+) a", at) == [
        *(110, 2, 5830),
    ]
    least = number(r"cost less only from about ([\d,]+) requests", at)
    assert 10_000 < least[0] < serves[0]


def test_without_a_model_that_can_be_hosted_the_page_says_what_they_lack(exams, visit):
    exams(0.3, 0.4)
    at = visit(SERVERS, evidence="Open Medical-LLM")
    assert len(at.info) == 1
