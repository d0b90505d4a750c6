"""The proof that one model may replace another: certainty, benchmarks, what it saves a year."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core import answers
from core.charts.side_by_side import benchmark_gaps
from core.domain import Bill, Equivalent, Model, Requirements
from core.evidence.store import Store
from core.procurement.reasons import dollars
from core.procurement.yearly_saving import YearlySaving
from pages.components import side_by_side, tables, wording
from pages.components.downloads import downloads
from pages.components.notices import own_choice, plain
from pages.components.pictures import vega_lite_chart

TOGETHER_HELP = (
    "Share of 1,000 trees, each grown from benchmarks drawn anew, in which the two models are in "
    "one cluster. Over two suites the lower of the two shares."
)
_COLUMNS = tables.EQUIVALENT_COLUMNS | {
    "In one cluster": st.column_config.NumberColumn(format="%.0f %%", help=TOGETHER_HELP),
    "Saves a year, $": st.column_config.NumberColumn(
        format="%.2f",
        help="12 times the difference of the two monthly bills, US dollars at public prices. "
        "Below zero: the candidate costs more. Empty where a price is not public.",
    ),
    "Saves, B": st.column_config.NumberColumn(
        format="%.1f", width=90, help="Billions of parameters fewer than the model to replace."
    ),
    "Saves in size": st.column_config.NumberColumn(
        format="%.0f %%", help="The same as a share of the model to replace."
    ),
    "Prices": st.column_config.TextColumn(
        width="large", help="The two monthly bills in US dollars, with provider and date."
    ),
}


def answer(model: Model, best: Equivalent, margin: float, *, by_paper: bool, n_suites: int) -> str:
    """Say what could replace a model, with the margin and the interval beside the verdict."""
    within = _within(best, margin)
    if by_paper:
        where = "both taxonomies" if n_suites > 1 else "the one taxonomy of this evidence"
        return (
            f"By the taxonomy paper's rule, **{plain(model.name)}** would be replaced by "
            f"**{plain(best.name)}**: the closest smaller model of its cluster in {where}. The "
            f"rule itself asks for no margin; the difference is {_gap(best)}, {best.verdict} "
            f"{within}."
        )
    if best.verdict != "equivalent":
        return (
            f"No smaller or cheaper model is shown to be equivalent to **{plain(model.name)}** "
            f"within a margin of {margin * 100:g} points. The best is {plain(best.name)}: "
            f"{_gap(best)}, {best.verdict} {within}."
        )
    cheaper = "cheaper" if best.cheaper_by == "bill" else "smaller"
    return (
        f"**{plain(model.name)}** can be replaced by **{plain(best.name)}**: "
        f"{best.saving_share:.0%} {cheaper}; the difference is {_gap(best)}, equivalent {within}."
    )


def candidates_table(
    model: Model,
    found: Sequence[Equivalent],
    savings: Mapping[str, YearlySaving],
    together: Mapping[str, float] | None,
) -> pd.DataFrame:
    """Draw all candidates and return the table, every number in a column of its own."""
    table = tables.equivalents(found)
    saved = [savings[candidate.model] for candidate in found]
    shares = [together.get(c.model) if together else None for c in found]
    new = {
        "In one cluster": _numbers([None if x is None else x * 100 for x in shares]),
        "Saves a year, $": _numbers([one.usd for one in saved]),
        "Saves, B": _numbers([one.params_b for one in saved]),
        "Saves in size": _numbers(
            [None if one.params_share is None else one.params_share * 100 for one in saved]
        ),
        "Prices": [
            f"{model.name}: {_bill(one.bill)}; {c.name}: {_bill(one.candidate_bill)}"
            for c, one in zip(found, saved, strict=True)
        ],
    }
    place = list(table.columns).index("Saves in")
    for number, (column, values) in enumerate(new.items()):
        table.insert(place + number, column, values)
    # Bills are shown as they are known, also where the size alone decides.
    bills = [one.candidate_bill for one in saved]
    table["Bill, $ a month"] = _numbers(
        [None if bill is None else bill.monthly_usd for bill in bills]
    )
    st.dataframe(
        table,
        column_config=_COLUMNS,
        hide_index=True,
        placeholder=wording.UNKNOWN,
        alt=f"Candidates to replace {model.name}, closest first",
    )
    return table


def proof(
    store: Store,
    requirements: Requirements,
    suites: tuple[str, ...],
    model: Model,
    candidates: Mapping[str, Equivalent],
    named: Equivalent,
    savings: Mapping[str, YearlySaving],
    together: Mapping[str, float] | None,
) -> None:
    """Draw the proof for one of the candidates, by label; at first for the one that is named."""
    st.subheader("Proof")
    first = next(label for label, one in candidates.items() if one is named)
    _begin_with(first, candidates, model)
    label = st.selectbox(
        "Proof for",
        [first, *(label for label in candidates if label != first)],
        key="proof",
        bind="query-params",
        help="The best candidate first, then the closest.",
    )
    candidate = candidates[label]
    st.markdown(
        f"**{plain(label)}** in place of {plain(model.name)}: difference "
        f"{_gap(candidate)}, **{candidate.verdict}** {_within(candidate, requirements.margin)}."
    )
    st.markdown(_together(candidate, together, suites))
    st.markdown(saving_in_words(model, candidate, savings[candidate.model]))
    with st.spinner("Comparing the two…"):
        found = answers.replacement_proof(store, requirements, suites, model.id, candidate.model)
    names = {model.id: model.name, candidate.model: label}
    if names[model.id] == label:
        names = {model.id: model.id, candidate.model: candidate.model}
    frames = []
    for suite, compared in zip(suites, found, strict=True):
        pair, title = compared.pairs[0], store.catalogue.suites[suite].name
        st.markdown(f"#### {plain(title)}")
        picture = benchmark_gaps(pair, compared.scores)
        vega_lite_chart(
            spec=picture,
            alt=f"{names[candidate.model]} minus {names[model.id]} on {title}, points: "
            + "; ".join(
                f"{b.name} {wording.signed_points(gap.difference)}, {gap.standing}"
                for gap, b in zip(pair.gaps, compared.scores.benchmarks, strict=True)
                if gap.difference is not None
            ),
        )
        if not pair.n_with_interval:
            held = "No standard error is published, so no benchmark has an interval."
        else:
            ahead, behind = pair.n_ahead(clearly=True), pair.n_behind(clearly=True)
            held = (
                f"Clearly better on {ahead} and clearly worse on {behind} of "
                f"{wording.counted(pair.n_shared, 'benchmark')}; {pair.n_with_interval} have an "
                "interval."
            )
        st.caption(
            f"Right of zero {plain(names[candidate.model])} scores higher. A bar is the 95 % "
            f"interval of the difference. {held}"
        )
        downloads(
            f"proof-{suite}",
            title=f"{names[candidate.model]} minus {names[model.id]}, {title}, points",
            snapshot=compared.scores.snapshot,
            picture=picture,
        )
        st.dataframe(
            side_by_side.benchmarks(compared, names),
            column_config=side_by_side.benchmark_columns(compared, names),
            hide_index=True,
            placeholder="not measured",
            alt=f"The two models on every benchmark of {title}, with the difference",
        )
        frame = side_by_side.figures(compared, names)
        frame.insert(0, "Suite", title)
        frame["Snapshot"] = str(
            compared.scores.snapshot.revision if compared.scores.snapshot else ""
        )
        frames.append(frame)
    downloads(
        "proof",
        title=f"Proof for {names[candidate.model]} in place of {names[model.id]}, all benchmarks",
        snapshot=found[0].scores.snapshot,
        frame=pd.concat(frames, ignore_index=True),
    )


def _begin_with(first: str, candidates: Mapping[str, Equivalent], model: Model) -> None:
    """Choose the best candidate anew where the question has changed and the choice is moot."""
    before = st.session_state.get("proof_of")
    st.session_state["proof_of"] = (model.id, first)
    if before is None or before == (model.id, first):
        own_choice("proof", "The candidate", candidates, first)
        return
    # The address still has the candidate of the last question, which is no fault of a link.
    st.session_state.get("own_notes", {}).pop("proof", None)
    chosen = st.session_state.get("proof")
    if before[0] != model.id or chosen == before[1] or chosen not in candidates:
        st.session_state["proof"] = first


def saving_in_words(model: Model, candidate: Equivalent, saved: YearlySaving) -> str:
    """Say what a replacement saves a year, in Markdown; an unknown price is a question."""
    if saved.usd is not None:
        what = "Saves" if saved.usd >= 0 else "Costs"
        more = "" if saved.usd >= 0 else " more"
        money = (
            f"{what} about **{dollars(abs(saved.usd))}{more} a year** (US dollars, 12 times the "
            f"difference of the monthly bills for your workload at public prices). "
            f"{plain(model.name)}: {plain(_bill(saved.bill))}. "
            f"{plain(candidate.name)}: {plain(_bill(saved.candidate_bill))}."
        ).replace("about **$", r"about **\$")
    else:
        unpriced = [
            name
            for name, bill in ((model.name, saved.bill), (candidate.name, saved.candidate_bill))
            if bill is None
        ]
        money = (
            f"Saving in dollars not known. {plain(wording.list_of(unpriced))}: no public price: "
            "ask the vendor."
        )
        for name, bill in ((model.name, saved.bill), (candidate.name, saved.candidate_bill)):
            if bill is not None:
                money += f" {plain(name)}: {plain(_bill(bill))}."
    if saved.params_b is None or saved.params_share is None:
        return f"{money} The difference in size is not known."
    word = "fewer" if saved.params_b >= 0 else "more"
    return (
        f"{money} Size: **{abs(saved.params_b):.3g} B parameters {word}** "
        f"({abs(saved.params_share):.0%})."
    )


def _together(
    candidate: Equivalent, together: Mapping[str, float] | None, suites: Sequence[str]
) -> str:
    share = together.get(candidate.model) if together else None
    place = "the same cluster" if candidate.same_cluster else "another cluster"
    if share is None:
        return (
            f"It is in {place}. How sure that is cannot be computed here: there are too few "
            "benchmarks, or too many models."
        )
    lower = " (the lower of the two suites' shares)" if len(suites) > 1 else ""
    return (
        f"It is in {place}. With the benchmarks drawn anew, the two are in one cluster in "
        f"**{share:.0%}** of 1,000 trees{lower}."
    )


def _within(candidate: Equivalent, margin: float) -> str:
    preposition = "within" if candidate.verdict == "equivalent" else "against"
    return f"{preposition} a margin of {margin * 100:g} points"


def _gap(candidate: Equivalent) -> str:
    gap = candidate.difference
    return (
        f"{wording.signed_points(gap.difference)} points "
        f"({wording.signed_interval(gap.ci_low, gap.ci_high)}, "
        f"{wording.counted(gap.n_benchmarks, 'benchmark')})"
    )


def _bill(bill: Bill | None) -> str:
    if bill is None:
        return "no public price: ask the vendor"
    return (
        f"{dollars(bill.monthly_usd)} a month at {bill.price.provider_name}, "
        f"price of {bill.price.as_of}"
    )


def _numbers(values: Sequence[float | None]) -> pd.Series:
    return pd.Series(values, dtype="float64")
