"""What a buyer asks, in its parts: what reads a part cannot read another."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal

from core.domain.conditions import ConditionAnswer, OwnSale
from core.domain.procurement import OwnPrice, OwnRent, OwnTokens

Access = Literal["any", "open", "vendor", "own"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The scores that are asked: over all suites, or of one."""

    suite: str = "medhelm"
    """Empty for all evidence."""
    cohort: str = "all"
    protocol: str = ""
    """Prompting protocol; empty takes the suite's default."""
    revision: str = ""
    """Snapshot of the suite; empty takes the newest."""
    include_flagged: bool = False
    """Whether runs that do not look plausible count as well."""


@dataclass(frozen=True, slots=True)
class Work:
    """What the model is for."""

    task: str = "balanced"
    """A preset of category weights, or ``own``."""
    weights: tuple[tuple[str, float], ...] = ()
    """Own weights per category or subcategory; used when ``task`` is ``own``."""
    language: str = ""
    """The one language whose tests count; empty counts all."""
    overlap_once: bool = False
    """Whether benchmarks that tell the same story share one vote."""


@dataclass(frozen=True, slots=True)
class Workload:
    """How much there is of it a month, and what the hospital was offered for it."""

    requests_per_month: int = 10_000
    input_tokens_per_request: int | None = None
    output_tokens_per_request: int | None = None
    """The visible answer."""
    reasoning_tokens_per_request: int | None = None
    """Hidden reasoning of a model that reasons, on top of the answer; ``None`` takes what was
    measured."""
    cached_share: float = 0.0
    """Share of the tokens read that is billed at the cached rate, where a price has one."""
    volumes: tuple[tuple[str, float], ...] = ()
    """Requests a month per kind of request, by id, each above 0; in place of
    ``requests_per_month`` and the tokens next to it. Empty where none is given."""
    own_tokens: tuple[OwnTokens, ...] = ()
    """The hospital's own tokens per request, for kinds among ``volumes``."""
    own_prices: tuple[OwnPrice, ...] = ()
    """What the hospital was offered, at most one price a model."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What must hold of a purchase, and what the hospital was told of it."""

    platforms: tuple[str, ...] = ()
    """Platforms that the hospital has under contract; empty for any."""
    required: tuple[str, ...] = ()
    """Conditions that must hold, by id."""
    max_retention_days: int | None = None
    """Most days that data may be kept; ``None`` does not ask."""
    min_context_tokens: int | None = None
    """Least tokens that a model must read at once; ``None`` does not ask."""
    own_answers: tuple[ConditionAnswer, ...] = ()
    """The hospital's own answers on conditions, in place of those of the catalogue."""
    own_sales: tuple[OwnSale, ...] = ()
    """Until when models are sold where, as the hospital was told, in place of public words."""


@dataclass(frozen=True, slots=True)
class SalePeriod:
    """For how long a model must still be sold."""

    on_sale_months: int | None = 6
    """From the day that counts; ``None`` does not ask."""
    on_sale_on: str = ""
    """ISO day from which that is counted; empty takes the day of the prices."""


NOT_ASKED = SalePeriod(on_sale_months=None)
SHORT_TOKENS = 8_000
"""A request of this many tokens fits nearly every model on sale, whatever sources say."""
LONGEST_TOKENS = 1_000_000
"""What is longer is the whole of an agent's task, which takes many calls."""


@dataclass(frozen=True, slots=True)
class Hardware:
    """The hospital's own servers."""

    gpu: str = ""
    """The hospital's own kind of GPU; empty takes the cheapest on offer that holds a model."""
    gpus_owned: int | None = None
    """How many of that kind the hospital owns, which then limit what fits; ``None`` rents them."""
    bits: int = 8
    """Of a weight on own servers: 16, 8 or 4."""
    context_tokens: int = 8_192
    """Tokens of one request on own servers, read and written, for which there must be room."""
    concurrent: int = 8
    """Requests that own servers answer at once."""
    utilisation: float = 0.2
    """Share of the maximum load of own servers that is reached on average, above 0 to 1."""
    spares: int = 0
    """Sets of GPUs beyond those that the load takes."""
    own_rents: tuple[OwnRent, ...] = ()
    """What the hospital pays for an hour of a GPU, at most one a kind."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What leaves models out whatever they score."""

    max_params_b: float | None = None
    monthly_budget_usd: float | None = None
    only: tuple[str, ...] = ()
    """Only these models, by id; empty considers all."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What decides how many tokens are read and written a month."""

    suite: str
    revision: str
    work: Work
    workload: Workload


