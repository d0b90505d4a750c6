"""What a purchase costs and does: prices, workloads, hardware, monthly costs, and harm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

WhyUnknown = Literal[
    "no work", "elsewhere", "condition", "no price", "not recorded", "no servers", "ended"
]
"""Why a cost is not known; *elsewhere*: there are prices, but none that can be used; *condition*:
there are, but at no platform that is known to meet the conditions."""
Fit = Literal["", "owned", "no room", "too slow"]
"""Empty where GPUs are rented. *owned*: the model fits GPUs that are owned, whose rent is not
counted; *no room* and *too slow*: it does not, or they serve less than is asked."""
Lacking = Literal[
    "",
    "product",
    "open weights",
    "known weights",
    "size",
    "architecture",
    "number format",
    "set",
    "price",
]
"""What is missing to run a model on own servers or to price that; empty for nothing."""


@dataclass(frozen=True, slots=True)
class ReasoningTokens:
    """Tokens that a reasoning model wrote on average for one question of a test set."""

    family: str
    """Developer, or the name of the developer's models."""
    model: str
    benchmark: str
    mean_completion_tokens: float
    """Reasoning and answer together; the answer is a letter or little more."""
    n_items: int
    source_url: str
    as_of: str


@dataclass(frozen=True, slots=True)
class HiddenTokens:
    """Reasoning that a model writes before its answer, is paid for, and nobody reads."""

    low: float
    likely: float
    high: float
    """Tokens a request; low <= likely <= high."""
    basis: str


@dataclass(frozen=True, slots=True)
class TokenProfile:
    """Tokens that one request of a task category takes, with where the figure comes from."""

    category: str
    input_tokens: float
    output_tokens: float
    """The visible answer. An upper bound: MedHELM publishes the maximum output, not the output."""
    n_benchmarks: int
    source: str
    hidden: HiddenTokens | None = None
    """What a model that reasons writes on top; ``None`` for one that does not."""
    upper_bound: bool = False
    """Whether the visible answer is the most that may be written, and was not set by the user."""
    own_input: bool = False
    """Whether the tokens read were set by the user, and are not of a benchmark's size."""
    cached_share: float = 0.0
    """Share of the tokens read that is billed at the cached rate, where the price has one."""
    many_calls: bool = False
    """Whether an agent takes them in many calls, so that no call is known to be a long one."""

    @property
    def basis(self) -> str:
        """Where the figure comes from, and whether it is a bound."""
        bound = "; output is the benchmark's maximum, an upper bound" if self.upper_bound else ""
        return f"{self.source}{bound}"


@dataclass(frozen=True, slots=True)
class TokenRow:
    """Tokens that one model spent on all instances of one MedHELM benchmark."""

    benchmark: str
    model: str
    n_instances: int
    input_tokens: int
    max_output_tokens: int


@dataclass(frozen=True, slots=True)
class AgentTokens:
    """Mean tokens that one run's agent took for a task of one benchmark, in many calls."""

    suite: str
    run: str
    benchmark: str
    n_counted: int
    """Trials whose tokens were recorded, of ``n_trials``."""
    n_trials: int
    input_tokens: int
    """Those from a cache among them."""
    cached_tokens: int
    output_tokens: int
    source_url: str


@dataclass(frozen=True, slots=True)
class WorkloadLine:
    """Requests a month of one task category."""

    category: str
    requests_per_month: float
    profile: TokenProfile


@dataclass(frozen=True, slots=True)
class Rates:
    """What requests that read more than some tokens pay for all of them."""

    above_tokens: int
    input_usd_per_mtok: float
    output_usd_per_mtok: float
    cache_read_usd_per_mtok: float | None


@dataclass(frozen=True, slots=True)
class Price:
    """A public price per token at one provider, on one date."""

    model: str
    provider: str
    provider_name: str
    provider_model: str
    input_usd_per_mtok: float
    output_usd_per_mtok: float
    as_of: str
    """ISO day of the list that says so, or of the day asked about where that is earlier."""
    source: str
    longer: tuple[Rates, ...] = ()
    """The rates of long requests, where these are dearer, the shortest first."""
    cache_read_usd_per_mtok: float | None = None
    """For tokens read from a cache; ``None`` where no source says."""
    offered: bool = False
    """Whether the hospital was offered it: the rates alone count, whatever the length."""
    platform: str = ""
    """As the conditions name it; the provider's id where nobody names one."""


