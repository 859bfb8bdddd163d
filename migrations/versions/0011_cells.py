"""Cells of neighbouring vectors, so that the time of a turn does not grow with an agent's memories."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    script = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    op.get_bind().connection.dbapi_connection.run_async(lambda connection: connection.execute(script))


def downgrade() -> None:
    for name, where in (("embedding_covering", "dimension <= 1200"), ("embedding_by_type", "dimension > 1200")):
        covered = " INCLUDE (memory_id, ordinal, embedding)" if name == "embedding_covering" else ""
        op.execute(f"DROP INDEX cognitive.{name}")
        op.execute(f"CREATE INDEX {name} ON cognitive.embedding (agent_id, model, field, type){covered} WHERE {where}")
    op.drop_column("embedding", "cell", schema="cognitive")
    op.drop_table("cell", schema="cognitive")
