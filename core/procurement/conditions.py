"""Conditions of a purchase: what passes, what fails and why, and what must still be asked.

An answer that nobody gave is a question for the vendor: it neither passes nor fails. An answer
with a condition passes under that condition only, and carries it in words. One condition is that a
product stays on sale; a day of shutdown is the first day on which it is no longer served.
"""

from __future__ import annotations

from calendar import monthrange
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, Literal

from core.domain import (
    BEST_FIRST,
    OWN_SERVERS,
    PRICED_THERE,
    BadRequestError,
    Bill,
    ConditionAnswer,
    ConditionCheck,
    ConditionKind,
    Conditions,
    CrosswalkEntry,
    Licence,
    Lifecycle,
    Model,
    OfferTerms,
    OnSale,
    OwnSale,
    Platform,
    PriceReference,
    Region,
    Sale,
    SaleState,
    Status,
    terms_of,
)
from core.figures import squeezed

Answer = Literal["yes", "no", "conditional", "unknown"]
SELF_HOSTED = OWN_SERVERS
NO_PLATFORM = "no platform known"
RETENTION = "default_retention_days"
ZERO_RETENTION = "zero_data_retention"
CONTEXT = "context_window"


def model_answers(
    model: Model, licence: Licence | None, min_context_tokens: int | None
) -> dict[str, ConditionAnswer]:
    """Return what the catalogue says on the conditions that are about a model, by condition.

    Closed weights have no licence to read: whether a hospital may use them commercially is for
    the contract, so it is unknown here.
    """
    weights: dict[str, tuple[Answer, str, str]] = {
        "open": ("yes", "The weights are open.", model.source_url),
        "closed": ("no", "", model.source_url),
        "unknown": ("unknown", "No source says whether its weights are open.", ""),
    }
    use, detail, source, as_of = "unknown", "No licence is stated.", "", ""
    if model.access == "closed":
        detail = "The contract with the vendor decides."
    elif licence is not None:
        use, source, as_of = licence.commercial_use, licence.source_url, licence.as_of
        detail = f"{licence.name}: {licence.condition or 'nobody has read its text.'}"
    elif model.licence:
        detail = f'The licence "{model.licence}" has not been read.'
    uses: dict[str, Answer] = {"yes": "yes", "no": "no", "conditional": "conditional"}
    said: dict[str, tuple[Answer, str, str, str]] = {
        "on_premises": (*weights[model.access], ""),
        "commercial_licence": (uses.get(use, "unknown"), detail, source, as_of),
    }
    window, least = model.context_window_tokens, min_context_tokens
    if window is not None and least is not None:
        detail = f"It reads at most {window:,} tokens; you need {least:,}."
        said[CONTEXT] = ("yes" if window >= least else "no", detail, model.source_url, "")
    return {
        condition: ConditionAnswer(model.id, condition, *facts, None, "catalogue")
        for condition, facts in said.items()
    }


def check_condition(
    kind: ConditionKind,
    answer: ConditionAnswer | None,
    model: Model,
    platform: str,
    *,
    most_days: int | None = None,
    zero_retention: ConditionAnswer | None = None,
) -> ConditionCheck:
    """Judge one answer on a model that is to be bought at a platform; ``None`` is unknown.

    Where zero retention can be agreed, more than ``most_days`` by default are a condition and no
    failure; where it cannot, none at all is a failure though no source names the days. Otherwise
    the check is open where the answer is unknown, or the days are.
    """
    if answer is None:
        answer = ConditionAnswer(platform, kind.id, "unknown", "", "", "", None, "")
    facts: dict[str, Any] = {}
    status: Status
    no_zero = zero_retention if zero_retention and zero_retention.answer == "no" else None
    unstated = answer.days is None and answer.answer != "no"
    if kind.id == RETENTION and most_days == 0 and no_zero and unstated:
        status, answer = "fails", no_zero  # However many days it keeps, they are more than none.
    elif answer.answer == "unknown":
        status = "open"
    elif kind.id == RETENTION:
        status, facts = _retention(answer, most_days, zero_retention)
    elif answer.answer == "conditional":
        status = "conditional"
    else:
        status = "fails" if _fails(kind, answer) else "passes"
    return ConditionCheck(
        kind=kind,
        status=status,
        model=model.name,
        developer=model.developer,
        platform=platform,
        detail=answer.detail,
        source_url=answer.source_url,
        as_of=answer.as_of,
        source_kind=answer.source_kind,
        most_days=most_days if kind.id == RETENTION else None,
        **facts,
    )


