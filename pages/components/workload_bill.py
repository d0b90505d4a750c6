"""The workload bill in words and tables: all models of the shortlist, and one in detail."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pandas as pd
import streamlit as st

from core.answers import bills, routes
from core.answers.cost import ModelBill, ProviderBill
from core.charts.intervals import labels
from core.domain import Bill, Model, OwnPrice, Requirements, WorkloadLine
from core.evidence.catalogue import OWN_RESULT
from core.evidence.store import Store
from core.procurement.bill import MONTHS
from core.procurement.reasons import dollars
from core.sharing import own_figures as written
from pages.components import evidence, own_figures, wording
from pages.components.workload_volumes import fault, keep

ASK = "no public price: ask the vendor"
ONLY_FAILING = "a public price only where a condition fails"
_DEPRECATED = "marked as deprecated"
_PLACES = {
    "counts": "yes",
    "replaced": "no: your own price counts",
    "open": "no: another provider meets the conditions, this one leaves a question open",
    "fails": "no: a condition fails",
    "gone": "no: no longer on sale there",
}
_STATUS = {
    "passes": "all met",
    "conditional": "met on conditions",
    "open": "open, ask the vendor",
    "fails": "fails",
}


def year(usd: float | None) -> float | None:
    """Return the amount of a year; none stays none."""
    return None if usd is None else MONTHS * usd


def at(bill: Bill) -> str:
    """Name the place of a bill, to stand behind the model's name."""
    own = bill.price.provider == bills.OWN_PRICE
    return ", your own offer" if own else f" at {bill.price.provider_name}"


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


def deprecated(found: Sequence[ModelBill]) -> str:
    """Name the models whose likely price is marked as deprecated; empty without any."""
    names = [
        f"{each.row.model.name}{at(each.found.likely)}"
        for each in found
        if each.found is not None and _DEPRECATED in each.found.likely.price.source
    ]
    if not names:
        return ""
    return (
        f"The price list marks as deprecated: {wording.list_of(names)}. It may no longer be on "
        "sale there: ask before you count on it."
    )


def frame(found: Sequence[ModelBill]) -> pd.DataFrame:
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
        | {f"{name}, $ a year": _numbers([year(x) for x in usd]) for name, usd in months.items()}
        | {
            "Likely at": [
                r.likely.price.provider_name if r else _why(e)
                for r, e in zip(ranges, found, strict=True)
            ],
            "High at": [r.high.price.provider_name if r else "" for r in ranges],
            "Providers": pd.array([each.n_providers or None for each in found], dtype="Int64"),
            "Prices of": [r.likely.price.as_of if r else "" for r in ranges],
            "Source": [r.likely.price.source if r else "" for r in ranges],
        }
    )


def _why(each: ModelBill) -> str:
    return ONLY_FAILING if each.only_failing else ASK


def columns() -> dict[str, object]:
    """Return how the columns of the amounts are written."""
    number = st.column_config.NumberColumn
    cases = {
        "Low": "Fewer requests, less output, little hidden reasoning, at the cheapest provider.",
        "Likely": "As on the shortlist: the cheapest provider of those that meet the conditions "
        "best, all of the output allowed, likely hidden reasoning.",
        "High": "More requests, all of the output and of the reasoning allowed, at the dearest of "
        "these providers.",
    }
    return {
        f"{name}, $ a {span}": number(format="%.2f", help=words)
        for name, words in cases.items()
        for span in ("month", "year")
    } | {"Rank": number(help="On the shortlist.", width="small")}