OFFERED = "own"
"""The provider of a price that the hospital was offered."""


@dataclass(frozen=True, slots=True)
class FactList:
    """One immutable copy of a public list of prices and ends of sale, by its manifest."""

    list: str
    revision: str
    as_of: str
    """ISO day on which the list said so."""
    retrieved_at: str
    source_url: str
    licence: str
    sha256: str
    n_entries: int
    n_ends: int
    """Entries with a day on which their sale ends."""
    note: str = ""
    seen_on: str = ""
    """ISO day on which the source was read again and still said the same; empty where it was not.
    """

    @property
    def said_on(self) -> str:
        """The last day on which the source is known to have said so."""
        return max(self.as_of, self.seen_on)


@dataclass(frozen=True, slots=True)
class ListKey:
    """What an entry of a list is, as somebody checked: never by likeness."""

    list: str
    key: str
    product: str
    platform: str
    region: str
    """Empty where the key names none."""
    date_is: Literal["end", "not before", ""]
    """How its day is read; empty where another entry speaks for the product there."""


@dataclass(frozen=True, slots=True)
class ListRow:
    """What a list says of one entry: its rates from a day and a length of requests on."""

    key: str
    """As the list names it: the seller's id and the model's, or one that holds both."""
    seller: str
    from_day: str
    """ISO day from which the rates hold; empty for those before all days."""
    above_tokens: int
    """Requests that read more pay these rates for all their tokens."""
    input_usd_per_mtok: float | None
    output_usd_per_mtok: float | None
    cache_read_usd_per_mtok: float | None
    ends_on: str
    """ISO day; empty where the list has none, which is not known and no promise."""
    deprecated: bool
    source_url: str
    ends_source: str = ""
    """The page that the list names for the day; empty where it names none."""
    successor: str = ""
    """The entry that the list names in its place."""
    regional_times: float | None = None
    """What an endpoint that stays in a region multiplies the rates by; ``None`` where the list
    does not say."""


@dataclass(frozen=True, slots=True)
class PriceReference:
    """Where the public price of a model is found in genai-prices."""

    model: str
    provider: str
    provider_model: str
    basis: str
    checked_on: str
    note: str


@dataclass(frozen=True, slots=True)
class OwnTokens:
    """A hospital's own tokens per request of one kind; ``None`` keeps MedHELM's."""

    kind: str
    input_tokens: float | None = None
    output_tokens: float | None = None


@dataclass(frozen=True, slots=True)
class OwnPrice:
    """What a hospital was offered for one model; it replaces the public prices."""

    model: str
    input_usd_per_mtok: float
    output_usd_per_mtok: float
    as_of: str
    """ISO day of the offer."""
    source: str
    """Where it comes from, such as the number of the offer."""
    platform: str = ""
    """Where it holds, as the conditions name it; empty where that is not said."""
    cached_usd_per_mtok: float | None = None


@dataclass(frozen=True, slots=True)
class OwnRent:
    """What a hospital pays for an hour of one kind of GPU; it replaces public rents."""

    gpu: str
    usd_per_gpu_hour: float
    as_of: str
    """ISO day."""
    source: str


@dataclass(frozen=True, slots=True)
class Bill:
    """What a workload costs a month at a public price, in US dollars."""

    model: str
    monthly_usd: float
    lines: tuple[tuple[str, float], ...]
    """Category, US dollars a month."""
    price: Price


@dataclass(frozen=True, slots=True)
class GpuOffer:
    """What one provider asked for an hour of one GPU, on one date."""

    gpu: str
    memory_gb: float
    usd_per_gpu_hour: float
    pricing_type: str
    """``on-demand`` for a machine that is rented by the hour; else in the source's words."""
    provider: str
    offer: str
    gpus_in_offer: int
    """GPUs that are rented together."""
    region: str
    source_url: str
    as_of: str
    """ISO, as exact as the source is, or ``undated``."""
    note: str


