"""Add the tokens of pinned memories to the counts of turns; the overview role may read the names of all agents."""

from __future__ import annotations

from alembic import op

revision = "0107"
down_revision = "0106"

# The role is created by `cognitive db roles`, which also grants this; here, to databases that have the role already.
_NAMES = """
    DO $$
    BEGIN
        IF EXISTS (SELECT 1 FROM pg_policies
                   WHERE schemaname = 'cognitive' AND tablename = 'rollup' AND policyname = 'overview') THEN
            GRANT SELECT (agent_id) ON cognitive.agent_state TO cognitive_overview;
            DROP POLICY IF EXISTS overview ON cognitive.agent_state;  -- `db roles` may have run first
            CREATE POLICY overview ON cognitive.agent_state FOR SELECT TO cognitive_overview USING (true);
        END IF;
    END
    $$
"""


def upgrade() -> None:
    op.execute("ALTER TABLE cognitive.rollup ADD COLUMN pinned_tokens bigint NOT NULL DEFAULT 0")
    op.execute(_NAMES)


def downgrade() -> None:
    op.execute("DROP POLICY IF EXISTS overview ON cognitive.agent_state")
    op.execute("ALTER TABLE cognitive.rollup DROP COLUMN pinned_tokens")
