"""Do two or three models for different work do better than one, and what do they cost?"""

import streamlit as st

from core.answers import combinations, recommend
from core.answers.combinations import Combinations
from core.charts import intervals
from core.domain import Requirements, Shortlist, TooFewError
from core.evidence.store import Store
from pages.components import blocks, controls, evidence, tables
from pages.components.notices import own_choice, plain
from pages.cost import amounts, who_does_what


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    asked = controls.question(store).requirements
    day = evidence.priced_on(asked)
    with st.spinner("Weighing the evidence…"):
        listed = recommend.shortlist(store, asked, day)
    try:
        with st.spinner("Trying combinations…"):
            combined = combinations.combinations(store, asked, day)
    except TooFewError as error:
        _nothing(store, listed, str(error))
    else:
        _combinations(store, asked, listed, combined)
    blocks.how_made("Portfolios", key="combinations")


def _nothing(store: Store, listed: Shortlist, reason: str) -> None:
    """Say why there is nothing to combine, with a table of why."""
    st.info(f"There is nothing to combine. {plain(reason)}", icon=":material/search_off:")
    if sum(row.rank is not None for row in listed.rows) < 2:
        known = {model.id: model.name for model in store.catalogue.models.values()}
        why = tables.why_not(listed, known)
        alt = "Models, and why they are not ranked"
    else:
        why = who_does_what.categories_that_count(listed)
        alt = "Categories that count, and who is best"
    points = st.column_config.NumberColumn(format="%.1f")
    blocks.table(
        why,
        name="no-combinations",
        title="Why nothing is combined",
        alt=alt,
        columns={"Weight, %": points, "Score": points},
        snapshot=listed.snapshots[0],
    )


def _combinations(
    store: Store, asked: Requirements, listed: Shortlist, combined: Combinations
) -> None:
    """Say whether any combination is shown to do better, and show one in full."""
    found, snapshot = combined.found, listed.snapshots[0]
    names = intervals.labels([row.model for row in listed.rows if row.rank is not None])
    st.markdown(
        who_does_what.answer(found, names, asked.margin),
        help="To pick the best of several scores and then to quote it flatters, since part of "
        "what made it best is chance. Here one half of the benchmarks chooses, the other half, "
        "which had no say, judges. That is rather too low than too high.",
    )
    if left_out := who_does_what.left_out(found, names):
        st.caption(left_out)
    requests = sum(line.requests_per_month for line in listed.workload)
    amounts.assumed(store, asked, evidence.priced_on(asked), requests)
    if not found.found:
        return
    by_name = {" + ".join(names[model] for model in one.models): one for one in found.found}
    own_choice("combination", "The combination", by_name, next(iter(by_name)))
    chosen = st.selectbox(
        "Combination to look at",
        list(by_name),
        key="combination",
        bind="query-params",
        help="Two or three models of different clusters that together score higher than any one.",
    )
    st.subheader("Who does what?")
    who_does_what.categories(by_name[chosen], combined, names, title=chosen, snapshot=snapshot)
    st.subheader("What does it cost?")
    who_does_what.bill(by_name[chosen], listed, found, names, title=chosen, snapshot=snapshot)
