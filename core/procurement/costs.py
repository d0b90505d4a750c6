"""What a month of work costs: tokens per request, a workload, and its bill in US dollars.

Tokens per request come from MedHELM's published counts: real input, but only the maximum
output, so a bill made of them is an upper bound. An unknown price gives no bill, never 0.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import fmean, median
from typing import TYPE_CHECKING

from core.domain import BadDataError, BadRequestError, Bill, Price, TokenProfile, WorkloadLine
from core.procurement.prices import request_cost_usd

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from core.domain import Benchmark, TokenRow

    RequestCost = Callable[[Price, float, float], float]

ALL = "all"
"""Key of the profile over all benchmarks."""
SUITE = "medhelm"
"""The suite that publishes token counts."""
UPPER_BOUND = "; output is the benchmark's maximum, an upper bound"
"""End of the basis of a profile whose output was not set by the user."""


def token_profiles(
    token_rows: Sequence[TokenRow], benchmarks: Sequence[Benchmark]
) -> dict[str, TokenProfile]:
    """Work out tokens per request for each MedHELM category.

    Tokens per instance are the median over models within a benchmark, since two reasoning
    models may write thirty times as much as the other seven, then the mean over benchmarks, so
    that a benchmark with many instances does not outweigh the others.

    Parameters
    ----------
    token_rows : sequence of TokenRow
        Published counts.
    benchmarks : sequence of Benchmark
        The catalogue; benchmarks of other suites are passed over, and so are benchmarks
        without published counts.

    Returns
    -------
    dict of str to TokenProfile
        Per category in the catalogue's order, then ``"all"`` over all benchmarks; tokens per
        request. Empty when there is no row at all.

    Raises
    ------
    BadDataError
        If a row names an unknown benchmark, has no instances or a negative count, or repeats
        a benchmark and model.
    """
    categories = {b.id: b.category for b in benchmarks if b.suite == SUITE}
    rows_of: dict[str, dict[str, TokenRow]] = {}
    for row in token_rows:
        where = f"Token counts of {row.model} on {row.benchmark}"
        if row.benchmark not in categories:
            raise BadDataError(f"{where}: the catalogue has no such MedHELM benchmark.")
        if row.n_instances <= 0 or row.input_tokens < 0 or row.max_output_tokens < 0:
            raise BadDataError(f"{where}: no instances, or a negative count.")
        if row.model in rows_of.setdefault(row.benchmark, {}):
            raise BadDataError(f"{where}: there are two rows.")
        rows_of[row.benchmark][row.model] = row

    members: dict[str, list[tuple[float, float]]] = {}
    everything: list[tuple[float, float]] = []
    for benchmark, category in categories.items():
        rows = rows_of.get(benchmark, {}).values()
        if rows:
            tokens = (
                median(row.input_tokens / row.n_instances for row in rows),
                median(row.max_output_tokens / row.n_instances for row in rows),
            )
            members.setdefault(category, []).append(tokens)
            everything.append(tokens)
    if everything:
        members[ALL] = everything
    return {category: _profile(category, tokens) for category, tokens in members.items()}


def workload(
    weights: Sequence[tuple[str, float]],
    profiles: Mapping[str, TokenProfile],
    *,
    requests_per_month: float,
    input_tokens: float | None = None,
    output_tokens: float | None = None,
) -> tuple[WorkloadLine, ...]:
    """Spread a month's requests over task categories.

    Parameters
    ----------
    weights : sequence of (str, float)
        Category and weight; weights need not sum to 1. A weight of 0 gives no line.
    profiles : mapping of str to TokenProfile
        Tokens per request, as `token_profiles` gives them. A category without a profile takes
        ``"all"``, and its basis says so.
    requests_per_month : float
        Requests a month over all categories.
    input_tokens, output_tokens : float, optional
        Tokens per request, in place of the profiles' for every category. ``None`` keeps the
        profile's.

    Returns
    -------
    tuple of WorkloadLine
        One line per category with a positive weight, in the order of ``weights``; the
        requests sum to ``requests_per_month``.

    Raises
    ------
    BadRequestError
        If requests or tokens are not above 0, a weight is negative or not finite, or no
        weight is above 0.
    BadDataError
        If a category needs the profile ``"all"`` and there is none.
    """
    _check_positive("Requests per month", requests_per_month)
    if input_tokens is not None:
        _check_positive("Input tokens per request", input_tokens)
    if output_tokens is not None:
        _check_positive("Output tokens per request", output_tokens)
    for category, weight in weights:
        if not math.isfinite(weight) or weight < 0:
            raise BadRequestError(f"The weight of {category} must be 0 or more, not {weight:g}.")
    total = math.fsum(weight for _, weight in weights)
    if total <= 0:
        raise BadRequestError("At least one category must have a weight above 0.")
    return tuple(
        WorkloadLine(
            category=category,
            requests_per_month=requests_per_month * (weight / total),
            profile=request_profile(category, profiles, input_tokens, output_tokens),
        )
        for category, weight in weights
        if weight > 0
    )


def request_profile(
    category: str,
    profiles: Mapping[str, TokenProfile],
    input_tokens: float | None,
    output_tokens: float | None,
) -> TokenProfile:
    """Return the tokens of one request of a category: the profile's, or the user's own.

    Parameters
    ----------
    category : str
        The category; without a profile it takes ``"all"``, and the basis says so.
    profiles : mapping of str to TokenProfile
        As `token_profiles` gives them.
    input_tokens, output_tokens : float or None
        Tokens per request in place of the profile's; ``None`` keeps the profile's.

    Raises
    ------
    BadDataError
        If the profile ``"all"`` is needed and there is none.
    """
    if input_tokens is not None and output_tokens is not None:
        return TokenProfile(category, input_tokens, output_tokens, 0, "set by you")
    profile = profiles.get(category)
    if profile is None:
        if ALL not in profiles:
            raise BadDataError(f"There are no token counts for {category}, nor for all tasks.")
        profile = replace(
            profiles[ALL],
            category=category,
            basis=f"no token counts for this category, so all: {profiles[ALL].basis}",
        )
    if input_tokens is not None:
        return replace(
            profile, input_tokens=input_tokens, basis=f"input set by you; {profile.basis}"
        )
    if output_tokens is not None:
        basis = f"output set by you; {profile.basis.removesuffix(UPPER_BOUND)}"
        return replace(profile, output_tokens=output_tokens, basis=basis)
    return profile


def bill(
    prices: Sequence[Price],
    lines: Sequence[WorkloadLine],
    *,
    request_cost: RequestCost = request_cost_usd,
) -> Bill | None:
    """Work out what a workload costs a month with one model.

    The sum over lines of requests times the cost of one request of that line's mean length, with
    the likely hidden reasoning of a model that reasons among the tokens written.

    Parameters
    ----------
    prices : sequence of Price
        Public prices of the one model, one per provider.
    lines : sequence of WorkloadLine
        The workload.
    request_cost : callable, optional
        US dollars of one request, from a price, input tokens and output tokens. The default
        looks the public price up with its tiers for long requests; give
        `flat_request_cost_usd` for prices typed in by hand.

    Returns
    -------
    Bill or None
        US dollars a month at the provider that is cheapest for this workload, the first one
        among equals; ``None`` when there is no price, which means unknown.

    Raises
    ------
    BadRequestError
        If there is no line, a line has no requests or tokens, or the prices are of more than
        one model.
    BadDataError
        If a price is not in the installed price list (see `request_cost`).
    """
    return next(iter(bills(prices, lines, request_cost=request_cost)), None)


def bills(
    prices: Sequence[Price],
    lines: Sequence[WorkloadLine],
    *,
    request_cost: RequestCost = request_cost_usd,
) -> tuple[Bill, ...]:
    """Work out what a workload costs a month with one model at each of its providers.

    Parameters, errors and each bill are those of `bill`.

    Returns
    -------
    tuple of Bill
        Cheapest first, equals in the order of ``prices``; empty where there is no price, which
        means unknown.
    """
    if not lines:
        raise BadRequestError("A bill needs a workload of at least one line.")
    if len({price.model for price in prices}) > 1:
        raise BadRequestError("A bill is for one model; the prices are of several.")
    for line in lines:
        _check_positive(f"Requests per month of {line.category}", line.requests_per_month)
        _check_positive(f"Input tokens of {line.category}", line.profile.input_tokens)
        _check_positive(f"Output tokens of {line.category}", line.profile.output_tokens)
    found = [_bill_at(price, lines, request_cost) for price in prices]
    return tuple(sorted(found, key=lambda each: each.monthly_usd))


def flat_request_cost_usd(price: Price, input_tokens: float, output_tokens: float) -> float:
    """Price one request at the printed rates alone, whatever its length.

    Parameters
    ----------
    price : Price
        US dollars per million tokens.
    input_tokens, output_tokens : float
        Tokens of the one request.

    Returns
    -------
    float
        US dollars for one request.
    """
    input_usd = input_tokens * price.input_usd_per_mtok
    return (input_usd + output_tokens * price.output_usd_per_mtok) / 1e6


def _bill_at(price: Price, lines: Sequence[WorkloadLine], request_cost: RequestCost) -> Bill:
    usd = tuple(
        (
            line.category,
            line.requests_per_month
            * request_cost(price, line.profile.input_tokens, line.profile.written_tokens),
        )
        for line in lines
    )
    return Bill(
        model=price.model,
        monthly_usd=math.fsum(amount for _, amount in usd),
        lines=usd,
        price=price,
    )


def _profile(category: str, tokens: Sequence[tuple[float, float]]) -> TokenProfile:
    n = len(tokens)
    return TokenProfile(
        category=category,
        input_tokens=fmean(input_tokens for input_tokens, _ in tokens),
        output_tokens=fmean(output_tokens for _, output_tokens in tokens),
        n_benchmarks=n,
        basis=f"mean over {n} MedHELM benchmark{'s' if n > 1 else ''}{UPPER_BOUND}",
    )


def _check_positive(what: str, value: float) -> None:
    if not math.isfinite(value) or value <= 0:
        raise BadRequestError(f"{what} must be above 0, not {value:g}.")
