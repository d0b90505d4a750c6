"""Who wins, and is it clear? Win rates with intervals, and what they rest on."""

from dataclasses import replace

import streamlit as st

from core.answers import data
from core.answers import evidence as evidence_answers
from core.answers.asked import Asked
from core.charts import intervals, kit
from core.domain import Model, WinRates
from core.procurement.shortlist import all_categories
from core.words import evidence as words
from pages.components.blocks import (
    band,
    choice,
    figure,
    how_made,
    left_out,
    numbers,
    table,
)
from pages.components.notices import plain

_EVERY = "All categories"
_MOST_IN_PICTURE = 40


def draw(asked: Asked) -> None:
    """Draw the tab."""
    selection = asked.selection()
    scores = data.products(asked.store, selection)
    answer = st.container()
    part = choice(
        "Benchmarks of",
        [_EVERY, *filter(None, all_categories(scores.benchmarks))],
        key="part",
        what="The task category",
        used=_EVERY.lower(),
        help="A task category, or one of its subcategories, which are listed after it.",
    )
    category = None if part == _EVERY else part
    found = evidence_answers.suite_win_rates(asked.store, selection, category=category)
    models = [data.model(asked.store, row.model) for row in found.rows]
    names = kit.labels(models)
    by_score = evidence_answers.first_by_score(asked.store, selection, category)
    with answer:
        n_models_run = evidence_answers.n_models_run(asked.store, found)
        _answer(found, names, by_score, n_models_run)
    _picture(found, models, names)
    _figures(found, names)
    left_out(asked.store, found, "Models left out of the win rates")
    how_made("Win rate", key="win_rates")


def _answer(
    found: WinRates, names: dict[str, str], by_score: tuple[str, ...], n_models_run: int
) -> None:
    finding, more = words.who_wins(found, names, n_models_run)
    st.markdown(
        f"**{plain(finding)}** {plain(more)}",
        help="The win rate of a model is how often it scores better than another of these models "
        "on the same benchmark; a draw counts half. With other models, or other benchmarks, the "
        "rates change.",
    )
    first = {row.model for row in found.rows if row.rank_band[0] == 1}
    if by_score and {*by_score} != first:
        ahead = [names[model] for model in by_score if model in names]
        st.caption(
            plain(words.first_by_score(ahead, max(row.n_benchmarks for row in found.rows))),
            help="Recommend counts tests by the weights of your work. A score counts by how much a "
            "model is ahead, a win rate only how often. Where numbers of questions are published, "
            "the score is judged on these tests, the win rate always on other tests like these.",
        )


def _picture(found: WinRates, models: list[Model], names: dict[str, str]) -> None:
    cut = replace(found, rows=found.rows[:_MOST_IN_PICTURE])
    figure(
        intervals.win_rate_chart(cut, models[:_MOST_IN_PICTURE]),
        "win-rates",
        "Win rates",
        "Win rates in percent: "
        + "; ".join(f"{names[row.model]} {row.win_rate * 100:.0f} %" for row in found.rows[:15]),
        found.snapshot,
    )
    caption = (
        "Bars: 95 % intervals, how much a rate depends on which benchmarks happen to be in the "
        "suite; none with fewer than five. In colour: those that could be the best."
    )
    if len(cut.rows) < len(found.rows):
        caption += f" The first {len(cut.rows)} of {len(found.rows)} are drawn."
    st.caption(caption)


def _figures(found: WinRates, names: dict[str, str]) -> None:
    rows = found.rows
    told = "Mean score over the benchmarks of the category, points out of 100."
    means = {
        name: numbers((dict(scores)[row.model] for row in rows), times=100)
        for name, scores in found.categories
    }
    table(
        {
            "Model": [names[row.model] for row in rows],
            "Possible ranks": [band(row.rank_band) for row in rows],
            "Win rate, %": [row.win_rate * 100 for row in rows],
            "From": numbers((row.ci_low for row in rows), times=100),
            "To": numbers((row.ci_high for row in rows), times=100),
            "Win SD": numbers((row.win_sd for row in rows), times=100),
            "Macro-average": [row.macro_avg * 100 for row in rows],
            "SD": numbers((row.sd for row in rows), times=100),
            "Benchmarks": [row.n_benchmarks for row in rows],
            **means,
        },
        "win-rates-figures",
        "Win rates",
        found.snapshot,
        columns=dict.fromkeys(means, st.column_config.NumberColumn(format="%.1f", help=told)),
        placeholder="not defined",
    )
