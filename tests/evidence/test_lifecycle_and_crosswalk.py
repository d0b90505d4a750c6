"""The tables of lifecycles, models under several names and measured reasoning."""

import csv
from collections import Counter
from datetime import date

import pytest

OWN = {"Google Gemini API", "Glass Health", "AMBOSS", "Alibaba Cloud Model Studio"}
"""Platforms of lifecycles that the tables of gates and prices do not have."""


@pytest.fixture(scope="module")
def catalogue(bundled):
    return bundled.catalogue


@pytest.fixture(scope="module")
def served(catalogue):
    return {(row.product, row.platform): row for row in catalogue.lifecycle}


def test_every_row_has_its_source_and_days_that_hold_together(catalogue):
    assert len(catalogue.lifecycle) == 161
    for row in catalogue.lifecycle:
        assert row.source_url.startswith("https://"), row
        assert row.source_kind, row
        assert not row.conflict or row.conflict.endswith("."), row
        for day in filter(None, (row.status_on, row.deprecated_on, row.shutdown_on)):
            assert date(2023, 1, 1) < date.fromisoformat(day) < date(2029, 1, 1), row
        # "Not found" is no day; one exception, where both of two days are given.
        if row.status == "not found" and row.shutdown_on:
            assert row.conflict, row


def test_platforms_are_spelled_as_everywhere(catalogue):
    facts = catalogue.procurement
    known = {answer.platform for answer in facts.gates} | {p.platform for p in facts.platforms}
    assert {row.platform for row in catalogue.lifecycle} <= known | OWN
    assert not OWN & known


def test_every_closed_product_of_the_suites_has_a_lifecycle(bundled, catalogue):
    """All but those that only a crowd rated or that only summarised: their end is not known."""
    products = {row.product for row in catalogue.lifecycle}
    covered = {entry.model for entry in catalogue.crosswalk if entry.product in products}
    closed = {
        model
        for snapshot in bundled.snapshots
        if snapshot.suite not in ("lmarena-medicine", "vectara-hhem")
        for protocol in catalogue.suites[snapshot.suite].protocols or ("",)
        for model in bundled.scores(snapshot, protocol)["model"]
        if catalogue.model(model).access == "closed"
    }
    assert len(closed) == 83
    assert closed <= covered


def test_of_two_days_the_earlier_counts_and_the_other_is_said(served):
    azure = "Azure OpenAI / Azure AI Foundry"
    for key, day, other in (
        (("GPT-5 mini (2025-08-07)", "OpenAI API"), "2026-12-10", "11 December 2026"),
        (("GPT-5 (2025-08-07)", azure), "2027-02-06", "9 February 2027"),
        (("DeepSeek V4 Pro", azure), "2026-08-20", "20 February 2028"),
        (("Gemini 2.5 Pro", "Google Gemini API"), "2026-10-20", "1 December 2026"),
        (("Gemini 2.5 Flash", "Google Vertex AI"), "2026-10-16", "31 March 2027"),
        (("Gemini 1.5 Pro (002)", "Google Gemini API"), "2025-09-29", "17 June 2026"),
        (("Claude Sonnet 4.5 (20250929)", azure), "2026-10-19", "30 November 2026"),
        (("Claude 3.7 Sonnet (20250219)", "AWS Bedrock"), "2026-04-28", "30 July 2026"),
    ):
        assert served[key].shutdown_on == day
        assert other in served[key].conflict


@pytest.mark.parametrize(
    ("product", "platform", "status", "day"),
    [
        ("DeepSeek R1 (2025-01-20)", "AWS Bedrock", "deprecated", "2027-03-30"),
        ("Llama 3.3 70B Instruct", "AWS Bedrock", "deprecated", "2027-03-30"),
        ("Claude 3.7 Sonnet (20250219)", "AWS Bedrock", "shut down", "2026-04-28"),
        ("Claude 3.5 Haiku (20241022)", "AWS Bedrock", "shut down", "2026-06-19"),
        ("Llama 3.3 70B Instruct", "Groq", "shut down", "2026-08-16"),
        ("Llama-3.1-8B-Instruct", "Groq", "shut down", "2026-08-16"),
        ("Llama 4 Scout Instruct", "Groq", "shut down", "2026-07-17"),
        ("Qwen3-32B (thinking)", "Groq", "shut down", "2026-07-17"),
        ("Qwen3-32B (not thinking)", "Groq", "shut down", "2026-07-17"),
    ],
)
def test_a_hosted_model_ends_on_the_day_that_its_source_printed(
    served, product, platform, status, day
):
    """AWS's own repository, Groq's page, and LiteLLM's list for what no copy of AWS's page has."""
    row = served[product, platform]
    assert (row.status, row.shutdown_on) == (status, day)


