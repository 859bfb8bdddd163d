-- Whose word a memory is: somebody's who handed it over, the model's own, something said in talk, or something foreign.
ALTER TABLE cognitive.memory ADD COLUMN trust text NOT NULL DEFAULT 'host'
    CHECK (trust IN ('foreign', 'talk', 'agent', 'host'));

-- What was captured before this column was, came from talk. The owner is bound by row level security as long as it is forced.
ALTER TABLE cognitive.memory NO FORCE ROW LEVEL SECURITY;
UPDATE cognitive.memory SET trust = 'talk' WHERE 'captured' = ANY(tags) AND source LIKE 'turn/%';
ALTER TABLE cognitive.memory FORCE ROW LEVEL SECURITY;

-- That something was erased, when, and how many rows it was; no word of it. An agent's row outlives the agent: by it a
-- turn that was prepared before is known, wherever its outcome comes from.
CREATE TABLE cognitive.erasure (
    agent_id text        NOT NULL,
    at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    what     text        NOT NULL CHECK (what IN ('agent', 'memories', 'retention')),
    counts   jsonb       NOT NULL DEFAULT '{}',
    PRIMARY KEY (agent_id, at, what)
);
ALTER TABLE cognitive.erasure ENABLE ROW LEVEL SECURITY;
ALTER TABLE cognitive.erasure FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON cognitive.erasure USING (agent_id = current_setting('cognitive.agent_id', true))
    WITH CHECK (agent_id <> '' AND agent_id = current_setting('cognitive.agent_id', true));
GRANT SELECT, INSERT, UPDATE, DELETE ON cognitive.erasure TO cognitive_app;
