"""The renewal of the evidence, by the clock or by a button, and what is said of it on pages."""

import logging
import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Literal

import streamlit as st

from core import figures, logs, renewal
from core.answers import data
from core.answers.asked import Asked
from core.domain import FormularyError
from core.evidence.fact_lists import newest
from core.evidence.store import Store, data_folder
from core.sources.lists import SOURCES
from core.words import renewal as words
from pages.components import evidence, visitor
from pages.components.blocks import table
from pages.components.notices import plain

_LOOK_S = 60.0
_NOT_AGAIN = timedelta(minutes=15)
"""A source whose state could not be written is left alone for as long."""
_WATCHED = "renewal_watched"
_READ_ONLY = "The data folder cannot be written, so nothing can be renewed here."


class _Job:
    """The one renewal of this process, which pages look at."""

    def __init__(self) -> None:
        self.one, self.ended = threading.Lock(), threading.Event()
        self.sources: Sequence[str] = ()
        self.step: renewal.RenewalStep | None = None
        self.done: list[renewal.RenewalStep] = []

    def work(self, sources: Sequence[str], token: str = "") -> None:
        """Refresh sources in turn, and write each to the log; nothing where one is at work."""
        if not self.one.acquire(blocking=False):
            return
        self.sources, self.done = sources, []
        try:
            with evidence.holding_still():
                for step in renewal.renew(
                    data_folder(),
                    sources,
                    since=datetime.now(UTC),
                    report=lambda step: setattr(self, "step", step),
                    wanted=lambda: not self.ended.is_set(),
                    token=token,
                ):
                    self.done.append(step)
                    logs.event(
                        "renewal",
                        "A source failed" if step.failed else "A source was read",
                        level=logging.WARNING if step.failed else logging.INFO,
                        source=step.source,
                        new_snapshot=step.new or "none",
                        bytes=step.n_bytes,
                        seconds=round(monotonic() - step.begun, 1),
                        why=step.said,
                    )
                renewal.build_store(data_folder())
                with suppress(FormularyError):  # the page says it
                    evidence.compute_first_page()
        finally:
            self.step = None
            self.one.release()


_JOB = _Job()


def keep_running(schedule: renewal.Schedule) -> None:
    """Renew what is due until the server ends."""
    asked: dict[str, datetime] = {}
    if not _is_writable():
        logs.event("renewal", _READ_ONLY, level=logging.WARNING)
    while not _JOB.ended.is_set():
        now = datetime.now(UTC)
        asked = {source: at for source, at in asked.items() if now - at < _NOT_AGAIN}
        found = renewal.due_sources(data_folder(), schedule, now)
        due = [source for source, at in found.items() if at <= now and source not in asked]
        if due and _is_writable():
            asked |= dict.fromkeys(due, now)
            try:
                _JOB.work(due)
            except Exception as error:
                logs.fault(error, "renewal")
        _JOB.ended.wait(_LOOK_S)


def end() -> None:
    """Stop what is at work, since the server ends."""
    _JOB.ended.set()
    _JOB.one.acquire(timeout=5)


def line(asked: Asked, test: str) -> None:
    """Say in a line how old the evidence is, with the way to newer; nothing where it is not.

    ``test`` is the day of the newest test of the work. Own servers have no price in a public list,
    and prices of a day that was chosen are as old as they shall be.
    """
    store, question = asked.store, asked.question
    uses_lists = question.access != "own" and not question.prices_on
    found = [newest(store.lists, name) for name in SOURCES if uses_lists]
    lists = [it.said_on for it in found if it]
    is_old, old_list = data.grown_old(test, lists, evidence.this_day())
    if is_old or old_list:
        renewed = _said(store, question.evidence.suite)
        told = f"{words.age_of_tests(test, old_list)} {renewed}".strip()
        with st.container(horizontal=True, vertical_alignment="center", key="renewal"):
            st.markdown(f":small[{plain(told)}]", width="content")
            _button("tertiary")
    _how_it_goes(store)


