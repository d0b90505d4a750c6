"""Products as their makers sell them: where, how long, and as which models of the suites."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Literal, cast

from core.domain import CrosswalkEntry, Lifecycle
from core.evidence.tables import rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from core.domain import Model
    from core.evidence.tables import Row

_STATUS = ("on sale", "deprecated", "shut down", "not found")
_KINDS = ("same version", "version not stated")


def lifecycle(folder: Path) -> tuple[Lifecycle, ...]:
    """Read ``lifecycle.csv``, one row per product, platform and name there.

    Raises
    ------
    BadDataError
        Naming the row: an unknown status, a day that is none, an end before its announcement,
        or a row that stands twice.
    """
    columns = (
        *("product", "platform", "provider_model", "status", "status_on", "deprecated_on"),
        *("shutdown_on", "successor", "source_url", "source_kind", "note", "conflict"),
    )
    found: dict[tuple[str, str, str], Lifecycle] = {}
    for row in rows(folder / "lifecycle.csv", columns):
        if (status := row.cells["status"]) not in _STATUS:
            raise row.fault(f'"{status[:40]}" in "status" must be one of {", ".join(_STATUS)}')
        row.text("status_on")
        it = Lifecycle(
            product=row.text("product"),
            platform=row.text("platform"),
            provider_model=row.cells["provider_model"],
            status=cast('Literal["on sale", "deprecated", "shut down", "not found"]', status),
            status_on=_day(row, "status_on"),
            deprecated_on=_day(row, "deprecated_on"),
            shutdown_on=_day(row, "shutdown_on"),
            successor=row.cells["successor"],
            source_url=row.text("source_url"),
            source_kind=row.text("source_kind"),
            note=row.cells["note"],
            conflict=row.cells["conflict"],
        )
        if it.shutdown_on and it.deprecated_on > it.shutdown_on:
            raise row.fault(f"it was shut down on {it.shutdown_on}, before it was deprecated")
        key = (it.product, it.platform, it.provider_model)
        if key in found:
            raise row.fault(f'"{it.product}" at {it.platform} stands twice')
        found[key] = it
    return tuple(found.values())


def crosswalk(
    folder: Path, models: Mapping[str, Model], sold: Sequence[Lifecycle]
) -> tuple[CrosswalkEntry, ...]:
    """Read ``crosswalk.csv``, one row per product and model.

    Parameters
    ----------
    folder
        The catalogue's folder.
    models
        By id; a row may name no other.
    sold
        The rows of ``lifecycle.csv``. A product of a closed model must be among them, so that
        a name that is spelled otherwise cannot hide its end.

    Raises
    ------
    BadDataError
        Naming the row: an unknown model or kind, a closed product without lifecycle, or a row
        that stands twice.
    """
    products = {it.product for it in sold}
    found: dict[tuple[str, str], CrosswalkEntry] = {}
    for row in rows(folder / "crosswalk.csv", ("product", "model", "kind", "reason")):
        if (kind := row.cells["kind"]) not in _KINDS:
            raise row.fault(f'"{kind[:40]}" in "kind" must be {" or ".join(_KINDS)}')
        it = CrosswalkEntry(
            product=row.text("product"),
            model=row.text("model"),
            kind=cast('Literal["same version", "version not stated"]', kind),
            reason=row.text("reason"),
        )
        if it.model not in models:
            raise row.fault(f'the model "{it.model}" is not in models.csv')
        if models[it.model].access == "closed" and it.product not in products:
            raise row.fault(f'the product "{it.product}" is not in lifecycle.csv')
        if (it.product, it.model) in found:
            raise row.fault(f'"{it.model}" stands twice under "{it.product}"')
        found[it.product, it.model] = it
    return tuple(found.values())


def _day(row: Row, column: str) -> str:
    value = row.cells[column]
    try:
        if value and date.fromisoformat(value).isoformat() != value:
            raise ValueError  # other ways to write a day do not sort as text
    except ValueError:
        raise row.fault(f'"{value[:40]}" in "{column}" must be a day such as 2026-11-22') from None
    return value
