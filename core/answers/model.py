"""Any model, all that is known: by any of its names, whoever tested it, also where nobody did.

A model here is a product and version. What each suite says of it is kept apart: nothing is
carried over from another version, forecast from one suite to another, or summed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from difflib import get_close_matches
from functools import partial
from typing import Literal

from core.answers.asked import Asked
from core.answers.bills import BAA, monthly_costs, offer_terms, offered, offers_at, told_of
from core.answers.data import listed_at, priced_at, prices_on, product_prices
from core.answers.data import model as facts_of
from core.answers.other_suites import apart_in, result_in, safety, standings, tested_as
from core.domain import (
    BadRequestError,
    Conditions,
    Licence,
    Lifecycle,
    Model,
    MonthlyCost,
    OfferTerms,
    OnSale,
    OwnPrice,
    Price,
    PriceReference,
    Question,
    Safety,
    Tested,
)
from core.evidence.store import Store
from core.figures import listed as in_words
from core.figures import squeezed
from core.memory import remembered
from core.procurement.bill import near
from core.procurement.conditions import SELF_HOSTED, on_sale, with_own_sales

_MOST_OFFERED = 12
_NEAREST, _ALIKE = 5, 0.7
"""Names offered where none fits, and how alike letters must be: of all, those in common."""
_CLOSEST_FIRST = ("same version", "version not stated", "another harness")
_BRANDS = {"chatgpt": "gpt", "gptchat": "gpt"}
"""What people call a family by, folded, with how its names begin."""
_NO_DOT = re.compile(r"(?<=\d)[ -](?=\d\b)")
"""What some write for the dot in the number of a version."""
_VERSION = re.compile(r"(?<![\d.(])\d{1,2}(?:\.\d+)?(?![\d.]*[bB]\b|\d)")
"""The first number of a name that is neither a size nor a day."""


class UnclearError(BadRequestError):
    """A name of several models or of none; ``offered`` are those it may mean, or the nearest."""

    def __init__(self, said: str, offered: Sequence[str]) -> None:
        super().__init__(said)
        self.offered = tuple(offered)


@dataclass(frozen=True, slots=True)
class Named:
    """A model as a buyer speaks of it."""

    name: str
    products: tuple[str, ...] = ()
    models: tuple[tuple[str, str], ...] = ()
    """Ids of the catalogue and how each is linked, the closest first."""
    listed: tuple[PriceReference, ...] = ()
    """Where a public price list alone knows it."""

    @property
    def id(self) -> str:
        """Return the product, else the id of the catalogue, else the name alone."""
        return next(iter((*self.products, *(model for model, _ in self.models), self.name)))


@dataclass(frozen=True, slots=True)
class Neighbour:
    """What a maker names in place of a model, or what it replaces."""

    name: str
    named_by: str
    """The platform that says so."""
    evidence: tuple[Tested, ...]
    """Its own."""


@dataclass(frozen=True, slots=True)
class Known:
    """All that is known of one model."""

    named: Named
    model: Model
    """What holds of it in every suite."""
    licence: Licence | None
    """Of its weights; ``None`` where nothing is known of one."""
    sale: OnSale
    """On the day asked about."""
    prices: tuple[tuple[str, Price], ...]
    """Platform and price: what the hospital was offered, then the cheapest first."""
    terms: tuple[OfferTerms, ...]
    """Every condition about platforms and sales, by platform."""
    evidence: tuple[Tested, ...]
    safety: Safety | None
    predecessor: Neighbour | None
    successor: Neighbour | None


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two models in one suite that has both."""

    a: Tested
    b: Tested
    difference: float
    """The first model's lead over the second, as a share of the suite's scale."""
    ends: tuple[float | None, float | None] = (None, None)
    """Of its 95 % interval, on the strongest basis; ``None`` without any."""

    @property
    def standing(self) -> Literal["above", "below", "level"]:
        """How the first compares with the second, by the values that the suite prints."""
        if not self.difference:
            return "level"
        return "above" if self.difference > 0 else "below"


