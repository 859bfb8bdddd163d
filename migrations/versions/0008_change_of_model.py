"""Which model an agent's reads use, as data; vectors of several models beside each other."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    script = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    op.get_bind().connection.dbapi_connection.run_async(lambda connection: connection.execute(script))


def downgrade() -> None:
    op.execute("DROP FUNCTION cognitive.model_of_most(text)")
    op.drop_table("turn_embedding", schema="cognitive")
    op.drop_table("embedding_model", schema="cognitive")
    op.drop_column("corpus", "model", schema="cognitive")
