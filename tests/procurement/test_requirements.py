"""From what the buyer asks to weights, worked by hand."""

import pytest

from core.domain import BadRequestError, Requirements, Task
from core.procurement.shortlist import (
    all_categories,
    benchmark_weights,
    categories,
    category_weights,
)
from tests.conftest import a_benchmark

PRESET = Task("notes", "Notes", "", (("suite", (("Notes", 3.0), ("Letters", 1.0))),))


@pytest.fixture
def benchmarks():
    return [
        a_benchmark("n1", category="Notes", subcategory="Summaries"),
        a_benchmark("d1", category="Decisions", subcategory="Decisions"),
        a_benchmark("n2", category="Notes", subcategory="Letters"),
        a_benchmark("n3", category="Notes", subcategory="Letters"),
    ]


def own(*weights):
    return Requirements(suite="suite", task="own", weights=weights)


def test_what_is_shown_only_has_no_category_and_no_weight():
    benchmarks = [
        a_benchmark("kept", category="Safety", subcategory="Advice"),
        a_benchmark("shown", category="Safety", subcategory="Advice", scored=False),
        a_benchmark("time", category="Run time", subcategory="Seconds", scored=False),
    ]
    assert categories(benchmarks) == ("Safety",)
    assert all_categories(benchmarks) == ("Safety", "Advice")
    assert benchmark_weights((("Safety", 1.0),), benchmarks) == {"kept": 1.0}
    with pytest.raises(BadRequestError, match='"Run time" is no task category'):
        category_weights(own(("Run time", 1.0)), benchmarks, None)


def test_weights_of_a_task_are_scaled_and_spread_over_categories_and_subcategories(benchmarks):
    asked = Requirements(suite="suite", task="notes")
    found = category_weights(asked, benchmarks, PRESET)
    assert found == (("Notes", 0.75), ("Letters", 0.25))
    # A suite without a benchmark for the task has none.
    elsewhere = Requirements(suite="elsewhere", task="notes")
    assert category_weights(elsewhere, benchmarks, PRESET) == ()
    assert benchmark_weights((), benchmarks) == {}
    weights = category_weights(own(("Decisions", 3), ("Notes", 1)), benchmarks, None)
    assert weights == (("Notes", 0.25), ("Decisions", 0.75))
    assert category_weights(own(("Decisions", 2), ("Notes", 0)), benchmarks, None) == (
        ("Decisions", 1.0),
    )
    spread = benchmark_weights((("Notes", 0.6), ("Letters", 0.4)), benchmarks)
    assert spread == pytest.approx({"n1": 0.2, "n2": 0.4, "n3": 0.4})
    # One that bears the name of its category counts once.
    assert benchmark_weights((("Decisions", 1.0),), benchmarks) == {"d1": 1.0}


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([("Cooking", 1)], '"Cooking" is no task category of suite; its categories are Notes, D'),
        ([("x" * 9999, 1)], f'"{"x" * 80}" is no task category'),
        ([("Notes", -1)], "weight of Notes must be 0 or more, not -1"),
        ([("Notes", float("nan"))], "weight of Notes must be 0 or more, not nan"),
        ([("Notes", float("inf"))], "weight of Notes must be 0 or more, not inf"),
        ([("Notes", 0)], "At least one task category needs a weight above 0"),
    ],
)
def test_an_impossible_weight_is_refused(benchmarks, weights, message):
    with pytest.raises(BadRequestError, match=message):
        category_weights(own(*weights), benchmarks, None)
