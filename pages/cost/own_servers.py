"""Would our own servers cost less than paying by the token? One open model at a time."""

import pandas as pd
import streamlit as st

from core.answers import cost, data
from core.answers.cost import Hostable
from core.charts import costs as charts
from core.charts.intervals import labels
from core.domain import Requirements, Snapshot
from core.evidence.store import Store
from core.procurement.hosting import HOURS_A_MONTH, USUAL_BITS, USUAL_UTILISATION, OwnServers, Setup
from core.words import cost as words
from core.words import figures
from pages.components import blocks, controls, evidence
from pages.components.notices import own_choice, plain
from pages.cost.amounts import usd_format

_BITS = {"16 bits": 16, "8 bits": 8, "4 bits": 4}
_USUAL_BITS, _USUAL_LOAD = f"{USUAL_BITS} bits", USUAL_UTILISATION * 100
_FIGURES = (
    ("context", "Tokens of one request, read and written", 2e6, 8192.0, 1024.0),
    ("at_once", "Requests at once", 1e4, 8.0, 1.0),
    ("load", "Utilisation, % of the maximum load", 100.0, _USUAL_LOAD, 5.0),
)
"""Key, label, most, default and step of each number that may be set."""
_HELP = {
    "context": "The longest request for which there must be room. Longer ones need more memory.",
    "at_once": "Requests answered at the same time. Each keeps a cache in memory.",
    "load": "The average over day and night. Rented GPUs cost the same when idle, and no source "
    "says what a hospital reaches.",
}


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    asked = controls.question(store).requirements
    with st.spinner("Looking for models that can be hosted…"):
        hostable = cost.hostable(store, asked, evidence.priced_on(asked))
    snapshot = data.matrix(store, data.selection_of(asked)).snapshot
    if hostable.models:
        _one(store, asked, hostable, snapshot)
    else:
        st.info(
            "No model of this evidence base has weights that are known to be open and a known "
            "size, so none can be priced on own servers. Choose another evidence base, or ask the "
            "vendors.",
            icon=":material/search_off:",
        )
    if hostable.lacking:
        names = labels([model for model, _ in hostable.lacking])
        what = [figures.capitalised(words.lacking(why)) for _, why in hostable.lacking]
        frame = pd.DataFrame({"Model": list(names.values()), "What is missing": what})
        said = f"{figures.counted(len(frame), 'model')} that cannot be priced here"
        alt = "What each model lacks to be priced on own servers"
        with st.expander(said, expanded=not hostable.models):
            blocks.table(frame, "own-servers-not", "Models not priced", snapshot, alt=alt)
    blocks.how_made("Self-hosting", "Break-even", key="own_servers")


