"""Everybody in the room: quality against cost of all models, and who was never tested here."""

from __future__ import annotations

from datetime import date
from urllib.parse import urlencode

import pyarrow as pa
import streamlit as st

from core.answers import recommend
from core.charts.costs import KINDS, CostScale, Point, ends_of, everybody
from core.charts.intervals import labels
from core.charts.kit import Picture
from core.domain import Dossier
from core.evidence.store import Store
from core.memory import Same, remembered
from core.procurement.recommendation import Recommendation
from core.words import figures
from core.words.recommendation import in_the_room
from pages.components.blocks import sendable, table
from pages.components.entries import ENTRIES
from pages.components.notices import plain

_SCALES = {
    "bill": CostScale("Monthly cost", "$"),
    "parameters": CostScale("Billions of parameters", "", " B"),
}
_MOST_DRAWN = 200
"""The best by score of those that fit."""


def draw(store: Store, decided: Recommendation, day: date) -> None:
    """Draw score against cost of everybody, or against size where fewer than two costs are known.

    Nothing where neither is.
    """
    asked = decided.requirements
    others = recommend.left_out_rows(store, asked, day)
    found = _picture(store, Same(decided), Same(others))
    if found is not None:
        said, picture, alt = found
        st.markdown(f"##### {plain(said)}")
        st.vega_lite_chart(spec=picture, alt=alt, key="room")
    sold = recommend.untested(store, asked.suite, day)
    if not sold:
        return
    label = f"On sale, not tested on this work: {figures.counted(len(sold), 'model')}"
    fold = st.expander(label, key="untested", on_change="rerun")
    if fold.open:
        with fold:
            names, platforms, places = zip(*sold, strict=True)
            columns = {
                "Model": names,
                "More": [_address("model", model=name) for name in names],
            }
            links = {"More": st.column_config.LinkColumn(display_text="All that is known")}
            for _, named in decided.decisions()[:1]:
                beside = {ENTRIES["local_test"].key: "Plan", "test_against": named.model.name}
                columns["Test"] = [_address("local_test", **beside, test_models=n) for n in names]
                links["Test"] = st.column_config.LinkColumn(display_text="Plan a test")
            columns["On sale at"] = [", ".join(dict.fromkeys(of)) for of in platforms]
            columns["Places elsewhere"] = [figures.places(of) for of in places]
            table(pa.table(columns), "untested", label, columns=links, file=False)


def _address(page: str, **also: str) -> str:
    """Return where a page lies, from this one; the question goes along."""
    here = {key: st.query_params.get_all(key) for key in st.query_params}
    return f"{page}?{urlencode(here | also, doseq=True)}"


@remembered(maxsize=16)
def _picture(
    store: Store, of: Same[Recommendation], beside: Same[tuple[Dossier, ...]]
) -> tuple[str, Picture, str] | None:
    """Return what the picture finds, the picture as it is sent, and its words."""
    decided = of.it
    ranked = [row for row in decided.shortlist.rows if row.rank is not None][:_MOST_DRAWN]
    several = [*ranked, *beside.it]
    costs = {"bill": [row.cost.likely for row in several]}
    costs["parameters"] = [row.model.params_b for row in several]
    axis = next((axis for axis in costs if len(several) - costs[axis].count(None) > 1), None)
    if axis is None:
        return None
    names = labels([row.model for row in several])
    leading = {
        each.model.id for each in (*decided.test_these, *decided.choose, decided.best) if each
    }
    everyone = [
        Point(
            names[row.model.id],
            row.score or 0.0,
            ends_of(row.ci_low, row.ci_high),
            cost,
            KINDS[2 if not row.fits else 0 if row.rank_band and row.rank_band[0] == 1 else 1],
            row.model.id in leading,
        )
        for row, cost in zip(several, costs[axis], strict=True)
    ]
    drawn = sendable(everybody(everyone, _SCALES[axis]))
    said = in_the_room(decided, by_cost=axis == "bill")
    first = [one for one in everyone if one.kind == KINDS[0]]
    alt = "; ".join(f"{one.name} {figures.points(one.quality)}" for one in first)
    return said, drawn, f"{said}. Score against {_SCALES[axis].title.lower()}: {alt}"