@dataclass(frozen=True, slots=True)
class Compared:
    """Two models in every suite that has both."""

    a: Known
    b: Known
    suites: tuple[Meeting, ...]
    apart: tuple[Meeting, ...]
    """In suites that rank nothing."""
    one_row: tuple[str, ...]
    """Names of the suites that do not tell them apart: both may be their one row."""

    @property
    def verdict(self) -> Literal["above", "below", "the suites part", "one suite", "nowhere"]:
        """Say where the first is: above or below in every suite of two or more."""
        above, below, *_ = self.sides
        if len(self.suites) < 2:
            return "one suite" if self.suites else "nowhere"
        if len(above) == len(self.suites):
            return "above"
        return "below" if len(below) == len(self.suites) else "the suites part"

    @property
    def places_apart(self) -> list[tuple[str, int | None, int | None, int]]:
        """Name, both places and number of models of each suite that ranks nothing."""
        return [(it.a.name, it.a.rank, it.b.rank, it.a.n) for it in self.apart]

    @property
    def turned(self) -> list[tuple[str, str, str, int]]:
        """Name suite, model, run and place of each other run, as close, that turns the order."""
        return [
            (one.name, of.named.name, it.tested_as, it.rank)
            for met in (*self.suites, *self.apart)
            for of, one, other in ((self.a, met.a, met.b), (self.b, met.b, met.a))
            for it in of.evidence
            if (it.suite, it.kind) == (one.suite, one.kind)
            and it.rank
            and ((one.rank or 0) - (other.rank or 0)) * (it.rank - (other.rank or 0)) < 0
        ]

    @property
    def sides(self) -> tuple[list[str], list[str], list[str], list[str]]:
        """Names of the suites with the first above, below and level, and that show a difference."""
        above, below, level = (
            [each.a.name for each in self.suites if each.standing == standing]
            for standing in ("above", "below", "level")
        )
        shown = [it.a.name for it in self.suites if (it.ends[0] or 0) > 0 or (it.ends[1] or 0) < 0]
        return above, below, level, shown


def names(store: Store) -> tuple[str, ...]:
    """Return the name of every model of any suite and of what is sold, in the order of letters."""
    return tuple(sorted(_known(store.shared), key=lambda name: (name.lower(), name)))


def products(store: Store) -> tuple[str, ...]:
    """Return the name of every product that is or was sold."""
    return tuple(name for name, named in _known(store.shared).items() if named.products)


def others(store: Store, held: Collection[str]) -> tuple[str, ...]:
    """Return the names of the models that are under none of these ids."""
    every, here = _known(store.shared), set(held)
    return tuple(
        name for name in names(store) if not any(model in here for model, _ in every[name].models)
    )


def names_by_id(store: Store, model_id: str) -> tuple[str, ...]:
    """Return an id and the products that it is or may be."""
    return (model_id, *store.catalogue.sold_as.get(model_id, ()))


def id_of(store: Store, name: str) -> str:
    """Return the id under which a model of these names is bought."""
    return _bought(store, _known(store.shared)[name]) or name


@remembered(maxsize=1)
def _known(store: Store) -> dict[str, Named]:
    """Return every model by its name: the products, and what only suites have."""
    catalogue = store.catalogue
    found: dict[str, Named] = {}
    joined: dict[str, list[tuple[str, str]]] = {row.product: [] for row in catalogue.lifecycle}
    for entry in catalogue.crosswalk:
        joined.setdefault(entry.product, []).append((entry.model, entry.kind))
    for product, models in joined.items():
        models.sort(key=lambda each: _CLOSEST_FIRST.index(each[1]))
        found[product] = Named(product, (product,), tuple(models))
    for it in catalogue.models.values():
        if (
            it.id in catalogue.sold_as
            or it.is_reference
            or catalogue.aliases.get(it.id) in catalogue.models
        ):
            continue
        name = it.id if it.name in found else it.name
        found[name] = Named(name, (), ((it.id, "same version"),))
    return found


@remembered(maxsize=1)
def _spellings(store: Store) -> dict[str, dict[str, None]]:
    """Return by every spelling, as it is and folded, the names of the models that it may mean."""
    catalogue = store.catalogue
    found: dict[str, dict[str, None]] = {}
    sold: dict[str, list[str]] = {}
    for row in catalogue.lifecycle:
        sold.setdefault(row.product, []).append(row.provider_model)
    for entry in catalogue.list_keys:
        sold.setdefault(entry.product, []).append(entry.key)
    priced: dict[str, list[str]] = {}
    for price in catalogue.prices:
        priced.setdefault(price.model, []).append(price.provider_model)
    for name, named in _known(store).items():
        spelled = [name, *(at for product in named.products for at in sold.get(product, ()))]
        for model, _ in named.models:
            it = catalogue.models[model]
            spelled += [model, it.name, *it.aliases, *priced.get(model, ())]
            spelled += [at.rpartition("/")[2] for at in (model, *it.aliases)]
        for spelling in spelled:
            found.setdefault(spelling, {})[name] = None
            found.setdefault(squeezed(spelling), {})[name] = None
    return found


