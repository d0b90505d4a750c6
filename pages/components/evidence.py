"""The evidence store of this server, and what a visitor adds to it for the session."""

import gc
import logging
import platform
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import streamlit as st
from streamlit import config

from core import logs, serving
from core.answers import data, documents, market
from core.answers.asked import ask
from core.domain import ALL_EVIDENCE, FormularyError, Question, ScoreTable
from core.evidence.store import Store, data_folder, open_store
from core.results.collected import check_own_size

_OWN_TABLES, _OWN_CHANGE = "own_tables", "own_change"


def store() -> Store:
    """Return the store with the visitor's own results; a new snapshot on disk gives a new one."""
    manifests, tables = _in_force(), own_tables()
    shared = _store(manifests)
    if not tables:
        return shared
    # One object for as long as nothing changes, since results are remembered by store.
    of, change = st.session_state.get(_OWN_CHANGE, (None, ""))
    if of is not tables:
        change = uuid.uuid4().hex
        st.session_state[_OWN_CHANGE] = (tables, change)
    return _own_store(shared, tables, manifests, change)


# Streamlit lets go of it when the browser leaves, and so of all that was computed from it. What
# the visitor brought stays two minutes longer, for a browser that comes back.
@st.cache_resource(
    max_entries=1,
    show_spinner=False,
    scope="session",
    on_release=lambda found: found.memory.forget(),
)
def _own_store(
    _shared: Store, _tables: tuple[ScoreTable, ...], manifests: tuple[str, ...], change: str
) -> Store:
    return _shared.with_session(_tables)


def _manifests() -> tuple[str, ...]:
    # Snapshots never change and are put in place whole, so their manifests tell.
    found = sorted(data_folder().glob("*/*/*/manifest.toml"))
    return tuple(f"{path} {path.stat().st_mtime_ns}" for path in found)


_HELD: list[tuple[str, ...]] = []


@contextmanager
def holding_still() -> Iterator[None]:
    """Keep the evidence as it is for all pages, while a renewal takes one source after another.

    What somebody keeps meanwhile is seen at once, and with it all that came.
    """
    _HELD.append(_manifests())
    try:
        yield
    finally:
        _HELD.clear()


def _in_force() -> tuple[str, ...]:
    found = _manifests()
    for before in _HELD[:1]:
        if {it for it in before if "/local-" in it} == {it for it in found if "/local-" in it}:
            found = before
    return found


@st.cache_resource(max_entries=2, show_spinner=False)
def _store(manifests: tuple[str, ...]) -> Store:
    begun = time.monotonic()
    found = open_store()
    logs.event(
        "store",
        "The evidence was opened",
        milliseconds=round((time.monotonic() - begun) * 1000),
        snapshots=len(found.snapshots),
        left_out=len(found.faults),
        fingerprint=found.fingerprint[:12],
    )
    for fault in found.faults:
        logs.event("evidence", "A fault was found", level=logging.WARNING, why=fault.message)
    return found


def own_tables() -> tuple[ScoreTable, ...]:
    """Return the results that this visitor brought, in memory only."""
    found: tuple[ScoreTable, ...] = st.session_state.get(_OWN_TABLES, ())
    return found


def bring_in(table: ScoreTable) -> None:
    """Add results for this session, in place of what it had of the same models.

    Raises
    ------
    BadRequestError
        When a session would hold more than it may.
    """
    again = set(zip(table.frame["model"], table.frame["protocol"], strict=True))
    tables = []
    for other in own_tables():
        each = zip(other.frame["model"], other.frame["protocol"], strict=True)
        stays = [other.suite != table.suite or it not in again for it in each]
        tables += [replace(other, frame=other.frame[stays])] if any(stays) else []
    tables.append(table)
    check_own_size(tables)
    st.session_state[_OWN_TABLES] = tuple(tables)


def take_out(number: int) -> None:
    """Take one of the visitor's results out again."""
    tables = own_tables()
    st.session_state[_OWN_TABLES] = (*tables[:number], *tables[number + 1 :])


_MARK = "own_results"
_WERE_HERE, _MISSING = "own_results_were_here", "own_results_missing"


def lost_session() -> None:
    """Say that own results are no longer here, and have them marked in the address."""
    _drawn_again_after_a_break()
    state = st.session_state
    if own_tables():
        state[_WERE_HERE], state[_MISSING] = True, False
    elif state.pop(_WERE_HERE, False):  # taken out by the visitor
        state[_MISSING] = False
    elif st.query_params.get(_MARK) == "true" and _MISSING not in state:
        state[_MISSING] = True
    if state.get(_WERE_HERE) or state.get(_MISSING):
        if st.query_params.get(_MARK) != "true":
            st.query_params[_MARK] = "true"
    else:
        st.query_params.pop(_MARK, None)
    if state.get(_MISSING):
        st.info(
            "Own results are no longer part of this page. They were held in the memory of one "
            "session, and this is a new one: the connection was renewed, or the link came from "
            "somebody else. The question itself is unchanged. To see them again, bring the file "
            "in under Data, Own results.",
            icon=":material/restart_alt:",
        )
        st.button("Go on without them", on_click=state.update, args=({_MISSING: False},))


@st.fragment(run_every=timedelta(hours=12))
def _drawn_again_after_a_break() -> None:
    """Do nothing, but make the browser ask for the page when its connection was renewed.

    Streamlit's browser side asks by itself only where something on the page runs by the clock.
    Else the page of the lost session would stay, with downloads that no process holds.
    """


def is_local_run() -> bool:
    """Say whether this server runs for the person in front of it, who may write to it."""
    return not serving.why_no_local_run(config.get_option("server.address"))


def this_day() -> date:
    """Return today's date, for the names of files and the newest prices."""
    return datetime.now(UTC).date()


def priced_on(question: Question) -> date:
    """Return the day on which the question asks for prices: today, unless a day was chosen."""
    return data.day_of_prices(question, this_day())


def compute_first_page() -> None:
    """Open the newest evidence and compute the first page on it, also while another is held."""
    newest = _store(_manifests())
    profile = next(iter(newest.catalogue.profiles.values()))
    first_visit = Question.of(suite=ALL_EVIDENCE.suite, required=profile.conditions)
    market.market(ask(newest, first_visit, this_day()))


def warm_up() -> None:
    """Compute the first page before anyone asks, so that no one waits for slow imports."""
    versions: dict[str, Any] = {"python": platform.python_version(), "streamlit": st.__version__}
    versions |= documents.software()
    logs.event("start", "The server has started", **versions)
    if serving.asks_for_local_run() and not is_local_run():
        why = serving.why_no_local_run(config.get_option("server.address"))
        logs.event("local_run", why, level=logging.WARNING)
    begun = time.monotonic()
    try:
        compute_first_page()
    except FormularyError as error:
        logs.event("evidence", "No evidence can be used", level=logging.ERROR, why=str(error))
        return  # The page says so to whoever opens it.
    logs.set_up()  # Once more, for the loggers of what was imported meanwhile.
    seconds = round(time.monotonic() - begun, 1)
    logs.event("ready", "The first page is computed", seconds=seconds)
    # Modules and evidence stay as long as the server, so garbage is not looked for among them,
    # and not after every few hundred objects: one shortlist may have ten thousand.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
