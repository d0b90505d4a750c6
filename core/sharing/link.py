"""Question as a link, and back; and the receipt of what a link shows.

Whatever a link holds is untrusted. The keys are those of the controls on the screen and the values
the words on them, since the address bar and these functions must write the same link. A value that
equals its default is left out. The number of a receipt is one that anyone can make again.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import parse_qsl, urlencode

from core.domain import ALL_EVIDENCE, FIELDS, BadRequestError, Question
from core.figures import UNKNOWN
from core.procurement.shortlist import all_categories
from core.sharing.controls import BY_KEY, CONTROLS
from core.sharing.inputs import Number, Query, Reader, number_text, quoted_from_link, weight_key
from core.words.shortlist import by_rule, evidence_name, rule_name

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import date

    from core.domain import Benchmark, Dossier, EvidenceBase, Shortlist, Snapshot
    from core.evidence.catalogue import Catalogue
    from core.procurement.recommendation import Recommendation

QUESTION = ("evidence", "data", "protocol", "task", "category")
"""What the work and its evidence are; the other controls of the side bar are a table of their own,
in ``core.sharing.controls``."""
LEFT_OUT = "left_out"
"""Names what a link was too long to hold."""
PAGES = (
    # The open tab of each entry.
    *("recommend_tab", "replace_tab", "cost_tab", "conditions_tab", "evidence_tab"),
    *("local_test_tab", "data_tab", "model_tab"),
    *("model", "in_use", "rule", "proof", "beside"),  # Replace a model, and one model's page
    *("compare", "pair", "cost"),
    "hosted",  # Own servers
    *("test_against", "test_models", "test_margin", "judged", "power", "test_difference"),
    *("test_spread", "test_spread_marks", "raters", "rater_minutes"),  # Local test
    *("cases", "case_set", "test_cases", "judge", "open_raters"),
    *("show", "side", "clusters", "noise"),  # Taxonomy
    *("repeats_show", "method", "bench_a", "bench_b", "keep"),  # Redundancy
    *("part", "suite", "changed", "changed_from", "own_results"),
    "saved",
)
"""What single pages add."""
_FOLDS = re.compile(r"about-[a-z0-9-]{1,80}")


def of_a_page(key: str) -> bool:
    """Say whether a single page knows this key."""
    return key in PAGES or bool(_FOLDS.fullmatch(key))


PROTOCOLS = {
    "zero-shot": "Without examples",
    "few-shot": "With a few examples",
    "chain-of-thought": "Step by step",
}
OWN_TASK = "own"
MOST_WEIGHT = 100.0
_WEIGHT = Number(0, MOST_WEIGHT, 0.5, whole=False)
_MOVED = {"noharm": dict.fromkeys(("Severe harm", "Frequency", "Count"), "Safety")}
"""By suite: categories that older links weigh and that are shown only by now, with the one that
takes their weight."""
LONGEST_LINK = 8_000
"""The most characters of a link: browsers, mail and proxies pass these on unharmed."""
_MOST_UNREAD = 5
_DEFAULTS = Question()
_IN_WORDS = {
    "only": "the models to choose among",
    "own_answer": "your own answers",
    "own_price": "your own prices",
    "own_sale": "your own ends of sale",
    "own_rent": "your own rents",
    "own_tokens": "your own tokens",
    "category": "the task categories",
}
"""What may make a link long; other parameters go by their own names."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What a link came to: question, and a note on each value that was not usable."""

    evidence: EvidenceBase
    question: Question
    notes: tuple[str, ...]


def data_label(snapshot: Snapshot) -> str:
    """Name a snapshot so that a link can tell whether it is still the same."""
    return f"{snapshot.revision} ({snapshot.sha256[:8]})"


def label_of_all(snapshots: Sequence[Snapshot]) -> str:
    """Name all snapshots together so that a link can tell whether they are still the same."""
    digests = sorted(it.sha256 + it.facts_sha256 + it.items_sha256 for it in snapshots)
    return f"all ({hashlib.sha256(''.join(digests).encode()).hexdigest()[:8]})"


