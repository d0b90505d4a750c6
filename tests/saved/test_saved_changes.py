"""What differs between two shortlists, by hand."""

import pytest

from core.saved.changes import compare


def row(model, rank, score, bill=None, n=5):
    return {
        "model": model,
        "name": model.upper(),
        "rank": rank,
        "score": score,
        "n_benchmarks": n,
        "monthly_cost_usd": bill,
        "price_as_of": None if bill is None else "2026-11-22",
    }


def test_new_gone_changed_and_same():
    found = compare(
        [row("a", 1, 0.8, 10.0), row("b", 2, 0.7), row("c", 3, 0.6)],
        [row("b", 1, 0.75), row("a", 2, 0.8, 10.0), row("d", 3, 0.5, 1.0)],
    )
    assert [(one.model, one.what) for one in found.rows] == [
        ("b", "changed"),
        ("a", "changed"),
        ("d", "new"),
        ("c", "gone"),
    ]
    assert [(one.rank, one.score, one.bill) for one in found.rows] == [
        (True, True, False),
        (True, False, False),
        (False, False, False),
        (False, False, False),
    ]
    assert found.order_changed
    assert [one.name for one in found.new] == ["D"]
    assert [one.name for one in found.gone] == ["C"]
    assert len(found.changed) == 4
    assert found.rows[2].before is None
    assert found.rows[2].after.monthly_usd == 1.0
    assert found.rows[3].after is None


@pytest.mark.parametrize(
    ("before", "after", "bill"),
    [
        (None, None, False),
        (None, 0.0, True),
        (0.0, None, True),
        (5.0, 5.0, False),
        (5.0, 5.01, True),
    ],
)
def test_a_price_that_is_not_known_is_not_zero(before, after, bill):
    (one,) = compare([row("a", 1, 0.8, before)], [row("a", 1, 0.8, after)]).rows
    assert one.bill is bill
    assert one.what == ("changed" if bill else "same")


def test_the_last_digits_of_another_machine_are_no_change():
    same = compare([row("a", 1, 0.1 + 0.2, 100.0)], [row("a", 1, 0.3, 100.00000001)])
    assert same.changed == ()
    assert compare([row("a", 1, 0.3)], [row("a", 1, 0.300001)]).changed


def test_a_rank_lost_and_another_number_of_benchmarks_are_changes():
    (one,) = compare([row("a", 1, 0.8)], [row("a", None, 0.8, n=4)]).rows
    assert (one.rank, one.score) == (True, True)


def test_a_model_that_only_moved_up_because_another_left_keeps_the_order():
    found = compare([row("a", 1, 0.8), row("b", 2, 0.7)], [row("b", 1, 0.7)])
    assert not found.order_changed
    assert found.rows[0].rank


def test_two_empty_lists_are_the_same():
    assert compare([], []).rows == ()
