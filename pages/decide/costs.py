"""What does quality cost? Every model that fits, with the ones that nothing undercuts."""

import pandas as pd
import streamlit as st

from core.answers import bills, recommend
from core.answers import cost as cost_answers
from core.charts.cost_quality import CostScale, cost_quality
from core.charts.intervals import labels
from core.domain import TooFewError
from core.procurement.reasons import count, dollars
from pages.components import controls, evidence, wording
from pages.components.downloads import downloads
from pages.components.notices import own_choice, plain
from pages.components.pictures import vega_lite_chart

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
_UNKNOWN = {
    "bill": ("a public price", "ask the vendor"),
    "tokens": ("a public price", "ask the vendor"),
    "benchmark": ("a published cost of the benchmark runs", "the paper does not list them"),
    "total": ("a published cost of the benchmark runs", "the paper does not list them"),
    "parameters": ("a published size", "ask the vendor"),
}
_QUALITIES = {"Score for your task": "score", "Mean win rate": "win rate"}

store = evidence.store()
opened = controls.question(store)
asked = opened.requirements
day = evidence.priced_on(asked)

st.markdown(
    "What does quality cost? A model is worth its price if no cheaper one is as good: such models "
    "form the frontier."
)
with st.spinner("Working out costs…"):
    listed = recommend.shortlist(store, asked, day).rows
volume = bills.requests_a_month(store, asked)
has_bill = asked.access == "own" or any(row.bill for row in listed)
default = "Your monthly bill" if has_bill else "Size in parameters"
own_choice("cost", "The kind of cost", _COSTS, default.lower())
own_choice("quality", "The kind of quality", _QUALITIES, next(iter(_QUALITIES)).lower())
left, right = st.columns(2)
with left:
    cost_name = st.selectbox(
        "Cost",
        list(_COSTS),
        index=list(_COSTS).index(default),
        key="cost",
        bind="query-params",
        help="Your monthly bill is for the workload in the side bar. The cost of the benchmark "
        "runs is what MedHELM's authors paid for the model's own answers; grading them by a jury "
        "of other models is counted only if you choose it.",
    )
with right:
    quality_name = st.selectbox(
        "Quality",
        list(_QUALITIES),
        key="quality",
        bind="query-params",
        help="The score counts the benchmarks of your task, as the shortlist does. The win rate "
        "counts all benchmarks, against all models of the evidence base.",
    )
axis, scale = _COSTS[cost_name], _SCALES[_COSTS[cost_name]]
if not listed:
    raise TooFewError("No model fits the question in the side bar: the shortlist says why.")
found = cost_answers.cost_quality(store, asked, day, axis, _QUALITIES[quality_name])
names = labels([row.model for row in listed])
drawn = [row for row in found.rows if row.cost is not None]
unknown = [row for row in found.rows if row.cost is None]
ahead = sorted((row for row in drawn if row.on_frontier), key=lambda row: row.cost or 0)


def amount(cost: float | None) -> str:
    """Write a cost in the unit of the axis."""
    if cost is None:
        return f"no {_UNKNOWN[axis][0].removeprefix('a ')}: {_UNKNOWN[axis][1]}"
    if axis == "bill":
        return dollars(cost)
    return f"{cost:,.3g} B" if axis == "parameters" else f"${cost:,.2f}"


if len(drawn) > 1:
    members = wording.list_of([f"{names[row.model.id]} ({amount(row.cost)})" for row in ahead])
    verb = "is" if len(ahead) == 1 else "are"
    rest = (
        " Every other is matched or beaten by one that costs no more."
        if axis != "parameters"
        else " Every other is matched or beaten by one that is no larger."
    )
    st.markdown(
        f"**Of {len(drawn)} models, {count(len(ahead))} {verb} on the frontier:** "
        f"{plain(members)}.{rest if len(ahead) < len(drawn) else ''}"
    )
    for cheap, dear in found.turning:
        st.markdown(
            plain(
                f"Which of {names[cheap]} and {names[dear]} costs less is not certain: the order "
                "turns within their ranges."
            )
        )
elif drawn:
    st.markdown(
        f"Only {plain(names[drawn[0].model.id])} has {_UNKNOWN[axis][0]}: there is nothing to "
        "hold it against."
    )
if not drawn:
    st.info(
        f"None of the {wording.counted(len(found.rows), 'model')} has {_UNKNOWN[axis][0]}: "
        f"{_UNKNOWN[axis][1]}, or choose another cost.",
        icon=":material/search_off:",
    )
else:
    title = f"{quality_name} against {cost_name.lower()}"
    unit = "points out of 100" if _QUALITIES[quality_name] == "score" else "% of comparisons won"
    picture = cost_quality(found.rows, scale, f"{quality_name}, {unit}")
    vega_lite_chart(
        spec=picture,
        alt=f"{title}, the frontier from cheap to dear: "
        + "; ".join(
            f"{names[row.model.id]} {wording.points(row.quality)} for {amount(row.cost)}"
            for row in ahead
        ),
    )
    estimates = sum(row.is_estimate for row in drawn)
    kinds = (
        "Diamonds are estimated costs, dots published ones."
        if 0 < estimates < len(drawn)
        else "Diamonds: all costs here are estimates."
        if estimates
        else "Dots: all costs here are published ones."
    )
    st.caption(
        "Higher is better, further left is cheaper. In colour: the frontier, with its names, or on "
        "a narrow screen with numbers from the cheapest on. A vertical "
        f"bar is the 95 % interval of the quality; where bars overlap, a step of the frontier may "
        f"be chance. {kinds}"
    )
    downloads("costs", title=title, snapshot=found.shortlist.snapshots[0], picture=picture)
