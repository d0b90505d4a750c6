"""Sentences about monthly costs: why one is not known, and own servers against the token."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from core.domain import ByToken, HourlyPrice, NotKnown, OnServers, Servers
from core.domain.procurement import OFFERED
from core.figures import (
    about,
    at_least,
    capitalised,
    count,
    counted,
    day_in_words,
    dollars,
    from_whom,
    listed,
    money,
    rounded,
    some_of,
    written,
)
from core.procurement.bill import hidden_tokens, mean_tokens
from core.procurement.conditions import is_old
from core.procurement.hosting import BYTES_PER_WEIGHT, HOURS_A_MONTH

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from core.domain import (
        Hardware,
        Lacking,
        LeftOut,
        MonthlyCost,
        Price,
        Question,
        ReasoningTokens,
        TokenProfile,
        WorkloadLine,
    )
    from core.evidence.catalogue import Catalogue
    from core.procurement.hosting import BreakEven, CacheSize, Capacity, OwnServers

_NO_PRICE = "no public price"
ASK = f"{_NO_PRICE}: ask the vendor"
_SHORT_REQUEST = 2_000
"""Tokens read; a request of one's own, such as a discharge summary, is likely longer."""
_LACKING: dict[Lacking, str] = {
    "product": "a line to compare with, no product",
    "open weights": "its weights are closed",
    "known weights": "not known whether its weights can be downloaded: ask the vendor",
    "size": "its size is not known: ask the vendor",
    "architecture": "no architecture near its size is known, so neither is its cache",
    "number format": "a GPU lacks the number format that it needs",
    "set": "no set of GPUs that exists holds it and divides its attention heads",
    "price": "no on-demand price for this GPU is known: ask the vendor",
}


_WHY: dict[str, str] = {
    "no work": "this evidence has no work to price",
    "elsewhere": "public prices exist only where you cannot use them: ask the vendor",
    "condition": "public prices exist only where a required condition is not known",
    "no price": ASK,
    "not recorded": "the tokens of a task are not recorded by",
    "ended": "it is no longer sold",
}


def basis(cost: MonthlyCost) -> str:
    """Say what a monthly cost rests on, or why it is not known."""
    match cost.basis:
        case OnServers(servers=on):
            return _on_owned(cost.basis) if on.owned else _rent(on)
        case NotKnown(why, stops, suite):
            said = "; ".join(map(lacking, stops)) or _WHY.get(why, "")
            return f"{said} {suite}".strip()
        case ByToken(bill, tokens):
            return _by_token(bill.price, tokens) if tokens else ""


def not_drawn(costs: Sequence[MonthlyCost]) -> tuple[str, ...]:
    """Say how many models have no likely cost, and why; those with one reason together."""
    whys = Counter(
        "own servers cost at least one set, capacity not published"
        if it.at_least
        else basis(it).replace(": ask the vendor", ", ask the vendor")
        if isinstance(it.basis, NotKnown)
        else "no known cost"
        for it in costs
    )
    return tuple(f"{counted(n, 'model')} not drawn: {why}." for why, n in whys.most_common())


def _by_token(price: Price, tokens: TokenProfile) -> str:
    reasoning = f"; hidden reasoning {tokens.hidden.basis}" if tokens.hidden else ""
    cached = ""
    if share := tokens.cached_share:
        rate = price.cache_read_usd_per_mtok
        at = "the full price, since the list has no cached rate"
        if rate is not None:
            at = f"the cached rate of ${rate:g} a million"
        cached = f"; {share * 100:g} % of what is read at {at}"
    return f"{price.source}; tokens: {tokens.basis}{reasoning}{cached}"


def with_baa(cost: MonthlyCost) -> str:
    """Say what the bill is with a signed agreement, where that is another; else nothing."""
    signed = cost.with_baa
    if signed is None or signed.platform == cost.platform:
        return ""
    return f"with a signed BAA {dollars(signed.monthly_usd)} at {signed.platform}"


