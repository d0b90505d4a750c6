"""What a reader can take away from a page: a table as CSV, a picture as PNG or SVG."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

from core.charts.blocks import Picture
from core.charts.picture_files import image
from core.domain import Snapshot
from core.sharing import export
from pages.components import evidence, making
from pages.components.notices import plain


def button(
    label: str,
    *,
    data: Callable[[], bytes | str],
    name: str,
    kind: str,
    mime: str,
    help: str | None = None,
    type: str = "secondary",
) -> None:
    """Draw the button that hands out one file; every file of every page goes through here.

    Streamlit keeps the files of all visitors in one place. It names one of more than 1 MiB by
    its length, its file name and three samples of its bytes, so that two long files that differ
    elsewhere would share an address, and one visitor would get the other's. So each file name
    ends in signs that no other drawing of a button has.

    Parameters
    ----------
    data
        Makes the file, when somebody asks for it.
    name, kind
        Begin and end the file's name, and tell the buttons of a page apart.
    """
    st.download_button(
        label,
        data=making.for_session(data),
        file_name=f"{name}-{secrets.token_hex(6)}.{kind}",
        mime=mime,
        key=f"{name}_{kind}",
        icon=":material/download:",
        type=type,
        on_click="ignore",
        help=help,
    )


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
            button(
                kind,
                data=make,
                name=f"{name}-{evidence.today()}",
                kind=kind.lower(),
                mime=mime,
                type="tertiary",
                help=plain(f"Download: {title}"),
            )
