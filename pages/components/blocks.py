"""What every tab is built of: a picture, a table, both with their files, and how it was made."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from core import handbook
from core.charts.intervals import Picture
from core.domain import Snapshot
from pages.components import wording
from pages.components.downloads import downloads
from pages.components.pictures import vega_lite_chart


def figure(
    picture: Picture,
    *,
    name: str,
    title: str,
    alt: str,
    snapshot: Snapshot | None,
    frame: pd.DataFrame | None = None,
    **options: object,
) -> object:
    """Draw a picture with the buttons for its files below it; return what was chosen in it.

    Parameters
    ----------
    picture
        The chart's specification.
    name
        Begins the files' names.
    title
        What it shows, for the files.
    alt
        What it shows, for who cannot see it.
    snapshot
        The evidence, named in the files.
    frame
        The figures behind it, for a file.
    **options
        As ``st.vega_lite_chart`` takes them.
    """
    chosen = vega_lite_chart(spec=picture, alt=alt, **options)
    downloads(name, title=title, snapshot=snapshot, frame=frame, picture=picture)
    return chosen


def table(
    frame: pd.DataFrame,
    *,
    name: str,
    title: str,
    snapshot: Snapshot | None,
    columns: Mapping[str, object] | None = None,
    alt: str | None = None,
    placeholder: str = wording.UNKNOWN,
    **options: object,
) -> object:
    """Draw a table with the button for its file below it; return what was chosen in it.

    Parameters
    ----------
    frame
        The table.
    name, title, snapshot
        As in `figure`.
    columns
        Formats and help by column.
    alt
        What it holds, for who cannot see it; the title unless given.
    placeholder
        What a gap reads as.
    **options
        As ``st.dataframe`` takes them.
    """
    chosen = st.dataframe(
        frame,
        column_config=columns,
        hide_index=True,
        placeholder=placeholder,
        alt=alt or title,
        **options,
    )
    downloads(name, title=title, snapshot=snapshot, frame=frame)
    return chosen


def selected_row(chosen: object, n_rows: int) -> int:
    """Return the position of the chosen row of a table, the first if none is."""
    rows = chosen["selection"].get("rows") or [0]
    return min(rows[0], n_rows - 1)


def how_made(*titles: str, key: str) -> None:
    """Draw the fold on how a tab's numbers are made, from sections of the methods document.

    Parameters
    ----------
    titles
        Headings of the document, of the second or the third level.
    key
        Tells the folds of the tabs apart.
    """
    fold = st.expander("How this was made", key=f"{key}_made", on_change="rerun")
    if not fold.open:
        return
    with fold:
        for title in titles:
            st.markdown(handbook.section(title).text)
