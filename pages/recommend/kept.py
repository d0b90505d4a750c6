"""Which shortlists have we kept, and what has changed since?"""

import streamlit as st

from core.answers import recommend
from core.domain import FormularyError
from core.evidence.store import Store
from core.saved import shelf
from core.sharing.link import Opened
from pages.components import controls, evidence, saving, visitor
from pages.components.blocks import how_made
from pages.components.notices import plain
from pages.recommend import kept_list


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    opened = controls.question(store)
    if not visitor.may_keep():
        st.info(visitor.why_not(), icon=":material/lock:")
        _at_present(store, opened)
    else:
        try:
            _kept(store, opened)
        except FormularyError as error:
            st.error(
                f"{plain(str(error))} Every other page works as usual.",
                icon=":material/database_off:",
            )
            _at_present(store, opened)
    how_made("Saved shortlists", key="kept")


def _kept(store: Store, opened: Opened) -> None:
    """Draw what this visitor may see."""
    database, reader = saving.database(store), visitor.reader()
    kept, damaged = shelf.found(database, reader)
    kept_list.said()
    if damaged:
        kept_list.left_out(damaged)
    if kept:
        kept_list.draw(store, database, kept, reader)
        return
    st.info(
        "Nothing is kept yet. On the tab Answer, below the list, “Keep this shortlist” puts the "
        "list, its question and its evidence here.",
        icon=":material/bookmark:",
    )
    _at_present(store, opened)


def _at_present(store: Store, opened: Opened) -> None:
    on = evidence.priced_on(opened.requirements)
    with st.spinner("Weighing the evidence…"):
        now = recommend.shortlist(store, opened.requirements, on)
    kept_list.at_present(store, opened, now, on)
