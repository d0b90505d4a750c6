"""A recommendation over small things, as the app makes it over the store."""

from dataclasses import replace

import pytest

from core.domain import Requirements, Snapshot
from core.procurement.monthly_cost import saving
from core.procurement.recommendation import Candidate, Proposal, Recommendation, choose

NOTHING = Recommendation(
    **dict.fromkeys(("as_good", "worth_testing", "left_out", "snapshots"), ()),
    **dict.fromkeys(("alerts", "choose", "test_these"), ()),
    **dict.fromkeys(("leader", "best", "take", "step_down"), None),
    **dict.fromkeys(("n_fit", "n_all", "n_first", "n_left_larger"), 0),
    **{"judged": {}, "safety": {}, "requirements": Requirements(), "in_place_of": ""},
    headline="No model fits all of the question.",
    strength="shortlist",
    why="nothing fits",
    is_narrowed=True,
)
SNAPSHOT = Snapshot(
    **dict.fromkeys(("n_rows", "n_runs", "n_models", "n_benchmarks"), 1),
    **{"suite": "suite", "revision": "r1", "as_of": "2026-01-01", "retrieved_at": "2026-11-21"},
    **{"source_url": "https://example.org", "licence": "MIT", "note": ""},
    sha256="abcdef1234567890",
)


@pytest.fixture(scope="session")
def nothing():
    """The recommendation where no model fits."""
    return NOTHING


@pytest.fixture(scope="session")
def recommended():
    """What the rule comes to for a shortlist of one matrix, with given harm by model."""

    def decide(found, matrix, harm=None, **how):
        harm = harm or {}
        candidates = {
            row.model.id: Candidate(
                row.model,
                row.score,
                row.cost,
                harm.get(row.model.id),
                may_be_first=row.rank_band is None or row.rank_band[0] == 1,
            )
            for row in found.rows
            if row.rank is not None
        }
        chosen = choose(
            list(candidates.values()),
            matrix=matrix,
            weights=dict(found.benchmark_weights),
            categories={},
            margin=found.requirements.margin,
            **how,
        )
        rows = {row.model.id: row for row in found.rows}
        lead = candidates[chosen.leader]

        def proposal(name):
            each, judged = candidates[name], chosen.judged.get(name)
            return Proposal(
                **dict.fromkeys(("sale", "same_cluster", "together"), None),
                **{"model": each.model, "row": rows[name], "score": each.score},
                **{"cost": each.cost, "safety": each.safety, "judged": judged},
                rank_all=rows[name].rank_all,
                saves=saving(lead.cost, each.cost) if judged else None,
                second_opinions=(),
                reasons=("A reason.",),
            )

        return replace(
            NOTHING,
            requirements=found.requirements,
            headline="In short.",
            strength=chosen.strength,
            why=chosen.why,
            leader=proposal(chosen.leader),
            best=proposal(chosen.best),
            take=proposal(chosen.take) if chosen.take else None,
            choose=tuple(map(proposal, chosen.choose)),
            test_these=tuple(map(proposal, chosen.test_these)),
            is_narrowed=chosen.is_narrowed,
            n_first=chosen.n_first,
            as_good=tuple(map(proposal, chosen.as_good)),
            worth_testing=tuple(map(proposal, chosen.worth_testing)),
            step_down=proposal(chosen.step_down) if chosen.step_down else None,
            judged=chosen.judged,
            safety={name: each.safety for name, each in candidates.items() if each.safety},
            n_fit=len(candidates),
            n_all=len(found.places),
            snapshots=found.snapshots,
        )

    return decide