def _rent(on: Servers) -> str:
    load = "at least one set: no source says how much it can serve"
    if on.serves is not None:
        share = f"{on.utilisation * 100:.0f} % of full load"
        load = f"a set serves about {rounded(on.serves)} requests a month at {share}"
    rent = on.hourly
    assert rent is not None
    usd = f"${rent.low:.2f} to ${rent.high:.2f} an hour, likely ${rent.likely:.2f}"
    if on.sets is None and rent.low_at:
        usd = f"${rent.low:.2f} an hour, the lowest ({rent.low_at})"
    if rent.own_source:
        usd = f"${rent.likely:.2f} an hour as you entered it ({rent.own_source})"
    gpu = f"{on.gpu} ({_span(rent)})"
    return f"rent of {gpu}, {usd}, for {HOURS_A_MONTH:g} hours, weights {_bits(on)}; {load}"


def _bits(on: Servers) -> str:
    kept = ", computed at 16, since the card has no FP8" if on.weights_only else ""
    return f"at {on.bits} bits{kept}"


def _on_owned(fit: OnServers) -> str:
    on = fit.servers
    gpus = f"{on.owned} × {on.gpu}"
    if fit.why == "no room":
        takes = lacking(fit.lacking) if fit.lacking else f"it takes {on.gpus} of them"
        needs = f"{on.memory_gb:,.0f} GB {_bits(on)}"
        spared = f", with {counted(on.spares, 'spare set')}" if on.spares else ""
        more = "" if fit.lacking else f", more than {gpus} can hold"
        return f"it needs about {needs}{spared}{more}: {takes}"
    serves = "no source says how much they serve"
    if on.serves is not None and on.gpus is not None:
        sets = on.owned // on.gpus - on.spares
        serves = f"they serve about {rounded(on.serves * sets)} requests a month"
    if fit.why == "too slow":
        return f"on {gpus} {serves}, fewer than you ask for"
    return (
        f"fits {gpus}: about {on.memory_gb:,.0f} GB {_bits(on)}; {serves}. No rent is counted, nor "
        "power, staff and network"
    )


def hidden_by_developer(rows: Sequence[ReasoningTokens]) -> str:
    """Say for each developer what hidden reasoning is likely and was measured, tokens a request."""
    said = []
    for developer in (*dict.fromkeys(row.family for row in rows), ""):
        found = hidden_tokens(rows, developer, visible=0.0, cap=0.0)
        range_ = f"({found.low:,.0f} to {found.high:,.0f})"
        said.append(f"{developer or 'other developers'} {found.likely:,.0f} {range_}")
    return ", ".join(said)


def reasoning_on_top(question: Question, catalogue: Catalogue) -> str:
    """Say what reasoning models write on top of the visible answer."""
    own = question.workload.reasoning_tokens_per_request
    if own is not None:
        return f"Reasoning models write another {own:,} hidden tokens for a request, as you set."
    return (
        "Reasoning models also write hidden tokens. Tokens per request, likely (and range measured "
        f"on medical questions): {hidden_by_developer(catalogue.reasoning_tokens)}. The high case "
        "is MedHELM's limit: 4,000 tokens, answer included."
    )


def prices_to_come(prices_on: str, day: date) -> str:
    """Say that a day of prices is yet to come; empty where it is not."""
    said = f"Prices as of: {prices_on} is yet to come; today's are used."
    return said if prices_on > day.isoformat() else ""


def weights_at(on: Hardware) -> str:
    """Say at how many bits weights are kept, and that what is published at fewer stays there."""
    fewer = ", fewer if published so" * (on.bits > min(BYTES_PER_WEIGHT))
    return f"weights at {on.bits} bits{fewer}"


def servers_assumed(on: Hardware) -> str:
    """Say what is assumed of own servers, next to the rent."""
    spares = counted(on.spares, "spare set") if on.spares else "no spare"
    return (
        f"{weights_at(on)}, room for {counted(on.concurrent, 'request')} of "
        f"{on.context_tokens:,} tokens at once, {on.utilisation * 100:g} % of full load on "
        f"average, so that the busiest hour may bring {1 / on.utilisation:.3g} times the "
        f"average, {spares}"
    )


