"""Memory, its indexes, turns and usage, under forced row level security."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    script = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    # asyncpg prepares what comes through SQLAlchemy, and a script of many statements cannot be prepared
    op.get_bind().connection.dbapi_connection.run_async(lambda connection: connection.execute(script))


def downgrade() -> None:
    for table in [
        "subtask",
        "artifact",
        "usage_base",
        "usage",
        "exposure",
        "turn",
        "session",
        "embedding",
        "posting",
        "passage",
        "memory",
        "corpus",
    ]:
        op.drop_table(table, schema="cognitive")
    op.execute("DROP FUNCTION cognitive.decayed")
