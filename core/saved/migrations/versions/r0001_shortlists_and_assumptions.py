"""The first tables: saved shortlists, and named sets of own answers and prices.

A migration never changes once it was released, so it repeats what the tables were then.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make both tables."""
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
        sa.Column("saved_by", sa.String(320), nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_by", sa.String(320), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("shared", sa.Boolean, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
    )
    op.create_index("ix_saved_shortlist_saved_by", "saved_shortlist", ["saved_by"])
    op.create_table(
        "saved_assumptions",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("answers", sa.Text, nullable=False),
        sa.Column("prices", sa.Text, nullable=False),
        sa.Column("saved_by", sa.String(320), nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.UniqueConstraint("saved_by", "name", name="saved_assumptions_one_name"),
    )
