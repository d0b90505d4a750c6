"""Which models does the evidence support for this task, and why?"""

from datetime import date

import streamlit as st

from core.answers import recommend
from core.domain import Shortlist
from core.evidence.store import Store
from core.procurement.recommendation import Recommendation
from core.sharing.link import Opened
from pages.components import controls, entries, evidence, phone, saving, wording
from pages.components import recommendation as shown
from pages.components.blocks import how_made
from pages.components.notices import plain
from pages.recommend import cost_picture, details, documents, model_list, nothing_fits
from pages.recommend.shared_link import against_today

_NEXT = (
    ("replace", "Candidates", "We use another model", "swap_horiz"),
    ("replace", "Side by side", "Compare", "compare_arrows"),
    ("local_test", "Jury check", "Plan a local test", "fact_check"),
)


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    opened = controls.question(store)
    day = evidence.priced_on(opened.requirements)
    with st.spinner("Weighing the evidence…"):
        found = recommend.shortlist(store, opened.requirements, day)
        decided = recommend.recommendation(store, opened.requirements, day)
    phone.n_fit(decided.n_fit)
    against_today(store, opened.requirements, found)
    if found.rows:
        _answer(store, opened, found, decided, day)
    else:
        nothing_fits.draw(store, opened, found)
    with entries.actions():
        documents.menu(store, opened, found, decided)
    documents.receipt(store, opened)
    saving.form(store, opened, day)
    model_list.left_out(store, found)
    model_list.counts(found, day)
    how_made("Recommendation", "Weighted score and its interval", key="list")


def _answer(
    store: Store, opened: Opened, found: Shortlist, decided: Recommendation, day: date
) -> None:
    """Draw the answer, the ways on from it, the picture, the list and the chosen row."""
    st.markdown(
        f"{plain(wording.question(opened.requirements, found))}, on the evidence of "
        f"{plain(opened.evidence.name)}: {decided.n_fit} of "
        f"{wording.counted(decided.n_all, 'model')} {'fits' if decided.n_fit == 1 else 'fit'}.",
        help="Counted are the models with all scores.",
    )
    shown.answer(decided)
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        for name, tab, label, icon in _NEXT:
            entries.link(name, tab, label=label, icon=icon)
    shown.lists(decided)
    cost_picture.draw(store, found, day)
    row = model_list.draw(store, found, decided)
    if row is not None:
        details.draw(store, found, decided, row)