if axis == "bill" and asked.access == "own":
    st.caption(
        f"Rent of the cheapest GPUs that hold a model, for {volume:,.0f} requests a month; a price "
        "per token does not count, since you ask for your own servers. See the page Own servers."
    )
elif axis == "bill":
    written = asked.output_tokens_per_request
    st.caption(
        f"Bills are for {volume:,.0f} requests a month at public list prices of "
        f"{day:%d %B %Y}, in US dollars, taxes and discounts left out. "
        + (
            "Tokens written are what you set. "
            if written is not None
            else "Tokens written are the most that MedHELM allows, so bills are upper estimates; "
            "set your own under “Workload behind the bill”. "
        )
        + plain(wording.reasoning_on_top(asked, store.catalogue))
    )
elif axis == "tokens" and drawn:
    plain_share, reasoning_share = cost_answers.shares_written(store, asked)
    st.caption(
        f"Read and written tokens are mixed as in your workload: {plain_share:.0%} written, about "
        f"{reasoning_share:.0%} for models that reason. List prices of "
        f"{day:%d %B %Y}, US dollars; how many tokens a model needs is not in them."
    )
elif axis in ("benchmark", "total") and drawn:
    st.caption(plain(f"As printed in {drawn[0].basis}, US dollars."))
old = [names[row.model.id] for row in ahead if "deprecated" in row.basis]
if old:
    st.markdown(
        f"Marked as deprecated in the price list, so ask whether it is still sold: "
        f"{plain(wording.list_of(old))}."
    )
if unknown:
    listed_names = wording.list_of([names[row.model.id] for row in unknown[:8]])
    more = f" and {len(unknown) - 8} more" if len(unknown) > 8 else ""
    st.markdown(
        f"{wording.counted(len(unknown), 'model')} without {_UNKNOWN[axis][0]} "
        f"{'is' if len(unknown) == 1 else 'are'} not drawn: {_UNKNOWN[axis][1]}. "
        f"{plain(listed_names)}{more}."
    )
if found.incomplete:
    st.caption(
        f"{wording.counted(len(found.incomplete), 'model')} left out for missing benchmarks: "
        "quality over fewer benchmarks does not compare."
    )

st.subheader("Figures")
frame = pd.DataFrame(
    {
        "Model": [names[row.model.id] for row in found.rows],
        quality_name: [row.quality * 100 for row in found.rows],
        "From": pd.Series([row.ci_low for row in found.rows], dtype="float64") * 100,
        "To": pd.Series([row.ci_high for row in found.rows], dtype="float64") * 100,
        "Cost": pd.Series([row.cost for row in found.rows], dtype="float64"),
    }
    | (
        {
            "Low": pd.Series([row.cost_low for row in found.rows], dtype="float64"),
            "High": pd.Series([row.cost_high for row in found.rows], dtype="float64"),
        }
        if axis == "bill"
        else {}
    )
    | {
        "Cost is": [
            "not known" if row.cost is None else "estimate" if row.is_estimate else "published"
            for row in found.rows
        ],
        "On the frontier": [
            "not known" if row.cost is None else "yes" if row.on_frontier else "no"
            for row in found.rows
        ],
        "Matched or beaten by": [
            names[row.beaten_by] if row.beaten_by else "nobody" if row.cost is not None else ""
            for row in found.rows
        ],
        "Basis": [row.basis or amount(None) for row in found.rows],
    }
)
st.dataframe(
    frame,
    column_config={
        quality_name: st.column_config.NumberColumn(format="%.1f"),
        "From": st.column_config.NumberColumn(
            format="%.1f", help="Lower end of the 95 % interval of the quality."
        ),
        "To": st.column_config.NumberColumn(
            format="%.1f", help="Upper end of the 95 % interval of the quality."
        ),
        "Cost": st.column_config.NumberColumn(format="%.2f", width=100, help=f"{scale.title}."),
        "Low": st.column_config.NumberColumn(
            format="%.2f", help="Half of the answer that was allowed, little hidden reasoning."
        ),
        "High": st.column_config.NumberColumn(
            format="%.2f", help="The whole answer, as much hidden reasoning as was allowed."
        ),
        "On the frontier": st.column_config.TextColumn(
            help="Yes where no other model is at least as good and costs no more, with one of "
            "the two better."
        ),
        "Matched or beaten by": st.column_config.TextColumn(
            help="The best model of the frontier that costs no more."
        ),
        "Basis": st.column_config.TextColumn(width="large"),
    },
    hide_index=True,
    placeholder=wording.UNKNOWN,
    alt=f"{quality_name} and {cost_name.lower()} of every model that fits, best first",
)
downloads(
    "costs-figures",
    title=f"{quality_name} and {scale.title.lower()}",
    snapshot=next(iter(found.shortlist.snapshots), None),
    frame=frame,
)
with st.expander("How this was made"):
    st.markdown(
        "One model beats another when it is at least as good and costs no more, and is better in "
        "one of the two (Pareto). Models that are equal in both are kept. Quality is taken at its "
        "estimate, without its interval. A model whose cost nobody publishes is never on the "
        "frontier and beats nobody: unknown is not free. A bill is requests times the price of a "
        "request, at the provider that is lowest for your workload of those that meet your "
        "conditions best. Low and high change how much is written and how much is reasoned; the "
        "frontier is that of the likely cost. On own servers they change the rent and the number "
        "of GPUs."
    )
