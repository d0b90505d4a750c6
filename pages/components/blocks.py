"""What every tab is built of: choices, pictures and tables with their files, how it was made."""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import streamlit as st

from core import figures, handbook
from core.answers import data
from core.domain import FactList, Redundancy, ScoreMatrix, Snapshot, Taxonomy, WinRates
from core.evidence.store import Store
from core.memory import remembered
from pages.components import entries
from pages.components.files import downloads
from pages.components.notices import own_choice

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from core.charts.kit import Picture

_KINDS: dict[str, Callable[..., Any]] = {
    "number": st.column_config.NumberColumn,
    "text": st.column_config.TextColumn,
    "datetime": st.column_config.DatetimeColumn,
    "link": st.column_config.LinkColumn,
    "share": partial(st.column_config.ProgressColumn, min_value=0, max_value=100),
}


def _read(path: Path) -> dict[tuple[str, str], dict[str, Any]]:
    found = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            said: dict[str, Any] = {k: row[k] for k in ("format", "help", "label") if row[k]}
            if width := row["width"]:
                said["width"] = int(width) if width.isdecimal() else width
            if row["pinned"]:
                said["pinned"] = True
            found[row["table"], row["column"]] = _KINDS[row["kind"]](**said)
    return found


Found = TypeVar("Found")
Columns = Mapping[str, Collection[Any]]
"""What a table shows, column by column."""
SHOWN_COLUMNS = _read(Path(__file__).with_name("columns.csv"))


@remembered(maxsize=32)
def pictured(store: Store, draw: Callable[..., Picture], *, of: tuple[Hashable, ...]) -> Picture:
    """Return a picture of ``core.charts``, drawn once for ``of`` what it shows.

    To build one takes as long as a page.
    """
    return draw(*of)


