"""Facts for a purchase: what is bundled holds together, and a fault names its row."""

import csv
import re

import pytest

from core.procurement.hosting import ON_DEMAND


@pytest.fixture(scope="module")
def facts(bundled):
    return bundled.catalogue.procurement


def test_every_table_has_its_rows(facts):
    counts = (facts.gpus, facts.architectures, facts.throughput, facts.volumes, facts.requests)
    assert [len(table) for table in counts] == [71, 23, 57, 33, 8]
    assert [len(t) for t in (facts.gate_kinds, facts.gates, facts.platforms)] == [11, 120, 21]


def test_the_range_of_an_h100(facts):
    hours = [o.usd_per_gpu_hour for o in facts.gpus if o.gpu == "H100 80GB"]
    assert (min(hours), max(hours)) == (2.69, 12.29)
    assert {o.pricing_type for o in facts.gpus} == {
        *(ON_DEMAND, "serverless per second", "marketplace, starting at"),
        "list price, sold as spot only",
    }


def test_architectures_name_models_of_the_catalogue(bundled, facts):
    """A name that is spelt otherwise would never be found: known here, or an id of the Hub."""
    catalogue = bundled.catalogue
    known = {*catalogue.models, *catalogue.aliases}
    for row in (*facts.architectures, *facts.throughput):
        assert {name for name in (row.model, *row.also) if "/" not in name} <= known


def test_every_provider_with_a_price_has_a_platform(bundled, facts):
    assert {p.provider for p in bundled.catalogue.prices} <= {p.provider for p in facts.platforms}


def test_every_platform_with_answers_has_one_for_each_of_its_gates(facts):
    gates = {kind.id for kind in facts.gate_kinds.values() if kind.about == "platform"}
    found = {}
    for answer in facts.gates:
        found.setdefault(answer.platform, set()).add(answer.gate)
    assert len(found) == 15
    assert all(answered == gates for answered in found.values())
    sold = {platform.platform for platform in facts.platforms}
    assert {"OpenAI API", "Google Vertex AI", "Azure OpenAI / Azure AI Foundry"} <= sold & set(
        found
    )


def test_an_answer_without_a_source_is_unknown(facts):
    for answer in facts.gates:
        assert answer.answer == "unknown" or (answer.source_url and answer.as_of)
    assert sum(answer.answer == "unknown" for answer in facts.gates) == 35


def test_volumes_a_month_follow_from_value_and_unit(facts):
    by_unit = {"quarter": 1 / 3, "year": 1 / 12, "week": 52 / 12, "month": 1}
    for volume in facts.volumes.values():
        if volume.per_month is not None:
            (unit,) = re.findall(r"per (quarter|year|week|month)", volume.unit)
            assert volume.per_month == pytest.approx(volume.value * by_unit[unit], rel=1e-3)
            assert volume.derivation.startswith("derived")


@pytest.mark.parametrize(
    ("name", "shared", "keys"),
    [
        ("gpus", "gpus", ("usd_per_gpu_hour", "provider", "source_url")),
        ("gates", "gates", ("platform", "gate", "answer", "detail", "source_url", "days")),
        ("volumes", "workloads", ("quantity", "value", "unit", "source_url", "as_of")),
    ],
)
def test_facts_are_those_that_were_collected(data, figures, name, shared, keys):
    def cells(path):
        with path.open(encoding="utf-8") as handle:
            return [tuple(row[key] for key in keys) for row in csv.DictReader(handle)]

    collected = figures.parent / "procurement" / f"{shared}.csv"
    assert cells(data / "catalogue" / f"{name}.csv") == cells(collected)
