"""What do our own servers hold, and would they cost less than paying by the token?"""

from collections import Counter
from datetime import date

import pandas as pd
import streamlit as st

from core.answers import cost, data, recommend
from core.charts.kit import labels
from core.domain import BadRequestError, Model, OwnRent, Requirements, Shortlist, Snapshot
from core.evidence.store import Store
from core.procurement.hosting import HOURS_A_MONTH, OwnServers
from core.sharing.controls import ACCESS, BITS, CHEAPEST_GPU
from core.sharing.inputs import LONGEST_TEXT, MOST_USD_PER_MTOK, rent_line
from core.words import cost as words
from core.words import figures
from pages.components import blocks, controls, evidence
from pages.components.notices import plain

_FAULT = "rent_fault"


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    asked = controls.question(store).requirements
    day = evidence.priced_on(asked)
    _ask(store, asked)
    snapshot = data.matrix(store, data.selection_of(asked)).snapshot
    if asked.access == "own" and asked.gpu and asked.gpus_owned:
        with st.spinner("Looking for what fits…"):
            _fits(recommend.shortlist(store, asked, day), asked, snapshot)
        blocks.how_made("Self-hosting", key="own_servers")
        return
    with st.spinner("Looking for models that can be hosted…"):
        found = cost.hostable(store, asked, day)
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


def _ask(store: Store, asked: Requirements) -> None:
    """Ask first what the hospital owns; the answer stands in the side bar, so in the link."""
    kinds = {it.gpu: it.memory_gb for it in store.catalogue.procurement.gpus}
    state = st.session_state

    def own() -> None:
        number = state["we_own"]
        state.update(owned=number or None, gpu=state["we_own_gpu"] if number else CHEAPEST_GPU)
        state.update(bits=state["we_own_bits"], context=state["we_own_context"])
        state.update(access=ACCESS["own" if number else "any"])

    with st.form("we_own_form"):
        number, gpu, bits, context = st.columns(4, vertical_alignment="bottom")
        held = float(asked.gpus_owned or 0)
        number.number_input("We own", 0.0, 1e4, held, 1.0, format="%g", key="we_own")
        at = list(kinds).index(asked.gpu or "L4")
        with_memory = {
            kind: kind if " " in kind else f"{kind} {gb:g}GB" for kind, gb in kinds.items()
        }
        gpu.selectbox("GPU", list(kinds), at, with_memory.get, key="we_own_gpu")
        at = list(BITS.values()).index(asked.bits)
        bits.selectbox("Precision", list(BITS), at, key="we_own_bits")
        longest = float(asked.context_tokens)
        context.number_input(
            *("Tokens of a request", 1.0, 2e6, longest, 1024.0),
            **{"format": "%g", "key": "we_own_context"},
        )
        st.form_submit_button("Show what fits", on_click=own, icon=":material/memory:")
    with st.expander("Our own rent of a GPU"):
        _rent(store, list(kinds))


def _rent(store: Store, kinds: list[str]) -> None:
    if text := st.session_state.pop(_FAULT, ""):
        st.warning(plain(text), icon=":material/edit_off:")
    with st.form("own_rent_form", border=False):
        left, right = st.columns(2)
        left.selectbox("GPU", kinds, key="rent_gpu")
        most = MOST_USD_PER_MTOK
        right.number_input("US dollars an hour", 0.0, most, None, 0.1, key="rent_usd")
        left.date_input("Date", value=None, max_value=evidence.today(), key="rent_day")
        right.text_input("Source", max_chars=LONGEST_TEXT, key="rent_source")
        st.form_submit_button("Use this rent", on_click=_keep, args=(store,))


def _keep(store: Store) -> None:
    state = st.session_state
    usd, day = state["rent_usd"], state["rent_day"]
    said = str(state["rent_source"] or "").strip()
    if not usd or not isinstance(day, date) or not said:
        state[_FAULT] = "Your own rent needs an amount above 0, its date and its source."
        return
    rent = OwnRent(state["rent_gpu"], float(usd), day.isoformat(), said)
    try:
        controls.put(store, "own_rent", rent_line(rent))
    except BadRequestError as error:
        state[_FAULT] = str(error)