def draw_section(store: Store) -> None:
    """Draw what was tried of each source, when and with what result, and the way to newer."""
    st.subheader("Renewal")
    plan, now = renewal.schedule() if _is_writable() else None, datetime.now(UTC)
    to_visitor = not visitor.is_administrator()  # One who can renew hears it at the button.
    if to_visitor and not _is_writable():
        st.caption(_READ_ONLY)
    elif to_visitor and plan is None:
        st.caption(
            "This server does not renew its evidence by itself. Whoever runs it can, with the "
            "command “python -m core refresh” or the setting FORMULARY_REFRESH."
        )
    _button("secondary")
    _how_it_goes(store)
    st.caption(plain(_said(store)))
    due = renewal.due_sources(data_folder(), plan, now) if plan else {}
    rows = []
    for source, it in renewal.states(data_folder()).items():
        times = (it.at, it.succeeded_at, it.failing_since) if it else (None, None, None)
        times = (*times, max(now, due[source]) if due else None)
        said = (words.moment_in_words(at) or None for at in times)
        rows.append((_name(store, source), *said, it.said if it else ""))
    heads = ("Live source", "Last try", "Last success", "Failing since", "Next try")
    columns = zip((*heads, "What came of it"), zip(*rows, strict=True), strict=True)
    title = "Live sources, and when each was renewed"
    table(dict(columns), "renewal", title, placeholder="none")


def _is_writable() -> bool:
    return os.access(data_folder(), os.W_OK)


def _said(store: Store, suite: str = "") -> str:
    """Say when a suite, or any without a live source, was renewed, and what has failed for long."""
    plan, now = renewal.schedule(), datetime.now(UTC)
    known = {source: it for source, it in renewal.states(data_folder()).items() if it}
    own = [it for source, it in known.items() if source == suite or suite not in renewal.EVERY]
    due = None
    if plan and _is_writable():
        due = min(renewal.due_sources(data_folder(), plan, now).values())
    failing = words.failing({_name(store, source): it for source, it in known.items()})
    return " ".join(filter(None, (words.renewed(own, due, now), failing)))


def _name(store: Store, source: str) -> str:
    return SOURCES[source].title if source in SOURCES else store.catalogue.suites[source].name


def _button(kind: Literal["secondary", "tertiary"]) -> None:
    if not visitor.is_administrator() or _JOB.step:
        return
    if not _is_writable():
        st.caption(_READ_ONLY, width="content")
        return
    st.button(
        "Renew now (about a minute)",
        key=f"renew_{kind}",
        type=kind,
        icon=":material/sync:",
        on_click=_begin,
        help="Asks the live sources, which Data names, for newer scores, prices and ends of sale. "
        "Other tests and platforms' conditions come with a new release of this app. You can leave "
        "the page meanwhile.",
    )


def _begin() -> None:
    if not visitor.is_administrator():  # The button stays when the login behind it has ended.
        return
    token = os.environ.get("HF_TOKEN", "")
    with suppress(FileNotFoundError):  # no secrets are kept here
        token = token or st.secrets.get("HF_TOKEN", "")
    _JOB.step = _JOB.step or renewal.RenewalStep(renewal.EVERY[0], monotonic())
    threading.Thread(target=_JOB.work, args=(renewal.EVERY, token), daemon=True).start()


def _how_it_goes(store: Store) -> None:
    """Draw the progress of a renewal; after one that was watched here, a sentence a source."""

    def draw() -> None:
        if (step := _JOB.step) is None:
            st.rerun()
        st.session_state[_WATCHED] = True
        name, took = _name(store, step.source), monotonic() - step.begun
        told = words.progress(name, step.n_done, step.n_all, step.n_bytes, took)
        part = step.n_done / step.n_all if step.n_all else 0
        share = min(1.0, (len(_JOB.done) + part) / max(1, len(_JOB.sources)))
        st.progress(share, plain(f"{told}. You can leave this page: the renewal goes on."))

    if not visitor.is_administrator():
        return
    if _JOB.step:
        st.fragment(draw, run_every=1.0)()
    elif st.session_state.get(_WATCHED) and _JOB.done:
        n_read = sum(not step.failed for step in _JOB.done)
        said = f"{n_read} of {figures.counted(len(_JOB.done), 'source')} renewed"
        with st.expander(said, expanded=True, icon=":material/sync:"):
            each = (f"- {plain(f'{_name(store, it.source)}: {it.said}')}" for it in _JOB.done)
            st.markdown("\n".join(each))
