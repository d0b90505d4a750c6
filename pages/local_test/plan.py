"""How many of our own cases does it take, and what is agreed before anyone looks?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pandas as pd
import streamlit as st

from core.answers import documents
from core.local_test.package import build
from core.local_test.plan import Plan, Protocol, protocol
from core.sharing.memo import protocol_html, protocol_pdf
from core.words import local_test as words
from pages.components import entries, evidence
from pages.components.blocks import how_made, numbers, table
from pages.components.files import button
from pages.components.notices import plain
from pages.local_test import asked

_INSIDE = (
    ("README.md", "the steps, with each command as it is to be typed"),
    ("cases.csv", "a template for your cases: an id, the patient, the input, the reference"),
    ("de-identification.md", "what to remove before a case leaves the house, and who checks it"),
    ("inspect, medhelm, promptfoo", "the same cases for three tools: use the one you know"),
    ("ratings", "blinded sheets for two raters: cases in random order, models as letters"),
    ("key", "which letter is which model; keep it from the raters"),
)


def draw() -> None:
    """Draw the tab."""
    answered = st.container()
    main = st.container()
    fold = st.expander("What the number of cases assumes")
    with main:
        found = asked.draw(fold)
    with answered:
        st.markdown(f"**{plain(words.plan(found))}**")
        said = words.basis(found.basis, found.judged), words.difference(found), words.takes(found)
        st.caption(plain(" ".join(said)))
    frame = pd.DataFrame(
        {
            "Model": [each.name for each in found.models],
            "Part": ["held against" if each.reference else "candidate" for each in found.models],
            "Version": [each.id for each in found.models],
            "Answers cost, $": numbers(found.bills),
        }
    )
    table(frame, "local-test-models", f"Models of the local test on {found.work}")
    _agreed(found)
    how_made("Local test", key="local_plan")


def _agreed(found: Plan) -> None:
    """Draw the protocol, to be kept before any result is seen, and the package that goes by it."""
    made = protocol(found, evidence.today())
    st.subheader("Agree on it before anyone sees a result")
    st.markdown(
        plain(
            "The protocol holds the question, the models, the cases, the margin, the analysis and "
            "when to stop. Its number changes with any of them, so nobody can move the margin "
            "afterwards unnoticed."
        )
    )
    st.markdown(f"**Protocol {made.sha256[:12]}**")
    with st.container(horizontal=True):
        for kind, mime, make, told in _files(found, made):
            name = f"protocol-{made.sha256[:8]}"
            button(
                f"Protocol ({kind.upper()})", data=make, name=name, kind=kind, mime=mime, help=told
            )
    st.subheader("Hand it to those who run and rate the test")
    st.markdown(
        "The package carries the protocol's number, and no patient data: who runs it puts your own "
        "cases in, where they are allowed to be.\n"
        + "\n".join(f"- **{name}**: {what}" for name, what in _INSIDE)
    )
    with st.container(horizontal=True):
        button(
            "Package (ZIP)",
            data=lambda: build(made),
            name=f"local-test-{made.sha256[:8]}",
            kind="zip",
            mime="application/zip",
            help="The same plan gives the same file, with the same order of cases and letters.",
        )
        entries.link("local_test", "Results", label="Hand in the results", icon="upload_file")


def _files(found: Plan, made: Protocol) -> Iterator[tuple[str, str, Callable, str]]:
    """Give kind, MIME type, what makes it and what it is for, of each file of the protocol."""

    def html() -> str:
        return protocol_html(made, found)

    if not documents.without_pdf():
        told = "For the committee, with lines to sign."
        yield "pdf", "application/pdf", lambda: protocol_pdf(html()), told
    told = "The same as a page for the browser."
    yield "html", "text/html", lambda: html().encode("utf-8"), told
    told = "Hand it in with the results: what differs from it is then said."
    yield "json", "application/json", made.as_json, told
