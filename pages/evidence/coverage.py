"""What has never been tested, and which differences a benchmark is too small to see."""

from collections.abc import Iterable

import pandas as pd
import streamlit as st

from core.answers import data
from core.answers import evidence as evidence_answers
from core.charts import coverage as charts
from core.charts import intervals
from core.procurement.reasons import count
from core.statistics.coverage import described, gaps, never_tested
from core.statistics.detectable import Detectable
from pages.components import controls, evidence, wording
from pages.components.downloads import downloads
from pages.components.notices import own_choice, plain
from pages.components.pictures import vega_lite_chart

_NOBODY = "No model"
_KINDS = {
    "no benchmark": "have no benchmark at all",
    "no open model": "were never tested with a model that you could run yourself",
    "private data only": "rest on private data alone, so nobody else can repeat the test",
    "exam questions only": "rest on exam questions alone",
    "a single benchmark": "rest on a single benchmark",
}
_VERDICTS = {None: "cannot tell", True: "noise", False: "more than noise"}

store = evidence.store()
asked = controls.question(store).requirements
selection = data.selection_of(asked)

st.markdown(
    "What has never been tested? MedHELM sorts clinical work into 22 kinds. For each, this page "
    "counts the benchmarks of every suite, who can see their data, and which models took them."
)
with st.spinner("Counting benchmarks…"):
    found = evidence_answers.coverage(store, selection)
    missing = gaps(found)
suites = {suite: store.catalogue.suites[suite].name for suite in found.suites}

tally = {kind: sum(gap.kind == kind for gap in missing) for kind in _KINDS}
says = [f"{count(n)} {words}" for (kind, words) in _KINDS.items() if (n := tally[kind])]
if says:
    st.markdown(
        f"**Of {len(found.places)} kinds of work, "
        f"{'; '.join(f'{plain(part)}' for part in says)}.** "
        "A kind is counted once, by its gravest gap."
    )
else:
    st.markdown(f"**All {len(found.places)} kinds of work are tested without such a gap.**")

st.subheader("Gaps in words")
st.caption("The gravest first. Open: the weights can be downloaded, so you could run it yourself.")
st.markdown("\n".join(f"- {plain(gap.sentence)}" for gap in missing) or "No gap of these kinds.")

st.subheader("Benchmarks by kind of work and suite")
shown = [s for s in found.suites if any(found.cells[p, s].benchmarks for p in found.places)]
picture = charts.grid(found, shown, suites)
vega_lite_chart(
    spec=picture,
    alt="Benchmarks by kind of work: "
    + "; ".join(
        f"{place[1]}: "
        + (
            ", ".join(
                f"{suites[s]} {n}" for s in shown if (n := len(found.cells[place, s].benchmarks))
            )
            or "none"
        )
        for place in found.places
    ),
)
others = [suites[s] for s in found.suites if s not in shown]
caption = f"{len(found.elsewhere)} benchmarks stand for none of these kinds of work"
if others:
    caption += f", among them all of {wording.list_of(others)}"
st.caption(plain(caption) + ".")

table = pd.DataFrame(
    [
        {"Category": place[0], "Kind of work": place[1]}
        | {suites[s]: len(found.cells[place, s].benchmarks) for s in shown}
        | {
            "Public": dict(cell.access).get("public", 0),
            "By agreement": dict(cell.access).get("by agreement", 0),
            "Private": dict(cell.access).get("private", 0),
            "Access not stated": dict(cell.access).get("unknown", 0),
            "Exam questions": cell.n_exam,
            "Notes and records": cell.n_clinical,
            "Made of: not stated": cell.n_material_unknown,
            "Models": len(cell.models),
            "Open models": len(cell.open_models),
            "In words": wording.sentence(described(cell)),
        }
        for place in found.places
        for cell in (found.total[place],)
    ]
)
st.dataframe(
    table,
    column_config={
        "By agreement": st.column_config.NumberColumn(
            help="Anyone may ask for the data, but must sign for it or train first."
        ),
        "Private": st.column_config.NumberColumn(help="Nobody outside can see the data."),
        "Notes and records": st.column_config.NumberColumn(
            help="Made of clinical notes, records or cases, not of exam questions."
        ),
        "Made of: not stated": st.column_config.NumberColumn(
            help="No source says what the questions are made of."
        ),
        "Models": st.column_config.NumberColumn(
            help="Models with a score on at least one of these benchmarks. Suites name models "
            "in different ways, so one model may count twice."
        ),
    },
    hide_index=True,
    alt="Benchmarks by kind of work, with access to their data and models tested",
)
downloads(
    "coverage",
    title="Benchmarks by kind of clinical work and suite",
    snapshot=None,
    frame=table,
    picture=picture,
)

