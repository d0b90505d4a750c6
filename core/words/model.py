"""What is known about one model, and of two, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Literal, get_args

from core.domain import (
    ConditionCheck,
    Licence,
    Model,
    MonthlyCost,
    OfferTerms,
    OnSale,
    Price,
    Safety,
    Sale,
    Status,
    Tested,
)
from core.figures import (
    UNKNOWN,
    capitalised,
    counted,
    day_in_words,
    from_whom,
    listed,
    money,
    ordinal,
    sentence,
    signed,
    signed_interval,
    size,
    written,
)
from core.procurement.conditions import RETENTION, SELF_HOSTED
from core.words.recommendation import PAIRED
from core.words.shortlist import EXISTING, sale_at, sale_in_words, sale_there, until_when
from core.words.tiles import BASES

if TYPE_CHECKING:
    from core.statistics.difference import Pair, SideBySide

LINKS = {"another harness": "another effort or harness"}
"""How an id that a suite tested is linked to a product, where another word says it better."""
TERMS: dict[Status, str] = {
    "passes": "yes",
    "conditional": "on a condition",
    "open": "not known",
    "fails": "no",
}
_MOST_PLACES = 3
Way = Literal["lowest", "with a BAA", "own servers"]


def term(check: ConditionCheck) -> str:
    """Write what is known of a condition, and what is to be agreed on for fewer days of data."""
    if check.kept is None or check.status != "conditional":
        return _in_a_cell(check)
    fewer = "fewer are" if check.zero is None else "zero retention is"
    return f"{_in_a_cell(check)}, unless {fewer} agreed"


def _in_a_cell(check: ConditionCheck) -> str:
    """Write whether a platform meets a condition, or the days that it keeps data, with its day."""
    said = TERMS[check.status]
    if check.condition == RETENTION and check.status != "open":
        said = counted(check.kept[0] if check.kept else 0, "day")
        if check.kept is None and check.zero is not None:
            said = "not stated, can be set to none"
        elif check.kept is None and check.status == "fails":
            said = "not stated, never none"
    day = check.read_on or "undated"
    return f"{said} ({day})" if check.is_of_a_source and check.status != "open" else said


def terms(checks: Sequence[Sequence[ConditionCheck]]) -> dict[str, list[str]]:
    """Return the terms of offers as columns, in the order of the conditions."""
    kinds = {check.condition: check.kind for of in checks for check in of}
    return {
        kind.short: [
            next((_in_a_cell(check) for check in of if check.condition == condition), UNKNOWN)
            for of in checks
        ]
        for condition, kind in kinds.items()
    }


def on_sale_line(sale: OnSale, prices: Sequence[tuple[str, Price]]) -> str:
    """Say where a model is on sale until when, or whose price list has it."""
    said = sale_in_words(sale)
    if not sale.at and prices:
        at = f"on the price list of {listed([at for at, _ in prices[:_MOST_PLACES]])}"
        at = sentence(f"{at}; no source says whether it stays on sale")
        return f"{sentence(said)} {at}" if sale.kept else at
    return sentence(f"on sale, {said}" if said.startswith("assured") else said)


def sold_longer(sale: OnSale) -> str:
    """Say who sells a model longer than the first named, or with no end known; else empty."""
    others = [it for it in sale.at[1:] if it.state not in ("gone", "not known")]
    if not others or sale.at[0].state != "ends":
        return ""
    longest = max(others, key=lambda it: (it.state == "no end known", it.until))
    longer = longest.state == "no end known" or longest.until > sale.at[0].until
    return sentence(capitalised(sale_at(longest))) if longer else ""


def elsewhere(sale: OnSale) -> tuple[str, ...]:
    """Say until when the other platforms sell it, and which no longer do."""
    platforms: dict[Sale, list[str]] = {}
    for one in sale.at[1:]:
        if one.state not in ("gone", "not known"):  # Those that say the same are said together.
            alike = replace(one, platform="", source="", region="")
            platforms.setdefault(alike, []).append(one.platform)
    others = (replace(one, platform=listed(at)) for one, at in platforms.items())
    said = [*(sentence(capitalised(sale_at(one))) for one in others), ended(sale)]
    return tuple(filter(None, said))


def ended(sale: OnSale) -> str:
    """Say where it is no longer sold, and since when; empty unless it can be had elsewhere."""
    gone = [
        f"at {one.platform}{f' since {written(one.until)}' if one.until else ''}"
        for one in sale.at
        if one.state == "gone"
    ]
    return f"No longer sold {listed(gone)}." if gone and not sale.has_ended else ""


def price_line(prices: Sequence[tuple[str, Price]], sale: OnSale) -> str:
    """Say the lowest public price, and at how many platforms there is one."""
    if not prices:
        ended = "No price: nobody sells it any more."
        return ended if sale.has_ended else "No public price: ask the vendor."
    at, price = prices[0]
    read, wrote = (
        f"${usd:.2f}" if round(usd, 2) == usd else f"${usd:g}"
        for usd in (price.input_usd_per_mtok, price.output_usd_per_mtok)
    )
    rates = f"{read} read and {wrote} written per million tokens"
    if price.offered:
        return f"{rates}: {price.provider_name} ({written(price.as_of)})."
    others = len({where for where, _ in prices}) - 1
    more = f", the lowest of {counted(others + 1, 'platform')}" if others else ""
    return f"{rates} at {at}{more} (list of {written(price.as_of)})."


def known_line(evidence: Sequence[Tested], safety: Safety | None, day: date) -> str:
    """Say a model's places, and what it was never tested for."""
    placed: dict[str, str] = {}
    for each in evidence:
        if each.rank is not None:
            placed.setdefault(each.suite, f"{ordinal(each.rank)} of {each.n} in {each.name}")
    medical = [each for each in evidence if each.medical]
    beside = [said for suite, said in placed.items() if suite not in {e.suite for e in medical}]
    if not medical:
        said = f"No public medical evidence as of {written(day.isoformat())}: plan a test."
        return f"{said} Not medical: {'; '.join(beside)}." if beside else said
    named = [said for suite, said in placed.items() if suite in {e.suite for e in medical}]
    where = "; ".join(named) if named else "tested without a place"
    harm = "" if safety else " Never tested by NOHARM for severe harm."
    return f"{where}.{harm}" if named else f"{sentence(where)}{harm}"


