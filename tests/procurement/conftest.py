"""Small prices, costs, harm records and rows for the tests of choosing."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from core.domain import Bill, Dossier, HourlyPrice, MonthlyCost, Price, Safety, Servers
from core.evidence.fact_lists import GENAI_PRICES, newest
from core.procurement.bill import public_prices
from core.procurement.monthly_cost import unknown_cost


@pytest.fixture(scope="session")
def today():
    return date(2026, 11, 21)


@pytest.fixture(scope="session")
def make_price():
    """Price of one provider, read and written, in US dollars per million tokens."""

    def make(provider, read, written, model="m"):
        day = "2026-11-21"
        return Price(
            model,
            *(provider, provider.title(), "x", read, written, day, "by hand"),
            offered=True,
            platform="Platform",
        )

    return make


@pytest.fixture(scope="session")
def make_cost():
    """Monthly cost at one vendor; unknown without dollars, and without a range where none is given.

    The range is each model's own: two such costs share nothing.
    """

    def make(model, likely=None, low=None, high=None, **fields):
        if likely is None:
            return unknown_cost(model, **fields)
        low, high = (likely if end is None else end for end in (low, high))
        day = "2026-11-21"
        price = Price(model, "vendor", "Vendor", "x", 1.0, 1.0, day, "by hand", platform="V")
        given = {
            "cost_is": "bill",
            "bill": Bill(model, likely, (), price),
            "provider": "vendor",
            "platform": "V",
        }
        given |= {"as_of": day, "shared": model} | fields
        return MonthlyCost(
            model, low=low, likely=likely, high=high, figures=((low, likely, high),), **given
        )

    return make


RENT = HourlyPrice("A", 1.0, 2.0, 5.0, "2026-02-01")


@pytest.fixture(scope="session")
def make_servers():
    """Two GPUs at 1 to 5 dollars an hour, likely 2, of unpublished capacity unless given."""

    def make(**fields):
        given = {"gpu": "A", "bits": 8, "gpus": 2, "sets": None, "serves": None}
        given |= {"utilisation": 0.2, "hourly": RENT}
        return Servers(**given | fields)

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


@pytest.fixture(scope="session")
def make_row(make_model, make_cost):
    """First of five that fit, and of eight in all."""

    def make(name, **fields):
        row = Dossier(
            make_model(name),
            make_cost(name),
            score=0.8,
            rank=1,
            rank_band=(1, 1),
            rank_all=1,
            n_fit=5,
            n_all=8,
            ci_low=0.7,
            ci_high=0.9,
            interval_basis="on these tests",
            n_benchmarks=12,
            run="run",
        )
        return replace(row, **fields)

    return make


@pytest.fixture
def priced(bundled):
    """Prices by the shipped list on a day."""
    about = newest(bundled.lists, GENAI_PRICES)
    rows = bundled.listed(about)
    return lambda references, on=date(2026, 11, 21): public_prices(references, about, rows, on, {})
