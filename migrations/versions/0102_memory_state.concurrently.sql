-- Hidden memories, latest first. They are few, so that a scan of all memories would be wasteful.
CREATE INDEX CONCURRENTLY memory_hidden ON cognitive.memory (agent_id, occurred_at, seq)
    INCLUDE (id, hidden_at, hidden_reason) WHERE hidden_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS cognitive.memory_superseded;
-- Memories that state the same attribute of the same subject.
CREATE INDEX CONCURRENTLY memory_by_claim ON cognitive.memory (agent_id, claim, occurred_at) INCLUDE (id)
    WHERE claim IS NOT NULL;
