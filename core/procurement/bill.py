"""What a month of work costs: requests, what each reads and writes, prices, own servers.

Tokens per request come from MedHELM's published counts: real input, but only the maximum
output, which the likely bill takes whole, and the low case by half. Hidden
reasoning, which a model that reasons writes before its answer and the buyer pays for, comes on
top. Prices are of a public list that was fetched before: nothing here opens a network connection.
An entry is looked up by its exact seller and id, never by likeness, because a family name may cost
something else than a dated model. A price that is not known is absent, never 0, and so is its bill.

Two things make the range of a monthly cost, and they differ in kind. Of one of them nobody knows
the figure, but it is the same for every model: the share of the allowed answer that is really
written, or the rent of one kind of GPU. The other is each model's own: hidden reasoning, or how
many GPUs it takes. A saving holds the first alike for both models, and lets the second vary for
each by itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from statistics import fmean, median
from typing import Any, Literal

from core.domain import (
    BadDataError,
    Benchmark,
    Bill,
    BillElsewhere,
    ByToken,
    Change,
    Dossier,
    FactList,
    Fit,
    Hardware,
    HiddenTokens,
    Lacking,
    ListKey,
    ListRow,
    MonthlyCost,
    NotKnown,
    OnServers,
    OwnTokens,
    Price,
    PriceReference,
    Rates,
    ReasoningTokens,
    RequestKind,
    Saving,
    Servers,
    TokenProfile,
    TokenRow,
    WhyUnknown,
    WorkloadLine,
)
from core.procurement.conditions import SELF_HOSTED
from core.procurement.hosting import HOURS_A_MONTH, Hosting

ALL = "all"
"""Key of the profile over all benchmarks."""
TOKENS_SUITE = "medhelm"
"""The suite that publishes token counts."""
_RATES = ("input_usd_per_mtok", "output_usd_per_mtok", "cache_read_usd_per_mtok")


def token_profiles(
    token_rows: Sequence[TokenRow], benchmarks: Sequence[Benchmark]
) -> dict[str, TokenProfile]:
    """Work out tokens per request for each MedHELM category.

    Tokens per instance are the median over models within a benchmark, since two reasoning
    models may write thirty times as much as the other seven, then the mean over benchmarks, so
    that a benchmark with many instances does not outweigh the others. Benchmarks of other suites
    are skipped, and so are those without published counts. In the catalogue's order, then
    ``"all"`` over all benchmarks; empty when there is no row at all.
    """
    categories = {b.id: b.category for b in benchmarks if b.suite == TOKENS_SUITE}
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
    return {
        category: TokenProfile(
            category=category,
            input_tokens=fmean(read for read, _ in tokens),
            output_tokens=fmean(written for _, written in tokens),
            n_benchmarks=len(tokens),
            source=f"mean over {len(tokens)} MedHELM benchmark{'s' if len(tokens) > 1 else ''}",
            upper_bound=True,
        )
        for category, tokens in members.items()
    }


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
    total = math.fsum(weight for _, weight in weights)
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
        return TokenProfile(category, input_tokens, output_tokens, 0, "set by you", own_input=True)
    profile = profiles.get(category)
    if profile is None:
        if ALL not in profiles:
            raise BadDataError(f"There are no token counts for {category}, nor for all tasks.")
        profile = replace(
            profiles[ALL],
            category=category,
            source=f"no token counts for this category, so for all work: {profiles[ALL].source}",
        )
    if input_tokens is not None:
        said = f"input set by you; {profile.source}"
        return replace(profile, input_tokens=input_tokens, source=said, own_input=True)
    if output_tokens is not None:
        said = f"output set by you; {profile.source}"
        return replace(profile, output_tokens=output_tokens, source=said, upper_bound=False)
    return profile


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
        found[kind.id] = replace(profile, category=kind.name, source=f"{place}: {profile.source}")
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
    return tuple(
        WorkloadLine(
            kind.name,
            per_month[kind.id],
            request_profile(
                kind.name,
                {kind.name: profiles[kind.id]},
                tokens_of[kind.id].input_tokens if kind.id in tokens_of else None,
                tokens_of[kind.id].output_tokens if kind.id in tokens_of else None,
            ),
        )
        for kind in kinds
        if per_month.get(kind.id, 0.0) > 0
    )


Case = Literal["low", "likely", "high"]
LOW_OUTPUT_SHARE = 0.5
"""Share of the allowed output that is really written in the low case: an assumption."""
CASES: tuple[Case, ...] = ("low", "likely", "high")


def written_tokens(
    profile: TokenProfile, case: Case = "likely", output_share: float = 1.0
) -> float:
    """Return what is billed as written for a request: answer, and hidden reasoning of a case.

    Of a visible answer that is what was allowed, not what the user set, only a share is taken.
    """
    hidden: float = getattr(profile.hidden, case) if profile.hidden else 0.0
    return profile.output_tokens * (output_share if profile.upper_bound else 1.0) + hidden


def mean_tokens(lines: Sequence[WorkloadLine]) -> tuple[float, float]:
    """Return the mean tokens that one request reads and writes; there must be a line."""
    requests = math.fsum(line.requests_per_month for line in lines)
    read = math.fsum(line.requests_per_month * line.profile.input_tokens for line in lines)
    written = math.fsum(line.requests_per_month * written_tokens(line.profile) for line in lines)
    return read / requests, written / requests


def hidden_tokens(
    rows: Sequence[ReasoningTokens],
    developer: str,
    *,
    visible: float,
    cap: float,
    own: float | None = None,
) -> HiddenTokens:
    """Return the hidden reasoning of one request, low, likely and high.

    The family counts whose name the developer's holds, so that "Alibaba (Qwen)" is of "Qwen"; else
    all count. Low is the smallest mean of a test set; likely is the mean over models of each
    model's mean over its test sets; high is the ``cap`` on reasoning and answer together less the
    tokens of the ``visible`` answer, but at least the largest mean that was measured. The cap is
    used for nothing else: it says what was allowed, not what is written. The hospital's ``own``
    figure is low, likely and high.
    """
    if own is not None:
        return HiddenTokens(own, own, own, "set by you")
    name = developer.casefold()
    family = next((row.family for row in rows if row.family.casefold() in name), "")
    measured = [row for row in rows if not family or row.family == family]
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


def public_prices(
    references: Sequence[PriceReference],
    about: FactList,
    rows: Mapping[str, Sequence[ListRow]],
    day: date,
    platforms: Mapping[str, str],
) -> dict[str, tuple[Price, ...]]:
    """Return the public prices of each model on a day, in the order of ``references``.

    Where the list keeps a history, the price of the day is taken; before the first dated price,
    the earliest one known; none bears a later day than its list. In US dollars per million
    tokens, those for long requests as well (see `request_cost_usd`). A model whose entries are all
    gone or carry no price is not in the dict: its price is unknown, and so is one of 0, which is a
    promotion.
    """
    prices: dict[str, tuple[Price, ...]] = {}
    for reference in references:
        listed = rows.get(f"{reference.provider}/{reference.provider_model}", ())
        # One name on every page, whatever the list calls the seller.
        platform = platforms.get(reference.provider, reference.provider)
        if price := _price(reference, listed, about, day, platform):
            prices[reference.model] = (*prices.get(reference.model, ()), price)
    return prices


def _price(
    reference: PriceReference, listed: Sequence[ListRow], about: FactList, on: date, platform: str
) -> Price | None:
    day = on.isoformat()
    begun = max((row.from_day for row in listed if row.from_day <= day), default="")
    in_force = [row for row in listed if row.from_day == begun]
    rates = [
        Rates(row.above_tokens, read, written, row.cache_read_usd_per_mtok)
        for row in in_force
        if (read := row.input_usd_per_mtok) and (written := row.output_usd_per_mtok)
    ]
    if not rates or rates[0].above_tokens:
        return None
    row, (plain, *longer) = in_force[0], rates
    old = "marked as deprecated" if row.deprecated else ""
    said = (f"{about.list} {about.revision}", row.seller, reference.basis, old, row.source_url)
    return Price(
        model=reference.model,
        provider=reference.provider,
        provider_name=platform,
        provider_model=reference.provider_model,
        input_usd_per_mtok=plain.input_usd_per_mtok,
        output_usd_per_mtok=plain.output_usd_per_mtok,
        cache_read_usd_per_mtok=plain.cache_read_usd_per_mtok,
        longer=tuple(longer),
        as_of=min(day, about.said_on),
        source=", ".join(filter(None, said)),
        platform=platform,
    )


def joined_prices(
    keys: Sequence[ListKey],
    about: FactList,
    rows: Mapping[str, Sequence[ListRow]],
    day: date,
    providers: Mapping[str, str],
    regions: Sequence[str] = (),
) -> dict[str, tuple[Price, ...]]:
    """Return the prices of each product by a list whose entries are joined by key, one a platform.

    The lowest entry for any place, else of all; where regions are asked for, the lowest in each,
    else that for any place times the factor of the list, and the dearest of several regions.
    ``providers`` has the ids of platforms in the other list. The product is the price's model.
    """
    found: dict[tuple[str, str], list[tuple[str, float, Price]]] = {}
    for key in keys:
        if key.list == about.list and (listed := rows.get(key.key, ())):
            provider = providers.get(key.platform, key.platform)
            reference = PriceReference(key.product, provider, key.key, "", "", "")
            if price := _price(reference, listed, about, day, key.platform):
                times = listed[0].regional_times or 1.0
                found.setdefault((key.product, key.platform), []).append((key.region, times, price))
    prices: dict[str, tuple[Price, ...]] = {}
    for (product, _), offers in found.items():
        anywhere = [it for it in offers if it[0] in ("", "global")] or offers
        each = [min((price for *_, price in anywhere), key=_sum)]
        for i, region in enumerate(regions):
            inside = [price for at, _, price in offers if at.split()[:1] == [region]]
            dearer = (_times(price, times) for _, times, price in anywhere)
            each[i:] = [min(inside or dearer, key=_sum)]
        prices[product] = (*prices.get(product, ()), max(each, key=_sum))
    return prices


def _sum(price: Price) -> float:
    return price.input_usd_per_mtok + price.output_usd_per_mtok


def _times(price: Price, factor: float) -> Price:
    """Return a price whose every rate is some times as high."""

    def dearer(of: Price | Rates) -> dict[str, Any]:
        rates = {name: getattr(of, name) for name in _RATES}
        return {name: rate and float(f"{rate * factor:.10g}") for name, rate in rates.items()}

    longer = tuple(replace(rates, **dearer(rates)) for rates in price.longer)
    return replace(price, **dearer(price), longer=longer)


def near(usd: float) -> float:
    """Return US dollars in three digits, by which prices are ordered.

    Some sellers count in units of their own, so that $0.25 is $0.24997 in a list: no cheaper.
    """
    return float(f"{usd:.3g}")


def price_changes(
    models: Sequence[str],
    before: Mapping[str, tuple[Price, ...]],
    after: Mapping[str, tuple[Price, ...]],
) -> list[Change]:
    """List the providers whose price of a model changed, came or went.

    A price is written "input / output", US dollars per million tokens; ``None`` is unknown.
    """

    def printed(prices: Sequence[Price]) -> dict[str, str]:
        return {
            p.provider_name: f"{p.input_usd_per_mtok:g} / {p.output_usd_per_mtok:g}" for p in prices
        }

    found = []
    for model in models:
        was, now = printed(before.get(model, ())), printed(after.get(model, ()))
        found += [
            Change(model, "price", provider, was.get(provider), now.get(provider))
            for provider in {**was, **now}
            if was.get(provider) != now.get(provider)
        ]
    return found


def request_cost_usd(
    price: Price,
    input_tokens: float,
    output_tokens: float,
    cached_share: float = 0.0,
    *,
    many_calls: bool = False,
) -> float:
    """Price one request in US dollars as its provider would, long-request surcharges included.

    A request whose input is longer than a threshold pays the higher rate for all of its tokens,
    output too. A price that was offered has none, and the tokens of ``many_calls`` pay the plain
    rates, since the length of each is not known. Tokens need not be whole: they may be a mean. A
    share of those read is billed at the cached rate; without one, at the full price.
    """
    over = [rates for rates in price.longer if input_tokens > rates.above_tokens and not many_calls]
    rates = over[-1] if over else price
    again = rates.cache_read_usd_per_mtok
    cached = 0.0 if again is None else input_tokens * cached_share
    input_usd = (input_tokens - cached) * rates.input_usd_per_mtok + cached * (again or 0.0)
    return (input_usd + output_tokens * rates.output_usd_per_mtok) / 1e6


def bill_at(
    price: Price,
    lines: Sequence[WorkloadLine],
    case: Case = "likely",
    output_share: float = 1.0,
) -> Bill:
    """Return what a workload costs a month at one price, with what `written_tokens` counts."""
    usd = tuple(
        (
            line.category,
            line.requests_per_month
            * request_cost_usd(
                price,
                line.profile.input_tokens,
                written_tokens(line.profile, case, output_share),
                line.profile.cached_share,
                many_calls=line.profile.many_calls and case != "high",
            ),
        )
        for line in lines
    )
    return Bill(price.model, math.fsum(amount for _, amount in usd), usd, price)


def amount_on(axis: str, row: Dossier) -> float | None:
    """Return a model's size in ``parameters``, else its likely cost; unknown is never 0."""
    return row.model.params_b if axis == "parameters" else row.cost.likely


