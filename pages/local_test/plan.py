"""How many of our own cases does it take, and what is agreed before anyone looks?"""

from datetime import date
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.answers import data, documents, local_test
from core.answers import model as one_model
from core.charts.kit import labels
from core.domain import Requirements, TooFewError
from core.evidence.store import Store
from core.local_test.package import build
from core.local_test.plan import MOST_MODELS, Basis, Judged, Plan, plan, protocol
from core.sharing.memo import protocol_html, protocol_pdf
from core.words import local_test as words
from pages.components import entries, evidence
from pages.components.blocks import choose, how_made, numbers, table
from pages.components.files import button
from pages.components.notices import own_choice, plain

_JUDGED: dict[str, Judged] = {"Right or wrong": "right/wrong", "Marks of 1 to 5": "rubric"}
_POWER = {"80 %": 0.8, "90 %": 0.9}
_LINKED = {"format": "%g", "bind": "query-params"}


def draw(store: Store, question: Requirements, day: date) -> None:
    """Draw the tab."""
    answered, main = st.container(), st.container()
    fold = st.expander("What the number of cases assumes")
    with main:
        found = asked(fold, store, question, day)
    with answered:
        st.markdown(f"**{plain(words.plan(found))}**")
        said = words.basis(found.basis, found.judged), words.difference(found), words.takes(found)
        st.caption(plain(" ".join(said)))
    frame = pd.DataFrame(
        {
            "Model": [each.name for each in found.models],
            "Part": ["held against" if each.reference else "candidate" for each in found.models],
            "Version": [each.id for each in found.models],
            "Answers cost, $": numbers(found.bills),
        }
    )
    table(frame, "local-test-models", f"Models of the local test on {found.work}")
    _agreed(found)
    how_made("Local test", key="local_plan")


def _agreed(found: Plan) -> None:
    """Draw the protocol, to be kept before any result is seen, and the package that goes by it."""
    made = protocol(found, evidence.today())
    html = partial(protocol_html, made, found)
    st.subheader("Agree on it before anyone sees a result")
    st.markdown(
        "The protocol holds the question, the models, the cases, the margin, the analysis and "
        "when to stop. Its number changes with any of them, so nobody can move the margin "
        "afterwards unnoticed."
    )
    st.markdown(f"**Protocol {made.sha256[:12]}**")
    files = (
        ("pdf", lambda: protocol_pdf(html()), "With lines to sign."),
        ("html", lambda: html().encode("utf-8"), "The same for the browser."),
        ("json", made.as_json, "Hand it in with the results."),
    )
    with st.container(horizontal=True):
        for kind, make, told in files[bool(documents.without_pdf()) :]:
            name = f"protocol-{made.sha256[:8]}"
            button(f"Protocol ({kind.upper()})", data=make, name=name, kind=kind, help=told)
    st.subheader("Hand it to those who run and rate the test")
    st.markdown(
        "The package carries the protocol's number, and no patient data: who runs it puts your own "
        "cases in, where they are allowed to be. It has the same cases for Inspect, MedHELM and "
        "promptfoo, blinded sheets for two raters, and apart from them the key to the sheets."
    )
    with st.container(horizontal=True):
        button(
            "Package (ZIP)",
            data=lambda: build(made),
            name=f"local-test-{made.sha256[:8]}",
            kind="zip",
            help="The same plan gives the same file, with the same order of cases and letters.",
        )
        entries.link("local_test", "Results", label="Hand in the results", icon="upload_file")


