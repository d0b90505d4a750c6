"""BenchHealth as a whole: who is good over all data sets, who is even, and what people say."""

import pandas as pd
import streamlit as st

from core.answers import data
from core.answers import evidence as evidence_answers
from core.charts import benchhealth as charts
from core.charts import intervals
from core.domain import TooFewError
from core.statistics.generalisability import Evenness
from pages.components import benchhealth as sections
from pages.components import controls, evidence, wording
from pages.components.downloads import downloads
from pages.components.notices import plain
from pages.components.pictures import vega_lite_chart

_SUITE = "benchhealth"
_FEWER = " *"  # behind the name of a model that is not on all data sets
_NUMBER = st.column_config.NumberColumn

store = evidence.store()
asked = controls.question(store).requirements

st.markdown(
    "Which models are good over all kinds of medical language work, and which are even? "
    "13 data sets, from exam questions to radiology reports."
)
if not store.of_suite(_SUITE):
    raise TooFewError("There is no snapshot of BenchHealth here, so there is nothing to show.")
revision = asked.revision if asked.suite == _SUITE else ""
found = evidence_answers.benchhealth(store, revision, asked.include_flagged)
scores, snapshot = found.scores, found.scores.snapshot
st.caption(
    "This page shows BenchHealth whatever evidence base the side bar names"
    + (f"; snapshot {plain(revision)}, as chosen there." if revision else ".")
)
if not scores.models:
    raise TooFewError(
        "This snapshot of BenchHealth has no model that counts, so there is nothing to show."
    )

names = intervals.labels([data.model(store, name) for name in scores.models])
everywhere = len(scores.benchmarks)
whole = [row for row in found.rows if row.n_datasets == everywhere]
known = [(row.robustness, row.model) for row in found.rows if row.robustness is not None]
best = max(whole, key=lambda row: row.generalisability or 0.0, default=None)
even = min(known, default=None)

parts = []
if best is not None and best.generalisability is not None:
    parts.append(
        f"**{plain(names[best.model])} is best over all data sets, with a mean of "
        f"{best.generalisability:.1f} %.**"
    )
else:
    parts.append("**No model has a score on every data set, so none is best over all.**")
if even is not None:
    parts.append(
        f"**{plain(names[even[1]])} is the most even: its scores on data sets of the same kind "
        f"spread by {even[0]:.1f} points in all.**"
    )
else:
    parts.append("**No model has the scores that evenness is judged by.**")
parts.append(
    f"{wording.counted(len(scores.models), 'model')} of 2023 compared."
    if len(scores.models) > 1
    else "Only one model: there is nothing to compare it with."
)
st.markdown(" ".join(parts))

order = sorted(
    found.rows, key=lambda row: (-(row.generalisability or 0.0), names[row.model].lower())
)


def label(row: Evenness) -> str:
    """Name a model, with a mark where its mean is over fewer data sets."""
    return names[row.model] + ("" if row.n_datasets == everywhere else _FEWER)


good = [(label(row), row.generalisability) for row in order]
spread = [(label(row), row.robustness) for row in order]
pictures = (
    ("Generalisability", good, "Mean score, %", best and names[best.model]),
    ("Robustness", spread, "Spread, points (lower is more even)", even and names[even[1]]),
)
for column, (title, rows, axis, leader) in zip(st.columns(2), pictures, strict=True):
    with column:
        st.subheader(title)
        picture = charts.figures(
            rows, axis, [who for who, _ in rows if who.removesuffix(_FEWER) == leader]
        )
        vega_lite_chart(
            spec=picture,
            alt=f"{title}: "
            + "; ".join(f"{n} {'not known' if v is None else f'{v:.1f}'}" for n, v in rows),
        )
        downloads(
            f"benchhealth-{title.lower()}",
            title=f"BenchHealth: {title.lower()}, {axis[0].lower()}{axis[1:]}",
            snapshot=snapshot,
            picture=picture,
        )
