"""How many of our own cases does it take, and what is agreed before anyone looks?"""

from functools import partial
from typing import Any

import streamlit as st

from core.answers import data, documents, local_test, open_cases
from core.answers.asked import Asked
from core.evidence.store import Store
from core.local_test.open_cases import OpenTest
from core.local_test.open_cases import build_open as open_package
from core.local_test.package import build_package
from core.local_test.plan import Plan, protocol
from core.sharing.memo import print_pdf, protocol_html
from core.words import local_test as words
from pages.components import entries, evidence
from pages.components.blocks import how_made, numbers, table
from pages.components.files import button
from pages.components.notices import plain
from pages.local_test.asking import planned


def draw(asked: Asked) -> None:
    """Draw the tab."""
    answered, main = st.container(), st.container()
    fold = st.expander("What the number of cases assumes")
    with main:
        what = planned(asked, fold)
    found, on_open = what.plan, None
    if what.cases:
        judge = data.model(asked.store, what.judge).name if what.judge else ""
        agreed = protocol(found, evidence.this_day(), judge)
        on_open = open_cases.open_test(asked, agreed, what.cases, what.names, what.judge)
    with answered:
        there = what.cases.n_cases if what.cases else None
        st.markdown(f"**{plain(words.plan_in_words(found, there))}**")
        if said := words.margin_of_protocol(found):
            st.caption(plain(said))
        if on_open:
            st.caption(plain(" ".join(words.on_open_cases(on_open))))
            tested = [each.name for each in found.models]
            if own := open_cases.of_one_maker(asked.store, judge, tested):
                st.warning(plain(words.judged_its_own(judge, own)), icon=":material/balance:")
        else:
            told = [words.difference(found), words.takes(found)]
            if worth := local_test.worth_of_plan(found, asked.question.margin):
                told.append(words.worth(worth))
            st.caption(plain(" ".join((words.basis_in_words(found.basis, found.judged), *told))))
    if on_open:
        _package(on_open)
    _models_of(found, on_open)
    if not on_open:
        _agreed(asked.store, found)
    how_made("Local test", key="local_plan")


def _models_of(found: Plan, on_open: OpenTest | None) -> None:
    columns: dict[str, Any] = {
        "Model": [each.name for each in found.models],
        "Role": ["reference" if each.reference else "candidate" for each in found.models],
        "Version": [each.id for each in found.models],
    }
    if on_open:
        columns["Called as"] = [each.call or "fill in" for each in on_open.models]
    else:
        columns["Answers cost, $"] = numbers(found.bills)
    table(columns, "local-test-models", f"Models of the local test on {found.work}")


def _package(test: OpenTest) -> None:
    with st.container(horizontal=True):
        button(
            "Package (ZIP)",
            data=lambda: open_package(test),
            name=f"open-cases-{test.agreed.sha256[:8]}",
            kind="zip",
            help="Its one command, ./run, sets up the tools and asks every model. It contains no "
            "cases: the tool downloads them.",
        )
        entries.link("local_test", "Results", label="Upload the results", icon="upload_file")


def _agreed(store: Store, found: Plan) -> None:
    """Draw the protocol, to be kept before any result is seen, and the package that goes by it."""
    made = protocol(found, evidence.this_day())
    html = partial(protocol_html, made, found)
    st.subheader("Agree on it before anyone sees a result")
    st.markdown(
        "The protocol holds the question, the models, the cases, the margin, the analysis and "
        "when to stop. Its number changes with any of them, so nobody can move the margin "
        "afterwards unnoticed."
    )
    st.markdown(f"**Protocol {made.sha256[:12]}**")
    files = (
        ("pdf", lambda: print_pdf(html(), 2), "With lines to sign."),
        ("html", lambda: html().encode("utf-8"), "The same for the browser."),
        ("json", made.as_json, "Hand it in with the results."),
    )
    with st.container(horizontal=True):
        for kind, make, told in files[bool(documents.without_pdf()) :]:
            name = f"protocol-{made.sha256[:8]}"
            button(f"Protocol ({kind.upper()})", data=make, name=name, kind=kind, help=told)
    st.subheader("Hand it to those who run and rate the test")
    st.markdown(
        "The package carries the protocol's number, and no patient data: whoever runs it adds "
        "your own cases, where they are allowed to be. Its one command asks every model, and "
        "writes a blinded sheet of the answers for each rater and, apart, the key to the sheets."
    )
    with st.container(horizontal=True):
        button(
            "Package (ZIP)",
            data=lambda: build_package(made, open_cases.calls_of(store, made)),
            name=f"local-test-{made.sha256[:8]}",
            kind="zip",
            help="The same plan gives the same file, with the same order of cases and letters.",
        )
        entries.link("local_test", "Results", label="Upload the results", icon="upload_file")
