"""Which shortlists have we kept, and what is to take today?"""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import pandas as pd
import streamlit as st

from core import figures
from core.answers import documents, watch
from core.answers.asked import Asked
from core.domain import BadRequestError, FormularyError
from core.evidence.store import Store
from core.saved import shelf
from core.saved.kept import LONGEST_NAME, LONGEST_NOTE, KeptRow, Saved, may_change, usable
from core.saved.shelf import Database
from core.words.recommendation import due_in_words
from core.words.shortlist import then_and_today
from pages.components import entries, evidence, saving, visitor
from pages.components.blocks import how_made, numbers, table
from pages.components.notices import plain

_MOST_DUE = 8
_CHOSEN, _LINKED = "saved_chosen", "saved"


def draw(asked: Asked) -> None:
    """Draw the tab."""
    if not visitor.may_keep():
        st.info(visitor.why_not(), icon=":material/lock:")
    else:
        try:
            _kept(asked.store)
        except FormularyError as error:
            st.error(
                f"{plain(str(error))} Every other page works as usual.",
                icon=":material/database_off:",
            )
    how_made("Saved shortlists", key="kept")


def _kept(store: Store) -> None:
    database, reader = saving.database(store), visitor.reader()
    kept, damaged = shelf.found(database, reader)
    saving.show_outcome()
    if damaged:
        st.warning(
            f"{figures.counted(damaged, 'kept list')} cannot be read and left out: the record "
            "in the database is damaged. A backup may still have it.",
            icon=":material/database_off:",
        )
    if kept:
        _draw_kept(store, database, kept, reader)
        return
    st.info(
        "Nothing is kept yet. On the tab Answer, below the list, “Keep this shortlist” puts the "
        "list, its question and its evidence here.",
        icon=":material/bookmark:",
    )


def _draw_kept(store: Store, database: Database, kept: Sequence[Saved], reader: str | None) -> None:
    _due(store, database, reader)
    of_id = {one.id: one for one in kept}
    labels = figures.told_apart(
        {one.id: f"{one.name} · {one.saved_at:%Y-%m-%d %H:%M}" for one in kept}
    )
    _table(kept)
    _open_linked(of_id)
    # Named in the address before the side bar, drawn first, makes the link to copy.
    key = st.selectbox(
        "Kept list",
        list(of_id),
        format_func=lambda key: labels.get(key, key),
        key=_CHOSEN,
        on_change=lambda: st.query_params.update({_LINKED: st.session_state[_CHOSEN]}),
        help="The one that is shown in full below. The address of the page names it.",
    )
    chosen = of_id.get(key, kept[0])
    st.query_params[_LINKED] = chosen.id
    _one(chosen)
    try:
        rows = usable(shelf.kept_records(database, chosen.id, reader))
    except FormularyError as error:
        st.error(
            f"{plain(str(error))} A backup of the database may still have it; here it can be "
            "deleted.",
            icon=":material/database_off:",
        )
    else:
        _to_take(store, chosen, rows)
        with st.expander("The list as it was saved"):
            _rows(chosen, rows)
    if may_change(chosen, reader):
        _editing(database, chosen, reader)


def _due(store: Store, database: Database, reader: str | None) -> None:
    day = evidence.this_day()
    due = watch.due(store, database, day, 30, reader)
    if not due:
        st.markdown("**Nothing is due within 30 days.**")
        return
    lists = len({each.id for each in due})
    st.markdown(f"**Due on {figures.counted(lists, 'kept list')} within 30 days:**")
    shown = "\n".join(f"- {plain(due_in_words(each, day))}" for each in due[:_MOST_DUE])
    more = f"\n- And {len(due) - _MOST_DUE} more." if len(due) > _MOST_DUE else ""
    st.markdown(f"{shown}{more}")


def _to_take(store: Store, chosen: Saved, rows: list[KeptRow]) -> None:
    then = documents.as_recorded(store, rows)
    try:
        now = documents.take_today(store, chosen.query, evidence.this_day(), then.first)
    except FormularyError as error:
        st.markdown(plain(f"This question cannot be asked any more. {error}"))
        return
    changed = documents.changes_between(then, now)
    said = then_and_today(chosen.priced_on, then, now, changed)
    cost = "price not known"
    if now.monthly_usd is not None:
        cost = f"{figures.dollars(now.monthly_usd)} a month"
    whose = "" if now.name else f"{now.first}: "
    today = f"{whose}{cost}, {now.sale}." if now.first else ""
    st.markdown(f"**{plain(said)}** {plain(' '.join((today, *now.notes)))}")


def _open_linked(of_id: Mapping[str, Saved]) -> None:
    """Choose the one that the address names, when the page is opened."""
    asked = st.query_params.get(_LINKED, "")
    if not asked or _CHOSEN in st.session_state:
        return
    if asked in of_id:
        st.session_state[_CHOSEN] = asked
    else:
        st.warning(
            "The kept list of this link is not here: it was deleted, or is not shared with "
            "you. The newest is shown.",
            icon=":material/link_off:",
        )


