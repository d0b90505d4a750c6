"""What could replace the model we use? Each candidate with its proof."""

from collections.abc import Collection, Mapping, Sequence

import streamlit as st

from core import figures
from core.answers import data, market, open_cases, recommend, replacing
from core.answers import evidence as evidence_answers
from core.answers import model as one_model
from core.answers.asked import Asked
from core.answers.model import Named
from core.charts import intervals
from core.charts.kit import labels
from core.domain import (
    ALL_EVIDENCE,
    Difference,
    Dossier,
    Equivalent,
    Model,
    Question,
    Snapshot,
    Taxonomy,
    TooFewError,
)
from core.domain.choice import Judged
from core.procurement.recommendation import Recommendation
from core.sharing import export
from core.words import candidate
from core.words import replacing as in_words
from core.words.recommendation import PAIRED, objection
from pages.components import entries, saving
from pages.components import recommendation as shown
from pages.components.blocks import Columns, choice, figure, how_made, left_out, numbers, table
from pages.components.notices import about_each, plain
from pages.model.known import as_in_use, chosen
from pages.recommend import documents
from pages.replace.side_by_side import proof

_OWN_RULE = "Your task and prices"
_PAPER_RULE = "The taxonomy paper's rule (size only, both taxonomies)"
_MOST_IN_PICTURE = 12
_NONE_CHOSEN = (
    "Choose the model you use now. Any model in any suite will do, even a discontinued one."
)


def draw(asked: Asked) -> None:
    """Draw the tab: over all evidence, or within one suite."""
    if older := st.query_params.pop("model", ""):  # As links named it once.
        st.session_state["in_use"] = st.query_params["in_use"] = older
    if not asked.question.evidence.suite:
        with entries.above_tabs():
            named = chosen(asked.store, "Which model do you use now?", "in_use")
        if named is None:
            raise TooFewError(_NONE_CHOSEN)
        _over_all_evidence(asked, named)
        return
    tree = evidence_answers.taxonomy(asked.store, asked.selection())
    rule = choice(
        "Rule",
        [_OWN_RULE, _PAPER_RULE],
        key="rule",
        what="The rule",
        used=_OWN_RULE.lower(),
        draw=st.radio,
        horizontal=True,
        help="Your task and prices: of all models that fit your question and are as good, the best "
        "buy first. The taxonomy paper (doi 10.2196/72918): parameters stand for the cost, all "
        "benchmarks count alike, and a candidate must be in the same cluster in every taxonomy "
        "there is, the closest first; your other limits do not count.",
    )
    by_paper = rule == _PAPER_RULE
    known = tree.models if by_paper else data.products(asked.store, asked.selection()).models
    name, ids = _in_use(asked, known)
    if name not in ids:
        st.info(
            "This evidence has no scores for this model, or too few for its clusters, so the "
            "answer is over all evidence."
        )
        task = Question().work.task if asked.question.work.weights else asked.question.work.task
        of_all = {"suite": ALL_EVIDENCE.suite, "cohort": data.ALL_MODELS, "protocol": ""}
        everything = asked.having(**of_all, revision="", task=task, weights=())
        _over_all_evidence(everything, one_model.called(asked.store, name))
        return
    model = data.model(asked.store, ids[name])
    suites = recommend.suites_of(asked)
    if by_paper:
        candidates = _by_the_paper(asked, suites, model, tree)
    else:
        candidates = _by_the_task(asked, model)
    if candidates:
        names = labels([data.model(asked.store, each) for each in candidates])
        proof(asked, suites, model, names, by_task=not by_paper)
    if by_paper:
        how_made("Smaller equivalents", key="replace")
        left_out(asked.store, tree, "Left out of the clusters")
    else:
        how_made("As good or not", "Recommendation", "Difference of two models", key="replace")


