"""The market in sentences: what can be bought, who tested it, and what to start with."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from core.domain import (
    GRADES,
    Candidate,
    ConditionCheck,
    ConditionKind,
    Directness,
    Grade,
    InItsPlace,
    InUse,
    Market,
    MonthlyCost,
    Offer,
    Placed,
    Question,
    Relaxed,
    Third,
)
from core.figures import (
    UNKNOWN,
    at_least,
    can,
    capitalised,
    count,
    counted,
    day_in_words,
    dollar_range,
    dollars,
    from_whom,
    listed,
    money,
    ordinal,
    sentence,
    written,
)
from core.procurement.conditions import SELF_HOSTED
from core.procurement.grades import direct_places
from core.procurement.recommendation import old_facts
from core.procurement.replacement import rise
from core.words.conditions import said_of, within_sentence
from core.words.model import elsewhere, on_sale_line, value_in_words
from core.words.recommendation import (
    AT_LEAST,
    Tile,
    difference_in_words,
    harm_tile,
    none_unattended,
    objection,
    old_in_words,
)
from core.words.shortlist import closing, limits_in_words, sale_at

GRADE_MEANS: dict[Grade, str] = {
    "A": "in the upper third of two or more independent tests of this work",
    "B": "in the upper third of one independent test of this work",
    "C": "mixed results",
    "D": "general or related tests only",
    "E": "never tested",
}
THIRD_MARKS: dict[Third, str] = {"upper": "●", "middle": "◐", "lower": "○"}
KINDS: dict[Directness, str] = {
    "direct": "tests of this work",
    "near": "related tests",
    "general": "general tests",
}
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
_MOST_NEWEST = 3
MARKS = "● upper third, ◐ middle third, ○ lower third of what a test ranks"
LEGEND = (
    f"{MARKS}; · not in this test. "
    "Related and general tests are to the right of the tests of this work. 07/2027+: sold at "
    "least until then."
)
GRADES_EXPLAINED = (
    "A: in the upper third of two or more independent tests of this work. B: of one. C: mixed, "
    "or well placed in a related test. D: other related or general tests only. E: never tested. "
    "A grade says whom to test first and proves "
    "nothing. In a test that had been left out, models of grade A or B were in the upper third in "
    "44 % of cases and in the lower third in 19 %; models that no other test had, in 21 % and 46 %."
)


class MarketHeadline(NamedTuple):
    """What to do, with what is said before and after it; both may be empty."""

    before: str
    title: str
    after: str


def in_one(said: MarketHeadline) -> str:
    """Return a headline as running text."""
    return " ".join(filter(None, (said.before, f"{said.title}.", said.after)))


def grade_means(grade: Grade, lines: Sequence[Placed]) -> str:
    """Say what a grade means by its lines: a C may be a good place in a related test alone."""
    direct = [line for line in lines if line.kind == "direct"]
    if grade == "C" and lines and not direct:
        return "well placed in a related test, not tested on this work"
    if grade == "C" and len(direct) == 1:
        return f"in the {direct[0].third} third of its only test of this work"
    return GRADE_MEANS[grade]


def platform_name(platform: str) -> str:
    """Name a platform as a buyer does."""
    return SHORT_NAMES.get(platform, platform)


def market_headline(found: Market, work: str) -> MarketHeadline:
    """Say what to take or to start with, and how much of what can be bought was tested.

    ``work`` is the kind of work within a sentence.
    """
    work += f" in {found.language}" if found.language else ""
    n, choice = len(found.buyable), found.choice
    names = [each.model.name for each in found.named()]
    if choice.strength == "nothing":
        return MarketHeadline("", "No model is known to meet all of this", _nothing(found))
    verb = can(sum(each.is_own for each in found.buyable), n)
    untested = n - found.n_tested
    tested = f"{_of(untested, n, verb)} {_was(untested)} never tested on {work}."
    if untested == n > 1:
        # In another language there are tests that no grade counts.
        by = "is graded by a test of" if found.language else "was tested on"
        tested = f"{_of(0, n, verb)} {by} {work}."
    if choice.none_tested:
        related = (
            "closest by related tests, then the newest" if found.named()[0].lines else "newest"
        )
        title = f"No model that you can {verb} was tested on this work"
        return MarketHeadline("", title, sentence(f"{related}: {listed(names)}"))
    title = f"Take {names[0]}" if choice.strength == "take" else f"Start with {listed(names)}"
    if not found.n_tested:
        return MarketHeadline(tested, title, "Related tests speak for them.")
    if choice.few_tested:
        return MarketHeadline(tested, title, "")
    good = sum(each.grade in "AB" for each in found.buyable)
    did = f"{_of(good, n, verb)} did well in an independent test of this work"
    rest = f"; {count(untested)} {_was(untested)} never tested on it" if untested else ""
    return MarketHeadline("", title, f"{did}{rest}." if good or n > 1 else "No other model fits.")


def alone(suite: str, n_here: int | None, n: int, n_own: int, n_fit: int) -> str:
    """Say how much of what can be bought, or run on own servers alone, one suite has tested.

    ``n_here`` is ``None`` where the headline says so already; ``n_fit`` of its runs fit.
    """
    if n_here is None:
        return f"Based on {suite} alone."
    if not n:
        return f"Based on {suite} alone. No model is known to meet all of this."
    tested = f"{n_here or 'none'} of the {n} models you can {can(n_own, n)}"
    others = ""
    if n_fit > n_here > 0:
        others = (
            " What else fits below is to be asked about, runs on your own servers, or is another "
            "run of one of these."
        )
    elif n_fit > n_here:
        others = " What fits below is to be asked about, or runs on your own servers."
    return f"Based on {suite} alone: it has tested {tested}.{others}"


def _of(some: int, n: int, verb: str) -> str:
    if n == 1:
        return f"The only model you can {verb}"
    none = "Neither" if n == 2 else "None"
    return f"{capitalised(count(some)) if some else none} of the {n} models you can {verb}"


def _was(some: int) -> str:
    return "was" if some == 1 else "were"


def _nothing(found: Market) -> str:
    if not found.ask:
        return "Every model on sale fails one of your conditions or limits."
    could = counted(len(found.ask), "model")
    return f"{could} could: for each, a condition or the sale is not known. Ask first."


def product_tiles(each: Candidate) -> tuple[Tile, ...]:
    """Say grade, cost, severe harm and sale of a candidate in one figure each, in this order."""
    return _grade_tile(each), _cost_tile(each), harm_tile(each.harm), _sale_tile(each.best_offer)


_GRADE_TILE: dict[Grade, str] = {
    "A": "did well in several tests",
    "B": "did well in one test",
    "D": "no test of this work",
}


def _grade_tile(each: Candidate) -> Tile:
    lines = sorted(each.of("direct") or each.lines, key=lambda line: line.share)
    if not lines:
        return Tile("Tests of this work", "never tested", "(E)")
    best, *others = lines
    name = "Tests of this work" if best.kind == "direct" else "Other tests"
    grade = _GRADE_TILE.get(each.grade) or grade_means(each.grade, each.lines)
    said = [_short(best.tested.name), *map(_place, others[:1]), f"{grade} ({each.grade})"]
    return Tile(name, f"{ordinal(best.place)} of {best.tested.n}", "; ".join(said))


def _cost_tile(each: Candidate) -> Tile:
    cost, offer = each.cost, each.best_offer
    said = [*filter(None, [dollar_range(cost.low, cost.high)])]
    said.append(from_whom(cost) if cost.servers else platform_name(offer.platform))
    figure = money(cost).removesuffix(" a month")
    return Tile("Monthly cost", figure, ", ".join(said))


def _sale_tile(offer: Offer) -> Tile:
    name = "On sale until"
    if offer.platform == SELF_HOSTED:
        return Tile(name, "no end", "open weights, kept on own servers")
    sale = offer.sale
    if sale is None or sale.state == "not known":
        return Tile(name, UNKNOWN, platform_name(offer.platform))
    read = f", read {day_in_words(sale.read_on)}" if sale.read_on else ""
    said = written(sale.until) if sale.until else "no end known"
    if sale.state == "existing customers only":
        said = "existing customers"
    elif sale.until and sale.state in AT_LEAST:
        said += " or later"
    return Tile(name, said, f"{platform_name(sale.platform)}{closing(sale)}{read}")


def where(each: Candidate) -> str:
    """Name the platform of the first offer, and how many more there are."""
    more = len({it.platform for it in each.offers}) - 1
    first = platform_name(each.best_offer.platform)
    return f"{first} +{more}" if more else first


def sale_short(offer: Offer) -> str:
    """Write until when an offer lasts, for a table."""
    if offer.platform == SELF_HOSTED:
        return "no end"
    sale = offer.sale
    if sale is None or sale.state == "not known":
        return UNKNOWN
    if sale.state == "existing customers only":
        return f"existing customers, {_month(sale.until)}" if sale.until else "existing customers"
    said = _month(sale.until) if sale.until else "no end known"
    if sale.until and sale.state in AT_LEAST:
        said += "+"
    return f"{said}, new customers to {_month(sale.closes_on)}" if sale.closes_on else said


def _month(day: str) -> str:
    year, month, _ = day.split("-")
    return f"{month}/{year}"


def product_for_and_against(each: Candidate) -> tuple[str, ...]:
    """Say why to start with a candidate, what speaks against it, and what to ask first."""
    good = [it for it in each.of("direct") if it.third == "upper"]
    return ((sentence(listed([_place(it) for it in good])),) if good else ()) + to_know(each)


def to_know(each: Candidate) -> tuple[str, ...]:
    """Say what speaks against a candidate, and what to ask or to agree before it is bought."""
    said = []
    weak = [it for it in each.lines if it.third == "lower"] or [
        it for it in each.of("direct") if it.third == "middle"
    ]
    if weak:
        said.append(f"Against it: {_place(weak[0])}.")
    terms = each.best_offer.terms
    if terms and terms.status == "open":
        said.append(said_of(terms, "open")[0])
    elif terms and terms.status == "conditional":
        names = [within_sentence(it.name) for it in terms.checks if it.status == "conditional"]
        where = platform_name(terms.platform)
        whose = "Yours to arrange on" if each.best_offer.is_own else "To agree with"
        said.append(f"{whose} {where}: {listed(names)}.")
    return tuple(filter(None, (*said, maker_ends(each), licence_caution(each))))


def maker_ends(each: Candidate) -> str:
    """Say until when the maker itself sells what is to be bought elsewhere; empty if long enough.

    Others often follow.
    """
    ends = each.ended_by_maker
    return sentence(capitalised(sale_at(ends))) if ends else ""


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
    direct, near = ([_place(it) for it in lines if it.kind == kind] for kind in ("direct", "near"))
    return listed(direct) if direct else f"none; related: {listed(near)}" if near else "none"


def _place(line: Placed) -> str:
    return f"{ordinal(line.place)} of {line.tested.n} in {_short(line.tested.name)}"


def _short(suite: str) -> str:
    return suite.partition(",")[0]


def cell(line: Placed) -> str:
    """Write a place with the mark of its third."""
    return f"{THIRD_MARKS[line.third]} {line.place} of {line.tested.n}"


def places_of(each: Candidate) -> str:
    """Write a candidate's place in every test, or that it has none."""
    said = [f"{cell(line)} {_short(line.tested.name)}" for line in each.lines]
    return "; ".join(said) or "never tested"


