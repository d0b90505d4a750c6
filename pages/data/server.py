"""Does this server work as it should? For those who run it."""

from __future__ import annotations

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
from pages.components import evidence, health, saving, visitor
from pages.components.blocks import table
from pages.components.notices import plain

_LEAST_FREE_MB = 500.0


def draw() -> None:
    """Draw the tab, which only an administrator is offered."""
    if visitor.is_administrator():
        _now(evidence.store())
        _faults()
        _remembered()


def _now(store: Store) -> None:
    found = _to_look_at(store)
    if found:
        st.markdown(
            f"**{wording.counted(len(found), 'thing')} to look at.** Everything else works."
        )
        for sentence in found:
            st.warning(plain(sentence), icon=":material/build:")
    else:
        st.markdown("**Nothing to look at: this server works as it should.**")
    if old := health.old_evidence(store):
        st.caption(plain(old))
    table(_facts(store), "server", "This server now", height="content")
    st.caption(
        "Of this one process, since it started; each replica has its own page. Nothing here names "
        "a person or repeats what somebody asked.",
        help="Memory is what the system says the process holds. Sessions are open browser tabs.",
    )


def _faults() -> None:
    st.subheader("Last faults")
    faults = _last_faults()
    if faults.empty:
        st.markdown("No page has failed since this server started.")
        return
    st.caption(
        "Who met a fault was shown its reference; the log has a line with the same one. The last "
        f"{logs.MOST_FAULTS} are held in memory, the log has them all."
    )
    table(faults, "faults", "Last faults, the newest first", file=False)


def _remembered() -> None:
    st.subheader("Remembered results")
    st.caption(
        "Each kind of result is computed once for each question and then found again. Where a "
        "kind is always full and rarely found, more memory would help."
    )
    table(_results(), "remembered", "Remembered results by kind", file=False)


def _to_look_at(store: Store) -> list[str]:
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


def _facts(store: Store) -> pd.DataFrame:
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


def _results() -> pd.DataFrame:
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


def _last_faults() -> pd.DataFrame:
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
