"""What a committee takes away from a shortlist: memo, workbook, full evidence, and the receipt."""

from __future__ import annotations

from functools import partial

import pyarrow as pa
import streamlit as st

from core.answers import documents as documents_answers
from core.domain import Shortlist
from core.evidence.store import Store
from core.sharing import link
from core.sharing.receipt import Receipt
from pages.components import evidence
from pages.components.downloads import button

_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def documents(store: Store, opened: link.Opened, found: Shortlist, address: str) -> None:
    """Draw the buttons and the receipt of a shortlist, with or without rows.

    Parameters
    ----------
    address
        The link to this page with every choice in it.
    """
    requirements, today = opened.requirements, evidence.today()
    on = evidence.priced_on(requirements)
    # The files are made outside this run, so all that they need is bound here.
    make = {"made_on": today, "address": address}
    asked = (store, requirements, on)
    files = [
        (
            *("Decision memo (PDF)", "pdf", "application/pdf"),
            partial(documents_answers.memo_pdf, *asked, **make),
            "One to three pages for a committee: the answer, its reasons, what was left out and "
            "what to ask.",
        ),
        (
            *("Decision memo (HTML)", "html", "text/html"),
            partial(_html, *asked, **make),
            "The same as a page for the browser, in one file.",
        ),
        (
            *("Excel workbook", "xlsx", _XLSX),
            partial(documents_answers.workbook, *asked, **make),
            "The shortlist, what was left out, every benchmark score, bills, questions, "
            "assumptions and the receipt.",
        ),
        (
            *("Full evidence (CSV)", "csv", "text/csv"),
            partial(documents_answers.evidence_csv, *asked),
            "One row per model and benchmark that counts.",
        ),
    ]
    missing = documents_answers.without_pdf()
    with st.container(horizontal=True, gap="small"):
        for label, kind, mime, data, told in files:
            if kind == "pdf" and missing:
                continue
            name = {"xlsx": "shortlist", "csv": "evidence"}.get(kind, "memo")
            button(
                label,
                data=data,
                name=f"{name}-{opened.evidence.id}-{today}",
                kind=kind,
                mime=mime,
                help=told,
            )
    if missing:
        st.caption(missing)
    _receipt(documents_answers.receipt(*asked, **make))


def _html(*asked: object, **make: object) -> bytes:
    return documents_answers.memo_html(*asked, **make).encode("utf-8")


def _receipt(made: Receipt) -> None:
    # Apart from its fold, which would close at each change of the number.
    st.markdown(
        f"**Receipt {made.in_groups()}**",
        help="The same question on the same evidence, prices and software gives the same number, "
        "in any browser and on any day. Quote it in your minutes.",
    )
    fold = st.expander("What the receipt stands for", key="receipt_fold", on_change="rerun")
    if not fold.open:
        return
    with fold:
        items = made.lines()
        st.dataframe(
            pa.table({"Item": [i for i, _ in items], "Value": [v for _, v in items]}),
            hide_index=True,
            key="receipt_items",
            alt="Receipt: " + "; ".join(f"{item} {value}" for item, value in items[:3]),
        )
        st.markdown("**What it assumes**")
        st.dataframe(
            pa.table(
                {
                    "Assumption": [it.label for it in made.assumptions],
                    "Basis": [it.basis for it in made.assumptions],
                    "Value": [it.value for it in made.assumptions],
                }
            ),
            hide_index=True,
            column_config={"Value": st.column_config.TextColumn(width="large")},
            key="receipt_assumptions",
            alt="The assumptions behind the shortlist, and which of them you set",
        )
