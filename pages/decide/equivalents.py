"""Which smaller or cheaper model does the same job? Each candidate with its proof."""

import streamlit as st

from core import answers
from core.charts import intervals
from core.procurement.equivalents import best as best_of
from pages.components import controls, equivalents_proof, evidence, wording
from pages.components.downloads import downloads
from pages.components.notices import own_choice, plain
from pages.components.pictures import vega_lite_chart

_MOST_IN_PICTURE = 12
_OWN_RULE, _PAPER_RULE = (
    "Your task and prices",
    "The taxonomy paper's rule (size only, both taxonomies)",
)

store = evidence.store()
opened = controls.question(store)
requirements = opened.requirements
day = evidence.priced_on(requirements)
suites = tuple(filter(None, (requirements.suite, opened.evidence.second_suite)))

st.title("Smaller equivalents")
st.markdown(
    "Of models that perform alike, buy the smaller one. Pick a model to see what could replace "
    "it, the closest first, what that saves a year, and how sure it is."
)
with st.spinner("Comparing models…"):
    tree = answers.taxonomy(store, answers.selection_of(requirements))
names = intervals.labels([answers.model(store, model) for model in sorted(tree.models)])
ids = {name: model for model, name in names.items()}
first = max(tree.models, key=lambda m: answers.model(store, m).params_b or 0)
own_choice("model", "The model", ids, names[first])
own_choice("mates", "The choice of clusters", ("true", "false"), "same cluster only")
own_choice("rule", "The rule", (_OWN_RULE, _PAPER_RULE), "your task and prices")
rule = st.segmented_control(
    "Rule",
    [_OWN_RULE, _PAPER_RULE],
    default=_OWN_RULE,
    required=True,
    key="rule",
    bind="query-params",
    help="Your task and prices: bills decide what is cheaper where both are known, and benchmarks "
    "count by your task. The taxonomy paper (doi 10.2196/72918): the number of parameters stands "
    "for the cost, all benchmarks count alike, and a candidate must be in the same cluster in "
    "every taxonomy there is.",
)
by_paper = rule == _PAPER_RULE
left, right = st.columns([2, 1], vertical_alignment="bottom")
with left:
    name = st.selectbox(
        "Model to replace",
        sorted(ids, key=str.lower),
        index=sorted(ids, key=str.lower).index(names[first]),
        key="model",
        bind="query-params",
        help="Models that have every benchmark of the evidence base.",
    )
with right:
    mates_only = st.toggle(
        "Same cluster only",
        value=True,
        key="mates",
        bind="query-params",
        disabled=by_paper,
        help="A cluster is a family of models that perform alike over the whole evidence base. "
        "The taxonomy paper looks for replacements inside it; by its rule this is always so.",
    )
model = answers.model(store, ids[name])
with st.spinner("Comparing models…"):
    found = answers.equivalents(
        store,
        model.id,
        suites,
        requirements=requirements,
        on=day,
        by_task=True,
        size_only=by_paper,
    )
mates_only = mates_only or by_paper
candidates = [c for c in found if c.same_cluster or not mates_only]
margin = f"{requirements.margin * 100:g} points"

if not candidates:
    where = "of its cluster " if mates_only else ""
    cheaper = "smaller" if by_paper else "smaller or cheaper"
    st.info(
        f"No model {where}is known to be {cheaper} than {plain(model.name)} "
        f"({plain(wording.size(model.params_b))}). An unknown size or price is no saving.",
        icon=":material/search_off:",
    )
else:
    with st.spinner("Growing trees from other benchmarks…"):
        together = answers.co_clustering(store, requirements, suites, model.id)
    savings = answers.yearly_savings(
        store,
        model.id,
        [c.model for c in candidates],
        requirements=requirements,
        on=day,
    )
    # The paper takes the closest; your own rule asks for the best verdict first.
    best = candidates[0] if by_paper else best_of(candidates) or candidates[0]
    st.markdown(
        equivalents_proof.answer(
            model, best, requirements.margin, by_paper=by_paper, n_suites=len(suites)
        )
    )
    st.markdown(equivalents_proof.saving_in_words(model, best, savings[best.model]))
    compared = answers.products(store, answers.selection_of(requirements)).models
    known = intervals.labels([answers.model(store, m) for m in compared])
    st.page_link(
        "pages/decide/compare.py",
        label="Compare the two",
        icon=":material/compare_arrows:",
        query_params={"compare": [known[model.id], known[best.model]]},
        help="Opens the page Compare: every benchmark of the two models side by side.",
    )
    shown = candidates[:_MOST_IN_PICTURE]
    st.subheader("How far apart are they?")
    st.caption(
        f"Each bar is the range of the difference to {plain(model.name)}. Equivalent (circle): "
        "all of the bar lies right of your margin. Worse (triangle): all of it lies left. "
        "Cannot tell (diamond): it crosses the margin."
    )
    picture = intervals.differences(
        shown, [answers.model(store, c.model) for c in shown], requirements.margin
    )
    vega_lite_chart(
        spec=picture,
        alt="Differences: "
        + "; ".join(
            f"{c.name} {wording.signed_points(c.difference.difference)}, {c.verdict}" for c in shown
        ),
    )
    title = f"Candidates to replace {model.name}, margin {margin}"
    downloads("equivalents-picture", title=title, snapshot=tree.snapshot, picture=picture)
    st.subheader("All candidates")
    table = equivalents_proof.candidates_table(model, candidates, savings, together)
    downloads("equivalents", title=title, snapshot=tree.snapshot, frame=table)
    labels = intervals.labels([answers.model(store, c.model) for c in candidates])
    equivalents_proof.proof(
        store,
        requirements,
        suites,
        model,
        {labels[c.model]: c for c in candidates},
        best,
        savings,
        together,
    )
with st.expander("How this was made"):
    listed = wording.list_of([store.catalogue.suites[suite].name for suite in suites])
    st.markdown(
        f"Candidates are smaller or cheaper models that have every benchmark of {plain(listed)}. "
        "Bills decide what is cheaper where both are known, else the number of parameters; by "
        "the taxonomy paper's rule the number of parameters alone. The "
        "distance adds up how far two models lie apart on each standardised benchmark. The "
        "difference is the candidate's mean score minus this model's, weighted by your task, or "
        "with all benchmarks alike by the paper's rule; of two suites each has an equal vote. "
        "Where standard errors are published, the two models' errors are taken as independent, "
        "which makes the interval too wide rather than too narrow. Elsewhere it shows how much "
        "the difference depends on which benchmarks happen to be in the suite. How often two "
        "models are in one cluster is counted over 1,000 trees, each grown from as many "
        "benchmarks drawn anew; of two suites the lower share counts. A year's saving is 12 times "
        "the difference of the two monthly bills, each at the lowest public list price of "
        f"{day:%d %B %Y} for your workload, in US dollars."
    )
    for left_out in tree.excluded:
        st.caption(plain(f"Left out: {left_out.model}, {left_out.reason}"))