def prices_behind(costs: Sequence[MonthlyCost], day: date) -> str:
    """Say of what days the public prices or the rents are that some costs rest on, and if old.

    Empty where none has either.
    """
    bills, rents = set[str](), set[HourlyPrice]()
    for cost in costs:
        match cost.basis:
            case ByToken() if cost.provider != OFFERED:
                bills.add(cost.as_of)
            case OnServers(why="", servers=Servers(hourly=HourlyPrice() as hourly)):
                rents.add(hourly)
    said = [f"public prices of {listed([*map(written, sorted(bills))])}"] if bills else []
    if rents:
        old = {it.gpu: it.newest for it in rents if is_old(it.newest, day)}
        which = ""
        if 0 < len(old) < len(rents):
            days = map(day_in_words, sorted({*old.values()}))
            which = f"{listed(sorted(old))}: {' and '.join(days)}, "
        said.append(f"GPU rents of {_span(*rents)}{f' ({which}over 90 days old)' if old else ''}")
    return " and ".join(said)


def _span(*rents: HourlyPrice) -> str:
    first, last = min(it.oldest or it.newest for it in rents), max(it.newest for it in rents)
    ends = (day_in_words(first), day_in_words(last))
    return ends[1] if first == last else " to ".join(ends)


def assumed(
    question: Question,
    catalogue: Catalogue,
    prices: str,
    requests: float,
    lines: Sequence[WorkloadLine],
    suite: str = "",
) -> tuple[str, str]:
    """Say what a monthly cost assumes, and what is not in it.

    ``prices`` are those behind it, ``lines`` the workload, and ``suite`` is the name of that whose
    tasks agents do: without lines a request is one of these.
    """
    work = f"{requests:,.0f} requests a month"
    if question.access == "own":
        owned = question.hardware
        servers = servers_assumed(owned)
        if owned.gpus_owned and owned.gpu:
            return (
                f"{work} on {owned.gpus_owned} × {owned.gpu} of your own, without rent, power "
                "and staff",
                f"{capitalised(servers)}.",
            )
        return (
            f"{work}, {prices or _NO_PRICE}, without staff, network and storage",
            f"The cheapest GPUs that hold a model, or your own kind: {servers}. You asked for "
            "your own servers only, so prices per token do not count.",
        )
    if suite and not lines:
        return (
            f"{work}, each a task in {suite}: {f'{prices} before taxes' if prices else _NO_PRICE}",
            "A task counts the tokens that the model's own run took, those from a cache at their "
            "own rate. The high case takes each call as a long one. Writing to a cache is not "
            "included. To count a whole task of your own, enter its tokens.",
        )
    mine = ["your own prices"] if question.workload.own_prices else []
    priced = " and ".join([*filter(None, [prices]), *mine])
    priced = f"{priced} before taxes" if priced else _NO_PRICE
    sized = ""
    if suite:
        sized = f". A request is one call here; an agent's task takes many, as in {suite}"
    elif sized_by := [line for line in lines if not line.profile.own_input]:
        read, _ = mean_tokens(sized_by)
        yours = "are likely longer" if read < _SHORT_REQUEST else "may differ"
        sized = f". Benchmark-sized requests: {read:,.0f} tokens read on average; yours {yours}"
    bound = any(line.profile.upper_bound for line in lines)
    counts = "Each answer is counted at the longest that MedHELM allows. " if bound else ""
    return (
        f"{work}, {priced}{sized}",
        f"{counts}{reasoning_on_top(question, catalogue)} Discounts, staff and systems are not "
        "included.",
    )


def lacking(what: Lacking) -> str:
    """Say what a model lacks to be run and priced on own servers; empty where nothing."""
    return _LACKING.get(what, "")


