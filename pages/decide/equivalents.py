"""Which smaller or cheaper model does the same job? Each candidate with its proof."""

import streamlit as st

from core import answers
from core.charts import intervals
from pages.components import controls, evidence, tables, wording
from pages.components.notices import own_choice, plain

_MOST_IN_PICTURE = 12

store = evidence.store()
opened = controls.question(store)
requirements = opened.requirements
suites = tuple(filter(None, (requirements.suite, opened.evidence.second_suite)))

st.title("Smaller equivalents")
st.markdown(
    "Of models that perform alike, buy the smaller one. Pick a model to see what could replace "
    "it, the closest first, and how sure that is."
)
with st.spinner("Comparing models…"):
    tree = answers.taxonomy(store, answers.selection_of(requirements))
names = intervals.labels([answers.model(store, model) for model in sorted(tree.models)])
ids = {name: model for model, name in names.items()}
first = max(tree.models, key=lambda m: answers.model(store, m).params_b or 0)
own_choice("model", "The model", ids, names[first])
own_choice("mates", "The choice of clusters", ("true", "false"), "same cluster only")
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
        help="A cluster is a family of models that perform alike over the whole evidence base. "
        "The paper behind this rule looks for replacements inside it.",
    )
model = answers.model(store, ids[name])
with st.spinner("Comparing models…"):
    found = answers.equivalents(
        store, model.id, suites, requirements=requirements, on=evidence.today(), by_task=True
    )
candidates = [c for c in found if c.same_cluster or not mates_only]
margin = f"{requirements.margin * 100:g} points"

if not candidates:
    where = "of its cluster " if mates_only else ""
    st.info(
        f"No model {where}is known to be smaller or cheaper than {plain(model.name)} "
        f"({plain(wording.size(model.params_b))}). An unknown size or price is no saving.",
        icon=":material/search_off:",
    )
else:
    best = next((c for c in candidates if c.verdict == "equivalent"), None)
    if best is None:
        st.markdown(
            f"No smaller or cheaper model is shown to be equivalent to **{plain(model.name)}** "
            f"within {margin}. The closest is {plain(candidates[0].name)}: "
            f"{candidates[0].verdict}."
        )
    else:
        gap = best.difference
        cheaper = "cheaper" if best.cheaper_by == "bill" else "smaller"
        st.markdown(
            f"**{plain(model.name)}** can be replaced by **{plain(best.name)}**: "
            f"{best.saving_share:.0%} {cheaper}; the difference is "
            f"{wording.signed_points(gap.difference)} points "
            f"({wording.signed_interval(gap.ci_low, gap.ci_high)}), equivalent within {margin}."
        )
    compared = answers.products(store, answers.selection_of(requirements)).models
    known = intervals.labels([answers.model(store, m) for m in compared])
    st.page_link(
        "pages/decide/compare.py",
        label="Compare the two",
        icon=":material/compare_arrows:",
        query_params={"compare": [known[model.id], known[(best or candidates[0]).model]]},
        help="Opens the page Compare: every benchmark of the two models side by side.",
    )
    shown = candidates[:_MOST_IN_PICTURE]
    st.subheader("How far apart are they?")
    st.caption(
        f"Each bar is the range of the difference to {plain(model.name)}. Equivalent (circle): "
        "all of the bar lies right of your margin. Worse (triangle): all of it lies left. "
        "Cannot tell (diamond): it crosses the margin."
    )
    st.vega_lite_chart(
        spec=intervals.differences(
            shown, [answers.model(store, c.model) for c in shown], requirements.margin
        ),
        alt="Differences: "
        + "; ".join(
            f"{c.name} {wording.signed_points(c.difference.difference)}, {c.verdict}" for c in shown
        ),
    )
    st.subheader("All candidates")
    st.dataframe(
        tables.equivalents(candidates),
        column_config=tables.EQUIVALENT_COLUMNS,
        hide_index=True,
        placeholder=wording.UNKNOWN,
        alt=f"Candidates to replace {model.name}, closest first",
    )
with st.expander("How this was made"):
    listed = wording.list_of([store.catalogue.suites[suite].name for suite in suites])
    st.markdown(
        f"Candidates are smaller or cheaper models that have every benchmark of {plain(listed)}. "
        "Bills decide what is cheaper where both are known, else the number of parameters. The "
        "distance adds up how far two models lie apart on each standardised benchmark. The "
        "difference is the candidate's mean score minus this model's, weighted by your task; of "
        "two suites each has an equal vote. Where standard errors are published, the two models' "
        "errors are taken as independent, which makes the interval too wide rather than too "
        "narrow. Elsewhere it shows how much the difference depends on which benchmarks happen "
        "to be in the suite."
    )
    for left_out in tree.excluded:
        st.caption(plain(f"Left out: {left_out.model}, {left_out.reason}"))
