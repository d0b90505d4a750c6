"""Where no model fits, what would help; where a link is from another day, both answers.

What would help is one click away: a limit to widen, or other evidence.
"""

import itertools
import math
from collections.abc import Iterator
from datetime import date
from typing import Any

import streamlit as st

from core import figures
from core.answers import data, documents, recommend
from core.answers.asked import Asked
from core.answers.market import NO_LIMITS
from core.answers.recommend import others_that_answer
from core.domain import Shortlist
from core.sharing import link
from core.sharing.controls import LIMITS
from core.sharing.inputs import size_label
from core.words.shortlist import no_test, question_in_words, then_and_today
from pages.components import controls, evidence
from pages.components.entries import set_button
from pages.components.notices import plain

_Offer = tuple[int, str, str, dict[str, Any]]
"""A limit to widen: how many models would fit, what is said, the button, and what that sets."""
_CONDITIONS = ("required", "max_retention_days", "min_context_tokens")
_RAISED = ("max_params_b", "monthly_budget_usd")
_GIVEN_UP = {"your conditions of purchase": _CONDITIONS} | {
    what: (field,) for field, what in LIMITS.items() if field not in (*_CONDITIONS, *_RAISED)
}
"""Limits that are given up whole: their names, and the fields that set them."""


def draw(asked: Asked, found: Shortlist) -> None:
    """Say why nothing matches, and offer what would help, what lets most models fit first."""
    if not found.weights:
        said = plain(no_test(asked.question, asked.store.catalogue))
        st.info(said, icon=":material/search_off:")
        covered = {
            suite for suite, _ in asked.store.catalogue.tasks[asked.question.work.task].weights
        }
        for base in asked.store.catalogue.evidence.values():
            loaded = base.cohort == data.ALL_MODELS and asked.store.of_suite(base.suite)
            if base.suite in covered and loaded:
                set_button(f"Use {base.name}", {"evidence": base.name})
        return
    said_asked = question_in_words(asked.question, found)
    st.info(f"{plain(said_asked)}: no model fits all of it.", icon=":material/search_off:")
    for base, n_fit in others_that_answer(asked)[:2]:
        fit = f"{figures.counted(n_fit, 'model')} {'that fits' if n_fit == 1 else 'that fit'}"
        st.markdown(f"{plain(base.name)} has {fit}. {plain(base.description)}")
        set_button(f"Use {base.name}", {"evidence": base.name})
    offers = [*_size(asked), *_budget(asked)]
    for what, fields in _GIVEN_UP.items():
        wider = asked.having(**{field: NO_LIMITS.value(field) for field in fields})
        if wider != asked and (n := len(recommend.shortlist(wider).rows)):
            says = f"Without {what}, {figures.counted(n, 'model')} would fit."
            offers.append((n, says, f"Give up {what}", controls.without(asked.store, fields)))
    for _, says, button, values in sorted(offers, key=lambda offer: -offer[0]):
        st.markdown(plain(says))
        set_button(button, values)
    if not offers:
        every = (*_RAISED, *itertools.chain(*_GIVEN_UP.values()))
        set_button("Remove all limits", controls.without(asked.store, every))


def _size(asked: Asked) -> Iterator[_Offer]:
    if asked.question.limits.max_params_b is None:
        return
    wider = recommend.shortlist(asked.having(max_params_b=None)).rows
    known = [row.model for row in wider if row.model.params_b is not None]
    if known:
        smallest = min(known, key=lambda model: model.params_b or 0)
        enough = math.ceil((smallest.params_b or 0) * 10) / 10
        yield (
            sum((model.params_b or 0) <= enough for model in known),
            f"The smallest model tested is {smallest.name} with {figures.size(smallest.params_b)}.",
            f"Raise the limit to {size_label(enough)}",
            {"max_params": size_label(enough), "linked_max_params": enough},
        )
    elif wider:
        yield (
            len(wider),
            f"{figures.counted(len(wider), 'model')} of undisclosed size would fit.",
            "Remove the size limit",
            {"max_params": size_label(None)},
        )


def _budget(asked: Asked) -> Iterator[_Offer]:
    if asked.question.limits.monthly_budget_usd is None:
        return
    others = recommend.shortlist(asked.having(monthly_budget_usd=None)).rows
    if priced := [row for row in others if row.cost.for_budget is not None]:
        cheapest = min(priced, key=lambda row: (row.cost.likely is None, row.cost.for_budget or 0))
        least = min(priced, key=lambda row: row.cost.for_budget or 0)
        dollars = math.ceil(cheapest.cost.for_budget or 0)
        # A bound below the lowest known cost may turn out lower or higher than that.
        more = (
            f" {least.model.name} costs {figures.money(least.cost)}; the upper bound is not known."
        )
        yield (
            sum((row.cost.for_budget or 0) <= dollars for row in priced),
            f"The lowest known cost is {figures.money(cheapest.cost)}, for {cheapest.model.name}."
            f"{'' if least is cheapest else more}",
            f"Raise the budget to ${dollars:,}",
            {"budget": dollars},
        )


_HELD = "other_day"
"""Holds the day of prices and the revision of a link from another day while today's is shown."""


def draw_another_day(asked: Asked) -> None:
    """Lead with both answers where the question is from another day, or was."""
    today, state = evidence.this_day(), st.session_state
    shown = documents.is_of_another_day(asked, today)
    if shown:
        state[_HELD] = asked.question.prices_on, asked.question.evidence.revision
    elif _HELD not in state:
        return
    prices_on, revision = state[_HELD]
    # Over all evidence there are none, and the tests are today's in both.
    releases = asked.store.of_suite(asked.question.evidence.suite)
    newest_of = next(iter(releases), None)
    of = next((it for it in releases if it.revision == revision), newest_of)
    asked = asked.having(prices_on=prices_on, revision=of.revision if of else "")
    day = prices_on or (of and (of.as_of or of.retrieved_at)) or today.isoformat()
    then = documents.taken(asked.on(evidence.priced_on(asked.question)))
    now = documents.taken(documents.of_today(asked, today), then.first)
    said = then_and_today(day, then, now, documents.changes_between(then, now))
    st.markdown(f"**{plain(said)}**{'' if of else ' Both use the tests loaded now.'}")
    priced = date.fromisoformat(prices_on) if prices_on else None
    answers = {
        f"As of {figures.day_in_words(day)}": (priced, of, shown),
        "Today": (None, newest_of, not shown),
    }
    below = {"icon": ":material/visibility:", "help": "This answer is shown below."}
    with st.container(horizontal=True, gap="small"):
        for name, (prices, snapshot, is_below) in answers.items():
            values: dict[str, Any] = {"prices": prices}
            if snapshot:
                values["data"] = link.data_label(snapshot)
            set_button(name, values, disabled=is_below, **(below if is_below else {}))
