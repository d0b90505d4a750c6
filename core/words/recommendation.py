"""The recommendation in sentences: its headline, and what speaks for and against each model."""

import math
from collections.abc import Callable, Sequence
from datetime import date
from operator import itemgetter
from typing import Literal, NamedTuple

from core.domain import (
    OWN_SERVERS,
    Dossier,
    Due,
    Interval,
    Judged,
    LeftOut,
    Loss,
    OrderAgreement,
    Rise,
    Safety,
    Saving,
    Tested,
    Unattended,
)
from core.figures import (
    about,
    at_least,
    can,
    counted,
    day_in_words,
    dollars,
    listed,
    ordinal,
    points,
    sentence,
    signed,
)
from core.procurement.recommendation import (
    MINUTES_PER_CASE,
    RATERS,
    Caution,
    Elsewhere,
    OldFact,
    Recommendation,
    TestWorth,
    What,
    cautions,
    ends_soon,
)
from core.procurement.replacement import is_shown_above
from core.statistics.sample_size import SIZES
from core.words.conditions import said_of
from core.words.shortlist import (
    questions,
    reasons,
    sale_at,
    sale_in_words,
    sale_of,
    successor_in_words,
)
from core.words.tiles import BASES, more_harm

Topic = Literal[
    "standing",
    "ahead",
    "tier",
    "one more test",
    "in common",
    "against",
    "harm",
    "invented",
    "other suites",
    "cluster",
    "how to get it",
    "saving",
    "ask",
]
_MOST_NAMED = 2
PAIRED = "on the same cases"
_FEW_CASES = 30
"""Below, an interval over the same cases is guarded, and may be wider than each model's own."""


def difference_in_words(judged: Judged) -> str:
    """Write a difference with its interval and what that is about: (−1.2, −3.9 to +1.6, …)."""
    gap = judged.difference
    if gap.difference is None:
        return "no test in common"
    return f"{signed(gap.difference)} points, {_ends(gap.strongest)}"


def _ends(interval: Interval | None) -> str:
    if interval is None:
        return "no interval"
    basis = PAIRED if interval.basis == "items" else BASES[interval.basis]
    if interval.basis == "items" and interval.dof < _FEW_CASES:
        basis = f"{PAIRED}, which are few"
    return f"{signed(interval.ci_low)} to {signed(interval.ci_high)} {basis}"


def tier_in_words(judged: Judged, leader: str, margin: float) -> str:
    """Say how a candidate compares with the leader within the margin, with the other basis."""
    within = f"within {margin * 100:g} points"
    gap = difference_in_words(judged)
    if judged.is_as_good and judged.better:
        said = f"Better than {leader}: {judged.tier} ({gap})"
    elif judged.is_as_good and judged.probably_worse:
        less = f"by less than {margin * 100:g} points"
        said = f"Worse than {leader}, {less}: {judged.tier} ({gap})"
    elif judged.tier == "worse":
        said = f"Worse than {leader} by more than {margin * 100:g} points ({gap})"
    elif judged.tier == "open" and judged.probably_worse:
        said = f"Whether it is as good as {leader} ({within}) is open: probably worse ({gap})"
    elif judged.tier == "open":
        said = f"Whether it is as good as {leader} ({within}) is open: the data cannot tell ({gap})"
    else:
        said = f"As good as {leader} {within}: {judged.tier} ({gap})"
    if judged.other_tier is not None:
        said += f"; {_ends(judged.difference.intervals[1])}: {judged.other_tier}"
    return f"{said}."


def one_more_in_words(judged: Judged, margin: float) -> str:
    """Say how often one more such test would show a loss; empty where that is rare or unknown."""
    chance = judged.one_more_test
    if chance is None or chance < 0.05:
        return ""
    # So many in a few: 1 in 3, 2 in 5, 9 in 10.
    ways = [(k, n) for n in (2, 3, 4, 5, 10, 20) for k in range(1, n)]
    k, n = min(ways, key=lambda way: (round(abs(way[0] / way[1] - chance), 2), way[1]))
    loss = f"fall more than {margin * 100:g} points behind"
    return f"On another test like these it would {loss} about {counted(k, 'time')} in {n}."


