"""One question in, one result out: what the pages and the command line both ask.

The composition of evidence, statistics and choice lies here, and so does the only cache: each
result is remembered by its inputs. A store is one input, and a changed store is a new one.
"""

from core.answers.choice import (
    equivalents,
    known_as,
    shortlist,
    shortlist_link,
    weights_of,
    workload_of,
)
from core.answers.comparison import changes, cluster_tests, redundancy, taxonomy, win_rates
from core.answers.evidence import (
    ALL_MODELS,
    evidence_base,
    facts_on,
    flags,
    matrix,
    model,
    products,
    selection_of,
)

__all__ = [
    "ALL_MODELS",
    "changes",
    "cluster_tests",
    "equivalents",
    "evidence_base",
    "facts_on",
    "flags",
    "known_as",
    "matrix",
    "model",
    "products",
    "redundancy",
    "selection_of",
    "shortlist",
    "shortlist_link",
    "taxonomy",
    "weights_of",
    "win_rates",
    "workload_of",
]
