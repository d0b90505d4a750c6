"""The verdict on a visitor's own cases: held by the session, shown beside what is public."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.procurement.recommendation import Recommendation
from core.saved.kept import LocalResult
from core.sharing import export
from pages.components.notices import plain

_KEY = "own_cases"


@dataclass(frozen=True, slots=True)
class OwnVerdict:
    """A verdict, and the ids of its two models in the catalogue where they are known there."""

    result: LocalResult
    candidate: str
    reference: str


def hold(found: OwnVerdict) -> None:
    """Hold a verdict as long as the session lasts; a newer one of the same pair takes its place."""
    others = [each for each in held() if _pair(each) != _pair(found)]
    st.session_state[_KEY] = (*others, found)


def held() -> tuple[OwnVerdict, ...]:
    """Return the verdicts of this session, the newest last."""
    return st.session_state.get(_KEY, ())


def about(found: Recommendation) -> tuple[LocalResult, ...]:
    """Return the verdicts on models that a recommendation names."""
    named = {*export.decisions_of(found), found.in_place_of}
    return tuple(
        each.result for each in held() if {each.candidate, each.reference} & (named - {""})
    )


def draw(found: Recommendation) -> None:
    """Say what the visitor's own cases say, beside what public evidence does."""
    for result in about(found):
        st.markdown(f"**{plain(result.sentence)}**")


def _pair(one: OwnVerdict) -> tuple[str, str]:
    return one.result.model_a, one.result.model_b
