"""Do the suites put the models in the same order?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.answers import other_suites
from core.answers.other_suites import AcrossSuites
from core.domain import Suite
from core.evidence.store import Store
from core.procurement.reasons import count
from pages.components import wording
from pages.components.blocks import table

_COLUMNS = {
    "Models": st.column_config.NumberColumn(help="Models that both suites have."),
    "Version not stated": st.column_config.NumberColumn(
        help="How many of them are the same only if the version that one suite does not state is "
        "the one that the other tested."
    ),
    "ρ": st.column_config.NumberColumn(
        format="%+.2f",
        help="Spearman's rank correlation: +1 the same order, −1 the reverse, 0 nothing in common.",
    ),
    "From": st.column_config.NumberColumn(format="%+.2f", help="Lower end of its 95 % interval."),
    "To": st.column_config.NumberColumn(format="%+.2f", help="Upper end of its 95 % interval."),
    "They": st.column_config.TextColumn(
        help="Agree or disagree only where the interval lies on one side of 0. No interval below "
        "five models."
    ),
}


def draw(store: Store) -> None:
    """Say and list how the orders of every two suites agree."""
    with st.spinner("Comparing suites…"):
        found = other_suites.across_suites(store)
    if not found:
        st.caption("No two suites have three models in common.")
        return
    st.markdown(
        _in_words(found),
        help="Over all models of each suite, whatever is chosen in the side bar; flagged runs, "
        "lines to compare with and your own results left out. Higher is better in every order: "
        "fewer severe harms are. Models are matched by a table in which each pair has its reason.",
    )
    table(
        _frame(found, store.catalogue.suites),
        name="across-suites",
        title="Do the suites agree?",
        snapshot=None,
        columns=_COLUMNS,
        placeholder="none",
        alt="How the orders of models agree from suite to suite",
    )


def _in_words(found: Sequence[AcrossSuites]) -> str:
    """Say how many pairs of orders agree, disagree, and leave it open."""
    said = Counter(pair.agreement.says for pair in found)
    agree, disagree = said["agree"], said["disagree"]
    rest = len(found) - agree - disagree
    return (
        f"**Of {wording.counted(len(found), 'pair')} of orders, "
        f"{count(agree) if agree else 'none'} {'agrees' if agree == 1 else 'agree'} and "
        f"{count(disagree) if disagree else 'none'} "
        f"{'disagrees' if disagree == 1 else 'disagree'}.** For the other {count(rest)} the models "
        "that both suites have are too few to tell."
    )


def _frame(found: Sequence[AcrossSuites], suites: Mapping[str, Suite]) -> pd.DataFrame:
    """Return one row per pair of orders, those with the most models first."""

    def words(order: str) -> str:
        suite, _, metric = order.partition(":")
        return f"{suites[suite].name}: {metric}"

    ordered = sorted(found, key=lambda pair: -pair.agreement.n_models)
    return pd.DataFrame(
        {
            "Order": [words(pair.a) for pair in ordered],
            "Beside": [words(pair.b) for pair in ordered],
            "Models": [pair.agreement.n_models for pair in ordered],
            "Version not stated": [
                sum(kind != "same version" for *_, kind in pair.models) for pair in ordered
            ],
            "ρ": pd.Series([pair.agreement.rho for pair in ordered], dtype="float64"),
            "From": pd.Series([pair.agreement.ci_low for pair in ordered], dtype="float64"),
            "To": pd.Series([pair.agreement.ci_high for pair in ordered], dtype="float64"),
            "They": [pair.agreement.says for pair in ordered],
        }
    )
