"""Cells of neighbouring vectors, so that the time of a turn does not grow with an agent's memories."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    script = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    op.get_bind().connection.dbapi_connection.run_async(lambda connection: connection.execute(script))


def downgrade() -> None:
    op.execute("DROP INDEX IF EXISTS cognitive.embedding_by_cell, cognitive.embedding_long_by_cell")
    op.execute(
        "CREATE INDEX IF NOT EXISTS embedding_covering ON cognitive.embedding (agent_id, model, field, type)"
        " INCLUDE (memory_id, ordinal, embedding) WHERE dimension <= 1200"
    )
    op.execute(
        "CREATE INDEX IF NOT EXISTS embedding_by_type ON cognitive.embedding (agent_id, model, field, type)"
        " WHERE dimension > 1200"
    )
    op.drop_column("embedding", "cell", schema="cognitive")
    op.drop_table("cell", schema="cognitive")
