"""How do a few models differ? Two to five side by side, on every benchmark of the task."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core import figures
from core.answers import bills, data, recommend, replacing
from core.answers import evidence as evidence_answers
from core.answers.asked import Asked
from core.answers.other_suites import tested_as
from core.charts.intervals import WORDS, benchmark_gaps
from core.charts.kit import labels
from core.domain import NOT_ASKED, Model, Shortlist, TooFewError
from core.statistics.difference import MOST_COMPARED, Gap, Pair, SideBySide
from core.words import model as words
from core.words.replacing import not_compared, not_in
from pages.components import entries
from pages.components.blocks import figure, how_made, picked, table
from pages.components.controls import asked_of, keep_in_address
from pages.components.notices import own_choice, plain
from pages.model.known import as_in_use, chosen


def draw(asked: Asked) -> None:
    """Draw the tab."""
    scores = data.products(asked.store, asked.selection())
    listed = recommend.shortlist(asked)
    names = labels([data.model(asked.store, model) for model in scores.models])
    models = _chosen(asked, listed, names)
    found = replacing.side_by_side(asked, models)
    for pair in found.pairs:
        said = words.pair_in_words(pair, names[pair.other])
        st.markdown(f"**{plain(names[pair.model])}** {plain(said)}")
    # What is about to end has a price today.
    costs = dict(bills.monthly_costs(asked.having(sale=NOT_ASKED), models))
    costs |= {it: cost for it, cost in bills.monthly_costs(asked, models).items() if cost.low}
    sold = bills.sold_anywhere(asked, models)
    told = [words.cost_today(names[it], costs[it], sold[it]) for it in models]
    st.markdown(plain(f"What your work would cost: {'; '.join(told)}."))
    n, weighted = len(scores.benchmarks), bool(listed.benchmark_weights)
    st.caption(words.benchmarks_that_count(found, n, weighted=weighted))
    _picture(found, names)
    with st.container(horizontal=True):
        for model in models:
            entries.link_to_model(model, names[model])
    st.subheader("Every benchmark that counts")
    st.caption(f"Points out of 100. Differences are from {plain(names[models[0]])}, the first.")
    _benchmarks("compare-benchmarks", found, names, "Benchmarks side by side, points out of 100")
    how_made("Models side by side", key="side_by_side")


def _chosen(asked: Asked, listed: Shortlist, names: Mapping[str, str]) -> tuple[str, ...]:
    """Draw the choice of models.

    At first the model in use, if any, with those that the question chooses among, else with who
    leads the shortlist.
    """
    ids = {name: model for model, name in names.items()}
    of = asked.question.evidence.suite
    suite = asked.store.catalogue.suites[of].name
    best = [row.model.id for row in listed.rows if row.model.id in names]
    if only := asked.question.limits.only:
        held_as = {it: tested_as(asked.store, it, names)[0] for it in only}
        best = list(filter(None, held_as.values()))
        if absent := [data.model(asked.store, it).name for it in only if not held_as[it]]:
            st.info(plain(not_in(absent, suite)), icon=":material/search_off:")
            if len(only) > 1:
                _in_every_suite("Compare the first two in every suite", *only[:2])
    elif len(best) < 2 <= len(names):
        # Nothing fits the question, so those who win most take their place.
        rates = evidence_answers.suite_win_rates(asked.store, asked.selection())
        best = [row.model for row in rates.rows]
    # Drawn here too: a control that is not has no place in the address and forgets its value.
    with entries.above_tabs():
        in_use = chosen(asked.store, "Which model do you use now?", "in_use")
    if in_use:
        used, whole = as_in_use(asked, in_use), asked_of(asked.store)
        moves = None if whole.question.evidence.suite else replacing.in_use(whole, in_use.name)
        if moves:
            st.markdown(plain(not_compared(moves, of, suite)))
        if used in ids:
            named = [it.candidate.model.id for it in moves.named] if moves else []
            moved = filter(None, (tested_as(asked.store, it, names)[0] for it in named))
            best = [ids[used], *moved, *best]
        else:
            st.info(plain(words.not_there(in_use.name, suite)), icon=":material/search_off:")
            if moves and moves.named and not only:
                # Others of a suite that nobody chose say nothing of it.
                best, first_move = [], moves.named[0].candidate.model
                label = f"Compare it with {first_move.name} in every suite"
                _in_every_suite(label, in_use.id, first_move.id)
    first = [names[model] for model in dict.fromkeys(best)][: MOST_COMPARED if only else 2]
    own_choice("compare", "The model", ids, "the others are, or the first two")
    # Set, not a default, which the address and so a link leaves out.
    held, before = st.session_state.get("compare"), st.session_state.get("compared_first", [])
    asked_for = st.query_params.get_all("compare") if held is None else held
    if held == before or (held != [] and ids.keys().isdisjoint(asked_for)):
        st.session_state["compare"] = first
        keep_in_address({"compare": []})
    st.session_state["compared_first"] = first
    compare = st.multiselect(
        "Models, compared with the first",
        sorted(ids, key=str.lower),
        max_selections=MOST_COMPARED,
        key="compare",
        bind="query-params",
        placeholder="Choose two to five models",
        select_all=False,
        help="Starts with the model in use and those under *Only these models*, else with the "
        "first of the shortlist. Columns follow the order in which you choose.",
    )
    if len(compare) < 2:
        raise TooFewError("Choose at least two models to compare.")
    return tuple(ids[name] for name in compare)


def _in_every_suite(label: str, model: str, beside: str) -> None:
    pair = {"model": model, "beside": beside}
    entries.link("model", "Compare", label=label, icon="compare_arrows", **pair)


def _picture(found: SideBySide, names: Mapping[str, str]) -> None:
    st.subheader("Where do they differ?")
    pair = found.pairs[0]
    if len(found.pairs) > 1:
        against = {names[one.model]: one for one in found.pairs}
        # Not a segmented control, which would read the models' names as Markdown.
        held = f"Compared with {plain(names[pair.other])}"
        used = names[pair.model]
        pair = picked(held, against, key="pair", what="The model", used=used)
    if not pair.n_shared:
        st.info("The two have no benchmark in common.", icon=":material/search_off:")
        return
    st.caption(
        f"Right of zero {plain(names[pair.model])} scores higher, left of it "
        f"{plain(names[pair.other])}. A bar is the 95 % interval of the difference; a cross has "
        "none, because no standard error is published."
    )
    _gaps("compare", pair, found, names)


def proof(
    asked: Asked,
    suites: tuple[str, ...],
    model: Model,
    candidates: Mapping[str, str],
    *,
    by_task: bool,
) -> None:
    """Draw one of the candidates against the model, test by test; at first the one named.

    Parameters
    ----------
    candidates
        Their names by their ids, the best first.
    """
    st.subheader("Proof")
    ids = {label: candidate for candidate, label in candidates.items()}
    _begin_with(next(iter(ids)), ids, model)
    told = "Best buy first; by the paper's rule, the closest first."
    label = st.selectbox("Proof for", list(ids), key="proof", bind="query-params", help=told)
    candidate = ids[label]
    found = replacing.replacement_proof(asked, suites, model.id, candidate, by_task=by_task)
    entries.link_to_model(candidate, candidates[candidate])
    names = {model.id: model.name, candidate: candidates[candidate]}
    if model.name == candidates[candidate]:
        names = {model.id: model.id, candidate: candidate}
    for suite, compared in zip(suites, found, strict=True):
        title, pair = asked.store.catalogue.suites[suite].name, compared.pairs[0]
        st.markdown(f"#### {plain(title)}")
        held = words.clearly_apart(pair)
        st.caption(f"{held} Right of zero {plain(names[pair.model])} scores higher.")
        _gaps(f"proof-{suite}", pair, compared, names, on=title)
        said = f"The two models on every test of {title}, with the difference"
        _benchmarks(f"proof-{suite}", compared, names, said)


def _begin_with(first: str, candidates: Mapping[str, str], model: Model) -> None:
    """Choose the best candidate again where the question has changed and the choice is moot."""
    before = st.session_state.get("proof_of")
    st.session_state["proof_of"] = (model.id, first)
    if before is None or before == (model.id, first):
        own_choice("proof", "The candidate", candidates, first)
        return
    # The address still has the candidate of the last question, which is not a fault of a link.
    st.session_state.get("own_notes", {}).pop("proof", None)
    chosen = st.session_state.get("proof")
    if before[0] != model.id or chosen == before[1] or chosen not in candidates:
        st.session_state["proof"] = first


def _gaps(
    key: str, pair: Pair, found: SideBySide, names: Mapping[str, str], *, on: str = ""
) -> None:
    """Draw how far apart a pair is on each benchmark; ``on`` names its suite, one of two.

    ``key`` begins the files' names.
    """
    title = f"{names[pair.model]} minus {names[pair.other]}{on and f', {on}'}, points"
    figure(
        benchmark_gaps(pair, found.scores),
        key,
        title,
        f"{title}: "
        + "; ".join(
            f"{benchmark.name} {figures.signed(gap.difference)}, {gap.standing}"
            for gap, benchmark in zip(pair.gaps, found.scores.benchmarks, strict=True)
            if gap.difference is not None
        ),
        found.scores.snapshot,
    )


def _benchmarks(key: str, found: SideBySide, names: Mapping[str, str], title: str) -> None:
    """Draw every benchmark as a table: points, then each model against the first."""
    tests, first = found.scores.benchmarks, found.scores.models[0]
    columns: dict[str, Sequence[object]] = {
        "Category": [benchmark.category for benchmark in tests],
        "Benchmark": [benchmark.name for benchmark in tests],
        names[first]: found.normalised[0] * 100,
    }
    points = st.column_config.NumberColumn(format="%.1f", help="Points out of 100.")
    settings = {names[model]: points for model in found.scores.models}
    for pair, values in zip(found.pairs, found.normalised[1:], strict=True):
        against = f"{names[pair.model]} against the first"
        columns[names[pair.model]] = values * 100
        columns[against] = [_against(gap) for gap in pair.gaps]
        settings[against] = st.column_config.TextColumn(
            width="medium",
            help=f"{plain(names[pair.model])} minus {plain(names[pair.other])}, points, with the "
            "95 % interval. Better or worse: the interval lies on one side of zero. No interval: "
            "one of the two has no published standard error.",
        )
    # The categories together, in the order in which they first occur.
    frame = pd.DataFrame(columns).sort_values(
        "Category", key=lambda names: pd.factorize(names)[0], kind="stable", ignore_index=True
    )
    table(
        frame,
        key,
        title,
        found.scores.snapshot,
        columns=settings,
        placeholder="not measured",
        height="content" if len(tests) <= 40 else 600,
    )


def _against(gap: Gap) -> str:
    said = [WORDS[gap.standing]]
    if gap.difference is not None:
        said.append(figures.signed(gap.difference))
        if gap.ci_low is not None:
            said[-1] += f" ({figures.signed_interval(gap.ci_low, gap.ci_high)})"
    return ", ".join(said)
