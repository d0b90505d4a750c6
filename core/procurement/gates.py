"""Conditions of a purchase: what passes, what fails and why, and what must still be asked.

An answer that nobody gave is a question for the vendor: it neither passes nor fails. An answer
with a condition passes under that condition only, and carries it in words.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.domain import Exclusion, RouteVerdict, Status
from core.procurement.gate_checks import (
    NO_PLATFORM,
    SELF_HOSTED,
    ZERO_RETENTION,
    asked,
    check,
    model_answers,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from core.domain import Bill, GateAnswer, GateKind, Licence, Model, Platform, PriceReference
    from core.procurement.gate_checks import GateRequirements

_WORST_FIRST: tuple[Status, ...] = ("fails", "open", "conditional", "passes")


@dataclass(frozen=True, slots=True)
class Route:
    """One way to get a model: a platform that sells it, or own servers."""

    platform: str
    note: str
    """Doubt about the match of price list and platform; empty where there is none."""
    providers: tuple[str, ...] = ()
    """The providers of the price list that sell it there, by id."""


def routes(
    models: Sequence[Model],
    references: Sequence[PriceReference],
    platforms: Sequence[Platform],
    sold_at: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, tuple[Route, ...]]:
    """List the ways to get each model.

    Parameters
    ----------
    models : sequence of Model
        Models; own servers count as a way for those with open weights.
    references : sequence of PriceReference
        Who sells which model.
    platforms : sequence of Platform
        The platform behind each provider. A provider without a row stands under its own id, of
        which nothing is known.
    sold_at : mapping of str to sequence of str
        Platforms that are known to sell a model, whether or not their price is.

    Returns
    -------
    dict of str to tuple of Route
        By model, platforms in the order of ``references``, then those without a price, own
        servers last; a model that
        nobody is known to sell and nobody can run has one way, `NO_PLATFORM`.
    """
    behind = {it.provider: Route(it.platform, it.note) for it in platforms}
    sold: dict[str, dict[str, Route]] = {}
    for reference in references:
        route = behind.get(reference.provider, Route(reference.provider, ""))
        ways_of = sold.setdefault(reference.model, {})
        known = ways_of.get(route.platform, route)
        providers = dict.fromkeys((*known.providers, reference.provider))
        ways_of[route.platform] = replace(known, providers=tuple(providers))
    found = {}
    for model in models:
        priced = sold.get(model.id, {})
        others = dict.fromkeys((sold_at or {}).get(model.id, ()))
        ways = [*priced.values(), *(Route(name, "") for name in others if name not in priced)]
        if model.access == "open":
            ways.append(Route(SELF_HOSTED, ""))
        found[model.id] = tuple(ways) or (Route(NO_PLATFORM, ""),)
    return found


def where_allowed(ways: Mapping[str, Sequence[Route]], where: str) -> dict[str, tuple[Route, ...]]:
    """Keep the ways through a vendor (``vendor``), on own servers (``own``), or all (others)."""
    if where == "own":
        return {
            name: tuple(way for way in of if way.platform == SELF_HOSTED)
            for name, of in ways.items()
        }
    if where == "vendor":
        return {
            name: tuple(way for way in of if way.platform != SELF_HOSTED)
            or (Route(NO_PLATFORM, ""),)
            for name, of in ways.items()
        }
    return {name: tuple(of) for name, of in ways.items()}


def with_own(shipped: Sequence[GateAnswer], own: Sequence[GateAnswer]) -> tuple[GateAnswer, ...]:
    """Return the answers with the buyer's own in place of those shipped; others follow."""
    merged = {(a.platform, a.gate): a for a in shipped} | {(a.platform, a.gate): a for a in own}
    return tuple(merged.values())


def apply_gates(
    requirements: GateRequirements,
    models: Sequence[Model],
    ways: Mapping[str, Sequence[Route]],
    *,
    kinds: Mapping[str, GateKind],
    answers: Sequence[GateAnswer],
    licences: Mapping[str, Licence | None],
) -> dict[str, tuple[RouteVerdict, ...]]:
    """Check the gates on every way to get each model.

    Parameters
    ----------
    requirements : GateRequirements
        The gates that count.
    models : sequence of Model
        Models to judge.
    ways : mapping of str to sequence of Route
        As `routes` gives them.
    kinds : mapping of str to GateKind
        All gates, by id; they are checked in this order.
    answers : sequence of GateAnswer
        What is known of platforms; an answer about a model, under the model's id, goes before
        the catalogue's.
    licences : mapping of str to (Licence or None)
        What is known of each model's licence.

    Returns
    -------
    dict of str to tuple of RouteVerdict
        By model, in the order of its ways. Without any gate every way passes.

    Raises
    ------
    BadRequestError
        If a needed gate is unknown or wants a limit, or a limit is negative.
    """
    wanted = asked(requirements, kinds)
    known = {(answer.platform, answer.gate): answer for answer in answers}
    found = {}
    for model in models:
        facts = model_answers(model, licences.get(model.id), requirements)
        verdicts = []
        for way in ways.get(model.id, (Route(NO_PLATFORM, ""),)):
            checks = tuple(
                check(
                    kind,
                    known.get((model.id, kind.id), facts.get(kind.id))
                    if kind.about == "model"
                    else known.get((way.platform, kind.id)),
                    model,
                    way.platform,
                    most_days=requirements.max_retention_days,
                    zero_retention=known.get((way.platform, ZERO_RETENTION)),
                )
                for kind in wanted
            )
            statuses = {each.status for each in checks} or {"passes"}
            worst = next(status for status in _WORST_FIRST if status in statuses)
            verdicts.append(
                RouteVerdict(model.id, way.platform, worst, checks, way.note, way.providers)
            )
        found[model.id] = tuple(verdicts)
    return found


def best_first(verdicts: Sequence[RouteVerdict], bill: Bill | None) -> tuple[RouteVerdict, ...]:
    """Order the ways to get a model: that of the bill, then passing, on a condition, open, failing.

    Equals stay in the order given.
    """
    billed = bill.price.provider if bill is not None else None

    def key(verdict: RouteVerdict) -> tuple[bool, int]:
        return billed not in verdict.providers, -_WORST_FIRST.index(verdict.status)

    return tuple(sorted(verdicts, key=key))


def best_standing(verdicts: Sequence[RouteVerdict], providers: Collection[str]) -> tuple[str, ...]:
    """Return the providers that meet the gates best, the surest first.

    Parameters
    ----------
    verdicts : sequence of RouteVerdict
        All ways to get one model.
    providers : collection of str
        Providers that may be used, such as those with a price.

    Returns
    -------
    tuple of str
        Those whose platform meets every gate, on a condition or not; where there is none, those
        where a question is open. Never one that fails, nor one that no way names.
    """
    ordered = best_first(verdicts, None)
    for standing in (("passes", "conditional"), ("open",)):
        found = tuple(
            provider
            for verdict in ordered
            for provider in verdict.providers
            if verdict.status in standing and provider in providers
        )
        if found:
            return found
    return ()


def gated_out(verdicts: Mapping[str, Sequence[RouteVerdict]]) -> tuple[Exclusion, ...]:
    """List the models of which every way fails, with the reasons.

    A model with one open way stays: an unknown is a question, not a refusal.
    """
    return tuple(
        Exclusion(
            model,
            " ".join(dict.fromkeys(w for verdict in of_model for w in verdict.words("fails"))),
        )
        for model, of_model in verdicts.items()
        if of_model and all(verdict.status == "fails" for verdict in of_model)
    )
