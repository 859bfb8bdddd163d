-- Turns whose lines have formed nothing yet. They are few, and looked for when a process begins to work for an agent.
CREATE INDEX CONCURRENTLY turn_user_forming ON cognitive.turn (agent_id, user_id, turn_id) WHERE forming;
-- The preferences and standing instructions of a user, of which the newest are in every prompt.
CREATE INDEX CONCURRENTLY memory_user_wishes ON cognitive.memory (agent_id, user_id, occurred_at, seq)
    WHERE attributes ->> 'kind' IN ('preference', 'instruction') AND NOT pinned;
