"""Requirements as a link, and back. Whatever a link holds is untrusted.

The keys are those of the controls on the screen and the values the words on them, since the
address bar and these functions must write the same link. A value that equals its default is
left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from core.domain import Access, BadRequestError, Requirements
from core.procurement.requirements import all_categories
from core.sharing import link_keys, own_figures
from core.sharing.link_keys import volume_key, weight_key
from core.sharing.link_reader import (
    LIMITS,
    Reader,
    number_text,
    quoted,
    sale_label,
    size_label,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from core.domain import Benchmark, EvidenceBase, Snapshot
    from core.evidence.catalogue import Catalogue

ACCESS: dict[Access, str] = {
    "any": "Anywhere",
    "open": "Open weights, anywhere",
    "vendor": "A vendor's service",
    "own": "Our own servers only",
}
CHEAPEST_GPU = "The cheapest that holds the model"
PROTOCOLS = {
    "zero-shot": "Without examples",
    "few-shot": "With a few examples",
    "chain-of-thought": "Step by step",
}
OWN_TASK = "own"
_MOVED = {"noharm": dict.fromkeys(("Severe harm", "Frequency", "Count"), "Safety")}
"""By suite: categories that older links weigh and that are shown only by now, with the one that
takes their weight."""
LONGEST = 8_000
"""A link has at most so many signs: browsers, mail and proxies pass these on unharmed."""
_LONGEST_ADDRESS = 1_000
_DEFAULTS = Requirements()
_IN_WORDS = {
    "only": "the models to choose among",
    "own_answer": "your own answers",
    "own_price": "your own prices",
    "own_tokens": "your own tokens",
    "category": "the task categories",
}
"""What may make a link long; other parameters go by their own names."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What a link came to: requirements, and a note on each value that was not usable."""

    evidence: EvidenceBase
    requirements: Requirements
    notes: tuple[str, ...]


def data_label(snapshot: Snapshot) -> str:
    """Name a snapshot so that a link can tell whether it is still the same."""
    return f"{snapshot.revision} ({snapshot.sha256[:8]})"


def to_query(
    requirements: Requirements, catalogue: Catalogue, snapshot: Snapshot
) -> list[tuple[str, str]]:
    """Write requirements as the parameters that the controls would write.

    Raises
    ------
    BadRequestError
        When the app offers no evidence base for the suite and cohort, so no link shows it.
    """
    base = next(
        (
            base
            for base in catalogue.evidence.values()
            if (base.suite, base.cohort) == (requirements.suite, requirements.cohort)
        ),
        None,
    )
    if base is None:
        raise BadRequestError(
            f"No page shows {requirements.suite} for the cohort {requirements.cohort}."
        )
    query: list[tuple[str, str]] = []
    first = next(iter(catalogue.evidence.values()))
    if base is not first:
        query.append(("evidence", base.name))
    query.append(("data", data_label(snapshot)))
    default_protocol = next(iter(catalogue.suites[base.suite].protocols), "")
    if requirements.protocol not in ("", default_protocol):
        query.append(("protocol", PROTOCOLS[requirements.protocol]))
    if requirements.weights:
        query.append(("task", catalogue.tasks[OWN_TASK].name))
        own = dict(requirements.weights)
        for category in all_categories(catalogue.benchmarks[base.suite]):
            if (weight := own.get(category, 0.0)) > 0:
                query.append(("category", category))
                if weight != 1:
                    query.append((weight_key(category), number_text(weight)))
    elif requirements.task != _DEFAULTS.task:
        query.append(("task", catalogue.tasks[requirements.task].name))
    if requirements.access != _DEFAULTS.access:
        query.append(("access", ACCESS[requirements.access]))
    if requirements.max_params_b is not None:
        query.append(("max_params", size_label(requirements.max_params_b)))
    for key, value, default in (
        ("budget", requirements.monthly_budget_usd, None),
        ("requests", requirements.requests_per_month, _DEFAULTS.requests_per_month),
        ("tokens_in", requirements.input_tokens_per_request, None),
        ("tokens_out", requirements.output_tokens_per_request, None),
        ("tokens_reasoning", requirements.reasoning_tokens_per_request, None),
        ("margin", round(requirements.margin * 100, 10), _DEFAULTS.margin * 100),
    ):
        if value is not None and value != default:
            query.append((key, number_text(value)))
    query += _purchase(requirements, catalogue)
    query += [("only", model) for model in requirements.only]
    switches = (("flagged", requirements.include_flagged), ("overlap", requirements.overlap_once))
    return [*query, *((key, "true") for key, on in switches if on)]


