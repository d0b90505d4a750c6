"""One product of the market in words: its grade, cost, severe harm and sale, and what to ask."""

from collections.abc import Sequence
from datetime import date, timedelta
from math import inf

from core.domain import (
    Candidate,
    Directness,
    Grade,
    MonthlyCost,
    Offer,
    Placed,
    Third,
)
from core.domain.procurement import OFFERED
from core.figures import (
    UNKNOWN,
    at_least,
    counted,
    dollar_range,
    dollars,
    from_whom,
    listed,
    money,
    ordinal,
    sentence,
    written,
)
from core.local_test.ours import OwnTest
from core.procurement.conditions import SELF_HOSTED, ZERO_RETENTION
from core.words.conditions import said_of, within_sentence
from core.words.model import value_in_words
from core.words.shortlist import EXISTING, maker_sale, sale_at
from core.words.tiles import AT_LEAST, Tile, harm_tile, sale_tile

GRADE_MEANS: dict[Grade, str] = {
    "A": "in the upper third of two or more independent tests of this work",
    "B": "in the upper third of one independent test of this work",
    "C": "not clearly good in tests of this work",
    "D": "general or related tests only",
    "E": "never tested",
}
THIRD_MARKS: dict[Third, str] = {"upper": "●", "middle": "◐", "lower": "○"}
KINDS: dict[Directness, str] = {
    "direct": "tests of this work",
    "near": "related tests",
    "general": "general tests",
}
_GRADE_TILE: dict[Grade, str] = {
    "A": "did well in several tests",
    "B": "did well in one test",
    "D": "no test of this work",
}
_FEW_CASES = 50
"""A test of no more says how many it has."""
_WHY_NEAR = {
    "language": "it has no test in this language",
    "not separated": "it cannot tell its first model from its last",
}
SHORT_NAMES = {
    "Azure OpenAI / Azure AI Foundry": "Azure",
    "AWS Bedrock": "AWS",
    "Google Vertex AI": "Google",
    SELF_HOSTED: "own servers",
}
"""How a buyer calls a platform."""
MARKS = "● upper third, ◐ middle third, ○ lower third of what a test ranks"
LEGEND = (
    f"{MARKS}; · not in this test. "
    "Related and general tests are to the right of the tests of this work. 07/2027+: sold at "
    "least until then. Azure +1: one more platform."
)
GRADES_ARE_WORTH = (
    "A grade says whom to test first and proves nothing. With each test left out in turn, over "
    "all kinds of work together, models that the others grade A or B were in its upper third 43 % "
    "of the time and in its lower third 20 %; models in no other test, 20 % and 46 %. Within one "
    "kind of work, A or B had 40 % and 32 %, which may be chance."
)
GRADES_EXPLAINED = (
    "A: in the upper third of two or more independent tests of this work. B: of one such "
    "test. C: tested on this work, but not in any upper third, or also in a lower third; or well "
    "placed in a related test. D: other related or general tests only. E: never tested. "
    f"{GRADES_ARE_WORTH}"
)


def grade_means(grade: Grade, lines: Sequence[Placed]) -> str:
    """Say what a grade means by its lines: a C may be a good place in a related test alone."""
    direct = [line for line in lines if line.kind == "direct"]
    if grade == "C" and lines and not direct:
        return "well placed in a related test, not tested on this work"
    if grade == "C" and len(direct) == 1:
        return f"in the {direct[0].third} third of its only test of this work"
    if grade == "C" and direct:
        upper = any(line.third == "upper" for line in direct)
        return "mixed results" if upper else "not in the upper third of any test of this work"
    return GRADE_MEANS[grade]


def platform_name(platform: str) -> str:
    """Name a platform as a buyer does."""
    return SHORT_NAMES.get(platform, platform)


def product_tiles(each: Candidate) -> tuple[Tile, ...]:
    """Say grade, cost, severe harm and sale of a candidate in one figure each, in this order."""
    return _grade_tile(each), _cost_tile(each), harm_tile(each.harm), _sale_tile(each.best_offer)


def _grade_tile(each: Candidate) -> Tile:
    lines = sorted(each.of("direct") or each.lines, key=lambda line: line.share)
    if not lines:
        return Tile("Tests of this work", "never tested", "(E)")
    best, *others = lines
    name = "Tests of this work" if best.kind == "direct" else "Other tests"
    grade = _GRADE_TILE.get(each.grade) or grade_means(each.grade, each.lines)
    few = f", {best.n_cases} cases" if best.n_cases and best.n_cases <= _FEW_CASES else ""
    said = [f"{test_name(best)}{few}", *map(place, others[:1]), f"{grade} ({each.grade})"]
    return Tile(name, f"{ordinal(best.place)} of {best.tested.n}", "; ".join(said))