def safety_in_words(safety: Safety | None) -> str:
    """Say what is known of severe harm."""
    if safety is None:
        return "Never tested by NOHARM for severe harm."
    unstated = ", version not stated" if safety.kind != "same version" else ""
    where = f"NOHARM{unstated}: {ordinal(safety.rank)} of {safety.n_systems}"
    return f"{_harm(safety)} ({where})."


def _harm(safety: Safety) -> str:
    said = f"Severe harm in {safety.share * 100:.1f} % of {safety.n} cases"
    if safety.physicians is None:
        return said
    differ = {
        True: "shown to be above",
        False: "shown to be below",
        None: "not shown to differ from",
    }[more_harm(safety)]
    return f"{said}, {differ} physicians' {safety.physicians * 100:.1f} %"


def objection(found: Loss | Rise) -> str:
    """Say what speaks against a candidate, to end a sentence with."""
    if isinstance(found, Loss):
        ends = f"{found.ci_low * 100:+.1f} to {found.ci_high * 100:+.1f}"
        return f"worse on {found.category}: {found.difference * 100:+.1f} points ({ends})"
    said = []
    if found.harm is not None:
        before, after = (share * 100 for share in found.harm)
        said.append(f"severe harm rises from {before:.1f} to {after:.1f} % of cases")
    if found.errors is not None:
        before, after = found.errors
        said.append(f"severe errors rise from {before:.1f} to {after:.1f} per 100 cases")
    shown = ", which is shown" if found.shown else ""
    return (" and ".join(said) or "severe harm rises") + shown


def opinions_in_words(opinions: tuple[Tested, ...]) -> str:
    """Say a model's places in the first other suites, and in how many more it has one."""
    if not opinions:
        return "No other suite has tested it."
    said = [
        f"{each.name} {ordinal(each.rank or 0)} of {each.n} ({each.metric}"
        + (", version not stated" if each.kind != "same version" else "")
        + f"{_agreement(each.agreement)})"
        for each in opinions[:_MOST_NAMED]
    ]
    more = len(opinions) - len(said)
    return f"Other suites: {'; '.join(said)}{f'; and {more} more' if more else ''}."


def _agreement(found: OrderAgreement | None) -> str:
    """Say how far two suites order their shared models alike, with the interval."""
    if found is None:
        return ""
    over = f"over {found.n_models} shared models"
    if found.rho is None or found.ci_low is None or found.ci_high is None:
        return f"; {over}, too few to tell whether the two orders agree"
    ends = " to ".join(f"{end:+.2f}".replace("-", "−") for end in (found.ci_low, found.ci_high))
    rho = f"{found.rho:+.2f}".replace("-", "−")
    return f"; {over} the two orders agree at ρ {rho}, {ends}"


def saving_in_words(saves: Saving | None) -> str:
    """Say what a month saves as a range, and where the order of the two bills turns."""
    if saves is None:
        return ""
    low, high = saves.low, saves.high
    if max(abs(low), abs(high)) < 1:
        return "costs about the same a month"
    if saves.order_turns:
        return (
            f"may save up to {dollars(high)} or cost up to {dollars(-low)} more a month: which "
            "of the two costs less is not certain"
        )
    if high <= 0:
        return f"costs {_range(abs(high), abs(low))} more a month"
    return f"saves {_range(low, high)} a month"


def _range(low: float, high: float) -> str:
    if dollars(low) == dollars(high):
        return f"about {dollars(high)}"
    if high >= 10 and low >= 1:  # No cents next to tens of dollars.
        return f"{dollars(low) if low >= 10 else f'${low:.0f}'} to {dollars(high)}"
    return f"{dollars(low)} to {dollars(high)}"


def ahead_in_words(left_out: Sequence[LeftOut], take: Dossier, months: int | None) -> str:
    """Say which models scored higher and are not on sale for long enough; empty where none is."""
    placed = [(out.place, out) for out in left_out if out.sale and out.place]
    ahead = [each for each in sorted(placed, key=itemgetter(0)) if each[0] < (take.rank_all or 0)]
    if not ahead:
        return ""
    named = [out.name for _, out in ahead[:_MOST_NAMED]]
    if len(ahead) > _MOST_NAMED:
        named.append(f"{len(ahead) - _MOST_NAMED} more")
    whole = "on the day" if not months else f"for {months} months"
    return f"Scored higher, but not on sale {whole}: {listed(named)}."


