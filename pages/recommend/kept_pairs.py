"""Two saved shortlists side by side: their models, and the assumptions in which they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.saved.changes import compare, differing_terms
from core.saved.kept import Cell, Saved
from pages.components import wording
from pages.components.downloads import downloads
from pages.components.notices import plain
from pages.recommend import kept_since as saved_since

_COLUMN = st.column_config
_TERMS = {
    "evidence": "Evidence base",
    "data": "Version of the evidence",
    "protocol": "Prompting",
    "task": "Task",
    "category": "Task categories",
    "access": "Where it may run",
    "max_params": "Largest model",
    "budget": "Monthly budget, US dollars",
    "requests": "Requests a month",
    "tokens_in": "Tokens read for a request",
    "tokens_out": "Tokens written for a request",
    "tokens_reasoning": "Hidden reasoning for a request",
    "gpu": "GPU of your own servers",
    "margin": "Margin for “equivalent”, points",
    "only": "Only these models",
    "flagged": "Flagged runs count",
    "overlap": "Overlapping benchmarks count once",
    "gates": "Conditions that must be met",
    "retention": "Data may be kept for at most, days",
    "window": "Must read at once, tokens",
    "prices": "Public prices of",
    "own_tokens": "Own tokens of a request",
    "own_answer": "Own answers on conditions",
    "own_price": "Own prices",
}
_DEFAULT = "as by default"


def draw(
    first: Saved,
    second: Saved,
    first_rows: Sequence[Mapping[str, Cell]],
    second_rows: Sequence[Mapping[str, Cell]],
) -> None:
    """Draw two shortlists as they were saved."""
    found = compare(first_rows, second_rows)
    both = len(found.rows) - len(found.new) - len(found.gone)
    st.markdown(
        f"A is {plain(first.name)}, B is {plain(second.name)}. "
        f"**{wording.counted(both, 'model')} in both**, {len(found.gone)} only in A, "
        f"{len(found.new)} only in B."
    )
    if first.evidence != second.evidence:
        st.warning(
            f"A rests on {plain(first.evidence)}, B on {plain(second.evidence)}. Their scores come "
            "from different tests: compare places, not points.",
            icon=":material/warning:",
        )
    models = saved_since.beside(found.rows, "A", "B")
    st.dataframe(
        models,
        column_config={
            **{f"Rank {side}": _COLUMN.NumberColumn() for side in "AB"},
            **{
                f"Score {side}": _COLUMN.NumberColumn(format="%.1f", help="Points out of 100.")
                for side in "AB"
            },
            **{
                f"Bill {side}, $ a month": _COLUMN.NumberColumn(
                    format="%.2f",
                    help="US dollars. Empty where no price was known, or the model is not in "
                    "the list.",
                )
                for side in "AB"
            },
        },
        hide_index=True,
        placeholder="none",
        alt="Ranks, scores and bills in both shortlists",
    )
    downloads(
        "saved-side-by-side",
        title=f"{first.name} (A) and {second.name} (B)",
        snapshot=None,
        frame=models,
    )
    terms = assumptions(first, second)
    if terms.empty:
        st.markdown("Both ask the same question.")
        return
    st.markdown("In these assumptions they differ:")
    st.dataframe(
        terms,
        hide_index=True,
        alt="Assumptions that differ: " + ", ".join(terms["Assumption"]),
    )
    downloads(
        "saved-assumptions",
        title=f"In what {first.name} (A) and {second.name} (B) differ",
        snapshot=None,
        frame=terms,
    )


def assumptions(first: Saved, second: Saved) -> pd.DataFrame:
    """Return the assumptions in which two saved questions differ, in the words of the controls."""
    # The link leaves the first evidence base out, and the name is known.
    other_base = [] if first.evidence == second.evidence else [(first.evidence, second.evidence)]
    return pd.DataFrame(
        [
            *({"Assumption": _TERMS["evidence"], "A": a, "B": b} for a, b in other_base),
            *(
                {"Assumption": _name(key), "A": _words(mine), "B": _words(other)}
                for key, mine, other in differing_terms(first.query, second.query)
                if key != "evidence"
            ),
        ],
        columns=["Assumption", "A", "B"],
    )


def _name(key: str) -> str:
    if key in _TERMS:
        return _TERMS[key]
    kind, _, rest = key.partition("_")
    what = {"w": "Weight of", "v": "Requests a month:"}.get(kind, "")
    return f"{what} {rest.replace('_', ' ')}".strip() if what else key


def _words(values: tuple[str, ...] | None) -> str:
    return _DEFAULT if values is None else "; ".join(values)