def to_query(question: Question, catalogue: Catalogue, data: str) -> list[tuple[str, str]]:
    """Write a question as the parameters that the controls would write.

    ``data`` names the snapshot, or all of them. A link without evidence means the first suite, so
    a question over all evidence says so.

    Raises
    ------
    BadRequestError
        When the app offers no evidence base for the suite and cohort, so no link shows it.
    """
    suite, base = question.evidence.suite, evidence_name(question, catalogue)
    if not base:
        raise BadRequestError(f"No page shows {suite} for the cohort {question.evidence.cohort}.")
    first = next(iter(catalogue.evidence.values()))
    query = [] if base == first.name else [("evidence", base)]
    query.append(("data", data))
    protocols = catalogue.suites[suite].protocols if suite else ()
    if question.evidence.protocol not in ("", *protocols[:1]):
        query.append(("protocol", PROTOCOLS[question.evidence.protocol]))
    if question.work.weights:
        query.append(("task", catalogue.tasks[OWN_TASK].name))
        own = dict(question.work.weights)
        for category in all_categories(catalogue.benchmarks[suite]):
            if (weight := own.get(category, 0.0)) > 0:
                query.append(("category", category))
                if weight != 1:
                    query.append((weight_key(category), number_text(weight)))
    elif question.work.task != _DEFAULTS.work.task:
        query.append(("task", catalogue.tasks[question.work.task].name))
    for control in CONTROLS:
        query += control.write(question, catalogue)
    return query


def to_url(base_url: str, query: Sequence[tuple[str, str]]) -> str:
    """Put parameters behind the address of a page, in place of any it has."""
    address = base_url.split("?", maxsplit=1)[0]
    root = "/" if address.count("/") == 2 else ""  # some mail programs end a link at a bare host
    return f"{address}{root}?{urlencode(query)}"


@dataclass(frozen=True, slots=True)
class Link:
    """A link of bounded length, and the keys of what did not fit."""

    url: str
    left_out: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """Say in a sentence what the link does not hold; empty where it holds everything."""
        return _incomplete(self.left_out)


def bounded(url: str, own: Query | None = None) -> Link:
    """Return a link with no more than ``LONGEST`` characters.

    Where it is longer, whole keys go, the longest first, and a parameter names them: whoever
    opens the link is told. An address longer than a thousand characters in front of it goes.

    Parameters
    ----------
    own
        Parameters of a single page, to be put behind the others.
    """
    address, _, query = url.partition("?")
    if len(address) > 1_000:
        address = ""
    asked = {**parse_url(f"?{query}"), **(own or {})}
    # What is too long by itself is not even written: its characters are a third or a ninth of it.
    left_out = [key for key, values in asked.items() if sum(map(len, values)) > LONGEST_LINK]
    parts = {
        key: urlencode([(key, value) for value in values])
        for key, values in asked.items()
        if key not in left_out
    }
    while True:
        told = [urlencode([(LEFT_OUT, ",".join(left_out))])] if left_out else []
        written = "&".join([*parts.values(), *told])
        made = f"{address}?{written}" if written else address
        if len(made) <= LONGEST_LINK:
            return Link(made, tuple(left_out))
        longest = max(parts, key=lambda key: len(parts[key]))
        del parts[longest]
        left_out.append(longest)


def _incomplete(keys: Sequence[str]) -> str:
    if not keys:
        return ""
    names = ", ".join(_IN_WORDS.get(key, key) for key in keys)
    return f"A link holds at most {LONGEST_LINK:,} characters; this one leaves out: {names}."


def parse_url(url: str) -> dict[str, list[str]]:
    """Return the parameters of a link or of a bare query string, values in their order."""
    # By hand, since urlsplit refuses some addresses, and whatever a link holds must open.
    address, mark, behind = url.partition("#")[0].partition("?")
    query = behind if mark else "" if "://" in address else address
    parameters: dict[str, list[str]] = {}
    for key, value in parse_qsl(query, keep_blank_values=True):
        parameters.setdefault(key, []).append(value)
    return parameters


