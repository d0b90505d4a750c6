"""BenchHealth as a whole: who is good over all data sets, who is even, and what people say."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.answers import data
from core.answers import evidence as evidence_answers
from core.answers.evidence import BenchHealth, GroupMeans
from core.charts import benchhealth as charts
from core.charts import intervals
from core.domain import TooFewError
from core.statistics.generalisability import Evenness
from pages.components import controls, evidence, wording
from pages.components.blocks import figure, how_made, table
from pages.components.notices import plain
from pages.evidence import judged, sections, state_of_the_art
from pages.evidence.sections import numbers

_SUITE = "benchhealth"
_FEWER = " *"  # behind the name of a model that is not on all data sets
_NUMBER = st.column_config.NumberColumn
_TASKS, _ART = "Tasks", "State of the art"
_SECTIONS = {_TASKS: (), _ART: (), "What people judged": ("criterion",)}
_HELP = {
    "Generalisability": "Mean of all scores that the model has, percent.",
    "Robustness": "Sum of the three spreads, points. Lower is more even. Unknown where a score is "
    "missing.",
    "Data sets": "Data sets on which the model has a score.",
    "Reasoning": "Exam questions, literature questions and treatment advice: mean, percent.",
    "Generation": "Radiology summaries and discharge instructions: mean, percent.",
    "Understanding": "Finding diseases and relations, classifying documents: mean, percent.",
}
_SPREAD = "Standard deviation of the scores within this group, points."


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
            state_of_the_art.draw(found, names)
        else:
            judged.draw(store, found)
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
    """Return the model whose scores spread least."""
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
        name=f"benchhealth-{title.lower()}",
        title=f"BenchHealth: {title.lower()}, {axis[0].lower()}{axis[1:]}",
        alt=f"{title}: "
        + "; ".join(f"{who} {'not known' if v is None else f'{v:.1f}'}" for who, v in rows),
        snapshot=found.scores.snapshot,
    )


def _figures(found: BenchHealth, order: list[Evenness], names: dict[str, str]) -> None:
    """List the means and spreads of each model, best first."""
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
    table(
        frame,
        name="benchhealth",
        title="BenchHealth figures by model",
        snapshot=found.scores.snapshot,
        columns={
            name: _NUMBER(
                format="%d" if name == "Data sets" else "%.1f", help=_HELP.get(name, _SPREAD)
            )
            for name in frame.columns[1:]
        },
        alt="Generalisability, robustness and means by scenario, best first",
    )


def _tasks(found: BenchHealth, order: list[Evenness], names: dict[str, str]) -> None:
    """List the mean of each model on each task."""
    st.caption(
        "Mean score over the data sets of each task, percent. Accuracy, F1, ROUGE-L and BLEU-4 "
        "have different meanings, so compare down a column, not along a row."
    )
    means = _means(found, found.tasks, order)
    table(
        pd.DataFrame({"Model": [names[row.model] for row in order]} | means),
        name="benchhealth-tasks",
        title="BenchHealth by task",
        snapshot=found.scores.snapshot,
        columns={name: _NUMBER(format="%.1f") for name in means},
        alt="Mean score by model and task, percent",
    )


def _means(found: BenchHealth, groups: GroupMeans, order: list[Evenness]) -> dict[str, pd.Series]:
    """Return a column for each group of data sets, in the order of the rows shown."""
    place = {row.model: i for i, row in enumerate(found.rows)}
    return {name: numbers(means[place[row.model]] for row in order) for name, means in groups}