LEGEND_OF_OURS = "Ours: tests on open cases that you ran; they do not count towards any grade."


def about_ours(as_of: str, n_cases: int, judges: Sequence[str]) -> str:
    """Say of a test of one's own its day, its cases and who judged."""
    judged = f", judged by {listed(list(judges))}" if judges else ""
    return f"Run by you, kept on {written(as_of)}: {n_cases:,} open cases{judged}"


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


def to_know_first(
    found: Market, day: date, n_told: int, budget: float | None
) -> list[tuple[str, str]]:
    """Return what to know before one starts with those named: a model, if about one, and what.

    Of the first ``n_told`` all that speaks against them or is to be asked, of the others what is
    marked for severe harm or ended by its maker; who may exceed the budget, US dollars a month, and
    where new customers must sign soon; then why the best grade is not among them, or a lower one
    is, which facts are old, how far agents come, and what is newer.
    """
    named = found.named()
    said = [(each.model.name, " ".join(to_know(each))) for each in named[:n_told]]
    said += [(each.model.name, over_budget(each, budget)) for each in named]
    said += [(each.model.name, _closing_soon(each, day)) for each in named]
    for each in named[n_told:]:
        said.append((each.model.name, f"{harm_caution(each)} {maker_ends(each)}".strip()))
    said.append(("", _better_grade(found)))
    said += [(each.model.name, _why_joined(found, each)) for each in named]
    said.append(("", _not_promised(named)))
    said.append(("", old_of(named, day)))
    said.append(("", none_unattended(found.unattended) if found.unattended else ""))
    said.append(("", newest_untested(found)))
    return [each for each in said if each[1]]