def systems_in_words(n_rows: int, n_models: int) -> str:
    """Say how many models a suite ranks, and how many systems where a model is in several."""
    models = counted(n_models, "model")
    return models if n_rows == n_models else f"{counted(n_rows, 'system')} of {models}"


def value_in_words(found: Tested) -> str:
    """Write a score on the scale of its metric: points out of 100, or as the suite has it."""
    worst, best = found.scale
    if found.value is None:
        return found.left_out
    times = 100 if max(found.scale) == 1 else 1
    digits = 0 if max(found.scale) > 100 else 1
    ends = ""
    if found.ci_low is not None and found.ci_high is not None:
        ends = f" ({found.ci_low * times:.{digits}f} to {found.ci_high * times:.{digits}f})"
    lower = f" of {worst * times:g}, lower is better" if worst > best else ""
    return f"{found.value * times:.{digits}f}{ends}{lower}"


def questions_on_model(
    name: str,
    sale: OnSale,
    prices: Sequence[tuple[str, Price]],
    terms: Sequence[OfferTerms],
    safety: Safety | None,
    evidence: Sequence[Tested],
) -> tuple[str, ...]:
    """List what to ask or test, since no source says."""
    found = []
    if not any(each.medical for each in evidence):
        found.append("How good is it on our own cases? No public medical evidence says.")
    if safety is None:
        found.append("How often does its advice do severe harm? NOHARM never tested it.")
    served = {one.state for one in sale.at if one.state != "gone"}
    if sale.standing == "question" and served != {EXISTING}:
        found.append("Until when is it sold, and where?")
    found += [
        f"Do you have it at {one.platform} already? New customers are refused."
        for one in sale.at
        if one.state == EXISTING
    ]
    found += [until_when(one, name) for one in sale.at if one.conflict and one.state != "gone"]
    # What nobody sells is bought of no one, and own servers need no BAA.
    if sale.has_ended or (sale.kept and not prices and not served):
        return tuple(found)
    if not prices:
        found.append("What does it cost?")
    signed = [
        check
        for offer in terms
        for check in offer.checks
        if check.condition == "baa" and check.status in ("passes", "conditional")
    ]
    if not signed:
        found.append("Who signs a business associate agreement (BAA) for it?")
    return tuple(found)


