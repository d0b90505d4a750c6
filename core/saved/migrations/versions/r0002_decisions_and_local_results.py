"""What was decided on a kept shortlist, and the hospital's own result on it in short.

What was kept before was not decided on: it is proposed, without days and without a result.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the columns."""
    status = sa.Column("status", sa.String(10), nullable=False, server_default="proposed")
    op.add_column("saved_shortlist", status)
    op.add_column("saved_shortlist", sa.Column("decided_on", sa.Date, nullable=True))
    op.add_column("saved_shortlist", sa.Column("review_by", sa.Date, nullable=True))
    op.add_column("saved_shortlist", sa.Column("local_result", sa.Text, nullable=True))