def _over_all_evidence(asked: Asked, named: Named) -> None:
    used, found = replacing.in_use(asked, named.name), market.market(asked)
    documents.menu_in_place(asked, found, used)
    before, title, after = in_words.in_its_place(used, len(found.buyable))
    with st.container(key="answer_replace"):
        st.markdown(
            f"{plain(before)}\n\n#### {plain(title)}\n\n{plain(after)}",
            help=candidate.GRADES_EXPLAINED,
        )
        if to_know := about_each(in_words.to_know_of_move(used)):
            st.markdown("\n\n".join(to_know))
    about = saving.own_results_about((named.id, *(it.candidate.model.id for it in used.named)))
    st.markdown("\n\n".join(f"**{plain(it)}**" for it in about))
    for cases, test in open_cases.own_places(asked.store, named.id):
        st.markdown(plain(candidate.place_in_ours(named.name, cases.name, test, named.id)))
    first = (it.candidate.model.name for it in used.named)
    with st.container(horizontal=True):
        entries.link_to_plan("Plan a local test", [named.name, *first])
        entries.link_to_model(named.name, named.name)
    if not (rows := used.places):
        return
    every = [it.candidate for it in rows]
    frame = {
        "Grade": [it.grade for it in every],
        "Model": [it.model.name for it in every],
        "At least, $ a month": numbers([it.cost.low for it in every]),
        "Cost, $ a month": numbers([it.cost.likely for it in every]),
        "Difference, $ a month": numbers(
            [it.saves.likely if it.saves else None for it in rows], times=-1
        ),
        "Where": [candidate.where(it) for it in every],
        "Sale to": [candidate.sale_short(it.best_offer) for it in every],
        "Severe harm": list(map(candidate.harm_short, every)),
        "Compared where a test of this work has both": list(map(in_words.in_common, rows)),
    }
    do = figures.can(sum(it.is_own for it in every), len(every))
    # On one's own servers there is one place, and a rent that may not be all of the cost.
    del frame["Where" if do == "run" else "At least, $ a month"]
    title = f"Models you can {do} with at least the grade of {named.name}"
    if used.grade_below:
        title = f"Models you can {do} of grade {used.grade_below}, the best there is"
    high = 66  # Above 64 pixels a row breaks into lines what would be cut off.
    row = table(
        *(frame, "in-its-place", title), alt=title, choice="in_its_place_row", row_height=high
    )
    if row is not None:
        one = every[row].model.name
        entries.link(
            *("model", "Compare"),
            label=f"Compare with {plain(one)}",
            icon="compare_arrows",
            model=named.name,
            beside=one,
        )
    how_made("The market and its grades", "What a grade is worth", key="replace")


def _by_the_task(asked: Asked, model: Model) -> list[str]:
    """Draw the answer by task and prices; return the candidates, the best buy first."""
    decided = recommend.recommendation(asked, model.id)
    shown.answer(asked, decided, None)
    entries.link_to_plan("Plan a local test", [model.name])
    shown.lists(decided)
    if every := [(each, each.judged) for _, each in decided.decisions() if each.judged]:
        _proposals(decided, every, model)
    return [each.model.id for each, _ in every]


def _by_the_paper(asked: Asked, suites: tuple[str, ...], model: Model, tree: Taxonomy) -> list[str]:
    """Draw the smaller models of its cluster, the closest first; return them in that order."""
    selections = [asked.selection(suite) for suite in suites]
    every = replacing.equivalents(asked.store, model.id, selections, asked.question.margin)
    found = [each for each in every if each.same_cluster]
    if not found:
        st.info(
            f"No model of its cluster is known to be smaller than {plain(model.name)} "
            f"({plain(figures.size(model.params_b))}). An unknown size is not a saving.",
            icon=":material/search_off:",
        )
        return []
    margin = f"{asked.question.margin * 100:g} points"
    title = f"Smaller models of the cluster of {model.name}, margin {margin}"
    gap = found[0].difference
    st.markdown(
        f"By the taxonomy paper's rule, **{plain(model.name)}** would be replaced by "
        f"**{plain(found[0].name)}**, the closest smaller model of its cluster in every taxonomy "
        f"here. It asks for no margin; the difference is {figures.signed(gap.difference)} "
        f"points ({figures.signed_interval(gap.ci_low, gap.ci_high)}), {found[0].verdict} against "
        f"a margin of {margin}."
    )
    together = evidence_answers.co_clustering(asked.store, selections, model.id) or {}
    drawn = [(data.model(asked.store, each.model), each.difference, each.verdict) for each in found]
    _draw(drawn, asked.question.margin, _equivalents(found, together), title, tree.snapshot)
    return [each.model for each in found]


