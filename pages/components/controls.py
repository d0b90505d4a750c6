"""The side bar: the question that all pages share, each control bound to the address bar.

The controls hold the words that the link carries, so the one reader of links turns them into
requirements: what the page shows and what a link gives are the same by construction.
"""

from __future__ import annotations

import streamlit as st

from core.answers import data, documents
from core.domain import EvidenceBase, Requirements
from core.evidence.store import Store
from core.procurement.requirements import all_categories
from core.sharing import link, link_keys
from core.sharing.link_reader import LIMITS, MOST_MODELS, sale_label
from pages.components import evidence, own_figures, purchase_controls
from pages.components.undrawn import keep_in_address

_DEFAULTS = Requirements()


def draw(store: Store) -> None:
    """Draw the shared question; `question` reads it."""
    first_run = "link_notes" not in st.session_state
    if first_run:
        asked = {key: st.query_params.get_all(key) for key in st.query_params}
        opened = link.from_query(asked, store.catalogue, store.snapshots)
        st.session_state["link_notes"] = opened.notes
        # A size between the stops of the control must be among its options to survive, and one
        # written in another way than its label is given to the control here.
        size = opened.requirements.max_params_b
        st.session_state["linked_size"] = size
        if size is not None:
            st.session_state["max_params"] = link.size_label(size)
        st.session_state["linked_sale"] = opened.requirements.on_sale_months
        kinds = store.catalogue.procurement.gate_kinds
        gates = [kinds[gate].required for gate in opened.requirements.gates]
        if not set(asked.get("gates", ())) <= set(gates):
            st.session_state["linked_gates"] = gates
        # Nor does a category survive that the control no longer offers and whose weight moved.
        weights = dict(opened.requirements.weights)
        if weights and not set(asked.get("category", ())) <= set(weights):
            st.session_state["category"] = list(weights)
            st.session_state.update({link.weight_key(name): w for name, w in weights.items()})
    # As on a first visit, nothing is to stand in the address right after a reset.
    was_reset = st.session_state.pop("was_reset", False)
    # The evidence decides what the controls above it offer, so it is drawn first and stands last.
    work, limits, evidence_place = st.container(), st.container(), st.container()
    with evidence_place:
        _evidence(store, keep_version=not (first_run or was_reset))
    with work:
        _task(store)
    with limits:
        purchase_controls.limits()
        _must_have(store, first_run=first_run)
        volume = st.container()
    purchase_controls.conditions()
    purchase_controls.workload(store)
    with volume:
        purchase_controls.requests(store)
    own_figures.draw(store)
    _more(store)
    st.button(
        "Reset", icon=":material/restart_alt:", width="stretch", on_click=_reset, args=(store,)
    )


def _must_have(store: Store, *, first_run: bool) -> None:
    """Draw the conditions; those that a link gives by a name from before are set in a second run.

    In the first one the address goes before anything that the session holds.
    """
    if not first_run and (linked := st.session_state.pop("linked_gates", None)) is not None:
        st.session_state["gates"] = linked
    purchase_controls.must_have(store)
    if "linked_gates" in st.session_state:
        st.rerun()


def _more(store: Store) -> None:
    """Draw the controls that few questions need."""
    usual = {"margin": _DEFAULTS.margin * 100, "overlap": False, "flagged": False}
    fold = st.expander("Other settings", key="more_fold", on_change="rerun")
    if not (keep_in_address({**usual, "only": None}) or fold.open):
        return
    with fold:
        st.number_input(
            "Margin for “as good”, points",
            *LIMITS["margin"],
            value=_DEFAULTS.margin * 100,
            step=0.5,
            format="%0.1f",
            key="margin",
            bind="query-params",
            help="How much worse a model may be and still count as as good, in points out of 100. "
            "It counts only where even the lower end of the interval stays within this margin.",
        )
        _only(store)
        st.toggle(
            "Count overlapping benchmarks once",
            key="overlap",
            bind="query-params",
            help="Benchmarks that rank the models alike share one vote, so that six exam subjects "
            "do not outvote one set of real notes. Evidence, Redundancy shows which ones overlap.",
        )
        _flagged(store)


def question(store: Store) -> link.Opened:
    """Return what the controls ask."""
    # Taken out at once: asking the session for each of fifty keys takes ten times as long.
    state = st.session_state.to_dict()
    categories = _as_list(state.get("category"))
    kinds = (link.volume_key(kind.id) for kind in store.catalogue.procurement.requests)
    keys = (*link_keys.SHARED, *kinds, *(link.weight_key(name) for name in categories))
    asked = {key: _as_list(state[key]) for key in keys if state.get(key) is not None}
    return link.from_query(asked, store.catalogue, store.snapshots)


def _as_list(value: object) -> list[str]:
    if isinstance(value, bool):
        return [str(value).lower()]
    if isinstance(value, (list, tuple)):
        return [str(item) for item in value]
    return [] if value is None else [str(value)]


def _bases(store: Store) -> list[EvidenceBase]:
    releases = {s.suite for s in store.snapshots if s.kind == "release"}
    return link.offered(store.catalogue, releases)


