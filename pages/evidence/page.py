"""What is it built on, and does it hold?"""

import streamlit as st

from pages.components import controls, entries, evidence

_KEY = entries.ENTRIES["evidence"].key
chosen = controls.question(evidence.store()).requirements.suite == "benchhealth"
# An address of before names the tab without the evidence.
named = st.session_state.get(_KEY, st.query_params.get(_KEY)) == "BenchHealth"
entries.draw("evidence", without=None if chosen or named else "BenchHealth")
