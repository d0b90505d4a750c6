"""Which models are worth their price: those that no other matches for the same money or less."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from core.answers.cost import Costed, CostQuality
from core.procurement.reasons import count, dollars
from pages.components import wording
from pages.components.notices import plain
from pages.cost.amounts import usd_format

_UNKNOWN = {
    "bill": ("a public price", "ask the vendor"),
    "tokens": ("a public price", "ask the vendor"),
    "benchmark": ("a published cost of the benchmark runs", "the paper does not list them"),
    "total": ("a published cost of the benchmark runs", "the paper does not list them"),
    "parameters": ("a published size", "ask the vendor"),
}
_MOST_NAMED = 8


def answer(found: CostQuality, names: Mapping[str, str], axis: str) -> None:
    """Name the models that no other matches or beats at their cost, from cheap to dear."""
    what, ask = _UNKNOWN[axis]
    drawn = [row for row in found.rows if row.cost is not None]
    if not drawn:
        st.info(
            f"None of the {wording.counted(len(found.rows), 'model')} has {what}: {ask}, or "
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
    members = [f"{names[row.model.id]} ({amount(row.cost, axis)})" for row in ahead[:_MOST_NAMED]]
    if more := len(ahead) - len(members):
        members.append(f"{more} more")
    verb = "is worth its price" if len(ahead) == 1 else "are worth their price"
    no_more = "is no larger" if axis == "parameters" else "costs no more"
    rest = f" Every other is matched or beaten by one that {no_more}."
    st.markdown(
        f"**Of {len(drawn)} models, {count(len(ahead))} {verb}:** "
        f"{plain(wording.list_of(members))}.{rest if len(ahead) < len(drawn) else ''}",
        help="No other model is at least as good for the same cost or less: the frontier.",
    )
    if found.turning:
        pairs = [f"{names[cheap]} or {names[dear]}" for cheap, dear in found.turning]
        st.caption(
            f"Not certain which costs less, since their ranges overlap: {plain('; '.join(pairs))}."
        )


def printed(basis: str) -> None:
    """Say where the costs of the benchmark runs are printed."""
    st.caption(plain(f"As printed in {basis}, US dollars."))


def in_words(found: CostQuality, names: Mapping[str, str], axis: str, title: str) -> str:
    """Say what the picture shows, for who cannot see it."""
    return f"{title}, the frontier from cheap to dear: " + "; ".join(
        f"{names[row.model.id]} {wording.points(row.quality)} for {amount(row.cost, axis)}"
        for row in _frontier(found)
    )


def legend(found: CostQuality) -> str:
    """Say how to read the picture."""
    drawn = [row for row in found.rows if row.cost is not None]
    estimates = sum(row.is_estimate for row in drawn)
    kinds = (
        "Diamonds are estimated costs, dots published ones."
        if 0 < estimates < len(drawn)
        else "Diamonds: all costs here are estimates."
        if estimates
        else "Dots: all costs here are published ones."
    )
    return (
        "Higher is better, further left is cheaper. Bars are 95 % intervals of the quality: where "
        f"they overlap, a step of the frontier may be chance. {kinds} Numbers, where names have no "
        "room, count from the cheapest on."
    )


def left_out(found: CostQuality, names: Mapping[str, str], axis: str) -> None:
    """Name what the picture lacks, and what may no longer be sold."""
    what, ask = _UNKNOWN[axis]
    if old := [names[row.model.id] for row in _frontier(found) if "deprecated" in row.basis]:
        st.caption(
            "Marked as deprecated in the price list, so ask whether it is still sold: "
            f"{plain(wording.list_of(old))}."
        )
    unknown = [names[row.model.id] for row in found.rows if row.cost is None]
    if unknown:
        named = unknown[:_MOST_NAMED]
        if more := len(unknown) - len(named):
            named.append(f"{more} more")
        st.caption(
            f"{wording.counted(len(unknown), 'model')} without {what} "
            f"{'is' if len(unknown) == 1 else 'are'} not drawn: {ask}. "
            f"{plain(wording.list_of(named))}."
        )
    if found.incomplete:
        st.caption(
            f"{wording.counted(len(found.incomplete), 'model')} left out for missing benchmarks: "
            "quality over fewer benchmarks does not compare."
        )


def amount(cost: float | None, axis: str) -> str:
    """Write a cost in the unit of an axis."""
    if cost is None:
        what, ask = _UNKNOWN[axis]
        return f"no {what.removeprefix('a ')}: {ask}"
    return f"{cost:,.3g} B" if axis == "parameters" else dollars(cost)


def frame(
    found: CostQuality, names: Mapping[str, str], axis: str, quality_name: str
) -> pd.DataFrame:
    """Return every model with its quality, its cost, and what undercuts it."""
    rows = found.rows
    ranges = {"Low": [row.cost_low for row in rows], "High": [row.cost_high for row in rows]}
    return pd.DataFrame(
        {
            "Model": [names[row.model.id] for row in rows],
            quality_name: [row.quality * 100 for row in rows],
            "From": _numbers([row.ci_low for row in rows]) * 100,
            "To": _numbers([row.ci_high for row in rows]) * 100,
            "Cost": _numbers([row.cost for row in rows]),
        }
        | ({end: _numbers(usd) for end, usd in ranges.items()} if axis == "bill" else {})
        | {
            "Cost is": [
                "not known" if row.cost is None else "estimate" if row.is_estimate else "published"
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
            "Basis": [row.basis or amount(None, axis) for row in rows],
        }
    )


def columns(found: CostQuality, quality_name: str, cost_title: str) -> dict[str, object]:
    """Return how the columns of the table are written."""
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    ends = [(row.cost, row.cost_low, row.cost_high) for row in found.rows]
    usd = usd_format(pd.DataFrame(ends, dtype="float64"))
    return {
        quality_name: number(format="%.1f"),
        "From": number(format="%.1f", help="Lower end of the 95 % interval of the quality."),
        "To": number(format="%.1f", help="Upper end of the 95 % interval of the quality."),
        "Cost": number(format=usd, width=100, help=f"{cost_title}."),
        "Low": number(
            format=usd,
            help="Half of the answer that was allowed, little hidden reasoning; on own servers the "
            "lowest rent.",
        ),
        "High": number(
            format=usd,
            help="The whole answer, as much hidden reasoning as was allowed; on own servers the "
            "highest rent.",
        ),
        "On the frontier": text(
            help="Yes where no other model is at least as good and costs no more, with one of "
            "the two better."
        ),
        "Matched or beaten by": text(help="The best model of the frontier that costs no more."),
        "Basis": text(width="large"),
    }


def _frontier(found: CostQuality) -> list[Costed]:
    drawn = [row for row in found.rows if row.cost is not None and row.on_frontier]
    return sorted(drawn, key=lambda row: row.cost or 0)


def _numbers(values: list[float | None]) -> pd.Series:
    return pd.Series(values, dtype="float64")
