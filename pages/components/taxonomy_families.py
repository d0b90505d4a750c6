"""The families that the cut makes: their members, what they score, and what separates them."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from core.answers import taxonomies
from core.charts.profiles import box_plots, drawn_benchmarks
from core.charts.tree_links import family_colours
from core.domain import ClusterTests, TooFewError
from core.evidence.store import Store
from core.procurement.reasons import count
from core.statistics.cluster_tests import smallest_p
from pages.components import wording
from pages.components.downloads import downloads
from pages.components.notices import plain
from pages.components.pictures import vega_lite_chart
from pages.components.taxonomy_branch import MEMBER_COLUMNS, Grown, members_table

_P = st.column_config.NumberColumn(
    format="scientific",
    help="Wilcoxon rank-sum test: how surprising so large a difference would be if the two "
    "families did not differ.",
)


def members(grown: Grown) -> None:
    """List the members of each family, in the order of the tree."""
    table = members_table(grown, list(grown.tree.leaf_order))
    st.dataframe(
        table,
        column_config=MEMBER_COLUMNS,
        hide_index=True,
        placeholder=wording.UNKNOWN,
        alt="Members of each family, in the order of the tree",
    )
    downloads(
        "families",
        title=f"Members of each family, {grown.growth.title}",
        snapshot=grown.tree.snapshot,
        frame=table,
    )


def differences(store: Store, grown: Grown) -> None:
    """Show what each family scores on each benchmark, and test two of them."""
    _profiles(store, grown)
    if grown.tree.n_clusters == 2:
        _tests(store, grown)
    else:
        st.caption("Tests between families are made for two families.")


def separated(found: ClusterTests, sizes: Mapping[str, int]) -> str:
    """Say on how many benchmarks two families differ that were formed without them.

    Where there are too few models to show a difference, it says that.
    """
    number, of = sum(test.significant for test in found.tests), len(found.tests)
    undefined = sum(map(math.isnan, found.smallest))
    beyond = of - undefined - found.n_within_reach
    level = plain(f"0.01/{of} = {found.alpha:.2g}")
    if undefined == of:
        return (
            "On which benchmarks they differ cannot be tested: no other benchmark forms families."
        )
    if beyond and not found.n_within_reach:
        high, low = sizes.values()
        return (
            f"There are too few models to show on which of the {count(of)} benchmarks they "
            f"differ: the least p that {high} against {low} models can give is "
            f"{plain(f'{smallest_p(high, low):.2g}')}, and the level is {level}."
        )
    some = "all" if number == of else f"{count(number) if number else 'none'} of"
    said = (
        f"They differ clearly on {some} {count(of)} benchmarks, each tested between families "
        "that were formed without it."
    )
    if beyond:
        said += (
            f" On {count(beyond)} no difference could have been shown, with so few models in one "
            f"family (level {level})."
        )
    return said


def _profiles(store: Store, grown: Grown) -> None:
    growth, tree = grown.growth, grown.tree
    found = taxonomies.profiles(store, growth.selection, *growth.cut)
    names = {benchmark.id: benchmark.name for benchmark in tree.benchmarks}
    colours = family_colours(tree.n_clusters)
    picture = box_plots(found, names, {k: (k, colour) for k, colour in colours.items()})
    st.subheader("What does each family score?")
    drawn = drawn_benchmarks(found)
    some = (
        f" The {len(drawn)} of {len(names)} benchmarks are drawn on which the families lie "
        "farthest apart; all are in the table."
        if len(drawn) < len(names)
        else ""
    )
    medians = {(p.benchmark, p.cluster): 100 * p.median for p in found}
    vega_lite_chart(
        spec=picture,
        alt="Median score of each family: "
        + "; ".join(
            f"{names[b]} " + ", ".join(f"{k} {medians[b, k]:.0f}" for k in colours) for b in drawn
        ),
    )
    st.caption(
        "The box spans the middle half of the family, the line within it is the median, and the "
        f"whiskers reach the lowest and the highest model.{some}"
    )
    table = pd.DataFrame(
        {
            "Benchmark": [names[p.benchmark] for p in found],
            "Family": [p.cluster for p in found],
            "Models": [p.n for p in found],
            "Lowest": [p.minimum * 100 for p in found],
            "Lower quarter": [p.q1 * 100 for p in found],
            "Median": [p.median * 100 for p in found],
            "Upper quarter": [p.q3 * 100 for p in found],
            "Highest": [p.maximum * 100 for p in found],
        }
    )
    points = st.column_config.NumberColumn(format="%.1f", help="Points out of 100.")
    with st.expander("The figures behind the boxes"):
        st.dataframe(
            table,
            column_config=dict.fromkeys(table.columns[3:], points),
            hide_index=True,
            alt="Lowest, quartiles and highest score of each family on each benchmark",
        )
    downloads(
        "family-profiles",
        title=f"What each family scores, {growth.title}",
        snapshot=tree.snapshot,
        frame=table,
        picture=picture,
    )


def _tests(store: Store, grown: Grown) -> None:
    growth, tree = grown.growth, grown.tree
    st.subheader("Which benchmarks separate the two families?")
    with st.spinner("Testing each benchmark…"):
        found = taxonomies.cluster_tests(store, growth.selection, *growth.how)
        try:
            others: ClusterTests | None = taxonomies.leave_one_out_tests(
                store, growth.selection, *growth.how
            )
        except TooFewError as error:
            others = None
            st.caption(plain(str(error)))
    st.caption(
        "The first test is a description, not a proof: the same benchmarks formed the families, "
        "so it would find differences even between arbitrary halves. The test when left out is "
        "the fairer one: the families are formed without the benchmark, and then tested on it. "
        "Only it counts in the sentence above the tree."
    )
    names = {benchmark.id: benchmark.name for benchmark in tree.benchmarks}
    columns: dict[str, list[object]] = {
        "Benchmark": [names[test.benchmark] for test in found.tests],
        "Separates": ["yes" if test.significant else "no" for test in found.tests],
        "Effect": [test.effect_size for test in found.tests],
        "p": [test.p_value for test in found.tests],
    }
    if others is not None:
        columns |= {
            "Separates when left out": [
                "not defined" if math.isnan(test.p_value) else "yes" if test.significant else "no"
                for test in others.tests
            ],
            "Effect when left out": [test.effect_size for test in others.tests],
            "p when left out": [test.p_value for test in others.tests],
        }
    table = pd.DataFrame(columns)
    separates = st.column_config.TextColumn(
        help=f"Yes where p is below {found.alpha:.2g}, that is 0.01 shared among "
        f"{wording.counted(len(found.tests), 'benchmark')} (Bonferroni)."
    )
    effect = st.column_config.NumberColumn(
        format="%+.2f",
        help="Rank-biserial correlation: +1 means every model of the high family beats every "
        "model of the low one, 0 that neither does.",
    )
    st.dataframe(
        table,
        column_config={
            "Separates": separates,
            "Separates when left out": separates,
            "Effect": effect,
            "Effect when left out": effect,
            "p": _P,
            "p when left out": _P,
        },
        hide_index=True,
        placeholder="not defined",
        alt="Rank-sum tests between the two families, with each benchmark in and left out",
    )
    downloads(
        "family-tests",
        title=f"Tests between the two families, {growth.title}",
        snapshot=tree.snapshot,
        frame=table,
    )