def _not_promised(rows: Sequence[Candidate]) -> str:
    """Say which candidates no source promises for as long as is asked; empty where none is."""
    sales = {it.model.name: it.best_offer.sale for it in rows}
    open_ended = {name: it for name, it in sales.items() if it and it.state == "no end known"}
    if not open_ended:
        return ""
    told = [
        f"{name} ({f'assured to {written(it.until)}' if it.until else 'no day is known'})"
        for name, it in open_ended.items()
    ]
    return f"On sale with no end known, but not promised for as long as you ask: {listed(told)}."


def over_budget(each: Candidate, budget: float | None) -> str:
    """Say that a candidate may exceed the budget, US dollars a month; empty where it may not."""
    if budget is None or (each.cost.high or 0.0) <= budget:
        return ""
    return f"It may exceed the budget: up to {dollars(each.cost.high or 0.0)} a month."


def _closing_soon(each: Candidate, day: date) -> str:
    """Say by when new customers must sign, where that is within 90 days; else empty."""
    sale = each.best_offer.sale
    if sale is None or not sale.closes_on:
        return ""
    if date.fromisoformat(sale.closes_on) > day + timedelta(days=90):
        return ""
    where = platform_name(sale.platform)
    return f"{where} takes new customers only before {written(sale.closes_on)}."


