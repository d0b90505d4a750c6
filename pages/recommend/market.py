"""What can you buy for this work, and what is known of it?"""

from functools import partial

import streamlit as st

from core import figures
from core.answers import data, market, open_cases
from core.answers.asked import Asked
from core.domain import Market
from core.evidence.store import Store
from core.memory import Same
from core.sharing.controls import BY_KEY, LIMITS
from core.sharing.market import own_figures
from core.words import candidate
from core.words import market as words
from pages.components import (
    blocks,
    controls,
    entries,
    market_table,
    recommendation,
    renewal,
    saving,
)
from pages.components.notices import about_each, plain
from pages.recommend import documents, nothing_fits

_IN_SIGHT = 12
_MOST_TILES = 2
_ALL, _ASK, _HARM = "market_all", "market_ask", "market_harm"


def draw(asked: Asked) -> None:
    """Draw the answer over all evidence."""
    chips(asked.store)
    nothing_fits.draw_another_day(asked)
    found = market.market(asked)
    controls.n_fit(len(found.buyable))
    work = asked.store.catalogue.tasks[asked.question.work.task]
    _headline(found, work.name)
    renewal.line(asked, words.newest_test(found))
    _answer(asked, found)
    for label, said in own_figures(asked.question, asked.store.catalogue).items():
        st.caption(plain(f"{label}, which count before public ones: {said}."))
    if found.buyable:
        _actions(asked.store, found)
    else:
        _nothing(asked)
    documents.market_menu(asked, found)
    _matrix(asked.store, found)
    saving.form(asked)
    if found.left_out:
        recommendation.left_out_fold(found.left_out, asked.question, "market_left_out")
    blocks.how_made("The market and its grades", "What a grade is worth", key="market")


def chips(store: Store) -> None:
    """Draw the profile of conditions and the platforms as chips, which the side bar follows."""
    state, profiles = st.session_state, store.catalogue.profiles
    conditions = BY_KEY["gates"]
    required = state.get("gates", ())
    held = {it.id for it in store.catalogue.condition_kinds.values() if it.required in required}
    # With conditions of one's own a profile is still that: only no conditions at all are none.
    met = (it for it in profiles.values() if held >= {*it.conditions})
    current = next((it for it in met if it.conditions or not held), None)
    by_name = {profile.name: profile for profile in profiles.values()}
    clouds = {candidate.platform_name(full): full for full in data.CLOUDS}
    chosen = [short for short, full in clouds.items() if full in state.get("platform", ())]
    state["chip_profile"], state["chip_platforms"] = current and current.name, chosen

    def take_profile() -> None:
        if profile := by_name.get(state["chip_profile"] or ""):
            own = held.difference(current.conditions if current else ())
            kept = (*profile.conditions, *sorted(own)) if profile.conditions else ()
            state["gates"] = conditions.shown((*dict.fromkeys(kept),), store.catalogue)

    def take_platforms() -> None:
        others = [name for name in state.get("platform", ()) if name not in clouds.values()]
        picked = [clouds[short] for short in state["chip_platforms"]]
        state["platform"] = [*others, *picked]

    with st.container(horizontal=True, gap="medium", key="chips"):
        st.pills(
            "Conditions",
            list(by_name),
            key="chip_profile",
            on_change=take_profile,
            help="Sets of conditions. Each condition is in the side bar, under Required "
            "conditions.",
        )
        st.pills(
            "Platforms we have",
            list(clouds),
            selection_mode="multi",
            key="chip_platforms",
            on_change=take_platforms,
            help="Platforms under contract. Choose none to count all; the side bar has more.",
        )


def _headline(found: Market, work: str) -> None:
    said = words.market_headline(found, work.lower())
    parts = [plain(said.before), f"#### {plain(said.title)}", plain(said.after)]
    with st.container(key="answer_head"):
        st.markdown("\n\n".join(filter(None, parts)))


def _answer(asked: Asked, found: Market) -> None:
    lines, budget = [], asked.question.limits.monthly_budget_usd
    for number, each in enumerate(found.named()[:_MOST_TILES], start=1):
        lines.append(f"{number}. **{plain(each.model.name)}**")
        for name, figure, about in candidate.product_tiles(each):
            lines.append(f"   - *{plain(name)}* **{plain(figure)}** {plain(about)}".rstrip())
    if lines:
        with st.container(key="answer_shortlist"):
            st.markdown("\n".join(lines))
        costs = [each.cost for each in found.buyable]
        recommendation.assumed(market.basis_of_cost(asked), costs)
    said = words.to_know_first(found, asked.day, _MOST_TILES, budget)
    told = about_each(said.first)
    told += [f"**{plain(it)}**" for it in saving.own_results_about(found.choice.names)]
    if told:
        st.markdown("\n\n".join(told))
    if more := about_each(said.before_buying):
        with st.expander(f"Before you buy: {figures.counted(len(more), 'more point')}"):
            st.markdown("\n\n".join(more))


def _actions(store: Store, found: Market) -> None:
    names = [each.model.name for each in found.named()]
    them = "it" if len(names) == 1 else f"these {figures.count(len(names))}"
    with st.container(horizontal=True, key="market_actions"):
        if open_cases.sets_for(store, found.work):
            label = "Try them on open cases first, no patient data"
            entries.link_to_plan(label, names, "science", cases="Open cases, no patient data")
        entries.link_to_plan(f"Plan a test of {them}: {words.usual_test()}", names, cases="Our own")


def _nothing(asked: Asked) -> None:
    kinds = asked.store.catalogue.condition_kinds
    for offer in market.nearest(asked):
        st.markdown(plain(words.nearest_in_words(offer, kinds, LIMITS)))
        label = f"Drop {words.dropped_in_words(offer, kinds, LIMITS)}"
        entries.set_button(label, controls.without(asked.store, offer.dropped))


def _matrix(store: Store, found: Market) -> None:
    if not found.buyable and not found.ask:
        return
    n, n_ask = len(found.buyable), len(found.ask)
    with st.container(key="matrix"):
        verb = figures.can(sum(each.is_own for each in found.buyable), n)
        st.markdown(
            f"##### What you can {verb}, and who tested it", help=candidate.GRADES_EXPLAINED
        )
        with st.container(horizontal=True, gap="medium", key="matrix_switches"):
            every = n > _IN_SIGHT and st.toggle(f"Show all {n}", key=_ALL)
            label = f"Also show {figures.counted(n_ask, 'model')} with open questions"
            ask = bool(n_ask) and (not n or st.toggle(label, key=_ASK))
            by_harm = any(row.harm for row in found.buyable) and st.toggle(
                "Fewest severe harms first", key=_HARM, help=candidate.HARM_ORDER
            )
        here = entries.carried()
        ours = open_cases.own_tests(store, found.work)
        written = partial(
            market_table.market_matrix, store, Same(found), here, ours=ours, by_harm=bool(by_harm)
        )
        if n:
            most = n if every else _IN_SIGHT
            st.markdown(written(most=most))
        if ask:
            with st.container(key="matrix_ask"):
                st.markdown(f"##### Ask first: {words.open_points(found.ask)} is not known")
                st.markdown(written(most=None))
        st.caption(f"{candidate.LEGEND} {candidate.LEGEND_OF_OURS}" if ours else candidate.LEGEND)
