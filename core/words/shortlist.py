"""What is said of a question and next to each row of its shortlist.

A row says its place, what speaks for it, and what to ask.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from core.domain import ALL_EVIDENCE
from core.figures import (
    about,
    at_least,
    billions,
    count,
    counted,
    day_in_words,
    dollar_range,
    dollars,
    from_whom,
    listed,
    ordinal,
    sentence,
    written,
)
from core.words.conditions import said_of
from core.words.cost import basis, weights_at, with_baa

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.domain import (
        Altered,
        Dossier,
        LeftOut,
        Model,
        OnSale,
        Question,
        Rule,
        Sale,
        Shortlist,
        Taken,
    )
    from core.evidence.catalogue import Catalogue
    from core.procurement.robustness import RankRobustness, Redrawn

_MOST_NAMED = 3
EXISTING = "existing customers only"
_PLACES = {
    "own": "on your own servers",
    "open": "with open weights",
    "vendor": "as a vendor's service",
}


with Path(__file__).with_name("rules.csv").open(encoding="utf-8", newline="") as _lines:
    _RULES = {row.pop("rule"): row for row in csv.DictReader(_lines)}
"""Of each rule its name, what it asks, and why it leaves a model out."""
_ON_OWN_SERVERS: dict[Rule, str] = {
    "closed": "Cannot run on your own servers",
    "weights unknown": "Unknown whether it can run on your own servers",
}


def rule_name(rule: Rule, question: Question) -> str:
    """Name a rule that leaves models out."""
    own = _ON_OWN_SERVERS.get(rule) if question.access == "own" else None
    return own or _RULES[rule]["name"]


def rule_asks(rule: Rule, question: Question) -> str:
    """Say what a rule asks of a model, or what it finds."""
    limit = question.limits.max_params_b
    return _RULES[rule]["asks"].format(
        fit="fit on servers" if limit is None else f"have at most {limit:g} B parameters",
        months=question.sale.on_sale_months,
        limit=limit,
        budget=question.limits.monthly_budget_usd,
        gpus=f"{question.hardware.gpus_owned} × {question.hardware.gpu}"
        if question.hardware.gpus_owned
        else "servers that can be rented",
    )


def why_left_out(out: LeftOut) -> str:
    """Say why a model was left out."""
    each_once = dict.fromkeys(said for offer in out.terms for said in said_of(offer, "fails"))
    cost = ""
    if out.rule == "over budget" and out.cost is not None:
        about_or_more = "about" if out.cost.likely is not None else "at least"
        cost = f"{about_or_more} ${out.cost.for_budget:,.2f}"
    return _RULES[out.rule]["leaves_out"].format(
        detail=" ".join(each_once) if out.terms else out.detail,
        sale=sale_in_words(out.sale) + successor_in_words(out.sale, out.successor_tested)
        if out.sale
        else "",
        size="" if out.params_b is None else billions(out.params_b),
        cost=cost,
        room=basis(out.cost) if out.rule == "no room" and out.cost is not None else "",
    )


def then_and_today(day: str, then: Taken, now: Taken, changed: Sequence[Altered]) -> str:
    """Say what a question took on another day, what it takes today, and why that is another."""
    as_of = f"As of {day_in_words(day)}"
    if "take" not in changed:
        usd = [
            "not known" if it.monthly_usd is None else dollars(it.monthly_usd) for it in (then, now)
        ]
        its, it_is, it_meets = "Its", "it is", "it meets"
        if not now.name:
            its, it_is, it_meets = f"{now.first}'s", f"{now.first} is", f"{now.first} meets"
        said: dict[Altered, str] = {
            "price": f"{its} monthly cost was {usd[0]} and is now {usd[1]}",
            "sale": f"Today {it_is} {now.sale}",
            "terms": f"How well {it_meets} your conditions has changed",
            "evidence": "There is newer evidence",
        }
        news = " ".join(f"{said[what]}." for what in changed if what in said)
        return f"{as_of} and today: {to_take(now)}. {news}".strip()
    because = ""
    if now.not_taken is not None:
        why = why_left_out(now.not_taken)
        because = f", because {now.not_taken.name} is {why}" if now.not_taken.sale else f": {why}"
    elif "evidence" in changed:
        because = ", on newer evidence"
    return f"{as_of}: {to_take(then)}. Today: {to_take(now)}{because}."


def of_another_day(day: str, tests: str) -> str:
    """Say of which days an answer is, ISO; empty for today and for the newest tests."""
    said = []
    if day:
        said.append(f"As of {day_in_words(day)}, not today.")
    if tests:
        said.append(f"The tests are those of {day_in_words(tests)}; newer ones are loaded.")
    return " ".join(said)


def to_take(found: Taken) -> str:
    """Say what to take, else what to test."""
    if found.name:
        return f"take {found.name}"
    return f"test {listed(found.test_these)}" if found.test_these else "no model"


def by_rule(left_out: Sequence[LeftOut]) -> dict[Rule, list[LeftOut]]:
    """Return what each rule left out, in the order of the rules."""
    found: dict[Rule, list[LeftOut]] = {}
    for out in left_out:
        found.setdefault(out.rule, []).append(out)
    return found


def question_in_words(question: Question, shortlist: Shortlist) -> str:
    """Say what is being asked within a suite, to begin a sentence with."""
    names = [name.lower() for name, _ in shortlist.weights]
    many = question.work.task == "balanced" or not 1 <= len(names) <= 3
    parts = ["For all kinds of work" if many else f"For {listed(names)}"]
    if question.work.language:
        n = counted(len(shortlist.benchmark_weights), "test")
        parts.append(f"on {n} in {question.work.language}")
    return ", ".join([*parts, *limits_in_words(question)])


def limits_in_words(question: Question) -> list[str]:
    """Say what is asked next to the work: where it runs, and every limit and condition."""
    parts = []
    if place := _PLACES.get(question.access):
        owned = question.hardware.gpus_owned if question.hardware.gpu else None
        on = f" ({owned} × {question.hardware.gpu}, {weights_at(question.hardware)})"
        on = on if owned and question.access == "own" else ""
        parts.append(f"{place}{on}")
    if question.conditions.platforms and question.access != "own":
        few = len(question.conditions.platforms) <= _MOST_NAMED
        named = (
            listed(question.conditions.platforms)
            if few
            else f"{len(question.conditions.platforms)} platforms"
        )
        parts.append(f"at {named}")
    if question.limits.max_params_b is not None:
        parts.append(f"up to {question.limits.max_params_b:g} B parameters")
    if question.limits.monthly_budget_usd is not None:
        parts.append(f"within ${question.limits.monthly_budget_usd:,.0f} a month")
    limits = (
        question.conditions.max_retention_days,
        question.to_meet.min_context_tokens,
    )
    if conditions := len(question.conditions.required) + sum(limit is not None for limit in limits):
        parts.append(f"under {counted(conditions, 'condition')} of purchase")
    if (months := question.sale.on_sale_months) is not None:
        day = written(question.sale.on_sale_on) if question.sale.on_sale_on else ""
        if months:
            begun = f" from {day}" if day else ""
            parts.append(f"on sale for at least {counted(months, 'month')}{begun}")
        else:
            parts.append(f"on sale on {day or 'the day'}")
    if n := len(question.limits.only):
        parts.append("only the model you chose" if n == 1 else f"among the {n} models you chose")
    return parts


def no_test(question: Question, catalogue: Catalogue) -> str:
    """Say that the evidence has no test of the work that is asked, in its language."""
    work = catalogue.tasks[question.work.task].description
    spoken = f" in {question.work.language}" if question.work.language else ""
    name = evidence_name(question, catalogue) or catalogue.suites[question.evidence.suite].name
    return (
        f"{name} has no benchmark for {work}{spoken}. That is a gap in the evidence, not a verdict "
        "on any model."
    )


def evidence_name(question: Question, catalogue: Catalogue) -> str:
    """Name the evidence base of a question; empty where the app offers none."""
    of = (question.evidence.suite, question.evidence.cohort)
    bases = (*catalogue.evidence.values(), ALL_EVIDENCE)
    return next((base.name for base in bases if (base.suite, base.cohort) == of), "")


def place_of(row: Dossier) -> str:
    """Say a row's place among those that fit, and among all."""
    if row.rank is None:
        return "Not ranked"
    first = "Best" if row.rank == 1 else ordinal(row.rank)
    fit = "The only model that fits" if row.n_fit == 1 else f"{first} of the {row.n_fit:,} that fit"
    if row.rank_all is None or row.n_fit == row.n_all:
        return fit
    return f"{fit}, {ordinal(row.rank_all)} of {row.n_all:,} overall"


