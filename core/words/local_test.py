"""Sentences about a local test: its size, its protocol and what departed from it, its verdict.

And about a jury of language models: whether it agrees with clinicians as they do.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.domain import Tier
from core.figures import (
    counted,
    day_in_words,
    dollars,
    listed,
    sentence,
    signed,
    signed_interval,
)
from core.local_test.open_cases import CaseSet, OpenTest
from core.local_test.plan import (
    LONGEST_PLANNED,
    MARK_STEPS,
    Basis,
    Departures,
    JudgedAs,
    Plan,
    Protocol,
    at_best,
    cases_for_power,
    margin_in_words,
    marked,
    shown_from,
)
from core.local_test.verdict import TestVerdict
from core.procurement.recommendation import TestWorth
from core.words.recommendation import raters_need

if TYPE_CHECKING:
    from core.statistics.raters import JuryCheck, RatersAgree

_CLOSE = 0.1
"""A difference this small or smaller, over its whole interval, is called the same."""
_POOR, _BY_CHANCE = 0.5, 0.2
"""An ICC below which agreement is called poor (Koo and Li 2016, doi 10.1016/j.jcm.2016.02.012), and
one below which it is hardly more than chance: of two raters each has 0.11 then."""
_A_FEW_MORE = 1.25
"""The test that judges takes more cases than the formula of a margin; up to a quarter is not said:
by simulation its power is then 75 % or more where 80 % are agreed."""
_NOTHING = re.compile(r"[+−]0\.0\b")
"""What rounds to nothing, which has no sign."""
OTHER_MODELS = (
    "This protocol is for other models: its margin and its number of cases were not agreed for "
    "these."
)
_JUDGED: dict[JudgedAs, str] = {
    "right/wrong": "right or wrong, against a reference answer",
    "rubric": "marks of 1 to 5",
}


def plan_in_words(found: Plan, there: int | None = None) -> str:
    """Say what the cases show that can be rated, or how many it takes, and how many for less.

    ``there`` is how many cases an open set has.

    "With 100 cases you can show that A is no more than 12.5 points worse than B on discharge notes;
    to show 5 points you need 628." And "You need 120 cases to show whether A is within 5 points of
    B …; for 2 points it takes 740."
    """
    reference, *candidates = found.models
    shown = [each.name for each in candidates if each not in found.never_shown]
    names = shown or [each.name for each in candidates]
    who = f"{names[0]} is" if len(names) == 1 else f"{listed(names)} are each"
    further, is_shown = found.finer, at_best(found) == "shown"
    if found.rated is not None:
        within = margin_in_words(found.margin, marked(found.judged, found.raters))
        begun = {
            "shown": f"With {found.rated:,} cases you can show whether {who}",
            "likely": f"With {found.rated:,} cases you can find out whether {who} likely",
        }.get(at_best(found), f"{found.rated:,} cases may well leave it open whether {who}")
        said = f"{begun} no more than {within} worse than {reference.name} on {found.work}"
        finer = "to show {} you need {:,}"
        if further is None and not is_shown:
            further = found.margin, shown_from(found)
    else:
        within = f"within {margin_in_words(found.margin, found.judged)} of {reference.name}"
        what = f"show whether {who}" if is_shown else f"find out whether {who} likely"
        said = f"You need {found.n_cases:,} cases to {what} {within} on {found.work}"
        finer = "for {} it takes {:,}"
        if not is_shown:
            further, finer = (found.margin, shown_from(found)), "to show {} takes {:,}"
    if further is None:
        return f"{said}."
    margin, n_cases = further
    if there is not None and n_cases > there:
        return (
            f"{said}; {margin_in_words(margin)} would take {n_cases:,}, and this set has "
            f"{there:,}: it cannot show that."
        )
    return f"{said}; {finer.format(margin_in_words(margin), n_cases)}."


def margin_of_protocol(found: Plan) -> str:
    """Say that the protocol has a wider margin than the loss accepted, where that is so."""
    if found.rated is None or found.finer is None:
        return ""
    marks = marked(found.judged, found.raters)
    return (
        f"The protocol has a margin of {margin_in_words(found.margin, marks)}, which is what "
        f"{found.rated:,} cases can tell, and not the {margin_in_words(found.finer[0])} that you "
        "would accept."
    )


def difference(found: Plan) -> str:
    """Say which true difference the number assumes, and whom no number would show as good."""
    gap = "equally good"
    if found.difference:
        way = "better" if found.difference > 0 else "worse"
        gap = f"{margin_in_words(abs(found.difference))} {way}"
        if found.needs_most:
            gap = f"{found.needs_most.name} {gap}"
        elif len(found.models) - len(found.never_shown) > 2:
            gap = f"each {gap}"
    said = [f"Assumed true difference: {gap}."]
    # With a number of cases the plan's margin may be wider than what is accepted.
    accepted = found.finer[0] if found.rated is not None and found.finer else found.margin
    for each in found.never_shown:
        assert each.difference is not None
        worse = margin_in_words(round(-each.difference, 3))
        said.append(
            f"Public evidence shows {each.name} to be {worse} worse: if so, no number of cases can "
            f"show it to be within {margin_in_words(accepted)}."
        )
    return " ".join(said)


def basis_in_words(found: Basis, judged: JudgedAs, *, marks: bool = True) -> str:
    """Say what the number of cases rests on; ``marks`` are of 1 to 5, given by people."""
    what = (
        f"one is right and the other wrong on {found.value * 100:.3g} % of the cases"
        if judged == "right/wrong"
        else f"differences from case to case have a standard deviation of {found.value * 100:.3g} "
        f"points{f' ({found.value * MARK_STEPS:.2g} on the scale of 1 to 5)' if marks else ''}"
    )
    if found.source == "assumed":
        return f"Assumed: {what}."
    n = f", {found.n_items:,} items" if found.n_items is not None else ""
    return f"Measured on {found.where}{n}: {what}. Your cases may differ."


def takes(found: Plan) -> str:
    """Say what the test costs in hours and dollars."""
    known = [usd for usd in found.bills if usd is not None]
    bill = "the cost of the models' answers is not known for all of them"
    if len(known) == len(found.models):
        bill = f"the models' answers cost about {dollars(math.fsum(known))}"
    raters = f"{rating(found)}, and " if found.raters else ""
    alone = " One rater cannot show how far raters agree." if found.raters == 1 else ""
    return f"For {found.n_cases:,} cases {raters}{bill}.{alone}"


def rating(found: Plan | Protocol) -> str:
    """Say how long the raters take, whatever the number of models."""
    return raters_need(found.raters, found.minutes_per_case, found.hours)


def on_open_cases(test: OpenTest) -> tuple[str, ...]:
    """Say what open cases are, what the run costs and what speaks against them."""
    cases, run = test.cases, f"run, judged by {test.judge.name}," if test.judge else "run"
    cost = f"What the {run} costs is not known for all models."
    if test.usd is not None:
        cost = f"The {run} costs about {dollars(test.usd)} and takes about {minutes(test.minutes)}."
    if test.agreed.raters:
        cost = f"{cost} {rating(test.agreed)}."
    scored = (
        "right or wrong" if cases.scored == "right/wrong" else "marked by a model against a rubric"
    )
    return (
        f"{cases.name}: {cases.n_cases:,} cases in {cases.language}, {scored}, licence "
        f"{cases.licence}.",
        f"Public since {day_in_words(cases.public_since)}, so models may have seen them; "
        f"{cases.caution}.",
        cost,
        basis_in_words(test.agreed.basis, test.agreed.judged, marks=test.agreed.raters > 0),
    )


def minutes(number: float) -> str:
    """Write a time in whole minutes or hours."""
    if number >= 90:
        return counted(round(number / 60), "hour")
    return counted(max(1, round(number)), "minute")


def of_open_cases(sets: Sequence[CaseSet], judges: Sequence[str]) -> tuple[str, ...]:
    """Say which open cases results are of, and who judged them."""
    said = [f"Open cases: {it.name}, public since {day_in_words(it.public_since)}." for it in sets]
    if judges:
        said.append(f"Judged by {listed(judges)}.")
    return tuple(said)


def judged_its_own(judge: str, own: Sequence[str]) -> str:
    """Say that a judge's maker made models that it judges."""
    return f"The maker of the judge, {judge}, made {listed(own)} too, which it may favour."


