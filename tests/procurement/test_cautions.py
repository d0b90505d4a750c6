"""What is to be known first, as keys: which facts are old, and from which day."""

from dataclasses import replace
from datetime import date

import pytest

from core.answers import data, recommend
from core.domain import Requirements
from core.procurement.gates import is_old
from core.procurement.recommendation import cautions

DAY = date(2026, 11, 23)


@pytest.mark.parametrize(
    ("read_on", "old"),
    [
        # 90 days before 23 November is 25 August.
        *[("2026-08-25", False), ("2026-08-24", True), ("2026-11-23", False)],
        # A month counts from its first day: 84 days from 31 August, 114 from 1 August.
        *[("2026-09", False), ("2026-08", True), ("2026", True), ("", True), ("undated", True)],
    ],
)
def test_a_fact_is_old_after_90_days_or_where_nobody_knows_its_day(read_on, old):
    assert is_old(read_on, DAY) is old


@pytest.mark.parametrize(
    ("begins", "old"),
    [
        ("", {"terms"}),
        *((day, {"sale", "prices", "terms"}) for day in ("2027-03-15", "2028-01-15")),
    ],
)
def test_a_year_on_the_facts_of_this_autumn_are_old(bundled, begins, old):
    """Without and with the clock: the day from which sale is counted, or that of the question."""
    asked = Requirements(suite="lmarena-medicine", gates=("baa",), on_sale_on=begins)
    day = date.fromisoformat(begins) if begins else DAY
    for question, on in ((asked, DAY), (replace(asked, on_sale_on=""), day)):
        found = recommend.recommendation(bundled, question, on)
        said = {each.fact for one in cautions(found, on) for each in one.old}
        assert said == old
    assert data.listed_on(bundled, day) <= DAY
