"""The receipt of a shortlist: what it was made from, and a number that anyone can make again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal

from core.domain import Requirements
from core.sharing.controls import BY_KEY, CONTROLS
from core.sharing.link import PROTOCOLS, bounded, data_label, parse_url
from core.words.figures import UNKNOWN
from core.words.shortlist import by_rule, evidence_name, rule_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from core.domain import Dossier, Shortlist, Snapshot
    from core.evidence.catalogue import Catalogue
    from core.procurement.recommendation import Recommendation

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
            ("Public prices of", self.prices_on),
            *(
                (
                    f"Evidence: {s.suite}",
                    f"{s.revision}, as of {s.as_of or 'an unpublished day'}, retrieved "
                    f"{s.retrieved_at}, licence {s.licence}, sha256 {s.sha256}, {s.source_url}",
                )
                for s in self.snapshots
            ),
            ("Curated tables", f"sha256 {self.catalogue}"),
            ("Software", ", ".join(f"{name} {version}" for name, version in self.versions)),
            ("Link", self.link),
        )


def receipt(
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
        # What is taken, what else could do, and how each model stands to the leader.
        "decided": [
            *(chosen.strength, chosen.take, chosen.leader, chosen.step_down),
            *(chosen.choose, chosen.test_these, chosen.as_good, chosen.worth_testing),
            [[name, judged.tier] for name, judged in chosen.judged.items()],
        ],
        "left_out": [
            [rule_name(rule, found.requirements), sorted(out.model for out in several)]
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

    One per field of `Requirements`, in its order, then one per line of the workload. A requirement
    equal to its default counts as one that nobody set.
    """
    asked, usual = found.requirements, Requirements()
    words = _words(found, prices_on, catalogue)
    listed = [
        Assumption(
            *words[name],
            "fixed by the link"
            if name in _FIXED
            else "default"
            if getattr(asked, name) == getattr(usual, name)
            else "set by you",
        )
        for name in (field.name for field in fields(Requirements))
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
    asked = found.requirements
    snapshot = next((s for s in found.snapshots if s.suite == asked.suite), None)
    base = evidence_name(asked, catalogue) or "not offered as an evidence base"
    suite = catalogue.suites[asked.suite]
    protocol = asked.protocol or next(iter(suite.protocols), "")
    used = "; ".join(f"{name} {share:.1%}" for name, share in found.weights)
    return {
        **{it.field: (it.label, it.says(asked, catalogue)) for it in CONTROLS},
        "suite": ("Suite", suite.name),
        "cohort": ("Models compared", f"{asked.cohort} ({base})"),
        "protocol": ("Prompting", PROTOCOLS.get(protocol, protocol) or "one way only"),
        "revision": ("Version of the evidence", data_label(snapshot) if snapshot else UNKNOWN),
        "task": ("Task", catalogue.tasks[asked.task].name),
        "weights": ("Weights of the task categories", used or "no benchmark for this task"),
        "prices_on": (BY_KEY["prices"].label, prices_on.isoformat()),
    }