def _table(kept: Sequence[Saved]) -> None:
    frame = {
        "Name": [one.name for one in kept],
        "First": [one.first_model or "none fitted" for one in kept],
        "Models": [one.n_models for one in kept],
        "Evidence": [one.evidence for one in kept],
        "Saved, UTC": [one.saved_at.replace(tzinfo=None) for one in kept],
        "By": [one.saved_by or "this computer" for one in kept],
        "As of": [one.priced_on for one in kept],
        "Receipt": [one.receipt or "none" for one in kept],
        "Id": [one.id[:8] for one in kept],
    }
    table(
        frame,
        "kept",
        "Kept lists, the newest first: "
        + "; ".join(f"{one.name}, {figures.counted(one.n_models, 'model')}" for one in kept[:20]),
        file=False,
    )


def _one(chosen: Saved) -> None:
    """Say what the table has not."""
    n = figures.counted(chosen.n_models, "model")
    said = f"**{plain(chosen.name)}**, on {plain(chosen.evidence)}: {n}."
    if chosen.version > 1:
        by = f" by {plain(chosen.changed_by)}" if chosen.changed_by else ""
        said += f" Changed {chosen.changed_at:%d %B %Y, %H:%M} UTC{by}."
    st.markdown(said + " Shared with others who are logged in." * chosen.shared)
    if chosen.note:
        # As text, so that nothing in it is markup, and its lines stay lines.
        st.text(chosen.note)
    # The landing page, below whatever path the app is served at.
    at = urlsplit(st.context.url or "")
    path = at.path.rstrip("/").removesuffix(f"/{entries.LANDING.name}")
    st.link_button(
        "Open this list",
        at._replace(path=f"{path}/", query=chosen.query, fragment="").geturl(),
        icon=":material/open_in_new:",
        help="Opens the question as it was saved, in a tab of its own, and says there whether "
        "newer evidence changes the list.",
    )


def _numbers(rows: list[KeptRow], column: str) -> list[float | None]:
    cells = (row[column] for row in rows)
    return [cell if isinstance(cell, (int, float)) else None for cell in cells]


def _rows(chosen: Saved, rows: list[KeptRow]) -> None:
    of: dict[str, Any] = {"Model": [str(row["name"]) for row in rows]}
    if any("grade" in row for row in rows):  # Over all evidence.
        of |= {"Grade": [row["grade"] for row in rows], "Where": [row["platform"] for row in rows]}
    else:
        of["Rank"] = pd.array(_numbers(rows, "rank"), dtype="Int64")
        of["Score"] = numbers(_numbers(rows, "score"), times=100)
        of["Benchmarks"] = pd.array(_numbers(rows, "n_benchmarks"), dtype="Int64")
    of["Bill, $ a month"] = numbers(_numbers(rows, "monthly_cost_usd"))
    table(
        of,
        f"saved-{chosen.id[:8]}",
        f"{chosen.name}, as saved {chosen.saved_at:%Y-%m-%d}",
        of="saved",
        alt=f"The rows of {chosen.name} as they were saved",
    )


def _editing(database: Database, chosen: Saved, editor: str | None) -> None:
    """Draw the two forms; their callbacks know the version that was on the screen."""
    stamp = f"{chosen.id}_{chosen.version}"
    with st.expander("Rename or share"), st.form(f"edit_{stamp}", border=False):
        st.text_input("Name", chosen.name, max_chars=LONGEST_NAME, key=f"name_{stamp}")
        st.text_area("Note", chosen.note, max_chars=LONGEST_NOTE, key=f"note_{stamp}")
        if visitor.has_login():
            st.checkbox("Others who are logged in may see it", chosen.shared, key=f"shared_{stamp}")
        st.form_submit_button("Save changes", on_click=_change, args=(database, chosen, editor))
    with st.expander("Delete"), st.form(f"delete_{stamp}", border=False):
        st.checkbox(f"Delete {plain(chosen.name)} for good", key=f"sure_{stamp}")
        st.form_submit_button("Delete", on_click=_remove, args=(database, chosen, editor))


def _change(database: Database, seen: Saved, editor: str | None) -> None:
    state, stamp = st.session_state, f"{seen.id}_{seen.version}"
    name, note = state[f"name_{stamp}"], state[f"note_{stamp}"]
    with saving.refusals("\n".join(filter(None, (name, note)))):
        visitor.check_writing(editor)
        shared = state.get(f"shared_{stamp}", seen.shared)
        given = {"name": name, "note": note, "shared": shared}
        shelf.change(database, seen.id, seen.version, **given, editor=editor)
        state[saving.CHANGED] = f"{name} was changed."


def _remove(database: Database, seen: Saved, editor: str | None) -> None:
    with saving.refusals():
        if not st.session_state[f"sure_{seen.id}_{seen.version}"]:
            raise BadRequestError("Tick the box first.")
        visitor.check_writing(editor)
        shelf.remove(database, seen.id, seen.version, editor=editor)
        st.session_state[saving.CHANGED] = f"{seen.name} was deleted."
