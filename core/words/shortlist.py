"""What is said of a question and beside each row of its shortlist.

A row says where it stands, what speaks for it, and what to ask.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.procurement.bill import hidden_reasoning
from core.words.figures import (
    about,
    billions,
    count,
    counted,
    estimate,
    listed,
    ordinal,
    sentence,
    written,
)

if TYPE_CHECKING:
    from core.domain import Requirements, Shortlist, ShortlistRow
    from core.evidence.catalogue import Catalogue

_PLACES = {
    "own": "on your own servers",
    "open": "with open weights",
    "vendor": "as a vendor's service",
}


def question(requirements: Requirements, shortlist: Shortlist) -> str:
    """Say what is being asked, to begin a sentence with."""
    names = [name.lower() for name, _ in shortlist.weights]
    many = requirements.task == "balanced" or not 1 <= len(names) <= 3
    parts = ["For all kinds of work together" if many else f"For {listed(names)}"]
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


def place(row: ShortlistRow) -> str:
    """Say where a row stands among those that fit, and among all."""
    if row.rank is None:
        return "Not ranked"
    first = "Best" if row.rank == 1 else ordinal(row.rank)
    fit = "The only model that fits" if row.n_fit == 1 else f"{first} of the {row.n_fit:,} that fit"
    if row.rank_all is None or row.n_fit == row.n_all:
        return fit
    return f"{fit}, {ordinal(row.rank_all)} of {row.n_all:,} overall"


def possible_ranks(row: ShortlistRow) -> str:
    """Say which ranks a row may have among those that fit; empty where it has none."""
    if row.rank_band is None or row.n_fit == 1:
        return ""
    first, last = row.rank_band
    if first == last:
        return f"Its place is clear: {ordinal(first)}"
    if row.rank_band == (1, row.n_fit):
        return "The data cannot rank it: it may have any place"
    return f"It may be {ordinal(first)} to {ordinal(last)}"


def reasons(row: ShortlistRow) -> tuple[str, ...]:
    """Say in short sentences what speaks for a row; the first is the one to show alone."""
    found = [_standing(row)]
    if row.model.access == "open":
        size = (
            "" if row.model.params_b is None else f", {billions(row.model.params_b)} B parameters"
        )
        found.append(f"Can run on your own servers: open weights{size}.")
    elif row.model.access == "closed":
        found.append("Only as a service: the weights are closed.")
    if row.cost.low is not None:
        found.append(f"{cost_in_words(row)}.")
    if row.sale is not None and row.sale.standing == "passes":
        found.append(sentence(row.sale.words))
    return tuple(found)


def _standing(row: ShortlistRow) -> str:
    n = row.n_benchmarks
    tests = f"{n} test{'s' if n != 1 else ''}"
    if row.label:
        return f"Not ranked: {row.label}."
    if row.rank is None:
        return (
            f"Not ranked: {count(len(row.missing))} of {n + len(row.missing)} tests "
            f"{'was' if len(row.missing) == 1 else 'were'} never run on it, and scores over "
            "different tests do not compare."
        )
    where = place(row)
    if row.n_fit == 1 or row.rank_band is None:
        return f"{where}, on {tests}."
    first, last = row.rank_band
    if (first, last) == (1, 1):
        others = "the other" if row.n_fit == 2 else "every other"
        return f"{where}, on {tests}: clearly above {others} that fits."
    if first == 1:
        return f"{where}, on {tests}. {possible_ranks(row)}."
    better = count(first - 1)
    above = "is" if first == 2 else "are"
    return (
        f"{where}, on {tests}: {better} that fit{'s' if first == 2 else ''} {above} clearly above."
    )


def cost_in_words(row: ShortlistRow) -> str:
    """Say what a row costs a month and from whom; the cost, or the least that it is, is known."""
    cost = row.cost
    assert cost.low is not None
    said = f"At least {estimate(cost.low)} a month"
    if cost.likely is not None:
        likely = about(cost.likely)
        said = f"{likely[:1].upper()}{likely[1:]} a month"
        if cost.high is not None and cost.low < cost.likely < cost.high:
            said += f" ({estimate(cost.low)} to {estimate(cost.high)})"
    if cost.cost_is == "own servers":
        return f"{said} on {cost.from_whom}"
    if cost.cost_is == "measured":
        return f"{said}, at {cost.from_whom}"
    return f"{said} from {cost.from_whom}, at the price of {cost.as_of}"


def _ask_for_cost(row: ShortlistRow, requirements: Requirements) -> str:
    if row.cost.low is not None:
        return "What one set of its servers can serve is not published: measure it."
    asked = requirements.monthly_budget_usd is not None
    budget = "; your budget was not applied to it" if asked else ""
    if row.cost.why == "not recorded":
        return f"Cost not known, {row.cost.basis}{budget}."
    own = row.model.access != "closed" and requirements.access != "vendor"
    whom = "count your own servers" if own else "ask the vendor"
    if requirements.access == "own":
        return f"Cost not known: {row.cost.basis or 'its servers cannot be counted'}{budget}."
    if not row.routes and row.cost.why == "elsewhere":
        return f"A public price only where it cannot be used: {whom}{budget}."
    where = " where your conditions may be met" if row.routes else ""
    return f"No public price{where}: {whom}{budget}."


def questions(row: ShortlistRow, requirements: Requirements) -> tuple[str, ...]:
    """List what is not known about a row and should be asked."""
    found = []
    if row.cost.likely is None:
        found.append(_ask_for_cost(row, requirements))
    if row.sale is not None and row.sale.standing == "question":
        found.append(sentence(row.sale.words.rstrip(".")))
    if row.sale is not None and row.sale.conflict:
        found.append(sentence(row.sale.conflict.rstrip(".")))
    if row.model.params_b is None:
        found.append("Number of parameters not disclosed.")
    if row.model.access == "unknown":
        found.append("Not known whether the weights are open.")
    if not row.model.licence and row.model.access != "closed":
        found.append("Licence not found: ask before commercial use.")
    if row.missing:
        more = " and others" if len(row.missing) > 5 else ""
        found.append(f"Never run: {', '.join(row.missing[:5])}{more}.")
    if row.routes:
        found += row.routes[0].words("open")
    if row.interval_basis == "none":
        found.append("No interval can be given: too few tests and no published error.")
    return tuple(found)
