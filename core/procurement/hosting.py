"""What own servers take, cost and serve, and from where on they are cheaper than the token.

The memory formulas are those of llm-cal 0.2.0 (a Python package, 2026). A gigabyte is 10^9
bytes throughout, for models and GPUs alike. What is not known of a model's architecture is taken
from its base model, else from its size class.

A measurement of throughput belongs to the length of its requests. The time that a request takes of
a fully loaded set is modelled as

    seconds(x, y) = read x + write y + look y (x + y / 2)

for x tokens in and y out, none of the three rates below 0: to read a token, to write one, and to
look back, for each token written, at all that come before it. The rates are fitted to all
published lengths of one model on one set of GPUs; the measurement that is closest in length is
then scaled by the ratio of the fitted seconds, so that a published length gives what was published.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import scipy

from core.domain import (
    Architecture,
    BadRequestError,
    Bill,
    GpuKind,
    GpuOffer,
    Hardware,
    HourlyPrice,
    Lacking,
    Model,
    MonthlyCost,
    OwnRent,
    Throughput,
)

if TYPE_CHECKING:
    from core.domain import FloatArray

HOURS_A_MONTH = 730.0
"""365 x 24 / 12: a machine that is never switched off."""
BYTES_PER_WEIGHT = {16: 2.0, 8: 1.0, 4: 0.55}
"""By bits. Four bits take 0.55 bytes with their scales (GPTQ, AWQ). Source: llm-cal 0.2.0."""
OVERHEAD = 0.2
"""Share added to weights and cache. An assumption: no source measures it."""
A_NODE = 8
"""GPUs of the largest machine that one can rent."""
SETS = (1, 2, 4, A_NODE)
"""GPUs that one copy of a model is split over within a machine; beyond, whole machines."""
WITH_FP8 = 8
"""Bits per weight at which a GPU computes where it has FP8."""
SIZE_CLASSES_B = (4.0, 16.0, 50.0, 150.0, math.inf)
"""Upper ends of the size classes, billions of parameters."""
_SAME_SIZE = 0.05
"""A fine-tune has the size of its base; a merge that adds layers has another architecture."""
_MOST_STEPS = 5


@dataclass(frozen=True, slots=True)
class CacheSize:
    """Bytes of cache that one token takes at 16 bits, and where the figure comes from."""

    low: float
    likely: float
    high: float
    architecture: Architecture | None
    """Its own or its base model's; ``None`` where the figures are an estimate."""
    base: str = ""
    """The base model that the architecture is of; empty for its own."""
    n_known: int = 0
    """Architectures of its size class that the estimate is from."""
    sizes_b: tuple[float, float] = (0.0, math.inf)
    """Ends of the size class, billions of parameters."""


@dataclass(frozen=True, slots=True)
class Hosting:
    """What one copy of a model takes on GPUs of one kind. ``None`` is unknown."""

    gpu: str
    lacking: Lacking
    """Why there is no bill; empty where there is one."""
    hourly: HourlyPrice | None
    memory_gb: float | None = None
    """GPU memory of one copy, 10^9 bytes."""
    cache: CacheSize | None = None
    bits: int = 16
    """Of a weight: as asked, or fewer where it is published at fewer alone."""
    gpus: tuple[int, int, int] | None = None
    """Low, likely and high number of GPUs."""
    weights_only: bool = False
    """Whether the GPU keeps the weights at 8 bits and computes at 16, since it has no FP8."""