def hosting_notes(found: OwnServers, hardware: Hardware) -> tuple[str, ...]:
    """Say where the cache is from, and where a request is too long or the cache overstated."""
    cache = found.hosting.cache
    if cache is None:
        return ()
    most, shape = found.model.context_window_tokens, cache.architecture
    if most is None and shape is not None:
        most = shape.context_tokens
    said = [f"Its cache is {cache_basis(cache)}."]
    if most is not None and hardware.context_tokens > most:
        said.append(f"It reads at most {most:,} tokens; you ask for {hardware.context_tokens:,}.")
    if shape is not None and "window" in shape.attention:
        said.append("Some of its layers keep a short window only, so the cache is overstated.")
    return tuple(said)


def cache_basis(cache: CacheSize) -> str:
    """Say where the size of a cache comes from."""
    if cache.architecture is not None:
        return f"from its base model {cache.base}" if cache.base else "from its own architecture"
    low, high = cache.sizes_b
    span = f"over {low:g}" if high == float("inf") else f"{low:g} to {high:g}"
    return f"an estimate from {cache.n_known} known architectures of {span} billion parameters"


def capacity_in_words(found: Capacity | None, model: str, own: str) -> str:
    """Say what was measured and how far it was scaled, or what nobody measured or asked.

    ``own`` are the GPUs that were asked about, such as "2 x L4 at 8 bits".
    """
    if found is None:
        return "This evidence base has no task categories, so there is no workload to price."
    rows, asked = found.published, (found.input_tokens, found.output_tokens)
    length = f"{asked[0]:,.0f} tokens in and {asked[1]:,.0f} out"
    if found.requests_per_second is not None:
        (near,) = rows
        of = f" for its base model {found.base}" if found.base else ""
        said = f"Measured{of} at maximum load on {near.gpus} x {near.gpu}, {near.precision}"
        if asked == (near.input_tokens, near.output_tokens):
            return f"{said}, with {length}."
        measured = f"{near.input_tokens:,} tokens in and {near.output_tokens:,} out"
        return f"{said}, with {measured}; scaled to {asked[0]:,.0f} in and {asked[1]:,.0f} out."
    if not rows:
        return f"No measurement is known of how fast {model} is on any GPU."
    if not found.on_such_gpus:
        known = ", ".join(dict.fromkeys(f"{r.gpus} x {r.gpu} at {r.bits} bits" for r in rows))
        return f"No measurement is known of how fast {model} is on {own}, but on {known}."
    known = ", ".join(f"{row.input_tokens:,} / {row.output_tokens:,}" for row in rows)
    return f"Requests of {length} are far from those that were measured ({known})."


def need(found: OwnServers) -> str:
    """Say what GPUs a model takes and what they cost a month."""
    name, cost, memory_gb = found.model.name, found.cost, found.hosting.memory_gb
    if memory_gb is None:
        return f"{name} cannot be priced on own servers: {lacking(found.hosting.lacking)}."
    start = f"{name} at {found.hosting.bits} bits needs about {memory_gb:,.0f} GB of memory"
    if cost.low is None:
        return f"{start}; {lacking(found.hosting.lacking)}."
    said = f"{start}: {from_whom(cost).removeprefix('own servers: ')}"
    if cost.likely is None or cost.high is None:
        return f"{said}, {at_least(cost.low)} a month."
    span = f"(low {dollars(cost.low)}, high {dollars(cost.high)})"
    return f"{said}, {about(cost.likely)} a month {span}."


def own_servers_in_words(found: OwnServers) -> str:
    """Say which of the two costs less at the reader's volume; empty where there is one only."""
    if found.bill is None or found.meets is None:
        return ""
    api, cost = found.bill.monthly_usd, found.cost
    own = about(cost.likely) if cost.likely else at_least(cost.low or 0.0)
    both = (
        f"at {found.requests:,.0f} requests a month, own servers cost {own} and paying by the "
        f"token {dollars(api)} ({found.bill.price.provider_name})."
    )
    least, most = found.bill_ends
    if found.requests < found.certain_below if cost.at_least else most < (cost.low or 0.0):
        return f"Own servers do not pay off: {both}"
    if cost.high is None:
        return (
            "It is not known whether own servers pay off: whether one set of GPUs serves "
            f"{found.requests:,.0f} requests is not known."
        )
    if least > cost.high:
        return f"Own servers pay off: {both}"
    return f"Whether own servers pay off depends on the rent and on the tokens: {both}"


