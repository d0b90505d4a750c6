"""The question of a local test: which cases, which models, how many, and what is assumed."""

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, TypedDict

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import figures
from core.answers import data, local_test, open_cases
from core.answers import model as one_model
from core.answers.asked import Asked
from core.charts.kit import labels
from core.domain import BadRequestError, Question, TooFewError
from core.local_test.open_cases import CaseSet
from core.local_test.plan import (
    FEWEST_CASES,
    MOST_MODELS,
    Basis,
    JudgedAs,
    Plan,
    plan,
)
from core.procurement.recommendation import CASES_RATED
from pages.components.blocks import choice, picked
from pages.components.notices import own_choice

_OPEN, _OWN = "Open cases, no patient data", "Our own"
_JUDGED: dict[str, JudgedAs] = {"Right or wrong": "right/wrong", "Marks of 1 to 5": "rubric"}
_POWER = {"80 %": 0.8, "90 %": 0.9}
with Path(__file__).with_name("numbers.csv").open(encoding="utf-8", newline="") as _rows:
    _NUMBERS = {row["name"]: row for row in csv.DictReader(_rows)}


class Planned(NamedTuple):
    """The plan, and on which open cases; ``None`` for a hospital's own."""

    plan: Plan
    names: tuple[str, ...]
    """Ids of the models, the one that the others are compared with first."""
    cases: CaseSet | None
    judge: str
    """Id of the model that judges; empty where none does."""
    accepted: float
    """Loss that the buyer would accept, 0 to 1 scale; the plan's margin may be wider."""


def planned(asked: Asked, more: DeltaGenerator) -> Planned:
    """Draw the controls, what is assumed apart from the rest, and return what is planned.

    The tabs Plan and Results draw the same, so that each knows them.
    """
    tasks, task = asked.store.catalogue.tasks, asked.question.work.task
    sets = open_cases.sets_for(asked.store, task)
    which = _OWN
    if sets:
        which = choice(
            "Which cases?",
            (_OPEN, _OWN),
            key="cases",
            what="Which cases",
            draw=st.segmented_control,
            help="Open cases need no agreement and no patient data: a first look in an afternoon. "
            "Your own cases decide, on fewer models.",
        )
    reference, candidates = _models(asked)
    names = (reference, *candidates)
    first, second, third = st.columns(3)
    cases, judge, n_most = None, "", 100_000
    if which == _OPEN:
        cases = _case_set(first, sets)
        judged, n_most = cases.scored, cases.n_cases
    else:
        by_right, by_marks = _JUDGED
        usual = by_marks if task in local_test.BY_MARKS else by_right
        judged = picked(
            "Answers are judged",
            _JUDGED,
            key="judged",
            what="How answers are judged",
            used=usual,
            draw=first.segmented_control,
            default=usual,
            help="Right or wrong, against a reference answer; or by people, with marks of 1 to 5 "
            "that are counted as 0 to 100 points.",
        )
    # A number that the box refuses would stay in it next to the answer for another one.
    name = "open cases" if cases else "cases"
    n_cases = _amount(second, name, low=0, high=1e9, usual=min(CASES_RATED, n_most))
    if cases and cases.scored == "rubric":
        judge = _judge(asked, third, names)
    with more:
        spread, how = _assumed(judged, people=cases is None)
    if not FEWEST_CASES <= n_cases <= n_most:
        raise BadRequestError(
            f"A test here takes {FEWEST_CASES} to {n_most:,} cases; these are {n_cases:,.0f}."
        )
    tested = local_test.tested_models(asked, reference, candidates)
    if spread is not None or judged == "rubric":
        value = local_test.ASSUMED[judged] if spread is None else spread
        bases = [Basis(source="assumed", value=value)]
    else:
        bases = [
            local_test.measured_basis(asked, each, reference, name)
            for name, each in zip(candidates, tested[1:], strict=True)
        ]
    work = tasks[task].description.partition(", as ")[0].lower()
    if cases and task == Question().work.task:  # Open cases are never of all kinds of work.
        work = figures.listed([tasks[it].name.lower() for it in cases.works if it != task])
    if cases:
        work = cases.name if cases.general else f"{cases.name}, {work}"
    found = plan(
        work,
        tested,
        judged=judged,
        bases=bases,
        n_cases=int(n_cases),
        **how,
    )
    return Planned(found, names, cases, judge, how["margin"])


def _case_set(place: DeltaGenerator, sets: Sequence[CaseSet]) -> CaseSet:
    return picked(
        "Case set",
        {it.name: it for it in sets},
        key="case_set",
        what="The case set",
        draw=place.selectbox,
        help="All of them have open licences. Their texts are downloaded from their own address; "
        "the package does not contain them.",
    )