def possible_ranks(row: Dossier) -> str:
    """Say which ranks a row may have among those that fit; empty where it has none."""
    if row.rank_band is None or row.n_fit == 1:
        return ""
    first, last = row.rank_band
    if first == last:
        return f"Its place is clear: {ordinal(first)}"
    if row.rank_band == (1, row.n_fit):
        return "The data cannot rank it: it could be anywhere"
    return f"It could be {ordinal(first)} to {ordinal(last)}"


def reasons(row: Dossier) -> tuple[str, ...]:
    """Say in short sentences what speaks for a row; the first is the one to show alone."""
    found = [_standing(row)]
    if row.model.access == "open":
        size = (
            "" if row.model.params_b is None else f", {billions(row.model.params_b)} B parameters"
        )
        found.append(f"Can run on your own servers: open weights{size}.")
    elif row.model.access == "closed":
        found.append("Only as a service: the weights are closed.")
    if row.cost.low is not None:
        found.append(f"{cost_in_words(row)}.")
    if row.cost.is_owned:
        found.append(sentence(basis(row.cost)))
    if row.sale is not None and row.sale.standing == "passes":
        found.append(sentence(sale_of(row)))
    return tuple(found)


def _standing(row: Dossier) -> str:
    n = row.n_benchmarks
    tests = f"{n} test{'s' if n != 1 else ''}"
    if row.label:
        return f"Not ranked: {row.label}."
    if row.rank is None:
        return (
            f"Not ranked: {count(len(row.missing))} of {n + len(row.missing)} tests "
            f"{'was' if len(row.missing) == 1 else 'were'} never run on it, and scores over "
            "different tests cannot be compared."
        )
    where = place_of(row)
    if row.n_fit == 1 or row.rank_band is None:
        return f"{where}, on {tests}."
    first, last = row.rank_band
    if (first, last) == (1, 1):
        others = "the other" if row.n_fit == 2 else "every other"
        return f"{where}, on {tests}: clearly above {others} that fits."
    if first == 1:
        return f"{where}, on {tests}. {possible_ranks(row)}."
    better = count(first - 1)
    above = "is" if first == 2 else "are"
    return (
        f"{where}, on {tests}: {better} that fit{'s' if first == 2 else ''} {above} clearly above."
    )