def _fails(kind: ConditionKind, answer: ConditionAnswer) -> bool:
    return answer.answer == ("yes" if kind.wanted == "no" else "no")


def _retention(
    answer: ConditionAnswer, most: int | None, zero: ConditionAnswer | None
) -> tuple[Status, dict[str, Any]]:
    """Return the status, and what is kept and must be agreed where that is more than allowed."""
    days = 0 if answer.days is None and answer.answer == "no" else answer.days
    if days is None and most is not None and zero is not None and zero.answer == "yes":
        # Whatever is kept by default, the buyer can switch it off.
        return "conditional", {"zero": zero.detail}
    if days is None or most is None:
        return "open", {}
    if days <= most:
        return ("conditional" if answer.answer == "conditional" else "passes"), {}
    if zero is not None and zero.answer in ("yes", "conditional"):
        return "conditional", {"kept": (days, most), "zero": zero.detail}
    return "fails", {"kept": (days, most)}


@dataclass(frozen=True, slots=True)
class OfferAt:
    """An offer of a model: a platform that sells it, or own servers."""

    platform: str
    note: str
    """Doubt about the match of price list and platform; empty where there is none."""
    providers: tuple[str, ...] = ()
    """The providers of the price list that sell it there, by id."""


def offers_of(
    models: Sequence[Model],
    references: Sequence[PriceReference],
    platforms: Sequence[Platform],
    sold_at: Mapping[str, Sequence[str]] | None = None,
    where: str = "any",
    only: Collection[str] = (),
) -> dict[str, tuple[OfferAt, ...]]:
    """List the offers of each model, by its id.

    Platforms come in the order of ``references``, then those that ``sold_at`` names without a
    price, and own servers last, for open weights. A provider without a platform is listed under its
    own id, about which nothing is known. A model that no one is known to sell or can run has
    one, `NO_PLATFORM`.

    Parameters
    ----------
    where
        Through a vendor (``vendor``), on own servers (``own``), or all (others). Of a vendor
        nobody knows, there is `NO_PLATFORM` to ask.
    only
        Where platforms are named, those alone, and own servers only where these alone are asked.
    """
    behind = {it.provider: OfferAt(it.platform, it.note) for it in platforms}
    # Where the list of prices has no entry, another may: it calls sellers by the same ids.
    sellers = {it.platform: OfferAt(it.platform, it.note, (it.provider,)) for it in platforms}
    sold: dict[str, dict[str, OfferAt]] = {}
    for reference in references:
        offer = behind.get(reference.provider, OfferAt(reference.provider, ""))
        offers_of_model = sold.setdefault(reference.model, {})
        known = offers_of_model.get(offer.platform, offer)
        providers = dict.fromkeys((*known.providers, reference.provider))
        offers_of_model[offer.platform] = replace(known, providers=tuple(providers))
    found = {}
    for model in models:
        priced = sold.get(model.id, {})
        others = dict.fromkeys((sold_at or {}).get(model.id, ()))
        unpriced = (sellers.get(name, OfferAt(name, "", (name,))) for name in others)
        offers = [*priced.values(), *(offer for offer in unpriced if offer.platform not in priced)]
        if model.access == "open":
            offers.append(OfferAt(SELF_HOSTED, ""))
        offers = offers or [OfferAt(NO_PLATFORM, "")]
        if only and where != "own":
            offers = [offer for offer in offers if offer.platform in only]
        if where in ("own", "vendor"):
            offers = [
                offer for offer in offers if (offer.platform == SELF_HOSTED) == (where == "own")
            ]
            if not offers and where == "vendor" and not only:
                offers = [OfferAt(NO_PLATFORM, "")]
        found[model.id] = tuple(offers)
    return found


