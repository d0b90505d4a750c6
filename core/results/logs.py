"""Documents that are one object, whose samples pass by and whose head is kept.

Inspect's log (``.json``, or ``.eval``: an archive of a header and samples), and what promptfoo
writes as JSON: a result of each test, prompt and provider. Beside them Every Eval Ever's records of
instances, of its schema ``instance_level_eval`` 0.2.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from core.evidence.tables import as_number
from core.results.collected import Rows, amount, score_of, short_id
from core.results.files import MOST_SIGNS, decoded, inside

if TYPE_CHECKING:
    from collections.abc import Iterable

    from core.results.files import Archive, JsonStream, Upload

INSPECT, PROMPTFOO = "Inspect log", "promptfoo results"
INSTANCES = "Every Eval Ever instances"
AVERAGES = "evaluation_results"
"""What a document of Every Eval Ever has that holds no items."""
_HEAD: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("eval", "plan", "status"), ()),
    **dict.fromkeys(("adapter_spec", "name", "groups", "metric_specs", "model_name"), ()),
    "config": ("providers", "model_args", "model_name"),
    "metadata": ("promptfooVersion",),
    "results": ("headline", "scores"),
}
"""What is kept of a document besides its samples: of some keys only a part, since the rest may be
long and is text."""
HEADER, _SAMPLES = "header.json", "samples/"
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""What Inspect's ``value_to_float`` makes of correct, partial, incorrect and no answer."""
_IDS = ("case", "case_id", "item", "item_id", "id", "sample_id")
"""Where a test of promptfoo says which case it is, among its metadata or its variables."""


def read(upload: Upload, stream: JsonStream) -> tuple[dict[str, Any], Rows | None]:
    """Return the head of a document, and the rows of an Inspect log or of promptfoo's results."""
    head: dict[str, Any] = {}
    log: _Inspect | None = None
    tests: _Promptfoo | None = None
    for key in stream.members():
        if key == "samples" and stream.kind() == "[":
            log = log or _Inspect(upload, head)
            for place, sample in stream.elements():
                log.add(sample, place)
        elif _HEAD.get(key) and stream.kind() == "{":
            head[key], tests = _part(upload, stream, key, tests)
        else:
            value = stream.value()
            if key in (*_HEAD, AVERAGES):
                head[key] = value
    stream.end()
    if log is not None:
        return head, log.read()
    return head, None if tests is None else tests.read(head)


def _part(
    upload: Upload, stream: JsonStream, key: str, tests: _Promptfoo | None
) -> tuple[dict[str, Any], _Promptfoo | None]:
    """Return what is kept of a member of the head, and take promptfoo's results where they are."""
    kept: dict[str, Any] = {}
    for inner in stream.members():
        if key == inner == "results" and stream.kind() == "[":
            tests = tests or _Promptfoo(upload)
            for place, result in stream.elements():
                tests.add(result, place)
        else:
            value = stream.value()
            if inner in _HEAD[key]:
                kept[inner] = value
    return kept, tests


