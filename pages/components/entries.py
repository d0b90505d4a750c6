"""The entries of the menu and their tabs.

An entry is one question of a buyer. Its tabs are functions of modules, ``draw`` unless another is
named, of the store, what is asked, and the day of its prices; only the tab that is open is imported
and drawn, so that a closed one costs nothing.
"""

import re
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.answers import data, documents, recommend
from core.answers.asked import Asked
from core.evidence.catalogue import OWN_RESULT
from core.evidence.store import Store
from core.sharing.link import data_label
from core.words.renewal import old_scores
from core.words.shortlist import evidence_name
from pages.components import controls, evidence
from pages.components.notices import own_choice, plain


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the menu.

    Attributes
    ----------
    name
        Its folder in ``pages`` and its address.
    question
        What it answers, in one line.
    tabs
        Modules of its folder by the names of their tabs; the first one is open at first.
    """

    name: str
    question: str
    tabs: Mapping[str, str] = field(hash=False)
    in_menu: bool = True
    """Whether the menu has it; else what leads there is a link or the search box."""

    @property
    def title(self) -> str:
        """Return its name in the menu."""
        return self.name.replace("_", " ").capitalize()

    @property
    def key(self) -> str:
        """Return the key under which the address names the open tab."""
        return f"{self.name}_tab"


ENTRIES = {
    entry.name: entry
    for entry in (
        Entry(
            "recommend",
            "Which model for this work?",
            {"Answer": "answer", "How sure": "how_sure", "Kept lists": "kept"},
        ),
        Entry(
            "replace",
            "What could replace the model we use?",
            {"Candidates": "candidates", "Side by side": "side_by_side"},
        ),
        Entry(
            "cost",
            "What will it cost, and where?",
            {
                "Quality and cost": "quality",
                "Own servers": "own_servers",
            },
        ),
        Entry(
            "conditions",
            "May we buy it, and whom do we ask?",
            {"Models and platforms": "platforms", "Own answers": "platforms.own_answers"},
        ),
        Entry(
            "evidence",
            "What is it built on, and does it hold?",
            {
                "Clusters": "clusters",
                "Redundancy": "redundancy",
                "Win rates": "win_rates",
                "Coverage": "coverage",
                "BenchHealth": "benchhealth",
            },
        ),
        Entry(
            "local_test",
            "Does it hold on our own notes?",
            {"Plan": "plan", "Results": "results", "Jury check": "jury"},
        ),
        Entry(
            "data",
            "What is loaded, and is it sound?",
            {
                "Snapshots": "snapshots",
                "Suites": "snapshots.one_suite",
                "Own results": "own_results",
                "Flags and changes": "upkeep",
                "Methods": "methods",
            },
        ),
        Entry(
            "model",
            "What is known about a model, whoever tested it?",
            {"What is known": "known", "Compare": "known.compare"},
            in_menu=False,
        ),
    )
}
LANDING = ENTRIES["recommend"]
_OF_ONE_SUITE = ("Side by side", "Clusters", "Redundancy", "Win rates")
"""Tabs that need a suite to be asked."""
_OF_A_DAY = (
    *("How sure", "Candidates", "Side by side", "Quality and cost", "Own servers"),
    *("Models and platforms", "Plan"),
)
"""Tabs whose answer depends on the day of prices; that of Recommend gives both days' answers."""


_OF_LINKS = ("model", "in_use", "beside", "test_against", "test_models", "cases")
"""What a link to a tab may set, besides the tab."""
_AT = "at_page"
_ACTIONS: ContextVar[DeltaGenerator] = ContextVar("actions")
_ABOVE: ContextVar[DeltaGenerator] = ContextVar("above")
_STORE: ContextVar[Store] = ContextVar("store")
"""The evidence of this run; to ask for it again would look through the data folder again."""
_DRAWN: ContextVar[Entry | None] = ContextVar("drawn", default=None)
"""The entry that this run draws."""