def old_of(rows: Sequence[Candidate], day: date) -> str:
    """Say which facts about some candidates are old; empty where none is."""
    facts = [
        fact
        for it in rows
        if (offer := it.best_offer)
        for fact in old_facts(it.model.id, offer.sale, it.cost, offer.terms, day)
    ]
    return old_in_words(facts) if facts else ""


def asked_in_words(question: Question, work: str, n_tasks: float) -> str:
    """Say what was asked over all evidence, and for how many tasks a month unless they are 0."""
    spoken = f" in {question.work.language}" if question.work.language else ""
    said = [f"Asked: {work}{spoken}", *limits_in_words(question)]
    volume = [f"{counted(round(n_tasks), 'task')} a month"] if n_tasks else []
    return f"{', '.join([*said, *volume])}."


def _better_grade(found: Market) -> str:
    """Say why the best grade is not among those named; empty where it is."""
    best, named = next(iter(found.buyable), None), found.named()
    if best is None or not named or best in named or best.grade >= named[0].grade:
        return ""
    first, places = named[0], direct_places(best.lines)
    shared = [
        _short(line.tested.name) for line in first.of("direct") if line.tested.suite in places
    ]
    better = f"{first.model.name} has the better place in {listed(shared)}" if shared else ""
    return better and f"{best.model.name} has the better grade ({best.grade}), but {better}."


def _why_joined(found: Market, each: Candidate) -> str:
    """Say why a product of grade B is named among those of grade A; empty for any other."""
    if each.grade != "B" or each.model.id in found.choice.filled_from:
        return ""
    mine = {line.tested.suite: _short(line.tested.name) for line in each.of("direct")}
    above = {
        it.model.name: mine.keys() & direct_places(it.lines).keys()
        for it in found.buyable
        if it.grade == "A"
    }
    names = [name for name, shared in above.items() if shared]
    if not names:
        return ""
    tests = [name for suite, name in mine.items() if any(suite in it for it in above.values())]
    return f"Grade B, and named for its better place than {listed(names)} in {listed(tests)}."


def newest_untested(found: Market) -> str:
    """Name the newest products that no line has, of those newer than what the headline names.

    Empty where there is none, or nobody knows when those named came out.
    """
    known = [it.model.released_on for it in found.named() if it.model.released_on]
    newest = max(known, default="9")
    never = [it for it in found.buyable if it.grade == "E" and it.model.released_on > newest]
    if not never:
        return ""
    never.sort(key=lambda it: it.model.released_on, reverse=True)
    names = [
        f"{it.model.name} ({day_in_words(it.model.released_on)})" for it in never[:_MOST_NEWEST]
    ]
    return f"Newest, and never tested: {listed(names)}."