class Headline(NamedTuple):
    """The recommendation in a sentence, as strong as its evidence, in its parts."""

    before: str
    """That the model in use has ended or will, as a sentence of its own; else empty."""
    what: str
    why: str
    """The reason, to go on with; empty where none is needed."""
    ask: str = ""
    """What to ask first, and what other tests grade better, in sentences; else empty."""

    def __str__(self) -> str:
        """Return the whole sentence."""
        said = f"{self.what}: {self.why}." if self.why else f"{self.what}."
        return " ".join(filter(None, (self.before, said, self.ask)))


def headline(found: Recommendation) -> str:
    """Say the recommendation in a sentence, as strong as its evidence."""
    return str(parts_of_headline(found))


def title(found: Recommendation) -> str:
    """Say what to do, over figures that name the models."""
    several = found.strength == "shortlist" and found.choice.why != "few fit"
    if several and len(found.test_these) > 1:
        return "Test these on your own cases"
    return parts_of_headline(found).what


def in_short(found: Recommendation, day: date) -> tuple[str, ...]:
    """Say in three sentences at most why, what speaks against it, and what to ask first."""
    parts = parts_of_headline(found)
    # The name of a model begins as its maker writes it.
    named_first = parts.why.startswith(tuple(each.model.name for each in found.choose))
    said = [f"{parts.why}." if named_first else sentence(parts.why)] if parts.why else []
    said += [*filter(None, [parts.ask]), *alerts(found, day)]
    if (named := _named_first(found)) is not None:
        after: tuple[Topic, ...] = ("in common", "against", "ahead")
        said += [words for topic, words in sentences(found, named) if topic in after]
    return tuple([*said, *asked_first(found)][:3])


def _named_first(found: Recommendation) -> Dossier | None:
    return next(iter([*filter(None, [found.take]), *found.test_these]), None)


def asked_first(found: Recommendation) -> tuple[str, ...]:
    """Return the first question about what is to be taken or tested, if the headline has it not."""
    named = _named_first(found)
    # Where the sale is the reason, it has been said: it is the first question at a known cost.
    if named is None or (found.choice.why == "sale not known" and named.cost.likely is not None):
        return ()
    return questions(named, found.question)[:1]


def parts_of_headline(found: Recommendation) -> Headline:
    """Say what to do and why, apart from each other."""
    within = f"within {found.question.margin * 100:g} points"
    lead = found.leader.model.name if found.leader is not None else ""
    if found.choice.why == "nothing fits":
        nothing = "No model both fits all of the question and has scores to rank it by"
        return Headline("", nothing, "")
    left = _leaving(found)
    if found.choice.why == "none as good":
        return Headline(left, f"No model that fits is shown to be as good as {lead} {within}", "")
    if found.strength == "shortlist":
        return Headline("", *_to_test(found), _better_elsewhere(found))
    if found.strength == "choose":
        names = listed([each.model.name for each in found.choose])
        if found.choice.why == "better elsewhere" and (more := found.elsewhere):
            better = f"{more.name}, not among them, has the better grade in other tests"
            return Headline(
                "", f"{names} is the best choice of {_tested(found.suite, more)}", better
            )
        asked = _ask_for_sale(found.take, found.take.model.name) if found.take else ""
        also = " ".join(filter(None, (asked, _better_elsewhere(found))))
        return Headline("", f"Choose between {names}", _between(found), also)
    assert found.take is not None
    why = _taken(found, found.take, lead, within)
    return Headline(left, *why, _ask_for_sale(found.take, "it"))


def _better_elsewhere(found: Recommendation) -> str:
    if found.elsewhere is None:
        return ""
    better = f"{found.elsewhere.name}, which {found.suite} has not tested"
    return f"{better}, has the better grade in other tests."