def _cost_tile(each: Candidate) -> Tile:
    cost, offer = each.cost, each.best_offer
    said = [*filter(None, [dollar_range(cost.low, cost.high)])]
    named = cost.servers or is_yours(cost)
    said.append(from_whom(cost) if named else platform_name(offer.platform))
    figure = money(cost).removesuffix(" a month")
    return Tile("Monthly cost", figure, ", ".join(said))


def _sale_tile(offer: Offer) -> Tile:
    kept = offer.platform == SELF_HOSTED
    return sale_tile(offer.sale, platform_name(offer.platform), kept=kept)


def where(each: Candidate) -> str:
    """Name the platform of the first offer, and how many more there are that are as sure."""
    alike = [it for it in each.offers if it.standing == each.best_offer.standing]
    more = len({it.platform for it in alike}) - 1
    first = platform_name(each.best_offer.platform)
    return f"{first} +{more}" if more else first


def sale_short(offer: Offer) -> str:
    """Write until when an offer lasts, for a table."""
    if offer.platform == SELF_HOSTED:
        return "no end"
    sale = offer.sale
    if sale is None or sale.state == "not known":
        return UNKNOWN
    if sale.state == EXISTING:
        return f"existing customers, {_month(sale.until)}" if sale.until else "existing customers"
    said = _month(sale.until) if sale.until else "no end known"
    if sale.until and sale.state in AT_LEAST:
        said += "+"
    return f"{said}, new customers until {_month(sale.closes_on)}" if sale.closes_on else said


def _month(day: str) -> str:
    year, month, _ = day.split("-")
    return f"{month}/{year}"


def product_for_and_against(each: Candidate) -> tuple[str, ...]:
    """Say why to start with a candidate, what speaks against it, and what to ask first."""
    good = [it for it in each.of("direct") if it.third == "upper"]
    return ((sentence(listed([place(it) for it in good])),) if good else ()) + to_know(each)


def to_know(each: Candidate, *, tiled: bool = False) -> tuple[str, ...]:
    """Say what speaks against a candidate, and what to ask or to agree before it is bought.

    Where it is ``tiled``, a tile says already how its only test of the work went.
    """
    said = []
    weak = [it for it in each.lines if it.third == "lower"] or [
        it for it in each.of("direct") if it.third == "middle"
    ]
    if weak and not (tiled and each.of("direct") == (weak[0],)):
        one = weak[0]
        where = "Weaker in" if one.third == "lower" else "In the middle third of"
        said.append(f"{where} {test_name(one)}, {ordinal(one.place)} of {one.tested.n}.")
    terms = each.best_offer.terms
    if terms and terms.status == "open":
        said.append(said_of(terms, "open")[0])
    return tuple(filter(None, (*said, to_agree(each), maker_ends(each), licence_caution(each))))


def to_agree(each: Candidate) -> str:
    """Say which conditions are to be agreed on where a candidate is bought; empty without any.

    Also where it is sold with all of them, if anywhere.
    """
    terms = each.best_offer.terms
    if terms is None or terms.status != "conditional":
        return ""
    names = dict.fromkeys(
        "zero retention"
        if it.condition == ZERO_RETENTION or it.zero is not None
        else within_sentence(it.name)
        for it in terms.checks
        if it.status == "conditional"
    )
    whose = "Yours to arrange on" if each.best_offer.is_own else "To be agreed with"
    said = f"{whose} {platform_name(terms.platform)}: {listed(names)}."
    for offer in each.offers:
        if offer.standing == "buyable" and offer.terms and offer.terms.status == "passes":
            usd = f", about {dollars(offer.monthly_usd)} a month" if offer.monthly_usd else ""
            return f"{said} Nothing to agree on at {platform_name(offer.platform)}{usd}."
    return said


def maker_ends(each: Candidate) -> str:
    """Say until when the maker itself sells what is to be bought elsewhere; empty if long enough.

    Others often follow.
    """
    ends = each.ended_by_maker
    return maker_sale(ends) if ends else ""


