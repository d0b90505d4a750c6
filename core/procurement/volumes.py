"""From a hospital's own numbers (visits, messages, discharges) to requests and tokens a month."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from core.domain import BadRequestError, OwnTokens, WorkloadLine
from core.procurement.costs import request_profile, token_profiles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.domain import Benchmark, RequestKind, TokenProfile, TokenRow, Volume


def suggested(
    kinds: Sequence[RequestKind], volumes: Mapping[str, Volume], sizes: Mapping[str, float]
) -> dict[str, float | None]:
    """Suggest requests a month of each kind from the size of a hospital.

    Parameters
    ----------
    kinds : sequence of RequestKind
        Kinds of requests.
    volumes : mapping of str to Volume
        Sourced quantities, by id.
    sizes : mapping of str to float
        How many there are of what the quantities are counted for, such as
        ``{"staffed bed": 400, "physician": 250}``.

    Returns
    -------
    dict of str to (float or None)
        By kind; ``None`` where no source has the quantity or the size is not given. It is a
        default to edit: whoever is counted elsewhere may differ.

    Raises
    ------
    BadRequestError
        If a size is negative or not finite.
    """
    for what, size in sizes.items():
        if not 0 <= size < math.inf:
            raise BadRequestError(f"The number per {what} must be 0 or more, not {size:g}.")
    found: dict[str, float | None] = {}
    for kind in kinds:
        volume = volumes.get(kind.volume)
        if volume is None or volume.per_month is None or volume.per not in sizes:
            found[kind.id] = None
        else:
            found[kind.id] = sizes[volume.per] * volume.per_month
    return found


def kind_profiles(
    kinds: Sequence[RequestKind],
    token_rows: Sequence[TokenRow],
    benchmarks: Sequence[Benchmark],
) -> dict[str, TokenProfile]:
    """Return the tokens per request of each kind, from MedHELM's counts.

    Parameters
    ----------
    kinds : sequence of RequestKind
        Each says whether its subcategory's counts or those of its whole category stand for it.
    token_rows, benchmarks : sequence of TokenRow, sequence of Benchmark
        As for `core.procurement.costs.token_profiles`.

    Returns
    -------
    dict of str to TokenProfile
        By kind, with the kind's name as the category. Where a subcategory has no counts its
        category's stand in, and else those of all benchmarks; the basis says so.
    """
    whole = token_profiles(token_rows, benchmarks)
    finer = token_profiles(token_rows, [replace(b, category=b.subcategory) for b in benchmarks])
    found = {}
    for kind in kinds:
        own = finer.get(kind.subcategory) if kind.tokens_from == "subcategory" else None
        profile = own or request_profile(kind.category, whole, None, None)
        place = kind.subcategory if own else kind.category
        found[kind.id] = replace(profile, category=kind.name, basis=f"{place}: {profile.basis}")
    return found


def volume_workload(
    kinds: Sequence[RequestKind],
    per_month: Mapping[str, float],
    profiles: Mapping[str, TokenProfile],
    own: Sequence[OwnTokens] = (),
) -> tuple[WorkloadLine, ...]:
    """Return the workload that the hospital's numbers make, one line per kind of request.

    Parameters
    ----------
    kinds : sequence of RequestKind
        Kinds of requests, in the order of the lines.
    per_month : mapping of str to float
        Requests a month by kind; a kind without a number, or with 0, gives no line.
    profiles : mapping of str to TokenProfile
        Tokens per request by kind, as `kind_profiles` gives them.
    own : sequence of OwnTokens
        The hospital's own tokens per request, at most one a kind.

    Returns
    -------
    tuple of WorkloadLine
        A line's category is the kind's name. Empty where there is no request at all.

    Raises
    ------
    BadRequestError
        If a number is negative or not finite, a kind is unknown, or own tokens are not above 0.
    """
    tokens_of = {tokens.kind: tokens for tokens in own}
    if unknown := sorted({*per_month, *tokens_of} - {kind.id for kind in kinds}):
        raise BadRequestError(f'There is no kind of request "{unknown[0][:40]}".')
    lines = []
    for kind in kinds:
        requests = per_month.get(kind.id, 0.0)
        if not 0 <= requests < math.inf:
            raise BadRequestError(f"{kind.name} a month must be 0 or more, not {requests:g}.")
        if requests > 0:
            tokens = tokens_of.get(kind.id, OwnTokens(kind.id))
            for what, value in (("Input", tokens.input_tokens), ("Output", tokens.output_tokens)):
                if value is not None and not 0 < value < math.inf:
                    raise BadRequestError(
                        f"{what} tokens of {kind.name} must be above 0, not {value:g}."
                    )
            profile = request_profile(
                kind.name,
                {kind.name: profiles[kind.id]},
                tokens.input_tokens,
                tokens.output_tokens,
            )
            lines.append(WorkloadLine(kind.name, requests, profile))
    return tuple(lines)


def category_requests(
    kinds: Sequence[RequestKind], per_month: Mapping[str, float]
) -> dict[str, float]:
    """Return requests a month per MedHELM category, in the order of the kinds.

    They can serve as weights: what is asked most counts most.
    """
    found: dict[str, float] = {}
    for kind in kinds:
        if (requests := per_month.get(kind.id, 0.0)) > 0:
            found[kind.category] = found.get(kind.category, 0.0) + requests
    return found


def tokens_per_month(lines: Sequence[WorkloadLine]) -> tuple[float, float]:
    """Return the tokens that a workload reads and writes in a month, likely reasoning included."""
    return (
        math.fsum(line.requests_per_month * line.profile.input_tokens for line in lines),
        math.fsum(line.requests_per_month * line.profile.written_tokens for line in lines),
    )


def mean_tokens(lines: Sequence[WorkloadLine]) -> tuple[float, float]:
    """Return the mean tokens that one request reads and writes.

    Raises
    ------
    BadRequestError
        If there is no line.
    """
    requests = math.fsum(line.requests_per_month for line in lines)
    if requests <= 0:
        raise BadRequestError("A mean needs a workload of at least one request.")
    read, written = tokens_per_month(lines)
    return read / requests, written / requests