def bases_of(catalogue: Catalogue, loaded: Collection[str]) -> list[EvidenceBase]:
    """Return the evidence bases whose suite is loaded; all of them where none is."""
    bases = list(catalogue.evidence.values())
    return [base for base in bases if base.suite in loaded] or bases


def keys(catalogue: Catalogue) -> frozenset[str]:
    """Return the parameters of the question that all pages share."""
    weights = {
        weight_key(category)
        for benchmarks in catalogue.benchmarks.values()
        for category in all_categories(benchmarks)
    }
    others = (key for control in CONTROLS for key in control.unset(catalogue))
    return frozenset((*QUESTION, *others)) | weights


def from_query(query: Query, catalogue: Catalogue, snapshots: Sequence[Snapshot]) -> Opened:
    """Read a question from the parameters of a link; nothing in it can fail.

    A value that is unknown, no number or out of range is replaced by its default, and a note
    says so. Parameters that no control of the shared question has are skipped, since a
    page may have its own.
    """
    reader = Reader(query)
    loaded = {snapshot.suite for snapshot in snapshots if snapshot.kind == "release"}
    bases = {base.name: base for base in bases_of(catalogue, loaded)}
    first = next(iter(bases))
    bases[ALL_EVIDENCE.name] = ALL_EVIDENCE
    # A link that names none means the first; of one that is not known here, all are asked.
    otherwise = ALL_EVIDENCE.name if reader.last("evidence") else first
    base = bases[reader.option("evidence", "Evidence base", bases, otherwise)]
    tasks = {task.name: task.id for task in catalogue.tasks.values()}
    own_task = catalogue.tasks[OWN_TASK].name
    if base is ALL_EVIDENCE and own_task in query.get("task", ()):
        base = bases[first]
        reader.notes.append(f"Own weights are of one suite: {base.name} is used.")
    of_suite: dict[str, str] = {}
    if base is ALL_EVIDENCE:
        del tasks[own_task]
        data = next(iter(query.get("data", ())), "")
        if data.startswith("all (") and data != label_of_all(snapshots):
            reader.notes.append("Its evidence has changed since; the answer is today's.")
    else:
        of_suite = _of_suite(reader, base, catalogue, snapshots)
    balanced = catalogue.tasks[_DEFAULTS.work.task].name
    task = tasks[reader.option("task", "Task", tasks, balanced)]
    weights: tuple[tuple[str, float], ...] = ()
    if task == OWN_TASK:
        weights = _weights(reader, base.suite, catalogue.benchmarks[base.suite])
    question = Question.of(
        suite=base.suite,
        cohort=base.cohort,
        **of_suite,
        task=task,
        weights=weights,
        **{control.field: control.read(reader, catalogue) for control in CONTROLS},
    )
    asked_in = question.work.language
    tests = catalogue.benchmarks.get(base.suite, ())
    if asked_in and base.suite and asked_in not in {test.language for test in tests}:
        name = catalogue.suites[base.suite].name
        reader.notes.append(f"{name} has no test in {asked_in}; all languages are used.")
        question = question.having(language="")
    if LEFT_OUT in query:
        asked = ",".join(query[LEFT_OUT]).split(",")
        ours = keys(catalogue)
        missing = [key for key in asked if key in ours or of_a_page(key)]
        reader.notes += filter(None, [_incomplete(missing[:9])])
    return Opened(base, question, tuple(reader.notes))


def unread(query: Query, catalogue: Catalogue) -> tuple[str, ...]:
    """Return a note on the names in a link that nothing reads, if any."""
    ours = keys(catalogue) | {LEFT_OUT, "login_fault"}
    strange = [key for key in query if key not in ours and not of_a_page(key)]
    named = ", ".join(map(quoted_from_link, strange[:_MOST_UNREAD]))
    return (f"Not known in a link, and not used: {named}.",) if strange else ()


