import pytest
from building import TODAY

from core.answers.data import listed
from core.evidence.fact_lists import GENAI_PRICES, newest
from core.procurement.bill import public_prices


@pytest.fixture
def priced(bundled):
    about = newest(bundled.lists, GENAI_PRICES)
    rows = listed(bundled, about)
    return lambda references, on=TODAY: public_prices(references, about, rows, on, {})