def _purchase(requirements: Requirements, catalogue: Catalogue) -> list[tuple[str, str]]:
    """Write what a purchase assumes: volumes, gates, and the hospital's own figures."""
    query = [(volume_key(kind), number_text(n)) for kind, n in requirements.volumes]
    query += [("own_tokens", own_figures.tokens_line(own)) for own in requirements.own_tokens]
    gate_kinds = catalogue.procurement.gate_kinds
    query += [("gates", gate_kinds[gate].required) for gate in requirements.gates]
    for key, limit in (
        ("retention", requirements.max_retention_days),
        ("window", requirements.min_context_tokens),
    ):
        if limit is not None:
            query.append((key, str(limit)))
    query += [("own_answer", own_figures.answer_line(own)) for own in requirements.own_answers]
    query += [("own_price", own_figures.price_line(own)) for own in requirements.own_prices]
    if requirements.gpu:
        query.append(("gpu", requirements.gpu))
    if requirements.prices_on:
        query.append(("prices", requirements.prices_on))
    if requirements.on_sale_months != _DEFAULTS.on_sale_months:
        query.append(("sale", sale_label(requirements.on_sale_months)))
    if requirements.on_sale_on:
        query.append(("sale_on", requirements.on_sale_on))
    return query


def to_url(base_url: str, query: Sequence[tuple[str, str]]) -> str:
    """Put parameters behind the address of a page, in place of any it has."""
    return f"{base_url.split('?', maxsplit=1)[0]}?{urlencode(query)}"


@dataclass(frozen=True, slots=True)
class Link:
    """A link of bounded length, and the keys of what did not fit."""

    url: str
    left_out: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """Say in a sentence what the link does not hold; empty where it holds everything."""
        return _incomplete(self.left_out)


def bounded(url: str, own: Mapping[str, Sequence[str]] | None = None) -> Link:
    """Return a link with no more than ``LONGEST`` signs.

    Where it is longer, whole keys go, the longest first, and a parameter names them: whoever
    opens the link is told. An address in front that is itself longer than a thousand signs goes.

    Parameters
    ----------
    own
        Parameters of a single page, to be put behind the others.
    """
    address, _, query = url.partition("?")
    if len(address) > _LONGEST_ADDRESS:
        address = ""
    asked = {**parse_url(f"?{query}"), **(own or {})}
    # What is too long by itself is not even written: its signs are a third or a ninth of it.
    left_out = [key for key, values in asked.items() if sum(map(len, values)) > LONGEST]
    parts = {
        key: urlencode([(key, value) for value in values])
        for key, values in asked.items()
        if key not in left_out
    }
    while True:
        told = [urlencode([(link_keys.LEFT_OUT, ",".join(left_out))])] if left_out else []
        written = "&".join([*parts.values(), *told])
        made = f"{address}?{written}" if written else address
        if len(made) <= LONGEST:
            return Link(made, tuple(left_out))
        longest = max(parts, key=lambda key: len(parts[key]))
        del parts[longest]
        left_out.append(longest)


def _incomplete(keys: Sequence[str]) -> str:
    if not keys:
        return ""
    names = ", ".join(_IN_WORDS.get(key, key) for key in keys)
    return f"A link holds at most {LONGEST:,} signs; this one does not hold: {names}."


def parse_url(url: str) -> dict[str, list[str]]:
    """Return the parameters of a link or of a bare query string, values in their order."""
    # By hand, since urlsplit refuses some addresses, and whatever a link holds must open.
    address, mark, behind = url.partition("#")[0].partition("?")
    query = behind if mark else "" if "://" in address else address
    parameters: dict[str, list[str]] = {}
    for key, value in parse_qsl(query, keep_blank_values=True):
        parameters.setdefault(key, []).append(value)
    return parameters


def offered(catalogue: Catalogue, loaded: Collection[str]) -> list[EvidenceBase]:
    """Return the evidence bases whose suite is loaded; all of them where none is."""
    bases = list(catalogue.evidence.values())
    return [base for base in bases if base.suite in loaded] or bases


