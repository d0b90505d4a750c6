"""Every parameter that an address of the app may hold: the one list of them.

A link carries these and nothing else, so that whoever hands a link on hands on no more than a
question. A control of a page that is bound to the address needs its key here; a test looks
through the pages for ones that are missing.
"""

from __future__ import annotations

import re

QUESTION = ("evidence", "data", "protocol", "task", "category")
"""What the work and its evidence are; the other controls of the side bar are a table of their own,
in ``core.sharing.controls``."""
LEFT_OUT = "left_out"
"""Names what a link was too long to hold."""
PAGES = (
    # The open tab of each entry.
    *("recommend_tab", "replace_tab", "cost_tab", "conditions_tab", "evidence_tab"),
    *("local_test_tab", "data_tab"),
    *("model", "mates", "rule", "proof"),  # Replace a model
    *("compare", "pair", "cost", "quality", "reach", "about"),
    *("unsure", "low_output", "beds", "physicians", "clinicians"),  # Workload bill
    *("hosted", "bits", "load", "context", "at_once"),  # Own servers
    *("test_against", "test_models", "test_margin", "judged", "power", "test_difference"),
    *("test_spread", "test_spread_marks", "raters", "rater_minutes"),  # Local test
    *("show", "side", "clusters", "benchmarks", "paper_colours", "noise", "against"),  # Taxonomy
    *("method", "bench_a", "bench_b", "keep"),  # Redundancy
    *("part", "without", "untested", "criterion"),
    *("suite", "changed", "changed_from", "differs", "own_results"),
    "saved",
)
"""What single pages add."""
_FOLDS = re.compile(r"about-[a-z0-9-]{1,80}")


def weight_key(category: str) -> str:
    """Return the key of a category's own weight."""
    return "w_" + re.sub(r"[^a-z0-9]+", "_", category.lower()).strip("_")


def volume_key(kind: str) -> str:
    """Return the key of the requests a month of one kind."""
    return "v_" + kind.replace("-", "_")


def of_a_page(key: str) -> bool:
    """Say whether a single page knows this key."""
    return key in PAGES or bool(_FOLDS.fullmatch(key))
