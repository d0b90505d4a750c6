"""Numbers and choices as the reader sees them, on the pages and in the documents alike.

Unknown is a word, never a number.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from core.procurement.bill import hidden_reasoning
from core.procurement.products import written
from core.procurement.reasons import about, billions, estimate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.domain import MonthlyCost, Requirements, Shortlist
    from core.evidence.catalogue import Catalogue

UNKNOWN = "not known"
_PLACES = {
    "own": "on your own servers",
    "open": "with open weights",
    "vendor": "as a vendor's service",
}


def points(share: float | None) -> str:
    """Write a score on the 0 to 1 scale as points out of 100."""
    return UNKNOWN if share is None else f"{share * 100:.1f}"


def signed_points(share: float | None) -> str:
    """Write a difference in points with its sign, a true minus for a loss."""
    return UNKNOWN if share is None else f"{share * 100:+.1f}".replace("-", "−")


def interval(low: float | None, high: float | None) -> str:
    """Write an interval in points, or that there is none."""
    if low is None or high is None:
        return "no interval"
    return f"{low * 100:.1f} to {high * 100:.1f}"


def signed_interval(low: float | None, high: float | None) -> str:
    """Write the interval of a difference in points."""
    if low is None or high is None:
        return "no interval"
    return f"{signed_points(low)} to {signed_points(high)}"


def size(params_b: float | None) -> str:
    """Write a number of parameters."""
    return "size not disclosed" if params_b is None else f"{billions(params_b)} B parameters"


def sentence(text: str) -> str:
    """Begin with a capital and leave the rest as it is."""
    return text[:1].upper() + text[1:]


def money(cost: MonthlyCost) -> str:
    """Write what a month costs, or the least that it does, or that nobody prints a price."""
    if cost.likely is not None:
        return f"{about(cost.likely)} a month"
    return "price not known" if cost.low is None else f"at least {estimate(cost.low)} a month"


def cost_from(cost: MonthlyCost) -> str:
    """Name who is paid beside a column of likely costs, which has no place for a least cost."""
    least = cost.likely is None and cost.low is not None
    return f"{money(cost)}, {cost.from_whom}" if least else cost.from_whom or UNKNOWN


def counted(number: int, noun: str) -> str:
    """Write a count with its noun in the right number."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def list_of(names: list[str]) -> str:
    """Join names as a sentence does."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def question(requirements: Requirements, shortlist: Shortlist) -> str:
    """Say what is being asked, to begin a sentence with."""
    names = [name.lower() for name, _ in shortlist.weights]
    many = requirements.task == "balanced" or not 1 <= len(names) <= 3
    parts = ["For all kinds of work together" if many else f"For {list_of(names)}"]
    if place := _PLACES.get(requirements.access):
        parts.append(place)
    if requirements.max_params_b is not None:
        parts.append(f"up to {requirements.max_params_b:g} B parameters")
    if requirements.monthly_budget_usd is not None:
        parts.append(f"within ${requirements.monthly_budget_usd:,.0f} a month")
    limits = (requirements.max_retention_days, requirements.min_context_tokens)
    if conditions := len(requirements.gates) + sum(limit is not None for limit in limits):
        parts.append(f"under {counted(conditions, 'condition')} of purchase")
    if (months := requirements.on_sale_months) is not None:
        day = written(requirements.on_sale_on) if requirements.on_sale_on else ""
        if months:
            begun = f" from {day}" if day else ""
            parts.append(f"on sale for at least {counted(months, 'month')}{begun}")
        else:
            parts.append(f"on sale on {day or 'the day'}")
    if requirements.only:
        parts.append(f"among the {counted(len(requirements.only), 'model')} you chose")
    return ", ".join(parts)


def evidence_name(requirements: Requirements, catalogue: Catalogue) -> str:
    """Name the evidence base of a question; empty where the app offers none."""
    of = (requirements.suite, requirements.cohort)
    bases = catalogue.evidence.values()
    return next((base.name for base in bases if (base.suite, base.cohort) == of), "")


def reasoning_on_top(requirements: Requirements, catalogue: Catalogue) -> str:
    """Say what models that reason write beside the visible answer."""
    own = requirements.reasoning_tokens_per_request
    if own is not None:
        return f"Models that reason write {own:,} hidden tokens on top for a request, as you set."
    return (
        "Models that reason write hidden tokens on top, for a request likely, and as measured on "
        f"medical questions: {hidden_reasoning(catalogue.reasoning_tokens)}. The high case is the "
        "most that MedHELM allowed, 4,000 with the answer."
    )


def told_apart(labels: Mapping[str, str]) -> dict[str, str]:
    """Return labels by key, with the beginning of the key where several are called the same."""
    times = Counter(labels.values())
    return {
        key: label if times[label] == 1 else f"{label} · {key[:8]}" for key, label in labels.items()
    }