def from_query(
    query: Mapping[str, Sequence[str]], catalogue: Catalogue, snapshots: Sequence[Snapshot]
) -> Opened:
    """Read requirements from the parameters of a link; nothing in it can fail.

    A value that is unknown, no number or out of range is replaced by its default, and a note
    says so. Parameters that no control of the shared question has are passed over, since a
    page may have its own.
    """
    reader = Reader(query)
    loaded = {snapshot.suite for snapshot in snapshots if snapshot.kind == "release"}
    bases = {base.name: base for base in offered(catalogue, loaded)}
    base = bases[reader.option("evidence", "The evidence", bases, next(iter(bases)))]
    suite = catalogue.suites[base.suite]
    data = next(iter(query.get("data", ())), "")
    own = [s for s in snapshots if s.suite == base.suite and s.kind == "release"]
    revision = next((s.revision for s in own if data_label(s) == data), "")
    if data and not revision and own:
        reader.notes.append(
            f"The evidence of this link, {quoted(data)}, is not here; the newest is shown."
        )
    protocols = {PROTOCOLS[protocol]: protocol for protocol in suite.protocols}
    protocol = ""
    if protocols:
        default = next(iter(protocols))
        protocol = protocols[reader.option("protocol", "The prompting", protocols, default)]
        protocol = "" if protocol == suite.protocols[0] else protocol
    tasks = {task.name: task.id for task in catalogue.tasks.values()}
    balanced = catalogue.tasks[_DEFAULTS.task].name
    task = tasks[reader.option("task", "The task", tasks, balanced)]
    weights: tuple[tuple[str, float], ...] = ()
    if task == OWN_TASK:
        weights = _weights(reader, base.suite, catalogue.benchmarks[base.suite])
    access_names = {name: access for access, name in ACCESS.items()}
    access = access_names[reader.option("access", "The place", access_names, ACCESS["any"])]
    margin = reader.number("margin", "The margin", "margin", _DEFAULTS.margin * 100)
    requests = reader.whole("requests", "The requests a month")
    gpus = (CHEAPEST_GPU, *dict.fromkeys(offer.gpu for offer in catalogue.procurement.gpus))
    gpu = reader.option("gpu", "The GPU", gpus, CHEAPEST_GPU)
    facts = catalogue.procurement
    # Links from before said "Training on customer data" for that it must not happen.
    gate_names = {
        name: kind.id
        for kind in facts.gate_kinds.values()
        if kind.wanted != "limit"
        for name in (kind.required, kind.name)
    }
    requirements = Requirements(
        suite=base.suite,
        cohort=base.cohort,
        protocol=protocol,
        revision=revision,
        task=task,
        weights=weights,
        access=access,
        max_params_b=reader.size(),
        monthly_budget_usd=reader.amount("budget", "The budget"),
        requests_per_month=_DEFAULTS.requests_per_month if requests is None else requests,
        input_tokens_per_request=reader.whole("tokens_in", "The input tokens"),
        output_tokens_per_request=reader.whole("tokens_out", "The output tokens"),
        reasoning_tokens_per_request=reader.whole("tokens_reasoning", "The hidden reasoning"),
        gpu="" if gpu == CHEAPEST_GPU else gpu,
        margin=margin / 100,
        only=reader.models(),
        volumes=tuple(
            (kind.id, number)
            for kind in facts.requests
            if (number := reader.number(volume_key(kind.id), kind.name, "volume", 0.0)) > 0
        ),
        own_tokens=reader.own(
            "own_tokens",
            lambda line: own_figures.read_tokens(line, facts.requests),
            lambda own: own.kind,
        ),
        gates=tuple(
            dict.fromkeys(
                gate_names[name]
                for name in reader.options("gates", "The condition", list(gate_names))
            )
        ),
        max_retention_days=reader.whole("retention", "The days that data may be kept"),
        min_context_tokens=reader.whole("window", "The tokens to read at once"),
        own_answers=reader.own(
            "own_answer",
            lambda line: own_figures.read_answer(line, facts.gate_kinds),
            lambda own: (own.platform, own.gate),
        ),
        own_prices=reader.own("own_price", own_figures.read_price, lambda own: own.model),
        prices_on=reader.day("prices", "The day of the prices"),
        on_sale_months=reader.sale(_DEFAULTS.on_sale_months),
        on_sale_on=reader.day("sale_on", "The day of sale"),
        include_flagged=reader.switch("flagged", "The choice of flagged runs"),
        overlap_once=reader.switch("overlap", "The choice of overlapping benchmarks"),
    )
    asked = ",".join(query.get(link_keys.LEFT_OUT, ())).split(",")
    ours = link_keys.shared(catalogue)
    if note := _incomplete([key for key in asked if key in ours or link_keys.of_a_page(key)][:9]):
        reader.notes.append(note)
    return Opened(base, requirements, tuple(reader.notes))


def _weights(
    reader: Reader, suite: str, benchmarks: Sequence[Benchmark]
) -> tuple[tuple[str, float], ...]:
    """Read own weights in the order of the catalogue; what counts no more hands its weight on."""
    known = all_categories(benchmarks)
    moved = _MOVED.get(suite, {})
    found: dict[str, float] = {}
    for name in reader.options("category", "The task category", [*known, *moved]):
        weight = reader.number(weight_key(name), f"The weight of {name}", "weight", 1.0)
        to = moved.get(name, name)
        found[to] = min(found.get(to, 0.0) + weight, LIMITS["weight"][1])
        if to != name:
            reader.notes.append(f"{name} is shown but no longer scored; its weight went to {to}.")
    return tuple((name, found[name]) for name in known if name in found)