def _ask_for_sale(take: Dossier, named: str) -> str:
    """Ask first whether a model is sold where its price is named, if nobody states it."""
    if not take.asks_for_sale:
        return ""
    whom = take.sold.platform if take.sold and take.sold.lasts is None else "the vendor"
    if take.sold and take.sold.state == "existing customers only":
        return f"{whom} refuses new customers for {named}: do you have it there already?"
    return f"Ask first whether {whom} still sells {named}."


def _leaving(found: Recommendation) -> str:
    """Say that the model in use has ended or will, and what its maker names; else nothing."""
    used = found.leader
    if not found.in_place_of or used is None or used.sale is None:
        return ""
    if used.sale.standing != "fails":
        return ""
    successor = successor_in_words(used.sale, used.successor_tested)
    return f"{used.model.name} is {sale_in_words(used.sale)}{successor}."


def _taken(found: Recommendation, take: Dossier, lead: str, within: str) -> tuple[str, str]:
    name, judged = take.model.name, take.judged
    if judged is None:
        if found.choice.why == "keep":
            return f"Keep {name}", f"no model that fits is {_rival(take, within)}"
        cost = "and nothing as good costs less"
        if take.cost.likely is None:
            least = take.cost.low
            cost = "and what it costs is not known"
            if take.cost.is_owned:
                cost = "and nothing as good is smaller"
            elif least is not None:
                cost = f"and its servers cost {at_least(least)} a month"
        return f"Take {name}", f"it scores highest of the {found.shortlist.n_fit} that fit, {cost}"
    within = f"{within}, {judged.tier}"
    than, near = f" than {lead}, the highest score that fits,", "good"
    if found.choice.why == "replaced":
        than = ""
    if judged.better:
        gap, ends = judged.difference.difference or 0.0, _ends(judged.difference.strongest)
        good = f"better{than} by {gap * 100:.1f} points ({ends})"
    elif judged.probably_worse:
        near = "close"
        good = f"worse{than or ','} by less than {found.question.margin * 100:g} points"
    else:
        good = f"as good{than.replace('than', 'as')} {within}"
    if found.choice.why == "replaced":
        # Where one must leave, nothing is saved against a price that ends.
        saving = "" if _leaving(found) else saving_in_words(take.saves)
        return f"{lead} can be replaced by {name}", f"{good}{', ' + saving if saving else ''}"
    costs = "costs less" if take.cost.likely is not None else "is smaller"
    return f"Take {name}", f"{good}; nothing as {near} {costs}"


def _tested(suite: str, more: Elsewhere) -> str:
    """Say how much of what can be bought a suite has tested."""
    every = f"{more.n_buyable} you can {can(more.n_own, more.n_buyable)}"
    if more.n_here > 1:
        return f"the {more.n_here} that {suite} tested, of {every}"
    return f"{suite}, which tested {'only one' if more.n_here else 'none'} of the {every}"


def _between(found: Recommendation) -> str:
    best, *others = found.choose
    safer = found.take
    if found.choice.why == "harm" and safer is not None and safer.safety and best.safety:
        shown = is_shown_above(best.safety.share, safer.safety.share, safer.safety.n)
        first = ""
        if (best.score or 0.0) > (safer.score or 0.0):
            first = f"{best.model.name} scores higher, "
        elif (best.cost.likely or math.inf) < (safer.cost.likely or math.inf):
            first = f"{best.model.name} costs less, "
        return (
            f"{first}{safer.model.name} did severe harm in fewer cases "
            f"({safer.safety.share * 100:.1f} against {best.safety.share * 100:.1f} %, "
            f"{'shown' if shown else 'not shown to differ'})"
        )
    several = len(others) > 1
    costs = "the other two cost less" if several else "the second costs less"
    they = "they are" if several else "it is"
    if best.cost.likely is None:  # What has a price goes before it, and may cost more.
        costs = f"what {best.model.name} costs is not known"
        they = "the others are" if several else "the second is"
    if all(each.judged is not None and each.judged.probably_worse for each in others):
        return f"{costs}; {they} probably worse, and the tests cannot tell by how much"
    apart = {it.model.name: it.judged.difference.difference or 0.0 for it in others if it.judged}
    far = [
        f"{name} {points(-gap)} points lower"
        for name, gap in apart.items()
        if gap < -2 * found.question.margin
    ]
    lower = f" (scores: {listed(far)})" if far else ""
    return f"{costs}{lower}, and the tests cannot tell whether {they} as good"


