"""Which models does the evidence support for this task, and why?"""

import streamlit as st

from core import answers
from core.charts import intervals
from core.sharing import export
from pages.components import controls, details, evidence, saving, tables, wording
from pages.components.cards import cards
from pages.components.documents import documents
from pages.components.notices import plain
from pages.components.pictures import vega_lite_chart
from pages.components.shared_link import against_today

_MOST_IN_PICTURE = 15

store = evidence.store()
opened = controls.question(store)
with st.spinner("Weighing the evidence…"):
    found = answers.shortlist(store, opened.requirements, evidence.priced_on(opened.requirements))
asked = wording.question(opened.requirements, found)

st.title("Shortlist")
against_today(store, opened.requirements, found)
if not found.rows:
    details.relax(store, opened, found, asked)
    documents(store, opened, found, controls.address(store))
else:
    st.markdown(
        f"{plain(asked)}, the evidence of {plain(opened.evidence.name)} supports these models, "
        f"best first: {len(found.rows)} of {found.n_compared} compared."
    )
    cards(found)

    st.subheader("How sure is the order?")
    shown = found.rows[:_MOST_IN_PICTURE]
    first = "" if len(shown) == len(found.rows) else f" The first {len(shown)} are drawn."
    st.caption(
        "Each dot is a score, each bar the range in which it may lie. In colour: the first "
        f"group, whose members the data cannot tell apart.{first}",
        help="Bars may overlap and the order still be clear, because models are compared on the "
        "same benchmarks, one by one.",
    )
    vega_lite_chart(
        spec=intervals.scores(shown),
        alt="Scores in points: "
        + "; ".join(f"{row.model.name} {wording.points(row.score)}" for row in shown),
    )

    st.subheader("All models that fit")
    chosen = st.dataframe(
        tables.shortlist(found),
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
            f"{wording.counted(found.n_unpriced, 'model')} in this list without a public price: "
            "the budget could not be applied there."
        )
    # The file is made outside this run, where neither session nor address is known.
    address = controls.address(store)
    st.download_button(
        "Download CSV",
        data=lambda: export.to_csv(export.records(found, address)),
        file_name=f"shortlist-{opened.evidence.id}-{evidence.today()}.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
    )
    documents(store, opened, found, address)
    position = (chosen["selection"].get("rows") or [0])[0]
    row = found.rows[min(position, len(found.rows) - 1)]
    details.details(store, opened.requirements, found, row)
saving.form(store, opened, found, evidence.priced_on(opened.requirements))
models = {m.id: m.name for m in store.catalogue.models.values()}
details.left_out(found, models)
details.method(found, opened.requirements)