def to_ask(each: Candidate) -> str:
    """Say as a question what is not known of the offer with the fewest questions."""
    offer = min(each.offers, key=lambda it: len(_open(it)) + (not (it.sale and it.sale.lasts)))
    if offer.terms is not None and (asked := said_of(offer.terms, "open")):
        others = [within_sentence(it.name) for it in _open(offer)[1:]]
        return f"{asked[0]} Not known either: {listed(others)}." if others else asked[0]
    where = platform_name(offer.platform)
    use = each.licence.commercial_use if each.licence else ""
    if offer.is_own and each.licence and use == "no":
        return f"Ask {each.model.developer or 'its maker'} for a licence: {each.licence.condition}"
    if offer.is_own and not use:
        named = f": {each.model.licence}" if each.model.licence else ""
        return f"Its licence is not known{named}. Read it: may a hospital use the weights?"
    if offer.sale is not None and offer.sale.state == "existing customers only":
        return f"{where} refuses new customers: do you have it already?"
    if offer.is_own or (offer.sale is not None and offer.sale.lasts):
        return f"Ask {where} what it costs: no price is known."
    return f"Ask {where} whether and until when it sells it."


def _open(offer: Offer) -> list[ConditionCheck]:
    return [it for it in offer.terms.checks if it.status == "open"] if offer.terms else []


HARM_ORDER = (
    "Models with the largest share of cases with severe harm come first, those never tested for "
    "it last. Caution: "
    "in the worst quarter of all systems tested, and above physicians' share."
)


