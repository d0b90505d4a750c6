"""BenchHealth as a whole: who is good over all data sets, who is even, and what people say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core.answers import data
from core.answers import evidence as evidence_answers
from core.answers.evidence import BenchHealth, GroupMeans
from core.charts import intervals
from core.domain import TooFewError
from core.evidence.store import Store
from core.statistics.coverage import Evenness
from core.words import figures
from pages.components import controls, evidence
from pages.components.blocks import choose, how_made, left_out, numbers, opened, table
from pages.components.notices import plain

_SUITE = "benchhealth"
_TASKS, _ART = "Tasks", "State of the art"
_SECTIONS = {_TASKS: (), _ART: (), "What people judged": ("criterion",)}


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    asked = controls.question(store).requirements
    if not store.of_suite(_SUITE):
        raise TooFewError("There is no snapshot of BenchHealth here, so there is nothing to show.")
    revision = asked.revision if asked.suite == _SUITE else ""
    found = evidence_answers.benchhealth(store, revision, asked.include_flagged)
    scores = found.scores
    if not scores.models:
        raise TooFewError(
            "This snapshot of BenchHealth has no model that counts, so there is nothing to show."
        )
    names = intervals.labels([data.model(store, name) for name in scores.models])
    order = sorted(
        found.rows, key=lambda row: (-(row.generalisability or 0.0), names[row.model].lower())
    )
    _answer(found, names)
    st.caption(
        "BenchHealth, whatever evidence base the side bar names"
        + (f"; snapshot {plain(revision)}, as chosen there." if revision else ".")
    )
    _figures(found, order, names)
    for section in opened(_SECTIONS, key="health_show"):
        st.subheader(section)
        if section == _TASKS:
            _tasks(found, order, names)
        elif section == _ART:
            _state_of_the_art(found, names)
        else:
            _judged(store, found)
    left_out(
        store,
        scores.excluded,
        title="Rows of BenchHealth that do not count",
        snapshot=scores.snapshot,
        what="row",
    )
    how_made("BenchHealth", key="benchhealth")


def _best(found: BenchHealth) -> Evenness | None:
    """Return the model with the highest mean of those on every data set."""
    everywhere = len(found.scores.benchmarks)
    whole = [row for row in found.rows if row.n_datasets == everywhere]
    return max(whole, key=lambda row: row.generalisability or 0.0, default=None)


def _most_even(found: BenchHealth) -> Evenness | None:
    known = [row for row in found.rows if row.robustness is not None]
    return min(known, key=lambda row: (row.robustness or 0.0, row.model), default=None)


def _answer(found: BenchHealth, names: dict[str, str]) -> None:
    best, even = _best(found), _most_even(found)
    if best is not None and best.generalisability is not None:
        first = (
            f"{plain(names[best.model])} is best over all {len(found.scores.benchmarks)} data "
            f"sets, with a mean of {best.generalisability:.1f} %."
        )
    else:
        first = "No model has a score on every data set, so none is best over all."
    if even is not None:
        second = (
            f"{plain(names[even.model])} is the most even: its scores on data sets of the same "
            f"kind spread by {even.robustness:.1f} points in all."
        )
    else:
        second = "No model has the scores that evenness is judged by."
    n = len(found.scores.models)
    third = (
        f"{figures.counted(n, 'model')} of 2023."
        if n > 1
        else "Only one model: there is nothing to compare it with."
    )
    st.markdown(f"**{first} {second}** {third}")


def _figures(found: BenchHealth, order: list[Evenness], names: dict[str, str]) -> None:
    frame = pd.DataFrame(
        {
            "Model": [names[row.model] for row in order],
            "Generalisability": numbers(row.generalisability for row in order),
            "Robustness": numbers(row.robustness for row in order),
            "Data sets": [row.n_datasets for row in order],
        }
        | _means(found, found.scenarios, order)
        | {
            f"Spread: {name.lower()}": numbers(dict(row.spreads)[name] for row in order)
            for name, _ in found.rows[0].spreads
        }
    )
    table(frame, "benchhealth", "BenchHealth figures by model", found.scores.snapshot)
    st.caption("Even is not good: a model that is bad everywhere is even, too.")


def _tasks(found: BenchHealth, order: list[Evenness], names: dict[str, str]) -> None:
    st.caption(
        "Mean score over the data sets of each task, percent. Accuracy, F1, ROUGE-L and BLEU-4 "
        "have different meanings, so compare down a column, not along a row."
    )
    means = _means(found, found.tasks, order)
    table(
        pd.DataFrame({"Model": [names[row.model] for row in order]} | means),
        "benchhealth-tasks",
        "BenchHealth by task",
        found.scores.snapshot,
        columns=dict.fromkeys(means, "%.1f"),
    )


def _means(found: BenchHealth, groups: GroupMeans, order: list[Evenness]) -> dict[str, pd.Series]:
    """Return a column for each group of data sets, in the order of the rows shown."""
    place = {row.model: i for i, row in enumerate(found.rows)}
    return {name: numbers(means[place[row.model]] for row in order) for name, means in groups}


def _state_of_the_art(found: BenchHealth, names: dict[str, str]) -> None:
    """Say and list on which data sets the best model is above the state of the art."""
    benchmarks, lines = found.scores.benchmarks, dict(found.state_of_the_art)
    best: dict[str, tuple[str, float]] = {}
    for benchmark, column in zip(benchmarks, found.scores.scores.T, strict=True):
        if not np.isnan(column).all():
            leader = int(np.nanargmax(column))
            best[benchmark.name] = names[found.scores.models[leader]], float(column[leader])
    made = {b.name: lines[b.id] for b in benchmarks if b.id in lines}
    st.markdown(_above(best, made, len(benchmarks)))
    sets = [benchmark.name for benchmark in benchmarks]
    table(
        pd.DataFrame(
            {
                "Data set": sets,
                "Task": [b.subcategory for b in benchmarks],
                "Measured as": [b.metric for b in benchmarks],
                "Items": pd.array([b.n_items for b in benchmarks], dtype="Int64"),
                "Best model": [best[name][0] if name in best else "none" for name in sets],
                "Its score": numbers(best[name][1] if name in best else None for name in sets),
                "State of the art": numbers(made.get(name) for name in sets),
            }
        ),
        "benchhealth-state-of-the-art",
        "BenchHealth: models against the task-specific state of the art, score in %",
        found.scores.snapshot,
        placeholder="not printed",
    )


def _above(best: dict[str, tuple[str, float]], made: dict[str, float], n_benchmarks: int) -> str:
    """Say on which data sets the best model is above the line."""
    if not made:
        return "This snapshot has no line of the task-specific state of the art."
    above = [name for name, line in made.items() if name in best and best[name][1] > line]
    said = (
        f"**The best model here is above it on {len(above)}: {plain(', '.join(above))}.**"
        if above
        else "**No model here is above it on any of them.**"
    )
    return (
        f"The paper prints the best result of a model made for one task on {len(made)} of "
        f"{n_benchmarks} data sets. {said}"
    )


def _judged(store: Store, found: BenchHealth) -> None:
    """Let the reader choose a criterion, and list what people judged by it."""
    criteria = {rating.criterion.capitalize(): rating.criterion for rating in found.ratings}
    if not criteria:
        st.caption("This snapshot has no judgements of people.")
        return
    chosen = choose(
        "Criterion",
        criteria,
        key="criterion",
        what="The criterion",
        help="The paper also sums faithfulness and comprehensiveness over the data sets. These "
        "sums need precision and recall on each data set, which it does not publish, so they "
        "cannot be recomputed here.",
    )
    ratings = [rating for rating in found.ratings if rating.criterion == criteria[chosen]]
    rate = {(r.model, r.opponent): r.win_or_tie_percent for r in ratings}
    opponents = list(dict.fromkeys(r.opponent for r in ratings))
    models = sorted(
        {r.model for r in ratings}, key=lambda m: -sum(rate.get((m, o), 0.0) for o in opponents)
    )
    rate = {(m, o): rate[m, o] for m in models for o in opponents if (m, o) in rate}
    names = intervals.labels([data.model(store, name) for name in (*models, *opponents)])
    st.markdown(_closest(chosen, rate, names))
    columns = {f"Against {names[o]}": numbers(rate.get((m, o)) for m in models) for o in opponents}
    table(
        pd.DataFrame({"Model": [names[m] for m in models]} | columns),
        "benchhealth-judged",
        f"BenchHealth: at least as good in {chosen.lower()}, % of comparisons",
        found.scores.snapshot,
        columns=dict.fromkeys(columns, "%.1f"),
        placeholder="not judged",
        alt=f"At least as good in {chosen.lower()}, percent of comparisons",
    )


def _closest(chosen: str, rate: dict[tuple[str, str], float], names: dict[str, str]) -> str:
    """Name the model that comes closest to the opponent that is hardest to keep up with."""
    best: dict[str, tuple[float, str]] = {}
    for (model, opponent), share in rate.items():
        if opponent not in best or share > best[opponent][0]:
            best[opponent] = (share, model)
    hardest = min(best, key=lambda opponent: best[opponent][0])
    share, closest = best[hardest]
    return (
        f"**On {chosen.lower()}, {plain(names[closest])} comes closest to {plain(names[hardest])}: "
        f"people found its answer at least as good in {share:.0f} % of comparisons.** At 50 % "
        "a model keeps up."
    )
