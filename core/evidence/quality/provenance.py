"""Where a run's figures come from: a label, which is no flag.

A label says nothing against the figures. It says that they were not made as the rest of the
suite was, so that they are shown, and in no rank band and on no first place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from core.domain import Provenance
from core.evidence.quality.run_table import decimals_of

if TYPE_CHECKING:
    from collections.abc import Mapping

FROM_ELSEWHERE = "figures from elsewhere"
_MOST_DECIMALS = 4


def provenance(
    frame: pd.DataFrame, other_protocols: Mapping[str, str], *, suite: str
) -> tuple[Provenance, ...]:
    """Label the runs of one snapshot and protocol that were not made as the others were.

    Parameters
    ----------
    frame : DataFrame
        One row per run and benchmark, with the columns of
        ``core.evidence.snapshots.SCORE_COLUMNS``; rows without a score do not count.
    other_protocols : mapping of str to str
        By model: the protocol by which its row was made, where the catalogue knows that it was
        not the suite's own.
    suite : str
        Written into every label.

    Returns
    -------
    tuple of Provenance
        In the order of the table. ``another protocol: …`` comes first;
        ``FROM_ELSEWHERE`` is a run without any standard error whose scores all have at most four
        decimals, as printed tables do, in a table most of whose runs give their standard errors.
        Where most runs give none, their absence tells nothing.
    """
    scored = frame[frame["score"].notna()]
    runs = pd.DataFrame(
        {
            "run": scored["run"],
            "model": scored["model"],
            "decimals": decimals_of(scored["score"].to_numpy(dtype=float)),
            "has_error": scored["standard_error"].notna(),
        }
    )
    found = runs.groupby("run", sort=False).agg(
        model=("model", "first"), decimals=("decimals", "max"), has_error=("has_error", "any")
    )
    usual = 2 * int(found["has_error"].sum()) > len(found)
    labelled = []
    for run, model, decimals, has_error in found.itertuples(name=None):
        if model in other_protocols:
            label = f"another protocol: {other_protocols[model]}"
        elif usual and not has_error and decimals <= _MOST_DECIMALS:
            label = FROM_ELSEWHERE
        else:
            continue
        labelled.append(Provenance(suite, str(model), str(run), label))
    return tuple(labelled)