def heading(title: str, store: Store) -> None:
    """Draw the title of an entry and what it answers, with a place at the right for what to do.

    The page below it shows the evidence of ``store``.
    """
    _STORE.set(store)
    with st.container(horizontal=True, vertical_alignment="center", key="heading"):
        st.title(title, width="content")
        st.caption(next(entry.question for entry in ENTRIES.values() if entry.title == title))
        _ACTIONS.set(st.container(horizontal=True, width="content"))


def arrive(title: str) -> None:
    """Let the link that led to this page from another win over what the session held.

    Streamlit drops a parameter that is the default of a control that holds something else.
    """
    before, st.session_state[_AT] = st.session_state.get(_AT, title), title
    run = get_script_run_ctx()
    if before == title or run is None:
        return
    asked = parse_qs(run.query_string)
    (tab,) = (entry.key for entry in ENTRIES.values() if entry.title == title)
    if tab not in asked:  # The menu leads to no tab.
        return
    if "test_against" in asked:  # Whom it is compared with goes by it, unless the link says.
        asked.setdefault("test_models", [])
    for key in asked.keys() & {tab, *_OF_LINKS}:
        st.session_state.pop(key, None)


def search(title: str) -> None:
    """Draw the box that leads to the page of any model, on the page with a title."""

    def seek() -> None:
        st.session_state["sought"] = st.session_state["which_model"].strip()
        st.session_state["which_model"] = ""

    st.text_input(
        "Which model?",
        key="which_model",
        on_change=seek,
        placeholder="Which model?",
        label_visibility="collapsed",
        width=200,
    )
    if sought := st.session_state.pop("sought", ""):
        entry = ENTRIES["model"]
        st.session_state["model"] = sought
        st.session_state[entry.key] = next(iter(entry.tabs))
        # On that page itself the address follows its control, and nothing else may write it.
        if title != entry.title:
            st.switch_page(page(entry), query_params={"model": sought})


def seek_pressed(key: str) -> None:
    """Look for the model that was pressed in a picture; for a callback."""
    if pressed := st.session_state[key]["selection"].get("model"):
        st.session_state["sought"] = pressed[0]["model"]


def actions() -> DeltaGenerator:
    """Return the place at the top right of the page that this run draws."""
    return _ACTIONS.get()


def above_tabs() -> DeltaGenerator:
    """Return the place above the tabs, for a control that two of them share.

    Drawn within both it would lose its place in the address: the browser gives that up when the
    tab that is left disappears, which is after the other tab was drawn.
    """
    return _ABOVE.get()


def page(entry: Entry) -> st.Page:
    """Return the page of an entry for the menu, and for links to it."""
    return st.Page(
        partial(_draw, entry),
        title=entry.title,
        url_path=entry.name,
        default=entry is LANDING,
        visibility="visible" if entry.in_menu else "hidden",
    )


def _draw(entry: Entry) -> None:
    _DRAWN.set(entry)
    store, names = _STORE.get(), list(entry.tabs)
    asked = controls.asked_of(store)
    suite = asked.question.evidence.suite
    # Whoever is on the tab stays there when the evidence changes.
    opened = st.session_state.get(entry.key, st.query_params.get(entry.key))
    if "BenchHealth" in names and suite != "benchhealth" and opened != "BenchHealth":
        names.remove("BenchHealth")
    own_choice(entry.key, "The tab", names, names[0])
    _ABOVE.set(st.container())
    tabs = st.tabs(names, key=entry.key, on_change="rerun", bind="query-params")
    for title, tab in zip(names, tabs, strict=True):
        if tab.open:
            with tab:
                module, _, function = entry.tabs[title].partition(".")
                drawn = getattr(import_module(f"pages.{entry.name}.{module}"), function or "draw")
                needs_suite = not suite and title in _OF_ONE_SUITE
                if title in _OF_A_DAY:
                    _another_day(asked)
                drawn(put_to_one_suite(asked) if needs_suite else asked)


