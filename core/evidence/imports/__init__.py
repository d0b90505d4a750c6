"""A hospital's own results, read from what its evaluation tools or its people wrote.

Four formats are recognised by their content. What is read keeps each benchmark's own scale and
is marked *local* in its run ids; what is passed over is said in notes. Files are untrusted: every
fault is one sentence that names the file and the place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.evidence.imports import csv_template, every_eval_ever, helm, lm_eval, strict_json
from core.evidence.imports.collected import (
    MOST_MODELS,
    MOST_SCORES,
    Imported,
    check_size,
    known_suite,
)
from core.evidence.imports.csv_template import template
from core.evidence.imports.upload import MAX_BYTES, opened

if TYPE_CHECKING:
    from core.evidence.catalogue import Catalogue

__all__ = [
    "FORMATS",
    "MAX_BYTES",
    "MOST_MODELS",
    "MOST_SCORES",
    "Imported",
    "check_size",
    "read_upload",
    "template",
]

FORMATS = (helm.FORMAT, lm_eval.FORMAT, every_eval_ever.FORMAT, csv_template.FORMAT)


def read_upload(
    name: str, data: bytes, catalogue: Catalogue, *, suite: str | None = None
) -> Imported:
    """Read one file of results, whatever its format.

    Parameters
    ----------
    name : str
        The file's name, for messages; folders before it may name the model.
    data : bytes
        The content, of at most ``MAX_BYTES``.
    catalogue : Catalogue
        The suites and benchmarks that are known.
    suite : str, optional
        The suite that the scores belong to; without it the file must tell.

    Returns
    -------
    Imported
        The scores with run ids that start with ``local:`` and end with a digest of the content,
        so that the same file gives the same ids and another file never does.
    """
    if suite is not None:
        known_suite(catalogue, suite)
    upload = opened(name, data)
    if upload.text.lstrip()[:1] not in ("{", "["):
        return csv_template.read(upload, catalogue, suite)
    if upload.encoding != "utf-8":
        raise upload.fault("its JSON is not UTF-8 text: save it as UTF-8")
    document = strict_json.parsed(upload, upload.text)
    if records := every_eval_ever.records_of(document):
        return every_eval_ever.read(upload, records, catalogue, suite)
    if isinstance(document, dict) and isinstance(document.get("results"), dict):
        return lm_eval.read(upload, name, document, catalogue, suite)
    if tables := helm.tables_of(document):
        return helm.read(upload, tables, catalogue, suite)
    raise upload.fault(
        "it is JSON, but none of the formats that can be imported: "
        "HELM groups, lm-evaluation-harness or Every Eval Ever"
    )
