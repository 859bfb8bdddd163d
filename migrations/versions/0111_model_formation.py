"""Note the turns that a model is to read, and the tokens that it took of an agent's daily budget."""

from __future__ import annotations

from alembic import op

revision = "0111"
down_revision = "0109"


def upgrade() -> None:
    # null: not to be read; waiting: to be read once it is due; parked: reading failed too often; read: done
    op.execute(
        "ALTER TABLE cognitive.turn"
        " ADD COLUMN model_state text CHECK (model_state IN ('waiting', 'parked', 'read')),"
        " ADD COLUMN model_failures smallint NOT NULL DEFAULT 0,"
        " ADD COLUMN model_due timestamptz"
    )
    op.execute(
        "ALTER TABLE cognitive.agent_state ADD COLUMN model_day date, ADD COLUMN model_tokens bigint NOT NULL DEFAULT 0"
    )


def downgrade() -> None:
    op.execute("DROP INDEX IF EXISTS cognitive.turn_user_reading")
    op.execute("ALTER TABLE cognitive.turn DROP COLUMN model_due, DROP COLUMN model_failures, DROP COLUMN model_state")
    op.execute("ALTER TABLE cognitive.agent_state DROP COLUMN model_tokens, DROP COLUMN model_day")
