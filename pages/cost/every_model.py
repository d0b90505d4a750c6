"""What every model of the shortlist costs a month: by the token, or on own servers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.answers.bills import OWN_PRICE
from core.answers.cost import ModelBill
from core.charts import monthly_costs as charts
from core.charts.intervals import labels
from core.domain import Bill, MonthlyCost, Snapshot
from core.procurement.bill import MONTHS, BillAssumptions
from core.procurement.reasons import dollars
from pages.components import blocks, wording
from pages.components.notices import plain
from pages.cost.amounts import ASK, usd_format

ONLY_FAILING = "a public price only where a condition fails"
_DEPRECATED = "marked as deprecated"
_MOST_IN_PICTURE = 30
_CASES = {
    "Low": "Fewer requests, less output, little hidden reasoning, at the cheapest provider.",
    "Likely": "As on the shortlist: the cheapest provider of those that meet the conditions "
    "best, all of the output allowed, likely hidden reasoning.",
    "High": "More requests, all of the output and of the reasoning allowed, at the dearest of "
    "these providers.",
}


def answer(found: Sequence[ModelBill], requests: float) -> str:
    """Say from what to what the bill runs, and how many models have no price."""
    priced = [(each, each.found) for each in found if each.found is not None]
    work = f"For {requests:,.0f} requests a month"
    lacking = len(found) - len(priced)
    ask = (
        f"; {wording.counted(lacking, 'model')} {'has' if lacking == 1 else 'have'} no public "
        "price that can be used: ask the vendor"
        if lacking
        else ""
    )
    if not priced:
        return (
            f"{work} no bill can be given: none of the {wording.counted(lacking, 'model')} of the "
            "shortlist has a public price that can be used. Ask the vendors, or look at own "
            "servers. Unknown is not free."
        )
    low, least = min(priced, key=lambda pair: pair[1].likely.monthly_usd)
    high, most = max(priced, key=lambda pair: pair[1].likely.monthly_usd)
    first = f"{dollars(least.likely.monthly_usd)} ({low.row.model.name}{at(least.likely)})"
    if len(priced) == 1:
        return f"{work} the bill comes to {first} a month{ask}."
    last = f"{dollars(most.likely.monthly_usd)} ({high.row.model.name}{at(most.likely)})"
    return f"{work} the bill runs from {first} to {last} a month{ask}."


def at(bill: Bill) -> str:
    """Name the place of a bill, to stand behind the model's name."""
    own = bill.price.provider == OWN_PRICE
    return ", your own offer" if own else f" at {bill.price.provider_name}"


def picture(
    found: Sequence[ModelBill], assumed: BillAssumptions, snapshot: Snapshot | None
) -> None:
    """Draw the bills of the best ranked models, each with its range."""
    drawn = charts.drawable(found)
    if not drawn:
        return
    shown = drawn[:_MOST_IN_PICTURE]
    title = "Bill a month, low, likely and high"
    blocks.figure(
        charts.bill_ranges(shown),
        name="workload-bill-picture",
        title=title,
        alt=f"{title}, US dollars: "
        + "; ".join(
            f"{each.row.model.name} {dollars(each.found.likely.monthly_usd)} "
            f"({dollars(each.found.low.monthly_usd)} to {dollars(each.found.high.monthly_usd)})"
            for each in shown
            if each.found is not None
        ),
        snapshot=snapshot,
    )
    off, output = assumed.volume_error * 100, assumed.low_output_share * 100
    best = f" Drawn are the {len(shown)} best ranked of {len(drawn)}, cheapest first."
    st.caption(
        f"Dot: likely. Bar: from {off:g} % fewer requests, {output:g} % of the output, little "
        f"hidden reasoning and the cheapest provider to {off:g} % more requests, all output and "
        f"reasoning allowed and the dearest.{best if len(drawn) > len(shown) else ''}"
    )