st.subheader("For one model")
everyone = {name for cell in found.total.values() for name in cell.models}
names = intervals.labels([data.model(store, name) for name in sorted(everyone)])
known = {label: name for name, label in sorted(names.items(), key=lambda one: one[1].lower())}
own_choice("untested", "The model", [_NOBODY, *known], _NOBODY.lower())
chosen = st.selectbox("Show for one model", [_NOBODY, *known], key="untested", bind="query-params")
if chosen != _NOBODY:
    never = never_tested(found, known[chosen])
    n = len(found.places)
    if never:
        st.markdown(
            f"**{plain(chosen)} was never tested on {len(never)} of {n} kinds of work:**\n\n"
            + "\n".join(f"- {plain(place[1])} ({plain(place[0])})" for place in never)
        )
    else:
        st.markdown(f"**{plain(chosen)} was tested on all {n} kinds of work.**")
    st.caption("Under this name. Another suite may know the same model under another one.")

st.subheader("What a benchmark can tell apart")
suite = store.catalogue.suites[asked.suite]
rows = evidence_answers.detectable(store, selection)
judged = [row for row in rows if row.noise is not None]
noisy = [row for row in judged if row.noise]
if not judged:
    st.markdown(
        f"**For no benchmark of {plain(suite.name)} can this be said.** It takes two models, a "
        "score that is a share of questions right, and a published number of questions."
    )
else:
    st.markdown(
        f"**On {len(noisy)} of {wording.counted(len(judged), 'benchmark')} of {plain(suite.name)} "
        "the gap between the first two models is noise:** smaller than what the number of "
        "questions can tell apart."
    )
by_id = {b.id: b for b in data.matrix(store, selection).benchmarks}


def points(values: Iterable[float | None]) -> pd.Series:
    """Return shares as points out of 100, with gaps where nothing is known."""
    return pd.Series([None if v is None else v * 100 for v in values], dtype="float64")


def why(row: Detectable) -> str:
    """Say why nothing can be said of a benchmark; empty where something can."""
    if row.noise is not None:
        return ""
    return row.reason or "fewer than two models"


frame = pd.DataFrame(
    {
        "Benchmark": [by_id[row.benchmark].name for row in rows],
        "First two apart": points(row.first_minus_second for row in rows),
        "Can detect": points(row.smallest for row in rows),
        "Verdict": [_VERDICTS[row.noise] for row in rows],
        "At the median": points(row.smallest_at_median for row in rows),
        "Best over median": points(row.best_minus_median for row in rows),
        "Items": pd.array([row.n_items for row in rows], dtype="Int64"),
        "Models": [row.n_models for row in rows],
        "Kind of work": [by_id[row.benchmark].subcategory for row in rows],
        "Why not": [why(row) for row in rows],
    }
)
st.dataframe(
    frame,
    column_config={
        name: st.column_config.NumberColumn(format="%.1f", help=text)
        for name, text in {
            "First two apart": "Best score minus the next, points out of 100.",
            "Can detect": "Smallest difference from a model at 50 points that this number of "
            "questions can tell apart, points out of 100.",
            "At the median": "The same from a model at the median score.",
            "Best over median": "Best score minus the median of all models, points out of 100.",
        }.items()
    }
    | {
        "Why not": st.column_config.TextColumn(
            width="large", help="Why the verdict cannot be told."
        )
    }
    | {
        "Items": st.column_config.NumberColumn(
            width=90, help="Questions or texts, where published."
        )
    },
    hide_index=True,
    placeholder="not known",
    alt="Per benchmark, the gap between the first two models and the smallest detectable "
    "difference, points out of 100",
)
st.caption(f"Benchmarks and models of the side bar's evidence base, {plain(suite.name)}.")
downloads(
    "detectable",
    title=f"{suite.name}: what each benchmark can tell apart, points out of 100",
    snapshot=data.matrix(store, selection).snapshot,
    frame=frame,
)

with st.expander("How this was made"):
    st.markdown(
        "- **Kinds of work** are MedHELM's 22 subcategories. A benchmark of another suite counts "
        "where its suite uses the same names, or where our catalogue names the same work and says "
        "why. All others stand for none.\n"
        "- **Access and material** are what the sources state. What they do not state stays "
        "unknown; it is never taken for public or for real notes.\n"
        "- **Tested** means a score on at least one of the benchmarks. All suites count here, "
        "with all their models, whatever the evidence base.\n"
        "- **Can detect**: two models answer the same number of questions; the difference that a "
        "two-sided test at the 5 % level finds four times out of five, starting from 50 points, "
        "where it is hardest (R's `power.prop.test`). Answers are taken as independent. With the "
        "single answers of both models, smaller differences could be seen, but no suite "
        "publishes them here.\n"
        "- **Noise** means that the first two models lie closer than that. It does not mean that "
        "they are the same."
    )
