"""What would your work cost a month? Volumes, tokens, prices, and how sure the bill is."""

import streamlit as st

from core.answers import bills, cost, data, monthly_costs, recommend
from core.charts.intervals import labels
from core.domain import Requirements, Shortlist, Snapshot
from core.evidence.store import Store
from core.procurement.bill import BillAssumptions
from pages.components import blocks, controls, entries, evidence
from pages.components.notices import plain
from pages.cost import amounts, every_model, one_model, volumes

_ERROR, _SHARE = 20.0, 50.0


def draw() -> None:
    """Draw the tab."""
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
        st.markdown(f"**{plain(every_model.answer(found, requests))}**")
        amounts.assumed(store, asked, day, requests)
        every_model.picture(found, assumed, snapshot)
    every_model.bills(found, snapshot)
    st.subheader("One model in detail")
    one_model.draw(store, asked, found, snapshot)


def _rents(store: Store, asked: Requirements, listed: Shortlist, snapshot: Snapshot | None) -> None:
    """Draw what own servers cost: a price per token does not count."""
    day, requests = evidence.priced_on(asked), bills.requests_a_month(store, asked)
    with st.spinner("Working out rents…"):
        costs = monthly_costs.monthly_costs(
            store, tuple(r.model.id for r in listed.rows), asked, day
        )
    names = labels([row.model for row in listed.rows])
    st.markdown(f"**{plain(every_model.rent_answer(costs, names, requests))}**")
    amounts.assumed(store, asked, day, requests)
    every_model.rents(costs, names, snapshot)
    entries.link("cost", "Own servers", label="See one model on own servers", icon="dns")


def _assumptions() -> BillAssumptions:
    """Draw what the low and the high case rest on."""
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
