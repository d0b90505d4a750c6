"""What could take the place of the model we use? Each candidate with its proof."""

import streamlit as st

from core.answers import data, recommend, replacing, taxonomies
from core.charts import intervals
from core.domain import Model, Taxonomy
from core.evidence.store import Store
from core.sharing.link import Opened
from pages.components import controls, evidence
from pages.components import recommendation as shown
from pages.components.blocks import how_made
from pages.components.notices import own_choice, plain
from pages.replace import papers_rule, proof, proposals

_OWN_RULE = "Your task and prices"
_PAPER_RULE = "The taxonomy paper's rule (size only, both taxonomies)"


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    opened = controls.question(store)
    with st.spinner("Comparing models…"):
        tree = taxonomies.taxonomy(store, data.selection_of(opened.requirements))
    left, right = st.columns([5, 9])
    with right:
        by_paper = _rule() == _PAPER_RULE
    with left:
        model = _in_use(store, opened, tree, by_paper=by_paper)
    suites = recommend.suites_of(store, opened.requirements)
    if by_paper:
        candidates = _by_the_paper(store, opened, suites, model, tree)
    else:
        candidates = _by_the_task(store, opened, model)
    if candidates:
        proof.draw(
            store,
            opened.requirements,
            suites,
            model,
            intervals.labels([data.model(store, each) for each in candidates]),
            by_task=not by_paper,
            on=evidence.priced_on(opened.requirements),
        )
    if by_paper:
        how_made("Smaller equivalents", key="replace")
        for left_out in tree.excluded:
            st.caption(plain(f"Left out of the clusters: {left_out.model}, {left_out.reason}"))
    else:
        how_made("As good or not", "Recommendation", "Difference of two models", key="replace")


def _rule() -> str:
    own_choice("rule", "The rule", (_OWN_RULE, _PAPER_RULE), _OWN_RULE.lower())
    return st.radio(
        "Rule",
        [_OWN_RULE, _PAPER_RULE],
        key="rule",
        horizontal=True,
        bind="query-params",
        help="Your task and prices: of all models that fit your question and are as good, the best "
        "buy first. The taxonomy paper (doi 10.2196/72918): the number of parameters stands "
        "for the cost, all benchmarks count alike, and a candidate must be in the same cluster in "
        "every taxonomy there is, the closest first; your other limits do not count.",
    )


def _in_use(store: Store, opened: Opened, tree: Taxonomy, *, by_paper: bool) -> Model:
    """Draw the choice of the model in use; at first the largest."""
    selection = data.selection_of(opened.requirements)
    known = tree.models if by_paper else data.products(store, selection).models
    names = intervals.labels([data.model(store, model) for model in sorted(known)])
    ids = {name: model for model, name in names.items()}
    first = max(tree.models, key=lambda m: data.model(store, m).params_b or 0)
    own_choice("model", "The model", ids, names[first])
    listed = sorted(ids, key=str.lower)
    name = st.selectbox(
        "Model in use",
        listed,
        index=listed.index(names[first]),
        key="model",
        bind="query-params",
        help="It need not fit your question, nor be on sale any more.",
    )
    return data.model(store, ids[name])


def _by_the_task(store: Store, opened: Opened, model: Model) -> list[str]:
    """Draw the answer by task and prices; return the candidates, the best buy first."""
    day = evidence.priced_on(opened.requirements)
    with st.spinner("Comparing models…"):
        decided = recommend.recommendation(store, opened.requirements, day, model.id)
    shown.answer(decided)
    shown.lists(decided)
    proposals.draw(decided, model)
    return [each.model.id for each in proposals.judged(decided)]


def _by_the_paper(
    store: Store, opened: Opened, suites: tuple[str, ...], model: Model, tree: Taxonomy
) -> list[str]:
    """Draw the answer by the paper's rule; return the candidates, the closest first."""
    asked, day = opened.requirements, evidence.priced_on(opened.requirements)
    with st.spinner("Comparing models…"):
        found = replacing.equivalents(
            store, model.id, suites, requirements=asked, on=day, size_only=True
        )
    papers_rule.draw(store, asked, suites, model, found, tree.snapshot)
    return [each.model for each in found]
