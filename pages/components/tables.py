"""Results as tables: numbers stay numbers, so that they sort; a gap reads as not known."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import pyarrow as pa
import streamlit as st

from core.answers.remembering import Same, remembered
from core.domain import Equivalent, Exclusions, Shortlist, ShortlistRow
from core.evidence.store import Store
from core.procurement.recommendation import Recommendation
from core.procurement.replacement import Judged
from core.sharing import export
from pages.components.wording import UNKNOWN, signed_interval, signed_points

_COLUMN = st.column_config
SHORTLIST_COLUMNS = {
    "Place": _COLUMN.NumberColumn(help="Among those that fit, by score. Empty where not ranked."),
    "Overall": _COLUMN.NumberColumn(help="Place among all with scores, whether or not they fit."),
    "May be": _COLUMN.TextColumn(
        help="The places that the data allow among those that fit (95 % confidence)."
    ),
    "Model": _COLUMN.TextColumn(width="medium"),
    "Decision": _COLUMN.TextColumn(
        help="Take: the cheapest of the best and all as good. Worth a test: cheaper, and the data "
        "cannot tell. Step down: worse, at half the cost."
    ),
    "Score": _COLUMN.NumberColumn(
        format="%.1f",
        help="Weighted mean of the benchmark scores, each put on a scale from 0 to 100.",
    ),
    "From": _COLUMN.NumberColumn(
        format="%.1f", help="Lower end of the 95 % interval of the score."
    ),
    "To": _COLUMN.NumberColumn(format="%.1f", help="Upper end of the 95 % interval of the score."),
    "Cost, $ a month": _COLUMN.NumberColumn(
        format="%.0f",
        help="Likely cost of the stated work, US dollars. Not known is not free.",
    ),
    "Cost from": _COLUMN.TextColumn(help="The provider of that price, or the servers it takes."),
    "As good as the first?": _COLUMN.TextColumn(
        help="Within your margin. Shown: worse by the margin is rejected for the whole list "
        "together; likely: for this pair alone; worse: the whole interval is below; open: the "
        "data cannot tell, or a veto holds it back."
    ),
    "Difference, points": _COLUMN.TextColumn(
        help="This score minus that of the first, with the 95 % interval of this pair."
    ),
    "Severe harm, %": _COLUMN.NumberColumn(
        format="%.1f", help="Cases with severe harm in NOHARM. Empty: never tested for harm."
    ),
    "On sale": _COLUMN.TextColumn(width="medium", help="Until when, and where."),
    "Tests": _COLUMN.NumberColumn(help="Benchmarks behind the score."),
    "Missing": _COLUMN.NumberColumn(help="Benchmarks of the task never run on this model."),
    "Size, B": _COLUMN.NumberColumn(
        format="%.1f", width=90, help="Billions of parameters, the stand-in for cost."
    ),
    "Cluster": _COLUMN.TextColumn(
        help="Models that perform alike over the whole suite: H the higher, L the lower."
    ),
    "From whom": _COLUMN.TextColumn(
        help="The platform of the bill, else the one that meets your conditions best."
    ),
    "Conditions": _COLUMN.TextColumn(
        help="Whether that way to get the model meets your conditions of purchase. Open means "
        "that nobody says: ask before you buy."
    ),
}
_STATUS = {"passes": "met", "conditional": "met on a condition", "open": "open", "fails": "not met"}
EQUIVALENT_COLUMNS = {
    "Verdict": _COLUMN.TextColumn(
        help="Equivalent: even the lower end of the interval of the difference is within your "
        "margin. Worse: even the upper end is below it. Cannot tell: neither."
    ),
    "Difference": _COLUMN.NumberColumn(
        format="%+.1f", help="Candidate minus the model to replace, points out of 100."
    ),
    "From": _COLUMN.NumberColumn(
        format="%+.1f", help="Lower end of the 95 % interval of the difference."
    ),
    "To": _COLUMN.NumberColumn(
        format="%+.1f", help="Upper end of the 95 % interval of the difference."
    ),
    "Benchmarks": _COLUMN.NumberColumn(help="Benchmarks that both models have."),
    "Size, B": SHORTLIST_COLUMNS["Size, B"],
    "Saves in size": _COLUMN.NumberColumn(
        format="%.0f %%", help="Share of the parameters of the model to replace."
    ),
    "Distance": _COLUMN.NumberColumn(
        format="%.1f",
        help="How far apart the two models lie over all benchmarks: 0 would be the same scores.",
    ),
}


def shortlist(store: Store, found: Shortlist, decided: Recommendation) -> pa.Table:
    """Return the shortlist as the reader sees it, points out of 100."""
    table = _rows(store, Same(found.rows))
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


_BEFORE = {
    "Decision": "Model",
    "As good as the first?": "Cost from",
    "Difference, points": "As good as the first?",
    "Severe harm, %": "Difference, points",
}
"""The column that a column stands behind."""


def _gap(judged: Judged) -> str:
    gap = judged.difference
    middle = signed_points(gap.difference)
    return f"{middle} ({signed_interval(gap.ci_low, gap.ci_high)})"


# A result is one object for as long as it is remembered. Straight to what is sent: thousands of
# rows take a third of the time of a data frame. The margin, which people try out most, leaves the
# rows as they are.
@remembered(maxsize=16)
def _rows(store: Store, one: Same[tuple[ShortlistRow, ...]]) -> pa.Table:
    rows = one.it
    return pa.table(
        {
            "Model": [row.model.name for row in rows],
            "Place": pa.array([row.rank for row in rows], pa.int64()),
            "Overall": pa.array([row.rank_all for row in rows], pa.int64()),
            "May be": [_band(row.rank_band) for row in rows],
            "Score": _points_of([row.score for row in rows]),
            "From": _points_of([row.ci_low for row in rows]),
            "To": _points_of([row.ci_high for row in rows]),
            "Cost, $ a month": pa.array([row.cost.likely for row in rows], pa.float64()),
            "Cost from": [row.cost.from_whom or UNKNOWN for row in rows],
            **({"On sale": [_sale(row) for row in rows]} if any(r.sale for r in rows) else {}),
            "Size, B": pa.array([row.model.params_b for row in rows], pa.float64()),
            "Tests": [row.n_benchmarks for row in rows],
            "Missing": [len(row.missing) for row in rows],
            "Cluster": [row.cluster or "none" for row in rows],
            **_ways(rows),
            "Developer": [row.model.developer or UNKNOWN for row in rows],
            "Licence": [row.model.licence or UNKNOWN for row in rows],
        }
    )


def _sale(row: ShortlistRow) -> str:
    return row.sale.words if row.sale is not None else UNKNOWN


def exclusions(found: Sequence[Exclusions], names: dict[str, str]) -> pd.DataFrame:
    """Return every model that was left out, with the rule and the reason."""
    return pd.DataFrame(
        [
            {"Model": names.get(left_out.model, left_out.model), "Rule": rule.rule}
            | {"Reason": left_out.reason}
            for rule in found
            for left_out in rule.models
        ]
    )


def equivalents(found: Sequence[Equivalent]) -> pd.DataFrame:
    """Return the candidates by the taxonomy paper's rule, differences in points."""
    gaps = [candidate.difference for candidate in found]
    return pd.DataFrame(
        {
            "Model": [candidate.name for candidate in found],
            "Verdict": [candidate.verdict for candidate in found],
            "Difference": _numbers([_points(gap.difference) for gap in gaps]),
            "From": _numbers([_points(gap.ci_low) for gap in gaps]),
            "To": _numbers([_points(gap.ci_high) for gap in gaps]),
            "Benchmarks": [gap.n_benchmarks for gap in gaps],
            "Size, B": _numbers([candidate.params_b for candidate in found]),
            "Saves in size": _numbers([candidate.saving_share * 100 for candidate in found]),
            "Distance": _numbers([candidate.distance for candidate in found]),
        }
    )


