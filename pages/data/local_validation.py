"""Does a hospital's own jury of language models score as its clinicians do?"""

import pandas as pd
import streamlit as st

from core.answers import local_test
from core.domain import FormularyError, TooFewError
from core.evidence.imports import MAX_BYTES, ratings
from pages.components import evidence, jury_result
from pages.components.downloads import button
from pages.components.notices import plain

_LARGEST_MB = MAX_BYTES // 2**20

store = evidence.store()
st.markdown(
    "Can a jury of language models score answers in place of your clinicians? Let both score the "
    "same answers, and compare: a jury is good enough where it agrees with your clinicians about "
    "as much as one of them agrees with the others."
)
file = st.file_uploader(
    f"Ratings as CSV, at most {_LARGEST_MB} MB",
    type=["csv", "txt", "tsv"],
    max_upload_size=_LARGEST_MB,
    key="ratings_file",
    help="The file stays in the memory of this session. It is not kept on the server, and is gone "
    "when you close the page.",
)
button("CSV template", data=ratings.template, name="ratings", kind="csv", mime="text/csv")
if file is None:
    st.markdown(
        "**Upload your ratings to see the answer.** The file needs four columns; three answers "
        "scored by a clinician and the jury are the least, thirty or more make a useful interval. "
        "Use numbers or codes for answers and raters, no names of patients."
    )
    st.dataframe(
        pd.DataFrame(
            {
                "Column": ratings.COLUMNS,
                "What to write": [
                    "who scored: a code for a clinician, or a member of the jury",
                    "clinician or jury",
                    "which answer was scored, the same code for every rater",
                    "the score, a number with a decimal point; the mean where you score several "
                    "aspects; empty where not scored",
                ],
            }
        ),
        hide_index=True,
        alt="Columns of the CSV template: rater, role, instance, score",
    )
else:
    st.caption("Held in the memory of this session only, and not kept on the server.")
    try:
        read = ratings.read(file.name, file.getvalue())
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

with st.expander("How this is made"):
    st.markdown(
        "Each rater's scores are standardised, so that strict and lenient raters compare. Then "
        "the intraclass correlation ICC(3,k) is taken between the clinicians' mean and the jury's "
        "mean, and between each two clinicians. 1 is perfect agreement, 0 none. Intervals come "
        "from drawing the answers anew 2,000 times.\n\n"
        "These two figures do not compare, since the mean of several clinicians is steadier than "
        "one of them. So each clinician is left out in turn: how well do this clinician and the "
        "jury agree with the mean of the others, on the same answers? The interval of the "
        "difference shows what it would be for a jury that is one more clinician: in each answer "
        "the jury changes places with one who scored it, 2,000 times.\n\n"
        "What it does not say: an agreement of raters is no proof that either is right. It holds "
        "for your answers and your way of scoring. The borders at 0.5, 0.75 and "
        "0.9 are a convention of Koo and Li ([doi 10.1016/j.jcm.2016.02.012]"
        "(https://doi.org/10.1016/j.jcm.2016.02.012)). They apply to the "
        "interval rather than to the single figure.\n\n"
        "The check is MedHELM's ([arXiv:2505.23802](https://arxiv.org/abs/2505.23802)). Formula "
        "and choices stand on the page Methods, under Local validation."
    )
