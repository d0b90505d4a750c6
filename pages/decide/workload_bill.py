"""What would your work cost a month? Volumes, tokens, prices, and how sure the bill is."""

import streamlit as st

from core.answers import bills, cost, data, monthly_costs, own_servers, recommend
from core.answers.cost import ModelBill
from core.charts import workload_bill as pictures
from core.charts.intervals import labels
from core.procurement.bill import MONTHS, BillAssumptions
from core.procurement.reasons import dollars
from pages.components import (
    controls,
    evidence,
    wording,
    workload_bill,
    workload_savings,
    workload_volumes,
)
from pages.components.downloads import downloads
from pages.components.notices import own_choice, plain
from pages.components.pictures import vega_lite_chart

_MOST_IN_PICTURE = 30
_ERROR, _SHARE = 20.0, 50.0

store = evidence.store()
opened = controls.question(store)
asked = opened.requirements
day = evidence.priced_on(asked)
snapshot = data.matrix(store, data.selection_of(asked)).snapshot
own_prices = ", your own prices where you gave them" if asked.own_prices else ""
basis = (
    f"US dollars at the public list prices of {day:%d %B %Y}{own_prices}, by the token; taxes, "
    "discounts, staff and systems are not in it."
)


def assumptions() -> BillAssumptions:
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
        "Share of the allowed output that is really written in the low case, %",
        1.0,
        100.0,
        value=_SHARE,
        step=5.0,
        format="%g",
        key="low_output",
        bind="query-params",
        help="MedHELM publishes the most that a model may write, not what it writes. The likely "
        "and the high bill take all of it. Tokens that you set yourself are taken as given.",
    )
    return BillAssumptions(error / 100, share / 100)


def overview(found: tuple[ModelBill, ...], assumed: BillAssumptions) -> None:
    """Draw and list the bills of all models."""
    drawn = pictures.drawable(found)
    if drawn:
        shown = drawn[:_MOST_IN_PICTURE]
        title = "Bill a month, low, likely and high"
        picture = pictures.bill_ranges(shown)
        st.subheader(title)
        vega_lite_chart(
            spec=picture,
            alt=f"{title}, US dollars: "
            + "; ".join(
                f"{each.row.model.name} {each.found.likely.monthly_usd:,.2f} "
                f"({each.found.low.monthly_usd:,.2f} to {each.found.high.monthly_usd:,.2f})"
                for each in shown
                if each.found is not None
            ),
        )
        off, output = assumed.volume_error * 100, assumed.low_output_share * 100
        st.caption(
            "The dot and the amount are the likely bill, the shortlist's own figure. The bar goes "
            f"from the low case ({off:g} % fewer requests, "
            f"{output:g} % of the output, little hidden reasoning, cheapest provider) to the high "
            f"case ({off:g} % more requests, all of the output and reasoning allowed, dearest "
            "provider)."
            + (
                f" Drawn are the {_MOST_IN_PICTURE} best ranked of {len(drawn)}, cheapest first."
                if len(drawn) > len(shown)
                else ""
            )
        )
        downloads("workload-bill-picture", title=title, snapshot=snapshot, picture=picture)
    if said := workload_bill.deprecated(found):
        st.caption(plain(said))
    table = workload_bill.frame(found)
    st.subheader("All models of the shortlist")
    st.dataframe(
        table,
        column_config=workload_bill.columns(),
        hide_index=True,
        placeholder=wording.UNKNOWN,
        alt="Bill of each model of the shortlist a month and a year, low, likely and high",
    )
    downloads("workload-bill", title="Workload bill", snapshot=snapshot, frame=table)
    st.caption(basis)


