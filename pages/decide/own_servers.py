"""Would our own servers cost less than paying by the token? One open model at a time."""

import streamlit as st

from core.answers import bills, data
from core.answers import own_servers as own_servers_answers
from core.answers.own_servers import OwnServers
from core.charts.intervals import labels
from core.charts.own_servers import cost_by_utilisation, costs_by_volume
from core.procurement.capacity import USUAL_UTILISATION
from core.procurement.hosting import USUAL_BITS, Setup
from pages.components import controls, evidence, own_servers, wording
from pages.components.downloads import downloads
from pages.components.notices import own_choice, plain
from pages.components.pictures import vega_lite_chart

_BITS = {"16 bits": 16, "8 bits": 8, "4 bits": 4}
_USUAL_BITS, _USUAL_LOAD = f"{USUAL_BITS} bits", USUAL_UTILISATION * 100

store = evidence.store()
asked = controls.question(store).requirements
day = evidence.priced_on(asked)
volume = bills.requests_a_month(store, asked)

st.markdown("Would our own servers cost less than paying by the token?")
with st.spinner("Looking for models that can be hosted…"):
    hostable = own_servers_answers.hostable(store, asked, day)
snapshot = data.matrix(store, data.selection_of(asked)).snapshot
lacking = own_servers.not_hostable(hostable)


def nothing() -> None:
    """Say that no model can be priced, and what each lacks."""
    st.info(
        "No model of this evidence base has weights that are known to be open and a known size, "
        "so none can be priced on own servers. Choose another evidence base, or ask the vendors.",
        icon=":material/search_off:",
    )
    st.dataframe(lacking, hide_index=True, alt="What each model lacks to be priced on own servers")
    downloads("own-servers-not", title="Models not priced", snapshot=snapshot, frame=lacking)


def chosen() -> tuple[str, str, Setup, float]:
    """Draw the controls; return name and id of the model, the set-up and the utilisation."""
    names = labels(hostable.models)
    ids = {name: model for model, name in names.items()}
    own_choice("hosted", "The model", ids, next(iter(ids)))
    own_choice("bits", "The precision", _BITS, _USUAL_BITS)
    left, right = st.columns(2)
    with left:
        name = st.selectbox(
            "Model",
            list(ids),
            key="hosted",
            bind="query-params",
            help="Models of the evidence base whose weights are open and whose size is known, "
            "the best ranked of your shortlist first.",
        )
        context = st.number_input(
            "Tokens of one request, read and written",
            1.0,
            2e6,
            value=8192.0,
            step=1024.0,
            format="%g",
            key="context",
            bind="query-params",
            help="The longest request for which there must be room. Longer ones need more memory.",
        )
        bits = st.segmented_control(
            "Precision of the weights",
            list(_BITS),
            default=_USUAL_BITS,
            required=True,
            key="bits",
            bind="query-params",
            help="Fewer bits need less memory. They can cost quality: the scores shown elsewhere "
            "are for the precision that the benchmark used.",
        )
    with right:
        concurrent = st.number_input(
            "Requests at once",
            1.0,
            1e4,
            value=8.0,
            step=1.0,
            format="%g",
            key="at_once",
            bind="query-params",
            help="Requests answered at the same time. Each keeps a cache in memory.",
        )
        load = st.number_input(
            "Utilisation, % of the maximum load",
            1.0,
            100.0,
            value=_USUAL_LOAD,
            step=5.0,
            format="%g",
            key="load",
            bind="query-params",
            help="The average over day and night. Rented GPUs cost the same when idle.",
        )
    st.caption(
        "Utilisation decides the result, and no source says what a hospital reaches: "
        f"{load:g} % is "
        f"{'an example, not a finding' if load == _USUAL_LOAD else 'your assumption'}."
    )
    gpu = own_servers_answers.usual_gpu(store, ids[name], asked, day)
    why = "as you chose" if asked.gpu else "the cheapest that holds the model"
    st.caption(
        f"GPU: {gpu}, {why}. Choose your own in the side bar under “Workload behind the bill”."
    )
    setup = Setup(
        gpu=gpu,
        bits=_BITS[bits],
        context_tokens=max(1, round(context)),
        concurrent=max(1, round(concurrent)),
    )
    return name, ids[name], setup, load