def called(store: Store, text: str) -> Named:
    """Return the model that a name means: as it is written, then folded, then as a family.

    Folded are case, spaces and punctuation. A family is what begins with the words of the name. A
    name without its version means every version, unless it is an id; one that is folded and that no
    product has means its family, too. Where a name means several models, or none, an
    ``UnclearError`` says which there are, the newest on sale first.
    """
    store, asked = store.shared, " ".join(text.split())
    if not asked:
        raise UnclearError("Give the name of a model.", [])
    known, spellings, words = _known(store), _spellings(store), _words(asked)
    if asked in known:
        return known[asked]
    family = _family(known, words)
    exact = spellings.get(asked)
    if exact and asked not in store.catalogue.models:
        versions = (it for it in family if squeezed(it.partition(" (")[0]) == squeezed(asked))
        exact = {**exact, **dict.fromkeys(versions)}
    within = []
    if any(word.isalpha() and word[1:] for word in words):
        within = _having(known, _words(_NO_DOT.sub(".", asked))) or _having(known, words)
    folded = spellings.get(squeezed(asked))
    if folded and not any(known[name].products for name in folded):
        folded = folded | dict.fromkeys(family)
    meant = [exact, folded, family, within]
    if brand := _BRANDS.get(squeezed(asked)):
        meant = [[*_family(known, [brand]), *family]]
    for several in meant:
        if several and words:
            found = _newest_first(store, several)
            if several is family and found[1:]:  # Older ones may have the words in another order.
                found = list(dict.fromkeys(found + _newest_first(store, _having(known, words))))
            return known[_one_of(asked, found)]
    if asked_at := listed_at(store, asked):
        at = (PriceReference(asked, *each, "as listed", "", "") for each in asked_at)
        return Named(asked, listed=tuple(at))
    offered, nearest = nearest_names(asked, known, spellings, partial(_newest_first, store))
    raise UnclearError(f'No model is called "{asked[:80]}". {nearest}', offered)


def nearest_names(
    asked: str,
    known: Collection[str],
    spellings: Mapping[str, Iterable[str]],
    in_order: Callable[[list[str]], list[str]] = list,
) -> tuple[list[str], str]:
    """Return the names most like one that nobody has, and a sentence with them.

    First those that have its words, each misspelt word mended, then those with a similar spelling.
    """
    every, words = {word for name in known for word in _words(name)}, _words(asked)
    mended = [next(iter(get_close_matches(word, every, 1, _ALIKE)), word) for word in words]
    alike = _having(known, mended) if any(map(str.isalpha, words)) else []
    near = get_close_matches(squeezed(asked), spellings, 60, _ALIKE)
    offered = [*in_order(alike), *(name for at in near for name in spellings[at])]
    offered = list(dict.fromkeys(offered))[:_NEAREST]
    return offered, f"The nearest: {in_words(offered)}." if offered else "No name is similar."


def _having(known: Iterable[str], words: Iterable[str]) -> list[str]:
    return [name for name in known if {*words} <= {*_words(name)}]


def _family(known: Mapping[str, Named], words: Sequence[str]) -> list[str]:
    return [name for name in known if _words(name)[: len(words)] == [*words]]


def _newest_first(store: Store, names: Iterable[str]) -> list[str]:
    """Order names: what is still sold first, then by the number of the version, then by day.

    Of many a day of release is not known.
    """
    day = max((it.said_on for it in store.lists), default="")
    sold = {
        row.product
        for row in store.catalogue.lifecycle
        if row.status in ("on sale", "deprecated") and not "" < row.shutdown_on <= day
    }
    models = store.catalogue.models

    def rank(name: str) -> tuple[bool, float, str]:
        version = _VERSION.search(name)
        at = models.get(name)
        return name in sold, float(version[0]) if version else 0.0, at.released_on if at else ""

    return sorted(sorted(names, key=str.lower), key=rank, reverse=True)


def _one_of(asked: str, several: list[str]) -> str:
    if len(several) == 1:
        return several[0]
    more = f" and {len(several) - _MOST_OFFERED} more" if len(several) > _MOST_OFFERED else ""
    named = ", ".join(several[:_MOST_OFFERED])
    said = f'"{asked[:80]}" may be one of several: {named}{more}. Which one?'
    raise UnclearError(said, several[:_MOST_OFFERED])


def _words(text: str) -> list[str]:
    """Return words and numbers, so that GPT-5 does not begin GPT-5.6."""
    return re.findall(r"[^\W\d_]+|\d+(?:\.\d+)*", text.casefold())


