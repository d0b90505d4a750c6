"""Answers on gates as a CSV to edit in a spreadsheet and import again."""

from __future__ import annotations

import csv
import io
from dataclasses import astuple, fields
from typing import TYPE_CHECKING

from core.domain import GateAnswer
from core.sharing.export import neutral

if TYPE_CHECKING:
    from collections.abc import Sequence


def gates_csv(answers: Sequence[GateAnswer]) -> bytes:
    """Write answers on gates as CSV, in the manner of ``core.sharing.export.to_csv``.

    The columns are those of ``data/catalogue/gates.csv``. ``core.evidence.imports.gates.read``
    reads the file back to the same answers. Unknown cells are empty.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([field.name for field in fields(GateAnswer)])
    writer.writerows([[neutral(cell) for cell in astuple(answer)] for answer in answers])
    return text.getvalue().encode("utf-8-sig")