def words(found: OwnServers, load: float) -> None:
    """Give the answer in sentences."""
    if said := own_servers.verdict(found, volume):
        st.markdown(f"**{plain(said)}**")
    st.markdown(plain(f"{own_servers.need(found)} {own_servers.from_when(found, load)}"))
    if found.cases and not found.bills:
        likely = found.cases[1]
        least = own_servers.about(own_servers_answers.own_usd(likely, volume) / volume)
        floor = "at least " if likely.requests is None else ""
        st.markdown(
            plain(
                f"With your {volume:,.0f} requests a month, a request on own servers comes to "
                f"{floor}about {least} at the likely rent. Below that, the token is cheaper."
            )
        )
    if found.output_tokens is None:
        st.info(
            "This evidence base has no task categories, so there is no workload to price.",
            icon=":material/search_off:",
        )


def by_volume(name: str, found: OwnServers, load: float) -> None:
    """Draw both costs over the volume."""
    if found.curves is not None and found.cases is not None:
        likely, all_known = found.cases[1], [case.requests is not None for case in found.cases]
        meets = None
        if likely.break_even is not None and likely.break_even.requests is not None:
            number = likely.break_even.requests
            meets = (number, f"even at {own_servers.rounded(number)}")
        elif likely.break_even is not None and likely.requests is None:
            number = likely.break_even.at_least
            meets = (number, f"not before {own_servers.rounded(number)}")
        title = f"{name}: cost a month on own servers and by the token"
        band = len(set(all_known)) == 1
        picture = costs_by_volume(found.curves, volume=volume, meets=meets, band=band)
        st.subheader("Cost a month, by volume")
        vega_lite_chart(
            spec=picture,
            alt=f"{title}. {own_servers.need(found)} {own_servers.from_when(found, load)}",
        )
        st.caption(
            "US dollars a month. Solid: own servers, with the band from the lowest to the highest "
            "published rent. "
            + ("Dashed: by the token at the cheapest provider. " if found.bills else "")
            + (
                "Each step is one more set of GPUs."
                if likely.requests is not None
                else "The flat line is one set of GPUs; how many requests it can serve is not "
                "published, so past some volume the line would rise."
            )
        )
        downloads("own-servers", title=title, snapshot=snapshot, picture=picture)


def by_utilisation(name: str, found: OwnServers, load: float) -> None:
    """Draw the cost of a token over the utilisation, where throughput is published."""
    if found.cases is not None:
        st.subheader("What utilisation does to the cost")
        if found.effects is None or found.usd_per_million is None:
            st.markdown(
                plain(
                    "Half the utilisation doubles the cost of a token, since idle GPUs are paid "
                    f"too. In figures it cannot be shown here. {found.cases[1].capacity.reason}"
                )
            )
        else:
            api_million = (
                found.api_usd_per_request / found.output_tokens * 1e6
                if found.api_usd_per_request and found.output_tokens
                else None
            )
            title = f"{name}: US dollars per million output tokens by utilisation"
            by_load = cost_by_utilisation(
                found.effects, mine=(load / 100, found.usd_per_million), api=api_million
            )
            against = f"; by the token ${api_million:,.2f}" if api_million else ""
            vega_lite_chart(
                spec=by_load,
                alt=f"{title}: own servers ${found.usd_per_million:,.2f} at {load:g} %, "
                f"${found.effects[1].usd_per_million[-1]:,.2f} at 100 %{against}",
            )
            st.caption(
                "US dollars per million tokens written; the cost of reading is in it on both "
                "sides. The band goes from the lowest to the highest published rent. "
                + plain(found.cases[1].capacity.reason)
            )
            downloads("own-servers-load", title=title, snapshot=snapshot, picture=by_load)