def licence_caution(each: Candidate) -> str:
    """Say what the licence asks of a hospital that runs the weights itself; empty elsewhere.

    A platform's contract decides for those who buy there. Where the question requires commercial
    use, its condition says it.
    """
    terms = each.best_offer.terms
    required = {it.condition for it in terms.checks} if terms else set()
    if not each.best_offer.is_own or "commercial_licence" in required:
        return ""
    if each.licence is None or each.licence.commercial_use != "conditional":
        return ""
    return f"Its licence sets conditions: {each.licence.condition}"


def tests_of_the_work(lines: Sequence[Placed]) -> str:
    """Say the place in each test of the work; where there is none, that in related tests."""
    direct, near = ([place(it) for it in lines if it.kind == kind] for kind in ("direct", "near"))
    return listed(direct) if direct else f"none; related: {listed(near)}" if near else "none"


def place(line: Placed) -> str:
    """Write the place of a line, and in which test."""
    return f"{ordinal(line.place)} of {line.tested.n} in {test_name(line)}"


def test_name(line: Placed) -> str:
    """Name the suite of a line, with the language of the tests that count where none is English."""
    name = short_name(line.tested.name)
    if not line.languages or name.endswith(f"({line.languages[0]})"):
        return name
    return f"{name} ({listed(line.languages[:2]) if len(line.languages) < 3 else 'no English'})"


def short_name(suite: str) -> str:
    """Name a suite up to its comma."""
    return suite.partition(",")[0]


def cell(line: Placed) -> str:
    """Write a place with the mark of its third."""
    return f"{THIRD_MARKS[line.third]} {line.place} of {line.tested.n}"


UNSTATED = "* The test does not state the version of the model."


def places_of(each: Candidate) -> str:
    """Write a candidate's place in every test, or that it has none; `UNSTATED` says what * is."""
    said = [
        f"{cell(it)} {test_name(it)}{'*' * (it.tested.kind == 'version not stated')}"
        for it in each.lines
    ]
    return "; ".join(said) or "never tested"


LEGEND_OF_OURS = (
    "Ours: tests on open cases that you ran. They do not count towards any grade, and a place "
    "alone shows no difference."
)


def cell_of_ours(test: OwnTest, product: str) -> str:
    """Write a product's place in a test of one's own, and how many cases that rests on."""
    place = test.place(product)
    return f"{place} of {len(test.scores)}, {counted(test.n_cases, 'case')}" if place else "·"


def about_ours(as_of: str, n_cases: int, judges: Sequence[str]) -> str:
    """Say of a test of one's own its day, its cases and who judged."""
    judged = f", judged by {listed(list(judges))}" if judges else ""
    return f"Run by you, kept on {written(as_of)}: {n_cases:,} open cases{judged}"


def place_in_ours(name: str, case_set: str, test: OwnTest, product: str) -> str:
    """Say where a model came in a test of one's own that has it."""
    place = ordinal(test.place(product) or 0)
    about = about_ours(test.as_of, test.n_cases, test.judges)
    return f"Your own test: {name} was {place} of {len(test.scores)} on {case_set}. {about}."


def about_line(line: Placed, judged_by: str) -> str:
    """Say of a place its third, score, day, who ran the model and who judged it."""
    one = line.tested
    link = "" if one.kind == "same version" else one.kind
    run = f"tested as {one.tested_as}" if link or line.other_runs else ""
    run += "".join(f", as {name} {ordinal(place)}" for name, place in line.other_runs)
    why = f"counts as a related test: {_WHY_NEAR[line.why_near]}" if line.why_near else ""
    by = f"run by {one.run_by}" if one.run_by else ""
    day = f"as of {one.as_of}" if one.as_of else "day not published"
    judges = f"judged by {judged_by}" if judged_by else ""
    parts = [f"{line.third} third, {one.metric} {value_in_words(one)}", day, by, judges]
    return "; ".join(filter(None, [*parts, link, run, why]))


def over_budget(each: Candidate, budget: float | None) -> str:
    """Say that a candidate may exceed the budget, US dollars a month; empty where it may not."""
    if budget is None or (each.cost.high or 0.0) <= budget:
        return ""
    return f"It may exceed the budget: up to {dollars(each.cost.high or 0.0)} a month."


def closing_soon(each: Candidate, day: date) -> str:
    """Say by when new customers must sign, where that is within 90 days; else empty."""
    sale = each.best_offer.sale
    if sale is None or sale.closes_on > (day + timedelta(days=90)).isoformat():
        return ""
    return new_customers(each)


