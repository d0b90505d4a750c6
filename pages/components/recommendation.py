"""The recommendation: one model with its reasons, what could take its place, and its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from core import figures
from core.answers.asked import Asked
from core.answers.bills import has_agents, requests_a_month, sales, workload_of
from core.domain import OWN_SERVERS, Dossier, LeftOut, MonthlyCost, Question
from core.evidence.store import Store
from core.figures import UNKNOWN, cost_from
from core.memory import Same, remembered
from core.procurement.recommendation import Recommendation, TestWorth
from core.sharing import export
from core.words import cost
from core.words.conditions import met_in_words, within_sentence
from core.words.recommendation import (
    for_and_against,
    in_short,
    parts_of_headline,
    title,
    unasked_end,
    worth_in_words,
)
from core.words.shortlist import (
    by_rule,
    evidence_name,
    question_in_words,
    questions,
    rule_asks,
    rule_name,
    sale_of,
    why_left_out,
)
from core.words.tiles import CONDITIONS, tiles
from pages.components import entries, saving
from pages.components.blocks import band
from pages.components.notices import plain

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_NAMED = 4


def assumed(asked: Asked, costs: Sequence[MonthlyCost]) -> None:
    """Say in one line what some monthly costs assume, and where that is changed."""
    lines, of = workload_of(asked.store, asked.question.demand), asked.question.evidence
    catalogue = asked.store.catalogue
    suite = catalogue.suites[of.suite].name if has_agents(asked.store, of.suite) else ""
    prices = cost.prices_behind(costs, asked.day)
    requests = requests_a_month(asked.question.workload)
    said, more = cost.assumed(asked.question, catalogue, prices, requests, lines, suite)
    where = "“Workload behind the bill” in the side bar"
    if asked.question.workload.volumes:  # The fields of its tokens are then disabled.
        where += ", the tokens under “Change the tokens of a request” on Cost"
    st.caption(plain(f"{said}; set your own under {where}."), help=plain(more))


def answer(
    asked: Asked,
    found: Recommendation,
    worth: TestWorth | None,
    under: Callable[[], None] = lambda: None,
) -> None:
    """Draw what to do, a line ``under`` it, the figures of each model that is named, and why.

    Until when each is sold is shown also where the question does not ask for it.
    """
    named = found.test_these or found.choose or tuple(filter(None, [found.take]))
    sold = sales(asked, tuple(each.model.id for each in named))
    before, lines = parts_of_headline(found).before, []
    below = list(in_short(found, asked.day))
    for number, each in enumerate(named, start=1):
        begin = f"{number}. " if found.test_these else "- "
        known = replace(each, sale=each.sale or sold[each.model.id])
        shown = tiles(known)
        if each.sale is None:
            below.append(unasked_end(known, asked.day))
        said = [f"*{plain(n)}* **{plain(it)}** {plain(about)}".rstrip() for n, it, about in shown]
        if each is found.take and not found.choose:
            lines.append(f"{begin}- {said.pop(0)}")
        else:
            lines.append(f"{begin}**{plain(each.model.name)}**")
        lines += [f"   {' ' * bool(found.test_these)}- {words}"[1:] for words in said]
    if worth is not None and len(named) > 1:
        below.append(worth_in_words(worth))
    about = saving.own_results_about(export.named_by(found))
    own = [f"**{plain(sentence)}**" for sentence in about]
    if larger := found.choice.n_left_larger:
        larger_ones = figures.counted(larger, "model")
        below.append(f"{larger_ones} over 5 % larger than the model in use: left out.")
    headline = filter(None, [plain(before), f"#### {plain(title(found))}"])
    why = "\n\n".join(
        plain(f"{each.model.name}: {' '.join(for_and_against(found, each))}") for each in named
    )
    with st.container(key=f"answer_{found.strength}"):
        st.markdown("\n\n".join(headline), help=why or None)
        under()
        st.markdown("\n\n".join(filter(None, ["\n".join(lines), *map(plain, below), *own])))
    if len(named) > 1:
        plan_link(found)


def left_out_fold(several: Sequence[LeftOut], question: Question, key: str) -> None:
    """Draw the fold of the models that the rules left out, with how many each took."""
    of_rule = by_rule(several)
    names = {rule: rule_name(rule, question) for rule in of_rule}
    told = {rule: within_sentence(name) for rule, name in names.items()}
    if question.sale.on_sale_months:  # The period may come with a link, and be in a closed fold.
        told["sale"] = f"not on sale {rule_asks('sale', question)}"
    rules = ", ".join(f"{told[rule]} ({len(out)})" for rule, out in of_rule.items())
    label = f"{figures.counted(len(several), 'model')} left out: {plain(rules)}"
    fold = st.expander(label, key=key, on_change="rerun")
    if fold.open:
        rows = [(out.name, names[out.rule], why_left_out(out)) for out in several]
        columns = zip(*rows, strict=True)
        frame = dict(zip(("Model", "Rule", "Reason"), columns, strict=True))
        fold.dataframe(frame, hide_index=True, alt="Models left out")


def plan_link(found: Recommendation) -> None:
    """Draw the way to the plan of a test of what is named, filled in."""
    named = found.test_these or found.choose or tuple(filter(None, [found.take]))
    if named:
        label = "Plan this test" if named[1:] else "Plan a local test"
        entries.link_to_plan(label, [each.model.name for each in named])


def lists(found: Recommendation) -> None:
    """Draw what could take its place, in three short lists side by side: as one element."""
    tested = "Worth a test: cheaper or much smaller, and the data cannot tell."
    if not found.choice.is_narrowed:
        tested = "Worth a test: cannot be narrowed from this evidence, which has no intervals."
    several = {
        "As good": [each for each in found.as_good if each.model.id != found.in_place_of],
        "Worth a test": found.worth_testing,
        "Step down": [found.step_down] if found.step_down else [],
    }
    with st.container(key="lists"):
        st.markdown(
            "\n".join(_list(title, proposals) for title, proposals in several.items()),
            help=f"As good: within the margin, shown or likely. {tested} Step down: worse, at half "
            "the cost.",
        )


def _list(title: str, several: Sequence[Dossier]) -> str:
    lines = [f"- **{title}**"]
    for each in several[:_MOST_NAMED]:
        marked = " · caution: harm" if each.marked else ""
        lines.append(f"  - {plain(each.model.name)} · {plain(figures.money(each.cost))}{marked}")
    if len(several) > _MOST_NAMED:
        lines.append(f"  - and {len(several) - _MOST_NAMED} more in the table")
    if not several:
        lines.append("  - none")
    return "\n".join(lines)


@remembered(maxsize=16)
def asked_and_list(store: Store, of: Same[Recommendation]) -> tuple[str, pa.Table]:
    """Return what was asked, with how many fit, and the list."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import, and the first page has no use for it

    decided, found = of.it, of.it.shortlist
    met = f": {plain(met_in_words(decided.met))}" if decided.met else ""
    begun = plain(question_in_words(found.question, found))
    name = evidence_name(found.question, store.catalogue)
    scored = "with all scores " if found.n_all < found.n_compared else ""
    asked = (
        f"{begun}, on the evidence of {plain(name)}: "
        f"{found.n_fit} of {figures.counted(found.n_all, 'model')} {scored}"
        f"{'fits' if found.n_fit == 1 else 'fit'}{met}."
    )
    table = _rows(store, Same(found.rows), replace(found.question, margin=0.0))
    judged = [decided.choice.judged.get(row.model.id) for row in found.rows]
    tiers = pa.array(["" if it is None else it.tier for it in judged])
    place = table.column_names.index("Conditions")
    return asked, table.add_column(place, "As good as the first?", tiers)


