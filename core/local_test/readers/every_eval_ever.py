"""Instance records of Every Eval Ever (schema ``instance_level_eval`` 0.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.local_test.readers.collected import Rows, amount, score_of, short_id

if TYPE_CHECKING:
    from collections.abc import Iterable

    from core.evidence.imports.upload import Upload

FORMAT = "Every Eval Ever instances"


def is_record(record: object) -> bool:
    """Say whether a record is of this format."""
    return isinstance(record, dict) and "sample_id" in record and "evaluation" in record


def read(upload: Upload, records: Iterable[tuple[str, object]]) -> Rows:
    """Read the records; the score counts, else whether the answer is correct.

    A record stands for one metric: of several of one evaluation, the first of the file counts.
    """
    rows = Rows(upload, FORMAT)
    metrics: dict[tuple[str, str, str], object] = {}
    others = 0
    for place, record in records:
        if not is_record(record):
            raise upload.fault("a record with its sample_id and evaluation is expected here", place)
        assert isinstance(record, dict)
        model = rows.model_of(record.get("model_id"), place)
        task = short_id(record.get("evaluation_name"))
        run = record.get("evaluation_id")
        key = (model, task, run if isinstance(run, str) else "")
        if metrics.setdefault(key, record.get("evaluation_result_id")) != record.get(
            "evaluation_result_id"
        ):
            others += 1
            continue
        evaluation, usage, performance = (
            found if isinstance(found := record.get(name), dict) else {}
            for name in ("evaluation", "token_usage", "performance")
        )
        score = score_of(evaluation.get("score"))
        rows.add(
            place,
            model,
            record.get("sample_id"),
            score_of(evaluation.get("is_correct")) if score is None else score,
            task=task,
            tokens=usage.get("total_tokens"),
            seconds=amount(performance.get("latency_ms")) / 1000,
        )
    if others:
        rows.notes.append(f"{others:,} records of further metrics were passed over.")
    return rows
