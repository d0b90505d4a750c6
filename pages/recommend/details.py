"""One row of the list in full: its reasons, what to ask, its tests, ways to get it and sources."""

from __future__ import annotations

import math
from dataclasses import replace

import pyarrow as pa
import streamlit as st

from core.answers import data
from core.answers.bills import task_costs, task_seconds
from core.domain import Dossier, Shortlist
from core.evidence.store import Store
from core.procurement.recommendation import Recommendation
from core.statistics.score_matrix import normalised
from core.words import figures
from core.words.recommendation import sentences
from core.words.shortlist import questions
from pages.components import entries
from pages.components.blocks import table
from pages.components.notices import plain


def draw(store: Store, found: Shortlist, decided: Recommendation, row: Dossier) -> None:
    """Show one row with its reasons, open questions, benchmarks and sources."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(plain(row.model.name), width="content")
        entries.about(row.model.id, row.model.name)
    left, right = st.columns(2)
    with left:
        st.markdown("**Why it stands here**")
        st.markdown("\n".join(f"- {plain(reason)}" for reason in _why(decided, row)))
    with right:
        st.markdown("**What to ask**")
        asked = questions(row, found.requirements) or ("Nothing is open in the public facts.",)
        st.markdown("\n".join(f"- {plain(question)}" for question in asked))
    # What is folded away is made and sent when somebody opens it.
    scores = st.expander("Tests behind the score", key="scores_fold", on_change="rerun")
    if scores.open:
        with scores:
            table(
                _benchmarks(store, found, row),
                "tests",
                f"Benchmark scores of {row.model.name}",
                placeholder="not measured",
                file=False,
            )
    facts = st.expander("Facts and sources", key="facts_fold", on_change="rerun")
    if facts.open:
        facts.markdown("\n".join(f"- {plain(fact)}" for fact in _facts(store, row)))


def _why(decided: Recommendation, row: Dossier) -> list[str]:
    """Return why a row stands where it stands; what to ask stands beside."""
    # Other suites were looked at for those alone that the rule names.
    unsaid = {"ask"} if row.model.id in decided.dossiers else {"ask", "other suites"}
    said = sentences(decided, decided.dossier(row))
    return [words for topic, words in said if topic not in unsaid]


def _benchmarks(store: Store, found: Shortlist, row: Dossier) -> pa.Table:
    requirements = found.requirements
    every = tuple(b.id for b in store.catalogue.benchmarks[requirements.suite])
    asked = replace(data.selection_of(requirements), benchmarks=every)
    matrix = data.matrix(store, asked)
    place = matrix.models.index(row.model.id)
    shares, _ = normalised(matrix)
    counted = {benchmark.id for benchmark in found.benchmarks}
    keep = [j for j, b in enumerate(matrix.benchmarks) if b.id in counted or not b.scored]
    chosen = [matrix.benchmarks[j] for j in keep]
    weight = dict(found.benchmark_weights)
    of_a_task = {
        "Cost a task": (task_costs(store, requirements), 1),
        "Minutes a task": (task_seconds(store, requirements), 60),
    }
    return pa.table(
        {
            "Benchmark": [benchmark.name for benchmark in chosen],
            "Category": [benchmark.category for benchmark in chosen],
            "Weight": pa.array(
                [weight[b.id] * 100 if b.id in weight else None for b in chosen], pa.float64()
            ),
            "Points": pa.array(shares[place, keep] * 100, from_pandas=True),
            "Score": pa.array(matrix.scores[place, keep], from_pandas=True),
            "Standard error": pa.array(matrix.standard_errors[place, keep], from_pandas=True),
            **{
                name: pa.array(
                    [of.get(row.model.id, {}).get(b.id, math.nan) / per for b in chosen],
                    from_pandas=True,
                )
                for name, (of, per) in of_a_task.items()
                if of
            },
            "Measure": [benchmark.metric for benchmark in chosen],
            "Source": [benchmark.source for benchmark in chosen],
        }
    )


def _facts(store: Store, row: Dossier) -> list[str]:
    model = row.model
    licence = store.catalogue.licence(model)
    use = f"{figures.UNKNOWN}: read the licence before you use it"
    if licence and licence.commercial_use:
        words = {"yes": "allowed", "no": "not allowed", "conditional": "allowed under conditions"}
        source = ", ".join(filter(None, (licence.source_url, licence.as_of)))
        use = f"{words[licence.commercial_use]}. {licence.condition} ({licence.name}; {source})"
    return [
        f"Licence: {model.licence or figures.UNKNOWN}",
        f"Commercial use: {use}",
        f"Source of these facts: {model.source_url or figures.UNKNOWN}",
        f"Run that was scored: {row.run}",
        *data.conflicts_on(store, model.id),
    ]
