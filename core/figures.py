"""Numbers, money, days and names as the reader sees them, on pages and in documents alike.

Unknown is a word, never a number.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import date

from core.domain import ByToken, MonthlyCost

UNKNOWN = "not known"
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def count(number: int) -> str:
    """Write a small count as a word, a larger one in digits."""
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else f"{number:,}"


def can(n_own: int, n: int) -> str:
    """Say what can be done with models, some of which run on own servers alone."""
    return "buy" if not n_own else "run" if n_own == n else "buy or run"


def counted(number: int, noun: str) -> str:
    """Write a count with its noun in the right number."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def ordinal(number: int) -> str:
    """Write a place: 1st, 2nd, 3rd, 4th, 11th, 21st."""
    ending = "th" if number % 100 in (11, 12, 13) else _ENDINGS.get(number % 10, "th")
    return f"{number:,}{ending}"


def billions(params_b: float) -> str:
    """Write a number of parameters in billions with three digits, large ones whole."""
    return f"{params_b:.3g}" if params_b < 1000 else f"{params_b:,.0f}"


def size(params_b: float | None) -> str:
    """Write a number of parameters."""
    return "size not known" if params_b is None else f"{billions(params_b)} B parameters"


def points(share: float | None) -> str:
    """Write a score on the 0 to 1 scale as points out of 100."""
    return UNKNOWN if share is None else f"{share * 100:.1f}"


def signed(share: float | None) -> str:
    """Write a difference in points with its sign, a true minus for a loss; none is 0.0."""
    if share is None:
        return UNKNOWN
    return f"{share * 100:+.1f}".replace("-", "−") if abs(share) >= 0.0005 else "0.0"


def interval(low: float | None, high: float | None) -> str:
    """Write an interval in points, or that there is none."""
    if low is None or high is None:
        return "no interval"
    return f"{points(low)} to {points(high)}"


def whole(low: float | None, high: float | None) -> str:
    """Write an interval in whole points where they differ, or that there is none."""
    if low is None or high is None or round(low * 100) == round(high * 100):
        return interval(low, high)
    return f"{low * 100:.0f} to {high * 100:.0f}"


def signed_interval(low: float | None, high: float | None) -> str:
    """Write the interval of a difference in points."""
    if low is None or high is None:
        return "no interval"
    return f"{signed(low)} to {signed(high)}"


def dollars(usd: float) -> str:
    """Write US dollars: cents below 10, else three digits that count; a true minus; none is $0."""
    if not usd:
        return "$0"
    if 0 < usd < 0.005:
        return "less than $0.01"
    sign, usd = ("−" if usd < 0 else ""), abs(usd)
    if usd >= 1000:
        return f"{sign}${rounded(usd)}"
    return f"{sign}${usd:,.2f}" if usd < 9.995 else f"{sign}${usd:,.0f}"


def at_least(usd: float) -> str:
    """Write the least that something costs, with its last digit rounded down."""
    if 0 < usd < 0.01:
        digits = -math.floor(math.log10(usd))
        return f"at least ${math.floor(usd * 10**digits + 1e-6) / 10**digits:.{digits}f}"
    digits = 2 if usd < 10 else 0 if usd < 1000 else 2 - math.floor(math.log10(usd))
    return f"at least {dollars(math.floor(usd * 10**digits + 1e-6) / 10**digits)}"


def rounded(number: float) -> str:
    """Write a large number with three digits that count."""
    return f"{float(f'{number:.3g}'):,.0f}"


def dollar_range(low: float | None, high: float | None) -> str:
    """Write a range of US dollars; empty where an end is not known or both are written alike."""
    if low is None or high is None or dollars(low) == dollars(high):
        return ""
    return f"{dollars(low)} to {dollars(high)}"


def about(usd: float) -> str:
    """Write an estimate as one: about $32, or less than $0.01."""
    return dollars(usd) if 0 < usd < 0.005 else f"about {dollars(usd)}"


