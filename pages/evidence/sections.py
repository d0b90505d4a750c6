"""What the tabs of the evidence have below their picture and table: further sections on demand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.answers import data
from core.domain import Exclusion, Snapshot
from core.evidence.store import Store
from core.sharing import wording
from pages.components.blocks import table
from pages.components.notices import own_choice

MORE = "Look closer at"


def opened(sections: Mapping[str, Sequence[str]], *, key: str) -> list[str]:
    """Draw the control that opens further sections; return their names, in their order.

    Parameters
    ----------
    sections
        The controls of each section by its name. A link that sets one of them opens it.
    key
        Under which the address names the open sections.
    """
    own_choice(key, "The section", sections, "none")
    if key not in st.session_state and key not in st.query_params:
        st.session_state[key] = [
            name for name, own in sections.items() if any(k in st.query_params for k in own)
        ]
    found = st.segmented_control(
        MORE, list(sections), selection_mode="multi", key=key, bind="query-params"
    )
    return [name for name in sections if name in found]


def left_out(
    store: Store,
    excluded: Sequence[Exclusion],
    *,
    title: str,
    snapshot: Snapshot | None,
    what: str = "model",
) -> None:
    """List what does not count, with the reason, in a fold."""
    if not excluded:
        return
    label = f"{wording.counted(len(excluded), what)} left out"
    fold = st.expander(label, key="left_out", on_change="rerun")
    if not fold.open:
        return
    with fold:
        rows = [(data.model(store, each.model).name, each.reason) for each in excluded]
        table(pd.DataFrame(rows, columns=["Model", "Reason"]), "left-out", title, snapshot)


def some_of(names: Sequence[str], most: int) -> str:
    """List names as a sentence does, those beyond the most by their number."""
    if len(names) <= most:
        return wording.list_of(list(names))
    rest = wording.counted(len(names) - most + 1, "other")
    return wording.list_of([*names[: most - 1], rest])
