"""What MedHELM's authors paid: the bundled table, and how faults are named."""

import csv

import pytest

from core.domain import BadDataError
from core.evidence.benchmark_costs import benchmark_costs


def test_the_bundled_table_is_that_of_the_paper(bundled, figures):
    with (figures / "medhelm_costs.csv").open(encoding="utf-8") as handle:
        printed = {row["model_name"]: row for row in csv.DictReader(handle)}
    found = benchmark_costs(bundled.data / "catalogue", bundled.catalogue.models)
    assert {cost.model for cost in found} == set(printed)
    for cost in found:
        row = printed[cost.model]
        assert cost.benchmark_usd == float(row["benchmark_cost_usd"])
        assert cost.jury_usd == float(row["jury_cost_usd"])
        assert cost.total_usd == float(row["total_cost_usd"])
        assert (cost.suite, cost.source) == ("medhelm", "arXiv:2505.23802, Table 3")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("778.67", "", 'row 2: the column "benchmark_cost_usd" is empty'),
        ("778.67", "much", 'row 2: "much" .* is not a number'),
        ("778.67", "-778.67", "row 2: a cost must be above 0"),
        ("1570.88", "1570.91", "row 2: 778.67 and 792.21 do not add up to 1570.91"),
        ("Claude 3.5 Sonnet", "Claude 9 Sonnet", 'row 2: the model "Claude 9 .* not in models'),
        ("Claude 3.7 Sonnet (20250219)", "Claude 3.5 Sonnet (20241022)", "row 3: .* twice"),
    ],
)
def test_a_fault_names_its_row(data, change, bundled, old, new, message):
    change("benchmark_costs.csv", old, new)
    with pytest.raises(BadDataError, match=rf"benchmark_costs\.csv, {message}"):
        benchmark_costs(data / "catalogue", bundled.catalogue.models)
