"""Does a hospital's own jury of language models score as its clinicians do?"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.answers import local_test
from core.answers.local_test import PublishedAgreement
from core.charts import intervals
from core.domain import FormularyError, TooFewError
from core.evidence.store import Store
from core.results import sheets
from core.results.files import MAX_BYTES
from core.statistics.raters import Agreement, JuryCheck
from core.words import figures
from pages.components import evidence, uploads
from pages.components.blocks import figure, how_made, table
from pages.components.downloads import button
from pages.components.notices import plain

_LARGEST_MB = MAX_BYTES // 2**20
_WHAT_TO_WRITE = (
    "who scored: a code for a clinician, or a member of the jury",
    "clinician or jury",
    "which answer was scored, the same code for every rater",
    "the score, a number with a decimal point; the mean where you score several aspects; empty "
    "where not scored",
)
_CLOSE = 0.1
"""A difference this small or smaller, over its whole interval, is called the same."""
_TITLE = "Agreement of jury and clinicians"


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
        help="The file is let go as soon as it is read. Its scores, with the names of raters and "
        "instances, stay in the memory of this session.",
    )
    button(
        "CSV template", data=sheets.ratings_template, name="ratings", kind="csv", mime="text/csv"
    )
    read = uploads.one("ratings_file", file, sheets.read_ratings)
    if read is None:
        _wanted()
    else:
        _result(store, read)
    how_made("Local validation", key="jury")


def _wanted() -> None:
    st.markdown(
        "**Upload your ratings to see the answer.** The file needs four columns; three answers "
        "scored by a clinician and the jury are the least, thirty or more make a useful interval. "
        "Use numbers or codes for answers and raters, no names of patients."
    )
    table(
        pd.DataFrame({"Column": sheets.RATING_COLUMNS, "What to write": _WHAT_TO_WRITE}),
        "ratings",
        "Columns of the CSV template: rater, role, instance, score",
        file=False,
    )


def _result(store: Store, given: sheets.Ratings | uploads.Fault) -> None:
    st.caption(
        "Scores, raters and instances are held in the memory of this session only. The file is not."
    )
    try:
        read = uploads.sound(given)
        for note in read.notes:
            st.caption(plain(note))
        with st.spinner("Comparing jury and clinicians…"):
            checked = local_test.jury_check(read)
    except TooFewError as few:
        st.info(plain(str(few)), icon=":material/info:")
    except FormularyError as fault:
        st.error(plain(str(fault)), icon=":material/upload_file:")
    else:
        _show(checked, local_test.published_agreement(store))


def _show(found: JuryCheck, published: Sequence[PublishedAgreement]) -> None:
    _answer(found)
    names = {"jury": "jury–clinicians", "clinicians": "clinician–clinician"}
    own = {"jury": found.jury, "clinicians": found.clinicians}
    rows = [
        (f"Your {names[key]}", figure.icc, figure.ci_low, figure.ci_high, intervals.OWN)
        for key, figure in own.items()
        if figure.icc is not None
    ] + [
        (f"MedHELM {names[p.compared]}", p.icc, p.ci_low, p.ci_high, intervals.PAPER)
        for p in published[:2]
    ]
    figure(
        intervals.agreements(rows),
        "local-validation",
        _TITLE,
        f"{_TITLE}: "
        + "; ".join(f"{label} {_figure(icc, low, high)}" for label, icc, low, high, _ in rows),
    )
    jury, clinicians = published[:2]
    st.caption(
        "Dots with 95 % intervals. MedHELM's own check stands below as a yardstick: "
        f"{jury.icc:.2f} for its jury, {clinicians.icc:.2f} between clinicians, over "
        f"{jury.n_instances} answers ({plain(jury.source)}). Dashed: borders between poor, "
        "moderate, good and excellent."
    )
    _table(found, published)
    _left_out(found)


def _figure(icc: float | None, low: float | None, high: float | None) -> str:
    if icc is None:
        return "not defined"
    return f"{icc:.2f} ({'no interval' if low is None else f'{low:.2f} to {high:.2f}'})"


def _own(figure: Agreement) -> str:
    return _figure(figure.icc, figure.ci_low, figure.ci_high)


def _level(icc: float) -> str:
    """Name the level of agreement after Koo and Li (2016)."""
    return next(
        (name for below, name in ((0.5, "poor"), (0.75, "moderate"), (0.9, "good")) if icc < below),
        "excellent",
    )


def _finding(found: JuryCheck) -> str:
    low, high = found.difference.ci_low, found.difference.ci_high
    if found.difference.icc is None:
        return (
            "How your clinicians agree with one another is not known: that takes two clinicians "
            "with three answers in common, which the jury scored too."
        )
    if low is None or high is None:
        return "These ratings are too few to say which of the two agreements is higher."
    if low > 0:
        return "Your jury agrees with your clinicians more than one of them agrees with the others."
    if high < 0:
        return "Your jury agrees with your clinicians less than one of them agrees with the others."
    if low >= -_CLOSE and high <= _CLOSE:
        return (
            "Your jury agrees with your clinicians about as much as one of them agrees with the "
            "others."
        )
    return (
        "These ratings cannot tell whether your jury agrees with your clinicians more or less "
        "than one of them agrees with the others."
    )


def _answer(found: JuryCheck) -> None:
    jury = found.jury
    told = ""
    if found.jury_with_others is not None and found.clinician_with_others is not None:
        told = (
            f" With one clinician left out, the jury agrees with the others by "
            f"{found.jury_with_others:.2f}, and the one left out by "
            f"{found.clinician_with_others:.2f}, on average."
        )
    if found.difference.icc is not None and found.difference.ci_low is not None:
        gap = [found.difference.icc, found.difference.ci_low, found.difference.ci_high]
        middle, low, high = (f"{value:+.2f}".replace("-", "−") for value in gap)
        told += f" The difference of {middle} may lie anywhere from {low} to {high}."
    told += f" As MedHELM counts, jury and all clinicians: {_own(jury)}"
    if found.clinicians.icc is not None:
        told += f"; two clinicians, on average: {_own(found.clinicians)}"
    st.markdown(f"**{_finding(found)}**{told}.")
    if jury.icc is None:
        st.markdown("Jury and clinicians have no figure: the mean of both is always the same.")
        return
    if found.jury_as_computed is not None and found.jury_as_computed < 0:
        st.markdown(
            f"As computed, the jury's figure is −{-found.jury_as_computed:.2f}. Below 0 means no "
            "agreement, and counts as 0."
        )
    words = f"By a common rule of thumb, the jury's agreement is *{_level(jury.icc)}*"
    if jury.ci_low is not None and jury.ci_high is not None:
        ends = [_level(jury.ci_low), _level(jury.ci_high)]
        if ends[0] != ends[1]:
            words += f", and the interval reaches from *{ends[0]}* to *{ends[1]}*"
    st.markdown(f"{words}.")


def _table(found: JuryCheck, published: Sequence[PublishedAgreement]) -> None:
    st.subheader("Figures")
    n = found.n_instances
    rows = [
        ("Your jury and the mean of your clinicians", found.jury, n),
        ("Two of your clinicians, average over pairs", found.clinicians, None),
    ]
    listed = [(what, f.icc, f.ci_low, f.ci_high, count) for what, f, count in rows]
    for one in found.one_left_out:
        without = f"without {one.clinician}"
        listed += [
            (f"Your jury and the clinicians {without}", one.jury_icc, None, None, one.n_instances),
            (
                f"{one.clinician} and the clinicians {without}",
                one.clinician_icc,
                None,
                None,
                one.n_instances,
            ),
        ]
    listed += [
        (f"{pair.first} and {pair.second}", pair.icc, None, None, pair.n_instances)
        for pair in found.pairs
    ]
    listed += [
        (
            f"MedHELM, {p.benchmarks}: "
            + ("jury and clinicians" if p.compared == "jury" else "two clinicians, average"),
            p.icc,
            p.ci_low,
            p.ci_high,
            p.n_instances,
        )
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


def _left_out(found: JuryCheck) -> None:
    st.caption(
        f"{figures.counted(len(found.clinician_names), 'clinician')}, "
        f"{figures.counted(len(found.jury_names), 'jury member')}, "
        f"{figures.counted(found.n_instances, 'instance')} scored by both"
        + (f", {found.n_by_one} of them by one clinician only" if found.n_by_one else "")
        + "."
    )
    if found.left_out:
        with st.expander(f"{len(found.left_out)} left out"):
            for name, reason in found.left_out[:200]:
                st.caption(plain(f"{name}: {reason}"))
