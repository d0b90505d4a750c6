"""Pictures on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
import streamlit as st

from core.charts.blocks import Picture


def vega_lite_chart(spec: Picture, **options: object) -> object:
    """Draw a picture as ``st.vega_lite_chart`` does, which also says what it returns.

    The data go to the browser as Arrow either way. Handed over as records, they would take the
    way through a data frame, which lasts longer than drawing the rest of a page.
    """
    tables = {name: _table(rows) for name, rows in spec.get("datasets", {}).items()}
    return st.vega_lite_chart(spec=spec | {"datasets": tables}, **options)


def _table(records: Sequence[Mapping[str, object]]) -> pa.Table:
    names = dict.fromkeys(name for record in records for name in record)
    return pa.table({name: [record.get(name) for record in records] for name in names})
