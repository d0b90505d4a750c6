"""What is known of a model, whoever tested it? Sale, price, terms, evidence, and what is not."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.answers import data
from core.answers import model as answers
from core.charts import intervals
from core.domain import Requirements, Tested
from core.evidence.store import Store
from core.words import figures
from core.words import model as words
from core.words.recommendation import safety_in_words
from pages.components import controls, entries, evidence
from pages.components.blocks import how_made, numbers, table
from pages.components.notices import plain


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    asked = controls.question(store).requirements
    named = choose(store, "Which model?", key="model")
    if named is None:
        st.caption("Any model of any suite or price list, ended ones too.")
        return
    with st.spinner("Looking it up…"):
        found = answers.known(store, named, evidence.today())
    st.subheader(plain(named.name))
    lines = [
        words.on_sale_line(found.sale, found.prices),
        month(store, named, asked) or words.price_line(found.prices),
        words.known_line(found.evidence, found.safety, evidence.today()),
    ]
    st.markdown("\n".join(f"- **{plain(line)}**" for line in lines))
    if found.safety:
        st.markdown(plain(safety_in_words(found.safety)))
    _next(store, named, asked)
    _evidence(found)
    _bought(found)
    st.caption(plain(words.facts(found.model, of_suites=bool(named.models))))
    asks = words.questions(found.sale, found.prices, found.terms, found.safety, found.evidence)
    st.markdown("**Ask or test**\n" + "\n".join(f"- {plain(one)}" for one in asks))
    how_made("One model, all that is known", key="model")


def choose(store: Store, label: str, *, key: str) -> answers.Named | None:
    """Draw the choice of any model, by any of its names; say which there are where it is unclear.

    ``None`` where none is chosen, or several are meant.
    """
    names = answers.names(store)
    typed = st.session_state.get(key) or st.query_params.get(key)
    asked = st.selectbox(
        label,
        names if typed in (None, *names) else (*names, typed),
        index=None,
        key=key,
        bind="query-params",
        accept_new_options=True,
        placeholder="Type a name",
        help="As a vendor, a price list or a leaderboard writes it.",
    )
    if not asked:
        return None
    try:
        return answers.called(store, asked)
    except answers.UnclearError as error:
        st.info(plain(str(error)), icon=":material/search_off:")
        for name in error.offered:
            st.button(plain(name), key=f"{key}_{name}", on_click=_take, args=(key, name))
        return None


def _take(key: str, name: str) -> None:
    st.session_state[key] = name


def month(store: Store, named: answers.Named, asked: Requirements) -> str:
    """Say what the question's work costs a month, with a BAA and on own servers."""
    found = answers.costs(store, named, asked, evidence.priced_on(asked))
    said = {way: f"{figures.money(cost)}, {figures.from_whom(cost)}" for way, cost in found.items()}
    return words.month_line(said)


def _next(store: Store, named: answers.Named, asked: Requirements) -> None:
    with st.container(horizontal=True):
        entries.link("model", "Compare", label="Compare", icon="compare_arrows", model=named.name)
        held = _as_in_use(store, named, asked)
        entries.link(
            "replace",
            "Candidates",
            label="Use as model in use",
            icon="swap_horiz",
            model=held,
        )
        entries.link(
            "local_test",
            "Plan",
            label="Plan a local test",
            icon="fact_check",
            test_against=held,
        )


def _as_in_use(store: Store, named: answers.Named, asked: Requirements) -> str:
    """Return the name under which the question's evidence holds it; its own where it does not."""
    ids = data.products(store, data.selection_of(asked)).models
    labels = intervals.labels([data.model(store, model) for model in sorted(ids)])
    return next((labels[model] for model, _ in named.models if model in labels), named.name)


def _evidence(found: answers.Known) -> None:
    """Draw its place in every suite, and apart from it those of what stands before and after."""
    if found.evidence:
        st.subheader("Its place in every suite")
        title = f"What suites say of {found.named.name}"
        _standings(pd.DataFrame(standings(found.evidence)), "model-evidence", title)
    rows = []
    for other in filter(None, (found.predecessor, found.successor)):
        after = other is found.successor
        said = words.neighbour(other.name, other.named_by, other.evidence, after=after)
        st.caption(plain(said))
        rows += [(other.name, each) for each in other.evidence]
    if rows:
        st.subheader("Before and after it")
        of_others = {"Model": [name for name, _ in rows]}
        frame = pd.DataFrame({**of_others, **standings([each for _, each in rows])})
        title = f"What suites say of the models before and after {found.named.name}"
        _standings(frame, "model-neighbours", title)


def _standings(frame: pd.DataFrame, name: str, title: str) -> None:
    ahead = st.column_config.ProgressColumn(
        format="%.0f %%", min_value=0, max_value=100, help="Share of the suite's other models."
    )
    table(frame, name, title, columns={"Ahead of": ahead}, placeholder="")


def standings(rows: Sequence[Tested]) -> dict[str, object]:
    """Return what suites say as columns."""
    return {
        "Suite": [each.name for each in rows],
        "Place": [
            f"{figures.ordinal(each.rank)} of {each.n}" if each.rank else "no place"
            for each in rows
        ],
        "Ahead of": numbers(
            [(each.n - each.rank) / max(each.n - 1, 1) if each.rank else None for each in rows],
            times=100,
        ),
        "Score": [words.value_in_words(each) for each in rows],
        "By": [each.metric for each in rows],
        "Tested as": [each.tested_as for each in rows],
        "Link": [words.LINKS[each.kind] for each in rows],
        "As of": [each.as_of for each in rows],
        "Run by": [each.run_by or "the suite" for each in rows],
    }


def _bought(found: answers.Known) -> None:
    """Draw sale, price and terms by platform."""
    places = dict.fromkeys(
        [*(one.platform for one in found.sale.at), *(at for at, _ in found.prices)]
    )
    if not places:
        return
    prices = dict(reversed(found.prices))
    terms = {way.platform: way.checks for way in found.terms}
    st.subheader("Where it can be bought")
    frame = pd.DataFrame(
        {
            "Platform": list(places),
            "On sale": [words.sale_where(found.sale, place) for place in places],
            "$ read": numbers(
                [prices[p].input_usd_per_mtok if p in prices else None for p in places]
            ),
            "$ written": numbers(
                [prices[p].output_usd_per_mtok if p in prices else None for p in places]
            ),
            **words.terms([terms.get(place, ()) for place in places]),
        }
    )
    table(frame, "model-platforms", f"Where {found.named.name} can be bought")
