"""Add the user of memories, turns and what belongs to them, and build the keys that begin with agent and user."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0104"
down_revision = "0103"


def upgrade() -> None:
    script = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    # through SQLAlchemy asyncpg would prepare the script, and a script of several statements cannot be prepared
    op.get_bind().connection.dbapi_connection.run_async(lambda connection: connection.execute(script))


def downgrade() -> None:
    op.execute("DROP INDEX IF EXISTS cognitive.memory_by_id")
    op.execute("""
        DO $$
        DECLARE
            found record;
        BEGIN
            FOR found IN
                SELECT table_name, column_name FROM information_schema.columns
                WHERE table_schema = 'cognitive' AND column_name IN ('user_id', 'scope_user_id')
                      AND (table_name, column_name) <> ('turn', 'user_id')
            LOOP
                EXECUTE format('ALTER TABLE cognitive.%I DROP COLUMN %I', found.table_name, found.column_name);
            END LOOP;
        END
        $$
    """)