notes = "Both pictures list the models in the order of their means."
if len(whole) < len(found.rows):
    fewer = [f"{names[r.model]} has {r.n_datasets}" for r in order if r.n_datasets < everywhere]
    notes += f" \\* not on all {everywhere} data sets: {plain('; '.join(fewer))}."
st.caption(
    notes + " Even is not good: a model that is bad everywhere is even, too.",
)

st.subheader("Figures")

position = {row.model: i for i, row in enumerate(found.rows)}
picked = [position[row.model] for row in order]
frame = pd.DataFrame(
    {
        "Model": [names[row.model] for row in order],
        "Generalisability": sections.numbers(row.generalisability for row in order),
        "Robustness": sections.numbers(row.robustness for row in order),
        "Data sets": [row.n_datasets for row in order],
    }
    | {name: sections.numbers(means[i] for i in picked) for name, means in found.scenarios}
    | {
        f"Spread: {name.lower()}": sections.numbers(dict(row.spreads)[name] for row in order)
        for name, _ in found.rows[0].spreads
    }
)
helps = {
    "Generalisability": "Mean of all scores that the model has, percent.",
    "Robustness": "Sum of the three spreads, points. Lower is more even. Unknown where a score "
    "is missing.",
    "Data sets": "Data sets on which the model has a score.",
    "Reasoning": "Exam questions, literature questions and treatment advice: mean, percent.",
    "Generation": "Radiology summaries and discharge instructions: mean, percent.",
    "Understanding": "Finding diseases and relations, classifying documents: mean, percent.",
}
st.dataframe(
    frame,
    column_config={
        name: _NUMBER(
            format="%d" if name == "Data sets" else "%.1f",
            help=helps.get(name, "Standard deviation of the scores within this group, points."),
        )
        for name in frame.columns[1:]
    },
    hide_index=True,
    placeholder="not known",
    alt="Generalisability, robustness and means by scenario, best first",
)
downloads("benchhealth", title="BenchHealth figures by model", snapshot=snapshot, frame=frame)

with st.expander("By task"):
    tasks = pd.DataFrame(
        {"Model": [names[row.model] for row in order]}
        | {name: sections.numbers(means[i] for i in picked) for name, means in found.tasks}
    )
    st.dataframe(
        tasks,
        column_config={name: _NUMBER(format="%.1f") for name, _ in found.tasks},
        hide_index=True,
        placeholder="not known",
        alt="Mean score by model and task, percent",
    )
    st.caption(
        "Mean score over the data sets of each task, percent. Accuracy, F1, ROUGE-L and BLEU-4 "
        "have different meanings, so compare down a column, not along a row."
    )
    downloads("benchhealth-tasks", title="BenchHealth by task", snapshot=snapshot, frame=tasks)

sections.against_state_of_the_art(found, names)
sections.judged(store, found)

with st.expander("How this was made"):
    st.markdown(
        f"Scores: {plain(store.catalogue.suites[_SUITE].citation)}, without examples in the "
        "prompt. Human evaluation: Table 6 of the same paper.\n\n"
        "- **Generalisability**: the mean of all scores that a model has, percent.\n"
        "- **Robustness**: the standard deviation of its scores (divisor n − 1) on question "
        "answering (MedQA, MedMCQA, MMLU-Medicine, PubMedQA), on report summaries (MIMIC-CXR, "
        "IU-Xray) and on finding diseases in text (BC5-disease, NCBI-Disease), the three added "
        "up. Lower is more even. It says nothing about disturbed input.\n"
        "- **State of the art**: the best result of a model made for one task. A line to compare "
        "with, so it has no rank here.\n\n"
        "The same figures: `python -m core benchhealth --json`."
    )
if scores.excluded:
    with st.expander(f"{wording.counted(len(scores.excluded), 'row')} not counted as a model"):
        for left_out in scores.excluded:
            st.caption(plain(f"{left_out.model}: {left_out.reason}"))
