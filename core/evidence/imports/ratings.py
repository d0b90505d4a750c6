"""Ratings of clinicians and of a jury on the same instances, as a hospital writes them down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.evidence.imports.csv_rows import csv_rows, note_passed_over, number, template_csv
from core.evidence.imports.upload import no_codes, opened, quoted

if TYPE_CHECKING:
    from core.domain import FloatArray
    from core.evidence.imports.upload import Upload

COLUMNS = ("rater", "role", "instance", "score")
ROLES = ("clinician", "jury")
_SHOWN = (("Clinician A", "clinician"), ("Clinician B", "clinician"), ("Jury", "jury"))
_MAX_ROWS = 20_000
_MAX_RATERS = 50
_MAX_INSTANCES = 2_000
_MAX_SCORE = 1e9


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Who scored what, in the order of the file."""

    raters: tuple[str, ...]
    in_jury: tuple[bool, ...]
    instances: tuple[str, ...]
    scores: FloatArray
    """Shape (n_instances, n_raters); ``nan`` where a rater did not score the instance."""
    notes: tuple[str, ...]
    """What was passed over, in sentences."""


def template() -> bytes:
    """Return the CSV to fill in: a header, and rows without a score that show its shape.

    UTF-8 with a byte order mark, which spreadsheets need.
    """
    return template_csv(
        COLUMNS,
        [(rater, role, f"note-{item}", "") for rater, role in _SHOWN for item in (1, 2, 3)],
    )


def read(name: str, data: bytes) -> Ratings:
    """Read a filled-in template, also as spreadsheets save it with semicolons or tabs.

    At most 20,000 rows, 50 raters and 2,000 instances. Rows without a score are gaps: passed
    over and counted in ``notes``.
    """
    notes: list[str] = []
    upload = opened(name, data)
    roles: dict[str, str] = {}
    found: dict[tuple[str, str], tuple[float, str]] = {}
    empty = 0
    for place, cells in csv_rows(
        upload, columns=COLUMNS, required=COLUMNS, most_rows=_MAX_ROWS, notes=notes
    ):
        score = number(upload, cells["score"], "score", place)
        if score is None:
            empty += 1
            continue
        if abs(score) > _MAX_SCORE:
            raise upload.fault(
                f"the score {quoted(cells['score'])} is beyond {_MAX_SCORE:,.0f}", place
            )
        rater = upload.label(cells["rater"], "rater", place)
        role = cells["role"].casefold()
        if role not in ROLES:
            raise upload.fault(
                f"the role {quoted(cells['role'])} is neither clinician nor jury", place
            )
        if roles.setdefault(rater, role) != role:
            raise upload.fault(f"this rater is a {role} here and a {roles[rater]} above", place)
        instance = upload.label(cells["instance"], "instance", place)
        if (rater, instance) in found:
            raise upload.fault(
                f"this rater has scored this instance already in {found[rater, instance][1]}",
                place,
            )
        found[rater, instance] = (score, place)
    if not found:
        raise upload.fault("it has no score")
    note_passed_over(empty, "score", notes)
    if warning := no_codes({instance for _, instance in found}):
        notes.append(f"{upload.name}: {warning}")
    return _as_table(upload, roles, found, notes)


def _as_table(
    upload: Upload,
    roles: dict[str, str],
    found: dict[tuple[str, str], tuple[float, str]],
    notes: list[str],
) -> Ratings:
    instances = list(dict.fromkeys(instance for _, instance in found))
    for what, count, limit in (
        ("raters", len(roles), _MAX_RATERS),
        ("instances", len(instances), _MAX_INSTANCES),
    ):
        if count > limit:
            raise upload.fault(f"it has {count:,} {what}, and at most {limit:,} can be compared")
    row = {name: i for i, name in enumerate(instances)}
    column = {name: j for j, name in enumerate(roles)}
    scores = np.full((len(row), len(column)), np.nan)
    for (rater, instance), (score, _) in found.items():
        scores[row[instance], column[rater]] = score
    scores.setflags(write=False)
    return Ratings(
        raters=tuple(roles),
        in_jury=tuple(role == "jury" for role in roles.values()),
        instances=tuple(instances),
        scores=scores,
        notes=tuple(notes),
    )
