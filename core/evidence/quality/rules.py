"""The rules by name, their order, and why each keeps a run out of statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

OUTSIDE_SCALE = "score outside its scale"
NO_WHOLE_ITEMS = "score is no whole number of items"
STANDARD_ERROR = "standard error does not fit"
BELOW_CHANCE = "below chance"
SAME_SCORES = "same scores as another model"
SAME_TEMPLATE = "file made from that of another model"
ABOVE_BASE = "far above its base model on some benchmarks"
ABOVE_SIZE = "far above runs of its size on some benchmarks"
NAMES_DISAGREE = "names disagree"

RULES = (
    OUTSIDE_SCALE,
    NO_WHOLE_ITEMS,
    STANDARD_ERROR,
    BELOW_CHANCE,
    SAME_SCORES,
    SAME_TEMPLATE,
    ABOVE_BASE,
    ABOVE_SIZE,
    NAMES_DISAGREE,
)
"""Every rule, in the order in which a run's flags are listed."""

KEPT_OUT: Mapping[str, str] = {
    OUTSIDE_SCALE: "the number cannot be a score of this benchmark",
    NO_WHOLE_ITEMS: "typed, averaged, or measured on other questions than the rest of the suite",
    STANDARD_ERROR: "scores and errors do not come from one evaluation, so intervals mislead",
    BELOW_CHANCE: "answers were probably not read as meant: no measure of knowledge",
    SAME_SCORES: "one evaluation would count twice, and it is open which model it measured",
    SAME_TEMPLATE: "typed into a copied file, so nobody can say how it was measured",
    ABOVE_BASE: "the questions may have been seen in training",
    ABOVE_SIZE: "the questions may have been seen in training",
    NAMES_DISAGREE: "it is open which model was measured",
}
"""The rules that keep a run out of statistics by default, each with the reason."""
