"""How this server does: for its log, and for the page of those who run it."""

from __future__ import annotations

import logging
import os
import sys
from datetime import timedelta

import pandas as pd
import streamlit as st
from streamlit import runtime

from core import answers, logs, machine
from core.answers import data
from core.domain import FormularyError
from core.evidence.store import Store
from core.sharing import wording
from pages.components import controls, evidence, saving

_LEAST_FREE_MB = 500.0


def rendered(page: str, store: Store, seconds: float) -> None:
    """Write to the log that a page was drawn, where the log is to have that much."""
    if not logs.LOGGER.isEnabledFor(logging.DEBUG):
        return
    asked = controls.question(store).requirements
    logs.event(
        "page",
        "A page was drawn",
        level=logging.DEBUG,
        page=page,
        milliseconds=round(seconds * 1000),
        suite=asked.suite,
        rows=store.snapshot(asked.suite, asked.revision).n_rows,
    )


def aged(store: Store) -> None:
    """Say below the page that its scores or prices have grown old."""
    found = data.aged(store, controls.question(store).requirements, evidence.today())
    said = []
    if found.scores:
        said.append(
            f"The scores of this evidence are of {found.scores}, over a year ago: models that "
            "came later are not among them."
        )
    if found.prices:
        said.append(f"Public prices were last checked on {found.prices}, over 90 days ago.")
    if said:
        st.caption(" ".join(said))


def to_look_at(store: Store) -> list[str]:
    """Return what does not work as it should, a sentence each."""
    found = [fault.message for fault in store.faults]
    if not machine.can_write(store.data) and not os.environ.get("FORMULARY_STORE"):
        found.append(
            "The data folder cannot be written, so the derived store lies in the temporary folder "
            "and is built again when that is emptied. FORMULARY_STORE can name a lasting place."
        )
    free = machine.free_disk_mb(store.path)
    if free is not None and free < _LEAST_FREE_MB:
        found.append(f"Only {free:,.0f} MB are free on the disk of the derived store.")
    _, fault = _database(store)
    if fault:
        found.append(fault)
    if day := data.old_prices(store, evidence.today()):
        days = (evidence.today() - day).days
        found.append(
            f"The list of public prices was last checked on {day}, {days} days ago: prices may "
            "have changed. A newer version of the program brings a newer list."
        )
    return found


def old_evidence(store: Store) -> str:
    """Say which suites are more than a year old; empty where none is."""
    old = data.old_suites(store, evidence.today())
    if not old:
        return ""
    named = wording.list_of([f"{name} ({day})" for name, day in old])
    return f"More than a year old: {named}. Models that came later are not in this evidence."


def _database(store: Store) -> tuple[str, str]:
    """Return what keeps saved shortlists, and the sentence where it cannot be reached."""
    try:
        database = saving.database(store)
        return f"{database.kind()}, revision {database.revision()}", ""
    except FormularyError as error:
        return "not reachable", str(error)


def _sessions() -> int | None:
    if not runtime.exists():
        return None
    manager = getattr(runtime.get_instance(), "_session_mgr", None)
    return None if manager is None else manager.num_active_sessions()


def facts(store: Store) -> pd.DataFrame:
    """Return what is true of this server now, one row each."""
    found = evidence.versions()
    memory, free = machine.memory_mb(), machine.free_disk_mb(store.path)
    built = pd.Timestamp(store.path.stat().st_mtime, unit="s") if store.path.exists() else None
    sessions = _sessions()
    in_temp = not machine.can_write(store.data) and not os.environ.get("FORMULARY_STORE")
    rows = [
        ("Version", found.pop("llm-formulary")),
        ("Running for", str(timedelta(seconds=round(machine.uptime_s())))),
        ("Open sessions", wording.UNKNOWN if sessions is None else str(sessions)),
        ("Memory of this process", wording.UNKNOWN if memory is None else f"{memory:,.0f} MB"),
        ("Free disk of the store", wording.UNKNOWN if free is None else f"{free:,.0f} MB"),
        ("Fingerprint of the store", store.fingerprint[:12]),
        ("Store built, UTC", wording.UNKNOWN if built is None else f"{built:%Y-%m-%d %H:%M}"),
        ("Place of the store", "temporary folder" if in_temp else "as configured"),
        ("Snapshots", f"{len(store.snapshots)} loaded, {len(store.faults)} left out"),
        ("Saved shortlists", _database(store)[0]),
        *((f"Version of {name}", number) for name, number in found.items()),
    ]
    return pd.DataFrame(rows, columns=["What", "Now"])


def remembered() -> pd.DataFrame:
    """Return how results are remembered, the fullest first."""
    prefix = answers.__name__ + "."
    modules = [module for name, module in list(sys.modules.items()) if name.startswith(prefix)]
    rows = machine.remembered(modules)
    frame = pd.DataFrame(
        {
            "Result": [row.name for row in rows],
            "Held": [row.held for row in rows],
            "At most": pd.array([row.most for row in rows], dtype="Int64"),
            "Found there": [row.found for row in rows],
            "Computed": [row.computed for row in rows],
        }
    )
    return frame.sort_values(["Held", "Result"], ascending=[False, True], ignore_index=True)


def last_faults() -> pd.DataFrame:
    """Return the last faults of this process, the newest first; nothing about persons."""
    found = logs.last_faults()
    return pd.DataFrame(
        {
            "Time, UTC": [f"{fault.at:%Y-%m-%d %H:%M:%S}" for fault in found],
            "Kind": [fault.kind for fault in found],
            "Page": [fault.page for fault in found],
            "Reference": [fault.reference for fault in found],
            "Place in the program": [fault.place for fault in found],
        }
    )
