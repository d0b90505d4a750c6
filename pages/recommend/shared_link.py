"""A link made on older evidence: what it showed, beside what the newest evidence shows."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from core.answers import data, recommend
from core.domain import Requirements, Shortlist
from core.evidence.store import Store
from core.sharing import link
from pages.components import evidence, wording
from pages.components.notices import plain


def against_today(store: Store, requirements: Requirements, as_shared: Shortlist) -> None:
    """Say whether newer evidence exists, and how the shortlist differs on it."""
    newest = store.snapshot(requirements.suite)
    if requirements.revision in ("", newest.revision):
        return
    newest_asked = replace(requirements, revision="")
    today = recommend.shortlist(store, newest_asked, evidence.priced_on(requirements))
    was = {row.model.id: row.rank for row in as_shared.rows}
    now = {row.model.id: row.rank for row in today.rows}
    moved = [model for model in dict.fromkeys([*was, *now]) if was.get(model) != now.get(model)]
    same = "the list is the same there" if not moved else "the list differs there"
    st.info(
        f"You see the evidence as shared, version {plain(requirements.revision)}. Newer evidence "
        f"is here, version {plain(newest.revision)}: {same}.",
        icon=":material/history:",
    )
    st.button(
        "Show today's evidence",
        on_click=st.session_state.update,
        kwargs={"data": link.data_label(newest)},
    )
    if not moved:
        return
    with st.expander(f"As shared and today: {wording.counted(len(moved), 'model')} differ"):
        st.dataframe(
            pd.DataFrame(
                {
                    "Model": [data.model(store, model).name for model in moved],
                    "Rank as shared": pd.array([was.get(m) for m in moved], dtype="Int64"),
                    "Rank today": pd.array([now.get(m) for m in moved], dtype="Int64"),
                }
            ),
            hide_index=True,
            placeholder="not in the list",
            alt="Ranks as shared and today",
        )
