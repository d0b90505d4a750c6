"""Would we decide the same under other reasonable weightings, or with other tests of the kind?"""

from collections.abc import Mapping

import streamlit as st

from core import figures
from core.answers import data, recommend
from core.answers.asked import Asked
from core.answers.market import market, named_compared
from core.charts.intervals import may_be_first
from core.charts.kit import labels
from core.domain import Market, Shortlist, TooFewError
from core.procurement.robustness import RankRobustness
from core.words import market as words
from core.words.candidate import GRADES_ARE_WORTH
from core.words.shortlist import among, could_be_best, drawn_again, first_by_weights, flips
from pages.components import entries
from pages.components.blocks import band, how_made, table
from pages.components.notices import about_each, plain


def draw(asked: Asked) -> None:
    """Draw the tab; over all evidence what the tests say of those named, then one suite's order."""
    whole = None if asked.question.evidence.suite else market(asked)
    if whole:
        _named(asked, whole)
        if whole.n_named_in(recommend.in_one_suite(asked).question.evidence.suite) < 2:
            how_made("What a grade is worth", key="how_sure")
            return
        st.subheader("Under other weights")
        asked = entries.put_to_one_suite(asked)
    suite = asked.question.evidence.suite
    name = asked.store.catalogue.suites[suite].name
    try:
        if whole:
            asked = recommend.among_the_market(asked, whole)
            st.markdown(plain(words.named_in(whole, suite, name)))
        listed, found = recommend.shortlist(asked), recommend.robustness(asked)
    except TooFewError as error:
        st.info(
            f"There is no order to test. {plain(str(error))} Widen the limits in the side bar, or "
            "choose another task.",
            icon=":material/search_off:",
        )
    else:
        _redrawn(asked)
        _order(listed, found, among(len(found.models), name, yours=whole is not None))
    how_made("Robust ranks", "The places a model may have", key="how_sure")


def _named(asked: Asked, found: Market) -> None:
    """Draw what the tests of the work show of those that the answer names, against the first."""
    if compared := named_compared(asked, found):
        told, each = words.named_in_words(found, compared, asked.question.margin)
        st.markdown(f"**{plain(told)}**")
        st.markdown("\n\n".join(about_each(each)))
    st.markdown(GRADES_ARE_WORTH)


def _redrawn(asked: Asked) -> None:
    try:
        found = recommend.redrawn(asked)
    except TooFewError:
        return  # Draws would say nothing about other tests.
    best = recommend.recommendation(asked).best
    if best is None:
        return
    names = {name: data.model(asked.store, name).name for name, _ in found.shares}
    st.markdown(plain(drawn_again(found, best.model, names)))


def _order(listed: Shortlist, found: RankRobustness, compared: str) -> None:
    rows = [row for row in listed.rows if row.rank is not None]
    names = labels([row.model for row in rows])
    if found.weights_vary:
        first, others = first_by_weights(found, names)
        said = f"{plain(others)}\n\n{plain(flips(found, names))}"
        st.markdown(f"**{plain(compared)} {plain(first)}**{said}")
    else:
        first = found.models[0].model
        st.markdown(
            f"**{plain(compared)} {plain(names[first])} is first.** Only one category counts here, "
            f"{plain(listed.weights[0][0])}, so there are no weights to vary."
        )
    if (n := sum(map(may_be_first, rows))) > 1:
        st.markdown(could_be_best(n))
    if unranked := len(listed.rows) - len(rows):
        st.caption(
            f"{figures.counted(unranked, 'model')} without every benchmark: not ranked here."
        )
    _shares(listed, found, names)


def _shares(listed: Shortlist, found: RankRobustness, names: Mapping[str, str]) -> None:
    st.subheader("How often is each model first?")
    if found.weights_vary:
        st.caption(
            "The share of weightings in which a model is first, or among the first three.",
            help="No one knows the exact share of each kind of work. A weight of 50 % lies "
            "between 32 and 68 % in nine of ten draws, as if 20 requests had been sorted by hand.",
        )
    bands = {row.model.id: row.rank_band for row in listed.rows}
    frame = {
        "Model": [names[spread.model] for spread in found.models],
        "Rank": [spread.rank for spread in found.models],
        "Possible ranks": [band(bands[s.model] or (s.rank, s.rank)) for s in found.models],
    }
    if found.weights_vary:
        frame["First, %"] = [(s.first_share or 0.0) * 100 for s in found.models]
        frame["Top three, %"] = [(s.top_three_share or 0.0) * 100 for s in found.models]
    table(frame, "robust-ranks", "Ranks under other weightings", listed.snapshots[0])
