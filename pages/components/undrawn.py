"""Controls of the side bar that are drawn only where they are needed.

A control that is not drawn has no place in the address and forgets its value, so a control goes
undrawn only while it stands at its default.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import date

import streamlit as st
from streamlit.errors import StreamlitAPIException


def keep_in_address(defaults: Mapping[str, object]) -> bool:
    """Write into the address what these controls hold, and say whether they must be drawn.

    Parameters
    ----------
    defaults
        The value of each control, by its key, as long as nobody has set it.
    """
    held = {
        key: value
        for key, default in defaults.items()
        if (value := st.session_state.get(key)) not in (None, [], default)
    }
    for key, value in held.items():
        # A control that was drawn writes the address itself, and forbids that others do.
        with suppress(StreamlitAPIException):
            st.query_params[key] = value if isinstance(value, list) else _text(value)
    return bool(held) or any(key in st.query_params for key in defaults)


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.15g}"
    return value.isoformat() if isinstance(value, date) else str(value)
