"""What does quality cost? Every model that fits, with the ones that nothing undercuts."""

import streamlit as st

from core.answers import bills, cost, recommend
from core.answers.cost import CostQuality
from core.charts.cost_quality import CostScale, cost_quality
from core.charts.intervals import labels
from core.domain import Requirements, ShortlistRow, TooFewError
from core.evidence.store import Store
from pages.components import blocks, controls, evidence
from pages.components.notices import own_choice
from pages.cost import amounts, worth

_COSTS = {
    "Your monthly bill": "bill",
    "Price per million tokens": "tokens",
    "Cost of the benchmark runs": "benchmark",
    "Benchmark runs including jury": "total",
    "Size in parameters": "parameters",
}
_SCALES = {
    "bill": CostScale("Bill, US dollars a month", "$"),
    "tokens": CostScale("US dollars per million tokens, read and written mixed", "$"),
    "benchmark": CostScale("Cost of running the benchmarks once, US dollars", "$"),
    "total": CostScale("Cost of running the benchmarks once, jury included, US dollars", "$"),
    "parameters": CostScale("Billions of parameters", "", " B"),
}
_QUALITIES = {"Score for your task": "score", "Mean win rate": "win rate"}
_UNITS = {"score": "points out of 100", "win rate": "% of comparisons won"}


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    asked = controls.question(store).requirements
    day = evidence.priced_on(asked)
    with st.spinner("Working out costs…"):
        listed = recommend.shortlist(store, asked, day).rows
    answered = st.container()
    cost_name, quality_name = _axes(asked, listed)
    if not listed:
        raise TooFewError("No model fits the question in the side bar: Recommend says why.")
    axis, quality = _COSTS[cost_name], _QUALITIES[quality_name]
    found = cost.cost_quality(store, asked, day, axis, quality)
    names = labels([row.model for row in listed])
    with answered:
        worth.answer(found, names, axis)
        _basis(store, asked, axis, found)
    title = f"{quality_name} against {cost_name.lower()}"
    snapshot = next(iter(found.shortlist.snapshots), None)
    if any(row.cost is not None for row in found.rows):
        blocks.figure(
            cost_quality(found.rows, _SCALES[axis], f"{quality_name}, {_UNITS[quality]}"),
            name="costs",
            title=title,
            alt=worth.in_words(found, names, axis, title),
            snapshot=snapshot,
        )
        st.caption(worth.legend(found))
    worth.left_out(found, names, axis)
    blocks.table(
        worth.frame(found, names, axis, quality_name),
        name="costs-figures",
        title=f"{quality_name} and {_SCALES[axis].title.lower()}",
        alt=f"{quality_name} and {cost_name.lower()} of every model that fits, best first",
        columns=worth.columns(found, quality_name, _SCALES[axis].title),
        snapshot=snapshot,
    )
    blocks.how_made("Quality against cost", key="costs")


def _axes(asked: Requirements, listed: tuple[ShortlistRow, ...]) -> tuple[str, str]:
    """Draw the choice of the kinds of cost and quality, and return their names.

    Where own servers are asked for, a price per token is no cost.
    """
    own = asked.access == "own"
    costs = [name for name, axis in _COSTS.items() if not (own and axis == "tokens")]
    has_bill = own or any(row.bill for row in listed)
    default = "Your monthly bill" if has_bill else "Size in parameters"
    own_choice("cost", "The kind of cost", costs, default.lower())
    own_choice("quality", "The kind of quality", _QUALITIES, next(iter(_QUALITIES)).lower())
    left, right = st.columns(2)
    cost_name = left.selectbox(
        "Cost",
        costs,
        index=costs.index(default),
        key="cost",
        bind="query-params",
        help="Your monthly bill is for the workload in the side bar. The cost of the benchmark "
        "runs is what MedHELM's authors paid for the model's own answers; grading them by a jury "
        "of other models is counted only if you choose it.",
    )
    quality_name = right.selectbox(
        "Quality",
        list(_QUALITIES),
        key="quality",
        bind="query-params",
        help="The score counts the benchmarks of your task, as the shortlist does. The win rate "
        "counts all benchmarks, against all models of the evidence base.",
    )
    return cost_name, quality_name


def _basis(store: Store, asked: Requirements, axis: str, found: CostQuality) -> None:
    """Say in one line what the costs of an axis are."""
    day = evidence.priced_on(asked)
    drawn = [row for row in found.rows if row.cost is not None]
    if axis == "bill":
        amounts.assumed(store, asked, day, bills.requests_a_month(store, asked))
    elif axis == "tokens" and drawn:
        without, with_reasoning = cost.shares_written(store, asked)
        st.caption(
            f"List prices of {day:%d %B %Y}, US dollars. Read and written tokens are mixed as in "
            f"your workload: {without:.0%} written, about {with_reasoning:.0%} for models that "
            "reason; how many tokens a model needs is not in them."
        )
    elif axis in ("benchmark", "total") and drawn:
        worth.printed(drawn[0].basis)