def hosting(
    model: Model,
    gpu: str,
    hardware: Hardware,
    *,
    offers: Sequence[GpuOffer],
    kinds: Mapping[str, GpuKind],
    architectures: Sequence[Architecture],
    models: Mapping[str, Model],
) -> Hosting:
    """Work out what running a model on GPUs of one kind takes, and what an hour of one costs.

    Memory is all parameters times bytes per weight, plus the cache, plus the overhead on both;
    GPUs are the smallest set that one can rent and split the model over that has as much. The low
    figure takes the smallest cache, the high figure the largest. A mixture of experts loads all
    its parameters. A model that is published at fewer bits than asked is kept at these; where its
    maker says what memory is enough, and weights and cache take less, that goes before the
    overhead. Of the offers only those on demand count; ``kinds`` are the GPUs by name, and
    ``models`` is the catalogue, to follow base models.

    What is not known stays ``None``, and ``lacking`` says why.
    """
    hourly = hourly_price(gpu, offers, hardware.own_rents)
    lacking, cache = cannot_run(model), cache_size(model, architectures, models)
    if lacking or cache is None or model.params_b is None:
        return Hosting(gpu, lacking or "architecture", hourly)
    shapes, base = found_for(model, architectures, models)
    shape = shapes[0] if shapes else None
    released = shape.released_bits if shape and not base else None
    bits = min(hardware.bits, released or hardware.bits)
    weights = model.params_b * BYTES_PER_WEIGHT[bits]
    tokens_g = hardware.context_tokens * hardware.concurrent / 1e9
    fits = (shape.fits_gb if released and shape else None) or math.inf
    low_gb, total_gb, high_gb = (
        fits if gb <= fits < gb * (1 + OVERHEAD) else gb * (1 + OVERHEAD)
        for gb in (weights + tokens_g * each for each in (cache.low, cache.likely, cache.high))
    )
    need = (total_gb, cache, bits)
    room, kind = next((o.memory_gb for o in offers if o.gpu == gpu), 0.0), kinds.get(gpu)
    if not room:
        known = ", ".join(dict.fromkeys(offer.gpu for offer in offers))
        raise BadRequestError(f'There is no GPU "{gpu[:40]}"; known are {known}.')
    if kind and kind.bf16 == "no" and shape and shape.float16 == "refused":
        return Hosting(gpu, "number format", hourly, *need)
    low, likely, high = (
        gpu_set(math.ceil(gb / room), kind, shape) for gb in (low_gb, total_gb, high_gb)
    )
    if low is None or likely is None or high is None:
        return Hosting(gpu, "set", hourly, *need)
    weights_only = bits == WITH_FP8 and kind is not None and kind.fp8 == "weights only"
    missing: Lacking = "" if hourly else "price"
    return Hosting(gpu, missing, hourly, *need, (low, likely, high), weights_only)


def gpu_set(least: int, kind: GpuKind | None, architecture: Architecture | None) -> int | None:
    """Return the smallest set of at least this many GPUs that exists and that splits the model.

    1, 2, 4 or 8 in a machine, or whole machines of 8 where the kind is joined over them. Within a
    machine the attention heads are divided, which have to come out even, and so do the heads whose
    keys and values are kept, or several GPUs share one; what is not known of them forbids nothing.
    ``None`` where there is none.
    """

    def splits(over: int) -> bool:
        heads, kept = (
            (architecture.attention_heads, architecture.kv_heads) if architecture else (None, None)
        )
        shared = kept is None or kept % over == 0 or over % kept == 0
        return shared and (heads is None or heads % over == 0)

    if (size := next((n for n in SETS if n >= least and splits(n)), None)) is not None:
        return size
    joined = kind is not None and kind.over_nodes and splits(A_NODE)
    return math.ceil(least / A_NODE) * A_NODE if joined else None


def hourly_price(
    gpu: str, offers: Sequence[GpuOffer], own: Sequence[OwnRent] = ()
) -> HourlyPrice | None:
    """Return the hospital's own rent of a GPU, else the range of on-demand prices.

    Low and high are the lowest and the highest offer; likely is the median over providers of
    each provider's median, so that one who lists many machines does not outweigh the others.
    Prices per second and starting prices of market places are left out. ``None`` without an
    on-demand offer.
    """
    for rent in own:
        if rent.gpu == gpu:
            usd = rent.usd_per_gpu_hour
            return HourlyPrice(gpu, usd, usd, usd, rent.as_of, own_source=rent.source)
    on_demand = [o for o in offers if o.gpu == gpu and o.pricing_type == "on-demand"]
    if not on_demand:
        return None
    by_provider: dict[str, list[float]] = {}
    for offer in on_demand:
        by_provider.setdefault(offer.provider, []).append(offer.usd_per_gpu_hour)
    dates = [o.as_of for o in on_demand if o.as_of != "undated"]
    lowest = min(on_demand, key=lambda offer: offer.usd_per_gpu_hour)
    return HourlyPrice(
        gpu=gpu,
        low=lowest.usd_per_gpu_hour,
        likely=median(median(prices) for prices in by_provider.values()),
        high=max(o.usd_per_gpu_hour for o in on_demand),
        newest=max(dates, default="undated"),
        oldest=min(dates, default=""),
        low_at=lowest.provider if lowest.offer == gpu else f"{lowest.provider} {lowest.offer}",
        low_of=lowest.as_of,
    )


