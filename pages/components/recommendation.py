"""The recommendation: one model to take with its reasons, and what could stand in."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.domain import MonthlyCost
from core.procurement.recommendation import Proposal, Recommendation, SecondOpinion
from core.procurement.test_worth import TestWorth
from core.words import figures
from core.words.figures import estimate, ordinal
from core.words.recommendation import (
    BASES,
    opinions_in_words,
    safety_in_words,
    saving_in_words,
    tier_in_words,
    worth_in_words,
)
from pages.components import entries, own_cases
from pages.components.notices import plain

_MOST_NAMED = 4
CONDITIONS = {
    "passes": "met",
    "conditional": "met on a condition",
    "open": "open",
    "fails": "not met",
}


def answer(found: Recommendation, worth: TestWorth | None) -> None:
    """Draw the answer in a sentence and what it names: one model, several, or what to test."""
    st.markdown(f"**{plain(found.headline)}**")
    for alert in found.alerts:
        st.markdown(plain(alert))
    if found.strength == "shortlist":
        for number, each in enumerate(found.test_these, start=1):
            _row(number, each)
    elif found.choose:
        with st.grid(len(found.choose), min_column_width=280, gap="medium"):
            for each in found.choose:
                with st.container(border=True):
                    _beside(each, found)
    elif found.take is not None:
        with st.container(border=True):
            _take(found.take, "Keep" if found.why == "keep" else "Take")
    _worth(found, worth)
    own_cases.draw(found)
    if found.n_left_larger:
        st.caption(
            f"{figures.counted(found.n_left_larger, 'model')} over 5 % larger than the model in "
            "use: passed over on own servers."
        )


def _row(number: int, each: Proposal) -> None:
    """Draw one model of a shortlist in a line, with what else is known of it as help."""
    harm = "" if each.safety is None else f" · severe harm {each.safety.share * 100:.1f} %"
    st.markdown(
        f"{number}. **{plain(each.model.name)}** · {plain(_score(each))} · "
        f"{plain(figures.money(each.cost))}{harm}",
        help=plain(" ".join(each.reasons)),
    )


def _beside(each: Proposal, found: Recommendation) -> None:
    """Draw one model of a choice: the same rows for each, so that they can be read across."""
    st.markdown(f"#### {plain(each.model.name)}")
    st.markdown(plain(_score(each)))
    st.markdown(f"**{plain(figures.capitalised(figures.money(each.cost)))}**")
    st.caption(plain(_from_whom(each)))
    st.markdown(plain(safety_in_words(each.safety)))
    if each.judged is not None and found.leader is not None:
        margin = found.requirements.margin
        st.markdown(plain(tier_in_words(each.judged, found.leader.model.name, margin)))
    st.caption(plain(_places(each.second_opinions)))


def _worth(found: Recommendation, worth: TestWorth | None) -> None:
    """Say what a test of the named models is worth, and open its plan filled in."""
    named = found.test_these or found.choose
    if not named:
        return
    if worth is not None:
        st.markdown(plain(worth_in_words(worth)))
    if len(named) > 1:
        entries.link(
            "local_test",
            "Plan",
            label="Plan this test",
            icon="fact_check",
            test_against=named[0].model.name,
            test_models=[each.model.name for each in named[1:]],
        )


def lists(found: Recommendation) -> None:
    """Draw what else could stand in, in three short lists beside each other."""
    tested = "Cheaper or much smaller, and the data cannot tell; the highest score first."
    if not found.is_narrowed:
        tested = "Cannot be narrowed from this evidence, which has no intervals: by score."
    several = (
        (
            "As good",
            [each for each in found.as_good if each.model.id != found.in_place_of],
            "Within the margin, shown or likely.",
        ),
        ("Worth a test", found.worth_testing, tested),
        ("Step down", [found.step_down] if found.step_down else [], "Worse, at half the cost."),
    )
    with st.grid(len(several), min_column_width=230, gap="medium"):
        for title, proposals, told in several:
            with st.container():
                _list(title, proposals, told, found)


def _take(take: Proposal, verb: str) -> None:
    left, right = st.columns([2, 1], vertical_alignment="top")
    left.markdown(f"#### {verb} {plain(take.model.name)}")
    if take.score is not None:
        left.markdown(plain(_score(take)))
    right.markdown(f"**{plain(figures.capitalised(figures.money(take.cost)))}**")
    right.caption(plain(_from_whom(take)))
    opinions = opinions_in_words(take.second_opinions)
    # Its cost is above; how it may run, its sale and its saving are in the details of its row.
    elsewhere = {opinions, *(take.row.reasons[1:] if take.row else ())}
    saves = saving_in_words(take.saves)
    said = [each for each in take.reasons if each not in elsewhere]
    st.markdown("\n".join(f"- {plain(one)}" for one in said if not saves or saves not in one))
    st.caption(plain(_places(take.second_opinions)), help=plain(opinions))


def _score(each: Proposal) -> str:
    """Write a score with both of its intervals, each with what it is about."""
    said = f"{figures.points(each.score)} of 100"
    row = each.row
    if row is None or row.ci_low is None:
        return said
    ends = [f"{figures.interval(row.ci_low, row.ci_high)} {BASES[row.interval_basis]}"]
    if row.on_other_tests is not None:
        other = row.on_other_tests
        ends.append(f"{other.ci_low * 100:.0f} to {other.ci_high * 100:.0f} {BASES[other.basis]}")
    return f"{said} ({'; '.join(ends)})"


def _from_whom(take: Proposal) -> str:
    """Say between what the cost lies, whose it is, and whether the conditions are met."""
    cost = take.cost
    said = [_range(cost)] if _range(cost) else []
    if cost.from_whom:
        how = {"own servers": "", "measured": "at "}.get(cost.cost_is, "from ")
        said.append(f"{how}{cost.from_whom}")
    if take.row is not None and take.row.routes:
        said.append(f"conditions: {CONDITIONS[take.row.routes[0].status]}")
    return " · ".join(said)


def _range(cost: MonthlyCost) -> str:
    if cost.likely is None or cost.low is None or cost.high is None:
        return ""
    if not cost.low < cost.likely < cost.high:
        return ""
    return f"{estimate(cost.low)} to {estimate(cost.high)}"


def _places(opinions: Sequence[SecondOpinion]) -> str:
    if not opinions:
        return "No other suite has tested it."
    listed = [f"{each.name} {ordinal(each.rank)} of {each.n}" for each in opinions]
    return f"Other suites: {', '.join(listed)}."


def _list(title: str, several: Sequence[Proposal], told: str, found: Recommendation) -> None:
    st.markdown(f"**{title}**", help=told)
    if not several:
        st.caption("None.")
        return
    leader = found.leader.model.name if found.leader else ""
    for each in several[:_MOST_NAMED]:
        marked = " · caution: harm" if each.safety is not None and each.safety.marked else ""
        why = (
            tier_in_words(each.judged, leader, found.requirements.margin)
            if each.judged is not None
            else "The model it is held against."
        )
        held = f" Held back: {each.judged.vetoes[0]}." if each.judged and each.judged.vetoes else ""
        st.markdown(
            f"{plain(each.model.name)} · {plain(figures.money(each.cost))}{marked}",
            help=plain(why + held),
        )
    if len(several) > _MOST_NAMED:
        st.caption(f"And {len(several) - _MOST_NAMED} more in the table.")