def _one(store: Store, asked: Requirements, hostable: Hostable, snapshot: Snapshot | None) -> None:
    day = evidence.priced_on(asked)
    names = labels(hostable.models)
    ids = {name: model for model, name in names.items()}
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
    needed = f"{words.need(found.hosting)} {words.pays_from(found, load)}"
    with answered:
        if said := words.own_servers(found):
            st.markdown(f"**{plain(said)}**")
        st.markdown(plain(needed))
        if found.input_tokens is None:
            st.info(
                "This evidence base has no task categories, so there is no workload to price.",
                icon=":material/search_off:",
            )
        _assumed(found, asked, load)
    _by_volume(name, found, needed, snapshot)
    notes = plain(" ".join(words.hosting_notes(found.hosting)))
    st.subheader("What it takes", help=notes or None)
    blocks.table(
        _parts(found),
        "own-servers-parts",
        f"{name} on own servers",
        snapshot,
        alt=f"Memory, GPUs and rent of {name}: {words.need(found.hosting)}",
    )
    if asked.access != "own":
        st.subheader("What the token costs")
        frame = _sellers(found)
        blocks.table(
            frame,
            "own-servers-token",
            f"{name} by the token",
            snapshot,
            alt=f"Bill of {name} a month at each provider, cheapest first",
            columns={"Bill": usd_format(frame[["Bill"]].astype("float64"))},
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
        numbers = [
            column.number_input(
                label,
                1.0,
                most,
                value=value,
                step=step,
                format="%g",
                key=key,
                bind="query-params",
                help=_HELP[key],
            )
            for column, (key, label, most, value, step) in zip(
                st.columns(len(_FIGURES), vertical_alignment="bottom"), _FIGURES, strict=True
            )
        ]
        st.caption("The kind of GPU is chosen in the side bar under “Workload behind the bill”.")
    context, at_once, load = numbers
    return Setup(gpu, _BITS[bits], max(1, round(context)), max(1, round(at_once))), load


def _assumed(found: OwnServers, asked: Requirements, load: float) -> None:
    gpu = "as you chose" if asked.gpu else "the cheapest that holds the model"
    example = "an example, not a finding" if load == _USUAL_LOAD else "your assumption"
    tokens = f"; tokens at list prices of {evidence.priced_on(asked):%d %B %Y}"
    said = (
        f"GPU: {found.hosting.setup.gpu}, {gpu}. {load:g} % of full load is {example}. Staff, "
        f"network, storage and taxes are not in it{tokens if found.bills else ''}."
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


def _by_volume(name: str, found: OwnServers, needed: str, snapshot: Snapshot | None) -> None:
    """Draw both costs over the volume."""
    if found.curves is None or found.cases is None:
        return
    likely, meets = found.cases[1], None
    if (even := likely.break_even) is not None:
        at = words.rounded(even.at_least)
        if even.requests is not None:
            meets = (even.at_least, f"even at {at}")
        elif likely.requests is None:
            meets = (even.at_least, f"not before {at}")
    band = len({case.requests is not None for case in found.cases}) == 1
    title = f"{name}: cost a month on own servers and by the token"
    blocks.figure(
        charts.costs_by_volume(found.curves, volume=found.requests, meets=meets, band=band),
        "own-servers",
        title,
        f"{title}. {needed}",
        snapshot,
    )
    token = " Dashed: by the token at the cheapest provider." if found.bills else ""
    # Without it a line that is flat for want of figures would pass for a cost that stays.
    steps = (
        "Each step is one more set of GPUs."
        if likely.requests is not None
        else "Past what one set serves, which nobody published, the line would rise."
    )
    st.caption(f"Solid: own servers, lowest to highest published rent.{token} {steps}")


def _parts(found: OwnServers) -> pd.DataFrame:
    """List memory, GPUs, rent and volumes, each with its basis."""
    hosted = found.hosting
    rows: list[tuple[str, str, float | None, float | None, float | None, str]] = []
    if memory := hosted.memory:
        share = 1 + hosted.setup.overhead
        ends = memory.low_gb, memory.high_gb
        cache = [gb / share - memory.weights_gb for gb in ends]
        extra = [gb - gb / share for gb in ends]
        size = found.hosting.model.params_source or figures.UNKNOWN
        weights = f"all parameters at {hosted.setup.bits} bits; size from: {size}"
        assumed = f"assumed: {hosted.setup.overhead:.0%} of weights and cache"
        basis = words.cache_basis(memory.cache)
        rows += [
            ("Weights", "GB", *[memory.weights_gb] * 3, weights),
            ("Cache", "GB", cache[0], memory.cache_gb, cache[1], basis),
            ("Overhead", "GB", extra[0], memory.overhead_gb, extra[1], assumed),
            ("Memory", "GB", memory.low_gb, memory.total_gb, memory.high_gb, "sum of the three"),
        ]
    if hosted.gpus:
        rows.append((hosted.setup.gpu, "GPUs", *hosted.gpus, "memory over that of one, rounded up"))
    price, basis = hosted.hourly, words.rent_basis(hosted.hourly)
    dollars = (price.low, price.likely, price.high) if price else (None, None, None)
    rows.append(("Rent of one GPU", "$ an hour", *dollars, basis))
    if usd := hosted.monthly_usd:
        basis = f"{HOURS_A_MONTH:g} hours a month; staff, network and storage not included"
        rows.append(("Rent, one set", "$ a month", usd.low, usd.likely, usd.high, basis))
    frame = pd.DataFrame(rows, columns=["What", "Unit", "Low", "Likely", "High", "Basis"])
    if found.cases and found.own_usd:
        likely = found.cases[1]
        own = zip(found.cases, found.own_usd, strict=True)
        measured = words.capacity(likely.capacity, hosted.model, likely.gpus, hosted.setup)
        pays = "rent over the price of a request" if likely.break_even else words.ASK
        meets = [case.break_even and case.break_even.at_least for case in found.cases]
        rents = [None if case.requests is None else usd for case, usd in own]
        every = "requests a month"
        more = [
            ("One set serves", every, *[case.requests for case in found.cases], measured),
            (f"Rent for {found.requests:,.0f} requests", "$ a month", *rents, "whole sets of GPUs"),
            ("Volume that pays for one set", every, *meets, pays),
        ]
        frame = pd.concat([frame, pd.DataFrame(more, columns=frame.columns)], ignore_index=True)
    for column in ("Low", "Likely", "High"):
        values = frame[column].astype("float64")
        frame[column] = values.round(2).where(values.abs() < 100, values.round(0))
    return frame


def _sellers(found: OwnServers) -> pd.DataFrame:
    """Return the bill at each provider as a table; one row of words where nobody sells it."""
    if not found.bills:
        return pd.DataFrame({"Provider": [figures.UNKNOWN], "Bill": [None], "Basis": [words.ASK]})
    rent = found.hosting.monthly_usd
    below = [
        None
        if rent is None or bill.monthly_usd <= 0
        else found.requests * rent.likely / bill.monthly_usd
        for bill in found.bills
    ]
    return pd.DataFrame(
        {
            "Provider": [bill.price.provider_name for bill in found.bills],
            "Bill": [bill.monthly_usd for bill in found.bills],
            "Read": [bill.price.input_usd_per_mtok for bill in found.bills],
            "Written": [bill.price.output_usd_per_mtok for bill in found.bills],
            "Cheaper below": pd.Series(below, dtype="float64").round(-2),
            "Prices of": [bill.price.as_of for bill in found.bills],
            "Basis": [bill.price.source for bill in found.bills],
        }
    )
