"""One question in, one result out: what the pages and the command line both ask.

The composition of evidence, statistics and choice lies here, and so does the only cache: each
result is remembered by its inputs. A store is one input, and a changed store is a new one.
"""

from core.answers.benchhealth import benchhealth
from core.answers.choice import (
    equivalents,
    known_as,
    shortlist,
    shortlist_link,
    weights_of,
    workload_of,
)
from core.answers.comparing import (
    facts_beside,
    head_to_head,
    most_telling,
    side_by_side,
    without,
)
from core.answers.comparison import changes, win_rates
from core.answers.costs import benchmark_costs, cost_quality, shares_written
from core.answers.coverage import coverage, detectable
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
from core.answers.own_servers import gpus_on_offer, hostable, own_servers, own_usd
from core.answers.redundancy import (
    local_plan,
    redundancy,
    similar_first,
    smaller_sets,
    vote_groups,
)
from core.answers.replacing import co_clustering, replacement_proof, yearly_savings
from core.answers.robustness import robustness
from core.answers.studies import jury_check, published_agreement, reproduced
from core.answers.taxonomies import (
    KS,
    agreement,
    branch_profiles,
    cluster_tests,
    leave_one_out_tests,
    profiles,
    silhouettes,
    stability,
    suggested_k,
    taxonomy,
)

__all__ = [
    "ALL_MODELS",
    "KS",
    "agreement",
    "benchhealth",
    "benchmark_costs",
    "branch_profiles",
    "changes",
    "cluster_tests",
    "co_clustering",
    "cost_quality",
    "coverage",
    "detectable",
    "equivalents",
    "evidence_base",
    "facts_beside",
    "facts_on",
    "flags",
    "gpus_on_offer",
    "head_to_head",
    "hostable",
    "jury_check",
    "known_as",
    "leave_one_out_tests",
    "local_plan",
    "matrix",
    "model",
    "most_telling",
    "own_servers",
    "own_usd",
    "products",
    "profiles",
    "published_agreement",
    "redundancy",
    "replacement_proof",
    "reproduced",
    "robustness",
    "selection_of",
    "shares_written",
    "shortlist",
    "shortlist_link",
    "side_by_side",
    "silhouettes",
    "similar_first",
    "smaller_sets",
    "stability",
    "suggested_k",
    "taxonomy",
    "vote_groups",
    "weights_of",
    "win_rates",
    "without",
    "workload_of",
    "yearly_savings",
]
