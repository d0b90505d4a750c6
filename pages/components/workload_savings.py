"""What another model would save, and what models cost on own servers, as tables and words."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from core.domain import MonthlyCost, Snapshot
from core.procurement.bill import saving
from core.procurement.reasons import dollars
from pages.components import wording
from pages.components.downloads import downloads

_CASES = ("Low", "Likely", "High")


def savings(
    model: str,
    costs: Mapping[str, MonthlyCost],
    names: Mapping[str, str],
    snapshot: Snapshot | None,
) -> None:
    """Draw a fold: what each other model would save a month in place of one."""
    found = {other: saving(costs[model], costs[other]) for other in costs if other != model}
    known = {other: saved for other, saved in found.items() if saved is not None}
    if not known:
        return
    fold = st.expander("What another model would save", key="savings_fold", on_change="rerun")
    if not fold.open:
        return
    frame = pd.DataFrame(
        {
            "In its place": [names[other] for other in known],
            "Low, $ a month": [saved.low for saved in known.values()],
            "Likely, $ a month": [saved.likely for saved in known.values()],
            "High, $ a month": [saved.high for saved in known.values()],
            "In words": [wording.sentence(wording.saves(saved)) for saved in known.values()],
        }
    )
    with fold:
        _table(frame, f"What each other model saves a month in place of {names[model]}")
        st.caption(
            "Below 0 the other model costs more. The number of requests is taken as stated, each "
            "model at its cheapest provider. How much of the allowed answer is written is the "
            "same for both; hidden reasoning varies for each by itself."
        )
        downloads("workload-savings", title="Savings", snapshot=snapshot, frame=frame)


def rents(
    costs: Mapping[str, MonthlyCost], names: Mapping[str, str], snapshot: Snapshot | None
) -> None:
    """Draw what each model costs on own servers."""
    found = list(costs.values())
    amounts = zip(
        _CASES, zip(*((c.low, c.likely, c.high) for c in found), strict=True), strict=True
    )
    frame = pd.DataFrame(
        {"Model": [names[cost.model] for cost in found]}
        | {f"{case}, $ a month": pd.Series(usd, dtype="float64") for case, usd in amounts}
        | {
            "On": [wording.sentence(cost.from_whom) or wording.UNKNOWN for cost in found],
            "Prices of": [cost.as_of for cost in found],
            "Basis": [wording.sentence(cost.basis) for cost in found],
        }
    )
    st.subheader("All models of the shortlist")
    _table(frame, "Rent of own servers for each model of the shortlist, low, likely and high")
    downloads("workload-rents", title="Own servers", snapshot=snapshot, frame=frame)
    st.page_link("pages/decide/own_servers.py", label="See one model on own servers")


def rent_answer(costs: Mapping[str, MonthlyCost], names: Mapping[str, str], requests: float) -> str:
    """Say from what to what the rent of own servers runs."""
    priced = sorted(
        (cost.likely, names[cost.model], cost.from_whom.removeprefix("own servers: "))
        for cost in costs.values()
        if cost.likely is not None
    )
    if not priced:
        return "No model of the shortlist can be priced on own servers. Unknown is not free."
    ends = [f"{dollars(usd)} ({name}, {where})" for usd, name, where in (priced[0], priced[-1])]
    span = f"{ends[0]} a month" if ends[0] == ends[1] else f"{ends[0]} to {ends[1]} a month"
    return f"For {requests:,.0f} requests a month own servers cost {span}, likely rent."


def _table(frame: pd.DataFrame, alt: str) -> None:
    st.dataframe(
        frame,
        column_config={
            f"{case}, $ a month": st.column_config.NumberColumn(format="%.0f") for case in _CASES
        }
        | {
            "In words": st.column_config.TextColumn(width="large"),
            "Basis": st.column_config.TextColumn(width="large"),
        },
        hide_index=True,
        placeholder=wording.UNKNOWN,
        alt=alt,
    )
