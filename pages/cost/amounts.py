"""How the tabs write amounts of money, and the one line that says what a bill assumes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import pandas as pd
import streamlit as st

from core.answers.bills import OWN_PRICE
from core.domain import Bill, MonthlyCost, Requirements
from core.evidence.store import Store
from core.procurement.hosting import USUAL_BITS, USUAL_UTILISATION
from core.procurement.monthly_cost import ModelBill
from core.words import figures
from core.words.figures import dollars
from core.words.shortlist import reasoning_on_top
from pages.components.notices import plain

ONLY_FAILING = "a public price only where a condition fails"
_CHANGE = "change it under “Workload behind the bill” in the side bar."


def usd_format(amounts: pd.DataFrame) -> str:
    """Return the format of amounts: no cents beside tens of dollars, and no small one as 0."""
    known = amounts.abs().stack().dropna()
    if known.empty or known.max() < 10:
        return "%.2f"
    return "%.0f" if known.min() >= 1 else "%.3g"


def at(bill: Bill) -> str:
    """Name the place of a bill, to stand behind the model's name."""
    own = bill.price.provider == OWN_PRICE
    return ", your own offer" if own else f" at {bill.price.provider_name}"


def assumed(store: Store, asked: Requirements, day: date, requests: float) -> None:
    """Say in one line what a monthly bill assumes, and where that is changed."""
    work = f"{requests:,.0f} requests a month"
    if asked.access == "own":
        st.caption(
            f"{work}, rent without staff, network and storage; {_CHANGE}",
            help=f"The cheapest GPUs that hold a model, or your own kind, at {USUAL_BITS} bits and "
            f"{USUAL_UTILISATION:.0%} of full load. You ask for your own servers only, so a price "
            "per token does not count.",
        )
        return
    mine = " and your own prices" if asked.own_prices else ""
    own_tokens = asked.output_tokens_per_request is not None
    kind = "with your own tokens" if own_tokens else "an upper estimate"
    written = "" if own_tokens else "All the output that MedHELM allows counts as written. "
    hidden = plain(reasoning_on_top(asked, store.catalogue))
    st.caption(
        f"{work}, list prices of {day:%d %B %Y}{mine} before taxes, {kind}; {_CHANGE}",
        help=f"{written}{hidden} Discounts, staff and systems are not in it.",
    )


def bill(found: Sequence[ModelBill], requests: float) -> str:
    """Say from what to what the bill runs, and how many models have no price."""
    priced = [(each, each.found.likely) for each in found if each.found is not None]
    work, lacking = f"For {requests:,.0f} requests a month", len(found) - len(priced)
    models = figures.counted(lacking, "model")
    if not priced:
        return (
            f"{work} no bill can be given: none of the {models} of the shortlist has a public "
            "price that can be used. Ask the vendors, or look at own servers."
        )
    verb = "has" if lacking == 1 else "have"
    ask = f"; {models} {verb} no public price that can be used: ask the vendor" if lacking else ""
    priced.sort(key=lambda pair: pair[1].monthly_usd)
    ends = [
        f"{dollars(likely.monthly_usd)} ({each.row.model.name}{at(likely)})"
        for each, likely in priced
    ]
    if len(priced) == 1:
        return f"{work} the bill comes to {ends[0]} a month{ask}."
    return f"{work} the bill runs from {ends[0]} to {ends[-1]} a month{ask}."


def rents(costs: Mapping[str, MonthlyCost], names: Mapping[str, str], requests: float) -> str:
    """Say from what to what the rent of own servers runs."""
    priced = sorted(
        (cost.likely, names[cost.model], cost.gpus)
        for cost in costs.values()
        if cost.likely is not None
    )
    bounds = [cost.low for cost in costs.values() if cost.likely is None and cost.low is not None]
    least = ""
    if bounds:
        models, usd = figures.counted(len(bounds), "model"), dollars(min(bounds))
        least = f"{models} from at least {usd} a month, capacity not published."
    if not priced:
        return least or "No model of the shortlist can be priced on own servers."
    ends = [f"{dollars(usd)} ({name}, {where})" for usd, name, where in (priced[0], priced[-1])]
    span = " to ".join(dict.fromkeys(ends))
    work = f"For {requests:,.0f} requests a month own servers cost {span} a month, likely rent."
    return f"{work} {least}".rstrip()