@dataclass(frozen=True, slots=True)
class Architecture:
    """What the memory of a model's cache depends on."""

    model: str
    also: tuple[str, ...]
    """Other models of the same architecture and size."""
    params_b: float
    layers: int | None
    attention_heads: int | None
    """What a set of GPUs has to divide; ``None`` is not known, which forbids nothing."""
    kv_heads: int | None
    head_dim: int | None
    context_tokens: int | None
    attention: str
    kv_bytes_per_token: int | None
    """At 16 bits: 2 x layers x KV heads x head dimension x 2, but for MLA, which keeps less, and
    for mixed attention, where it may not be known."""
    float16: Literal["", "refused"]
    """Whether it is refused on a GPU without bfloat16."""
    released_bits: int | None
    """Of a weight, where it is published at these alone; ``None`` where at 16 or not known."""
    fits_gb: float | None
    """Memory of a single GPU that its maker says is enough; ``None`` where no maker says so."""
    source_url: str
    checked_on: str
    note: str


@dataclass(frozen=True, slots=True)
class GpuKind:
    """What numbers one kind of GPU computes with, and whether machines of 8 are joined."""

    gpu: str
    bf16: Literal["yes", "no", ""]
    """Empty is not known."""
    fp8: Literal["yes", "weights only", ""]
    """*weights only*: they are kept at 8 bits, and it computes at 16."""
    over_nodes: bool
    """Whether a model is spread over several machines of 8."""
    bf16_source: str
    fp8_source: str
    sets_source: str
    read_on: str
    note: str


@dataclass(frozen=True, slots=True)
class Throughput:
    """Output tokens a second that somebody measured and published for one set of GPUs."""

    model: str
    also: tuple[str, ...]
    gpu: str
    gpus: int
    precision: str
    bits: int
    input_tokens: int
    output_tokens: int
    tokens_per_second: float
    """All GPUs together, at maximum load."""
    source_url: str
    as_of: str
    note: str


@dataclass(frozen=True, slots=True)
class RequestKind:
    """One kind of request in a hospital's words, with its place among MedHELM's tasks."""

    id: str
    name: str
    category: str
    subcategory: str
    tokens_from: Literal["category", "subcategory"]
    """Whose token counts stand for it."""
    reason: str


@dataclass(frozen=True, slots=True)
class Safety:
    """What is known about the harm that one model's recommendations do."""

    share: float
    """Of the cases, with severe harm; 0 to 1."""
    n: int
    """Cases."""
    severe_errors_per_100: float | None
    rank: int
    """Among the systems, 1 for the least harm; equal shares share the better rank."""
    n_systems: int
    marked: bool
    """Whether it is in the worst quarter of the systems and above physicians: a caution, since
    chance alone spreads the shares as far."""
    physicians: float | None
    """The share of generalist physicians on the same cases."""
    tested_as: str
    """Name of the model in that evidence."""
    kind: str
    """``same version``, or ``version not stated``."""


@dataclass(frozen=True, slots=True)
class HourlyPrice:
    """Published on-demand prices of one GPU, US dollars an hour."""

    gpu: str
    low: float
    likely: float
    high: float
    newest: str
    """Latest day of the prices, ISO; ``undated`` where no offer carries one."""
    oldest: str = ""
    """Earliest day of them; empty where that is the latest too."""
    low_at: str = ""
    """Provider of the lowest, and its name of the offer; empty for an own rent."""
    low_of: str = ""
    """Day of the lowest, ISO, or ``undated``; empty for an own rent."""
    own_source: str = ""
    """Where the hospital's own rent is from, which replaces them; empty for public ones."""


@dataclass(frozen=True, slots=True)
class Servers:
    """The GPUs behind a monthly cost, likely case."""

    gpu: str
    bits: int
    """Of a weight."""
    gpus: int | None
    """That hold one copy: a set; ``None`` where no set of this kind does."""
    sets: int | None
    """That serve the load, without spares; ``None`` where nobody published what one serves."""
    serves: float | None
    """Requests a month of one set at the utilisation; ``None`` as above."""
    utilisation: float
    hourly: HourlyPrice | None
    """``None`` where no rent is counted."""
    spares: int = 0
    """Sets beyond those."""
    owned: int = 0
    """GPUs of this kind that the hospital owns; 0 where they are rented."""
    memory_gb: float = 0.0
    """That one copy takes, 10^9 bytes."""
    weights_only: bool = False
    """Whether the GPU keeps the weights at 8 bits and computes at 16."""