def detail(found: tuple[ModelBill, ...]) -> None:
    """Show one model at every provider, and take the hospital's own price."""
    st.subheader("One model in detail")
    names = labels([each.row.model for each in found])
    by_name = {names[each.row.model.id]: each for each in found}
    own_choice("billed", "The model", by_name, next(iter(by_name)))
    name = st.selectbox(
        "Model",
        list(by_name),
        key="billed",
        bind="query-params",
        help="Models of the shortlist, best first.",
    )
    each = by_name[name]
    model = each.row.model
    everywhere = cost.bills_everywhere(store, model.id, asked, day)
    if each.found is not None:
        likely = each.found.likely
        st.markdown(
            plain(
                f"{name}: likely {dollars(likely.monthly_usd)} a month"
                f"{workload_bill.at(likely)}, from "
                f"{dollars(each.found.low.monthly_usd)} to "
                f"{dollars(each.found.high.monthly_usd)}; "
                f"{dollars(MONTHS * likely.monthly_usd)} a year."
            )
        )
    elif each.only_failing:
        st.markdown(
            plain(f"{name}: {workload_bill.ONLY_FAILING}. The table says where and which one.")
        )
    else:
        st.markdown(plain(f"{name}: {workload_bill.ASK}. Unknown is not free."))
    costs = monthly_costs.monthly_costs(
        store, tuple(each.row.model.id for each in found), asked, day
    )
    workload_savings.savings(model.id, costs, names, snapshot)
    if everywhere:
        table = workload_bill.providers(everywhere, asked)
        st.dataframe(
            table,
            column_config={
                "$ a month": st.column_config.NumberColumn(format="%.2f"),
                "$ a year": st.column_config.NumberColumn(format="%.2f"),
                "Read, $ per million": st.column_config.NumberColumn(format="%.3g"),
                "Written, $ per million": st.column_config.NumberColumn(format="%.3g"),
                "Counts": st.column_config.TextColumn(
                    help="Whether this price makes up the low, likely and high bill."
                ),
                "Conditions": st.column_config.TextColumn(width="large"),
            },
            hide_index=True,
            alt=f"Bill of {name} at each provider, cheapest first",
        )
        downloads(
            "workload-bill-model", title=f"{name} by provider", snapshot=snapshot, frame=table
        )
    if each.found is not None:
        with st.expander("What makes up the bill"):
            workload = bills.workload_of(
                store, asked, reasoning=model.reasoning, developer=model.developer
            )
            st.dataframe(
                workload_bill.lines(each, workload),
                column_config=workload_bill.columns()
                | {
                    "Requests a month": st.column_config.NumberColumn(format="localized"),
                    "Read": st.column_config.NumberColumn(
                        format="localized", help="Tokens that one request reads."
                    ),
                    "Written": st.column_config.NumberColumn(
                        format="localized", help="Tokens of the visible answer of one request."
                    ),
                    "Hidden reasoning": st.column_config.NumberColumn(
                        format="localized",
                        help="Tokens of one request that nobody reads and that are paid for, "
                        "likely.",
                    ),
                },
                hide_index=True,
                alt=f"Bill of {name} by kind of work",
            )
            if hidden := workload[0].profile.hidden:
                st.caption(plain(f"Hidden reasoning: {hidden.basis}."))
    with st.expander("Your own price", expanded=each.found is None):
        workload_bill.price_form(store, model)
    if model.access == "open":
        hosted = labels(own_servers.hostable(store, asked, day).models)
        st.page_link(
            "pages/decide/own_servers.py",
            label="See the cost on own servers, and the break-even",
            icon=":material/dns:",
            query_params={"hosted": [hosted[model.id]]} if model.id in hosted else None,
            help="Its weights are open. From how many requests own servers cost less is worked "
            "out on the page Own servers.",
        )


st.markdown("What would your work cost a month?")
workload_volumes.faults()
with st.spinner("Working out bills…"):
    listed = recommend.shortlist(store, asked, day)
answered = st.container()
with st.expander("Fill in from the size of the hospital", expanded=not asked.volumes):
    workload_volumes.fill_in(store)
workload_volumes.weigh(store, asked)
if listed.rows and asked.access == "own":
    with st.spinner("Working out rents…"):
        costs = monthly_costs.monthly_costs(
            store, tuple(r.model.id for r in listed.rows), asked, day
        )
    names = labels([row.model for row in listed.rows])
    said = workload_savings.rent_answer(costs, names, bills.requests_a_month(store, asked))
    with answered:
        st.markdown(
            f"**{plain(said)}** You ask for your own servers only, so a price per token does not "
            "count. Staff, network and storage are not in it."
        )
    workload_savings.rents(costs, names, snapshot)
    st.subheader("The work behind the rent")
    workload_volumes.numbers(store, asked, snapshot)
elif listed.rows:
    assumed = assumptions()
    with st.spinner("Working out bills…"):
        found = cost.bill_ranges(store, asked, day, assumed)
    requests = bills.requests_a_month(store, asked)
    with answered:
        st.markdown(f"**{plain(workload_bill.answer(found, requests))}** {plain(basis)}")
    overview(found, assumed)
    st.subheader("The work behind the bill")
    workload_volumes.numbers(store, asked, snapshot)
    detail(found)
else:
    with answered:
        st.info(
            "No model fits the question, so there is no bill. The page Recommendation says what "
            "would help.",
            icon=":material/search_off:",
        )
        st.page_link("pages/decide/shortlist.py", label="Open the shortlist")
    st.subheader("The work behind the bill")
    workload_volumes.numbers(store, asked, snapshot)
with st.expander("How this was made"):
    st.markdown(
        "The bill is the sum over kinds of requests of their number a month times the price of "
        "one request: tokens read and tokens written, each at its price per million, with "
        "surcharges for long requests. Tokens are MedHELM's own counts: what was read, and the "
        "most that could be written, so the likely bill is an upper estimate in that respect. A "
        "model that reasons writes hidden tokens on top: low, likely and high as measured on "
        "medical questions, the high case as much as MedHELM allowed. A year is 12 months. The low "
        "and the high case change the volumes, the output, the hidden reasoning and the provider "
        "as said above; they are no statistical interval. Of the "
        "providers, those count that meet the conditions of purchase; where none is known to, "
        "those where a question is open; never one that fails. A price "
        "that is not known is not free. See Workload and bill in the methods."
    )
