"""A hospital's own results: read, shown next to the published ones, and marked as its own."""

from datetime import UTC, datetime
from functools import partial

import streamlit as st

from core import figures
from core.answers import open_cases
from core.answers.asked import Asked
from core.answers.data import ALL_MODELS
from core.domain import FormularyError, ScoreTable
from core.evidence import snapshots
from core.evidence.catalogue import OWN_RESULT
from core.evidence.store import Store, data_folder
from core.local_test import ours
from core.results import read_own_scores, sheets
from core.results.collected import Imported
from pages.components import entries, evidence, files, visitor
from pages.components.files import button
from pages.components.notices import plain


def draw(asked: Asked) -> None:
    """Draw the upload, what is loaded, and the template to fill in."""
    store = asked.store
    st.subheader("Your own results")
    st.markdown(
        "Upload the results of your own tests: HELM files, lm-evaluation-harness files, or the "
        "CSV template. They are listed with the published models, marked "
        f"“{OWN_RESULT.strip()}”, and never leave the server. What you "
        "upload lasts for this browser session."
    )
    suites = {suite.name: suite.id for suite in store.catalogue.suites.values()}
    left, right = st.columns(2)
    with left:
        name = st.selectbox(
            "Suite of the results",
            ["As the file says", *suites],
            key="own_suite",
            help="Choose the suite where a file does not say it.",
        )
        suite = suites.get(name)
    with right:
        first = next(iter(store.catalogue.evidence.values())).suite
        template_of = suite or asked.question.evidence.suite or first
        button(
            f"CSV template for {store.catalogue.suites[template_of].name}",
            data=lambda: sheets.template(template_of, store.catalogue),
            name=f"own-results-{template_of}",
            kind="csv",
            help="One row per benchmark. Write the model, the name of the run and the score on "
            "the benchmark's own scale; leave a score empty where you have none.",
        )
    file = st.file_uploader(
        f"File with results, at most {files.LARGEST_MB} MB",
        type=["json", "csv"],
        max_upload_size=files.LARGEST_MB,
        key=(key := f"own_file_{suite}" if suite else "own_file"),
    )
    read = files.one(key, file, partial(read_own_scores, catalogue=store.catalogue, suite=suite))
    if file is not None and read is not None:
        _show(store, file.name, read)
    if fault := st.session_state.pop("own_fault", ""):
        st.error(plain(fault), icon=":material/save:")
    if st.session_state.pop("own_kept", False):
        kept = "Kept on this server for everyone who uses it, and listed under Snapshots."
        st.success(kept, icon=":material/save:")
    _tests(store)
    for number, table in enumerate(evidence.own_tables()):
        n_models = figures.counted(table.frame["model"].nunique(), "model")
        n_scores = figures.counted(len(table.frame), "score")
        with st.container(horizontal=True, vertical_alignment="center"):
            suite_name = plain(store.catalogue.suites[table.suite].name)
            where = f"They count only where the evidence is {suite_name}"
            tests = {it.id for it in store.catalogue.benchmarks[table.suite]}
            lacking = len(tests - {*table.frame["benchmark"]})
            less = f" {lacking} of its {len(tests)} tests have no score: where one counts, a model "
            unranked = f"{less}is listed and not ranked." if lacking else ""
            st.markdown(f"{suite_name}: {n_models}, {n_scores}. {where}.{unranked}")
            _lead_to(asked, table.suite)
            st.button("Remove", key=f"out_{number}", on_click=evidence.take_out, args=(number,))
            if visitor.is_administrator():
                st.button(
                    "Keep on this server",
                    key=f"keep_{number}",
                    on_click=_keep,
                    args=(number,),
                    help="Saves the results with the snapshots, for everyone who uses this server.",
                )


def _lead_to(asked: Asked, suite: str) -> None:
    """Draw the way to where a suite's own results count: its evidence, and then Recommend."""
    bases = asked.store.catalogue.evidence.values()
    base = next((it for it in bases if (it.suite, it.cohort) == (suite, ALL_MODELS)), None)
    if suite == asked.question.evidence.suite:
        entries.link("recommend", "Answer", label="See Recommend", icon="checklist")
    elif base:
        label = f"Change the evidence to {plain(base.name)}"
        entries.set_button(label, {"evidence": base.name}, key=f"ask_{suite}", type="tertiary")


def _tests(store: Store) -> None:
    """List the tests on open cases that are kept on this server, each with the way out."""
    named = {it.id: it.name for it in open_cases.case_sets(store)}
    for name, test in ours.kept(store.data):
        with st.container(horizontal=True, vertical_alignment="center"):
            models = figures.counted(len(test.scores), "model")
            day = figures.written(test.as_of)
            title = named.get(test.case_set, test.case_set)
            st.markdown(plain(f"{title}, kept on {day}: {models}, {test.n_cases:,} cases"))
            if visitor.is_administrator():
                st.button(
                    "Remove", key=f"ours_{name}", on_click=ours.let_go, args=(store.data, name)
                )


def _show(store: Store, name: str, given: Imported | files.FileFault) -> None:
    try:
        found = files.sound(given)
    except FormularyError as error:
        st.error(plain(str(error)), icon=":material/upload_file:")
        return
    models = figures.listed(sorted(found.table.frame["model"].unique())[:5])
    st.success(
        f"Read as {found.format}: {figures.counted(len(found.table.frame), 'score')} of "
        f"{plain(models)} for {plain(store.catalogue.suites[found.table.suite].name)}.",
        icon=":material/check:",
    )
    for note in found.notes[:10]:
        st.caption(plain(note))
    if _counts(store, found.table):
        st.caption("These results are in use already.")
        return
    named = {name + OWN_RESULT for name in found.table.frame["model"]}
    if again := named & _own(store, found.table, "model"):
        names = figures.listed(sorted(it.removesuffix(OWN_RESULT) for it in again)[:5])
        st.caption(plain(f"Own results of {names} are in use: these will take their place."))

    def use() -> None:
        try:
            evidence.bring_in(found.table)
        except FormularyError as error:
            st.session_state["own_fault"] = str(error)

    label = "Use these results in this session"
    st.button(label, type="primary", key=f"use_{name}", on_click=use)


def _own(store: Store, table: ScoreTable, column: str) -> set[str]:
    """Return a column of the own results that count where these would."""
    protocols = table.frame["protocol"].unique()
    return {it for each in protocols for it in store.own_results(table.suite, each)[column]}


def _counts(store: Store, table: ScoreTable) -> bool:
    return set(table.frame["run"]) <= _own(store, table, "run")


def _keep(number: int) -> None:
    if not visitor.is_administrator():
        return  # The login ended while the button was on the screen.
    table = evidence.own_tables()[number]
    if _counts(evidence.store().shared, table):
        st.session_state["own_fault"] = "These results are kept on this server already."
        return
    day = evidence.this_day().isoformat()
    digest = str(table.frame["run"].iloc[0])[-8:]
    try:
        snapshots.write(
            data_folder() / "snapshots",
            table,
            # With the time, since of one model the last upload counts.
            revision=f"local-{day}-{datetime.now(UTC):%H%M%S}-{digest}",
            as_of=day,
            retrieved_at=day,
            source_url="",
            licence="own result",
            kind="local",
        )
    except FormularyError as error:
        st.session_state["own_fault"] = str(error)
        return
    st.session_state["own_kept"] = True
    evidence.take_out(number)
