"""What promptfoo writes as JSON: a result of each test, prompt and provider."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from core.local_test.readers.collected import Rows, amount, counted, score_of

if TYPE_CHECKING:
    from core.evidence.imports.upload import Upload

FORMAT = "promptfoo results"
_IDS = ("case", "case_id", "item", "item_id", "id", "sample_id")
"""Where a test says which case it is, among its metadata or its variables."""


class Promptfoo:
    """The results of one file. A test without an id is known by its place, ``testIdx``.

    A case that a provider was asked several times (``--repeat``) has as many attempts. A result
    that ended in an error, not in a failed check, has no score, and neither has one that nothing
    checks: promptfoo writes 1 there.
    """

    def __init__(self, upload: Upload) -> None:
        self._rows = Rows(upload, FORMAT)
        self._prompt: object = None
        self._others = 0
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
            self._others += 1
            return
        item = _item(result)
        self._asked[model, item] += 1
        score = score_of(result.get("score"))
        if (result.get("error") and result.get("failureReason") == 2) or not _is_checked(result):
            score = None
        usage = result.get("tokenUsage")
        self._rows.add(
            place,
            model,
            item,
            score,
            attempt=self._asked[model, item],
            tokens=usage.get("total") if isinstance(usage, dict) else None,
            seconds=amount(result.get("latencyMs")) / 1000,
            cost=result.get("cost"),
        )

    def read(self, head: dict[str, Any]) -> Rows:
        """Return what was taken, with the settings that the file's configuration gives."""
        config = head.get("config")
        providers = config.get("providers") if isinstance(config, dict) else None
        metadata = head.get("metadata")
        version = metadata.get("promptfooVersion") if isinstance(metadata, dict) else None
        for model in dict.fromkeys(self._models.values()):
            self._rows.set(model, None, "promptfoo", version)
        for provider in providers if isinstance(providers, list) else ():
            named = provider.get("label") or provider.get("id") if isinstance(provider, dict) else 0
            if isinstance(named, str) and named in self._models:
                self._rows.set(self._models[named], provider.get("config"))
        if self._others:
            self._rows.notes.append(
                f"{counted(self._others, 'result')} passed over: of another prompt."
            )
        return self._rows


def _is_checked(result: dict[str, Any]) -> bool:
    """Say whether the test has a check, or its grading is made up of some."""
    case, grading = result.get("testCase"), result.get("gradingResult")
    return bool(
        (isinstance(case, dict) and case.get("assert"))
        or (isinstance(grading, dict) and grading.get("componentResults"))
    )


def _item(result: dict[str, Any]) -> str | int | None:
    """Return what tells the case: an id that it has, else the test's place."""
    case = result.get("testCase")
    metadata = case.get("metadata") if isinstance(case, dict) else None
    for given in (metadata, result.get("metadata"), result.get("vars")):
        for name in _IDS if isinstance(given, dict) else ():
            if isinstance(given.get(name), str | int):  # type: ignore[union-attr]
                return given[name]  # type: ignore[index,no-any-return]
    place = result.get("testIdx")
    return place if isinstance(place, int) else None
