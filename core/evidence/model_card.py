"""The fields of the CHAI Applied Model Card, and who can fill each in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from core.evidence.procurement_facts import is_date
from core.evidence.tables import rows

if TYPE_CHECKING:
    from pathlib import Path

_COLUMNS = (
    *("section", "field", "description", "filled_by", "why", "required"),
    *("schema_version", "source_url", "as_of"),
)
_FILLED_BY = ("formulary", "both", "vendor")


@dataclass(frozen=True, slots=True)
class ModelCardField:
    """One field of the card."""

    section: str
    field: str
    description: str
    filled_by: Literal["formulary", "both", "vendor"]
    """Both: the formulary knows a part, which the vendor must complete."""
    why: str
    required: bool
    schema_version: str
    source_url: str
    as_of: str

    @property
    def path(self) -> str:
        """Section and field as the card's schema nests them."""
        return f"{self.section}/{self.field}"


def load(folder: Path) -> tuple[ModelCardField, ...]:
    """Read the fields in the order of the card.

    Parameters
    ----------
    folder
        The catalogue's folder.

    Raises
    ------
    BadDataError
        Naming the file and the row at fault.
    """
    found: dict[str, ModelCardField] = {}
    for row in rows(folder / "model_card.csv", _COLUMNS):
        if (filled_by := row.text("filled_by")) not in _FILLED_BY:
            raise row.fault(f'"{filled_by[:40]}" in "filled_by" must be formulary, both or vendor')
        if (required := row.text("required")) not in ("required", "optional"):
            raise row.fault(f'"{required[:40]}" in "required" must be required or optional')
        if not is_date(as_of := row.text("as_of")):
            raise row.fault(f'"{as_of[:40]}" in "as_of" must be an ISO date')
        field = ModelCardField(
            section=row.text("section"),
            field=row.text("field"),
            description=row.text("description"),
            filled_by=cast('Literal["formulary", "both", "vendor"]', filled_by),
            why=row.cells["why"],
            required=required == "required",
            schema_version=row.text("schema_version"),
            source_url=row.text("source_url"),
            as_of=as_of,
        )
        if field.path in found:
            raise row.fault(f'the field "{field.path}" stands twice')
        found[field.path] = field
    return tuple(found.values())
