"""A smaller evaluation of one's own: which benchmarks keep the ranking of all."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.answers import evidence, local_test
from core.charts import correlations
from core.domain import Benchmark, ScoreMatrix, Selection
from core.evidence.store import Store
from core.procurement.local_plan import PlanRow
from core.procurement.reasons import count
from core.sharing import wording
from core.statistics.redundancy import SmallerSet
from pages.components.blocks import choose, figure, table
from pages.evidence.pairs import signed

_FEWEST = "as few as keep the ranking"
_ENOUGH = 0.9


def draw(store: Store, selection: Selection, scores: ScoreMatrix) -> None:
    """Let the reader choose how many benchmarks to keep, and say what that keeps and spares."""
    sets = evidence.smaller_sets(store, selection)
    size = _size(sets)
    one = sets[size - 1]
    st.markdown(f"{_kept_in_words(one, len(sets))} {_saved_in_words(one, scores.benchmarks)}")
    greedy = " Found by adding one benchmark at a time: a better set of a size may exist."
    models = wording.counted(len(scores.models), "model")
    st.caption(
        f"Chosen and judged on the same {models}, so these figures are optimistic. A set that "
        "keeps the ranking does not cover every kind of work: keep what your own task needs."
        + (greedy if one.search == "greedy" else "")
    )
    figure(
        correlations.kept_by_size(sets, size),
        "plan",
        f"Plan: {size} of {len(sets)} benchmarks",
        "Ranking kept by number of benchmarks: "
        + "; ".join(f"{len(s.benchmarks)} {s.tau:.2f}" for s in sets[:15] if s.tau is not None),
        scores.snapshot,
    )
    plan = _plan(local_test.local_plan(store, selection, size))
    table(
        plan,
        "plan",
        f"Plan: {size} of {len(sets)} benchmarks",
        scores.snapshot,
        alt=f"Plan of an evaluation with {wording.counted(size, 'benchmark')}, those kept first",
        file=_with_provenance(plan, scores, one),
    )


def _size(sets: Sequence[SmallerSet]) -> int:
    sizes = [str(size) for size in range(1, len(sets) + 1)]
    keep = choose(
        "Benchmarks to keep",
        [_FEWEST, *sizes],
        key="keep",
        what="The number of benchmarks",
        used=_FEWEST,
        help="To test models on your own site you may not need the whole suite. By default: the "
        "fewest benchmarks whose ranking has a Kendall's τ of 0.9 or more with that of all.",
    )
    if keep != _FEWEST:
        return int(keep)
    good = (len(s.benchmarks) for s in sets if s.tau is not None and s.tau >= _ENOUGH)
    return next(good, len(sets))


def _kept_in_words(one: SmallerSet, n_benchmarks: int) -> str:
    what = f"{wording.sentence(count(len(one.benchmarks)))} of {count(n_benchmarks)} benchmarks"
    if one.tau is None:
        return f"{what}: these models cannot be ranked by all benchmarks, so none can be kept."
    clusters = (
        "The clusters of models are not defined on these."
        if one.adjusted_rand is None
        else f"Of the two clusters of models it keeps {signed(one.adjusted_rand)} (adjusted Rand "
        "index; 1 is the same, 0 is chance)."
    )
    same = "all" if one.tau == 1 else f"about {min(math.floor((one.tau + 1) * 50), 99)} of 100"
    keep = "keeps" if len(one.benchmarks) == 1 else "keep"
    return (
        f"**{what} {keep} {signed(one.tau)} of the ranking (Kendall's τ)**: {same} pairs of models "
        f"stand in the same order as by all benchmarks. {clusters}"
    )


def _saved_in_words(one: SmallerSet, benchmarks: Sequence[Benchmark]) -> str:
    out = [b for b in benchmarks if b.id not in one.benchmarks]
    if not out:
        return "Nothing is left out, so nothing is saved."
    words = [_items_in_words(out, benchmarks)]
    whole = [b.n_items for b in benchmarks if b.n_items is not None]
    if len(set(whole)) == 1 and len(benchmarks) == len(whole) > 1:
        words.append(
            f"All of these benchmarks have {whole[0]:,} items: where they are measures of the "
            "same cases, leaving one out saves none."
        )
    if one.tokens is not None and one.tokens_saved is not None:
        words.append(
            f"It saves about {_millions(one.tokens_saved)} of "
            f"{_millions(one.tokens + one.tokens_saved)} million tokens for each model, counting "
            "the input and the most that may be written."
        )
    return " ".join(words)


def _items_in_words(out: Sequence[Benchmark], benchmarks: Sequence[Benchmark]) -> str:
    sizes = [b.n_items for b in out if b.n_items is not None]
    unknown = len(out) - len(sizes)
    if not sizes:
        return "How many questions this saves is not known: the suite does not publish it."
    if unknown:
        return (
            f"It leaves out at least {sum(sizes):,} questions for each model; of "
            f"{count(unknown)} left out the number is not published."
        )
    whole = [b.n_items for b in benchmarks if b.n_items is not None]
    share = f" ({sum(sizes) / sum(whole):.0%})" if len(whole) == len(benchmarks) else ""
    return f"It leaves out {sum(sizes):,} questions for each model{share}."


def _plan(rows: Sequence[PlanRow]) -> pd.DataFrame:
    found = [row.benchmark for row in rows]
    return pd.DataFrame(
        {
            "Keep": ["yes" if row.kept else "no" for row in rows],
            "Benchmark": [benchmark.name for benchmark in found],
            "Category": [benchmark.category for benchmark in found],
            "Items": pd.array([benchmark.n_items for benchmark in found], dtype="Int64"),
            "Access": [benchmark.access or wording.UNKNOWN for benchmark in found],
            "Why": [row.why for row in rows],
            "Data from": [benchmark.source for benchmark in found],
        }
    )


def _with_provenance(table: pd.DataFrame, scores: ScoreMatrix, one: SmallerSet) -> pd.DataFrame:
    """Add what the plan rests on to each of its rows."""
    about = {
        "Suite": scores.suite,
        "Cohort": scores.cohort,
        "Snapshot": scores.snapshot.revision if scores.snapshot else None,
        "Models": len(scores.models),
        "Kendall tau": one.tau,
        "Adjusted Rand index": one.adjusted_rand,
        "Search": one.search,
    }
    return table.assign(**about)


def _millions(tokens: float) -> str:
    return f"{tokens / 1e6:,.1f}" if tokens < 1e8 else f"{tokens / 1e6:,.0f}"
