"""A model in tiles: score, cost, severe harm and sale in one figure each."""

from typing import NamedTuple

from core.domain import Dossier, IntervalBasis, Safety, Sale
from core.figures import (
    UNKNOWN,
    day_in_words,
    dollar_range,
    dollars,
    from_whom,
    money,
    points,
    whole,
    written,
)
from core.procurement.replacement import is_shown_above
from core.words.shortlist import EXISTING, closing, sources_differ

CONDITIONS = {
    "passes": "met",
    "conditional": "met on a condition",
    "open": "not known",
    "fails": "not met",
}
AT_LEAST = ("assured", "no end known")
"""States of a sale whose day is the least until which it lasts, not its end."""
BASES: dict[IntervalBasis, str] = {
    "items": "on these tests",
    "on these tests": "on these tests",
    "on other tests": "on other tests like these",
    "none": "",
}
"""What an interval is about; for a difference of items see ``PAIRED``."""


class Tile(NamedTuple):
    """One figure of a model: its name, the figure, and in few words what belongs to it."""

    name: str
    figure: str
    about: str


def tiles(each: Dossier) -> tuple[Tile, ...]:
    """Say score, cost, severe harm and sale of a model in one figure each, always in this order."""
    return _score_tile(each), _cost_tile(each), harm_tile(each.safety), _sale_tile(each)


def _score_tile(each: Dossier) -> Tile:
    said = [f"{whole(each.ci_low, each.ci_high)} {BASES[each.interval_basis]}"]
    if each.ci_low is None:
        said = ["no interval"]
    elif (other := each.on_other_tests) is not None:
        said.append(f"{whole(other.ci_low, other.ci_high)} {BASES[other.basis]}")
    return Tile("Score out of 100", points(each.score), "; ".join(said))


def _cost_tile(each: Dossier) -> Tile:
    cost = each.cost
    said = [*filter(None, [dollar_range(cost.low, cost.high), from_whom(cost)])]
    figure = money(cost).removesuffix(" a month")
    if cost.likely is None and (there := cost.where_open):
        figure = "not known"
        said.append(
            f"{dollars(there.monthly_usd)} at {there.platform}, where a condition is not known"
        )
    elif each.terms:
        said += [f"conditions {CONDITIONS[it.status]}" for it in each.terms[:1] if it.checks]
    return Tile("Monthly cost", figure, ", ".join(said) or "ask the vendor")


def harm_tile(found: Safety | None) -> Tile:
    """Say how often a model's advice did severe harm, or that it was never tested for it."""
    name = "Severe harm"
    if found is None:
        return Tile(name, "never tested", "")
    said = f"of {found.n} cases{', caution' if found.marked else ''}"
    if found.physicians is not None:
        differ = {
            True: "this model shown above",
            False: "this model shown below",
            None: "no difference shown",
        }
        said += f"; physicians {found.physicians * 100:.1f} %, {differ[more_harm(found)]}"
    return Tile(name, f"{found.share * 100:.1f} %", said)


def sale_tile(sale: Sale | None, where: str, *, kept: bool) -> Tile:
    """Write until when a model is sold ``where`` it is bought, or that its weights are kept."""
    name = "On sale until"
    if kept:
        return Tile(name, "no end", "open weights, kept on own servers")
    if sale is None or sale.state == "not known":
        return Tile(name, UNKNOWN, where)
    shut, later = sale.state == EXISTING, " or later" if sale.state in AT_LEAST else ""
    figure = f"{written(sale.until)}{later}" if sale.until else UNKNOWN if shut else "no end known"
    if sale.state == "gone":
        figure = "ended"
    how = "you were told on" if sale.told else "read"
    read = f", {how} {day_in_words(sale.read_on)}" if sale.read_on else ""
    said = [EXISTING] if shut else []
    said += [f"{where}{read}", sources_differ(sale), closing(sale).removeprefix(", ")]
    return Tile(name, figure, "; ".join(filter(None, said)))


def _sale_tile(each: Dossier) -> Tile:
    sale, kept = each.sold, each.sale is not None and each.sale.kept
    not_sold = sale is None or sale.lasts is False
    return sale_tile(sale, sale.platform if sale else "", kept=kept and not_sold)


def more_harm(safety: Safety) -> bool | None:
    """Say whether harm is shown above physicians' or below; ``None`` where neither is."""
    if safety.physicians is None:
        return None
    if is_shown_above(safety.share, safety.physicians, safety.n):
        return True
    return False if is_shown_above(safety.physicians, safety.share, safety.n) else None