def _another_day(asked: Asked) -> None:
    """Where the answer is not today's, say so and lead to that."""
    if not (said := documents.said_of_day(asked, evidence.this_day())):
        return
    values: dict[str, Any] = {"prices": None}
    if not asked.is_of_newest:
        values["data"] = data_label(asked.store.snapshot(asked.question.evidence.suite))
    with st.container(horizontal=True, vertical_alignment="center", key="another_day"):
        st.markdown(f"**{plain(said)}**", width="content")
        set_button("Ask today", values, icon=":material/today:")


def put_to_one_suite(asked: Asked) -> Asked:
    """Put the question to one suite, where a tab needs one, and say to which.

    On Replace, to one that has most of the model in use and those that are chosen.
    """
    used: tuple[str, ...] = ()
    if _DRAWN.get() is ENTRIES["replace"]:
        from core.answers import model  # noqa: PLC0415 - other pages need no such names

        linked = st.session_state.get("in_use") or st.query_params.get("in_use")
        if linked in model.names(asked.store):
            used = (model.called(asked.store, linked).id,)
        used += asked.question.limits.only
    one = recommend.in_one_suite(asked, used)
    name = evidence_name(one.question, asked.store.catalogue)
    age = data.aged(one.store, one.question, evidence.this_day()).scores
    said = f"Based on {name} alone: this view needs one suite. {old_scores(age) if age else ''}"
    st.caption(plain(said))
    return one


def link(
    name: str,
    tab: str,
    *,
    label: str,
    icon: str,
    **also: str | list[str],
) -> None:
    """Draw a link to a tab, with parameters of its own; the question goes along."""
    entry, icon = ENTRIES[name], f":material/{icon}:"
    opened = {entry.key: tab, **also}
    if entry is _DRAWN.get():  # A link to its own page would open the tab unseen by the address.
        set_button(label, opened, icon=icon, type="tertiary")
    else:
        st.page_link(page(entry), label=label, icon=icon, query_params=opened)


def set_button(label: str, values: Mapping[str, Any], **look: Any) -> None:  # noqa: ANN401 - as Streamlit
    """Draw a button that gives controls their values, by their keys."""
    st.button(label, on_click=st.session_state.update, args=(values,), **look)


def link_to_plan(label: str, names: Sequence[str], icon: str = "fact_check", **also: str) -> None:
    """Draw the way to the plan of a test of models, the others compared with the first one."""
    others = {"test_models": [*names[1:]]} if names[1:] else {}
    link("local_test", "Plan", label=label, icon=icon, test_against=names[0], **others, **also)


def carried() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the question as the address has it."""
    held = {key: tuple(st.query_params.get_all(key)) for key in st.query_params}
    if not held:  # A first visit has an empty address, which would ask one suite elsewhere.
        held = {"evidence": (st.session_state["evidence"],), "gates": (*st.session_state["gates"],)}
    return tuple(held.items())


def address_of(page: str, question: tuple[tuple[str, tuple[str, ...]], ...], **also: str) -> str:
    """Return where a page lies, from this one; the question goes along, as `carried` gives it."""
    return f"{page}?{urlencode(dict(question) | also, doseq=True)}"


def link_to_model(model_id: str, name: str) -> None:
    """Draw the link to what is known of a model; of an own result nothing is."""
    if model_id.endswith(OWN_RESULT):
        return
    label = f"What is known about {plain(name)}"
    link("model", "What is known", label=label, icon="badge", model=model_id)


_COMMENT_LINE = re.compile(r"^ *//.*\n", re.MULTILINE)
_WRITTEN = (Path(__file__).parent / "script.js").read_text("utf-8")
SCRIPT = f"<script>\n{_COMMENT_LINE.sub('', _WRITTEN)}</script>"
"""Fixed text, named by its hash: the content security policy lets no other run, so nothing that
depends on data may be written into it."""


def run_script() -> None:
    """Put the script of the app's own on the page."""
    st.html(SCRIPT, unsafe_allow_javascript=True)