def worth(found: TestWorth) -> str:
    """Say what a test of the planned size is worth, and on what that rests."""
    over = f"the chance of choosing one more than {found.margin * 100:g} points below the best"
    return sentence(
        f"{'if models differ by about 3 points (assumed), ' * found.assumed}{over} is "
        f"{found.p_wrong_without * 100:.0f} % without this test and "
        f"{(found.p_wrong_with or 0.0) * 100:.0f} % with it"
    )


def protocol_in_words(agreed: Protocol) -> tuple[tuple[str, str], ...]:
    """Say what was agreed, each with its heading."""
    truly = "as good"
    if agreed.difference:
        apart = abs(agreed.difference) * 100
        truly = f"{apart:g} points {'better' if agreed.difference > 0 else 'worse'}"
    rated = "a program judges"
    if agreed.raters:
        rated = f"{agreed.raters}, without knowing which model answered; every one rates all"
    margin = margin_in_words(agreed.margin, agreed.judged)
    power = f"{agreed.power * 100:g} % for each candidate that is truly {truly}"
    if at_best(agreed) != "shown":
        so_few = ": not reached, since so few graded cases may well leave it open"
        power += ", to be found likely" if at_best(agreed) == "likely" else so_few
    elif (needed := cases_for_power(agreed)) > _A_FEW_MORE * agreed.n_cases:
        power += f" takes {needed:,} cases; of {agreed.n_cases:,} too few may differ for it"
    return (
        ("Cases", f"{agreed.n_cases:,}, each answered by every model"),
        ("Judged", _JUDGED[agreed.judged]),
        ("Raters", rated),
        ("Margin", f"{margin}, the largest loss that still counts as good"),
        ("Power", power),
        (
            "The number rests on",
            basis_in_words(agreed.basis, agreed.judged, marks=agreed.raters > 0),
        ),
        ("Analysis", agreed.analysis),
        ("Stopping rule", agreed.stopping),
    )


