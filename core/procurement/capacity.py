"""What a set of GPUs can serve, as far as somebody measured it, and from where on that is cheaper.

A measurement belongs to the length of its requests. The time that a request takes of a fully
loaded set is modelled as

    seconds(x, y) = read x + write y + look y (x + y / 2)

for x tokens in and y out, none of the three rates below 0: to read a token, to write one, and to
look back, for each token written, at all that stand before it. The rates are fitted to all
published lengths of one model on one set of GPUs; the measurement that is closest in length is
then scaled by the ratio of the fitted seconds, so that a published length gives what was published.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError
from core.procurement.hosting import HOURS_A_MONTH, found_for
from core.procurement.workload import check_positive

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.domain import FloatArray, Model, Throughput

USUAL_UTILISATION = 0.2
"""An example, not a finding: no source says what a hospital reaches."""
_FARTHEST = 4.0
"""A measurement counts for requests up to four times as long or as short as its own."""
_FEWEST_FITTED = 4
"""Three rates need one published length more to be a fit."""


@dataclass(frozen=True, slots=True)
class Capacity:
    """What one set of GPUs serves at maximum load; ``None`` where nobody published it."""

    requests_per_second: float | None
    """Requests of the length that was asked for."""
    reason: str
    """Why it is unknown, or what was measured and how it was scaled, in a sentence or two."""


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
    lengths than four there is no fit; then a request counts as so many times a measured one as
    the least favourable of reading, writing and looking back says, and the most favourable
    measurement counts: no rates of 0 or more would serve fewer.

    Parameters
    ----------
    rows, models
        What was published, and the catalogue to follow base models, whose measurements count.
    bits
        Bits per weight.
    input_tokens, output_tokens
        Mean tokens of one request, above 0.
    """
    check_positive("Input tokens per request", input_tokens)
    check_positive("Output tokens per request", output_tokens)
    mine, base = found_for(model, rows, models)
    if not mine:
        return _unknown(f"Nobody published how fast {model.name} is on any GPU.")
    fitting = [r for r in mine if r.gpu == gpu and r.bits == bits and gpus % r.gpus == 0]
    if not fitting:
        known = dict.fromkeys(f"{r.gpus} x {r.gpu} at {r.bits} bits" for r in mine)
        return _unknown(
            f"Nobody published how fast {model.name} is on {gpus} x {gpu} at {bits} bits; "
            f"known are {', '.join(known)}."
        )
    largest = max(row.gpus for row in fitting)
    same = [row for row in fitting if row.gpus == largest]

    def off(row: Throughput) -> tuple[float, float]:
        return (
            abs(math.log(input_tokens / row.input_tokens)),
            abs(math.log(output_tokens / row.output_tokens)),
        )

    near = min(same, key=lambda row: sum(off(row)))
    if max(off(near)) > math.log(_FARTHEST):
        shapes = ", ".join(f"{r.input_tokens:,} / {r.output_tokens:,}" for r in same)
        return _unknown(
            f"Requests of {input_tokens:,.0f} tokens in and {output_tokens:,.0f} out are far from "
            f"those that were measured ({shapes})."
        )
    per_second = gpus // largest * scaled(same, near, input_tokens, output_tokens)
    of = f" for its base model {base}" if base else ""
    exact = (input_tokens, output_tokens) == (near.input_tokens, near.output_tokens)
    how = (
        f"fitted to {len(same)} published lengths"
        if len(same) >= _FEWEST_FITTED
        else "at the least that the published lengths allow"
    )
    return Capacity(
        requests_per_second=per_second,
        reason=(
            f"Measured{of} at maximum load on {near.gpus} x {near.gpu}, {near.precision}, with "
            f"{near.input_tokens:,} tokens in and {near.output_tokens:,} out"
            + (
                "."
                if exact
                else f"; scaled to {input_tokens:,.0f} in and {output_tokens:,.0f} out by what "
                f"reading and writing take, {how}."
            )
        ),
    )


def scaled(
    same: Sequence[Throughput], near: Throughput, input_tokens: float, output_tokens: float
) -> float:
    """Return requests a second of one length, from published ones of others.

    ``same`` are all lengths that were published for one model on one set of GPUs, at least one;
    ``near`` is the one of them that is scaled where there is a fit.
    """
    asked = _work(input_tokens, output_tokens)
    lengths = np.array([_work(row.input_tokens, row.output_tokens) for row in same])
    seconds = np.array([row.output_tokens / row.tokens_per_second for row in same])
    if len(same) < _FEWEST_FITTED:
        # A request takes at most as many times as long as its worst part.
        return float((1 / (seconds * (asked / lengths).max(axis=1))).max())
    rates = fitted_rates(lengths, seconds)
    at = list(same).index(near)
    return float(lengths[at] @ rates / (seconds[at] * (asked @ rates)))


