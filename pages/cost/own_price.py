"""The hospital's own price of a model: put in, and taken back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import streamlit as st

from core.charts.intervals import labels
from core.domain import Model, OwnPrice
from core.evidence.catalogue import OWN_RESULT
from core.evidence.store import Store
from core.sharing import own_figures as written
from pages.components import evidence, own_figures
from pages.cost.volumes import fault, keep


def draw(store: Store, models: Sequence[Model]) -> None:
    """Draw the form for what one of the models was offered at."""
    names = labels(models)
    ids = {names[model.id]: model.id.removesuffix(OWN_RESULT) for model in models}
    bought = ids[st.selectbox("Model", list(ids), key="offered")]
    held = {written.read_price(line).model: line for line in own_figures.lines(store, "own_price")}
    with st.form("own_price_form", border=False):
        st.caption(
            "What you were offered stands in place of the public prices, here and on every page, "
            "and it is part of the link. Taxes are up to you: note in the source what is in it."
        )
        left, right = st.columns(2)
        for column, part, label in (
            (left, "read", "US dollars per million tokens read"),
            (right, "written", "US dollars per million tokens written"),
        ):
            column.number_input(
                label,
                0.0,
                written.MOST_USD_PER_MTOK,
                value=None,
                step=0.1,
                format="%g",
                placeholder="Not given",
                key=_offer(part, bought),
            )
        left.date_input(
            "Date of the offer", value=None, max_value=evidence.today(), key=_offer("day", bought)
        )
        right.text_input(
            "Source",
            max_chars=written.LONGEST_TEXT,
            placeholder="Such as the number of the offer",
            key=_offer("source", bought),
        )
        st.form_submit_button("Use this price", on_click=_keep, args=(store, bought))
    if bought in held:
        st.button(
            "Take my own price back",
            icon=":material/undo:",
            on_click=own_figures.take_out,
            args=(store, "own_price", held[bought]),
        )


def _offer(part: str, model: str) -> str:
    return f"offer_{part}_{model}"


def _keep(store: Store, model: str) -> None:
    read, most, day, source = (
        st.session_state.get(_offer(part, model)) for part in ("read", "written", "day", "source")
    )
    if read is None or most is None or not isinstance(day, date) or not str(source or "").strip():
        fault("Your own price needs both amounts, the date of the offer and its source.")
        return
    price = OwnPrice(model, float(read), float(most), day.isoformat(), str(source).strip())
    keep(store, "own_price", written.price_line(price))
