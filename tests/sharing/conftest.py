"""A recommendation over small things, as the app makes it over the store."""

from dataclasses import replace

from core.domain import Question, Shortlist, Snapshot
from core.procurement.bill import saving
from core.procurement.recommendation import Recommendation, RuleChoice, choose

SNAPSHOT = Snapshot(
    **dict.fromkeys(("n_rows", "n_runs", "n_models", "n_benchmarks"), 1),
    **{"suite": "suite", "revision": "r1", "as_of": "2026-01-01", "retrieved_at": "2026-11-21"},
    **{"source_url": "https://example.org", "licence": "MIT", "note": ""},
    sha256="abcdef1234567890",
)
EMPTY = Shortlist(
    **dict.fromkeys(("rows", "left_out", "weights", "benchmarks", "benchmark_weights"), ()),
    **dict.fromkeys(("workload", "reasoning_workload", "places"), ()),
    **dict.fromkeys(("n_compared", "n_unpriced"), 0),
    question=Question(),
    snapshots=(replace(SNAPSHOT, suite="medhelm", as_of="", sha256="ab" * 32),),
)
NOTHING = Recommendation(
    shortlist=EMPTY,
    suite="Suite",
    in_place_of="",
    choice=RuleChoice(
        **dict.fromkeys(("choose", "test_these", "as_good", "worth_testing"), ()),
        **dict.fromkeys(("leader", "best", "take", "step_down"), None),
        **{"strength": "shortlist", "why": "nothing fits", "is_narrowed": True, "judged": {}},
        **dict.fromkeys(("n_first", "n_left_larger"), 0),
    ),
    dossiers={},
    unattended=None,
)


def recommended(found, matrix, harm=None):
    """What the rule comes to for a shortlist of one matrix, with given harm by model."""
    seen = {
        row.model.id: replace(row, safety=(harm or {}).get(row.model.id))
        for row in found.rows
        if row.rank is not None
    }
    chosen = choose(
        list(seen.values()),
        matrix=matrix,
        weights=dict(found.benchmark_weights),
        categories={},
        margin=found.question.margin,
    )
    lead = seen[chosen.leader]
    for name, judged in chosen.judged.items():
        saves = saving(lead.cost, seen[name].cost)
        seen[name] = replace(seen[name], judged=judged, saves=saves)
    return replace(NOTHING, shortlist=found, choice=chosen, dossiers=seen)
