"""Add the state of memories: when and why one is hidden, when it expires; its metadata and what it states."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0102"
down_revision = "0101"


def upgrade() -> None:
    script = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    # through SQLAlchemy asyncpg would prepare the script, and a script of several statements cannot be prepared
    op.get_bind().connection.dbapi_connection.run_async(lambda connection: connection.execute(script))


def downgrade() -> None:
    op.execute("UPDATE cognitive.alembic_version SET oldest = '0101'")
    op.execute("ALTER TABLE cognitive.memory RENAME COLUMN replaced_by TO superseded_by")
    for column in ("expires_at", "hidden_at", "hidden_reason", "metadata", "claim"):
        op.execute(f"ALTER TABLE cognitive.memory DROP COLUMN {column}")
    op.execute(
        "CREATE INDEX memory_superseded ON cognitive.memory (agent_id, occurred_at, seq) INCLUDE (id)"
        " WHERE superseded_by IS NOT NULL"
    )
