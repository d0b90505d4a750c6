"""Robust ranks in words and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from core.charts.intervals import percent
from core.domain import Dossier
from core.procurement.robustness import Flip, RankRobustness, RankSpread
from core.words import figures
from core.words.figures import count
from pages.components.blocks import band
from pages.components.notices import plain

_MOST_NAMED = 4


def answer(found: RankRobustness, names: Mapping[str, str], drawn: str) -> str:
    """Say who is first, and who is among the first three, in which share of the weightings.

    ``drawn`` says what was drawn, for example "2,000 plausible weightings".
    """
    first = _most(found.models, "first_share", 3)
    leader, share = first[0]
    said = f"**{plain(names[leader])} is first in {percent(share)} of {drawn}**"
    if others := [f"{plain(names[model])} in {percent(share)}" for model, share in first[1:]]:
        said += f", {figures.listed(others)}"
    said += "."
    if len(found.models) > 3:
        top = _most(found.models, "top_three_share", 4)
        listed = [f"{plain(names[model])} in {percent(share)}" for model, share in top]
        said += f" Among the first three: {figures.listed(listed)}."
    if leader != (now := found.models[0].model):
        said += f" At your weights as they are, {plain(names[now])} is first."
    return said


def _most(models: Sequence[RankSpread], field: str, most: int) -> list[tuple[str, float]]:
    """Return the models with the largest shares, those with none left out."""
    shares = [(spread.model, getattr(spread, field) or 0.0) for spread in models]
    return sorted((pair for pair in shares if pair[1] > 0), key=lambda pair: -pair[1])[:most]


def alike(rows: Sequence[Dossier]) -> str:
    """Say how many share the first place whatever is decided about weights; empty for one."""
    n = sum(row.rank_band is not None and row.rank_band[0] == 1 for row in rows)
    if n < 2:
        return ""
    return (
        f"At your weights {count(n)} models may be first: the data do not show any of them below "
        "another. Choose among them by what the scores do not say."
    )


def flip(one: Flip, names: Mapping[str, str]) -> str:
    """Say at which weight of a category another model is first."""
    now = f"{plain(one.category)}, now {plain(f'{one.weight * 100:.1f}')} %"
    if one.flips_at is None or one.model is None:
        return f"{now}: never; the same model is first at any weight."
    way = "or more" if one.flips_at >= one.weight else "or less"
    at = plain(f"{one.flips_at * 100:.1f}")
    return f"{now}: at {at} % {way}, {plain(names[one.model])} is first."


def nearest(flips: Sequence[Flip]) -> str:
    """Say how far the first place is from changing by the weight of one category."""
    reached = [(abs(one.flips_at - one.weight), one) for one in flips if one.flips_at is not None]
    if not reached:
        return "**No category can change the first place, whatever its weight.**"
    gap, one = min(reached, key=lambda pair: pair[0])
    never = len(flips) - len(reached)
    rest = f" {count(never).capitalize()} of {count(len(flips))} can never do it." if never else ""
    return (
        f"**The nearest change is {plain(f'{gap * 100:.1f}')} percentage points away, in "
        f"{plain(one.category)}.**{rest}"
    )


def models(
    found: RankRobustness, rows: Sequence[Dossier], names: Mapping[str, str]
) -> pd.DataFrame:
    """Return each model with its ranks; without weights to vary, only rank and band."""
    bands = {row.model.id: row.rank_band for row in rows}
    frame = pd.DataFrame(
        {
            "Model": [names[spread.model] for spread in found.models],
            "Rank": [spread.rank for spread in found.models],
            "May be": [band(bands[s.model] or (s.rank, s.rank)) for s in found.models],
        }
    )
    if found.weights_vary:
        frame["First, %"] = [(s.first_share or 0.0) * 100 for s in found.models]
        frame["Top three, %"] = [(s.top_three_share or 0.0) * 100 for s in found.models]
        frame["Median rank"] = [s.median_rank for s in found.models]
        frame["Ranks"] = [band((s.rank_low or 0, s.rank_high or 0)) for s in found.models]
    return frame


def flips(found: Sequence[Flip], names: Mapping[str, str]) -> pd.DataFrame:
    """Return, per category, its weight, where the first place flips and to whom."""
    at = [None if one.flips_at is None else one.flips_at * 100 for one in found]
    return pd.DataFrame(
        {
            "Category": [one.category for one in found],
            "Weight now, %": [one.weight * 100 for one in found],
            "Flips at, %": pd.Series(at, dtype="float64"),
            "First then": ["never" if one.model is None else names[one.model] for one in found],
        }
    )
