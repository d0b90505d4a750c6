"""What do our own servers hold, and would they cost less than paying by the token?"""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from core import figures
from core.answers import cost, data, market, recommend
from core.answers.asked import Asked
from core.charts.kit import labels
from core.domain import Candidate, Dossier, LeftOut, Model, Question, Snapshot
from core.procurement.hosting import cannot_run
from core.sharing.controls import ACCESS, BITS, CHEAPEST_GPU, gpu_names
from core.sharing.own_figures import MOST_USD_PER_MTOK
from core.words import cost as words
from core.words.candidate import to_ask
from pages.components import blocks
from pages.components.controls import own_entry
from pages.components.notices import plain


def draw(asked: Asked) -> None:
    """Draw the tab."""
    _ask(asked)
    owns = asked.question.hardware.gpu and asked.question.hardware.gpus_owned
    if owns:  # No rent is counted for them, whatever else may be bought.
        asked = asked.having(access="own")
    left_out: Sequence[LeftOut] = ()
    if not asked.question.evidence.suite:
        whole = market.market(asked.having(access="own"))
        left_out = whole.left_out
        sold = sorted((*whole.buyable, *whole.ask), key=lambda it: it.grade)
        if owns:
            rows = (*whole.buyable, *whole.ask)
            _fits(rows, left_out, asked.question, None)
        models = [it.model for it in sold if not cannot_run(it.model)]
        asked = market.basis_of_cost(asked)
    else:
        if owns:
            listed = recommend.shortlist(asked)
            snapshot = data.matrix(asked.store, asked.selection()).snapshot
            _fits(listed.rows, listed.left_out, asked.question, snapshot)
        models = [*cost.hostable(asked)]
    if owns:
        blocks.how_made("Self-hosting", key="own_servers")
        return
    if models:
        _one(asked, models)
    else:
        said = words.none_on_servers(left_out, asked.question.limits.monthly_budget_usd)
        st.info(plain(said), icon=":material/search_off:")
    blocks.how_made("Self-hosting", "Break-even", key="own_servers")


def _ask(asked: Asked) -> None:
    """Ask first what the hospital owns; the answer is in the side bar, so in the link."""
    kinds = gpu_names(asked.store.catalogue)
    state = st.session_state

    def own() -> None:
        number = state["we_own"]
        state.update(owned=number or None, gpu=state["we_own_gpu"] if number else CHEAPEST_GPU)
        state.update(bits=state["we_own_bits"], context=state["we_own_context"])
        state.update(access=ACCESS["own" if number else "any"])

    with st.form("we_own_form"):
        number, gpu, bits, context = st.columns(4, vertical_alignment="bottom")
        held = float(asked.question.hardware.gpus_owned or 0)
        number.number_input("We own", 0.0, 1e4, held, 1.0, format="%g", key="we_own")
        at = list(kinds.values()).index(asked.question.hardware.gpu or "L4")
        gpu.selectbox("GPU", list(kinds), at, key="we_own_gpu")
        at = list(BITS.values()).index(asked.question.hardware.bits)
        bits.selectbox("Precision", list(BITS), at, key="we_own_bits")
        longest = float(asked.question.hardware.context_tokens)
        context.number_input(
            "Tokens of a request", 1.0, 2e6, longest, 1024.0, format="%g", key="we_own_context"
        )
        show = st.form_submit_button("Show what fits", on_click=own, icon=":material/memory:")
    if show and not held:
        st.info("Enter how many GPUs you own, 1 or more, to see which models they hold.")
    with st.expander("Our own rent of a GPU"):
        own_entry(asked.store, "own_rent", "Use this rent", lambda: _rent(kinds))


def _rent(kinds: Mapping[str, str]) -> None:
    names = {gpu: name for name, gpu in kinds.items()}
    left, right = st.columns(2)
    left.selectbox("GPU", list(names), format_func=names.__getitem__, key="own_rent_gpu")
    usd = ("US dollars an hour", 0.0, MOST_USD_PER_MTOK, None, 0.1)
    right.number_input(*usd, key="own_rent_usd_per_gpu_hour")


