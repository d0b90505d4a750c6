"""Would we decide the same under other reasonable weightings, or with other tests of the kind?"""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from core import figures
from core.answers import data, recommend
from core.answers.asked import Asked
from core.answers.market import market
from core.charts.intervals import may_be_first
from core.charts.kit import labels
from core.domain import Shortlist, TooFewError
from core.figures import count
from core.procurement.robustness import RankRobustness
from core.words import market as words
from pages.components import controls
from pages.components.blocks import band, how_made, table
from pages.components.notices import plain


def draw(asked: Asked) -> None:
    """Draw the tab."""
    before = controls.asked_of(asked.store)
    if not before.question.evidence.suite:
        name = asked.store.catalogue.suites[asked.question.evidence.suite].name
        st.markdown(plain(words.named_in(market(before), asked.question.evidence.suite, name)))
    listed = recommend.shortlist(asked)
    try:
        found = recommend.robustness(asked)
    except TooFewError as error:
        st.info(
            f"There is no order to test. {plain(str(error))} Widen the limits in the side bar, or "
            "choose another task.",
            icon=":material/search_off:",
        )
    else:
        _redrawn(asked)
        _order(listed, found)
    how_made("Robust ranks", "The places a model may have", key="how_sure")


def _redrawn(asked: Asked) -> None:
    try:
        found = recommend.redrawn(asked)
    except TooFewError:
        return  # Fewer than five tests: nothing is said about others.
    best = recommend.recommendation(asked).best
    if best is None:
        return
    others = [(name, share) for name, share in found.shares if name != best.model.id][:2]
    named = [
        f"{data.model(asked.store, name).name} ({share * 100:.0f} %)" for name, share in others
    ]
    said = f"When the tests of each kind are drawn again {found.n_draws} times, the rule picks "
    said += f"{best.model.name} {found.share(best.model.id) * 100:.0f} % of the time"
    others_too = f", and otherwise most often {figures.listed(named)}" if named else ""
    st.markdown(plain(f"{said}{others_too}."))


def _order(listed: Shortlist, found: RankRobustness) -> None:
    rows = [row for row in listed.rows if row.rank is not None]
    names = labels([row.model for row in rows])
    if found.weights_vary:
        st.markdown(_answer(found, names))
    else:
        first = found.models[0].model
        st.markdown(
            f"**{plain(names[first])} is first.** Only one category counts here, "
            f"{plain(listed.weights[0][0])}, so there are no weights to vary."
        )
    if (n := sum(map(may_be_first, rows))) > 1:
        st.markdown(
            f"At your weights any of {count(n)} models could be the best: the data do not show any "
            "of them to be worse than another. Choose among them by what the scores do not show."
        )
    if unranked := len(listed.rows) - len(rows):
        st.caption(
            f"{figures.counted(unranked, 'model')} without every benchmark: not ranked here."
        )
    _shares(listed, found, names)


def _answer(found: RankRobustness, names: Mapping[str, str]) -> str:
    def most(field: str, n: int) -> list[str]:
        shares = [(getattr(spread, field) or 0.0, spread.model) for spread in found.models]
        largest = sorted(filter(lambda pair: pair[0] > 0, shares), key=lambda pair: -pair[0])
        return [f"{plain(names[model])} in {percent(it)}" for it, model in largest[:n]]

    leader = max(found.models, key=lambda spread: spread.first_share or 0.0)
    share, drawn = percent(leader.first_share or 0.0), f"{found.n_draws:,} plausible weightings"
    said = f"**{plain(names[leader.model])} is first in {share} of {drawn}**"
    if others := most("first_share", 3)[1:]:
        said += f", {figures.listed(others)}"
    said += "."
    if len(found.models) > 3:
        said += f" Among the first three: {figures.listed(most('top_three_share', 4))}."
    if leader.model != (now := found.models[0].model):
        said += f" At your weights as they are, {plain(names[now])} is first."
    return said


def percent(share: float) -> str:
    """Write a share; what is not quite none or all does not read so."""
    if 0 < share < 0.005:
        return "under 1 %"
    if 0.995 <= share < 1:
        return "over 99 %"
    return f"{share * 100:.0f} %"


def _shares(listed: Shortlist, found: RankRobustness, names: Mapping[str, str]) -> None:
    st.subheader("How often is each model first?")
    if found.weights_vary:
        st.caption(
            "The share of weightings in which a model is first, or among the first three.",
            help="No one knows the exact share of each kind of work. A weight of 50 % lies "
            "between 32 and 68 % in nine of ten draws, as if 20 requests had been sorted by hand.",
        )
    bands = {row.model.id: row.rank_band for row in listed.rows}
    frame = pd.DataFrame(
        {
            "Model": [names[spread.model] for spread in found.models],
            "Rank": [spread.rank for spread in found.models],
            "Possible ranks": [band(bands[s.model] or (s.rank, s.rank)) for s in found.models],
        }
    )
    if found.weights_vary:
        frame["First, %"] = [(s.first_share or 0.0) * 100 for s in found.models]
        frame["Top three, %"] = [(s.top_three_share or 0.0) * 100 for s in found.models]
    table(frame, "robust-ranks", "Ranks under other weightings", listed.snapshots[0])
