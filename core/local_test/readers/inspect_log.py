"""Inspect logs: one document (``.json``), or an archive of a header and samples (``.eval``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.evidence.imports.strict_json import as_number
from core.local_test.readers.collected import Rows, score_of, short_id
from core.local_test.readers.json_stream import MOST_SIGNS, decoded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from core.evidence.imports.upload import Upload
    from core.local_test.readers.sources import Archive

FORMAT = "Inspect log"
_HEADER, _SAMPLES = "header.json", "samples/"
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""What Inspect's ``value_to_float`` makes of correct, partial, incorrect and no answer."""


class InspectLog:
    """The samples of one log, scored by the scorer that Inspect itself puts first.

    That is its headline, else the first of its results, else the first of a sample. A scorer that
    gives several values counts with the one that Inspect puts first.
    """

    def __init__(self, upload: Upload, header: dict[str, Any]) -> None:
        about = header.get("eval")
        if not isinstance(about, dict):
            raise upload.fault("it is an Inspect log whose samples come before its header")
        self._rows = Rows(upload, FORMAT)
        self._model = self._rows.model_of(about.get("model"), "eval.model")
        self._task = short_id(about.get("task"))
        self._scorer, self._part = _first(header.get("results"))
        plan, packages = header.get("plan"), about.get("packages")
        for recorded in (
            about.get("config"),
            about.get("model_generate_config"),
            plan.get("config") if isinstance(plan, dict) else None,
        ):
            self._rows.set(self._model, recorded)
        version = packages.get("inspect_ai") if isinstance(packages, dict) else None
        self._rows.set(self._model, None, "Inspect", version)
        self._others: set[str] = set()
        if header.get("status") in ("started", "cancelled", "error"):
            self._rows.notes.append(f"the run did not end well (status {header['status']}).")

    def add(self, sample: object, place: str) -> None:
        """Take the score of one sample, and let all else of it go."""
        if not isinstance(sample, dict):
            raise self._rows.upload.fault("a sample is expected here", place)
        usage = sample.get("model_usage")
        used = usage.get(self._model) if isinstance(usage, dict) else None
        used = used if isinstance(used, dict) else {}
        self._rows.add(
            place,
            self._model,
            sample.get("id"),
            self._score(sample.get("scores")),
            task=self._task,
            attempt=self._rows.attempt_of(sample.get("epoch"), place),
            tokens=used.get("total_tokens"),
            seconds=sample.get("total_time"),
            cost=used.get("total_cost"),
        )

    def read(self) -> Rows:
        """Return what was taken."""
        if self._others:
            self._rows.notes.append(
                f"scores were given by {len(self._others) + 1} scorers or in several values; "
                "the one that Inspect names first counts."
            )
        return self._rows

    def _score(self, scores: object) -> float | None:
        if not isinstance(scores, dict) or not scores:
            return None
        name = self._scorer if self._scorer in scores else next(iter(scores))
        self._others.update(other for other in scores if other != name)
        found = scores[name]
        value = found.get("value") if isinstance(found, dict) else None
        if isinstance(value, dict) and value:
            part = self._part if self._part in value else next(iter(value))
            self._others.update(f"{name}/{other}" for other in value if other != part)
            value = value[part]
        if isinstance(value, str):
            if value in _LETTERS:
                return _LETTERS[value]
            known = _WORDS.get(value.lower())
            return as_number(value) if known is None else known
        return score_of(value)


def read_archive(archive: Archive) -> Rows:
    """Read an ``.eval`` file, sample by sample."""
    if _HEADER not in archive.names:
        raise archive.upload.fault(
            "it is an Inspect log without its header: the run did not end; let Inspect recover it"
        )
    header = decoded(archive.upload, archive.part(_HEADER, MOST_SIGNS), _HEADER)
    log = InspectLog(archive.upload, header if isinstance(header, dict) else {})
    for number, name in enumerate(_samples(archive.names), 1):
        # Not the part's name, which has the id of the sample.
        place = f"sample {number}"
        log.add(decoded(archive.upload, archive.part(name, MOST_SIGNS, place), place), place)
    return log.read()


def is_archive(names: Iterable[str]) -> bool:
    """Say whether an archive with such parts is an Inspect log."""
    return any(name == _HEADER or name.startswith("_journal/") for name in names)


def _samples(names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(_SAMPLES) and name.endswith(".json")]


def _first(results: object) -> tuple[str, str]:
    """Return the scorer, and which of its values, that the log's results put first."""
    results = results if isinstance(results, dict) else {}
    headline, scores = results.get("headline"), results.get("scores")
    if isinstance(headline, dict):
        return str(headline.get("scorer")), str(headline.get("score"))
    first = scores[0] if isinstance(scores, list) and scores else {}
    first = first if isinstance(first, dict) else {}
    return str(first.get("scorer")), str(first.get("name"))
