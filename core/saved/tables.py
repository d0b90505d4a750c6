"""The table of the saved shortlists, as this version of the program knows them.

The migrations make it, and ``saved_assumptions`` beside them, which earlier versions filled with
named sets of own answers and prices and nothing reads any more; a test compares the two. Times
are in UTC.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import (
    Boolean,
    Column,
    Date,
    DateTime,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
)

from core.saved.kept import LONGEST_NAME, LONGEST_OWNER

if TYPE_CHECKING:
    from sqlalchemy import Dialect


class UtcTime(TypeDecorator[datetime]):
    """A moment with its time zone, which SQLite forgets: written and read in UTC."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Turn a moment into UTC before it is written."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Put the time zone back where the database has none."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


METADATA = MetaData()

SHORTLISTS = Table(
    "saved_shortlist",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("name", String(LONGEST_NAME), nullable=False),
    Column("note", Text, nullable=False),
    Column("query", Text, nullable=False),
    Column("evidence", Text, nullable=False),
    Column("priced_on", String(10), nullable=False),
    Column("receipt", Text, nullable=False),
    Column("records", Text, nullable=False),
    Column("n_models", Integer, nullable=False),
    Column("first_model", Text, nullable=False),
    Column("saved_by", String(LONGEST_OWNER), nullable=False, index=True),
    Column("saved_at", UtcTime, nullable=False),
    Column("changed_by", String(LONGEST_OWNER), nullable=False),
    Column("changed_at", UtcTime, nullable=False),
    Column("shared", Boolean, nullable=False),
    Column("version", Integer, nullable=False),
    Column("status", String(10), nullable=False, server_default="proposed"),
    Column("decided_on", Date),
    Column("review_by", Date),
    Column("local_result", Text),
)