def _evidence(store: Store, *, keep_version: bool) -> None:
    bases = {base.name: base for base in _bases(store)}
    name = st.selectbox(
        "Evidence base",
        list(bases),
        key="evidence",
        bind="query-params",
        help="The leaderboard or study whose scores count. Scores of two suites are never "
        "mixed, because each runs its tests in its own way.",
    )
    base = bases[name]
    suite = store.catalogue.suites[base.suite]
    snapshots = store.of_suite(base.suite)
    if snapshots:
        labels = [link.data_label(snapshot) for snapshot in snapshots]
        if keep_version and st.session_state.get("data") not in labels:
            st.session_state["data"] = labels[0]
        newest = snapshots[0]
        st.caption(
            f"{base.description} As of {newest.as_of or f'release {newest.revision}'}.",
            help=suite.description,
        )
        with st.expander("Version of the evidence"):
            st.selectbox(
                "Snapshot",
                labels,
                index=None,
                placeholder=f"Newest: {labels[0]}",
                key="data",
                bind="query-params",
                help="Every copy of the scores is kept. A link remembers the one it was made "
                "with, so that a colleague sees the same figures.",
            )
    if suite.protocols:
        st.selectbox(
            "Prompting",
            [link.PROTOCOLS[protocol] for protocol in suite.protocols],
            key="protocol",
            bind="query-params",
            help="How the question was put to the model. Results under different prompting are "
            "kept apart.",
        )


def _task(store: Store) -> None:
    tasks = store.catalogue.tasks
    name = st.selectbox(
        "Task",
        [task.name for task in tasks.values()],
        key="task",
        bind="query-params",
        help="What the model is for. Each task counts the benchmarks of its own categories; "
        "balanced counts all kinds of work, as the suite itself weighs them.",
    )
    if name != tasks[link.OWN_TASK].name:
        return
    base = next(b for b in store.catalogue.evidence.values() if b.name == st.session_state.evidence)
    chosen = st.multiselect(
        "Task categories",
        all_categories(store.catalogue.benchmarks[base.suite]),
        key="category",
        bind="query-params",
        placeholder="All categories alike",
    )
    for category in chosen:
        st.number_input(
            f"Weight of {category.lower()}",
            *LIMITS["weight"],
            value=1.0,
            step=0.5,
            format="%g",
            key=link.weight_key(category),
            bind="query-params",
        )


def _only(store: Store) -> None:
    models = data.products(store, data.selection_of(question(store).requirements)).models
    chosen = st.session_state.get("only") or st.query_params.get_all("only")
    # A list of thousands would be sent to the browser with every click.
    options = sorted(models, key=str.lower) if len(models) <= MOST_MODELS else []
    st.multiselect(
        "Only these models",
        [*options, *(model for model in dict.fromkeys(chosen) if model not in options)],
        key="only",
        bind="query-params",
        placeholder="All models",
        help="To choose among some models only, such as those on offer. Evidence, Clusters "
        "can send a whole cluster here.",
    )


def _flagged(store: Store) -> None:
    asked = question(store).requirements
    n_runs = len({flag.run for flag in data.flags(store, data.selection_of(asked))})
    st.toggle(
        "Count flagged runs as well",
        key="flagged",
        bind="query-params",
        help="A run is flagged where its scores do not look as an honest test of that model "
        "would: a hint, not a verdict. Flagged runs stay out of every figure unless you bring "
        "them in. Data, Flags and changes lists each with its reason.",
    )
    st.caption(
        f"{n_runs or 'No'} runs of this evidence are flagged."
        if n_runs != 1
        else "One run of this evidence is flagged."
    )


def share(store: Store) -> None:
    """Draw the link to this page."""
    with st.popover("Copy link", icon=":material/link:"):
        st.caption("Whoever opens this link sees the same choices and the same evidence.")
        made = address(store)
        st.code(made.url, language=None, wrap_lines=True)
        if made.note:
            st.warning(made.note, icon=":material/link_off:")


def address(store: Store) -> link.Link:
    """Return the link to this page with every choice in it that the app knows."""
    asked = question(store).requirements
    on = evidence.priced_on(asked)
    shared = documents.shortlist_link(store, asked, on, st.context.url or "")
    own = {key: st.query_params.get_all(key) for key in st.query_params if link_keys.of_a_page(key)}
    return link.bounded(shared, own)


def _reset(store: Store) -> None:
    """Return every control to its default."""
    st.session_state.update(
        evidence=_bases(store)[0].name,
        data=None,
        protocol=next(iter(link.PROTOCOLS.values())),
        task=store.catalogue.tasks[_DEFAULTS.task].name,
        category=[],
        access=link.ACCESS[_DEFAULTS.access],
        max_params=link.size_label(None),
        budget=None,
        requests=_DEFAULTS.requests_per_month,
        tokens_in=None,
        tokens_out=None,
        tokens_reasoning=None,
        gpu=link.CHEAPEST_GPU,
        margin=_DEFAULTS.margin * 100,
        only=[],
        gates=[],
        retention=None,
        window=None,
        prices=None,
        sale=sale_label(_DEFAULTS.on_sale_months),
        sale_on=None,
        **{link.volume_key(kind.id): 0.0 for kind in store.catalogue.procurement.requests},
        **{key: [] for key in link_keys.OWN_FIGURES},
        flagged=False,
        overlap=False,
        link_notes=(),
        own_notes={},
        was_reset=True,
    )
