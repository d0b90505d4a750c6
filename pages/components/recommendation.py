"""The recommendation: one model to take with its reasons, and what could stand in."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.procurement.headline import tier_in_words
from core.procurement.recommendation import Proposal, Recommendation
from pages.components import wording
from pages.components.notices import plain

_MOST_NAMED = 4


def recommendation(found: Recommendation) -> None:
    """Draw the answer in a sentence, the model to take, and the lists beside it."""
    st.markdown(f"**{plain(found.headline)}**")
    if found.take is not None:
        with st.container(border=True):
            _take(found.take)
    if found.n_left_larger:
        st.caption(
            f"{wording.counted(found.n_left_larger, 'model')} over 5 % larger than the model in "
            "use: passed over on own servers."
        )
    lists = (
        ("As good", found.as_good, "Within the margin, shown or likely."),
        ("Worth a test", found.worth_testing, "Cheaper or much smaller, and the data cannot tell."),
        ("Step down", [found.step_down] if found.step_down else [], "Worse, at half the cost."),
    )
    with st.grid(len(lists), min_column_width=230, gap="medium"):
        for title, several, told in lists:
            with st.container():
                _list(title, several, told, found)


def _take(take: Proposal) -> None:
    left, right = st.columns([2, 1], vertical_alignment="center")
    left.markdown(f"#### Take {plain(take.model.name)}")
    right.markdown(f"**{plain(wording.sentence(wording.money(take.cost)))}**")
    st.markdown("\n".join(f"- {plain(reason)}" for reason in take.reasons))


def _list(title: str, several: Sequence[Proposal], told: str, found: Recommendation) -> None:
    st.markdown(f"**{title}**", help=told)
    if not several:
        st.caption("None.")
        return
    leader = found.leader.model.name if found.leader else ""
    for each in several[:_MOST_NAMED]:
        marked = " · stands out for harm" if each.safety is not None and each.safety.marked else ""
        why = (
            tier_in_words(each.judged, leader, found.requirements.margin)
            if each.judged is not None
            else "The model it is held against."
        )
        held = f" Held back: {each.judged.vetoes[0]}." if each.judged and each.judged.vetoes else ""
        st.markdown(
            f"{plain(each.model.name)} · {plain(wording.money(each.cost))}{marked}",
            help=plain(why + held),
        )
    if len(several) > _MOST_NAMED:
        st.caption(f"And {len(several) - _MOST_NAMED} more in the table.")
