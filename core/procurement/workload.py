"""A month of work: requests, and the tokens that each reads and writes.

Tokens per request come from MedHELM's published counts: real input, but only the maximum
output, so a bill made of them is an upper bound. Hidden reasoning, which a model that reasons
writes before its answer and the buyer pays for, comes on top.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import fmean, median
from typing import TYPE_CHECKING

from core.domain import (
    BadDataError,
    BadRequestError,
    HiddenTokens,
    OwnTokens,
    TokenProfile,
    WorkloadLine,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.domain import Benchmark, ReasoningTokens, RequestKind, TokenRow, Volume

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
    that a benchmark with many instances does not outweigh the others. Benchmarks of other suites
    are passed over, and so are those without published counts. In the catalogue's order, then
    ``"all"`` over all benchmarks; empty when there is no row at all.
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
    for benchmark, category in categories.items():
        if rows := rows_of.get(benchmark, {}).values():
            tokens = (
                median(row.input_tokens / row.n_instances for row in rows),
                median(row.max_output_tokens / row.n_instances for row in rows),
            )
            members.setdefault(category, []).append(tokens)
    if members:
        members[ALL] = [tokens for of_category in members.values() for tokens in of_category]
    return {category: _profile(category, tokens) for category, tokens in members.items()}


def workload(
    weights: Sequence[tuple[str, float]],
    profiles: Mapping[str, TokenProfile],
    *,
    requests_per_month: float,
    input_tokens: float | None = None,
    output_tokens: float | None = None,
) -> tuple[WorkloadLine, ...]:
    """Spread a month's requests over task categories, in the order of ``weights``.

    Weights need not sum to 1; one of 0 gives no line. Profiles and tokens are those of
    `request_profile`, for every category.
    """
    check_positive("Requests per month", requests_per_month)
    if input_tokens is not None:
        check_positive("Input tokens per request", input_tokens)
    if output_tokens is not None:
        check_positive("Output tokens per request", output_tokens)
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
    """Return the tokens of one request of a category: the user's own, else the profile's.

    A category without a profile takes ``"all"``, and the basis says so.
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


def _profile(category: str, tokens: Sequence[tuple[float, float]]) -> TokenProfile:
    n = len(tokens)
    return TokenProfile(
        category=category,
        input_tokens=fmean(input_tokens for input_tokens, _ in tokens),
        output_tokens=fmean(output_tokens for _, output_tokens in tokens),
        n_benchmarks=n,
        basis=f"mean over {n} MedHELM benchmark{'s' if n > 1 else ''}{UPPER_BOUND}",
    )


def check_positive(what: str, value: float) -> None:
    """Refuse a quantity that is not above 0."""
    if not math.isfinite(value) or value <= 0:
        raise BadRequestError(f"{what} must be above 0, not {value:g}.")


def suggested(
    kinds: Sequence[RequestKind], volumes: Mapping[str, Volume], sizes: Mapping[str, float]
) -> dict[str, float | None]:
    """Suggest requests a month of each kind from the size of a hospital.

    ``sizes`` says how many there are of what the sourced ``volumes`` are counted for, such as
    ``{"staffed bed": 400, "physician": 250}``. ``None`` where no source has the quantity or the
    size is not given. It is a default to edit: whoever is counted elsewhere may differ.
    """
    for what, size in sizes.items():
        if not 0 <= size < math.inf:
            raise BadRequestError(f"The number per {what} must be 0 or more, not {size:g}.")
    found: dict[str, float | None] = {}
    for kind in kinds:
        volume, found[kind.id] = volumes.get(kind.volume), None
        if volume is not None and volume.per_month is not None and volume.per in sizes:
            found[kind.id] = sizes[volume.per] * volume.per_month
    return found


