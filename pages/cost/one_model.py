"""One model's bill in detail: each provider, what makes it up, what others save, an own price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import pandas as pd
import streamlit as st

from core.answers import bills, cost, monthly_costs, own_servers, routes
from core.answers.cost import ModelBill, ProviderBill
from core.charts.intervals import labels
from core.domain import Model, MonthlyCost, OwnPrice, Requirements, Snapshot, WorkloadLine
from core.evidence.catalogue import OWN_RESULT
from core.evidence.store import Store
from core.procurement.bill import MONTHS, saving
from core.procurement.reasons import dollars
from core.sharing import own_figures as written
from core.sharing import wording
from pages.components import blocks, entries, evidence, own_figures
from pages.components.blocks import choose
from pages.components.notices import plain
from pages.cost.amounts import ASK, ONLY_FAILING, at, usd_format
from pages.cost.volumes import fault, keep

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


def draw(
    store: Store, asked: Requirements, found: Sequence[ModelBill], snapshot: Snapshot | None
) -> None:
    """Show one model at every provider, and take the hospital's own price."""
    day = evidence.priced_on(asked)
    names = labels([each.row.model for each in found])
    by_name = {names[each.row.model.id]: each for each in found}
    name = choose(
        "Model",
        by_name,
        key="billed",
        what="The model",
        help="Models of the shortlist, best first.",
    )
    each = by_name[name]
    model = each.row.model
    st.markdown(plain(_in_words(name, each)))
    _providers(cost.bills_everywhere(store, model.id, asked, day), asked, name, snapshot)
    costs = monthly_costs.monthly_costs(
        store, tuple(each.row.model.id for each in found), asked, day
    )
    _savings(model.id, costs, names, snapshot)
    if each.found is not None:
        workload = bills.workload_of(
            store, asked, reasoning=model.reasoning, developer=model.developer
        )
        _parts(each, workload, name)
    with st.expander("Your own price", expanded=each.found is None):
        _price_form(store, model)
    if model.access == "open":
        hosted = labels(own_servers.hostable(store, asked, day).models)
        entries.link(
            "cost",
            "Own servers",
            label="See the cost on own servers, and the break-even",
            icon="dns",
            **({"hosted": [hosted[model.id]]} if model.id in hosted else {}),
            help="Its weights are open. Own servers, the next tab, says from how many requests "
            "they cost less.",
        )


def _in_words(name: str, each: ModelBill) -> str:
    if each.found is None:
        if each.only_failing:
            return f"{name}: {ONLY_FAILING}. The table says where and which one."
        return f"{name}: {ASK}. Unknown is not free."
    likely = each.found.likely
    return (
        f"{name}: likely {dollars(likely.monthly_usd)} a month{at(likely)}, from "
        f"{dollars(each.found.low.monthly_usd)} to {dollars(each.found.high.monthly_usd)}; "
        f"{dollars(MONTHS * likely.monthly_usd)} a year."
    )


def _providers(
    everywhere: Sequence[ProviderBill], asked: Requirements, name: str, snapshot: Snapshot | None
) -> None:
    if not everywhere:
        return
    prices = [each.bill.price for each in everywhere]
    frame = pd.DataFrame(
        {
            "Provider": [price.provider_name for price in prices],
            "$ a month": [each.bill.monthly_usd for each in everywhere],
            "$ a year": [MONTHS * each.bill.monthly_usd for each in everywhere],
            "Read, $ per million": [price.input_usd_per_mtok for price in prices],
            "Written, $ per million": [price.output_usd_per_mtok for price in prices],
            "Counts": [_PLACES[each.place] for each in everywhere],
            "Conditions": [_conditions(each, asked) for each in everywhere],
            "Prices of": [price.as_of for price in prices],
            "Source": [price.source for price in prices],
        }
    )
    blocks.table(
        frame,
        "workload-bill-model",
        f"{name} by provider",
        snapshot,
        alt=f"Bill of {name} at each provider, cheapest first",
        columns={name: usd_format(frame[[name]]) for name in ("$ a month", "$ a year")},
    )


def _conditions(each: ProviderBill, asked: Requirements) -> str:
    if not routes.has_gates(asked):
        return "none set"
    if each.route is None:
        return "not known, ask the vendor"
    words = " ".join(each.route.words(each.route.status))
    said = _STATUS[each.route.status]
    return said if each.route.status == "passes" or not words else f"{said}: {words}"


def _savings(
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
    amounts = [column for column in frame.columns if column.endswith("a month")]
    with fold:
        blocks.table(
            frame,
            "workload-savings",
            "Savings",
            snapshot,
            alt=f"What each other model saves a month in place of {names[model]}",
            columns=dict.fromkeys(amounts, usd_format(frame[amounts])),
        )
        st.caption("With the requests as stated, each model at its cheapest provider.")


def _parts(each: ModelBill, workload: Sequence[WorkloadLine], name: str) -> None:
    """Draw a fold: what makes up the bill of a model, kind by kind, in the three cases."""
    if each.found is None:
        return
    cases = {"Low": each.found.low, "Likely": each.found.likely, "High": each.found.high}
    amounts = pd.DataFrame(
        {f"{case}, $ a month": [usd for _, usd in bill.lines] for case, bill in cases.items()}
    )
    hidden = [line.profile.hidden for line in workload]
    frame = pd.DataFrame(
        {
            "Work": [line.category for line in workload],
            "Requests a month": [line.requests_per_month for line in workload],
            "Read": [round(line.profile.input_tokens) for line in workload],
            "Written": [round(line.profile.output_tokens) for line in workload],
        }
        | (
            {"Hidden reasoning": [round(h.likely if h else 0) for h in hidden]}
            if any(hidden)
            else {}
        )
        | dict(amounts)
        | {"Basis": [line.profile.basis for line in workload]}
    )
    with st.expander("What makes up the bill"):
        blocks.table(
            frame,
            "workload-parts",
            f"Bill of {name} by kind of work",
            file=False,
            columns=dict.fromkeys(amounts, usd_format(amounts)),
        )
        if hidden[0]:
            st.caption(plain(f"Hidden reasoning: {hidden[0].basis}."))


def _price_form(store: Store, model: Model) -> None:
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
