"""Models in pairs and in columns: the verdict, and every benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.charts.intervals import WORDS, benchmark_gaps
from core.statistics.difference import Gap, Pair, SideBySide
from core.words import figures
from pages.components.blocks import figure, table
from pages.components.notices import plain


def verdict(pair: Pair, names: Mapping[str, str]) -> str:
    """Say in one sentence how a model stands against another."""
    ahead, clearly = pair.n_ahead(), pair.n_ahead(clearly=True)
    gap = pair.overall
    behind = pair.n_behind(clearly=True)
    sure = f", clearly on {clearly}, and clearly behind on {behind}" if pair.n_with_interval else ""
    overall = (
        f"overall {figures.signed(gap.difference)} points "
        f"({figures.signed_interval(gap.ci_low, gap.ci_high)})"
        if gap.difference is not None
        else "the task has no benchmark that both have"
    )
    return (
        f"**{plain(names[pair.model])}** is ahead of {plain(names[pair.other])} on {ahead} of "
        f"{figures.counted(pair.n_shared, 'benchmark')}{sure}; {plain(overall)}."
    )


def draw(
    key: str, pair: Pair, found: SideBySide, names: Mapping[str, str], *, on: str = ""
) -> None:
    """Draw how far apart a pair is on each benchmark; ``on`` names its suite, one of two.

    ``key`` begins the files' names.
    """
    title = f"{names[pair.model]} minus {names[pair.other]}{on and f', {on}'}, points"
    figure(
        benchmark_gaps(pair, found.scores),
        key,
        title,
        f"{title}: "
        + "; ".join(
            f"{benchmark.name} {figures.signed(gap.difference)}, {gap.standing}"
            for gap, benchmark in zip(pair.gaps, found.scores.benchmarks, strict=True)
            if gap.difference is not None
        ),
        found.scores.snapshot,
    )


def draw_benchmarks(key: str, found: SideBySide, names: Mapping[str, str], title: str) -> None:
    """Draw every benchmark as a table: points, then each model against the first."""
    tests, first = found.scores.benchmarks, found.scores.models[0]
    columns: dict[str, Sequence[object]] = {
        "Category": [benchmark.category for benchmark in tests],
        "Benchmark": [benchmark.name for benchmark in tests],
        names[first]: found.normalised[0] * 100,
    }
    points = st.column_config.NumberColumn(format="%.1f", help="Points out of 100.")
    settings = {names[model]: points for model in found.scores.models}
    for pair, values in zip(found.pairs, found.normalised[1:], strict=True):
        against = f"{names[pair.model]} against the first"
        columns[names[pair.model]] = values * 100
        columns[against] = [_against(gap) for gap in pair.gaps]
        settings[against] = st.column_config.TextColumn(
            width="medium",
            help=f"{plain(names[pair.model])} minus {plain(names[pair.other])}, points, with the "
            "95 % interval. Better or worse: the interval lies on one side of zero. No interval: "
            "one of the two has no published standard error.",
        )
    # The categories together, in the order in which they first occur.
    frame = pd.DataFrame(columns).sort_values(
        "Category", key=lambda names: pd.factorize(names)[0], kind="stable", ignore_index=True
    )
    table(
        frame,
        key,
        title,
        found.scores.snapshot,
        columns=settings,
        placeholder="not measured",
        height="content" if len(tests) <= 40 else 600,
    )


def _against(gap: Gap) -> str:
    said = [WORDS[gap.standing]]
    if gap.difference is not None:
        said.append(figures.signed(gap.difference))
        if gap.ci_low is not None:
            said[-1] += f" ({figures.signed_interval(gap.ci_low, gap.ci_high)})"
    return ", ".join(said)
