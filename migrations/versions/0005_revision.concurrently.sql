-- What was replaced, the latest first: few among many, which a walk of all would not find.
CREATE INDEX CONCURRENTLY memory_superseded ON cognitive.memory (agent_id, occurred_at, seq) INCLUDE (id)
    WHERE superseded_by IS NOT NULL;
