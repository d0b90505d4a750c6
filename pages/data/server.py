"""Does this server work as it should? For those who run it."""

from __future__ import annotations

import streamlit as st

from core import logs
from core.evidence.store import Store
from core.sharing import wording
from pages.components import evidence, health, visitor
from pages.components.blocks import table
from pages.components.notices import plain


def draw() -> None:
    """Draw the tab, which only an administrator is offered."""
    if visitor.is_administrator():
        _now(evidence.store())
        _faults()
        _remembered()


def _now(store: Store) -> None:
    found = health.to_look_at(store)
    if found:
        st.markdown(
            f"**{wording.counted(len(found), 'thing')} to look at.** Everything else works."
        )
        for sentence in found:
            st.warning(plain(sentence), icon=":material/build:")
    else:
        st.markdown("**Nothing to look at: this server works as it should.**")
    if old := health.old_evidence(store):
        st.caption(plain(old))
    table(health.facts(store), "server", "This server now", height="content")
    st.caption(
        "Of this one process, since it started; each replica has its own page. Nothing here names "
        "a person or repeats what somebody asked.",
        help="Memory is what the system says the process holds. Sessions are open browser tabs.",
    )


def _faults() -> None:
    st.subheader("Last faults")
    faults = health.last_faults()
    if faults.empty:
        st.markdown("No page has failed since this server started.")
        return
    st.caption(
        "Who met a fault was shown its reference; the log has a line with the same one. The last "
        f"{logs.MOST_FAULTS} are held in memory, the log has them all."
    )
    table(faults, "faults", "Last faults, the newest first", file=False)


def _remembered() -> None:
    st.subheader("Remembered results")
    st.caption(
        "Each kind of result is computed once for each question and then found again. Where a "
        "kind is always full and rarely found, more memory would help."
    )
    table(health.remembered(), "remembered", "Remembered results by kind", file=False)