def departures_in_words(agreed: Protocol, found: Departures) -> tuple[str, ...]:
    """Say how what was done differs from what was agreed; empty where it does not."""
    said = [
        f"The results say {name}, not {own}: they do not tell which version answered."
        for name, own in found.version_unknown
    ]
    said += [f"{name} ({own}) was to be tested and has no result." for name, own in found.untested]
    said += [
        f"{name[:LONGEST_PLANNED]} was tested although it was not planned."
        for name in found.unplanned
    ]
    if gap := found.n_cases - agreed.n_cases:
        said.append(
            f"{found.n_cases:,} cases have a result of both models; {agreed.n_cases:,} were "
            f"planned, {abs(gap):,} too {'few' if gap < 0 else 'many'}."
        )
    if found.n_few_raters is None:
        were = "was" if agreed.raters == 1 else "were"
        said.append(f"Nobody rated; {counted(agreed.raters, 'rater')} {were} planned.")
    elif n := found.n_few_raters:
        said.append(
            f"{n:,} case{' has' if n == 1 else 's have'} fewer than the "
            f"{counted(agreed.raters, 'rater')} planned."
        )
    if found.margin is not None:
        said.append(
            f"The verdict uses a margin of {found.margin * 100:g} points; "
            f"{agreed.margin * 100:g} were agreed."
        )
    return tuple(said)


def _minus(figure: float) -> str:
    return f"{figure:.2f}".replace("-", "−")


