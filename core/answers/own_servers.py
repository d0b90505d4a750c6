"""Own servers against paying by the token, for one model with open weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from core.answers.bills import provider_bills, requests_a_month, workloads
from core.answers.data import matrix, model, selection_of
from core.answers.monthly_costs import capacity_of, hosted_as, monthly_costs
from core.answers.recommend import shortlist
from core.answers.remembering import remembered
from core.procurement.capacity import break_even
from core.procurement.capacity import requests_a_month as served
from core.procurement.workload import mean_tokens

if TYPE_CHECKING:
    from datetime import date

    from core.domain import Bill, FloatArray, HiddenTokens, Model, Requirements, WorkloadLine
    from core.evidence.store import Store
    from core.procurement.capacity import BreakEven, Capacity
    from core.procurement.hosting import Hosting, Setup

    Cases = tuple["Case", "Case", "Case"]

_POINTS = 241
_MARGIN = 10.0
"""The picture goes so many times below and above the volumes that matter."""


@dataclass(frozen=True, slots=True)
class Hostable:
    """Which models of an evidence base can be run on own servers."""

    models: tuple[Model, ...]
    """Open weights and known size; as the shortlist has them, then the rest by name."""
    lacking: tuple[tuple[Model, str], ...]
    """The others, and what is missing."""


@dataclass(frozen=True, slots=True)
class Case:
    """The low, the likely or the high figures of own servers."""

    gpus: int
    monthly_usd: float
    """US dollars a month for one set of GPUs, whatever it serves."""
    capacity: Capacity
    requests: float | None
    """Requests a month that one set serves at the utilisation; ``None`` is unknown."""
    break_even: BreakEven | None
    """``None`` where nobody prints a price per token."""


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """Both monthly costs over a range of volumes, evenly spaced in logarithms."""

    requests: FloatArray
    """Requests a month, shape (n,)."""
    api_usd: FloatArray | None
    """US dollars a month, shape (n,); ``None`` where there is no public price."""
    own_usd: FloatArray
    """Low, likely and high US dollars a month, shape (3, n); one set of GPUs throughout where
    its capacity is unknown."""


@dataclass(frozen=True, slots=True, eq=False)
class OwnServers:
    """What one model costs on own servers and by the token."""

    model: Model
    hosting: Hosting
    input_tokens: float | None = None
    """Mean tokens of a request; ``None`` where the evidence base has no workload."""
    output_tokens: float | None = None
    """Likely hidden reasoning included."""
    hidden: HiddenTokens | None = None
    """Of a model that reasons, of the first line of the workload."""
    bills: tuple[Bill, ...] = ()
    """By provider, cheapest first; empty where there is no public price."""
    api_usd_per_request: float | None = None
    """At the cheapest provider."""
    cases: Cases | None = None
    """Low, likely, high; ``None`` where own servers have no bill, or there is no workload."""
    curves: Curves | None = None


@remembered(maxsize=64)
def hostable(store: Store, requirements: Requirements, on: date) -> Hostable:
    """Return the models of an evidence base that can be run on own servers, best ranked first.

    Limits of the question, such as a budget, do not leave a model out here.
    """
    rows = shortlist(store, requirements, on).rows
    order = {row.model.id: place for place, row in enumerate(rows) if row.rank is not None}
    found = sorted(
        (model(store, name) for name in matrix(store, selection_of(requirements)).models),
        key=lambda m: (order.get(m.id, len(order)), m.name.lower(), m.id),
    )
    lacking = [(m, why) for m in found if (why := _lacks(m))]
    out = {m.id for m, _ in lacking}
    return Hostable(tuple(m for m in found if m.id not in out), tuple(lacking))


@remembered(maxsize=128)
def own_servers(
    store: Store,
    requirements: Requirements,
    on: date,
    model_id: str,
    setup: Setup,
    utilisation: float,
) -> OwnServers:
    """Hold the bill of own servers against the bill by the token.

    Each of the low, likely and high figures has its own number of GPUs, hence its own capacity.

    ``requirements`` give the workload; ``utilisation`` is the share of the maximum load that is
    reached on average, above 0 to 1.
    """
    asked, hosted = model(store, model_id), hosted_as(store, model_id, setup)
    lines = workloads(store, (model_id,), requirements)[model_id]
    if not lines:
        return OwnServers(asked, hosted)
    read, written = mean_tokens(lines)
    found = provider_bills(store, model_id, requirements, on)
    volume = requests_a_month(store, requirements)
    per_request = found[0].monthly_usd / volume if found and found[0].monthly_usd > 0 else None
    cases = _cases(store, model_id, hosted, lines, per_request, utilisation)
    return OwnServers(
        model=asked,
        hosting=hosted,
        input_tokens=read,
        output_tokens=written,
        hidden=lines[0].profile.hidden,
        bills=found,
        api_usd_per_request=per_request,
        cases=cases,
        curves=_curves(cases, per_request, volume) if cases else None,
    )


def own_usd(case: Case, requests: float) -> float:
    """Return US dollars a month on own servers for a volume, in whole sets of GPUs.

    One set where its capacity is unknown: at least that.
    """
    return float(_own_usd(case, np.array([requests]))[0])


def gpus_on_offer(store: Store) -> tuple[str, ...]:
    """Return the GPUs of which prices were collected, in the table's order."""
    return tuple(dict.fromkeys(offer.gpu for offer in store.catalogue.procurement.gpus))


