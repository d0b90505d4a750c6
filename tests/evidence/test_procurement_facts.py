"""Facts for a purchase: what is bundled holds together, and a fault names its row."""

import csv
import re

import pytest

from core.domain import BadDataError
from core.evidence.catalogue import load
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


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("gpus", "T4,16,0.526", "T4,16,0", 'row 2: "usd_per_gpu_hour" must be above 0'),
        ("gpus", "T4,16,0.51,", "T4,24,0.51,", "row 4: T4 has 16 GB in a row above"),
        ("gpus", "2026-09-06", "06.09.2026", "row 2: .* must be an ISO date or undated"),
        ("architectures", "MHA,524288", "MHA,524289", "row 2: .* must be 524288 by layers"),
        ("architectures", "7b-hf,LLaMA-2-7B", "7b-hf,LLaMA-2-13B", "row 3: .* row above"),
        ("throughput", "128,128,28312", "128,128,", 'row 2: the column "tokens_per_second"'),
        (
            "throughput",
            "1000,1000,15220",
            "128,128,15220",
            "row 3: the model .* with the gpu .* stands twice",
        ),
        ("volumes", "231.67,derived: 695 / 3", "231.67,", "row 2: .* go together"),
        ("requests", "Documenting Patient Visits", "Visits", "row 2: MedHELM has no subcategory"),
        ("requests", "discharges_per", "discharge_per", 'row 4: the volume "discharge_per'),
        ("requests", "Visits,subcategory", "Visits,it", 'row 2: "it" in "tokens_from" must be'),
        ("gate_kinds", "soc2,", "baa,", 'row 8: the gate "baa" stands twice'),
        ("gate_kinds", "platform,limit", "platform,maybe", "row 4: .* must be yes, no or limit"),
        ("gates", "API,baa,conditional", "API,baa,maybe", "row 2: .* conditional or unknown"),
        (
            "gates",
            "API,zero_data_retention",
            "API,baa",
            "row 3: the platform .* with the gate .* stands twice",
        ),
        ("gates", "API,baa,", "API,bba,", 'row 2: the gate "bba" is not in gate_kinds.csv'),
        ("gates", ",30,vendor", ",-1,vendor", "row 4: days must be 0 or more"),
        ("gates", ",undated,,vendor", ",undated,vendor", "row 2: .* fewer cells than the header"),
        ("platforms", "aws,", "anthropic,", 'row 3: the provider "anthropic" stands twice'),
    ],
)
def test_a_fault_names_its_row(data, change, file, old, new, message):
    change(f"{file}.csv", old, new)
    with pytest.raises(BadDataError, match=rf"{file}\.csv, {message}"):
        load(data / "catalogue")


def test_an_answer_must_have_a_source(data):
    path = data / "catalogue" / "gates.csv"
    path.write_text(
        "platform,gate,answer,detail,source_url,as_of,days,source_kind\nX,baa,yes,,,,,vendor\n"
    )
    with pytest.raises(BadDataError, match=r'gates\.csv, row 2: the column "source_url" is empty'):
        load(data / "catalogue")
