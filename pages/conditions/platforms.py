"""Which models can be bought under the hospital's conditions, and what must still be asked?"""

import streamlit as st

from core.answers import routes
from core.domain import Requirements
from core.evidence.store import Store
from pages.components import blocks, controls, evidence, wording
from pages.conditions import known, verdicts

_USUAL = ("baa", "trains_on_customer_data_by_default", "hipaa_eligible_statement")


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    asked = controls.question(store).requirements
    if routes.has_gates(asked):
        verdicts.draw(store, asked)
    else:
        _offer_conditions(store)
    st.subheader("What is known")
    known.draw(store, asked)
    blocks.how_made("Gates", key="conditions")


def _offer_conditions(store: Store) -> None:
    """Say that no condition is set, and offer the usual ones."""
    kinds = store.catalogue.procurement.gate_kinds
    st.markdown(
        "**You have set no condition, so none leaves a model out.** Set yours in the side bar "
        "under “Must have”, or begin with what US hospitals usually need for patient data."
    )
    in_words = verdicts.in_words(Requirements(gates=_USUAL), kinds)
    st.button(
        "Set the usual conditions for patient data",
        type="primary",
        on_click=st.session_state.update,
        kwargs={"gates": [kinds[gate].required for gate in _USUAL]},
        help=f"{wording.sentence(in_words)}.",
    )
