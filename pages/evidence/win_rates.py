"""Who wins, and is it clear? Win rates with intervals, and what they rest on."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.answers import data
from core.answers import evidence as evidence_answers
from core.charts import intervals
from core.domain import ScoreMatrix, Selection
from core.evidence.store import Store
from core.procurement.reasons import count
from core.procurement.requirements import all_categories
from core.statistics.win_rates import of_category
from pages.components import controls, evidence, wording
from pages.components.blocks import figure, how_made
from pages.components.notices import own_choice, plain
from pages.evidence import rivals, sections
from pages.evidence.rivals import Contest

_EVERY = "All categories"
_MOST_FIRST = 7
_MOST_NAMED = 4
_MOST_IN_PICTURE = 40
_EACH, _WITHOUT, _TESTS = "Head to head", "Who is compared", "Every test"
_SECTIONS = {_EACH: (), _WITHOUT: ("without",), _TESTS: (), "Task categories": ()}
_METHODS = {
    _EACH: "Head to head",
    _WITHOUT: "The compared set",
    _TESTS: "Every benchmark as a heatmap",
}


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    selection = data.selection_of(controls.question(store).requirements)
    scores = data.products(store, selection)
    answer = st.container()
    category = _category(scores)
    with st.spinner("Counting wins…"):
        found = evidence_answers.win_rates(store, selection, category=category)
    models = {row.model: data.model(store, row.model) for row in found.rows}
    names = intervals.labels(list(models.values()))
    contest = Contest(store, selection, category, found, models, names)
    with answer:
        _answer(contest)
        _by_score(store, selection, contest)
    _picture(contest)
    rivals.figures(contest)
    opened = sections.opened(_SECTIONS, key="wins_show")
    for section in opened:
        st.subheader(section)
        if section == _EACH:
            rivals.each_against_each(contest)
        elif section == _WITHOUT:
            rivals.compared_set(contest)
        elif section == _TESTS:
            rivals.every_score(contest, of_category(scores, category))
        else:
            rivals.by_category(contest)
    sections.left_out(
        store,
        found.excluded,
        title="Models left out of the win rates",
        snapshot=found.snapshot,
    )
    how_made("Win rate", *(_METHODS[name] for name in opened if name in _METHODS), key="win_rates")


def _category(scores: ScoreMatrix) -> str | None:
    """Draw the choice of the benchmarks that count; ``None`` for all."""
    categories = all_categories(scores.benchmarks)
    own_choice("part", "The task category", [_EVERY, *categories], _EVERY.lower())
    part = st.selectbox(
        "Benchmarks of",
        [_EVERY, *filter(None, categories)],
        key="part",
        bind="query-params",
        help="A task category, or one of its subcategories, which stand after it.",
    )
    return None if part == _EVERY else part


def _answer(contest: Contest) -> None:
    """Say who may be first."""
    found, names = contest.found, contest.names
    first = [row.model for row in found.rows if row.rank_band[0] == 1]
    if len(first) == 1:
        answer = f"**{plain(names[first[0]])} wins clearly.**"
    elif len(first) == len(found.rows):
        answer = "**No model is shown to win more than another.**"
    else:
        listed = sections.some_of([names[model] for model in first], _MOST_FIRST)
        answer = (
            f"**{count(len(first)).capitalize()} models may be first: none is shown to win less "
            f"than another.** They are {plain(listed)}."
        )
    of = "" if contest.category is None else f" on {plain(contest.category.lower())}"
    n_benchmarks = max(row.n_benchmarks for row in found.rows)
    st.markdown(
        f"{answer} {len(found.rows)} models compared{of}, on "
        f"{wording.counted(n_benchmarks, 'benchmark')}.",
        help="The win rate of a model is how often it scores better than another of these models "
        "on the same benchmark; a draw counts half. With other models, or other benchmarks, the "
        "rates change.",
    )


def _by_score(store: Store, selection: Selection, contest: Contest) -> None:
    """Say where the first group by mean score is another."""
    names = contest.names
    first = {row.model for row in contest.found.rows if row.rank_band[0] == 1}
    by_score = evidence_answers.first_by_score(store, selection, contest.category)
    if not by_score or by_score == first:
        return
    ahead = sections.some_of(sorted(names[m] for m in by_score if m in names), _MOST_NAMED)
    st.caption(
        f"By mean score {plain(ahead)} may be first.",
        help="A score counts by how much a model is ahead, a win rate only how often. Where "
        "numbers of questions are published, the score is judged on these tests, the win rate "
        "always on other tests like these.",
    )


def _picture(contest: Contest) -> None:
    found, names = contest.found, contest.names
    cut = replace(found, rows=found.rows[:_MOST_IN_PICTURE])
    caption = (
        "Bars: 95 % intervals, how much a rate depends on which benchmarks happen to be in the "
        "suite; none with fewer than five. In colour: those that may be first."
    )
    if len(cut.rows) < len(found.rows):
        caption += f" The first {len(cut.rows)} of {len(found.rows)} are drawn."
    figure(
        intervals.win_rates(cut, [contest.models[row.model] for row in cut.rows]),
        name="win-rates",
        title="Win rates",
        alt="Win rates in percent: "
        + "; ".join(f"{names[row.model]} {row.win_rate:.0%}" for row in found.rows[:15]),
        snapshot=found.snapshot,
    )
    st.caption(caption)
