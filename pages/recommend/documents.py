"""What a committee takes away: the menu Export with its files, and a shortlist's receipt."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from core.answers import documents, market
from core.answers.asked import Asked
from core.answers.local_test import worth_of
from core.domain import InUse, Market
from core.procurement.recommendation import Recommendation
from core.sharing import export
from core.sharing import market as market_file
from core.sheets import to_csv
from pages.components import controls, entries, evidence, saving
from pages.components.files import button

_Files = dict[tuple[str, str], tuple[Callable[[], bytes | str], str]]
"""By label and name: what makes a file, and what is in it."""
_MOST_IN_MEMO = 4


def menu(asked: Asked, evidence_id: str, decided: Recommendation) -> None:
    """Draw the menu of a shortlist's files; what is in it is drawn when somebody opens it."""

    def files(address: str) -> _Files:
        make: dict[str, Any] = {"made_on": evidence.this_day(), "address": address}
        own = saving.own_results_about(export.named_by(decided))
        worth = partial(worth_of, asked.store, decided, asked.day)
        made: _Files = {
            ("List (CSV)", "shortlist.csv"): (
                lambda: to_csv(export.records(decided, address), export.SHORTLIST_COLUMNS),
                "All models that fit, with everything behind their ranks.",
            ),
            **_memos(
                asked,
                partial(documents.memo_html, asked, **make, own_cases=own),
                "One to three pages for a committee: the answer, its reasons, what was left out "
                "and what to ask.",
            ),
            ("Excel workbook", "shortlist.xlsx"): (
                partial(documents.workbook, asked, **make),
                "The shortlist, what was left out, every benchmark score, bills, questions, "
                "assumptions and the receipt.",
            ),
            ("Full evidence (CSV)", "evidence.csv"): (
                partial(documents.evidence_csv, asked),
                "One row per model and benchmark that counts.",
            ),
            ("Recommendation (JSON)", "recommendation.json"): (
                lambda: _json(export.document(decided, worth(), asked.day)),
                "The recommendation for programs, as the command line writes it.",
            ),
        }
        if not decided.shortlist.rows:
            del made["List (CSV)", "shortlist.csv"]
        return made

    _menu(asked, evidence_id, files)


def market_menu(asked: Asked, found: Market) -> None:
    """Draw the menu of the market's files; what is in it is drawn when somebody opens it."""
    task = asked.store.catalogue.tasks[asked.question.work.task]

    def files(address: str) -> _Files:
        memo = partial(
            documents.market_memo,
            *(asked, _finalists(found)),
            made_on=evidence.this_day(),
            address=address,
            own_cases=saving.own_results_about(found.choice.names),
        )
        return {
            **_memos(
                asked,
                memo,
                "For a committee: what you can buy, who tested it, what to ask, and lines to sign.",
                most_pages=2,
            ),
            **_workbook(asked, address),
            ("List (CSV)", "market.csv"): (
                lambda: to_csv(
                    documents.market_records(asked, address), market_file.MARKET_COLUMNS
                ),
                "Every model you can buy or would have to ask about, with its grade, tests, "
                "offers, cost and sale.",
            ),
            ("Answer (JSON)", "market.json"): (
                lambda: _json(_of_market(asked, found, address)),
                "The answer for programs, as the command line writes it.",
            ),
        }

    _menu(asked, task.id, files)


def menu_in_place(asked: Asked, found: Market, used: InUse) -> None:
    """Draw the menu of what takes the place of a model in use."""

    def files(address: str) -> _Files:
        memo = partial(
            documents.market_memo,
            *(asked, tuple(it.candidate.model.id for it in used.named)),
            made_on=evidence.this_day(),
            address=address,
            own_cases=saving.own_results_about((used.model.id,)),
            in_use=used,
        )
        told = "For a committee: what could take its place, what to ask, and lines to sign."
        return {
            **_memos(asked, memo, told, most_pages=2),
            **_workbook(asked, address),
            ("Answer (JSON)", "replace.json"): (
                lambda: _json(
                    _of_market(asked, found, address)
                    | market_file.in_use_document(used, len(found.buyable))
                ),
                "The answer for programs, as the command line writes it.",
            ),
        }

    _menu(asked, asked.question.work.task, files, key="export_in_place")


def _memos(asked: Asked, memo: Callable[[], str], told: str, *, most_pages: int = 3) -> _Files:
    return {
        ("Decision memo (PDF)", "memo.pdf"): (
            lambda: documents.memo_pdf(asked.store, memo(), most_pages),
            told,
        ),
        ("Decision memo (HTML)", "memo.html"): (
            lambda: memo().encode("utf-8"),
            "The same as a page for the browser, in one file.",
        ),
    }


def _workbook(asked: Asked, address: str) -> _Files:
    return {
        ("Excel workbook", "market.xlsx"): (
            partial(documents.market_workbook, asked, address),
            "What you can buy, every place in every test, every offer, what was left out, and the "
            "sources.",
        ),
    }


def _of_market(asked: Asked, found: Market, address: str) -> dict[str, Any]:
    lists = [f"{it.list} {it.revision} of {it.said_on}" for it in asked.store.lists]
    return market_file.market_document(
        *(found, asked.question, asked.store.catalogue, lists),
        volume=market.volume(asked),
        on=asked.day.isoformat(),
        link=address,
        relaxed=market.nearest(asked),
    )


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)


def _menu(asked: Asked, about: str, files: Callable[[str], _Files], *, key: str = "export") -> None:
    opened = entries.actions().popover("Export", key=key, on_change="rerun")
    if not opened.open:
        return
    missing = documents.without_pdf()
    with opened:
        # They are made outside this run: so all that they need is bound.
        for (label, file), (make, told) in files(controls.address(asked.store).url).items():
            begin, _, kind = file.partition(".")
            if not (kind == "pdf" and missing):
                name = f"{begin}-{about}-{evidence.this_day()}"
                button(label, data=make, name=name, kind=kind, help=told)
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


def draw_receipt(asked: Asked, costs: str, counted: str) -> None:
    """Draw the number of a shortlist's receipt, and on what its costs count."""
    address = controls.address(asked.store).url
    made = documents.receipt(asked, made_on=evidence.this_day(), address=address)
    st.caption(
        f"Receipt {made.in_groups()}\n\n{costs}",
        help="The same question on the same evidence, prices and software gives the same number, "
        f"in any browser and on any day. Quote it in your minutes. {counted}",
    )