def served_in(
    models: Mapping[str, Sequence[str]], regions: Sequence[Region], own: Mapping[str, str]
) -> dict[tuple[str, str, str], ConditionAnswer]:
    """Return where each model is served, by model, platform and condition that asks for a region.

    Parameters
    ----------
    models
        The products that each model is or may be.
    regions
        What is known; of a product at a platform with rows the list counts as whole, but for rows
        that only tell where it has a price of its own.
    own
        By condition: the region that it asks for. A region within it, such as a US government
        cloud in the US, counts; own servers are where the hospital is.
    """
    found = {}
    for name, products in models.items():
        rows = [row for row in regions if row.product in products]
        for condition, region in own.items():
            here = ConditionAnswer(
                SELF_HOSTED, condition, "yes", "Your own servers.", "", "", None, ""
            )
            found[name, SELF_HOSTED, condition] = here
            for platform in dict.fromkeys(row.platform for row in rows):
                of = [row for row in rows if row.platform == platform]
                inside = [row for row in of if row.region.split()[0] == region]
                if not inside and all(row.kind == PRICED_THERE for row in of):
                    continue
                said = inside or of
                found[name, platform, condition] = ConditionAnswer(
                    platform=platform,
                    condition=condition,
                    answer="yes" if inside else "no",
                    detail=f"{said[0].kind[:1].upper()}{said[0].kind[1:]}: "
                    f"{', '.join(dict.fromkeys(r.region for r in said))}.",
                    source_url=said[0].source_url,
                    as_of=min(row.read_on for row in said),
                    days=None,
                    source_kind=said[0].source_kind,
                )
    return found


def apply_conditions(
    conditions: Conditions,
    models: Sequence[Model],
    offers: Mapping[str, Sequence[OfferAt]],
    *,
    kinds: Mapping[str, ConditionKind],
    answers: Sequence[ConditionAnswer],
    licence: Callable[[Model], Licence | None],
    served: Mapping[tuple[str, str, str], ConditionAnswer] | None = None,
    products: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, tuple[OfferTerms, ...]]:
    """Check the conditions on every offer of each model, in the order of ``kinds``.

    Of ``answers`` the last to a condition counts. One about a model, under the model's id, goes
    before the catalogue's; one about a platform goes before ``served``, by model, platform and
    condition. One about a maker's models there goes before the platform's, which do not answer for
    another seller, but of its own maker's models the last counts (Google's at Google). One about a
    product that the model is, by ``products``, goes before both. Where a hospital's own contract
    with a platform fails a condition, that goes before public answers on any models there.

    Terms are by model, in the order of its offers as `offers_of` gives them; without any condition
    every offer passes.
    """
    for condition in conditions.required:
        if condition not in kinds:
            raise BadRequestError(
                f'There is no condition "{condition[:40]}"; known: {", ".join(kinds)}.'
            )
        if kinds[condition].wanted == "limit":
            raise BadRequestError(f'The condition "{kinds[condition].name}" needs a number.')
    most_days, least_tokens = conditions.max_retention_days, conditions.min_context_tokens
    asked = {*conditions.required}
    for condition, limit in ((RETENTION, most_days), (CONTEXT, least_tokens)):
        if limit is not None:
            if limit < 0:
                raise BadRequestError(f"The limit of {kinds[condition].name} must be 0 or more.")
            asked.add(condition)
    wanted = [kind for kind in kinds.values() if kind.id in asked]
    known: dict[tuple[str, str], ConditionAnswer] = {}
    for answer in answers:
        at, asked_of = answer.platform, answer.condition
        known[at, asked_of] = answer
        known.pop((terms_of(at, at.partition(" ")[0]), asked_of), None)
        refused = answer.source_kind == "own" and _fails(kinds[asked_of], answer)
        if refused and asked_of != RETENTION:
            of_makers = terms_of(at, "")[:-1]
            for place, condition in [it for it, said in known.items() if said.source_kind != "own"]:
                if condition == asked_of and place.startswith(of_makers):
                    del known[place, condition]
    found = {}
    for model in models:
        facts = model_answers(model, licence(model), least_tokens)
        verdicts = []
        for offer in offers.get(model.id, (OfferAt(NO_PLATFORM, ""),)):
            whose = (*(products or {}).get(model.id, ()), model.developer)
            apart = [terms_of(offer.platform, it) for it in whose]
            seller = {
                condition: next((it for it in apart if (it, condition) in known), offer.platform)
                for condition in (ZERO_RETENTION, *(kind.id for kind in wanted))
            }
            checks = tuple(
                check_condition(
                    kind,
                    known.get((model.id, kind.id), facts.get(kind.id))
                    if kind.about == "model"
                    else known.get(
                        (seller[kind.id], kind.id),
                        (served or {}).get((model.id, offer.platform, kind.id)),
                    ),
                    model,
                    seller[kind.id],
                    most_days=most_days,
                    zero_retention=known.get((seller[ZERO_RETENTION], ZERO_RETENTION)),
                )
                for kind in wanted
            )
            worst = _worst(each.status for each in checks)
            verdicts.append(
                OfferTerms(model.id, offer.platform, worst, checks, offer.note, offer.providers)
            )
        found[model.id] = tuple(verdicts)
    return found


