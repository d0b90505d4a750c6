"""Do two or three models for different work do better than one, and what do they cost?"""

import streamlit as st

from core.answers import combinations, recommend
from core.answers.combinations import Combinations
from core.charts import combinations as charts
from core.charts import intervals
from core.domain import TooFewError
from pages.components import combinations as parts
from pages.components import controls, evidence, robustness, wording
from pages.components.downloads import downloads
from pages.components.notices import own_choice, plain
from pages.components.pictures import vega_lite_chart

store = evidence.store()
requirements = controls.question(store).requirements
day = evidence.priced_on(requirements)
with st.spinner("Weighing the evidence…"):
    listed = recommend.shortlist(store, requirements, day)
rows = [row for row in listed.rows if row.rank is not None]
names = intervals.labels([row.model for row in rows])
bills = {row.model.id: row.bill for row in rows}
snapshot = listed.snapshots[0]
n_requests = sum(line.requests_per_month for line in listed.workload)
offers = " and your own offers" if requirements.own_prices else ""
basis = (
    f"In US dollars for {n_requests:,.0f} requests a month, at public list prices of "
    f"{day:%d %B %Y}{offers}."
)


def nothing(error: TooFewError) -> None:
    """Say why there is nothing to combine, with a table of why."""
    st.info(f"There is nothing to combine. {plain(str(error))}", icon=":material/search_off:")
    if len(rows) < 2:
        known = {model.id: model.name for model in store.catalogue.models.values()}
        why = robustness.why_not(listed, known)
        alt = "Models, and why they are not ranked"
    else:
        why, alt = parts.categories_that_count(listed), "Categories that count, and who is best"
    points = st.column_config.NumberColumn(format="%.1f")
    st.dataframe(
        why, column_config={"Weight, %": points, "Score": points}, hide_index=True, alt=alt
    )
    downloads("no-combinations", title="Why nothing is combined", snapshot=snapshot, frame=why)


def one_of(found: Combinations) -> None:
    """Let the reader choose a combination, and show who does what and its bill."""
    combined = found.found
    by_name = {parts.name(one.models, names): one for one in combined.found}
    own_choice("combination", "The combination", by_name, next(iter(by_name)))
    chosen = st.selectbox(
        "Combination to look at", list(by_name), key="combination", bind="query-params"
    )
    one = by_name[chosen]
    st.subheader("Who does what?")
    st.markdown(parts.gains(one, combined, names))
    st.caption("Filled bars: the model that answers the requests of the category. Hollow: not.")
    bars = parts.bars(one, found.categories, combined.best_single, names)
    picture = charts.by_category(bars)
    vega_lite_chart(
        spec=picture,
        alt="; ".join(
            f"{category}: "
            + ", ".join(
                f"{model} {score * 100:.1f}{' (answers)' if answers_it else ''}"
                for model, score, answers_it in members
            )
            for category, members in bars
        ),
    )
    table = parts.categories(one, found, names)
    st.dataframe(
        table,
        column_config={
            "Score": st.column_config.NumberColumn(format="%.1f"),
            f"{names[combined.best_single]} alone": st.column_config.NumberColumn(format="%.1f"),
            "Gain": parts.COMBINATION_COLUMNS["Gain"],
            "Weight, %": st.column_config.NumberColumn(format="%.1f"),
        },
        hide_index=True,
        alt="Per category, who answers and what it scores",
    )
    downloads(
        "who-does-what",
        title=f"{chosen}: who does what",
        snapshot=snapshot,
        frame=table,
        picture=picture,
    )
    st.subheader("What does it cost?")
    st.markdown(parts.bill(one, combined, names, basis))
    lines = parts.bill_lines(one, listed, names, bills)
    st.dataframe(
        lines,
        column_config={
            "Requests a month": st.column_config.NumberColumn(format="%.0f"),
            "Bill, $ a month": st.column_config.NumberColumn(format="%.2f"),
            "Price of": st.column_config.TextColumn(help="The day of the price."),
        },
        hide_index=True,
        placeholder=wording.UNKNOWN,
        alt="The bill of the combination, line by line",
    )
    downloads("bill-of-combination", title=f"{chosen}: bill", snapshot=snapshot, frame=lines)


st.markdown("Do two or three models for different work do better than one, and at what price?")
try:
    with st.spinner("Trying combinations…"):
        combined = combinations.combinations(store, requirements, day)
except TooFewError as error:
    nothing(error)
else:
    found = combined.found
    st.markdown(
        parts.answer(found, names, requirements.margin),
        help="To pick the best of several scores and then to quote it flatters, since part of "
        "what made it best is chance. So one half of the benchmarks chooses, and the other half, "
        "which had no say, judges. Gains found in this way are rather too low than too high.",
    )
    table = parts.combinations(found, names, bills)
    st.dataframe(
        table,
        column_config=parts.COMBINATION_COLUMNS,
        hide_index=True,
        placeholder="–",
        alt="Combinations with their gains and bills, the best single model first",
    )
    n_benchmarks = sum(category.n_benchmarks for category in combined.categories)
    st.caption(
        f"{wording.counted(n_benchmarks, 'benchmark')} in {len(combined.categories)} categories. "
        f"{basis}"
    )
    if left_out := parts.left_out(found, names):
        st.caption(left_out)
    downloads("combinations", title="Combinations", snapshot=snapshot, frame=table)
    if found.found:
        one_of(combined)

with st.expander("How this was made"):
    st.markdown(
        "- **Models**: those that pass the limits of the side bar and have every benchmark that "
        "counts. A model whose bill for the whole workload is above your budget is out, even if "
        "part of the work would be affordable.\n"
        "- **Clusters**: the members come from different ones, of three in the taxonomy. Models "
        "of one cluster score alike, so they complete each other less.\n"
        "- **Who does what**: each category goes to the member with the best score in it. Two or "
        "three of at most 25 models are combined: the best overall, the best in each category "
        "and the cheapest of each cluster, in turn.\n"
        "- **Gain**: in points, against the best single model, on the same benchmarks that "
        "chose. It flatters, and so does its interval.\n"
        "- **Held-out gain**, in the answer above: one half of each category's benchmarks chooses "
        "members and rival, the other judges, over 100 random halves with a fixed seed.\n"
        "- **Bill**: public prices per token for the workload in the side bar. Where volumes are "
        "given, a kind of request goes to the model of its category. Where no category that "
        "counts covers it, it goes to the member with the best score overall. The work of "
        "sending requests to the right model is not in it."
    )
