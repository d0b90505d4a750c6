"""Figures in words."""

import math

from hypothesis import given
from hypothesis import strategies as st

from core.sharing.wording import signed_gaps, signed_interval, signed_points

SHARES = st.floats(-1, 1) | st.just(math.nan)


def test_a_gap_has_a_true_minus_and_says_what_is_unknown():
    lows, highs = [-0.054, -0.01, math.nan, math.nan], [0.014, 0.02, math.nan, 0.1]
    assert signed_gaps([-0.02, 0.004, 0.5, math.nan], lows, highs) == [
        "−2.0 (−5.4 to +1.4)",
        "+0.4 (−1.0 to +2.0)",
        "+50.0 (no interval)",
        "not known (no interval)",
    ]
    assert signed_gaps([], [], []) == []


@given(st.lists(st.tuples(SHARES, SHARES, SHARES)))
def test_many_gaps_read_as_one_does(gaps):
    def known(share):
        return None if math.isnan(share) else share

    expected = []
    for gap, low, high in (map(known, each) for each in gaps):
        interval = "no interval" if gap is None else signed_interval(low, high)
        expected.append(f"{signed_points(gap)} ({interval})")
    columns = zip(*gaps, strict=True) if gaps else ([], [], [])
    assert signed_gaps(*columns) == expected
