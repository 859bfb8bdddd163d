-- The memories that name another one. They are few.
CREATE INDEX CONCURRENTLY memory_supersedes ON cognitive.memory (agent_id, supersedes) WHERE supersedes IS NOT NULL;
CREATE INDEX CONCURRENTLY memory_replaced_by ON cognitive.memory (agent_id, replaced_by) WHERE replaced_by IS NOT NULL;
