"""A model in use in sentences: how long it is sold, what could take its place, and what differs."""

from collections.abc import Sequence

from core.domain import Candidate, InItsPlace, InUse
from core.figures import can, capitalised, dollars, listed, money
from core.procurement.replacement import rise
from core.words.candidate import (
    GRADE_MEANS,
    grade_means,
    harm_caution,
    new_customers,
    place,
    platform_name,
    short_name,
    to_agree,
    to_ask,
)
from core.words.market import MarketHeadline, not_promised, of_models
from core.words.model import elsewhere, maker_or, on_sale_line
from core.words.recommendation import difference_in_words, objection
from core.words.shortlist import maker_sale, why_left_out
from core.words.tiles import harm_tile


def in_its_place(used: InUse, n_buyable: int) -> MarketHeadline:
    """Say until when a model in use is sold, what to do, how harm changes, and its own grade.

    ``n_buyable`` models can be bought.
    """
    name, n = used.model.name, len(used.places)
    before = [on_sale_line(used.sale, ()), *elsewhere(used.sale)]
    if used.by_maker:
        before.append(maker_sale(used.by_maker))
    if used.is_over_budget:
        before.append(f"{name} itself costs more than your budget.")
    before.append(_successor(used))
    shown = [line for line in used.lines if line.kind == "direct"] or used.lines
    lines = f"; {listed([place(line) for line in shown])}" if shown else ""
    after = _harm_of_moves(used)
    if by := used.replaced_by:
        after.append(f"Compared with {name}: {in_common(by)}.")
    means = grade_means(used.grade, used.lines)
    after.append(f"{name} has grade {used.grade} for this work, {means}{lines}.")
    verb = can(sum(it.candidate.is_own for it in used.places), n)
    if n and used.grade_below:
        best = f"{used.grade_below}, {GRADE_MEANS[used.grade_below]}"
        after.append(f"No other model that you can {verb} has it; the best have grade {best}.")
    elif n:  # The title says where none has.
        have = f"{of_models(n, n_buyable, verb)} {'have' if n > 1 else 'has'} this grade or better"
        among = f", {by.candidate.model.name} among them" if by and n > 1 else ""
        after.append(f"Besides {name}, {have[0].lower()}{have[1:]}{among}.")
    return MarketHeadline(" ".join(filter(None, before)), _title(used, name), " ".join(after))


def _successor(used: InUse) -> str:
    """Say what is named in its place, and why that cannot simply be had; empty without one."""
    if not used.successor:
        return ""
    tested = "never tested on this work"
    if used.successor_grade and used.successor_grade != "E":
        tested = f"{GRADE_MEANS[used.successor_grade]} ({used.successor_grade})"
    by = maker_or(platform_name(used.named_by), used.model.developer)
    said = f"{by} names {used.successor} in its place: {tested}."
    if isinstance(used.successor_as, Candidate):
        return f"{said} {to_ask(used.successor_as)}"
    left_out = used.successor_as
    return f"{said} It is left out: {why_left_out(left_out)}." if left_out else said


def to_know_of_move(used: InUse) -> list[tuple[str, str]]:
    """Return what to know before one moves from a model in use: a model, if about one, and what.

    Where new customers must sign soon, what is to be agreed on, what no source promises, and where
    it is open which costs less.
    """
    name, moves = used.model.name, [it.candidate for it in used.named]
    said = [
        (each.model.name, " ".join(filter(None, (new_customers(each), to_agree(each)))))
        for each in moves
    ]
    said.append(("", not_promised(moves)))
    if turns := [it.candidate.model.name for it in used.named if _is_open(it)]:
        costs = "cost" if len(turns) > 1 else "costs"
        said.append(("", f"It is open whether {listed(turns)} {costs} more or less than {name}."))
    return [each for each in said if each[1]]


def not_compared(used: InUse, suite: str, name: str) -> str:
    """Say what of that named in its place one suite does not have; empty where it has all."""
    there = {it: {line.tested.suite for line in it.candidate.lines} for it in used.named}
    absent = [it.candidate.model.name for it, suites in there.items() if suite not in suites]
    return not_in(absent, name, ", named under Candidates,") if absent else ""


def not_in(absent: Sequence[str], suite: str, about: str = "") -> str:
    """Say which models a suite does not have; ``about`` says why they are of interest."""
    return f"{listed(absent)}{about} {'is' if len(absent) == 1 else 'are'} not in {suite}."


