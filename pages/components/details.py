"""What stands behind a shortlist: one row in full, what was left out, how to widen it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import pyarrow as pa
import streamlit as st

from core.answers import data, recommend
from core.domain import Benchmark, Licence, Requirements, Shortlist, ShortlistRow
from core.evidence.store import Store
from core.procurement.headline import safety_in_words, tier_in_words
from core.procurement.recommendation import Recommendation
from core.procurement.shortlist import CLOSED_WEIGHTS, FAILS_CONDITION, NOT_ON_SALE
from core.sharing import link
from core.sharing.link_reader import sale_label
from core.statistics.score_matrix import normalised
from pages.components import conditions, evidence, tables, wording
from pages.components.notices import plain

_MOST_EVIDENCE = 2
"""Other evidence that is offered where this one cannot answer."""


def details(
    store: Store,
    requirements: Requirements,
    found: Shortlist,
    decided: Recommendation,
    row: ShortlistRow,
) -> None:
    """Show one row with its reasons, open questions, benchmarks and sources."""
    st.subheader(plain(row.model.name))
    st.caption("Choose a row in the table to see another model here.")
    why = [*row.reasons, *_against_first(decided, row)]
    left, right = st.columns(2)
    with left:
        st.markdown("**Why it stands here**")
        st.markdown("\n".join(f"- {plain(reason)}" for reason in why))
    with right:
        st.markdown("**What to ask**")
        asked = row.questions or ("Nothing is open in the public facts.",)
        st.markdown("\n".join(f"- {plain(question)}" for question in asked))
    # What is folded away is made and sent when somebody opens it.
    scores = st.expander("Benchmarks behind the score", key="scores_fold", on_change="rerun")
    if scores.open:
        with scores:
            _draw_benchmarks(_benchmarks(store, requirements, found, row), row)
    if row.routes:
        ways = st.expander(
            "Ways to get it, and their conditions", key="ways_fold", on_change="rerun"
        )
        if ways.open:
            ways.dataframe(
                conditions.ways(row.routes),
                column_config=conditions.WAYS_COLUMNS,
                hide_index=True,
                alt=f"Ways to get {row.model.name}, with every condition",
            )
    facts = st.expander("Facts and sources", key="facts_fold", on_change="rerun")
    if facts.open:
        facts.markdown("\n".join(f"- {plain(fact)}" for fact in _facts(store, row)))


def _against_first(decided: Recommendation, row: ShortlistRow) -> list[str]:
    """Say how a row stands to the first, and the harm that it does."""
    judged = decided.judged.get(row.model.id)
    said = []
    if judged is not None and decided.leader is not None:
        said.append(tier_in_words(judged, decided.leader.model.name, decided.requirements.margin))
        said += [f"Held back: {veto}." for veto in judged.vetoes]
        said += [f"{wording.sentence(warning)}." for warning in judged.warnings]
    return [*said, safety_in_words(decided.safety.get(row.model.id))]


def _draw_benchmarks(scores: pa.Table, row: ShortlistRow) -> None:
    st.dataframe(
        scores,
        hide_index=True,
        placeholder="not measured",
        column_config={
            "Weight": st.column_config.NumberColumn(
                format="%.1f %%", help="The benchmark's share of the score."
            ),
            "Points": st.column_config.NumberColumn(
                format="%.1f", help="The score on a scale from 0 to 100."
            ),
            "Score": st.column_config.NumberColumn(
                format="%.3f", help="The score on the benchmark's own scale."
            ),
            "Standard error": st.column_config.NumberColumn(
                format="%.3f",
                help="As printed, or from the number of questions where the score is a share of "
                "questions right, on the benchmark's own scale.",
            ),
            "Error of": st.column_config.TextColumn(
                help="What varied: the questions drawn, or the same questions run again. An error "
                "of runs is in no interval. At most: an upper bound from the number of questions."
            ),
        },
        alt=f"Benchmark scores of {row.model.name}",
    )


def left_out(found: Shortlist, names: dict[str, str]) -> None:
    """Say how many models were left out and by which rule; the list is one click away."""
    total = sum(len(rule.models) for rule in found.exclusions)
    if not total:
        st.caption(f"All {found.n_compared} models compared are in the list: no rule left any out.")
        return
    rules = ", ".join(f"{rule.rule.lower()} {len(rule.models)}" for rule in found.exclusions)
    label = f"{wording.counted(total, 'model')} left out: {plain(rules)}"
    fold = st.expander(label, key="left_out_fold", on_change="rerun")
    if fold.open:
        fold.dataframe(
            tables.exclusions(found.exclusions, names), hide_index=True, alt="Models left out"
        )


def method(found: Shortlist, requirements: Requirements) -> None:
    """Say how the shortlist was made, from which evidence and at which prices."""
    fold = st.expander("How this list was made", key="method_fold", on_change="rerun")
    if not fold.open:
        return
    with fold:
        weights = "; ".join(f"{plain(name)} {share:.0%}" for name, share in found.weights)
        st.markdown(
            "Each benchmark score is put on a scale from 0 to 100 and averaged within its task "
            f"category; categories then count by weight: {weights}. The places that a model may "
            "have are those that no comparison with another model that fits excludes, at 95 % for "
            "the model as a whole. Taken is the cheapest of the highest score and all as good "
            f"as it within {requirements.margin * 100:g} points, models that stand out for harm "
            "last."
            + (
                " Benchmarks that tell much the same story share one vote: their weights are "
                "with the benchmarks above."
                if requirements.overlap_once
                else ""
            )
        )
        if found.workload:
            lines = "\n".join(
                f"| {plain(line.category)} | {line.requests_per_month:,.0f} "
                f"| {line.profile.input_tokens:,.0f} | {line.profile.output_tokens:,.0f} "
                f"| {plain(line.profile.basis)} |"
                for line in found.workload
            )
            st.markdown(
                "The bill is for this workload, in US dollars at the public prices of "
                f"{evidence.priced_on(requirements):%d %B %Y}, taxes and discounts left out.\n\n"
                "| Category | Requests a month | Tokens read | Tokens written | Basis |\n"
                f"|---|---:|---:|---:|---|\n{lines}\n\n"
                + plain(wording.reasoning_on_top(requirements, evidence.store().catalogue))
            )
        for snapshot in found.snapshots:
            st.caption(
                plain(
                    f"{snapshot.suite}, {snapshot.revision}, retrieved {snapshot.retrieved_at}, "
                    f"licence {snapshot.licence}, sha256 {snapshot.sha256[:12]}, "
                    f"{snapshot.source_url}"
                )
            )


def _benchmarks(
    store: Store, requirements: Requirements, found: Shortlist, row: ShortlistRow
) -> pa.Table:
    every = tuple(b.id for b in store.catalogue.benchmarks[requirements.suite])
    asked = replace(data.selection_of(requirements), benchmarks=every)
    matrix = data.matrix(store, asked)
    place = matrix.models.index(row.model.id)
    shares, errors = normalised(matrix)
    counted = {benchmark.id for benchmark in found.benchmarks}
    keep = [j for j, b in enumerate(matrix.benchmarks) if b.id in counted or not b.scored]
    chosen = [matrix.benchmarks[j] for j in keep]
    weight = dict(found.benchmark_weights)
    return pa.table(
        {
            "Benchmark": [benchmark.name for benchmark in chosen],
            "Category": [benchmark.category for benchmark in chosen],
            "Weight": pa.array(
                [weight[b.id] * 100 if b.id in weight else None for b in chosen], pa.float64()
            ),
            "Points": pa.array(shares[place, keep] * 100, from_pandas=True),
            "Score": pa.array(matrix.scores[place, keep], from_pandas=True),
            "Standard error": pa.array(matrix.standard_errors[place, keep], from_pandas=True),
            "Error of": [
                _error_of(benchmark, matrix.standard_errors[place, j], errors[place, j])
                for j, benchmark in zip(keep, chosen, strict=True)
            ],
            "Scale": [f"{b.scale_min:g} to {b.scale_max:g}" for b in chosen],
            "Questions": pa.array([b.n_items for b in chosen], pa.int64()),
            "Measure": [benchmark.metric for benchmark in chosen],
            "Data": [benchmark.access or wording.UNKNOWN for benchmark in chosen],
            "Source": [benchmark.source for benchmark in chosen],
        }
    )


def _error_of(benchmark: Benchmark, printed: float, bound: float) -> str:
    """Say what varied behind an error."""
    if not math.isnan(printed):
        return "questions" if benchmark.error_of == "items" else "runs, in no interval"
    if math.isnan(bound):
        return "none published"
    width = benchmark.scale_max - benchmark.scale_min
    return f"questions, at most {bound * width:.3f}"


def _facts(store: Store, row: ShortlistRow) -> list[str]:
    model = row.model
    licence = store.catalogue.licence(model)
    _, conflicts = data.facts_on(store, model.id)
    context = model.context_window_tokens
    facts = [
        f"Identifier: {model.id}",
        f"Licence: {model.licence or wording.UNKNOWN}",
        f"Commercial use: {_commercial_use(licence)}",
        f"Weights: {model.access if model.access != 'unknown' else wording.UNKNOWN}",
        f"Size: {wording.size(model.params_b)}"
        + (f" (from: {model.params_source})" if model.params_b is not None else ""),
        f"Context window: {f'{context:,} tokens' if context else wording.UNKNOWN}",
        f"Released: {model.released_on or wording.UNKNOWN}",
        f"Source of these facts: {model.source_url or wording.UNKNOWN}",
        f"Run that was scored: {row.run}",
    ]
    if row.cost.likely is not None:
        facts.append(f"The cost rests on: {row.cost.basis}")
    if row.bill:
        price = row.bill.price
        facts.append(
            f"Price: ${price.input_usd_per_mtok:g} read and ${price.output_usd_per_mtok:g} "
            f"written per million tokens at {price.provider_name}, {price.as_of} ({price.source})"
        )
    if model.mirror_of:
        facts.append(f"A copy of {model.mirror_of}")
    if model.note:
        facts.append(f"Note: {model.note}")
    return [*facts, *conflicts]


def _commercial_use(licence: Licence | None) -> str:
    if licence is None or not licence.commercial_use:
        return f"{wording.UNKNOWN}: read the licence before you use it"
    words = {"yes": "allowed", "no": "not allowed", "conditional": "allowed under conditions"}
    source = ", ".join(filter(None, (licence.source_url, licence.as_of)))
    return f"{words[licence.commercial_use]}. {licence.condition} ({licence.name}; {source})"


def relax(store: Store, opened: link.Opened, found: Shortlist, asked: str) -> None:
    """Say why nothing matches, and offer what would help, the rule that excludes most first."""
    requirements = opened.requirements
    if not found.weights:
        task = store.catalogue.tasks[requirements.task]
        st.info(
            f"{plain(opened.evidence.name)} has no benchmark for {plain(task.description)}. "
            "That is a gap in the evidence, not a verdict on any model.",
            icon=":material/search_off:",
        )
        covered = {suite for suite, _ in task.weights}
        for base in store.catalogue.evidence.values():
            if base.suite in covered and base.cohort == data.ALL_MODELS:
                _offer(f"Use {base.name}", evidence=base.name)
        return
    st.info(f"{plain(asked)}: no model fits all of it.", icon=":material/search_off:")
    _other_evidence(store, requirements)
    sizes = {rule.rule: len(rule.models) for rule in found.exclusions}
    offers = []
    if requirements.max_params_b is not None:
        wider = _without(store, requirements, max_params_b=None)
        known = [row.model for row in wider.rows if row.model.params_b is not None]
        if known:
            smallest = min(known, key=lambda model: model.params_b or 0)
            enough = math.ceil((smallest.params_b or 0) * 10) / 10
            offers.append(
                (
                    sizes.get("Too large", 0) + sizes.get("Size not disclosed", 0),
                    f"The smallest model tested is {smallest.name} with "
                    f"{wording.size(smallest.params_b)}.",
                    f"Raise the limit to {link.size_label(enough)}",
                    {"max_params": link.size_label(enough), "linked_size": enough},
                )
            )
        elif wider.rows:
            offers.append(
                (
                    sizes.get("Size not disclosed", 0),
                    f"{wording.counted(len(wider.rows), 'model')} of undisclosed size would fit.",
                    "Take the size limit away",
                    {"max_params": link.size_label(None)},
                )
            )
    if requirements.monthly_budget_usd is not None:
        others = _without(store, requirements, monthly_budget_usd=None).rows
        if priced := [row for row in others if row.cost.likely is not None]:
            cheapest = min(priced, key=lambda row: row.cost.likely or 0)
            dollars = math.ceil(cheapest.cost.likely or 0)
            offers.append(
                (
                    sizes.get("Over budget", 0),
                    f"The lowest cost is {wording.money(cheapest.cost)}, for "
                    f"{cheapest.model.name}.",
                    f"Raise the budget to ${dollars:,}",
                    {"budget": dollars},
                )
            )
    if requirements.access != "any" and _without(store, requirements, access="any").rows:
        offers.append(
            (
                sum(sizes.get(rule, 0) for rule in CLOSED_WEIGHTS),
                *(
                    ("Models on your own servers would fit.", "Allow own servers as well")
                    if requirements.access == "vendor"
                    else ("Models that run as a service would fit.", "Allow services as well")
                ),
                {"access": link.ACCESS["any"]},
            )
        )
    offers += _without_conditions(store, requirements, sizes)
    if requirements.only and _without(store, requirements, only=()).rows:
        offers.append(
            (
                sizes.get("Not among the models you chose", 0),
                "Other models than those you chose would fit.",
                "Consider all models",
                {"only": []},
            )
        )
    for _, sentence, button, values in sorted(offers, key=lambda offer: -offer[0]):
        st.markdown(plain(sentence))
        _offer(button, **values)
    if not offers:
        _offer(
            "Take all limits away",
            max_params=link.size_label(None),
            budget=None,
            access=link.ACCESS["any"],
            only=[],
            gates=[],
            retention=None,
            window=None,
            sale=sale_label(None),
        )


def _other_evidence(store: Store, requirements: Requirements) -> None:
    """Offer the evidence that can answer, with its count."""
    with st.spinner("Looking at the other evidence…"):
        others = recommend.evidence_that_answers(
            store, requirements, evidence.priced_on(requirements)
        )
    for base, n_fit in others[:_MOST_EVIDENCE]:
        fit = "that fits" if n_fit == 1 else "that fit"
        st.markdown(
            f"{plain(base.name)} has {wording.counted(n_fit, 'model')} {fit}. "
            f"{plain(base.description)}"
        )
        _offer(f"Use {base.name}", evidence=base.name)


def _without_conditions(
    store: Store, requirements: Requirements, sizes: Mapping[str, int]
) -> list[tuple[int, str, str, dict[str, object]]]:
    """Offer to take the conditions of purchase, or that of sale, away where that would help."""
    n_off_sale, n_failing = sizes.get(NOT_ON_SALE, 0), sizes.get(FAILS_CONDITION, 0)
    if n_off_sale and _without(store, requirements, on_sale_months=None).rows:
        are = "it is" if n_off_sale == 1 else "they are"
        said = f"{wording.counted(n_off_sale, 'model')} would fit but for how long {are} on sale."
        unasked = sale_label(None)
        return [(n_off_sale, said, "Do not ask how long it is on sale", {"sale": unasked})]
    if not n_failing:
        return []
    free = {"gates": (), "max_retention_days": None, "min_context_tokens": None}
    n_fitting = len(_without(store, requirements, **free).rows)
    if not n_fitting:
        return []
    return [
        (
            n_failing,
            f"Without your conditions of purchase, {wording.counted(n_fitting, 'model')} would "
            "fit. The page Conditions shows which condition each fails.",
            "Take the conditions away",
            {"gates": [], "retention": None, "window": None},
        )
    ]


def _without(store: Store, requirements: Requirements, **values: object) -> Shortlist:
    changed = replace(requirements, **values)
    return recommend.shortlist(store, changed, evidence.priced_on(requirements))


def _offer(button: str, **values: object) -> None:
    st.button(button, on_click=st.session_state.update, kwargs=values)
