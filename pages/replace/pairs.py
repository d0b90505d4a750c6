"""Models in pairs and in columns: the verdict, and every benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.charts.intervals import WORDS, benchmark_gaps
from core.statistics.difference import Pair, SideBySide
from core.words import figures
from pages.components.blocks import figure, numbers, table
from pages.components.notices import plain

_MOST_IN_FULL = 40
"""So many benchmarks are shown at once; longer tables scroll."""


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
    """Draw every benchmark as a table; its file has every number in a column of its own."""
    settings: dict[str, object] = {
        names[model]: st.column_config.NumberColumn(format="%.1f", help="Points out of 100.")
        for model in found.scores.models
    }
    for pair in found.pairs:
        settings[_against(pair, names)] = st.column_config.TextColumn(
            width="medium",
            help=f"{plain(names[pair.model])} minus {plain(names[pair.other])}, points, with the "
            "95 % interval. Better or worse: the interval lies on one side of zero. No interval: "
            "one of the two has no published standard error.",
        )
    table(
        _benchmarks(found, names),
        key,
        title,
        found.scores.snapshot,
        columns=settings,
        placeholder="not measured",
        file=_in_columns(found, names),
        height="content" if len(found.scores.benchmarks) <= _MOST_IN_FULL else 600,
    )


def _benchmarks(found: SideBySide, names: Mapping[str, str]) -> pd.DataFrame:
    """Return every benchmark as the reader sees it: points, then each against the first."""
    columns = _begun(found, names)
    del columns["Subcategory"]
    for pair, values in zip(found.pairs, found.normalised[1:], strict=True):
        columns[names[pair.model]] = values * 100
        columns[_against(pair, names)] = [
            WORDS[gap.standing]
            if gap.difference is None
            else f"{WORDS[gap.standing]}, {figures.signed(gap.difference)}"
            + (
                f" ({figures.signed_interval(gap.ci_low, gap.ci_high)})"
                if gap.ci_low is not None
                else ""
            )
            for gap in pair.gaps
        ]
    return _by_category(columns)


def _begun(found: SideBySide, names: Mapping[str, str]) -> dict[str, Sequence[object]]:
    """Return the columns with which a table of benchmarks begins, up to the first model."""
    tests = found.scores.benchmarks
    return {
        "Category": [benchmark.category for benchmark in tests],
        "Subcategory": [benchmark.subcategory for benchmark in tests],
        "Benchmark": [benchmark.name for benchmark in tests],
        names[found.scores.models[0]]: found.normalised[0] * 100,
    }


def _in_columns(found: SideBySide, names: Mapping[str, str]) -> pd.DataFrame:
    """Return the same with every number in a column of its own, for a spreadsheet."""
    columns = _begun(found, names)
    for pair, values in zip(found.pairs, found.normalised[1:], strict=True):
        name = names[pair.model]
        columns |= {
            name: values * 100,
            f"{name}, difference": numbers([gap.difference for gap in pair.gaps], times=100),
            f"{name}, from": numbers([gap.ci_low for gap in pair.gaps], times=100),
            f"{name}, to": numbers([gap.ci_high for gap in pair.gaps], times=100),
            f"{name}, standing": [gap.standing for gap in pair.gaps],
        }
    return _by_category(columns)


def _against(pair: Pair, names: Mapping[str, str]) -> str:
    return f"{names[pair.model]} against the first"


def _by_category(columns: Mapping[str, object]) -> pd.DataFrame:
    """Keep the categories together, in the order in which they first occur."""
    return pd.DataFrame(columns).sort_values(
        "Category", key=lambda names: pd.factorize(names)[0], kind="stable", ignore_index=True
    )
