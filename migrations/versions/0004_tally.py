"""What turns came to, counted by the hour, for those who look at many."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    script = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    op.get_bind().connection.dbapi_connection.run_async(lambda connection: connection.execute(script))


def downgrade() -> None:
    op.drop_index("exposure_by_memory", "exposure", schema="cognitive")
    op.create_index("exposure_by_memory", "exposure", ["agent_id", "memory_id"], schema="cognitive")
    op.drop_table("tally", schema="cognitive")
    op.execute("DROP FUNCTION cognitive.counts_added(integer[], integer[])")
    for column in ("runtime", "measures"):
        op.drop_column("turn", column, schema="cognitive")
    op.drop_column("exposure", "tokens", schema="cognitive")
