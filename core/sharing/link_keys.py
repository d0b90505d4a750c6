"""Every parameter that an address of the app may hold: the one list of them.

A link carries these and nothing else, so that whoever hands a link on hands on no more than a
question. A control of a page that is bound to the address needs its key here; a test looks
through the pages for ones that are missing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.evidence.catalogue import Catalogue

OWN_FIGURES = ("own_tokens", "own_answer", "own_price")
SHARED = (
    *("evidence", "data", "protocol", "task", "category", "access", "max_params"),
    *("budget", "requests", "tokens_in", "tokens_out", "margin", "only", "flagged", "overlap"),
    *("gates", "retention", "window", "tokens_reasoning", "gpu", "prices"),
    *("sale", "sale_on"),
    *OWN_FIGURES,
)
"""The controls of the side bar; weights and volumes have keys of the catalogue beside them."""
LEFT_OUT = "left_out"
"""Names what a link was too long to hold."""
PAGES = (
    # The open tab of each entry.
    *("recommend_tab", "replace_tab", "cost_tab", "conditions_tab", "evidence_tab", "data_tab"),
    *("model", "mates", "rule", "proof"),  # Replace a model
    *("compare", "pair", "cost", "quality", "reach", "about"),
    *("billed", "unsure", "low_output", "beds", "physicians", "clinicians"),  # Workload bill
    *("hosted", "bits", "load", "context", "at_once"),  # Own servers
    "combination",
    *("show", "side", "clusters", "benchmarks", "distance", "linkage", "branch", "drawn"),
    *("paper_colours", "noise", "against"),  # Taxonomy, with the line above
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


def shared(catalogue: Catalogue) -> frozenset[str]:
    """Return the keys of the question that all pages share."""
    weights = {
        weight_key(category)
        for benchmarks in catalogue.benchmarks.values()
        for benchmark in benchmarks
        for category in (benchmark.category, benchmark.subcategory)
        if category
    }
    volumes = {volume_key(kind.id) for kind in catalogue.procurement.requests}
    return frozenset(SHARED) | weights | volumes


def of_a_page(key: str) -> bool:
    """Say whether a single page knows this key."""
    return key in PAGES or bool(_FOLDS.fullmatch(key))
