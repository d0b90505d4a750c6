"""Pairs of benchmarks: how closely they go together, in words, tables and scatter plots."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from core.answers import data
from core.charts import correlations, intervals
from core.domain import Benchmark, BenchmarkPair, Redundancy, ScoreMatrix
from core.evidence.store import Store
from core.sharing import wording
from core.statistics.score_matrix import normalised
from pages.components.blocks import figure, table
from pages.components.notices import own_choice, plain

if TYPE_CHECKING:
    from core.domain import FloatArray

_CLOSEST = "the closest"
_MOST_NAMED = 3
_MOST_IN_MATRIX = 9
_SOME_IN_MATRIX = 6


@dataclass(frozen=True)
class Compared:
    """The correlations with the scores that they are of."""

    store: Store
    found: Redundancy
    scores: ScoreMatrix
    """Of the models with every benchmark."""
    names: Mapping[str, str]
    """Label of each benchmark."""

    @cached_property
    def points(self) -> FloatArray:
        """The scores out of 100, models by benchmarks."""
        return normalised(self.scores)[0] * 100

    @cached_property
    def models(self) -> list[str]:
        """Label of each model."""
        found = intervals.labels([data.model(self.store, name) for name in self.scores.models])
        return [found[name] for name in self.scores.models]

    @cached_property
    def places(self) -> dict[str, int]:
        """The column of each benchmark."""
        return {benchmark.id: j for j, benchmark in enumerate(self.scores.benchmarks)}


def labels(benchmarks: Sequence[Benchmark]) -> dict[str, str]:
    """Return a label per benchmark: its name, or with its id where two share a name."""
    names = Counter(benchmark.name for benchmark in benchmarks)
    return {b.id: b.name if names[b.name] == 1 else f"{b.name} ({b.id})" for b in benchmarks}


def map_in_words(found: Redundancy, names: Mapping[str, str]) -> str:
    """Name the extremes of the map."""
    defined = sorted((p for p in found.pairs if not math.isnan(p.r)), key=lambda p: -p.r)
    ends = defined if len(defined) <= 2 * _MOST_NAMED else defined[:_MOST_NAMED] + defined[-3:]
    some = "; ".join(f"{names[p.a]} and {names[p.b]} {p.r:+.2f}" for p in ends)
    number = wording.counted(len(found.pairs), "pair")
    return f"Map of the correlations of {number} of benchmarks: {some}"


def table_of(found: Redundancy, names: Mapping[str, str]) -> pd.DataFrame:
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


def one(compared: Compared) -> None:
    """Draw the models' scores on two benchmarks, and say how closely these go together."""
    names, found = compared.names, compared.found
    ids = {name: benchmark for benchmark, name in names.items()}
    for key in ("bench_a", "bench_b"):
        own_choice(key, "The benchmark", ids, _CLOSEST)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first, second = (
            st.selectbox(
                label,
                [_CLOSEST, *sorted(ids, key=str.lower)],
                key=key,
                bind="query-params",
                help="A click on a cell above sets both benchmarks.",
            )
            for label, key in (("Benchmark", "bench_a"), ("Compared with", "bench_b"))
        )
    a, b = _closest(found.pairs, ids.get(first), ids.get(second))
    if a == b:
        st.info("Choose two different benchmarks.", icon=":material/search_off:")
        return
    (pair,) = (pair for pair in found.pairs if {pair.a, pair.b} == {a, b})
    st.markdown(_in_words(pair, names, found.method))
    x, y = (compared.points[:, compared.places[benchmark]] for benchmark in (a, b))
    st.caption(
        "Points out of 100, so that higher is better on both. Names of the extremes; point at a "
        "model for the others.",
        help="A high correlation can rest on a few models far out: look whether the rest follow "
        "the line, too.",
    )
    figure(
        correlations.pair_scatter(x, y, compared.models, names[a], names[b]),
        "pair",
        f"{names[a]} and {names[b]}",
        f"{names[b]} against {names[a]}: one point for each of {len(x)} models, from "
        f"{x.min():.0f} to {x.max():.0f} and from {y.min():.0f} to {y.max():.0f} points",
        found.snapshot,
        frame=pd.DataFrame({"Model": compared.models, names[a]: x, names[b]: y}),
    )


def every(compared: Compared, different: Sequence[str]) -> None:
    """List every pair, and draw some of them small.

    Parameters
    ----------
    compared
        The correlations.
    different
        Benchmarks that differ, of which some are drawn at first where there are many.
    """
    names, found = compared.names, compared.found
    table(
        table_of(found, names),
        "pairs",
        "Correlation of each pair of benchmarks, the closest first",
        placeholder="not defined",
        file=False,
    )
    fold = st.expander("Every pair as a small scatter plot", key="every_pair", on_change="rerun")
    if fold.open:
        with fold:
            _matrix(compared, different)


def _matrix(compared: Compared, different: Sequence[str]) -> None:
    ids = {name: benchmark for benchmark, name in compared.names.items()}
    some = list(ids)
    if len(ids) > _MOST_IN_MATRIX:
        some = [compared.names[benchmark] for benchmark in different][:_SOME_IN_MATRIX]
    chosen = st.multiselect(
        f"Benchmarks to show, up to {_MOST_IN_MATRIX}",
        list(ids),
        some,
        max_selections=_MOST_IN_MATRIX,
        key="in_matrix",
    )
    if len(chosen) < 2:
        st.caption("Choose at least two.")
        return
    points = compared.points[:, [compared.places[ids[name]] for name in chosen]]
    n, most = len(compared.models), correlations.MOST_POINTS
    not_all = f" {most} of {n:,} models are shown, evenly by score." if n > most else ""
    figure(
        correlations.scatter_matrix(points, compared.models, chosen),
        "every-pair",
        "Every pair of benchmarks",
        f"Small scatter plots of {wording.list_of(chosen)}",
        compared.found.snapshot,
        frame=pd.DataFrame(points, columns=chosen, index=compared.models)
        .rename_axis("Model")
        .reset_index(),
    )
    st.caption(
        "Each dot is a model. Each plot runs from the lowest score to the highest, to the right "
        f"and upwards.{not_all}"
    )


def _closest(
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


def _in_words(pair: BenchmarkPair, names: Mapping[str, str], method: str) -> str:
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
        f"{wording.counted(pair.n_models, 'model')}.{chance}"
    )


def signed(r: float) -> str:
    """Write a correlation with a true minus sign."""
    return f"{r:.2f}".replace("-", "−")
