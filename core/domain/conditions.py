"""The conditions of a purchase: licences, what is answered, and for how long a model is sold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Status = Literal["passes", "conditional", "open", "fails"]
BEST_FIRST: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True, slots=True)
class Licence:
    """What a licence says of commercial use, in words, with its source."""

    id: str
    name: str
    commercial_use: str
    """``yes``, ``no``, ``conditional``, or empty where nobody has read it."""
    condition: str
    source_url: str
    as_of: str


@dataclass(frozen=True, slots=True)
class ConditionKind:
    """One yes-or-no condition of a purchase, and how to speak of it."""

    id: str
    name: str
    short: str
    """In the head of a column."""
    about: Literal["platform", "model", "sale"]
    """Sale: of a model at a platform."""
    wanted: Literal["yes", "no", "limit"]
    """The answer that passes; ``limit`` compares a number with the buyer's own."""
    question: str
    failing: str
    help: str
    region: str = ""
    """Which a condition of sale asks for, as prices name it."""

    @property
    def required(self) -> str:
        """What a buyer asks for, in words: with "No" where that is the answer that passes."""
        return f"No {self.name[:1].lower()}{self.name[1:]}" if self.wanted == "no" else self.name


@dataclass(frozen=True, slots=True)
class ConditionAnswer:
    """What one source says of one condition at one platform, or of one model."""

    platform: str
    """For a condition about a model, the model's id; where those of a maker or a product differ,
    `terms_of`."""
    condition: str
    answer: Literal["yes", "no", "conditional", "unknown"]
    detail: str
    source_url: str
    as_of: str
    days: int | None
    """Days that data are kept, where the condition asks for them."""
    source_kind: str
    """``vendor``, ``vendor_forum``, ``third_party`` or ``own``."""


def terms_of(platform: str, whose: str) -> str:
    """Name the terms under which a platform sells a maker's models or a product, if they differ."""
    return f"{platform} ({whose})"


OWN_SERVERS = "Self-hosted open weights"
"""In place of a platform."""
PRICED_THERE = "a price of its own there"
"""Kind of a region that a list of prices tells: it is served there, and nothing of other places."""


@dataclass(frozen=True, slots=True)
class Region:
    """Where a platform runs a product, as its source said on one day."""

    product: str
    platform: str
    region: str
    """EU, US, global, or the source's word."""
    where: str
    """As the platform names it, such as the beginning of a profile's id."""
    kind: str
    source_url: str
    read_on: str
    """ISO day; empty where nothing tells."""
    source_kind: str
    note: str


@dataclass(frozen=True, slots=True)
class Platform:
    """The platform behind a provider of the price list."""

    provider: str
    platform: str
    also: str
    """Another name by which a buyer looks for it; may be empty."""
    source: str
    checked_on: str
    note: str


@dataclass(frozen=True, slots=True)
class ConditionCheck:
    """One condition, checked on one offer of a model: facts, from which words make a sentence."""

    kind: ConditionKind
    status: Status
    model: str
    """Its name."""
    developer: str
    platform: str
    detail: str
    """What the source says, in its words."""
    source_url: str
    as_of: str
    source_kind: str
    kept: tuple[int, int] | None = None
    """Days that data are kept by default and days that the buyer allows, where these are fewer."""
    zero: str | None = None
    """What the source says of zero retention, where that must be agreed for it."""
    most_days: int | None = None
    """Days that data may be kept; ``None`` of any other condition."""

    @property
    def condition(self) -> str:
        """Id of the condition."""
        return self.kind.id

    @property
    def name(self) -> str:
        """Name of the condition."""
        return self.kind.name

    @property
    def read_on(self) -> str:
        """Day on which the source said so, ISO or less of it; empty where nothing tells."""
        return self.as_of if self.as_of[:1].isdigit() else ""

    @property
    def is_of_a_source(self) -> bool:
        """Whether a source says so of a platform, or of what is sold there.

        What holds on own servers follows from what they are, but for what the hospital answered.
        """
        if self.platform == OWN_SERVERS and self.source_kind != "own":
            return False
        return self.kind.about != "model" and bool(self.source_kind)