def by_harm(rows: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Order by the share of cases with severe harm, the largest first; untested ones are last."""
    return tuple(sorted(rows, key=lambda it: -(it.harm.share if it.harm else -1.0)))


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


def vendor_questions(found: Sequence[Candidate]) -> list[tuple[str, str]]:
    """Return whom to ask before any of some candidates is bought, and what.

    First what no source says of each, or says on a condition; then what every vendor should put in
    writing, though sources say it.
    """
    asked: list[tuple[str, str]] = []
    for each in found:
        terms = each.best_offer.terms
        said = [*said_of(terms, "open"), *said_of(terms, "conditional")] if terms else []
        if not each.is_buyable and not said:
            said = [to_ask(each)]
        if said:
            asked.append((each.model.name, " ".join(said)))
    checks = [it for each in found if (offer := each.best_offer.terms) for it in offer.checks]
    required = dict.fromkeys(within_sentence(it.kind.required) for it in checks)
    contract = f"Does the contract for this model promise: {listed(required)}? " if required else ""
    ends = "Until when will you sell this version, and how early do you announce its end?"
    if found and all(each.best_offer.is_own for each in found):
        return asked
    return [*asked, ("Every vendor", f"{contract}{ends}")]


def dropped_in_words(
    found: Relaxed, kinds: Mapping[str, ConditionKind], limits: Mapping[str, str]
) -> str:
    """Name what is dropped, within a sentence; ``limits`` says what each field sets."""
    asked = {kind.id: within_sentence(kind.required) for kind in kinds.values()}
    return listed([asked.get(it) or limits[it] for it in found.dropped])


def nearest_in_words(
    found: Relaxed, kinds: Mapping[str, ConditionKind], limits: Mapping[str, str]
) -> str:
    """Say how many models could be bought without some of the conditions, and which first."""
    n = counted(found.n_buyable, "model")
    without = dropped_in_words(found, kinds, limits)
    return f"Without {without}, you could buy {n}: {listed(found.names)} first."


def in_its_place(used: InUse, n_buyable: int) -> MarketHeadline:
    """Say whether a model in use has ended and what is named in its place, and what to do."""
    name = used.model.name
    before = [on_sale_line(used.sale, ()), *elsewhere(used.sale)]
    if used.successor:
        tested = "never tested on this work"
        if used.successor_grade and used.successor_grade != "E":
            tested = f"{GRADE_MEANS[used.successor_grade]} ({used.successor_grade})"
        before.append(
            f"{platform_name(used.named_by)} names in its place: {used.successor}, {tested}."
        )
    lines = used.lines and f": {listed([_place(line) for line in used.lines])}"
    n = len(used.places)
    enough = f"{count(n)} of the {n_buyable} models you can buy {'has' if n == 1 else 'have'}"
    rises = (
        (it.candidate.model.name, more)
        for it in used.named
        if (more := rise(used.harm, it.candidate.harm))
    )
    after = [
        *(f"With {other}, {objection(more)}." for other, more in rises),
        *(
            f"{it.candidate.model.name}: {said}"
            for it in used.named
            if (said := harm_caution(it.candidate))
        ),
        *([f"Compared with {name}: {in_common(by)}."] if (by := used.replaced_by) else []),
        f"Its grade for this work is {used.grade}, {grade_means(used.grade, used.lines)}"
        f"{lines or ''}.",
        sentence(f"{enough} at least this grade"),
    ]
    return MarketHeadline(" ".join(before), _in_place_title(used, name), " ".join(after))


def _in_place_title(used: InUse, name: str) -> str:
    if used.replaced_by:
        by, other = used.replaced_by, used.replaced_by.candidate.model.name
        why, saves = [], used.saving_of(by)
        if by.better_in:
            why.append(f"did better in {listed([*map(_short, by.better_in)])}")
        if saves:
            why.append(f"saves about {dollars(saves)} a month")
        if more := used.rise_to(by):
            why.append(f"costs about {dollars(more)} a month more")
        return f"{name} can be replaced by {other}{f', which {listed(why)}' if why else ''}"
    if not used.places:
        return f"No other model that you can buy has the grade of {name} ({used.grade})"
    each = [it.candidate.model.name for it in used.named]
    names = listed(each)
    if used.has_ended:
        return f"Replace {name}: start with {names}"
    if used.ends_too_soon:
        less = ""
        if len(each) > 1 and (saves := used.saving_of(used.named[1])):
            less = f", or with {each[1]} to pay about {dollars(saves)} a month less"
        return f"Replace {name}: start with {each[0]}{less}"
    return f"Keep {name}, or test {names}: no test shows a model to be as good for less"


def in_common(each: InItsPlace) -> str:
    """Write the difference to the model in use in each test that has both, with its interval."""
    said = [f"{_short(suite)} {difference_in_words(it)}" for suite, it in each.judged]
    return "; ".join(said) or "no test has both"


def cheapest(found: Market) -> tuple[str, str]:
    """Name the cheapest that did well in a test of the work, then the cheapest of all.

    The second is empty where no cost is known.
    """
    priced = [it for it in found.buyable if it.cost.likely is not None]
    every = sorted(priced, key=lambda it: it.cost.likely or 0.0)
    if not every:
        return "No cost is known for anything you can buy.", ""
    did_well = [it for it in found.buyable if it.grade in ("A", "B")]
    least = next((it for it in every if it in did_well), None)
    first = "No model that you can buy did well in a test of this work."
    if least is not None:
        first = (
            f"The cheapest that did well in a test of this work: {least.model.name} "
            f"({least.grade}), {money(least.cost)}."
        )
    elif did_well:
        first = "The cost of the models that did well in a test of this work is not known."
    if every[0] is least:
        return first, "Nothing that you can buy costs less."
    means = grade_means(every[0].grade, every[0].lines)
    return first, f"The cheapest of all: {every[0].model.name}, {money(every[0].cost)} ({means})."


def cost_short(cost: MonthlyCost) -> str:
    """Write a monthly cost for a table whose heading says that it is one."""
    if cost.likely is not None:
        return dollars(cost.likely)
    if cost.is_owned:
        return "no rent"
    return UNKNOWN if cost.low is None else at_least(cost.low)


def costs_elsewhere(each: Candidate) -> str:
    """Write what a candidate costs a month at the other platforms where it can be bought."""
    return "; ".join(
        f"{platform_name(it.platform)} {dollars(it.monthly_usd)}"
        for it in each.offers[1:]
        if it.standing == "buyable" and it.monthly_usd is not None
    )


def named_in(found: Market, suite: str, name: str) -> str:
    """Say how many of those to start with one suite has, where another view needs one suite."""
    named = found.named()
    there = sum(any(line.tested.suite == suite for line in each.lines) for each in named)
    if not named or there == len(named):
        return ""
    some, verb = f"Only {count(there)}" if there else "None", "are" if there > 1 else "is"
    said = f"{some} of the {count(len(named))} models named under Answer {verb}"
    if len(named) == 1:
        said = f"{named[0].model.name}, named under Answer, is not"
    return f"{said} in {name}. What follows compares those of your models that are."


def newest_test(found: Market) -> str:
    """Return the day of the newest test of this work that has what you can buy.

    Empty if none has a day: the day on which scores were read is not the day of a test.
    """
    there = {line.tested.suite for each in found.buyable for line in each.of("direct")}
    return max((day for suite, _, _, day in found.columns if suite in there), default="")


def counts(found: Market) -> dict[Grade, int]:
    """Count what can be bought by grade."""
    return {grade: sum(it.grade == grade for it in found.buyable) for grade in GRADES}
