"""Policies that operators saved, and which of them holds for an agent."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    script = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    op.get_bind().connection.dbapi_connection.run_async(lambda connection: connection.execute(script))


def downgrade() -> None:
    op.drop_index("shadow_by_time", "shadow", schema="cognitive", if_exists=True)
    for table in ("choice", "candidate"):
        op.drop_table(table, schema="cognitive")
