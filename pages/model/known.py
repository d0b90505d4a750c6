"""What is known of a model, whoever tested it, and is it above another in each suite of both?"""

from collections.abc import Sequence

import streamlit as st

from core import figures
from core.answers import bills, data, market, open_cases
from core.answers import model as answers
from core.answers.asked import Asked
from core.charts.kit import labels
from core.domain import OnSale, Tested, TooFewError
from core.evidence.store import Store
from core.words import candidate
from core.words import model as words
from core.words.recommendation import safety_in_words
from pages.components import entries, evidence
from pages.components.blocks import how_made, numbers, table
from pages.components.notices import plain


def draw(asked: Asked) -> None:
    """Draw the tab."""
    with entries.above_tabs():
        named = chosen(asked.store, "Which model?", "model")
    if named is None:
        st.caption("Any model in any suite or price list, discontinued ones too.")
        return
    asked = asked.on(evidence.this_day())  # Whatever day the prices of the question are of.
    found = answers.known(asked.store, named, asked.day, asked.question)
    st.subheader(plain(named.name))
    sold = _sold(asked, found)
    sale = words.on_sale_line(sold, found.prices)
    lines = [
        " ".join(filter(None, (sale, words.sold_longer(sold), words.ended(sold)))),
        _month(asked, found),
        words.known_line(found.evidence, found.safety, asked.day),
    ]
    st.markdown("\n".join(f"- **{plain(line)}**" for line in lines))
    if found.safety:
        st.markdown(plain(safety_in_words(found.safety)))
    _next(asked, named, can_be_tested=not (sold and sold.has_ended))
    _grades(asked, named)
    for cases, test in open_cases.own_places(asked.store, named.id):
        st.markdown(plain(candidate.place_in_ours(named.name, cases.name, test, named.id)))
    _evidence(found)
    _bought(found)
    st.caption(plain(words.facts(found.model, of_suites=bool(named.models))))
    asks = words.questions_on_model(
        found.model.name, found.sale, found.prices, found.terms, found.safety, found.evidence
    )
    asks += words.licence_question(found.model, found.licence)
    if asks:
        st.markdown("**Ask or test**\n" + "\n".join(f"- {plain(one)}" for one in asks))
    how_made("One model, all that is known", key="model")


def chosen(store: Store, label: str, key: str) -> answers.Named | None:
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
            entries.set_button(plain(name), {key: name}, key=f"{key}_{name}")
        return None


def _sold(asked: Asked, found: answers.Known) -> OnSale:
    """Return until when the platforms under contract sell it, if they do; else all of them."""
    named, ours = found.named, asked.question.conditions.platforms
    if not ours:
        return found.sale
    here = bills.sold_anywhere(asked, (named.id,), ours)[named.id]
    return here if here.at else found.sale


def _month(asked: Asked, found: answers.Known) -> str:
    basis = asked if asked.question.evidence.suite else market.basis_of_cost(asked)
    sale = answers.known(asked.store, found.named, asked.day, asked.question).sale
    cost = words.month_line(answers.costs(basis, found.named), sale)
    return cost or words.price_line(found.prices, found.sale)


def _next(asked: Asked, named: answers.Named, *, can_be_tested: bool) -> None:
    held = as_in_use(asked, named)
    with st.container(horizontal=True, vertical_alignment="center"):
        for name, tab, label, icon, also in (
            ("model", "Compare", "Compare", "compare_arrows", {"model": named.name}),
            ("replace", "Candidates", "Use as model in use", "swap_horiz", {"in_use": held}),
            ("local_test", "Plan", "Plan a local test", "fact_check", {"test_against": held}),
        ):
            if can_be_tested or name != "local_test":
                entries.link(name, tab, label=label, icon=icon, **also)


def as_in_use(asked: Asked, named: answers.Named) -> str:
    """Return the name under which the question's suite holds it; its own where it does not."""
    if not asked.question.evidence.suite:
        return named.name
    ids = data.products(asked.store, asked.selection()).models
    held = labels([data.model(asked.store, model) for model in sorted(ids)])
    return next((held[model] for model, _ in named.models if model in held), named.name)


def _grades(asked: Asked, named: answers.Named) -> None:
    """Draw its grade for each kind of work, where any suite has a line of it."""
    found = market.grades(asked.store, named.id, asked.day)
    graded = {work: each for work, each in found.items() if each[0] != "E"}
    if not graded:
        return
    st.subheader("Its grade for each kind of work", help=candidate.GRADES_EXPLAINED)
    frame = {
        "Work": [asked.store.catalogue.tasks[work].name for work in found],
        "Grade": [grade for grade, _ in found.values()],
        "Meaning": [candidate.grade_means(*each) for each in found.values()],
        "Tests of this work": [candidate.tests_of_the_work(it) for _, it in found.values()],
    }
    table(frame, "model-grades", f"Grades of {named.name}")