def cost_in_words(row: Dossier) -> str:
    """Say what a row costs a month and from whom; the cost, or the least that it is, is known."""
    cost = row.cost
    assert cost.low is not None
    usd = at_least(cost.low) if cost.likely is None else about(cost.likely)
    said = f"{usd[:1].upper()}{usd[1:]} a month"
    if cost.likely and cost.high and cost.low < cost.likely < cost.high:
        said += f" ({between})" if (between := dollar_range(cost.low, cost.high)) else ""
    if cost.kind == "own servers":
        return f"{said} on {from_whom(cost)}"
    signed = f"; {with_baa(cost)}" if with_baa(cost) else ""
    return f"{said} from {from_whom(cost)}, at the price of {day_in_words(cost.as_of)}{signed}"


def _cost(row: Dossier, question: Question) -> tuple[str, str]:
    """Return what to ask about a cost that is not known, or else what is not known of it."""
    cost = row.cost
    unserved = cost.servers is not None and cost.servers.serves is None
    if cost.likely is not None or (cost.is_owned and not unserved):
        return "", ""
    if cost.low is not None or cost.is_owned:
        return "", "What one set of its servers can serve is not published: measure it."
    asked = question.limits.monthly_budget_usd is not None
    budget = "; your budget was not applied to it" if asked else ""
    if cost.why == "not recorded":
        said = f"Cost not known, because {basis(cost)}"
    elif there := cost.where_open:
        usd = f"{dollars(there.monthly_usd)} a month at {there.platform}"
        said = f"Cost under your conditions not known: {usd}, where one is not known"
    elif question.access == "own":
        said = f"Cost not known: {basis(cost) or 'its servers cannot be counted'}"
    else:
        said = f"No public price{' where your conditions may be met' if row.terms else ''}"
        if not row.terms and cost.why == "elsewhere":
            said = "Public prices exist only where you cannot use them"
        if row.model.access == "closed" or question.access == "vendor":
            return f"What does it cost? {said}{budget}.", ""
        said += ": price your own servers"
    return "", f"{said}{budget}."


