"""A question at the store that answers it, on a day: made once, at the door."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from core.domain import Question, Selection
from core.evidence.store import Store
from core.memory import Memory, ResultFiles


@dataclass(frozen=True, slots=True)
class Asked:
    """What every answer depends on. Make it with `ask`, which names the release."""

    store: Store
    question: Question
    day: date
    """Of the public prices, and from which months of sale are counted."""

    @property
    def memory(self) -> Memory:
        """Where results are remembered."""
        return self.store.memory

    @property
    def files(self) -> ResultFiles | None:
        """Results of earlier processes."""
        return self.store.files

    @property
    def key(self) -> tuple[Question, date]:
        """What tells two of one store apart."""
        return self.question, self.day

    def of(self, question: Question) -> Asked:
        """Return another question, at the same store and on the same day."""
        return ask(self.store, question, self.day)

    def on(self, day: date) -> Asked:
        """Return the same question on another day."""
        return replace(self, day=day)

    def having(self, **values: Any) -> Asked:  # noqa: ANN401 - each field has its own type
        """Return the question with these fields, as `Question.having` takes them."""
        return self.of(self.question.having(**values))

    def selection(self, suite: str = "") -> Selection:
        """Return the scores that the question is about, in its own or another suite.

        The protocol and the release belong to the question's own suite; another suite is taken
        with its defaults.
        """
        asked = self.question.evidence
        if suite not in ("", asked.suite):
            return resolved(
                self.store,
                Selection(suite, cohort=asked.cohort, include_flagged=asked.include_flagged),
            )
        return Selection(
            suite=asked.suite,
            cohort=asked.cohort,
            protocol=asked.protocol,
            revision=asked.revision,
            include_flagged=asked.include_flagged,
            language=self.question.work.language,
        )

    @property
    def is_of_newest(self) -> bool:
        """Whether the scores are those of the newest release of the suite."""
        return self.question.evidence.revision == _newest(self.store, self.question.evidence.suite)


def ask(store: Store, question: Question, day: date) -> Asked:
    """Put a question to a store on a day, its release named and its protocol where not the usual.

    Without a release the newest is meant: both are one question. Where the suite has none, the
    question stays as it is, and who answers it says so.
    """
    evidence = question.evidence
    revision = evidence.revision or _newest(store, evidence.suite)
    protocol = _unusual(store, evidence.suite, evidence.protocol)
    if (revision, protocol) != (evidence.revision, evidence.protocol):
        evidence = replace(evidence, revision=revision, protocol=protocol)
        question = replace(question, evidence=evidence)
    return Asked(store, question, day)


def resolved(store: Store, selection: Selection) -> Selection:
    """Return a selection with its release named, as `ask` names that of a question."""
    return replace(
        selection,
        revision=selection.revision or _newest(store, selection.suite),
        protocol=_unusual(store, selection.suite, selection.protocol),
    )


def _newest(store: Store, suite: str) -> str:
    return next((release.revision for release in store.of_suite(suite)), "")


def _unusual(store: Store, suite: str, protocol: str) -> str:
    known = store.catalogue.suites.get(suite)
    return "" if known is not None and protocol in known.protocols[:1] else protocol