def asked(more: DeltaGenerator, store: Store, question: Requirements, day: date) -> Plan:
    """Draw the controls, what is assumed apart from the rest, and return the plan.

    The tabs Plan and Results draw the same, so that each knows them.
    """
    reference, candidates = _models(store, question, day)
    left, middle, right = st.columns(3)
    judged = _JUDGED[
        choose(
            "Answers are judged",
            _JUDGED,
            key="judged",
            what="How answers are judged",
            draw=left.segmented_control,
            help="Right or wrong, against a reference answer; or by people, with marks of 1 to "
            "5 that are counted as 0 to 100 points.",
        )
    ]
    margin = middle.number_input(
        *("Loss that you would accept, points", 0.5, 30.0, 5.0, 0.5),
        key="test_margin",
        help="One at most so much worse counts as good. Half of it takes four times the cases.",
        **_LINKED,
    )
    power = _POWER[
        choose(
            "Sure to show it",
            _POWER,
            key="power",
            what="The power",
            draw=right.segmented_control,
            help="If the candidate truly is as good, so often does such a test show it.",
        )
    ]
    with more:
        spread, difference, raters, minutes = _assumed(judged)
    tested = local_test.tested_models(store, question, day, reference, candidates)
    if spread is not None or judged == "rubric":
        value = local_test.ASSUMED[judged] if spread is None else spread
        bases = [Basis(source="assumed", value=value)]
    else:
        bases = [
            local_test.measured_basis(store, question, each, reference, name)
            for name, each in zip(candidates, tested[1:], strict=True)
        ]
    return plan(
        store.catalogue.tasks[question.task].description.split(",")[0].lower(),
        tested,
        judged=judged,
        margin=margin / 100,
        bases=bases,
        difference=difference,
        power=power,
        raters=raters,
        minutes_per_case=minutes,
    )


def _models(store: Store, question: Requirements, day: date) -> tuple[str, tuple[str, ...]]:
    """Draw the choice of the models; return the ids of the one in use and of the candidates."""
    known: tuple[str, ...] = ()
    if question.suite:
        known = data.products(store, data.selection_of(question)).models
    names = labels([data.model(store, name) for name in sorted(known)])
    ids = {name: model for model, name in names.items()}
    listed = sorted(ids, key=str.lower)
    # Any other model can be tested too: a plan needs no public evidence.
    others = [name for name in one_model.others(store, known) if name not in ids]
    ids |= {name: one_model.called(store, name).id for name in others}
    names = {model: name for name, model in ids.items()}
    listed += others
    first, proposed = local_test.to_test(store, question, day)
    left, right = st.columns([1, 2])
    against = choose(
        "Held against",
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
        _, proposed = local_test.to_test(store, question, day, reference)
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
        help="At first what Recommend would take or calls worth a test.",
    )
    candidates = tuple(ids[name] for name in chosen if name != against)
    if not candidates:
        raise TooFewError(f"Choose a model to hold against {against}.")
    return reference, candidates


def _assumed(judged: Judged) -> tuple[float | None, float | None, int, float]:
    """Draw what the plan assumes: spread, true difference, raters, and their minutes."""
    first, second, third, fourth = st.columns(4)
    if judged == "rubric":
        whole = 4.0
        spread = first.number_input(
            *("Standard deviation of the differences, marks", 0.1, whole, None, 0.5),
            key="test_spread_marks",
            help="From case to case. Empty: 1 mark of 1 to 5, an assumption; ten cases tell it "
            "better.",
            placeholder="1 mark",
            **_LINKED,
        )
    else:
        whole = 100.0
        spread = first.number_input(
            *("Cases on which one is right and the other wrong, %", 1.0, whole, None, 0.5),
            key="test_spread",
            help="Empty: as measured on public tests where both have item results, else 20 %.",
            placeholder="As measured, else 20",
            **_LINKED,
        )
    difference = second.number_input(
        *("True difference assumed, points", -10.0, 10.0, None, 0.5),
        key="test_difference",
        help="Candidate minus the other; one that is a little worse takes more cases. Empty: as "
        "public evidence shows, 0 where it shows nothing.",
        placeholder="As public evidence shows",
        **_LINKED,
    )
    told = "0 where a program judges the answers."
    raters = third.number_input("Raters", 0.0, 20.0, 2.0, 1.0, key="raters", help=told, **_LINKED)
    minutes = fourth.number_input(
        *("Minutes a case", 0.5, 120.0, 5.0, 0.5),
        key="rater_minutes",
        help="Of one rater, for the answers of all models to one case.",
        **_LINKED,
    )
    share = None if spread is None else spread / whole
    return share, None if difference is None else difference / 100, int(raters), minutes