def questions(row: Dossier, question: Question) -> tuple[str, ...]:
    """List what a vendor, or the hospital itself, can be asked about a row."""
    found, sale = [_cost(row, question)[0]], row.sale
    if sale is not None and sale.standing == "question":
        asks = ""
        if _ends_too_soon(sale.best):
            asks = " Who sells it for longer?"
        elif sale.best and sale.best.state == EXISTING:
            asks = " Do you have it already?"
        found.append(f"{sentence(sale_in_words(sale))}{asks}")
    elif row.sold is not None and (row.sold.lasts is None or row.sold.is_old):
        found.append(f"Ask {row.sold.platform} how long it will sell this model.")
    if row.sold is not None and row.sold.conflict:
        found.append(until_when(row.sold, row.model.name))
    if not row.model.licence and row.model.access != "closed":
        found.append("May you use it commercially? Its licence was not found.")
    there = row.cost.where_open
    for offer in row.terms:
        if offer is row.terms[0] or (there and offer.platform == there.platform):
            found += said_of(offer, "open")
    return tuple(filter(None, found))


def not_known(row: Dossier, question: Question) -> tuple[str, ...]:
    """List what else is not known about a row, and that it may exceed the budget."""
    found = [_cost(row, question)[1]]
    budget, high = question.limits.monthly_budget_usd, row.cost.high
    if budget is not None and high is not None and high > budget:
        found.append(f"It may exceed your budget: up to {dollars(high)} a month.")
    if row.model.params_b is None:
        found.append("Number of parameters not known.")
    if row.model.access == "unknown":
        found.append("Not known whether the weights are open.")
    if row.missing:
        more = " and others" if len(row.missing) > 5 else ""
        found.append(f"Never run: {', '.join(row.missing[:5])}{more}.")
    if row.interval_basis == "none":
        found.append("No interval can be given: too few tests and no published error.")
    return tuple(filter(None, found))


_DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_ISSUE = re.compile(r" \([\w.-]+/[\w.-]+#\d+\)")
_END = re.compile(
    r"(?:^|[.;] )([^;]*?) says (?:that it ended on )?((?:not before )?\d+ [A-Z][a-z]+ \d{4})(?! \()"
)
"""A source and the plain end it states; not that of a preview, which brackets after it tell."""


def until_when(sale: Sale, model: str) -> str:
    """Ask until when a platform sells a model, where sources differ, with what they say."""
    said, used = _conflict(sale), ""
    if sale.until and sale.state in ("ends", EXISTING) and written(sale.until) not in said:
        used = f" Used here: {written(sale.until)}."
    return f"Until when does {sale.platform} sell {model}? Sources differ: {said}{used}"


def sources_differ(sale: Sale) -> str:
    """Say which sources give which other end, or that they differ where none is plain."""
    if not sale.conflict:
        return ""
    ends: dict[str, str] = {}
    # Each begins a sentence in the table, and none here.
    said = re.sub(r"(?:^|(?<=[.;] ))(The|A|An) ", lambda it: it[0].lower(), _conflict(sale))
    for source, day in _END.findall(said):
        ends.setdefault(day, f"{source} says {day}")
    if sale.until:
        ends.pop(written(sale.until), None)
    return listed(ends.values()) if ends else "sources differ"


