"""Which models can be bought under the hospital's conditions, and what must still be asked?"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

import pandas as pd
import streamlit as st

from core.answers import conditions, routes
from core.answers.conditions import BEST_FIRST, Conditions
from core.domain import GateKind, Requirements, Snapshot
from core.evidence.store import Store
from core.procurement.gates import within_sentence
from core.words import figures
from pages.components import blocks, controls, evidence
from pages.components.notices import plain
from pages.components.tables import STATUS, ways
from pages.conditions import known

_USUAL = ("baa", "trains_on_customer_data_by_default", "hipaa_eligible_statement")
_MOST_ASKED, _MOST_QUESTIONS = 6, 4


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    asked = controls.question(store).requirements
    if routes.has_gates(asked):
        _verdicts(store, asked)
    else:
        _offer_conditions(store)
    st.subheader("What is known")
    known.draw(store, asked)
    blocks.how_made("Gates", key="conditions")


def _offer_conditions(store: Store) -> None:
    """Say that no condition is set, and offer the usual ones."""
    kinds = store.catalogue.procurement.gate_kinds
    st.markdown(
        "**You have set no condition, so none leaves a model out.** Set yours in the side bar "
        "under “Must have”, or begin with what US hospitals usually need for patient data."
    )
    in_words = _in_words(Requirements(gates=_USUAL), kinds)
    st.button(
        "Set the usual conditions for patient data",
        type="primary",
        on_click=st.session_state.update,
        kwargs={"gates": [kinds[gate].required for gate in _USUAL]},
        help=f"{figures.capitalised(in_words)}.",
    )


def _verdicts(store: Store, asked: Requirements) -> None:
    """Answer the question: counts, models, the ways to one of them, and the questions."""
    with st.spinner("Checking the conditions…"):
        found = conditions.conditions(store, asked, evidence.priced_on(asked))
    if not found.rows:
        st.info(
            "This evidence has no usable model to check: each was left out before. Recommend says "
            "why.",
            icon=":material/search_off:",
        )
        return
    kinds = store.catalogue.procurement.gate_kinds
    snapshot = store.snapshot(asked.suite, asked.revision)
    st.markdown(_answer(found))
    every = (
        " Every way counts here, whatever “Where it may run” says."
        if asked.access in ("own", "vendor")
        else ""
    )
    st.caption(
        f"Conditions: {plain(_in_words(asked, kinds))}. Change them in the side bar under "
        f"“Must have”. {_evidence_count(found)}{every}"
    )
    frame = _models(found)
    chosen = blocks.table(
        frame,
        "conditions-models",
        "Models under conditions",
        snapshot,
        alt="Models under the conditions, best first: "
        + "; ".join(
            f"{row.model.name} {STATUS[row.best.status]} at {row.best.platform}"
            for row in found.rows[:20]
        ),
        on_select="rerun",
        selection_mode="single-row",
        key="conditions_row",
    )
    row = found.rows[blocks.selected_row(chosen, len(found.rows))]
    with st.expander(f"Ways to get {plain(row.model.name)}, and their conditions"):
        st.caption("Choose a row in the table above to see another model here.")
        blocks.table(
            ways(row.ways),
            "ways",
            f"Ways to get {row.model.name}, with every condition",
            file=False,
        )
    _questions(found, snapshot)


def _in_words(requirements: Requirements, kinds: Mapping[str, GateKind]) -> str:
    """Write the conditions that are set, in one line of plain text."""
    names = [
        f"no {within_sentence(kinds[gate].name)}"
        if kinds[gate].wanted == "no"
        else within_sentence(kinds[gate].name)
        for gate in requirements.gates
    ]
    if requirements.max_retention_days is not None:
        kept = figures.counted(requirements.max_retention_days, "day")
        names.append(f"data kept for at most {kept}")
    if requirements.min_context_tokens is not None:
        names.append(f"at least {requirements.min_context_tokens:,} tokens read at once")
    return "; ".join(names)


def _answer(found: Conditions) -> str:
    n = len(found.rows)
    between = found.n("conditional", "open")
    return (
        f"**Of {figures.counted(n, 'model')}, {found.n('passes')} "
        f"{'meets' if found.n('passes') == 1 else 'meet'} your conditions as far as is known, "
        f"{between} on a condition or with open questions, {found.n('fails')} "
        f"{'fails' if found.n('fails') == 1 else 'fail'}.**"
    )


def _evidence_count(found: Conditions) -> str:
    """Say on how many answers the verdicts rest."""
    rest = "" if found.n_known == found.n_needed else "; the others are questions, never a no"
    return (
        f"Each model stands with the best way to get it. Known: {found.n_known} of the "
        f"{figures.counted(found.n_needed, 'answer')} that the conditions need{rest}."
    )


def _models(found: Conditions) -> pd.DataFrame:
    rows = found.rows
    said = [[w for status in BEST_FIRST[:0:-1] for w in r.best.words(status)] for r in rows]
    return pd.DataFrame(
        {
            "Model": [row.model.name for row in rows],
            "Best way": [row.best.platform for row in rows],
            "Stands": [STATUS[row.best.status] for row in rows],
            "Reasons, questions and conditions": [
                " ".join((*words, row.best.note)).strip()
                for words, row in zip(said, rows, strict=True)
            ],
            "Questions open": [len(row.best.words("open")) for row in rows],
            "Ways": [len(row.ways) for row in rows],
            "Ways that fail": [sum(w.status == "fails" for w in row.ways) for row in rows],
            "Billed at": [
                row.bill.price.provider_name if row.bill else "no public price" for row in rows
            ],
        }
    )


def _questions(found: Conditions, snapshot: Snapshot | None) -> None:
    st.subheader("What to ask whom")
    if not found.inquiries:
        st.markdown("Every condition has an answer on every way that does not fail.")
        return
    st.markdown(
        _to_ask(found)
        or "Nothing is open on the best ways. On other ways it is: their questions are below."
    )
    questions = _every_question(found)
    with st.expander(f"All {figures.counted(len(questions), 'question')}, other ways included"):
        blocks.table(questions, "conditions-questions", "What to ask whom", snapshot)


def _every_question(found: Conditions) -> pd.DataFrame:
    """Return one row a question, by whom it goes to."""
    return pd.DataFrame(
        {
            "Whom": [one.whom for one in found.inquiries],
            "Condition": [one.condition for one in found.inquiries],
            "Question": [one.question for one in found.inquiries],
            "Best way of": [", ".join(one.models) for one in found.inquiries],
            "Other way of": [", ".join(one.others) for one in found.inquiries],
        }
    )


def _to_ask(found: Conditions) -> str:
    """List the questions on the best ways, by whom they go to; empty where there are none."""
    waiting = [one for one in found.inquiries if one.models]
    groups = [(whom, list(of)) for whom, of in groupby(waiting, lambda one: one.whom)]
    lines = []
    for whom, of in groups[:_MOST_ASKED]:
        lines.append(f"- **{plain(whom)}**")
        for one in of[:_MOST_QUESTIONS]:
            names = figures.listed(list(one.models[:4]))
            more = f" and {len(one.models) - 4} more" if len(one.models) > 4 else ""
            lines.append(f"  - {plain(one.question)} For {plain(names)}{more}.")
        if len(of) > _MOST_QUESTIONS:
            lines.append(f"  - And {len(of) - _MOST_QUESTIONS} more in the table.")
    if len(groups) > _MOST_ASKED:
        lines.append(f"- And {len(groups) - _MOST_ASKED} more vendors in the table.")
    return "\n".join(lines)
