"""All rules over the runs of one snapshot and protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.domain import Flag
from core.evidence.quality.contamination import hints
from core.evidence.quality.identity import Names, names_disagree, same_scores
from core.evidence.quality.item_counts import items_and_errors
from core.evidence.quality.rules import KEPT_OUT, RULES
from core.evidence.quality.run_table import run_table
from core.evidence.quality.scale_and_chance import below_chance, outside_scale
from core.evidence.quality.templates import same_template

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd

    from core.domain import Benchmark, Model, ModelFact


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
    benchmarks : sequence of Benchmark
        Those of the suite.
    models : mapping of str to Model
        By model id; a model that is missing is one of which nothing is known.
    facts : iterable of ModelFact
        ``config_name`` is the name in a run's own configuration; it counts for the run that
        came from the fact's source, and for all runs of the model where none did. ``params_b``
        and ``base_model`` fill what the catalogue leaves open.
    suite : str
        Written into every flag.

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


def flagged_runs(flags: Iterable[Flag]) -> frozenset[str]:
    """Return the ids of the runs that stay out of statistics by default.

    docs/methods.md keeps every flagged run out until the reader brings it in, so each rule is in
    ``KEPT_OUT`` with its reason. The rules are strict enough for that: no run behind a published
    table that the product reproduces has a flag.
    """
    return frozenset(flag.run for flag in flags if flag.rule in KEPT_OUT)
