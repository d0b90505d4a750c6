"""Which models does the evidence support for this task, and why?"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from core import figures
from core.answers import data, recommend
from core.answers.asked import Asked
from core.answers.bills import by_the_task, seconds_a_task
from core.answers.local_test import worth_of
from core.domain import ALL_EVIDENCE, Dossier, Shortlist
from core.evidence.store import Store
from core.memory import Same
from core.procurement.recommendation import Recommendation
from core.statistics.score_matrix import normalised
from core.words.cost import prices_behind, reasoning_on_top
from core.words.market import alone
from core.words.recommendation import sentences
from core.words.shortlist import not_known, questions
from pages.components import controls, entries, renewal, saving
from pages.components import recommendation as shown
from pages.components.blocks import how_made, table
from pages.components.notices import plain
from pages.recommend import documents, market, nothing_fits

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa


def draw(asked: Asked) -> None:
    """Draw the tab: over all evidence, or within one suite."""
    if not asked.question.evidence.suite:
        market.draw(asked)
        return
    found = recommend.shortlist(asked)
    decided = recommend.recommendation(asked)
    controls.n_fit(found.n_fit)
    nothing_fits.draw_another_day(asked)
    _of_the_market(asked, decided)
    of = asked.question.evidence
    age = partial(renewal.line, asked, asked.store.snapshot(of.suite, of.revision).as_of)
    if found.rows:
        _answer(asked, found, decided, age)
    else:
        nothing_fits.draw(asked, found)
        age()
        if not found.weights:  # No list was made, so there is nothing to count, file or keep.
            return
    documents.menu(asked, controls.opened(asked.store).evidence.id, decided)
    documents.draw_receipt(asked, *_counts(asked, found))
    saving.form(asked)
    if out := decided.shortlist.left_out:
        shown.left_out_fold(out, found.question, "left_out_fold")
    else:
        lack = found.n_compared - found.n_all
        more = f"; {lack} without every score that counts have no place" if lack else ""
        st.caption(f"No rule left any of the {found.n_compared} models out{more}.")
    how_made("Recommendation", "Weighted score and its interval", key="list")


def _of_the_market(asked: Asked, decided: Recommendation) -> None:
    """Say how much of what can be bought the suite has tested, and lead to all evidence."""
    here, beyond = recommend.of_the_market(asked)
    every = [*here, *beyond]
    n_here = None if decided.choice.why == "better elsewhere" else len(here)
    n_own, n_fit = sum(each.is_own for each in every), len(decided.shortlist.rows)
    said = alone(decided.suite, n_here, len(every), n_own, n_fit)
    with st.container(horizontal=True, vertical_alignment="center", key="one_suite"):
        st.markdown(plain(said), width="content")
        entries.set_button("Ask all evidence", {"evidence": ALL_EVIDENCE.name}, type="tertiary")


def _answer(
    asked: Asked, found: Shortlist, decided: Recommendation, age: Callable[[], None]
) -> None:
    from pages.recommend import room  # noqa: PLC0415 - altair takes a quarter of a second

    shown.answer(asked, decided, worth_of(asked.store, decided, asked.day), age)
    if by_the_task(asked.store, asked.question.demand):  # Of others the receipt says it.
        shown.assumed(asked, [row.cost for row in found.rows])
    room.draw(asked.store, decided, recommend.left_out_rows(asked))
    if decided.as_good or decided.worth_testing or decided.step_down:
        shown.lists(decided)
    if len(decided.test_these or decided.choose) < 2:  # Of several it is above.
        shown.plan_link(decided)
    row = _list(asked.store, found, decided)
    if row is not None:
        _row(asked, found, decided, row)


def _list(store: Store, found: Shortlist, decided: Recommendation) -> Dossier | None:
    """Draw the list, best first; return the row that was chosen in it."""
    asked, rows = shown.asked_and_list(store, Same(decided))
    st.markdown(
        f"### All models that fit\n\n{asked}",
        help="Choose a row to see its reasons, tests and sources. Counted are the models with all "
        "scores.",
    )
    # Straight to what is sent, without a data frame between; its file is in the menu Export.
    of = {"Place": found.n_fit, "Tests": len(found.benchmarks)}
    chosen = table(
        rows,
        "shortlist",
        "The shortlist as a table, best first",
        columns={name: f"%d of {n}" for name, n in of.items()},
        file=False,
        choice="row",
    )
    if found.question.limits.monthly_budget_usd is not None and found.n_unpriced:
        st.caption(
            f"{figures.counted(found.n_unpriced, 'model')} in this list of unknown cost: the "
            "budget could not be applied there."
        )
    return None if chosen is None else found.rows[chosen]


def _counts(asked: Asked, found: Shortlist) -> tuple[str, str]:
    requests = sum(line.requests_per_month for line in found.workload)
    if not requests:
        return "", ""
    weights = "; ".join(f"{name} {share:.0%}" for name, share in found.weights)
    listed = "; ".join(
        f"{snapshot.suite}, {snapshot.revision}, retrieved {snapshot.retrieved_at}, licence "
        f"{snapshot.licence}, {snapshot.source_url}"
        for snapshot in found.snapshots
    )
    reasoning = reasoning_on_top(found.question, asked.store.catalogue)
    prices = prices_behind([row.cost for row in found.rows], asked.day)
    at = f" at {prices}, without taxes and discounts" if prices else ", no public price"
    return (
        f"Costs: {requests:,.0f} requests a month{at}.",
        plain(f"{reasoning} Kinds of work count by weight: {weights}. Evidence: {listed}."),
    )


def _row(asked: Asked, found: Shortlist, decided: Recommendation, row: Dossier) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(plain(row.model.name), width="content")
        entries.link_to_model(row.model.id, row.model.name)
    left, right = st.columns(2)
    with left:
        st.markdown("**Why it is ranked here**")
        st.markdown("\n".join(f"- {plain(reason)}" for reason in _why(decided, row)))
    with right:
        st.markdown("**What to ask**")
        open_ones = questions(row, found.question) or ("No open question.",)
        st.markdown("\n".join(f"- {plain(question)}" for question in open_ones))
        if unknown := not_known(row, found.question):
            st.markdown("**Not known**\n" + "\n".join(f"- {plain(said)}" for said in unknown))
    # What is folded away is made and sent when somebody opens it.
    scores = st.expander("Tests behind the score", key="scores_fold", on_change="rerun")
    if scores.open:
        with scores:
            table(
                _benchmarks(asked, found, row),
                "tests",
                f"Benchmark scores of {row.model.name}",
                placeholder="not measured",
                file=False,
            )
    facts = st.expander("Facts and sources", key="facts_fold", on_change="rerun")
    if facts.open:
        facts.markdown("\n".join(f"- {plain(fact)}" for fact in _facts(asked.store, row)))


def _why(decided: Recommendation, row: Dossier) -> list[str]:
    """Return the reasons for a row's place; what to ask is next to them."""
    # Other suites were looked at for those alone that the rule names.
    unsaid = {"ask"} if row.model.id in decided.dossiers else {"ask", "other suites"}
    said = sentences(decided, decided.dossier(row))
    return [words for topic, words in said if topic not in unsaid]


