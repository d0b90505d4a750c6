"""Sentences about what tests tell: clusters, repeated tests, win rates, gaps, evenness.

Where a page sets the finding apart, a function returns it first and the rest of the text after it.
Names of models and tests are given as they are shown.
"""

import math
from collections.abc import Mapping, Sequence

from core.domain import Benchmark, BenchmarkPair, ClusterTests, Taxonomy, WinRates
from core.figures import capitalised, count, counted, listed, some_of
from core.statistics.benchmarks import Evenness, GapKind, Place, SmallerSet
from core.statistics.stability import Stability
from core.statistics.taxonomy import Agreement, are_apart, best_first, smallest_p

_DISSOLVED, _STABLE = 0.5, 0.75
SURENESS = (
    "The mean likeness of each cluster to the nearest cluster of a tree grown again (Jaccard: "
    f"models in both over models in either). From {_STABLE:.2f} it reads as stable, below "
    f"{_DISSOLVED:.2f} as dissolved (Hennig 2007)."
)
_MOST_GROUPS = 5
_GAPS: dict[GapKind, str] = {
    "no benchmark": "have no benchmark at all",
    "no open model": "were never tested with a model that you could run yourself",
    "private data only": "rest on private data alone, so nobody else can repeat the test",
    "exam questions only": "rest on exam questions alone",
    "a single benchmark": "rest on a single benchmark",
}


_LOWER = ("lower", "still lower", "lowest")


def clusters(
    tree: Taxonomy, names: Mapping[str, str], suite: str
) -> tuple[list[tuple[str, str]], str]:
    """Say how many models each cluster has, best first, and which; then whether they overlap.

    Who does well is said only where each model of a cluster is above all of the next, over several
    tests, and no cluster is of one model; of others, who scores above whom. What follows of
    clusters that overlap is said before their means.
    """
    every = best_first(tree)
    sizes, apart = [count(len(members)) for members in every], are_apart(every)
    less, still, least = _LOWER
    score = "scores" if len(every[0]) == 1 else "score"
    how = f"{suite}'s models form {count(len(every))} clusters"
    hows = [f"By similarity, {how} that overlap: {sizes[0]} {score} higher on average"]
    if apart:
        tests = "test" if len(tree.benchmarks) == 1 else "tests"
        which, less, still, least = "models do well", "less so", "still less", "least"
        if tests == "test" or 1 in map(len, every):  # That says of none how good it is.
            models = "model" if len(every[0]) == 1 else "models"
            others = count(len(tree.models) - len(every[0]))
            above = "above" if tests == "test" else "on average above"
            which, less, still, least = f"{models} {score} {above} the other {others}", *_LOWER
        hows = [f"{sizes[0].capitalize()} {which} on the {tests} of {suite}"]
    below = [less, *[still] * (len(every) - 3), least]
    hows += [f"{n} {how}" for n, how in zip(sizes[1:], below, strict=False)]
    which_models = [some_of([names[model] for model, _ in members], 7) for members in every]
    means = listed([_signed(sum(mean for _, mean in each) / len(each)) for each in every])
    return list(zip(hows, which_models, strict=True)), "" if apart else (
        " Being in a higher cluster does not by itself show that a model is better. Means "
        f"are {means}, in standard deviations from the mean of all."
    )


def separated(found: ClusterTests, sizes: Mapping[str, int]) -> tuple[str, str | None]:
    """Say on how many benchmarks two clusters differ that were formed without them.

    Parameters
    ----------
    found
        The tests with each benchmark left out.
    sizes
        Models of the high and the low cluster.

    Returns
    -------
    tuple
        A sentence, which says so where there are too few models to show a difference, and what
        it rests on.
    """
    number, of = sum(test.significant for test in found.tests), len(found.tests)
    undefined = sum(map(math.isnan, found.smallest))
    beyond = of - undefined - found.n_within_reach
    level = f"0.01/{of} = {found.alpha:.2g}"
    if undefined == of:
        return (
            "On which benchmarks they differ cannot be tested: no other benchmark forms clusters."
        ), None
    tested = "Each benchmark is tested between clusters that were formed without it."
    if beyond and not found.n_within_reach:
        high, low = sizes.values()
        return (
            f"With so few models, no difference can be shown on any of the {count(of)} benchmarks."
        ), (
            f"{tested} The smallest p that {high} against {low} models can give is "
            f"{smallest_p(high, low):.2g}, and the significance level is {level}."
        )
    some = "all" if number == of else f"{count(number) if number else 'none'} of"
    said = f"The clusters differ clearly on {some} {count(of)} benchmarks."
    if beyond:
        said += (
            f" On {count(beyond)} no difference could have been shown, with so few models in one "
            "cluster."
        )
    return said, f"{tested} The significance level is {level}."


