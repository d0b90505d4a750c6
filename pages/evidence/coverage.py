"""What has never been tested? Benchmarks counted by the kind of work that they are for."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from core.answers import evidence as evidence_answers
from core.answers.asked import Asked
from core.figures import listed
from core.statistics.benchmarks import Coverage, GapKind, Place, coverage_gaps
from core.words import evidence as words
from pages.components.blocks import how_made, table
from pages.components.notices import plain


def draw(asked: Asked) -> None:
    """Draw the tab."""
    found = evidence_answers.coverage(asked.store, asked.selection())
    here, known = {suite for _, suite in found.counts}, asked.store.catalogue.suites
    suites = {suite: known[suite].name for suite in found.suites if suite in here}
    missing = coverage_gaps(found)
    _answer(found, missing, list(suites.values()))
    _grid(found, missing, suites)
    how_made("Coverage", key="coverage")


def _answer(found: Coverage, missing: Mapping[Place, GapKind], suites: list[str]) -> None:
    parts = [f"**{plain(how)}** ({plain(which)})" for how, which in words.missing_tests(missing)]
    if not parts:
        st.markdown(f"**All {len(found.places)} kinds of work are tested without a gap.**")
        return
    st.markdown(
        f"Of {len(found.places)} kinds of clinical work, {'; '.join(parts)}.",
        help="MedHELM sorts clinical work into these kinds. Whatever the side bar names, "
        f"benchmarks that have such a kind count; they are of {plain(listed(suites))}. A kind is "
        "counted once, by its most serious gap.",
    )


def _grid(found: Coverage, missing: Mapping[Place, GapKind], suites: Mapping[str, str]) -> None:
    counts = {
        place: {name: found.counts.get((place, s), 0) for s, name in suites.items()}
        for place in found.places
    }
    rows = []
    for place, row in counts.items():
        cell = found.total[place]
        rows.append(
            {"Category": place[0], "Kind of work": place[1], "Gap": missing.get(place, "none")}
            | row
            | {
                "Public": cell.access.get("public", 0),
                "By agreement": cell.access.get("by agreement", 0),
                "Private": cell.access.get("private", 0),
                "Access not stated": cell.access.get("unknown", 0),
                "Exam questions": cell.n_exam,
                "Notes and records": cell.n_clinical,
                "Made of: not stated": cell.n_material_unknown,
                "Models": len(cell.models),
                "Open models": len(cell.open_models),
            }
        )
    title = "Benchmarks by kind of clinical work and suite"
    table(pd.DataFrame(rows), "coverage", title)
