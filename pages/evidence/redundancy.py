"""Which tests repeat which? The map of correlations, one pair, and a smaller set that would do."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.answers import data, local_test, other_suites
from core.answers import evidence as evidence_answers
from core.answers.other_suites import AcrossSuites
from core.charts import correlations, intervals
from core.domain import Benchmark, BenchmarkPair, Redundancy, ScoreMatrix, Selection, Suite
from core.evidence.store import Store
from core.procurement.local_plan import PlanRow
from core.statistics.redundancy import SmallerSet
from core.statistics.score_matrix import complete, normalised
from core.words import figures
from core.words.figures import count
from pages.components import controls, evidence
from pages.components.blocks import (
    choose,
    figure,
    how_made,
    left_out,
    numbers,
    opened,
    some_of,
    table,
)
from pages.components.notices import own_choice, plain
from pages.components.undrawn import keep_in_address

_METHODS = {"Straight line (Pearson)": "pearson", "Order only (Spearman)": "spearman"}
_ONE_PAIR, _SMALLER = "One pair", "A smaller set"
_SECTIONS = {_ONE_PAIR: ("bench_a", "bench_b"), _SMALLER: ("keep",), "Other suites": ()}
_KEY = "repeats_show"
_CLOSEST = "the closest"
_FEWEST = "as few as keep the ranking"
_ENOUGH = 0.9
_FEW_MODELS = 30
_MOST_GROUPS, _MOST_NAMED, _MOST_ALONE = 5, 8, 3
_MOST_IN_MAP = 6


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    selection = data.selection_of(controls.question(store).requirements)
    with st.spinner("Comparing benchmarks…"):
        groups = evidence_answers.vote_groups(store, selection)
        scores = complete(data.products(store, selection))
    shared = Counter(benchmark.name for benchmark in scores.benchmarks)
    names = {
        b.id: b.name if shared[b.name] == 1 else f"{b.name} ({b.id})" for b in scores.benchmarks
    }
    st.markdown(finding(groups, names))
    if len(scores.models) < _FEW_MODELS:
        st.caption(
            f"Only {figures.counted(len(scores.models), 'model')} have every benchmark: with so "
            "few, two benchmarks can seem alike by chance. Take this as rough."
        )
    method = choose(
        "Two benchmarks agree by",
        _METHODS,
        key="method",
        what="The kind of correlation",
        draw=st.segmented_control,
        help="Pearson asks whether the scores lie on one straight line, Spearman only whether both "
        "put the models in the same order.",
    )
    found = evidence_answers.redundancy(store, selection, _METHODS[method])
    order = evidence_answers.similar_first(store, selection)
    _map(found, order, names, groups, len(scores.models))
    _votes(found, names, groups)
    for section in opened(_SECTIONS, key=_KEY):
        st.subheader(section)
        if section == _ONE_PAIR:
            _one_pair(store, found, scores, names)
        elif section == _SMALLER:
            _smaller_set(store, selection, scores)
        else:
            _across(store)
    left_out(
        store,
        found.excluded,
        title="Models left out of the correlations",
        snapshot=found.snapshot,
    )
    how_made("Redundancy", key="redundancy")


def finding(groups: Sequence[Sequence[str]], names: Mapping[str, str]) -> str:
    """Say by name which benchmarks repeat which, and what that leaves."""
    n = len(names)
    shared = sorted((group for group in groups if len(group) > 1), key=len, reverse=True)
    alone = [group[0] for group in groups if len(group) == 1]
    if not shared:
        return f"**None of the {count(n)} tests repeats another: each adds something.**"
    if len(groups) == 1:
        return f"**All {count(n)} tests repeat one another.**"
    listed = [plain(some_of([names[test] for test in group], _MOST_NAMED)) for group in shared]
    own = ""
    if 1 <= len(alone) <= _MOST_ALONE:
        adds = "adds something of its own" if len(alone) == 1 else "add something of their own"
        own = f"; {plain(figures.listed([names[test] for test in alone]))} {adds}"
    if len(shared) == 1:
        told = f"**{listed[0]} repeat one another{own}.**"
    else:
        rest = len(shared) - _MOST_GROUPS
        more = f"; and {count(rest)} more" if rest > 0 else ""
        told = (
            f"**{count(len(shared)).capitalize()} groups of tests repeat one another:** "
            f"{'; '.join(listed[:_MOST_GROUPS])}{more}{own}."
        )
    return (
        f"{told} Counted without repetition, the {count(n)} benchmarks come to "
        f"{figures.counted(len(groups), 'vote')}."
    )


def _map(
    found: Redundancy,
    order: Sequence[str],
    names: Mapping[str, str],
    groups: Sequence[Sequence[str]],
    n_models: int,
) -> None:
    """Draw every pair; the file lists them, the closest first, undefined ones last."""
    pairs = sorted(found.pairs, key=lambda p: math.inf if math.isnan(p.r) else -abs(p.r))
    figure(
        correlations.correlation_map(found, order, names, groups),
        "correlations",
        f"Correlation of benchmarks, {figures.counted(n_models, 'model')}",
        _map_in_words(found, names),
        found.snapshot,
        frame=pd.DataFrame(
            {
                "Benchmark": [names[pair.a] for pair in pairs],
                "And": [names[pair.b] for pair in pairs],
                "r": [pair.r for pair in pairs],
                "p": [pair.p_value for pair in pairs],
                "Significant": ["yes" if pair.significant else "no" for pair in pairs],
                "Models": [pair.n_models for pair in pairs],
            }
        ),
        key="correlation_map",
        on_select=_take_click,
        selection_mode=correlations.PAIR,
    )
    many = len(names) > correlations.MOST_WITH_NUMBERS
    sign = "small square" if many else "number in brackets"
    st.caption(
        "Blue: models that do well on one do well on the other. Orange: they do badly. "
        f"A {sign}: chance could explain it. A dashed frame: one vote. Click a cell for its "
        "scatter plot.",
        help=f"Chance could explain it: p is not below 0.01 divided by {len(found.pairs):,}, the "
        "number of pairs.",
    )


def _map_in_words(found: Redundancy, names: Mapping[str, str]) -> str:
    """Name the extremes of the map."""
    defined = sorted((p for p in found.pairs if not math.isnan(p.r)), key=lambda p: -p.r)
    ends = defined if len(defined) <= _MOST_IN_MAP else defined[:3] + defined[-3:]
    some = "; ".join(f"{names[p.a]} and {names[p.b]} {p.r:+.2f}" for p in ends)
    number = figures.counted(len(found.pairs), "pair")
    return f"Map of the correlations of {number} of benchmarks: {some}"


def _take_click() -> None:
    clicked = st.session_state["correlation_map"]["selection"].get(correlations.PAIR) or []
    for cell in clicked[:1]:
        already = [name for name in st.session_state.get(_KEY) or [] if name != _ONE_PAIR]
        st.session_state.update({"bench_a": cell["a"], "bench_b": cell["b"]})
        # Their controls may not be drawn yet, and only a drawn one writes the address itself.
        keep_in_address({"bench_a": None, "bench_b": None})
        st.session_state[_KEY] = [_ONE_PAIR, *already]


def _votes(found: Redundancy, names: Mapping[str, str], groups: Sequence[Sequence[str]]) -> None:
    ordered = sorted(groups, key=len, reverse=True)
    listed = [", ".join(names[test] for test in group) for group in ordered]
    st.caption(
        "Benchmarks that share one vote: “Count overlapping benchmarks once” in the side bar "
        "counts them so, within each task category."
    )
    table(
        pd.DataFrame({"Benchmarks": [len(group) for group in ordered], "Share one vote": listed}),
        "votes",
        "Benchmarks that share one vote",
        found.snapshot,
    )


def _one_pair(
    store: Store, found: Redundancy, scores: ScoreMatrix, names: Mapping[str, str]
) -> None:
    """Draw the models' scores on two benchmarks, and say how closely these go together."""
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
    places = {benchmark.id: j for j, benchmark in enumerate(scores.benchmarks)}
    points = normalised(scores)[0] * 100
    x, y = (points[:, places[benchmark]] for benchmark in (a, b))
    labels = intervals.labels([data.model(store, name) for name in scores.models])
    models = [labels[name] for name in scores.models]
    st.caption(
        "Points out of 100, so that higher is better on both. Names of the extremes; point at a "
        "model for the others.",
        help="A high correlation can rest on a few models far out: look whether the rest follow "
        "the line, too.",
    )
    figure(
        correlations.pair_scatter(x, y, models, names[a], names[b]),
        "pair",
        f"{names[a]} and {names[b]}",
        f"{names[b]} against {names[a]}: one point for each of {len(x)} models, from "
        f"{x.min():.0f} to {x.max():.0f} and from {y.min():.0f} to {y.max():.0f} points",
        found.snapshot,
        frame=pd.DataFrame({"Model": models, names[a]: x, names[b]: y}),
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
        f"**{both} {close}**: {symbol} = {_signed(pair.r)}, p {p}, over "
        f"{figures.counted(pair.n_models, 'model')}.{chance}"
    )