def verdict_in_words(
    found: TestVerdict,
    name_a: str,
    name_b: str,
    public: Tier | None = None,
    *,
    is_open: bool = False,
) -> str:
    """Say the verdict, answer first, with what public evidence said before.

    "On your 118 cases GPT-5 mini is as good within 5 points: shown (−1.2 points, 95 % interval
    −3.9 to +1.6), against GPT-5. Public evidence said: likely."
    """
    gap = found.difference
    margin = margin_in_words(found.margin)
    interval = signed_interval(gap.ci_low, gap.ci_high)
    if gap.ci_low is not None:
        interval = f"95 % interval {interval}"
    seen = f"({signed(gap.difference)} points, {interval})"
    seen = _NOTHING.sub("0.0", seen)
    on = f"On {gap.n_items:,} open cases" if is_open else f"On your {gap.n_items:,} cases"
    asks = f"whether {name_a} is as good as {name_b} within {margin}"
    if found.planned is not None and gap.n_items < found.planned:
        on = f"{gap.n_items:,} of {found.planned:,} planned cases"
        said = f"{on}: until the rest are in, it is open {asks} {seen}."
    elif found.tier == "open" and found.planned is not None and found.probably_worse:
        said = (
            f"{on} {name_a} is worse than {name_b} {seen}; whether by more than {margin} is open."
        )
    elif found.tier == "open":
        why = "the cases cannot tell"
        if found.planned is None:
            why = "you have not said how many cases were planned"
        said = f"{on} it is open {asks}: {why} {seen}."
    else:
        is_what = f"as good as {name_b} within {margin}: {found.tier}"
        if found.tier == "worse":
            is_what = f"worse than {name_b} by more than {margin}"
        elif found.probably_worse:
            is_what = f"worse than {name_b}, by less than {margin}: {found.tier}"
        elif found.better:
            is_what = f"better than {name_b}: {found.tier}"
        said = f"{on} {name_a} is {is_what} {seen}."
        if found.may_be_rarely_worse:
            said += " So few graded cases do not rule out that it is rarely, but badly, worse."
    if any(each.icc_k < _BY_CHANCE for each in found.agreement):
        said += " But the raters agree hardly better than chance: do not rely on this result."
    elif not found.probably_worse and any(each.icc_k < _POOR for each in found.agreement):
        said += " But the raters agree poorly, which may hide a difference."
    return said if public is None else f"{said} Public evidence said: {public}."


def margin_of_verdict(found: TestVerdict, agreed: Protocol | None) -> str:
    """Say which margin a verdict takes, and where that is from."""
    whence = "the loss that you would accept, set above under “The test these results are from”"
    if agreed is not None:
        whence = f"as agreed in protocol {agreed.sha256[:12]}"
    return f"Margin of {margin_in_words(found.margin)}: {whence}."


def raters_and_strays(found: TestVerdict) -> tuple[str, ...]:
    """Say how raters agree, and which cases one of the models has alone."""
    said = [
        f"Raters {listed(each.raters)} on {each.n_answers:,} answers: the same mark on "
        f"{each.same * 100:.0f} %, agreement of their mean ICC(3,k) {_minus(each.icc_k)}."
        for each in found.agreement
    ]
    for name, only in ((found.a, found.only_a), (found.b, found.only_b)):
        if only:
            some = listed([*only[:10], *(["more"] if len(only) > 10 else [])])
            verb = "does" if len(only) == 1 else "do"
            said.append(f"{counted(len(only), 'case')} of {name} alone {verb} not count: {some}.")
    return tuple(said)


