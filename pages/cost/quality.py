"""What does quality cost? Every model that fits, with the ones that nothing undercuts."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from core.answers import bills, cost, recommend
from core.answers.cost import CostQuality
from core.charts.costs import CostScale, cost_quality
from core.charts.intervals import labels
from core.domain import Requirements, ShortlistRow, TooFewError
from core.procurement.monthly_cost import Costed
from core.words import figures
from core.words.figures import count, dollars
from pages.components import blocks, controls, evidence
from pages.components.blocks import choose
from pages.components.notices import plain
from pages.cost import amounts

_COSTS = {
    "Your monthly bill": "bill",
    "Cost of the benchmark runs": "benchmark",
    "Size in parameters": "parameters",
}
_SCALES = {
    "bill": CostScale("Bill, US dollars a month", "$"),
    "benchmark": CostScale("Cost of running the benchmarks once, US dollars", "$"),
    "parameters": CostScale("Billions of parameters", "", " B"),
}
_QUALITIES = {"Score for your task": "score", "Mean win rate": "win rate"}
_UNITS = {"score": "points out of 100", "win rate": "% of comparisons won"}
_UNKNOWN = {
    "bill": ("a public price", "ask the vendor"),
    "benchmark": ("a published cost of the benchmark runs", "the paper does not list them"),
    "parameters": ("a published size", "ask the vendor"),
}
_MOST_NAMED = 8


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
        _answer(found, names, axis)
        printed = [row.basis for row in found.rows if row.cost is not None]
        if axis == "bill":
            amounts.assumed(store, asked, day, bills.requests_a_month(store, asked))
        elif axis == "benchmark" and printed:
            st.caption(plain(f"As printed in {printed[0]}, US dollars."))
    title = f"{quality_name} against {cost_name.lower()}"
    snapshot = next(iter(found.shortlist.snapshots), None)
    if any(row.cost is not None for row in found.rows):
        blocks.figure(
            blocks.pictured(
                store,
                cost_quality,
                of=(found.rows, _SCALES[axis], f"{quality_name}, {_UNITS[quality]}"),
            ),
            "costs",
            title,
            f"{title}, the frontier from cheap to dear: "
            + "; ".join(
                f"{names[row.model.id]} {figures.points(row.quality)} for {_amount(row.cost, axis)}"
                for row in _frontier(found)
            ),
            snapshot,
        )
        st.caption(
            "Bars are 95 % intervals of the quality: where they overlap, a step of the frontier "
            "may be chance. Diamonds are estimated costs, dots published ones."
        )
    _left_out(found, names, axis)
    ends = [(row.cost, row.cost_low, row.cost_high) for row in found.rows]
    usd = amounts.usd_format(pd.DataFrame(ends, dtype="float64"))
    dear = st.column_config.NumberColumn(format=usd, width=100, help=f"{_SCALES[axis].title}.")
    blocks.table(
        _frame(found, names, axis, quality_name),
        "costs-figures",
        f"{quality_name} and {_SCALES[axis].title.lower()}",
        snapshot,
        alt=f"{quality_name} and {cost_name.lower()} of every model that fits, best first",
        columns={quality_name: "%.1f"} | {"Cost": dear, "Low": usd, "High": usd},
    )
    blocks.how_made("Quality against cost", key="costs")


def _axes(asked: Requirements, listed: tuple[ShortlistRow, ...]) -> tuple[str, str]:
    """Draw the choice of the kinds of cost and quality, and return their names."""
    has_bill = asked.access == "own" or any(row.bill for row in listed)
    default = "Your monthly bill" if has_bill else "Size in parameters"
    left, right = st.columns(2)
    cost_name = choose(
        "Cost",
        _COSTS,
        key="cost",
        what="The kind of cost",
        used=default.lower(),
        draw=left.selectbox,
        index=list(_COSTS).index(default),
        help="Your monthly bill is for the workload in the side bar. The cost of the benchmark "
        "runs is what MedHELM's authors paid for the model's own answers, without the jury that "
        "grades them.",
    )
    quality_name = choose(
        "Quality",
        _QUALITIES,
        key="quality",
        what="The kind of quality",
        draw=right.selectbox,
        help="The score counts the benchmarks of your task, as the shortlist does. The win rate "
        "counts all benchmarks, against all models of the evidence base.",
    )
    return cost_name, quality_name


def _answer(found: CostQuality, names: Mapping[str, str], axis: str) -> None:
    """Name the models that no other matches or beats at their cost, from cheap to dear."""
    what, ask = _UNKNOWN[axis]
    drawn = [row for row in found.rows if row.cost is not None]
    if not drawn:
        st.info(
            f"None of the {figures.counted(len(found.rows), 'model')} has {what}: {ask}, or "
            "choose another cost.",
            icon=":material/search_off:",
        )
        return
    if len(drawn) == 1:
        st.markdown(
            f"Only {plain(names[drawn[0].model.id])} has {what}: there is nothing to hold it "
            "against."
        )
        return
    ahead = _frontier(found)
    members = _some([f"{names[row.model.id]} ({_amount(row.cost, axis)})" for row in ahead])
    verb = "is worth its price" if len(ahead) == 1 else "are worth their price"
    no_more = "is no larger" if axis == "parameters" else "costs no more"
    rest = f" Every other is matched or beaten by one that {no_more}."
    st.markdown(
        f"**Of {len(drawn)} models, {count(len(ahead))} {verb}:** "
        f"{plain(figures.listed(members))}.{rest if len(ahead) < len(drawn) else ''}",
        help="No other model is at least as good for the same cost or less: the frontier.",
    )
    if found.turning:
        pairs = [f"{names[cheap]} or {names[dear]}" for cheap, dear in found.turning]
        st.caption(
            f"Not certain which costs less, since their ranges overlap: {plain('; '.join(pairs))}."
        )


def _left_out(found: CostQuality, names: Mapping[str, str], axis: str) -> None:
    """Name what the picture lacks, and what may no longer be sold."""
    what, ask = _UNKNOWN[axis]
    if old := [names[row.model.id] for row in _frontier(found) if row.deprecated]:
        st.caption(
            "Marked as deprecated in the price list, so ask whether it is still sold: "
            f"{plain(figures.listed(old))}."
        )
    lacking = [row for row in found.rows if row.cost is None]
    if at_least := sum(row.cost_low is not None for row in lacking):
        st.caption(
            f"{figures.counted(at_least, 'model')} not drawn: own servers cost at least one set, "
            "capacity not published."
        )
    if unknown := [names[row.model.id] for row in lacking if row.cost_low is None]:
        verb = "is" if len(unknown) == 1 else "are"
        st.caption(
            f"{figures.counted(len(unknown), 'model')} without {what} {verb} not drawn: {ask}. "
            f"{plain(figures.listed(_some(unknown)))}."
        )
    if found.incomplete:
        st.caption(
            f"{figures.counted(len(found.incomplete), 'model')} left out for missing benchmarks: "
            "quality over fewer benchmarks does not compare."
        )


def _some(names: list[str]) -> list[str]:
    """Return the first names, and how many more there are."""
    more = len(names) - _MOST_NAMED
    return [*names[:_MOST_NAMED], f"{more} more"] if more > 0 else names


def _amount(cost: float | None, axis: str) -> str:
    if cost is None:
        what, ask = _UNKNOWN[axis]
        return f"no {what.removeprefix('a ')}: {ask}"
    return f"{cost:,.3g} B" if axis == "parameters" else dollars(cost)


def _frame(
    found: CostQuality, names: Mapping[str, str], axis: str, quality_name: str
) -> pd.DataFrame:
    rows = found.rows
    ranges = {"Low": [row.cost_low for row in rows], "High": [row.cost_high for row in rows]}
    return pd.DataFrame(
        {
            "Model": [names[row.model.id] for row in rows],
            quality_name: [row.quality * 100 for row in rows],
            "From": blocks.numbers([row.ci_low for row in rows]) * 100,
            "To": blocks.numbers([row.ci_high for row in rows]) * 100,
            "Cost": blocks.numbers([row.cost for row in rows]),
        }
        | ({end: blocks.numbers(usd) for end, usd in ranges.items()} if axis == "bill" else {})
        | {
            "Cost is": [
                ("not known" if row.cost_low is None else "at least the low")
                if row.cost is None
                else "estimate"
                if row.is_estimate
                else "published"
                for row in rows
            ],
            "On the frontier": [
                "not known" if row.cost is None else "yes" if row.on_frontier else "no"
                for row in rows
            ],
            "Matched or beaten by": [
                names[row.beaten_by] if row.beaten_by else "nobody" if row.cost is not None else ""
                for row in rows
            ],
            "Basis": [row.basis or _amount(None, axis) for row in rows],
        }
    )


def _frontier(found: CostQuality) -> list[Costed]:
    drawn = [row for row in found.rows if row.cost is not None and row.on_frontier]
    return sorted(drawn, key=lambda row: row.cost or 0)
