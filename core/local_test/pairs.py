"""What counts where two models are compared: raters who have both, and whose cases they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.domain import TooFewError
from core.statistics.items import margin_test

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from core.domain import FloatArray
    from core.local_test.results import Results
    from core.statistics.items import MarginTest


def of_persons(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Keep what persons rated, where any did."""
    rated = frame["rater"].ne("")
    if rated.all() or not rated.any():
        return frame, []
    n = int((~rated).sum())
    return frame[rated], [
        f"{n:,} score{'' if n == 1 else 's'} that no person gave "
        f"{'does' if n == 1 else 'do'} not count, since persons rated."
    ]


def within_raters(rows: pd.DataFrame, one: str, other: str) -> pd.DataFrame:
    """Mean over the raters who have both models: one row a case, in order, one column a model."""
    both = rows[rows["model"].isin([one, other])]
    wide = both.groupby(["item", "rater", "model"])["score"].mean().unstack("model").dropna()
    return wide.groupby(level="item").mean()


def unshared(n: int) -> list[str]:
    """Say how many cases both models have and no rater rated for both."""
    if not n:
        return []
    return [
        f"{n:,} case{' does' if n == 1 else 's do'} not count, since no rater rated both models "
        "there: a strict rater would look like a worse model."
    ]


def patients(
    results: Results, table: pd.DataFrame | None, items: Sequence[str], notes: list[str]
) -> Mapping[str, str]:
    """Return the patient of each case, of results or case file; note what it comes to."""
    found = dict(results.patients)
    if table is not None and "patient" in table:
        found |= {str(case): who for case, who in table["patient"].items() if who}
    named = [found[item] for item in items if item in found]
    if len(named) < len(items):
        n = f"{len(items) - len(named):,} of the cases name" if named else "The cases name"
        notes.append(
            f"{n} no patient and count as one of their own each: where a patient has several "
            "cases, give the column patient."
        )
    if (npatients := len(set(named))) < len(named):
        notes.append(
            f"{len(named):,} cases are of {npatients:,} patients: those of one count together."
        )
    return found


def judge(
    wide: pd.DataFrame, one: str, other: str, margin: float, whose: Mapping[str, str]
) -> MarginTest:
    """Test a pair; cases of one patient are a cluster, and those without one stand alone."""
    names = [(whose.get(item, ""), "" if item in whose else item) for item in wide.index]
    code = {name: i for i, name in enumerate(dict.fromkeys(names))}
    if len(code) < 2:
        raise TooFewError("A verdict takes cases of at least 2 patients; all are of one.")
    clusters = np.array([code[name] for name in names]) if len(code) < len(names) else None
    return margin_test(*score_pair(wide, one, other), margin, clusters=clusters)


def score_pair(wide: pd.DataFrame, one: str, other: str) -> tuple[FloatArray, FloatArray]:
    """Return the scores of both models, case by case."""
    return np.asarray(wide[one], dtype=np.float64), np.asarray(wide[other], dtype=np.float64)
