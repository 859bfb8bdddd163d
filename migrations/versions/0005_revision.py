"""What memories said before they were changed."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    script = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    op.get_bind().connection.dbapi_connection.run_async(lambda connection: connection.execute(script))


def downgrade() -> None:
    op.drop_index("memory_superseded", "memory", schema="cognitive", if_exists=True)
    op.drop_table("revision", schema="cognitive")
