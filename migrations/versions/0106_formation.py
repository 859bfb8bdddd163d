"""Mark turns whose lines are still to form memories, and index what users prefer."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0106"
down_revision = "0105"


def upgrade() -> None:
    script = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    # through SQLAlchemy asyncpg would prepare the script, and a script of several statements cannot be prepared
    op.get_bind().connection.dbapi_connection.run_async(lambda connection: connection.execute(script))


def downgrade() -> None:
    op.execute("DROP INDEX IF EXISTS cognitive.turn_user_forming")
    op.execute("DROP INDEX IF EXISTS cognitive.memory_user_wishes")
    op.execute("ALTER TABLE cognitive.turn DROP COLUMN forming")
