"""What would your work cost a month? Volumes, tokens, prices, and how sure the bill is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.answers import bills, cost, data, recommend
from core.charts import costs as charts
from core.charts.intervals import labels
from core.domain import MonthlyCost, Requirements, Shortlist, Snapshot
from core.evidence.store import Store
from core.procurement.bill import CASES, MONTHS, BillAssumptions
from core.procurement.monthly_cost import ModelBill
from core.words import cost as words
from core.words import figures
from core.words.figures import dollars
from pages.components import blocks, controls, entries, evidence
from pages.components.notices import own_choice, plain
from pages.cost import amounts, volumes
from pages.cost.amounts import ONLY_FAILING, at, bill, rents, usd_format

_ERROR, _SHARE = 20.0, 50.0
_MOST_IN_PICTURE = 30


def draw() -> None:
    """Draw the tab."""
    # Links from before may ask for one model's bill in detail.
    own_choice("billed", "The detail of", (), "the list of all bills")
    store = evidence.store()
    asked = controls.question(store).requirements
    snapshot = data.matrix(store, data.selection_of(asked)).snapshot
    volumes.faults()
    with st.spinner("Working out bills…"):
        listed = recommend.shortlist(store, asked, evidence.priced_on(asked))
    if not listed.rows:
        st.info(
            "No model fits the question, so there is no bill. Recommend says what would help.",
            icon=":material/search_off:",
        )
        entries.link("recommend", "Answer", label="See what would help", icon="checklist")
    elif asked.access == "own":
        _rents(store, asked, listed, snapshot)
    elif not listed.workload and bills.task_costs(store, asked):
        _recorded(store, asked, listed, snapshot)
    else:
        _bills(store, asked, snapshot)
    st.subheader("The work behind it")
    volumes.draw(store, asked, snapshot)
    sections = (
        "Workload and bill",
        "Low, likely and high bill",
        "One model's monthly cost, and savings",
    )
    blocks.how_made(*sections, "From a hospital's own numbers", key="bill")


def _bills(store: Store, asked: Requirements, snapshot: Snapshot | None) -> None:
    """Draw the bills by the token: of all models, and of one in detail."""
    day, requests = evidence.priced_on(asked), bills.requests_a_month(store, asked)
    shown = st.container()
    assumed = _assumptions()
    with st.spinner("Working out bills…"):
        found = cost.bill_ranges(store, asked, day, assumed)
    with shown:
        st.markdown(f"**{plain(bill(found, requests))}**")
        amounts.assumed(store, asked, day, requests)
        _picture(found, assumed, snapshot)
    _list_bills(found, snapshot)
    with st.expander("Your own price"):
        volumes.draw_price(store, [each.row.model for each in found])


def _recorded(
    store: Store, asked: Requirements, listed: Shortlist, snapshot: Snapshot | None
) -> None:
    """Draw the costs of long tasks, which are no bill by the token."""
    suite = store.catalogue.suites[asked.suite].name
    costs = {row.model.id: row.cost for row in listed.rows}
    names = labels([row.model for row in listed.rows])
    known = sorted((c.likely, names[c.model]) for c in costs.values() if c.likely is not None)
    requests = bills.requests_a_month(store, asked)
    if known:
        span = " to ".join(f"{dollars(usd)} ({name})" for usd, name in (known[0], known[-1]))
        st.markdown(
            plain(
                f"For {requests:,.0f} tasks a month it runs from {span}, at what a task cost in "
                f"{suite}."
            )
        )
    st.caption(
        plain(
            f"{suite} does not print the tokens of a long task, so there is no bill by the token. "
            "Tokens of your own for a whole task give one: “Workload behind the bill” in the side "
            "bar."
        )
    )
    frame = pd.DataFrame(
        {
            "Model": [names[cost.model] for cost in costs.values()],
            "Cost, $ a month": blocks.numbers([cost.likely for cost in costs.values()]),
            "Basis": [figures.capitalised(cost.basis) for cost in costs.values()],
        }
    )
    blocks.table(frame, "workload-recorded", "What long tasks cost", snapshot)


def _rents(store: Store, asked: Requirements, listed: Shortlist, snapshot: Snapshot | None) -> None:
    """Draw what own servers cost: a price per token does not count."""
    day, requests = evidence.priced_on(asked), bills.requests_a_month(store, asked)
    with st.spinner("Working out rents…"):
        costs = bills.monthly_costs(store, tuple(r.model.id for r in listed.rows), asked, day)
    names = labels([row.model for row in listed.rows])
    st.markdown(f"**{plain(rents(costs, names, requests))}**")
    amounts.assumed(store, asked, day, requests)
    _list_rents(costs, names, snapshot)
    entries.link("cost", "Own servers", label="See one model on own servers", icon="dns")


def _assumptions() -> BillAssumptions:
    left, right = st.columns(2, vertical_alignment="bottom")
    error = left.number_input(
        "How sure are the volumes, ± %",
        0.0,
        90.0,
        value=_ERROR,
        step=5.0,
        format="%g",
        key="unsure",
        bind="query-params",
        help="The low case has so many fewer requests, the high case so many more. An assumption: "
        "no source says how far a hospital's numbers are off.",
    )
    share = right.number_input(
        "Output written in the low case, %",
        1.0,
        100.0,
        value=_SHARE,
        step=5.0,
        format="%g",
        key="low_output",
        bind="query-params",
        help="The share of the allowed output that is really written. MedHELM publishes the most "
        "that a model may write, not what it writes. The likely and the high bill take all of it. "
        "Tokens that you set yourself are taken as given.",
    )
    return BillAssumptions(error / 100, share / 100)


def _picture(
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
        "workload-bill-picture",
        title,
        f"{title}, US dollars: "
        + "; ".join(
            f"{each.row.model.name} {dollars(each.found.likely.monthly_usd)} "
            f"({dollars(each.found.low.monthly_usd)} to {dollars(each.found.high.monthly_usd)})"
            for each in shown
            if each.found is not None
        ),
        snapshot,
    )
    off, output = assumed.volume_error * 100, assumed.low_output_share * 100
    best = f" Drawn are the {len(shown)} best ranked of {len(drawn)}, cheapest first."
    st.caption(
        f"Dot: likely. Bar: {off:g} % fewer requests, {output:g} % of the output, cheapest "
        f"provider, to {off:g} % more, all reasoning allowed, dearest."
        f"{best if len(drawn) > len(shown) else ''}"
    )


def _list_bills(found: Sequence[ModelBill], snapshot: Snapshot | None) -> None:
    """List the bills of all models, and say which prices are marked as deprecated."""
    names = labels([each.row.model for each in found])
    ranges = [each.found for each in found]
    months = {
        case.capitalize(): blocks.numbers([r and getattr(r, case).monthly_usd for r in ranges])
        for case in CASES
    }
    frame = pd.DataFrame(
        {
            "Model": [names[each.row.model.id] for each in found],
            "Rank": pd.array([each.row.rank for each in found], dtype="Int64"),
        }
        | {f"{name}, $ a month": usd for name, usd in months.items()}
        | {f"{name}, $ a year": usd * MONTHS for name, usd in months.items()}
        | {
            "Likely at": [
                each.found.likely.price.provider_name
                if each.found
                else ONLY_FAILING
                if each.only_failing
                else words.ASK
                for each in found
            ],
            "High at": [r.high.price.provider_name if r else "" for r in ranges],
            "Providers": pd.array([each.n_providers or None for each in found], dtype="Int64"),
            "Prices of": [r.likely.price.as_of if r else "" for r in ranges],
            "Source": [r.likely.price.source if r else "" for r in ranges],
        }
    )
    amounts = [name for name in frame.columns if ", $ a " in name]
    usd = {
        span: usd_format(frame[[name for name in amounts if name.endswith(span)]])
        for span in ("month", "year")
    }
    blocks.table(
        frame,
        "workload-bill",
        "Workload bill",
        snapshot,
        columns={name: usd[name.split()[-1]] for name in amounts},
        column_order=sorted(frame.columns, key=lambda name: name.endswith("a year")),
    )
    old = [
        f"{each.row.model.name}{at(each.found.likely)}"
        for each in found
        if each.found is not None and each.found.likely.price.deprecated
    ]
    if old:
        st.caption(
            f"The price list marks as deprecated: {plain(figures.listed(old))}. It may no longer "
            "be on sale there: ask before you count on it."
        )


def _list_rents(
    costs: Mapping[str, MonthlyCost], names: Mapping[str, str], snapshot: Snapshot | None
) -> None:
    """List what each model costs on own servers."""
    found = list(costs.values())
    frame = pd.DataFrame(
        {"Model": [names[cost.model] for cost in found]}
        | {
            f"{case.capitalize()}, $ a month": blocks.numbers([getattr(c, case) for c in found])
            for case in CASES
        }
        | {
            "On": [figures.capitalised(cost.from_whom) or figures.UNKNOWN for cost in found],
            "Prices of": [cost.as_of for cost in found],
            "Basis": [figures.capitalised(cost.basis) for cost in found],
        }
    )
    blocks.table(frame, "workload-rents", "Own servers", snapshot)
