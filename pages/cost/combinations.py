"""Do two or three models for different work do better than one, and what do they cost?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.answers import combinations, recommend
from core.answers.combinations import CategoryScores, Combinations
from core.charts import bars as charts
from core.charts import intervals
from core.domain import Requirements, Shortlist, Snapshot, TooFewError
from core.evidence.store import Store
from core.procurement.portfolio import Portfolio, Portfolios
from core.procurement.reasons import dollars
from core.sharing import wording
from pages.components import blocks, controls, evidence, tables
from pages.components.blocks import choose
from pages.components.notices import plain
from pages.cost import amounts
from pages.cost.amounts import ASK, usd_format

_MOST_NAMED = 5
_SIZE_NAMES = {2: "pair", 3: "three"}


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    asked = controls.question(store).requirements
    day = evidence.priced_on(asked)
    with st.spinner("Weighing the evidence…"):
        listed = recommend.shortlist(store, asked, day)
    try:
        with st.spinner("Trying combinations…"):
            combined = combinations.combinations(store, asked, day)
    except TooFewError as error:
        _nothing(store, listed, str(error))
    else:
        _combinations(store, asked, listed, combined)
    blocks.how_made("Portfolios", key="combinations")


def _nothing(store: Store, listed: Shortlist, reason: str) -> None:
    st.info(f"There is nothing to combine. {plain(reason)}", icon=":material/search_off:")
    if sum(row.rank is not None for row in listed.rows) < 2:
        known = {model.id: model.name for model in store.catalogue.models.values()}
        why = tables.why_not(listed, known)
        alt = "Models, and why they are not ranked"
    else:
        why = _that_count(listed)
        alt = "Categories that count, and who is best"
    blocks.table(why, "no-combinations", "Why nothing is combined", listed.snapshots[0], alt=alt)


def _combinations(
    store: Store, asked: Requirements, listed: Shortlist, combined: Combinations
) -> None:
    """Say whether any combination is shown to do better, and show one in full."""
    found, snapshot = combined.found, listed.snapshots[0]
    names = intervals.labels([row.model for row in listed.rows if row.rank is not None])
    st.markdown(
        _answer(found, names, asked.margin),
        help="To pick the best of several scores and then to quote it flatters, since part of "
        "what made it best is chance. Here one half of the benchmarks chooses, the other half, "
        "which had no say, judges. That is rather too low than too high.",
    )
    if left_out := _left_out(found, names):
        st.caption(left_out)
    requests = sum(line.requests_per_month for line in listed.workload)
    amounts.assumed(store, asked, evidence.priced_on(asked), requests)
    if not found.found:
        return
    by_name = {" + ".join(names[model] for model in one.models): one for one in found.found}
    chosen = choose(
        "Combination to look at",
        by_name,
        key="combination",
        what="The combination",
        help="Two or three models of different clusters that together score higher than any one.",
    )
    st.subheader("Who does what?")
    _categories(by_name[chosen], combined, names, title=chosen, snapshot=snapshot)
    st.subheader("What does it cost?")
    _bill(by_name[chosen], listed, found, names, title=chosen, snapshot=snapshot)


def _answer(found: Portfolios, names: Mapping[str, str], margin: float) -> str:
    """Say whether any combination is shown to beat the best single model."""
    best = plain(names[found.best_single])
    if not found.n_tried:
        return (
            f"**There is nothing to combine: the models come from "
            f"{wording.counted(len(found.clusters), 'cluster')}.** "
            f"{best} scores best alone, {wording.points(found.best_single_score)} points."
        )
    tried = f"{wording.counted(found.n_tried, 'combination')} tried"
    if not found.n_better:
        return (
            f"**No combination beats {best} alone: of {tried}, none scores higher, not even on "
            f"the benchmarks it was chosen on.** {best} scores "
            f"{wording.points(found.best_single_score)} points."
        )
    flattering = (
        f"On the benchmarks they were chosen on, {found.n_better:,} of {tried} "
        f"{'looks' if found.n_better == 1 else 'look'} better, by "
        f"{_signed(found.largest_gain or 0.0)} points at the most."
    )
    held = {size: gain for size, gain in found.held_out_gains if gain is not None}
    if not held:
        return (
            f"**No combination is shown to beat {best}.** {flattering} Each category has a "
            "single benchmark, so nothing can be chosen on one half and judged on the other."
        )
    judged = wording.list_of(
        [
            f"the best {_SIZE_NAMES[size]} {'gains' if i == 0 else ''} {_signed(gain)} points"
            for i, (size, gain) in enumerate(held.items())
        ]
    ).replace("  ", " ")
    if max(held.values()) < 0.0005:
        return (
            f"**No combination is shown to beat {best}: chosen on one half of the benchmarks and "
            f"judged on the other, {judged}.** {flattering}"
        )
    small = (
        f" It is less than your margin of {margin * 100:g} points."
        if max(held.values()) < margin
        else ""
    )
    return (
        f"**A combination may beat {best}, which scores "
        f"{wording.points(found.best_single_score)}: chosen on one half of the benchmarks and "
        f"judged on the other, {judged}.** This figure has no interval, so it is a hint and no "
        f"proof.{small} {flattering}"
    )


def _categories(
    one: Portfolio,
    found: Combinations,
    names: Mapping[str, str],
    *,
    title: str,
    snapshot: Snapshot | None,
) -> None:
    """Draw and list, per category, who answers and what it scores against the best single model."""
    single = found.found.best_single
    best = plain(names[single])
    st.markdown(
        f"On the benchmarks it was chosen on, which flatters, it gains {_signed(one.gain)} points "
        f"over {best} (95 % interval {plain(wording.signed_interval(one.ci_low, one.ci_high))})."
    )
    bars = _bars(one, found.categories, single, names)
    blocks.figure(
        charts.by_category(bars),
        "who-does-what",
        f"{title}: who does what",
        "; ".join(
            f"{category}: "
            + ", ".join(
                f"{model} {score * 100:.1f}{' (answers)' if answers_it else ''}"
                for model, score, answers_it in members
            )
            for category, members in bars
        ),
        snapshot,
    )
    st.caption("Filled bars: the model that answers the requests of the category. Hollow: not.")
    blocks.table(
        _frame(one, found, names),
        "who-does-what",
        f"{title}: who does what",
        snapshot,
        columns={f"{names[single]} alone": "%.1f"},
    )


def _bill(
    one: Portfolio,
    listed: Shortlist,
    found: Portfolios,
    names: Mapping[str, str],
    *,
    title: str,
    snapshot: Snapshot | None,
) -> None:
    st.markdown(bill_in_words(one, found, names))
    frame = _bill_lines(one, listed, names)
    blocks.table(
        frame,
        "bill-of-combination",
        f"{title}: bill",
        snapshot,
        columns={"Bill, $ a month": usd_format(frame[["Bill, $ a month"]])},
    )


def bill_in_words(one: Portfolio, found: Portfolios, names: Mapping[str, str]) -> str:
    """Say what a combination costs, against the best single model."""
    best = plain(names[found.best_single])
    alone = (
        f"{best} alone: {_usd(found.best_single_usd)} a month."
        if found.best_single_usd is not None
        else f"{best} alone: {ASK}."
    )
    if one.monthly_usd is not None:
        yearly = _usd(one.monthly_usd * 12)
        said = f"**Together about {_usd(one.monthly_usd)} a month, {yearly} a year.** {alone}"
    elif one.unpriced:
        unknown = wording.list_of([plain(names[model]) for model in one.unpriced])
        said = f"**The bill is not known.** {unknown}: {ASK}. {alone}"
    elif one.lines:
        said = (
            "**The bill is not known.** None of your requests belongs to a category that counts "
            f"here, so nobody can say which model would answer them. {alone}"
        )
    else:
        said = f"**The bill is not known.** {alone}"
    strays = [line for line in one.lines if not line.category]
    if strays and one.monthly_usd is not None:
        kinds = wording.list_of([plain(line.requests) for line in strays])
        said += (
            f" No category that counts here covers {kinds}: these go to "
            f"{plain(names[strays[0].model])}, the better of the members overall."
        )
    if idle := [c for c, _ in one.assignment if c not in {line.category for line in one.lines}]:
        listed = wording.list_of([plain(category) for category in idle])
        said += f" You gave no requests for {listed}, so nothing is billed there."
    return said


def _that_count(listed: Shortlist) -> pd.DataFrame:
    """Return the categories of a question, with the best score in each: why none can be split."""
    ranked = [row for row in listed.rows if row.rank is not None]
    scores = {
        category: [(dict(row.category_scores)[category] or 0.0, row.model.name) for row in ranked]
        for category, _ in listed.weights
    }
    return pd.DataFrame(
        {
            "Category": [category for category, _ in listed.weights],
            "Weight, %": [weight * 100 for _, weight in listed.weights],
            "Benchmarks": [
                sum(category in (b.category, b.subcategory) for b in listed.benchmarks)
                for category, _ in listed.weights
            ],
            "Best model": [max(scores[category])[1] for category, _ in listed.weights],
            "Score": blocks.numbers(
                [max(scores[category])[0] for category, _ in listed.weights], times=100
            ),
        }
    )


def _left_out(found: Portfolios, names: Mapping[str, str]) -> str:
    """Name what counts and is still in no combination or held-out gain; empty for nothing."""
    said = []
    if found.not_held_out and found.n_better:
        listed = wording.list_of([plain(category) for category in found.not_held_out])
        said.append(f"Not in the held-out gains, for want of a second benchmark: {listed}.")
    if out := [plain(names.get(one.model, one.model)) for one in found.excluded]:
        more = len(out) - _MOST_NAMED
        shown = out[:_MOST_NAMED] + ([wording.counted(more, "other")] if more > 0 else [])
        said.append(f"Ranked, but in no cluster and so not combined: {wording.list_of(shown)}.")
    return " ".join(said)


def _frame(one: Portfolio, found: Combinations, names: Mapping[str, str]) -> pd.DataFrame:
    model_of, single = dict(one.assignment), found.found.best_single
    kept = [c for c in found.categories if c.category in model_of]
    own = [c.scores[model_of[c.category]] for c in kept]
    alone = [c.scores[single] for c in kept]
    return pd.DataFrame(
        {
            "Category": [c.category for c in kept],
            "Answered by": [names[model_of[c.category]] for c in kept],
            "Score": blocks.numbers(own, times=100),
            f"{names[single]} alone": blocks.numbers(alone, times=100),
            "Gain": blocks.numbers(
                [score - other for score, other in zip(own, alone, strict=True)], times=100
            ),
            "Weight, %": [c.weight * 100 for c in kept],
            "Benchmarks": [c.n_benchmarks for c in kept],
        }
    )


def _bars(
    one: Portfolio, found: Sequence[CategoryScores], single: str, names: Mapping[str, str]
) -> list[tuple[str, list[tuple[str, float, bool]]]]:
    model_of = dict(one.assignment)
    shown = [*one.models, *([] if single in one.models else [single])]
    return [
        (c.category, [(names[m], c.scores[m], m == model_of[c.category]) for m in shown])
        for c in found
    ]


def _bill_lines(one: Portfolio, listed: Shortlist, names: Mapping[str, str]) -> pd.DataFrame:
    """Return the bill of a combination, line by line, with where each price is from."""
    requests = {line.category: line.requests_per_month for line in listed.workload}
    bills = {row.model.id: row.bill for row in listed.rows}
    prices = [priced.price if (priced := bills.get(line.model)) else None for line in one.lines]
    frame = pd.DataFrame(
        {
            "Requests": [line.requests for line in one.lines],
            "Answered by": [names[line.model] for line in one.lines],
            "Requests a month": blocks.numbers([requests.get(line.requests) for line in one.lines]),
            "Bill, $ a month": blocks.numbers([line.usd for line in one.lines]),
            "Price from": [price.provider_name if price else ASK for price in prices],
            "Price of": [price.as_of if price else wording.UNKNOWN for price in prices],
        }
    )
    if any(line.category != line.requests for line in one.lines):
        frame["Category"] = [line.category or "none: best overall" for line in one.lines]
    return frame


def _signed(share: float) -> str:
    return plain(wording.signed_points(share))


def _usd(amount: float) -> str:
    return "\\" + dollars(amount)