@dataclass(frozen=True, slots=True)
class BillElsewhere:
    """The cheapest bill at another platform, next to what counts."""

    monthly_usd: float
    platform: str


@dataclass(frozen=True, slots=True)
class ByToken:
    """A cost that is a bill by the token."""

    bill: Bill
    """Likely."""
    tokens: TokenProfile | None = None
    """Of its first line."""
    with_baa: BillElsewhere | None = None
    """Where no agreement is asked for: the bill with one; ``None`` where nobody knows."""


@dataclass(frozen=True, slots=True)
class OnServers:
    """A cost on GPUs that are rented, or the fit to those that are owned, without one."""

    servers: Servers
    why: Fit = ""
    lacking: Lacking = ""
    """Why there is no room."""


@dataclass(frozen=True, slots=True)
class NotKnown:
    """No cost, and why."""

    why: WhyUnknown
    lacking: tuple[Lacking, ...] = ()
    """Why own servers are not possible."""
    suite: str = ""
    """Name of the suite that did not record it."""
    where_open: BillElsewhere | None = None
    """Where a condition is not known, if the cost at no platform is known that meets all. It
    decides nothing."""


@dataclass(frozen=True, slots=True)
class MonthlyCost:
    """US dollars a month for the stated workload. ``None`` is unknown, never free.

    Of own servers whose capacity nobody published only ``low`` is known: one set, at least.
    """

    model: str
    basis: ByToken | OnServers | NotKnown
    low: float | None = None
    likely: float | None = None
    high: float | None = None
    provider: str = ""
    """The provider's id in the price list, or ``own servers``; empty where unknown."""
    platform: str = ""
    """As the conditions name it; empty where unknown."""
    as_of: str = ""
    """Day of the price, ISO; of GPUs the newest day of the rents that count, or ``undated``."""
    figures: tuple[tuple[float, ...], ...] = ()
    """US dollars a month: by row what is alike for all models, low to high; by column what is
    the model's own, low, likely and high. Empty where unknown."""
    shared: str = ""
    """What the rows are: two costs with the same word have them in common."""

    @property
    def kind(self) -> Literal["bill", "own servers", "unknown"]:
        """What it is, in a word."""
        match self.basis:
            case ByToken():
                return "bill"
            case OnServers(why=""):
                return "own servers"
            case _:
                return "unknown"

    @property
    def bill(self) -> Bill | None:
        """By the token, where that is what counts."""
        return self.basis.bill if isinstance(self.basis, ByToken) else None

    @property
    def price(self) -> Price | None:
        """Of the bill."""
        return self.bill.price if self.bill else None

    @property
    def servers(self) -> Servers | None:
        """Where it is about own servers."""
        return self.basis.servers if isinstance(self.basis, OnServers) else None

    @property
    def with_baa(self) -> BillElsewhere | None:
        """The bill with a signed agreement, where none is asked for."""
        return self.basis.with_baa if isinstance(self.basis, ByToken) else None

    @property
    def where_open(self) -> BillElsewhere | None:
        """The bill where a condition is not known, if no other is."""
        return self.basis.where_open if isinstance(self.basis, NotKnown) else None

    @property
    def why(self) -> WhyUnknown | Fit:
        """Why no dollars are counted; empty where at least a bound is known."""
        return self.basis.why if isinstance(self.basis, NotKnown | OnServers) else ""

    @property
    def is_owned(self) -> bool:
        """Whether it fits GPUs that the hospital owns, so that no rent is counted."""
        return self.why == "owned"

    @property
    def fits_nowhere(self) -> bool:
        """Whether it is known not to fit the servers that are asked about, or its size is not."""
        return self.why in ("no room", "too slow", "no servers")

    @property
    def at_least(self) -> bool:
        """Whether no more is known than the least that it is."""
        return self.likely is None and self.low is not None

    @property
    def for_budget(self) -> float | None:
        """What a budget is compared with: the likely cost, else the least that is known."""
        return self.low if self.likely is None else self.likely


@dataclass(frozen=True, slots=True)
class Saving:
    """US dollars a month that a candidate saves; below 0 it costs more."""

    low: float
    likely: float
    high: float

    @property
    def order_turns(self) -> bool:
        """Whether it is not certain which of the two costs less."""
        return self.low < 0 < self.high