def money(cost: MonthlyCost) -> str:
    """Write what a month costs, or the least that it does, or that nobody prints a price."""
    if cost.likely is not None:
        return f"{about(cost.likely)} a month"
    if there := cost.where_open:
        whom = f"{dollars(there.monthly_usd)} a month at {there.platform}"
        return f"cost under your conditions not known ({whom}, where a condition is not known)"
    if cost.is_owned:
        return "no rent counted"
    if cost.why == "not recorded":
        return "tokens of a task not known"
    return "price not known" if cost.low is None else f"{at_least(cost.low)} a month"


def from_whom(cost: MonthlyCost) -> str:
    """Name the provider, the set of GPUs or the suite that a cost is of; empty where unknown."""
    if (on := cost.servers) is not None:
        number = f"{on.sets} sets of {on.gpus}" if (on.sets or 1) > 1 else f"{on.gpus}"
        said = f"own servers: {number} × {on.gpu}"
        if on.spares:
            said += f" and {counted(on.spares, 'spare set')}"
        if on.owned:
            return f"{said}, of {on.owned} that you own"
        if on.sets is not None:
            return said
        whose = f" ({on.hourly.low_at})" if on.hourly and on.hourly.low_at else ""
        return f"{said} at the lowest rent{whose}, capacity not published"
    match cost.basis:
        case ByToken(bill=bill):
            return bill.price.provider_name
        case _:
            return ""


def cost_from(cost: MonthlyCost) -> str:
    """Name who is paid next to a column of likely costs, which has no place for a least cost."""
    return f"{money(cost)}, {from_whom(cost)}" if cost.at_least else from_whom(cost) or UNKNOWN


def written(day: str) -> str:
    """Write an ISO day as 6 February 2027, in English under every locale."""
    it = date.fromisoformat(day)
    return f"{it.day} {_MONTHS[it.month - 1]} {it.year}"


def day_in_words(read_on: str) -> str:
    """Write the day of a source, which may be a month or a year alone, or unknown."""
    if not read_on:
        return "undated"
    if len(read_on) == len("2026-11") and read_on[4] == "-":
        return written(f"{read_on}-01").partition(" ")[2]
    return written(read_on) if len(read_on) == len("2026-11-23") else read_on


def listed(names: Collection[str], word: str = "and") -> str:
    """List one name or more: a, b and c; by semicolons where a name has a comma of its own."""
    *others, last = names
    if any(", " in name for name in names):
        return "; ".join([*others, f"{word} {last}" if others else last])
    return f"{', '.join(others)} {word} {last}" if others else last


def some_of(names: Sequence[str], most: int) -> str:
    """List names as a sentence does, those beyond the most by their number."""
    if len(names) <= most:
        return listed(names)
    return listed([*names[: most - 1], counted(len(names) - most + 1, "other")])


def capitalised(text: str) -> str:
    """Begin with a capital and leave the rest as it is; a name such as χ-Bench or o4-mini stays."""
    first = text.partition(" ")[0]
    is_name = not first[:1].isascii() or any(map(str.isdigit, first))
    return text if is_name else text[:1].upper() + text[1:]


def sentence(words: str) -> str:
    """Begin words with a capital letter and end them with a full stop."""
    return f"{capitalised(words)}."


def told_apart(labels: Mapping[str, str]) -> dict[str, str]:
    """Return labels by key, with the beginning of the key where several are called the same."""
    times = Counter(labels.values())
    return {
        key: label if times[label] == 1 else f"{label} · {key[:8]}" for key, label in labels.items()
    }


def printable(text: str) -> str:
    """Return text with a space for each character that cannot be shown, such as a line break."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else " " for each in text)


def squeezed(text: str) -> str:
    """Return letters and digits in small letters, to compare names that people spell freely."""
    return "".join(character for character in text.casefold() if character.isalnum())
