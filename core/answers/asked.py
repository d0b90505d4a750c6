"""A question at the store that answers it, on a day: made once, at the door."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any, TypeVar

from core.domain import ALL_EVIDENCE, Evidence, Question, Selection
from core.evidence.store import Store
from core.memory import Memory, ResultFiles
from core.sharing import link

_Of = TypeVar("_Of", Evidence, Selection)


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

    @property
    def work_on(self) -> tuple[str, str, date]:
        """The kind of work, its language and the day, on which lines and grades depend."""
        return self.question.work.task, self.question.work.language, self.day

    def on(self, day: date) -> Asked:
        """Return the same question on another day."""
        return replace(self, day=day)

    def having(self, **values: Any) -> Asked:  # noqa: ANN401 - each field has its own type
        """Return the question with these fields, as `Question.having` takes them."""
        return ask(self.store, self.question.having(**values), self.day)

    def selection(self, suite: str = "") -> Selection:
        """Return the scores that the question is about, in its own or another suite.

        The protocol and the release belong to the question's own suite; another suite is taken
        with its defaults.
        """
        of = self.question.evidence
        if suite in ("", of.suite):
            return Selection(**asdict(of), language=self.question.work.language)
        other = Selection(suite, cohort=of.cohort, include_flagged=of.include_flagged)
        return resolved(self.store, other)

    @property
    def is_of_newest(self) -> bool:
        """Whether the scores are those of the newest release of the suite."""
        return self.question.evidence.revision == _newest(self.store, self.question.evidence.suite)


def ask(store: Store, question: Question, day: date) -> Asked:
    """Put a question to a store on a day, its release named and its protocol where not the usual.

    Without a release the newest is meant: both are one question. Where the suite has none, the
    question stays as it is, and who answers it says so.
    """
    return Asked(store, replace(question, evidence=resolved(store, question.evidence)), day)


def resolved(store: Store, of: _Of) -> _Of:
    """Return evidence or a selection with its release named, and no protocol where the usual."""
    return replace(
        of,
        revision=of.revision or _newest(store, of.suite),
        protocol=_unusual(store, of.suite, of.protocol),
    )


def _newest(store: Store, suite: str) -> str:
    return next((release.revision for release in store.of_suite(suite)), "")


def _unusual(store: Store, suite: str, protocol: str) -> str:
    known = store.catalogue.suites.get(suite)
    return "" if known is not None and protocol in known.protocols[:1] else protocol


def shortlist_link(asked: Asked, base_url: str = "") -> str:
    """Return the link to the page of a shortlist; empty where no page shows its cohort.

    The link names the snapshot and the day of the prices, so that it shows the same figures later.
    Without the address of the page it is the parameters alone, from ``?`` on.
    """
    store, of = asked.store, asked.question.evidence
    known = {(base.suite, base.cohort) for base in store.catalogue.evidence.values()}
    if of.suite == ALL_EVIDENCE.suite:
        label = link.label_of_all(store.snapshots)
    elif (of.suite, of.cohort) in known:
        label = link.data_label(store.snapshot(of.suite, of.revision))
    else:
        return ""
    pinned = replace(asked.question, prices_on=asked.day.isoformat())
    return link.to_url(base_url, link.to_query(pinned, store.catalogue, label))
