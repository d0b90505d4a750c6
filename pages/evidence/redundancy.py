"""Which tests repeat which? The map of correlations, one pair, and a smaller set that would do."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

import pandas as pd
import streamlit as st

from core import figures
from core.answers import data
from core.answers import evidence as evidence_answers
from core.answers.asked import Asked
from core.charts import grids
from core.charts.kit import labels
from core.domain import (
    BenchmarkPair,
    Redundancy,
    ScoreMatrix,
    Selection,
)
from core.evidence.store import Store
from core.statistics.benchmarks import within_groups
from core.statistics.score_matrix import complete, normalised
from core.words import evidence as words
from pages.components.blocks import choice, figure, how_made, left_out, picked, table
from pages.components.notices import plain

_METHODS: dict[str, Literal["pearson", "spearman"]] = {
    "Straight line (Pearson)": "pearson",
    "Order only (Spearman)": "spearman",
}
_ONE_PAIR, _SMALLER = "One pair", "A smaller set"
_FEWEST = "as few as keep the ranking"


def draw(asked: Asked) -> None:
    """Draw the tab."""
    selection = asked.selection()
    groups = evidence_answers.groups_of_tests(asked.store, selection)
    scores = complete(data.products(asked.store, selection))
    shared = Counter(benchmark.name for benchmark in scores.benchmarks)
    names = {
        b.id: b.name if shared[b.name] == 1 else f"{b.name} ({b.id})" for b in scores.benchmarks
    }
    answer = st.container()
    if len(scores.models) < 30:
        st.caption(
            f"Only {figures.counted(len(scores.models), 'model')} have every benchmark: with so "
            "few, two benchmarks can seem alike by chance. Take this as rough."
        )
    method = picked(
        "Measure of agreement",
        _METHODS,
        key="method",
        what="The kind of correlation",
        draw=st.segmented_control,
        help="Spearman asks only whether both put the models in the same order.",
    )
    found = evidence_answers.redundancy(asked.store, selection, method)
    within = within_groups(groups, found)
    finding, rest = words.repeats(groups, names, within, evidence_answers.votes(asked))
    answer.markdown(f"**{plain(finding)}** {plain(rest)}")
    if said := words.beyond_chance(within, len(found.pairs)):
        st.caption(plain(said))
    order = evidence_answers.benchmarks_similar_first(asked.store, selection)
    # The closest first, undefined ones last.
    pairs = sorted(found.pairs, key=lambda p: math.inf if math.isnan(p.r) else -abs(p.r))
    _map(found, pairs, order, names, groups)
    part = choice(
        *("Look closer at", (_ONE_PAIR, _SMALLER)),
        key="repeats_show",
        what="The part",
        draw=st.segmented_control,
        default=_SMALLER if "keep" in st.query_params else _ONE_PAIR,
    )
    if part == _ONE_PAIR:
        _one_pair(asked.store, found, pairs, scores, names)
    else:
        _smaller_set(asked.store, selection, scores)
    left_out(asked.store, found, "Models left out of the correlations")
    how_made("Redundancy", key="redundancy")


def _map(
    found: Redundancy,
    pairs: Sequence[BenchmarkPair],
    order: Sequence[str],
    names: Mapping[str, str],
    groups: Sequence[Sequence[str]],
) -> None:
    """Draw every pair; the file lists them."""
    yes: dict[bool, str] = {True: "yes", False: "no"}
    frame = pd.DataFrame(pairs)
    frame = frame.assign(
        a=frame["a"].map(names), b=frame["b"].map(names), significant=frame["significant"].map(yes)
    )
    frame.columns = ["Benchmark", "And", "r", "p", "Significant", "Models"]
    figure(
        grids.correlation_map(found, order, names, groups),
        "correlations",
        "Correlation of benchmarks",
        f"Map of the correlations of {figures.counted(len(pairs), 'pair')} of benchmarks, closest "
        "first: " + "; ".join(f"{names[p.a]} and {names[p.b]} {p.r:+.2f}" for p in pairs[:6]),
        found.snapshot,
        frame=frame,
    )
    sign = "small square" if len(names) > grids.MOST_WITH_NUMBERS else "number in brackets"
    st.caption(
        "Blue: models that do well on one do well on the other. Orange: they do badly on the "
        f"other. A {sign}: with this many pairs compared, chance could explain it. A dashed "
        "frame: a group.",
        help="“Count overlapping benchmarks once” in the side bar gives the tests of a group one "
        "vote in each category. "
        f"Chance could explain it: p is not below 0.01 divided by {len(found.pairs):,}, the "
        "number of pairs.",
    )


def _one_pair(
    store: Store,
    found: Redundancy,
    pairs: Sequence[BenchmarkPair],
    scores: ScoreMatrix,
    names: Mapping[str, str],
) -> None:
    ids = {name: test for test, name in names.items()}
    # By default the closest are compared.
    first = dict.fromkeys(names[test] for pair in pairs for test in (pair.a, pair.b))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        a = ids[choice("Benchmark", first, key="bench_a", what="The benchmark")]
        others = [names[p.b if p.a == a else p.a] for p in pairs if a in (p.a, p.b)]
        b = ids[choice("Compared with", others, key="bench_b", what="The benchmark")]
    pair = next(pair for pair in found.pairs if {pair.a, pair.b} == {a, b})
    both = f"{names[a]} and {names[b]}"
    lead, rest = words.pair_of_tests(pair, both, found.method, len(found.pairs))
    st.markdown(f"**{plain(lead)}**{plain(rest)}" if lead else plain(rest))
    places = {benchmark.id: j for j, benchmark in enumerate(scores.benchmarks)}
    points = normalised(scores)[0] * 100
    x, y = (points[:, places[benchmark]] for benchmark in (a, b))
    models = [*labels([data.model(store, name) for name in scores.models]).values()]
    st.caption(
        "Points out of 100. A high correlation can rest on a few models far out: check whether "
        "the rest follow the line too."
    )
    figure(
        grids.pair_scatter(x, y, models, names[a], names[b]),
        "pair",
        f"{names[a]} and {names[b]}",
        f"{names[b]} against {names[a]}: one point for each of {len(x)} models, from "
        f"{x.min():.0f} to {x.max():.0f} and from {y.min():.0f} to {y.max():.0f} points",
        found.snapshot,
    )


def _smaller_set(store: Store, selection: Selection, scores: ScoreMatrix) -> None:
    sets = evidence_answers.smaller_benchmark_sets(store, selection)
    keep = choice(
        "Benchmarks to keep",
        [_FEWEST, *(str(len(one.benchmarks)) for one in sets)],
        key="keep",
        what="The number of benchmarks",
        used=_FEWEST,
        help="By default the fewest benchmarks whose ranking has a Kendall's τ of 0.9 or more with "
        "that of all. Of clusters: the adjusted Rand index; 1 is the same, 0 is chance.",
    )
    good = (one for one in sets if one.tau is not None and one.tau >= 0.9)
    one = next(good, sets[-1]) if keep == _FEWEST else sets[int(keep) - 1]
    kept, saved = words.smaller_set(one, len(sets)), words.saved(one, scores.benchmarks)
    st.markdown(f"**{plain(kept)}** {plain(saved)}")
    st.caption(
        "Chosen and judged on the same models, so these figures are optimistic. A set that keeps "
        "the ranking does not cover every kind of work: keep what your own task needs."
    )
    found = sorted(scores.benchmarks, key=lambda benchmark: benchmark.id not in one.benchmarks)
    table(
        {
            "Keep": ["yes" if benchmark.id in one.benchmarks else "no" for benchmark in found],
            "Benchmark": [benchmark.name for benchmark in found],
            "Category": [benchmark.category for benchmark in found],
            "Items": pd.array([benchmark.n_items for benchmark in found], dtype="Int64"),
            "Access": [benchmark.access or figures.UNKNOWN for benchmark in found],
            "Data from": [benchmark.source for benchmark in found],
        },
        "plan",
        f"Plan: {len(one.benchmarks)} of {len(sets)} benchmarks",
        scores.snapshot,
    )
