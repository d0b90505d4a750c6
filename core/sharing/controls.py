"""The one table of controls: what a question may ask, how each part is read, written and said.

The side bar, the reader and the writer of links, the defaults and the list of assumptions are made
from it. A new control is a field of ``Question``, a row here, and what it does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from core.domain import Access, ConditionAnswer, OwnPrice, OwnRent, OwnSale, OwnTokens, Question
from core.figures import counted
from core.sharing import inputs, own_figures
from core.sharing.inputs import Control, sale_label
from core.words.cost import hidden_by_developer

if TYPE_CHECKING:
    from core.evidence.catalogue import Catalogue

ACCESS: dict[Access, str] = {
    "any": "Anywhere",
    "open": "Open weights, anywhere",
    "vendor": "A vendor's service",
    "own": "Our own servers only",
}
BITS = {"8 bits": 8, "16 bits": 16, "4 bits": 4}
CHEAPEST_GPU = "The cheapest that holds the model"
ALL_LANGUAGES = "All languages"
MOST_REQUESTS = 1_000_000_000
"""A month."""


def _limit(value: float | None, words: str, none: str = "no limit") -> str:
    return none if value is None else words.format(value)


def _workload(field: str, none: str = "as in MedHELM") -> Callable[[Question, Catalogue], str]:
    """Say a number of the one workload, which volumes by kind of request replace."""

    def says(question: Question, catalogue: Catalogue) -> str:
        number = _limit(question.value(field), "{:,}", none)
        return "not used: volumes are given" if question.workload.volumes else number

    return says


def _reasoning(question: Question, catalogue: Catalogue) -> str:
    own = question.workload.reasoning_tokens_per_request
    measured = f"as measured: {hidden_by_developer(catalogue.reasoning_tokens)}"
    return measured if own is None else f"{own:,} tokens"


def _volumes(question: Question, catalogue: Catalogue) -> str:
    names = _kinds_of_request(catalogue)
    given = (f"{names.get(kind, kind)}: {n:,.12g} a month" for kind, n in question.workload.volumes)
    return "; ".join(given) or "none given"


def _kinds_of_request(catalogue: Catalogue) -> dict[str, str]:
    return {kind.id: kind.name for kind in catalogue.requests}


def _tokens(own: OwnTokens, catalogue: Catalogue) -> str:
    read = _limit(own.input_tokens, "{:,.12g}", "as in MedHELM")
    written = _limit(own.output_tokens, "{:,.12g}", "as in MedHELM")
    name = _kinds_of_request(catalogue).get(own.kind, own.kind)
    return f"{name}: {read} read, {written} written"


def _answer(own: ConditionAnswer, catalogue: Catalogue) -> str:
    kind = catalogue.condition_kinds.get(own.condition)
    said = ", ".join(filter(None, (own.detail, own.source_url, own.as_of)))
    days = "" if own.days is None else f", {counted(own.days, 'day')}"
    name = kind.name if kind else own.condition
    return f"{own.platform}, {name}: {own.answer}{days}" + (f" ({said})" if said else "")


def _price(own: OwnPrice, catalogue: Catalogue) -> str:
    said = ", ".join(filter(None, (own.platform, own.source, own.as_of)))
    cached = own.cached_usd_per_mtok
    again = "" if cached is None else f" (${cached:.12g} where cached)"
    return (
        f"{catalogue.model(own.model).name}: ${own.input_usd_per_mtok:.12g} read{again} and "
        f"${own.output_usd_per_mtok:.12g} written per million tokens ({said})"
    )


def _sale(own: OwnSale, catalogue: Catalogue) -> str:
    until = f"on sale until {own.ends_on}" if own.ends_on else "on sale, no end date given"
    name = catalogue.model(own.model).name
    return f"{name} at {own.platform}: {until} ({own.source}, {own.as_of})"


def _rent(own: OwnRent, catalogue: Catalogue) -> str:
    return f"{own.gpu}: ${own.usd_per_gpu_hour:.12g} an hour ({own.source}, {own.as_of})"


def _owned(question: Question, catalogue: Catalogue) -> str:
    if question.hardware.gpus_owned is None:
        return "none, they are rented"
    return (
        f"{question.hardware.gpus_owned} × {question.hardware.gpu}"
        if question.hardware.gpu
        else "not used: no kind of GPU is chosen"
    )


def _all(
    field: str, each: Callable[[Any, Catalogue], str], none: str = "none"
) -> Callable[[Question, Catalogue], str]:
    return lambda asked, known: "; ".join(each(it, known) for it in asked.value(field)) or none


def _conditions(catalogue: Catalogue) -> dict[str, str]:
    kinds = catalogue.condition_kinds.values()
    return {kind.required: kind.id for kind in kinds if kind.wanted != "limit"}


def _conditions_before(catalogue: Catalogue) -> dict[str, str]:
    """Return what older links say, such as the name of what a condition asks the opposite of."""
    kinds = [catalogue.condition_kinds[kind] for kind in _conditions(catalogue).values()]
    return {said: kind.id for kind in kinds for said in (kind.name, *kind.older)}


def older_words(catalogue: Catalogue) -> dict[tuple[str, str], str]:
    """Return today's words by key and the words that an older link has in their place."""
    return {
        (control.key, before): words
        for control in CONTROLS
        if isinstance(control.kind, inputs.Several)
        for before, value in control.kind.older(catalogue).items()
        for words, it in control.kind.options(catalogue).items()
        if it == value and words != before
    }