def unknown_cost(
    model: str, why: WhyUnknown = "no price", lacking: tuple[Lacking, ...] = (), suite: str = ""
) -> MonthlyCost:
    """Return the cost of a model where none is known, with the reason."""
    return MonthlyCost(model, NotKnown(why, lacking, suite))


def bill_cost(
    bill: Bill, lines: Sequence[WorkloadLine], with_baa: BillElsewhere | None = None
) -> MonthlyCost:
    """Return what a model costs by the token at one provider.

    Likely: the whole answer that was allowed, and likely reasoning, as in `bills`. Low: half of an
    answer that is an upper bound, and little reasoning. High: the whole answer, and as much
    reasoning as was allowed; of an agent's task, each call at the rates of long requests. The
    number of requests is taken as stated.
    """
    price = bill.price
    figures = tuple(
        tuple(bill_at(price, lines, case, share).monthly_usd for case in CASES)
        for share in (LOW_OUTPUT_SHARE, 1.0)
    )
    return MonthlyCost(
        model=price.model,
        basis=ByToken(bill, lines[0].profile, with_baa),
        low=figures[0][0],
        likely=figures[1][1],
        high=figures[1][2],
        provider=price.provider,
        platform=price.platform,
        as_of=price.as_of,
        figures=figures,
        shared="the answer",
    )