def pays_from(found: OwnServers, load: float) -> str:
    """Say from which volume on own servers cost less, as far as that is known.

    ``load`` is the utilisation in per cent.
    """
    on, usd = found.cost.servers, found.cost.for_budget
    if on is None or usd is None:
        return ""
    if found.meets is None:
        each, rent = (at_least, "lowest") if found.cost.at_least else (about, "likely")
        return (
            "By the token: no public price that meets your conditions. With your "
            f"{found.requests:,.0f} requests a month, a request on own servers comes to "
            f"{each(usd / found.requests)} at the {rent} rent."
        )
    low, likely, high = found.meets
    again = "a further set of GPUs may make paying by the token cheaper again for a while"
    if on.serves is None:
        return (
            f"Below about {rounded(found.certain_below)} requests a month paying by the token is "
            "certainly cheaper than these servers, even at the lowest rent and the highest token "
            "bill. Whether own servers ever cost less cannot be said."
        )
    if likely.requests is None:
        return (
            f"At {load:g} % utilisation own servers never cost less at the likely rent and bill: "
            f"one set of GPUs serves about {rounded(on.serves)} requests a month, and it would "
            f"take about {rounded(likely.at_least)} to pay off."
        ) + (
            ""
            if low.requests is None
            else f" At the lowest rent they can from {_meets(low)}; {again}."
        )
    return (
        f"Own servers cost less only from about {_meets(likely)} requests a month on (lowest rent "
        f"{_meets(low)}, highest rent {_meets(high)}); {again}."
    )


def _meets(at: BreakEven) -> str:
    return "never" if at.requests is None else rounded(at.requests)


def best_for_money(ahead: Sequence[str], n: int, *, by_size: bool) -> tuple[str, str]:
    """Say which of ``n`` models no other beats in both quality and cost, each with its cost."""
    verb, their = ("offers", "its") if len(ahead) == 1 else ("offer", "their")
    price, no_more = ("size", "is no larger") if by_size else ("price", "costs no more")
    rest = f" Each of the others is matched or beaten by one that {no_more}."
    of = f"{count(len(ahead)).capitalize()} of {count(n)} models"
    return (
        f"{of} {verb} the best quality for {their} {price}:"
        if n > 1
        else "The only one with a known cost:",
        f"{some_of(ahead, 8)}.{rest if len(ahead) < n else ''}",
    )


def none_on_servers(left_out: Sequence[LeftOut], budget: float | None) -> str:
    """Say why no model is priced on own servers: the budget, or what is known of weights."""
    dear = [(it.cost, it.name) for it in left_out if it.rule == "over budget" and it.cost]
    if dear and budget is not None:
        cost, name = min(dear, key=lambda it: it[0].for_budget or 0.0)
        return (
            f"On own servers no model costs {dollars(budget)} a month or less. The cheapest is "
            f"{name}, {money(cost)}."
        )
    return (
        "No model of this evidence that fits your question has weights that are known to be open "
        "and a known size, so none can be priced on own servers. Choose another evidence base, or "
        "ask the vendors."
    )


def fit_on(gpus: str, n: int, first: str, n_out: int, n_ask: int = 0) -> tuple[str, str]:
    """Say how many models the GPUs hold, which is ``first`` by what, and how many need more.

    ``n_ask`` more are held too, where it is not known whether the hospital may run them.
    """
    begun, more = f", first {first}" if first else "", []
    if n_ask:
        fit = f"{n_ask} more {'fits' if n_ask == 1 else 'fit'}"
        more.append(f"{fit}: ask about the licence first.")
    if n_out:
        more.append(f"{counted(n_out, 'model')} would need more GPUs.")
    return f"{counted(n, 'model')} {'fits' if n == 1 else 'fit'} {gpus}{begun}.", " ".join(more)