def cannot_run(model: Model) -> Lacking:
    """Say what keeps a model from own servers; empty for one whose size is known and open."""
    if model.is_reference:
        return "product"
    if model.access != "open":
        return "open weights" if model.access == "closed" else "known weights"
    return "size" if model.params_b is None else ""


_Row = TypeVar("_Row", bound="Architecture | Throughput")


def found_for(
    model: Model, rows: Sequence[_Row], models: Mapping[str, Model]
) -> tuple[list[_Row], str]:
    """Return the rows about a model or, without any, about the model it was made from.

    Its aliases and the model that it mirrors count as itself; ``models`` is the catalogue, to
    follow base models. A base of another size (more than 5 % apart) or a merge of several is no
    base here. The second part names the base that the rows are about, if they are.
    """
    it: Model | None = model
    names, base = {model.id, *model.aliases, *filter(None, [model.mirror_of])}, ""
    for _ in range(1 + _MOST_STEPS):
        if rows_of := [row for row in rows if names & {row.model, *row.also}]:
            return rows_of, base
        base = it.base_model if it else ""
        it = models.get(base)
        size = it.params_b if it else None
        if not base or (
            model.params_b and size and not math.isclose(model.params_b, size, rel_tol=_SAME_SIZE)
        ):
            break
        names = {base, *(it.aliases if it else ())}
    return [], ""


def cache_size(
    model: Model, architectures: Sequence[Architecture], models: Mapping[str, Model]
) -> CacheSize | None:
    """Return the cache that a token takes in a model, known or estimated.

    The estimate is the lowest, the median and the highest of the known architectures in the
    model's size class; ``None`` where size or such architectures are unknown.
    """
    known, base = found_for(model, architectures, models)
    if known and (size := known[0].kv_bytes_per_token):
        return CacheSize(size, size, size, known[0], base)
    if model.params_b is None:
        return None
    above = next(end for end in SIZE_CLASSES_B if model.params_b <= end)
    below = max((end for end in SIZE_CLASSES_B if end < above), default=0.0)
    sizes = [
        size
        for a in architectures
        if below < a.params_b <= above and (size := a.kv_bytes_per_token)
    ]
    if not sizes:
        return None
    return CacheSize(min(sizes), median(sizes), max(sizes), None, "", len(sizes), (below, above))


_FARTHEST = 4.0
"""A measurement counts for requests up to four times as long or as short as its own."""
_FEWEST_FITTED = 4
"""Three rates need one published length more to be a fit."""


@dataclass(frozen=True, slots=True)
class Capacity:
    """What one set of GPUs serves at maximum load."""

    requests_per_second: float | None
    """Requests of the length that was asked for; ``None`` where nobody published it."""
    input_tokens: float
    output_tokens: float
    """The length that was asked for."""
    published: tuple[Throughput, ...]
    """The measurement that was scaled, alone; else the model's, if not on such GPUs, or those on
    such GPUs, if of lengths far from it."""
    on_such_gpus: bool = True
    base: str = ""
    """The base model that was measured in its place."""


def capacity(
    model: Model,
    rows: Sequence[Throughput],
    models: Mapping[str, Model],
    *,
    gpu: str,
    gpus: int,
    bits: int,
    input_tokens: float,
    output_tokens: float,
) -> Capacity:
    """Work out from published throughput what GPUs serve of requests of one length.

    Only measurements of the same model, GPU, number of GPUs (or a whole multiple, as
    independent copies) and bits per weight count. The one whose requests are closest in length,
    by the sum of the absolute logarithms of both ratios, is scaled to the length asked for, if
    neither input nor output is more than four times as long or as short. With fewer published
    lengths than four there is no fit; then a request counts as this many times a measured one as
    the least favourable of reading, writing and looking back says, and the most favourable
    measurement counts: no rates of 0 or more would serve fewer.

    ``input_tokens`` and ``output_tokens`` are the mean of one request; ``models`` is the
    catalogue, to follow base models, whose measurements count.
    """
    mine, base = found_for(model, rows, models)
    asked = (input_tokens, output_tokens)
    fitting = [r for r in mine if r.gpu == gpu and r.bits == bits and gpus % r.gpus == 0]
    if not fitting:
        return Capacity(None, *asked, tuple(mine), on_such_gpus=False)
    largest = max(row.gpus for row in fitting)
    same = [row for row in fitting if row.gpus == largest]

    def off(row: Throughput) -> tuple[float, float]:
        return (
            abs(math.log(input_tokens / row.input_tokens)),
            abs(math.log(output_tokens / row.output_tokens)),
        )

    near = min(same, key=lambda row: sum(off(row)))
    if max(off(near)) > math.log(_FARTHEST):
        return Capacity(None, *asked, tuple(same))
    per_second = gpus // largest * scaled_to(same, near, input_tokens, output_tokens)
    return Capacity(per_second, *asked, (near,), base=base)


