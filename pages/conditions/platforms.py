"""Which models can be bought under the hospital's conditions, and what must still be asked?"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core import figures
from core.answers import conditions, data, market
from core.answers.asked import Asked
from core.answers.conditions import ConditionMatrix, ModelConditions
from core.charts.kit import labels
from core.domain import Candidate, ConditionKind, Market, OfferTerms, Question, Snapshot
from core.evidence.catalogue import OWN_RESULT
from core.evidence.store import Store
from core.procurement.conditions import RETENTION, met
from core.sharing import own_figures
from core.sharing.controls import BY_KEY
from core.sharing.own_figures import platforms
from core.words import candidate
from core.words import conditions as words
from core.words import model as model_words
from pages.components import blocks, entries
from pages.components.controls import own_entry
from pages.components.notices import plain

_STATUS = {
    "passes": "meets",
    "conditional": "on a condition",
    "open": "open questions",
    "fails": "fails",
}
_TALL = 100
"""Pixels of a row in which a cell has five lines."""
_USUAL = ("baa", "trains_on_customer_data_by_default", "hipaa_eligible_statement")


def draw(asked: Asked) -> None:
    """Draw the tab."""
    kinds = asked.store.catalogue.condition_kinds
    said = words.required(asked.question, kinds)
    whole = None if asked.question.evidence.suite else market.market(asked)
    found = conditions.conditions(asked, _of_market(whole) if whole else None)
    if not said:
        _offer_conditions(kinds)
    if not found.rows:
        st.info(
            "This evidence has no usable model to check: each was left out before. Recommend says "
            "why.",
            icon=":material/search_off:",
        )
        return
    of = asked.question.evidence
    snapshot = asked.store.snapshot(of.suite, of.revision) if of.suite else None
    if said and not whole:
        _verdicts(found, asked.question, said)
    _matrix(found, snapshot, verdicts=bool(said))
    if said:
        st.subheader("Whom to ask, and what")
        if whole and whole.ask:
            _to_ask(whole.ask)
        _questions(found, snapshot)
    blocks.how_made("Conditions of purchase", key="conditions")


def _of_market(whole: Market) -> dict[str, str]:
    """Draw what can be bought, asked about and is left out; return whom to list, and where best."""
    st.markdown(f"**{words.of_market(whole)}**")
    every = (*whole.buyable, *whole.ask)
    names = {it.model.id: it.best_offer.platform for it in every}
    n_out = len(whole.left_out)
    out = f"Also show the {n_out} left out, such as those that no platform sells"
    if n_out and (st.toggle(out, key="conditions_left_out") or not names):
        names |= {it.model: "" for it in whole.left_out}
    return names


def _offer_conditions(kinds: Mapping[str, ConditionKind]) -> None:
    st.markdown(
        "**You have set no condition, so none leaves a model out.** Set yours in the side bar "
        "under “Required conditions”, or begin with what US hospitals usually need for patient "
        "data."
    )
    entries.set_button(
        "Set the usual conditions for patient data",
        {"gates": [kinds[condition].required for condition in _USUAL]},
        type="primary",
        help=f"{figures.capitalised(words.required(Question.of(required=_USUAL), kinds))}.",
    )


def _verdicts(found: ConditionMatrix, question: Question, said: str) -> None:
    meet, between, fail = found.n("passes"), found.n("conditional", "open"), found.n("fails")
    st.markdown(f"**{words.of_suite(len(found.rows), meet, between, fail)}**")
    sold = [row.offers for row in found.rows if row.sale.standing != "fails"]
    if between and (counts := met(sold)):
        accepted = "With those conditions accepted, " if found.n("conditional") else ""
        st.markdown(plain(f"{accepted}{words.met_in_words(counts)}."))
    if ended := len(found.rows) - len(sold):
        st.markdown(f"Not on sale for long enough: {ended} of them, which are listed last.")
    count = words.which_offers_count(question, found.n_elsewhere)
    st.caption(f"Conditions: {plain(said)}. Each model is judged by its best offer.{count}")


def _matrix(found: ConditionMatrix, snapshot: Snapshot | None, *, verdicts: bool) -> None:
    places = [(row, offer) for row in found.rows for offer in row.offers]
    terms = [row.terms[offer.platform] for row, offer in places]
    frame: dict[str, Sequence[str]] = {
        "Model": [row.model.name for row, _ in places],
        "Platform": [offer.platform for _, offer in places],
    }
    if verdicts:
        frame["Your conditions"] = [_standing(row, offer) for row, offer in places]
    frame["On sale"] = [model_words.sale_where(it.sold, offer.platform) for it, offer in places]
    answers = model_words.terms([offer.checks for offer in terms])
    required = [check.kind.short for _, offer in places for check in offer.checks]
    frame |= {short: answers[short] for short in dict.fromkeys((*required, *answers))}
    sales = (row.sold.where(offer.platform).source for row, offer in places)
    sources = [words.sources(*each) for each in zip(terms, sales, strict=True)]
    st.subheader("Every model at every platform")
    st.caption(
        "Each answer comes with the day on which its source said so. Many are undated or from "
        "third parties: confirm them before you sign. Not known is a question, never a no. "
        "Choose a row to see where its answers are from."
    )
    chosen = blocks.table(
        frame,
        "conditions",
        "Models at platforms, with their conditions",
        snapshot,
        alt="; ".join(f"{row.model.name} at {offer.platform}" for row, offer in places[:20]),
        file=pd.DataFrame(frame | {"Sources": sources}),
        choice="conditions_row",
    )
    if chosen is None:
        return
    row, offer = places[chosen]
    title = f"Conditions of {row.model.name} at {offer.platform}"
    st.subheader(plain(title))
    blocks.table(_terms_of(row.terms[offer.platform], offer), "ways", title, file=False)
    entries.link_to_model(row.model.id, row.model.name)


def _standing(row: ModelConditions, offer: OfferTerms) -> str:
    """Say which conditions an offer meets; what has ended meets none."""
    gone = row.sold.where(offer.platform).state == "gone"
    return "no longer sold" if gone and offer.status != "fails" else _STATUS[offer.status]


def _terms_of(known: OfferTerms, offer: OfferTerms) -> blocks.Columns:
    """Return all that is known of an offer; what the question asks is judged by the question."""
    checks = {it.condition: it for it in (*known.checks, *offer.checks)}.values()
    return {
        "Condition": [check.kind.required for check in checks],
        "Status": [_STATUS[check.status] for check in checks],
        "Answer": [" ".join(filter(None, (words.check_in_words(it), offer.note))) for it in checks],
        "Source": [check.source_url for check in checks],
        "Kind of source": [words.SAID_BY.get(it.source_kind, it.source_kind) for it in checks],
        "As of": [check.as_of for check in checks],
    }


def _to_ask(ask: Sequence[Candidate]) -> None:
    """Draw what to ask so that each of these may be bought, at the offer with fewest questions.

    In their order, so that what is open for the best graded comes first.
    """
    asked: dict[str, list[Candidate]] = {}
    for each in ask:
        asked.setdefault(candidate.to_ask(each), []).append(each)
    n = figures.counted(len(ask), "model")
    st.markdown(f"**What is open for {n}**, at the offer with the fewest questions:")
    rows = [
        (question, of[0].grade, len(of), ", ".join(it.model.name for it in of))
        for question, of in asked.items()
    ]
    frame = pd.DataFrame(rows, columns=["Ask", "Best grade", "Models", "Which"])
    title = "What is open, and for which models"
    blocks.table(frame, "conditions-to-ask", title, row_height=_TALL)


def _questions(found: ConditionMatrix, snapshot: Snapshot | None) -> None:
    if not found.inquiries:
        st.markdown("Every condition has an answer for every offer that does not fail.")
        return
    best = [one for one in found.inquiries if one.models]
    st.markdown(words.how_many_questions(len(best), len(found.inquiries) - len(best)))
    rows = [
        (one.whom, one.question, ", ".join(one.models), ", ".join(one.others), one.condition)
        for one in found.inquiries
    ]
    columns = ["Whom", "Question", "Best offer for", "Other offer for", "Condition"]
    frame = pd.DataFrame(rows, columns=columns)
    title = "Whom to ask, and what"
    blocks.table(frame, "conditions-questions", title, snapshot, row_height=_TALL)


def own_answers(asked: Asked) -> None:
    """Draw what a hospital was told, which counts before public words, and the forms."""
    st.markdown(
        "**What a vendor told you, or what your contract says, counts before the public answers.** "
        "It is part of the link, with its source and date. A plain refusal of a platform counts "
        "for every model there; any other answer does not reach another maker's models that have a "
        "public answer of their own: enter these too."
    )
    for key in ("own_answer", "own_sale"):
        if asked.question.value(BY_KEY[key].field):
            said = BY_KEY[key].says(asked.question, asked.store.catalogue)
            st.markdown(plain(f"{BY_KEY[key].label}: {said}."))
            st.caption("Remove one in the side bar, under “Your own figures”.")
    if asked.question.evidence.suite:
        found: tuple[str, ...] = data.products(asked.store, asked.selection()).models
    else:
        whole = market.market(asked)
        sold = (it.model.id for it in (*whole.buyable, *whole.ask))
        found = (*sold, *(it.model for it in whole.left_out))
    ids = dict.fromkeys(name.removesuffix(OWN_RESULT) for name in found)
    names = labels([data.model(asked.store, name) for name in ids])
    names = dict(sorted(names.items(), key=lambda each: each[1].lower()))
    # With own servers, and with the makers whose models have terms of their own.
    answered = (it.platform for it in asked.store.catalogue.condition_answers)
    places = dict.fromkeys([*platforms(asked.store.catalogue), *answered])
    about = st.selectbox(
        "The answer is about",
        [*places, "A model"],
        key="answer_about",
        help="A platform that sells models, your own servers, or one model and its licence.",
    )
    of = {} if about == "A model" else {"platform": about}
    own_entry(
        asked.store,
        "own_answer",
        "Use this answer",
        lambda: _answer(asked.store, names, of_model=not of),
        without_day=own_figures.UNDATED,
        wrong=_wrong,
        **of,
    )
    st.subheader("Until when it is sold")
    own_entry(asked.store, "own_sale", "Use this end of sale", lambda: _sale(asked.store, names))


def _answer(store: Store, names: Mapping[str, str], *, of_model: bool) -> None:
    kinds = store.catalogue.condition_kinds
    offered = [kind.id for kind in kinds.values() if (kind.about == "model") == of_model]
    left, right = st.columns(2)
    with left:
        if of_model:
            st.selectbox(
                "Model", list(names), format_func=names.__getitem__, key="own_answer_platform"
            )
        st.selectbox(
            "Condition", offered, format_func=lambda it: kinds[it].name, key="own_answer_condition"
        )
        st.radio(
            "Answer",
            own_figures.ANSWERS,
            key="own_answer_answer",
            horizontal=True,
            help="Conditional: yes, if something else is done, such as signing a contract. Say in "
            "the detail what it is."
            + " For the context window, yes means: as many tokens as you need."
            * of_model,
        )
    with right:
        st.text_area(
            "Detail", key="own_answer_detail", max_chars=own_figures.LONGEST_TEXT, height=100
        )
        if not of_model:
            st.number_input(
                *("Days that data are kept", 0.0, 99_999.0, None, 1.0, "%g"),
                placeholder="Only for that condition",
                key="own_answer_days",
            )


def _wrong(said: Mapping[str, Any]) -> str:
    if said["answer"] == "conditional" and not said["detail"]:
        return "Say in the detail on what condition."
    if said["condition"] == RETENTION and said["answer"] == "yes" and said["days"] is None:
        return "Give the number of days that data are kept."
    return ""


def _sale(store: Store, names: Mapping[str, str]) -> None:
    model, platform, day = st.columns(3)
    model.selectbox("Model", list(names), format_func=names.__getitem__, key="own_sale_model")
    platform.selectbox("Platform", list(platforms(store.catalogue)), key="own_sale_platform")
    day.date_input(
        "Sold until", value=None, key="own_sale_ends_on", help="Leave it empty if no end was given."
    )