def test_what_nobody_found_has_no_day(served):
    for product, platform in (
        ("Claude Haiku 4.5 (20251001)", "Azure OpenAI / Azure AI Foundry"),
        ("Glass Health 4.0", "Glass Health"),
        ("Flan-PaLM 540B", "Google Vertex AI"),
    ):
        row = served[product, platform]
        assert (row.status, row.deprecated_on, row.shutdown_on) == ("not found", "", "")
        assert row.note


def test_a_model_stands_once_under_a_product_and_with_one_version_at_most(catalogue):
    entries = catalogue.crosswalk
    assert len({(e.product, e.model) for e in entries}) == len(entries)
    stated = Counter(e.model for e in entries if e.kind == "same version")
    assert set(stated.values()) == {1}
    assert not {e.model for e in entries if e.kind != "same version"} & set(stated)
    assert all(len(e.reason) > 10 for e in entries)


def test_renamed_and_mirrored_models_of_the_suites_are_one_product(catalogue):
    products = {}
    for entry in catalogue.crosswalk:
        products.setdefault(entry.model, set()).add(entry.product)
    pairs = [(a, m) for a, m in catalogue.aliases.items() if {a, m} <= set(catalogue.models)]
    assert len(pairs) == 8
    for alias, model in pairs:
        assert products[alias] & products[model]


def test_measured_reasoning_is_that_of_its_source(catalogue, figures):
    with (figures / "medagentsbench_scores.csv").open(encoding="utf-8") as handle:
        printed = {
            (row["model"], row["benchmark"]): (
                float(row["mean_completion_tokens"]),
                int(row["n_answered"]),
            )
            for row in csv.DictReader(handle)
        }
    rows = catalogue.reasoning_tokens
    assert len(rows) == 28
    for row in rows:
        assert (row.mean_completion_tokens, row.n_items) == printed[row.model, row.benchmark]
    assert {(row.family, row.model) for row in rows} == {
        ("OpenAI", "o1-mini"),
        ("OpenAI", "o3-mini"),
        ("DeepSeek", "DeepSeek-R1"),
        ("Qwen", "QwQ-32B-Preview"),
    }


def test_the_range_of_measured_reasoning(catalogue):
    """The ends that the definitions give for three models."""
    for model, ends in {
        "o3-mini": (110.7, 400.0),
        "o1-mini": (215.9, 516.0),
        "DeepSeek-R1": (499.2, 1178.8),
    }.items():
        means = [r.mean_completion_tokens for r in catalogue.reasoning_tokens if r.model == model]
        assert (min(means), max(means)) == ends


def test_which_scores_are_means_over_items(catalogue):
    means = {
        suite: {b.id for b in found if b.item_mean} for suite, found in catalogue.benchmarks.items()
    }
    assert len(means["medhelm"]) == 37
    assert len(means["open-medical-llm"]) == 9
    assert len(means["open-llm-v2"]) == 6
    assert means["benchhealth"] == {"medqa", "medmcqa", "mmlu_medicine", "pubmedqa"}
    assert means["bridge"] == means["lmarena-medicine"] == set()
    assert means["noharm"] == {
        *("safety", "completeness", "restraint", "pct_cumulative", "escalation"),
    }
    for found in catalogue.benchmarks.values():
        assert all(b.item_mean for b in found if b.is_accuracy)


def test_noharm_scores_its_three_dimensions_of_the_same_cases(catalogue):
    noharm = catalogue.benchmarks["noharm"]
    assert {b.id: b.category for b in noharm if b.scored} == {
        "safety": "Safety",
        "completeness": "Completeness",
        "restraint": "Restraint",
    }
    assert {(b.error_of, b.same_items) for b in noharm} == {("runs", "noharm-cases")}
    for suite, found in catalogue.benchmarks.items():
        if suite != "noharm":
            scored = suite != "vectara-hhem"
            assert {(b.scored, b.error_of, b.same_items) for b in found} == {(scored, "items", "")}


def test_medhelm_lacks_no_number_of_items_and_three_come_from_its_token_counts(catalogue):
    items = {b.id: b.n_items for b in catalogue.benchmarks["medhelm"]}
    assert None not in items.values()
    counted = {row.benchmark: row.n_instances for row in catalogue.tokens}
    for name, n in {"medbullets": 308, "mimic_bhc": 100, "n2c2_ct_matching": 258}.items():
        assert items[name] == counted[name] == n