def other_trees(agree: int, valid: int) -> str:
    """Say how many trees of other distances and linkages give the same clusters, of how many."""
    of = f"{count(valid)} trees grown with another distance or linkage"
    if agree == valid:
        return f"All {of} give the same clusters."
    some = count(agree) if agree else "none"
    said = f"{some} of the {of} {'gives' if agree < 2 else 'give'} the same clusters."
    few = agree * 2 < valid
    return f"The clusters depend on how the tree is grown: {said}" if few else capitalised(said)


def stability_in_words(found: Stability) -> tuple[str, str]:
    """Say how well each cluster comes out again when the tree is grown again."""
    shares = [
        f"cluster {cluster} {share:.2f}, "
        + ("stable" if share >= _STABLE else "dissolved" if share < _DISSOLVED else "in doubt")
        for cluster, share in found.jaccard
    ]
    return capitalised("; ".join(shares)), f", over {found.n_resamples:,} trees."


def two_trees(
    found: Agreement, names: Mapping[str, str], titles: tuple[str, str]
) -> tuple[str, str]:
    """Say which models change cluster between two trees, and how far the two agree."""
    changed = [names[model] for model, _, _ in found.changed]
    change = "change" if len(changed) > 1 else "changes"
    return (
        f"{some_of(changed or ['No model'], 7)} {change} cluster",
        f" between {titles[0]} and {titles[1]}, of {len(found.models)} models that both trees "
        f"have. The two splits agree to {found.adjusted_rand:.2f} (adjusted Rand index).",
    )


def repeats(
    groups: Sequence[Sequence[str]],
    names: Mapping[str, str],
    within: Sequence[BenchmarkPair],
    votes: tuple[int, int],
) -> tuple[str, str]:
    """Say by name which tests go together, and to how many votes that brings those that count."""
    shared = sorted((group for group in groups if len(group) > 1), key=len, reverse=True)
    if not shared:
        return "No test repeats another closely.", ""
    listed_groups = [some_of([names[test] for test in group], 8) for group in shared]
    sure = any(pair.significant for pair in within)
    together = "go together" if sure else "may go together, but chance could explain it"
    counting = (
        " “Count overlapping benchmarks once” joins tests only within a category: it counts "
        f"{counted(votes[1], 'vote')} for the {counted(votes[0], 'test')} of your work."
    ) * bool(votes[0])
    if len(shared) == 1:
        return f"{listed_groups[0]} {together}.", counting
    more = [f"and {count(len(shared) - _MOST_GROUPS)} more"] * (len(shared) > _MOST_GROUPS)
    return (
        f"{count(len(shared)).capitalize()} groups of tests {together}:",
        f" {'; '.join(listed_groups[:_MOST_GROUPS] + more)}.{counting}",
    )


def beyond_chance(within: Sequence[BenchmarkPair], n_pairs: int) -> str:
    """Say how many pairs within groups chance does not explain; empty where there is no group."""
    n, of = sum(pair.significant for pair in within), len(within)
    chance = f"more alike than chance explains among {counted(n_pairs, 'pair')}."
    if of < 2:
        return f"The one pair within a group is {'' if n else 'not '}{chance}" * of
    if n == of:
        return f"{'Both' if of == 2 else f'All {of:,}'} pairs within a group are {chance}"
    some = {0: "none is", 1: "one is"}.get(n, f"{n:,} are")
    return f"Of the {of:,} pairs within a group, {some} {chance}"


def pair_of_tests(found: BenchmarkPair, both: str, method: str, n_pairs: int) -> tuple[str, str]:
    """Say how two tests are related, and whether chance could explain it over all pairs."""
    if math.isnan(found.r):
        return "", (
            f"On {both} a correlation is not defined: on one of them all models score the same."
        )
    close = "have little in common"
    if abs(found.r) >= 0.5:
        how = "related" if found.r > 0 else "opposites"
        close = f"{'are' if found.significant else 'may be'} {how}"
    p = "p below 0.0001"
    if found.p_value >= 1e-4 or not found.significant:
        p = f"p = {_two_digits(found.p_value)}"
    symbol = "r" if method == "pearson" else "Spearman's ρ"
    chance = (
        f" With {n_pairs:,} pairs compared, chance could explain this: p is not below "
        f"{_two_digits(0.01 / n_pairs)}."
    )
    of = f"{symbol} = {_signed(found.r)}, {p}, over {counted(found.n_models, 'model')}."
    return f"{both} {close}", f": {of}{'' if found.significant else chance}"


def _two_digits(p: float) -> str:
    """Write a small share with two digits that count and no power of ten."""
    return f"{p:.{1 - math.floor(math.log10(p))}f}" if p else "0"


