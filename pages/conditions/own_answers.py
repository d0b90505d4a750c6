"""What a hospital was told of conditions and of ends of sale, which counts before public words."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.answers import data
from core.charts.kit import labels
from core.domain import Requirements
from core.evidence.catalogue import OWN_RESULT
from core.evidence.store import Store
from core.procurement.gates import RETENTION, SELF_HOSTED
from core.sharing import inputs
from core.sharing.controls import BY_KEY, platforms
from pages.components import controls, evidence
from pages.components.notices import plain
from pages.components.own_entry import own_entry

_A_MODEL = "A model"


def draw() -> None:
    """Draw what was told so far, and the forms."""
    store = evidence.store()
    asked = controls.question(store).requirements
    st.markdown(
        "**What a vendor told you, or what your contract says, counts before the public answers.** "
        "It becomes part of the link, with its source and date."
    )
    for key in ("own_answer", "own_sale"):
        if getattr(asked, BY_KEY[key].field):
            st.markdown(plain(f"{BY_KEY[key].label}: {BY_KEY[key].says(asked, store.catalogue)}."))
            st.caption("Take one out in the side bar, under “Your own figures”.")
    names = _names(store, asked)
    about = st.selectbox(
        "The answer is about",
        [*platforms(store.catalogue), SELF_HOSTED, _A_MODEL],
        key="answer_about",
        help="A platform that sells models, your own servers, or one model and its licence.",
    )
    of = {} if about == _A_MODEL else {"platform": about}
    own_entry(
        store,
        "own_answer",
        "Use this answer",
        lambda: _answer(store, names, of_model=not of),
        without_day=inputs.UNDATED,
        wrong=_wrong,
        **of,
    )
    st.subheader("Until when it is sold")
    own_entry(store, "own_sale", "Use this end of sale", lambda: _sale(store, names))


def _names(store: Store, asked: Requirements) -> dict[str, str]:
    """Return the names of the models of the evidence by their ids, in the order of letters."""
    found = data.products(store, data.selection_of(asked)).models
    ids = dict.fromkeys(name.removesuffix(OWN_RESULT) for name in found)
    names = labels([data.model(store, name) for name in ids])
    return dict(sorted(names.items(), key=lambda each: each[1].lower()))


def _answer(store: Store, names: Mapping[str, str], *, of_model: bool) -> None:
    kinds = store.catalogue.procurement.gate_kinds
    offered = [kind.id for kind in kinds.values() if (kind.about == "model") == of_model]
    left, right = st.columns(2)
    with left:
        if of_model:
            st.selectbox("Model", list(names), format_func=names.get, key="own_answer_platform")
        st.selectbox(
            "Condition", offered, format_func=lambda it: kinds[it].name, key="own_answer_gate"
        )
        st.radio(
            "Answer",
            inputs.ANSWERS,
            key="own_answer_answer",
            horizontal=True,
            help="Conditional: yes, if something else is done, such as signing a contract. Say in "
            "the detail what it is."
            + " For the context window, yes means: as many tokens as you need."
            * of_model,
        )
    with right:
        st.text_area("Detail", key="own_answer_detail", max_chars=inputs.LONGEST_TEXT, height=100)
        if not of_model:
            st.number_input(
                *("Days that data are kept", 0.0, 99_999.0, None, 1.0, "%g"),
                placeholder="Only for that condition",
                key="own_answer_days",
            )


def _wrong(said: Mapping[str, object]) -> str:
    if said["answer"] == "conditional" and not said["detail"]:
        return "Say in the detail on what condition."
    if said["gate"] == RETENTION and said["answer"] == "yes" and said["days"] is None:
        return "Give the number of days that data are kept."
    return ""


def _sale(store: Store, names: Mapping[str, str]) -> None:
    model, platform, day = st.columns(3)
    model.selectbox("Model", list(names), format_func=names.get, key="own_sale_model")
    platform.selectbox("Platform", list(platforms(store.catalogue)), key="own_sale_platform")
    day.date_input(
        "Sold until", value=None, key="own_sale_ends_on", help="Left empty: no end was told."
    )