def not_counted(found: TestVerdict, *, is_open: bool = False) -> tuple[str, ...]:
    """Say what a verdict did not count, and which cases are of one patient, unless open."""
    said, n_items = [], len(found.items)
    if n := found.n_of_no_person:
        scores = "score that no person gave does" if n == 1 else "scores that no person gave do"
        said.append(f"{n:,} {scores} not count, because people rated.")
    if n := found.n_unshared:
        said.append(
            f"{n:,} case{' does' if n == 1 else 's do'} not count, since no rater rated both "
            "models there."
        )
    named, patients = found.n_patients
    if named < n_items and not is_open:
        who, lacks = f"{n_items - named:,} of the cases name", ""
        if not named:
            who, lacks = "The cases name", " (the column patient is missing or empty)"
        said.append(
            f"{who} no patient{lacks}, so each counts as a patient of its own: where a patient has "
            "several cases, fill in the column patient."
        )
    if patients < named:
        said.append(
            f"{named:,} cases come from {patients:,} patients; the cases of one patient count "
            "together."
        )
    return tuple(said)


def jury_finding(found: JuryCheck) -> str:
    """Say whether the jury agrees with clinicians more or less than one of them with the others."""
    low, high = found.difference.ci_low, found.difference.ci_high
    agrees, as_one = "Your jury agrees with your clinicians", "one of them agrees with the others."
    if found.difference.icc is None:
        return (
            "How your clinicians agree with one another is not known: that takes two clinicians "
            "with three answers in common, which the jury scored too."
        )
    if low is None or high is None:
        return "These ratings are too few to say which of the two agreements is higher."
    if low > 0:
        return f"{agrees} more than {as_one}"
    if high < 0:
        return f"{agrees} less than {as_one}"
    if low >= -_CLOSE and high <= _CLOSE:
        return f"{agrees} about as much as {as_one}"
    return (
        "These ratings cannot tell whether your jury agrees with your clinicians more or less "
        f"than {as_one}"
    )


def jury_behind(found: JuryCheck) -> str:
    """Say what a finding rests on: both agreements, their difference, and MedHELM's figure."""
    jury, said = found.jury, []
    if found.jury_with_others is not None and found.clinician_with_others is not None:
        said.append(
            f"With one clinician left out, the jury agrees with the others by "
            f"{found.jury_with_others:.2f}, and the one left out by "
            f"{found.clinician_with_others:.2f}, on average."
        )
    gap = found.difference
    if gap.icc is not None and gap.ci_low is not None and gap.ci_high is not None:
        three = (gap.icc, gap.ci_low, gap.ci_high)
        digits = 2 if all(round(x, 2) for x in three) else 3  # 0.004 is above 0
        middle, low, high = (f"{x:+.{digits}f}".replace("-", "−") for x in three)
        said.append(f"The difference of {middle} may lie anywhere from {low} to {high}.")
    as_medhelm = f"As MedHELM counts, jury and all clinicians: {_agreement(jury)}"
    if found.clinicians.icc is not None:
        as_medhelm += f"; two clinicians, on average: {_agreement(found.clinicians)}"
    said.append(f"{as_medhelm}.")
    return " ".join(said)


def no_agreement(found: JuryCheck) -> str:
    """Say why the jury has no figure, or that it was below 0; empty otherwise."""
    if found.jury.icc is None:
        return "Jury and clinicians have no figure: the mean of both is always the same."
    if found.jury_as_computed is not None and found.jury_as_computed < 0:
        return (
            f"As computed, the jury's figure is −{-found.jury_as_computed:.2f}. Below 0 means no "
            "agreement, and counts as 0."
        )
    return ""


def rated_by(found: JuryCheck) -> str:
    """Say how many rated how much."""
    by_one = f", {found.n_by_one} of them by one clinician only" if found.n_by_one else ""
    return (
        f"{counted(len(found.clinician_names), 'clinician')}, "
        f"{counted(len(found.jury_names), 'jury member')}, "
        f"{counted(found.n_instances, 'instance')} scored by both{by_one}."
    )


def _agreement(found: RatersAgree) -> str:
    if found.icc is None:
        return "not defined"
    ends = "no interval" if found.ci_low is None else f"{found.ci_low:.2f} to {found.ci_high:.2f}"
    return f"{found.icc:.2f} ({ends})"
