"""The first table: the lists that somebody kept.

A migration never changes once it was released, so it repeats what the table was then. It has the
number of the layout that databases from before the first release already have; these have more
columns, which are left as they are and not read.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "saved_shortlist",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("evidence", sa.Text, nullable=False),
        sa.Column("priced_on", sa.String(10), nullable=False),
        sa.Column("receipt", sa.Text, nullable=False),
        sa.Column("records", sa.Text, nullable=False),
        sa.Column("n_models", sa.Integer, nullable=False),
        sa.Column("first_model", sa.Text, nullable=False),
        sa.Column("saved_by", sa.String(320), nullable=False, index=True),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_by", sa.String(320), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("shared", sa.Boolean, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
    )
