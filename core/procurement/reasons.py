"""Words and figures: how numbers are written, and what is said beside a row of the shortlist.

A row says where it stands, what speaks for it, and what to ask.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from core.domain import Requirements, ShortlistRow

UNPUBLISHED = ", capacity not published"
"""Ends the name of own servers of which nobody knows what they serve."""
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def count(number: int) -> str:
    """Write a small count as a word, a larger one in digits."""
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else f"{number:,}"


def billions(params_b: float) -> str:
    """Write a number of parameters in billions with three digits, large ones whole."""
    return f"{params_b:.3g}" if params_b < 1000 else f"{params_b:,.0f}"


def ordinal(number: int) -> str:
    """Write a place: 1st, 2nd, 3rd, 4th, 11th, 21st."""
    ending = "th" if number % 100 in (11, 12, 13) else _ENDINGS.get(number % 10, "th")
    return f"{number:,}{ending}"


def dollars(usd: float) -> str:
    """Write an estimate in US dollars: cents below 10, whole dollars above, a true minus."""
    if 0 < usd < 0.005:
        return "less than $0.01"
    sign, usd = ("−" if usd < 0 else ""), abs(usd)
    return f"{sign}${usd:,.2f}" if usd < 9.995 else f"{sign}${usd:,.0f}"


def estimate(usd: float) -> str:
    """Write an estimated amount of US dollars: no more digits than anybody knows."""
    if 0 < usd < 1:
        return "less than $1"
    return f"${usd:,.1f}" if 0 < usd < 9.95 else f"${usd:,.0f}"


def about(usd: float) -> str:
    """Write an estimate as one: about $32, or less than $1."""
    words = estimate(usd)
    return words if words.startswith("less") else f"about {words}"


def signed(share: float) -> str:
    """Write a difference in points with its sign, a true minus for a loss."""
    return f"{share * 100:+.1f}".replace("-", "−")


def listed(names: Collection[str]) -> str:
    """List one name or more: a, b and c."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def sentence(words: str) -> str:
    """Begin words with a capital letter and end them with a full stop."""
    return f"{words[:1].upper()}{words[1:]}."


def place(row: ShortlistRow) -> str:
    """Say where a row stands among those that fit, and among all."""
    if row.rank is None:
        return "Not ranked"
    first = "Best" if row.rank == 1 else ordinal(row.rank)
    fit = "The only model that fits" if row.n_fit == 1 else f"{first} of the {row.n_fit:,} that fit"
    if row.rank_all is None or row.n_fit == row.n_all:
        return fit
    return f"{fit}, {ordinal(row.rank_all)} of {row.n_all:,} overall"


def possible_ranks(row: ShortlistRow) -> str:
    """Say which ranks a row may have among those that fit; empty where it has none."""
    if row.rank_band is None or row.n_fit == 1:
        return ""
    first, last = row.rank_band
    if first == last:
        return f"Its place is clear: {ordinal(first)}"
    if row.rank_band == (1, row.n_fit):
        return "The data cannot rank it: it may have any place"
    return f"It may be {ordinal(first)} to {ordinal(last)}"


def reasons(row: ShortlistRow) -> tuple[str, ...]:
    """Say in short sentences what speaks for a row; the first is the one to show alone."""
    found = [_standing(row)]
    if row.model.access == "open":
        size = (
            "" if row.model.params_b is None else f", {billions(row.model.params_b)} B parameters"
        )
        found.append(f"Can run on your own servers: open weights{size}.")
    elif row.model.access == "closed":
        found.append("Only as a service: the weights are closed.")
    if row.cost.low is not None:
        found.append(f"{cost_in_words(row)}.")
    if row.sale is not None and row.sale.standing == "passes":
        found.append(sentence(row.sale.words))
    return tuple(found)


def _standing(row: ShortlistRow) -> str:
    n = row.n_benchmarks
    tests = f"{n} test{'s' if n != 1 else ''}"
    if row.label:
        return f"Not ranked: {row.label}."
    if row.rank is None:
        return (
            f"Not ranked: {count(len(row.missing))} of {n + len(row.missing)} tests "
            f"{'was' if len(row.missing) == 1 else 'were'} never run on it, and scores over "
            "different tests do not compare."
        )
    where = place(row)
    if row.n_fit == 1 or row.rank_band is None:
        return f"{where}, on {tests}."
    first, last = row.rank_band
    if (first, last) == (1, 1):
        others = "the other" if row.n_fit == 2 else "every other"
        return f"{where}, on {tests}: clearly above {others} that fits."
    if first == 1:
        return f"{where}, on {tests}. {possible_ranks(row)}."
    better = count(first - 1)
    above = "is" if first == 2 else "are"
    return (
        f"{where}, on {tests}: {better} that fit{'s' if first == 2 else ''} {above} clearly above."
    )


def cost_in_words(row: ShortlistRow) -> str:
    """Say what a row costs a month and from whom; the cost, or the least that it is, is known."""
    cost = row.cost
    assert cost.low is not None
    said = f"At least {estimate(cost.low)} a month"
    if cost.likely is not None:
        likely = about(cost.likely)
        said = f"{likely[:1].upper()}{likely[1:]} a month"
        if cost.high is not None and cost.low < cost.likely < cost.high:
            said += f" ({estimate(cost.low)} to {estimate(cost.high)})"
    if cost.cost_is == "own servers":
        return f"{said} on {cost.from_whom}"
    if cost.cost_is == "measured":
        return f"{said}, at {cost.from_whom}"
    return f"{said} from {cost.from_whom}, at the price of {cost.as_of}"


def _ask_for_cost(row: ShortlistRow, requirements: Requirements) -> str:
    if row.cost.low is not None:
        return "What one set of its servers can serve is not published: measure it."
    asked = requirements.monthly_budget_usd is not None
    budget = "; your budget was not applied to it" if asked else ""
    if row.cost.why == "not recorded":
        return f"Cost not known, {row.cost.basis}{budget}."
    own = row.model.access != "closed" and requirements.access != "vendor"
    whom = "count your own servers" if own else "ask the vendor"
    if requirements.access == "own":
        return f"Cost not known: {row.cost.basis or 'its servers cannot be counted'}{budget}."
    if not row.routes and row.cost.why == "elsewhere":
        return f"A public price only where it cannot be used: {whom}{budget}."
    where = " where your conditions may be met" if row.routes else ""
    return f"No public price{where}: {whom}{budget}."


def questions(row: ShortlistRow, requirements: Requirements) -> tuple[str, ...]:
    """List what is not known about a row and should be asked."""
    found = []
    if row.cost.likely is None:
        found.append(_ask_for_cost(row, requirements))
    if row.sale is not None and row.sale.standing == "question":
        found.append(sentence(row.sale.words.rstrip(".")))
    if row.sale is not None and row.sale.conflict:
        found.append(sentence(row.sale.conflict.rstrip(".")))
    if row.model.params_b is None:
        found.append("Number of parameters not disclosed.")
    if row.model.access == "unknown":
        found.append("Not known whether the weights are open.")
    if not row.model.licence and row.model.access != "closed":
        found.append("Licence not found: ask before commercial use.")
    if row.missing:
        more = " and others" if len(row.missing) > 5 else ""
        found.append(f"Never run: {', '.join(row.missing[:5])}{more}.")
    if row.routes:
        found += row.routes[0].words("open")
    if row.interval_basis == "none":
        found.append("No interval can be given: too few tests and no published error.")
    return tuple(found)