def proposals(found: Recommendation) -> pd.DataFrame:
    """Return every model that was not left out against the one in use, best buy first."""
    decisions = export.decisions_of(found)
    listed = [found.take, *found.as_good, *found.worth_testing, found.step_down]
    every = [each for each in listed if each is not None and each.judged is not None]
    gaps = [each.judged.difference for each in every if each.judged is not None]
    tiers = [each.judged.tier for each in every if each.judged is not None]
    saved = [each.saves.likely if each.saves else None for each in every]
    return pd.DataFrame(
        {
            "Model": [each.model.name for each in every],
            "Decision": [decisions[each.model.id] for each in every],
            "As good?": tiers,
            "Difference": _numbers([_points(gap.difference) for gap in gaps]),
            "From": _numbers([_points(gap.ci_low) for gap in gaps]),
            "To": _numbers([_points(gap.ci_high) for gap in gaps]),
            "Basis": [gap.basis for gap in gaps],
            "Cost, $ a month": _numbers([each.cost.likely for each in every]),
            "Saves, $ a month": _numbers(saved),
            "Size, B": _numbers([each.model.params_b for each in every]),
            "Severe harm, %": _numbers(
                [each.safety.share * 100 if each.safety else None for each in every]
            ),
            "In one cluster": _numbers(
                [None if each.together is None else each.together * 100 for each in every]
            ),
            "Held back by": [
                "; ".join(each.judged.vetoes) if each.judged else "" for each in every
            ],
        }
    )


def _ways(rows: Sequence[ShortlistRow]) -> dict[str, list[str]]:
    """Return the columns on conditions; none where no condition is set."""
    if not any(row.routes for row in rows):
        return {}
    best = [row.routes[0] if row.routes else None for row in rows]
    return {
        "From whom": [way.platform if way else UNKNOWN for way in best],
        "Conditions": [_STATUS[way.status] if way else UNKNOWN for way in best],
    }


def _band(rank_band: tuple[int, int] | None) -> str:
    if rank_band is None:
        return "not ranked"
    first, last = rank_band
    return str(first) if first == last else f"{first} to {last}"


def _points_of(shares: Sequence[float | None]) -> pa.Array:
    return pa.array([_points(share) for share in shares], pa.float64(), from_pandas=True)


def _points(share: float | None) -> float | None:
    return None if share is None else share * 100


def _numbers(values: Sequence[float | None]) -> pd.Series:
    return pd.Series(values, dtype="float64")