def fitted_rates(lengths: FloatArray, seconds: FloatArray) -> FloatArray:
    """Fit rates of 0 or more to the seconds of requests, by least squares of relative errors.

    Parameters
    ----------
    lengths : array of shape (n, 3)
        Tokens read, tokens written, and pairs looked back at, of n lengths of requests.
    seconds : array of shape (n,)
        What one request of each takes of a fully loaded set; above 0.

    Returns
    -------
    array of shape (3,)
        Seconds for each. The exact solution of the non-negative problem: with three rates, the
        best of the plain solutions over all sets of rates that are not 0.
    """
    relative = lengths / seconds[:, None]
    unit = relative.max(axis=0)
    best, least = np.zeros(3), math.inf
    for size in (1, 2, 3):
        for chosen in map(list, combinations(range(3), size)):
            part = relative[:, chosen] / unit[chosen]
            found = np.linalg.lstsq(part, np.ones(len(seconds)), rcond=None)[0]
            error = float(((part @ found - 1) ** 2).sum())
            if (found >= 0).all() and error < least:
                least, best = error, np.zeros(3)
                best[chosen] = found / unit[chosen]
    return best


def _work(input_tokens: float, output_tokens: float) -> FloatArray:
    return np.array(
        [input_tokens, output_tokens, output_tokens * (input_tokens + output_tokens / 2)]
    )


def _unknown(reason: str) -> Capacity:
    return Capacity(None, reason)


def requests_a_month(
    requests_per_second: float, *, utilisation: float, hours: float = HOURS_A_MONTH
) -> float:
    """Return how many requests a month a set of GPUs serves at a utilisation.

    That is the share of the maximum load that is reached on average over the month, above 0 to 1.
    No source gives it for a hospital.
    """
    _check_share(utilisation)
    check_positive("Requests per second", requests_per_second)
    return requests_per_second * 3600 * hours * utilisation


def _check_share(utilisation: float) -> None:
    if not 0 < utilisation <= 1:
        raise BadRequestError(f"Utilisation must be above 0 and at most 1, not {utilisation:g}.")


@dataclass(frozen=True, slots=True)
class BreakEven:
    """Where two bills meet, in requests a month."""

    requests: float | None
    """Lowest volume a month at which both cost the same; ``None`` where there is none or it is
    not known whether the servers can serve it."""
    at_least: float
    """Below this volume the price per token is cheaper for certain, whatever the servers can
    serve: it is where the bill reaches the cost of one set."""
    for_good: float | None
    """Volume from which own servers never cost more again, steps included; ``None`` as above."""
    reason: str
    """What the figures say, in one sentence."""


def break_even(
    api_usd_per_request: float, set_usd_per_month: float, capacity: float | None
) -> BreakEven:
    """Find the monthly volume at which own servers cost the same as paying per token.

    With a price a per request, a cost H of one set of GPUs and a capacity C of requests a
    month, n requests cost a n there and H ceil(n / C) here. Within the k-th set both are equal
    at n = k H / a, which the sets can serve where H / a <= C. After each further set the price
    per token may be cheaper again for a while, until k >= H / (a C - H).

    Where the capacity at the utilisation assumed is unknown, only ``at_least`` is certain.
    """
    check_positive("The price of a request", api_usd_per_request)
    check_positive("The cost of a set of GPUs", set_usd_per_month)
    check_positive("The capacity", 1.0 if capacity is None else capacity)
    least = set_usd_per_month / api_usd_per_request
    requests = for_good = None
    if capacity is None:
        reason = (
            f"Below {least:,.0f} requests a month the price per token is cheaper for certain. "
            "Whether one set of GPUs can serve more is not known."
        )
    elif least > capacity:
        reason = (
            f"Never: one set of GPUs serves {capacity:,.0f} requests a month, and it would take "
            f"{least:,.0f} to pay for it."
        )
    else:
        requests = least
        spare = api_usd_per_request * capacity - set_usd_per_month
        if spare > 0:
            for_good = max(1, math.ceil(set_usd_per_month / spare)) * least
        reason = f"From {least:,.0f} requests a month on, own servers cost no more."
        if for_good is None or for_good > least:
            reason += " Each further set of GPUs can make the price per token cheaper for a while."
    return BreakEven(requests, least, for_good, reason)
