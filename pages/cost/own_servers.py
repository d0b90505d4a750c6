"""Would our own servers cost less than paying by the token? One open model at a time."""

from collections import Counter

import pandas as pd
import streamlit as st

from core.answers import cost, data
from core.charts.kit import labels
from core.domain import Model, Requirements, Snapshot
from core.evidence.store import Store
from core.procurement.hosting import HOURS_A_MONTH, USUAL_BITS, USUAL_UTILISATION, OwnServers, Setup
from core.words import cost as words
from core.words import figures
from pages.components import blocks, controls, evidence
from pages.components.notices import own_choice, plain

_BITS = {"16 bits": 16, "8 bits": 8, "4 bits": 4}
_USUAL_BITS, _USUAL_LOAD = f"{USUAL_BITS} bits", USUAL_UTILISATION * 100
_FIGURES = {
    "context": (
        *("Tokens of one request, read and written", 2e6, 8192.0, 1024.0),
        "The longest request for which there must be room. Longer ones need more memory.",
    ),
    "at_once": (
        *("Requests at once", 1e4, 8.0, 1.0),
        "Requests answered at the same time. Each keeps a cache in memory.",
    ),
    "load": (
        *("Utilisation, % of the maximum load", 100.0, _USUAL_LOAD, 5.0),
        "The average over day and night. Rented GPUs cost the same when idle, and no source says "
        "what a hospital reaches.",
    ),
}
"""Label, most, default, step and help of each number that may be set, by its key."""


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    asked = controls.question(store).requirements
    with st.spinner("Looking for models that can be hosted…"):
        found = cost.hostable(store, asked, evidence.priced_on(asked))
    snapshot = data.matrix(store, data.selection_of(asked)).snapshot
    if models := [model for model, lacking in found if not lacking]:
        _one(store, asked, models, snapshot)
    else:
        st.info(
            "No model of this evidence base has weights that are known to be open and a known "
            "size, so none can be priced on own servers. Choose another evidence base, or ask the "
            "vendors.",
            icon=":material/search_off:",
        )
    if lacking := Counter(words.lacking(why) for _, why in found if why):
        said = "; ".join(f"{figures.counted(n, 'model')}: {why}" for why, n in lacking.items())
        st.caption(f"Not priced here, {said}.")
    blocks.how_made("Self-hosting", "Break-even", key="own_servers")


def _one(store: Store, asked: Requirements, models: list[Model], snapshot: Snapshot | None) -> None:
    day = evidence.priced_on(asked)
    ids = {name: model for model, name in labels(models).items()}
    own_choice("bits", "The precision", _BITS, _USUAL_BITS)
    name = blocks.choose(
        "Model",
        ids,
        key="hosted",
        what="The model",
        help="Models of the evidence base whose weights are open and whose size is known, the "
        "best ranked of your shortlist first.",
    )
    answered = st.container()
    setup, load = _setup(cost.usual_gpu(store, ids[name], asked, day))
    with st.spinner("Working out costs…"):
        found = cost.own_servers(store, asked, day, ids[name], setup, load / 100)
    with answered:
        if said := words.own_servers(found):
            st.markdown(f"**{plain(said)}**")
        st.markdown(plain(f"{words.need(found.hosting)} {words.pays_from(found, load)}"))
        if found.input_tokens is None:
            st.info(
                "This evidence base has no task categories, so there is no workload to price.",
                icon=":material/search_off:",
            )
        _assumed(found, asked, load)
    notes = plain(" ".join(words.hosting_notes(found.hosting)))
    st.subheader("What it takes", help=notes or None)
    blocks.table(
        _parts(found),
        "own-servers-parts",
        f"{name} on own servers",
        snapshot,
        alt=f"Memory, GPUs and rent of {name}: {words.need(found.hosting)}",
    )


def _setup(gpu: str) -> tuple[Setup, float]:
    """Draw what the rent assumes; return the set-up and the utilisation in per cent."""
    with st.expander("Change what this assumes"):
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
        columns = st.columns(len(_FIGURES), vertical_alignment="bottom")
        context, at_once, load = (
            column.number_input(
                label,
                1.0,
                most,
                value=value,
                step=step,
                format="%g",
                key=key,
                bind="query-params",
                help=told,
            )
            for column, (key, (label, most, value, step, told)) in zip(
                columns, _FIGURES.items(), strict=True
            )
        )
        st.caption("The kind of GPU is chosen in the side bar under “Workload behind the bill”.")
    return Setup(gpu, _BITS[bits], max(1, round(context)), max(1, round(at_once))), load


