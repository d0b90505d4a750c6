"""Where nothing has been asked yet: the commonest questions, one click each."""

import streamlit as st

from core.domain import Requirements
from core.evidence.store import Store
from core.sharing.controls import ACCESS
from core.sharing.inputs import size_label
from core.sharing.link import OWN_TASK

_ONE_GPU = "One 80 GB GPU"
_KEY = "begin_with"


def draw(store: Store, asked: Requirements) -> None:
    """Offer kinds of work and the commonest machine, until one of them is chosen."""
    usual = Requirements()
    if (asked.task, asked.access, asked.max_params_b) != (usual.task, usual.access, None):
        return
    tasks = [task.name for key, task in store.catalogue.tasks.items() if key != OWN_TASK]
    tasks.remove(store.catalogue.tasks[usual.task].name)
    st.pills(
        "Begin with",
        [*tasks, _ONE_GPU],
        key=_KEY,
        on_change=_begin,
        help="The work that the model is for, or the machine that is there. Both can be changed "
        "with the question. At 16 bits a parameter, 33 B fit one GPU of 80 GB.",
    )


def _begin() -> None:
    """Set the controls of the question that was chosen."""
    chosen = st.session_state[_KEY]
    if chosen == _ONE_GPU:
        st.session_state.update(access=ACCESS["own"], max_params=size_label(33), gpu="A100 80GB")
    else:
        st.session_state["task"] = chosen
