"""The recommendation in sentences: its headline, and what speaks for and against each model."""

from __future__ import annotations

import math
from datetime import date, timedelta
from operator import itemgetter
from typing import TYPE_CHECKING

from core.procurement.replacement import is_shown_above
from core.procurement.shortlist import NOT_ON_SALE
from core.statistics.sample_size import SIZES
from core.words.figures import about, estimate, listed, ordinal, sentence, signed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.domain import Interval, IntervalBasis, Safety, Saving, Tier
    from core.procurement.recommendation import (
        Invented,
        LeftOut,
        Proposal,
        Recommendation,
        SecondOpinion,
    )
    from core.procurement.replacement import Judged
    from core.procurement.test_worth import TestWorth
    from core.statistics.ranks import OrderAgreement

TIERS: dict[Tier, str] = {
    "shown": "shown",
    "likely": "likely",
    "open": "open, the data cannot tell",
    "worse": "worse",
}
_MOST_NAMED = 2
_SOON = timedelta(days=365)
_RARE = 0.05
"""Less often than that a loss on one more test is not said."""
PAIRED = "paired, item by item"
BASES: dict[IntervalBasis, str] = {
    "items": "on these tests",
    "on these tests": "on these tests",
    "on other tests": "on other tests like these",
    "none": "",
}
"""What an interval is about; of a difference of items see ``PAIRED``."""


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
    return f"{signed(interval.ci_low)} to {signed(interval.ci_high)} {basis}"


def tier_in_words(judged: Judged, leader: str, margin: float) -> str:
    """Say how a candidate stands to the leader within the margin, with the other basis."""
    within = f"within {margin * 100:g} points"
    gap = difference_in_words(judged)
    if judged.is_as_good and judged.better:
        said = f"Better than {leader}: {TIERS[judged.tier]} ({gap})"
    elif judged.is_as_good and judged.probably_worse:
        less = f"by less than {margin * 100:g} points"
        said = f"Worse than {leader}, {less}: {TIERS[judged.tier]} ({gap})"
    elif judged.tier == "worse":
        said = f"Worse than {leader} by more than {margin * 100:g} points ({gap})"
    elif judged.tier == "open" and judged.probably_worse:
        said = f"As good as {leader} {within}: open, probably worse ({gap})"
    else:
        said = f"As good as {leader} {within}: {TIERS[judged.tier]} ({gap})"
    if judged.other_tier is not None:
        said += f"; {_ends(judged.difference.intervals[1])}: {judged.other_tier}"
    return f"{said}."


def one_more_in_words(judged: Judged, margin: float) -> str:
    """Say how often one more such test would show a loss; empty where nothing tells."""
    chance = judged.one_more_test
    if chance is None or chance < _RARE:
        return ""
    return (
        f"On one more such test it would lose more than {margin * 100:g} points in about "
        f"{_k_in_n(chance)}."
    )


def _k_in_n(chance: float) -> str:
    """Write a chance as so many in a few: 1 in 3, 2 in 5, 9 in 10."""
    ways = [(k, n) for n in (2, 3, 4, 5, 10, 20) for k in range(1, n)]
    k, n = min(ways, key=lambda way: (round(abs(way[0] / way[1] - chance), 2), way[1]))
    return f"{k} in {n}"


def safety_in_words(safety: Safety | None) -> str:
    """Say what is known of severe harm."""
    if safety is None:
        return "Never tested for harm (NOHARM)."
    unstated = ", version not stated" if safety.kind != "same version" else ""
    where = f"NOHARM{unstated}: {ordinal(safety.rank)} of {safety.n_systems}"
    return f"{_harm(safety)} ({where})."


def _harm(safety: Safety) -> str:
    """Say a share of severe harm against physicians', and whether the two are shown to differ."""
    said = f"Severe harm in {safety.share * 100:.1f} % of {safety.n} cases"
    if safety.physicians is None:
        return said
    more, fewer = (
        is_shown_above(*two, safety.n)
        for two in ((safety.share, safety.physicians), (safety.physicians, safety.share))
    )
    differ = "shown to be more than" if more else "shown to be fewer than" if fewer else ""
    whose = f"physicians' {safety.physicians * 100:.1f} %"
    return f"{said}, {differ or 'not shown to differ from'} {whose}"