def _of_suite(
    reader: Reader, base: EvidenceBase, catalogue: Catalogue, snapshots: Sequence[Snapshot]
) -> dict[str, str]:
    """Read which snapshot of a suite counts, and its prompting; both empty where nothing is set."""
    data = next(iter(reader.query.get("data", ())), "")
    own = [s for s in snapshots if s.suite == base.suite and s.kind == "release"]
    revision = next((s.revision for s in own if data_label(s) == data), "")
    if data and not revision and own:
        reader.notes.append(
            f"The evidence of this link, {quoted_from_link(data)}, is not here; "
            "the newest is shown."
        )
    # A suite's first is its default, which is not a choice.
    protocols = catalogue.suites[base.suite].protocols
    ways = {PROTOCOLS[one]: one if n else "" for n, one in enumerate(protocols)}
    protocol = ways[reader.option("protocol", "Prompting", ways, next(iter(ways)))] if ways else ""
    return {"revision": revision, "protocol": protocol}


def _weights(
    reader: Reader, suite: str, benchmarks: Sequence[Benchmark]
) -> tuple[tuple[str, float], ...]:
    """Read own weights in the order of the catalogue; what counts no more hands its weight on."""
    known = all_categories(benchmarks)
    moved = _MOVED.get(suite, {})
    found: dict[str, float] = {}
    for name in reader.options("category", "Task categories", [*known, *moved]):
        read = _WEIGHT.within(reader, weight_key(name), f"Weight of {name}")
        to = moved.get(name, name)
        found[to] = min(found.get(to, 0.0) + (1.0 if read is None else read), MOST_WEIGHT)
        if to != name:
            reader.notes.append(f"{name} is shown but no longer scored; its weight went to {to}.")
    return tuple((name, found[name]) for name in known if name in found)


_DIGITS = 12
_FIGURE = ".9g"
"""Figures enter the number with nine digits: processors may differ in the last ones of sixteen."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a shortlist was made from."""

    number: str
    """Twelve hexadecimal digits, the same wherever and whenever the same shortlist is made."""
    link: str
    made_on: str
    """ISO day on which the receipt was written; not part of the number."""
    prices_on: str
    """ISO day of the public prices."""
    snapshots: tuple[Snapshot, ...]
    catalogue: str
    """SHA-256 of the curated tables."""
    versions: tuple[tuple[str, str], ...]
    """The software that the figures depend on, with its version."""
    assumptions: tuple[Assumption, ...]

    def in_groups(self) -> str:
        """Return the number in groups of four digits, as people read it out."""
        return " ".join(self.number[i : i + 4] for i in range(0, _DIGITS, 4))

    def lines(self) -> tuple[tuple[str, str], ...]:
        """Return everything but the assumptions as pairs of a label and its value."""
        return (
            ("Number", self.in_groups()),
            ("Made on", self.made_on),
            ("Prices as of", self.prices_on),
            *(
                (
                    f"Evidence: {s.suite}",
                    f"{s.revision}, as of {s.as_of or 'an unstated date'}, retrieved "
                    f"{s.retrieved_at}, licence {s.licence}, sha256 {s.sha256}, {s.source_url}",
                )
                for s in self.snapshots
            ),
            ("Curated tables", f"sha256 {self.catalogue}"),
            ("Software", ", ".join(f"{name} {version}" for name, version in self.versions)),
            ("Link", self.link),
        )


def make_receipt(
    decided: Recommendation,
    *,
    link: str,
    made_on: date,
    prices_on: date,
    catalogue: Catalogue,
    fingerprint: str,
    versions: Mapping[str, str],
    rows: str | None = None,
) -> Receipt:
    """Write the receipt of a shortlist.

    Parameters
    ----------
    link
        The link that shows it, as `core.sharing.link.to_url` writes it: with the snapshot and the
        day of the prices. The address before its parameters is not part of the number. The
        number stands for all of it, and the receipt shows it bounded.
    fingerprint
        SHA-256 of the curated tables.
    versions
        Version by package; their order does not matter.
    rows
        `rows_fingerprint` of the rows, where it is known already.
    """
    found, software = decided.shortlist, tuple(sorted(versions.items()))
    chosen = decided.choice
    parts = {
        "question": sorted(
            (key, value) for key, values in parse_url(link).items() for value in values
        ),
        "prices_on": prices_on.isoformat(),
        "snapshots": [
            (s.suite, s.revision, s.sha256, s.facts_sha256, *filter(None, [s.items_sha256]))
            for s in found.snapshots
        ],
        "catalogue": fingerprint,
        "versions": software,
        "rows": rows_fingerprint(found.rows) if rows is None else rows,
        # What is taken, what else could do, and how each model compares with the leader.
        "decided": [
            *(chosen.strength, chosen.take, chosen.leader, chosen.step_down),
            *(chosen.choose, chosen.test_these, chosen.as_good, chosen.worth_testing),
            [[name, judged.tier] for name, judged in chosen.judged.items()],
        ],
        "left_out": [
            [rule_name(rule, found.question), sorted(out.model for out in several)]
            for rule, several in by_rule(found.left_out).items()
        ],
    }
    return Receipt(
        number=_digest(parts)[:_DIGITS],
        link=bounded(link).url,
        made_on=made_on.isoformat(),
        prices_on=prices_on.isoformat(),
        snapshots=found.snapshots,
        catalogue=fingerprint,
        versions=software,
        assumptions=assumptions(found, prices_on=prices_on, catalogue=catalogue),
    )


