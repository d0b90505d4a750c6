"""What a committee takes away from the market: the menu Export with its files."""

import json
from datetime import date

import streamlit as st

from core.domain import Market, Requirements
from core.evidence.store import Store
from core.sharing import export
from core.sharing import market as market_file
from pages.components import controls, evidence
from pages.components.files import button


def menu(store: Store, asked: Requirements, found: Market, day: date) -> None:
    """Draw the menu of files; what is in it is drawn when somebody opens it."""
    opened_menu = st.popover("Export", key="export", on_change="rerun")
    if not opened_menu.open:
        return
    address = controls.address(store).url
    judges = {suite.id: suite.judged_by for suite in store.catalogue.suites.values()}
    lists = [f"{it.list} {it.revision} of {it.said_on}" for it in store.lists]
    task = store.catalogue.tasks[asked.task]
    files = {
        ("List (CSV)", "market", "csv"): (
            lambda: export.to_csv(
                market_file.records(found, judges, day.isoformat(), address), market_file.COLUMNS
            ),
            "Every model you can buy or would have to ask about, with its grade, tests, offers, "
            "cost and sale.",
        ),
        ("Answer (JSON)", "market", "json"): (
            lambda: json.dumps(
                market_file.document(found, asked, task, lists),
                ensure_ascii=False,
                indent=1,
                allow_nan=False,
            ),
            "The answer for programs, as the command line writes it.",
        ),
    }
    with opened_menu:
        for (label, begin, kind), (made, told) in files.items():
            name = f"{begin}-{asked.task}-{evidence.today()}"
            button(label, data=made, name=name, kind=kind, help=told)
