"""What a committee takes away from a shortlist: the menu Export with its files, and the receipt."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from core.answers import documents
from core.answers.asked import Asked
from core.answers.local_test import worth_of
from core.procurement.recommendation import Recommendation
from core.sharing import export
from core.sheets import to_csv
from pages.components import controls, evidence, saving
from pages.components.files import button


def menu(asked: Asked, evidence_id: str, decided: Recommendation) -> None:
    """Draw the menu of files; what is in it is drawn when somebody opens it."""
    opened_menu = st.popover("Export", key="export", on_change="rerun")
    if not opened_menu.open:
        return
    # They are made outside this run: so all that they need is bound.
    address = controls.address(asked.store).url
    make: dict[str, Any] = {"made_on": evidence.this_day(), "address": address}
    own = saving.own_results_about(export.named_by(decided))
    memo = partial(documents.memo_html, asked, **make, own_cases=own)
    files: dict[tuple[str, str, str], tuple[Callable[[], bytes | str], str]] = {
        ("List (CSV)", "shortlist", "csv"): (
            lambda: to_csv(export.records(decided, address), export.SHORTLIST_COLUMNS),
            "All models that fit, with everything behind their ranks.",
        ),
        ("Decision memo (PDF)", "memo", "pdf"): (
            lambda: documents.memo_pdf(asked.store, memo()),
            "One to three pages for a committee: the answer, its reasons, what was left out and "
            "what to ask.",
        ),
        ("Decision memo (HTML)", "memo", "html"): (
            lambda: memo().encode("utf-8"),
            "The same as a page for the browser, in one file.",
        ),
        ("Excel workbook", "shortlist", "xlsx"): (
            partial(documents.workbook, asked, **make),
            "The shortlist, what was left out, every benchmark score, bills, questions, "
            "assumptions and the receipt.",
        ),
        ("Full evidence (CSV)", "evidence", "csv"): (
            partial(documents.evidence_csv, asked),
            "One row per model and benchmark that counts.",
        ),
        ("Recommendation (JSON)", "recommendation", "json"): (
            lambda: json.dumps(
                export.document(decided, worth_of(asked.store, decided, asked.day), asked.day),
                ensure_ascii=False,
                indent=1,
                allow_nan=False,
            ),
            "The recommendation for programs, as the command line writes it.",
        ),
    }
    missing = documents.without_pdf()
    with opened_menu:
        for (label, begin, kind), (made, told) in files.items():
            if (kind == "pdf" and missing) or (
                label == "List (CSV)" and not decided.shortlist.rows
            ):
                continue
            name = f"{begin}-{evidence_id}-{evidence.this_day()}"
            button(label, data=made, name=name, kind=kind, help=told)
        if missing:
            st.caption(missing)


def draw_receipt(asked: Asked, costs: str, counted: str) -> None:
    """Draw the number of a shortlist's receipt, and on what its costs count."""
    address = controls.address(asked.store).url
    made = documents.receipt(asked, made_on=evidence.this_day(), address=address)
    st.caption(
        f"Receipt {made.in_groups()}\n\n{costs}",
        help="The same question on the same evidence, prices and software gives the same number, "
        f"in any browser and on any day. Quote it in your minutes. {counted}",
    )
