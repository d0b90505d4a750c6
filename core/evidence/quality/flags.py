"""All rules over the runs of one snapshot and protocol, and labels of how runs were made.

A flag is a hint with the numbers that were seen; nothing is dropped or changed. Leaderboards mix
runs of an evaluation harness, which print every digit, with files typed by hand; a value that was
rounded or cut off is judged only as far as its printed decimals allow. A label says nothing
against the figures. It says that they were not made as the rest of the suite was, so that they
are shown, and in no rank band and on no first place.

The rules are those of docs/methods.md, "Plausibility of a run".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from core.domain import Flag, Provenance
from core.evidence.quality.contamination import hints
from core.evidence.quality.copies import Names, names_disagree, same_scores, same_template
from core.evidence.quality.scores import (
    RULES,
    below_chance,
    decimals_of,
    items_and_errors,
    outside_scale,
    run_table,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from core.domain import Benchmark, Model, ModelFact

FROM_ELSEWHERE = "figures from elsewhere"
_MOST_DECIMALS = 4


def check(
    frame: pd.DataFrame,
    benchmarks: Sequence[Benchmark],
    models: Mapping[str, Model],
    facts: Iterable[ModelFact] = (),
    *,
    suite: str,
) -> tuple[Flag, ...]:
    """Flag the runs of one snapshot and protocol that do not look as plausible runs do.

    Parameters
    ----------
    frame : DataFrame
        One row per run and benchmark, with the columns of
        ``core.evidence.snapshots.SCORE_COLUMNS``. Rows of unknown benchmarks are ignored.
    models : mapping of str to Model
        By model id; a model that is missing is one of which nothing is known.
    facts : iterable of ModelFact
        ``config_name`` is the name in a run's own configuration; it counts for the run that
        came from the fact's source, and for all runs of the model where none did. ``params_b``
        and ``base_model`` fill what the catalogue leaves open.

    Returns
    -------
    tuple of Flag
        By model, run, rule (in the order of ``RULES``) and benchmark (in the order given).

    Notes
    -----
    Contamination hints ask two things at once. Is a score at least 8 points, and significantly,
    above a bar; and do the model's other scores stay behind? The bar is the higher of two
    numbers. One is where the model stood before: its base model's score, or, where the data
    lacks it or it gives no hint, the median of harness runs within a factor 1.5 of its size
    plus three quarters of a robust standard deviation (about their upper quartile). A harness
    run of unknown size is compared with harness runs of every size. The
    other is where the model's own weakest third of benchmarks would put it, given how benchmarks
    rise together over all harness runs (a robust line per benchmark through the log-odds): a
    model that is better on everything lifts its own bar, and is no hint. That expectation never
    falls below the starting point, so that weakness does not count, and a score below the median
    of all harness runs is never flagged.

    Only uneven excess is seen in this way. A run that is inflated evenly on all benchmarks looks
    like a better model, and has no flag.
    """
    facts = tuple(facts)
    table = run_table(frame, benchmarks)
    names = Names.of(models)
    found = [
        *outside_scale(table),
        *items_and_errors(table),
        *below_chance(table),
        *same_scores(table, names),
        *hints(table, models, facts, names),
        *names_disagree(table, facts, names),
    ]
    found += same_template(table, names, {mark.run for mark in found})
    found.sort(key=lambda mark: (*table.keys[mark.run], RULES.index(mark.rule), mark.column))
    return tuple(
        Flag(
            suite=suite,
            model=table.keys[mark.run][0],
            run=table.keys[mark.run][1],
            rule=mark.rule,
            benchmark="" if mark.column < 0 else table.benchmarks[mark.column].id,
            detail=mark.detail,
        )
        for mark in found
    )


def provenance(
    frame: pd.DataFrame, other_protocols: Mapping[str, str], *, suite: str
) -> tuple[Provenance, ...]:
    """Label the runs of one snapshot and protocol that were not made as the others were.

    In the order of the table; rows without a score do not count. ``another protocol: …`` comes
    first, from ``other_protocols``, by model. ``FROM_ELSEWHERE`` is a run without any standard
    error whose scores all have at most four decimals, as printed tables do, in a table most of
    whose runs give their standard errors. Where most runs give none, their absence tells nothing.
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
