"""The curated catalogue as it is bundled: it holds together, and is what its sources printed."""

import csv
import re
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import date

import pytest

from core.answers import data as answers
from core.domain import ModelFact, Snapshot
from core.evidence.model_facts import completed, conflicts
from core.evidence.snapshots import too_old
from core.procurement.hosting import cache_size
from core.procurement.shortlist import all_categories
from core.sharing.inputs import weight_key
from core.sharing.link import PROTOCOLS
from tests.conftest import DATA

AZURE = "Azure OpenAI / Azure AI Foundry"
OWN = {"Google Gemini API", "Glass Health", "AMBOSS", "Alibaba Cloud Model Studio"} | {
    *("Meta API", "Moonshot AI", "Z.ai"),
}
"""Platforms of lifecycles that the tables of conditions and prices do not have."""


@pytest.fixture(scope="module")
def catalogue(bundled):
    return bundled.catalogue


@pytest.fixture(scope="module")
def scored(bundled):
    return {
        suite.id: {
            model
            for snapshot in bundled.of_suite(suite.id)[:1]
            for protocol in suite.protocols or [""]
            for model in bundled.scores(snapshot, protocol)["model"]
        }
        for suite in bundled.catalogue.suites.values()
    }


def printed(path):
    with path.open(encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


def test_each_benchmark_says_what_it_measures(catalogue):
    for benchmarks in catalogue.benchmarks.values():
        assert len({b.id for b in benchmarks}) == len(benchmarks)
        for benchmark in benchmarks:
            assert benchmark.domain in ("domain-specific", "general"), benchmark
            assert len(benchmark.category_reason) > 10, benchmark
            assert benchmark.item_mean or not benchmark.is_accuracy, benchmark


def test_no_identifier_occurs_twice_and_aliases_never_chain(catalogue, data):
    for file, key in (("models", "model"), ("aliases", "alias"), ("suites", "suite")):
        count = Counter(row[key] for row in printed(data / "catalogue" / f"{file}.csv"))
        assert count.most_common(1)[0][1] == 1, file
    assert not set(catalogue.aliases) & set(catalogue.aliases.values())


def test_models_of_suites_and_cohorts_are_known(catalogue, scored):
    assert {m for models in scored.values() for m in models} <= set(catalogue.models)
    assert {name for name, _ in catalogue.cohorts} == {"taxonomy-portraits", "medhelm-paper"}
    for (_, suite), cohort in catalogue.cohorts.items():
        assert set(cohort.models) <= set(catalogue.models)
        assert len(set(cohort.models)) == len(cohort.models)
        assert set(cohort.benchmarks) <= {b.id for b in catalogue.benchmarks[suite]}
        for model, pin in cohort.pins:
            assert model in cohort.models
            assert (pin.model or model) in scored[suite]
    paper = catalogue.cohorts["medhelm-paper", "medhelm"]
    assert (len(paper.models), len(paper.benchmarks)) == (9, 35)


def test_prices_tokens_presets_and_bases_name_what_is_known(catalogue):
    assert {price.model for price in catalogue.prices} <= set(catalogue.models)
    assert all(price.provider and price.provider_model for price in catalogue.prices)
    medhelm = {b.id for b in catalogue.benchmarks["medhelm"]}
    assert {row.benchmark for row in catalogue.tokens} <= medhelm
    assert {row.model for row in catalogue.tokens} <= set(catalogue.models)
    assert all(row.n_instances > 0 for row in catalogue.tokens)
    assert next(iter(catalogue.tasks)) == "balanced"
    assert {"own", "documentation"} <= set(catalogue.tasks)
    for task in catalogue.tasks.values():
        for suite, weights in task.weights:
            assert {name for name, _ in weights} <= set(all_categories(catalogue.benchmarks[suite]))
            assert all(weight > 0 for _, weight in weights)
    bases = catalogue.evidence.values()
    for base in bases:
        for suite in filter(None, (base.suite, base.second_suite)):
            assert suite in catalogue.suites
            assert base.cohort == "all" or (base.cohort, suite) in catalogue.cohorts
    assert len({(b.suite, b.cohort) for b in bases}) == len({b.name for b in bases}) == len(bases)


def test_names_that_a_link_carries_are_unambiguous(catalogue):
    for benchmarks in catalogue.benchmarks.values():
        names = all_categories(benchmarks)
        assert len({weight_key(name) for name in names}) == len(names)
        assert "w_" not in {weight_key(name) for name in names}
    assert len({task.name for task in catalogue.tasks.values()}) == len(catalogue.tasks)
    assert {p for suite in catalogue.suites.values() for p in suite.protocols} <= set(PROTOCOLS)


def test_an_unknown_fact_of_a_model_is_none_and_no_size_zero(catalogue):
    sizes = [model.params_b for model in catalogue.models.values()]
    assert None in sizes
    assert all(size is None or size > 0 for size in sizes)
    model = catalogue.model("some-lab/new-model")
    assert (model.name, model.developer) == ("new-model", "some-lab")
    assert (model.params_b, model.access, model.licence) == (None, "unknown", "")
    assert catalogue.model("New Model").developer == ""
    own = catalogue.model("Ward 3/4 bot")  # as a hospital may call it
    assert (own.name, own.developer) == ("Ward 3/4 bot", "")


def test_the_human_evaluation_is_that_of_the_paper(bundled, figures, scored):
    found = bundled.catalogue.human_evaluation
    rows = printed(figures / "benchhealth_human_evaluation.csv")
    assert len(found) == len(rows) == 108
    assert {(r.model, r.criterion, r.opponent): r.win_or_tie_percent for r in found} == {
        (r["model_name"], r["criterion"], r["opponent"]): float(r["win_or_tie_percent"])
        for r in rows
    }
    assert {r.model for r in found} | {r.opponent for r in found} <= scored["benchhealth"]


def test_places_lead_from_other_suites_into_the_22_subcategories(catalogue):
    rows = {(b.category, b.subcategory) for b in catalogue.benchmarks["medhelm"]}
    assert len(rows) == 22
    assert set(catalogue.places.values()) <= rows
    assert {suite for suite, _, _ in catalogue.places} == {
        *("bridge", "benchhealth", "open-medical-llm", "chi-bench", "medagentsbench"),
        *("medbench-brasil", "germedbench", "healthbench-psych"),
    }


def test_architectures_name_models_of_the_catalogue(catalogue):
    """A name that is spelt otherwise would never be found: known here, or an id of the Hub."""
    known = {*catalogue.models, *catalogue.aliases}
    for row in (*catalogue.architectures, *catalogue.throughput):
        assert {name for name in (row.model, *row.also) if "/" not in name} <= known


@pytest.mark.parametrize(
    "names", [("Qwen3-14B", "Qwen3-14B-Thinking"), ("Llama 3 8B Instruct", "llama-3-8b-instruct")]
)
def test_one_set_of_weights_has_one_architecture_whatever_it_is_called(catalogue, names):
    """Qwen3-14B keeps 2 x 40 layers x 8 heads x 128 x 2 bytes a token, Llama 3 8B 32 layers."""
    layers = 40 if "Qwen" in names[0] else 32
    for name in names:
        held = cache_size(catalogue.model(name), catalogue.architectures, catalogue.models)
        assert (held.low, held.likely, held.high) == (2 * layers * 8 * 128 * 2,) * 3


def test_platforms_answer_each_of_their_gates_and_each_answer_has_a_source(catalogue):
    assert {p.provider for p in catalogue.prices} <= {p.provider for p in catalogue.platforms}
    asked = {kind.id for kind in catalogue.condition_kinds.values() if kind.about == "platform"}
    found = {}
    for answer in catalogue.condition_answers:
        found.setdefault(answer.platform, set()).add(answer.condition)
        assert answer.answer == "unknown" or (answer.source_url and answer.as_of)
    # Anthropic sells Claude itself at Azure, and in one of two variants at Google, whose own
    # agreement is known to reach its own models alone.
    assert found.pop("Google Vertex AI (Anthropic)") == {"baa"}
    assert found.pop("Google Vertex AI (Google)") == {"baa"}
    assert found.pop(f"{AZURE} (Anthropic)") == asked
    # Fireworks runs there what Microsoft does not, whose agreement may not reach it.
    assert found.pop(f"{AZURE} (Z.AI)") == asked
    by_fireworks = {
        it.platform: it.answer
        for it in catalogue.condition_answers
        if it.condition == "baa" and it.detail.startswith("Fireworks, not Microsoft")
    }
    runs = ("Z.AI", "Kimi K3", "Kimi K2.5")
    assert by_fireworks == {f"{AZURE} ({name})": "unknown" for name in runs}
    # Where one product is kept, what else holds of the platform holds of it, too.
    products = ("Claude Fable 5", "Claude Fable 5.1", "Kimi K2.5", "Kimi K3")
    of_one = [at for at in found if at.endswith(tuple(f"({name})" for name in products))]
    assert all(found.pop(at) <= asked for at in of_one)
    assert all(answered == asked for answered in found.values())
    sold = {platform.platform for platform in catalogue.platforms}
    assert {"OpenAI API", "Google Vertex AI", AZURE} <= sold & set(found)


@pytest.mark.parametrize(
    ("name", "shared", "keys", "read_again"),
    [
        ("gpus", "gpus", ("usd_per_gpu_hour", "provider", "source_url"), []),
        (
            *("conditions", "gates", ("platform", "condition", "answer", "days")),
            [
                ("Google Vertex AI", "baa", "unknown"),
                ("Together AI", "zero_data_retention", "conditional"),
                ("Fireworks", "data_residency", "conditional"),
                ("Fireworks", "soc2", "yes"),
                ("Databricks", "soc2", "yes"),
                ("Snowflake Cortex", "hitrust", "conditional"),
                # Nobody handles the data but the hospital, so none is needed.
                ("Self-hosted open weights", "baa", "yes"),
            ],
        ),
    ],
)
def test_facts_are_those_that_were_collected(data, figures, name, shared, keys, read_again):
    # What was collected calls a condition a gate.
    named = [{"condition": "gate"}.get(key, key) for key in keys]
    ours, collected = (
        [tuple(row[key] for key in columns) for row in printed(path)]
        for path, columns in (
            (data / "catalogue" / f"{name}.csv", keys),
            (figures.parent / "procurement" / f"{shared}.csv", named),
        )
    )
    pairs = zip(ours[: len(collected)], collected, strict=True)
    again = [row[:3] for row, before in pairs if row != before]
    assert again == read_again


def test_terms_of_the_main_platforms_have_the_day_of_their_source(catalogue):
    """No answer is of a day to come; a tracker's word has its day."""
    told = {
        (it.platform, it.condition): (it.source_kind, it.as_of)
        for it in catalogue.condition_answers
    }
    assert told["OpenAI API", "baa"] == ("vendor", "2026-10-05")
    assert told["Anthropic API", "baa"] == ("vendor", "2026-08-21")
    assert told[AZURE, "trains_on_customer_data_by_default"] == ("vendor", "2025-10-01")
    assert told["Mistral La Plateforme", "zero_data_retention"] == ("vendor", "2026-08-11")
    days = {it.as_of for it in catalogue.condition_answers if it.answer != "unknown"}
    assert max(days - {"undated"}) <= date.today().isoformat()


def test_every_lifecycle_has_its_source_and_days_that_hold_together(catalogue):
    # With the ends that LiteLLM's list adds where nobody curated one.
    assert any(it.source_kind.startswith("third-party list (li") for it in catalogue.lifecycle)
    for row in catalogue.lifecycle:
        assert row.source_url.startswith("https://"), row
        assert row.source_kind, row
        assert not row.conflict or row.conflict.endswith("."), row
        days = row.status_on, row.deprecated_on, row.shutdown_on, row.read_on, row.not_before
        assert row.read_on <= date.today().isoformat(), row
        assert not row.closed_on or row.closed_on < row.shutdown_on, row
        for day in filter(None, days):
            assert date(2022, 1, 1) < date.fromisoformat(day) < date(2029, 1, 1), row
        # "Not found" is not a day; one exception, where both of two days are given.
        assert row.status != "not found" or not row.shutdown_on or row.conflict, row
    known = {answer.platform for answer in catalogue.condition_answers} | {
        p.platform for p in catalogue.platforms
    }
    assert {row.platform for row in catalogue.lifecycle} <= known | OWN
    assert not OWN & known


def test_every_closed_product_of_the_suites_has_a_lifecycle(catalogue, scored):
    """All but those of suites that rank no work: the end of some is not known."""
    apart = {"lmarena-medicine", "vectara-hhem", "medbench-brasil", "noharm-ai-diagnoses"}
    apart |= {"livemedbench", "noharm-v2-open", "medhelm-v5"}
    products = {row.product for row in catalogue.lifecycle}
    covered = {entry.model for entry in catalogue.crosswalk if entry.product in products}
    closed = {
        model
        for suite, models in scored.items()
        if suite not in apart
        for model in models
        if catalogue.model(model).access == "closed"
    }
    # One name states no version, and the other is sold by its maker alone, whose list is not read.
    assert closed - covered == {"gpt-3.5-turbo", "qwen3.7-plus"}


@pytest.mark.parametrize(
    ("product", "platform", "day", "said"),
    [
        # Of two days read within 60 days the earlier counts and the other is said.
        ("GPT-5 mini (2025-08-07)", "OpenAI API", "2026-12-10", "11 December 2026"),
        ("GPT-4o (2024-05-13)", AZURE, "2026-12-09", "of 2026-11-20 says 2027-01-14"),
        # Of older readings the newer one counts: 2 September, 16 September and 20 November.
        ("GPT-5 mini (2025-08-07)", AZURE, "2027-07-13", "of 2026-09-02 says 2027-02-09"),
        ("GPT-5.1 (2025-11-13)", AZURE, "2027-07-13", "of 2026-09-02 says 2027-05-15"),
        ("Gemini 2.5 Pro", "Google Vertex AI", "2027-03-31", "closed to new projects"),
        # The page of Google itself goes before what a reseller says of its own service.
        ("Gemini 2.5 Pro", "Google Gemini API", "2026-12-01", "20 October 2026"),
        # AWS's own repository, Groq's page, and LiteLLM's list for what no copy of AWS's page has.
        ("DeepSeek R1 (2025-01-20)", "AWS Bedrock", "2027-03-30", "deprecated"),
        ("Llama 3.3 70B Instruct", "Groq", "2026-08-16", "shut down"),
        # What nobody found has no day.
        ("Gemini 3 Flash preview", "Google Vertex AI", "", "not found"),
        # Sources of one day and another, the later word first.
        ("Claude Haiku 4.5 (20251001)", AZURE, "2026-11-15", "says 2026-10-19"),
        ("Claude 3.7 Sonnet (20250219)", "AWS Bedrock", "2026-04-28", "30 July 2026"),
        ("Claude 3.5 Haiku (20241022)", "AWS Bedrock", "2026-06-19", "shut down"),
    ],
)
def test_a_model_ends_on_the_day_that_its_source_printed(catalogue, product, platform, day, said):
    (row,) = [r for r in catalogue.lifecycle if (r.product, r.platform) == (product, platform)]
    assert row.shutdown_on == day
    assert said == row.status or said in row.conflict
    assert day or (row.deprecated_on == "" and row.note)


def test_a_product_has_a_model_once_and_with_at_most_one_version(catalogue):
    entries = catalogue.crosswalk
    assert len({(e.product, e.model) for e in entries}) == len(entries)
    stated = Counter(e.model for e in entries if e.kind == "same version")
    assert set(stated.values()) == {1}
    assert not {e.model for e in entries if e.kind != "same version"} & set(stated)
    assert all(len(e.reason) > 10 for e in entries)
    # Renamed and mirrored models of the suites are one product.
    products = {}
    for entry in entries:
        products.setdefault(entry.model, set()).add(entry.product)
    pairs = [(a, m) for a, m in catalogue.aliases.items() if {a, m} <= set(catalogue.models)]
    assert pairs
    assert all(products[alias] & products[model] for alias, model in pairs)


STATES_A_MODE = re.compile(r"thinking|reasoning|non-|minimal|chat\b", re.IGNORECASE)


def test_no_two_suites_contradict_each_other_on_one_product(catalogue):
    joined = defaultdict(list)
    n_products = Counter(entry.model for entry in catalogue.crosswalk)
    for entry in catalogue.crosswalk:
        if n_products[entry.model] == 1:  # several: its version is not stated
            joined[entry.product].append(catalogue.models[entry.model])
    for product, models in joined.items():
        plain = {m.reasoning for m in models if not STATES_A_MODE.search(m.id)}
        for said in ({m.developer for m in models}, {m.released_on for m in models}, plain):
            assert len(said) <= 1, product
    grok, opus = joined["Grok 4 (0709)"], joined["Claude Opus 4.6"]
    assert {(m.id, m.reasoning, m.released_on) for m in grok} == {
        (name, True, "2025-07-09") for name in ("Grok 4", "grok-4-0709", "Grok 4 (0709)")
    }
    assert {(m.reasoning, m.released_on) for m in opus} == {(False, "2026-02-05")}
    # Where the name of a run states the mode, it goes before the product.
    modes = ("", "-thinking-32k")
    assert [catalogue.models[f"claude-opus-4-5-20251101{m}"].reasoning for m in modes] == [0, 1]


def test_measured_reasoning_is_that_of_its_source(catalogue, figures):
    given = {
        (row["model"], row["benchmark"]): (row["mean_completion_tokens"], row["n_answered"])
        for row in printed(figures / "medagentsbench_scores.csv")
    }
    rows = catalogue.reasoning_tokens
    for row in rows:
        found = tuple(map(float, given[row.model, row.benchmark]))
        assert (row.mean_completion_tokens, row.n_items) == found
    families = {"o1-mini": "OpenAI", "o3-mini": "OpenAI", "DeepSeek-R1": "DeepSeek"}
    assert {row.model: row.family for row in rows} == families | {"QwQ-32B-Preview": "Qwen"}


@pytest.mark.parametrize(
    ("as_of", "today", "found"),
    [
        ("2025-11-01", date(2026, 11, 1), ""),
        ("2025-11-01", date(2026, 11, 2), "2025-11-01"),
        ("2024-05", date(2025, 5, 31), ""),  # as 31 May 2024
        ("2024-05", date(2025, 6, 1), "2024-05"),
        ("2024-02", date(2025, 2, 28), ""),  # as 29 February 2024
        ("2024-02", date(2025, 3, 1), "2024-02"),
        ("2026", date(2027, 12, 31), ""),
        ("2026", date(2028, 1, 1), "2026"),
        ("", date(2027, 1, 1), ""),
        ("", date(2027, 1, 2), "2026-01-01"),
        ("long ago", date(2030, 1, 1), ""),
    ],
)
def test_scores_are_old_after_a_year(as_of, today, found):
    fields = dict.fromkeys(Snapshot.__dataclass_fields__, "")
    fields |= {"as_of": as_of, "retrieved_at": "2026-01-01"}
    assert too_old(Snapshot(**fields), today) == found


def test_what_another_company_runs_answers_every_condition_for_itself():
    """Fireworks runs Kimi and GLM at Azure: no answer of Microsoft's may stand for it."""
    of = defaultdict(set)
    for row in printed(DATA / "catalogue" / "conditions.csv"):
        of[row["platform"], row["maker"], row["product"]].add(row["condition"])
    # Whoever has a report of its own is run by somebody else; the others differ in a few rows.
    apart = [key for key, held in of.items() if (key[1] or key[2]) and "soc2" in held]
    assert len(apart) >= 4
    for platform, maker, product in apart:
        assert of[platform, maker, product] == of[platform, "", ""], (platform, maker, product)


def test_what_is_old_of_the_bundled_evidence(bundled):
    """The bundled list of prices is of 10 November 2026: 90 days later is 8 February."""
    old = [answers.old_prices(bundled, date(2027, 2, day)) for day in (8, 9)]
    assert old == [None, date(2026, 11, 10)]
    found = dict(answers.old_suites(bundled, date(2026, 11, 22)))
    assert (found["BRIDGE"], "NOHARM" in found) == ("2025-11-01", False)


def test_a_source_fills_what_the_catalogue_leaves_open_and_overrides_nothing(make_model):
    said = [
        *(("params_b", "70"), ("licence", "Apache-2.0"), ("access", "secret"), ("access", "open")),
        *(("access", "closed"), ("context_window_tokens", "nan"), ("developer", "Undisclosed")),
        *(("context_window_tokens", "32000"), ("context_window_tokens", "64000")),
    ]
    facts = [ModelFact("m", field, value, "https://example.org") for field, value in said]
    model = make_model("m", params_b=8.0, licence="MIT")
    assert completed(model, facts) == replace(model, access="open", context_window_tokens=32000)
    more = [("params_b", "-7"), ("params_b", "7.5"), ("params_b", "9"), ("licence", "mit")]
    more += [("developer", "Org"), ("licence", "Unknown")]
    facts = [ModelFact("m", field, value, f"https://{value}.org") for field, value in more]
    bare = make_model("m", licence="unknown")
    filled = {"params_b": 7.5, "params_source": "https://7.5.org", "licence": "mit"}
    assert completed(bare, facts) == replace(bare, developer="Org", **filled)


@pytest.mark.parametrize(
    ("given", "said", "found"),
    [
        ({"params_b": 70.0}, [("params_b", "73.5"), ("params_b", "70.6")], ""),
        # 70 and 74 are 5.4 % apart; what is not a number is another word, not another size.
        (
            {"params_b": 70.0},
            [("params_b", "74"), ("params_b", "70")],
            "Sources disagree on params b: 70 (https://m.org); 74 (https://74.org).",
        ),
        ({"licence": "Apache-2.0"}, [("licence", "apache 2.0"), ("licence", "undisclosed")], ""),
        ({}, [("context_window_tokens", "32000"), ("context_window_tokens", "32768")], ""),
        (
            {"licence": "MIT"},
            [("licence", "GPL"), ("developer", "Org"), ("licence", "mit")],
            "Sources disagree on licence: MIT (https://m.org); GPL (https://GPL.org).",
        ),
        ({"access": "closed"}, [("params_b", "8"), ("access", "closed")], ""),
    ],
)
def test_where_sources_disagree_it_is_said_once_with_each_source(make_model, given, said, found):
    model = make_model("m", source_url="https://m.org", **given)
    facts = [ModelFact("m", field, value, f"https://{value}.org") for field, value in said]
    assert " ".join(conflicts(model, facts)) == found


@pytest.mark.parametrize(
    ("product", "names"),
    [
        ("Qwen2.5-32B-Instruct", ("Qwen2.5-32B-Instruct", "Qwen2.5-32B-Ins")),
        ("DeepSeek V3 (0324)", ("deepseek-v3-0324", "deepseek/deepseek-chat-v3-0324")),
        ("gemma-3n-E4B-it", ("gemma-3n-e4b-it", "google/gemma-3n-E4B-it")),
        ("GLM-4.5", ("glm-4.5", "GLM-4.5")),
    ],
)
def test_weights_of_one_name_are_one_product_whatever_a_suite_calls_them(bundled, product, names):
    known = bundled.catalogue
    assert {it.product for it in known.crosswalk if it.model in names} == {product}
    assert len({(known.models[it].params_b, known.models[it].licence) for it in names}) == 1
