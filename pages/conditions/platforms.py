"""Which models can be bought under the hospital's conditions, and what must still be asked?"""

import streamlit as st

from core import answers
from core.answers.conditions import Conditions, KnownAnswer
from core.charts import conditions as charts
from core.domain import Requirements, Snapshot
from core.evidence.store import Store
from pages.components import blocks, conditions, controls, evidence, wording
from pages.components.notices import own_choice, plain

_USUAL = ("baa", "trains_on_customer_data_by_default", "hipaa_eligible_statement")
_ALL, _MODELS = "All platforms", "Models of this evidence"
_KNOWN = "What platforms answer to conditions of purchase"


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    asked = controls.question(store).requirements
    if answers.has_gates(asked):
        _under_conditions(store, asked)
    else:
        _offer_conditions(store)
    every = answers.platform_answers(store, asked)
    answered = {one.about for one in every if one.standing != "not known"}
    drawn = [one for one in every if one.about in answered]
    st.subheader("What is known")
    _picture(drawn, [one.about for one in every if one.about not in answered])
    _answers(store, asked, every, drawn)
    blocks.how_made("Gates", key="conditions")


def _offer_conditions(store: Store) -> None:
    """Say that no condition is set, and offer the usual ones."""
    kinds = store.catalogue.procurement.gate_kinds
    st.markdown(
        "**You have set no condition, so none leaves a model out.** Set yours in the side bar "
        "under “Must have”, or begin with what US hospitals usually need for patient data."
    )
    in_words = conditions.asked(Requirements(gates=_USUAL), kinds)
    st.button(
        "Set the usual conditions for patient data",
        type="primary",
        on_click=st.session_state.update,
        kwargs={"gates": [kinds[gate].required for gate in _USUAL]},
        help=f"{wording.sentence(in_words)}.",
    )


def _under_conditions(store: Store, asked: Requirements) -> None:
    """Answer the question: counts, models, the ways to one of them, and the questions."""
    with st.spinner("Checking the conditions…"):
        found = answers.conditions(store, asked, evidence.priced_on(asked))
    if not found.rows:
        st.info(
            "This evidence has no usable model to check: each was left out before. Recommend says "
            "why.",
            icon=":material/search_off:",
        )
        return
    kinds = store.catalogue.procurement.gate_kinds
    snapshot = store.snapshot(asked.suite, asked.revision)
    st.markdown(conditions.answer(found))
    every = (
        " Every way counts here, whatever “Where it may run” says."
        if asked.access in ("own", "vendor")
        else ""
    )
    st.caption(
        f"Conditions: {plain(conditions.asked(asked, kinds))}. Change them in the side bar under "
        f"“Must have”. {conditions.evidence_count(found)}{every}"
    )
    frame = conditions.models(found)
    chosen = blocks.table(
        frame,
        name="conditions-models",
        title="Models under conditions",
        alt="Models under the conditions, best first: "
        + "; ".join(
            f"{row.model.name} {conditions.STATUS[row.best.status]} at {row.best.platform}"
            for row in found.rows[:20]
        ),
        columns=conditions.MODEL_COLUMNS,
        snapshot=snapshot,
        on_select="rerun",
        selection_mode="single-row",
        key="conditions_row",
    )
    row = found.rows[blocks.selected_row(chosen, len(found.rows))]
    with st.expander(f"Ways to get {plain(row.model.name)}, and their conditions"):
        st.caption("Choose a row in the table above to see another model here.")
        st.dataframe(
            conditions.ways(row.ways),
            column_config=conditions.WAYS_COLUMNS,
            hide_index=True,
            alt=f"Ways to get {row.model.name}, with every condition",
        )
    _questions(found, snapshot)


def _questions(found: Conditions, snapshot: Snapshot | None) -> None:
    """List what is open, by whom to ask."""
    st.subheader("What to ask whom")
    if not found.inquiries:
        st.markdown("Every condition has an answer on every way that does not fail.")
        return
    st.markdown(
        conditions.to_ask(found)
        or "Nothing is open on the best ways. On other ways it is: their questions are below."
    )
    questions = conditions.questions(found)
    with st.expander(f"All {wording.counted(len(questions), 'question')}, other ways included"):
        blocks.table(
            questions,
            name="conditions-questions",
            title="What to ask whom",
            alt="Open questions by whom they go to",
            columns={"Question": st.column_config.TextColumn(width="large")},
            snapshot=snapshot,
        )


def _picture(drawn: list[KnownAnswer], unheard: list[str]) -> None:
    """Draw what each platform answers, and count what is known."""
    answered, silent = dict.fromkeys(one.about for one in drawn), list(dict.fromkeys(unheard))
    n_known = sum(one.standing != "not known" for one in drawn)
    st.markdown(
        f"Of {len(drawn)} answers that {len(answered)} platforms could give, {n_known} are known."
        + (
            f" Nothing is known of {wording.counted(len(silent), 'platform')} more."
            if silent
            else ""
        ),
        help=f"Nothing is known of {plain(wording.list_of(silent))}." if silent else None,
    )
    blocks.figure(
        charts.answers(conditions.cells(drawn)),
        name="conditions-known",
        title=_KNOWN,
        alt=f"{_KNOWN}: "
        + "; ".join(
            f"{about}: "
            + ", ".join(f"{one.kind.name} {one.standing}" for one in drawn if one.about == about)
            for about in answered
        ),
        snapshot=None,
    )
    own = any(one.answer.source_kind == "own" for one in drawn)
    st.caption(
        "Colour: how the answer stands to what a buyer wants. “if”: under a condition, “?”: not "
        f"known, a number: days that data are kept{', *: your own answer' if own else ''}. Most "
        "answers come from public pages, some by third parties and many undated: confirm them "
        "before you sign."
    )


def _answers(
    store: Store, asked: Requirements, every: tuple[KnownAnswer, ...], drawn: list[KnownAnswer]
) -> None:
    """List the answers of one platform, of all of them, or on the models, with their sources."""
    about = [_ALL, *dict.fromkeys(one.about for one in every), _MODELS]
    own_choice("about", "The platform", about, _ALL.lower())
    chosen = st.selectbox("Answers of", about, key="about", bind="query-params")
    if chosen == _MODELS:
        shown = list(answers.answers_on_models(store, asked))
    elif chosen == _ALL:
        shown = drawn
    else:
        shown = [one for one in every if one.about == chosen]
    blocks.table(
        conditions.known(shown),
        name="conditions-answers",
        title="Answers on conditions",
        alt=f"Answers on conditions of purchase: {chosen}",
        columns=conditions.KNOWN_COLUMNS,
        snapshot=None,
        placeholder="",
    )
