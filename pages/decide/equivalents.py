"""What could take the place of the model we use? Each candidate with its proof."""

import streamlit as st

from core.answers import data, recommend, replacing, taxonomies
from core.charts import intervals
from pages.components import controls, equivalents_proof, evidence, wording
from pages.components.notices import own_choice, plain
from pages.components.recommendation import recommendation

_OWN_RULE, _PAPER_RULE = (
    "Your task and prices",
    "The taxonomy paper's rule (size only, both taxonomies)",
)

store = evidence.store()
opened = controls.question(store)
requirements = opened.requirements
day = evidence.priced_on(requirements)
suites = recommend.suites_of(store, requirements)

with st.spinner("Comparing models…"):
    selection = data.selection_of(requirements)
    tree = taxonomies.taxonomy(store, selection)
own_choice("rule", "The rule", (_OWN_RULE, _PAPER_RULE), "your task and prices")
rule = st.segmented_control(
    "Rule",
    [_OWN_RULE, _PAPER_RULE],
    default=_OWN_RULE,
    required=True,
    key="rule",
    bind="query-params",
    help="Your task and prices: of all models that fit your question and are as good, the best "
    "buy first. The taxonomy paper (doi 10.2196/72918): the number of parameters stands "
    "for the cost, all benchmarks count alike, and a candidate must be in the same cluster in "
    "every taxonomy there is, the closest first; your other limits do not count.",
)
by_paper = rule == _PAPER_RULE
known = tree.models if by_paper else data.products(store, selection).models
names = intervals.labels([data.model(store, model) for model in sorted(known)])
ids = {name: model for model, name in names.items()}
first = max(tree.models, key=lambda m: data.model(store, m).params_b or 0)
own_choice("model", "The model", ids, names[first])
name = st.selectbox(
    "Model in use",
    sorted(ids, key=str.lower),
    index=sorted(ids, key=str.lower).index(names[first]),
    key="model",
    bind="query-params",
    help="It need not fit your question, nor be on sale any more.",
)
model = data.model(store, ids[name])
if by_paper:
    with st.spinner("Comparing models…"):
        found = replacing.equivalents(
            store, model.id, suites, requirements=requirements, on=day, size_only=True
        )
    equivalents_proof.by_the_paper(store, requirements, suites, model, found, tree.snapshot)
    candidates = {c.model: c.name for c in found}
else:
    with st.spinner("Comparing models…"):
        decided = recommend.recommendation(store, requirements, day, model.id)
    recommendation(decided)
    equivalents_proof.by_the_task(decided, model)
    candidates = {
        each.model.id: each.model.name
        for each in (decided.take, *decided.as_good, *decided.worth_testing, decided.step_down)
        if each is not None and each.judged is not None
    }
if candidates:
    labels = intervals.labels([data.model(store, c) for c in candidates])
    equivalents_proof.proof(
        store, requirements, suites, model, labels, by_task=not by_paper, on=day
    )
with st.expander("How this was made"):
    listed = wording.list_of([store.catalogue.suites[suite].name for suite in suites])
    st.markdown(
        f"Compared on {plain(listed)}. By your task and prices: all models that fit the question "
        "are held against the model in use, on the benchmarks of your task. As good means that "
        f"worse by {requirements.margin * 100:g} points or more is rejected at 2.5 %: shown, for "
        "all candidates together; likely, for the pair alone. A task category in which a "
        "candidate is worse by twice the margin, or severe harm that is shown to rise, holds it "
        "back. Of all as good, and the model in use where it fits, the cheapest is taken. Where "
        "the number of questions is published, the interval is about other questions on the same "
        "tests, and the two models' errors are taken as independent, which makes it too wide "
        "rather than too narrow; else it is about other tests. By the taxonomy paper's rule: "
        "smaller models of the same cluster, closest first, all benchmarks alike; of two suites "
        "each has an equal vote."
    )
    for left_out in tree.excluded:
        st.caption(plain(f"Left out of the clusters: {left_out.model}, {left_out.reason}"))
