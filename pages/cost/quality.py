"""What does the work cost, and what does quality cost? Every model that fits, with the frontier."""

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import streamlit as st

from core import figures
from core.answers import cost, data, market, recommend
from core.answers.asked import Asked
from core.answers.bills import BAA
from core.answers.cost import CostAxis, CostQuality
from core.charts.intervals import SCALES, cost_quality_chart
from core.charts.kit import Picture, labels
from core.domain import Candidate, Dossier, Model, Shortlist, Snapshot
from core.figures import dollars
from core.memory import Same
from core.procurement.bill import amount_on
from core.words import candidate
from core.words import cost as words
from core.words import market as market_words
from core.words.shortlist import evidence_name
from pages.components import blocks, entries, recommendation
from pages.components.notices import plain
from pages.cost import volumes

_COSTS: dict[str, CostAxis] = {
    "Your monthly bill": "bill",
    "Size in parameters": "parameters",
}
_KNOWN = {"bill": "a known cost", "parameters": "a published size"}
_SIGNED = "With a signed BAA"
_QUALITY = "Score for your task"


def draw(asked: Asked) -> None:
    """Draw the tab."""
    if asked.question.evidence.suite:
        work, priced = asked, _of_suite(asked)
    else:
        work, priced = market.basis_of_cost(asked), _of_market(asked)
    if priced and asked.question.access != "own":
        with st.expander("Your own price"):
            volumes.draw_price(asked.store, priced)
    st.subheader("The work behind it")
    volumes.draw(work, data.matrix(work.store, work.selection()).snapshot)
    blocks.how_made(
        *("Workload and bill", "One model's monthly cost, and savings", "Quality against cost"),
        "From a hospital's own numbers",
        key="costs",
    )


def _of_suite(asked: Asked) -> list[Model]:
    """Draw quality against cost within one suite; return the models that fit."""
    listed = recommend.shortlist(asked)
    if listed.rows:
        _costs(asked, listed, data.matrix(asked.store, asked.selection()).snapshot)
    else:
        _no_bill()
    return [row.model for row in listed.rows]


def _no_bill() -> None:
    st.info(
        "No model fits the question, so there is no bill. Recommend says what would help.",
        icon=":material/search_off:",
    )
    entries.link("recommend", "Answer", label="See what would help", icon="checklist")


def _of_market(asked: Asked) -> list[Model]:
    """Draw what each model that can be bought costs a month, the cheapest first; return them."""
    found = market.market(asked)
    if not found.buyable:
        _no_bill()
        return []
    first, then = map(plain, market_words.cheapest(found))
    st.markdown(f"**{first}**\n\n{then}", help=candidate.GRADES_EXPLAINED)
    rows = sorted(found.buyable, key=_cheapest_first)
    costs = [row.cost for row in rows]
    recommendation.assumed(market.basis_of_cost(asked), costs)
    usd = usd_format(end for it in costs for end in (it.low, it.likely, it.high))
    frame: dict[str, Collection[object]] = {
        "Model": [row.model.name for row in rows],
        "Grade": [row.grade for row in rows],
        "Monthly cost, USD": blocks.numbers([it.likely for it in costs]),
        "Low": blocks.numbers([it.low for it in costs]),
        "High": blocks.numbers([it.high for it in costs]),
    }
    at = [candidate.platform_name(figures.from_whom(it)) for it in costs]
    if all(row.is_own for row in rows):
        frame["On"] = [it.removeprefix("own servers: ") for it in at]
    else:
        frame |= {"At": at, "Also at": [candidate.costs_elsewhere(row) for row in rows]}
    verb = figures.can(sum(row.is_own for row in rows), len(rows))
    title = f"Monthly cost of each model you can {verb}, cheapest first"
    columns = dict.fromkeys(("Monthly cost, USD", "Low", "High"), usd)
    on = data.day_of_prices(asked.question, asked.day)
    lists = () if all(row.is_own for row in rows) else data.lists_on(asked.store, on)
    of = "costs-figures"
    blocks.table(frame, "market-costs", title, lists, of=of, columns=columns, alt=title)
    one = evidence_name(recommend.in_one_suite(asked).question, asked.store.catalogue)
    entries.set_button(
        f"Quality against cost within {plain(one)}",
        {"evidence": one},
        type="tertiary",
        icon=":material/scatter_plot:",
    )
    return [row.model for row in rows]


def _cheapest_first(row: Candidate) -> tuple[bool, float]:
    # What has no more than a least cost may cost anything above it, so it comes last.
    usd = row.cost.for_budget
    return row.cost.likely is None, math.inf if usd is None else usd


