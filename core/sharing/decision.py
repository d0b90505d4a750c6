"""The recommendation as one document that programs read."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.domain import MonthlyCost, Saving
    from core.procurement.recommendation import Proposal, Recommendation


def document(found: Recommendation) -> dict[str, Any]:
    """Return a recommendation as plain data; what is not known is ``None``.

    Scores, differences and shares are on the 0 to 1 scale, money is US dollars a month.
    """
    return {
        "in_place_of": found.in_place_of or None,
        "headline": found.headline,
        "take": _entry(found.take),
        "leader": _entry(found.leader),
        "as_good": [_entry(each) for each in found.as_good],
        "worth_testing": [_entry(each) for each in found.worth_testing],
        "step_down": _entry(found.step_down),
        "left_out": [
            {
                "model": out.model,
                "rule": out.rule,
                "reason": out.reason,
                "until": out.until or None,
                "successor": out.successor or None,
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
    row, judged, safety = proposal.row, proposal.judged, proposal.safety
    band = row.rank_band if row is not None else None
    intervals = judged.difference.intervals if judged is not None else ()
    other = intervals[1] if len(intervals) > 1 else None
    return {
        "model": proposal.model.id,
        "name": proposal.model.name,
        "score": proposal.score,
        "rank_all": proposal.rank_all,
        "rank_band_first": band[0] if band else None,
        "rank_band_last": band[1] if band else None,
        "difference": judged.difference.difference if judged else None,
        "ci_low": judged.difference.ci_low if judged else None,
        "ci_high": judged.difference.ci_high if judged else None,
        "tier": judged.tier if judged else None,
        "basis": judged.difference.basis if judged else None,
        "other_basis": {
            "basis": other.basis,
            "difference": judged.difference.difference,
            "ci_low": other.ci_low,
            "ci_high": other.ci_high,
            "tier": judged.other_tier,
        }
        if judged is not None and other is not None
        else None,
        "monthly_cost_usd": _usd(proposal.cost),
        "cost_is": proposal.cost.cost_is,
        "from_whom": proposal.cost.from_whom or None,
        "saves_usd_month": _usd(proposal.saves) if proposal.saves is not None else None,
        "safety": {
            "share": safety.share,
            "n": safety.n,
            "severe_errors_per_100": safety.severe_errors_per_100,
            "rank": safety.rank,
            "n_systems": safety.n_systems,
            "marked": safety.marked,
            "tested_as": safety.tested_as,
            "kind": safety.kind,
        }
        if safety is not None
        else None,
        "second_opinions": [
            {
                "suite": each.suite,
                "metric": each.metric,
                "rank": each.rank,
                "n": each.n,
                "tested_as": each.tested_as,
                "kind": each.kind,
                "agreement": {
                    "n_models": each.agreement.n_models,
                    "rho": each.agreement.rho,
                    "ci_low": each.agreement.ci_low,
                    "ci_high": each.agreement.ci_high,
                }
                if each.agreement is not None
                else None,
            }
            for each in proposal.second_opinions
        ],
        "vetoes": list(judged.vetoes) if judged else [],
        "on_sale_until": (proposal.sale.until or None) if proposal.sale is not None else None,
        "same_cluster": proposal.same_cluster,
        "reasons": list(proposal.reasons),
    }


def _usd(cost: MonthlyCost | Saving) -> dict[str, float | None]:
    return {"low": cost.low, "likely": cost.likely, "high": cost.high}
