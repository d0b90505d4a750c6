"""The page of those who run the server: what needs a look, the figures, the last faults."""

from __future__ import annotations

import streamlit as st

from core import logs
from core.evidence.store import Store
from pages.components import health, wording
from pages.components.downloads import downloads
from pages.components.notices import plain


def draw(store: Store) -> None:
    """Draw the page for an administrator."""
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
    now = health.facts(store)
    st.dataframe(now, hide_index=True, alt="This server now", height="content")
    downloads("server", title="This server now", snapshot=None, frame=now)

    st.subheader("Last faults")
    faults = health.last_faults()
    if faults.empty:
        st.markdown("No page has failed since this server started.")
    else:
        st.caption("Who met a fault was shown its reference; the log has a line with the same one.")
        st.dataframe(faults, hide_index=True, alt="Last faults, the newest first")

    st.subheader("Remembered results")
    st.caption(
        "Each kind of result is computed once for each question and then found again. Where a "
        "kind is always full and rarely found, more memory would help."
    )
    st.dataframe(
        health.remembered(),
        hide_index=True,
        column_config={
            "Held": st.column_config.NumberColumn(help="Results in memory now."),
            "At most": st.column_config.NumberColumn(
                help="Beyond that, the oldest one is dropped."
            ),
            "Found there": st.column_config.NumberColumn(help="How often no work was needed."),
            "Computed": st.column_config.NumberColumn(help="How often the work was done."),
        },
        alt="Remembered results by kind",
    )
    with st.expander("How this is made"):
        st.markdown(
            "All figures are of this one process, since it started; where several replicas run, "
            "each has its own page. Memory is what the system says the process holds. Sessions "
            "are open browser tabs. Nothing here names a person or repeats what somebody asked, "
            f"and the log keeps to the same rule. The last {logs.MOST_FAULTS} faults are held in "
            "memory; the log has them all."
        )
