"""Which models does the evidence support for this task, and why?"""

import streamlit as st

from core.answers import recommend
from core.charts import intervals
from core.sharing import export
from pages.components import controls, details, evidence, saving, tables, wording
from pages.components.documents import documents
from pages.components.downloads import button
from pages.components.notices import plain
from pages.components.pictures import vega_lite_chart
from pages.components.recommendation import recommendation
from pages.components.shared_link import against_today

_MOST_IN_PICTURE = 15

store = evidence.store()
opened = controls.question(store)
with st.spinner("Weighing the evidence…"):
    day = evidence.priced_on(opened.requirements)
    found = recommend.shortlist(store, opened.requirements, day)
    decided = recommend.recommendation(store, opened.requirements, day)
asked = wording.question(opened.requirements, found)

against_today(store, opened.requirements, found)
if not found.rows:
    details.relax(store, opened, found, asked)
    documents(store, opened, found, controls.address(store).url)
else:
    st.markdown(
        f"{plain(asked)}, on the evidence of {plain(opened.evidence.name)}: {decided.n_fit} of "
        f"{wording.counted(decided.n_all, 'model')} with all scores "
        f"{'fits' if decided.n_fit == 1 else 'fit'}."
    )
    recommendation(decided)
    with st.container(horizontal=True, gap="medium"):
        for page, label, icon in (
            ("decide/equivalents", "We use another model", "swap_horiz"),
            ("decide/compare", "Compare", "compare_arrows"),
            ("data/local_validation", "Check it on our own cases", "fact_check"),
        ):
            st.page_link(f"pages/{page}.py", label=label, icon=f":material/{icon}:")

    st.subheader("How sure is the order?")
    shown = found.rows[:_MOST_IN_PICTURE]
    first = "" if len(shown) == len(found.rows) else f" The first {len(shown)} are drawn."
    st.caption(
        "Each dot is a score, each bar its 95 % interval. In colour: the models that are not "
        f"shown to be below any other that fits.{first}",
        help="With published numbers of questions, a bar says how the score would vary with other "
        "questions on the same tests; else, with other tests. Bars may overlap and the order "
        "still be clear, because models are compared on the same tests, one by one.",
    )
    vega_lite_chart(
        spec=intervals.scores(shown),
        alt="Scores in points: "
        + "; ".join(f"{row.model.name} {wording.points(row.score)}" for row in shown),
    )

    st.subheader("All models that fit")
    chosen = st.dataframe(
        tables.shortlist(store, found, decided),
        column_config=tables.SHORTLIST_COLUMNS,
        hide_index=True,
        placeholder=wording.UNKNOWN,
        on_select="rerun",
        selection_mode="single-row",
        key="row",
        alt="The shortlist as a table, best first",
    )
    if opened.requirements.monthly_budget_usd is not None and found.n_unpriced:
        st.caption(
            f"{wording.counted(found.n_unpriced, 'model')} in this list of unknown cost: the "
            "budget could not be applied there."
        )
    # The file is made outside this run, where neither session nor address is known.
    address = controls.address(store).url
    button(
        "Download CSV",
        data=lambda: export.to_csv(export.records(found, address, decided)),
        name=f"shortlist-{opened.evidence.id}-{evidence.today()}",
        kind="csv",
        mime="text/csv",
    )
    documents(store, opened, found, address)
    position = (chosen["selection"].get("rows") or [0])[0]
    row = found.rows[min(position, len(found.rows) - 1)]
    details.details(store, opened.requirements, found, decided, row)
saving.form(store, opened, day)
models = {m.id: m.name for m in store.catalogue.models.values()}
details.left_out(found, models)
details.method(found, opened.requirements)