def bills(found: Sequence[ModelBill], snapshot: Snapshot | None) -> None:
    """List the bills of all models, and say which prices are marked as deprecated."""
    frame = _bills(found)
    amounts = [name for name in frame.columns if ", $ a " in name]
    usd = {
        span: usd_format(frame[[name for name in amounts if name.endswith(span)]])
        for span in ("month", "year")
    }
    number = st.column_config.NumberColumn
    blocks.table(
        frame,
        name="workload-bill",
        title="Workload bill",
        alt="Bill of each model of the shortlist a month and a year, low, likely and high",
        columns={
            name: number(format=usd[name.split()[-1]], help=_CASES[name.partition(",")[0]])
            for name in amounts
        }
        | {"Rank": number(help="On the shortlist.", width="small")},
        snapshot=snapshot,
        column_order=sorted(frame.columns, key=lambda name: name.endswith("a year")),
    )
    old = [
        f"{each.row.model.name}{at(each.found.likely)}"
        for each in found
        if each.found is not None and _DEPRECATED in each.found.likely.price.source
    ]
    if old:
        st.caption(
            f"The price list marks as deprecated: {plain(wording.list_of(old))}. It may no longer "
            "be on sale there: ask before you count on it."
        )


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


def rents(
    costs: Mapping[str, MonthlyCost], names: Mapping[str, str], snapshot: Snapshot | None
) -> None:
    """List what each model costs on own servers."""
    found = list(costs.values())
    amounts = zip(
        _CASES, zip(*((c.low, c.likely, c.high) for c in found), strict=True), strict=True
    )
    frame = pd.DataFrame(
        {"Model": [names[cost.model] for cost in found]}
        | {f"{case}, $ a month": _numbers(usd) for case, usd in amounts}
        | {
            "On": [wording.sentence(cost.from_whom) or wording.UNKNOWN for cost in found],
            "Prices of": [cost.as_of for cost in found],
            "Basis": [wording.sentence(cost.basis) for cost in found],
        }
    )
    helps = dict(
        zip(
            _CASES,
            ("The lowest published rent.", "The median rent.", "The highest published rent."),
            strict=True,
        )
    )
    blocks.table(
        frame,
        name="workload-rents",
        title="Own servers",
        alt="Rent of own servers for each model of the shortlist, low, likely and high",
        columns={
            f"{case}, $ a month": st.column_config.NumberColumn(format="%.0f", help=words)
            for case, words in helps.items()
        }
        | {"Basis": st.column_config.TextColumn(width="large")},
        snapshot=snapshot,
    )


def _bills(found: Sequence[ModelBill]) -> pd.DataFrame:
    """Return the bills of all models of the shortlist, a month and a year."""
    names = labels([each.row.model for each in found])
    ranges = [each.found for each in found]
    months = {
        "Low": [r and r.low.monthly_usd for r in ranges],
        "Likely": [r and r.likely.monthly_usd for r in ranges],
        "High": [r and r.high.monthly_usd for r in ranges],
    }
    return pd.DataFrame(
        {
            "Model": [names[each.row.model.id] for each in found],
            "Rank": pd.array([each.row.rank for each in found], dtype="Int64"),
        }
        | {f"{name}, $ a month": _numbers(usd) for name, usd in months.items()}
        | {f"{name}, $ a year": _numbers(usd) * MONTHS for name, usd in months.items()}
        | {
            "Likely at": [
                each.found.likely.price.provider_name
                if each.found
                else ONLY_FAILING
                if each.only_failing
                else ASK
                for each in found
            ],
            "High at": [r.high.price.provider_name if r else "" for r in ranges],
            "Providers": pd.array([each.n_providers or None for each in found], dtype="Int64"),
            "Prices of": [r.likely.price.as_of if r else "" for r in ranges],
            "Source": [r.likely.price.source if r else "" for r in ranges],
        }
    )


def _numbers(values: Sequence[float | None]) -> pd.Series:
    return pd.Series(values, dtype="float64")
