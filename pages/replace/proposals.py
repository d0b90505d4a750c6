"""What could replace a model by your task and prices: every proposal as a picture and a table."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.charts import intervals
from core.domain import Model
from core.procurement.recommendation import Proposal, Recommendation
from core.sharing import export
from pages.components import tables, wording
from pages.components.blocks import figure, table
from pages.components.notices import plain

MOST_IN_PICTURE = 12
_COLUMN = st.column_config
GAP_COLUMNS = {
    "Difference": _COLUMN.NumberColumn(
        format="%+.1f", help="Candidate minus the model to replace, points out of 100."
    ),
    "From": _COLUMN.NumberColumn(
        format="%+.1f", help="Lower end of the 95 % interval of the difference."
    ),
    "To": _COLUMN.NumberColumn(
        format="%+.1f", help="Upper end of the 95 % interval of the difference."
    ),
    "Size, B": tables.SHORTLIST_COLUMNS["Size, B"],
    "In one cluster": _COLUMN.NumberColumn(
        format="%.0f %%",
        help="Share of 1,000 trees, each grown from benchmarks drawn anew, in which the two models "
        "are in one cluster. Over two suites the lower of the two shares.",
    ),
}
"""What the tables of both rules share."""
_COLUMNS = GAP_COLUMNS | {
    "As good?": tables.SHORTLIST_COLUMNS["As good as the first?"],
    "Basis": _COLUMN.TextColumn(
        help="On these tests: other questions could have been drawn. On other tests: other tests "
        "like these."
    ),
    "Cost, $ a month": tables.SHORTLIST_COLUMNS["Cost, $ a month"],
    "Saves, $ a month": _COLUMN.NumberColumn(
        format="%.0f",
        help="Likely saving, US dollars; below zero it costs more. Empty where a cost is not "
        "known.",
    ),
    "Severe harm, %": tables.SHORTLIST_COLUMNS["Severe harm, %"],
}


def judged(found: Recommendation) -> list[Proposal]:
    """Return what was held against the model in use and not left out, the best buy first."""
    several = (found.take, *found.as_good, *found.worth_testing, found.step_down)
    return [each for each in several if each is not None and each.judged is not None]


def draw(found: Recommendation, model: Model) -> None:
    """Draw every proposal against the model in use, as a picture and a table."""
    every = judged(found)
    if not every:
        return
    drawn = [(each.model, each.judged) for each in every[:MOST_IN_PICTURE] if each.judged]
    snapshot = found.snapshots[0] if found.snapshots else None
    title = f"In place of {model.name}, margin {found.requirements.margin * 100:g} points"
    st.subheader("How far apart are they?")
    st.caption(
        f"Each bar is the 95 % interval of the difference to {plain(model.name)}. Circle: as good "
        "within your margin, shown or likely. Triangle: worse. Diamond: open."
    )
    figure(
        intervals.tiers(drawn, found.requirements.margin),
        name="equivalents-picture",
        title=title,
        alt="Differences: "
        + "; ".join(
            f"{each.name} {wording.signed_points(gap.difference.difference)}, {gap.tier}"
            for each, gap in drawn
        ),
        snapshot=snapshot,
    )
    table(
        _frame(found, every),
        name="equivalents",
        title=title,
        snapshot=snapshot,
        columns=_COLUMNS,
        alt=f"What could take the place of {model.name}, best buy first",
    )


def _frame(found: Recommendation, every: Sequence[Proposal]) -> pd.DataFrame:
    """Return the proposals, differences in points."""
    decisions = export.decisions_of(found)
    against = [each.judged for each in every if each.judged is not None]
    gaps = [one.difference for one in against]
    return pd.DataFrame(
        {
            "Model": [each.model.name for each in every],
            "Decision": [decisions[each.model.id] for each in every],
            "As good?": [one.tier for one in against],
            "Difference": in_points([gap.difference for gap in gaps]),
            "From": in_points([gap.ci_low for gap in gaps]),
            "To": in_points([gap.ci_high for gap in gaps]),
            "Basis": [gap.basis for gap in gaps],
            "Cost, $ a month": _numbers([each.cost.likely for each in every]),
            "Saves, $ a month": _numbers(
                [each.saves.likely if each.saves else None for each in every]
            ),
            "Size, B": _numbers([each.model.params_b for each in every]),
            "Severe harm, %": in_points(
                [each.safety.share if each.safety else None for each in every]
            ),
            "In one cluster": in_points([each.together for each in every]),
            "Held back by": ["; ".join(one.vetoes) for one in against],
        }
    )


def in_points(shares: Sequence[float | None]) -> pd.Series:
    """Return shares in hundredths; what is not known stays empty."""
    return _numbers(shares) * 100


def _numbers(values: Sequence[float | None]) -> pd.Series:
    return pd.Series(values, dtype="float64")
