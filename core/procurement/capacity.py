"""What a set of GPUs can serve, as far as somebody measured it, and what a token then costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError
from core.procurement.architectures import found_for
from core.procurement.hosting import HOURS_A_MONTH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.domain import FloatArray, Model, Throughput

UTILISATIONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_FARTHEST = 4.0
"""A measurement counts for requests up to four times as long or as short as its own."""


@dataclass(frozen=True, slots=True)
class Capacity:
    """Output tokens a second of one set of GPUs; ``None`` where nobody published it."""

    measured: Throughput | None
    sets: int
    """Copies of the measured set among the GPUs; 0 where nothing was measured."""
    tokens_per_second: float | None
    reason: str
    """Why it is unknown, or what was measured, in one sentence."""


@dataclass(frozen=True, slots=True, eq=False)
class UtilisationEffect:
    """Cost per million output tokens over a range of utilisations."""

    utilisation: FloatArray
    """Shares of full load, shape (n,)."""
    usd_per_million: FloatArray
    """US dollars per million output tokens, shape (n,)."""


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
    """Find the published throughput that fits a model, its GPUs and the length of its requests.

    Only measurements of the same model, GPU, number of GPUs (or a whole multiple, as
    independent copies) and bits per weight count. Among them stands the one whose requests are
    closest in length, by the sum of the absolute logarithms of both ratios, if neither input
    nor output is more than four times as long or as short. Nothing is scaled or assumed.

    Parameters
    ----------
    model : Model
        The model; measurements of its base model count.
    rows : sequence of Throughput
        What was published.
    models : mapping of str to Model
        The catalogue, to follow base models.
    gpu : str
        Name of the GPU.
    gpus : int
        GPUs of it.
    bits : int
        Bits per weight.
    input_tokens, output_tokens : float
        Mean tokens of one request.

    Returns
    -------
    Capacity
        At maximum load, so the most that the GPUs can do.

    Raises
    ------
    BadRequestError
        If a number of tokens is not above 0.
    """
    for what, value in (("Input", input_tokens), ("Output", output_tokens)):
        if not 0 < value < math.inf:
            raise BadRequestError(f"{what} tokens per request must be above 0, not {value:g}.")
    mine, base = found_for(model, rows, models)
    if not mine:
        return Capacity(None, 0, None, f"Nobody published how fast {model.name} is on any GPU.")
    same = [r for r in mine if r.gpu == gpu and r.bits == bits and gpus % r.gpus == 0]
    if not same:
        known = dict.fromkeys(f"{r.gpus} x {r.gpu} at {r.bits} bits" for r in mine)
        return Capacity(
            None,
            0,
            None,
            f"Nobody published how fast {model.name} is on {gpus} x {gpu} at {bits} bits; "
            f"known are {', '.join(known)}.",
        )

    def off(row: Throughput) -> tuple[float, float]:
        return (
            abs(math.log(input_tokens / row.input_tokens)),
            abs(math.log(output_tokens / row.output_tokens)),
        )

    near = min(same, key=lambda row: (-row.gpus, sum(off(row))))
    if max(off(near)) > math.log(_FARTHEST):
        shapes = ", ".join(f"{r.input_tokens:,} / {r.output_tokens:,}" for r in same)
        return Capacity(
            None,
            0,
            None,
            f"Requests of {input_tokens:,.0f} tokens in and {output_tokens:,.0f} out are far from "
            f"those that were measured ({shapes}).",
        )
    sets = gpus // near.gpus
    of = f" for its base model {base}" if base else ""
    return Capacity(
        measured=near,
        sets=sets,
        tokens_per_second=near.tokens_per_second * sets,
        reason=(
            f"Measured{of} at maximum load on {near.gpus} x {near.gpu}, {near.precision}, with "
            f"{near.input_tokens:,} tokens in and {near.output_tokens:,} out."
        ),
    )


def requests_a_month(
    tokens_per_second: float,
    output_tokens: float,
    *,
    utilisation: float,
    hours: float = HOURS_A_MONTH,
) -> float:
    """Return how many requests a month a set of GPUs serves at a utilisation.

    Parameters
    ----------
    tokens_per_second : float
        Output tokens a second at maximum load.
    output_tokens : float
        Output tokens of one request.
    utilisation : float
        Share of the maximum load that is reached on average over the month, above 0 to 1. No
        source gives it for a hospital.
    hours : float
        Hours a month.
    """
    _check(utilisation, tokens_per_second=tokens_per_second, output_tokens=output_tokens)
    return tokens_per_second * 3600 * hours * utilisation / output_tokens


def load_share(
    requests: float,
    tokens_per_second: float,
    output_tokens: float,
    *,
    hours: float = HOURS_A_MONTH,
) -> float:
    """Return the utilisation that a month of requests makes; above 1 it does not fit."""
    _check(1.0, tokens_per_second=tokens_per_second, output_tokens=output_tokens)
    return requests * output_tokens / (tokens_per_second * 3600 * hours)


def usd_per_million(
    usd_per_gpu_hour: float, gpus: int, tokens_per_second: float, utilisation: float
) -> float:
    """Return US dollars per million output tokens on rented GPUs.

    usd_per_gpu_hour x gpus / (tokens_per_second x 3600 x utilisation) x 1,000,000

    Parameters
    ----------
    usd_per_gpu_hour : float
        US dollars for one GPU and hour.
    gpus : int
        GPUs that are rented.
    tokens_per_second : float
        Output tokens a second of all of them at maximum load.
    utilisation : float
        Share of the maximum load, above 0 to 1.

    Raises
    ------
    BadRequestError
        If a figure is out of range.
    """
    _check(utilisation, usd_per_gpu_hour=usd_per_gpu_hour, tokens_per_second=tokens_per_second)
    if gpus < 1:
        raise BadRequestError(f"GPUs must be 1 or more, not {gpus}.")
    return usd_per_gpu_hour * gpus / (tokens_per_second * 3600 * utilisation) * 1e6


def utilisation_effect(
    usd_per_gpu_hour: float,
    gpus: int,
    tokens_per_second: float,
    utilisations: Sequence[float] = UTILISATIONS,
) -> UtilisationEffect:
    """Return the cost per million output tokens at each utilisation, for a chart."""
    cost = [usd_per_million(usd_per_gpu_hour, gpus, tokens_per_second, u) for u in utilisations]
    arrays = np.array(utilisations, dtype=float), np.array(cost)
    for array in arrays:
        array.setflags(write=False)
    return UtilisationEffect(*arrays)


def _check(utilisation: float, **above_0: float) -> None:
    if not 0 < utilisation <= 1:
        raise BadRequestError(f"Utilisation must be above 0 and at most 1, not {utilisation:g}.")
    for name, value in above_0.items():
        if not 0 < value < math.inf:
            raise BadRequestError(f"{name.replace('_', ' ')} must be above 0, not {value:g}.")
