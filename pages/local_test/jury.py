"""Does a hospital's own jury of language models score as its clinicians do?"""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.answers import local_test
from core.answers.asked import Asked
from core.answers.local_test import PublishedAgreement
from core.evidence.store import Store
from core.results import sheets
from core.statistics.raters import JuryCheck, check_jury
from core.words import local_test as words
from pages.components import files
from pages.components.blocks import how_made, table
from pages.components.files import button
from pages.components.notices import faults_as_sentences, plain

_TITLE = "Agreement of jury and clinicians"


def draw(asked: Asked) -> None:
    """Draw the tab."""
    st.markdown(
        "Can a jury of language models score answers in place of your clinicians? Let both score "
        "the same answers: a jury is good enough where it agrees with your clinicians about as "
        "much as one of them agrees with the others."
    )
    file = st.file_uploader(
        f"Ratings as CSV, at most {files.LARGEST_MB} MB",
        type=["csv", "txt", "tsv"],
        max_upload_size=files.LARGEST_MB,
        key="ratings_file",
        help="The file is discarded as soon as it has been read. Its scores, with the names of "
        "raters and "
        "instances, stay in the memory of this session.",
    )
    button(
        "CSV template",
        data=sheets.ratings_template,
        name="ratings",
        kind="csv",
        help="Rater: a code for a clinician, or a member of the jury. Role: clinician or jury. "
        "Instance: which answer was scored, the same code for every rater. Score: a number with a "
        "decimal point; the mean where you score several aspects; empty where not scored.",
    )
    read = files.one("ratings_file", file, sheets.read_ratings)
    if read is None:
        st.markdown(
            "**Upload your ratings to see the answer.** The file needs four columns; at least "
            "three answers must be scored by both a clinician and the jury, and thirty or more "
            "give a useful interval. Use numbers or codes for answers and raters, not patients' "
            "names."
        )
    else:
        _result(asked.store, read)
    how_made("Local validation", key="jury")


def _result(store: Store, given: sheets.Ratings | files.FileFault) -> None:
    st.caption(
        "Scores, raters and instances are held in the memory of this session only; the file is "
        "not kept."
    )
    with faults_as_sentences("Jury check"):
        read = files.sound(given)
        for note in read.notes:
            st.caption(plain(note))
        # Never remembered: an upload stays with the visitor who brought it.
        checked = check_jury(read.scores, read.instances, read.raters, read.in_jury)
        _answer(checked)
        _table(checked, local_test.published_agreement(store))
        _counted(checked)


def _counted(found: JuryCheck) -> None:
    st.caption(words.rated_by(found))
    if found.left_out:
        with st.expander(f"{len(found.left_out)} left out"):
            for name, reason in found.left_out[:200]:
                st.caption(plain(f"{name}: {reason}"))


def _answer(found: JuryCheck) -> None:
    st.markdown(f"**{plain(words.jury_finding(found))}** {plain(words.jury_behind(found))}")
    if said := words.no_agreement(found):
        st.markdown(plain(said))


def _table(found: JuryCheck, published: Sequence[PublishedAgreement]) -> None:
    st.subheader("Figures")
    both = (
        ("Your jury and the mean of your clinicians", found.jury, found.n_instances),
        ("Two of your clinicians, average over pairs", found.clinicians, None),
    )
    listed = [(name, it.icc, it.ci_low, it.ci_high, n) for name, it, n in both]
    for one in found.one_left_out:
        n, without = one.n_instances, f"the clinicians without {one.clinician}"
        listed += [
            (f"Your jury and {without}", one.jury_icc, None, None, n),
            (f"{one.clinician} and {without}", one.clinician_icc, None, None, n),
        ]
    listed += [(f"{p.first} and {p.second}", p.icc, None, None, p.n_instances) for p in found.pairs]
    whom = {"jury": "jury and clinicians", "clinicians": "two clinicians, average"}
    listed += [
        (f"MedHELM, {p.benchmarks}: {whom[p.compared]}", p.icc, p.ci_low, p.ci_high, p.n_instances)
        for p in published
    ]
    frame = pd.DataFrame(listed, columns=["Compared", "Agreement", "From", "To", "Instances"])
    frame = frame.astype({"Agreement": float, "From": float, "To": float, "Instances": "Int64"})
    table(
        frame,
        "local-validation-figures",
        _TITLE,
        placeholder="none",
        alt=f"{_TITLE}, with each pair of clinicians and MedHELM's figures",
    )
