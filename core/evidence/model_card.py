"""The fields of the CHAI Applied Model Card, and who can fill each in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from core.evidence.tables import Row, table

if TYPE_CHECKING:
    from pathlib import Path


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
    """Read the fields of a catalogue in the order of the card."""
    return table(
        folder / "model_card.csv",
        ModelCardField,
        empty=["why"],
        cells={"required": _required, "as_of": Row.date},
        unique=["section", "field"],
    )


def _required(row: Row, column: str) -> bool:
    return row.one_of(column, ("required", "optional")) == "required"
