"""Sentences about a jury of language models: whether it agrees with clinicians as they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.figures import counted

if TYPE_CHECKING:
    from core.statistics.raters import JuryCheck, RatersAgree

_CLOSE = 0.1
"""A difference this small or smaller, over its whole interval, is called the same."""


def finding(found: JuryCheck) -> str:
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


def behind(found: JuryCheck) -> str:
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