def _worst(statuses: Iterable[Status]) -> Status:
    return max(statuses, key=BEST_FIRST.index, default="passes")


def best_first(verdicts: Sequence[OfferTerms], bill: Bill | None) -> tuple[OfferTerms, ...]:
    """Order the offers of a model: that of the bill, then the best status; equals as given."""
    billed = bill.price.provider if bill is not None else None

    def key(verdict: OfferTerms) -> tuple[bool, int]:
        return billed not in verdict.providers, BEST_FIRST.index(verdict.status)

    return tuple(sorted(verdicts, key=key))


def by_platform(offers: Mapping[str, Sequence[OfferTerms]]) -> dict[str, dict[str, Status]]:
    """Return the status of each platform of each model, by model and platform.

    What is not known of a model is not a question to a platform.
    """
    found: dict[str, dict[str, Status]] = {name: {} for name in offers}
    for name, of in offers.items():
        for offer in of:
            status = offer.status
            if status == "open" and offer.checks:
                status = _worst(it.status for it in offer.checks if it.kind.about != "model")
            found[name][offer.platform] = status
    return found


@dataclass(frozen=True, slots=True)
class Met:
    """How many of several models are known to meet every required condition."""

    n_meet: int
    """On a condition or not."""
    n_own: int
    """Of these, on own servers only."""
    n_open: int
    """None of whose offers is known to meet all, and not all fail."""
    unknown: tuple[tuple[str, int], ...]
    """Name of each condition that is not known there, and of how many of them, most first."""


def met(models: Sequence[Sequence[OfferTerms]]) -> Met | None:
    """Count models by the status of their best offers; ``None`` where nothing was asked of any.

    Of a model that is open, what its best offer leaves open counts as unknown.
    """
    n_meet = n_own = n_open = 0
    unknown: Counter[str] = Counter()
    for offers in models:
        known = [offer.platform for offer in offers if offer.status in ("passes", "conditional")]
        n_meet += bool(known)
        n_own += bool(known) and set(known) == {SELF_HOSTED}
        if not known and any(offer.status == "open" for offer in offers):
            n_open += 1
            best = best_first(offers, None)[0]
            unknown.update(check.name for check in best.checks if check.status == "open")
    asked = any(offer.checks for offers in models for offer in offers)
    return Met(n_meet, n_own, n_open, tuple(unknown.most_common())) if asked else None


VersionKind = Literal["same version", "version not stated"]
_OTHER_HARNESS = "another harness"


def matched(
    one: Sequence[str], other: Sequence[str], entries: Sequence[CrosswalkEntry]
) -> tuple[tuple[str, str, VersionKind], ...]:
    """Match the models of two suites, each at most once.

    The closest go first: the same version; then the same id where the crosswalk does not know the
    model, for which a suite prints no more than the other; then *version not stated*, of these
    the same name but for spaces and punctuation, and else in the order given. So where a model has
    several counterparts, one stands for it, and no other model takes that one too. Each match is
    an id of ``one``, an id of ``other``, and the kind, in the order of ``one``.
    """
    place = {model: i for i, model in enumerate(other)}
    found: list[tuple[int, int, int, VersionKind]] = []
    for i, model in enumerate(one):
        ways = counterparts(model, entries)
        if model in place:
            known = {entry.kind for entry in entries if entry.model == model}
            same = not known or "same version" in known
            ways[model] = "same version" if same else "version not stated"
        for name, kind in ways.items():
            if name in place:
                loose = kind != "same version"
                rank = loose * (1 if squeezed(name) == squeezed(model) else 2)
                found.append((rank, i, place[name], kind))
    taken: dict[int, tuple[int, VersionKind]] = {}
    for _, i, j, kind in sorted(found):
        if i not in taken and j not in {match for match, _ in taken.values()}:
            taken[i] = j, kind
    return tuple((one[i], other[j], kind) for i, (j, kind) in sorted(taken.items()))


