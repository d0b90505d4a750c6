"""The market: what can be bought under the conditions, and which of it to start with.

A buyer chooses among what they can buy; a suite orders what somebody once tested. So the default
question asks the market, over all suites, and goes by grades. A grade proves nothing: it says whom
to test first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

from core.domain import GRADES, Candidate, Judged, MarketChoice
from core.procurement.grades import direct_places, order_of, stands_above

_MOST_NAMED = 4
_FEW = 0.25
"""Of the market in grades A to C; below, that is said first."""
_LEAST_NAMED = 2


def ordered(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Order by grade, then by places, then by likely cost; no one before what is above it.

    One is above another where it has the better place in every direct line that both have.
    """
    by_rule = sorted(
        candidates,
        key=lambda it: (it.grade, order_of(it.lines, it.cost.likely), it.model.name),
    )
    places = {it.model.id: direct_places(it.lines) for it in by_rule}
    found: list[Candidate] = []
    for grade in GRADES:
        waiting = [it for it in by_rule if it.grade == grade]
        while waiting:
            tested = [there for it in waiting if (there := places[it.model.id])]
            free = (
                it
                for it in waiting
                if not (mine := places[it.model.id])
                or not any(stands_above(there, mine) for there in tested)
            )
            # Where each is below another, in a circle, the rule's own order counts.
            following = next(free, waiting[0])
            waiting.remove(following)
            found.append(following)
    return tuple(found)


def market_choice(
    buyable: Sequence[Candidate],
    judged: Callable[[str, str], Sequence[Judged]] = lambda _candidate, _other: (),
) -> MarketChoice:
    """Return what to take or to start with, of what can be bought.

    Parameters
    ----------
    buyable
        In the order of `ordered`.
    judged
        How the first of two products compares as a replacement of the second, in each direct suite
        that has both.

    Returns
    -------
    MarketChoice
        *Take* where all of the group are of grade A, and the cheapest is shown or likely as good
        as each other one in a suite that both have, worse in none, and not marked for harm unless
        none unmarked is as good. Else up to four to start with, one purchase once.
    """
    if not buyable:
        return MarketChoice("nothing", ())
    graded = sum(it.grade in "ABC" for it in buyable)
    few, none = graded < _FEW * len(buyable), graded == 0
    group = _group(buyable)
    if take := _taken(group, judged):
        return MarketChoice("take", (take.model.id,), take.model.id, few_tested=few)
    named = each_once(group)[:_MOST_NAMED]
    filled: list[Candidate] = []
    if len(named) < _LEAST_NAMED:
        # Of what no test of this work tells apart, the best placed elsewhere and the newest.
        others = [it for it in each_once([*named, *buyable]) if it not in named]
        filled = (
            _untested(others)[: _MOST_NAMED - 1] if none else others[: _LEAST_NAMED - len(named)]
        )
        named += filled
    priced = [it for it in named if it.cost.likely is not None]
    cheapest = min(priced, key=lambda it: it.cost.likely or 0.0).model.id if priced else ""
    return MarketChoice(
        strength="shortlist",
        names=tuple(it.model.id for it in named),
        cheapest=cheapest,
        filled_from=tuple(it.model.id for it in filled) if group else (),
        few_tested=few,
        none_tested=none,
    )


def each_once(rows: Sequence[Candidate]) -> list[Candidate]:
    """Return what is sold under one name once: with and without thinking it is one purchase."""
    found: dict[tuple[str, str], Candidate] = {}
    for it in rows:
        price = it.cost.price
        found.setdefault((price.provider, price.provider_model) if price else (it.model.id, ""), it)
    return list(found.values())


def _group(buyable: Sequence[Candidate]) -> list[Candidate]:
    """Return the products of grade A, else of B.

    To those of A joins each of B that is above every one of them with which it shares a direct
    line. It goes before those that it is above.
    """
    best = [it for it in buyable if it.grade == "A"]
    if not best:
        return [it for it in buyable if it.grade == "B"]
    places = {it.model.id: direct_places(it.lines) for it in buyable}
    group = list(best)
    for other in (it for it in buyable if it.grade == "B"):
        mine = places[other.model.id]
        rivals = [it for it in best if mine.keys() & places[it.model.id].keys()]
        if rivals and all(stands_above(mine, places[it.model.id]) for it in rivals):
            group.insert(min(group.index(it) for it in rivals), other)
    return group


def _taken(
    group: Sequence[Candidate], judged: Callable[[str, str], Sequence[Judged]]
) -> Candidate | None:
    on_own = all(it.is_own for it in group)
    known = [it for it in group if on_own or it.cost.likely is not None]
    if not known or any(it.grade != "A" for it in group):
        return None

    def is_as_good(one: Candidate, than: Candidate) -> bool:
        found = judged(one.model.id, than.model.id)
        return any(it.is_as_good for it in found) and all(it.tier != "worse" for it in found)

    cheapest = min(known, key=_expense)
    others = [it for it in group if it is not cheapest]
    if not all(is_as_good(cheapest, it) for it in others):
        return None
    marked = cheapest.harm is not None and cheapest.harm.marked
    unmarked = (it for it in others if it.harm is None or not it.harm.marked)
    if marked and any(is_as_good(it, cheapest) for it in unmarked):
        return None
    return cheapest


def _expense(one: Candidate) -> tuple[float, float]:
    """Return the likely cost; on own servers of no known cost active parameters decide."""
    cost, active = one.cost.likely, one.model.params_active_b or one.model.params_b
    return inf if cost is None else cost, active or inf


def _untested(others: Sequence[Candidate]) -> list[Candidate]:
    """Return the best placed in near lines, then the newest, each once.

    What has no known release date is not known to be new: it comes where none has one.
    """
    near = next((it for it in others if it.of("near")), None)
    rest = [it for it in others if it is not near]
    dated = [it for it in rest if it.model.released_on]
    dated.sort(key=lambda it: it.model.released_on, reverse=True)
    return [*([near] if near else []), *(dated or rest)]
