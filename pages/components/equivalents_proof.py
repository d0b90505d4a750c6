"""What could replace a model, by both rules, and the proof for one candidate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import pandas as pd
import streamlit as st

from core.answers import data, replacing, taxonomies
from core.charts import intervals
from core.charts.side_by_side import benchmark_gaps
from core.domain import Equivalent, Model, Requirements, Snapshot
from core.evidence.store import Store
from core.procurement.recommendation import Recommendation
from pages.components import side_by_side, tables, wording
from pages.components.downloads import downloads
from pages.components.notices import own_choice, plain
from pages.components.pictures import vega_lite_chart

_MOST_IN_PICTURE = 12
TOGETHER_HELP = (
    "Share of 1,000 trees, each grown from benchmarks drawn anew, in which the two models are in "
    "one cluster. Over two suites the lower of the two shares."
)
_PROPOSAL_COLUMNS = {
    "As good?": tables.SHORTLIST_COLUMNS["As good as the first?"],
    "Difference": tables.EQUIVALENT_COLUMNS["Difference"],
    "From": tables.EQUIVALENT_COLUMNS["From"],
    "To": tables.EQUIVALENT_COLUMNS["To"],
    "Basis": st.column_config.TextColumn(
        help="On these tests: other questions could have been drawn. On other tests: other tests "
        "like these."
    ),
    "Cost, $ a month": tables.SHORTLIST_COLUMNS["Cost, $ a month"],
    "Saves, $ a month": st.column_config.NumberColumn(
        format="%.0f",
        help="Likely saving, US dollars; below zero it costs more. Empty where a cost is not "
        "known.",
    ),
    "Size, B": tables.SHORTLIST_COLUMNS["Size, B"],
    "Severe harm, %": tables.SHORTLIST_COLUMNS["Severe harm, %"],
    "In one cluster": st.column_config.NumberColumn(format="%.0f %%", help=TOGETHER_HELP),
}


def by_the_task(found: Recommendation, model: Model) -> None:
    """Draw every proposal against the model in use, as a picture and a table."""
    frame = tables.proposals(found)
    if frame.empty:
        return
    listed = [found.take, *found.as_good, *found.worth_testing, found.step_down]
    drawn = [each for each in listed if each is not None and each.judged is not None]
    drawn = drawn[:_MOST_IN_PICTURE]
    st.subheader("How far apart are they?")
    st.caption(
        f"Each bar is the 95 % interval of the difference to {plain(model.name)}. Circle: as good "
        "within your margin, shown or likely. Triangle: worse. Diamond: open."
    )
    picture = intervals.tiers(
        [(each.model, each.judged) for each in drawn if each.judged is not None],
        found.requirements.margin,
    )
    vega_lite_chart(
        spec=picture,
        alt="Differences: "
        + "; ".join(
            f"{each.model.name} {wording.signed_points(each.judged.difference.difference)}, "
            f"{each.judged.tier}"
            for each in drawn
            if each.judged is not None
        ),
    )
    snapshot = found.snapshots[0] if found.snapshots else None
    title = f"In place of {model.name}, margin {found.requirements.margin * 100:g} points"
    downloads("equivalents-picture", title=title, snapshot=snapshot, picture=picture)
    st.dataframe(
        frame,
        column_config=_PROPOSAL_COLUMNS,
        hide_index=True,
        placeholder=wording.UNKNOWN,
        alt=f"What could take the place of {model.name}, best buy first",
    )
    downloads("equivalents", title=title, snapshot=snapshot, frame=frame)


def by_the_paper(
    store: Store,
    requirements: Requirements,
    suites: tuple[str, ...],
    model: Model,
    found: Sequence[Equivalent],
    snapshot: Snapshot | None,
) -> None:
    """Draw the smaller cluster-mates of a model, the closest first."""
    if not found:
        st.info(
            f"No model of its cluster is known to be smaller than {plain(model.name)} "
            f"({plain(wording.size(model.params_b))}). An unknown size is no saving.",
            icon=":material/search_off:",
        )
        return
    best, margin = found[0], f"{requirements.margin * 100:g} points"
    where = "both taxonomies" if len(suites) > 1 else "the one taxonomy of this evidence"
    gap = best.difference
    st.markdown(
        f"By the taxonomy paper's rule, **{plain(model.name)}** would be replaced by "
        f"**{plain(best.name)}**: the closest smaller model of its cluster in {where}. The rule "
        f"itself asks for no margin; the difference is {wording.signed_points(gap.difference)} "
        f"points ({wording.signed_interval(gap.ci_low, gap.ci_high)}), {best.verdict} against a "
        f"margin of {margin}."
    )
    with st.spinner("Growing trees from other benchmarks…"):
        together = taxonomies.co_clustering(store, requirements, suites, model.id)
    shown = found[:_MOST_IN_PICTURE]
    picture = intervals.differences(
        shown, [data.model(store, c.model) for c in shown], requirements.margin
    )
    vega_lite_chart(
        spec=picture,
        alt="Differences: "
        + "; ".join(
            f"{c.name} {wording.signed_points(c.difference.difference)}, {c.verdict}" for c in shown
        ),
    )
    title = f"Smaller cluster-mates of {model.name}, margin {margin}"
    downloads("equivalents-picture", title=title, snapshot=snapshot, picture=picture)
    table = tables.equivalents(found)
    table.insert(
        2,
        "In one cluster",
        pd.Series(
            [together[c.model] * 100 if together and c.model in together else None for c in found],
            dtype="float64",
        ),
    )
    st.dataframe(
        table,
        column_config=tables.EQUIVALENT_COLUMNS
        | {"In one cluster": _PROPOSAL_COLUMNS["In one cluster"]},
        hide_index=True,
        placeholder=wording.UNKNOWN,
        alt=f"Smaller models of the cluster of {model.name}, closest first",
    )
    downloads("equivalents", title=title, snapshot=snapshot, frame=table)


def proof(
    store: Store,
    requirements: Requirements,
    suites: tuple[str, ...],
    model: Model,
    labels: Mapping[str, str],
    *,
    by_task: bool,
    on: date,
) -> None:
    """Draw one of the candidates against the model, test by test; at first the one named."""
    st.subheader("Proof")
    ids = {label: candidate for candidate, label in labels.items()}
    first = next(iter(ids))
    _begin_with(first, ids, model)
    label = st.selectbox(
        "Proof for",
        list(ids),
        key="proof",
        bind="query-params",
        help="The best buy first; by the paper's rule the closest.",
    )
    candidate = ids[label]
    with st.spinner("Comparing the two…"):
        found = replacing.replacement_proof(
            store, requirements, suites, model.id, candidate, on, by_task=by_task
        )
    names = {model.id: model.name, candidate: label}
    if names[model.id] == label:
        names = {model.id: model.id, candidate: candidate}
    frames = []
    for suite, compared in zip(suites, found, strict=True):
        pair, title = compared.pairs[0], store.catalogue.suites[suite].name
        st.markdown(f"#### {plain(title)}")
        picture = benchmark_gaps(pair, compared.scores)
        vega_lite_chart(
            spec=picture,
            alt=f"{names[candidate]} minus {names[model.id]} on {title}, points: "
            + "; ".join(
                f"{b.name} {wording.signed_points(gap.difference)}, {gap.standing}"
                for gap, b in zip(pair.gaps, compared.scores.benchmarks, strict=True)
                if gap.difference is not None
            ),
        )
        if not pair.n_with_interval:
            held = "No standard error is published, so no test has an interval of its own."
        else:
            ahead, behind = pair.n_ahead(clearly=True), pair.n_behind(clearly=True)
            held = (
                f"Clearly better on {ahead} and clearly worse on {behind} of "
                f"{wording.counted(pair.n_shared, 'test')}, each looked at for itself; "
                f"{pair.n_with_interval} have an interval."
            )
        st.caption(
            f"Right of zero {plain(names[candidate])} scores higher. A bar is the 95 % "
            f"interval of the difference. {held}"
        )
        downloads(
            f"proof-{suite}",
            title=f"{names[candidate]} minus {names[model.id]}, {title}, points",
            snapshot=compared.scores.snapshot,
            picture=picture,
        )
        st.dataframe(
            side_by_side.benchmarks(compared, names),
            column_config=side_by_side.benchmark_columns(compared, names),
            hide_index=True,
            placeholder="not measured",
            alt=f"The two models on every test of {title}, with the difference",
        )
        frame = side_by_side.figures(compared, names)
        frame.insert(0, "Suite", title)
        frame["Snapshot"] = str(
            compared.scores.snapshot.revision if compared.scores.snapshot else ""
        )
        frames.append(frame)
    downloads(
        "proof",
        title=f"Proof for {names[candidate]} in place of {names[model.id]}, all tests",
        snapshot=found[0].scores.snapshot,
        frame=pd.concat(frames, ignore_index=True),
    )


def _begin_with(first: str, candidates: Mapping[str, str], model: Model) -> None:
    """Choose the best candidate anew where the question has changed and the choice is moot."""
    before = st.session_state.get("proof_of")
    st.session_state["proof_of"] = (model.id, first)
    if before is None or before == (model.id, first):
        own_choice("proof", "The candidate", candidates, first)
        return
    # The address still has the candidate of the last question, which is no fault of a link.
    st.session_state.get("own_notes", {}).pop("proof", None)
    chosen = st.session_state.get("proof")
    if before[0] != model.id or chosen == before[1] or chosen not in candidates:
        st.session_state["proof"] = first
