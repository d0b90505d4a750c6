"""What a test is worth, told: as data, in words, and where something is not known."""

from dataclasses import replace
from datetime import date

from core.answers import local_test as answers
from core.domain import Requirements
from core.procurement.recommendation import TestWorth
from core.sharing.export import worth_document
from core.words.recommendation import worth_in_words

DAY = date(2026, 11, 23)
FOUND = TestWorth(
    models=("a", "b", "c", "d"),
    n_cases=50,
    loss_without=0.0165,
    loss_with=0.0062,
    p_wrong_without=0.3712,
    p_wrong_with=0.1075,
    cost_usd=31.6,
    rater_hours=50 / 6,
    margin=0.02,
    assumed=False,
)


NONE = replace(
    FOUND, n_cases=None, loss_with=None, p_wrong_with=None, cost_usd=None, rater_hours=None
)


def test_what_a_test_is_worth_in_words_and_as_data():
    assert worth_in_words(FOUND) == (
        "50 cases of each of these 4 lower the chance of a choice over 2 points worse from 37 to "
        "11 %, for about $32 and 8 rater hours."
    )
    assert "for a cost not known and 8 rater hours. How far they may differ is assumed." in (
        worth_in_words(replace(FOUND, cost_usd=None, assumed=True))
    )
    assert worth_in_words(NONE) == (
        "Without a test the chance of a choice over 2 points worse is 37 %, and no test of up to "
        "1,000 cases brings it to one in eight."
    )
    assert worth_document(FOUND) == {
        "models": ("a", "b", "c", "d"),
        "n_cases": 50,
        "loss_without": 0.0165,
        "loss_with": 0.0062,
        "p_wrong_without": 0.3712,
        "p_wrong_with": 0.1075,
        "cost_usd": 31.6,
        "rater_hours": 50 / 6,
    }
    assert worth_document(None) is None


def test_what_is_not_known_of_one_is_not_known_of_all_and_the_margin_counts(bundled):
    """On own servers nobody has a price for a case; on no server is what nobody sells priced."""
    pair = ("DeepSeek-R1", "Qwen3-Next-80B-A3B-Thinking")
    asked = Requirements(suite="bridge")
    assert answers.test_worth(bundled, asked, DAY, pair).cost_usd > 0
    own = answers.test_worth(bundled, replace(asked, access="own"), DAY, pair)
    assert own.cost_usd is None
    assert own.rater_hours > 0
    one = answers.test_worth(bundled, asked, DAY, ("BioMistral-7B", pair[0]))
    assert one.cost_usd is None
    asked, pair = Requirements(suite="noharm"), ("Gemini 2.5 Pro", "Gemini 2.5 Flash")
    found = answers.test_worth(bundled, asked, DAY, pair)
    assert answers.test_worth(bundled, asked, DAY, pair) is found
    wider = answers.test_worth(bundled, replace(asked, margin=0.1), DAY, pair)
    assert wider.p_wrong_without < found.p_wrong_without
    four = ("Gemini 2.5 Pro", "Gemini 2.5 Flash", "GPT-5", "DeepSeek R1")
    found = answers.test_worth(bundled, Requirements(suite="noharm", margin=0.0), DAY, four)
    of_size = (found.n_cases, found.loss_with, found.p_wrong_with, found.cost_usd)
    assert (*of_size, found.rater_hours) == (None,) * 5
    assert 0.7 < found.p_wrong_without < 0.8  # three in four
