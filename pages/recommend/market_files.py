"""What a committee takes away from the market: the menu Export with its files."""

import json
from collections.abc import Callable
from functools import partial

import streamlit as st

from core.answers import documents
from core.answers.asked import Asked
from core.domain import Market
from core.sharing import market as market_file
from core.sheets import to_csv
from pages.components import controls, evidence, saving
from pages.components.files import button

_MOST_IN_MEMO = 4


def market_menu(asked: Asked, found: Market) -> None:
    """Draw the menu of files; what is in it is drawn when somebody opens it."""
    opened_menu = st.popover("Export", key="export", on_change="rerun")
    if not opened_menu.open:
        return
    address = controls.address(asked.store).url
    lists = [f"{it.list} {it.revision} of {it.said_on}" for it in asked.store.lists]
    task = asked.store.catalogue.tasks[asked.question.work.task]
    with opened_menu:
        memo = partial(
            documents.market_memo,
            *(asked, _finalists(found)),
            made_on=evidence.this_day(),
            address=address,
            own_cases=saving.own_results_about(found.choice.names),
        )
        missing = documents.without_pdf()
        files: dict[tuple[str, str, str], tuple[Callable[[], bytes | str], str]] = {
            ("Decision memo (PDF)", "memo", "pdf"): (
                lambda: documents.memo_pdf(asked.store, memo(), 2),
                "For a committee: what you can buy, who tested it, what to ask, and lines to sign.",
            ),
            ("Decision memo (HTML)", "memo", "html"): (
                lambda: memo().encode("utf-8"),
                "The same as a page for the browser, in one file.",
            ),
            ("Excel workbook", "market", "xlsx"): (
                partial(documents.market_workbook, asked, address),
                "What you can buy, every place in every test, every offer, what was left out, and "
                "the sources.",
            ),
            ("List (CSV)", "market", "csv"): (
                lambda: to_csv(
                    documents.market_records(asked, address), market_file.MARKET_COLUMNS
                ),
                "Every model you can buy or would have to ask about, with its grade, tests, "
                "offers, cost and sale.",
            ),
            ("Answer (JSON)", "market", "json"): (
                lambda: json.dumps(
                    market_file.market_document(found, asked.question, task, lists),
                    ensure_ascii=False,
                    indent=1,
                    allow_nan=False,
                ),
                "The answer for programs, as the command line writes it.",
            ),
        }
        for (label, begin, kind), (made, told) in files.items():
            if kind == "pdf" and missing:
                continue
            name = f"{begin}-{asked.question.work.task}-{evidence.this_day()}"
            button(label, data=made, name=name, kind=kind, help=told)
        if missing:
            st.caption(missing)


def _finalists(found: Market) -> tuple[str, ...]:
    """Let the reader choose whom the memo shows in full; at first those that the answer names."""
    names = {each.model.id: each.model.name for each in (*found.buyable, *found.ask)}
    chosen = st.multiselect(
        "Models in the memo",
        list(names),
        list(found.choice.names),
        format_func=lambda name: names[name],
        max_selections=_MOST_IN_MEMO,
        select_all=False,
        help="The memo shows these in full, with what to ask their vendors.",
    )
    return tuple(chosen)
