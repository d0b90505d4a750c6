"""Small costs and harm records for the tests of choosing."""

from __future__ import annotations

import pytest

from core.domain import MonthlyCost, Safety
from core.procurement.bill import unknown_cost


@pytest.fixture(scope="session")
def make_cost():
    """Monthly cost at one vendor; unknown without dollars, and without a range where none is given.

    The range is each model's own: two such costs share nothing.
    """

    def make(model, likely=None, low=None, high=None, **fields):
        if likely is None:
            return unknown_cost(model, fields.get("basis", "no public price"))
        low, high = (likely if end is None else end for end in (low, high))
        given = {"cost_is": "bill", "from_whom": "Vendor", "provider": "vendor", "platform": "V"}
        given |= {"as_of": "2026-11-21", "basis": "by hand", "shared": model} | fields
        return MonthlyCost(
            model, low=low, likely=likely, high=high, figures=((low, likely, high),), **given
        )

    return make


@pytest.fixture(scope="session")
def make_safety():
    """Harm of one system of 32, in a share of 100 cases; by default not marked."""

    def make(share, *, errors=None, rank=1, marked=False, physicians=0.167, **fields):
        given = {"n": 100, "n_systems": 32, "tested_as": "m", "kind": "same version"} | fields
        return Safety(
            share=share,
            severe_errors_per_100=errors,
            rank=rank,
            marked=marked,
            physicians=physicians,
            **given,
        )

    return make
