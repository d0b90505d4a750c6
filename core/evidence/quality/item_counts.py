"""Scores and standard errors against the number of items that they were measured on.

When the number of items is in doubt. If the runs of one benchmark miss whole items at two
fifths or more of the rate that a meaningless item count would give, the count in the catalogue
is taken to be wrong and the benchmark is left out of the rules that need it (MedHELM's scores
on MedQA are multiples of 1/503, where its table says 1,000 instances). Two fifths, and not more
than half, since scores over 1,000 items miss whole items of 500 half of the time. The same share
holds for standard errors. So a single run that disagrees with its item count is not flagged.

Sources
-------
Standard error of an accuracy: √(p(1 − p)/(n − 1)), as the Language Model Evaluation Harness
prints it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.evidence.quality.rules import NO_WHOLE_ITEMS, STANDARD_ERROR
from core.evidence.quality.run_table import ROUNDING, Mark, as_printed, places

if TYPE_CHECKING:
    from core.evidence.quality.run_table import BoolArray, RunTable

_SINGLE_PRECISION = 1e-6
"""Relative error of a number that went through 32 bits, rounded up."""
_DOUBT = 0.4


def no_whole_items(table: RunTable) -> tuple[BoolArray, BoolArray]:
    """Return which scores are no whole number of items, and which benchmarks are in doubt.

    A printed number stands for all that round to it, half a unit either way, and for all that
    were cut off to it, one unit up.
    """
    unit = np.maximum(2 * table.half_unit, _SINGLE_PRECISION)
    bottom = np.ceil((table.share - unit / 2) * table.counts - ROUNDING)
    missed = bottom > (table.share + unit) * table.counts + ROUNDING
    by_luck = np.clip(1 - 1.5 * unit * table.counts, 0, 1)
    by_luck[table.harness] = 1  # it prints all digits there are, so 0.83 is 0.83 exactly
    by_luck[~np.isfinite(table.share)] = np.nan
    expected = np.nansum(by_luck, axis=0)
    doubt = (missed.sum(axis=0) >= _DOUBT * expected) & (missed.sum(axis=0) > 0)
    return missed & ~doubt, doubt


def items_and_errors(table: RunTable) -> list[Mark]:
    """Flag scores that are no whole number of items, and standard errors that do not fit."""
    missed, doubt = no_whole_items(table)
    marks = []
    for i, j in places(missed):
        benchmark, n = table.benchmarks[j], table.counts[j]
        items = table.share[i, j] * n
        marks.append(
            Mark(
                i,
                NO_WHOLE_ITEMS,
                j,
                f"{benchmark.name}: {as_printed(table, i, j)} × {n:.0f} = {_uneven(items)} items, "
                "which is no whole number even after rounding; the score may be typed by hand, "
                "averaged over runs, or measured on other questions.",
            )
        )
    n = np.where(doubt, np.nan, table.counts)
    low = np.clip(table.share - table.half_unit, 0, 1)
    high = np.clip(table.share + 2 * table.half_unit, 0, 1)
    with np.errstate(invalid="ignore"):
        ends = np.sqrt(np.stack([low * (1 - low), high * (1 - high)]) / (n - 1))
        top = np.where((low <= 0.5) & (high >= 0.5), np.sqrt(0.25 / (n - 1)), ends.max(axis=0))
        # Some tools divide by n, not n - 1: both fit.
        slack = table.error_half_unit
        bottom = ends.min(axis=0) * np.sqrt((n - 1) / n) * 0.999 - slack
        wrong = (table.errors < bottom) | (table.errors > top * 1.001 + slack)
    judged = (np.isfinite(table.errors) & np.isfinite(top)).sum(axis=0)
    wrong &= wrong.sum(axis=0) < np.maximum(_DOUBT * judged, ROUNDING)
    width = table.width
    for i, j in places(wrong):
        p = table.share[i, j]
        fitting = np.sqrt(p * (1 - p) / (n[j] - 1)) * width[j]
        marks.append(
            Mark(
                i,
                STANDARD_ERROR,
                j,
                f"{table.benchmarks[j].name}: {as_printed(table, i, j)} on {n[j]:.0f} items has a "
                f"standard error of {fitting:.3g}, but the run gives "
                f"{table.errors[i, j] * width[j]:.3g}; it may have been copied, or belong to other "
                "questions.",
            )
        )
    return marks


def _uneven(items: float) -> str:
    """Return a number of items with enough decimals to see that it is not whole."""
    for decimals in (1, 2, 3):
        text = f"{items:.{decimals}f}"
        if not float(text).is_integer():
            return text
    return f"{items:.4f}"