def _conflict(sale: Sale) -> str:
    return _DAY.sub(lambda day: written(day[0]), _ISSUE.sub("", sale.conflict))


def sale_of(row: Dossier) -> str:
    """Say how long a model is sold where its price is, within a sentence; empty if not asked."""
    if row.sale is None:
        return ""
    if row.sold is None or row.sale.standing != "passes":
        return sale_in_words(row.sale)
    kept = "; its open weights can be kept on own servers" if row.sale.kept else ""
    return f"{sale_at(row.sold)}{kept if _use(row.sale) else ''}"


def _use(sale: OnSale) -> bool | None:
    """Say whether a hospital may use open weights; ``None`` where their licence is not known."""
    use = sale.licence.commercial_use if sale.licence else ""
    return use != "no" if use else None


def sale_in_words(sale: OnSale) -> str:
    """Say until when a model is on sale, and where, to go on within a sentence.

    Open weights can be kept on own servers where a licence is known to allow it.
    """
    best = sale.best
    if sale.kept:
        kept = {
            True: "open weights: it can be kept on own servers",
            False: "open weights, not licensed for commercial use",
            None: "open weights, not known whether a hospital may use them (licence)",
        }[_use(sale)]
        hosted = best is not None and best.state not in ("gone", "not known")
        return f"{kept}; {sale_at(best)}" if best is not None and hosted else kept
    if best is not None and sale.standing == "question" and _ends_too_soon(best):
        return f"{sale_at(best)}; not known whether anybody else sells it"
    if best is None or (sale.standing == "question" and best.state != EXISTING):
        return "not known whether it is still sold: ask the vendor"
    if sale.of_some and best.state == "gone":
        return _gone_there(best)
    return sale_at(best)


def _ends_too_soon(sale: Sale | None) -> bool:
    """Say whether a platform still serves a model, but for less than the months asked for."""
    return sale is not None and sale.lasts is False and sale.state != "gone"


def successor_in_words(sale: OnSale, tested: Sequence[str] | None) -> str:
    """Say what a maker names in the place of a model, and which suites have evidence of that."""
    if not sale.successor:
        return ""
    said = f"; its maker's successor is {sale.successor}"
    if tested is None:
        return said
    return f"{said}, {f'tested in {listed(tested)}' if tested else 'no evidence yet'}"


def sale_at(sale: Sale) -> str:
    """Say how long a platform sells a model, and when that was read, within a sentence."""
    said, read = _sold(sale)
    if sale.state == "not known":
        return f"not known whether {sale.platform} still sells it"
    if sale.state == "no end known":
        return f"on sale at {sale.platform}, {said}{read}{closing(sale)}"
    if sale.state == "gone":
        return f"{said}, last at {sale.platform}{read}"
    if sale.state == "ends":
        return f"on sale {said}, at {sale.platform}{read}{closing(sale)}"
    return f"{said}, at {sale.platform}{read}{closing(sale)}"


def maker_sale(sale: Sale) -> str:
    """Say how long its maker sells a model that others may sell for longer."""
    if sale.state != "gone":
        return sentence(f"its own maker ({sale.platform}) sells it {sale_there(sale)}")
    return sentence(_gone_there(sale))


def _gone_there(sale: Sale) -> str:
    since = f" since {written(sale.until)}" if sale.until else ""
    return f"no longer sold at {sale.platform}{since}{_sold(sale)[1]}"


def closing(sale: Sale) -> str:
    """Say from when a platform will refuse new customers, to go on after a comma."""
    return f", no new customers from {written(sale.closes_on)}" if sale.closes_on else ""


def sale_there(sale: Sale) -> str:
    """Say the same where the platform is named already."""
    return f"{''.join(_sold(sale))}{closing(sale)}"


