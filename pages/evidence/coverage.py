"""What has never been tested? Benchmarks counted by the kind of work that they stand for."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from core.answers import data
from core.answers import evidence as evidence_answers
from core.charts import intervals
from core.charts.heatmaps import coverage_grid
from core.domain import Selection
from core.evidence.store import Store
from core.statistics.coverage import (
    Cell,
    Coverage,
    Detectable,
    GapKind,
    Place,
    gaps,
    never_tested,
)
from core.words import figures
from core.words.figures import count
from pages.components import controls, evidence
from pages.components.blocks import choose, figure, how_made, numbers, opened, some_of, table
from pages.components.notices import plain

_NOBODY = "No model"
_MOST_NAMED = 6
_KINDS = {
    "no benchmark": "have no benchmark at all",
    "no open model": "were never tested with a model that you could run yourself",
    "private data only": "rest on private data alone, so nobody else can repeat the test",
    "exam questions only": "rest on exam questions alone",
    "a single benchmark": "rest on a single benchmark",
}
_ONE_MODEL = "One model"
_SECTIONS = {_ONE_MODEL: ("untested",), "What a test can tell apart": ()}
_DATA = {
    "public": "public data",
    "by agreement": "data by agreement only",
    "private": "private data",
    "unknown": "access to the data not stated",
}
_UNKNOWN = {
    "score": "the score is no share of questions right",
    "number": "the number of questions is not published",
    "few": "no difference can be seen with {} questions",
}
_VERDICTS = {None: "cannot tell", True: "noise", False: "more than noise"}


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    asked = controls.question(store).requirements
    selection = data.selection_of(asked)
    with st.spinner("Counting benchmarks…"):
        found = evidence_answers.coverage(store, selection)
    suites = {suite: store.catalogue.suites[suite].name for suite in found.suites}
    missing = gaps(found)
    _answer(found, missing)
    st.markdown(_noise_in_words(store, selection))
    _grid(found, missing, suites)
    for section in opened(_SECTIONS, key="gaps_show"):
        st.subheader(section)
        if section == _ONE_MODEL:
            _one_model(store, found)
        else:
            _noise(store, selection)
    how_made("Coverage", key="coverage")


def _answer(found: Coverage, missing: Mapping[Place, GapKind]) -> None:
    """Say how many kinds of work have which gap, and name them."""
    parts = []
    for kind, words in _KINDS.items():
        if named := [place[1] for place, gap in missing.items() if gap == kind]:
            listed = plain(some_of(named, _MOST_NAMED))
            parts.append(f"**{count(len(named))} {words}** ({listed})")
    if not parts:
        st.markdown(f"**All {len(found.places)} kinds of work are tested without a gap.**")
        return
    st.markdown(
        f"Of {len(found.places)} kinds of clinical work, {'; '.join(parts)}.",
        help="MedHELM sorts clinical work into these kinds. Benchmarks of every suite count, "
        "whatever the side bar names. A kind is counted once, by its gravest gap.",
    )


def _grid(found: Coverage, missing: Mapping[Place, GapKind], suites: Mapping[str, str]) -> None:
    """Draw and list how many benchmarks of each suite stand for each kind of work."""
    shown = [s for s in found.suites if any(found.cells[p, s].benchmarks for p in found.places)]
    counts = {
        place: {suites[s]: len(found.cells[place, s].benchmarks) for s in shown}
        for place in found.places
    }
    title = "Benchmarks by kind of clinical work and suite"
    figure(
        coverage_grid(found, shown, suites),
        "coverage",
        title,
        "Benchmarks by kind of work: "
        + "; ".join(
            f"{place[1]}: " + (", ".join(f"{s} {n}" for s, n in row.items() if n) or "none")
            for place, row in counts.items()
        ),
    )
    others = [suites[s] for s in found.suites if s not in shown]
    among = f", among them all of {figures.listed(others)}" if others else ""
    st.caption(
        plain(f"{len(found.elsewhere)} benchmarks stand for none of these kinds of work{among}.")
    )
    table(
        pd.DataFrame(
            [
                {"Category": place[0], "Kind of work": place[1], "Gap": missing.get(place, "none")}
                | row
                | _facts(found.total[place])
                for place, row in counts.items()
            ]
        ),
        "coverage",
        title,
    )


def _facts(cell: Cell) -> dict[str, object]:
    access = dict(cell.access)
    return {
        "Public": access.get("public", 0),
        "By agreement": access.get("by agreement", 0),
        "Private": access.get("private", 0),
        "Access not stated": access.get("unknown", 0),
        "Exam questions": cell.n_exam,
        "Notes and records": cell.n_clinical,
        "Made of: not stated": cell.n_material_unknown,
        "Models": len(cell.models),
        "Open models": len(cell.open_models),
        "In words": figures.capitalised(described(cell)),
    }


def described(cell: Cell) -> str:
    """Say in words what stands behind a cell, without a full stop."""
    n = len(cell.benchmarks)
    if not n:
        return "no benchmark at all"
    benchmarks = "one benchmark" if n == 1 else f"{n} benchmarks"
    if len(cell.access) == 1:
        words = [benchmarks, _DATA[cell.access[0][0]]]
    else:
        listed = ", ".join(f"{number} {name}" for name, number in cell.access)
        words = [f"{benchmarks} (data: {listed.replace('unknown', 'not stated')})"]
    if cell.n_exam == n:
        words.append("exam questions only")
    if not cell.models:
        words.append("no model tested")
    elif not cell.open_models:
        words.append("no open model ever tested")
    else:
        models = figures.counted(len(cell.models), "model")
        words.append(f"{models} tested, {len(cell.open_models)} of them open")
    return ", ".join(words)


def _one_model(store: Store, found: Coverage) -> None:
    everyone = {name for cell in found.total.values() for name in cell.models}
    names = intervals.labels([data.model(store, name) for name in sorted(everyone)])
    known = {label: name for name, label in sorted(names.items(), key=lambda one: one[1].lower())}
    chosen = choose(
        "Show for one model",
        [_NOBODY, *known],
        key="untested",
        what="The model",
        used=_NOBODY.lower(),
        help="Under this name. Another suite may know the same model under another one.",
    )
    if chosen == _NOBODY:
        return
    never = never_tested(found, known[chosen])
    n = len(found.places)
    if not never:
        st.markdown(f"**{plain(chosen)} was tested on all {n} kinds of work.**")
        return
    st.markdown(
        f"**{plain(chosen)} was never tested on {len(never)} of {n} kinds of work:**\n\n"
        + "\n".join(f"- {plain(place[1])} ({plain(place[0])})" for place in never)
    )


def _noise_in_words(store: Store, selection: Selection) -> str:
    """Say on how many benchmarks the lead of the first model is noise."""
    suite = plain(store.catalogue.suites[selection.suite].name)
    judged = [row for row in evidence_answers.detectable(store, selection) if row.noise is not None]
    if not judged:
        return (
            f"**For no benchmark of {suite} can it be said whether a lead is noise.** It takes two "
            "models, a score that is a share of questions right, and a published number of "
            "questions."
        )
    noisy = sum(row.noise is True for row in judged)
    return (
        f"**On {noisy} of {figures.counted(len(judged), 'benchmark')} of {suite} the gap between "
        "the first two models is noise**: smaller than what the number of questions can tell apart."
    )


def _noise(store: Store, selection: Selection) -> None:
    """List the gap between the first two models beside what each benchmark can detect."""
    suite = store.catalogue.suites[selection.suite].name
    rows = evidence_answers.detectable(store, selection)
    matrix = data.matrix(store, selection)
    by_id = {benchmark.id: benchmark for benchmark in matrix.benchmarks}
    table(
        pd.DataFrame(
            {
                "Benchmark": [by_id[row.benchmark].name for row in rows],
                "First two apart": numbers((row.first_minus_second for row in rows), times=100),
                "Can detect": numbers((row.smallest for row in rows), times=100),
                "Verdict": [_VERDICTS[row.noise] for row in rows],
                "At the median": numbers((row.smallest_at_median for row in rows), times=100),
                "Best over median": numbers((row.best_minus_median for row in rows), times=100),
                "Items": pd.array([row.n_items for row in rows], dtype="Int64"),
                "Models": [row.n_models for row in rows],
                "Kind of work": [by_id[row.benchmark].subcategory for row in rows],
                "Why not": [_why_not(row) for row in rows],
            }
        ),
        "detectable",
        f"{suite}: what each benchmark can tell apart, points out of 100",
        matrix.snapshot,
    )
    st.caption(
        "Noise: the first two lie closer than what can be detected. It does not mean that they are "
        "the same."
    )


def _why_not(row: Detectable) -> str:
    """Say why nothing can be said of a benchmark; empty where something can."""
    if row.noise is not None:
        return ""
    return _UNKNOWN[row.unknown].format(row.n_items) if row.unknown else "fewer than two models"
