"""BenchHealth as a whole: who is good over all data sets, who is even, and what people say."""

import pandas as pd
import streamlit as st

from core import figures
from core.answers import data
from core.answers import evidence as evidence_answers
from core.answers.asked import Asked
from core.answers.evidence import BenchHealth, GroupMeans
from core.charts import kit
from core.domain import TooFewError
from core.evidence.store import Store
from core.statistics.benchmarks import Evenness
from core.words import evidence as words
from pages.components.blocks import how_made, left_out, numbers, table
from pages.components.notices import plain

_SUITE = "benchhealth"


def draw(asked: Asked) -> None:
    """Draw the tab."""
    if not asked.store.of_suite(_SUITE):
        raise TooFewError("There is no snapshot of BenchHealth here, so there is nothing to show.")
    revision = asked.question.evidence.revision if asked.question.evidence.suite == _SUITE else ""
    found = evidence_answers.benchhealth(
        asked.store, revision, asked.question.evidence.include_flagged
    )
    scores = found.scores
    if not scores.models:
        raise TooFewError(
            "This snapshot of BenchHealth has no model that counts, so there is nothing to show."
        )
    names = kit.labels([data.model(asked.store, name) for name in scores.models])
    order = sorted(
        found.rows, key=lambda row: (-(row.generalisability or 0.0), names[row.model].lower())
    )
    said = words.best_and_most_even(found.rows, names, len(scores.benchmarks))
    n = figures.counted(len(scores.models), "model")
    st.markdown(f"**{plain(said)}** {n} of 2023.")
    st.caption(
        "This is BenchHealth, whichever evidence the side bar names"
        + (f"; snapshot {plain(revision)}, as chosen there." if revision else ".")
    )
    _figures(found, order, names)
    _judged(asked.store, found)
    left_out(asked.store, scores, "Rows of BenchHealth that do not count", what="row")
    how_made("BenchHealth", key="benchhealth")


def _figures(found: BenchHealth, order: list[Evenness], names: dict[str, str]) -> None:
    tasks = _means(found, found.tasks, order)
    frame = {
        "Model": [names[row.model] for row in order],
        "Generalisability": numbers(row.generalisability for row in order),
        "Robustness": numbers(row.robustness for row in order),
        "Data sets": [row.n_datasets for row in order],
        **_means(found, found.scenarios, order),
    }
    for name, _ in found.rows[0].spreads:
        spreads = numbers(dict(row.spreads)[name] for row in order)
        frame[f"Spread: {name.lower()}"] = spreads
    frame |= tasks
    told = "Mean over the task's data sets, percent: compare down the column, not along the row."
    columns = dict.fromkeys(tasks, st.column_config.NumberColumn(format="%.1f", help=told))
    title = "BenchHealth figures by model"
    table(frame, "benchhealth", title, found.scores.snapshot, columns=columns)
    st.caption("Even does not mean good: a model that does badly everywhere is even, too.")


def _means(found: BenchHealth, groups: GroupMeans, order: list[Evenness]) -> dict[str, pd.Series]:
    place = {row.model: i for i, row in enumerate(found.rows)}
    return {name: numbers(means[place[row.model]] for row in order) for name, means in groups}


def _judged(store: Store, found: BenchHealth) -> None:
    st.subheader("What people judged")
    if not found.ratings:
        st.caption("This snapshot has no judgements of people.")
        return
    st.caption(
        "Percent of comparisons in which people found the answer at least as good: at 50 a model "
        "keeps up. The paper's sums of faithfulness and comprehensiveness need figures that it "
        "does not publish."
    )
    rate = {(r.criterion, r.model, r.opponent): r.win_or_tie_percent for r in found.ratings}
    opponents = list(dict.fromkeys(r.opponent for r in found.ratings))
    criteria = list(dict.fromkeys(r.criterion for r in found.ratings))
    rows = sorted(
        dict.fromkeys((r.criterion, r.model) for r in found.ratings),
        key=lambda row: (criteria.index(row[0]), -sum(rate.get((*row, o), 0.0) for o in opponents)),
    )
    people = dict.fromkeys([*(model for _, model in rows), *opponents])
    names = kit.labels([data.model(store, name) for name in people])
    columns = {
        f"Against {names[o]}": numbers(rate.get((*row, o)) for row in rows) for o in opponents
    }
    table(
        {
            "Criterion": [criterion.capitalize() for criterion, _ in rows],
            "Model": [names[model] for _, model in rows],
            **columns,
        },
        "benchhealth-judged",
        "BenchHealth: at least as good as another as judged by people, % of comparisons",
        found.scores.snapshot,
        columns=dict.fromkeys(columns, "%.1f"),
        placeholder="not judged",
    )
