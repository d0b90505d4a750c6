"""Which evidence answers a question: tests of the work that is asked, models that fit, and new."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from core.answers.data import ALL_MODELS
from core.answers.recommend import shortlist
from core.answers.remembering import remembered
from core.domain import Requirements
from core.sharing.link import OWN_TASK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from core.domain import EvidenceBase
    from core.evidence.store import Store

_A_CHOICE = 5
"""Evidence in which so many models fit has a choice to offer."""
_KINDS_OF_WORK = 3
"""Evidence on so many of MedHELM's five categories is on all kinds of work."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """Evidence with what speaks for it."""

    base: EvidenceBase
    n_fit: int
    before: tuple[tuple[str, int], ...] = ()
    """Names of the evidence that comes first for this work, and how few models fit there."""

    @property
    def why(self) -> str:
        """Say how many fit, and how few in what else would have been asked."""
        fit = "fits" if self.n_fit == 1 else "fit"
        said = ""
        for name, n_fit in self.before[:1]:
            said = f"; of {name} {f'only {n_fit}' if n_fit else 'none'}"
        return f"{self.base.name}: {self.n_fit} of its models {fit}{said}"


@remembered(maxsize=64)
def proposed_evidence(store: Store, requirements: Requirements, on: date) -> Proposed | None:
    """Return the evidence to answer a question with; ``None`` where none does.

    Of the evidence with tests of the task, that which may decide goes before that which may not,
    and then in the order of the catalogue, MedHELM first and BRIDGE second: the first in which
    five models fit, else the one in which most do. Evidence in the requirements has no say. Own
    weights name the categories of one suite, so no other is proposed for them.
    """
    found: Proposed | None = None
    before: list[tuple[str, int]] = []
    for base in _of_the_task(store, requirements):
        n_fit = fitting(store, requirements, base, on)
        if found is None or n_fit > found.n_fit:
            found = Proposed(base, n_fit, tuple(before))
        if n_fit >= _A_CHOICE:
            break
        before.append((base.name, n_fit))
    return found if found and found.n_fit else None


def others_that_answer(
    store: Store, requirements: Requirements, on: date
) -> tuple[tuple[EvidenceBase, int], ...]:
    """Return the other evidence with tests of the task and models that fit, and how many."""
    found = (
        (base, fitting(store, requirements, base, on))
        for base in _of_the_task(store, requirements)
        if base.suite != requirements.suite
    )
    return tuple((base, n_fit) for base, n_fit in found if n_fit)


def fitting(store: Store, requirements: Requirements, base: EvidenceBase, on: date) -> int:
    """Count the models that fit when the same question is put to other evidence."""
    there = replace(
        requirements,
        suite=base.suite,
        cohort=base.cohort,
        protocol="",
        revision="",
        only=(),
        include_flagged=False,
    )
    return sum(row.rank is not None for row in shortlist(store, there, on).rows)


def _of_the_task(store: Store, requirements: Requirements) -> Iterator[EvidenceBase]:
    """Yield evidence over all models of a suite with tests of the task, the best kind first."""
    if requirements.task == OWN_TASK:
        return
    catalogue = store.catalogue
    named = {suite for suite, _ in catalogue.tasks[requirements.task].weights}

    def answers(base: EvidenceBase) -> bool:
        tests = catalogue.benchmarks.get(base.suite, ())
        if base.cohort != ALL_MODELS or not store.of_suite(base.suite) or not tests:
            return False
        if not any(test.domain == "domain-specific" for test in tests):
            return False
        if requirements.task != Requirements().task:
            return base.suite in named
        kinds = {category for category, _ in catalogue.places.values()}
        places = {
            catalogue.places.get((it.suite, it.category, it.subcategory), (it.category, ""))[0]
            for it in tests
        }
        return len(places & kinds) >= _KINDS_OF_WORK

    yield from sorted(
        filter(answers, catalogue.evidence.values()),
        key=lambda base: not catalogue.suites[base.suite].decides,
    )
