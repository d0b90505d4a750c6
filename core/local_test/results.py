"""What a local test gave, item by item, without a word of any case or answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

COLUMNS = ("model", "item", "attempt", "rater", "score", "tokens", "seconds", "cost")


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """Scores of items, read from one file or several.

    No text of an input, an answer, an explanation or a message is held, neither here nor on the
    way here.
    """

    format: str
    """In words, such as "Inspect log"."""
    frame: pd.DataFrame
    """``COLUMNS``, sorted by model, item, rater and attempt.

    ``model`` and ``item`` are ids; ``attempt`` counts from 1; ``rater`` is empty where no person
    rated; ``score`` is 0 to 1 and never missing; ``tokens`` (read and written together),
    ``seconds`` and ``cost`` (US dollars) are NaN where not recorded.
    """
    settings: tuple[tuple[str, str, str], ...] = ()
    """(model, name, value) of each setting that the tool recorded, such as the temperature."""
    patients: Mapping[str, str] = field(default_factory=dict)
    """The hash of the patient that an item is of, where the files name one."""
    planned: int | None = None
    """Cases of the package, by the key of its rating sheets; ``None`` without a key."""
    passed_over: tuple[str, ...] = ()
    """A sentence on each kind of row or file that was not used, with how many and where."""
