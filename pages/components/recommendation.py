"""The recommendation: one model to take with its reasons, what could stand in, and its rows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pandas as pd
import pyarrow as pa
import streamlit as st

from core.domain import Dossier, Requirements, RouteVerdict, SecondOpinion
from core.evidence.store import Store
from core.memory import Same, remembered
from core.procurement.recommendation import Recommendation, TestWorth
from core.words import figures
from core.words.figures import UNKNOWN, cost_from, estimate, from_whom, ordinal
from core.words.recommendation import (
    BASES,
    alerts,
    for_and_against,
    headline,
    held_back,
    opinions_in_words,
    safety_in_words,
    sentences,
    tier_in_words,
    worth_in_words,
)
from core.words.shortlist import SOURCES, check_in_words, questions, sale_of
from pages.components import entries, saving
from pages.components.blocks import band
from pages.components.notices import plain

_MOST_NAMED = 4
_ON_THE_CARD = ("standing", "ahead", "one more test", "in common", "against", "harm", "invented")
"""What the headline has not said; its cost is above, the rest in the details of its row."""
CONDITIONS = {
    "passes": "met",
    "conditional": "met on a condition",
    "open": "open",
    "fails": "not met",
}
STATUS = {
    "passes": "meets",
    "conditional": "on a condition",
    "open": "open questions",
    "fails": "fails",
}


def answer(found: Recommendation, worth: TestWorth | None, on: date) -> None:
    """Draw the answer in a sentence and what it names: one model, several, or what to test."""
    st.markdown(f"**{plain(headline(found))}**")
    for alert in alerts(found, on):
        st.markdown(plain(alert))
    if found.strength == "shortlist":
        for number, each in enumerate(found.test_these, start=1):
            harm = "" if each.safety is None else f" · severe harm {each.safety.share * 100:.1f} %"
            st.markdown(
                f"{number}. **{plain(each.model.name)}** · {plain(_score(each))} · "
                f"{plain(figures.money(each.cost))}{harm}",
                help=plain(" ".join(for_and_against(found, each))),
            )
    elif found.choose:
        with st.grid(len(found.choose), min_column_width=280, gap="medium"):
            for each in found.choose:
                with st.container(border=True):
                    _beside(each, found)
    elif found.take is not None:
        with st.container(border=True):
            _take(found, found.take)
    named = found.test_these or found.choose
    if named and worth is not None:
        st.markdown(plain(worth_in_words(worth)))
    if len(named) > 1:  # The plan of this test, filled in.
        entries.link(
            "local_test",
            "Plan",
            label="Plan this test",
            icon="fact_check",
            test_against=named[0].model.name,
            test_models=[each.model.name for each in named[1:]],
        )
    for result in saving.own_results_about(found):
        st.markdown(f"**{plain(result.sentence)}**")
    if larger := found.choice.n_left_larger:
        st.caption(
            f"{figures.counted(larger, 'model')} over 5 % larger than the model in use: passed "
            "over on own servers."
        )


def _beside(each: Dossier, found: Recommendation) -> None:
    """Draw one model of a choice: the same rows for each, so that they can be read across."""
    st.markdown(f"#### {plain(each.model.name)}")
    st.markdown(plain(_score(each)))
    st.markdown(f"**{plain(figures.capitalised(figures.money(each.cost)))}**")
    st.caption(plain(_from_whom(each)))
    st.markdown(plain(safety_in_words(each.safety)))
    if each.judged is not None and found.leader is not None:
        margin = found.requirements.margin
        st.markdown(plain(tier_in_words(each.judged, found.leader.model.name, margin)))
    st.caption(plain(_places(each.second_opinions)))


def lists(found: Recommendation) -> None:
    """Draw what else could stand in, in three short lists beside each other."""
    tested = "Cheaper or much smaller, and the data cannot tell; the highest score first."
    if not found.choice.is_narrowed:
        tested = "Cannot be narrowed from this evidence, which has no intervals: by score."
    several = (
        (
            "As good",
            [each for each in found.as_good if each.model.id != found.in_place_of],
            "Within the margin, shown or likely.",
        ),
        ("Worth a test", found.worth_testing, tested),
        ("Step down", [found.step_down] if found.step_down else [], "Worse, at half the cost."),
    )
    with st.grid(len(several), min_column_width=230, gap="medium"):
        for title, proposals, told in several:
            _list(title, proposals, told, found)


def _take(found: Recommendation, take: Dossier) -> None:
    verb = "Keep" if found.choice.why == "keep" else "Take"
    cost = figures.capitalised(figures.money(take.cost))
    st.markdown(
        f"#### {verb} {plain(take.model.name)}\n\n**{plain(cost)}** · {plain(_from_whom(take))}\n\n"
        f"{plain(_score(take))}"
    )
    lines = [words for topic, words in sentences(found, take) if topic in _ON_THE_CARD]
    lines.append(_places(take.second_opinions))
    st.markdown(
        "\n".join(f"- {plain(line)}" for line in lines),
        help=plain(opinions_in_words(take.second_opinions)),
    )


def _score(each: Dossier) -> str:
    """Write a score with both of its intervals, each with what it is about."""
    said = f"{figures.points(each.score)} of 100"
    if each.ci_low is None:
        return said
    ends = [f"{figures.interval(each.ci_low, each.ci_high)} {BASES[each.interval_basis]}"]
    if each.on_other_tests is not None:
        other = each.on_other_tests
        ends.append(f"{other.ci_low * 100:.0f} to {other.ci_high * 100:.0f} {BASES[other.basis]}")
    return f"{said} ({'; '.join(ends)})"


def _from_whom(take: Dossier) -> str:
    """Say between what the cost lies, whose it is, and whether the conditions are met."""
    cost = take.cost
    said = []
    ends = cost.low, cost.likely, cost.high
    if None not in ends and cost.low < cost.likely < cost.high:
        said.append(f"{estimate(cost.low)} to {estimate(cost.high)}")
    if whose := from_whom(cost):
        how = {"own servers": "", "measured": "at "}.get(cost.cost_is, "from ")
        said.append(f"{how}{whose}")
    if take.routes:
        said.append(f"conditions: {CONDITIONS[take.routes[0].status]}")
    return " · ".join(said)


def _places(opinions: Sequence[SecondOpinion]) -> str:
    if not opinions:
        return "No other suite has tested it."
    listed = [f"{each.name} {ordinal(each.rank)} of {each.n}" for each in opinions]
    return f"Other suites: {', '.join(listed)}."


def _list(title: str, several: Sequence[Dossier], told: str, found: Recommendation) -> None:
    """Draw a list in one piece, with how each stands to the leader as help."""
    leader = found.leader.model.name if found.leader else ""
    lines, more = [], [told]
    for each in several[:_MOST_NAMED]:
        marked = " · caution: harm" if each.marked else ""
        lines.append(f"{plain(each.model.name)} · {plain(figures.money(each.cost))}{marked}")
        if each.judged is not None:
            said = [tier_in_words(each.judged, leader, found.requirements.margin)]
            said += held_back(each.judged)[:1]
            more.append(f"{each.model.name}: {' '.join(said)}")
    if len(several) > _MOST_NAMED:
        lines.append(f"And {len(several) - _MOST_NAMED} more in the table.")
    named = "\n".join(f"- {line}" for line in lines) or "None."
    st.markdown(f"**{title}**\n\n{named}", help="\n\n".join(map(plain, more)))


# A result is one object for as long as it is remembered. Straight to what is sent: thousands of
# rows take a third of the time of a data frame. The margin, which people try out most, leaves the
# rows as they are.
@remembered(maxsize=16)
def shortlist_rows(store: Store, one: Same[tuple[Dossier, ...]], asked: Requirements) -> pa.Table:
    """Return what a shortlist shows of its rows; no margin is asked. Points are out of 100."""
    rows = one.it
    return pa.table(
        {
            "Model": [row.model.name for row in rows],
            "Place": pa.array([row.rank for row in rows], pa.int64()),
            "Overall": pa.array([row.rank_all for row in rows], pa.int64()),
            "May be": [band(row.rank_band) for row in rows],
            "Score": _points_of([row.score for row in rows]),
            "From": _points_of([row.ci_low for row in rows]),
            "To": _points_of([row.ci_high for row in rows]),
            "Cost, $ a month": pa.array([row.cost.likely for row in rows], pa.float64()),
            "Cost from": [cost_from(row.cost) for row in rows],
            **(
                {"On sale": [sale_of(row) or UNKNOWN for row in rows]}
                if any(row.sale for row in rows)
                else {}
            ),
            "Size, B": pa.array([row.model.params_b for row in rows], pa.float64()),
            "Tests": [row.n_benchmarks for row in rows],
            "Missing": [len(row.missing) for row in rows],
            "Cluster": [row.cluster or "none" for row in rows],
            "Conditions": [_conditions(row, asked) for row in rows],
            **(
                {"From whom": [r.routes[0].platform if r.routes else UNKNOWN for r in rows]}
                if any(row.routes for row in rows)
                else {}
            ),
            "Developer": [row.model.developer or UNKNOWN for row in rows],
            "Licence": [row.model.licence or UNKNOWN for row in rows],
        }
    )


def _conditions(row: Dossier, asked: Requirements) -> str:
    said = [CONDITIONS[row.routes[0].status]] if row.routes else []
    if n_asked := len(questions(row, asked)):
        said.append(f"{n_asked} to ask")
    return ", ".join(said) or "nothing open"


def _points_of(shares: Sequence[float | None]) -> pa.Array:
    points = [None if share is None else share * 100 for share in shares]
    return pa.array(points, pa.float64(), from_pandas=True)


def ways(verdicts: Sequence[RouteVerdict]) -> pd.DataFrame:
    """Return one row per way to get a model and condition, with the source of the answer."""
    checks = [(way, check) for way in verdicts for check in way.checks]
    return pd.DataFrame(
        {
            "Platform": [way.platform for way, _ in checks],
            "Condition": [check.name for _, check in checks],
            "Stands": [STATUS[check.status] for _, check in checks],
            "Answer": [
                " ".join(filter(None, (check_in_words(check), verdict.note)))
                for verdict, check in checks
            ],
            "Source": [check.source_url for _, check in checks],
            "Kind of source": [
                SOURCES.get(check.source_kind, check.source_kind) for _, check in checks
            ],
            "As of": [check.as_of for _, check in checks],
        }
    )