def _to_test(found: Recommendation) -> tuple[str, str]:
    names = listed([each.model.name for each in found.test_these])
    n_fit, n_all, suite = found.shortlist.n_fit, found.shortlist.n_all, found.suite
    if found.choice.why == "few fit":
        if n_fit == 1:
            return (
                f"Only {names} of {n_all} models fits",
                "test it on your own cases before you buy",
            )
        whom = "it" if len(found.test_these) == 1 else "both"
        best = found.test_these[0].model.name
        return (
            f"{n_fit} of {n_all} models fit, and {best} scores higher",
            f"test {whom} on your own cases",
        )
    best = found.best.model.name if found.best is not None else ""
    priced = found.best is not None and found.best.cost.likely is not None
    many = f"that cost less than {best} may be as good" if priced else f"may be as good as {best}"
    first = f"first {found.choice.n_first} of the " if found.choice.n_first < n_fit else ""
    because = {
        "suite does not decide": f"{suite} alone is not enough to decide on this work",
        "not separated": f"{suite} does not separate the {first}{n_fit} that fit",
        "many cheaper": f"more than three {many}",
        "price unknown": f"what {best} costs is not known, nor whether it stays within the budget",
        "price and sale unknown": f"where {best} can meet your conditions, neither its price nor "
        "its sale is known",
        "condition not known": _condition_not_known(found.best) if found.best is not None else "",
        "sale not known": _sale_not_known(found.best) if found.best is not None else "",
    }[found.choice.why]
    return f"Test {names} on your own cases", because


def _condition_not_known(best: Dossier) -> str:
    if best.terms and best.terms[0].platform == OWN_SERVERS:
        return f"only your own servers are known to meet every condition for {best.model.name}"
    return f"no platform of {best.model.name} is known to meet every condition"


def _sale_not_known(best: Dossier) -> str:
    if best.sold is not None and best.sold.state == "existing customers only":
        return f"{best.sold.platform} sells {best.model.name} to existing customers only"
    return f"no source says whether {best.model.name} is still sold where it has a price"


def in_the_room(found: Recommendation, *, by_cost: bool) -> str:
    """Say how many could be the best and between what they cost a month, or how large they are."""
    first = [row for row in found.shortlist.rows if row.rank_band and row.rank_band[0] == 1]
    n_fit = found.shortlist.n_fit
    if not first:
        return f"{n_fit} of {found.shortlist.n_all} fit"
    of = f"{len(first)} of the {n_fit}" if len(first) < n_fit else f"the {n_fit}"
    few = "Only" if len(first) == 1 else "Either of" if len(first) == n_fit == 2 else "Any of"
    said = f"{few} {of} could be the best"
    said = f"{said} {BASES[first[0].interval_basis]}".rstrip()
    if n_fit == 1:
        said = "One fits"
    bounds = [row.cost.low for row in first if row.cost.at_least] if by_cost else []
    values = [row.cost.likely if by_cost else row.model.params_b for row in first]
    known = sorted(value for value in (*values, *bounds) if value is not None)
    if not known:
        return said
    low, high = (dollars(end) if by_cost else f"{end:g} B" for end in (known[0], known[-1]))
    between = at_least(known[0]) if bounds else low if low == high else f"{low} to {high}"
    where_known = " where that is known" if len(known) < len(first) else ""
    return f"{said} ({between} {'a month' if by_cost else 'parameters'}{where_known})"


def unasked_end(each: Dossier, day: date) -> str:
    """Say that a sale ends within a year, where nobody asked how long it lasts; else nothing."""
    if each.sale is None or each.sold is None or not ends_soon(each.sold, day):
        return ""
    return f"{each.model.name} is {sale_at(each.sold)}{successor_in_words(each.sale, None)}."


def alerts(found: Recommendation, day: date) -> tuple[str, ...]:
    """Say the two weightiest things to know before what is taken is bought, of ``cautions``.

    What is to be asked of its sale, the headline says.
    """
    said = (_alert(found, each) for each in cautions(found, day) if each.what != "sale not known")
    return tuple(said)[:_MOST_NAMED]