def _evidence(found: answers.Known) -> None:
    """Draw its place in every suite, and apart from it those of what comes before and after."""
    own = [(found.named.name, each) for each in found.evidence]
    if own:
        st.subheader("Its place in every suite")
        _standings(own, "model-evidence", f"What suites say of {found.named.name}")
    others = []
    for other in filter(None, (found.predecessor, found.successor)):
        after = other is found.successor
        by = words.maker_or(other.named_by, found.model.developer)
        said = words.neighbour(other.name, by, other.evidence, after=after)
        st.caption(plain(said))
        others += [(other.name, each) for each in other.evidence]
    if others:
        st.subheader("Before and after it")
        title = f"What suites say of the models before and after {found.named.name}"
        _standings(others, "model-neighbours", title)


def _standings(several: Sequence[tuple[str, Tested]], name: str, title: str) -> None:
    rows = [each for _, each in several]
    shares = [(row.n - row.rank) / max(row.n - 1, 1) if row.rank else None for row in rows]
    columns = {
        "Model": [model for model, _ in several],
        "Suite": [row.name for row in rows],
        "Tested as": [row.tested_as for row in rows],
        "Place": [_place(row) for row in rows],
        "Ahead of": numbers(shares, times=100),
        "Score": [words.value_in_words(row) for row in rows],
        "Measured by": [row.metric for row in rows],
        "Version": [words.LINKS.get(row.kind, row.kind) for row in rows],
        "As of": [row.as_of for row in rows],
        "Run by": [row.run_by or "the suite" for row in rows],
    }
    if name == "model-evidence":
        del columns["Model"]
    table(columns, name, title, placeholder="")


def _place(row: Tested) -> str:
    return f"{figures.ordinal(row.rank)} of {row.n}" if row.rank else "no place"


def _bought(found: answers.Known) -> None:
    places = dict.fromkeys(
        [*(one.platform for one in found.sale.at), *(at for at, _ in found.prices)]
    )
    if not places:
        return
    first = dict(reversed(found.prices))
    prices = [first.get(place) for place in places]
    terms = {way.platform: way.checks for way in found.terms}
    st.subheader("Where it was sold" if found.sale.has_ended else "Where it can be bought")
    frame = {
        "Platform": list(places),
        "On sale": [words.sale_where(found.sale, place) for place in places],
        "Read, $/M tokens": numbers(p.input_usd_per_mtok if p else None for p in prices),
        "Written, $/M tokens": numbers(p.output_usd_per_mtok if p else None for p in prices),
        **words.terms([terms.get(place, ()) for place in places]),
    }
    table(frame, "model-platforms", f"Where {found.named.name} can be bought")


def compare(asked: Asked) -> None:
    """Draw whether one model is above another, in each suite with both; never in sum."""
    with entries.above_tabs():
        a = chosen(asked.store, "Which model?", "model")
    b = chosen(asked.store, "Compared with", "beside")
    if a is None or b is None:
        raise TooFewError("Choose two models.")
    if a == b:
        raise TooFewError(f"Both are {a.name}: choose a second model.")
    asked = asked.on(evidence.this_day())
    found = answers.compare_models(asked.store, a, b, asked.day)
    told = words.compared_in_words(
        found.verdict, a.name, b.name, *found.sides, found.places_apart, found.one_row
    )
    st.markdown(f"**{plain(told)}** {plain(words.order_turns(found.turned))}")
    met = (*found.suites, *found.apart)
    if met:
        frame = {
            "Suite": [each.a.name for each in met],
            "Ahead": [{"above": a.name, "below": b.name}.get(it.standing, "neither") for it in met],
            f"Place of {a.name}": [_place(each.a) for each in met],
            f"Place of {b.name}": [_place(each.b) for each in met],
            "Difference, % of the scale": numbers([each.difference for each in met], times=100),
            "From": numbers([each.ends[0] for each in met], times=100),
            "To": numbers([each.ends[1] for each in met], times=100),
            "Measured by": [each.a.metric for each in met],
            "As of": [each.a.as_of for each in met],
            "First tested as": [each.a.tested_as for each in met],
            "Second tested as": [each.b.tested_as for each in met],
        }
        table(frame, "model-compare", f"{a.name} and {b.name} in every suite with both")
    for one in (found.a, found.b):
        sold = _sold(asked, one)
        sale = (words.on_sale_line(sold, one.prices), words.sold_longer(sold))
        said = [" ".join(filter(None, sale)), _month(asked, one)]
        grades = market.grades(asked.store, one.named.id, asked.day)
        if graded := grades.get(asked.question.work.task):  # Weights of one's own have none.
            said.insert(0, f"Grade {graded[0]} for this work, {candidate.grade_means(*graded)}.")
        if not found.suites:
            said.append(words.known_line(one.evidence, one.safety, asked.day))
        if found.suites or one.safety:
            said.append(safety_in_words(one.safety))
        st.markdown(f"**{plain(one.named.name)}** · {plain(' '.join(filter(None, said)))}")
    entries.link_to_plan("Plan a test of these two", [a.name, b.name], cases="Our own")
    how_made("One model, all that is known", key="model_compare")