def _fits(listed: Shortlist, asked: Requirements, snapshot: Snapshot | None) -> None:
    """List what fits the hospital's own GPUs, by score."""
    rows = [row for row in listed.rows if row.cost.is_owned]
    gpus = f"{asked.gpus_owned} × {asked.gpu}"
    n_out = sum(out.rule == "no room" for out in listed.left_out)
    names = labels([row.model for row in rows])
    first = f", first by score {names[rows[0].model.id]}" if rows and rows[0].rank else ""
    fit = f"{figures.counted(len(rows), 'model')} {'fits' if len(rows) == 1 else 'fit'} {gpus}"
    more = f"; {figures.counted(n_out, 'model')} left out that would need more" if n_out else ""
    st.markdown(f"**{plain(f'{fit}{first}{more}.')}**")
    st.caption(
        f"{plain(figures.capitalised(words.servers_assumed(asked)))}. No rent is counted, nor "
        "power, staff and network."
    )
    if not rows:
        return
    on = [row.cost.servers for row in rows if row.cost.servers is not None]
    frame = pd.DataFrame(
        {
            "Model": [names[row.model.id] for row in rows],
            "Score": blocks.numbers([row.score for row in rows], times=100),
            "Billion parameters": blocks.numbers([row.model.params_b for row in rows]),
            "Memory, GB": blocks.numbers([it.memory_gb for it in on]),
            "GPUs of a copy": blocks.numbers([it.gpus for it in on]),
            "One copy serves a month": blocks.numbers([it.serves for it in on]),
        }
    )
    blocks.table(frame, "own-gpus", f"What fits {gpus}", snapshot, placeholder="not published")


def _one(store: Store, asked: Requirements, models: list[Model], snapshot: Snapshot | None) -> None:
    day = evidence.priced_on(asked)
    ids = {name: model for model, name in labels(models).items()}
    name = blocks.choose(
        "Model",
        ids,
        key="hosted",
        what="The model",
        help="Models of the evidence base whose weights are open and whose size is known, the "
        "best ranked of your shortlist first.",
    )
    with st.spinner("Working out costs…"):
        gpu = cost.usual_gpu(store, ids[name], asked, day)
        found = cost.own_servers(store, asked, day, ids[name], gpu)
    if said := words.own_servers(found):
        st.markdown(f"**{plain(said)}**")
    load = asked.utilisation * 100
    st.markdown(plain(f"{words.need(found.hosting)} {words.pays_from(found, load)}"))
    if found.input_tokens is None:
        st.info(
            "This evidence base has no task categories, so there is no workload to price.",
            icon=":material/search_off:",
        )
    _assumed(found, asked)
    notes = plain(" ".join(words.hosting_notes(found.hosting)))
    st.subheader("What it takes", help=notes or None)
    blocks.table(
        _parts(found),
        "own-servers-parts",
        f"{name} on own servers",
        snapshot,
        alt=f"Memory, GPUs and rent of {name}: {words.need(found.hosting)}",
    )


def _assumed(found: OwnServers, asked: Requirements) -> None:
    gpu = "as you chose" if asked.gpu else "the cheapest that holds the model"
    tokens = "".join(
        f"; tokens at prices of the list of {figures.written(bill.price.as_of)}"
        for bill in found.bills[:1]
    )
    said = (
        f"GPU: {found.hosting.setup.gpu}, {gpu}; {words.servers_assumed(asked)}. Staff, network, "
        f"storage and taxes are not in it{tokens}. Change it under “Own servers” in the side bar."
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
        rows.append(
            (
                hosted.setup.gpu,
                "GPUs",
                *hosted.gpus,
                "the smallest set that exists and has the memory",
            )
        )
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
