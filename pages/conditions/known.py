"""What is known on the conditions of purchase: each platform's answers, with their sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.answers import conditions
from core.answers.conditions import Changes, KnownAnswer
from core.charts.heatmaps import platform_answers
from core.domain import GateAnswer, GateKind, Model, Requirements
from core.evidence.store import Store
from core.procurement.gates import within_sentence
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
    answered = {one.about for one in every if one.standing != "not known"}
    drawn = [one for one in every if one.about in answered]
    _picture(drawn, [one.about for one in every if one.about not in answered])
    _listed(store, asked, every, drawn)


def _picture(drawn: list[KnownAnswer], unheard: list[str]) -> None:
    """Draw what each platform answers, and count what is known."""
    answered, silent = dict.fromkeys(one.about for one in drawn), list(dict.fromkeys(unheard))
    n_known = sum(one.standing != "not known" for one in drawn)
    st.markdown(
        f"Of {len(drawn)} answers that {len(answered)} platforms could give, {n_known} are known."
        + (
            f" Nothing is known of {figures.counted(len(silent), 'platform')} more."
            if silent
            else ""
        ),
        help=f"Nothing is known of {plain(figures.listed(silent))}." if silent else None,
    )
    blocks.figure(
        platform_answers(_cells(drawn)),
        "conditions-known",
        _TITLE,
        f"{_TITLE}: "
        + "; ".join(
            f"{about}: "
            + ", ".join(f"{one.kind.name} {one.standing}" for one in drawn if one.about == about)
            for about in answered
        ),
    )
    own = any(one.answer.source_kind == "own" for one in drawn)
    st.caption(
        "Colour: how the answer stands to what a buyer wants. “if”: under a condition, “?”: not "
        f"known, a number: days that data are kept{', *: your own answer' if own else ''}. Most "
        "answers come from public pages, some by third parties and many undated: confirm them "
        "before you sign."
    )


def _cells(found: Sequence[KnownAnswer]) -> list[tuple[str, str, str, str, str]]:
    """Return the cells of the picture; your own answers carry a star."""
    return [
        (
            one.about,
            one.kind.name,
            one.short + ("*" if one.answer.source_kind == "own" else ""),
            one.standing,
            one.answer.detail or "no statement found",
        )
        for one in found
    ]


def _listed(
    store: Store, asked: Requirements, every: tuple[KnownAnswer, ...], drawn: list[KnownAnswer]
) -> None:
    """List the answers of one platform, of all of them, or on the models, with their sources."""
    about = [_ALL, *dict.fromkeys(one.about for one in every), _MODELS]
    chosen = choose("Answers of", about, key="about", what="The platform", used=_ALL.lower())
    if chosen == _MODELS:
        shown = list(conditions.answers_on_models(store, asked))
    elif chosen == _ALL:
        shown = drawn
    else:
        shown = [one for one in every if one.about == chosen]
    blocks.table(
        _frame(shown),
        "conditions-answers",
        "Answers on conditions",
        alt=f"Answers on conditions of purchase: {chosen}",
        placeholder="",
    )


def _frame(found: Sequence[KnownAnswer]) -> pd.DataFrame:
    """Return one row an answer, with its source."""
    return pd.DataFrame(
        {
            "About": [one.about for one in found],
            "Condition": [one.kind.name for one in found],
            "Answer": [one.answer.answer for one in found],
            "Stands": [one.standing for one in found],
            "Days": pd.array([one.answer.days for one in found], dtype="Int64"),
            "Detail": [one.answer.detail for one in found],
            "Source": [one.answer.source_url for one in found],
            "As of": [one.answer.as_of for one in found],
            "Kind of source": [source_kind(one.answer.source_kind) for one in found],
        }
    )


def told(answer: GateAnswer, kinds: Mapping[str, GateKind], model: Model | None) -> str:
    """Write one answer in a line of plain text; ``model`` is what it is about, if one."""
    about = answer.platform if model is None else model.name
    days = "" if answer.days is None else f", {figures.counted(answer.days, 'day')}"
    source = ", ".join(filter(None, (answer.source_url, answer.as_of)))
    name = within_sentence(kinds[answer.gate].name)
    return f"{about}, {name}: {answer.answer}{days}" + (f" ({source})" if source else "")


def changes(store: Store, found: Changes) -> pd.DataFrame:
    """Return one row per answer that a file would change."""
    catalogue = store.catalogue
    every = [("becomes your own", one) for one in found.new]
    every += [("is taken back", one) for one in found.back]
    models = [catalogue.models.get(one.platform) for _, one in every]
    return pd.DataFrame(
        {
            "About": [
                one.platform if model is None else model.name
                for (_, one), model in zip(every, models, strict=True)
            ],
            "Condition": [catalogue.procurement.gate_kinds[one.gate].name for _, one in every],
            "Answer": [one.answer for _, one in every],
            "Change": [what for what, _ in every],
            "Days": pd.array([one.days for _, one in every], dtype="Int64"),
            "Detail": [one.detail for _, one in every],
            "Source": [one.source_url for _, one in every],
            "As of": [one.as_of for _, one in every],
        }
    )
