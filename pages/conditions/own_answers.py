"""A hospital's own answers on conditions: from a form or a file, and taken back."""

from __future__ import annotations

import streamlit as st

from core.answers import conditions, routes
from core.answers.conditions import Changes
from core.domain import BadRequestError, FormularyError, GateAnswer, Requirements
from core.evidence.imports import gates as gates_file
from core.evidence.store import Store
from core.sharing import own_figures as lines
from core.sharing.export import gates_csv
from core.sharing.link_reader import MOST_OWN
from pages.components import controls, evidence, own_figures, wording
from pages.components.downloads import button
from pages.components.notices import plain
from pages.conditions import form, known

_LARGEST_MB = 1


def draw() -> None:
    """Draw the form, the answers given so far, and the files."""
    store = evidence.store()
    requirements = controls.question(store).requirements
    form.tell()
    st.markdown(
        "**What a vendor told you, or what your contract says, counts before the public answers.** "
        "It becomes part of the link, with its source and date."
    )
    _given(store, requirements)
    form.draw(store, requirements)
    _files(store, requirements)


def _files(store: Store, requirements: Requirements) -> None:
    """Hand all answers out as a file, and take one back."""
    st.subheader("As a file")
    left, right = st.columns(2)
    every = routes.gate_answers(store, requirements)
    with left:
        st.markdown("All answers as CSV, yours among them. Edit it and bring it back.")
        button(
            "Download all answers",
            data=lambda: gates_csv(every),
            name=f"conditions-{evidence.today()}",
            kind="csv",
            mime="text/csv",
        )
    with right:
        file = st.file_uploader(
            f"Answers as CSV, at most {_LARGEST_MB} MB",
            type="csv",
            max_upload_size=_LARGEST_MB,
            key="conditions_file",
            help="Only what differs from the public answers becomes an answer of your own.",
        )
    if file is not None:
        _bring(store, requirements, file.name, file.getvalue())


def _given(store: Store, requirements: Requirements) -> None:
    """List the own answers, each with a button to take it back."""
    own = requirements.own_answers
    if not own:
        return
    st.markdown(f"**{wording.counted(len(own), 'answer')} of your own**")
    for number, answer in enumerate(own):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(plain(form.told(store, answer)))
            st.button(
                "Take back",
                key=f"answer_back_{number}",
                on_click=_take_back,
                args=(store, answer),
                help="The public answer counts again, or none where there is none.",
            )


def _take_back(store: Store, *given: GateAnswer) -> None:
    keys = {(answer.platform, answer.gate) for answer in given}
    kinds = store.catalogue.procurement.gate_kinds
    for line in own_figures.lines(store, form.KEY):
        answer = lines.read_answer(line, kinds)
        if (answer.platform, answer.gate) in keys:
            own_figures.take_out(store, form.KEY, line)


def _bring(store: Store, requirements: Requirements, name: str, content: bytes) -> None:
    """Say what a file of answers would change, and offer to use it."""
    kinds = store.catalogue.procurement.gate_kinds
    try:
        read = gates_file.read(name, content, kinds)
        found = conditions.changes_of(store, requirements, read.answers)
        written = [lines.answer_line(answer) for answer in found.new]
        for line in written:
            lines.read_answer(line, kinds)
        _check_number(requirements, found)
    except FormularyError as error:
        st.error(plain(str(error)), icon=":material/upload_file:")
        return
    for note in read.notes:
        st.caption(plain(note))
    if not found.new and not found.back:
        st.info(
            f"{wording.counted(len(read.answers), 'answer')} read: all are as they count now, so "
            "there is nothing to change.",
            icon=":material/check:",
        )
        return
    parts = []
    if found.new:
        parts.append(f"{wording.counted(len(found.new), 'answer')} would become your own")
    if found.back:
        parts.append(f"{wording.counted(len(found.back), 'answer')} of yours would be taken back")
    st.markdown(
        f"**{wording.counted(len(read.answers), 'answer')} read: {' and '.join(parts)}.** The "
        "others are as they count now."
    )
    if found.nowhere:
        shown = wording.list_of(list(found.nowhere[:5]))
        st.warning(
            f"Nothing here is called {plain(shown)}: answers about it are kept, but change "
            "nothing. Check how it is written.",
            icon=":material/help:",
        )
    st.dataframe(
        known.changes(store, found),
        column_config=known.COLUMNS,
        hide_index=True,
        placeholder="",
        alt="What the file would change",
    )
    st.button("Use these answers", type="primary", on_click=_use_file, args=(store, found))


def _check_number(requirements: Requirements, found: Changes) -> None:
    """Refuse a file after which there were more own answers than a link carries."""
    own = {(answer.platform, answer.gate) for answer in requirements.own_answers}
    own |= {(answer.platform, answer.gate) for answer in found.new}
    own -= {(answer.platform, answer.gate) for answer in found.back}
    if len(own) > MOST_OWN:
        raise BadRequestError(
            f"With this file there would be {len(own)} answers of your own, and a link carries at "
            f"most {MOST_OWN}: nothing was changed."
        )


def _use_file(store: Store, found: Changes) -> None:
    try:
        _take_back(store, *found.back)
        for answer in found.new:
            own_figures.put(store, form.KEY, lines.answer_line(answer))
    except BadRequestError as error:
        form.fault(error)
        return
    form.done(
        f"The file counts now: {wording.counted(len(found.new), 'answer')} of your own from it, "
        f"{len(found.back)} taken back."
    )
