"""What a reader can take away from a page: a table as CSV, a picture as PNG or SVG."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from core.charts.intervals import Picture
from core.charts.picture_files import image
from core.domain import Snapshot
from core.sharing import export
from pages.components import evidence, making


def downloads(
    name: str,
    *,
    title: str,
    snapshot: Snapshot | None,
    frame: pd.DataFrame | None = None,
    picture: Picture | None = None,
) -> None:
    """Draw the buttons; a file is made only when somebody asks for it.

    Parameters
    ----------
    name
        Begins the file's name and tells the buttons of a page apart.
    title
        What the table or picture shows, as written above the picture.
    snapshot
        The evidence, named in the file.
    frame, picture
        What there is to take.
    """
    source = export.source_line(snapshot)
    files = []
    if frame is not None:
        files.append(("CSV", "text/csv", partial(export.table_csv, frame, source)))
    if picture is not None:
        for kind, mime in (("png", "image/png"), ("svg", "image/svg+xml")):
            make = partial(image, picture, kind, title=title, source=source)
            files.append((kind.upper(), mime, make))
    with st.container(horizontal=True, gap="small"):
        for kind, mime, make in files:
            st.download_button(
                kind,
                data=making.for_session(make),
                file_name=f"{name}-{evidence.today()}.{kind.lower()}",
                mime=mime,
                key=f"{name}_{kind}",
                icon=":material/download:",
                type="tertiary",
                on_click="ignore",
                help=f"Download: {title}",
            )