def licence_question(model: Model, licence: Licence | None) -> tuple[str, ...]:
    """Ask for what open weights need on own servers, where no licence is known to allow their use.

    Empty elsewhere.
    """
    use = licence.commercial_use if licence else ""
    if model.access != "open" or use in ("yes", "conditional"):
        return ()
    if licence and use == "no":
        whom = model.developer or "its maker"
        return (f"Will {whom} license it to us for own servers? Now: {licence.condition}",)
    return ("May a hospital use its weights on own servers? Its licence is not known.",)


def compared_in_words(
    verdict: str,
    a: str,
    b: str,
    above: Sequence[str],
    below: Sequence[str],
    level: Sequence[str],
    shown: Sequence[str],
    apart: Sequence[tuple[str, int | None, int | None, int]] = (),
    one_row: Sequence[str] = (),
) -> str:
    """Say how one model compares with another in the suites that have both.

    ``above``, ``below``, ``level`` and ``shown``, where the interval of the difference is without
    zero, are names of suites; ``apart`` are suites that score nothing, each with both places and
    the number of its models, and ``one_row`` those whose one row may be either.
    """
    if one_row:
        has, does = ("has", "does") if len(one_row) == 1 else ("have", "do")
        row = f"{listed(one_row)} {has} one row for both and {does} not tell them apart."
        if verdict == "nowhere" and not apart:
            more = [row, "No other suite has both."]
        else:
            more = [compared_in_words(verdict, a, b, above, below, level, shown, apart), row]
        return " ".join(more)
    if apart:
        more = [
            f"Separately, {suite}: {a} {ordinal(one)} and {b} {ordinal(other)} of {n}."
            for suite, one, other, n in apart
            if one and other
        ]
        return " ".join([compared_in_words(verdict, a, b, above, below, level, shown), *more])
    if verdict == "nowhere":
        return f"No suite has both {a} and {b}: only a test on your own cases can compare them."
    above, below, level, shown = (
        [suite.partition(",")[0] for suite in each] for each in (above, below, level, shown)
    )
    stands = [
        f"{how} in {listed(where)}"
        for how, where in (("above", above), ("below", below), ("level", level))
        if where
    ]
    named = [*above, *below, *level]
    said = "No difference is shown."
    if shown:
        where = listed(shown) if len(shown) < len(named) else "each" if named[1:] else "it"
        said = f"A difference is shown in {where}."
    if verdict in ("above", "below"):
        which = "both suites" if len(named) == 2 else f"all {len(named)} suites"
        place = f"a {'better' if verdict == 'above' else 'worse'} place than {b}"
        return f"{a} has {place} in {which} that have both: {listed(named)}. {said}"
    if verdict == "the suites part":
        return f"The suites disagree. Compared with {b}, {a} is {', '.join(stands)}. {said}"
    return f"One suite has both: compared with {b}, {a} is {stands[0]}. {said}"


def order_turns(turned: Sequence[tuple[str, str, str, int]]) -> str:
    """Say by which other run of a model, and its place, the order in a suite would be the other."""
    return " ".join(
        f"With {name} as {run}, {ordinal(place)}, the order in {suite.partition(',')[0]} turns."
        for suite, name, run, place in turned
    )


def pair_in_words(pair: Pair, other: str) -> str:
    """Say how a model compares with another one; it goes on after its name."""
    sure, gap = "", pair.overall
    if pair.n_with_interval:
        clearly, behind = pair.n_ahead(clearly=True), pair.n_behind(clearly=True)
        sure = f", clearly on {clearly}, and clearly behind on {behind}"
    overall = "the task has no benchmark that both have"
    if gap.difference is not None:
        basis = PAIRED if gap.basis == "items" else BASES[gap.basis]
        interval = f"{signed_interval(gap.ci_low, gap.ci_high)} {basis}".rstrip()
        overall = f"overall {signed(gap.difference)} points ({interval})"
    of = counted(pair.n_shared, "benchmark")
    return f"against {other}: {overall}; ahead on {pair.n_ahead()} of {of}{sure}."


