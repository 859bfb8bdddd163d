"""Create the schema: memories and their indexes, turns, sessions, policies, counts, under forced row level security.

Databases at a revision below 0101 were made before this migration; no version of this package can upgrade them.
"""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0101"
down_revision = None


def upgrade() -> None:
    script = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    # through SQLAlchemy asyncpg would prepare the script, and a script of several statements cannot be prepared
    op.get_bind().connection.dbapi_connection.run_async(lambda connection: connection.execute(script))


def downgrade() -> None:
    for function in ("decay", "add_counts", "most_common_model"):
        op.execute(f"DROP FUNCTION cognitive.{function}")
    op.execute("""
        DO $$
        DECLARE
            name text;
        BEGIN
            FOR name IN
                SELECT tablename FROM pg_tables WHERE schemaname = 'cognitive' AND tablename <> 'alembic_version'
            LOOP
                EXECUTE format('DROP TABLE cognitive.%I CASCADE', name);
            END LOOP;
        END
        $$
    """)
    op.execute("ALTER TABLE cognitive.alembic_version DROP COLUMN oldest")
