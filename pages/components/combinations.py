"""Combinations in words and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.answers.combinations import CategoryScores, Combinations
from core.domain import Bill, Shortlist
from core.procurement.portfolio import Portfolio, Portfolios
from core.procurement.reasons import dollars
from pages.components import wording
from pages.components.notices import plain

NO_PRICE = "no public price: ask the vendor"
_MOST_NAMED = 5
_SIZE_NAMES = {2: "pair", 3: "three"}
_COLUMN = st.column_config
COMBINATION_COLUMNS = {
    "Models": _COLUMN.TextColumn(width=310),
    "Score": _COLUMN.NumberColumn(
        format="%.1f", help="Each category at the member with the best score in it. Flattering."
    ),
    "Gain": _COLUMN.NumberColumn(
        format="%+.1f",
        help="Points above the best single model, on the benchmarks by which the members were "
        "chosen. Of many combinations the luckiest stand on top, so this figure flatters.",
    ),
    "From": _COLUMN.NumberColumn(
        format="%+.1f",
        help="Lower end of the 95 % interval of the gain. It takes the choice as given, so it "
        "does not repair the flattery.",
    ),
    "To": _COLUMN.NumberColumn(
        format="%+.1f", help="Upper end of the 95 % interval of the gain, likewise."
    ),
    "Bill, $ a month": _COLUMN.NumberColumn(
        format="%.2f",
        help="US dollars: each category's requests at its model, at public prices. Not known is "
        "not free.",
    ),
    "Price": _COLUMN.TextColumn(help="Whether the bill is known, and whom to ask if not."),
    "Clusters": _COLUMN.TextColumn(
        help="Families of models that score alike, of three in the taxonomy: H the highest, M "
        "the middle, L the lowest."
    ),
}


def name(models: Sequence[str], names: Mapping[str, str]) -> str:
    """Name a combination by its members."""
    return " + ".join(names[model] for model in models)


def answer(found: Portfolios, names: Mapping[str, str], margin: float) -> str:
    """Say whether any combination is shown to beat the best single model."""
    best = plain(names[found.best_single])
    if not found.n_tried:
        return (
            f"**There is nothing to combine: the models come from {_clusters(found)}.** "
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


def gains(one: Portfolio, found: Portfolios, names: Mapping[str, str]) -> str:
    """Say what a combination gains, first what the search for such a combination does."""
    best = plain(names[found.best_single])
    on_own = (
        f"on the benchmarks it was chosen on, {_signed(one.gain)} (95 % interval "
        f"{plain(wording.signed_interval(one.ci_low, one.ci_high))})"
    )
    search = dict(found.held_out_gains)[len(one.models)]
    if search is None:
        return (
            "There is no second benchmark on which to judge it. It flatters to say that it gains, "
            f"{on_own} points over {best}."
        )
    return (
        f"**Choosing a {_SIZE_NAMES[len(one.models)]} in this way gains {_signed(search)} points "
        "over choosing one model, on benchmarks that had no say.** What this one gains over "
        f"{best} flatters, since it was found on all benchmarks: {on_own}."
    )


def _clusters(found: Portfolios) -> str:
    return wording.counted(len(found.clusters), "cluster")


def _signed(share: float) -> str:
    return plain(wording.signed_points(share))


def combinations(
    found: Portfolios, names: Mapping[str, str], bills: Mapping[str, Bill | None]
) -> pd.DataFrame:
    """Return the best single model and the combinations that exceed it."""
    kept = found.found
    return pd.DataFrame(
        {
            "Models": [
                f"{names[found.best_single]} alone",
                *(name(one.models, names) for one in kept),
            ],
            "Gain": _points([None, *(one.gain for one in kept)]),
            "From": _points([None, *(one.ci_low for one in kept)]),
            "To": _points([None, *(one.ci_high for one in kept)]),
            "Bill, $ a month": _numbers(
                [found.best_single_usd, *(one.monthly_usd for one in kept)]
            ),
            "Price": [
                "known" if bills.get(found.best_single) else NO_PRICE,
                *(_price(one, names) for one in kept),
            ],
            "Score": _points([found.best_single_score, *(one.score for one in kept)]),
            "Who does what": ["everything", *(duties(one, names) for one in kept)],
            "Clusters": ["", *(" + ".join(one.clusters) for one in kept)],
        }
    )


def _price(one: Portfolio, names: Mapping[str, str]) -> str:
    if one.monthly_usd is not None:
        return "known"
    if one.unpriced:
        return f"{NO_PRICE} of {wording.list_of([names[model] for model in one.unpriced])}"
    return "your requests belong to none of these categories"


def duties(one: Portfolio, names: Mapping[str, str]) -> str:
    """Say which member does what; the one with the most categories does all else."""
    tasks: dict[str, list[str]] = {}
    for category, model in one.assignment:
        tasks.setdefault(model, []).append(category)
    most = max(tasks, key=lambda model: len(tasks[model]))
    said = [f"{names[model]}: {', '.join(its)}" for model, its in tasks.items() if model != most]
    return "; ".join([*said, f"{names[most]}: all else"])


def categories(one: Portfolio, found: Combinations, names: Mapping[str, str]) -> pd.DataFrame:
    """Return, per category, who answers and what it scores against the best single model."""
    model_of, single = dict(one.assignment), found.found.best_single
    kept = [c for c in found.categories if c.category in model_of]
    own = [c.scores[model_of[c.category]] for c in kept]
    alone = [c.scores[single] for c in kept]
    return pd.DataFrame(
        {
            "Category": [c.category for c in kept],
            "Answered by": [names[model_of[c.category]] for c in kept],
            "Score": _points(own),
            f"{names[single]} alone": _points(alone),
            "Gain": _points([score - other for score, other in zip(own, alone, strict=True)]),
            "Weight, %": [c.weight * 100 for c in kept],
            "Benchmarks": [c.n_benchmarks for c in kept],
        }
    )


def bars(
    one: Portfolio, found: Sequence[CategoryScores], single: str, names: Mapping[str, str]
) -> list[tuple[str, list[tuple[str, float, bool]]]]:
    """Return, per category, the score of each member and of the best single model."""
    model_of = dict(one.assignment)
    shown = [*one.models, *([] if single in one.models else [single])]
    return [
        (c.category, [(names[m], c.scores[m], m == model_of[c.category]) for m in shown])
        for c in found
    ]


def bill_lines(
    one: Portfolio, listed: Shortlist, names: Mapping[str, str], bills: Mapping[str, Bill | None]
) -> pd.DataFrame:
    """Return the bill of a combination, line by line, with where each price is from."""
    requests = {line.category: line.requests_per_month for line in listed.workload}
    prices = [bill.price if (bill := bills.get(line.model)) else None for line in one.lines]
    frame = pd.DataFrame(
        {
            "Requests": [line.requests for line in one.lines],
            "Answered by": [names[line.model] for line in one.lines],
            "Requests a month": _numbers([requests.get(line.requests) for line in one.lines]),
            "Bill, $ a month": _numbers([line.usd for line in one.lines]),
            "Price from": [price.provider_name if price else NO_PRICE for price in prices],
            "Price of": [price.as_of if price else wording.UNKNOWN for price in prices],
        }
    )
    if any(line.category != line.requests for line in one.lines):
        frame["Category"] = [line.category or "none: best overall" for line in one.lines]
    return frame


def bill(one: Portfolio, found: Portfolios, names: Mapping[str, str], basis: str) -> str:
    """Say what a combination costs, against the best single model."""
    best = plain(names[found.best_single])
    alone = (
        f"{best} alone: {_usd(found.best_single_usd)} a month."
        if found.best_single_usd is not None
        else f"{best} alone: {NO_PRICE}."
    )
    if one.monthly_usd is not None:
        yearly = _usd(one.monthly_usd * 12)
        said = f"**Together about {_usd(one.monthly_usd)} a month, {yearly} a year.** {alone}"
    elif one.unpriced:
        unknown = wording.list_of([plain(names[model]) for model in one.unpriced])
        said = f"**The bill is not known.** {unknown}: {NO_PRICE}. {alone}"
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
    return f"{said} {basis}"


def categories_that_count(listed: Shortlist) -> pd.DataFrame:
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
            "Score": _points([max(scores[category])[0] for category, _ in listed.weights]),
        }
    )


def left_out(found: Portfolios, names: Mapping[str, str]) -> str:
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


def _usd(amount: float) -> str:
    return "\\" + dollars(amount)


def _points(values: Sequence[float | None]) -> pd.Series:
    return _numbers([None if value is None else value * 100 for value in values])


def _numbers(values: Sequence[float | None]) -> pd.Series:
    return pd.Series(values, dtype="float64")
