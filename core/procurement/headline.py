"""The recommendation in sentences: its headline, and what speaks for and against each model."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

from core.procurement.reasons import estimate, ordinal, sentence, signed
from core.procurement.shortlist import NOT_ON_SALE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.domain import Interval, Safety, Saving, Tier
    from core.procurement.recommendation import Invented, LeftOut, Proposal, SecondOpinion
    from core.procurement.replacement import Judged
    from core.statistics.ranks import OrderAgreement

TIERS: dict[Tier, str] = {
    "shown": "shown",
    "likely": "likely",
    "open": "open, the data cannot tell",
    "worse": "worse",
}
_MOST_NAMED = 2
PAIRED = "paired, item by item"
_BASES = {
    "items": PAIRED,
    "on these tests": "on these tests",
    "on other tests": "on other tests like these",
}


def difference_in_words(judged: Judged) -> str:
    """Write a difference with its interval and what that is about: (−1.2, −3.9 to +1.6, …)."""
    gap = judged.difference
    if gap.difference is None:
        return "no test in common"
    return f"{signed(gap.difference)} points, {_ends(gap.strongest)}"


def _ends(interval: Interval | None) -> str:
    if interval is None:
        return "no interval"
    return f"{signed(interval.ci_low)} to {signed(interval.ci_high)} {_BASES[interval.basis]}"


def tier_in_words(judged: Judged, leader: str, margin: float) -> str:
    """Say how a candidate stands to the leader within the margin, with the other basis."""
    within = f"within {margin * 100:g} points"
    gap = difference_in_words(judged)
    if judged.is_as_good and judged.better:
        said = f"Better than {leader}: {TIERS[judged.tier]} ({gap})"
    elif judged.tier == "worse":
        said = f"Worse than {leader} by more than {margin * 100:g} points ({gap})"
    elif judged.tier == "open" and judged.probably_worse:
        said = f"As good as {leader} {within}: open, probably worse ({gap})"
    else:
        said = f"As good as {leader} {within}: {TIERS[judged.tier]} ({gap})"
    if judged.other_tier is not None:
        said += f"; {_ends(judged.difference.intervals[1])}: {judged.other_tier}"
    return f"{said}."


def safety_in_words(safety: Safety | None) -> str:
    """Say what is known of severe harm."""
    if safety is None:
        return "Never tested for harm (NOHARM)."
    against = ""
    if safety.physicians is not None:
        against = f"; physicians {safety.physicians * 100:.1f} %"
    unstated = ", version not stated" if safety.kind != "same version" else ""
    said = (
        f"Severe harm in {safety.share * 100:.1f} % of {safety.n} cases (NOHARM{unstated}: "
        f"{ordinal(safety.rank)} of {safety.n_systems}{against})."
    )
    return f"Stands out for harm. {said}" if safety.marked else said


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


def headline(
    why: str,
    take: Proposal | None,
    leader: Proposal | None,
    *,
    in_use: bool,
    margin: float,
    n_fit: int,
    as_good: Sequence[Proposal] = (),
    unpriced: bool = False,
) -> str:
    """Say the recommendation in a sentence or two.

    Of the others ``as_good``, what harms and costs less is said; ``unpriced`` is whether a model
    that is as good has no known cost.
    """
    within = f"within {margin * 100:g} points"
    if take is None:
        if why == "all marked":
            return "No model is taken: all that fit stand out for severe harm (NOHARM)."
        if why == "none as good" and leader is not None and n_fit:
            return f"No model that fits is shown to be as good as {leader.model.name} {within}."
        return "No model both fits all of the question and has scores to rank it by."
    name = take.model.name
    lead = leader.model.name if leader is not None else ""
    but = _passed_over(take, as_good)
    if why == "divided" and leader is not None:
        lost = ""
        if take.judged is not None:
            lost = f" It scores {difference_in_words(take.judged)}, against {lead}."
        said = (
            f"The evidence is divided: {lead} leads, but it and all models as good stand out for "
            f"severe harm. Without that mark, take {name}.{lost}"
        )
    elif why == "keep":
        said = f"Keep {name}: no model that fits is {_rival(take, within, unpriced)}{but}."
    elif in_use and take.judged is not None:
        judged = take.judged
        gap, ends = judged.difference.difference or 0.0, _ends(judged.difference.strongest)
        good = (
            f"better by {gap * 100:.1f} points ({ends})"
            if judged.better
            else f"as good {within}, {TIERS[judged.tier]} ({signed(gap)}, {ends})"
        )
        saving = saving_in_words(take.saves)
        said = f"{lead} can be replaced by {name}: {good}{', ' + saving if saving else ''}."
    elif n_fit == 1:
        said = f"{name} is the only model that fits."
    elif why == "leader":
        cost = f"and nothing as good costs less{but}"
        if take.cost.likely is None:
            cost = "and what it costs is not known"
        said = f"{name} scores highest of the {n_fit} that fit, {cost}."
    else:
        tier = TIERS[take.judged.tier] if take.judged is not None else ""
        said = f"{name} is as good as {lead}, the highest score that fits, {within} ({tier})"
        cost = "costs least" if take.cost.likely is not None else "is the smallest"
        said += f", and {cost}{but}."
    rises = take.judged.warnings if take.judged is not None else ()
    sentences = [said, few_in_common(take), *(f"But {rise}." for rise in rises)]
    if take.sale is not None and take.sale.standing == "question":
        sentences.append("Whether it is still sold is not known: ask first.")
    return " ".join(filter(None, sentences))


def _rival(kept: Proposal, within: str, unpriced: bool) -> str:
    """Say what no other model is, so that a model in use is kept."""
    if kept.cost.likely is not None:
        return f"as good {within} and {'known to cost' if unpriced else 'costs'} less"
    if kept.model.params_b is not None:
        return f"as good {within} and known to be smaller; no cost is known"
    return "shown to be better, and neither cost nor size is known"


def _passed_over(take: Proposal, as_good: Sequence[Proposal]) -> str:
    """Name what is as good, and cheaper or else smaller or better, and was passed over for harm."""

    def size(each: Proposal) -> float | None:
        return each.model.params_b if take.cost.likely is None else each.cost.likely

    least = size(take)
    names = [
        each.model.name
        for each in as_good
        if each.safety is not None
        and each.safety.marked
        and (
            each.judged is not None and each.judged.better
            if least is None
            else (other := size(each)) is not None and other < least
        )
    ]
    if not names:
        return ""
    stand = "stands" if len(names) == 1 else "stand"
    return f", but for {' and '.join(names)}, which {stand} out for severe harm (NOHARM)"


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