def _signed(r: float) -> str:
    """Write a correlation with a true minus sign."""
    return f"{r:.2f}".replace("-", "−")


def _smaller_set(store: Store, selection: Selection, scores: ScoreMatrix) -> None:
    """Let the reader choose how many benchmarks to keep, and say what that keeps and spares."""
    sets = evidence_answers.smaller_sets(store, selection)
    size = _size(sets)
    one = sets[size - 1]
    st.markdown(f"{_kept_in_words(one, len(sets))} {_saved_in_words(one, scores.benchmarks)}")
    greedy = " Found by adding one benchmark at a time: a better set of a size may exist."
    models = figures.counted(len(scores.models), "model")
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
        alt=f"Plan of an evaluation with {figures.counted(size, 'benchmark')}, those kept first",
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
    what = f"{figures.capitalised(count(len(one.benchmarks)))} of {count(n_benchmarks)} benchmarks"
    if one.tau is None:
        return f"{what}: these models cannot be ranked by all benchmarks, so none can be kept."
    clusters = (
        "The clusters of models are not defined on these."
        if one.adjusted_rand is None
        else f"Of the two clusters of models it keeps {_signed(one.adjusted_rand)} (adjusted Rand "
        "index; 1 is the same, 0 is chance)."
    )
    same = "all" if one.tau == 1 else f"about {min(math.floor((one.tau + 1) * 50), 99)} of 100"
    keep = "keeps" if len(one.benchmarks) == 1 else "keep"
    return (
        f"**{what} {keep} {_signed(one.tau)} of the ranking (Kendall's τ)**: {same} pairs of "
        f"models stand in the same order as by all benchmarks. {clusters}"
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
            "Access": [benchmark.access or figures.UNKNOWN for benchmark in found],
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


def _across(store: Store) -> None:
    """Say and list how the orders of every two suites agree."""
    with st.spinner("Comparing suites…"):
        found = other_suites.across_suites(store)
    if not found:
        st.caption("No two suites have three models in common.")
        return
    st.markdown(
        _agree(found),
        help="Over all models of each suite, whatever is chosen in the side bar; flagged runs, "
        "lines to compare with and your own results left out. Higher is better in every order: "
        "fewer severe harms are. Models are matched by a table in which each pair has its reason.",
    )
    table(
        _orders(found, store.catalogue.suites),
        "across-suites",
        "Do the suites agree?",
        placeholder="none",
    )


def _agree(found: Sequence[AcrossSuites]) -> str:
    """Say how many pairs of orders agree, disagree, and leave it open."""
    said = Counter(pair.agreement.says for pair in found)
    agree, disagree = said["agree"], said["disagree"]
    rest = len(found) - agree - disagree
    return (
        f"**Of {figures.counted(len(found), 'pair')} of orders, "
        f"{count(agree) if agree else 'none'} {'agrees' if agree == 1 else 'agree'} and "
        f"{count(disagree) if disagree else 'none'} "
        f"{'disagrees' if disagree == 1 else 'disagree'}.** For the other {count(rest)} the models "
        "that both suites have are too few to tell."
    )


def _orders(found: Sequence[AcrossSuites], suites: Mapping[str, Suite]) -> pd.DataFrame:

    def words(order: str) -> str:
        suite, _, metric = order.partition(":")
        return f"{suites[suite].name}: {metric}"

    ordered = sorted(found, key=lambda pair: -pair.agreement.n_models)
    return pd.DataFrame(
        {
            "Order": [words(pair.a) for pair in ordered],
            "Beside": [words(pair.b) for pair in ordered],
            "Models": [pair.agreement.n_models for pair in ordered],
            "Version not stated": [
                sum(kind != "same version" for *_, kind in pair.models) for pair in ordered
            ],
            "ρ": numbers([pair.agreement.rho for pair in ordered]),
            "From": numbers([pair.agreement.ci_low for pair in ordered]),
            "To": numbers([pair.agreement.ci_high for pair in ordered]),
            "They": [pair.agreement.says for pair in ordered],
        }
    )
