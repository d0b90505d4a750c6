"""One question in, one result out: what the pages and the command line both ask.

The composition of evidence, statistics and choice lies here, and so does the only cache: each
result is remembered by its inputs. A store is one input, and a changed store is a new one.
"""

from core.answers.across import AcrossSuites, across_suites
from core.answers.ageing import aged, old_prices, old_suites
from core.answers.benchhealth import benchhealth
from core.answers.bill_ranges import (
    bill_ranges,
    bills_everywhere,
    suggested_volumes,
    volume_weights,
)
from core.answers.bills import (
    OWN_PRICE,
    Gone,
    bills,
    gate_answers,
    has_gates,
    provider_bills,
    requests_a_month,
    route_verdicts,
    weights_of,
    workload_of,
)
from core.answers.choice import (
    equivalents,
    evidence_that_answers,
    known_as,
    shortlist,
    shortlist_link,
    suites_of,
)
from core.answers.combinations import combinations
from core.answers.comparing import (
    facts_beside,
    head_to_head,
    side_by_side,
    without,
)
from core.answers.comparison import changes, first_by_score, win_rates
from core.answers.conditions import (
    BEST_FIRST,
    Changes,
    Conditions,
    KnownAnswer,
    answers_on_models,
    changes_of,
    conditions,
    platform_answers,
    platforms,
)
from core.answers.costs import benchmark_costs, cost_quality, shares_written
from core.answers.coverage import coverage, detectable
from core.answers.documents import (
    evidence_csv,
    memo_html,
    memo_pdf,
    receipt,
    shortlist_records,
    software,
    without_pdf,
    workbook,
)
from core.answers.evidence import (
    ALL_MODELS,
    evidence_base,
    facts_on,
    flags,
    matrix,
    model,
    products,
    provenance,
    selection_of,
)
from core.answers.monthly_costs import monthly_costs
from core.answers.own_servers import gpus_on_offer, hostable, own_servers, own_usd, usual_gpu
from core.answers.prices import day_of_prices
from core.answers.recommendation import recommendation
from core.answers.redundancy import (
    local_plan,
    redundancy,
    similar_first,
    smaller_sets,
    vote_groups,
)
from core.answers.replacing import co_clustering, replacement_proof
from core.answers.robustness import robustness
from core.answers.saved import Since, since, to_keep
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
    "BEST_FIRST",
    "KS",
    "OWN_PRICE",
    "AcrossSuites",
    "Changes",
    "Conditions",
    "Gone",
    "KnownAnswer",
    "Since",
    "across_suites",
    "aged",
    "agreement",
    "answers_on_models",
    "benchhealth",
    "benchmark_costs",
    "bill_ranges",
    "bills",
    "bills_everywhere",
    "branch_profiles",
    "changes",
    "changes_of",
    "cluster_tests",
    "co_clustering",
    "combinations",
    "conditions",
    "cost_quality",
    "coverage",
    "day_of_prices",
    "detectable",
    "equivalents",
    "evidence_base",
    "evidence_csv",
    "evidence_that_answers",
    "facts_beside",
    "facts_on",
    "first_by_score",
    "flags",
    "gate_answers",
    "gpus_on_offer",
    "has_gates",
    "head_to_head",
    "hostable",
    "jury_check",
    "known_as",
    "leave_one_out_tests",
    "local_plan",
    "matrix",
    "memo_html",
    "memo_pdf",
    "model",
    "monthly_costs",
    "old_prices",
    "old_suites",
    "own_servers",
    "own_usd",
    "platform_answers",
    "platforms",
    "products",
    "profiles",
    "provenance",
    "provider_bills",
    "published_agreement",
    "receipt",
    "recommendation",
    "redundancy",
    "replacement_proof",
    "reproduced",
    "requests_a_month",
    "robustness",
    "route_verdicts",
    "selection_of",
    "shares_written",
    "shortlist",
    "shortlist_link",
    "shortlist_records",
    "side_by_side",
    "silhouettes",
    "similar_first",
    "since",
    "smaller_sets",
    "software",
    "stability",
    "suggested_k",
    "suggested_volumes",
    "suites_of",
    "taxonomy",
    "to_keep",
    "usual_gpu",
    "volume_weights",
    "vote_groups",
    "weights_of",
    "win_rates",
    "without",
    "without_pdf",
    "workbook",
    "workload_of",
]
