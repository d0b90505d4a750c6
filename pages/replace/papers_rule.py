"""What could replace a model by the rule of the taxonomy paper: smaller, of the same cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.answers import data, taxonomies
from core.charts import intervals
from core.domain import Equivalent, Model, Requirements, Snapshot
from core.evidence.store import Store
from pages.components import wording
from pages.components.blocks import figure, table
from pages.components.notices import plain
from pages.replace.proposals import GAP_COLUMNS, MOST_IN_PICTURE, in_points

_COLUMN = st.column_config
_COLUMNS = GAP_COLUMNS | {
    "Verdict": _COLUMN.TextColumn(
        help="Equivalent: even the lower end of the interval of the difference is within your "
        "margin. Worse: even the upper end is below it. Cannot tell: neither."
    ),
    "Benchmarks": _COLUMN.NumberColumn(help="Benchmarks that both models have."),
    "Saves in size": _COLUMN.NumberColumn(
        format="%.0f %%", help="Share of the parameters of the model to replace."
    ),
    "Distance": _COLUMN.NumberColumn(
        format="%.1f",
        help="How far apart the two models lie over all benchmarks: 0 would be the same scores.",
    ),
}


def draw(
    store: Store,
    requirements: Requirements,
    suites: tuple[str, ...],
    model: Model,
    found: Sequence[Equivalent],
    snapshot: Snapshot | None,
) -> None:
    """Draw the smaller models of its cluster, the closest first."""
    if not found:
        st.info(
            f"No model of its cluster is known to be smaller than {plain(model.name)} "
            f"({plain(wording.size(model.params_b))}). An unknown size is no saving.",
            icon=":material/search_off:",
        )
        return
    margin = f"{requirements.margin * 100:g} points"
    title = f"Smaller models of the cluster of {model.name}, margin {margin}"
    _answer(model, found[0], suites, margin)
    with st.spinner("Growing trees from other benchmarks…"):
        together = taxonomies.co_clustering(store, requirements, suites, model.id) or {}
    shown = found[:MOST_IN_PICTURE]
    figure(
        intervals.differences(
            shown, [data.model(store, each.model) for each in shown], requirements.margin
        ),
        name="equivalents-picture",
        title=title,
        alt="Differences: "
        + "; ".join(
            f"{each.name} {wording.signed_points(each.difference.difference)}, {each.verdict}"
            for each in shown
        ),
        snapshot=snapshot,
    )
    table(
        _frame(found, together),
        name="equivalents",
        title=title,
        snapshot=snapshot,
        columns=_COLUMNS,
        alt=f"Smaller models of the cluster of {model.name}, closest first",
    )


def _answer(model: Model, best: Equivalent, suites: tuple[str, ...], margin: str) -> None:
    where = "both taxonomies" if len(suites) > 1 else "the one taxonomy of this evidence"
    gap = best.difference
    st.markdown(
        f"By the taxonomy paper's rule, **{plain(model.name)}** would be replaced by "
        f"**{plain(best.name)}**, the closest smaller model of its cluster in {where}. The rule "
        f"itself asks for no margin; the difference is {wording.signed_points(gap.difference)} "
        f"points ({wording.signed_interval(gap.ci_low, gap.ci_high)}), {best.verdict} against a "
        f"margin of {margin}."
    )


def _frame(found: Sequence[Equivalent], together: Mapping[str, float]) -> pd.DataFrame:
    """Return the candidates, differences in points."""
    gaps = [each.difference for each in found]
    return pd.DataFrame(
        {
            "Model": [each.name for each in found],
            "Verdict": [each.verdict for each in found],
            "In one cluster": in_points([together.get(each.model) for each in found]),
            "Difference": in_points([gap.difference for gap in gaps]),
            "From": in_points([gap.ci_low for gap in gaps]),
            "To": in_points([gap.ci_high for gap in gaps]),
            "Benchmarks": [gap.n_benchmarks for gap in gaps],
            "Size, B": pd.Series([each.params_b for each in found], dtype="float64"),
            "Saves in size": in_points([each.saving_share for each in found]),
            "Distance": pd.Series([each.distance for each in found], dtype="float64"),
        }
    )
