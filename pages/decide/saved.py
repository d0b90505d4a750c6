"""Which shortlists have we kept, and what has changed since?"""

import streamlit as st

from core.answers import recommend
from core.domain import FormularyError
from core.saved import shelf
from pages.components import controls, evidence, saved_assumptions, saved_list, saving, visitor
from pages.components.notices import plain

store = evidence.store()
opened = controls.question(store)
on = evidence.priced_on(opened.requirements)

st.markdown("Which shortlists have we kept, and what has changed since?")
with st.spinner("Weighing the evidence…"):
    now = recommend.shortlist(store, opened.requirements, on)
if not visitor.may_keep():
    st.info(visitor.why_not(), icon=":material/lock:")
    saved_list.at_present(store, opened, now, on)
else:
    try:
        database, reader = saving.database(store), visitor.reader()
        kept, damaged = shelf.found(database, reader)
        saved_list.said()
        if damaged:
            saved_list.left_out(damaged)
        if kept:
            saved_list.draw(store, database, kept, reader)
        else:
            st.info(
                "Nothing is kept yet. Below the table of the page Recommendation, “Keep this "
                "shortlist” puts the list, its question and its evidence here.",
                icon=":material/bookmark:",
            )
            saved_list.at_present(store, opened, now, on)
        st.subheader("Your own answers and prices")
        saved_assumptions.draw(store, opened.requirements)
    except FormularyError as error:
        st.error(
            f"{plain(str(error))} Every other page works as usual.",
            icon=":material/database_off:",
        )
        saved_list.at_present(store, opened, now, on)
saved_list.method()