def invented_in_words(found: Invented) -> str:
    """Say how often summaries held invented content."""
    unstated = ", version not stated" if found.kind != "same version" else ""
    return (
        f"Invented content in {found.share * 100:.1f} of 100 summaries of general texts "
        f"(Vectara HHEM{unstated}: {ordinal(found.rank)} of {found.n}, the fewest first)."
    )


def unattended_in_words(best: float, n_tasks: int, *, by_publisher: bool) -> str:
    """Say how far the best agent comes, where that is far from every task."""
    whose = " run by the publisher" if by_publisher else ""
    return (
        f"No agent{whose} does more than {best * 100:.0f} % of these {n_tasks} tasks: none should "
        "run unattended."
    )


def opinions_in_words(opinions: tuple[SecondOpinion, ...]) -> str:
    """Say a model's places in other suites; empty where no other suite has it."""
    if not opinions:
        return "No other suite has tested it."
    said = [
        f"{each.name} {ordinal(each.rank)} of {each.n} ({each.metric}"
        + (", version not stated" if each.kind != "same version" else "")
        + f"{_agreement(each.agreement)})"
        for each in opinions
    ]
    return f"Other suites: {'; '.join(said)}."


def _agreement(found: OrderAgreement | None) -> str:
    """Say how far two suites order their shared models alike, with the interval."""
    if found is None:
        return ""
    over = f"over {found.n_models} shared models"
    if found.rho is None or found.ci_low is None or found.ci_high is None:
        return f"; {over}, too few to tell whether the two orders agree"
    ends = " to ".join(f"{end:+.2f}".replace("-", "−") for end in (found.ci_low, found.ci_high))
    rho = f"{found.rho:+.2f}".replace("-", "−")
    return f"; {over} the two orders go together at ρ {rho}, {ends}"


def saving_in_words(saves: Saving | None) -> str:
    """Say what a month saves as a range, and where the order of the two bills turns."""
    if saves is None:
        return ""
    low, high = saves.low, saves.high
    if max(abs(low), abs(high)) < 1:
        return "costs about the same a month"
    if saves.order_turns:
        return (
            f"may save up to {estimate(high)} or cost up to {estimate(-low)} more a month: which "
            "of the two costs less is not certain"
        )
    if high <= 0:
        return f"costs {_range(-high, -low)} more a month"
    return f"saves {_range(low, high)} a month"


def _range(low: float, high: float) -> str:
    if estimate(low) == estimate(high):
        return f"about {estimate(high)}"
    if high >= 10 and low >= 1:  # No cents beside tens of dollars.
        return f"${low:,.0f} to {estimate(high)}"
    return f"{estimate(low)} to {estimate(high)}"


def ahead_in_words(left_out: Sequence[LeftOut], take: Proposal, months: int | None) -> str:
    """Say which models scored higher and are not on sale for long enough; empty where none is."""
    placed = [(out.place, out) for out in left_out if out.rule == NOT_ON_SALE and out.place]
    ahead = [each for each in sorted(placed, key=itemgetter(0)) if each[0] < (take.rank_all or 0)]
    if not ahead:
        return ""
    said = []
    for place, out in ahead[:_MOST_NAMED]:
        words = f"{out.name} ({ordinal(place)}): {out.reason}"
        if out.successor:
            in_suites = ", ".join(out.successor_tested)
            tested = f"tested in {in_suites}" if in_suites else "no evidence yet"
            words += f"; its maker names {out.successor}, {tested}"
        said.append(words)
    more = f"; and {len(ahead) - _MOST_NAMED} more" if len(ahead) > _MOST_NAMED else ""
    whole = "the day" if not months else f"{months} months"
    n = "1 model" if len(ahead) == 1 else f"{len(ahead)} models"
    verb = "is" if len(ahead) == 1 else "are"
    return f"{n} scored higher and {verb} not on sale for {whole}: {'. '.join(said)}{more}."


def headline(found: Recommendation, suite: str) -> str:
    """Say the recommendation in a sentence, as strong as its evidence; ``suite`` by its name."""
    within = f"within {found.requirements.margin * 100:g} points"
    lead = found.leader.model.name if found.leader is not None else ""
    if found.why == "nothing fits":
        return "No model both fits all of the question and has scores to rank it by."
    if found.why == "none as good":
        return f"No model that fits is shown to be as good as {lead} {within}."
    if found.strength == "shortlist":
        return _to_test(found, suite)
    if found.strength == "choose":
        return _between(found)
    assert found.take is not None
    return _taken(found, found.take, lead, within)


