"""Questions over all evidence, and small markets, for the tests of choosing and of words."""

from datetime import date

from building import a_cost, sold

from core.domain import Candidate, Market, MarketChoice, Offer, Question
from tests.conftest import a_model

DAY = date(2026, 11, 27)
AZURE, AWS, GOOGLE = "Azure OpenAI / Azure AI Foundry", "AWS Bedrock", "Google Vertex AI"
US = ("baa", "trains_on_customer_data_by_default")
EU = ("region_eu", "trains_on_customer_data_by_default")
ON_AZURE = Question.of(suite="", required=US, platforms=(AZURE,))
OWN = Question.of(suite="", access="own", gpu="H100 80GB", gpus_owned=1)
QUESTIONS = [
    asked.having(task=task)
    for task in ("balanced", "documentation", "decision-support", "research", "prior-authorisation")
    for asked in (
        *(ON_AZURE, ON_AZURE.having(platforms=(AWS, GOOGLE)), OWN),
        *(Question.of(suite="", required=("region_eu",), language="German"), Question.of(suite="")),
        Question.of(suite="", monthly_budget_usd=300.0),
    )
]


def graded(found, grade):
    return {each.model.name for each in found if each.grade == grade}


def a_candidate(name, *, grade="E", usd=None, state="", platform="Vendor", **offer):
    """A product that one platform sells, never tested, at a cost that is not known unless given."""
    (sale,) = sold("passes", state, "2027-05-01", platform).at if state else (None,)
    given = {"standing": "buyable", "terms": None, "monthly_usd": usd} | offer
    cost = a_cost(name, usd) if usd else a_cost(name, why="no price")
    return Candidate(a_model(name), grade, (), (Offer(platform, sale=sale, **given),), cost, None)


def a_market(*buyable, ask=(), strength="shortlist", **choice):
    names = tuple(each.model.id for each in buyable[:2])
    return Market("work", "", buyable, ask, (), MarketChoice(strength, names, **choice), ())


A, B, C = (a_candidate(name, usd=usd) for name, usd in (("A", 9.0), ("B", 5.0), ("C", None)))
