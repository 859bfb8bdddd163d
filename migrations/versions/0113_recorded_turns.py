"""Add a function that records a prepared turn in one call."""

from __future__ import annotations

from alembic import op

revision = "0113"
down_revision = "0112"

# It records a prepared turn as `open_turn` does. The call is a whole transaction, which saves two round trips: it sets
# the scope, and takes the locks that the transaction would begin with (the statement `share_agent_briefly` in
# store.sql). A client gives up long before the lock timeout of 60 s, which ends the call if the client died.
_RECORD_TURN = """
CREATE FUNCTION cognitive.record_turn(
    agent_id text, view text, turn_id text, session_id text, recorded_user text, at timestamptz, message text,
    policy text, policy_content jsonb, frame text, degraded text[], degraded_codes text[], model text, query halfvec,
    trace jsonb, categories text[], runtime text, measures jsonb, received_at double precision, memory_ids uuid[],
    memory_types text[], slots smallint[], propensities real[], relevance_gaps real[], tokens integer[])
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('cognitive.agent_id', agent_id, true), set_config('cognitive.user_id', view, true),
            set_config('synchronous_commit', 'off', true), set_config('enable_seqscan', 'off', true),
            set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true),
            set_config('lock_timeout', '25ms', true);
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('cognitive ' || agent_id, 0));
    IF view <> '' THEN
        PERFORM pg_advisory_xact_lock_shared(hashtextextended('cognitive ' || agent_id || chr(10) || view, 0));
    END IF;
    PERFORM set_config('lock_timeout', '60s', true);
    PERFORM cognitive.open_turn(
        agent_id, turn_id, session_id, recorded_user, at, message, policy, policy_content, frame, degraded,
        degraded_codes, model, query, trace, categories, runtime, measures, received_at, memory_ids, memory_types,
        slots, propensities, relevance_gaps, tokens);
END
$$
"""


def upgrade() -> None:
    op.execute(_RECORD_TURN)


def downgrade() -> None:
    op.execute("DROP FUNCTION cognitive.record_turn")
