"""Sentences about conditions of purchase: what a platform answers, and whom to ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.figures import counted, day_in_words, listed
from core.procurement.conditions import NO_PLATFORM, SELF_HOSTED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.domain import ConditionCheck, ConditionKind, Market, OfferTerms, Question, Status
    from core.procurement.conditions import Met

SAID_BY = {
    "vendor": "vendor's own page",
    "vendor_forum": "vendor's forum",
    "third_party": "third party",
    "catalogue": "catalogue of models",
    "own": "your own answer",
}


def within_sentence(name: str) -> str:
    """Begin a name with a small letter, but for abbreviations such as HIPAA."""
    return name if name[:2].isupper() else name[:1].lower() + name[1:]


def check_in_words(found: ConditionCheck) -> str:
    """Say the reason, the condition or the question of a check, in a sentence or two."""
    kind, detail = found.kind, found.detail
    subject = found.model if kind.about == "model" else found.platform
    named = f"{subject}, {within_sentence(kind.name)}"
    if found.kept is not None:
        days, most = found.kept
        zero = "" if found.zero is None else f"Zero retention must be agreed: {found.zero}"
        kept = f"{days} days by default, you allow {most}."
        detail = f"{kept} {detail if found.zero is None else zero}".strip()
    elif found.zero is not None:
        detail = f"Zero retention must be agreed: {found.zero}"
    if found.status == "open":
        return f"Ask {_whom(found)}: {_question(found)} {detail or 'No statement found.'}"
    said = f"{named}: {detail or 'yes.'}"
    if found.status == "conditional":
        said = f"{named}, on a condition: {detail or 'not stated.'}"
    elif found.status == "fails":
        said = f"{subject} {kind.failing}. {detail[:1].upper()}{detail[1:]}".strip()
    if not found.is_of_a_source:
        return said
    whose = SAID_BY.get(found.source_kind, found.source_kind)
    if found.source_kind == "own":
        whose = f"{whose}, {found.source_url}"
    return f"{said.rstrip('.')} ({whose}, {day_in_words(found.read_on)})."


def _question(found: ConditionCheck) -> str:
    """Return what to ask: of days that data are kept, whether they are as few as required."""
    if found.most_days is None:
        return found.kind.question
    days = f"no more than {counted(found.most_days, 'day')}" if found.most_days else "zero days"
    agreed = "" if found.most_days else ", or can that be agreed"
    return f"does it keep prompts and answers for {days}{agreed}?"


def said_of(offer: OfferTerms, status: Status) -> tuple[str, ...]:
    """Say what the checks of an offer with one status came to."""
    return tuple(check_in_words(check) for check in offer.checks if check.status == status)


def sources(offer: OfferTerms, of_sale: str) -> str:
    """Name the source of each answer on an offer, and ``of_sale`` that of its sale."""
    known = [("On sale", of_sale), *((it.kind.short, it.source_url) for it in offer.checks)]
    return "; ".join(f"{what}: {source}" for what, source in known if source)


def met_in_words(found: Met) -> str:
    """Say how many are known to meet every condition, and for what the others are unknown."""
    said = f"{found.n_meet} {'meets' if found.n_meet == 1 else 'meet'} every condition"
    if found.n_own:
        them = "" if found.n_own == found.n_meet else f"{found.n_own} of them "
        said += f", {them}on your own servers only"
    if found.n_open:
        names = listed([within_sentence(name) for name, _ in found.unknown])
        said += f"; for {found.n_open}, not known: {names}"
    return said


def _whom(found: ConditionCheck) -> str:
    if found.kind.about == "model":
        by = found.developer
        return f"{by} about {found.model}" if by else f"the developer of {found.model}"
    others = {NO_PLATFORM: f"the vendor of {found.model}", SELF_HOSTED: "your own IT department"}
    return others.get(found.platform, found.platform)


def required(question: Question, kinds: Mapping[str, ConditionKind]) -> str:
    """Name all that a question requires of an offer; empty where it requires nothing."""
    asked = [kinds[condition] for condition in question.conditions.required]
    names = ["no " * (kind.wanted == "no") + within_sentence(kind.name) for kind in asked]
    if (most := question.conditions.max_retention_days) is not None:
        names.append(f"data kept for no more than {counted(most, 'day')}")
    if (least := question.to_meet.min_context_tokens) is not None:
        names.append(f"at least {least:,} tokens read at once")
    return "; ".join(names)


def of_market(found: Market) -> str:
    """Say how many models can be bought, are to be asked about, and are left out.

    Of those that can be bought, how many have no known end of sale, and no promise either.
    """
    n, n_open = len(found.buyable), sum(not it.is_promised for it in found.buyable)
    sold = "" if n_open else f" and {'is' if n == 1 else 'are'} sold for long enough"
    if n and all(it.is_own for it in found.buyable):
        sold = " on your own servers"
    said = (
        f"{counted(n, 'model')} {'meets' if n == 1 else 'meet'} your conditions{sold}; for "
        f"{len(found.ask)} you would have to ask first; {len(found.left_out)} are left out."
    )
    of = "" if n == 1 else f"for {n_open} of the {n} "
    return f"{said} But {of}nobody promises the sale for as long as you ask." if n_open else said


def how_many_questions(n_best: int, n_others: int) -> str:
    """Say how many questions there are about the best offers, and whether others follow."""
    said = f"{counted(n_best, 'question')} about the best offers" if n_best else ""
    first = ", those holding up the most models first" * (n_best > 1)
    follow = " Questions about other offers follow." * (n_others > 0)
    return f"{said or 'Nothing is open on the best offers'}{first}.{follow}"


def of_suite(n: int, n_meet: int, n_between: int, n_fail: int) -> str:
    """Say how many of a suite's ``n`` models meet the conditions, wait for something, or fail."""
    return (
        f"Of {counted(n, 'model')}, {n_meet} {'meets' if n_meet == 1 else 'meet'} your conditions "
        f"outright, {n_between} on a vendor's own condition or with open questions, {n_fail} "
        f"{'fails' if n_fail == 1 else 'fail'}."
    )


def which_offers_count(question: Question, n_elsewhere: int) -> str:
    """Say which offers a suite's models are judged by; ``n_elsewhere`` are not on the platforms."""
    if question.conditions.platforms:
        return (
            f" Only your platforms count, and {counted(n_elsewhere, 'model')} "
            f"{'is' if n_elsewhere == 1 else 'are'} not known to be sold there."
        )
    if question.access in ("own", "vendor"):
        return " Every offer counts here, whatever “Where it may run” says."
    return ""
