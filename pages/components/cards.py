"""The first three of a shortlist as cards."""

from __future__ import annotations

import streamlit as st

from core.domain import Shortlist, ShortlistRow
from core.procurement.reasons import band
from pages.components import wording
from pages.components.notices import plain


def cards(found: Shortlist) -> None:
    """Draw up to three cards, side by side where there is room."""
    top = found.rows[:3]
    with st.grid(len(top), min_column_width=230, gap="medium"):
        for row in top:
            with st.container(border=True, height="stretch"):
                _card(row)


def _card(row: ShortlistRow) -> None:
    st.markdown(f"#### {plain(row.model.name)}")
    st.caption(plain(row.model.developer or "Developer not known"))
    st.markdown(f"**{plain(band(row.rank, row.rank_band))}**")
    st.markdown(
        f"**{wording.points(row.score)}** of 100 "
        f"&nbsp;·&nbsp; {wording.interval(row.ci_low, row.ci_high)}",
        help="The score and the range in which it may lie (95 % interval). " + _basis(row),
    )
    st.html(_interval_bar(row))
    missing = f", {len(row.missing)} missing" if row.missing else ""
    st.markdown(
        f"{wording.counted(row.n_benchmarks, 'benchmark')}{missing}  \n"
        f"{wording.sentence(wording.size(row.model.params_b))}  \n"
        f"{plain(wording.sentence(wording.money(row.bill)))}"
    )
    st.caption(plain(row.reasons[0]))


def _basis(row: ShortlistRow) -> str:
    if row.interval_basis == "standard errors":
        return "It comes from the number of questions in each benchmark."
    if row.interval_basis == "benchmarks":
        return "It shows how much the score depends on which benchmarks happen to be in the task."
    return "No interval can be given: too few benchmarks, and no published error."


def _interval_bar(row: ShortlistRow) -> str:
    """Draw score and interval on a line from 0 to 100; nothing but numbers goes in."""
    at = row.score * 100
    span = ""
    if row.ci_low is not None and row.ci_high is not None:
        low, high = row.ci_low * 100, row.ci_high * 100
        span = _block(f"left:{low:.2f}%;width:{high - low:.2f}%;top:3px;height:6px;opacity:.45")
    words = f"Score {at:.1f} of 100, {wording.interval(row.ci_low, row.ci_high)}"
    return (
        f'<div role="img" aria-label="{words}" style="position:relative;height:12px">'
        '<div style="position:absolute;left:0;right:0;top:5px;height:2px;'
        'background:currentColor;opacity:.2"></div>'
        + span
        + _block(f"left:calc({at:.2f}% - 5px);width:10px;height:10px;top:1px")
        + "</div>"
    )


def _block(place: str) -> str:
    style = f"position:absolute;border-radius:5px;background:#1B8A8F;{place}"
    return f'<div style="{style}"></div>'
