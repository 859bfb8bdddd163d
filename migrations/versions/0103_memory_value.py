"""Add a table with the values of memories, by which filters look them up, and whether an agent's language was set."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0103"
down_revision = "0102"


def upgrade() -> None:
    script = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    # through SQLAlchemy asyncpg would prepare the script, and a script of several statements cannot be prepared
    op.get_bind().connection.dbapi_connection.run_async(lambda connection: connection.execute(script))


def downgrade() -> None:
    op.execute("UPDATE cognitive.alembic_version SET oldest = '0102'")
    # no later upgrade knows which languages were set: it keeps the languages of all agents
    op.execute("ALTER TABLE cognitive.agent_state DROP COLUMN language_chosen")
    op.execute("DROP TABLE cognitive.memory_value")
    op.execute("DROP FUNCTION cognitive.memory_values")