def _sold(sale: Sale) -> tuple[str, str]:
    """Say how long a platform sells a model, and in brackets when that was read."""
    day = written(sale.until) if sale.until else ""
    how = "you were told on" if sale.told else "read"
    read = f" ({how} {written(sale.read_on) if sale.read_on else 'on an unknown day'})"
    if sale.state == "gone":
        return f"no longer sold{f' since {day}' if day else ''}", read if sale.told else ""
    if sale.state == "ends":
        return f"{'' if sale.lasts else 'only '}until {day}", read if sale.told else ""
    if sale.state == "assured":
        return f"assured until {day}", read
    if sale.state == EXISTING:
        return f"for existing customers only{f', until {day}' if day else ''}", read
    if sale.state != "no end known":
        return "not known", ""
    return f"assured until {day}, no end known" if day else "no end known", read


def drawn_again(found: Redrawn, best: Model, names: Mapping[str, str]) -> str:
    """Say how often the rule picks the same model where the tests are drawn again."""
    others, same = [it for it in found.shares if it[0] != best.id][:2], found.share(best.id)
    more = [it for it in others if it[1] > same]
    named = [f"{names[name]} ({share * 100:.0f} %)" for name, share in more or others]
    most = "most often " if len(found.shares) > len(others) + 1 else ""
    too = f", and otherwise {most}{listed(named)}" if named else ""
    too = f", and {listed(named)} more often" if more else too
    return (
        f"When the tests of each kind are drawn again {found.n_draws} times, the rule picks "
        f"{best.name} {same * 100:.0f} % of the time{too}."
    )


def among(n: int, suite: str, *, yours: bool) -> str:
    """Begin a sentence with how many models are compared: some of yours, or all that fit."""
    fit = f"ranked models of {suite} that fit"
    return f"Of the {count(n)} {f'of your models that {suite} ranks' if yours else fit},"


def first_by_weights(found: RankRobustness, names: Mapping[str, str]) -> tuple[str, str]:
    """Say which model is first in how many weightings, and how often others are, apart."""

    def most(field: Literal["first_share", "top_three_share"], n: int) -> list[str]:
        shares = [(getattr(spread, field) or 0.0, spread.model) for spread in found.models]
        largest = sorted((it for it in shares if it[0] > 0), key=lambda it: -it[0])
        return [f"{names[model]} in {_percent(share)}" for share, model in largest[:n]]

    leader = max(found.models, key=lambda spread: spread.first_share or 0.0)
    share, drawn = _percent(leader.first_share or 0.0), f"{found.n_draws:,} plausible weightings"
    others = most("first_share", 3)[1:]
    said = f", {listed(others)}." if others else "."
    if len(found.models) > 5:  # of fewer, three are most of them
        said += f" Among the first three: {listed(most('top_three_share', 4))}."
    if leader.model != (now := found.models[0].model):
        said += f" At your weights as they are, {names[now]} is first."
    return f"{names[leader.model]} is first in {share} of {drawn}", said


def flips(found: RankRobustness, names: Mapping[str, str]) -> str:
    """Say at which weight of one category another model is first."""
    if (flip := found.flip) is None:
        return "No weight of a single kind of work puts another model first."
    more, now = "over" if flip.at > flip.weight else "under", _percent(flip.weight)
    return (
        f"{names[flip.model]} is first where {flip.category.lower()} has {more} "
        f"{flip.at * 100:.1f} % of the weight (now {now})."
    )


def _percent(share: float) -> str:
    """Write a share; what is not quite none or all does not read so."""
    if 0 < share < 0.005:
        return "under 1 %"
    if 0.995 <= share < 1:
        return "over 99 %"
    return f"{share * 100:.0f} %"


def could_be_best(n: int) -> str:
    """Say that several models may be the best at the weights as they are, and why."""
    return (
        "Other cases or tests of this kind might change the order: at your weights "
        f"{'either' if n == 2 else 'any'} of {count(n)} models could be the best. Choose among "
        "them by what the scores do not show."
    )