def _taken(found: Recommendation, take: Proposal, lead: str, within: str) -> str:
    """Say which one model to take or to keep, and why."""
    name, judged = take.model.name, take.judged
    if judged is None:
        if found.why == "keep":
            return f"Keep {name}: no model that fits is {_rival(take, within)}."
        cost = "and nothing as good costs less"
        if take.cost.likely is None:
            least = take.cost.low
            cost = "and what it costs is not known"
            if least is not None:
                cost = f"and its servers cost at least {estimate(least)} a month"
        return f"Take {name}: it scores highest of the {found.n_fit} that fit, {cost}."
    gap, ends = judged.difference.difference or 0.0, _ends(judged.difference.strongest)
    if judged.better:
        good = f"better by {gap * 100:.1f} points ({ends})"
    elif judged.probably_worse:
        good = f"worse, by less than {found.requirements.margin * 100:g} points ({ends})"
    else:
        good = f"as good {within}, {TIERS[judged.tier]} ({signed(gap)}, {ends})"
    if found.why == "replaced":
        saving = saving_in_words(take.saves)
        return f"{lead} can be replaced by {name}: {good}{', ' + saving if saving else ''}."
    costs = "costs less" if take.cost.likely is not None else "is smaller"
    beside = f"beside {lead}, the highest score that fits, it is {good}"
    near = "close" if judged.probably_worse else "good"
    return f"Take {name}: {beside}, and nothing as {near} {costs}."


def _between(found: Recommendation) -> str:
    """Say between which models to choose, and what speaks for each."""
    best, *others = found.choose
    names = f"Choose between {listed([each.model.name for each in found.choose])}"
    safer = found.take
    if found.why == "harm" and safer is not None and safer.safety and best.safety:
        shown = is_shown_above(best.safety.share, safer.safety.share, safer.safety.n)
        first = ""
        if (best.score or 0.0) > (safer.score or 0.0):
            first = f"{best.model.name} scores higher, "
        elif (best.cost.likely or math.inf) < (safer.cost.likely or math.inf):
            first = f"{best.model.name} costs less, "
        return (
            f"{names}: {first}{safer.model.name} did severe harm in fewer cases "
            f"({safer.safety.share * 100:.1f} against {best.safety.share * 100:.1f} %, "
            f"{'shown' if shown else 'not shown to differ'})."
        )
    several = len(others) > 1
    costs = "the other two cost less" if several else "the second costs less"
    if best.cost.likely is None:  # What has a price goes before it, and may cost more.
        costs = f"what {best.model.name} costs is not known"
    they = "the others are" if several else "the second is"
    if all(each.judged is not None and each.judged.probably_worse for each in others):
        return f"{names}: {costs}; {they} probably worse, and the tests cannot tell by how much."
    return f"{names}: {costs}, and the tests cannot tell whether {they} as good."


def _to_test(found: Recommendation, suite: str) -> str:
    """Say what to test and why the evidence does not choose."""
    names = listed([each.model.name for each in found.test_these])
    if found.why == "few fit":
        if found.n_fit == 1:
            return f"Only {names} fits, of {found.n_all}: test it on your own cases before you buy."
        whom = "it" if len(found.test_these) == 1 else "both"
        return (
            f"{found.n_fit} of {found.n_all} models fit, and {found.test_these[0].model.name} "
            f"scores higher: test {whom} on your own cases."
        )
    best = found.best.model.name if found.best is not None else ""
    priced = found.best is not None and found.best.cost.likely is not None
    many = f"that cost less than {best} may be as good" if priced else f"may be as good as {best}"
    because = {
        "suite does not decide": f"{suite} does not test this work, so it cannot decide alone",
        "not separated": f"{suite} does not separate the first {found.n_first} of the "
        f"{found.n_fit} that fit",
        "many cheaper": f"more than three {many}",
        "price unknown": f"what {best} costs is not known, nor whether it keeps the budget",
        "price and sale unknown": f"neither what {best} costs nor whether it is sold is known",
        "condition not known": f"no platform of {best} is known to meet every condition",
    }[found.why]
    return f"Test {names} on your own cases: {because}."


