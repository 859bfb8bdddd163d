"""Index the links between memories, by which erasing, restoring and changing one finds the others."""

from __future__ import annotations

from alembic import op

revision = "0114"
down_revision = "0113"


def upgrade() -> None:
    """Change nothing here: the indexes are built concurrently."""


def downgrade() -> None:
    op.execute("DROP INDEX IF EXISTS cognitive.memory_supersedes")
    op.execute("DROP INDEX IF EXISTS cognitive.memory_replaced_by")
