"""The list of all models that fit, what was left out of it, and what it counts on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pandas as pd
import pyarrow as pa
import streamlit as st

from core.answers.remembering import Same
from core.domain import Exclusions, Shortlist, ShortlistRow
from core.evidence.store import Store
from core.procurement.recommendation import Recommendation
from core.procurement.replacement import Judged
from core.sharing import export
from pages.components import evidence, tables, wording
from pages.components.blocks import selected_row
from pages.components.notices import plain

_COLUMN = st.column_config
_SHOWN = (
    *("Place", "May be", "Model", "Score", "Cost, $ a month", "Cost from", "Conditions"),
    *("As good as the first?", "Size, B", "Tests"),
)
"""What stands in sight; the other columns can be brought in from the table's own menu."""
_BEFORE = {
    "Decision": "Model",
    "As good as the first?": "Cost from",
    "Difference, points": "As good as the first?",
    "Severe harm, %": "Difference, points",
}
"""The column that a column stands behind."""


def draw(store: Store, found: Shortlist, decided: Recommendation) -> ShortlistRow | None:
    """Draw the list, best first; return the row that was chosen in it."""
    st.subheader("All models that fit")
    # Straight to what is sent, without a data frame between; its file is in the menu Export.
    chosen = st.dataframe(
        _table(store, found, decided),
        column_config=_columns(found, decided),
        column_order=_SHOWN,
        hide_index=True,
        placeholder=wording.UNKNOWN,
        on_select="rerun",
        selection_mode="single-row",
        key="row",
        alt="The shortlist as a table, best first",
    )
    if found.requirements.monthly_budget_usd is not None and found.n_unpriced:
        st.caption(
            f"{wording.counted(found.n_unpriced, 'model')} in this list of unknown cost: the "
            "budget could not be applied there."
        )
    if not chosen["selection"].get("rows"):
        st.caption("Choose a row to see its reasons, tests and sources.")
        return None
    return found.rows[selected_row(chosen, len(found.rows))]


def _columns(found: Shortlist, decided: Recommendation) -> dict[str, object]:
    """Return how the columns are drawn: a place with of how many, tests with of how many."""
    return tables.SHORTLIST_COLUMNS | {
        "Place": _COLUMN.NumberColumn(
            format=f"%d of {decided.n_fit}",
            help="Among those that fit, by score. Empty where not ranked.",
        ),
        "Overall": _COLUMN.NumberColumn(
            format=f"%d of {decided.n_all}",
            help="Among all with scores, whether or not they fit.",
        ),
        "Tests": _COLUMN.NumberColumn(
            format=f"%d of {len(found.benchmarks)}",
            help="Benchmarks of the task that were run on it.",
        ),
    }


def _table(store: Store, found: Shortlist, decided: Recommendation) -> pa.Table:
    """Return the shortlist as the reader sees it, points out of 100."""
    table = tables.shortlist_rows(store, Same(found.rows))
    decisions = export.decisions_of(decided)
    names = [row.model.id for row in found.rows]
    judged = [decided.judged.get(name) for name in names]
    columns: dict[str, pa.Array] = {
        "Decision": pa.array([decisions.get(name, "") for name in names], pa.string()),
        "As good as the first?": pa.array(["" if it is None else it.tier for it in judged]),
        "Difference, points": pa.array(["" if it is None else _gap(it) for it in judged]),
        "Severe harm, %": pa.array(
            [decided.safety[n].share * 100 if n in decided.safety else None for n in names],
            pa.float64(),
        ),
    }
    for name, column in columns.items():
        place = table.column_names.index(_BEFORE[name]) + 1
        table = table.add_column(place, name, column)
    return table


def _gap(judged: Judged) -> str:
    gap = judged.difference
    middle = wording.signed_points(gap.difference)
    return f"{middle} ({wording.signed_interval(gap.ci_low, gap.ci_high)})"


def left_out(store: Store, found: Shortlist) -> None:
    """Say how many models were left out and by which rule; the list is one click away."""
    total = sum(len(rule.models) for rule in found.exclusions)
    if not total:
        st.caption(f"All {found.n_compared} models are in the list: no rule left any out.")
        return
    rules = ", ".join(f"{rule.rule.lower()} {len(rule.models)}" for rule in found.exclusions)
    label = f"{wording.counted(total, 'model')} left out: {plain(rules)}"
    fold = st.expander(label, key="left_out_fold", on_change="rerun")
    if fold.open:
        names = {model.id: model.name for model in store.catalogue.models.values()}
        fold.dataframe(_exclusions(found.exclusions, names), hide_index=True, alt="Models left out")


def _exclusions(found: Sequence[Exclusions], names: dict[str, str]) -> pd.DataFrame:
    """Return every model that was left out, with the rule and the reason."""
    return pd.DataFrame(
        [
            {"Model": names.get(left_out.model, left_out.model), "Rule": rule.rule}
            | {"Reason": left_out.reason}
            for rule in found
            for left_out in rule.models
        ]
    )


def counts(found: Shortlist, day: date) -> None:
    """Say on what the list counts: workload and prices, and on demand weights and evidence."""
    requests = sum(line.requests_per_month for line in found.workload)
    if not requests:
        return
    weights = "; ".join(f"{name} {share:.0%}" for name, share in found.weights)
    listed = "; ".join(
        f"{snapshot.suite}, {snapshot.revision}, retrieved {snapshot.retrieved_at}, licence "
        f"{snapshot.licence}, {snapshot.source_url}"
        for snapshot in found.snapshots
    )
    reasoning = wording.reasoning_on_top(found.requirements, evidence.store().catalogue)
    st.caption(
        f"Costs: {requests:,.0f} requests a month at the public prices of {day:%d %B %Y}, without "
        "taxes and discounts.",
        help=plain(f"{reasoning} Kinds of work count by weight: {weights}. Evidence: {listed}."),
    )