def alerts(found: Recommendation, unattended: str, on: date) -> tuple[str, ...]:
    """Say the two weightiest things to know before what is taken is bought.

    In this order: that none should run ``unattended``, a condition that is not known, the budget
    at the high end, harm, and the end of its sale within a year.
    """
    take = found.take
    said = [unattended] if unattended else []
    if take is None:
        return tuple(said)
    row, budget = take.row, found.requirements.monthly_budget_usd
    own: list[str] = []
    if row is not None and row.routes and row.routes[0].status == "open":
        own += [words.rstrip(".") for words in row.routes[0].words("open")[:1]]
    if budget is not None and take.cost.high is not None and take.cost.high > budget:
        own.append(f"it may go over the budget: up to {estimate(take.cost.high)} a month")
    own += take.judged.warnings if take.judged is not None else ()
    if take.safety is not None and take.safety.marked:
        own.append(_harm(take.safety))
    if take.sale is not None and take.sale.standing == "question":
        own.append("whether it is still sold is not known: ask first")
    elif (
        take.sale is not None
        and take.sale.until
        and date.fromisoformat(take.sale.until) <= on + _SOON
    ):
        own.append(take.sale.words)
    whose = f"{take.model.name}: " if found.choose else ""
    return tuple([*said, *(sentence(f"{whose}{words}") for words in own)][:_MOST_NAMED])


def _rival(kept: Proposal, within: str) -> str:
    """Say what no other model is, so that a model in use is kept."""
    if kept.cost.likely is not None:
        return f"better, or as good {within} and likely to cost less"
    if kept.model.params_b is not None:
        return f"better, or as good {within} and known to be smaller; costs cannot be compared"
    return "shown to be better, and neither cost nor size can be compared"


def few_in_common(proposal: Proposal) -> str:
    """Say on how many tests two models were compared; empty where it is on all of the task."""
    if proposal.judged is None or proposal.row is None:
        return ""
    both, n = proposal.judged.difference.n_benchmarks, proposal.row.n_benchmarks
    return f"Compared on {both} of {n} tests only: those that both have." if both < n else ""


def for_and_against(proposal: Proposal, leader: str, margin: float) -> tuple[str, ...]:
    """Say in short sentences what speaks for and against a proposal, the weightiest first."""
    found = list(proposal.row.reasons[:1]) if proposal.row is not None else []
    judged = proposal.judged
    if judged is not None:
        found.append(tier_in_words(judged, leader, margin))
        found += [more] if (more := one_more_in_words(judged, margin)) else []
        found += [few] if (few := few_in_common(proposal)) else []
        found += [f"Held back: {veto}." for veto in judged.vetoes]
        found += [sentence(said) for said in judged.warnings]
    found.append(safety_in_words(proposal.safety))
    if proposal.invented is not None:
        found.append(invented_in_words(proposal.invented))
    found.append(opinions_in_words(proposal.second_opinions))
    if proposal.together is not None:
        found.append(
            f"In one cluster with {leader} in {proposal.together * 100:.0f} % of resampled trees."
        )
    elif proposal.same_cluster is not None and judged is not None:
        same = "the same cluster as" if proposal.same_cluster else "another cluster than"
        found.append(f"In {same} {leader}.")
    if proposal.row is not None:
        found += proposal.row.reasons[1:]
    elif proposal.sale is not None:
        found.append(sentence(proposal.sale.words))
    saves = saving_in_words(proposal.saves)
    if saves:
        found.append(f"Against {leader} it {saves}.")
    if proposal.row is not None and proposal.row.questions:
        asked = proposal.row.questions
        more = f" And {len(asked) - _MOST_NAMED} more." if len(asked) > _MOST_NAMED else ""
        found.append(f"Ask first: {' '.join(asked[:_MOST_NAMED])}{more}")
    return tuple(found)


def worth_in_words(found: TestWorth) -> str:
    """Say what a test would bring, and what it takes."""
    over = f"over {found.margin * 100:g} points worse"
    before = f"{found.p_wrong_without * 100:.0f}"
    basis = " How far they may differ is assumed." if found.assumed else ""
    if found.n_cases is None or found.p_wrong_with is None:
        return (
            f"Without a test the chance of a choice {over} is {before} %, and no test of up to "
            f"{SIZES[-1]:,} cases brings it to one in eight.{basis}"
        )
    usd = "a cost not known" if found.cost_usd is None else about(found.cost_usd)
    return (
        f"{found.n_cases:,} cases of each of these {len(found.models)} lower the chance of a "
        f"choice {over} from {before} to {found.p_wrong_with * 100:.0f} %, for {usd} and "
        f"{found.rater_hours:,.0f} rater hours.{basis}"
    )
