"""The one long table that scores are in, whatever file or source they come from."""

from collections.abc import Iterable, Mapping

from core.domain import ModelFact, ScoreTable
from core.evidence.snapshots import SCORE_COLUMNS

ScoreRecord = Mapping[str, str | float | None]


def score_table(
    suite: str, records: Iterable[ScoreRecord], facts: Iterable[ModelFact] = ()
) -> ScoreTable:
    """Build a ``ScoreTable``; a column a source lacks is empty, a missing score ``nan``.

    A fact that is said several times is there once. Records that say in which ``row`` of their
    file they are number the frame by it.
    """
    import pandas as pd  # noqa: PLC0415 - a third of a second to import

    every = list(records)
    frame = pd.DataFrame.from_records(
        [{column: record.get(column, "") for column in SCORE_COLUMNS} for record in every],
        columns=SCORE_COLUMNS,
        index=[record.get("row", n) for n, record in enumerate(every)],
    )
    for column in ("score", "standard_error"):
        frame[column] = pd.to_numeric(frame[column])
    return ScoreTable(suite, frame, tuple(dict.fromkeys(facts)))