def counterparts(model_id: str, entries: Sequence[CrosswalkEntry]) -> dict[str, VersionKind]:
    """Return the other model ids that share a product with a model, in the entries' order.

    They are of the *same version* only where both say so of one product. A hospital's own result
    counts as its model: the caller takes ``core.evidence.catalogue.OWN_RESULT`` off the end first.
    A model that two suites hold under one id is not its own counterpart: whether they mean the
    same version, its own entries say. A model under *another harness* is a counterpart of nothing:
    where another suite is joined, one run stands for all of a model.
    """
    own = {entry.product: entry.kind for entry in entries if entry.model == model_id}
    found: dict[str, VersionKind] = {}
    for entry in entries:
        if entry.model == model_id or entry.product not in own or entry.kind == _OTHER_HARNESS:
            continue
        both = entry.kind == "same version" and own[entry.product] in (entry.kind, _OTHER_HARNESS)
        if both or entry.model not in found:
            found[entry.model] = "same version" if both else "version not stated"
    return found


def add_months(day: date, months: int) -> date:
    """Return the same day of a later month, or that month's last where it has no such day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


_MONTHS_TO_SIGN = 6
"""A purchase may take this long: what closes to new customers later than that is not said."""
OLD = timedelta(days=90)
"""From then on a fact says how old it is."""


def is_old(read_on: str, on: date) -> bool:
    """Say whether a fact was read over 90 days before a day, or nobody knows when.

    Of a month or a year alone the first day counts.
    """
    day = f"{read_on}-01-01"[:10] if read_on[:1].isdigit() else ""
    return not day or on - date.fromisoformat(day) > OLD


def judged_sale(row: Lifecycle, day: date, months: int) -> Sale:
    """Judge one product at one platform on the day on which the model is bought.

    It must still be served for this many calendar months; 0 asks for the day alone. A stated end
    decides whatever the status: not after `on` it is gone, before `on` plus `months` it does not
    last. Without one, a row that is on sale is assured to the later of the maker's floor and the
    day it was read plus the platform's notice; where that is before the months are over, no end is
    known. One that is shut down is gone from the day of its status and not known before; one that
    was not found is not known. What is closed to new customers on that day may last for those who
    have it, unless it ends too soon for them too: whether the buyer does is not known. What will
    be within half a year says so.
    """
    enough = add_months(day, months)
    state: SaleState = "not known"
    lasts: bool | None = None
    until = row.shutdown_on
    if until:
        end = date.fromisoformat(until)
        state, lasts = ("gone", False) if end <= day else ("ends", end >= enough)
    elif row.status == "shut down":
        state, lasts = ("gone", False) if row.status_on <= day.isoformat() else ("not known", None)
    elif row.status != "not found":
        until = row.not_before
        if row.read_on and row.notice_days is not None:
            told = date.fromisoformat(row.read_on) + timedelta(days=row.notice_days)
            until = max(until, told.isoformat())
        state, lasts = "assured" if until >= enough.isoformat() else "no end known", True
        until = until if until > day.isoformat() else ""  # A floor that has passed says nothing.
    closes = row.closed_on if lasts else ""
    if lasts is not None and state != "gone" and "" < row.closed_on <= day.isoformat():
        state, lasts, closes = "existing customers only", None if lasts else False, ""
    elif closes > add_months(day, _MONTHS_TO_SIGN).isoformat():
        closes = ""
    return Sale(
        row.platform,
        state,
        until,
        row.read_on,
        row.source_url,
        lasts,
        is_old(row.read_on, day),
        row.conflict,
        closes_on=closes,
        told=row.source_kind == "own",
    )


def with_own_sales(rows: Sequence[Lifecycle], own: Sequence[OwnSale]) -> list[Lifecycle]:
    """Return the rows of one model's products with what the hospital was told in their place."""
    told = {each.platform: each for each in own}
    successor = next((row.successor for row in rows if row.successor), "")
    return [
        *(row for row in rows if row.platform not in told),
        *(
            Lifecycle(
                product=each.model,
                platform=platform,
                provider_model="",
                status="deprecated" if each.ends_on else "on sale",
                status_on=each.as_of,
                deprecated_on="",
                shutdown_on=each.ends_on,
                successor=successor,
                source_url=each.source,
                source_kind="own",
                note="",
                conflict="",
                read_on=each.as_of,
            )
            for platform, each in told.items()
        ),
    ]


