"""Does a hospital's own jury of language models score as its clinicians do?"""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.answers import local_test
from core.domain import FormularyError, TooFewError
from core.evidence.imports import MAX_BYTES, ratings
from core.evidence.store import Store
from pages.components import evidence
from pages.components.blocks import how_made
from pages.components.downloads import button
from pages.components.notices import plain
from pages.local_test import jury_result

_LARGEST_MB = MAX_BYTES // 2**20
_WHAT_TO_WRITE = (
    "who scored: a code for a clinician, or a member of the jury",
    "clinician or jury",
    "which answer was scored, the same code for every rater",
    "the score, a number with a decimal point; the mean where you score several aspects; empty "
    "where not scored",
)


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    st.markdown(
        "Can a jury of language models score answers in place of your clinicians? Let both score "
        "the same answers: a jury is good enough where it agrees with your clinicians about as "
        "much as one of them agrees with the others."
    )
    file = st.file_uploader(
        f"Ratings as CSV, at most {_LARGEST_MB} MB",
        type=["csv", "txt", "tsv"],
        max_upload_size=_LARGEST_MB,
        key="ratings_file",
        help="The file stays in the memory of this session. It is not kept on the server, and is "
        "gone when you close the page.",
    )
    button("CSV template", data=ratings.template, name="ratings", kind="csv", mime="text/csv")
    if file is None:
        _wanted()
    else:
        _result(store, file.name, file.getvalue())
    how_made("Local validation", key="jury")


def _wanted() -> None:
    """Say what to upload."""
    st.markdown(
        "**Upload your ratings to see the answer.** The file needs four columns; three answers "
        "scored by a clinician and the jury are the least, thirty or more make a useful interval. "
        "Use numbers or codes for answers and raters, no names of patients."
    )
    st.dataframe(
        pd.DataFrame({"Column": ratings.COLUMNS, "What to write": _WHAT_TO_WRITE}),
        hide_index=True,
        alt="Columns of the CSV template: rater, role, instance, score",
    )


def _result(store: Store, name: str, content: bytes) -> None:
    """Read the ratings, and say what they show."""
    st.caption("Held in the memory of this session only, and not kept on the server.")
    try:
        read = ratings.read(name, content)
        for note in read.notes:
            st.caption(plain(note))
        with st.spinner("Comparing jury and clinicians…"):
            checked = local_test.jury_check(read)
    except TooFewError as few:
        st.info(plain(str(few)), icon=":material/info:")
    except FormularyError as fault:
        st.error(plain(str(fault)), icon=":material/upload_file:")
    else:
        jury_result.draw(checked, local_test.published_agreement(store))
