"""The frame of LLM Formulary: page settings, menu, and the question in the side bar.

``streamlit run app.py`` starts it. Read as a module, this file is the server; run as a script
in a browser session, it draws the frame and then the page.
"""

import logging
import os
import sys
import threading
import time
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from streamlit import net_util
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core import logs, serving
from core.answers import data
from core.domain import FormularyError
from core.evidence.store import Store, data_folder
from core.memory import asking
from core.renewal import schedule
from core.sources import refresh
from core.words.renewal import old_list, old_scores
from pages.components import controls, entries, evidence, files, notices, renewal, visitor


def frame() -> None:
    """Draw one run of the app."""
    # The icon as a data URL: a file of it can be gone while a browser asks for it.
    icon = b64encode((Path(__file__).parent / "pages/components/icon.png").read_bytes()).decode()
    st.set_page_config("LLM Formulary", f"data:image/png;base64,{icon}", layout="wide")
    may_view = visitor.may_view()
    page = st.navigation(
        list(map(entries.page, entries.ENTRIES.values())),
        position="top" if may_view else "hidden",
    )
    notices.style()
    if not may_view:
        visitor.draw_login()
        return
    aged = ""
    with notices.faults_as_sentences(page.title), asking(visitor.still_here):
        begun = time.perf_counter()
        entries.arrive(page.title)
        store = evidence.store()
        with st.sidebar:
            visitor.draw_account()
            controls.draw(store)
        notices.link_notes()
        notices.snapshot_faults(store)
        evidence.lost_session()
        entries.heading(page.title, store)
        with entries.actions().container(width="content").spinner("Working it out…"):
            with entries.actions():
                entries.search(page.title)
                controls.copy_link(store)
            controls.asked(store)
            page.run()
        controls.show_answer()
        aged = below(page.title, store, time.perf_counter() - begun)
    notices.standing(aged)
    # At the end, since it takes room where it is drawn.
    entries.run_script()


def below(page: str, store: Store, seconds: float) -> str:
    """Return what has grown old of scores and prices; write to the log that a page was drawn."""
    asked = controls.opened(store).question
    found, said = data.aged(store, asked, evidence.this_day()), []
    if found.scores:
        said.append(old_scores(found.scores))
    if found.prices:
        said.append(f"{old_list(found.prices.isoformat())}, over 90 days ago.")
    if logs.LOGGER.isEnabledFor(logging.DEBUG):
        logs.event(
            "page",
            "A page was drawn",
            level=logging.DEBUG,
            page=page,
            milliseconds=round(seconds * 1000),
            suite=asked.evidence.suite,
            rows=store.snapshot(asked.evidence.suite, asked.evidence.revision).n_rows
            if asked.evidence.suite
            else 0,
        )
    return " ".join(said)


@asynccontextmanager
async def start(_: st.App) -> AsyncIterator[None]:
    """Make a fresh server ready for a shared link as its very first request."""
    # The folder "pages" makes Streamlit take the first run for the older kind of multi-page
    # app, which opens a "Page not found" dialog over any page but the first.
    PagesManager.uses_pages_directory = False
    files.serve()
    logs.set_up()
    visitor.check_login()
    try:
        if os.environ.get("FORMULARY_DATA"):
            refresh.fill(data_folder(), Path(__file__).parent / "data")
    except FormularyError as error:
        logs.event("evidence", str(error), level=logging.ERROR)

    def work() -> None:
        evidence.warm_up()
        if SCHEDULE is not None:
            renewal.keep_running(SCHEDULE)

    threading.Thread(target=work, daemon=True).start()
    yield
    renewal.end()


def layers() -> list[Middleware]:
    """Return what is between the network and Streamlit, the outermost first."""
    rules = serving.rules()
    page = (Path(st.__file__).parent / "static/index.html").read_text("utf-8")
    return [
        Middleware(serving.Guard, page=page + entries.SCRIPT, rules=rules),
        Middleware(TrustedHostMiddleware, allowed_hosts=rules.allowed_hosts, www_redirect=False),
        Middleware(serving.Uploads, held=visitor.uploads, may_upload=visitor.may_upload),
        Middleware(visitor.LoginReturn),
    ]


if get_script_run_ctx(suppress_warning=True) is None:
    # Else Streamlit asks a host on the internet for this server's own address, where a page of a
    # foreign origin knocks.
    net_util.get_external_ip = lambda: None
    try:
        SCHEDULE = schedule()
        serving.rules()
    except (FormularyError, ValueError) as fault:
        sys.exit(f"error: {fault}")
    app = st.App(__file__, lifespan=start, middleware=layers(), on_script_error=notices.failed)
else:
    frame()
