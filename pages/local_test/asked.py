"""What the local test asks: its models, how much may be lost, and how answers are judged.

The tabs Plan and Results draw the same controls, so that each knows them.
"""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.answers import data, local_test
from core.answers import model as one_model
from core.charts import intervals
from core.domain import TooFewError
from core.evidence.store import Store
from core.local_test.plan import MOST_MODELS, Basis, Judged, Plan, plan
from pages.components import controls, evidence
from pages.components.blocks import choose
from pages.components.notices import own_choice

JUDGED: dict[str, Judged] = {"Right or wrong": "right/wrong", "Marks of 1 to 5": "rubric"}
POWER = {"80 %": 0.8, "90 %": 0.9}
_SPREAD: dict[Judged, tuple[str, str]] = {
    "right/wrong": (
        "Cases on which one is right and the other wrong, %",
        "How often the two differ decides how many cases it takes. Empty: as measured on public "
        "tests where both models have item results, else 20 %.",
    ),
    "rubric": (
        "Standard deviation of the differences, marks",
        "By how many marks the two differ from case to case. Empty: 1 mark of 1 to 5, an "
        "assumption; a first ten cases tell it better.",
    ),
}


def draw(more: DeltaGenerator) -> Plan:
    """Draw the controls, what is assumed apart from the rest, and return the plan."""
    store = evidence.store()
    asked = controls.question(store).requirements
    day = evidence.priced_on(asked)
    with st.spinner("Looking for models to test…"):
        reference, candidates = _models(store)
        left, middle, right = st.columns(3)
        with left:
            judged = JUDGED[
                choose(
                    "Answers are judged",
                    list(JUDGED),
                    key="judged",
                    what="How answers are judged",
                    draw=st.segmented_control,
                    help="Right or wrong, against a reference answer; or by people, with marks "
                    "of 1 to 5 that are counted as 0 to 100 points.",
                )
            ]
        margin = middle.number_input(
            "Loss that you would accept, points",
            0.5,
            30.0,
            value=5.0,
            step=0.5,
            format="%g",
            key="test_margin",
            bind="query-params",
            help="A candidate that is at most so much worse counts as good. Half of it takes four "
            "times as many cases.",
        )
        with right:
            power = POWER[
                choose(
                    "Sure to show it",
                    list(POWER),
                    key="power",
                    what="The power",
                    draw=st.segmented_control,
                    help="If the candidate truly is as good, so often does a test of this size "
                    "show it.",
                )
            ]
        with more:
            spread, difference, raters, minutes = _assumed(judged)
        tested = local_test.tested_models(store, asked, day, reference, candidates)
        if spread is not None:
            bases = [Basis(source="assumed", value=spread)]
        elif judged == "rubric":
            bases = [Basis(source="assumed", value=local_test.ASSUMED[judged])]
        else:
            bases = [
                local_test.measured_basis(store, asked, each, reference, name)
                for name, each in zip(candidates, tested[1:], strict=True)
            ]
    return plan(
        store.catalogue.tasks[asked.task].description.split(",")[0].lower(),
        tested,
        judged=judged,
        margin=margin / 100,
        bases=bases,
        difference=difference,
        power=power,
        raters=raters,
        minutes_per_case=minutes,
    )


def _models(store: Store) -> tuple[str, tuple[str, ...]]:
    """Draw the choice of the models; return the ids of the one in use and of the candidates."""
    asked = controls.question(store).requirements
    day = evidence.priced_on(asked)
    known = data.products(store, data.selection_of(asked)).models
    names = intervals.labels([data.model(store, name) for name in sorted(known)])
    ids = {name: model for model, name in names.items()}
    listed = sorted(ids, key=str.lower)
    # Any other model can be tested too: a plan needs no public evidence.
    others = [name for name in one_model.others(store, known) if name not in ids]
    ids |= {name: one_model.id_of(store, name) for name in others}
    listed += others
    first, proposed = local_test.to_test(store, asked, day)
    left, right = st.columns([1, 2])
    with left:
        against = choose(
            "Held against",
            listed,
            key="test_against",
            what="The model",
            used=names[first],
            index=listed.index(names[first]),
            help="The model in use, or the one that you would take without a test.",
        )
    reference = ids[against]
    if reference in known:
        _, proposed = local_test.to_test(store, asked, day, reference)
    own_choice("test_models", "The model", ids, "the others are, or those that are worth a test")
    chosen = right.multiselect(
        "Candidates",
        [name for name in listed if name != against],
        default=[names[name] for name in proposed if name in names],
        max_selections=MOST_MODELS - 1,
        key="test_models",
        bind="query-params",
        placeholder="Choose one to three models",
        help="At first what Recommend would take or calls worth a test.",
    )
    candidates = tuple(ids[name] for name in chosen if name != against)
    if not candidates:
        raise TooFewError(f"Choose a model to hold against {against}.")
    return reference, candidates


def _assumed(judged: Judged) -> tuple[float | None, float | None, int, float]:
    """Draw what the plan assumes: spread, true difference, raters, and their minutes."""
    label, told = _SPREAD[judged]
    of_marks = judged == "rubric"
    most, shown = (4.0, "1 mark") if of_marks else (100.0, "As measured, else 20")
    columns = st.columns(4)
    spread = columns[0].number_input(
        label,
        0.1 if of_marks else 1.0,
        most,
        value=None,
        placeholder=shown,
        format="%g",
        key="test_spread_marks" if of_marks else "test_spread",
        bind="query-params",
        help=told,
    )
    difference = columns[1].number_input(
        "True difference assumed, points",
        -10.0,
        10.0,
        value=None,
        placeholder="As public evidence shows",
        step=0.5,
        format="%g",
        key="test_difference",
        bind="query-params",
        help="Candidate minus the other. 0: they are equally good. A candidate that is a little "
        "worse takes more cases to be shown within the margin. Empty: as public evidence shows, "
        "0 where it shows nothing.",
    )
    raters = columns[2].number_input(
        "Raters",
        0,
        20,
        value=2,
        key="raters",
        bind="query-params",
        help="0 where a program judges the answers.",
    )
    minutes = columns[3].number_input(
        "Minutes a case",
        0.5,
        120.0,
        value=5.0,
        step=0.5,
        format="%g",
        key="rater_minutes",
        bind="query-params",
        help="Of one rater, for the answers of all models to one case.",
    )
    share = None if spread is None else spread / (4 if of_marks else 100)
    return share, None if difference is None else difference / 100, int(raters), minutes