def tables(name: str, found: OwnServers) -> None:
    """Show every figure with its basis."""
    st.subheader("What it takes")
    frame = own_servers.parts(found, volume)
    st.dataframe(
        frame,
        column_config={
            column: st.column_config.NumberColumn(format="localized", width=90)
            for column in ("Low", "Likely", "High")
        }
        | {"Basis": st.column_config.TextColumn(width="large")},
        hide_index=True,
        placeholder=wording.UNKNOWN,
        alt=f"Memory, GPUs and rent of {name}: {own_servers.need(found)}",
    )
    downloads("own-servers-parts", title=f"{name} on own servers", snapshot=snapshot, frame=frame)
    for note in found.hosting.notes:
        st.caption(plain(note))

    st.subheader("What the token costs")
    sold = own_servers.sellers(found, volume)
    st.dataframe(
        sold,
        column_config={
            "Bill": st.column_config.NumberColumn(
                "Bill, $ a month", format="%.2f", help=f"For your {volume:,.0f} requests a month."
            ),
            "Read": st.column_config.NumberColumn("Read, $ per million", format="%.2f"),
            "Written": st.column_config.NumberColumn("Written, $ per million", format="%.2f"),
            "Cheaper below": st.column_config.NumberColumn(
                "Cheaper below, requests a month",
                format="localized",
                help="Up to this volume the provider's bill is lower than the likely rent of one "
                "set of GPUs.",
            ),
        },
        hide_index=True,
        placeholder=wording.UNKNOWN,
        alt=f"Bill of {name} a month at each provider, cheapest first",
    )
    downloads("own-servers-token", title=f"{name} by the token", snapshot=snapshot, frame=sold)
    basis = f"Rent: {own_servers.rent_basis(found)}, US dollars."
    if found.bills:
        basis += f" By the token: public list prices of {day:%d %B %Y}, US dollars."
    if found.input_tokens is not None and found.output_tokens is not None:
        basis += f" A request reads {found.input_tokens:,.0f} tokens"
        basis += f" and writes {found.output_tokens:,.0f}"
        basis += (
            ", the most that MedHELM allows, so the bill by the token is an upper estimate."
            if asked.output_tokens_per_request is None
            else ", as you set."
        )
        if found.hidden is not None:
            basis += (
                f" {found.hidden.likely:,.0f} of the written tokens are hidden reasoning: "
                f"{found.hidden.basis}."
            )
    st.caption(plain(f"{basis} Taxes, discounts, staff, network and storage are not in it."))


if hostable.models:
    name, model, setup, load = chosen()
    with st.spinner("Working out costs…"):
        found = own_servers_answers.own_servers(store, asked, day, model, setup, load / 100)
    words(found, load)
    by_volume(name, found, load)
    by_utilisation(name, found, load)
    tables(name, found)
    if not lacking.empty:
        with st.expander(f"{wording.counted(len(lacking), 'model')} that cannot be priced here"):
            st.dataframe(
                lacking, hide_index=True, alt="Models that lack open weights or a known size"
            )
    with st.expander("How this was made"):
        st.markdown(
            "Memory is all parameters times the bytes of each, plus the cache of the requests "
            "answered at once, plus 20 % overhead, which is an assumption. GPUs are that memory "
            "over the memory of one, rounded up, and they are paid for 730 hours a month. Low "
            "and high take the lowest and the highest published on-demand price. How many "
            "requests a set serves comes only from published measurements of the same model, GPU "
            "and precision; where there is none, it is not known. A measurement belongs to the "
            "length of its requests: for yours it is scaled by what reading, writing and looking "
            "back take, as fitted to all published lengths. Measurements are for full load "
            "without regard to waiting, so a real set serves less. Buying servers instead of "
            "renting them is not worked out here. See Self-hosting and Break-even in the methods."
        )
else:
    nothing()