# A result is one object for as long as it is remembered. Straight to what is sent: thousands of
# rows take a third of the time of a data frame. The margin, which people try out most, leaves the
# rows as they are.
@remembered(maxsize=16)
def _rows(store: Store, one: Same[tuple[Dossier, ...]], question: Question) -> pa.Table:
    """Return what a shortlist shows of its rows; no margin is asked. Points are out of 100."""
    import pyarrow as pa  # noqa: PLC0415 - as above

    rows = one.it
    columns: dict[str, Any] = {
        "Place": pa.array([row.rank for row in rows], pa.int64()),
        "Possible ranks": [band(row.rank_band) for row in rows],
        "Model": [row.model.name for row in rows],
        "Score": _points_of([row.score for row in rows]),
        "Cost, $ a month": pa.array([row.cost.likely for row in rows], pa.float64()),
        "Cost from": [cost_from(row.cost) for row in rows],
        "Conditions": [_conditions(row, question) for row in rows],
        "Size, B": pa.array([row.model.params_b for row in rows], pa.float64()),
        "Tests": [row.n_benchmarks for row in rows],
        "Severe harm, %": _points_of([row.safety.share if row.safety else None for row in rows]),
    }
    if any(row.sale for row in rows):
        columns["On sale"] = [sale_of(row) or UNKNOWN for row in rows]
    ends = {"From": [row.ci_low for row in rows], "To": [row.ci_high for row in rows]}
    return pa.table(columns | {name: _points_of(end) for name, end in ends.items()})


def _conditions(row: Dossier, question: Question) -> str:
    said = []
    if row.terms:
        here = " on own servers" if row.terms[0].platform == OWN_SERVERS else ""
        said = [f"{CONDITIONS[row.terms[0].status]}{here}"]
    if n_asked := len(questions(row, question)):
        said.append(f"{n_asked} to ask")
    return ", ".join(said) or "nothing open"


def _points_of(shares: Sequence[float | None]) -> pa.Array:
    import pyarrow as pa  # noqa: PLC0415 - as above

    points = [None if share is None else share * 100 for share in shares]
    return pa.array(points, pa.float64(), from_pandas=True)
