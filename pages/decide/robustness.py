"""Would we decide the same under other reasonable weightings, or with one benchmark less?"""

import streamlit as st

from core.answers import recommend
from core.charts import intervals
from core.charts import robustness as charts
from core.domain import TooFewError
from pages.components import controls, evidence, tables, wording
from pages.components import robustness as parts
from pages.components.downloads import downloads
from pages.components.notices import own_choice, plain
from pages.components.pictures import vega_lite_chart

_REACH = {
    "Narrow": (80.0, "weightings close to yours"),
    "Plausible": (20.0, "plausible weightings"),
    "Wide": (8.0, "weightings far around yours"),
}
_USUAL = "Plausible"
_MOST_IN_PICTURE = 10

store = evidence.store()
requirements = controls.question(store).requirements
day = evidence.priced_on(requirements)
with st.spinner("Weighing the evidence…"):
    listed = recommend.shortlist(store, requirements, day)
rows = [row for row in listed.rows if row.rank is not None]
names = intervals.labels([row.model for row in rows])

st.markdown("Would we decide the same under other reasonable weightings?")
own_choice("reach", "The reach of the weightings", _REACH, _USUAL.lower())
concentration, drawn = _REACH[_USUAL]
if len(listed.weights) > 1:
    reach = st.segmented_control(
        "How far may the weights of the categories lie from yours?",
        list(_REACH),
        default=_USUAL,
        required=True,
        key="reach",
        bind="query-params",
        help="Nobody knows the share of each kind of work exactly. Plausible: a weight of 50 % "
        "lies between 32 and 68 % in nine of ten draws, as if 20 requests had been sorted by "
        "hand. Narrow: between 41 and 59 %, as with 80 requests. Wide: between 23 and 77 %, as "
        "with 8.",
    )
    concentration, drawn = _REACH[reach]

try:
    with st.spinner("Trying other weightings…"):
        found = recommend.robustness(store, requirements, day, concentration=concentration)
except TooFewError as error:
    st.info(
        f"There is no order to test. {plain(str(error))} Widen the limits in the side bar, or "
        "choose another task.",
        icon=":material/search_off:",
    )
    known = {model.id: model.name for model in store.catalogue.models.values()}
    st.dataframe(
        parts.why_not(listed, known), hide_index=True, alt="Models, and why they are not ranked"
    )
else:
    snapshot = listed.snapshots[0]
    benchmarks = {b.id: b for b in listed.benchmarks}
    titles = {b.id: b.name for b in listed.benchmarks}
    if found.weights_vary:
        st.markdown(parts.answer(found, names, f"{found.n_draws:,} {drawn}"))
    else:
        st.markdown(
            f"**{plain(names[found.models[0].model])} is first.** Only one category counts here, "
            f"{plain(listed.weights[0][0])}, so there are no weights to vary. What single "
            f"benchmarks do is below. {parts.other_benchmarks(found, names, found.models[0].model)}"
        )
    if said := parts.alike(rows):
        st.markdown(said)

    table = parts.models(found, rows, names)
    picture = None
    if found.weights_vary:
        shown = [s for s in found.models if s.rank <= 3 or (s.top_three_share or 0) >= 0.005]
        bars = [
            (names[s.model], s.first_share or 0.0, s.top_three_share or 0.0)
            for s in shown[:_MOST_IN_PICTURE]
        ]
        st.subheader("How often is a model first?")
        st.caption(
            "Filled bars: the share of weightings in which a model is first. Hollow bars: in "
            "which it is among the first three. By rank at your weights; models that are almost "
            "never among the first three are not drawn."
        )
        picture = charts.shares(bars)
        vega_lite_chart(
            spec=picture,
            alt="Share of weightings: "
            + "; ".join(
                f"{name} first {charts.percent(first)}, in the first three {charts.percent(top)}"
                for name, first, top in bars
            ),
        )
    st.dataframe(
        table,
        column_config={
            "Model": st.column_config.TextColumn(width="medium"),
            "Rank": st.column_config.NumberColumn(help="At your weights, by score."),
            "May be": tables.SHORTLIST_COLUMNS["May be"],
            "First, %": st.column_config.NumberColumn(
                format="%.1f", help="Share of the weightings in which the model is first."
            ),
            "First, other benchmarks, %": st.column_config.NumberColumn(
                format="%.1f",
                help="The same share where the benchmarks of each category are drawn anew as "
                "well, with replacement: as if the suite had other benchmarks of these kinds. A "
                "category with one benchmark keeps it.",
            ),
            "Top three, %": st.column_config.NumberColumn(
                format="%.1f", help="Share of the weightings in which it is among the first three."
            ),
            "Median rank": st.column_config.NumberColumn(
                help="Half of the weightings give this rank or a better one."
            ),
            "Ranks": st.column_config.TextColumn(
                help="Nine of ten weightings give a rank in this range. It is about weights "
                "alone; the places that it may have are about what was measured."
            ),
        },
        hide_index=True,
        alt="Models by rank, with the places they may have and how often they are first",
    )
    downloads(
        "robust-ranks",
        title="Ranks under other weightings",
        snapshot=snapshot,
        frame=table,
        picture=picture,
    )

    if found.weights_vary:
        st.subheader("Where does the first place flip?")
        st.markdown(parts.nearest(found.flips))
        st.markdown("\n".join(f"- {parts.flip(one, names)}" for one in found.flips))
        flips = parts.flips(found.flips, names)
        st.dataframe(
            flips,
            column_config={
                "Weight now, %": st.column_config.NumberColumn(format="%.1f"),
                "Flips at, %": st.column_config.NumberColumn(
                    format="%.1f",
                    help="The nearest weight at which another model is first, while the other "
                    "categories keep their proportions.",
                ),
            },
            hide_index=True,
            placeholder="never",
            alt="Per category, the weight at which another model is first",
        )
        downloads("flips", title="Where the first place flips", snapshot=snapshot, frame=flips)

    st.subheader("What if one benchmark were missing?")
    st.markdown(parts.without(found, names, titles))
    if found.without:
        dropped = parts.left_out(found, names, benchmarks)
        st.dataframe(
            dropped,
            column_config={
                "Changes in the first three": st.column_config.NumberColumn(
                    help="How many of the first three ranks another model then holds."
                )
            },
            hide_index=True,
            alt="Per benchmark, who is first without it",
        )
        downloads(
            "without-one-benchmark",
            title="The order without one benchmark",
            snapshot=snapshot,
            frame=dropped,
        )

with st.expander("How this was made"):
    st.markdown(
        "- **Models**: those that pass the limits of the side bar and have every benchmark that "
        "counts.\n"
        "- **Weightings** are drawn at random around your weights, with a fixed seed, so that a "
        "link shows the same figures again (Dirichlet distribution; Lahdelma and Salminen 2001, "
        "doi 10.1287/opre.49.3.444.11220). A category that you left out stays out.\n"
        "- **Other benchmarks**: in each weighting, as many of a category's benchmarks are drawn "
        "from it with replacement, some twice, some never. A category with one benchmark keeps "
        "it.\n"
        "- **Flips**: one category's weight goes from 0 to 100 % while the others keep their "
        "proportions. The nearest weight in either direction is exact, not drawn.\n"
        "- **Without a benchmark**, its category spreads its weight over those that remain.\n"
        "- **Not in these shares**: whether the scores themselves can be told apart. That is what "
        "the places that a model may have say, as on the shortlist."
    )
    if len(listed.rows) > len(rows):
        n = len(listed.rows) - len(rows)
        st.caption(f"{wording.counted(n, 'model')} without every benchmark: not ranked here.")