def providers(found: Sequence[ProviderBill], requirements: Requirements) -> pd.DataFrame:
    """Return the bill of one model at each provider, with its conditions."""
    return pd.DataFrame(
        {
            "Provider": [each.bill.price.provider_name for each in found],
            "$ a month": [each.bill.monthly_usd for each in found],
            "$ a year": [MONTHS * each.bill.monthly_usd for each in found],
            "Read, $ per million": [each.bill.price.input_usd_per_mtok for each in found],
            "Written, $ per million": [each.bill.price.output_usd_per_mtok for each in found],
            "Counts": [_PLACES[each.place] for each in found],
            "Conditions": [_conditions(each, requirements) for each in found],
            "Prices of": [each.bill.price.as_of for each in found],
            "Source": [each.bill.price.source for each in found],
        }
    )


def _conditions(each: ProviderBill, requirements: Requirements) -> str:
    if not routes.has_gates(requirements):
        return "none set"
    if each.route is None:
        return "not known, ask the vendor"
    words = " ".join(each.route.words(each.route.status))
    said = _STATUS[each.route.status]
    return said if each.route.status == "passes" or not words else f"{said}: {words}"


def lines(each: ModelBill, workload: Sequence[WorkloadLine]) -> pd.DataFrame:
    """Return what makes up the bill of a model, kind by kind, in the three cases."""
    if each.found is None:
        return pd.DataFrame()
    cases = {
        name: [usd for _, usd in bill.lines]
        for name, bill in (
            ("Low", each.found.low),
            ("Likely", each.found.likely),
            ("High", each.found.high),
        )
    }
    return pd.DataFrame(
        {
            "Work": [line.category for line in workload],
            "Requests a month": [line.requests_per_month for line in workload],
            "Read": [round(line.profile.input_tokens) for line in workload],
            "Written": [round(line.profile.output_tokens) for line in workload],
        }
        | (
            {"Hidden reasoning": [round(h.likely if h else 0) for h in hidden]}
            if any(hidden := [line.profile.hidden for line in workload])
            else {}
        )
        | {f"{name}, $ a month": usd for name, usd in cases.items()}
        | {"Basis": [line.profile.basis for line in workload]}
    )


def price_form(store: Store, model: Model) -> None:
    """Draw the hospital's own price of a model: put in, and take back."""
    bought = model.id.removesuffix(OWN_RESULT)
    held = {written.read_price(line).model: line for line in own_figures.lines(store, "own_price")}
    with st.form("own_price_form", border=False):
        st.caption(
            "What you were offered stands in place of the public prices, here and on every page, "
            "and it is part of the link. Taxes are up to you: note in the source what is in it."
        )
        left, right = st.columns(2)
        for column, part, label in (
            (left, "read", "US dollars per million tokens read"),
            (right, "written", "US dollars per million tokens written"),
        ):
            column.number_input(
                label,
                0.0,
                written.MOST_USD_PER_MTOK,
                value=None,
                step=0.1,
                format="%g",
                placeholder="Not given",
                key=_offer(part, bought),
            )
        left.date_input(
            "Date of the offer", value=None, max_value=evidence.today(), key=_offer("day", bought)
        )
        right.text_input(
            "Source",
            max_chars=written.LONGEST_TEXT,
            placeholder="Such as the number of the offer",
            key=_offer("source", bought),
        )
        st.form_submit_button("Use this price", on_click=_keep_price, args=(store, bought))
    if bought in held:
        st.button(
            "Take my own price back",
            icon=":material/undo:",
            on_click=own_figures.take_out,
            args=(store, "own_price", held[bought]),
        )


def _offer(part: str, model: str) -> str:
    return f"offer_{part}_{model}"


def _keep_price(store: Store, model: str) -> None:
    read, most, day, source = (
        st.session_state.get(_offer(part, model)) for part in ("read", "written", "day", "source")
    )
    if read is None or most is None or not isinstance(day, date) or not str(source or "").strip():
        fault("Your own price needs both amounts, the date of the offer and its source.")
        return
    price = OwnPrice(model, float(read), float(most), day.isoformat(), str(source).strip())
    keep(store, "own_price", written.price_line(price))


def _numbers(values: Sequence[float | None]) -> pd.Series:
    return pd.Series(values, dtype="float64")
