"""The market in sentences: what can be bought, who tested it, and what to start with."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from core.domain import (
    GRADES,
    Candidate,
    ConditionKind,
    Grade,
    Judged,
    Market,
    Question,
    Relaxed,
)
from core.figures import (
    can,
    capitalised,
    count,
    counted,
    day_in_words,
    listed,
    money,
    sentence,
    written,
)
from core.procurement.grades import direct_places
from core.procurement.market import each_once
from core.procurement.recommendation import CASES_RATED, MINUTES_PER_CASE, RATERS, old_facts
from core.words.candidate import (
    closing_soon,
    grade_means,
    harm_caution,
    over_budget,
    platform_name,
    short_name,
    to_ask,
    to_know,
)
from core.words.conditions import said_of, within_sentence
from core.words.recommendation import none_unattended, old_in_words, tier_in_words
from core.words.shortlist import EXISTING, limits_in_words, until_when, why_left_out

_MOST_NEWEST = 3
_MOST_CHOSEN = 4
"""Models that were chosen and cannot be bought, of which each is told why at the answer."""


class MarketHeadline(NamedTuple):
    """What to do, with what is said before and after it; both may be empty."""

    before: str
    title: str
    after: str


def in_one(said: MarketHeadline) -> str:
    """Return a headline as running text."""
    return " ".join(filter(None, (said.before, f"{said.title}.", said.after)))


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
    if any(out.rule == "not chosen" for out in found.left_out):
        verb += " among those you chose"
    untested = n - found.n_tested
    tested = f"{of_models(untested, n, verb)} {_was(untested)} never tested on {work}."
    if untested == n > 1:
        # In another language there are tests that no grade counts.
        by = "is graded by a test of" if found.language else "was tested on"
        tested = f"{of_models(0, n, verb)} {by} {work}."
    if choice.none_tested:
        undated = [not it.model.released_on for it in found.buyable]
        related = "newest with a known release date" if any(undated) else "newest"
        if all(undated):
            related = "of no known release date"
        if found.named()[0].of("near"):
            related = f"closest by related tests, then {related}"
        title = f"No model that you can {verb} was tested on this work"
        return MarketHeadline("", title, sentence(f"{related}: {listed(names)}"))
    title = f"Take {names[0]}" if choice.strength == "take" else f"Start with {listed(names)}"
    if not found.n_tested:
        near = [each.model.name for each in found.named() if each.grade == "C"]
        whom = listed(near) if len(near) < len(names) else "it" if len(names) == 1 else "them"
        return MarketHeadline(tested, title, f"Related tests speak for {whom}.")
    if choice.few_tested:
        return MarketHeadline(tested, title, "")
    good = [each for each in found.buyable if each.grade in "AB"]
    mixed = [it for it in found.buyable if any(line.third == "upper" for line in it.of("direct"))]
    well = good or mixed
    some, did_well = of_models(len(well), n, verb), "did well in an independent test of this work"
    did = f"{some} {did_well}{' and badly in none' if well else ''}"
    if mixed and not good:
        did = f"{some} did well in one test of this work and not in another"
    if (names_of := len(each_once(well))) < len(well):
        many = "s" if names_of > 1 else ""
        did += f" (the {count(len(well))} are sold under {count(names_of)} name{many})"
    rest = f"; {count(untested)} {_was(untested)} never tested on it" if untested else ""
    return MarketHeadline("", title, f"{did}{rest}." if well or n > 1 else "No other model fits.")


def alone(suite: str, n_here: int | None, n: int, n_own: int, n_fit: int) -> str:
    """Say how much of what can be bought, or run on own servers alone, one suite has tested.

    ``n_here`` is ``None`` where the headline says so already; ``n_fit`` of its runs fit.
    """
    if n_here is None:
        return f"Based on {suite} alone."
    to_ask_of = " What fits below is to be asked about, or runs on your own servers."
    if not n:
        none = f"Based on {suite} alone. No model is known to meet all of this."
        return f"{none}{to_ask_of if n_fit else ''}"
    of = "the only model" if n == 1 else f"all {n} models"
    if n_here != n:
        of = f"{n_here or 'none'} of the {n} models"
    tested = f"{of} you can {can(n_own, n)}"
    others = ""
    if n_fit > n_here > 0:
        on_own = "" if n_own == n else " runs on your own servers,"
        others = (
            f" What else fits below is to be asked about,{on_own} or is another run of one of "
            "these."
        )
    elif n_fit > n_here:
        others = to_ask_of
    return f"Based on {suite} alone: it has tested {tested}.{others}"


def of_models(some: int, n: int, verb: str) -> str:
    """Say how many of the models you can buy or run, to begin a sentence; ``verb`` says which."""
    if n == 1:
        return f"The only model you can {verb}"
    if some == n:
        return f"{'Both' if n == 2 else f'All {n}'} models you can {verb}"
    none = "Neither" if n == 2 else "None"
    return f"{capitalised(count(some)) if some else none} of the {n} models you can {verb}"


def agents(found: Market) -> str:
    """Say how far the best agent comes, and each of those named."""
    if found.unattended is None:
        return ""
    done = [
        (it.model.name, f"{line.tested.value * 100:.0f} %")
        for it in found.named()
        for line in it.of("direct")
        if line.tested.value is not None
    ]
    own = [f"{name} completes {share}" for name, share in done[:1]]
    own += [f"{name} {share}" for name, share in done[1:]]
    return f"{none_unattended(found.unattended)} {sentence(listed(own)) if own else ''}".rstrip()


def _was(some: int) -> str:
    return "was" if some == 1 else "were"


def _nothing(found: Market) -> str:
    rules = {out.rule for out in found.left_out}
    if not found.ask and rules == {"not here", "not chosen"}:
        return "None of the models you chose is known here."
    if not found.ask:
        which = "you chose" if "not chosen" in rules else "known here"
        return f"Every model {which} fails one of your conditions or limits."
    several = len(found.ask) > 1
    could = capitalised(f"{count(len(found.ask))} model{'s' if several else ''}")
    each = "for each, " if several else ""
    return f"{could} might: {each}{open_points(found.ask)} is not known. Ask first."


def to_ask_about(ask: Sequence[Candidate]) -> str:
    """Say of how many more models it is not known whether they meet all of it; empty without."""
    more = counted(len(ask), "more model") if ask else ""
    return more and f"Ask first about {more}: {open_points(ask)} is not known (workbook)."


def open_points(ask: Sequence[Candidate]) -> str:
    """Say what may be open of each, within a sentence: the kinds of question that occur."""
    best = [it.best_offer for it in ask]
    occurs = {
        "a condition": any(it.open_checks for it in best),
        "whether a hospital may use the weights": any(
            it.is_own and not it.open_checks for it in best
        ),
        "how long it is sold": any(
            not it.is_own and not (it.sale and it.sale.lasts) for it in best
        ),
        "what it costs": any(
            not it.best_offer.n_questions and it.cost.likely is None for it in ask
        ),
    }
    return listed([what for what, it_does in occurs.items() if it_does] or ["a condition"], "or")


class ToKnow(NamedTuple):
    """What to know before one starts with those named: each a model, if about one, and what."""

    first: list[tuple[str, str]]
    """What may change the choice."""
    before_buying: list[tuple[str, str]]
    """What is to be settled with the vendors, and what is of models that no tile shows."""

    @property
    def every(self) -> list[tuple[str, str]]:
        """All of it in one list."""
        return [*self.first, *self.before_buying]


def to_know_first(found: Market, day: date, n_tiled: int, budget: float | None) -> ToKnow:
    """Say what to know of those named, of all of them, and what is newer.

    Of each what speaks against it or is to be asked, whether it may exceed the budget, US dollars
    a month, where new customers must sign soon, and why it is named though of a lower grade; of
    those after the first ``n_tiled`` also a mark for severe harm, and which is the cheapest. Then
    how far agents come.
    """
    named = found.named()
    first: list[tuple[str, str]] = []
    later: list[tuple[str, str]] = []
    for number, each in enumerate(named):
        tiled, name = number < n_tiled, each.model.name
        known = *to_know(each, tiled=tiled), over_budget(each, budget), closing_soon(each, day)
        said = " ".join(filter(None, (*known, why_joined(found, each))))
        (first if tiled else later).append((name, said))
        if not tiled:
            first.append((name, harm_caution(each)))
            if each.model.id == found.choice.cheapest:
                first.insert(0, ("", cheapest_named(found)))
    of_all = to_know_of_all(found, named, day)
    first += [("", agents(found)), *of_all.first, ("", newest_untested(found))]
    return ToKnow(_said(first), _said([*later, *of_all.before_buying]))


def to_know_of_all(found: Market, shown: Sequence[Candidate], day: date) -> ToKnow:
    """Say what to know of those named together, and what is not promised or old of those shown.

    Why the best grade is not among them, whether one test has all of them, and what is better
    graded but cannot be bought.
    """
    first = [("", _better_grade(found))]
    if not found.has_common_work:
        n = len(found.named())
        every = "both" if n == 2 else f"all {count(n)}"
        said = f"No kind of work has tests of {every} models: ask for yours alone."
        first.append(("", said))
    first += _chosen_but_not_bought(found) or [("", _over_budget(found))]
    later = not_promised(shown), old_of(shown, day), for_existing_customers(found)
    return ToKnow(_said(first), _said([("", it) for it in later]))


def _said(told: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [each for each in told if each[1]]


def usual_test() -> str:
    """Say how many cases and hours of all raters a test takes where no source says otherwise."""
    hours = CASES_RATED * RATERS * MINUTES_PER_CASE / 60
    return f"{CASES_RATED} cases, {counted(int(hours + 0.5), 'hour')} of rating"


def not_promised(rows: Sequence[Candidate]) -> str:
    """Say which candidates no source promises for as long as is asked; empty where none is."""
    sales = {it.model.name: it.best_offer.sale for it in rows if not it.is_promised}
    open_ended = {name: it for name, it in sales.items() if it}
    if not open_ended:
        return ""
    told = [
        f"{name} ({f'assured until {written(it.until)}' if it.until else 'no day assured'})"
        for name, it in open_ended.items()
    ]
    return (
        f"On sale with no known end, but not promised for the months you require: {listed(told)}."
    )


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
        short_name(line.tested.name) for line in first.of("direct") if line.tested.suite in places
    ]
    better = f"{first.model.name} has the better place in {listed(shared)}" if shared else ""
    return better and f"{best.model.name} has the better grade ({best.grade}), but {better}."


def cheapest_named(found: Market) -> str:
    """Name the cheapest of those named; empty where it is the first, or none has a cost."""
    return next(
        (
            f"The cheapest of these: {each.model.name}, {money(each.cost)}."
            for each in found.named()[1:]
            if each.model.id == found.choice.cheapest
        ),
        "",
    )


def for_existing_customers(found: Market) -> str:
    """Name what has a better grade and is shut to new customers alone; empty without any."""
    named = found.named()
    better = [
        f"{it.model.name} (grade {it.grade}, {money(it.cost)}, at {platform_name(sale.platform)}"
        f"{f' until {written(sale.until)}' if sale.until else ''})"
        for it in found.ask
        if named and it.grade < named[0].grade and not it.best_offer.open_checks
        if (sale := it.best_offer.sale) and sale.state == EXISTING
    ]
    return f"Better graded, but for existing customers only: {listed(better)}." if better else ""


def _over_budget(found: Market) -> str:
    """Name the cheapest of a better grade that only the budget leaves out; empty without any."""
    named = found.named()
    better = [(it, it.cost, it.grade) for it in found.left_out if it.cost and it.grade]
    better = [it for it in better if named and it[2] < named[0].grade]
    if not better:
        return ""
    out, cost, grade = min(better, key=lambda it: it[1].for_budget or 0.0)
    more = f", the cheapest of {count(len(better))}" if len(better) > 1 else ""
    return f"Better graded, but over your budget: {out.name} (grade {grade}, {money(cost)}){more}."


def _chosen_but_not_bought(found: Market) -> list[tuple[str, str]]:
    """Say why each of the few models that were chosen cannot be bought as is asked."""
    if all(out.rule != "not chosen" for out in found.left_out):
        return []
    out = [it for it in found.left_out if it.rule != "not chosen"]
    said = [(it.model.name, to_ask(it)) for it in found.ask]
    for it in out:
        over = "over your budget, " if it.rule == "over budget" else ""
        said.append((it.name or it.model, sentence(f"{over}{why_left_out(it)}")))
    return said if len(said) <= _MOST_CHOSEN else []


def why_joined(found: Market, each: Candidate) -> str:
    """Say why a product of a lower grade is named; empty where it has that of the first, or is not.

    Either fewer than two have that grade, or this one is above them in tests of both.
    """
    if each.model.id in found.choice.filled_from and not found.choice.none_tested:
        return f"Added as a second model: {grade_means(each.grade, each.lines)} ({each.grade})."
    if each.grade != "B" or each.model.id in found.choice.filled_from or each not in found.named():
        return ""
    mine = {line.tested.suite: line for line in each.of("direct")}
    above = {
        it.model.name: mine.keys() & direct_places(it.lines).keys()
        for it in found.buyable
        if it.grade == "A"
    }
    names = [name for name, shared in above.items() if shared]
    if not names:
        return ""
    there = [line for suite, line in mine.items() if any(suite in it for it in above.values())]
    tests = listed([short_name(line.tested.name) for line in there])
    know = [
        f" To know of {short_name(line.tested.name)}: {'; '.join(line.cautions)}."
        for line in there
        if line.cautions
    ]
    return f"Grade B, named because it is placed above {listed(names)} in {tests}.{''.join(know)}"


def newest_untested(found: Market) -> str:
    """Name the newest products without a direct line, of those newer than what the headline names.

    Empty where there is none, or nobody knows when those named came out.
    """
    known = [it.model.released_on for it in found.named() if it.model.released_on]
    newest = max(known, default="9")
    never = [it for it in found.buyable if not it.of("direct") and it not in found.named()]
    newer = [it for it in never if it.model.released_on > newest]
    if not newer:
        return ""
    newer.sort(key=lambda it: it.model.released_on, reverse=True)
    # Those of one day are named together.
    least = newer[:_MOST_NEWEST][-1].model.released_on
    names = [
        f"{it.model.name} ({day_in_words(it.model.released_on)})"
        for it in newer
        if it.model.released_on >= least
    ]
    undated = sum(not it.model.released_on for it in never)
    have = "has" if undated == 1 else "have"
    more = f"; {count(undated)} more {have} no known release date" if undated else ""
    return f"Newest, and never tested on this work: {listed(names)}{more}."


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
        if (sale := each.best_offer.sale) and sale.conflict:
            said.append(until_when(sale, each.model.name))
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
    """Say how many models can be had without some of the conditions, and which first."""
    n = counted(found.n_buyable, "model")
    without = dropped_in_words(found, kinds, limits)
    first = " first" if found.n_buyable > len(found.names) else ""
    verb = can(found.n_own, found.n_buyable)
    return f"Without {without}, you could {verb} {n}: {listed(found.names)}{first}."


def cheapest(found: Market) -> tuple[str, str]:
    """Name the cheapest of the two best grades, then the cheapest of all.

    The second is empty where no cost is known, or none is counted.
    """
    every = [it for it in found.buyable if it.cost.for_budget is not None]
    verb = f"you can {can(sum(it.is_own for it in found.buyable), len(found.buyable))}"
    if not every:
        if found.buyable and all(it.cost.is_owned for it in found.buyable):
            return "No rent is counted for what runs on GPUs of your own.", ""
        return f"No cost is known for anything {verb}.", ""
    did_well = [it for it in found.buyable if it.grade in ("A", "B")]
    priced = [it for it in did_well if it.cost.for_budget is not None]
    if not did_well:
        first = f"No model that {verb} has grade A or B."
    elif not priced:
        first = "The cost of the models of grade A and B is not known."
    else:
        first = _cheapest(priced, "of grade A or B")
    least = min(every, key=lambda it: it.cost.for_budget or 0.0)
    if least in did_well and not least.cost.at_least:
        return first, f"Nothing that {verb} costs less."
    return first, _cheapest(every, f"that {verb}")


def _cheapest(priced: Sequence[Candidate], which: str) -> str:
    """Name the cheapest of some, and what may cost less where only its least cost is known."""

    def named(it: Candidate) -> str:
        if it.grade in ("A", "B"):
            harm = ", marked for severe harm" if it.harm and it.harm.marked else ""
            return f"{it.model.name} ({it.grade}{harm}), {money(it.cost)}"
        return f"{it.model.name}, {money(it.cost)} ({grade_means(it.grade, it.lines)})"

    least = min(priced, key=lambda it: it.cost.for_budget or 0.0)
    known = [it for it in priced if it.cost.likely is not None]
    if not known:
        return f"For those {which}, only a minimum cost is known: {named(least)}."
    cheapest_known = min(known, key=lambda it: it.cost.likely or 0.0)
    if not least.cost.at_least:
        return f"The cheapest {which}: {named(cheapest_known)}."
    return (
        f"The cheapest {which} with a known cost: {named(cheapest_known)}. "
        f"{named(least)}, may cost less."
    )


def named_in(found: Market, suite: str, name: str) -> str:
    """Say how many of those to start with one suite has, where another view needs one suite.

    Empty where it has all of them.
    """
    n, there = len(found.named()), found.n_named_in(suite)
    if there == n:
        return ""
    said = f"Only {count(there)} of the {count(n)} models named under Answer are in {name}"
    return f"{said}. What follows compares those of your models that are."


def named_in_words(
    found: Market, compared: Sequence[tuple[Candidate, Sequence[tuple[str, Judged]]]], margin: float
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Say whether tests of the work show those named to differ from the first, then each."""
    first = found.named()[0].model.name
    where: dict[str, list[str]] = {"below": [], "probably below": [], "above": []}
    for each, judged in compared:
        if any(it.tier == "worse" for _, it in judged):
            where["below"].append(each.model.name)
        elif any(it.probably_worse for _, it in judged):
            where["probably below"].append(each.model.name)
        elif any(it.better for _, it in judged):
            where["above"].append(each.model.name)
    apart = [f"{listed(names)} {side} {first}" for side, names in where.items() if names]
    others = "the other" if len(compared) == 1 else f"the other {count(len(compared))}"
    told = f"No test of this work shows that {first} differs from {others} named."
    if apart:
        told = f"Tests of this work put {' and '.join(apart)}."
    said = []
    for each, judged in compared:
        shown = [f"{short_name(suite)}: {tier_in_words(it, first, margin)}" for suite, it in judged]
        none = f"No test of this work has both this model and {first}."
        said.append((each.model.name, " ".join(shown) or none))
    return told, tuple(said)


def newest_test(found: Market) -> str:
    """Return the day of the newest test of this work that has one of the models named.

    Empty if none has a day: the day on which scores were read is not the day of a test.
    """
    there = {line.tested.suite for each in found.named() for line in each.of("direct")}
    return max((day for suite, _, _, day in found.columns if suite in there), default="")


def counts(found: Market) -> dict[Grade, int]:
    """Count what can be bought by grade."""
    return {grade: sum(it.grade == grade for it in found.buyable) for grade in GRADES}
