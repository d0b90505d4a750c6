"""Conditions of purchase: how each model stands, what is known, and what to ask whom."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from core.answers.bills import bills, gate_answers, route_verdicts, sales
from core.answers.data import model, products, selection_of
from core.domain import GateAnswer, Status
from core.evidence.catalogue import OWN_RESULT
from core.procurement.gates import NO_PLATFORM, RETENTION, SELF_HOSTED, model_answers
from core.words.shortlist import check_in_words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from core.domain import Bill, GateCheck, GateKind, Model, OnSale, Requirements, RouteVerdict
    from core.evidence.store import Store

Standing = Literal["as wanted", "on a condition", "not as wanted", "not known", "a figure"]
"""How an answer stands to what a buyer wants; days that data are kept are a figure."""
BEST_FIRST: tuple[Status, ...] = ("passes", "conditional", "open", "fails")


@dataclass(frozen=True, slots=True)
class ModelConditions:
    """How one model stands to the conditions."""

    model: Model
    ways: tuple[RouteVerdict, ...]
    """The ways to get it, the best first; of equals that of the bill."""
    bill: Bill | None
    """At the cheapest way that does not fail, which need not be the best one."""
    sale: OnSale
    """For as long as is asked, else on the day."""

    @property
    def best(self) -> RouteVerdict:
        """Return the way that stands best."""
        return self.ways[0]


@dataclass(frozen=True, slots=True)
class Inquiry:
    """One question to one vendor, and the models that wait for the answer."""

    whom: str
    condition: str
    question: str
    models: tuple[str, ...]
    """Names of the models whose best way depends on it."""
    others: tuple[str, ...]
    """Names of the models of which another way depends on it."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """All models of an evidence base under the conditions of a purchase."""

    rows: tuple[ModelConditions, ...]
    """What is sold for long enough first and what is gone last, then the best, then by name."""
    n_needed: int
    """Answers that the conditions need: one per platform, model or sale, and condition."""
    n_known: int
    """Those of them that are known."""
    inquiries: tuple[Inquiry, ...]
    """Questions on the best ways first, by whom they go to; none for ways that fail."""
    n_elsewhere: int = 0
    """Models that none of the hospital's platforms is known to sell, which have no row."""

    def n(self, *statuses: Status) -> int:
        """Count the models whose best way has one of the statuses."""
        return sum(row.best.status in statuses for row in self.rows)


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """An answer as it counts now, with the words to show it."""

    about: str
    """Platform, or name of the model."""
    kind: GateKind
    answer: GateAnswer
    standing: Standing
    short: str
    """``yes``, ``no``, ``if``, ``?`` or a number of days."""


def conditions(store: Store, requirements: Requirements, on: date) -> Conditions:
    """Check the conditions on every model of the evidence, whatever the other limits.

    Without a condition there are no rows.
    """
    names = products(store, selection_of(requirements)).models
    verdicts = route_verdicts(store, names, requirements)
    if not verdicts:
        return Conditions((), 0, 0, ())
    billed = bills(store, names, requirements, on)
    asked_sale = replace(requirements, on_sale_months=requirements.on_sale_months or 0)
    sold = sales(store, names, asked_sale, on)
    rows = []
    here = [name for name in names if verdicts[name]]
    for name in here:
        bill = billed.get(name)
        provider = bill.price.provider if bill is not None else None
        ways = sorted(
            verdicts[name],
            key=lambda way: (BEST_FIRST.index(way.status), provider not in way.providers),
        )
        rows.append(ModelConditions(model(store, name), tuple(ways), bill, sold[name]))
    rows.sort(
        key=lambda row: (
            row.sale.standing == "fails",
            row.sale.standing == "fails" and all(one.state == "gone" for one in row.sale.at),
            BEST_FIRST.index(row.best.status),
            row.model.name.lower(),
        )
    )
    asked = {
        (
            "" if check.kind.about == "platform" else way.model,
            "" if check.kind.about == "model" else way.platform,
            check.gate,
        ): check.status != "open"
        for row in rows
        for way in row.ways
        for check in way.checks
    }
    return Conditions(
        *(tuple(rows), len(asked), sum(asked.values())),
        inquiries=_inquiries(store, rows),
        n_elsewhere=len(names) - len(here),
    )