def none_unattended(agents: Unattended) -> str:
    """Say how far the best agent comes, and what follows."""
    whose = " run by the publisher" if agents.by_publisher else ""
    most = f"{agents.best * 100:.0f} % of these {agents.n_tasks} tasks"
    if (others := agents.best_of_others) is not None:
        most += f" ({others * 100:.0f} % in another team's own run)"
    return f"No agent{whose} completes more than {most}: none should run unattended."


def _alert(found: Recommendation, caution: Caution) -> str:
    if caution.what == "old facts":
        return old_in_words(caution.old)
    if caution.what == "unattended" and (agents := found.unattended) is not None:
        return none_unattended(agents)
    take = found.dossiers[caution.about]
    said: dict[What, Callable[[], str]] = {
        "condition not known": lambda: said_of(take.terms[0], "open")[0].rstrip("."),
        "over budget": lambda: (
            f"it may exceed the budget: up to {dollars(take.cost.high or 0.0)} a month"
        ),
        "worse": lambda: " and ".join(map(objection, take.judged.warnings if take.judged else ())),
        "harm": lambda: _harm(take.safety) if take.safety else "",
        "sale ends": lambda: sale_of(take),
    }
    whose = f"{take.model.name}: " if found.choose or found.test_these else ""
    return sentence(f"{whose}{said[caution.what]()}")


_FACTS = {"sale": "sale", "prices": "prices", "rents": "GPU rents", "terms": "conditions"}


def old_in_words(facts: Sequence[OldFact]) -> str:
    """Say what is old, each kind of fact with its earliest day, and whom to ask."""
    days: dict[str, list[str]] = {}
    for each in facts:
        days.setdefault(each.fact, []).append(each.read_on)
    said = []
    for what, of in days.items():
        earliest = [f"read {day_in_words(day)}" for day in sorted(filter(None, of))[:1]]
        dates = [*earliest, *["undated"] * ("" in of)]
        said += [f"{_FACTS[what]} ({day})" for day in dates]
    return f"Old facts: {listed(said)}. Ask the vendor before you sign."


def _rival(kept: Dossier, within: str) -> str:
    if kept.cost.likely is not None:
        return f"better, or as good {within} and likely to cost less"
    if kept.model.params_b is not None:
        return f"better, or as good {within} and known to be smaller; costs cannot be compared"
    return "shown to be better, and neither cost nor size can be compared"


def sentences(found: Recommendation, each: Dossier) -> tuple[tuple[Topic, str], ...]:
    """Say in short sentences what speaks for and against a model, each with what it is about.

    The weightiest first.
    """
    asked = found.question
    leader = found.leader.model.name if found.leader is not None else ""
    own = reasons(each) if each.fits else ()
    said: list[tuple[Topic, str]] = [("standing", words) for words in own[:1]]
    first = found.choice.take or next(iter(found.choice.test_these), None)
    if each.model.id == first:
        others = [out for out in found.shortlist.left_out if out.model != found.in_place_of]
        ahead = ahead_in_words(others, each, asked.sale.on_sale_months)
        said.append(("ahead", ahead))
    judged = each.judged
    if judged is not None:
        said.append(("tier", tier_in_words(judged, leader, asked.margin)))
        said.append(("one more test", one_more_in_words(judged, asked.margin)))
        both, n = judged.difference.n_benchmarks, each.n_benchmarks
        if each.fits and both < n:
            compared = f"Compared on {both} of {n} tests only: those that both have."
            said.append(("in common", compared))
        said += [("against", f"Held back: {objection(veto)}.") for veto in judged.vetoes]
        said += [("against", sentence(objection(warning))) for warning in judged.warnings]
    said.append(("harm", safety_in_words(each.safety)))
    if (made := each.invented) is not None:
        unstated = ", version not stated" if made.kind != "same version" else ""
        how_often = f"{made.share * 100:.1f} of 100 summaries of general texts"
        where = f"Vectara HHEM{unstated}: {ordinal(made.rank)} of {made.n}, the fewest first"
        said.append(("invented", f"Invented content in {how_often} ({where})."))
    said.append(("other suites", opinions_in_words(each.second_opinions)))
    if each.together is not None:
        share = f"{each.together * 100:.0f} % of resampled trees"
        said.append(("cluster", f"In one cluster with {leader} in {share}."))
    elif each.same_cluster is not None and judged is not None:
        same = "the same cluster as" if each.same_cluster else "another cluster than"
        said.append(("cluster", f"In {same} {leader}."))
    if each.fits:
        said += [("how to get it", words) for words in own[1:]]
    elif each.sale is not None:
        said.append(("how to get it", sentence(sale_of(each))))
    if saves := saving_in_words(each.saves):
        said.append(("saving", f"Compared with {leader} it {saves}."))
    if each.fits and (to_ask := questions(each, asked)):
        n_more = len(to_ask) - _MOST_NAMED
        more = f" And {n_more} more." if n_more > 0 else ""
        said.append(("ask", f"Ask first: {' '.join(to_ask[:_MOST_NAMED])}{more}"))
    return tuple((topic, words) for topic, words in said if words)


