"""Which models can be bought under the hospital's conditions, and what must still be asked?"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from core.answers import conditions
from core.answers.conditions import BEST_FIRST, Conditions
from core.charts.grids import platform_answers
from core.domain import GateKind, Requirements, Snapshot
from core.evidence.store import Store
from core.procurement.gates import met
from core.words import figures
from core.words.shortlist import SOURCES, met_in_words, said_of, sale_in_words, within_sentence
from pages.components import blocks, controls, evidence
from pages.components.notices import own_choice, plain
from pages.components.recommendation import STATUS, ways

_TITLE = "What platforms answer to conditions of purchase"
_USUAL = ("baa", "trains_on_customer_data_by_default", "hipaa_eligible_statement")


def draw() -> None:
    """Draw the tab."""
    # Links from before may ask for the answers of one platform.
    own_choice("about", "The platform", (), "all platforms")
    store = evidence.store()
    asked = controls.question(store).requirements
    if _in_words(asked, store.catalogue.procurement.gate_kinds):
        _verdicts(store, asked)
    else:
        _offer_conditions(store)
    st.subheader("What is known")
    _known(store, asked)
    blocks.how_made("Gates", key="conditions")


def _offer_conditions(store: Store) -> None:
    """Say that no condition is set, and offer the usual ones."""
    kinds = store.catalogue.procurement.gate_kinds
    st.markdown(
        "**You have set no condition, so none leaves a model out.** Set yours in the side bar "
        "under “Must have”, or begin with what US hospitals usually need for patient data."
    )
    st.button(
        "Set the usual conditions for patient data",
        type="primary",
        on_click=st.session_state.update,
        kwargs={"gates": [kinds[gate].required for gate in _USUAL]},
        help=f"{figures.capitalised(_in_words(Requirements(gates=_USUAL), kinds))}.",
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
    meet, between = found.n("passes"), found.n("conditional", "open")
    fail = found.n("fails")
    st.markdown(
        f"**Of {figures.counted(len(found.rows), 'model')}, {meet} "
        f"{'meets' if meet == 1 else 'meet'} your conditions as far as is known, {between} on a "
        f"condition or with open questions, {fail} {'fails' if fail == 1 else 'fail'}.**"
    )
    if counts := met([row.ways for row in found.rows]):
        st.markdown(plain(figures.sentence(met_in_words(counts))))
    if ended := sum(row.sale.standing == "fails" for row in found.rows):
        whole = ended == len(found.rows)
        them = (
            "None of them is" if whole else f"{ended} of them {'is' if ended == 1 else 'are'} not"
        )
        st.markdown(f"{them} on sale for long enough; what has ended stands last.")
    rest = "" if found.n_known == found.n_needed else "; the others are questions, never a no"
    every = ""
    if asked.platforms:
        every = (
            f" Only your platforms count, and {figures.counted(found.n_elsewhere, 'model')} "
            f"{'is' if found.n_elsewhere == 1 else 'are'} not known to be sold there."
        )
    elif asked.access in ("own", "vendor"):
        every = " Every way counts here, whatever “Where it may run” says."
    st.caption(
        f"Conditions: {plain(_in_words(asked, kinds))}. Change them in the side bar under "
        "“Must have”. Each model stands with the best way to get it. Known: "
        f"{found.n_known} of the {figures.counted(found.n_needed, 'answer')} that the conditions "
        f"need{rest}.{every}"
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
    asked = [kinds[gate] for gate in requirements.gates]
    names = ["no " * (kind.wanted == "no") + within_sentence(kind.name) for kind in asked]
    if (most := requirements.max_retention_days) is not None:
        names.append(f"data kept for at most {figures.counted(most, 'day')}")
    if requirements.min_context_tokens is not None:
        names.append(f"at least {requirements.min_context_tokens:,} tokens read at once")
    return "; ".join(names)


def _models(found: Conditions) -> pd.DataFrame:
    rows = found.rows
    said = [[w for status in BEST_FIRST[:0:-1] for w in said_of(r.best, status)] for r in rows]
    return pd.DataFrame(
        {
            "Model": [row.model.name for row in rows],
            "Best way": [row.best.platform for row in rows],
            "Stands": [STATUS[row.best.status] for row in rows],
            "On sale": [figures.capitalised(sale_in_words(row.sale)) for row in rows],
            "Reasons, questions and conditions": [
                " ".join((*words, row.best.note)).strip()
                for words, row in zip(said, rows, strict=True)
            ],
            "Questions open": [len(said_of(row.best, "open")) for row in rows],
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
    best = [one for one in found.inquiries if one.models]
    st.markdown(
        f"{figures.counted(len(best), 'question')} on the best ways, whom most models wait for "
        "first; those on other ways below."
        if best
        else "Nothing is open on the best ways. On other ways it is."
    )
    questions = pd.DataFrame(
        {
            "Whom": [one.whom for one in found.inquiries],
            "Question": [one.question for one in found.inquiries],
            "Best way of": [", ".join(one.models) for one in found.inquiries],
            "Other way of": [", ".join(one.others) for one in found.inquiries],
            "Condition": [one.condition for one in found.inquiries],
        }
    )
    blocks.table(questions, "conditions-questions", "What to ask whom", snapshot)


def _known(store: Store, asked: Requirements) -> None:
    """Draw what each platform answers, and list all answers with their sources."""
    every = conditions.platform_answers(store, asked)
    answered = dict.fromkeys(one.about for one in every if one.standing != "not known")
    drawn = [one for one in every if one.about in answered]
    silent = list(dict.fromkeys(one.about for one in every if one.about not in answered))
    n_known = sum(one.standing != "not known" for one in drawn)
    more = f" Nothing is known of {figures.counted(len(silent), 'platform')} more."
    st.markdown(
        f"Of {len(drawn)} answers that {len(answered)} platforms could give, {n_known} are known."
        f"{more if silent else ''}",
        help=f"Nothing is known of {plain(figures.listed(silent))}." if silent else None,
    )
    stars = ["*" if one.answer.source_kind == "own" else "" for one in drawn]
    cells = [
        (
            *(one.about, one.kind.name, one.short + star, one.standing),
            one.answer.detail or "no statement found",
        )
        for one, star in zip(drawn, stars, strict=True)
    ]
    blocks.figure(
        platform_answers(cells),
        "conditions-known",
        _TITLE,
        f"{_TITLE}: "
        + "; ".join(
            f"{about}: "
            + ", ".join(f"{one.kind.name} {one.standing}" for one in drawn if one.about == about)
            for about in answered
        ),
    )
    st.caption(
        "Colour: how the answer stands to what a buyer wants. “if”: under a condition, “?”: not "
        f"known, a number: days that data are kept{', *: your own answer' if any(stars) else ''}. "
        "Many answers are undated or by third parties: confirm them before you sign."
    )
    found = [*drawn, *conditions.answers_on_models(store, asked)]
    frame = pd.DataFrame(
        {
            "About": [one.about for one in found],
            "Condition": [one.kind.name for one in found],
            "Answer": [one.answer.answer for one in found],
            "Stands": [one.standing for one in found],
            "Days": pd.array([one.answer.days for one in found], dtype="Int64"),
            "Detail": [one.answer.detail for one in found],
            "Source": [one.answer.source_url for one in found],
            "As of": [one.answer.as_of for one in found],
            "Kind of source": [
                SOURCES.get(one.answer.source_kind, one.answer.source_kind) for one in found
            ],
        }
    )
    blocks.table(frame, "conditions-answers", "Answers on conditions", placeholder="")
