"""What papers print beside what comes out here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.answers.remembering import remembered

if TYPE_CHECKING:
    from datetime import date

    from core.evidence.store import Store
    from core.published import Reproduced


@remembered(maxsize=4)
def reproduced(store: Store, on: date) -> tuple[Reproduced, ...]:
    """Return every published number beside the computed one. Errors as for ``reproduce``."""
    from core.published import reproduce  # noqa: PLC0415 - it asks the other answers

    return tuple(reproduce(store, store.data / "catalogue", on))