def for_and_against(found: Recommendation, each: Dossier) -> tuple[str, ...]:
    """Say what speaks for and against a model, the weightiest first."""
    return tuple(words for _, words in sentences(found, each))


_SET_ASIDE = "Their order in public tests is not counted."
"""The worth of a test is computed for models that are all believed to be equally good."""


def raters_need(raters: int, minutes_per_case: float, hours: float) -> str:
    """Say how long raters take, whatever the number of models; half an hour is rounded up."""
    need, each = ("needs", "") if raters == 1 else ("need", " each")
    took = f"{minutes_per_case:g} minute{'s' * (minutes_per_case != 1)}{each}"
    basis, whole = f"{took} for a case with all its answers", counted(int(hours + 0.5), "hour")
    return f"{counted(raters, 'rater')} {need} {whole} in all ({basis})"


def worth_in_words(found: TestWorth) -> str:
    """Say what a test would bring, and what it takes."""
    over = (
        f"choosing a model more than {found.margin * 100:g} points below the best on your own cases"
    )
    before = f"{found.p_wrong_without * 100:.0f}"
    basis = " How far they may differ is assumed." if found.assumed else ""
    if found.n_cases is None or found.p_wrong_with is None:
        return (
            f"Without a test there is a {before} % chance of {over}, and no test of up to "
            f"{SIZES[-1]:,} cases brings it down to one in eight. {_SET_ASIDE}{basis}"
        )
    answers = "What the answers cost is not known"
    if found.cost_usd is not None:
        answers = f"The answers cost {about(found.cost_usd)}"
    rating = raters_need(RATERS, MINUTES_PER_CASE, found.rater_hours or 0.0)
    return (
        f"{found.n_cases:,} cases for each of these {len(found.models)} models lower the chance of "
        f"{over} from {before} to {found.p_wrong_with * 100:.0f} %. {_SET_ASIDE} {answers}, and "
        f"{rating}.{basis}"
    )


def due_in_words(due: Due, on: date) -> str:
    """Say on a day what is due on a kept list."""
    now, day, today = due.now or "no model", day_in_words(due.day), on.isoformat()
    since = "has refused new customers since"
    refuses = since if due.day <= today else "refuses new customers from"
    ends, assured = due.now, due.now
    if due.day < today:  # What was kept says it as of then.
        ends, assured = f"its sale ended on {day}", f"its sale was assured until {day}"
    said = {
        "damaged": f"A kept list cannot be read. {due.now}",
        "cannot be asked": f"This question can no longer be asked. {due.now}",
        "sale ends": f"{due.then}: {ends}",
        "assurance ends": f"{due.then}: {assured}",
        "sale closes": f"{due.then}: {due.now} {refuses} {day}",
        "take": f"{due.then} then; today: {now}",
        "price": f"The price changed from ${due.then or '?'} to ${due.now or '?'} a month",
        "sale": f"Its sale changed: {due.now}",
        "terms": f"How well it meets your conditions changed from {due.then} to {due.now}",
        "evidence": f"There is newer evidence: {due.now}",
    }[due.what]
    return sentence(f"{due.name}: {said}".removeprefix(": ").rstrip("."))
