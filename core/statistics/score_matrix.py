"""From published rows to one matrix of models by benchmarks."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from core.domain import Z95, BadDataError, BadRequestError, Exclusion, RunPin, ScoreMatrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from core.domain import Benchmark, Cohort, FloatArray, Snapshot

_RUN_KEY = ["model", "run", "precision"]


def build_matrix(
    frame: pd.DataFrame,
    benchmarks: Sequence[Benchmark],
    *,
    suite: str,
    cohort: Cohort | None = None,
    snapshot: Snapshot | None = None,
) -> ScoreMatrix:
    """Choose one run per model and lay its scores out as a matrix.

    The default run of a model is its latest complete one. Where no run has all the benchmarks it
    is the run with the most of them, the latest of those on a tie, then the last by run id and
    precision. A pin of the cohort narrows the runs to choose from before this rule applies.

    Parameters
    ----------
    frame : DataFrame
        One row per run and benchmark with the columns model, run, run_at (ISO text, may be
        empty), precision, benchmark, score and standard_error, on the benchmark's own scale. A
        row without a score counts as absent. Benchmarks that were not asked for are ignored.
    benchmarks : sequence of Benchmark
        The columns, in this order; a cohort that names benchmarks restricts them.
    suite
        All the benchmarks must belong to it: suites are never mixed.
    cohort : Cohort, optional
        The models, in its order, and their pins. Without one: all models, sorted by id.

    Returns
    -------
    ScoreMatrix
        ``runs`` holds run ids. A mirror's run reads ``mirror: run``, and the precision follows in
        brackets where the run id alone would be ambiguous. Standard errors that are not published
        are √(p(1 − p)/(n − 1)) for accuracies with a known number of items, else ``nan``.
    """
    for benchmark in benchmarks:
        if benchmark.suite != suite:
            raise BadRequestError(
                f"Benchmark {benchmark.id} belongs to suite {benchmark.suite}, not {suite}."
            )
    columns, asked = tuple(benchmarks), cohort.benchmarks if cohort is not None else ()
    if unknown := sorted(set(asked) - {benchmark.id for benchmark in columns}):
        where = cohort.id if cohort else ""
        raise BadRequestError(f"Cohort {where} asks for the unknown benchmark {unknown[0]}.")
    if asked:
        columns = tuple(benchmark for benchmark in columns if benchmark.id in asked)
    scored = frame[frame["score"].notna()]
    if np.isinf(scored["score"].to_numpy(dtype=float)).any():
        raise BadDataError(f"A score of suite {suite} is infinite.")
    position = {benchmark.id: j for j, benchmark in enumerate(columns)}
    rows = scored[scored["benchmark"].isin(list(position))]
    column = rows["benchmark"].map(position).to_numpy(dtype=np.intp)
    runs, code = _runs(rows, column, columns)

    there = {str(model) for model in scored["model"].unique()}
    wanted = tuple(sorted(there)) if cohort is None else tuple(dict.fromkeys(cohort.models))
    pins = {} if cohort is None else dict(cohort.pins)
    if stray := sorted(set(pins) - set(wanted)):
        where = cohort.id if cohort else ""
        raise BadDataError(f"Cohort {where} pins {stray[0]}, which is not among its models.")

    # A model's preferred run is its last row, which replaces those before it.
    default = dict(zip(runs["model"], range(len(runs)), strict=True))
    models, chosen, excluded = [], [], []
    for model in wanted:
        pin = pins.get(model)
        row = default.get(model) if pin is None else _pinned(runs, model, pin)
        if row is None:
            excluded.append(Exclusion(model, _no_run(model, pin, there)))
        else:
            models.append(model)
            chosen.append(row)

    picked = runs.iloc[chosen]
    labels = []
    shown = (picked[name].tolist() for name in ("model", "run", "precision", "ambiguous"))
    for model, source, run, precision, ambiguous in zip(models, *shown, strict=True):
        exact = f"{run} ({precision})" if ambiguous and precision else run
        labels.append(exact if source == model else f"{source}: {exact}")
    scores = np.full((len(runs), len(columns)), np.nan)
    errors = scores.copy()
    scores[code, column] = rows["score"].to_numpy(dtype=float)
    errors[code, column] = rows["standard_error"].to_numpy(dtype=float)
    run_rows = picked["code"].to_numpy(dtype=np.intp)
    scores, errors = scores[run_rows], errors[run_rows]
    _, width, _, bound = _bounded(scores, columns, [b.is_accuracy for b in columns])
    errors = np.where(np.isnan(errors), bound * width, errors)
    for array in (scores, errors):
        array.setflags(write=False)
    return ScoreMatrix(
        suite=suite,
        cohort="all" if cohort is None else cohort.id,
        models=tuple(models),
        benchmarks=columns,
        scores=scores,
        standard_errors=errors,
        runs=tuple(labels),
        excluded=tuple(excluded),
        snapshot=snapshot,
    )


def complete(matrix: ScoreMatrix) -> ScoreMatrix:
    """Keep the models that have every benchmark.

    The others join ``excluded``, each with the names of the benchmarks that it lacks.
    """
    missing = np.isnan(matrix.scores)
    incomplete = missing.any(axis=1)
    if not incomplete.any():
        return matrix
    reasons = []
    for i in np.flatnonzero(incomplete):
        *others, last = (matrix.benchmarks[j].name for j in np.flatnonzero(missing[i]))
        names = f"{', '.join(others)} and {last}" if others else last
        reasons.append(Exclusion(matrix.models[i], f"no score on {names}"))
    kept = select(matrix, [matrix.models[i] for i in np.flatnonzero(~incomplete)])
    return replace(kept, excluded=(*matrix.excluded, *reasons))


def select(
    matrix: ScoreMatrix,
    models: Sequence[str] | None = None,
    *,
    benchmarks: Sequence[str] | None = None,
) -> ScoreMatrix:
    """Keep the models and the benchmarks with these ids, in their order; ``None`` keeps all.

    Models stay that are left without a score. Those that go are not listed as excluded: the
    caller left them out. An unknown id is a ``BadRequestError``.
    """
    at: list[np.ndarray] = []
    for kind, there, wanted in (
        ("model", matrix.models, models),
        ("benchmark", tuple(benchmark.id for benchmark in matrix.benchmarks), benchmarks),
    ):
        position = {name: i for i, name in enumerate(there)}
        ids = tuple(position) if wanted is None else tuple(dict.fromkeys(wanted))
        if unknown := [name for name in ids if name not in position]:
            of = f"among those of suite {matrix.suite}"
            raise BadRequestError(f"There is no {kind} {unknown[0]} {of}.")
        at.append(np.array([position[name] for name in ids], dtype=np.intp))
    rows, columns = at
    scores, errors = (of[np.ix_(rows, columns)] for of in (matrix.scores, matrix.standard_errors))
    for array in (scores, errors):
        array.setflags(write=False)
    return replace(
        matrix,
        models=tuple(matrix.models[i] for i in rows),
        benchmarks=tuple(matrix.benchmarks[j] for j in columns),
        scores=scores,
        standard_errors=errors,
        runs=tuple(matrix.runs[i] for i in rows),
        items=matrix.items and matrix.items.at(*np.ix_(columns, rows, rows)),
    )


def normalised(matrix: ScoreMatrix) -> tuple[FloatArray, FloatArray]:
    """Scores on the 0 to 1 scale, where higher is better, and how other items would move them.

    Returns
    -------
    scores, item_errors : arrays of shape (n_models, n_benchmarks)
        (x − scale_min)/(scale_max − scale_min), taken from 1 where lower is better; missing stays
        ``nan``. A score outside its scale stays outside 0 to 1. An item error is that of the
        model's items, where it has item results; else the matrix's standard error where that is
        of items; else, for a mean of n item scores that lie on the scale, the bound
        √(s(1 − s)/(n − 1)), since of all such scores with the mean s those at the ends of the
        scale vary most (Bhatia and Davis, Amer. Math. Monthly 107, 2000); else ``nan``. Of n items
        all alike it is not 0 but z/(n + z²), by Wilson's interval; ``nan`` where n is not known.
        Errors from running the same items again are not item errors.
    """
    share, width, n_items, bound = _bounded(
        matrix.scores, matrix.benchmarks, [b.item_mean for b in matrix.benchmarks]
    )
    if not (width > 0).all():
        name = matrix.benchmarks[int(np.argmin(width > 0))].name
        raise BadDataError(f"The scale of benchmark {name} has no width.")
    flipped = np.array([benchmark.lower_is_better for benchmark in matrix.benchmarks], dtype=bool)
    errors = matrix.standard_errors / width
    # Before the bound fills the gaps: an error of repeated runs must not take its place.
    errors[:, [benchmark.error_of != "items" for benchmark in matrix.benchmarks]] = np.nan
    errors = np.where(np.isnan(errors), bound, errors)
    if matrix.items is not None:
        # A model and itself: the error of its own mean (``pair_errors``).
        own = np.sqrt(np.diagonal(matrix.items.variance, axis1=1, axis2=2)).T
        errors = np.where(np.isnan(own) | np.isnan(share), errors, own)
    errors = np.where(errors == 0, Z95 / (n_items + Z95**2), errors)
    return np.where(flipped, 1 - share, share), errors


def mean_known(values: FloatArray) -> FloatArray:
    """Mean over the last axis without ``nan``; ``nan`` where there is nothing else."""
    given = ~np.isnan(values)
    n = given.sum(axis=-1)
    mean: FloatArray = np.where(given, values, 0.0).sum(axis=-1) / np.where(n > 0, n, np.nan)
    return mean


def plain_number(value: float) -> float | None:
    """Return a plain number, or ``None`` for ``nan``."""
    return None if math.isnan(value) else float(value)


def oriented(matrix: ScoreMatrix) -> FloatArray:
    """Raw scores, negated where lower is better, shape (n_models, n_benchmarks)."""
    sign = np.array([-1.0 if benchmark.lower_is_better else 1.0 for benchmark in matrix.benchmarks])
    turned: FloatArray = matrix.scores * sign
    return turned


def is_run(chosen: str, run: str) -> bool:
    """Say whether one of a matrix's ``runs`` is the run with this id."""
    bare = chosen if chosen.endswith(run) else chosen.rpartition(" (")[0]
    return bare == run or bare.endswith(f": {run}")


