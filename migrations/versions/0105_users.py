"""Isolate users by row level security, replace the keys without a user, and count the memories of each user."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0105"
down_revision = "0104"


def upgrade() -> None:
    _run(".sql")


def downgrade() -> None:
    _run(".down.sql")


def _run(suffix: str) -> None:
    script = Path(__file__).with_suffix(suffix).read_text(encoding="utf-8")
    # through SQLAlchemy asyncpg would prepare the script, and a script of several statements cannot be prepared
    op.get_bind().connection.dbapi_connection.run_async(lambda connection: connection.execute(script))
