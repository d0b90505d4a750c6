"""What differs between two shortlists, by hand."""

import pytest

from core.saved.changes import compare


def row(model, rank, score, bill=None, n=5):
    return {
        **{"model": model, "name": model.upper(), "rank": rank, "score": score, "n_benchmarks": n},
        "monthly_cost_usd": bill,
        "price_as_of": None if bill is None else "2026-11-22",
    }


def test_new_gone_changed_and_same():
    found = compare(
        [row("a", 1, 0.8, 10.0), row("b", 2, 0.7), row("c", 3, 0.6)],
        [row("b", 1, 0.75), row("a", 2, 0.8, 10.0), row("d", 3, 0.5, 1.0)],
    )
    assert [(one.model, one.what, one.rank, one.score, one.bill) for one in found.rows] == [
        ("b", "changed", True, True, False),
        ("a", "changed", True, False, False),
        ("d", "new", False, False, False),
        ("c", "gone", False, False, False),
    ]
    assert found.order_changed
    assert ([one.name for one in found.new], [one.name for one in found.gone]) == (["D"], ["C"])
    assert len(found.changed) == 4
    assert (found.rows[2].before, found.rows[3].after) == (None, None)
    assert found.rows[2].after.monthly_usd == 1.0
    assert compare([], []).rows == ()


@pytest.mark.parametrize(
    ("before", "after", "differs"),
    [
        # A price that is not known is not zero.
        ((1, 0.8, None), (1, 0.8, None), (False, False, False)),
        ((1, 0.8, None), (1, 0.8, 0.0), (False, False, True)),
        ((1, 0.8, 0.0), (1, 0.8, None), (False, False, True)),
        ((1, 0.8, 5.0), (1, 0.8, 5.01), (False, False, True)),
        # The last digits of another machine are no change.
        ((1, 0.1 + 0.2, 100.0), (1, 0.3, 100.00000001), (False, False, False)),
        ((1, 0.3), (1, 0.300001), (False, True, False)),
        # A rank that is lost, and another number of benchmarks.
        ((1, 0.8), (None, 0.8, None, 4), (True, True, False)),
    ],
)
def test_what_differs_about_one_model(before, after, differs):
    (one,) = compare([row("a", *before)], [row("a", *after)]).rows
    assert (one.rank, one.score, one.bill) == differs
    assert one.what == ("changed" if any(differs) else "same")


def test_a_model_that_only_moved_up_because_another_left_keeps_the_order():
    found = compare([row("a", 1, 0.8), row("b", 2, 0.7)], [row("b", 1, 0.7)])
    assert not found.order_changed
    assert found.rows[0].rank