class _Inspect:
    """The samples of one log, by the scorer and the value that Inspect itself puts first."""

    def __init__(self, upload: Upload, header: dict[str, Any]) -> None:
        about = header.get("eval")
        if not isinstance(about, dict):
            raise upload.fault("it is an Inspect log whose samples come before its header")
        self._rows = Rows(upload, INSPECT)
        self._model = self._rows.model_of(about.get("model"), "eval.model")
        self._task = short_id(about.get("task"))
        # The scorer, and which of its values, that the log's results put first.
        results = inside(header, "results")
        scores = results.get("scores")
        first = inside(scores[0] if isinstance(scores, list) and scores else {})
        headline = results.get("headline")
        first, part = (headline, "score") if isinstance(headline, dict) else (first, "name")
        self._scorer, self._part = str(first.get("scorer")), str(first.get(part))
        for recorded in (about.get("config"), about.get("model_generate_config")):
            self._rows.set(self._model, recorded)
        self._rows.set(self._model, inside(header, "plan", "config"))
        version = inside(about, "packages").get("inspect_ai")
        self._rows.set(self._model, None, "Inspect", version)
        self._others: set[str] = set()
        if header.get("status") in ("started", "cancelled", "error"):
            self._rows.notes.append(f"the run did not end well (status {header['status']}).")

    def add(self, sample: object, place: str) -> None:
        """Take the score of one sample, and let all else of it go."""
        if not isinstance(sample, dict):
            raise self._rows.upload.fault("a sample is expected here", place)
        used = inside(sample, "model_usage", self._model)
        self._rows.add(
            place,
            self._model,
            sample.get("id"),
            self._score(inside(sample, "scores")),
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

    def _score(self, scores: dict[str, Any]) -> float | None:
        if not scores:
            return None
        name = self._scorer if self._scorer in scores else next(iter(scores))
        self._others.update(other for other in scores if other != name)
        value = inside(scores, name).get("value")
        if isinstance(value, dict) and value:
            part = self._part if self._part in value else next(iter(value))
            self._others.update(f"{name}/{other}" for other in value if other != part)
            value = value[part]
        if not isinstance(value, str):
            return score_of(value)
        known = _LETTERS.get(value, _WORDS.get(value.lower()))
        return as_number(value) if known is None else known


def read_archive(archive: Archive) -> Rows:
    """Read an ``.eval`` file, sample by sample."""
    if HEADER not in archive.names:
        raise archive.upload.fault(
            "it is an Inspect log without its header: the run did not end; let Inspect recover it"
        )
    header = decoded(archive.upload, archive.part(HEADER, MOST_SIGNS), HEADER)
    log = _Inspect(archive.upload, inside(header))
    names = [n for n in archive.names if n.startswith(_SAMPLES) and n.endswith(".json")]
    for number, name in enumerate(names, 1):
        # Not the part's name, which has the id of the sample.
        place = f"sample {number}"
        log.add(decoded(archive.upload, archive.part(name, MOST_SIGNS, place), place), place)
    return log.read()


class _Promptfoo:
    """The results of one file. A test without an id is known by its place, ``testIdx``.

    A case that a provider was asked several times (``--repeat``) has as many attempts. A result
    that ended in an error, not in a failed check, has no score, and neither has one that nothing
    checks: promptfoo writes 1 there.
    """

    def __init__(self, upload: Upload) -> None:
        self._rows = Rows(upload, PROMPTFOO)
        self._prompt: object = None
        self._models: dict[object, str] = {}
        self._asked: Counter[tuple[str, object]] = Counter()

    def add(self, result: object, place: str) -> None:
        """Take the score of one result, and let all else of it go."""
        if not isinstance(result, dict):
            raise self._rows.upload.fault("a result is expected here", place)
        provider = result.get("provider")
        given = provider if isinstance(provider, dict) else {"id": provider}
        model = self._rows.model_of(given.get("label") or given.get("id"), f"{place}.provider")
        self._models[model] = model
        if isinstance(given.get("id"), str):
            self._models.setdefault(given["id"], model)
        # promptIdx counts the prompts of all providers; the id is that of the prompt's own text.
        prompt = result.get("promptId")
        if self._prompt is None:
            self._prompt = prompt
        if prompt != self._prompt:
            self._rows.passed_over["result", ": of another prompt"] += 1
            return
        paths = (("testCase", "metadata"), ("metadata",), ("vars",))
        ids = (inside(result, *path).get(name) for path in paths for name in _IDS)
        found = (one for one in (*ids, result.get("testIdx")) if isinstance(one, str | int))
        item = next(found, None)
        self._asked[model, item] += 1
        checks = inside(result, "gradingResult").get("componentResults")
        is_checked = inside(result, "testCase").get("assert") or checks
        is_error = result.get("error") and result.get("failureReason") == 2
        self._rows.add(
            place,
            model,
            item,
            score_of(result.get("score")) if is_checked and not is_error else None,
            attempt=self._asked[model, item],
            tokens=inside(result, "tokenUsage").get("total"),
            seconds=amount(result.get("latencyMs")) / 1000,
            cost=result.get("cost"),
        )

    def read(self, head: dict[str, Any]) -> Rows:
        """Return what was taken, with the settings that the file's configuration gives."""
        providers = inside(head, "config").get("providers")
        version = inside(head, "metadata").get("promptfooVersion")
        for model in dict.fromkeys(self._models.values()):
            self._rows.set(model, None, "promptfoo", version)
        for provider in providers if isinstance(providers, list) else ():
            named = inside(provider).get("label") or inside(provider).get("id")
            if isinstance(named, str) and named in self._models:
                self._rows.set(self._models[named], provider.get("config"))
        return self._rows


def is_instance(record: object) -> bool:
    """Say whether a record is of an instance."""
    return isinstance(record, dict) and "sample_id" in record and "evaluation" in record


def read_instances(upload: Upload, records: Iterable[tuple[str, object]]) -> Rows:
    """Read the records; the score counts, else whether the answer is correct.

    A record stands for one metric: of several of one evaluation, the first of the file counts.
    """
    rows = Rows(upload, INSTANCES)
    metrics: dict[tuple[str, str, str], object] = {}
    others = 0
    for place, given in records:
        if not is_instance(given):
            raise upload.fault("a record with its sample_id and evaluation is expected here", place)
        record = inside(given)
        model = rows.model_of(record.get("model_id"), place)
        task = short_id(record.get("evaluation_name"))
        run, metric = record.get("evaluation_id"), record.get("evaluation_result_id")
        if metrics.setdefault((model, task, run if isinstance(run, str) else ""), metric) != metric:
            others += 1
            continue
        evaluation = inside(record, "evaluation")
        score = score_of(evaluation.get("score"))
        rows.add(
            place,
            model,
            record.get("sample_id"),
            score_of(evaluation.get("is_correct")) if score is None else score,
            task=task,
            tokens=inside(record, "token_usage").get("total_tokens"),
            seconds=amount(inside(record, "performance").get("latency_ms")) / 1000,
        )
    if others:
        rows.notes.append(f"{others:,} records of further metrics were passed over.")
    return rows