def _benchmarks(asked: Asked, found: Shortlist, row: Dossier) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415 - slow to import, and the first page has no use for it

    store, evidence = asked.store, asked.question.evidence
    every = tuple(b.id for b in store.catalogue.benchmarks[evidence.suite])
    matrix = data.matrix(store, replace(asked.selection(), benchmarks=every))
    place = matrix.models.index(row.model.id)
    shares, _ = normalised(matrix)
    counted = {benchmark.id for benchmark in found.benchmarks}
    keep = [j for j, b in enumerate(matrix.benchmarks) if b.id in counted or not b.scored]
    chosen = [matrix.benchmarks[j] for j in keep]
    weight = dict(found.benchmark_weights)
    took = seconds_a_task(store, evidence.suite, evidence.revision)
    minutes = {
        "Minutes per task": pa.array(
            [took.get(row.model.id, {}).get(b.id, math.nan) / 60 for b in chosen],
            from_pandas=True,
        )
    }
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
            **(minutes if took else {}),
            "Measure": [benchmark.metric for benchmark in chosen],
            "Source": [benchmark.source for benchmark in chosen],
        }
    )


def _facts(store: Store, row: Dossier) -> list[str]:
    model = row.model
    licence = store.catalogue.licence(model)
    use = f"{figures.UNKNOWN}: read the licence before you use it"
    if licence and licence.commercial_use:
        words = {"yes": "allowed", "no": "not allowed", "conditional": "allowed under conditions"}
        source = ", ".join(filter(None, (licence.source_url, licence.as_of)))
        use = f"{words[licence.commercial_use]}. {licence.condition} ({licence.name}; {source})"
    return [
        f"Licence: {model.licence or figures.UNKNOWN}",
        f"Commercial use: {use}",
        f"Source of these facts: {model.source_url or figures.UNKNOWN}",
        f"Run that was scored: {row.run}",
        *data.conflicts_on(store, model.id),
    ]