def _costs(asked: Asked, listed: Shortlist, snapshot: Snapshot | None) -> None:
    answered = st.container()
    known = any(row.cost.for_budget is not None for row in listed.rows)
    default = "Your monthly bill" if known else "Size in parameters"
    name = blocks.choice(
        "Cost",
        _COSTS,
        key="cost",
        what="The kind of cost",
        used=default.lower(),
        index=list(_COSTS).index(default),
        help="Your monthly bill is for the workload in the side bar. The size stands in for a "
        "cost where no price is known.",
    )
    axis = _COSTS[name]
    found = cost.cost_quality(asked, axis)
    names = labels([row.model for row in listed.rows])
    with answered:
        _answer(found, names, axis)
        if axis == "bill":
            recommendation.assumed(asked, [row.cost for row in listed.rows])
    title = f"{_QUALITY} against {name.lower()}"
    if any(amount_on(axis, row) is not None for row in found.rows):
        blocks.figure(
            blocks.pictured(asked.store, _picture, of=(Same(found),)),
            "costs",
            title,
            f"{title}, the frontier from cheap to dear: "
            + "; ".join(
                f"{names[row.model.id]} {figures.points(row.score)} for {cost_or_size(row, axis)}"
                for row in found.frontier
            ),
            snapshot,
        )
        if any(row.ci_low is not None for row in found.rows):
            st.caption(
                "Bars are 95 % intervals of the quality: where they overlap, a step of the "
                "frontier may be chance."
            )
    _left_out(found, axis)
    costs = [] if axis == "parameters" else [row.cost for row in found.rows]
    ends = [end for cost in costs for end in (cost.low, cost.high)]
    usd = usd_format([*(amount_on(axis, row) for row in found.rows), *ends])
    dear = st.column_config.NumberColumn(format=usd, width=100, help=f"{SCALES[axis][0]}.")
    chosen = blocks.table(
        _frame(asked, found, names, axis),
        "costs-figures",
        f"{_QUALITY} and {SCALES[axis][0].lower()}",
        snapshot,
        alt=f"{_QUALITY} and {name.lower()} of every model that fits, best first",
        columns={_QUALITY: "%.1f", "Cost": dear, _SIGNED: usd, "Low": usd, "High": usd},
        choice="costs_row",
    )
    if found.rows:
        of = found.rows[chosen or 0].model
        entries.link_to_model(of.id, names[of.id])


def usd_format(amounts: Iterable[float | None]) -> str:
    """Return the format of amounts: cents where one is below 10 dollars, and no small one as 0."""
    least = min((abs(amount) for amount in amounts if amount), default=0.0)
    return "%,.0f" if least >= 9.995 else "%,.2f" if least >= 0.005 else "%.3g"


def _answer(found: CostQuality, names: Mapping[str, str], axis: CostAxis) -> None:
    drawn = [row for row in found.rows if amount_on(axis, row) is not None]
    if not drawn:
        none = f"None of the {figures.counted(len(found.rows), 'model')} has {_KNOWN[axis]}"
        st.info(f"{none}: choose another kind of cost.", icon=":material/search_off:")
        return
    ahead = [f"{names[row.model.id]} ({cost_or_size(row, axis)})" for row in found.frontier]
    lead, rest = words.best_for_money(ahead, len(drawn), by_size=axis == "parameters")
    st.markdown(
        f"**{plain(lead)}** {plain(rest)}",
        help="No other model is at least as good for the same cost or less: the frontier.",
    )
    if found.turning:
        pairs = [f"{names[cheap]} or {names[dear]}" for cheap, dear in found.turning]
        st.caption(
            "It is not certain which costs less, because their ranges overlap: "
            f"{plain('; '.join(pairs))}."
        )


def _left_out(found: CostQuality, axis: CostAxis) -> None:
    lacking = [row for row in found.rows if amount_on(axis, row) is None]
    said = [] if axis == "parameters" else [*words.not_drawn([row.cost for row in lacking])]
    if lacking and axis == "parameters":
        n = figures.counted(len(lacking), "model")
        said.append(f"{n} without {_KNOWN[axis]}: ask the vendor.")
    if found.incomplete:
        said.append(
            f"{figures.counted(len(found.incomplete), 'model')} left out for missing benchmarks: "
            "quality over fewer benchmarks does not compare."
        )
    if said:
        st.caption(plain(" ".join(said)))


def cost_or_size(row: Dossier, axis: CostAxis) -> str:
    """Write what a row costs, in dollars or by its size."""
    amount = amount_on(axis, row) or 0.0
    return f"{amount:,.3g} B" if axis == "parameters" else dollars(amount)


def _picture(of: Same[CostQuality]) -> Picture:
    found, score = of.it, f"{_QUALITY}, points out of 100"
    return cost_quality_chart(found.rows, found.axis, score, found.on_frontier)


def _frame(
    asked: Asked, found: CostQuality, names: Mapping[str, str], axis: CostAxis
) -> blocks.Columns:
    rows = found.rows
    frame: dict[str, Collection[Any]] = {
        "Model": [names[row.model.id] for row in rows],
        _QUALITY: blocks.numbers([row.score for row in rows], times=100),
        "From": blocks.numbers([row.ci_low for row in rows], times=100),
        "To": blocks.numbers([row.ci_high for row in rows], times=100),
        "Cost": blocks.numbers([amount_on(axis, row) for row in rows]),
    }
    if axis == "bill":
        costs = [row.cost for row in rows]
        frame["Low"] = blocks.numbers([cost.low for cost in costs])
        frame["High"] = blocks.numbers([cost.high for cost in costs])
        frame["At"] = [figures.from_whom(cost) for cost in costs]
        # Else every price is one with a BAA, or none is.
        if BAA not in asked.question.conditions.required and asked.question.access != "own":
            signed = [cost.with_baa.monthly_usd if cost.with_baa else None for cost in costs]
            frame[_SIGNED] = blocks.numbers(signed)
    frame["On the frontier"] = [
        "not known"
        if amount_on(axis, row) is None
        else "yes"
        if row.model.id in found.on_frontier
        else "no"
        for row in rows
    ]
    frame["Basis"] = [
        ", ".join(filter(None, (row.cost.as_of, words.basis(row.cost))))
        if axis == "bill"
        else (row.model.params_b is not None and row.model.params_source) or "no published size"
        for row in rows
    ]
    return frame