def usual_gpu(store: Store, model_id: str, requirements: Requirements, on: date) -> str:
    """Return the hospital's own GPU, else the cheapest that holds a model; errors as above.

    The first of the table for a model that no machine on offer holds.
    """
    own = replace(requirements, access="own")
    found = monthly_costs(store, (model_id,), own, on)[model_id]
    return requirements.gpu or found.gpu or gpus_on_offer(store)[0]


def _cases(
    store: Store,
    model_id: str,
    hosted: Hosting,
    lines: tuple[WorkloadLine, ...],
    per_request: float | None,
    utilisation: float,
) -> Cases | None:
    usd, gpus, setup = hosted.monthly_usd, hosted.gpus, hosted.setup
    if usd is None or gpus is None:
        return None

    def case(number: int, monthly: float) -> Case:
        measured = capacity_of(store, model_id, setup, number, lines)
        speed, serves = measured.requests_per_second, None
        if speed is not None:
            serves = served(speed, utilisation=utilisation, hours=setup.hours)
        meets = break_even(per_request, monthly, serves) if per_request else None
        return Case(number, monthly, measured, serves, meets)

    return (
        case(gpus[0], usd.low),
        case(gpus[1], usd.likely),
        case(gpus[2], usd.high),
    )


def _curves(cases: Cases, per_request: float | None, volume: float) -> Curves:
    marks = [volume, *(case.break_even.at_least for case in cases if case.break_even)]
    requests = np.geomspace(min(marks) / _MARGIN, max(marks) * _MARGIN, _POINTS)
    own = np.stack([_own_usd(case, requests) for case in cases])
    api = None if per_request is None else requests * per_request
    for array in (requests, own, *([] if api is None else [api])):
        array.setflags(write=False)
    return Curves(requests, api, own)


def _own_usd(case: Case, requests: FloatArray) -> FloatArray:
    if case.requests is None:
        return np.full_like(requests, case.monthly_usd)
    sets: FloatArray = np.ceil(requests / case.requests).clip(min=1)
    return sets * case.monthly_usd


def _lacks(candidate: Model) -> str:
    if candidate.is_reference:
        return "a line to compare with, no product"
    if candidate.access == "closed":
        return "its weights are closed"
    if candidate.access != "open":
        return "not known whether its weights can be downloaded: ask the vendor"
    if candidate.params_b is None:
        return "its size is not disclosed: ask the vendor"
    return ""
