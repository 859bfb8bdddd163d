"""What a session keeps of its conversation and its work, and what a turn tells of the tools it took."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0003"
down_revision = "0002"

ADDED = {
    "turn": ["called", "categories"],
    "session": ["covers", "plan", "step", "recent", "recent_turn", "recent_at"],
    "artifact": ["tool", "subtask_id", "characters", "stand_ins"],
    "subtask": ["facts", "lexemes"],
}


def upgrade() -> None:
    script = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    op.get_bind().connection.dbapi_connection.run_async(lambda connection: connection.execute(script))


def downgrade() -> None:
    op.drop_table("piece", schema="cognitive")
    for table, columns in ADDED.items():
        for column in columns:
            op.drop_column(table, column, schema="cognitive")
    op.execute("ALTER TABLE cognitive.session ADD COLUMN plan_step text")
    op.execute("ALTER TABLE cognitive.artifact ADD COLUMN content text NOT NULL DEFAULT ''")