def known(store: Store, named: Named, day: date, question: Question | None = None) -> Known:
    """Return all that is known of a model on a day; of a question, what the hospital was told."""
    told = question or Question()
    of = told.conditions
    conditions = Conditions(own_answers=of.own_answers, own_sales=of.own_sales)
    return _known_by(store, named, day, conditions, told.workload.own_prices)


@remembered(maxsize=64)
def _known_by(
    store: Store, named: Named, day: date, told: Conditions, own_prices: tuple[OwnPrice, ...]
) -> Known:
    catalogue = store.catalogue
    rows = [row for row in catalogue.lifecycle if row.product in named.products]
    rows = with_own_sales(rows, told_of(store, told.own_sales, named.id))
    merged = _merged(store, named)
    licence = catalogue.licence(merged)
    sale = on_sale(merged, rows, day, 0, regions=catalogue.regions, licence=licence)
    mine = [offered(it) for it in offers_at(store, own_prices, named.id)]
    prices = [*((it.platform, it) for it in mine), *_prices(store, named, day, sale)]
    ended = {one.platform for one in sale.at if one.state == "gone"}
    kinds, bought = catalogue.condition_kinds.values(), _bought(store, named)
    every = tuple(it.id for it in kinds if it.about != "model" and it.wanted != "limit")
    asked = replace(told, required=every)
    offers = offer_terms(store, (bought,), asked)[bought] if bought else ()
    return Known(
        named=named,
        model=merged,
        licence=licence,
        sale=sale,
        prices=tuple(each for each in prices if each[0] not in ended),
        terms=tuple(offer for offer in offers if offer.platform not in {*ended, SELF_HOSTED}),
        evidence=_evidence(store, named),
        safety=safety(store, (named.id,)).get(named.id),
        predecessor=_predecessor(store, named, merged.developer),
        successor=_successor(store, rows, sale.successor),
    )


def _merged(store: Store, named: Named) -> Model:
    """Return what the catalogue says of any of its names, the closest first."""
    if not named.models:
        return replace(store.catalogue.model(named.name), id=named.name, name=named.name)
    every = [facts_of(store, model) for model, _ in named.models]
    filled = {}
    for field in ("params_b", "params_active_b", "context_window_tokens", "licence"):
        said = (getattr(each, field) for each in every)
        filled[field] = next((value for value in said if value), getattr(every[0], field))
    told = next((each for each in every if each.access != "unknown"), every[0])
    return replace(every[0], name=named.name, access=told.access, **filled)


def _bought(store: Store, named: Named) -> str:
    """Return the id under which it is bought: the closest with prices, else the closest."""
    priced = {price.model for price in store.catalogue.prices}
    ids = [model for model, _ in named.models]
    return next((model for model in ids if model in priced), next(iter(ids), ""))


def _prices(store: Store, named: Named, day: date, sale: OnSale) -> list[tuple[str, Price]]:
    """Return platform and price, the cheapest first, of equals that which takes new customers."""
    public = prices_on(store, day)
    same = [model for model, kind in named.models if kind != "version not stated"]
    found = [price for model in same for price in public.get(model, ())]
    joined = product_prices(store, day)
    found += [price for product in named.products for price in joined.get(product, ())]
    if named.listed:
        found += priced_at(store, named.listed, day).get(named.name, ())
    shut = sale.for_existing
    once = {(each.provider, each.provider_model): each for each in found}
    order = {
        key: (near(it.input_usd_per_mtok + it.output_usd_per_mtok), it.platform in shut)
        for key, it in once.items()
    }
    return [(once[key].platform, once[key]) for key in sorted(once, key=order.__getitem__)]


def _evidence(store: Store, named: Named) -> tuple[Tested, ...]:
    """Return a row for each suite and each name under which it holds the model."""
    catalogue, found = store.catalogue, []
    spelled: dict[str, str] = {}
    for model, kind in named.models:
        for name in (model, *catalogue.models[model].aliases):
            spelled.setdefault(name, kind)
    for suite in catalogue.suites:
        there = standings(store, suite)
        held = there.rows.keys() | there.left_out.keys() if store.of_suite(suite) else ()
        found += [result_in(store, suite, *each) for each in spelled.items() if each[0] in held]
    return tuple(found)


