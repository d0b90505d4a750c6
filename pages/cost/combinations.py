"""Which model is best at each kind of work, and what does that cost beside one model for all?"""

from collections.abc import Mapping
from datetime import date

import pandas as pd
import streamlit as st

from core.answers import cost, recommend
from core.charts.kit import labels
from core.domain import Requirements
from core.evidence.store import Store
from core.procurement.robustness import BestByCategory
from core.words import figures
from pages.components import blocks
from pages.components.notices import own_choice, plain
from pages.cost.quality import assumed, usd_format


def draw(store: Store, asked: Requirements, day: date) -> None:
    """Draw the tab."""
    # Links from before may ask for a combination of two or three models.
    own_choice("combination", "The combination", (), "the best model of each category")
    listed = recommend.shortlist(store, asked, day)
    found = cost.combinations(store, asked, day)
    names = labels([row.model for row in listed.rows])
    st.markdown(_answer(found, names))
    assumed(store, asked, day)
    frame = _frame(found, names)
    usd = [column for column in frame.columns if column.endswith("$ a month")]
    blocks.table(
        frame,
        "different-models",
        "A model for each category",
        listed.snapshots[0],
        columns={f"{names[found.single]} alone": "%.1f"}
        | dict.fromkeys(usd, usd_format(frame[usd])),
    )
    blocks.how_made("Portfolios", key="combinations")


def _answer(found: BestByCategory, names: Mapping[str, str]) -> str:
    single, usd, alone = (
        plain(names[found.single]),
        *(
            "a cost that is not known" if usd is None else f"\\{figures.dollars(usd)} a month"
            for usd in (found.monthly_usd(), found.monthly_usd(single=True))
        ),
    )
    if round(found.gain, 12) == 0:
        return f"**{single} is the best in every category: one model will do, for {alone}.**"
    return (
        f"**The best model of each category scores {figures.points(found.gain)} points more than "
        f"{single} alone, for {usd} against {alone}.** The gain is of the same tests that chose "
        "the models, so it flatters."
    )


def _frame(found: BestByCategory, names: Mapping[str, str]) -> pd.DataFrame:
    """Return a row a category, with one more for requests that none of them covers."""
    rows = found.categories
    frame = pd.DataFrame(
        {
            "Category": [one.category for one in rows],
            "Best model": [names[one.model] for one in rows],
            "Score": [one.score * 100 for one in rows],
            f"{names[found.single]} alone": [one.single_score * 100 for one in rows],
            "Bill, $ a month": blocks.numbers([one.usd for one in rows]),
            f"{names[found.single]}: $ a month": blocks.numbers([one.single_usd for one in rows]),
            "Weight, %": [one.weight * 100 for one in rows],
            "Benchmarks": pd.array([one.n_benchmarks for one in rows], dtype="Int64"),
        }
    )
    if found.strays_usd:
        stray = {"Category": "None of these categories", "Best model": names[found.single]}
        usd = {column: found.strays_usd for column in frame if column.endswith("$ a month")}
        frame = pd.concat([frame, pd.DataFrame([stray | usd])], ignore_index=True)
    return frame
