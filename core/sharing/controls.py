"""The controls: what a question may ask, how each part is read, written and said.

The side bar, the reader and the writer of links, the defaults and the list of assumptions are made
from them. The table ``controls.csv`` has the field that each sets and its words; here are its kind
and how it is said. A new control is a field of ``Question``, a row of each, and what it does.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.domain import Access, ConditionAnswer, OwnPrice, OwnRent, OwnSale, OwnTokens, Question
from core.figures import counted, day_in_words
from core.sharing import inputs, own_figures
from core.sharing.inputs import Control, Kind, sale_label
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


def _workload(field: str) -> Callable[[Question, Catalogue], str]:
    """Say a number of the one workload, which volumes by kind of request replace."""

    def says(question: Question, catalogue: Catalogue) -> str:
        if question.workload.volumes:
            return "not used: volumes are given"
        return _limit(question.value(field), "{:,}", "as in MedHELM")

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
    day = day_in_words(own.as_of) if own.as_of else ""
    said = ", ".join(filter(None, (own.detail, own.source_url, day)))
    days = "" if own.days is None else f", {counted(own.days, 'day')}"
    name = kind.name if kind else own.condition
    return f"{own.platform}, {name}: {own.answer}{days}" + (f" ({said})" if said else "")


def _price(own: OwnPrice, catalogue: Catalogue) -> str:
    said = ", ".join(filter(None, (own.platform, own.source, day_in_words(own.as_of))))
    cached = own.cached_usd_per_mtok
    again = "" if cached is None else f" (${cached:.12g} where cached)"
    return (
        f"{catalogue.model(own.model).name}: ${own.input_usd_per_mtok:.12g} read{again} and "
        f"${own.output_usd_per_mtok:.12g} written per million tokens ({said})"
    )


def _sale(own: OwnSale, catalogue: Catalogue) -> str:
    until = (
        f"sold until {day_in_words(own.ends_on)}" if own.ends_on else "on sale, no end date given"
    )
    name = catalogue.model(own.model).name
    return f"{name} at {own.platform}: {until} ({own.source}, {day_in_words(own.as_of)})"


def _rent(own: OwnRent, catalogue: Catalogue) -> str:
    return (
        f"{own.gpu}: ${own.usd_per_gpu_hour:.12g} an hour ({own.source}, {day_in_words(own.as_of)})"
    )


def _retention(question: Question, catalogue: Catalogue) -> str:
    days = question.conditions.max_retention_days
    return "not asked" if days is None else counted(days, "day")


def _owned(question: Question, catalogue: Catalogue) -> str:
    if question.hardware.gpus_owned is None:
        return "none, they are rented"
    return (
        f"{question.hardware.gpus_owned} × {question.hardware.gpu}"
        if question.hardware.gpu
        else "not used: no kind of GPU is chosen"
    )


def _all(field: str, each: Callable[[Any, Catalogue], str]) -> Callable[[Question, Catalogue], str]:
    return lambda asked, known: "; ".join(each(it, known) for it in asked.value(field)) or "none"


def _conditions(catalogue: Catalogue) -> dict[str, str]:
    kinds = catalogue.condition_kinds.values()
    return {kind.required: kind.id for kind in kinds if kind.wanted != "limit"}


def languages(catalogue: Catalogue) -> dict[str, str]:
    """Return the languages in which there are tests, after all of them together."""
    named = {test.language for tests in catalogue.benchmarks.values() for test in tests} - {""}
    return {ALL_LANGUAGES: "", **{name: name for name in sorted(named)}}


def gpu_names(catalogue: Catalogue) -> dict[str, str]:
    """Return the GPUs of which a price is known, by names that say their memory."""
    sizes = {offer.gpu: f" {offer.memory_gb:g}GB" for offer in catalogue.gpus}
    return {f"{gpu.removesuffix(size)}{size}": gpu for gpu, size in sizes.items()}


def _gpus(catalogue: Catalogue) -> dict[str, str]:
    return {CHEAPEST_GPU: "", **gpu_names(catalogue)}


_TOKENS = inputs.Number(1, 1_000_000, 100, "As in MedHELM")
_ASKED: dict[str, tuple[Kind, Callable[[Question, Catalogue], str]]] = {
    "language": (
        inputs.OneOf(languages),
        lambda asked, _: asked.work.language or ALL_LANGUAGES.lower(),
    ),
    "access": (
        inputs.OneOf(lambda _: {words: access for access, words in ACCESS.items()}),
        lambda asked, _: ACCESS[asked.access],
    ),
    "platform": (
        inputs.Several(own_figures.platforms, "Any platform"),
        lambda asked, _: "; ".join(asked.conditions.platforms) or "any",
    ),
    "budget": (
        inputs.Number(0, 100_000_000, 50, "No limit", whole=False),
        lambda asked, _: _limit(asked.limits.monthly_budget_usd, "${:,.2f} a month"),
    ),
    "max_params": (
        inputs.Size((1, 2, 3, 4, 8, 10, 14, 15, 20, 27, 33, 40, 70, 80, 123, 250)),
        lambda asked, _: _limit(asked.limits.max_params_b, "{:g} B parameters"),
    ),
    "gates": (
        inputs.Several(_conditions, "No condition"),
        _all("required", lambda condition, known: known.condition_kinds[condition].required),
    ),
    "requests": (inputs.Number(1, MOST_REQUESTS, 1000), _workload("requests_per_month")),
    "sale": (
        inputs.Months((0, 3, 6, 12, 24, 36)),
        lambda asked, _: sale_label(asked.sale.on_sale_months),
    ),
    "sale_on": (inputs.Day(), lambda asked, _: asked.sale.on_sale_on or "the day of the prices"),
    "retention": (inputs.Number(0, 99_999, 1), _retention),
    "window": (
        inputs.Number(1, 100_000_000, 1000),
        lambda asked, _: _limit(asked.conditions.min_context_tokens, "{:,} tokens", "not asked"),
    ),
    "volumes": (inputs.Volumes(inputs.Number(0, MOST_REQUESTS, 100, whole=False)), _volumes),
    "tokens_in": (_TOKENS, _workload("input_tokens_per_request")),
    "tokens_out": (_TOKENS, _workload("output_tokens_per_request")),
    "tokens_reasoning": (inputs.Number(0, 1_000_000, 100, "As measured"), _reasoning),
    "cached": (
        inputs.Share(0, 100, 10),
        lambda asked, _: f"{asked.workload.cached_share * 100:.12g} %",
    ),
    "prices": (inputs.Day(), lambda asked, _: asked.prices_on),
    "gpu": (inputs.OneOf(_gpus), lambda asked, _: asked.hardware.gpu or CHEAPEST_GPU.lower()),
    "owned": (inputs.Number(1, 10_000, 1, "None: rented"), _owned),
    "bits": (inputs.OneOf(lambda _: BITS), lambda asked, _: f"{asked.hardware.bits} bits"),
    "context": (
        inputs.Number(1, 2_000_000, 1024),
        lambda asked, _: f"{asked.hardware.context_tokens:,}",
    ),
    "at_once": (inputs.Number(1, 10_000, 1), lambda asked, _: f"{asked.hardware.concurrent:,}"),
    "load": (
        inputs.Share(1, 100, 5),
        lambda asked, _: (
            f"{asked.hardware.utilisation * 100:.12g} %, on average over day and night"
        ),
    ),
    "spares": (inputs.Number(0, 100, 1), lambda asked, _: f"{asked.hardware.spares}"),
    "own_tokens": (own_figures.OWN_TOKENS, _all("own_tokens", _tokens)),
    "own_answer": (own_figures.OWN_ANSWER, _all("own_answers", _answer)),
    "own_sale": (own_figures.OWN_SALE, _all("own_sales", _sale)),
    "own_price": (own_figures.OWN_PRICE, _all("own_prices", _price)),
    "own_rent": (own_figures.OWN_RENT, _all("own_rents", _rent)),
    "margin": (
        inputs.Share(0, 20, 0.5),
        lambda asked, _: f"{asked.margin * 100:.12g} points out of 100",
    ),
    "only": (inputs.Models(), lambda asked, _: "; ".join(asked.limits.only) or "all models"),
    "overlap": (
        inputs.Switch(),
        lambda asked, _: (
            "yes, they share one vote" if asked.work.overlap_once else "no, each counts"
        ),
    ),
    "flagged": (
        inputs.Switch(),
        lambda asked, _: "yes" if asked.evidence.include_flagged else "no, they are left out",
    ),
}
"""Of each control its kind, and how what is asked is said."""


def _read(table: Path) -> tuple[Control, ...]:
    """Read the controls in their order, each with the field that it sets and its words."""
    with table.open(encoding="utf-8", newline="") as file:
        rows: list[dict[str, Any]] = list(csv.DictReader(file))
    kinds = [_ASKED[row["key"]] for row in rows]
    return tuple(
        Control(**row, kind=kind, says=says) for row, (kind, says) in zip(rows, kinds, strict=True)
    )


CONTROLS = _read(Path(__file__).with_name("controls.csv"))
LIMITS = {control.field: control.limit for control in CONTROLS if control.limit}
"""The fields that may be dropped if nothing fits, with what each sets."""
BY_KEY = {control.key: control for control in CONTROLS}
