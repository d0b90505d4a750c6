"""When evidence counts as old: a year for scores, 90 days for prices."""

from datetime import date

import pytest

from core.domain import Snapshot
from core.evidence import staleness


def snapshot(as_of, retrieved_at="2026-01-01"):
    fields = dict.fromkeys(Snapshot.__dataclass_fields__, "")
    return Snapshot(**fields | {"as_of": as_of, "retrieved_at": retrieved_at})


@pytest.mark.parametrize(
    ("as_of", "today", "found"),
    [
        ("2025-11-01", date(2026, 11, 1), ""),
        ("2025-11-01", date(2026, 11, 2), "2025-11-01"),
        ("2024-05", date(2025, 5, 1), ""),
        ("2024-05", date(2025, 5, 2), "2024-05"),
        ("2024", date(2025, 1, 1), "2024"),  # 366 days: 2024 has a leap day
        ("", date(2027, 1, 1), ""),
        ("", date(2027, 1, 2), "2026-01-01"),
        ("long ago", date(2030, 1, 1), ""),
    ],
)
def test_scores_are_old_after_a_year(as_of, today, found):
    assert staleness.old_snapshot(snapshot(as_of), today) == found


def test_prices_are_old_after_ninety_days(bundled, tmp_path):
    """The newest entry of the bundled list was checked on 2026-11-23, the 327th day."""
    assert staleness.old_prices(bundled, date(2027, 2, 21)) is None
    assert staleness.old_prices(bundled, date(2027, 2, 22)) == date(2026, 11, 23)


def test_the_old_suites_of_the_bundled_evidence(bundled):
    found = dict(staleness.old_suites(bundled, date(2026, 11, 22)))
    assert found["BRIDGE"] == "2025-11-01"
    assert "NOHARM" not in found
