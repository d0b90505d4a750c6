"""Small prices, costs, sales, harm records and rows for the tests of choosing and of words."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from core import domain
from core.procurement.bill import unknown_cost
from tests.conftest import a_model

TODAY = date(2026, 11, 21)
RENT = domain.HourlyPrice("A", 1.0, 2.0, 5.0, "2026-02-01")


def sold(standing, state="", until="", platform="Vendor", *, successor="", conflict="", kept=False):
    """How one platform sells a model, read in November 2026; nobody without a state."""
    lasts = {"gone": False, "not known": None, "ends": standing == "passes"}.get(state, True)
    source = "https://vendor.example"
    sale = domain.Sale(platform, state, until, "2026-11-01", source, lasts, False, conflict)
    return domain.OnSale(standing, (sale,) if state else (), successor, frozenset(), kept=kept)


def a_price(provider, read, written, model="m", **fields):
    given = {"offered": True, "platform": "Platform"} | fields
    names = provider, provider.title(), "x"
    return domain.Price(model, *names, read, written, "2026-11-21", "by hand", **given)


def a_cost(model, likely=None, low=None, high=None, **fields):
    """Monthly cost at one vendor; unknown without dollars, and without a range where none is given.

    The range is each model's own: two such costs share nothing.
    """
    if likely is None:
        return unknown_cost(model, **fields)
    low, high = (likely if end is None else end for end in (low, high))
    price = a_price("vendor", 1.0, 1.0, model, offered=False, platform="V")
    given = {"basis": domain.ByToken(domain.Bill(model, likely, (), price)), "provider": "vendor"}
    given |= {"platform": "V", "as_of": "2026-11-21", "shared": model} | fields
    return domain.MonthlyCost(
        model, low=low, likely=likely, high=high, figures=((low, likely, high),), **given
    )


def some_servers(**fields):
    """Two GPUs at 1 to 5 dollars an hour, likely 2, of unpublished capacity unless given."""
    given = {"gpu": "A", "bits": 8, "gpus": 2, "sets": None, "serves": None}
    return domain.Servers(**given | {"utilisation": 0.2, "hourly": RENT} | fields)


def a_harm(share, *, errors=None, rank=1, marked=False, physicians=0.167, **fields):
    """Harm of one system of 32, in a share of 100 cases; by default not marked."""
    given = {"n": 100, "n_systems": 32, "tested_as": "m", "kind": "same version"} | fields
    given |= {"rank": rank, "marked": marked, "physicians": physicians}
    return domain.Safety(share=share, severe_errors_per_100=errors, **given)


def a_row(name, **fields):
    """First of five that fit, and of eight in all."""
    row = domain.Dossier(
        a_model(name),
        a_cost(name),
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