def _successor(store: Store, rows: Sequence[Lifecycle], said: str) -> Neighbour | None:
    """Return what is named in its place; where nobody knows that name, the words alone.

    Of two, as in "A or B", the first that is known.
    """
    by = next((row.platform for row in rows if row.successor == said), "")
    if not said or not by:
        return None
    for name in said.split(" or "):
        with suppress(BadRequestError):
            found = called(store, name)
            return Neighbour(found.name, by, _evidence(store, found))
    return Neighbour(said, by, ())


def successor_at(store: Store, named: Named, platforms: Collection[str]) -> Neighbour | None:
    """Return what one of these platforms names in a model's place; its maker may name another."""
    rows = [
        row
        for row in store.catalogue.lifecycle
        if row.product in named.products and row.platform in platforms and row.successor
    ]
    return _successor(store, rows, rows[0].successor) if rows else None


def _predecessor(store: Store, named: Named, maker: str) -> Neighbour | None:
    """Return the newest model of the same maker in whose place this one is named."""
    every, models = _known(store), store.catalogue.models
    before = [
        row
        for row in _named_in_place(store).get(named.name, ())
        if maker in {models[model].developer for model, _ in every[row.product].models}
    ]
    if not before:
        return None
    row = max(before, key=lambda row: (_released(store, every[row.product]), row.product))
    return Neighbour(row.product, row.platform, _evidence(store, every[row.product]))


def _released(store: Store, named: Named) -> str:
    return max((store.catalogue.models[model].released_on for model, _ in named.models), default="")


@remembered(maxsize=1)
def _named_in_place(store: Store) -> dict[str, list[Lifecycle]]:
    """Return the rows of sale by the name of the model that each puts in another's place."""
    found: dict[str, list[Lifecycle]] = {}
    for row in store.catalogue.lifecycle:
        for name in _spellings(store).get(row.successor, ()) if row.successor else ():
            found.setdefault(name, []).append(row)
    return found


def costs(
    asked: Asked, named: Named
) -> Mapping[Literal["lowest", "with a BAA", "own servers"], MonthlyCost]:
    """Return what a question's work costs a month: at the lowest price, under a BAA, at home.

    Where it is sold for as long as is asked, else at whatever sells it on the day. What is not
    known is not in it.
    """
    bought = named.id
    if bought not in prices_on(asked.store, asked.day):
        bought = _bought(asked.store, named)
    if not bought:
        return {}
    here = asked.having(access="any")
    required = dict.fromkeys((*here.question.conditions.required, BAA))
    ways: dict[Literal["lowest", "with a BAA", "own servers"], Asked] = {
        "lowest": here,
        "with a BAA": here.having(required=tuple(required)),
    }
    if facts_of(asked.store, bought).access == "open":
        ways["own servers"] = here.having(access="own")
    found = {}
    for way, each in ways.items():
        found[way] = monthly_costs(each, (bought,))[bought]
        if found[way].low is None and not found[way].is_owned:
            found[way] = monthly_costs(each.having(on_sale_months=0), (bought,))[bought]
    signed = {
        verdict.platform
        for verdict in offer_terms(asked.store, (bought,), Conditions(required=(BAA,)))[bought]
        if verdict.status in ("passes", "conditional")
    }
    return {
        way: cost
        for way, cost in found.items()
        if (cost.low is not None or cost.is_owned)
        and (way != "with a BAA" or cost.platform in signed)
    }


def compare_models(store: Store, a: Named, b: Named, day: date) -> Compared:
    """Hold two models against each other in every suite that has both; never in sum.

    Of several runs of one model in a suite the closest counts. Severe harm is not a suite of its
    own: it is in what is known of each.
    """
    one, other = known(store, a, day), known(store, b, day)
    met = [
        Meeting(x, y, (x.value - y.value) / (x.scale[1] - x.scale[0]), apart_in(store, x, y))
        for x in _placed(store, one)
        for y in _placed(store, other)
        if x.suite == y.suite and x.value is not None and y.value is not None
    ]
    alike = tuple(each.a.name for each in met if each.a.tested_as == each.b.tested_as)
    met = [each for each in met if each.a.name not in alike]
    ranked, apart = (tuple(it for it in met if it.a.ranks == ranks) for ranks in (True, False))
    return Compared(one, other, ranked, apart, alike)


def _placed(store: Store, found: Known) -> list[Tested]:
    """Return the run with a place that counts in each suite, as in the grades."""
    held: dict[str, dict[str, Tested]] = {}
    for each in found.evidence:
        if each.rank is not None:
            held.setdefault(each.suite, {})[each.tested_as] = each
    return [
        runs.get(tested_as(store, found.named.id, runs)[0], next(iter(runs.values())))
        for runs in held.values()
    ]