def rows_fingerprint(rows: Sequence[Dossier]) -> str:
    """Return the SHA-256 over the figures of rows in their order; no margin changes it."""

    def figure(value: float | None) -> str | None:
        return None if value is None else format(value, _FIGURE)

    return _digest(
        [
            [
                *(row.model.id, row.rank, row.rank_band),
                *map(figure, (row.score, row.ci_low, row.ci_high)),
                *(row.n_benchmarks, figure(row.cost.for_budget)),
            ]
            for row in rows
        ]
    )


def _digest(parts: Mapping[str, object] | Sequence[object]) -> str:
    canonical = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


_FIXED = ("revision", "prices_on")
"""What the link names even where the buyer left it open, so that it shows the same later."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """One thing that the figures depend on."""

    label: str
    value: str
    basis: Literal["default", "set by you", "fixed by the link", "from the above"]


def assumptions(
    found: Shortlist, *, prices_on: date, catalogue: Catalogue
) -> tuple[Assumption, ...]:
    """Say every requirement in words, then the workload that follows from them.

    One per field of `Question`, in its order, then one per line of the workload. A requirement
    equal to its default counts as one that nobody set.
    """
    asked = found.question
    words = _words(found, prices_on, catalogue)
    listed = [
        Assumption(
            *words[name],
            "fixed by the link"
            if name in _FIXED
            else "default"
            if asked.value(name) == _DEFAULTS.value(name)
            else "set by you",
        )
        for name in FIELDS
    ]
    for line in found.workload:
        read, written = line.profile.input_tokens, line.profile.output_tokens
        value = (
            f"{line.requests_per_month:,.0f} requests a month, {read:,.0f} tokens read and "
            f"{written:,.0f} written for each; tokens: {line.profile.basis}"
        )
        listed.append(Assumption(f"Workload: {line.category}", value, "from the above"))
    return tuple(listed)


def _words(found: Shortlist, prices_on: date, catalogue: Catalogue) -> dict[str, tuple[str, str]]:
    asked = found.question
    snapshot = next((s for s in found.snapshots if s.suite == asked.evidence.suite), None)
    base = evidence_name(asked, catalogue) or "not offered as an evidence base"
    suite = catalogue.suites[asked.evidence.suite]
    protocol = asked.evidence.protocol or next(iter(suite.protocols), "")
    used = "; ".join(f"{name} {share:.1%}" for name, share in found.weights)
    return {
        **{it.field: (it.label, it.says(asked, catalogue)) for it in CONTROLS},
        "suite": ("Suite", suite.name),
        "cohort": ("Models compared", f"{asked.evidence.cohort} ({base})"),
        "protocol": ("Prompting", PROTOCOLS.get(protocol, protocol) or "one way only"),
        "revision": ("Version of the evidence", data_label(snapshot) if snapshot else UNKNOWN),
        "task": ("Task", catalogue.tasks[asked.work.task].name),
        "weights": ("Weights of the task categories", used or "no benchmark for this task"),
        "prices_on": (BY_KEY["prices"].label, prices_on.isoformat()),
    }