def _signed(r: float) -> str:
    return f"{r:.2f}".replace("-", "−")


def smaller_set(found: SmallerSet, n_benchmarks: int) -> str:
    """Say how well a smaller set of benchmarks agrees with all of them."""
    n = len(found.benchmarks)
    what = f"{capitalised(count(n))} of {count(n_benchmarks)} benchmarks"
    if found.tau is None:
        return f"{what}: these models cannot be ranked by all benchmarks, so none can be kept."
    rand = found.adjusted_rand
    of_clusters = "" if rand is None else f", the clusters to {_signed(rand)} (adjusted Rand index)"
    return (
        f"{what} alone: the ranking agrees with that of all to {_signed(found.tau)} (Kendall's τ)"
        f"{of_clusters}."
    )


def saved(found: SmallerSet, benchmarks: Sequence[Benchmark]) -> str:
    """Say what a smaller set saves, of all ``benchmarks``."""
    out = [b.n_items for b in benchmarks if b.id not in found.benchmarks]
    sizes = [size for size in out if size is not None]
    if not sizes:
        return "What this saves is not known." if out else "Nothing is left out."
    least = "at least " if len(sizes) < len(out) else ""
    said = f"It leaves out {least}{sum(sizes):,} questions for each model"
    if found.tokens is None or found.tokens_saved is None:
        return f"{said}."
    spared, whole = (x / 1e6 for x in (found.tokens_saved, found.tokens + found.tokens_saved))
    return f"{said}, and saves {spared:,.1f} of at most {whole:,.1f} million tokens."


def who_wins(found: WinRates, names: Mapping[str, str], n_models_run: int = 0) -> tuple[str, str]:
    """Say which models could be the best by their win rates, among how many on what.

    ``n_models_run`` is how many models there are where those compared are systems.
    """
    first = [row.model for row in found.rows if row.rank_band[0] == 1]
    n_tests = max(row.n_benchmarks for row in found.rows)
    more = ""
    if len(first) == 1:
        said = f"Only {names[first[0]]} could be the best."
    elif all(row.ci_low is None for row in found.rows):
        few = f"{count(n_tests).capitalize()} {'test is' if n_tests == 1 else 'tests are'} too few"
        said = f"{few} to show that a model wins more than another."
        more = " This view needs five."
    elif all(row.rank_band == (1, len(found.rows)) for row in found.rows):
        said = "No model is shown to win more than another."
    else:
        of = "Either of two" if len(first) == 2 else f"Any of {count(len(first))}"
        said = f"{of} models could be the best."
        more = f" They are {some_of([names[model] for model in first], 7)}."
    of = "" if found.category is None else f" on {found.category.lower()}"
    systems = f"systems of {counted(n_models_run, 'model')} with an agent harness"
    what = systems if n_models_run else "models"
    among = f" {len(found.rows)} {what} compared{of}, on {counted(n_tests, 'benchmark')}."
    return said, more + among


def first_by_score(first: Sequence[str], n_tests: int) -> str:
    """Say which models could be the best by mean score, in their order."""
    each = ", each test counting equally" * (n_tests > 1)
    named = f"only {first[0]}" if len(first) == 1 else some_of(first, 4)
    return f"By mean score{each}, {named} could be the best."


def missing_tests(missing: Mapping[Place, GapKind]) -> list[tuple[str, str]]:
    """Say how many kinds of work lack what, and which; empty where nothing is missing."""
    told = []
    for kind, words in _GAPS.items():
        if named := [place[1] for place, gap in missing.items() if gap == kind]:
            told.append((f"{count(len(named))} {words}", some_of(named, 6)))
    return told


def best_and_most_even(rows: Sequence[Evenness], names: Mapping[str, str], n_datasets: int) -> str:
    """Say which model of BenchHealth is best over all data sets, and which the most even."""
    whole = [row for row in rows if row.n_datasets == n_datasets]
    best = max(whole, key=lambda row: row.generalisability or 0.0, default=None)
    known = [row for row in rows if row.robustness is not None]
    even = min(known, key=lambda row: (row.robustness or 0.0, row.model), default=None)
    first = "No model has a score on every data set, so none is best over all."
    if best is not None and best.generalisability is not None:
        first = (
            f"{names[best.model]} is best over all {n_datasets} data sets, with a mean of "
            f"{best.generalisability:.1f} %."
        )
    second = "No model has the scores that evenness is judged by."
    if even is not None:
        second = (
            f"{names[even.model]} is the most even: its spreads over data sets of the same kind "
            f"add up to {even.robustness:.1f} points."
        )
    return f"{first} {second}"