def on_sale(
    model: Model,
    rows: Sequence[Lifecycle],
    day: date,
    months: int,
    platforms: Collection[str] | None = None,
    *,
    regions: Sequence[Region] = (),
    own_servers: bool = True,
    licence: Licence | None = None,
) -> OnSale:
    """Judge whether a model is on sale for long enough, day and months as in `sale_of`.

    *Passes* where any platform lasts: what is assured or has a stated end goes before what has no
    known end, and that before old words; then the latest day, the maker's own platform, and the
    order of the rows. *Question* where none lasts but one is not known, or there is no row.
    *Fails* otherwise. Open weights always pass on own servers. A host ends them like any other;
    since anybody may be one, those whose hosts all end are a question unless every one of
    ``platforms`` has a row.

    Parameters
    ----------
    rows
        The rows of its products, of all of them where its version is not stated.
    platforms
        Those that meet the other conditions; ``None`` for all. The successor and
        ``failing_platforms`` look at all in any case.
    regions
        Where platforms run products; it is said next to the sale and decides nothing here.
    own_servers
        Whether the buyer may run open weights.
    licence
        Of the weights; it is said next to the sale and decides nothing here.
    """
    places: dict[tuple[str, str], dict[str, None]] = {}
    for it in regions:
        places.setdefault((it.product, it.platform), {})[it.region] = None
    every = [
        replace(
            judged_sale(row, day, months),
            region=", ".join(places.get((row.product, row.platform), ())),
        )
        for row in rows
    ]
    failing = frozenset(sale.platform for sale in every) - {
        sale.platform for sale in every if sale.lasts is not False
    }

    maker = model.developer.split()[:1]
    # The maker's word for its latest version, else that of any other platform.
    named = [(row, sale) for row, sale in zip(rows, every, strict=True) if row.successor]
    latest = max(
        named,
        key=lambda it: (
            it[0].platform.split()[:1] == maker,
            it[1].lasts or False,
            it[0].shutdown_on,
        ),
        default=None,
    )

    def surest(sale: Sale) -> tuple[object, ...]:
        plain = sale.state in ("assured", "ends")
        order = 4 if sale.lasts is False else 3 if sale.lasts is None else 2 * (not plain)
        old = sale.is_old and order == 2
        latest_first = -date.fromisoformat(sale.until).toordinal() if sale.until else 0
        return order, old, latest_first, sale.platform.split()[:1] != maker

    asked = [sale for sale in every if platforms is None or sale.platform in platforms]
    at = tuple({sale.platform: sale for sale in sorted(asked, key=surest, reverse=True)}.values())
    at = tuple(sorted(at, key=surest))
    read = {sale.platform for sale in asked if sale.lasts is not None}
    unread = model.access == "open" and (platforms is None or bool(set(platforms) - read))
    kept = model.access == "open" and own_servers
    stands: Literal["passes", "fails", "question"] = "fails"
    if kept or (at and at[0].lasts):
        stands = "passes"
    elif not at or unread or at[0].lasts is None:
        stands = "question"
    after = latest[0].successor if latest else ""
    of_some = bool({sale.platform for sale in every} - {sale.platform for sale in at})
    return OnSale(stands, at, after, failing, kept=kept, licence=licence, of_some=of_some)
