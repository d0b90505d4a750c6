"""Everything that a shortlist assumes, in words, and whether the buyer set it."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Literal

from core.domain import Requirements
from core.sharing.controls import BY_KEY, CONTROLS
from core.sharing.link import PROTOCOLS, data_label
from core.words.figures import UNKNOWN
from core.words.shortlist import evidence_name

if TYPE_CHECKING:
    from datetime import date

    from core.domain import Shortlist
    from core.evidence.catalogue import Catalogue

Basis = Literal["default", "set by you", "fixed by the link", "from the above"]
_FIXED = ("revision", "prices_on")
"""What the link names even where the buyer left it open, so that it shows the same later."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """One thing that the figures depend on."""

    label: str
    value: str
    basis: Basis


def assumptions(
    found: Shortlist, *, prices_on: date, catalogue: Catalogue
) -> tuple[Assumption, ...]:
    """Say every requirement in words, then the workload that follows from them.

    One per field of `Requirements`, in its order, then one per line of the workload. A requirement
    equal to its default counts as one that nobody set.
    """
    asked = found.requirements
    words = _words(found, prices_on, catalogue)
    listed = []
    for field in fields(Requirements):
        label, value = words[field.name]
        same = field.default is not MISSING and getattr(asked, field.name) == field.default
        basis: Basis = "default" if same else "set by you"
        listed.append(
            Assumption(label, value, "fixed by the link" if field.name in _FIXED else basis)
        )
    for line in found.workload:
        read, written = line.profile.input_tokens, line.profile.output_tokens
        value = (
            f"{line.requests_per_month:,.0f} requests a month, {read:,.0f} tokens read and "
            f"{written:,.0f} written for each; tokens: {line.profile.basis}"
        )
        listed.append(Assumption(f"Workload: {line.category}", value, "from the above"))
    return tuple(listed)


def _words(found: Shortlist, prices_on: date, catalogue: Catalogue) -> dict[str, tuple[str, str]]:
    """Return label and value of each field of the requirements."""
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