def _judge(asked: Asked, place: DeltaGenerator, names: tuple[str, ...]) -> str:
    """Draw who judges, of what can be bought; empty where nothing can."""
    ids = {data.model(asked.store, name).name: name for name in open_cases.judges(asked, names)}
    if not ids:
        place.text_input("Judge", "to be filled in", disabled=True, help=_JUDGE)
        return ""
    return picked("Judge", ids, key="judge", what="The judge", draw=place.selectbox, help=_JUDGE)


_JUDGE = (
    "The model that checks each answer against the rubric. By default one whose maker made none of "
    "the models tested, since a judge may favour its own."
)


def _models(asked: Asked) -> tuple[str, tuple[str, ...]]:
    """Draw the choice of the models; return the ids of the one in use and of the candidates."""
    known: tuple[str, ...] = ()
    if asked.question.evidence.suite:
        known = data.products(asked.store, asked.selection()).models
    names = labels([data.model(asked.store, name) for name in sorted(known)])
    ids = {name: model for model, name in names.items()}
    listed = sorted(ids, key=str.lower)
    # Any other model can be tested too: a plan needs no public evidence.
    others = [name for name in one_model.others(asked.store, known) if name not in ids]
    ids |= {name: one_model.called(asked.store, name).id for name in others}
    names = {model: name for name, model in ids.items()}
    listed += others
    first, proposed = local_test.to_test(asked)
    left, right = st.columns([1, 2])
    against = choice(
        "Reference",
        listed,
        key="test_against",
        what="The model",
        used=names[first],
        draw=left.selectbox,
        index=listed.index(names[first]),
        help="The model in use, or the one that you would take without a test.",
    )
    reference = ids[against]
    if reference in known:
        _, proposed = local_test.to_test(asked, reference)
    own_choice("test_models", "The model", ids, "the others are, or those that are worth a test")
    chosen = right.multiselect(
        "Candidates",
        [name for name in listed if name != against],
        default=[names[name] for name in proposed if name in names],
        max_selections=MOST_MODELS - 1,
        key="test_models",
        bind="query-params",
        placeholder="Choose one to three models",
        select_all=False,
        help="Starts with what Recommend would take or calls worth a test.",
    )
    candidates = tuple(ids[name] for name in chosen if name != against)
    if not candidates:
        raise TooFewError(f"Choose a model to compare with {against}.")
    return reference, candidates


def _number(place: DeltaGenerator, name: str, **how: float) -> float | None:
    """Draw a control of ``numbers.csv``, with ``how`` in place of its numbers."""
    row = _NUMBERS[name]
    known = {key: row[key] for key in ("low", "high", "usual", "step") if row[key]} | how
    said = {key: float(number) for key, number in known.items()}  # whole ones must not be integers
    draw: Callable[..., float | None] = place.number_input  # as Streamlit's overloads do not say
    return draw(
        row["label"],
        said["low"],
        said["high"],
        value=said.get("usual"),
        step=said["step"],
        format="%g",
        key=row["key"],
        help=row["help"],
        placeholder=row["empty"] or None,
        bind="query-params",
    )


def _amount(place: DeltaGenerator, name: str, **how: float) -> float:
    """Draw the same, of one that is never empty."""
    found = _number(place, name, **how)
    assert found is not None
    return found


class _How(TypedDict):
    """As `plan` takes it."""

    difference: float | None
    margin: float
    power: float
    raters: int
    minutes_per_case: float


def _assumed(judged: JudgedAs, *, people: bool) -> tuple[float | None, _How]:
    """Draw what the plan assumes; return the spread, ``None`` as measured, and the rest."""
    first, second, third = st.columns(3)
    # People give marks of 1 to 5; a judge's rubric gives points of 100.
    of, whole = "right/wrong", 100.0
    if judged == "rubric":
        of, whole = ("marks", 4.0) if people else ("points", 100.0)
    spread = _number(first, of)
    difference = _number(second, "difference")
    margin = _amount(third, "margin")
    first, second, third = st.columns(3)
    power = picked(
        "Chance of showing it (power)",
        _POWER,
        key="power",
        what="The power",
        draw=first.segmented_control,
        help="If the candidate truly is as good, how often such a test shows it.",
    )
    raters = _amount(second, "raters" if people else "open raters")
    minutes = _amount(third, "minutes")
    return None if spread is None else spread / whole, _How(
        difference=None if difference is None else difference / 100,
        margin=margin / 100,
        power=power,
        raters=int(raters),
        minutes_per_case=minutes,
    )
