"""A hospital's own answers on conditions, given in a form and taken back."""

from __future__ import annotations

from datetime import date

import streamlit as st

from core.answers import conditions, data
from core.charts.kit import labels
from core.domain import BadRequestError, GateAnswer, Requirements
from core.evidence.catalogue import OWN_RESULT
from core.evidence.store import Store
from core.procurement.gates import RETENTION
from core.sharing import inputs as lines
from core.words import figures
from core.words.shortlist import within_sentence
from pages.components import controls, evidence
from pages.components.notices import plain

_KEY = "own_answer"
_A_MODEL = "A model"
_FAULT, _DONE = "conditions_fault", "conditions_done"


def draw() -> None:
    """Draw the answers given so far, and the form."""
    store = evidence.store()
    requirements = controls.question(store).requirements
    if fault := st.session_state.pop(_FAULT, ""):
        st.error(plain(fault), icon=":material/edit_note:")
    if done := st.session_state.pop(_DONE, ""):
        st.success(plain(done), icon=":material/check:")
    st.markdown(
        "**What a vendor told you, or what your contract says, counts before the public answers.** "
        "It becomes part of the link, with its source and date."
    )
    if own := requirements.own_answers:
        st.markdown(f"**{figures.counted(len(own), 'answer')} of your own**")
    for number, answer in enumerate(own):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(plain(_told(store, answer)))
            st.button(
                "Take back",
                key=f"answer_back_{number}",
                on_click=_take_back,
                args=(store, answer),
                help="The public answer counts again, or none where there is none.",
            )
    _form(store, requirements)


def _take_back(store: Store, given: GateAnswer) -> None:
    for line in controls.lines(store, _KEY):
        answer = lines.OWN_ANSWER.read(line, store.catalogue)
        if (answer.platform, answer.gate) == (given.platform, given.gate):
            controls.take_out(store, _KEY, line)


def _form(store: Store, requirements: Requirements) -> None:
    kinds = store.catalogue.procurement.gate_kinds
    about = st.selectbox(
        "The answer is about",
        [*conditions.platforms(store), _A_MODEL],
        key="answer_about",
        help="A platform that sells models, your own servers, or one model and its licence.",
    )
    of_model = about == _A_MODEL
    offered = [kind for kind in kinds.values() if (kind.about == "model") == of_model]
    models = _models(store, requirements)
    with st.form("own_answer_form", enter_to_submit=False):
        left, right = st.columns(2)
        with left:
            if of_model:
                st.selectbox("Model", list(models), key="answer_model")
            st.selectbox(
                "Condition",
                [kind.name for kind in offered],
                key="answer_condition_model" if of_model else "answer_condition",
            )
            st.radio(
                "Answer",
                lines.ANSWERS,
                key="answer_answer",
                horizontal=True,
                help="Conditional: yes, if something else is done, such as signing a contract. "
                "Say in the detail what it is."
                + " For the context window, yes means: as many tokens as you need."
                * of_model,
            )
            if not of_model:
                st.number_input(
                    "Days that data are kept",
                    min_value=0.0,
                    max_value=99_999.0,
                    value=None,
                    step=1.0,
                    format="%g",
                    placeholder="Only for that condition",
                    key="answer_days",
                )
        with right:
            st.text_area("Detail", key="answer_detail", max_chars=lines.LONGEST_TEXT, height=100)
            st.text_input(
                "Source",
                key="answer_source",
                max_chars=lines.LONGEST_TEXT,
                placeholder="A contract, a letter, an address",
            )
            st.date_input(
                "Date of the source",
                value=None,
                min_value=date(1990, 1, 1),
                key="answer_date",
                help="Left empty: undated.",
            )
        st.form_submit_button(
            "Use this answer",
            type="primary",
            on_click=_use_form,
            args=(store, None if of_model else about, models),
        )


def _models(store: Store, requirements: Requirements) -> dict[str, str]:
    """Return the ids of the models of the evidence by their names."""
    found = data.products(store, data.selection_of(requirements)).models
    ids = dict.fromkeys(name.removesuffix(OWN_RESULT) for name in found)
    names = labels([data.model(store, name) for name in ids])
    return dict(sorted(((name, id_) for id_, name in names.items()), key=lambda p: p[0].lower()))


def _use_form(store: Store, platform: str | None, models: dict[str, str]) -> None:
    """Keep what the form holds; where it cannot be used, say why and leave the form as it is."""
    state = st.session_state
    name = state["answer_condition_model" if platform is None else "answer_condition"]
    kinds = store.catalogue.procurement.gate_kinds
    gate = next(kind.id for kind in kinds.values() if kind.name == name)
    day: date | None = state["answer_date"]
    try:
        days = _days(state.get("answer_days"), gate, state["answer_answer"])
        given = GateAnswer(
            platform=models[state["answer_model"]] if platform is None else platform,
            gate=gate,
            answer=state["answer_answer"],
            detail=state["answer_detail"].strip(),
            source_url=state["answer_source"].strip(),
            as_of=lines.UNDATED if day is None else day.isoformat(),
            days=days,
            source_kind="own",
        )
        if given.answer == "conditional" and not given.detail:
            raise BadRequestError("Say in the detail on what condition.")
        controls.put(store, _KEY, lines.OWN_ANSWER.write(given))
    except BadRequestError as error:
        st.session_state[_FAULT] = str(error)
        return
    state["answer_detail"] = ""
    state[_DONE] = f"Your answer counts now: {_told(store, given)}."


def _days(value: float | None, gate: str, answer: str) -> int | None:
    if gate != RETENTION or answer == "unknown":
        return None
    if value is None and answer == "yes":
        raise BadRequestError("Give the number of days that data are kept.")
    if value is not None and not float(value).is_integer():
        raise BadRequestError(f"The days must be a whole number, not {value:g}.")
    return None if value is None else int(value)


def _told(store: Store, answer: GateAnswer) -> str:
    model = store.catalogue.models.get(answer.platform)
    kind = store.catalogue.procurement.gate_kinds[answer.gate]
    days = "" if answer.days is None else f", {figures.counted(answer.days, 'day')}"
    source = ", ".join(filter(None, (answer.source_url, answer.as_of)))
    about = answer.platform if model is None else model.name
    said = f"{about}, {within_sentence(kind.name)}: {answer.answer}{days}"
    return f"{said} ({source})" if source else said