def platforms(catalogue: Catalogue) -> dict[str, str]:
    """Return the platforms that sell or have sold a model, by name."""
    named = {it.platform for it in catalogue.platforms}
    named |= {it.platform for it in catalogue.lifecycle}
    return {name: name for name in sorted(named, key=str.lower)}


def languages(catalogue: Catalogue) -> dict[str, str]:
    """Return the languages in which there are tests, after all of them together."""
    named = {test.language for tests in catalogue.benchmarks.values() for test in tests} - {""}
    return {ALL_LANGUAGES: "", **{name: name for name in sorted(named)}}


def _gpus(catalogue: Catalogue) -> dict[str, str]:
    offered = dict.fromkeys(offer.gpu for offer in catalogue.gpus)
    return {CHEAPEST_GPU: "", **{gpu: gpu for gpu in offered}}


_TOKENS = inputs.Number(1, 1_000_000, 100, "As in MedHELM")
_TOKENS_HELP = (
    "A token is about three quarters of an English word. Left empty: what MedHELM's benchmarks of "
    "the category take, for the written part its maximum. Used while the numbers above are all 0."
)
_OWN_HELP = (
    "The form of an entry is: {}. They are part of the link. Remove one here; add or change one "
    "on its page."
)

CONTROLS = (
    Control(
        "language",
        "language",
        "Language of the work",
        inputs.OneOf(languages),
        lambda asked, _: asked.work.language or ALL_LANGUAGES.lower(),
        "Only tests in this language count. For many languages there are few.",
    ),
    Control(
        "access",
        "access",
        "Where it may run",
        inputs.OneOf(lambda _: {words: access for access, words in ACCESS.items()}),
        lambda asked, _: ACCESS[asked.access],
        "Anywhere: a vendor's service or your own servers. Open weights: models whose weights can "
        "be downloaded, wherever they run. A vendor's service: paid by the token. Our own servers "
        "only: open weights, and the cost is that of the servers.",
    ),
    Control(
        "platform",
        "platforms",
        "Platforms we have",
        inputs.Several(platforms, lambda _: {}, "Any platform"),
        lambda asked, _: "; ".join(asked.conditions.platforms) or "any",
        "The platforms that you have under contract. Price, sale, region and terms are judged "
        "only there, and your own servers count only where you ask for them.",
        limit="the choice of platforms",
    ),
    Control(
        "budget",
        "monthly_budget_usd",
        "Monthly budget, US dollars",
        inputs.Number(0, 100_000_000, 50, "No limit", whole=False),
        lambda asked, _: _limit(asked.limits.monthly_budget_usd, "${:,.2f} a month"),
        "Leaves out models that cost more for your workload. Models whose cost is unknown stay in "
        "the list and are marked: an unknown price is not a low one.",
        limit="the budget",
    ),
    Control(
        "max_params",
        "max_params_b",
        "Largest model",
        inputs.Size((1, 2, 3, 4, 8, 10, 14, 15, 20, 27, 33, 40, 70, 80, 123, 250)),
        lambda asked, _: _limit(asked.limits.max_params_b, "{:g} B parameters"),
        "Size in billions of parameters (B), the stand-in for cost where no price is known. Models "
        "of undisclosed size are left out under a limit, since nothing shows that they meet it. "
        "With 8 requests of 8,192 tokens at once, one 24 GB GPU holds about 8 B at 8 bits, and one "
        "80 GB GPU holds about 24 B at 16 bits or 34 B at 8 bits.",
        limit="the size limit",
    ),
    Control(
        "gates",
        "required",
        "Required conditions",
        inputs.Several(_conditions, _conditions_before, "No condition"),
        lambda asked, known: (
            "; ".join(
                known.condition_kinds[condition].required for condition in asked.conditions.required
            )
            or "none"
        ),
        "A model that fails one of these with every offer is left out, with the reason. "
        "If no source says, the model stays, with a question for the vendor. The page Conditions "
        "shows what is known, with source and date.",
    ),
    Control(
        "requests",
        "requests_per_month",
        "Requests a month",
        inputs.Number(1, MOST_REQUESTS, 1000),
        _workload("requests_per_month"),
        "Spread over the kinds of work by their weights. Volumes for each kind of request are "
        "under “Workload behind the bill” and take precedence over this number.",
    ),
    Control(
        "sale",
        "on_sale_months",
        "Must stay on sale for",
        inputs.Months((0, 3, 6, 12, 24)),
        lambda asked, _: sale_label(asked.sale.on_sale_months),
        "Leaves out models that no platform meeting your conditions will sell for that long, with "
        "the date and the successor that the maker names. Open weights can always be kept on own "
        "servers. "
        "If no source says, the model stays, with a question for the vendor.",
        "conditions",
        limit="the time on sale",
    ),
    Control(
        "sale_on",
        "on_sale_on",
        "Counted from",
        inputs.Day(),
        lambda asked, _: asked.sale.on_sale_on or "the day of the prices",
        "Left empty: the day of the prices.",
        "conditions",
    ),
    Control(
        "retention",
        "max_retention_days",
        "Longest data retention, days",
        inputs.Number(0, 99_999, 1),
        lambda asked, _: (
            "not asked"
            if asked.conditions.max_retention_days is None
            else counted(asked.conditions.max_retention_days, "day")
        ),
        "Days that a platform may store prompts and answers. 0 means not at all.",
        "conditions",
        limit="the limit on retention",
    ),
    Control(
        "window",
        "min_context_tokens",
        "Smallest context window, tokens",
        inputs.Number(1, 100_000_000, 1000),
        lambda asked, _: _limit(asked.conditions.min_context_tokens, "{:,} tokens", "not asked"),
        "The shortest context window that will do: the longest document and its answer together. "
        "A token is about three quarters of an English word.",
        "conditions",
        limit="the smallest context window",
    ),
    Control(
        "volumes",
        "volumes",
        "Volumes",
        inputs.Volumes(inputs.Number(0, MOST_REQUESTS, 100, whole=False)),
        _volumes,
        "",
        "workload",
    ),
    Control(
        "tokens_in",
        "input_tokens_per_request",
        "Tokens read for a request",
        _TOKENS,
        _workload("input_tokens_per_request"),
        _TOKENS_HELP,
        "workload",
    ),
    Control(
        "tokens_out",
        "output_tokens_per_request",
        "Tokens written for a request",
        _TOKENS,
        _workload("output_tokens_per_request"),
        _TOKENS_HELP,
        "workload",
    ),
    Control(
        "tokens_reasoning",
        "reasoning_tokens_per_request",
        "Hidden reasoning for a request, tokens",
        inputs.Number(0, 1_000_000, 100, "As measured"),
        _reasoning,
        "Some models reason before they answer. Nobody reads that part, and it is paid for like "
        "the answer. Left empty: what was measured on medical questions, low, likely and high. It "
        "comes on top of the tokens written.",
        "workload",
    ),
    Control(
        "cached",
        "cached_share",
        "Input read from cache, % of input tokens",
        inputs.Share(0, 100, 10),
        lambda asked, _: f"{asked.workload.cached_share * 100:.12g} %",
        "Many vendors charge less for long instructions that each request repeats, once they are "
        "cached. Where a list has no such rate, the full price is used.",
        "workload",
    ),
    Control(
        "prices",
        "prices_on",
        "Price list as of",
        inputs.Day(),
        lambda asked, _: asked.prices_on,
        "Left empty: the newest list. A copied link keeps the day of its prices, so that a "
        "colleague sees the same bills.",
        "workload",
    ),
    Control(
        "gpu",
        "gpu",
        "GPU of your own servers",
        inputs.OneOf(_gpus),
        lambda asked, _: asked.hardware.gpu or CHEAPEST_GPU.lower(),
        "A graphics processor, the part of a server that runs the model. For the cost on own "
        "servers.",
        "servers",
    ),
    Control(
        "owned",
        "gpus_owned",
        "How many of these GPUs we own",
        inputs.Number(1, 10_000, 1, "None: rented"),
        _owned,
        "Used where you ask for your own servers only and choose the GPU: models that do not fit "
        "are left out, and no rent is counted.",
        "servers",
        limit="the number of GPUs",
    ),
    Control(
        "bits",
        "bits",
        "Precision of the weights",
        inputs.OneOf(lambda _: BITS),
        lambda asked, _: f"{asked.hardware.bits} bits",
        "Fewer bits need less memory. They can cost quality: the scores shown elsewhere are for "
        "the precision that the benchmark used.",
        "servers",
    ),
    Control(
        "context",
        "context_tokens",
        "Tokens of one request, read and written",
        inputs.Number(1, 2_000_000, 1024),
        lambda asked, _: f"{asked.hardware.context_tokens:,}",
        "The longest request for which there must be room. Longer ones need more memory.",
        "servers",
    ),
    Control(
        "at_once",
        "concurrent",
        "Requests at once",
        inputs.Number(1, 10_000, 1),
        lambda asked, _: f"{asked.hardware.concurrent:,}",
        "Requests answered at the same time. Each keeps a cache in memory.",
        "servers",
    ),
    Control(
        "load",
        "utilisation",
        "Utilisation, % of the maximum load",
        inputs.Share(1, 100, 5),
        lambda asked, _: (
            f"{asked.hardware.utilisation * 100:.12g} %, on average over day and night"
        ),
        "The average over day and night; at 20 % the busiest hour may bring five times the "
        "average. No source says what a hospital reaches.",
        "servers",
    ),
    Control(
        "spares",
        "spares",
        "Spare sets of GPUs",
        inputs.Number(0, 100, 1),
        lambda asked, _: f"{asked.hardware.spares}",
        "Sets beyond those that the load needs, in case one fails: 1 is known as N + 1.",
        "servers",
    ),
    Control(
        "own_tokens",
        "own_tokens",
        "Your own tokens of a request",
        own_figures.OWN_TOKENS,
        _all("own_tokens", _tokens),
        _OWN_HELP.format("kind of request; read; written"),
        "own",
    ),
    Control(
        "own_answer",
        "own_answers",
        "Your own answers on conditions",
        own_figures.OWN_ANSWER,
        _all("own_answers", _answer),
        _OWN_HELP.format("platform or model; condition; answer; days; date; source; detail"),
        "own",
    ),
    Control(
        "own_sale",
        "own_sales",
        "Your own ends of sale",
        own_figures.OWN_SALE,
        _all("own_sales", _sale),
        _OWN_HELP.format("model; platform; end, or empty; date; source"),
        "own",
    ),
    Control(
        "own_price",
        "own_prices",
        "Your own prices",
        own_figures.OWN_PRICE,
        _all("own_prices", _price),
        _OWN_HELP.format(
            "model; US dollars per million tokens read; written; date; source; platform; cached"
        ),
        "own",
    ),
    Control(
        "own_rent",
        "own_rents",
        "Your own rents of GPUs",
        own_figures.OWN_RENT,
        _all("own_rents", _rent),
        _OWN_HELP.format("GPU; US dollars an hour; date; source"),
        "own",
    ),
    Control(
        "margin",
        "margin",
        "Margin for “as good”, points",
        inputs.Share(0, 20, 0.5),
        lambda asked, _: f"{asked.margin * 100:.12g} points out of 100",
        "How much worse a model may be and still count as “as good”, in points out of 100. It "
        "does so only where even the lower end of the interval is within this margin.",
        "more",
    ),
    Control(
        "only",
        "only",
        "Only these models",
        inputs.Models(),
        lambda asked, _: "; ".join(asked.limits.only) or "all models",
        "To choose among some models only, such as those you were offered. A whole cluster can "
        "be sent here from Evidence, Clusters.",
        "more",
        limit="your choice of models",
    ),
    Control(
        "overlap",
        "overlap_once",
        "Count overlapping benchmarks once",
        inputs.Switch(),
        lambda asked, _: (
            "yes, they share one vote" if asked.work.overlap_once else "no, each counts"
        ),
        "Benchmarks that rank the models alike share one vote, so that six exam subjects do not "
        "outvote one set of real notes. Evidence, Redundancy shows which ones overlap.",
        "more",
    ),
    Control(
        "flagged",
        "include_flagged",
        "Count flagged runs as well",
        inputs.Switch(),
        lambda asked, _: "yes" if asked.evidence.include_flagged else "no, they are left out",
        "A run is flagged where its scores do not look like those of an honest test of that "
        "model: a "
        "hint, not a verdict. Flagged runs stay out of every figure unless you bring them in. "
        "Data, Flags and changes lists each with its reason.",
        "more",
    ),
)
LIMITS = {control.field: control.limit for control in CONTROLS if control.limit}
"""The fields that may be dropped if nothing fits, with what each sets."""
BY_KEY = {control.key: control for control in CONTROLS}
