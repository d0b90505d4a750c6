"""The picture of an answer within one suite: score against cost of everybody."""

import streamlit as st

from core import figures
from core.charts import intervals, kit
from core.charts.kit import Picture
from core.domain import Dossier
from core.evidence.store import Store
from core.memory import Same
from core.procurement.recommendation import Recommendation
from core.words.recommendation import in_the_room
from pages.components import blocks
from pages.components.notices import plain

_MOST_DRAWN = 200
"""The best by score of those that fit."""


def draw(store: Store, decided: Recommendation, others: tuple[Dossier, ...]) -> None:
    """Draw score against cost of everybody, or against size where fewer than two costs are known.

    Nothing where neither is.
    """
    rows = _in_the_room(decided, others)
    known = {
        "bill": sum(row.cost.likely is not None for row in rows),
        "parameters": sum(row.model.params_b is not None for row in rows),
    }
    axis = next((axis for axis, number in known.items() if number > 1), None)
    if axis is None:
        return
    said = in_the_room(decided, by_cost=axis == "bill")
    names = kit.labels([row.model for row in rows])
    first = [
        f"{names[row.model.id]} {figures.points(row.score)}"
        for row in rows
        if row.fits and intervals.may_be_first(row)
    ]
    st.markdown(f"##### {plain(said)}")
    blocks.chart(
        blocks.pictured(store, _everybody, of=(Same(decided), Same(others), axis)),
        "room",
        f"{said}. Score against {intervals.SCALES[axis][0].lower()}: {'; '.join(first)}",
    )


def _in_the_room(decided: Recommendation, others: tuple[Dossier, ...]) -> list[Dossier]:
    ranked = [row for row in decided.shortlist.rows if row.rank is not None]
    return [*ranked[:_MOST_DRAWN], *others]


def _everybody(of: Same[Recommendation], beside: Same[tuple[Dossier, ...]], axis: str) -> Picture:
    named = (*of.it.test_these, *of.it.choose, of.it.best)
    leading = {each.model.id for each in named if each}
    return intervals.everybody(_in_the_room(of.it, beside.it), axis, leading)
