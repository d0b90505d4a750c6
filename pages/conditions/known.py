"""What is known on the conditions of purchase: each platform's answers, with their sources."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.answers import conditions
from core.answers.conditions import KnownAnswer
from core.charts.heatmaps import platform_answers
from core.domain import Requirements
from core.evidence.store import Store
from core.words import figures
from pages.components import blocks
from pages.components.blocks import choose
from pages.components.notices import plain
from pages.components.tables import source_kind

_ALL, _MODELS = "All platforms", "Models of this evidence"
_TITLE = "What platforms answer to conditions of purchase"


def draw(store: Store, asked: Requirements) -> None:
    """Draw what each platform answers, and list the answers with their sources."""
    every = conditions.platform_answers(store, asked)
    answered = dict.fromkeys(one.about for one in every if one.standing != "not known")
    drawn = [one for one in every if one.about in answered]
    silent = list(dict.fromkeys(one.about for one in every if one.about not in answered))
    n_known = sum(one.standing != "not known" for one in drawn)
    more = f" Nothing is known of {figures.counted(len(silent), 'platform')} more."
    st.markdown(
        f"Of {len(drawn)} answers that {len(answered)} platforms could give, {n_known} are known."
        f"{more if silent else ''}",
        help=f"Nothing is known of {plain(figures.listed(silent))}." if silent else None,
    )
    own = [one.answer.source_kind == "own" for one in drawn]
    blocks.figure(
        platform_answers(
            [
                (
                    one.about,
                    one.kind.name,
                    one.short + ("*" if is_own else ""),
                    one.standing,
                    one.answer.detail or "no statement found",
                )
                for one, is_own in zip(drawn, own, strict=True)
            ]
        ),
        "conditions-known",
        _TITLE,
        f"{_TITLE}: "
        + "; ".join(
            f"{about}: "
            + ", ".join(f"{one.kind.name} {one.standing}" for one in drawn if one.about == about)
            for about in answered
        ),
    )
    st.caption(
        "Colour: how the answer stands to what a buyer wants. “if”: under a condition, “?”: not "
        f"known, a number: days that data are kept{', *: your own answer' if any(own) else ''}. "
        "Many answers are undated or by third parties: confirm them before you sign."
    )
    about = [_ALL, *dict.fromkeys(one.about for one in every), _MODELS]
    chosen = choose("Answers of", about, key="about", what="The platform", used=_ALL.lower())
    shown: Sequence[KnownAnswer] = [one for one in every if one.about == chosen]
    if chosen == _MODELS:
        shown = conditions.answers_on_models(store, asked)
    elif chosen == _ALL:
        shown = drawn
    blocks.table(
        listed(shown),
        "conditions-answers",
        "Answers on conditions",
        alt=f"Answers on conditions of purchase: {chosen}",
        placeholder="",
    )


def listed(found: Sequence[KnownAnswer], changes: Sequence[str] = ()) -> pd.DataFrame:
    """Return one row an answer, with its source, and what changes about it, if anything does."""
    return pd.DataFrame(
        {
            "About": [one.about for one in found],
            "Condition": [one.kind.name for one in found],
            "Answer": [one.answer.answer for one in found],
        }
        | ({"Change": list(changes)} if changes else {})
        | {
            "Stands": [one.standing for one in found],
            "Days": pd.array([one.answer.days for one in found], dtype="Int64"),
            "Detail": [one.answer.detail for one in found],
            "Source": [one.answer.source_url for one in found],
            "As of": [one.answer.as_of for one in found],
            "Kind of source": [source_kind(one.answer.source_kind) for one in found],
        }
    )
