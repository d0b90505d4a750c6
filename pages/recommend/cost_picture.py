"""What quality costs: the models that fit, those that may be first in colour, and the frontier."""

from __future__ import annotations

from datetime import date

import streamlit as st

from core.answers import cost
from core.answers.cost import CostAxis, CostQuality
from core.charts.costs import cost_quality
from core.charts.intervals import labels
from core.domain import Shortlist
from core.evidence.store import Store
from core.procurement.monthly_cost import Costed
from core.words import figures
from pages.components.blocks import figure, pictured
from pages.components.notices import plain
from pages.cost.quality import SCALES, amount

_UNKNOWN: dict[CostAxis, str] = {"bill": "cost", "parameters": "size"}
_MOST_DRAWN = 200
"""The best by score; beyond that only what no cheaper one matches."""


def draw(store: Store, listed: Shortlist, day: date) -> None:
    """Draw score against cost, or size where fewer than two costs are known, or nothing."""
    axis, found = _drawable(store, listed, day)
    if found is None:
        return
    known = [row for row in found.rows if row.cost is not None]
    rows = [row for n, row in enumerate(known) if n < _MOST_DRAWN or row.on_frontier]
    ahead = sorted((row for row in rows if row.on_frontier), key=lambda row: row.cost or 0)
    names = labels([row.model for row in rows])
    first = {row.model.id for row in listed.rows if row.rank_band and row.rank_band[0] == 1}
    cheaper = "cheaper" if axis == "bill" else "smaller"
    st.subheader(f"What does quality {'cost' if axis == 'bill' else 'take in size'}?")
    st.caption(
        f"In colour: the models that may be first. The dashed line joins those that none {cheaper} "
        f"matches. {_not_drawn(found, axis, rows)}",
        help=f"Higher is better, further left is {cheaper}. A vertical bar is the 95 % interval of "
        "a score. Bars may overlap and the order still "
        "be clear, because models are compared on the same tests, one by one: How sure has more.",
    )
    figure(
        pictured(
            store,
            cost_quality,
            of=(tuple(rows), SCALES[axis], "Score, points out of 100", frozenset(first)),
        ),
        "score-and-cost",
        f"Score against {'cost' if axis == 'bill' else 'size'}",
        f"Score against {SCALES[axis].title.lower()}; none {cheaper} matches: "
        + "; ".join(
            f"{names[row.model.id]} {figures.points(row.quality)} for {amount(row, axis)}"
            for row in ahead
        ),
        listed.snapshots[0],
    )


def _drawable(store: Store, listed: Shortlist, day: date) -> tuple[CostAxis, CostQuality | None]:
    """Return what to draw: by cost where two models or more have one, else by size, else none."""
    ranked = [row for row in listed.rows if row.rank is not None]
    costs: dict[CostAxis, list[float | None]] = {
        "bill": [row.cost.likely for row in ranked],
        "parameters": [row.model.params_b for row in ranked],
    }
    for axis, values in costs.items():
        if len(values) - values.count(None) > 1:
            asked = listed.requirements
            return axis, cost.cost_quality(store, asked, day, axis)
    return "bill", None


def _not_drawn(found: CostQuality, axis: CostAxis, rows: list[Costed]) -> str:
    at_least = sum(row.monthly is not None and row.monthly.at_least for row in found.rows)
    unknown = sum(row.cost is None for row in found.rows) - at_least
    more = len(found.rows) - at_least - unknown - len(rows)
    said = []
    if at_least:
        said.append(f"{figures.counted(at_least, 'model')} on servers of unpublished capacity")
    if unknown:
        said.append(f"{figures.counted(unknown, 'model')} of unknown {_UNKNOWN[axis]}")
    if more:
        said.append(f"{more:,} further down the list")
    return f"Not drawn: {plain(figures.listed(said))}." if said else ""
