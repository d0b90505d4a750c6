"""Would our own servers cost less than paying by the token? One open model at a time."""

import pandas as pd
import streamlit as st

from core.answers import bills, cost, data
from core.answers.cost import Hostable, OwnServers
from core.charts.intervals import labels
from core.domain import Requirements, Snapshot
from core.evidence.store import Store
from core.procurement.hosting import USUAL_BITS, USUAL_UTILISATION, Setup
from core.sharing import wording
from pages.components import blocks, controls, evidence
from pages.components.blocks import choose
from pages.components.notices import own_choice, plain
from pages.cost import rent

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
    "load": "The average over day and night. Rented GPUs cost the same when idle: half the "
    "utilisation doubles the cost of a token. No source says what a hospital reaches.",
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
    _lacking(hostable, snapshot)
    blocks.how_made("Self-hosting", "Break-even", key="own_servers")


def _one(store: Store, asked: Requirements, hostable: Hostable, snapshot: Snapshot | None) -> None:
    day, volume = evidence.priced_on(asked), bills.requests_a_month(store, asked)
    names = labels(hostable.models)
    ids = {name: model for model, name in names.items()}
    own_choice("bits", "The precision", _BITS, _USUAL_BITS)
    name = choose(
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
        rent.answer(found, volume, load)
        _assumed(found, asked, load)
    rent.by_volume(name, found, volume, load, snapshot)
    rent.parts(name, found, volume, snapshot)
    if asked.access != "own":
        rent.sellers(name, found, volume, snapshot)


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
    setup = Setup(
        gpu=gpu,
        bits=_BITS[bits],
        context_tokens=max(1, round(context)),
        concurrent=max(1, round(at_once)),
    )
    return setup, load


def _assumed(found: OwnServers, asked: Requirements, load: float) -> None:
    setup, day = found.hosting.setup, evidence.priced_on(asked)
    gpu = "as you chose" if asked.gpu else "the cheapest that holds the model"
    example = "an example, not a finding" if load == _USUAL_LOAD else "your assumption"
    said = (
        f"GPU: {setup.gpu}, {gpu}. {load:g} % of full load is {example}. Staff, network, storage "
        "and taxes are not in it."
    )
    if found.bills:
        said += f" Tokens at list prices of {day:%d %B %Y}."
    st.caption(plain(said), help=plain(_request(found, asked)) or None)


def _request(found: OwnServers, asked: Requirements) -> str:
    said = f"Rent: {rent.rent_basis(found)}, US dollars."
    if found.input_tokens is None or found.output_tokens is None:
        return said
    ends = (
        ", the most that MedHELM allows, so the bill by the token is an upper estimate."
        if asked.output_tokens_per_request is None
        else ", as you set."
    )
    said += (
        f" A request reads {found.input_tokens:,.0f} tokens and writes "
        f"{found.output_tokens:,.0f}{ends}"
    )
    if found.hidden is not None:
        said += (
            f" {found.hidden.likely:,.0f} of the written tokens are hidden reasoning: "
            f"{found.hidden.basis}."
        )
    return said


def _lacking(hostable: Hostable, snapshot: Snapshot | None) -> None:
    """List the models that cannot be run on own servers, and why; in a fold beside an answer."""
    if not hostable.lacking:
        return
    names = labels([model for model, _ in hostable.lacking])
    frame = pd.DataFrame(
        {
            "Model": [names[model.id] for model, _ in hostable.lacking],
            "What is missing": [wording.sentence(why) for _, why in hostable.lacking],
        }
    )
    alt = "What each model lacks to be priced on own servers"
    if not hostable.models:
        blocks.table(frame, "own-servers-not", "Models not priced", snapshot, alt=alt)
        return
    with st.expander(f"{wording.counted(len(frame), 'model')} that cannot be priced here"):
        blocks.table(frame, "own-servers-not", alt, file=False)
