"""Which model is best at each kind of work, and what does that cost beside one model for all?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.answers import cost, recommend
from core.charts.kit import labels
from core.procurement.monthly_cost import BestByCategory, SplitLine, split_total
from core.words import figures
from core.words.figures import dollars
from pages.components import blocks, controls, evidence
from pages.components.notices import own_choice, plain
from pages.cost.quality import assumed, usd_format

_STRAYS = "None of these categories"


def draw() -> None:
    """Draw the tab."""
    # Links from before may ask for a combination of two or three models.
    own_choice("combination", "The combination", (), "the best model of each category")
    store = evidence.store()
    asked = controls.question(store).requirements
    day = evidence.priced_on(asked)
    with st.spinner("Weighing the evidence…"):
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
    """Say what the best model of each category gains over one model, and what both cost."""
    single = plain(names[found.single])
    alone = _a_month(found.single_lines)
    if round(found.gain, 12) == 0:
        return f"**{single} is the best in every category: one model will do, for {alone}.**"
    return (
        f"**The best model of each category scores {figures.points(found.gain)} points more than "
        f"{single} alone, for {_a_month(found.lines)} against {alone}.** The gain is of the same "
        "tests that chose the models, so it flatters."
    )


def _a_month(lines: Sequence[SplitLine]) -> str:
    usd = split_total(lines)
    return "a cost that is not known" if usd is None else f"\\{dollars(usd)} a month"


def _frame(found: BestByCategory, names: Mapping[str, str]) -> pd.DataFrame:
    """Return a row a category, with one more for requests that none of them covers."""

    def bills(lines: Sequence[SplitLine]) -> pd.Series:
        # 0 without requests, a gap where one is not known.
        usd = [(line.category, math.nan if line.usd is None else line.usd) for line in lines]
        return blocks.numbers(math.fsum(x for of, x in usd if of == each) for each in of_rows)

    single, rows = names[found.single], found.categories
    strays = [""] if any(not line.category for line in found.lines) else []
    of_rows = [*(one.category for one in rows), *strays]
    gap = [None for _ in strays]
    return pd.DataFrame(
        {
            "Category": [category or _STRAYS for category in of_rows],
            "Best model": [*(names[one.model] for one in rows), *(single for _ in strays)],
            "Score": blocks.numbers([*(one.score for one in rows), *gap], times=100),
            f"{single} alone": blocks.numbers(
                [*(one.single_score for one in rows), *gap], times=100
            ),
            "Bill, $ a month": bills(found.lines),
            f"{single}: $ a month": bills(found.single_lines),
            "Weight, %": blocks.numbers([*(one.weight for one in rows), *gap], times=100),
            "Benchmarks": pd.array([*(one.n_benchmarks for one in rows), *gap], dtype="Int64"),
        }
    )
