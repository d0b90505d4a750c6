"""Documents that are one object: the samples in it pass by, and its head is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.local_test.readers.inspect_log import InspectLog
from core.local_test.readers.promptfoo import Promptfoo

if TYPE_CHECKING:
    from core.evidence.imports.upload import Upload
    from core.local_test.readers.collected import Rows
    from core.local_test.readers.json_stream import JsonStream

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


def read(upload: Upload, stream: JsonStream) -> tuple[dict[str, Any], Rows | None]:
    """Return the head of a document, and the rows of an Inspect log or of promptfoo's results."""
    head: dict[str, Any] = {}
    log: InspectLog | None = None
    tests: Promptfoo | None = None
    for key in stream.members():
        if key == "samples" and stream.kind() == "[":
            log = log or InspectLog(upload, head)
            for place, sample in stream.elements():
                log.add(sample, place)
        elif _HEAD.get(key) and stream.kind() == "{":
            head[key], tests = _part(upload, stream, key, tests)
        elif key in _HEAD:
            head[key] = stream.value()
        else:
            stream.skip()
            if key == AVERAGES:
                head[key] = None
    stream.end()
    if log is not None:
        return head, log.read()
    return head, None if tests is None else tests.read(head)


def _part(
    upload: Upload, stream: JsonStream, key: str, tests: Promptfoo | None
) -> tuple[dict[str, Any], Promptfoo | None]:
    """Return what is kept of a member of the head, and take promptfoo's results where they are."""
    kept: dict[str, Any] = {}
    for inner in stream.members():
        if key == inner == "results" and stream.kind() == "[":
            tests = tests or Promptfoo(upload)
            for place, result in stream.elements():
                tests.add(result, place)
        elif inner in _HEAD[key]:
            kept[inner] = stream.value()
        else:
            stream.skip()
    return kept, tests