def scaled_to(
    same: Sequence[Throughput], near: Throughput, input_tokens: float, output_tokens: float
) -> float:
    """Return requests a second of one length, from published ones of others.

    ``same`` are all lengths that were published for one model on one set of GPUs, at least one;
    ``near`` is the one of them that is scaled where there is a fit.
    """

    def work(read: float, written: float) -> FloatArray:
        return np.array([read, written, written * (read + written / 2)])

    asked = work(input_tokens, output_tokens)
    lengths = np.array([work(row.input_tokens, row.output_tokens) for row in same])
    seconds = np.array([row.output_tokens / row.tokens_per_second for row in same])
    if len(same) < _FEWEST_FITTED:
        # A request takes at most as many times as long as its worst part.
        return float((1 / (seconds * (asked / lengths).max(axis=1))).max())
    relative = lengths / seconds[:, None]
    unit = relative.max(axis=0)
    rates = scipy.optimize.nnls(relative / unit, np.ones(len(same)))[0] / unit
    at = list(same).index(near)
    return float(lengths[at] @ rates / (seconds[at] * (asked @ rates)))


@dataclass(frozen=True, slots=True)
class BreakEven:
    """Where two bills meet, in requests a month."""

    requests: float | None
    """Lowest volume a month at which both cost the same; ``None`` where there is none or it is
    not known whether the servers can serve it."""
    at_least: float
    """Below this volume the price per token is cheaper, whatever the servers can serve: it is
    where the bill reaches the cost of one set."""


def break_even(
    api_usd_per_request: float, set_usd_per_month: float, capacity: float | None, spares: int = 0
) -> BreakEven:
    """Find the monthly volume at which own servers cost the same as paying per token.

    With a price a per request, a cost H of one set of GPUs, a capacity C of requests a month and s
    spare sets, n requests cost a n there and H (ceil(n / C) + s) here. Within the k-th set both are
    equal at n = (k + s) H / a, which the sets can serve where that is at most k C: the first such
    k counts. After each further set the price per token may be cheaper again for a while.

    Where the capacity at the utilisation assumed is unknown, so is this volume.
    """
    one = set_usd_per_month / api_usd_per_request
    least = (1 + spares) * one
    if capacity is None or one > capacity or (spares and one == capacity):
        return BreakEven(None, least)
    first = math.ceil(spares * one / (capacity - one)) if spares else 1
    return BreakEven((first + spares) * one, least)


@dataclass(frozen=True, slots=True, eq=False)
class OwnServers:
    """What one model costs on own servers and by the token."""

    model: Model
    hosting: Hosting
    cost: MonthlyCost
    capacity: Capacity | None
    """Of the likely set; ``None`` where there is none, or no workload."""
    requests: float
    """A month, of the whole workload."""
    bill: Bill | None
    """By the token, the cheapest; ``None`` where there is no public price."""
    meets: tuple[BreakEven, BreakEven, BreakEven] | None
    """Where both cost the same by the likely bill, at the lowest, the likely and the highest rent
    of the likely set; ``None`` where one of the two costs is not known."""
    bill_ends: tuple[float, float] = (0.0, 0.0)
    """The bill at its lowest and at its highest, US dollars a month."""
    certain_below: float = 0.0
    """Requests a month below which the token is cheaper for certain: where the highest bill
    reaches the smallest set, with its spares, at the lowest rent. 0 where nothing is certain."""
