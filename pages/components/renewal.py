"""The renewal of the evidence, by the clock or by a button, and what is said of it on pages."""

import logging
import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from time import monotonic

import pandas as pd
import streamlit as st

from core import logs, renewal
from core.answers import data
from core.domain import Snapshot
from core.evidence.fact_lists import SOURCES, newest
from core.evidence.store import Store, data_folder
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
        self.number, self.seconds = 0, 0.0
        self.sources: Sequence[str] = ()
        self.step: renewal.Step | None = None
        self.outcomes: list[renewal.Outcome] = []

    def work(self, sources: Sequence[str], token: str = "") -> None:
        """Refresh sources in turn, and write each to the log; nothing where one is at work."""
        if not self.one.acquire(blocking=False):
            return
        begun = monotonic()
        self.number, self.sources, self.outcomes = self.number + 1, sources, []
        try:
            with evidence.held():
                for outcome in renewal.renew(
                    data_folder(),
                    sources,
                    since=datetime.now(UTC),
                    report=lambda step: setattr(self, "step", step),
                    wanted=lambda: not self.ended.is_set(),
                    token=token,
                ):
                    self.outcomes.append(outcome)
                    logs.event(
                        "renewal",
                        "A source failed" if outcome.failed else "A source was read",
                        level=logging.WARNING if outcome.failed else logging.INFO,
                        source=outcome.step.source,
                        new_snapshot=outcome.new or "none",
                        bytes=outcome.step.n_bytes,
                        seconds=round(outcome.seconds, 1),
                        why=outcome.said,
                    )
                renewal.build_store(data_folder())
        finally:
            self.seconds, self.step = monotonic() - begun, None
            self.one.release()


_JOB = _Job()


def keep(schedule: renewal.Schedule) -> None:
    """Renew what is due until the server ends."""
    asked: dict[str, datetime] = {}
    if not renewal.is_writable(data_folder()):
        logs.event("renewal", _READ_ONLY, level=logging.WARNING)
    while True:
        try:
            now = datetime.now(UTC)
            due = [
                source
                for source in renewal.due(data_folder(), schedule, now)
                if now - asked.get(source, now - _NOT_AGAIN) >= _NOT_AGAIN
            ]
            if due and renewal.is_writable(data_folder()):
                asked |= dict.fromkeys(due, now)
                _JOB.work(due)
        except Exception as error:
            logs.fault(error, "renewal")
        if _JOB.ended.wait(_LOOK_S):
            return


def end() -> None:
    """Stop what is at work, since the server ends."""
    _JOB.ended.set()
    _JOB.one.acquire(timeout=5)


def line(store: Store, snapshot: Snapshot) -> None:
    """Say in a line how old the evidence is, with the way to newer; nothing where it is not."""
    lists = (newest(store.lists, name) for name in SOURCES)
    test = snapshot.as_of or snapshot.retrieved_at
    old = data.ages(test, [it.said_on for it in lists if it], evidence.today())
    said, may = _said(store, snapshot.suite), visitor.is_administrator()
    if not (old.is_test_old or old.old_list or (may and _JOB.step)):
        return
    with st.container(horizontal=True, vertical_alignment="center", key="renewal"):
        told = plain(f"{words.age(test, old.old_list)} {said}".strip())
        st.markdown(f":small[{told}]", width="content")
        if may:
            _button("tertiary")
    if may:
        _how_it_goes(store)


def section(store: Store) -> None:
    """Draw what was tried of each source, when and with what result, and the way to newer."""
    st.subheader("Renewal")
    plan, known = renewal.schedule(), renewal.states(data_folder())
    if visitor.is_administrator():
        _button("secondary")
        _how_it_goes(store)
    elif plan is None:
        st.caption(
            "This server does not renew its evidence by itself. Whoever runs it does, with the "
            "command “python -m core refresh” or the setting FORMULARY_REFRESH."
        )
    if plan and not renewal.is_writable(data_folder()):
        st.warning(_READ_ONLY, icon=":material/lock:")
    if said := _said(store):
        st.caption(plain(said))
    now = datetime.now(UTC)
    rows = [
        (
            _name(store, source),
            words.moment(it and it.at),
            words.moment(it and it.succeeded_at),
            it.n_failed if it else 0,
            words.moment(it and it.failing_since),
            words.moment(max(now, plan.next(it and it.at, now))) if plan else "",
            it.said if it else "",
        )
        for source, it in known.items()
    ]
    columns = ("Live source", "Last try", "Last success", "Failures in a row", "Failing since")
    frame = pd.DataFrame(rows, columns=[*columns, "Next try", "What came of it"])
    table(frame, "renewal", "Live sources, and when each was renewed")


def _said(store: Store, suite: str = "") -> str:
    """Say when the evidence was renewed, when it will be, and what has failed for long.

    Renewed is a suite where it has a live source, and else any of them.
    """
    plan, now = renewal.schedule(), datetime.now(UTC)
    states = renewal.states(data_folder())
    known = {_name(store, source): it for source, it in states.items() if it}
    own = [states[suite]] if suite in states else list(states.values())
    due = None
    if plan and renewal.is_writable(data_folder()):
        due = min(plan.next(it and it.at, now) for it in states.values())
    said = (words.renewed(list(filter(None, own)), due, now), words.failing(known))
    return " ".join(filter(None, said))


def _name(store: Store, source: str) -> str:
    lists = {name: it.title for name, it in SOURCES.items()}
    return lists.get(source) or store.catalogue.suites[source].name


def _button(kind: str) -> None:
    if _JOB.step:
        return
    if not renewal.is_writable(data_folder()):
        st.caption(_READ_ONLY, width="content")
        return
    st.button(
        "Renew now (about a minute)",
        key=f"renew_{kind}",
        type=kind,
        icon=":material/sync:",
        on_click=_begin,
        help="Asks each live source for its newest revision. You can leave the page meanwhile.",
    )


def _begin() -> None:
    if not visitor.is_administrator():  # The button stays when the login behind it has ended.
        return
    token = os.environ.get("HF_TOKEN", "")
    with suppress(FileNotFoundError):  # no secrets are kept here
        token = token or st.secrets.get("HF_TOKEN", "")
    _JOB.step = _JOB.step or renewal.Step(renewal.EVERY[0], begun=monotonic())
    threading.Thread(target=_JOB.work, args=(renewal.EVERY, token), daemon=True).start()


def _how_it_goes(store: Store) -> None:
    """Draw the progress of a renewal; after one that was watched here, a sentence a source."""

    def draw() -> None:
        if (step := _JOB.step) is None:
            st.rerun()
        st.session_state[_WATCHED] = True
        done = len(_JOB.outcomes)
        part = step.n_done / step.n_all if step.n_all else 0
        name, took = _name(store, step.source), monotonic() - step.begun
        told = words.progress(name, step.n_done, step.n_all, step.n_bytes, took)
        share = min(1.0, (done + part) / max(1, len(_JOB.sources)))
        st.progress(share, plain(f"{told}. You can leave this page: the renewal goes on."))

    if _JOB.step:
        st.fragment(draw, run_every=1.0)()
    elif st.session_state.get(_WATCHED) and _JOB.outcomes:
        failed = sum(outcome.failed for outcome in _JOB.outcomes)
        said = words.summary(failed, len(_JOB.outcomes), _JOB.seconds)
        with st.expander(plain(said), expanded=True, icon=":material/sync:"):
            each = (f"{_name(store, it.step.source)}: {it.said}" for it in _JOB.outcomes)
            st.markdown("\n".join(f"- {plain(sentence)}" for sentence in each))
