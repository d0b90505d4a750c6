"""Everything that a shortlist assumes, in words, and whether the buyer set it."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Literal

from core.domain import Requirements
from core.procurement.workload import hidden_reasoning
from core.sharing.link import ACCESS, CHEAPEST_GPU, PROTOCOLS, data_label
from core.sharing.link_reader import sale_label
from core.sharing.wording import UNKNOWN, counted

if TYPE_CHECKING:
    from datetime import date

    from core.domain import GateAnswer, OwnPrice, OwnTokens, Shortlist
    from core.evidence.catalogue import Catalogue

Basis = Literal["default", "set by you", "fixed by the link", "from the above"]
_FIXED = ("revision", "prices_on")
"""What the link names even where the buyer left it open, so that it shows the same later."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """One thing that the figures depend on."""

    label: str
    value: str
    basis: Basis


def assumptions(
    found: Shortlist, *, prices_on: date, catalogue: Catalogue
) -> tuple[Assumption, ...]:
    """Say every requirement in words, then the workload that follows from them.

    Parameters
    ----------
    found
        The shortlist that was asked for.
    prices_on
        Day of the public prices.
    catalogue
        Gives the names behind ids.

    Returns
    -------
    tuple of Assumption
        One per field of `Requirements`, in its order, then one per line of the workload. A
        requirement equal to its default counts as one that nobody set.
    """
    asked = found.requirements
    words = _words(found, prices_on, catalogue)
    listed = []
    for field in fields(Requirements):
        label, value = words[field.name]
        same = field.default is not MISSING and getattr(asked, field.name) == field.default
        basis: Basis = "default" if same else "set by you"
        listed.append(
            Assumption(label, value, "fixed by the link" if field.name in _FIXED else basis)
        )
    for line in found.workload:
        read, written = line.profile.input_tokens, line.profile.output_tokens
        value = (
            f"{line.requests_per_month:,.0f} requests a month, {read:,.0f} tokens read and "
            f"{written:,.0f} written for each"
        )
        value += f"; tokens: {line.profile.basis}"
        listed.append(Assumption(f"Workload: {line.category}", value, "from the above"))
    return tuple(listed)


def _words(found: Shortlist, prices_on: date, catalogue: Catalogue) -> dict[str, tuple[str, str]]:
    """Return label and value of each field of the requirements."""
    asked = found.requirements
    facts = catalogue.procurement
    kinds = {kind.id: kind.name for kind in facts.requests}
    snapshot = next((s for s in found.snapshots if s.suite == asked.suite), None)
    base = next(
        (
            base.name
            for base in catalogue.evidence.values()
            if (base.suite, base.cohort) == (asked.suite, asked.cohort)
        ),
        "not offered as an evidence base",
    )
    suite = catalogue.suites[asked.suite]
    protocol = asked.protocol or next(iter(suite.protocols), "")
    task = catalogue.tasks[asked.task]
    used = "; ".join(f"{name} {share:.1%}" for name, share in found.weights)
    by_volume = "not used: volumes are given" if asked.volumes else ""
    gates = "; ".join(facts.gate_kinds[gate].required for gate in asked.gates)
    return {
        "suite": ("Suite", suite.name),
        "cohort": ("Models compared", f"{asked.cohort} ({base})"),
        "protocol": ("Prompting", PROTOCOLS.get(protocol, protocol) or "one way only"),
        "revision": ("Version of the evidence", data_label(snapshot) if snapshot else UNKNOWN),
        "include_flagged": ("Flagged runs", "counted" if asked.include_flagged else "left out"),
        "task": ("Task", task.name),
        "weights": ("Weights of the task categories", used or "no benchmark for this task"),
        "access": ("Where it may run", ACCESS[asked.access]),
        "max_params_b": ("Largest model", _limit(asked.max_params_b, "{:g} B parameters")),
        "monthly_budget_usd": (
            "Budget",
            _limit(asked.monthly_budget_usd, "${:,.2f} a month (US dollars)"),
        ),
        "requests_per_month": (
            "Requests a month",
            by_volume or f"{asked.requests_per_month:,}",
        ),
        "input_tokens_per_request": (
            "Tokens read for a request",
            by_volume or _limit(asked.input_tokens_per_request, "{:,}", "as in MedHELM"),
        ),
        "output_tokens_per_request": (
            "Tokens written for a request",
            by_volume or _limit(asked.output_tokens_per_request, "{:,}", "as in MedHELM"),
        ),
        "reasoning_tokens_per_request": (
            "Hidden reasoning for a request",
            _limit(asked.reasoning_tokens_per_request, "{:,} tokens", "")
            or f"as measured: {hidden_reasoning(catalogue.reasoning_tokens)}",
        ),
        "gpu": ("GPU of your own servers", asked.gpu or CHEAPEST_GPU.lower()),
        "margin": ("Margin for “as good”", f"{asked.margin * 100:.12g} points out of 100"),
        "only": ("Only these models", "; ".join(asked.only) or "all models"),
        "overlap_once": (
            "Overlapping benchmarks",
            "share one vote" if asked.overlap_once else "count each",
        ),
        "volumes": (
            "Volumes",
            "; ".join(f"{kinds.get(k, k)}: {n:,.12g} a month" for k, n in asked.volumes)
            or "none given",
        ),
        "own_tokens": (
            "Own tokens per request",
            "; ".join(_tokens(own, kinds) for own in asked.own_tokens) or "none",
        ),
        "gates": ("Conditions of purchase", gates or "none"),
        "max_retention_days": (
            "Longest that data may be kept",
            _days(asked.max_retention_days),
        ),
        "min_context_tokens": (
            "Least to read at once",
            _limit(asked.min_context_tokens, "{:,} tokens", "not asked"),
        ),
        "own_answers": (
            "Own answers on conditions",
            "; ".join(_answer(own, catalogue) for own in asked.own_answers) or "none",
        ),
        "own_prices": (
            "Own prices",
            "; ".join(_price(own, catalogue) for own in asked.own_prices) or "none",
        ),
        "prices_on": ("Day of the public prices", prices_on.isoformat()),
        "on_sale_months": ("Must stay on sale for", sale_label(asked.on_sale_months)),
        "on_sale_on": ("Counted from", asked.on_sale_on or "the day of the prices"),
    }


def _limit(value: float | None, words: str, none: str = "no limit") -> str:
    return none if value is None else words.format(value)


def _days(days: int | None) -> str:
    return "not asked" if days is None else counted(days, "day")


def _tokens(own: OwnTokens, kinds: dict[str, str]) -> str:
    read = _limit(own.input_tokens, "{:,.12g}", "as in MedHELM")
    written = _limit(own.output_tokens, "{:,.12g}", "as in MedHELM")
    return f"{kinds.get(own.kind, own.kind)}: {read} read, {written} written"


def _answer(own: GateAnswer, catalogue: Catalogue) -> str:
    kind = catalogue.procurement.gate_kinds.get(own.gate)
    said = ", ".join(filter(None, (own.detail, own.source_url, own.as_of)))
    days = "" if own.days is None else f", {counted(own.days, 'day')}"
    return f"{own.platform}, {kind.name if kind else own.gate}: {own.answer}{days}" + (
        f" ({said})" if said else ""
    )


def _price(own: OwnPrice, catalogue: Catalogue) -> str:
    said = ", ".join(filter(None, (own.source, own.as_of)))
    return (
        f"{catalogue.model(own.model).name}: ${own.input_usd_per_mtok:.12g} read and "
        f"${own.output_usd_per_mtok:.12g} written per million tokens ({said})"
    )
