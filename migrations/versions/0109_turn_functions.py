"""Add functions that write a turn, each statement of which concerns one agent and one table."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0109"
down_revision = "0107"

_ADDED = ("open_turn", "close_turn", "rate_memory", "add_to_counts")


def upgrade() -> None:
    script = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    # through SQLAlchemy asyncpg would prepare the script, and a script of several statements cannot be prepared
    op.get_bind().connection.dbapi_connection.run_async(lambda connection: connection.execute(script))


def downgrade() -> None:
    for name in _ADDED:  # the functions that were replaced have the same results
        op.execute(f"DROP FUNCTION cognitive.{name}")
