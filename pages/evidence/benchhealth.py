"""BenchHealth as a whole: who is good over all data sets, who is even, and what people say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core.answers import data
from core.answers import evidence as evidence_answers
from core.answers.evidence import BenchHealth, GroupMeans
from core.charts import benchhealth as charts
from core.charts import intervals
from core.domain import TooFewError
from core.evidence.store import Store
from core.sharing import wording
from core.statistics.generalisability import Evenness
from pages.components import controls, evidence
from pages.components.blocks import choose, figure, how_made, numbers, table
from pages.components.notices import plain
from pages.evidence import sections

_SUITE = "benchhealth"
_FEWER = " *"  # behind the name of a model that is not on all data sets
_TASKS, _ART = "Tasks", "State of the art"
_SECTIONS = {_TASKS: (), _ART: (), "What people judged": ("criterion",)}
_BEST, _OTHER, _MADE = "best model", "other models", "state of the art"
_Row = tuple[str, str, str, float]
"""Data set, kind of result, who, and the score in percent."""


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
    _pictures(found, order, names)
    _figures(found, order, names)
    for section in sections.opened(_SECTIONS, key="health_show"):
        st.subheader(section)
        if section == _TASKS:
            _tasks(found, order, names)
        elif section == _ART:
            _state_of_the_art(found, names)
        else:
            _judged(store, found)
    sections.left_out(
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
        f"{wording.counted(n, 'model')} of 2023."
        if n > 1
        else "Only one model: there is nothing to compare it with."
    )
    st.markdown(f"**{first} {second}** {third}")


def _pictures(found: BenchHealth, order: list[Evenness], names: dict[str, str]) -> None:
    """Draw means and spreads side by side."""
    everywhere = len(found.scores.benchmarks)
    labels = [names[row.model] + ("" if row.n_datasets == everywhere else _FEWER) for row in order]
    means = [(who, row.generalisability) for who, row in zip(labels, order, strict=True)]
    spreads = [(who, row.robustness) for who, row in zip(labels, order, strict=True)]
    left, right = st.columns(2)
    with left:
        _picture("Generalisability", means, "Mean score, %", _best(found), found, names)
    with right:
        axis = "Spread, points (lower is more even)"
        _picture("Robustness", spreads, axis, _most_even(found), found, names)
    notes = "In the order of their means."
    if fewer := [
        f"{names[r.model]} has {r.n_datasets}" for r in order if r.n_datasets < everywhere
    ]:
        notes += f" \\* not on all {everywhere} data sets: {plain('; '.join(fewer))}."
    st.caption(f"{notes} Even is not good: a model that is bad everywhere is even, too.")


def _picture(
    title: str,
    rows: list[tuple[str, float | None]],
    axis: str,
    leader: Evenness | None,
    found: BenchHealth,
    names: dict[str, str],
) -> None:
    st.subheader(title)
    first = leader and names[leader.model]
    figure(
        charts.figures(rows, axis, [who for who, _ in rows if who.removesuffix(_FEWER) == first]),
        f"benchhealth-{title.lower()}",
        f"BenchHealth: {title.lower()}, {axis[0].lower()}{axis[1:]}",
        f"{title}: "
        + "; ".join(f"{who} {'not known' if v is None else f'{v:.1f}'}" for who, v in rows),
        found.scores.snapshot,
    )


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
    """Say, draw and list on which data sets the best model is above the state of the art."""
    benchmarks = found.scores.benchmarks
    rows = _results(found, names)
    best = {name: (model, value) for name, kind, model, value in rows if kind == _BEST}
    made = {name: value for name, kind, _, value in rows if kind == _MADE}
    st.markdown(_above(best, made, len(benchmarks)))
    sets = [benchmark.name for benchmark in benchmarks]
    title = "BenchHealth: models against the task-specific state of the art, score in %"
    figure(
        charts.against_state_of_the_art(rows),
        "benchhealth-state-of-the-art",
        title,
        "Best model and task-specific state of the art, percent: "
        + "; ".join(
            f"{name}: {best[name][0]} {best[name][1]:.1f}, state of the art "
            + (f"{made[name]:.1f}" if name in made else "not printed")
            for name in sets
            if name in best
        ),
        found.scores.snapshot,
    )
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
        title,
        found.scores.snapshot,
        placeholder="not printed",
    )


def _results(found: BenchHealth, names: dict[str, str]) -> list[_Row]:
    scores, lines = found.scores, dict(found.state_of_the_art)
    rows: list[_Row] = []
    for j, benchmark in enumerate(scores.benchmarks):
        column = scores.scores[:, j]
        measured = np.flatnonzero(~np.isnan(column)).tolist()
        leader = int(np.nanargmax(column)) if measured else None
        rows += [
            (
                benchmark.name,
                _BEST if i == leader else _OTHER,
                names[scores.models[i]],
                float(column[i]),
            )
            for i in measured
        ]
        if benchmark.id in lines:
            rows.append((benchmark.name, _MADE, "made for this task", lines[benchmark.id]))
    return rows


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
    """Let the reader choose a criterion, and draw and list what people judged by it."""
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
    title = f"BenchHealth: at least as good in {chosen.lower()}, % of comparisons"
    figure(
        charts.judged([(names[m], names[o], share) for (m, o), share in rate.items()]),
        "benchhealth-judged",
        title,
        f"At least as good in {chosen.lower()}, percent of comparisons: "
        + "; ".join(
            f"{names[m]} "
            + ", ".join(f"{rate[m, o]:.1f} against {names[o]}" for o in opponents if (m, o) in rate)
            for m in models
        ),
        found.scores.snapshot,
    )
    columns = {f"Against {names[o]}": numbers(rate.get((m, o)) for m in models) for o in opponents}
    table(
        pd.DataFrame({"Model": [names[m] for m in models]} | columns),
        "benchhealth-judged",
        title,
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
        f"people found its answer at least as good in {share:.0f} % of comparisons.** At 50 %, "
        "the line, a model keeps up."
    )
