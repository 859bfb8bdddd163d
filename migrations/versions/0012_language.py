"""The language of an agent's words."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    script = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    op.get_bind().connection.dbapi_connection.run_async(lambda connection: connection.execute(script))


def downgrade() -> None:
    op.drop_column("passage", "languages", schema="cognitive")
    op.drop_column("corpus", "becoming", schema="cognitive")
    op.drop_column("corpus", "language", schema="cognitive")
