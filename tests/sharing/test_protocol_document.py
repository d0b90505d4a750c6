"""The protocol as a document: what was agreed, every text escaped, at most two pages."""

import io
from datetime import date

import pypdf
import pytest

from core.local_test.plan import Basis, TestedModel, plan, protocol
from core.sharing.memo import protocol_html, protocol_pdf

pytestmark = [pytest.mark.documents, pytest.mark.slow]


def planned(name="GPT-5 mini", work="visit notes", n=1):
    long = [TestedModel(f"{name} {i}", f"id-{i}-{name}", False, 0.0015) for i in range(n)]
    return plan(
        work,
        [TestedModel("GPT-5", "gpt-5-x", reference=True), *long],
        judged="right/wrong",
        margin=0.05,
        bases=[Basis("measured", 0.2, where="MedQA", n_items=1273)],
    )


def test_it_says_what_was_agreed_and_what_it_takes():
    found = planned()
    frozen = protocol(found, date(2026, 11, 23))
    pages = pypdf.PdfReader(io.BytesIO(protocol_pdf(protocol_html(frozen, found)))).pages
    text = " ".join(" ".join(page.extract_text().split()) for page in pages)
    assert len(pages) == 1
    for said in (
        "Frozen on 2026-11-23, before any result is seen.",
        "Is GPT-5 mini 0 as good as GPT-5 within 5 points on visit notes?",
        "630, each answered by every model",
        "Measured on MedQA, 1,273 items",
        "105 hours: 2 raters, each 5 minutes",
        "$0.95",  # 630 · (2,000 · 0.25 + 500 · 2)/10⁶
        "cost not known",
        "Signature",
        frozen.sha256[:40],
    ):
        assert said in text
    assert "What it takes" not in protocol_html(frozen)


def test_texts_are_escaped_and_the_longest_fit_two_pages():
    found = planned("<b>" + "W" * 180, "<script>" + "w" * 190, n=3)
    html = protocol_html(protocol(found, date(2026, 11, 23)), found)
    assert "<b>" not in html
    assert "<script>" not in html
    assert len(pypdf.PdfReader(io.BytesIO(protocol_pdf(html))).pages) <= 2