def _runs(
    rows: pd.DataFrame, column: np.ndarray, columns: tuple[Benchmark, ...]
) -> tuple[pd.DataFrame, np.ndarray]:
    """One row per run, each model's preferred run last, and the run code of each row."""
    text = rows[[*_RUN_KEY, "run_at"]].fillna("")
    code = text.groupby(_RUN_KEY, sort=False).ngroup().to_numpy(dtype=np.intp)
    cell = code * max(len(columns), 1) + column
    if len(np.unique(cell)) < len(cell):
        cells, counts = np.unique(cell, return_counts=True)
        twice = int(np.flatnonzero(cell == cells[counts > 1][0])[0])
        model, run = text["model"].iloc[twice], text["run"].iloc[twice]
        raise BadDataError(f"Run {run} of {model} has two scores on {columns[column[twice]].name}.")
    runs = text.assign(code=code).sort_values(["code", "run_at"])
    runs = runs.drop_duplicates("code", keep="last")
    runs["n_scores"] = np.bincount(code, minlength=len(runs))
    runs["ambiguous"] = runs.duplicated(["model", "run"], keep=False)
    return runs.sort_values(["model", "n_scores", "run_at", "run", "precision"]), code


def _pinned(runs: pd.DataFrame, model: str, pin: RunPin) -> int | None:
    match = runs["model"] == (pin.model or model)
    if pin.run:
        match &= runs["run"] == pin.run
    if pin.precision:
        match &= runs["precision"] == pin.precision
    rows = np.flatnonzero(match.to_numpy())
    return int(rows[-1]) if len(rows) else None


def _no_run(model: str, pin: RunPin | None, there: set[str]) -> str:
    pin = pin or RunPin()
    if (pin.model or model) in there and not (pin.run or pin.precision):
        return "no score on these benchmarks"
    words = ["no run"]
    words += [f"of {pin.model}"] if pin.model else []
    words += [f"named {pin.run}"] if pin.run else []
    words += [f"with precision {pin.precision}"] if pin.precision else []
    return " ".join([*words, "in this suite"])


def _bounded(
    scores: FloatArray, columns: Sequence[Benchmark], counts: Sequence[bool]
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Scores on the 0 to 1 scale, widths, items of what ``counts``, and √(s(1 − s)/(n − 1))."""
    low = np.array([benchmark.scale_min for benchmark in columns])
    width = np.array([benchmark.scale_max for benchmark in columns]) - low
    known = [b.n_items if item_wise else None for b, item_wise in zip(columns, counts, strict=True)]
    n_items = np.array([n if n is not None and n > 1 else np.nan for n in known])
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (scores - low) / width
    # Neither a share outside 0 to 1 nor fewer than 2 items bound an error.
    variance = share * (1 - share) / (n_items - 1)
    return share, width, n_items, np.sqrt(np.where(variance >= 0, variance, np.nan))
