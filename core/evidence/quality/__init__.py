"""Plausibility of leaderboard rows: rules that flag a run, and never drop or change it.

A flag is a hint with the numbers that were seen. Leaderboards mix runs of an evaluation
harness, which print every digit, with files typed by hand; a value that was rounded or cut off
is judged only as far as its printed decimals allow.

Sources
-------
The rules are those of docs/methods.md, "Plausibility of a run"; each module names what
its own rules rest on.
"""

from core.evidence.quality.flags import check, flagged_runs
from core.evidence.quality.rules import (
    ABOVE_BASE,
    ABOVE_SIZE,
    BELOW_CHANCE,
    KEPT_OUT,
    NAMES_DISAGREE,
    NO_WHOLE_ITEMS,
    OUTSIDE_SCALE,
    RULES,
    SAME_SCORES,
    SAME_TEMPLATE,
    STANDARD_ERROR,
)

__all__ = [
    "ABOVE_BASE",
    "ABOVE_SIZE",
    "BELOW_CHANCE",
    "KEPT_OUT",
    "NAMES_DISAGREE",
    "NO_WHOLE_ITEMS",
    "OUTSIDE_SCALE",
    "RULES",
    "SAME_SCORES",
    "SAME_TEMPLATE",
    "STANDARD_ERROR",
    "check",
    "flagged_runs",
]
