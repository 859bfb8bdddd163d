"""Where a memory's words come from, and what was erased when."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    script = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    op.get_bind().connection.dbapi_connection.run_async(lambda connection: connection.execute(script))


def downgrade() -> None:
    op.drop_table("erasure", schema="cognitive")
    op.drop_column("memory", "trust", schema="cognitive")