def _fits(
    every: Sequence[Dossier | Candidate],
    left_out: Sequence[LeftOut],
    question: Question,
    snapshot: Snapshot | None,
) -> None:
    rows = [row for row in every if row.cost.is_owned]
    gpus = f"{question.hardware.gpus_owned} × {question.hardware.gpu}"
    n_out = sum(out.rule == "no room" for out in left_out)
    names = labels([row.model for row in rows])
    first, best = "", next(iter(rows), None)
    if isinstance(best, Candidate):
        first = f"by grade {names[best.model.id]} ({best.grade})"
    elif best and best.rank:
        first = f"by score {names[best.model.id]}"
    ask_first = ["" if isinstance(row, Dossier) or row.is_buyable else to_ask(row) for row in rows]
    n_ask = sum(map(bool, ask_first))
    fit, more = words.fit_on(gpus, len(rows) - n_ask, first, n_out, n_ask)
    st.markdown(f"**{plain(fit)}** {plain(more)}")
    assumed = figures.capitalised(words.servers_assumed(question.hardware))
    st.caption(f"{plain(assumed)}. No rent is counted, nor power, staff and network.")
    if not rows:
        return
    on = [row.cost.servers for row in rows if row.cost.servers is not None]
    frame = {
        "Model": [names[row.model.id] for row in rows],
        **_quality(rows),
        "Billion parameters": blocks.numbers([row.model.params_b for row in rows]),
        "Memory, GB": blocks.numbers([it.memory_gb for it in on]),
        "GPUs per copy": blocks.numbers([it.gpus for it in on]),
        "Requests a month per copy": blocks.numbers([it.serves for it in on]),
    }
    if n_ask:
        frame["Ask first"] = ask_first
    blocks.table(frame, "own-gpus", f"What fits {gpus}", snapshot, placeholder="not published")


def _quality(rows: Sequence[Dossier | Candidate]) -> dict[str, Any]:
    """Return the column of grades of a market, of scores of a suite."""
    grades = [row.grade for row in rows if isinstance(row, Candidate)]
    if grades:
        return {"Grade": grades}
    scores = [row.score for row in rows if isinstance(row, Dossier)]
    return {"Score": blocks.numbers(scores, times=100)}


def _one(asked: Asked, models: Sequence[Model]) -> None:
    ids = {name: model for model, name in labels(models).items()}
    model = blocks.picked(
        "Model",
        ids,
        key="hosted",
        what="The model",
        help="Models of this evidence whose weights are open and whose size is known, the best "
        "ranked in your shortlist first.",
    )
    found = cost.own_servers(asked, model)
    if said := words.own_servers_in_words(found):
        st.markdown(f"**{plain(said)}**")
    hardware = asked.question.hardware
    pays = words.pays_from(found, hardware.utilisation * 100)
    st.markdown(plain(f"{words.need(found)} {pays}"))
    if gpus := found.hosting.gpus:
        own = f"{gpus[1]} x {found.hosting.gpu} at {found.hosting.bits} bits"
        st.markdown(plain(words.capacity_in_words(found.capacity, found.model.name, own)))
    gpu = "as you chose" if hardware.gpu else "the cheapest that holds the model"
    tokens = f"; {words.prices_behind([found.cost], asked.day)}" if found.cost.servers else ""
    if found.bill:
        tokens += f"; tokens at prices of the list of {figures.written(found.bill.price.as_of)}"
    said = (
        f"GPU: {found.hosting.gpu}, {gpu}; {words.servers_assumed(hardware)}. Staff, network, "
        f"storage and taxes are not in it{tokens}. Change it under “Own servers” in the side bar."
    )
    notes = (figures.sentence(words.basis(found.cost)), *words.hosting_notes(found, hardware))
    st.caption(plain(said), help=plain(" ".join(notes)))