def chart(picture: Picture, key: str, alt: str, **options: Any) -> None:  # noqa: ANN401 - as Streamlit
    """Draw a picture, with words for who cannot see it; a model that is pressed leads to its page.

    Its data go to the browser as Arrow tables: records would take the way through a data frame,
    which lasts longer than drawing the rest of a page.
    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import, as below

    tables = {}
    for of, records in picture.get("datasets", {}).items():
        names = dict.fromkeys(column for record in records for column in record)
        tables[of] = pa.table({c: [record.get(c) for record in records] for c in names})
    if any("params" in layer for layer in picture.get("layer", ())):
        options["on_select"] = partial(entries.seek_pressed, key)
    st.vega_lite_chart(spec=picture | {"datasets": tables}, alt=alt, key=key, **options)


def figure(
    picture: Picture,
    name: str,
    title: str,
    alt: str,
    snapshot: Snapshot | None = None,
    frame: pd.DataFrame | None = None,
    **options: Any,  # noqa: ANN401 - as Streamlit
) -> None:
    """Draw a picture with the buttons for its files below it.

    ``name`` begins the files' names; ``title`` says what it shows in them, with the snapshot, and
    ``alt`` for who cannot see it. ``frame`` has the figures behind it, for a file.
    """
    chart(picture, f"{name}_picture", alt, **options)
    downloads(name, title=title, snapshot=snapshot, frame=frame, picture=picture)


def table(
    frame: pd.DataFrame | pa.Table | Columns,
    name: str,
    title: str,
    snapshot: Snapshot | Sequence[FactList] | None = None,
    *,
    columns: Mapping[str, Any] | None = None,
    of: str = "",
    alt: str | None = None,
    placeholder: str = figures.UNKNOWN,
    file: pd.DataFrame | Literal[False] | None = None,
    choice: str = "",
    **options: Any,  # noqa: ANN401 - as Streamlit
) -> int | None:
    """Draw a table with the button for its file below it; return the place of the chosen row.

    Parameters
    ----------
    name, title, snapshot, alt
        As in `figure`; without ``alt`` what ``columns.csv`` says of the table, else the title.
    columns
        What ``columns.csv`` cannot say of its columns: settings, or formats alone.
    of
        Its name in ``columns.csv``, where that is another one.
    placeholder
        What a gap reads as.
    file
        What is in the file, where that is not the table itself; ``False`` for no file.
    choice
        The key under which a chosen row is held; none can be chosen without.
    """
    import pandas as pd  # noqa: PLC0415 - a third of a second to import

    if isinstance(frame, Mapping):
        frame = pd.DataFrame(frame)
    if choice:
        options |= {"on_select": "rerun", "selection_mode": "single-row", "key": choice}
    names = list(frame.columns) if isinstance(frame, pd.DataFrame) else frame.column_names
    config = _config(of or name, names, columns or {})
    for gap in _gaps(frame, placeholder):
        if not config.setdefault(gap, {}).get("width"):
            config[gap] = config[gap] | {"width": _PER_LETTER * len(placeholder) + _AROUND}
    chosen = st.dataframe(
        frame,
        column_config=config,
        hide_index=True,
        placeholder=placeholder,
        alt=alt or SHOWN_COLUMNS.get((of or name, ""), {}).get("help") or title,
        **options,
    )
    if file is not False:
        downloads(name, title=title, snapshot=snapshot, frame=frame if file is None else file)
    rows = chosen["selection"].get("rows") if choice else []
    return min(rows[0], len(frame) - 1) if rows else None


_PER_LETTER, _AROUND = 7, 25
"""Pixels of a cell."""


def _gaps(frame: pd.DataFrame | pa.Table, placeholder: str) -> list[str]:
    """Return the columns with a gap whose word is longer than their head.

    The browser fits a column to its head and its values, and would cut the word off.
    """
    import pandas as pd  # noqa: PLC0415 - as above

    if not isinstance(frame, pd.DataFrame):
        empty = {
            name: column.null_count > 0
            for name, column in zip(frame.column_names, frame, strict=True)
        }
    else:
        empty = frame.isna().any().to_dict()
    return [name for name, has in empty.items() if has and len(name) < len(placeholder)]


def _config(table: str, columns: Collection[str], own: Mapping[str, Any]) -> dict[str, Any]:
    found = {}
    for name in columns:
        said = SHOWN_COLUMNS.get((table, name)) or SHOWN_COLUMNS.get(("", name))
        more = own.get(name) or said
        if isinstance(more, str):
            kind = {"type_config": {"type": "number", "format": more}}
            more = (said or _KINDS["number"]()) | kind
        if more:
            found[name] = more
    return found


def choice(
    label: str,
    options: Collection[str],
    *,
    key: str,
    what: str,
    used: str | None = None,
    draw: Callable[..., str] = st.selectbox,
    **settings: Any,  # noqa: ANN401 - as Streamlit
) -> str:
    """Draw a choice that the link holds under a key; say it where the link's is not known.

    ``what`` is what is chosen, with its article, to begin that sentence, and ``used`` what is taken
    instead: the first option unless given. ``draw`` is the kind of control.
    """
    first = next(iter(options), "")
    own_choice(key, what, options, first if used is None else used)
    if draw.__name__ == "segmented_control":
        settings = {"default": first, "required": True, **settings}
    return draw(label, list(options), key=key, bind="query-params", **settings)


def picked(label: str, options: Mapping[str, Found], **how: Any) -> Found:  # noqa: ANN401 - as `choice`
    """Draw a choice among names; return what the chosen one names."""
    return options[choice(label, options, **how)]


def numbers(values: Iterable[float | None], *, times: float = 1.0) -> pd.Series:
    """Return a column of figures times 1, or 100 for shares; with gaps where nothing is known."""
    import pandas as pd  # noqa: PLC0415 - a third of a second to import

    return pd.Series(list(values), dtype="float64") * times


def how_made(*titles: str, key: str) -> None:
    """Draw the fold on how a tab's numbers are made, from sections of the methods document."""
    fold = st.expander("How this was made", key=f"{key}_made", on_change="rerun")
    if fold.open:
        with fold:
            for title in titles:
                st.markdown(handbook.section(title).text)


def left_out(
    store: Store,
    found: Taxonomy | Redundancy | WinRates | ScoreMatrix,
    title: str,
    *,
    what: str = "model",
) -> None:
    """List what does not count in a result, with the reason, in a fold."""
    if not found.excluded:
        return
    label = f"{figures.counted(len(found.excluded), what)} left out"
    fold = st.expander(label, key="left_out", on_change="rerun")
    if fold.open:
        with fold:
            names = [data.model(store, each.model).name for each in found.excluded]
            columns = {"Model": names, "Reason": [each.reason for each in found.excluded]}
            table(columns, "left-out", title, found.snapshot)


def band(rank_band: tuple[int, int] | None) -> str:
    """Write the places that a model may have."""
    if rank_band is None:
        return "not ranked"
    first, last = rank_band
    return str(first) if first == last else f"{first} to {last}"