def servers_cost(
    model: str,
    hosted: Hosting,
    serves: Sequence[float | None],
    hardware: Hardware,
    load: float,
) -> MonthlyCost:
    """Return what a model costs on rented GPUs of one kind: GPUs x sets x rent x paid hours.

    ``serves`` are the requests a month of one set, low, likely and high, and ``load`` is what is
    asked of all. A case never has fewer GPUs than the one below it, where a copy on more GPUs
    needs fewer sets. Spares are sets on top. Where what a set serves is not known, the cost is at
    least that of one and the spares at the lowest rent, and no more is known.
    """
    assert hosted.gpus is not None
    assert hosted.hourly is not None
    sets = [max(1, math.ceil(load / each)) for each in serves if each is not None]
    gpus, known, hourly = hosted.gpus, len(sets) == len(hosted.gpus), hosted.hourly
    if not known and hourly.low_at:  # Only the lowest rent counts, so its day does.
        hourly = replace(hourly, newest=hourly.low_of, oldest="")
        hosted = replace(hosted, hourly=hourly)
    totals: list[int] = []
    for each, copies in zip(gpus, sets if known else (1, 1, 1), strict=True):
        totals.append(max(each * (copies + hardware.spares), *totals[-1:], 1))
    rents = (hourly.low, hourly.likely, hourly.high)
    figures = tuple(tuple(rent * HOURS_A_MONTH * number for number in totals) for rent in rents)
    on = _servers(hosted, hardware, sets[1] if known else None, serves[1] if known else None)
    return MonthlyCost(
        model=model,
        basis=OnServers(on),
        low=figures[0][0] if known else figures[0][1],
        likely=figures[1][1] if known else None,
        high=figures[2][2] if known else None,
        provider="own servers",
        platform=SELF_HOSTED,
        as_of=hourly.newest,
        figures=figures if known else (),
        shared=hourly.gpu,
    )


