-- The model that an agent's reads use: one row, so that a change of model is one write, which every process sees with its
-- next read. NULL: nobody has named it yet, and it is the one that most of the agent's vectors are of.
ALTER TABLE cognitive.corpus ADD COLUMN model text;

-- The models that an agent's vectors are of; what is written goes to each. Which of them is live stands in corpus: of the
-- others those without completed_at are being built, those that have been live are retired, the rest are ready. Workers
-- take memories in the order of their ids, and leave in `reached` where the next one begins.
CREATE TABLE cognitive.embedding_model (
    agent_id     text        NOT NULL,
    model        text        NOT NULL,
    dimension    smallint    NOT NULL CHECK (dimension > 0),
    reached      uuid        NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    begun_at     timestamptz NOT NULL DEFAULT now(),
    completed_at timestamptz,
    live_at      timestamptz,
    PRIMARY KEY (agent_id, model)
);

-- What past turns asked, by further models than the one that each was recorded with; the turn's own `at`, to be read by.
CREATE TABLE cognitive.turn_embedding (
    agent_id  text        NOT NULL,
    turn_id   text        NOT NULL,
    model     text        NOT NULL,
    at        timestamptz NOT NULL,
    embedding halfvec     NOT NULL,
    PRIMARY KEY (agent_id, turn_id, model),
    FOREIGN KEY (agent_id, turn_id) REFERENCES cognitive.turn (agent_id, turn_id) ON DELETE CASCADE
);
CREATE INDEX turn_embedding_by_time ON cognitive.turn_embedding (agent_id, model, at DESC, turn_id);

-- The model that most of a sample of the agent's vectors are of. The sample is random: memories' ids are hashes.
CREATE FUNCTION cognitive.model_of_most(agent text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE RETURN
    (SELECT model FROM (SELECT model FROM cognitive.embedding WHERE agent_id = agent
                        ORDER BY memory_id, ordinal, field, model LIMIT 200) AS sample
     GROUP BY model ORDER BY count(*) DESC, model LIMIT 1);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['embedding_model', 'turn_embedding'] LOOP
        EXECUTE format('ALTER TABLE cognitive.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE cognitive.%I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY tenant ON cognitive.%I USING (agent_id = current_setting(''cognitive.agent_id'', true))'
            ' WITH CHECK (agent_id <> '''' AND agent_id = current_setting(''cognitive.agent_id'', true))', name);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON cognitive.%I TO cognitive_app', name);
        IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'cognitive_reader') THEN
            EXECUTE format('GRANT SELECT ON cognitive.%I TO cognitive_reader', name);
        END IF;
    END LOOP;
END
$$;
