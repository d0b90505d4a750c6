"""How the tabs write amounts of money, and the one line that says what a bill assumes."""

from __future__ import annotations

from datetime import date

import pandas as pd
import streamlit as st

from core.answers.bills import OWN_PRICE
from core.domain import Bill, Requirements
from core.evidence.store import Store
from core.procurement.hosting import USUAL_BITS, USUAL_UTILISATION
from core.sharing import wording
from pages.components.notices import plain

ASK = "no public price: ask the vendor"
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
    hidden = plain(wording.reasoning_on_top(asked, store.catalogue))
    st.caption(
        f"{work}, list prices of {day:%d %B %Y}{mine} before taxes, {kind}; {_CHANGE}",
        help=f"{written}{hidden} Discounts, staff and systems are not in it.",
    )