def owned_cost(
    model: str, hosted: Hosting, serves: float | None, hardware: Hardware, load: float
) -> MonthlyCost:
    """Say whether a model fits the GPUs that the hospital owns and, where known, serves the load.

    ``serves`` are the requests a month of the likely set. No rent is counted.
    """
    if hosted.memory_gb is None:
        return unknown_cost(model, "no servers", (hosted.lacking,))
    owned = hardware.gpus_owned or 0
    copies, sets = owned // hosted.gpus[1] if hosted.gpus else 0, None
    why: Fit = "owned" if copies > hardware.spares else "no room"
    if why == "no room":
        serves = None
    elif serves is not None:
        sets = max(1, math.ceil(load / serves))
        why = "too slow" if sets + hardware.spares > copies else why
    on = replace(_servers(hosted, hardware, sets, serves), owned=owned, hourly=None)
    fit = OnServers(on, why, hosted.lacking if hosted.gpus is None else "")
    return MonthlyCost(model, fit, platform=SELF_HOSTED)


def _servers(
    hosted: Hosting, hardware: Hardware, sets: int | None, serves: float | None
) -> Servers:
    return Servers(
        gpu=hosted.gpu,
        bits=hosted.bits,
        gpus=hosted.gpus and hosted.gpus[1],
        sets=sets,
        serves=serves,
        utilisation=hardware.utilisation,
        hourly=hosted.hourly,
        spares=hardware.spares,
        memory_gb=hosted.memory_gb or 0.0,
        weights_only=hosted.weights_only,
    )


def saving(model: MonthlyCost, candidate: MonthlyCost) -> Saving | None:
    """Return what a candidate saves a month against a model.

    Likely is the difference of the two likely costs. Low and high are the least and the most over
    all cases: what both costs share is the same in both, what is each model's own varies by
    itself. Costs that share nothing, such as a bill and own servers, both vary by themselves.
    Where one of the two is unknown there is no saving, and no loss.
    """
    if model.likely is None or candidate.likely is None:
        return None
    if model.shared == candidate.shared:
        pairs = list(zip(model.figures, candidate.figures, strict=True))
    else:
        pairs = [(mine, other) for mine in model.figures for other in candidate.figures]
    return Saving(
        low=min(min(mine) - max(other) for mine, other in pairs),
        likely=model.likely - candidate.likely,
        high=max(max(mine) - min(other) for mine, other in pairs),
    )
