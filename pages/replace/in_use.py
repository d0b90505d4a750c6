"""Which model do you use? Any of any suite; what is known of one without scores here."""

from __future__ import annotations

import streamlit as st

from core.answers import data
from core.answers import model as one_model
from core.charts import intervals
from core.domain import Model, Taxonomy, TooFewError
from core.evidence.store import Store
from core.sharing.link import Opened
from core.words import model as words
from pages.components import entries, evidence
from pages.components.blocks import choose
from pages.components.notices import plain


def choose_model(store: Store, opened: Opened, tree: Taxonomy, *, by_paper: bool) -> Model | None:
    """Draw the choice of the model in use; ``None`` for one that this evidence has not.

    By the task any model can be chosen, ended ones too, and none is at first. The paper's rule
    begins with the largest.
    """
    selection = data.selection_of(opened.requirements)
    known = tree.models if by_paper else data.products(store, selection).models
    names = intervals.labels([data.model(store, model) for model in sorted(known)])
    ids = {name: model for model, name in names.items()}
    first = names[max(tree.models, key=lambda m: data.model(store, m).params_b or 0)]
    listed = sorted(ids, key=str.lower)
    others = () if by_paper else one_model.others(store, known)
    name = choose(
        "Which model do you use?",
        (*listed, *(other for other in others if other not in ids)),
        key="model",
        what="The model",
        used=first if by_paper else "none",
        index=listed.index(first) if by_paper else None,
        placeholder="Type a name",
        help="It need not fit your question, nor be on sale any more.",
    )
    if not name:
        raise TooFewError("Choose the model that you use: any of any suite, ended ones too.")
    if name in ids:
        return data.model(store, ids[name])
    _untested(store, name)
    return None


def _untested(store: Store, name: str) -> None:
    """Say what is known of a model without scores here, and of what its maker names after it."""
    found = one_model.known(store, one_model.called(store, name), evidence.today())
    lines = [
        words.on_sale_line(found.sale, found.prices),
        words.known_line(found.evidence, found.safety, evidence.today()),
    ]
    if after := found.successor:
        lines.append(words.neighbour(after.name, after.named_by, after.evidence, after=True))
    st.markdown("\n".join(f"- **{plain(line)}**" for line in lines))
    st.info("This evidence has no scores of it, so nothing is judged against it here.")
    entries.about(name, name)
    if after:
        label = f"Compare with {plain(after.name)}"
        also = {"model": name, "beside": after.name}
        entries.link("model", "Compare", label=label, icon="compare_arrows", **also)