@dataclass(frozen=True, slots=True)
class Purchase:
    """What decides what it costs at a platform."""

    demand: Demand
    conditions: Conditions
    sale: SalePeriod


@dataclass(frozen=True, slots=True)
class Question:
    """Everything that a buyer can set. Equal questions have equal answers."""

    evidence: Evidence = field(default_factory=Evidence)
    work: Work = field(default_factory=Work)
    access: Access = "any"
    """Where it may run: ``open`` wants open weights wherever they run, ``vendor`` a vendor's
    service, ``own`` the hospital's own servers, hence open weights."""
    limits: Limits = field(default_factory=Limits)
    workload: Workload = field(default_factory=Workload)
    hardware: Hardware = field(default_factory=Hardware)
    margin: float = 0.02
    """Largest loss that still counts as equivalent, on the 0 to 1 scale."""
    conditions: Conditions = field(default_factory=Conditions)
    sale: SalePeriod = field(default_factory=SalePeriod)
    prices_on: str = ""
    """ISO day of the public prices; empty takes the day on which the question is asked."""

    @classmethod
    def of(cls, **values: Any) -> Question:  # noqa: ANN401 - each field has its own type
        """Return the question with these fields, whichever part they are of."""
        return cls().having(**values)

    def having(self, **values: Any) -> Question:  # noqa: ANN401 - each field has its own type
        """Return the question with these fields set, whichever part they are of."""
        own: dict[str, Any] = {}
        of_parts: dict[str, dict[str, Any]] = {}
        for name, value in values.items():
            part = PART_OF.get(name)
            (of_parts.setdefault(part, {}) if part else own)[name] = value
        own |= {part: replace(getattr(self, part), **new) for part, new in of_parts.items()}
        return replace(self, **own)

    def value(self, name: str) -> Any:  # noqa: ANN401 - each field has its own type
        """Return the value of a field, whichever part it is of."""
        part = PART_OF.get(name)
        return getattr(getattr(self, part) if part else self, name)

    def as_fields(self) -> dict[str, Any]:
        """Return every field by its name, records as dictionaries."""
        parts = asdict(self)
        return {it: parts[PART_OF[it]][it] if it in PART_OF else parts[it] for it in FIELDS}

    @property
    def counts_own_servers(self) -> bool:
        """Whether own servers are among the offers over all evidence.

        Where the work may run on them only or on open weights, a kind of GPU is named, or a largest
        size without any platform.
        """
        small = bool(self.limits.max_params_b) and not self.conditions.platforms
        return self.access in ("own", "open") or bool(self.hardware.gpu) or small

    @property
    def demand(self) -> Demand:
        """What decides how many tokens are read and written a month."""
        return Demand(self.evidence.suite, self.evidence.revision, self.work, self.workload)

    @property
    def purchase(self) -> Purchase:
        """What decides what it costs at a platform."""
        return Purchase(self.demand, self.to_meet, self.sale)

    @property
    def to_meet(self) -> Conditions:
        """The conditions, with a window for the buyer's own tokens of a request, if it is long."""
        longest = self._longest_request
        if max(self.conditions.min_context_tokens or 0, SHORT_TOKENS) < longest <= LONGEST_TOKENS:
            return replace(self.conditions, min_context_tokens=longest)
        return self.conditions

    @property
    def servers(self) -> Hardware:
        """The hospital's own servers, with room for its own tokens of a request."""
        longest = self._longest_request
        if self.hardware.context_tokens < longest <= LONGEST_TOKENS:
            return replace(self.hardware, context_tokens=longest)
        return self.hardware

    @property
    def _longest_request(self) -> int:
        """Tokens read and written, where the buyer has set them and they are used; else 0."""
        of = self.workload
        if not of.volumes:
            return (of.input_tokens_per_request or 0) + (of.output_tokens_per_request or 0)
        asked = [it for it in of.own_tokens if it.kind in dict(of.volumes)]
        sizes = [(it.input_tokens or 0) + (it.output_tokens or 0) for it in asked]
        return math.ceil(max(sizes, default=0))


_PARTS = {
    "evidence": Evidence,
    "work": Work,
    "limits": Limits,
    "workload": Workload,
    "hardware": Hardware,
    "conditions": Conditions,
    "sale": SalePeriod,
}
PART_OF = {each.name: part for part, kind in _PARTS.items() for each in fields(kind)}
"""The part that holds a field, by the name of the field; each name is of one part."""
FIELDS = tuple(
    each.name
    for part in fields(Question)
    for each in (fields(_PARTS[part.name]) if part.name in _PARTS else (part,))
)
"""Every field of a question, in the order of its parts."""
