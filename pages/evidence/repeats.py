"""Redundancy of benchmarks in words and tables."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.charts.correlations import MOST_WITH_NUMBERS
from core.domain import Benchmark, BenchmarkPair, Redundancy, ScoreMatrix
from core.procurement.local_plan import PlanRow
from core.procurement.reasons import count
from core.statistics.smaller_sets import SmallerSet
from pages.components.notices import plain
from pages.components.wording import UNKNOWN, counted, list_of, sentence

_ENOUGH = 0.9
_MOST_NAMED = 3
_MOST_SIZES = 6
_COLUMN = st.column_config
PAIR_COLUMNS = {
    "r": _COLUMN.NumberColumn(
        format="%+.2f",
        help="1: both put the models in the same place. 0: the one says nothing of the other. "
        "−1: the best on one is the worst on the other.",
    ),
    "p": _COLUMN.NumberColumn(
        format="scientific",
        help="How surprising so close a link would be if the two had nothing in common.",
    ),
    "Significant": _COLUMN.TextColumn(
        help="Yes where p is below 0.01 shared among all pairs (Bonferroni)."
    ),
    "Models": _COLUMN.NumberColumn(help="Models that have every benchmark."),
}
PLAN_COLUMNS = {
    "Keep": _COLUMN.TextColumn(width=60),
    "Benchmark": _COLUMN.TextColumn(width="medium"),
    "Items": _COLUMN.NumberColumn(help="Questions or texts in the benchmark."),
    "Access": _COLUMN.TextColumn(help="Who can get the data."),
    "Why": _COLUMN.TextColumn(width="large"),
}
VOTE_COLUMNS = {
    "Benchmarks": _COLUMN.NumberColumn(width=90),
    "Share one vote": _COLUMN.TextColumn(width="large"),
}


def labels(benchmarks: Sequence[Benchmark]) -> dict[str, str]:
    """Return a label per benchmark: its name, or with its id where two share a name."""
    names = Counter(benchmark.name for benchmark in benchmarks)
    return {b.id: b.name if names[b.name] == 1 else f"{b.name} ({b.id})" for b in benchmarks}


def finding(groups: Sequence[Sequence[str]], names: Mapping[str, str]) -> str:
    """Say what the vote groups come to."""
    n, largest = len(names), max(groups, key=len)
    others = [benchmark for group in groups if group is not largest for benchmark in group]
    if len(largest) == 1:
        return f"**None of the {count(n)} benchmarks repeats another: each adds something.**"
    many = sentence(count(len(largest)))
    if not others:
        return f"**All {count(n)} benchmarks tell much the same story.**"
    told = f"{many} of {count(n)} benchmarks tell much the same story"
    if len(others) == 1:
        return f"**{told}; {plain(names[others[0]])} is the one that adds something.**"
    if len(others) <= _MOST_NAMED:
        return f"**{told}; {plain(list_of([names[b] for b in others]))} add something.**"
    return (
        f"**{told}.** Counted without repetition, the {count(n)} come to {count(len(groups))} "
        "different ones."
    )


def legend(found: Redundancy, n_benchmarks: int) -> str:
    """Explain the map of correlations."""
    sign = "number in brackets" if n_benchmarks <= MOST_WITH_NUMBERS else "small square"
    return (
        "Each cell is a pair of benchmarks. Blue: models that do well on one do well on the other; "
        f"orange: they do badly. A {sign}: not significant, chance could explain it (p not below "
        f"0.01 divided by {len(found.pairs):,}, the number of pairs). A dashed frame: benchmarks "
        "that count as one vote, see below. Click a cell for its scatter plot."
    )


def map_in_words(found: Redundancy, names: Mapping[str, str]) -> str:
    """Name the extremes of the map."""
    defined = sorted((p for p in found.pairs if not math.isnan(p.r)), key=lambda p: -p.r)
    ends = defined if len(defined) <= 2 * _MOST_NAMED else defined[:_MOST_NAMED] + defined[-3:]
    some = "; ".join(f"{names[p.a]} and {names[p.b]} {p.r:+.2f}" for p in ends)
    return f"Map of the correlations of {counted(len(found.pairs), 'pair')} of benchmarks: {some}"


def pairs_table(found: Redundancy, names: Mapping[str, str]) -> pd.DataFrame:
    """Return every pair, the closest first, undefined ones last."""
    pairs = sorted(found.pairs, key=lambda p: math.inf if math.isnan(p.r) else -abs(p.r))
    return pd.DataFrame(
        {
            "Benchmark": [names[pair.a] for pair in pairs],
            "And": [names[pair.b] for pair in pairs],
            "r": [pair.r for pair in pairs],
            "p": [pair.p_value for pair in pairs],
            "Significant": ["yes" if pair.significant else "no" for pair in pairs],
            "Models": [pair.n_models for pair in pairs],
        }
    )


def closest(
    pairs: Sequence[BenchmarkPair], first: str | None, second: str | None
) -> tuple[str, str]:
    """Fill what is open of a pair so that the two are as close as can be."""
    if first and second:
        return first, second
    wanted = {benchmark for benchmark in (first, second) if benchmark}
    among = [pair for pair in pairs if wanted <= {pair.a, pair.b}]
    best = max(among, key=lambda pair: -1 if math.isnan(pair.r) else abs(pair.r))
    turned = first == best.b or second == best.a
    return (best.b, best.a) if turned else (best.a, best.b)


def pair_in_words(pair: BenchmarkPair, names: Mapping[str, str], method: str) -> str:
    """Say how closely two benchmarks go together."""
    both = f"{plain(names[pair.a])} and {plain(names[pair.b])}"
    if math.isnan(pair.r):
        return f"On {both} a correlation is not defined: on one of them all models score the same."
    size = abs(pair.r)
    close = (
        "tell much the same"
        if size >= 0.8
        else "go together, with exceptions"
        if size >= 0.5
        else "have little in common"
    )
    if pair.r < 0 and size >= 0.5:
        close = "run against each other"
    p = "below 0.0001" if pair.p_value < 1e-4 else f"{pair.p_value:.2g}"
    chance = "" if pair.significant else " Chance could explain this."
    symbol = "r" if method == "pearson" else "Spearman's ρ"
    return (
        f"**{both} {close}**: {symbol} = {signed(pair.r)}, p {p}, over "
        f"{counted(pair.n_models, 'model')}.{chance}"
    )


def signed(r: float) -> str:
    """Write a correlation with a true minus sign."""
    return f"{r:.2f}".replace("-", "−")


def fewest(sets: Sequence[SmallerSet]) -> int:
    """Return the smallest size that keeps enough of the ranking."""
    good = (len(s.benchmarks) for s in sets if s.tau is not None and s.tau >= _ENOUGH)
    return next(good, len(sets))


def kept_in_words(one: SmallerSet, n_benchmarks: int) -> str:
    """Say what a smaller set keeps."""
    what = f"{sentence(count(len(one.benchmarks)))} of {count(n_benchmarks)} benchmarks"
    if one.tau is None:
        return f"{what}: these models cannot be ranked by all benchmarks, so none can be kept."
    families = (
        "The families of models are not defined on these."
        if one.adjusted_rand is None
        else "Of the two families of the taxonomy it keeps "
        f"{signed(one.adjusted_rand)} (adjusted Rand index; 1 is the same, 0 is chance)."
    )
    same = "all" if one.tau == 1 else f"about {min(math.floor((one.tau + 1) * 50), 99)} of 100"
    keep = "keeps" if len(one.benchmarks) == 1 else "keep"
    return (
        f"**{what} {keep} {signed(one.tau)} of the ranking (Kendall's τ)**: {same} pairs of models "
        f"stand in the same order as by all benchmarks. {families}"
    )


def saved_in_words(one: SmallerSet, benchmarks: Sequence[Benchmark]) -> str:
    """Say what a smaller set spares, as far as it is known."""
    out = [b for b in benchmarks if b.id not in one.benchmarks]
    if not out:
        return "Nothing is left out, so nothing is saved."
    sizes = [b.n_items for b in out if b.n_items is not None]
    unknown = len(out) - len(sizes)
    words = []
    if not sizes:
        words.append("How many questions this saves is not known: the suite does not publish it.")
    else:
        whole = [b.n_items for b in benchmarks if b.n_items is not None]
        if unknown:
            words.append(
                f"It leaves out at least {sum(sizes):,} questions for each model; of "
                f"{count(unknown)} left out the number is not published."
            )
        else:
            share = f" ({sum(sizes) / sum(whole):.0%})" if len(whole) == len(benchmarks) else ""
            words.append(f"It leaves out {sum(sizes):,} questions for each model{share}.")
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


def plan_table(rows: Sequence[PlanRow]) -> pd.DataFrame:
    """Return the plan, what is kept first."""
    found = [row.benchmark for row in rows]
    return pd.DataFrame(
        {
            "Keep": ["yes" if row.kept else "no" for row in rows],
            "Benchmark": [benchmark.name for benchmark in found],
            "Category": [benchmark.category for benchmark in found],
            "Items": pd.array([benchmark.n_items for benchmark in found], dtype="Int64"),
            "Access": [benchmark.access or UNKNOWN for benchmark in found],
            "Why": [row.why for row in rows],
            "Data from": [benchmark.source for benchmark in found],
        }
    )


def with_provenance(table: pd.DataFrame, scores: ScoreMatrix, one: SmallerSet) -> pd.DataFrame:
    """Add what the plan rests on to each of its rows."""
    return table.assign(
        Suite=scores.suite,
        Cohort=scores.cohort,
        Snapshot=scores.snapshot.revision if scores.snapshot else None,
        Models=len(scores.models),
        Tau=one.tau,
        Adjusted_Rand=one.adjusted_rand,
        Search=one.search,
    ).rename(columns={"Adjusted_Rand": "Adjusted Rand index", "Tau": "Kendall tau"})


def votes_in_words(groups: Sequence[Sequence[str]]) -> str:
    """Say how many votes the benchmarks come to."""
    n = sum(len(group) for group in groups)
    shared = [group for group in groups if len(group) > 1]
    if not shared:
        return f"No benchmark repeats another, so each of the {count(n)} keeps its own vote."
    votes = counted(len(groups), "vote")
    if len(shared) == 1:
        return f"The {count(n)} benchmarks come to {votes}: {count(len(shared[0]))} share one."
    sizes = [count(len(group)) for group in sorted(shared, key=len, reverse=True)]
    listed = list_of(sizes) if len(sizes) <= _MOST_SIZES else f"{', '.join(sizes[:_MOST_SIZES])}, …"
    return f"The {count(n)} benchmarks come to {votes}: groups of {listed} share one vote each."


def votes_table(groups: Sequence[Sequence[str]], names: Mapping[str, str]) -> pd.DataFrame:
    """Return the groups, the largest first."""
    ordered = sorted(groups, key=len, reverse=True)
    return pd.DataFrame(
        {
            "Benchmarks": [len(group) for group in ordered],
            "Share one vote": [", ".join(names[b] for b in group) for group in ordered],
        }
    )


def _millions(tokens: float) -> str:
    return f"{tokens / 1e6:,.1f}" if tokens < 1e8 else f"{tokens / 1e6:,.0f}"