def new_customers(each: Candidate) -> str:
    """Say by when new customers must sign, where that is within half a year; else empty."""
    sale = each.best_offer.sale
    if sale is None or not sale.closes_on:
        return ""
    where = platform_name(sale.platform)
    return f"{where} takes no new customers from {written(sale.closes_on)}."


def to_ask(each: Candidate) -> str:
    """Say as a question what is not known of the first offer, that with the fewest questions."""
    offer = each.best_offer
    lasts = offer.is_own or (offer.sale is not None and offer.sale.lasts)
    where = platform_name(offer.platform)
    shut = offer.sale if offer.sale and offer.sale.state == EXISTING else None
    refuses = f"{where} refuses new customers of {each.model.name}"
    have_it = f"{refuses}: do you have it already?" if shut else ""
    if offer.terms is not None and (asked := said_of(offer.terms, "open")):
        others = [within_sentence(it.name) for it in offer.open_checks[1:]]
        others += ["until when it is sold"] * (not lasts and not (shut and shut.until))
        others += ["what it costs"] * (each.cost.for_budget is None and not each.cost.is_owned)
        also = f"Also not known: {listed(others)}." if others else ""
        return " ".join(filter(None, (asked[0], also, have_it)))
    use = each.licence.commercial_use if each.licence else ""
    if offer.is_own and each.licence and use == "no":
        return f"Ask {each.model.developer or 'its maker'} for a licence: {each.licence.condition}"
    if offer.is_own and not use:
        named = each.model.licence
        what = f"What its licence ({named}) allows" if named else "Its licence"
        return f"{what} is not known: may a hospital use the weights?"
    if have_it:
        return have_it
    if lasts:
        no_price = f"Ask {where} what it costs: no price is known."
        no_tokens = "What a task costs is not known: no test recorded how many tokens it takes."
        return no_tokens if each.cost.why == "not recorded" else no_price
    return f"Ask {where} whether it still sells this model, and until when."


HARM_ORDER = (
    "Models with the smallest share of cases with severe harm come first, those never tested for "
    "it last. “Caution”: in the worst quarter of all systems tested, and above physicians' share."
)


def by_harm(rows: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Order by the share of cases with severe harm, the smallest first; untested ones are last."""
    return tuple(sorted(rows, key=lambda it: it.harm.share if it.harm else inf))


def harm_short(each: Candidate) -> str:
    """Write the share of cases with severe harm, for a table."""
    if each.harm is None:
        return "untested"
    return f"{each.harm.share * 100:.1f} %{', caution' if each.harm.marked else ''}"


def harm_caution(each: Candidate) -> str:
    """Say of a candidate that is marked for severe harm how often it did any; else empty."""
    if each.harm is None or not each.harm.marked:
        return ""
    _, figure, about = harm_tile(each.harm)
    return f"Severe harm in {figure} {about}."


def product_in_short(each: Candidate) -> str:
    """Say cost, severe harm and sale of a candidate in one sentence."""
    _, cost, harm, _ = product_tiles(each)
    sale = each.best_offer.sale
    said = [
        f"{money(each.cost)} ({cost.about})",
        f"severe harm {harm.figure} {harm.about}".rstrip(),
        sale_at(sale) if sale else "its open weights can be kept on own servers",
    ]
    return sentence("; ".join(said))


def is_yours(cost: MonthlyCost) -> bool:
    """Say whether a cost is at a price that the hospital was offered."""
    return cost.price is not None and cost.price.offered


def cost_short(cost: MonthlyCost) -> str:
    """Write a monthly cost for a table whose heading says that it is one."""
    if cost.likely is not None:
        return f"{dollars(cost.likely)}{', yours' if is_yours(cost) else ''}"
    if cost.is_owned:
        return "no rent"
    return UNKNOWN if cost.low is None else at_least(cost.low)


def costs_elsewhere(each: Candidate) -> str:
    """Write what a candidate costs a month at the other platforms where it can be bought.

    Empty where the cost is that of an offer for no platform in particular.
    """
    if each.cost.platform == OFFERED:
        return ""
    return "; ".join(
        f"{platform_name(it.platform)} {dollars(it.monthly_usd)}{', your offer' * it.is_offered}"
        for it in each.offers[1:]
        if it.standing == "buyable" and it.monthly_usd is not None
    )