def _equivalents(found: Sequence[Equivalent], together: Mapping[str, float]) -> Columns:
    gaps = [each.difference for each in found]
    return {
        "Model": [each.name for each in found],
        "Verdict": [each.verdict for each in found],
        "In one cluster": numbers([together.get(each.model) for each in found], times=100),
        "Difference": numbers([gap.difference for gap in gaps], times=100),
        "From": numbers([gap.ci_low for gap in gaps], times=100),
        "To": numbers([gap.ci_high for gap in gaps], times=100),
        "Benchmarks": [gap.n_benchmarks for gap in gaps],
        "Size, B": numbers([each.params_b for each in found]),
        "Saves in size": numbers([each.saving_share for each in found], times=100),
        "Distance": numbers([each.distance for each in found]),
    }


def _proposals(
    found: Recommendation, every: Sequence[tuple[Dossier, Judged]], model: Model
) -> None:
    margin = found.question.margin
    drawn = [(each.model, judged.difference, judged.tier) for each, judged in every]
    snapshot = found.shortlist.snapshots[0] if found.shortlist.snapshots else None
    st.subheader("How far apart are they?")
    bars = any(judged.difference.ci_low is not None for _, judged in every)
    each = "Each bar is the 95 % interval of" if bars else "No interval is known; each mark is"
    st.caption(
        f"{each} the difference to {plain(model.name)}. Circle: as good "
        "within your margin, shown or likely. Triangle: worse. Diamond: open."
    )
    title = f"In place of {model.name}, margin {margin * 100:g} points"
    _draw(drawn, margin, _frame(found, every), title, snapshot)


def _draw(
    found: Sequence[tuple[Model, Difference, str]],
    margin: float,
    frame: Columns,
    title: str,
    snapshot: Snapshot | None,
) -> None:
    first = found[:_MOST_IN_PICTURE]
    told = "; ".join(
        f"{it.name} {figures.signed(gap.difference)}, {said}" for it, gap, said in first
    )
    picture = intervals.difference_chart(first, margin)
    figure(picture, "equivalents-picture", title, f"Differences: {told}", snapshot)
    table(frame, "equivalents", title, snapshot, alt=title)


def _frame(found: Recommendation, pairs: Sequence[tuple[Dossier, Judged]]) -> Columns:
    decisions = export.decisions_of(found)
    every, judged = [each for each, _ in pairs], [it for _, it in pairs]
    gaps = [it.difference for it in judged]
    return {
        "Model": [each.model.name for each in every],
        "Decision": [decisions[each.model.id] for each in every],
        "As good?": [it.tier for it in judged],
        "Difference": numbers([gap.difference for gap in gaps], times=100),
        "From": numbers([gap.ci_low for gap in gaps], times=100),
        "To": numbers([gap.ci_high for gap in gaps], times=100),
        "Basis": [PAIRED if gap.basis == "items" else gap.basis for gap in gaps],
        "Cost, $ a month": numbers([each.cost.likely for each in every]),
        "Cost from": [figures.cost_from(each.cost) for each in every],
        "Difference, $ a month": numbers(
            (each.saves.likely if each.saves else None for each in every), times=-1
        ),
        "Size, B": numbers([each.model.params_b for each in every]),
        "Severe harm, %": numbers(
            (each.safety.share if each.safety else None for each in every), times=100
        ),
        "In one cluster": numbers([each.together for each in every], times=100),
        "Held back by": ["; ".join(map(objection, it.vetoes)) for it in judged],
    }


def _in_use(asked: Asked, known: Collection[str]) -> tuple[str, dict[str, str]]:
    """Draw the choice of any model as the one in use; return its name, and the ids of those known.

    Ended ones too; none is chosen at first.
    """
    store = asked.store
    names = labels([data.model(store, model) for model in sorted(known)])
    ids = {name: model for model, name in names.items()}
    others = [other for other in one_model.others(store, known) if other not in ids]
    linked = st.session_state.get("in_use") or st.query_params.get("in_use")
    if linked in one_model.names(store) and linked not in (*ids, *others):
        others.append(linked)
    name = choice(
        "Which model do you use now?",
        (*sorted(ids, key=str.lower), *others),
        key="in_use",
        what="The model",
        draw=entries.above_tabs().selectbox,
        used="none",
        index=None,
        placeholder="Type a name",
        help="It need not fit your question or still be on sale.",
    )
    if not name:
        raise TooFewError(_NONE_CHOSEN)
    if name not in ids:  # A product is in use as the suite tested it.
        tested = as_in_use(asked, one_model.called(store, name))
        return (tested if tested in ids else name), ids
    return name, ids