@dataclass(frozen=True, slots=True)
class OfferTerms:
    """What one offer of a model says on every condition."""

    model: str
    platform: str
    status: Status
    """The worst of the checks: fails, open, conditional, passes."""
    checks: tuple[ConditionCheck, ...]
    note: str
    providers: tuple[str, ...] = ()
    """The providers of the price list that sell it there, by id."""

    @property
    def read_on(self) -> str:
        """Earliest day of what sources say in its favour; ``undated`` where one has none."""
        held = ("passes", "conditional")
        days = [c.read_on for c in self.checks if c.is_of_a_source and c.status in held]
        return (min(days) or "undated") if days else ""


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """How long one platform sells one product, as its source says it on one day."""

    product: str
    """An exact version, as its maker sells it."""
    platform: str
    """Spelled as in `Platform` and `ConditionAnswer` where they have it."""
    provider_model: str
    status: Literal["on sale", "deprecated", "shut down", "not found"]
    """Deprecated: still served, with an announced end. Not found: nobody read it, no "no"."""
    status_on: str
    """ISO day on which the status held."""
    deprecated_on: str
    """ISO day, or empty where none was read."""
    shutdown_on: str
    """ISO day, the earliest that current sources name; empty where no end was read."""
    successor: str
    """What the platform names in its place, in its own words."""
    source_url: str
    source_kind: str
    note: str
    conflict: str
    """A sentence on sources that differ; empty where they agree."""
    read_on: str = ""
    """ISO day on which the source said so; empty where nothing tells."""
    notice_days: int | None = None
    """What the platform promises to tell before it ends a model."""
    not_before: str = ""
    """ISO day before which the maker promises not to end it."""
    closed_on: str = ""
    """ISO day from which new customers are refused; empty where none was read."""


@dataclass(frozen=True, slots=True)
class OwnSale:
    """Until when a platform sells a model, as the hospital was told: before public words."""

    model: str
    """Id."""
    platform: str
    ends_on: str
    """ISO day, the first on which it is no longer served; empty where it is sold without one."""
    as_of: str
    """ISO day on which that was said."""
    source: str
    """Such as a contract or a letter."""


@dataclass(frozen=True, slots=True)
class CrosswalkEntry:
    """A model of the suites that is, or may be, one product of its maker."""

    product: str
    model: str
    """The id in the catalogue of models."""
    kind: Literal["same version", "version not stated", "another harness"]
    """*Another harness*: of this product, but another run of its suite stands for it there."""
    reason: str


SaleState = Literal[
    "assured", "ends", "no end known", "existing customers only", "not known", "gone"
]
"""Assured: past the time asked for, by the maker's floor or the platform's notice. Ends: on a
stated day. No end known: it was sold on the day it was read, and nothing promises how long.
Existing customers only: still served, but not to a buyer who does not have it yet."""


@dataclass(frozen=True, slots=True)
class Sale:
    """How long one platform sells a model, for a question of one day."""

    platform: str
    state: SaleState
    until: str
    """ISO day of the end, or to which it is assured; empty where none is known."""
    read_on: str
    """ISO day on which the source said so; empty where nothing tells."""
    source: str
    """Address."""
    lasts: bool | None
    """Whether it is sold for as long as was asked; ``None`` is not known."""
    is_old: bool
    """Whether it was read more than 90 days before the day asked about, or nobody knows when."""
    conflict: str = ""
    """Where sources differ."""
    region: str = ""
    """Where the platform runs it, such as "EU, US, global"; empty where no source says."""
    closes_on: str = ""
    """ISO day, within half a year, from which new customers are refused; empty where none is."""
    told: bool = False
    """Whether the hospital was told so itself."""


@dataclass(frozen=True, slots=True)
class OnSale:
    """Whether a model meets the condition *on sale for at least N months*."""

    standing: Literal["passes", "fails", "question"]
    at: tuple[Sale, ...]
    """The platforms that meet the other conditions, each once, that which decides first."""
    successor: str
    """What its maker names in its place, whatever the status; empty where it names nothing."""
    failing_platforms: frozenset[str]
    """Where it is gone or ends too soon in every version, so that their prices do not hold."""
    kept: bool = False
    """Whether it passes since the buyer can keep its open weights on own servers."""
    licence: Licence | None = None
    """Of its weights; ``None`` where nothing is known of one."""
    of_some: bool = False
    """Whether another platform has sold it, or does, that was not looked at."""

    @property
    def best(self) -> Sale | None:
        """The platform that decides; ``None`` where nobody is known to sell it."""
        return self.at[0] if self.at else None

    @property
    def has_ended(self) -> bool:
        """Whether everybody who sold it has ended that, and its weights cannot be kept."""
        return bool(self.at) and not self.kept and all(it.state == "gone" for it in self.at)

    @property
    def ends_too_soon(self) -> bool:
        """Whether it ends too soon wherever it is known to be sold, and cannot be kept."""
        return not self.kept and {it.lasts for it in self.at} == {False}

    @property
    def for_existing(self) -> frozenset[str]:
        """Return the platforms that refuse new customers."""
        return frozenset(it.platform for it in self.at if it.state == "existing customers only")

    def where(self, platform: str) -> Sale:
        """Return what is known of the sale at a platform."""
        nothing = Sale(platform, "not known", "", "", "", lasts=None, is_old=True)
        return next((sale for sale in self.at if sale.platform == platform), nothing)
