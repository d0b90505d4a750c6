"""The recommendation as one document that programs read."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.procurement.test_worth import as_document
from core.sharing.export import picked

if TYPE_CHECKING:
    from core.procurement.recommendation import Proposal, Recommendation
    from core.procurement.replacement import Judged
    from core.procurement.test_worth import TestWorth

AGREEMENT = ("n_models", "rho", "ci_low", "ci_high")
"""What is told of how two suites order their models."""
_ENDS = ("low", "likely", "high")
_SAFETY = (
    *("share", "n", "severe_errors_per_100", "rank", "n_systems", "marked", "tested_as", "kind"),
)


def document(found: Recommendation, worth: TestWorth | None) -> dict[str, Any]:
    """Return a recommendation as plain data, with what a test of those it names is ``worth``.

    What is not known is ``None``.

    Scores, differences and shares are on the 0 to 1 scale, money is US dollars a month.
    """
    return {
        "in_place_of": found.in_place_of or None,
        "headline": found.headline,
        "alerts": list(found.alerts),
        "strength": found.strength,
        "why": found.why,
        "take": _entry(found.take),
        "choose": [_entry(each) for each in found.choose],
        "test_these": [_entry(each) for each in found.test_these],
        "test_worth": as_document(worth),
        "leader": _entry(found.leader),
        "as_good": [_entry(each) for each in found.as_good],
        "worth_testing": [_entry(each) for each in found.worth_testing],
        "step_down": _entry(found.step_down),
        "left_out": [
            {
                **{"model": out.model, "rule": out.rule, "reason": out.reason},
                **{"until": out.until or None, "successor": out.successor or None},
            }
            for out in found.left_out
        ],
        "margin": found.requirements.margin,
        "n_fit": found.n_fit,
        "n_all": found.n_all,
        "snapshots": [asdict(snapshot) for snapshot in found.snapshots],
    }


def _entry(proposal: Proposal | None) -> dict[str, Any] | None:
    if proposal is None:
        return None
    judged = proposal.judged
    gap = judged.difference if judged else None
    band = proposal.row.rank_band if proposal.row else None
    other = proposal.row.on_other_tests if proposal.row else None
    return {
        "model": proposal.model.id,
        "name": proposal.model.name,
        "score": proposal.score,
        "on_other_tests": picked(other, "ci_low", "ci_high") if other else None,
        "rank_all": proposal.rank_all,
        "rank_band_first": band[0] if band else None,
        "rank_band_last": band[1] if band else None,
        "difference": gap.difference if gap else None,
        "ci_low": gap.ci_low if gap else None,
        "ci_high": gap.ci_high if gap else None,
        "tier": judged.tier if judged else None,
        "basis": gap.basis if gap else None,
        "other_basis": _other_basis(judged) if judged else None,
        "one_more_test": judged.one_more_test if judged else None,
        "monthly_cost_usd": picked(proposal.cost, *_ENDS),
        "cost_is": proposal.cost.cost_is,
        "from_whom": proposal.cost.from_whom or None,
        "saves_usd_month": picked(proposal.saves, *_ENDS) if proposal.saves else None,
        "safety": picked(proposal.safety, *_SAFETY) if proposal.safety else None,
        "second_opinions": [
            picked(each, "suite", "metric", "rank", "n", "tested_as", "kind")
            | {"agreement": picked(each.agreement, *AGREEMENT) if each.agreement else None}
            for each in proposal.second_opinions
        ],
        "vetoes": list(judged.vetoes) if judged else [],
        "on_sale_until": (proposal.sale.until or None) if proposal.sale else None,
        "same_cluster": proposal.same_cluster,
        "reasons": list(proposal.reasons),
    }


def _other_basis(judged: Judged) -> dict[str, Any] | None:
    if len(judged.difference.intervals) < 2:
        return None
    other = judged.difference.intervals[1]
    return {
        "basis": other.basis,
        "difference": judged.difference.difference,
        "ci_low": other.ci_low,
        "ci_high": other.ci_high,
        "tier": judged.other_tier,
    }
