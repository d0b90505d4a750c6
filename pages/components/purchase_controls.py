"""The part of the side bar that is about buying: limits, conditions of purchase, workload."""

from __future__ import annotations

import streamlit as st

from core.answers import own_servers
from core.domain import Requirements
from core.evidence.store import Store
from core.sharing import link
from core.sharing.link_reader import LIMITS, OLDEST_PRICES, SALE_STOPS, sale_label
from pages.components import evidence
from pages.components.undrawn import keep_in_address

SIZE_STOPS = (1, 2, 3, 4, 8, 10, 14, 15, 20, 27, 33, 40, 70, 80, 123, 250)
_HARDWARE = "4 B fit a laptop, 10 B one 24 GB GPU, and 33 B one 80 GB GPU"
_DEFAULTS = Requirements()


def limits() -> None:
    """Draw where it may run, what it may cost and how large it may be."""
    # Numbers are floats here, since an infinite one in a link stops a control of integers.
    st.selectbox(
        "Where it may run",
        list(link.ACCESS.values()),
        key="access",
        bind="query-params",
        help="Anywhere: a vendor's service or your own servers. Open weights: models whose weights "
        "can be downloaded, wherever they run. A vendor's service: paid by the token. Our own "
        "servers only: open weights, and the cost is that of the servers.",
    )
    st.number_input(
        "Monthly budget, US dollars",
        *LIMITS["budget"],
        value=None,
        step=50.0,
        format="%g",
        placeholder="No limit",
        key="budget",
        bind="query-params",
        help="Leaves out models that cost more for your workload. Models of which no cost is known "
        "stay in the list and say so: an unknown price is not a low one.",
    )
    linked = st.session_state.get("linked_size")
    stops = sorted({*SIZE_STOPS, *([linked] if linked else [])})
    st.select_slider(
        "Largest model",
        [*(link.size_label(stop) for stop in stops), link.size_label(None)],
        value=link.size_label(None),
        key="max_params",
        bind="query-params",
        help="Size in billions of parameters (B), the stand-in for cost where no price is "
        "known. Models of undisclosed size are left out under a limit, since nobody can show "
        f"that they meet it. At 16 bits a parameter, {_HARDWARE}.",
    )


def must_have(store: Store) -> None:
    """Draw the conditions of purchase; what is not known stays in and becomes a question."""
    kinds = store.catalogue.procurement.gate_kinds.values()
    st.multiselect(
        "Must have",
        [kind.required for kind in kinds if kind.wanted != "limit"],
        key="gates",
        bind="query-params",
        placeholder="No condition",
        help="A model that fails one of these on every way to get it is left out, with the "
        "reason. Where nobody says, the model stays and the question is listed for the "
        "vendor. The entry Conditions shows what is known, from where and as of when.",
    )


def requests(store: Store) -> None:
    """Draw how much work there is a month, in one number."""
    kinds = store.catalogue.procurement.requests
    st.number_input(
        "Requests a month",
        *LIMITS["requests"],
        value=float(_DEFAULTS.requests_per_month),
        step=1000.0,
        format="%g",
        key="requests",
        bind="query-params",
        disabled=any(st.session_state.get(link.volume_key(kind.id)) for kind in kinds),
        help="Spread over the kinds of work by their weights. Volumes for each kind of request "
        "are under “Workload behind the bill” and go before this number.",
    )


def conditions() -> None:
    """Draw the finer conditions: how long on sale, how long data are kept, how much is read."""
    fold = st.expander("Further conditions", key="conditions_fold", on_change="rerun")
    usual = sale_label(_DEFAULTS.on_sale_months)
    # Half of all controls stand in these folds, and so does half of the time of a rerun.
    if not (
        keep_in_address({**dict.fromkeys(("retention", "window", "sale_on")), "sale": usual})
        or fold.open
    ):
        return
    with fold:
        linked = st.session_state.get("linked_sale")
        stops = [*SALE_STOPS, *([linked] if linked not in SALE_STOPS else [])]
        st.selectbox(
            "Must stay on sale for",
            [sale_label(months) for months in stops],
            index=stops.index(_DEFAULTS.on_sale_months),
            key="sale",
            bind="query-params",
            help="Leaves out models that every provider meeting your conditions ends before, with "
            "the date and what the maker names in its place. Open weights can always be kept. "
            "Where nobody says, the model stays and carries a question.",
        )
        st.date_input(
            "Counted from",
            value=None,
            key="sale_on",
            bind="query-params",
            help="Left empty: the day of the prices.",
        )
        st.number_input(
            "Data may be kept for at most, days",
            *LIMITS["retention"],
            value=None,
            step=1.0,
            format="%g",
            placeholder="Not asked",
            key="retention",
            bind="query-params",
            help="Days that a platform may store prompts and answers. 0 means not at all.",
        )
        st.number_input(
            "Must read at once, tokens",
            *LIMITS["window"],
            value=None,
            step=1000.0,
            format="%g",
            placeholder="Not asked",
            key="window",
            bind="query-params",
            help="The shortest context window that will do: the longest document and its answer "
            "together. A token is about three quarters of an English word.",
        )


def workload(store: Store) -> None:
    """Draw what the bill assumes besides one number of requests."""
    kinds = store.catalogue.procurement.requests
    volumes = dict.fromkeys((link.volume_key(kind.id) for kind in kinds), 0.0)
    others = dict.fromkeys(("tokens_in", "tokens_out", "tokens_reasoning", "prices"))
    fold = st.expander("Workload behind the bill", key="workload_fold", on_change="rerun")
    asked = {**volumes, **others, "gpu": link.CHEAPEST_GPU}
    if not (keep_in_address(asked) or fold.open):
        return
    with fold:
        st.caption(
            "How many a month, in your hospital's numbers. Cost, Bill can fill them "
            "in from the size of the hospital."
        )
        for kind in kinds:
            st.number_input(
                kind.name,
                *LIMITS["volume"],
                value=0.0,
                step=100.0,
                format="%g",
                key=link.volume_key(kind.id),
                bind="query-params",
            )
        has_volumes = any(st.session_state[key] for key in volumes)
        for key, label in (
            ("tokens_in", "Tokens read for a request"),
            ("tokens_out", "Tokens written for a request"),
        ):
            st.number_input(
                label,
                *LIMITS[key],
                value=None,
                step=100.0,
                format="%g",
                placeholder="As in MedHELM",
                key=key,
                bind="query-params",
                disabled=has_volumes,
                help="A token is about three quarters of an English word. Left empty: what "
                "MedHELM's benchmarks of the category take, for the written part its maximum. "
                "Used while the numbers above are all 0.",
            )
        st.number_input(
            "Hidden reasoning for a request, tokens",
            *LIMITS["tokens_reasoning"],
            value=None,
            step=100.0,
            format="%g",
            placeholder="As measured",
            key="tokens_reasoning",
            bind="query-params",
            help="Some models reason before they answer. Nobody reads that part, and it is paid "
            "for like the answer. Left empty: what was measured on medical questions, low, likely "
            "and high. It comes on top of the tokens written.",
        )
        st.selectbox(
            "GPU of your own servers",
            [link.CHEAPEST_GPU, *own_servers.gpus_on_offer(store)],
            key="gpu",
            bind="query-params",
            help="A graphics processor, the part of a server that runs the model. For the cost on "
            "own servers.",
        )
        st.date_input(
            "Public prices of",
            value=None,
            min_value=OLDEST_PRICES,
            max_value=evidence.today(),
            key="prices",
            bind="query-params",
            help="Left empty: today's list prices. A copied link keeps the day of its prices, so "
            "that a colleague sees the same bills.",
        )
