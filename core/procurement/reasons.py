"""The words beside a row: why it stands where it stands, and what to ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.domain import Equivalent, Requirements, ShortlistRow

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_ORDINALS = ("", "first", "second", "third", "fourth", "fifth")


def count(number: int) -> str:
    """Write a small count as a word, a larger one in digits."""
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else f"{number:,}"


def dollars(usd: float) -> str:
    """Write an amount of US dollars: cents below 100, whole dollars above."""
    if 0 < usd < 0.005:
        return "less than $0.01"
    return f"${usd:,.2f}" if usd < 99.995 else f"${usd:,.0f}"


def band(rank: int | None, rank_band: tuple[int, int] | None) -> str:
    """Say a rank band in words, for example "First, tied with two others"."""
    if rank is None or rank_band is None:
        return "Not ranked"
    first, last = rank_band
    place = _ORDINALS[first] if first < len(_ORDINALS) else f"Rank {first}"
    place = place[0].upper() + place[1:]
    others = last - first
    if others == 0:
        return place
    return f"{place}, tied with {count(others)} other{'s' if others > 1 else ''}"


def reasons(row: ShortlistRow) -> tuple[str, ...]:
    """Say in short sentences what speaks for a row; the first is the one to show alone."""
    found = []
    n = row.n_benchmarks
    benchmarks = f"{n} benchmark{'s' if n != 1 else ''}"
    if row.rank is None:
        found.append(
            f"Not ranked: {count(len(row.missing))} of {n + len(row.missing)} benchmarks "
            f"{'was' if len(row.missing) == 1 else 'were'} never run on it, and scores over "
            "different benchmarks do not compare."
        )
    elif row.rank_band == (1, 1):
        found.append(f"Scores clearly highest over {benchmarks}.")
    elif row.rank == 1:
        found.append(
            f"Highest score over {benchmarks}, though the data cannot separate it "
            f"from {_others(row)}."
        )
    elif row.rank_band is not None and row.rank_band[0] == 1:
        found.append(f"Close to the highest score over {benchmarks}: the data cannot tell.")
    elif row.rank_band is not None and row.rank_band[0] == row.rank_band[1]:
        found.append(f"Clearly below the models ranked above it over {benchmarks}.")
    else:
        found.append(
            f"Below the first group over {benchmarks}, and in one band with {_others(row)}."
        )
    if row.model.access == "open":
        size = "" if row.model.params_b is None else f", {row.model.params_b:.3g} B parameters"
        found.append(f"Can run on your own servers: open weights{size}.")
    elif row.model.access == "closed":
        found.append("Only as a service: the weights are closed.")
    if row.bill is not None:
        found.append(
            f"About {dollars(row.bill.monthly_usd)} a month for the stated workload, at the price "
            f"of {row.bill.price.provider_name} on {row.bill.price.as_of}."
        )
    return tuple(found)


def with_equivalent(row: ShortlistRow, equivalent: Equivalent | None) -> tuple[str, ...]:
    """Add what a row's equivalent does and saves; nothing where it is not shown to be one."""
    if equivalent is None or equivalent.verdict != "equivalent":
        return row.reasons
    saved = "cheaper" if equivalent.cheaper_by == "bill" else "smaller"
    return (
        *row.reasons,
        f"{equivalent.name} does as well within your margin and is "
        f"{equivalent.saving_share:.0%} {saved}.",
    )


def _others(row: ShortlistRow) -> str:
    assert row.rank_band is not None
    others = row.rank_band[1] - row.rank_band[0]
    return f"{count(others)} other{'s' if others > 1 else ''}"


def questions(row: ShortlistRow, requirements: Requirements) -> tuple[str, ...]:
    """List what is not known about a row and should be asked."""
    found = []
    if row.bill is None:
        budget = (
            "; your budget was not applied to it"
            if requirements.monthly_budget_usd is not None
            else ""
        )
        whom = "ask the vendor" if row.model.access == "closed" else "count your own servers"
        where = " where your conditions may be met" if row.routes else ""
        found.append(f"No public price{where}: {whom}{budget}.")
    if row.model.params_b is None:
        found.append("Number of parameters not disclosed.")
    if row.model.access == "unknown":
        found.append("Not known whether the weights are open.")
    if not row.model.licence and row.model.access != "closed":
        found.append("Licence not found: ask before commercial use.")
    if row.missing:
        listed = ", ".join(row.missing[:5]) + (" and others" if len(row.missing) > 5 else "")
        found.append(f"Never run: {listed}.")
    if row.routes:
        found += row.routes[0].words("open")
    if row.interval_basis == "none":
        found.append("No interval can be given: too few benchmarks and no published error.")
    return tuple(found)