def not_there(name: str, suite: str) -> str:
    """Say that a suite lacks the model in use, so that it is not among those compared."""
    return f"{name} is not in {suite}. Candidates has what other suites say of it."


def cost_today(name: str, cost: MonthlyCost, sale: OnSale) -> str:
    """Say what a month of the work costs, and for whom or until when where that sale ends."""
    sold = sale.where(cost.platform)
    ends = sold.state == EXISTING or sold.lasts is False
    at = (money(cost), from_whom(cost), sale_there(sold) if ends else "")
    return f"{name}: {', '.join(filter(None, at))}"


def benchmarks_that_count(found: SideBySide, n: int, *, weighted: bool) -> str:
    """Say how many of ``n`` benchmarks count, how, and what *clearly* means."""
    how = "weighted by your task" if weighted else "equally: none belongs to your task"
    said = f"{len(found.scores.benchmarks)} of {n} benchmarks count, {how}."
    surest = max(found.pairs, key=lambda pair: pair.n_with_interval)
    if not surest.n_with_interval:
        return said
    return (
        f"{said} Clearly: the 95 % interval of the difference lies on one side of zero, which "
        f"needs a standard error, published or computed from the number of items; "
        f"{surest.n_with_interval} of {surest.n_shared} benchmarks have one."
    )


def clearly_apart(pair: Pair) -> str:
    """Say on how many tests one of two models is clearly better, and on how many clearly worse."""
    if not pair.n_with_interval:
        return "No standard error is published, so no test has an interval of its own."
    return (
        f"Clearly better on {pair.n_ahead(clearly=True)} and clearly worse on "
        f"{pair.n_behind(clearly=True)} of {counted(pair.n_shared, 'test')}, each taken on "
        f"its own; {pair.n_with_interval} have an interval."
    )


def month_line(costs: Mapping[Way, MonthlyCost], sale: OnSale) -> str:
    """Say what a month of the work costs in each way that is known; empty where none is."""
    said: dict[Way, str] = {
        way: f"{money(cost)}, {from_whom(cost)}"
        + (", for existing customers" if sale.where(cost.platform).state == EXISTING else "")
        for way, cost in costs.items()
    }
    if not said:
        return ""
    lowest, baa, own = (said.get(way, "") for way in get_args(Way))
    parts = [lowest]
    if lowest and baa == lowest:
        parts = [f"{lowest}, the same with a BAA"]
    elif lowest and costs["lowest"].platform:  # What a task cost in a test is of no platform.
        parts.append(f"with a BAA {baa}" if baa else "no price is known with a BAA")
    return f"This work: {'; '.join(filter(None, (*parts, own)))}."


def facts(model: Model, *, of_suites: bool) -> str:
    """Say who made a model, when, how large it is and how much it reads."""
    if not of_suites:
        return "Known from price lists alone."
    window = model.context_window_tokens
    said = [
        f"by {model.developer}" if model.developer else "",
        f"released {day_in_words(model.released_on)}" if model.released_on else "",
        {"open": "open weights", "closed": "closed weights"}.get(model.access, ""),
        f"licence {model.licence}" if model.licence else "",
        size(model.params_b),
        f"reads {window:,} tokens at once" if window else "",
        "reasons before it answers" if model.reasoning else "",
    ]
    return sentence(", ".join(filter(None, said)))


def maker_or(platform: str, maker: str) -> str:
    """Name the maker of a model where the platform is its own, else the platform."""
    return maker if platform.split()[:1] == maker.split()[:1] else platform


def neighbour(name: str, named_by: str, evidence: Sequence[Tested], *, after: bool) -> str:
    """Say what is named in place of a model, or what that replaces."""
    tested = "" if any(each.rank for each in evidence) else ", which no suite here has placed"
    if after:
        return (
            f"{named_by} names {name} in its place{tested}; its predecessor's scores do not carry "
            "over."
        )
    return f"{named_by} names it in place of {name}{tested}."


def sale_where(sale: OnSale, platform: str) -> str:
    """Say how long one platform sells a model; own servers keep what they have."""
    if platform == SELF_HOSTED:
        return "can be kept"
    return sale_there(sale.where(platform))
