"""The curated catalogue: what is bundled holds together, and a fault names its row."""

import csv
from collections import Counter

import pytest

from core.procurement.requirements import all_categories
from core.sharing.inputs import weight_key
from core.sharing.link import PROTOCOLS


@pytest.fixture(scope="module")
def catalogue(bundled):
    return bundled.catalogue


@pytest.fixture(scope="module")
def scored(bundled):
    """Per suite, the models that have a row in its newest snapshot."""
    found = {}
    for suite in bundled.catalogue.suites.values():
        if not bundled.of_suite(suite.id):
            continue  # a live source, of which nothing is bundled
        snapshot = bundled.snapshot(suite.id)
        frames = [bundled.scores(snapshot, protocol) for protocol in suite.protocols or [""]]
        found[suite.id] = {model for frame in frames for model in frame["model"]}
    return found


def test_the_suites_are_there_with_their_benchmarks(catalogue):
    counts = {suite: len(found) for suite, found in catalogue.benchmarks.items()}
    assert counts == {
        "medhelm": 37,
        "bridge": 87,
        "open-medical-llm": 9,
        "open-llm-v2": 6,
        "benchhealth": 13,
        "noharm": 12,
        "lmarena-medicine": 1,
        "chi-bench": 3,
        "medagentsbench": 7,
        "vectara-hhem": 3,
        "medmarks": 16,
    }


def test_every_benchmark_has_domain_category_and_reason(catalogue):
    for benchmarks in catalogue.benchmarks.values():
        for benchmark in benchmarks:
            assert benchmark.domain in ("domain-specific", "general"), benchmark
            assert benchmark.category, benchmark
            assert len(benchmark.category_reason) > 10, benchmark
            assert benchmark.source, benchmark


def test_no_identifier_occurs_twice(catalogue, data):
    for benchmarks in catalogue.benchmarks.values():
        assert len({b.id for b in benchmarks}) == len(benchmarks)
    for file, key in (("models", "model"), ("aliases", "alias"), ("suites", "suite")):
        with (data / "catalogue" / f"{file}.csv").open(encoding="utf-8") as handle:
            count = Counter(row[key] for row in csv.DictReader(handle))
        assert count.most_common(1)[0][1] == 1, file


def test_aliases_never_chain(catalogue):
    assert len(catalogue.aliases) > 60
    assert not set(catalogue.aliases) & set(catalogue.aliases.values())


def test_every_scored_model_is_in_the_catalogue(catalogue, scored):
    assert {m for models in scored.values() for m in models} <= set(catalogue.models)


def test_cohorts_name_known_models_benchmarks_and_published_clusters(catalogue, scored):
    assert {name for name, _ in catalogue.cohorts} == {"taxonomy-portraits", "medhelm-paper"}
    for (_, suite), cohort in catalogue.cohorts.items():
        assert set(cohort.models) <= set(catalogue.models)
        assert len(set(cohort.models)) == len(cohort.models)
        assert set(cohort.benchmarks) <= {b.id for b in catalogue.benchmarks[suite]}
        for model, pin in cohort.pins:
            assert model in cohort.models
            assert (pin.model or model) in scored[suite]
    for suite in ("open-medical-llm", "open-llm-v2"):
        published = catalogue.published_clusters["taxonomy-portraits", suite]
        assert len(published) == 33
        assert set(published) == set(catalogue.cohorts["taxonomy-portraits", suite].models)
        assert set(published.values()) == {"H", "L"}
    assert len(catalogue.cohorts["medhelm-paper", "medhelm"].models) == 9
    assert len(catalogue.cohorts["medhelm-paper", "medhelm"].benchmarks) == 35


def test_prices_and_tokens_name_known_models_and_benchmarks(catalogue):
    assert {price.model for price in catalogue.prices} <= set(catalogue.models)
    assert all(price.provider and price.provider_model for price in catalogue.prices)
    medhelm = {b.id for b in catalogue.benchmarks["medhelm"]}
    assert {row.benchmark for row in catalogue.tokens} <= medhelm
    assert {row.model for row in catalogue.tokens} <= set(catalogue.models)
    assert all(row.n_instances > 0 for row in catalogue.tokens)


def test_task_presets_name_categories_of_their_suite(catalogue):
    assert next(iter(catalogue.tasks)) == "balanced"
    assert {"own", "documentation"} <= set(catalogue.tasks)
    for task in catalogue.tasks.values():
        for suite, weights in task.weights:
            assert {name for name, _ in weights} <= set(all_categories(catalogue.benchmarks[suite]))
            assert all(weight > 0 for _, weight in weights)


def test_evidence_bases_name_known_suites_and_cohorts(catalogue):
    pairs = [(base.suite, base.cohort) for base in catalogue.evidence.values()]
    assert len(set(pairs)) == len(pairs)
    for base in catalogue.evidence.values():
        for suite in filter(None, (base.suite, base.second_suite)):
            assert suite in catalogue.suites
            assert base.cohort == "all" or (base.cohort, suite) in catalogue.cohorts
    names = [base.name for base in catalogue.evidence.values()]
    assert len(set(names)) == len(names)


def test_names_that_a_link_carries_are_unambiguous(catalogue):
    for benchmarks in catalogue.benchmarks.values():
        names = all_categories(benchmarks)
        assert len({weight_key(name) for name in names}) == len(names)
        assert "w_" not in {weight_key(name) for name in names}
    assert len({task.name for task in catalogue.tasks.values()}) == len(catalogue.tasks)
    assert {p for suite in catalogue.suites.values() for p in suite.protocols} <= set(PROTOCOLS)


def test_an_unknown_size_is_none_and_no_size_is_zero(catalogue):
    sizes = [model.params_b for model in catalogue.models.values()]
    assert None in sizes
    assert all(size is None or size > 0 for size in sizes)


def test_a_model_that_is_not_in_the_catalogue_has_a_name_and_nothing_else(catalogue):
    model = catalogue.model("some-lab/new-model")
    assert (model.name, model.developer) == ("new-model", "some-lab")
    assert (model.params_b, model.access, model.licence) == (None, "unknown", "")
    assert catalogue.model("New Model").developer == ""
