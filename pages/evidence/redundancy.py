"""Which tests repeat which? The map of correlations, and what counts as one vote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.answers import data, other_suites
from core.answers import evidence as evidence_answers
from core.answers.other_suites import AcrossSuites
from core.charts import correlations
from core.domain import Selection, Suite
from core.evidence.store import Store
from core.procurement.reasons import count
from core.sharing import wording
from core.statistics.score_matrix import complete
from pages.components import controls, evidence
from pages.components.blocks import choose, figure, how_made, numbers, table
from pages.components.notices import plain
from pages.components.undrawn import keep_in_address
from pages.evidence import pairs, sections, smaller_set
from pages.evidence.pairs import Compared

_METHODS = {"Straight line (Pearson)": "pearson", "Order only (Spearman)": "spearman"}
_ONE_PAIR, _EVERY, _SMALLER = "One pair", "Every pair", "A smaller set"
_SECTIONS = {_ONE_PAIR: ("bench_a", "bench_b"), _EVERY: (), _SMALLER: ("keep",), "Other suites": ()}
_KEY = "repeats_show"
_FEW_MODELS = 30
_MOST_GROUPS = 5
_MOST_NAMED = 8
_MOST_ALONE = 3


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    selection = data.selection_of(controls.question(store).requirements)
    with st.spinner("Comparing benchmarks…"):
        groups = evidence_answers.vote_groups(store, selection)
        scores = complete(data.products(store, selection))
    names = pairs.labels(scores.benchmarks)
    st.markdown(finding(groups, names))
    if len(scores.models) < _FEW_MODELS:
        st.caption(
            f"Only {wording.counted(len(scores.models), 'model')} have every benchmark: with so "
            "few, two benchmarks can seem alike by chance. Take this as rough."
        )
    method = _method()
    compared = Compared(store, evidence_answers.redundancy(store, selection, method), scores, names)
    _map(store, selection, compared, groups)
    _votes(compared, groups)
    for section in sections.opened(_SECTIONS, key=_KEY):
        st.subheader(section)
        if section == _ONE_PAIR:
            pairs.one(compared)
        elif section == _EVERY:
            pairs.every(compared, [group[0] for group in groups])
        elif section == _SMALLER:
            smaller_set.draw(store, selection, scores)
        else:
            _across(store)
    sections.left_out(
        store,
        compared.found.excluded,
        title="Models left out of the correlations",
        snapshot=compared.found.snapshot,
    )
    how_made("Redundancy", key="redundancy")


def _method() -> str:
    method = choose(
        "Two benchmarks agree by",
        _METHODS,
        key="method",
        what="The kind of correlation",
        draw=st.segmented_control,
        help="Pearson asks whether the scores lie on one straight line, Spearman only whether both "
        "put the models in the same order.",
    )
    return _METHODS[method]


def finding(groups: Sequence[Sequence[str]], names: Mapping[str, str]) -> str:
    """Say by name which benchmarks repeat which, and what that leaves."""
    n = len(names)
    shared = sorted((group for group in groups if len(group) > 1), key=len, reverse=True)
    alone = [group[0] for group in groups if len(group) == 1]
    if not shared:
        return f"**None of the {count(n)} tests repeats another: each adds something.**"
    if len(groups) == 1:
        return f"**All {count(n)} tests repeat one another.**"
    listed = [
        plain(sections.some_of([names[test] for test in group], _MOST_NAMED)) for group in shared
    ]
    own = ""
    if 1 <= len(alone) <= _MOST_ALONE:
        adds = "adds something of its own" if len(alone) == 1 else "add something of their own"
        own = f"; {plain(wording.list_of([names[test] for test in alone]))} {adds}"
    if len(shared) == 1:
        told = f"**{listed[0]} repeat one another{own}.**"
    else:
        rest = len(shared) - _MOST_GROUPS
        more = f"; and {count(rest)} more" if rest > 0 else ""
        told = (
            f"**{count(len(shared)).capitalize()} groups of tests repeat one another:** "
            f"{'; '.join(listed[:_MOST_GROUPS])}{more}{own}."
        )
    return (
        f"{told} Counted without repetition, the {count(n)} benchmarks come to "
        f"{wording.counted(len(groups), 'vote')}."
    )


def _map(
    store: Store, selection: Selection, compared: Compared, groups: Sequence[Sequence[str]]
) -> None:
    found, names = compared.found, compared.names
    picture = correlations.correlation_map(
        found, evidence_answers.similar_first(store, selection), names, groups
    )
    figure(
        picture,
        "correlations",
        f"Correlation of benchmarks, {wording.counted(len(compared.scores.models), 'model')}",
        pairs.map_in_words(found, names),
        found.snapshot,
        frame=pairs.table_of(found, names),
        key="correlation_map",
        on_select=_take_click,
        selection_mode=correlations.PAIR,
    )
    many = len(names) > correlations.MOST_WITH_NUMBERS
    sign = "small square" if many else "number in brackets"
    st.caption(
        "Blue: models that do well on one do well on the other. Orange: they do badly. "
        f"A {sign}: chance could explain it. A dashed frame: one vote. Click a cell for its "
        "scatter plot.",
        help=f"Chance could explain it: p is not below 0.01 divided by {len(found.pairs):,}, the "
        "number of pairs.",
    )


def _take_click() -> None:
    clicked = st.session_state["correlation_map"]["selection"].get(correlations.PAIR) or []
    for cell in clicked[:1]:
        already = [name for name in st.session_state.get(_KEY) or [] if name != _ONE_PAIR]
        st.session_state.update({"bench_a": cell["a"], "bench_b": cell["b"]})
        # Their controls may not be drawn yet, and only a drawn one writes the address itself.
        keep_in_address({"bench_a": None, "bench_b": None})
        st.session_state[_KEY] = [_ONE_PAIR, *already]


def _votes(compared: Compared, groups: Sequence[Sequence[str]]) -> None:
    ordered = sorted(groups, key=len, reverse=True)
    listed = [", ".join(compared.names[test] for test in group) for group in ordered]
    st.caption(
        "Benchmarks that share one vote: “Count overlapping benchmarks once” in the side bar "
        "counts them so, within each task category."
    )
    table(
        pd.DataFrame({"Benchmarks": [len(group) for group in ordered], "Share one vote": listed}),
        "votes",
        "Benchmarks that share one vote",
        compared.found.snapshot,
    )


def _across(store: Store) -> None:
    """Say and list how the orders of every two suites agree."""
    with st.spinner("Comparing suites…"):
        found = other_suites.across_suites(store)
    if not found:
        st.caption("No two suites have three models in common.")
        return
    st.markdown(
        _agree(found),
        help="Over all models of each suite, whatever is chosen in the side bar; flagged runs, "
        "lines to compare with and your own results left out. Higher is better in every order: "
        "fewer severe harms are. Models are matched by a table in which each pair has its reason.",
    )
    table(
        _orders(found, store.catalogue.suites),
        "across-suites",
        "Do the suites agree?",
        placeholder="none",
    )


def _agree(found: Sequence[AcrossSuites]) -> str:
    """Say how many pairs of orders agree, disagree, and leave it open."""
    said = Counter(pair.agreement.says for pair in found)
    agree, disagree = said["agree"], said["disagree"]
    rest = len(found) - agree - disagree
    return (
        f"**Of {wording.counted(len(found), 'pair')} of orders, "
        f"{count(agree) if agree else 'none'} {'agrees' if agree == 1 else 'agree'} and "
        f"{count(disagree) if disagree else 'none'} "
        f"{'disagrees' if disagree == 1 else 'disagree'}.** For the other {count(rest)} the models "
        "that both suites have are too few to tell."
    )


def _orders(found: Sequence[AcrossSuites], suites: Mapping[str, Suite]) -> pd.DataFrame:

    def words(order: str) -> str:
        suite, _, metric = order.partition(":")
        return f"{suites[suite].name}: {metric}"

    ordered = sorted(found, key=lambda pair: -pair.agreement.n_models)
    return pd.DataFrame(
        {
            "Order": [words(pair.a) for pair in ordered],
            "Beside": [words(pair.b) for pair in ordered],
            "Models": [pair.agreement.n_models for pair in ordered],
            "Version not stated": [
                sum(kind != "same version" for *_, kind in pair.models) for pair in ordered
            ],
            "ρ": numbers([pair.agreement.rho for pair in ordered]),
            "From": numbers([pair.agreement.ci_low for pair in ordered]),
            "To": numbers([pair.agreement.ci_high for pair in ordered]),
            "They": [pair.agreement.says for pair in ordered],
        }
    )