def _assumed(found: OwnServers, asked: Requirements, load: float) -> None:
    gpu = "as you chose" if asked.gpu else "the cheapest that holds the model"
    example = "an example, not a finding" if load == _USUAL_LOAD else "your assumption"
    tokens = "".join(
        f"; tokens at prices of the list of {figures.written(bill.price.as_of)}"
        for bill in found.bills[:1]
    )
    said = (
        f"GPU: {found.hosting.setup.gpu}, {gpu}. {load:g} % of full load is {example}. Staff, "
        f"network, storage and taxes are not in it{tokens}."
    )
    rent = f"Rent: {words.rent_basis(found.hosting.hourly)}, US dollars."
    if found.input_tokens is not None and found.output_tokens is not None:
        upper = "at most " if asked.output_tokens_per_request is None else ""
        rent += (
            f" A request reads {found.input_tokens:,.0f} tokens and writes {upper}"
            f"{found.output_tokens:,.0f}"
        )
        rent += f", {found.hidden.likely:,.0f} of them hidden reasoning." if found.hidden else "."
    st.caption(plain(said), help=plain(rent))


def _parts(found: OwnServers) -> pd.DataFrame:
    """List memory, GPUs, rent and volumes, each with its basis."""
    hosted = found.hosting
    rows: list[tuple[str, str, float | None, float | None, float | None, str]] = []
    if memory := hosted.memory:
        share = 1 + hosted.setup.overhead
        cache = [gb / share - memory.weights_gb for gb in (memory.low_gb, memory.high_gb)]
        size = hosted.model.params_source or figures.UNKNOWN
        weights = f"all parameters at {hosted.setup.bits} bits; size from: {size}"
        whole = f"weights and cache, and {hosted.setup.overhead:.0%} of both, which is assumed"
        basis = words.cache_basis(memory.cache)
        rows += [
            ("Weights", "GB", *[memory.weights_gb] * 3, weights),
            ("Cache", "GB", cache[0], memory.cache_gb, cache[1], basis),
            ("Memory", "GB", memory.low_gb, memory.total_gb, memory.high_gb, whole),
        ]
    if hosted.gpus:
        rows.append((hosted.setup.gpu, "GPUs", *hosted.gpus, "memory over that of one, rounded up"))
    price = hosted.hourly
    usd_an_hour = (price.low, price.likely, price.high) if price else (None, None, None)
    rows.append(("Rent of one GPU", "$ an hour", *usd_an_hour, words.rent_basis(price)))
    if usd := hosted.monthly_usd:
        basis = f"{HOURS_A_MONTH:g} hours a month; staff, network and storage not included"
        rows.append(("Rent, one set", "$ a month", *usd, basis))
    if found.cases and found.own_usd:
        likely, every = found.cases[1], "requests a month"
        serves = [case.requests for case in found.cases]
        rents = [n and rent for n, rent in zip(serves, found.own_usd, strict=True)]
        meets = [case.break_even and case.break_even.at_least for case in found.cases]
        measured = words.capacity(likely.capacity, hosted.model, likely.gpus, hosted.setup)
        pays = "rent over the price of a request" if likely.break_even else words.ASK
        needed = f"Rent for {found.requests:,.0f} requests"
        rows += [
            ("One set serves", every, serves[0], serves[1], serves[2], measured),
            (needed, "$ a month", rents[0], rents[1], rents[2], "whole sets of GPUs"),
            ("Volume that pays for one set", every, meets[0], meets[1], meets[2], pays),
        ]
    frame = pd.DataFrame(rows, columns=["What", "Unit", "Low", "Likely", "High", "Basis"])
    for column in ("Low", "Likely", "High"):
        values = frame[column].astype("float64")
        frame[column] = values.round(2).where(values.abs() < 100, values.round(0))
    return frame