def kind_profiles(
    kinds: Sequence[RequestKind],
    token_rows: Sequence[TokenRow],
    benchmarks: Sequence[Benchmark],
) -> dict[str, TokenProfile]:
    """Return the tokens per request of each kind, from MedHELM's counts.

    Each kind says whether its subcategory's counts or those of its whole category stand for it.
    Where a subcategory has no counts its category's stand in, and else those of all benchmarks;
    the basis says so. By kind, with the kind's name as the category.
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
    """Return the workload that the hospital's numbers make, in the order of ``kinds``.

    A line's category is the kind's name; a kind without a number, or with 0, gives no line.
    Profiles are those of `kind_profiles`, and ``own`` has at most one entry a kind.
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
            read, written = tokens.input_tokens, tokens.output_tokens
            for what, value in (("Input", read), ("Output", written)):
                if value is not None:
                    check_positive(f"{what} tokens of {kind.name}", value)
            profile = request_profile(kind.name, {kind.name: profiles[kind.id]}, read, written)
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
    """Return the mean tokens that one request reads and writes; there must be a line."""
    requests = math.fsum(line.requests_per_month for line in lines)
    if requests <= 0:
        raise BadRequestError("A mean needs a workload of at least one request.")
    read, written = tokens_per_month(lines)
    return read / requests, written / requests


def measured_for(
    rows: Sequence[ReasoningTokens], developer: str
) -> tuple[str, tuple[ReasoningTokens, ...]]:
    """Return the measurements that stand for a developer's models, and the family's name.

    A family counts whose name the developer's holds, so that "Alibaba (Qwen)" is of the family
    "Qwen". Where no family was measured, an empty name and all rows.
    """
    name = developer.casefold()
    family = next((row.family for row in rows if row.family.casefold() in name), "")
    return family, tuple(row for row in rows if not family or row.family == family)


def hidden_reasoning(rows: Sequence[ReasoningTokens]) -> str:
    """Say for each developer what is likely and what was measured, tokens a request."""
    said = []
    for developer in (*dict.fromkeys(row.family for row in rows), ""):
        found = hidden_tokens(rows, developer, visible=0.0, cap=0.0)
        said.append(
            f"{developer or 'other developers'} {found.likely:,.0f} "
            f"({found.low:,.0f} to {found.high:,.0f})"
        )
    return ", ".join(said)


def hidden_tokens(
    rows: Sequence[ReasoningTokens],
    developer: str,
    *,
    visible: float,
    cap: float,
    own: float | None = None,
) -> HiddenTokens:
    """Return the hidden reasoning of one request, low, likely and high.

    Low is the smallest mean of a test set in the family; likely is the mean over the family's
    models of each model's mean over its test sets; high is the ``cap`` on reasoning and answer
    together less the tokens of the ``visible`` answer, but at least the largest mean that was
    measured. The cap is used for nothing else: it says what was allowed, not what is written. The
    hospital's ``own`` figure is low, likely and high.
    """
    if own is not None:
        if not 0 <= own < math.inf:
            raise BadRequestError(f"Hidden reasoning must be 0 tokens or more, not {own:g}.")
        return HiddenTokens(own, own, own, "set by you")
    family, measured = measured_for(rows, developer)
    if not measured:
        raise BadDataError("There are no measurements of how many tokens reasoning takes.")
    by_model: dict[str, list[float]] = {}
    for row in measured:
        by_model.setdefault(row.model, []).append(row.mean_completion_tokens)
    means = [row.mean_completion_tokens for row in measured]
    whose = "" if family else "no model of its developer was, so those of all: "
    return HiddenTokens(
        low=min(means),
        likely=fmean(fmean(of_model) for of_model in by_model.values()),
        high=max(cap - visible, *means),
        basis=(
            f"measured on medical questions: {whose}{min(means):,.0f} to {max(means):,.0f} tokens "
            f"for {', '.join(by_model)} (MedAgentsBench, {max(row.as_of for row in measured)}); "
            f"the high case is MedHELM's cap of {cap:,.0f}"
        ),
    )