def _inquiries(store: Store, rows: Sequence[ModelConditions]) -> tuple[Inquiry, ...]:
    found: dict[tuple[str, str, str], tuple[dict[str, None], dict[str, None]]] = {}
    for row in rows:
        for place, way in enumerate(row.ways):
            if way.status == "fails":
                continue
            for check in way.checks:
                if check.status == "open":
                    key = (_whom(store, row.model, way, check), check.name, check_in_words(check))
                    found.setdefault(key, ({}, {}))[place > 0].setdefault(row.model.name)
    inquiries = [
        Inquiry(*key, tuple(best), tuple(name for name in others if name not in best))
        for key, (best, others) in found.items()
    ]
    waiting = Counter[str]()
    for one in inquiries:
        waiting[one.whom] += len(one.models)
    return tuple(
        sorted(inquiries, key=lambda one: (-waiting[one.whom], one.whom, -len(one.models)))
    )


def _whom(store: Store, bought: Model, way: RouteVerdict, check: GateCheck) -> str:
    if store.catalogue.procurement.gate_kinds[check.gate].about == "model":
        return bought.developer or f"Developer of {bought.name}"
    if way.platform == NO_PLATFORM:
        return f"Vendor of {bought.name}"
    return "Your own IT department" if way.platform == SELF_HOSTED else way.platform


def platforms(store: Store) -> tuple[str, ...]:
    """Return the platforms that sell models or of which something is known, own servers last."""
    facts = store.catalogue.procurement
    about_platforms = {kind.id for kind in facts.gate_kinds.values() if kind.about == "platform"}
    named = {
        *(platform.platform for platform in facts.platforms),
        *(answer.platform for answer in facts.gates if answer.gate in about_platforms),
    }
    return (*sorted(named - {SELF_HOSTED}, key=str.lower), SELF_HOSTED)


def platform_answers(store: Store, requirements: Requirements) -> tuple[KnownAnswer, ...]:
    """Return every platform's answer to every condition about platforms, known or not.

    The hospital's own answers stand in place of the catalogue's. On what is sold at a platform,
    such as its region, only those that were given.
    """
    given = {(a.platform, a.gate): a for a in gate_answers(store, requirements)}
    kinds = [k for k in store.catalogue.procurement.gate_kinds.values() if k.about != "model"]
    others = {platform for platform, gate in given if gate in {kind.id for kind in kinds}}
    every = dict.fromkeys((*platforms(store), *sorted(others)))
    return tuple(
        known(
            name,
            kind,
            given.get((name, kind.id))
            or GateAnswer(name, kind.id, "unknown", "", "", "", None, ""),
        )
        for name in every
        for kind in kinds
        if kind.about == "platform" or (name, kind.id) in given
    )


def answers_on_models(store: Store, requirements: Requirements) -> tuple[KnownAnswer, ...]:
    """Return what is known on the conditions about models, for each model of the evidence.

    The context window is there where the requirements ask for one.
    """
    given = {(a.platform, a.gate): a for a in gate_answers(store, requirements)}
    names = products(store, selection_of(requirements)).models
    found = []
    for name in dict.fromkeys(name.removesuffix(OWN_RESULT) for name in names):
        one = model(store, name)
        least = requirements.min_context_tokens
        facts = model_answers(one, store.catalogue.licence(one), least)
        for kind in store.catalogue.procurement.gate_kinds.values():
            answer = given.get((name, kind.id), facts.get(kind.id))
            if kind.about == "model" and answer is not None:
                found.append(known(one.name, kind, answer))
    return tuple(found)


def known(about: str, kind: GateKind, answer: GateAnswer) -> KnownAnswer:
    """Say how an answer about a platform or a model stands to what a buyer wants."""
    standing: Standing
    if kind.id == RETENTION and answer.answer != "unknown":
        days = 0 if answer.days is None and answer.answer == "no" else answer.days
        if days is not None:
            return KnownAnswer(about, kind, answer, "a figure", str(days))
        standing = "on a condition" if answer.answer == "conditional" else "not known"
    elif answer.answer == "conditional":
        standing = "on a condition"
    elif answer.answer == "unknown":
        standing = "not known"
    else:
        wanted = "no" if kind.wanted == "no" else "yes"
        standing = "as wanted" if answer.answer == wanted else "not as wanted"
    short = {"on a condition": "if", "not known": "?"}.get(standing, answer.answer)
    return KnownAnswer(about, kind, answer, standing, short)
