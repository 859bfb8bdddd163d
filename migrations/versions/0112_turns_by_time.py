"""Index an agent's turns by time, for the lists of operators."""

from __future__ import annotations

from alembic import op

revision = "0112"
down_revision = "0111"


def upgrade() -> None:
    """Change nothing here: the index is built concurrently."""


def downgrade() -> None:
    op.execute("DROP INDEX IF EXISTS cognitive.turn_agent_time")
