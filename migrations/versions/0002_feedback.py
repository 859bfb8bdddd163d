"""What learning from turns needs: their life, policies, shadows, decoys, and past turns as a channel."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    script = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    op.get_bind().connection.dbapi_connection.run_async(lambda connection: connection.execute(script))


def downgrade() -> None:
    op.drop_table("shadow", schema="cognitive")
    op.drop_table("policy", schema="cognitive")
    op.drop_index("turn_taught", table_name="turn", schema="cognitive")
    op.drop_index("turn_open", table_name="turn", schema="cognitive")
    for table, columns in {
        "turn": ["opened_at", "reaped"],
        "exposure": ["lacked"],
        "usage_base": ["decoys", "decoys_used"],
    }.items():
        for column in columns:
            op.drop_column(table, column, schema="cognitive")