def _harm_of_moves(used: InUse) -> list[str]:
    """Say of what is named how far severe harm rises, else that it is marked, or never tested."""
    name, said, unknown = used.model.name, [], []
    for each in (it.candidate for it in used.named):
        if more := rise(used.harm, each.harm):
            said.append(f"With {each.model.name}, {objection(more)}.")
        elif caution := harm_caution(each):
            said.append(f"{each.model.name}: {caution}")
        elif used.harm and not each.harm:
            unknown.append(each.model.name)
    if unknown and used.harm:
        unstated = ", version not stated," if used.harm.kind != "same version" else ""
        today = f"with {name}{unstated} it is {harm_tile(used.harm).figure}"
        said.append(f"{listed(unknown)}: never tested for severe harm; {today}.")
    return said


def _is_open(it: InItsPlace) -> bool:
    """Whether it is not certain which costs less, it or the model in use."""
    return it.saves is not None and it.saves.order_turns


def _title(used: InUse, name: str) -> str:
    if used.replaced_by:
        by, other = used.replaced_by, used.replaced_by.candidate.model.name
        why = []
        if by.better_in:
            under = " under another agent harness" * (by.other_harness >= {*by.better_in})
            why.append(f"did better in {listed([*map(short_name, by.better_in)])}{under}")
        why += filter(None, [_paid(used, by)])
        return f"{name} can be replaced by {other}{f', which {listed(why)}' if why else ''}"
    if not used.places:
        for_it = " within your budget" if used.budget_usd is not None else ""
        none = f"no other model that you can buy{for_it} has its grade ({used.grade})"
        must = used.has_ended or used.sale.ends_too_soon
        do = f"Replace {name}" if must else _keep(used)
        return capitalised(none if used.is_over_budget else f"{do}: {none}")
    each = [it.candidate.model.name for it in used.named]
    names = listed(each)
    if used.has_ended:
        return f"Replace {name}: start with {names}"
    if used.sale.ends_too_soon:
        said = [f"{each[0]}{_which(used, used.named[0])}"]
        if len(each) > 1 and used.saving_of(used.named[1]) > 0:
            said.append(f"or with {each[1]}{_which(used, used.named[1])}")
        return f"Replace {name}: start with {', '.join(said)}"
    if used.is_over_budget:
        return f"To stay within your budget, test {names} in its place"
    which = _which(used, used.named[0]) if len(each) == 1 else ""
    return f"{_keep(used)}, or test {names}{which}: no test shows a model to be as good for less"


def _keep(used: InUse) -> str:
    """Say to keep a model, and where if it is not kept on own servers and a platform ends it."""
    lasts = [it for it in used.sale.at if it.lasts is not False and it.state != "not known"]
    ends = not used.sale.kept and any(it.lasts is False for it in used.sale.at)
    where = f" at {listed([platform_name(it.platform) for it in lasts])}" if ends and lasts else ""
    return f"Keep {used.model.name}{where}"


def _paid(used: InUse, it: InItsPlace) -> str:
    """Say within a sentence what a move saves or costs a month; empty where that is not known."""
    saves = 0.0 if _is_open(it) else used.saving_of(it)
    if saves > 0:
        return f"saves about {dollars(saves)} a month"
    return f"costs about {dollars(-saves)} a month more" if saves < 0 else ""


def _which(used: InUse, it: InItsPlace) -> str:
    """Say the same of what is named in a title, as what it would do."""
    paid = _paid(used, it).replace("saves", "would save").replace("costs", "would cost")
    return paid and f", which {paid}"


def in_common(each: InItsPlace) -> str:
    """Write the difference to the model in use in each test that has both, with its interval."""
    said = [
        f"{short_name(suite)} {difference_in_words(it)}"
        + ", under another agent harness" * (suite in each.other_harness)
        for suite, it in each.judged
    ]
    return "; ".join(said) or "no test of this work has both"


def costs_today(used: InUse) -> str:
    """Say what a model in use costs today and how often it does severe harm."""
    _, figure, about = harm_tile(used.harm)
    return f"{money(used.cost)}; severe harm {figure} {about}".rstrip()


def against(used: InUse, each: InItsPlace) -> str:
    """Say how a product did in each test that has the model in use too, and what it saves."""
    return "; ".join(filter(None, (in_common(each), _paid(used, each))))
