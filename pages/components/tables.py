"""Results as tables: numbers stay numbers, so that they sort; a gap reads as not known."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import pyarrow as pa
import streamlit as st

from core.domain import Equivalent, Exclusions, Shortlist, ShortlistRow
from pages.components.wording import UNKNOWN, signed_gaps

_COLUMN = st.column_config
SHORTLIST_COLUMNS = {
    "Rank": _COLUMN.NumberColumn(help="By score. Empty where benchmarks are missing."),
    "Band": _COLUMN.TextColumn(
        help="Ranks that cannot be told apart: the interval of the difference to the first of "
        "the band includes zero."
    ),
    "Model": _COLUMN.TextColumn(width="medium"),
    "Score": _COLUMN.NumberColumn(
        format="%.1f",
        help="Weighted mean of the benchmark scores, each put on a scale from 0 to 100.",
    ),
    "From": _COLUMN.NumberColumn(
        format="%.1f", help="Lower end of the 95 % interval of the score."
    ),
    "To": _COLUMN.NumberColumn(format="%.1f", help="Upper end of the 95 % interval of the score."),
    "Benchmarks": _COLUMN.NumberColumn(help="Benchmarks behind the score."),
    "Missing": _COLUMN.NumberColumn(help="Benchmarks of the task never run on this model."),
    "Size, B": _COLUMN.NumberColumn(
        format="%.1f", width=90, help="Billions of parameters, the stand-in for cost."
    ),
    "Bill, $ a month": _COLUMN.NumberColumn(
        format="%.2f",
        help="The stated workload at the lowest public price. Not known is not free.",
    ),
    "Cluster": _COLUMN.TextColumn(
        help="Models that perform alike over the whole suite: H the higher, L the lower family."
    ),
    "Smaller equivalent": _COLUMN.TextColumn(
        help="The closest cheaper or smaller model of the same cluster that fits your limits."
    ),
    "Verdict": _COLUMN.TextColumn(
        help="Equivalent: even the lower end of the interval of the difference is within your "
        "margin. Worse: even the upper end is below it. Cannot tell: neither."
    ),
    "Difference, points": _COLUMN.TextColumn(
        help="The smaller model's score minus this one's, with its 95 % interval: the verdict "
        "holds it against your margin."
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
    "Verdict": SHORTLIST_COLUMNS["Verdict"],
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
    "Saves in": _COLUMN.TextColumn(
        help="The monthly bill where both prices are known, else the number of parameters."
    ),
    "Size, B": SHORTLIST_COLUMNS["Size, B"],
    "Bill, $ a month": SHORTLIST_COLUMNS["Bill, $ a month"],
    "Distance": _COLUMN.NumberColumn(
        format="%.1f",
        help="How far apart the two models lie over all benchmarks: 0 would be the same scores.",
    ),
}


def shortlist(found: Shortlist) -> pa.Table:
    """Return the shortlist as the reader sees it, points out of 100."""
    return _shortlist(found)[1]


# A result is one object for as long as it is remembered. It is kept beside its table, so that
# its id cannot come to mean another one. Straight to what is sent: thousands of rows take a third
# of the time of a data frame.
@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs={Shortlist: id})
def _shortlist(found: Shortlist) -> tuple[Shortlist, pa.Table]:
    _, rows = _rows(found)
    named = found.equivalents
    place = [named.position.get(row.model.id) for row in found.rows]
    names = [candidate.name for candidate in named.candidates]
    gaps = signed_gaps(named.difference, named.ci_low, named.ci_high)
    columns = {
        "Smaller equivalent": ["none" if i is None else names[i] for i in place],
        "Verdict": ["" if i is None else named.verdicts[i] for i in place],
        "Difference, points": ["" if i is None else gaps[i] for i in place],
    }
    at = rows.column_names.index("Cluster") + 1
    for name, column in reversed(columns.items()):
        rows = rows.add_column(at, name, pa.array(column, pa.string()))
    return found, rows


# The margin, which people try out most, leaves the rows as they are.
@st.cache_resource(
    max_entries=16, show_spinner=False, hash_funcs={Shortlist: lambda found: id(found.rows)}
)
def _rows(found: Shortlist) -> tuple[tuple[ShortlistRow, ...], pa.Table]:
    rows = found.rows
    table = pa.table(
        {
            "Model": [row.model.name for row in rows],
            "Rank": pa.array([row.rank for row in rows], pa.int64()),
            "Band": [_band(row.rank_band) for row in rows],
            "Score": _points_of([row.score for row in rows]),
            "From": _points_of([row.ci_low for row in rows]),
            "To": _points_of([row.ci_high for row in rows]),
            "Benchmarks": [row.n_benchmarks for row in rows],
            "Missing": [len(row.missing) for row in rows],
            "Size, B": pa.array([row.model.params_b for row in rows], pa.float64()),
            "Bill, $ a month": pa.array(
                [r.bill.monthly_usd if r.bill else None for r in rows], pa.float64()
            ),
            "Cluster": [row.cluster or "none" for row in rows],
            **_ways(rows),
            "Developer": [row.model.developer or UNKNOWN for row in rows],
            "Licence": [row.model.licence or UNKNOWN for row in rows],
        }
    )
    return rows, table


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
    """Return the candidates, differences in points."""
    gaps = [candidate.difference for candidate in found]
    return pd.DataFrame(
        {
            "Model": [candidate.name for candidate in found],
            "Verdict": [candidate.verdict for candidate in found],
            "Difference": _numbers([_points(gap.difference) for gap in gaps]),
            "From": _numbers([_points(gap.ci_low) for gap in gaps]),
            "To": _numbers([_points(gap.ci_high) for gap in gaps]),
            "Benchmarks": [gap.n_benchmarks for gap in gaps],
            "Saves in": [
                "bill" if candidate.cheaper_by == "bill" else "size" for candidate in found
            ],
            "Size, B": _numbers([candidate.params_b for candidate in found]),
            "Bill, $ a month": _numbers([candidate.monthly_usd for candidate in found]),
            "Same cluster": ["yes" if candidate.same_cluster else "no" for candidate in found],
            "Distance": _numbers([candidate.distance for candidate in found]),
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
