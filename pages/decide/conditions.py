"""Which models can be bought under the hospital's conditions, and what must still be asked?"""

import streamlit as st

from core.answers import conditions, routes
from core.charts import conditions as charts
from core.domain import Requirements
from core.evidence.store import Store
from pages.components import conditions as parts
from pages.components import controls, evidence, own_conditions, wording
from pages.components.downloads import downloads
from pages.components.notices import own_choice, plain
from pages.components.pictures import vega_lite_chart

_USUAL = ("baa", "trains_on_customer_data_by_default", "hipaa_eligible_statement")
_ALL, _MODELS = "All platforms", "Models of this evidence"

store = evidence.store()
opened = controls.question(store)
asked = opened.requirements
snapshot = store.snapshot(asked.suite, asked.revision)
kinds = store.catalogue.procurement.gate_kinds


def _under_conditions(store: Store, asked: Requirements) -> None:
    """Answer the question: counts, models, the ways to one of them, and the questions."""
    with st.spinner("Checking the conditions…"):
        found = conditions.conditions(store, asked, evidence.priced_on(asked))
    if not found.rows:
        st.info(
            "This evidence has no usable model to check: each was left out before. The shortlist "
            "says why.",
            icon=":material/search_off:",
        )
        return
    st.markdown(parts.answer(found))
    st.caption(parts.evidence_count(found))
    if asked.access in ("own", "vendor"):
        ways = "own servers only" if asked.access == "own" else "vendors' services only"
        st.caption(f"Every way counts here. The shortlist counts {ways}, as the side bar asks.")
    frame = parts.models(found)
    chosen = st.dataframe(
        frame,
        column_config=parts.MODEL_COLUMNS,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key="conditions_row",
        alt="Models under the conditions, best first: "
        + "; ".join(
            f"{row.model.name} {parts.STATUS[row.best.status]} at {row.best.platform}"
            for row in found.rows[:20]
        ),
    )
    downloads("conditions-models", title="Models under conditions", snapshot=snapshot, frame=frame)
    position = (chosen["selection"].get("rows") or [0])[0]
    row = found.rows[min(position, len(found.rows) - 1)]
    with st.expander(f"Ways to get {plain(row.model.name)}, and their conditions"):
        st.caption("Choose a row in the table above to see another model here.")
        st.dataframe(
            parts.ways(row.ways),
            column_config=parts.WAYS_COLUMNS,
            hide_index=True,
            alt=f"Ways to get {row.model.name}, with every condition",
        )

    st.subheader("What to ask whom")
    if not found.inquiries:
        st.markdown("Every condition has an answer on every way that does not fail.")
        return
    listed = parts.to_ask(found)
    st.markdown(
        listed
        or "Nothing is open on the best ways. On other ways it is: their questions are below."
    )
    questions = parts.questions(found)
    with st.expander(f"All {wording.counted(len(questions), 'question')}, other ways included"):
        st.dataframe(
            questions,
            column_config={"Question": st.column_config.TextColumn(width="large")},
            hide_index=True,
            alt="Open questions by whom they go to",
        )
    downloads(
        "conditions-questions",
        title="What to ask whom",
        snapshot=snapshot,
        frame=questions,
    )


st.markdown("Which models can you buy under your conditions?")
if routes.has_gates(asked):
    st.caption(f"Your conditions: {plain(parts.asked(asked, kinds))}. The side bar changes them.")
    _under_conditions(store, asked)
else:
    st.markdown(
        "You have set no condition, so none leaves a model out. Set yours in the side bar under "
        "“Must have”, or begin with what US hospitals usually need for patient data."
    )
    usual = [kinds[gate].required for gate in _USUAL]
    in_words = parts.asked(Requirements(gates=_USUAL), kinds)
    st.button(
        "Set the usual conditions for patient data",
        type="primary",
        on_click=st.session_state.update,
        kwargs={"gates": usual},
        help=f"{wording.sentence(in_words)}.",
    )

st.subheader("What is known")
platform_answers = conditions.platform_answers(store, asked)
answered = {one.about for one in platform_answers if one.standing != "not known"}
drawn = [one for one in platform_answers if one.about in answered]
silent = list(dict.fromkeys(one.about for one in platform_answers if one.about not in answered))
n_known = sum(one.standing != "not known" for one in drawn)
st.markdown(
    f"Of {len(drawn)} answers that {len(answered)} platforms could give, {n_known} are known."
    + (
        f" Nothing is known of {wording.counted(len(silent), 'platform')} more: "
        f"{plain(wording.list_of(silent))}."
        if silent
        else ""
    )
)
title = "What platforms answer to conditions of purchase"
picture = charts.answers(parts.cells(drawn))
vega_lite_chart(
    spec=picture,
    alt=f"{title}: "
    + "; ".join(
        f"{about}: "
        + ", ".join(f"{one.kind.name} {one.standing}" for one in drawn if one.about == about)
        for about in answered
    ),
)
own = any(one.answer.source_kind == "own" for one in drawn)
st.caption(
    "The word is the answer, the colour how it stands to what a buyer wants. “if”: under a "
    "condition, “?”: not known, a number: days that data are kept."
    + (" With a star: your own answer." if own else "")
    + " Most answers come from public pages, some of them by third parties and many without a "
    "date: confirm them before you sign."
)
downloads("conditions-known", title=title, snapshot=None, picture=picture)

about = [_ALL, *dict.fromkeys(one.about for one in platform_answers), _MODELS]
own_choice("about", "The platform", about, _ALL.lower())
chosen_about = st.selectbox("Answers of", about, key="about", bind="query-params")
if chosen_about == _MODELS:
    shown = list(conditions.answers_on_models(store, asked))
elif chosen_about == _ALL:
    shown = [one for one in platform_answers if one.about in answered]
else:
    shown = [one for one in platform_answers if one.about == chosen_about]
table = parts.known(shown)
st.dataframe(
    table,
    column_config=parts.KNOWN_COLUMNS,
    hide_index=True,
    placeholder="",
    alt=f"Answers on conditions of purchase: {chosen_about}",
)
downloads("conditions-answers", title="Answers on conditions", snapshot=None, frame=table)

own_conditions.own_answers(store, asked)

with st.expander("How this was made"):
    st.markdown(
        "- Every way to get a model is checked: each platform of the price list that sells it, "
        "and own servers where its weights are open. The worst answer counts for the way, the "
        "best way for the model.\n"
        "- A way **fails** only where a source says what you cannot accept. A model is left out of "
        "the shortlist when every way fails, with the reason. A way that fails is not used for "
        "the bill.\n"
        "- What nobody states stays a **question**: the model stays in.\n"
        "- A **conditional** answer meets the condition only under what the detail says.\n"
        "- **Days**: too many days by default are a condition where it can be agreed that nothing "
        "is stored, else they fail.\n"
        "- **Commercial use** comes from the licence of the weights; of closed weights the "
        "contract decides. Whether care is commercial use is a question for a lawyer.\n"
        "- **Your own answers** go before the public ones, and are part of the link."
    )
