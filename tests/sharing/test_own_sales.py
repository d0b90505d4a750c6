"""A hospital's own end of a sale: as a line of the link, and in place of the public ones."""

from dataclasses import replace
from datetime import date

from core.answers.bills import sales
from core.domain import OwnSale, Requirements

DAY = date(2026, 11, 23)
R1, BEDROCK = "DeepSeek R1", "AWS Bedrock"
TOLD = OwnSale(R1, BEDROCK, "2028-01-01", "2026-11-20", "letter; 7")


def test_it_goes_before_the_public_word_and_ages_the_same(bundled):
    """Bedrock ends R1 on 30 March 2027; 90 days after 20 November is 18 February."""

    def at(told, on=DAY):
        asked = Requirements(own_sales=(told,) if told else ())
        sold = sales(bundled, (R1,), asked, on)[R1].where(BEDROCK)
        return sold.state, sold.until, sold.lasts, sold.is_old

    assert at(None)[:3] == ("ends", "2027-03-30", False)
    assert at(TOLD) == ("ends", "2028-01-01", True, False)
    assert at(replace(TOLD, ends_on="")) == ("no end known", "", True, False)
    assert at(TOLD, date(2027, 2, 18))[3] is False
    assert at(TOLD, date(2027, 2, 19))[3] is True
    # Where nobody states a sale, what the hospital was told makes the platform known.
    other = sales(bundled, (R1,), Requirements(own_sales=(replace(TOLD, platform="Ours"),)), DAY)
    assert other[R1].where("Ours").until == "2028-01-01"
